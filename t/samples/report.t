#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /samples/:id/report: a complete and verified sample is reported, once, and is final
# then; an incomplete one is refused with the ids of all incomplete tests. The other gates
# of reporting are in t/release/gates.t.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));

sub report { return $lims->post("/samples/$_[0]{id}/report", {}) }

sub verified {
    my ($count) = @_;
    my ($sample, @tests) = $lab->worked($count);
    $lab->verify($_) for @tests;
    return ($sample, @tests);
}

subtest 'a sample is reported' => sub {
    my ($sample) = verified(2);
    my $response;
    is_deeply([ $lab->events_of(sub { $response = report($sample) }) ],
        [ [ 'sample.reported', 'sampleId integer, status string, trackingId string' ] ],
        'sample.reported, once');
    my $record = $response->json;
    is($response->status,        200);
    is($record->{status},        'reported', 'the status is reported');
    is($record->{releaseState},  'reported', 'the release state of the sample is reported');
    is($record->{holdingStatus}, undef,      'no holding time runs');
    like($record->{reportedAt}, qr/\A\d{4}-.*\.\d{3}Z\z/, 'it is UTC, to the millisecond');
    is(scalar @{ $record->{tests} }, 2, 'the record has its tests');
    is_deeply($lims->get("/samples/$sample->{id}")->json, $record,
        'the record is read as it was answered');

    my $again;
    my $changes = $lab->changes_of(sub { $again = report($sample) });
    is($again->status, 200, 'reporting again is answered 200');
    is($again->body, $response->body, 'with the same body');
    is($again->header('ETag'), $response->header('ETag'), 'with the same ETag');
    is($changes, 0, 'reporting again writes no event and no audit entry');
};

subtest 'reported from each status, without a body' => sub {
    for my $status (qw(pending received processing completed verified)) {
        my ($sample) = verified(1);
        $lab->status($sample, $status);
        my $response = $lims->request('POST', "/samples/$sample->{id}/report");
        is($response->status, 200, $status) or diag($response->body);
    }
};

subtest 'an incomplete sample is refused' => sub {
    my ($sample, @tests) = $lab->worked(3);
    $lims->patch("/sample-tests/$tests[0]", { result => undef });
    $lab->verify($tests[1]);
    my $changes = $lab->changes_of(sub {
        my $body = refused(report($sample), 409, 'incomplete_sample', 'blank and unverified');
        is_deeply($body->{blockers}[0]{testIds}, [ @tests[ 0, 2 ] ], 'the blocker names each test');
    });
    is($changes, 0, 'no row has changed');
    $lab->enter($tests[0], '1');
    $lab->verify($tests[0]);
    is_deeply(refused(report($sample), 409, 'incomplete_sample', 'one test is still incomplete')
            ->{blockers}[0]{testIds}, [ $tests[2] ], 'the blocker names the tests');
    $lab->verify($tests[2]);
    is(report($sample)->status, 200, 'once complete, it is reported');
};

subtest 'a sample without any test' => sub {
    my $body = refused(report($lab->sample), 409, 'incomplete_sample', 'has nothing to report');
    is(scalar @{ $body->{blockers} }, 1, 'there is one blocker');
};

subtest 'results of a reported sample cannot change' => sub {
    my ($sample, $test) = verified(1);
    report($sample);
    my $changes = $lab->changes_of(sub {
        refused($lims->patch("/sample-tests/$test", { result => '2' }), 409,
            'test_verified_locked', 'its results');
        refused($lims->patch("/sample-tests/$test", { notes => '2' }), 409,
            'test_verified_locked', 'notes of its tests are locked too');
        is($lims->post('/samples/receive', { sampleIds => [ $sample->{id} ] })
                ->json->{skipped}[0]{error}, 'not_receivable',
                    'a reported sample cannot be received');
    });
    is($changes, 0, 'no row has changed');
};

subtest 'unknown samples' => sub {
    my $foreign = $other->sample->{id};
    my $absent  = refused(report({ id => 987654 }), 404, 'not_found', 'absent');
    my $strange = refused(report({ id => $foreign }), 404, 'not_found', 'foreign');
    is($strange->{message} =~ s/$foreign/N/r, $absent->{message} =~ s/987654/N/r,
        'both messages are the same but for the id');
};

subtest 'many reports at once' => sub {
    for my $round (1 .. 3) {
        my ($sample) = verified(1);
        my ($met, @answers);
        my @events = $lab->events_of(sub {
            ($met, @answers) = $lab->overlapping(8, sample => $sample->{id}, sub {
                my $response = report($sample);
                return $response->status . ' ' . ($response->json->{reportedAt} || $response->body);
            });
        });
        my %different = map { $_ => 1 } @answers;
        is($met, 8, "round $round: eight at once");
        is(scalar keys %different, 1, 'all reports get the same answer') or diag(@answers);
        like($answers[0], qr/\A200 /, 'all reports are answered 200');
        is(scalar @events, 1, 'told once');
    }
};

done_testing();
