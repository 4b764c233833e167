#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two requests change one result at the same moment (both are seen to wait for the row): of
# two analysts who read the same record one wins and the other is refused; a result is
# verified as it was read, or edited before that; and a report never carries a value that
# changed under it.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);

subtest 'two analysts edit one result' => sub {
    for my $round (1 .. 4) {
        my (undef, $test) = $lab->worked(1);
        my $etag = $lims->get("/sample-tests/$test")->header('ETag');
        my ($met, @answers);
        my @events = $lab->events_in(sub {
            ($met, @answers) = $lab->overlapping(6, sample_test => $test, sub {
                my ($number) = @_;
                return $lims->patch("/sample-tests/$test", { result => "9.$number" },
                    headers => { 'If-Match' => $etag })->status;
            });
        });
        is($met, 6, "round $round: six at once");
        my ($winner) = grep { $answers[$_] == 200 } 0 .. 5;
        is_deeply([ sort @answers ], [ 200, (412) x 5 ], 'one of six wins, the others get 412');
        is($lims->get("/sample-tests/$test")->json->{result}, "9.$winner",
            'the result is the winner\'s');
        is(scalar @events, 1, 'told once');
    }
};

subtest 'verification and edit of one result' => sub {
    my %outcomes;
    for my $round (1 .. 8) {
        my (undef, $test) = $lab->worked(1);
        my ($met, $verified, $edited);
        my @events = $lab->events_in(sub {
            ($met, $verified, $edited) = $lab->overlapping(2, sample_test => $test, sub {
                my ($number) = @_;
                my $response = $number
                    ? $lims->patch("/sample-tests/$test", { result => '2' })
                    : $lims->post("/sample-tests/$test/verify", {});
                return $response->status . ' ' . ($response->json->{error} // '');
            });
        });
        my $record = $lims->get("/sample-tests/$test")->json;

        is($met, 2, "round $round: two at once");
        is($verified, '200 ', 'the verification succeeds');
        is($record->{status}, 'verified', 'the test stays verified');
        if ($edited eq '200 ') {
            is($record->{result}, '2', 'edited before');
            is_deeply([ map { $_->[0] } @events ], [qw(result.entered result.verified)],
                'told in that order');
        }
        else {
            is($edited, '409 test_verified_locked', 'or not at all');
            is($record->{result}, '1', 'the result is the verified one');
            is_deeply([ map { $_->[0] } @events ], ['result.verified'], 'told alone');
        }
    }
};

subtest 'many verify one result' => sub {
    for my $round (1 .. 3) {
        my (undef, $test) = $lab->worked(1);
        my ($met, @answers);
        my @events = $lab->events_in(sub {
            ($met, @answers) = $lab->overlapping(6, sample_test => $test, sub {
                my $response = $lims->post("/sample-tests/$test/verify", {});
                return $response->status . ' ' . ($response->json->{error} // '');
            });
        });
        is($met, 6, "round $round: six at once");
        is_deeply([ sort @answers ], [ '200 ', ('409 test_verified_locked') x 5 ],
            'one of six verifies it');
        is(scalar @events, 1, 'told once');
    }
};

subtest 'report and edit of a result' => sub {
    for my $round (1 .. 6) {
        my ($sample, @tests) = $lab->worked(2);
        $lab->verify($tests[0]);
        $lab->verify($tests[1]);
        my ($met, $reported, $noted) = $lab->overlapping(2, sample => $sample->{id}, sub {
            my ($number) = @_;
            my $response = $number
                ? $lims->patch("/samples/$sample->{id}", { notes => 'late' })
                : $lims->post("/samples/$sample->{id}/report", {});
            return [ $response->status, $response->json ];
        });
        my $record = $lims->get("/samples/$sample->{id}")->json;

        is($met, 2, "round $round: two at once");
        is($reported->[0], 200, 'the report is made');
        is_deeply($record, $reported->[1], 'the record is the one that was answered');
        is($record->{notes}, $noted->[0] == 200 ? 'late' : undef,
            "the note came first or not at all ($noted->[0])");
        is($noted->[1]{error}, 'invalid_transition', 'the edit is refused with invalid_transition') if $noted->[0] != 200;
    }
};

subtest 'report and a QC batch that fails' => sub {
    for my $round (1 .. 6) {
        my ($sample, $test) = $lab->worked(1);
        my $batch = $lab->qc_batch($test);
        $lab->verify($test);
        my ($met, $reported) = $lab->overlapping(2, qc_batch => $batch, sub {
            my ($number) = @_;
            return $lab->qc_control($batch, 9) if $number;
            my $response = $lims->post("/samples/$sample->{id}/report", {});
            return $response->status . ' ' . ($response->json->{error} // '');
        });
        my $status = $lims->get("/samples/$sample->{id}")->json->{status};

        is($met, 2, "round $round: two at once");
        like($reported, qr/\A(?:200 |409 qc_failed)\z/, 'either came first');
        is($status, $reported eq '200 ' ? 'reported' : 'pending',
            'the sample\'s status agrees with the answer');
    }
};

subtest 'entering into a sample that is being completed' => sub {
    for my $round (1 .. 4) {
        my ($sample, @tests) = $lab->worked(2);
        my ($met, $completed, $withdrawn) = $lab->overlapping(2, sample => $sample->{id}, sub {
            my ($number) = @_;
            return ($number
                ? $lims->patch("/sample-tests/$tests[1]", { result => undef })
                : $lims->patch("/samples/$sample->{id}/status", { status => 'completed' }))->status;
        });
        is($met, 2, "round $round: two at once");
        is($withdrawn, 200, 'a result is withdrawn');
        like($completed, qr/\A(?:200|409)\z/, "the sample is completed or not ($completed)");
        is($lims->get("/samples/$sample->{id}")->json->{status},
            $completed == 200 ? 'completed' : 'pending',
                'the sample\'s status agrees with the answers');
    }
};

done_testing();
