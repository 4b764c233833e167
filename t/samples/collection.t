#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# When a sample was collected: a day, or an exact time that implies the day in
# the organization's time zone. Neither may lie in the future, with a day of
# grace, and the two never contradict each other.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;
use POSIX qw(strftime);

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);

sub day    { return strftime('%Y-%m-%d',           gmtime(time + 86400 * $_[0])) }
sub moment { return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time + 60 * $_[0])) }

# [organization's zone, collectedAt, as it comes back, the day it was there]
my @times = (
    [ 'UTC',              '2026-03-09T14:05:00Z',       '2026-03-09T14:05:00.000Z', '2026-03-09' ],
    [ 'UTC',              '2026-03-09T14:05:00.5Z',     '2026-03-09T14:05:00.500Z', '2026-03-09' ],
    [ 'UTC',              '2026-03-09T23:59:59.999Z',   '2026-03-09T23:59:59.999Z', '2026-03-09' ],
    [ 'UTC',              '2026-03-09T23:30:00-02:00',  '2026-03-10T01:30:00.000Z', '2026-03-10' ],
    [ 'America/Denver',   '2026-03-09T05:30:00Z',       '2026-03-09T05:30:00.000Z', '2026-03-08' ],
    [ 'America/Denver',   '2026-03-09T06:00:00Z',       '2026-03-09T06:00:00.000Z', '2026-03-09' ],
    [ 'Asia/Kathmandu',   '2026-03-09T18:15:00Z',       '2026-03-09T18:15:00.000Z', '2026-03-10' ],
    [ 'Asia/Kathmandu',   '2026-03-09T18:14:59Z',       '2026-03-09T18:14:59.000Z', '2026-03-09' ],
);

subtest 'collectedAt implies collectionDate in the organization\'s time zone' => sub {
    for my $case (@times) {
        my ($zone, $given, $time, $date) = @$case;
        $lab->policy(time_zone => $zone);
        my $sample = $lab->sample(collectedAt => $given);

        is($sample->{collectedAt},    $time, "$given in $zone");
        is($sample->{collectionDate}, $date, "$given in $zone was on $date");
    }
    $lab->policy(time_zone => 'UTC');
};

subtest 'collectionDate alone has no time' => sub {
    my $sample = $lab->sample(collectionDate => '2026-03-09');
    is($sample->{collectionDate}, '2026-03-09', 'the day');
    is($sample->{collectedAt},    undef,        'the sample has no time of collection');
};

subtest 'dates in the future' => sub {
    my %body = (clientName => 'A', materialTypeId => $lab->material);

    is($lab->sample(collectionDate => day(1))->{collectionDate}, day(1), 'a day of grace');
    ok($lab->sample(collectedAt => moment(23 * 60))->{collectedAt}, '23 hours of grace');
    like(refused($lims->post('/samples', { %body, collectionDate => day(2) }), 400,
            'invalid_body', 'two days')->{message}, qr/collectionDate/, 'the message names it');
    like(refused($lims->post('/samples', { %body, collectedAt => moment(25 * 60) }), 400,
            'invalid_body', '25 hours')->{message}, qr/collectedAt/, 'the message names it');

    my $sample = $lab->sample;
    refused($lims->patch("/samples/$sample->{id}", { collectionDate => day(2) }), 400,
        'invalid_body', 'a later date by PATCH');
    refused($lims->patch("/samples/$sample->{id}", { collectedAt => moment(25 * 60) }), 400,
        'invalid_body', 'a later time by PATCH');
};

subtest 'collectedAt and collectionDate that contradict each other' => sub {
    my $sample = $lab->sample(collectedAt => '2026-03-09T14:05:00Z');
    my $path   = "/samples/$sample->{id}";

    like(refused($lims->patch($path, { collectionDate => '2026-03-08' }), 400, 'invalid_body',
            'another day than the time')->{message}, qr/collectedAt/,
                'the message says what to do');
    is($lims->patch($path, { collectedAt => '2026-03-05T10:00:00Z' })->json->{collectionDate},
        '2026-03-05', 'a new time brings its day');
    my $both = $lims->patch($path, { collectedAt => undef, collectionDate => '2026-03-01' })->json;
    is($both->{collectionDate}, '2026-03-01', 'without the time, any day');
    is($both->{collectedAt},    undef,        'collectedAt is null');
    is($lims->patch($path, { collectionDate => undef })->json->{collectionDate}, undef,
        'collectionDate is cleared');
};

subtest 'a repeated correction of both changes nothing' => sub {
    my $path = '/samples/' . $lab->sample->{id};

    for my $case ([ '2020-01-01', '2026-03-09T14:05:00Z', '2026-03-09' ],
        [ undef,        '2026-03-10T14:05:00Z', '2026-03-10' ],
        [ '2026-03-07', undef,                  '2026-03-07' ]) {
        my ($date, $time, $day) = @$case;
        my $first = $lims->patch($path, { collectionDate => $date, collectedAt => $time });
        my $again = $lims->patch($path, { collectionDate => $date, collectedAt => $time });
        my $what  = join ' and ', map { $_ // 'null' } $date, $time;

        is($first->status, 200, "$what: taken");
        is($first->json->{collectionDate}, $day, "$what: the day is that of the time where both are sent");
        is($again->status, 200, 'the same correction is taken again');
        is($again->body, $first->body, "$what: the same correction has the same answer");
        is($again->header('ETag'), $first->header('ETag'),
            'the ETag of the repeated correction is the same');
    }
};

subtest 'the same checks at registration' => sub {
    my $sample = $lab->sample(collectedAt => '2026-03-09T14:05:00Z',
        collectionDate => '2020-01-01');
    is($sample->{collectionDate}, '2026-03-09', 'the day of the time');
};

subtest 'clearing collectedAt keeps collectionDate' => sub {
    my $sample = $lab->sample(collectedAt => '2026-03-09T14:05:00Z');
    my $after  = $lims->patch("/samples/$sample->{id}", { collectedAt => undef })->json;
    is($after->{collectedAt},    undef,        'the sample has no time of collection');
    is($after->{collectionDate}, '2026-03-09', 'still the day');
};

subtest 'a leap day' => sub {
    is($lab->sample(collectionDate => '2024-02-29')->{collectionDate}, '2024-02-29',
        '2024 has one');
    refused($lims->post('/samples', { clientName => 'A', materialTypeId => $lab->material,
                collectionDate => '2025-02-29' }), 400, 'invalid_body', '2025 has none');
};

subtest 'both given, in agreement' => sub {
    my $sample = $lab->sample(collectedAt => '2026-03-09T14:05:00Z',
        collectionDate => '2026-03-09');
    is($sample->{collectionDate}, '2026-03-09', 'the day of both');
};

done_testing();
