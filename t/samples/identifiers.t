#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Tracking ids carry prefix, year, number and a check character that finds
# mistypings; composite sample identifiers are numbered without gaps or repeats
# per project, place and day, also when many are made at once.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;
use POSIX qw(strftime);

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);

# ISO 7064 MOD 37,36, written from the standard's description of hybrid
# systems, not from the service's code: (P + a) mod 36, doubled mod 37.
my @alphabet = (0 .. 9, 'A' .. 'Z');
my %number_of = map { $alphabet[$_] => $_ } 0 .. 35;

sub check_is_right {
    my ($text) = @_;
    my @characters = split //, $text;
    my $last       = pop @characters;
    my $p          = 36;
    for my $character (@characters) {
        my $s = ($p + $number_of{$character}) % 36 || 36;
        $p = $s * 2 % 37;
    }
    return ($p + $number_of{$last}) % 36 == 1;
}

subtest 'this test computes check characters correctly' => sub {
    # The example of the GRid standard (IFPI), which uses the same system.
    ok(check_is_right('A12425GABC1234002M'), 'GRid A12425GABC1234002M');
    ok(!check_is_right('A12425GABC1234003M'),
        'an identifier with one wrong character is not valid');
};

sub parts { return $_[0] =~ /\A([A-Z0-9]{1,8})-(\d\d)-(\d{7,})-([0-9A-Z])\z/a }

subtest 'tracking ids' => sub {
    my %seen;
    for (1 .. 40) {
        my $sample = $lab->sample;
        my ($prefix, $year, $number, $check) = parts($sample->{trackingId});
        is($prefix, 'LAB', 'the tracking id begins with the prefix') or diag($sample->{trackingId});
        is($year, strftime('%y', gmtime), 'the year follows the prefix');
        is(0 + $number, $sample->{id}, 'the number follows the year');
        ok(check_is_right("$prefix$year$number$check"), "check character of $sample->{trackingId}");
        is($seen{ $sample->{trackingId} }++, 0, 'only once');
        is($sample->{sampleIdentifier}, $sample->{trackingId},
            'without a composite the tracking id is the sample identifier');
    }
};

subtest 'tracking ids with the organization\'s prefix' => sub {
    $lab->policy(tracking_prefix => 'NORTH7');
    my $sample = $lab->sample;
    like($sample->{trackingId}, qr/\ANORTH7-/, 'the prefix is the organization\'s');
    ok(check_is_right($sample->{trackingId} =~ tr/-//dr), 'the check character covers the prefix');
    $lab->policy(tracking_prefix => 'LAB');
};

subtest 'the year is that of the organization\'s time zone' => sub {
    for my $zone ('Pacific/Kiritimati', 'Pacific/Pago_Pago') {
        $lab->policy(time_zone => $zone);
        my ($year) = (parts($lab->sample->{trackingId}))[1];
        is($year, $lab->value(q{SELECT to_char(now() AT TIME ZONE ?, 'YY')}, $zone), $zone);
    }
    $lab->policy(time_zone => 'UTC');
};

subtest 'one wrong character and every transposition of neighbours are found' => sub {
    my $valid = $lab->sample->{trackingId};
    my @wrong;
    for my $at (grep { substr($valid, $_, 1) ne '-' } 0 .. length($valid) - 1) {
        for my $character (@alphabet) {
            my $other = $valid;
            substr($other, $at, 1) = $character;
            push @wrong, $other if $other ne $valid;
        }
    }
    my $accepted = $lab->value(
        'SELECT count(*) FROM unnest(?::text[]) AS t (x) WHERE lims.tracking_id_is_valid(x)',
        \@wrong);
    is($lab->value('SELECT lims.tracking_id_is_valid(?)', $valid), 1, 'the right one is valid');
    is($accepted, 0, 'no other of ' . @wrong);
};

my $composite = $lab->project(code => 'NPDES001', composite_sample_identifier => 't');
my @day       = (collectionDate => '2026-03-09');

subtest 'composite identifiers' => sub {
    my %at = (projectId => $composite, plantLocation => 'EFF-001');

    is($lab->sample(%at, @day)->{sampleIdentifier}, 'NPDES001-EFF-001-20260309-1', 'the first');
    is($lab->sample(%at, @day)->{sampleIdentifier}, 'NPDES001-EFF-001-20260309-2', 'the second');
    is($lab->sample(%at, collectionDate => '2026-03-10')->{sampleIdentifier},
        'NPDES001-EFF-001-20260310-1', 'another day begins at 1');
    is($lab->sample(%at, @day, plantLocation => 'INF')->{sampleIdentifier},
        'NPDES001-INF-20260309-1', 'another place begins at 1');
    is($lab->sample(%at)->{sampleIdentifier},
        'NPDES001-EFF-001-' . strftime('%Y%m%d', gmtime) . '-1', 'without a date it is today\'s');
    isnt($lab->sample(%at, @day)->{sampleIdentifier}, $lab->sample(%at, @day)->{trackingId},
        'the tracking id is something else');
    is($lab->sample(%at, collectedAt => '2026-03-11T23:30:00-02:00')->{sampleIdentifier},
        'NPDES001-EFF-001-20260312-1', 'an exact time has its day');
};

subtest 'a composite identifier needs a plant location' => sub {
    my %body = (clientName => 'A', materialTypeId => $lab->material, projectId => $composite);

    for my $missing ({}, { plantLocation => undef }, { plantLocation => ' ' }) {
        like(refused($lims->post('/samples', { %body, %$missing }), 400, 'invalid_body',
                'refused')->{message}, qr/plantLocation/, 'the message names it');
    }
    my $sample = $lab->sample(projectId => $lab->project);
    is($sample->{plantLocation}, undef, 'other projects do not need one');
    refused($lims->patch("/samples/$sample->{id}", { projectId => $composite }), 400,
        'invalid_body', 'moved into the project without one');
    is($lims->patch("/samples/$sample->{id}", { projectId => $composite, plantLocation => 'INF' })
            ->json->{sampleIdentifier}, $sample->{sampleIdentifier},
                'a place given later does not change it');
};

subtest 'an identifier is assigned once' => sub {
    my $sample = $lab->sample(projectId => $composite, plantLocation => 'EFF-001', @day);
    my $after  = $lims->patch("/samples/$sample->{id}",
        { plantLocation => 'INF', collectionDate => '2026-03-01' })->json;

    is($after->{sampleIdentifier}, $sample->{sampleIdentifier}, 'later changes do not change it');
    refused($lims->patch("/samples/$sample->{id}", { plantLocation => undef }), 400,
        'invalid_body', 'the place stays required');
};

subtest 'a refused creation leaves no gap' => sub {
    my %at = (projectId => $composite, plantLocation => 'GAP', @day);
    my $bad = { clientName => 'A', materialTypeId => $lab->material, %at,
        testDefinitionIds => [987654] };

    refused($lims->post('/samples', $bad), 400, 'invalid_reference',
        'a creation refused after its number was taken');
    is($lab->sample(%at)->{sampleIdentifier}, 'NPDES001-GAP-20260309-1', 'the first is 1');
};

subtest 'many registrations at once' => sub {
    my $material = $lab->material;
    my @made = $lims->parallel(16, sub {
        my $response = $lims->post('/samples', { clientName => 'A', materialTypeId => $material,
                projectId => $composite, plantLocation => 'RACE', @day });
        return $response->json->{sampleIdentifier} || $response->body;
    });

    is_deeply([ sort @made ], [ sort map { "NPDES001-RACE-20260309-$_" } 1 .. 16 ],
        '1 to 16, each once');
};

done_testing();
