#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The policy qcRequired: a result whose method has a QC template needs an evaluated batch with
# all of its controls. `off` finds nothing, `warn` says so, `block` refuses verification and
# report; every state has its way out.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
my $ada  = LIMS::Service::CommandLine->new($lims, 'Ada Moore', roles => ['administrator']);
my $lead = $lab->definition(method => 'EPA 200.8');

my $template = $ann->done('qc-template create', method => 'EPA 200.8', name => 'Metals',
    controls => [ { type => 'LRB', testDefinitionId => $lead, criterion => 'maximum',
            upperLimit => 0.1 } ]);

sub policy { return $ada->done('organization update', policies => { qcRequired => $_[0] },
        reason => 'as agreed') }

sub entered {
    my $sample = $lab->sample(testDefinitionIds => [$lead]);
    my ($test) = $lab->tests($sample);
    $lab->enter($test, '5');
    return ($sample, $test);
}

sub findings {
    my ($sample) = @_;
    return [ map { [ @$_{qw(category severity)} ] }
            grep { $_->{category} =~ /^qc_/ }
            @{ $lims->get("/samples/$sample->{id}/readiness")->json->{findings} } ];
}

sub verify { return $lims->post("/sample-tests/$_[0]/verify") }

sub batch {
    my ($number, @test) = @_;
    return $ann->done('qc-batch create', batchNumber => $number, qcTemplateId => $template->{id},
        sampleTestIds => \@test);
}

sub value {
    my ($batch, $value) = @_;
    return $ann->done('qc-control update', $ann->done('qc-batch show',
            $batch->{id})->{controls}[0]{id}, measuredValue => $value, reason => 'measured');
}

# --- off -------------------------------------------------------------------------------

my ($sample, $test) = entered();
is_deeply(findings($sample), [], 'without the policy there is no finding');
is(verify($test)->status, 200, 'without the policy a result is verified without a batch');
my $open = batch('P-0');
$ann->refused('invalid_transition', 'qc-batch override', $open->{id}, reason => 'no blank left');

# --- warn ------------------------------------------------------------------------------

policy('warn');
($sample, $test) = entered();
is_deeply(findings($sample), [ [qw(qc_pending warning)] ], 'the policy warn says so');
is(verify($test)->status, 200, 'verifying is not refused');
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the report is not refused');

# --- block -----------------------------------------------------------------------------

policy('block');
($sample, $test) = entered();
is_deeply(findings($sample), [ [qw(qc_pending blocking)] ], 'the policy block is a finding');
is($lims->get("/samples/$sample->{id}")->json->{releaseState}, 'in_progress',
    'a sample with the finding qc_pending is in progress');
my $refused = refused(verify($test), 409, 'qc_pending', 'verifying without a batch');
is_deeply($refused->{blockers}[0]{testIds}, [$test], 'the refusal to verify names the test');
like($refused->{message}, qr/no evaluated QC batch with the controls of EPA 200\.8/,
    'the message names the method');

# The first way out: a batch that covers it after its entry.
my $batch = batch('P-1', $test);
$refused = refused(verify($test), 409, 'qc_pending', 'verifying while the batch is open');
is_deeply($refused->{blockers}[0]{qcBatchIds}, [ $batch->{id} ], 'the refusal to verify names the open batch');
is_deeply([ map { [ @$_{qw(slug)} ] } @{ refused($lims->post("/samples/$sample->{id}/report"),
            409, 'incomplete_sample', 'reporting')->{blockers} } ],
    [ ['incomplete_sample'], ['qc_pending'] ], 'the report has it after the contract\'s');
value($batch, '0.01');
is_deeply(findings($sample), [], 'an evaluated batch clears it');
is(verify($test)->status, 200, 'a test is verified once its batch is evaluated');

# A failing batch is pending, a failed one is failed.
($sample, $test) = entered();
my $hand = $ann->done('qc-batch create', batchNumber => 'P-2', sampleTestIds => [$test]);
$ann->done('qc-control add', qcBatchId => $hand->{id}, controlType => 'LRB',
    testDefinitionId => $lead, criterion => 'maximum', measuredValue => 3, upperLimit => '0.1');
ok($ann->done('qc-batch show', $hand->{id})->{failing}, 'an open batch with a failed control is failing');
like(refused(verify($test), 409, 'qc_pending', 'verifying in it')->{message}, qr/is failing/,
    'the message says that the batch is failing');
$ann->done('qc-batch evaluate', $hand->{id});
refused(verify($test), 409, 'qc_failed', 'verifying in a failed batch');
is_deeply(findings($sample), [ [qw(qc_failed blocking)] ],
    'a batch made by hand with all controls of the template counts');

# A batch with other controls does not count.
($sample, $test) = entered();
my $wrong = $ann->done('qc-batch create', batchNumber => 'P-3', sampleTestIds => [$test]);
$ann->done('qc-control add', qcBatchId => $wrong->{id}, controlType => 'LFB',
    testDefinitionId => $lead, criterion => 'range', measuredValue => 3, upperLimit => 5);
$ann->done('qc-batch evaluate', $wrong->{id});
refused(verify($test), 409, 'qc_pending', 'verifying with other controls than the method\'s');

# Nor does one whose control is judged by a limit of its own.
($sample, $test) = entered();
my $lenient = $ann->done('qc-batch create', batchNumber => 'P-6', method => 'EPA 200.8',
    sampleTestIds => [$test]);
my $free = $ann->done('qc-control add', qcBatchId => $lenient->{id}, controlType => 'LRB',
    testDefinitionId => $lead, criterion => 'maximum', measuredValue => '0.05', upperLimit => 1000);
$ann->done('qc-batch evaluate', $lenient->{id});
refused(verify($test), 409, 'qc_pending', 'verifying by a limit that is not the method\'s');
$ann->done('qc-control update', $free->{id}, upperLimit => '0.1', reason => 'the method\'s limit');
is(verify($test)->status, 200, 'by the limit of the method it is verified');

# The state of the sample follows, though the batch passes before and after.
sub kept {
    my ($of) = @_;
    my ($listed) = grep { $_->{id} == $of->{id} }
        @{ $lims->get('/samples?limit=200')->json->{data} };
    return $listed->{releaseState};
}

sub scan {
    1 while $lims->db->selectrow_array('SELECT more FROM lims.scan_samples(1000)');
    return;
}

($sample, $test) = entered();
my $short = $ann->done('qc-batch create', batchNumber => 'P-7', method => 'EPA 200.8',
    sampleTestIds => [$test]);
my %any = (qcBatchId => $short->{id}, testDefinitionId => $lead, criterion => 'maximum');
$ann->done('qc-control add', %any, controlType => 'MB', measuredValue => 1, upperLimit => 5);
$ann->done('qc-batch evaluate', $short->{id});
scan();
is(kept($sample), 'in_progress', 'without the control of the method the sample is in progress');
my @events = $lab->events_in(sub {
    $ann->done('qc-control add', %any, controlType => 'LRB', measuredValue => '0.05',
        upperLimit => '0.1');
    is(kept($sample), 'ready_for_review', 'once the control is added the sample is ready for review');
    scan();
});
is_deeply([ map { "$_->[0] $_->[1]{sampleId}" } grep { $_->[0] =~ /ready/ } @events ],
    ["sample.ready_for_review $sample->{id}"], 'the event is emitted');
$ann->done('qc-template update', $template->{id}, perSamples => 1);
my $few = $ann->done('qc-template list', method => 'EPA 200.8', active => 'true')->{data}[0];
scan();
is(kept($sample), 'ready_for_review', 'the controls suffice for one sample');
my ($second, $further) = entered();
$ann->done('qc-batch cover', $short->{id}, sampleTestIds => [$further]);
is(kept($sample), 'in_progress', 'a second sample makes them too few for the first as well');
scan();
$ann->done('qc-batch uncover', $short->{id}, sampleTestIds => [$further], reason => 'no room');
is(kept($sample), 'ready_for_review', 'without the second sample they suffice again');

# A repeated test that is set aside, and active again, changes the number of samples.
my ($chosen) = map { $_->{id} } @{ $lims->post("/sample-tests/$further/retest",
        { reason => 'doubtful' })->json->{tests} };
$lab->enter($chosen, '5');
policy('off');
is(verify($chosen)->status, 200, 'the repetition is verified');
policy('block');
$ann->done('qc-batch cover', $short->{id}, sampleTestIds => [$further]);
scan();
$ann->done('sample-test choose', $chosen, reason => 'the better one');
is(kept($sample), 'ready_for_review', 'the controls suffice for the first when the second is set aside');
scan();
$ann->done('sample-test reopen', $chosen, reason => 'not the better one');
is(kept($sample), 'in_progress', 'they are too few when it is active again');
$ann->done('qc-batch uncover', $short->{id}, sampleTestIds => [$further], reason => 'no room');
$template = $ann->done('qc-template update', $few->{id}, perSamples => undef);

# The method of a definition says what control is needed.
my $free_of = $lab->definition(method => 'EPA 150.2');
my $renamed = $lab->sample(testDefinitionIds => [$free_of]);
$lab->enter($lab->tests($renamed), '7');
scan();
is(kept($renamed), 'ready_for_review', 'a method without a template needs no control');
$ann->done('test-definition update', $free_of, method => 'EPA 200.8');
is(kept($renamed), 'in_progress', 'with the method of one the sample waits for it');

# The second: the controls can no longer be run.
($sample, $test) = entered();
my $spent = batch('P-4', $test);
my $signed = $ann->done('qc-batch override', $spent->{id}, reason => 'no blank left');
is($signed->{qcStatus}, 'overridden', 'an open batch is overridden');
is(verify($test)->status, 200, 'a result in an overridden batch is verified');
my $prepared = $ann->done('qc-batch create', batchNumber => 'P-8', method => 'preparation',
    sampleTestIds => [ (entered())[1] ]);
$ann->done('qc-batch override', $prepared->{id}, reason => 'the blank was spilt');
$ann->refused('invalid_transition', 'qc-batch update', $prepared->{id}, method => 'EPA 200.8');
value($spent, '3');
is($ann->done('qc-batch show', $spent->{id})->{qcStatus}, 'failed',
    'values that come after all end the override');

# A result that was verified before waits too, and is reopened.
policy('off');
($sample, $test) = entered();
is(verify($test)->status, 200, 'verified without quality control');
policy('block');
refused($lims->post("/samples/$sample->{id}/report"), 409, 'qc_pending', 'its report');
$ann->done('sample-test reopen', $test, reason => 'to be covered');
value(batch('P-5', $test), '0.01');
is(verify($test)->status, 200, 'reopened, covered and verified');
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');

# Methods without a template need none.
my $other = $lab->sample(testDefinitionIds => [ $lab->definition(method => 'EPA 150.1') ]);
my ($ph) = $lab->tests($other);
$lab->enter($ph, '7');
is(verify($ph)->status, 200, 'a method without a template needs no batch');
$ann->done('qc-template update', $template->{id}, active => 'false');
($sample, $test) = entered();
is(verify($test)->status, 200, 'a method whose template is not in use needs no batch');

done_testing();
