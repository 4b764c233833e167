#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A file of a Cedex Bio HT, and what another program makes of it in the Allotrope
# Simple Model: both have to find the same sample, analyte, value and unit. The
# other program writes nothing (minus zero) for what is below the range, in place
# of the limit, and LDH in another unit.
use strict;
use warnings;

use File::Temp;
use JSON::PP;
use Test::More;

use LIMS::Files::Reader;

my $collection = collection();
plan skip_all => 'no collection of real files here' unless $collection;

my $name   = 'roche_cedex_bioht_example01';
my $folder = "$collection/Benchling-Open-Source+allotropy/tests/parsers/roche_cedex_bioht/testdata";
my $other  = decode_json(contents("$folder/$name.json"));
my $ours   = LIMS::Files::Reader->new(shipped())->outcome("$name.txt", contents("$folder/$name.txt"));

# Values that the other program found: by sample and analyte.
my %found;
for my $document (@{ $other->{'solution analyzer aggregate document'}{'solution analyzer document'} }) {
    for my $measurement (@{ $document->{'measurement aggregate document'}{'measurement document'} }) {
        my $sample = $measurement->{'sample document'}{'sample identifier'};

        if (my $absorbance = $measurement->{absorbance}) {
            $found{"$sample ODB"} = $absorbance;
        }
        for my $analyte (@{ $measurement->{'analyte aggregate document'}{'analyte document'} // [] }) {
            my $code = $analyte->{'custom information document'}{'analyte code'};
            my ($quantity) = grep { / concentration\z/ } keys %$analyte;
            $found{"$sample $code"} = $analyte->{$quantity};
        }
    }
}

# The same, by a profile for such documents.
my $theirs  = decode_json(contents("$LIMS::Files::Reader::root/t/profiles/laboratory_profiles"
        . '/allotrope-asm.json'));
my %analyte = map { (split / /)[1] => 1 } keys %found;
delete @$theirs{qw(rows units)};
$theirs->{columns}{test} = 'custom information document/analyte code';
$theirs->{tests} = [ map { { name => $_, testCode => $_ } } sort keys %analyte ];
my $profile = File::Temp->new(SUFFIX => '.json');
print {$profile} encode_json($theirs);
close $profile;
my $tree = LIMS::Files::Reader->new("$profile")->outcome("$name.json", contents("$folder/$name.json"));
my @tree = map { "$_->{trackingId} $_->{testCode}" } @{ $tree->{values} };

is($tree->{counts}{blocking}, 0, 'the document is taken by a profile for it');
is(join(' ', sort @tree), join(' ', sort grep { !/ ODB\z/ } keys %found),
    'the other program\'s file has every analyte');
for my $value (@{ $tree->{values} }) {
    my $found = $found{"$value->{trackingId} $value->{testCode}"};

    ok($value->{result} == $found->{value} && $value->{unit} eq $found->{unit},
        "$value->{trackingId} $value->{testCode} is what stands there");
}

# Units of the other program, and the factor from theirs to ours.
my %unit = (
    'mmol/L' => [ 'mmol/L', 1 ],
    'g/L'    => [ 'g/L',    1 ],
    'U/L'    => [ 'mmol/L', 0.0167 ],
    'OD'     => [ 'mAU',    1 ],
);

is($ours->{counts}{blocking}, 0, 'the file is taken');
is(scalar @{ $ours->{values} }, scalar keys %found,
    'our values are as many as the other program\'s');
for my $value (@{ $ours->{values} }) {
    my $what  = "$value->{trackingId} $value->{testCode}";
    my $found = delete $found{$what};

    if (!ok($found, "$what was found by the other too")) {
        next;
    }
    my ($unit, $factor) = @{ $unit{ $value->{unit} } // [ 'none', 1 ] };
    is($found->{unit}, $unit, "$what has its unit");
    if ($value->{qualifier} eq '<') {
        ok($found->{value} == 0, "$what is below the range");
    }
    else {
        cmp_ok(abs($value->{result} * $factor - $found->{value}), '<', 5e-7, "$what has its value");
    }
}
is(join(' ', sort keys %found), '', 'no value was found by the other program alone');
done_testing();
