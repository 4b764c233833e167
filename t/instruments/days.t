#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A file that says on which day a sample was analysed, and not when: the day of collection is
# no time before it, and a holding time that ended on that day is not taken for met.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['qa_officer']);
my %test = (NO3 => $lab->definition(code => 'NO3', holding_time_hours => 24),
    PO4 => $lab->definition(code => 'PO4'));

# The zone is 13 hours ahead of UTC: a day there begins at 11:00 UTC of the day before.
$pc->profile(timeZone => 'Pacific/Tongatapu', write => { existing => 'sameValueOk' });

sub collected {
    my ($at, $code) = @_;
    my $sample = $lab->sample(collectedAt => $at, testDefinitionIds => [ $test{ $code // 'NO3' } ]);
    $lab->status($sample, 'received');
    return $sample;
}

sub judged {
    my ($sample) = @_;
    return $lab->value(q{SELECT concat_ws(' ', to_char(analyzed_at AT TIME ZONE 'UTC',
        'MM-DD HH24:MI'), holding_met) FROM lims.sample_test WHERE sample_id = ?}, $sample->{id});
}

sub sent {
    my (@rows) = @_;
    return $pc->send($pc->csv(map { [ $_->[0], $_->[2] // 'NO3', '7', undef, $_->[1] ] } @rows));
}

subtest 'the day of collection' => sub {
    my $sample = collected('2026-03-10T20:00:00Z');    # 09:00 of the 11th
    my $answer = sent([ $sample, '2026-03-11' ]);
    is($answer->status, 201, 'its file is imported') or diag($answer->body);
    is(judged($sample), '03-10 20:00 t', 'the analysis counts from the collection');

    $sample = collected('2026-03-10T20:00:00Z');
    is_deeply($pc->codes(sent([ $sample, '2026-03-10' ])), ['timestamp_before_collection'],
        'the day before it is too early');
    $sample = collected('2026-03-10T20:00:00Z');
    is_deeply($pc->codes(sent([ $sample, '2026-03-11T08:59:00' ])),
        ['timestamp_before_collection'], 'a time before it on the same day is too early');
};

subtest 'the day on which the holding time ended' => sub {
    my $sample = collected('2026-03-09T20:00:00Z');
    my $answer = sent([ $sample, '2026-03-11' ]);
    is($answer->status, 202, 'holds the file') or diag($answer->body);
    is_deeply([ map { [ @$_{qw(code row cell)} ] } @{ $answer->json->{reasons} } ],
        [ [ 'timestamp_invalid', 2, '2026-03-11' ] ], 'the reason names the day');
    like($answer->json->{reasons}[0]{message}, qr/on that day its holding time ended/,
        'the reason says what is not known');

    my $other = collected('2026-03-09T20:00:00Z', 'PO4');
    my $file  = sent([ $sample, '2026-03-11' ], [ $other, '2026-03-11', 'PO4' ])->json;
    $ann->done('instrument-file release', $file->{id}, reason => 'by the bench sheet',
        exclude => [ { row => 2, reason => 'no time' } ]);
    is(judged($other), '03-10 11:00', 'a test without a holding time is entered by its day');
    my ($id) = $lab->tests($sample);
    $lims->patch("/sample-tests/$id", { result => '7', analyzedAt => '2026-03-10T21:00:00Z' });
    is(judged($sample), '03-10 21:00 f', 'the other is entered with its time');
    my $again = sent([ $sample, '2026-03-11' ], [ collected('2026-03-09T20:00:00Z', 'PO4'),
        '2026-03-11', 'PO4' ]);
    is($again->status, 201, 'the same value again is not asked for its time')
        or diag($again->body);
    is(judged($sample), '03-10 21:00 f', 'it keeps its time');
};

subtest 'other days' => sub {
    my @sample = map { collected('2026-03-09T20:00:00Z') } 1 .. 3;
    my $answer = sent([ $sample[0], '2026-03-10' ], [ $sample[1], '2026-03-12' ],
        [ $sample[2], '2026-03-11T08:59:00' ]);
    is($answer->status, 201, 'they tell whether it was met') or diag($answer->body);
    is_deeply([ map { judged($_) } @sample ],
        [ '03-09 20:00 t', '03-11 11:00 f', '03-10 19:59 t' ], 'it is judged by them');
};

subtest 'a file that comes before the holding time ends' => sub {
    my $sample = collected($lab->value(
        q{SELECT to_char((now() - interval '23 hours') AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS"Z"')}));
    my $answer = sent([ $sample, $lab->value(
        q{SELECT (now() AT TIME ZONE 'Pacific/Tongatapu')::date::text}) ]);
    is($answer->status, 201, 'is imported') or diag($answer->body);
    like(judged($sample), qr/ t\z/, 'it was met');
};

done_testing();
