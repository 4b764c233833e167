#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A QC batch that fails after results of it were verified or reported lists the samples and
# opens one investigation; a reported sample shows that it is under review until that is
# closed, and nothing else changes.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee');

sub record { return $lims->get("/samples/$_[0]{id}")->json }

sub investigations {
    return @{ $ann->done('investigation list')->{data} };
}

sub close_all {
    for my $each (grep { $_->{status} eq 'opened' } investigations()) {
        $ann->done('investigation advance', $each->{id}, status => 'phase_1');
        $ann->done('investigation advance', $each->{id}, status => 'conclusion');
        $ann->done('investigation advance', $each->{id}, status => 'closed',
            conclusion => 'the results were repeated');
    }
    return;
}

my ($reported, $one) = $lab->worked(1);
my ($waiting, $two)  = $lab->worked(1);
my ($entered, $three) = $lab->worked(1);
my $batch = $ann->done('qc-batch create', batchNumber => 'I-1',
    sampleTestIds => [ $one, $two, $three ]);
my $control = $ann->done('qc-control add', qcBatchId => $batch->{id}, controlType => 'LRB',
    criterion => 'maximum', measuredValue => '0.05', upperLimit => '0.1');
$ann->done('qc-batch evaluate', $batch->{id});
$lab->verify($_) for $one, $two;
is($lims->post("/samples/$reported->{id}/report")->status, 200, 'a sample is reported');
my $before = record($reported);
ok(!$before->{underReview}, 'a sample is not under review when it is reported');
is(scalar investigations(), 0, 'a batch that passed opens no investigation');

# --- It fails late ---------------------------------------------------------------------

sub correct {
    my ($value) = @_;
    return $ann->done('qc-control update', $control->{id}, measuredValue => $value,
        reason => 'calculated anew');
}

my @events = $lab->events_in(sub { correct('0.5') });
is_deeply([ sort map { $_->[0] } @events ], [ 'investigation.opened', 'qc.failed' ],
    'a late failure emits qc.failed and investigation.opened, nothing else');
my @open = investigations();
is(scalar @open, 1, 'one investigation is opened');
is_deeply([ @{ $open[0] }{qw(kind qcBatchId sampleId status)} ],
    [ 'qc_failure', $batch->{id}, undef, 'opened' ], 'the investigation names the batch');
ok($open[0]{dueDate}, 'the investigation has a day on which it is due');

is_deeply($ann->done('qc-batch impact', $batch->{id}),
    { qcBatchId => $batch->{id}, samples => [
        map { my ($sample, $test, $state) = @$_; {
            sampleId => $sample->{id}, trackingId => $sample->{trackingId},
            releaseState => $state, certificateId => undef, tests => [ {
                sampleTestId => $test, status => 'verified',
                map { $_ => $lims->get("/sample-tests/$test")->json->{$_} } qw(testCode result)
            } ] } } [ $reported, $one, 'reported' ], [ $waiting, $two, 'blocked' ] ] },
    'the samples of verified results are listed, not that of an entered one');
ok(record($reported)->{underReview}, 'the reported sample is under review');
is_deeply({ %{ record($reported) }, underReview => $before->{underReview} }, $before,
    'nothing but underReview of the reported sample is changed');
ok(!record($waiting)->{underReview}, 'one that is not reported is blocked instead');
is($ann->call('qc-batch impact', 999_999)->{exit}, 3, 'a batch that is not there has none');

correct('0.6');
is(scalar investigations(), 1, 'while it is failed no other is opened');
correct('0.05');
correct('0.7');
is(scalar investigations(), 1, 'no second investigation is opened when the batch fails again while one is open');
close_all();
ok(!record($reported)->{underReview}, 'closing the investigation ends the review');
correct('0.05');
correct('0.8');
is(scalar investigations(), 2, 'failing once more opens another');
ok(record($reported)->{underReview}, 'the sample is under review again');

# A batch that fails at its first evaluation, with nothing verified, opens none.
my (undef, $other) = $lab->worked(1);
my $early = $ann->done('qc-batch create', batchNumber => 'I-2', sampleTestIds => [$other]);
$ann->done('qc-control add', qcBatchId => $early->{id}, controlType => 'LRB',
    criterion => 'maximum', measuredValue => '3', upperLimit => '0.1');
$ann->done('qc-batch evaluate', $early->{id});
is(scalar investigations(), 2, 'a batch that fails in time opens none');
is_deeply($ann->done('qc-batch impact', $early->{id})->{samples}, [], 'the impact of a batch that failed in time lists no sample');

# The first certificate prints what was reported; a cancelled test puts nothing under review.
my ($shown, $counts) = $lab->worked(1);
my ($apart, $ordered, $beside) = $lab->worked(2);
my $late = $ann->done('qc-batch create', batchNumber => 'I-3', sampleTestIds => [ $counts, $ordered ]);
$control = $ann->done('qc-control add', qcBatchId => $late->{id}, controlType => 'LRB',
    criterion => 'maximum', measuredValue => '3', upperLimit => '0.1');
$ann->done('qc-batch evaluate', $late->{id});
$lims->post("/sample-tests/$ordered/cancel", { reason => 'ordered in error' });
correct('0.05');
$lab->verify($_) for $counts, $beside;
is($lims->post("/samples/$_->{id}/report")->status, 200, 'a sample is reported') for $shown, $apart;
correct('0.5');
ok(record($shown)->{underReview}, 'the sample of a test that it reports is under review');
ok(!record($apart)->{underReview}, 'the one of a cancelled test is not');
my $certificate = $ann->done('certificate issue', sampleId => $shown->{id});
my $content = $ann->done('certificate content', $certificate->{id});
is($content->{results}[0]{qcStatus}, 'passed', 'the certificate prints the batch as it was reported');
is($content->{contentSha256}, $lab->value(q{SELECT encode(content_hash, 'hex') FROM lims.sample
    WHERE id = ?}, $shown->{id}), 'its digest is that of what was reported');

done_testing();
