#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Ten kinds of certificate look as they were approved to. Pages are compared as pictures
# whose points are 6 points of paper wide: another version of a library moves a letter by a
# fraction of that, which passes; a line, a mark or a column that is gone or elsewhere does
# not.
#
# PRINT_APPROVE=1 writes the pictures anew; look at each before it is kept.
use strict;
use warnings;
use utf8;

use Digest::SHA qw(sha256_hex);
use File::Basename qw(dirname);
use MIME::Base64 qw(encode_base64);
use Test::More;

use LIMS::Print;

my $dpi      = 12;
my $approved = dirname(__FILE__) . '/approved';
my ($true, $false) = (JSON::PP::true, JSON::PP::false);

# --- Pictures

# (width, height, grey values) of a picture, as pdftoppm writes it without compression.
sub read_picture {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    my $picture = do { local $/ = undef; <$file> };
    my ($width, $height, $values) = $picture =~ /\AP5\s+(\d+)\s+(\d+)\s+255\s(.*)\z/s;
    return ($width, $height, unpack 'C*', $values // '');
}

# Why two pictures differ; nothing: they look alike.
sub difference {
    my ($made, $kept) = @_;
    my ($width, $height, @one) = read_picture($made);
    my ($wide, $high, @other) = read_picture($kept);
    return 'another size' if !@one || $width != $wide || $height != $high || @one != @other;
    my @far = grep { abs($one[$_] - $other[$_]) > 36 } 0 .. $#one;
    return @far > 2 ? @far . ' points of ' . @one : '';
}

sub small_pictures {
    my ($pdf) = @_;
    my $path = written($pdf);
    command('pdftoppm', '-gray', '-r', $dpi, $path, $path);
    return sort glob "$path-*.pgm";
}

# --- The certificates

my $logo = png(240, 80);
my %laboratory = (%{ content()->{laboratory} }, logoSha256 => sha256_hex($logo));
my @many = map { result(testCode => "T$_", testName => "Test number $_", sampleTestId => $_) } 1 .. 60;
my @mixed = (
    result(result => '0.5', qualifier => '<', unit => 'mg/L', testName => 'Lead', testCode => 'PB', specification => 'at most 10 mg/L'),
    result(result => undef, qualifier => 'ND', testName => 'Coliforms', testCode => 'TC', accredited => $false,
        conformity => undef, unit => undef, specification => 'Absent', decisionRule => undef),
    result(result => '9.1', conformity => 'outside', outOfSpecification => $true, uncertainty => '± 0.1',
        remark => 'Measured twice.', qualifier => 'J', reportingLimit => 5),
);
my $amended = content(
    certificate => { number => 'COA-2026-000417', version => 2, issuedAt => '2026-11-26T14:03:22-07:00',
        replaces => { version => 1, issuedAt => '2026-11-24T10:00:00-07:00' } },
    amendments => [ { version => 2, reason => 'Typing error', openedBy => 'Ines Kowalski', openedAt => '2026-11-26T09:00:00-07:00',
            changes => [ { member => 'tests[101].result', old => '9.2', new => '7.2' } ] } ]);

my %kinds = (
    plain   => { content => content() },
    draft   => { draft => $true, content => content() },
    amended => { content => $amended },
    outside => { content => content(results => \@mixed, qualifiers => [ { qualifier => 'ND', meaning => 'not detected' } ]) },
    long    => { content => content(results => \@many) },
    wrapped => { content => content(results => [ map { result(testName => 'Polychlorinated dibenzodioxins and dibenzofurans, '
                    . 'toxic equivalents', method => 'DIN EN 16190 with isotope dilution', unit => "unit $_") } 1 .. 4 ]) },
    arabic  => { content => content(client => { name => 'مختبر المياه', address => 'شارع النهر ٥' },
            results => [ result(testName => 'عسر الماء الكلي', unit => 'ملغ/لتر', remark => 'أعيد القياس مرتين') ],
            statements => ['تتعلق النتائج بالعينات المختبرة فقط ولا يجوز نسخ هذه الشهادة إلا كاملة']) },
    chinese => { content => content(client => { name => '河流水厂', address => '上海市' },
            results => [ result(testName => '总硬度', unit => '毫克/升', remark => '重复测定两次') ], statements => ['结果仅对所检样品负责。']) },
    letter  => { content => content(laboratory => \%laboratory, layout => { paper => 'letter', logo => 'right', title => 'Test report',
                sections => [ 'sample', 'results', 'statements' ], columns => [ 'test', 'result', 'unit', 'limits' ],
                header => 'Above', footer => 'Not to be copied except in full.' }),
        files => { sha256_hex($logo) => encode_base64($logo, '') } },
    bare    => { content => { certificate => { number => 'X-1', version => 1 }, results => [ { testName => 'pH', result => '7' } ] } },
);

for my $name (sort keys %kinds) {
    my ($pdf, $refusal) = made({ kind => 'certificate', %{ $kinds{$name} } });
    my @pages = small_pictures($pdf // die("$name: $refusal"));
    my %page  = ("$name" => $pages[0], @pages > 1 ? ("$name-end" => $pages[-1]) : ());
    for my $page (sort keys %page) {
        my $kept = "$approved/$page.pgm";
        if ($ENV{PRINT_APPROVE}) {
            open my $in,  '<:raw', $page{$page} or die "$page{$page}: $!\n";
            open my $out, '>:raw', $kept or die "$kept: $!\n";
            local $/ = undef;
            print {$out} scalar <$in>;
            close $out or die "$kept: $!\n";
        }
        is(difference($page{$page}, $kept), '', "it looks as it was approved to: $page");
    }
}

# The comparison sees what it is for: one result, one mark.
my $other = content();
$other->{results}[0]{conformity} = 'outside';
$other->{results}[0]{outOfSpecification} = $true;
my ($changed) = made({ kind => 'certificate', content => $other });
isnt(difference((small_pictures($changed))[0], "$approved/plain.pgm"), '', 'another verdict looks otherwise');

done_testing();
