#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Coverage of a result by QC batches: measured again, it is covered by the controls of the
# new run and no longer by those of the former; a batch that was made by hand goes on
# covering it.
use strict;
use warnings;

use POSIX qw(strftime);

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst', 'qa_officer']);

my %controls = (controls => [ { when => [ { column => 'trackingId', matches => '^CCV' } ],
            route => 'qcBatch', controlType => 'CCV', criterion => 'recovery',
            expectedValue => '10', lowerLimit => '90', upperLimit => '110' } ]);
my %nondetect = (qualifiers => { tokens => [ { text => 'ND', meaning => 'nondetect',
            write => 'ND' } ] });
my ($passes, $fails) = ([ 'CCV-1', 'NO3', '10.1' ], [ 'CCV-1', 'NO3', '19.9' ]);

$pc->profile(%nondetect, rows => \%controls, write => { existing => 'sameValueOk' });

# When a run was measured, so many minutes ago.
sub ago { return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time - 60 * $_[0])) }

# One with a result to be measured: its record, and the id of the test.
sub subject {
    my $sample = $pc->sample('NO3');
    return ($sample, $lab->tests($sample));
}

# Sends a run of these samples; the id of its batch, if it had controls.
sub run {
    my ($control, @rows) = @_;
    my $answer = $pc->send($pc->csv(@rows, $control || ()));
    is($answer->status, 201, 'a run is imported') or diag($answer->body);
    return $lab->value('SELECT id FROM lims.qc_batch WHERE batch_number = ?',
        'FILE-' . $answer->json->{id});
}

sub batch_of { return $lims->get("/sample-tests/$_[0]")->json->{qcBatchId} }

# The batches that refuse verifying.
sub held_by {
    my ($test, $name, @batches) = @_;
    my $body = refused($lims->post("/sample-tests/$test/verify", {}), 409, 'qc_failed', $name);
    is_deeply([ map { $_->{id} } @{ $body->{qcBatches} } ], \@batches, 'the run has these batches');
    is_deeply($body->{blockers}[0]{qcBatchIds}, \@batches, 'the blockers have these batches');
    return;
}

subtest 'a withdrawn result measured again in a failed run' => sub {
    my ($sample, $test) = subject();
    my $first = run($passes, [ $sample, 'NO3', '3.0' ]);
    is(batch_of($test), $first, 'covered by the run');
    $lab->enter($test, '');
    my $second = run($fails, [ $sample, 'NO3', '3.1' ]);
    is(batch_of($test), $second, 'covered by the second');
    held_by($test, 'the second run, which failed, holds the test', $second);
    is($lims->get("/samples/$sample->{id}")->json->{releaseState}, 'blocked',
        'the sample is blocked');
    is_deeply($ann->done('qc-batch show', $first)->{sampleTestIds}, [], 'the first is left');
};

subtest 'a withdrawn result measured again with the same value' => sub {
    my ($sample, $test) = subject();
    run($passes, [ $sample, 'NO3', 'ND' ]);
    $lab->enter($test, '');
    my $second = run($fails, [ $sample, 'NO3', 'ND' ]);
    held_by($test, 'the second failed', $second);
};

subtest 'a standing result measured again with the same value' => sub {
    my ($sample, $test) = subject();
    my $first = run($passes, [ $sample, 'NO3', 'ND', '', ago(30) ]);
    my $answer;
    my @events = $lab->events_in(sub { $answer = $pc->send($pc->csv(
                    [ $sample, 'NO3', 'ND', '', ago(20) ], $fails)) });
    is($answer->status, 201, 'the file is imported') or diag($answer->body);
    is($answer->json->{counts}{written}, 0, 'the same value is not entered again');
    is_deeply([ map { $_->[0] } @events ], ['qc.failed'], 'the failure is told');
    isnt(batch_of($test), $first, 'the second run covers the test');
    held_by($test, 'the run that failed holds the test', batch_of($test));
    my $third = run($passes, [ $sample, 'NO3', 'ND', '', ago(10) ], [ 'CCV-2', 'NO3', '10.0' ]);
    is(batch_of($test), $third, 'measured once more');
    is($lab->verify($test)->{status}, 'verified', 'in a run that passes it is verified');
};

# The failed control cut out of the file, and the run sent once more.
subtest 'a copy of the same run does not lift what failed' => sub {
    for my $case ([ 'with its time', ago(30), ago(30) ], [ 'without times', '', '' ],
        [ 'with an earlier time', ago(30), ago(40) ], [ 'with a time that was not known', '', ago(1) ]) {
        my ($how, $then, $again) = @$case;
        my ($sample, $test) = subject();
        my $failed = run($fails, [ $sample, 'NO3', '3.0', '', $then ]);
        my $copy = run([ 'CCV-3', 'NO3', '10.0' ], [ $sample, 'NO3', '3.0', '', $again ]);
        held_by($test, "the same run, $how", $failed);
        $ann->refused('qc_failed', 'qc-batch uncover', $failed, sampleTestIds => [$test],
            reason => 'measured again');
        is_deeply($ann->done('qc-batch show', $copy)->{sampleTestIds}, [$test],
            "the copy covers the test beside it, $how");
        $lab->enter($test, '');
        $ann->refused('qc_failed', 'qc-batch uncover', $failed, sampleTestIds => [$test],
            reason => 'withdrawn');
        my $repeated = run($passes, [ $sample, 'NO3', '3.0', '', ago(0) ], [ 'CCV-4', 'NO3', '9.9' ]);
        next unless $then;
        is(batch_of($test), $repeated, "measured again later, it is covered by that run, $how");
        is($lab->verify($test)->{status}, 'verified', "the later run lifts what failed, $how");
    }
};

subtest 'a batch that was made by hand' => sub {
    my ($sample, $test) = subject();
    my $prepared = $ann->done('qc-batch create', batchNumber => 'PREP-1',
        sampleTestIds => [$test])->{id};
    my $first = run($fails, [ $sample, 'NO3', '3.0' ]);
    is(batch_of($test), $first, 'the latest is shown');
    held_by($test, 'the run failed', $first);
    is_deeply($ann->done('qc-batch show', $_)->{sampleTestIds}, [$test],
        'both batches cover the test')
        for $prepared, $first;

    $lab->enter($test, '');
    run($passes, [ $sample, 'NO3', '3.2' ]);
    $ann->done('qc-control add', qcBatchId => $prepared, controlType => 'MB',
        criterion => 'maximum', measuredValue => '2', upperLimit => '1');
    $ann->done('qc-batch evaluate', $prepared);
    held_by($test, 'the preparation fails later', $prepared);
    $lab->enter($test, '');
    my $last = run($fails, [ $sample, 'NO3', '3.4' ]);
    held_by($test, 'preparation and run hold the test', $prepared, $last);
    my $report = refused($lims->post("/samples/$sample->{id}/report"), 409, 'incomplete_sample',
        'reporting');
    is_deeply([ map { @{ $_->{qcBatchIds} || [] } } @{ $report->{blockers} } ],
        [ $prepared, $last ], 'both batches refuse the report');
    refused($lims->patch("/samples/$sample->{id}/status", { status => 'completed' }), 409,
        'qc_failed', 'completing is refused');
    is_deeply([ map { $_->{qcBatchId} } grep { $_->{category} eq 'qc_failed' }
            @{ $lims->get("/samples/$sample->{id}/readiness")->json->{findings} } ],
        [ $prepared, $last ], 'readiness has both');
};

subtest 'measured again in a run that passed' => sub {
    my ($sample, $test) = subject();
    run($fails, [ $sample, 'NO3', '3.0' ]);
    $lab->enter($test, '');
    my $second = run($passes, [ $sample, 'NO3', '3.1' ]);
    is(batch_of($test), $second, 'covered by the second');
    is($lab->verify($test)->{status}, 'verified', 'a failed run is made good by another');
    $lab->status($sample, 'completed');
    is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample can be reported');
    my $certificate = $ann->done('certificate issue', sampleId => $sample->{id});
    my $content = $ann->done('certificate content', $certificate->{id});
    is_deeply($content->{results}[0]{qcBatches},
        [ { batchNumber => $lab->value('SELECT batch_number FROM lims.qc_batch WHERE id = ?',
                $second), qcStatus => 'passed' } ], 'the certificate names that run');
};

subtest 'a correction by hand is no new measurement' => sub {
    my ($sample, $test) = subject();
    my $run = run($fails, [ $sample, 'NO3', '3.0' ]);
    for my $value ('3.1', '', '3.2') {
        $lab->enter($test, $value);
        is(batch_of($test), $run, "'$value': it stays with its run");
    }
    held_by($test, 'the failure of its run holds the test', $run);
};

subtest 'measured again without controls' => sub {
    my ($sample, $test) = subject();
    my $failed = run($fails, [ $sample, 'NO3', '3.0' ]);
    $lab->enter($test, '');
    run(undef, [ $sample, 'NO3', '3.3' ]);
    held_by($test, 'does not lift what failed', $failed);
    $lab->enter($test, '3.3');
    $ann->done('qc-batch override', $failed, reason => 'high bias');
    $ann->refused('qc_failed', 'qc-batch uncover', $failed, sampleTestIds => [$test],
        reason => 'measured again');
    run(undef, [ $sample, 'NO3', '3.3', '', ago(5) ]);
    is(batch_of($test), $failed, 'a file without controls leaves the overridden batch over its result');
    my ($other, $one) = subject();
    run($passes, [ $other, 'NO3', '3.0' ]);
    $lab->enter($one, '');
    run(undef, [ $other, 'NO3', '3.3' ]);
    is(batch_of($one), undef, 'the former run no longer covers the test');
};

subtest 'an override covers the run that it was signed for' => sub {
    my ($sample, $test) = subject();
    my ($other, $second) = subject();
    my $failed = run($fails, [ $sample, 'NO3', '3.0' ], [ $other, 'NO3', '4.0' ]);
    $ann->done('qc-batch override', $failed, reason => 'high bias');
    $lab->enter($test, '2.0');
    held_by($test, 'another value', $failed);
    is($lab->verify($second)->{status}, 'verified', 'the other test keeps its coverage');
    $lab->enter($test, '');
    my $again = run($fails, [ $sample, 'NO3', '2.5' ], [ 'CCV-2', 'NO3', '10.0' ]);
    held_by($test, 'another run', $again);
};

# A version of the profile that writes over what is entered.
subtest 'overwritten by a run that failed' => sub {
    $pc->profile(rows => \%controls, write => { existing => 'overwriteUnverified' });
    my ($sample, $test) = subject();
    run($passes, [ $sample, 'NO3', '3.0' ]);
    my $second = run($fails, [ $sample, 'NO3', '3.5' ]);
    is($lims->get("/sample-tests/$test")->json->{result}, '3.5',
        'the later file\'s result replaces it');
    held_by($test, 'the later run holds the test', $second);
    my $third = run($passes, [ $sample, 'NO3', '3.6' ]);
    is(batch_of($test), $third, 'overwritten once more');
    is($lab->verify($test)->{status}, 'verified', 'by a run that passes');
};

done_testing();
