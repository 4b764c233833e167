#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The gate of a failed QC batch: raised by its controls, enforced by the REST API, cleared
# by other controls or by a signed override.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst', 'qa_officer']);

my ($sample, $lead, $copper) = $lab->worked(2);
my %spike = (controlType => 'LFB', criterion => 'recovery', expectedValue => 10,
    lowerLimit => 85, upperLimit => 115);

my $batch = $ann->done('qc-batch create', batchNumber => 'QCB-0102', method => 'EPA 200.8',
    analysisDate => '2026-11-20', sampleTestIds => [ $lead, $copper ]);
is($batch->{qcStatus}, 'open', 'a batch begins open');
is_deeply($batch->{sampleTestIds}, [ $lead, $copper ], 'the batch covers the given tests');
is($lims->get("/sample-tests/$lead")->json->{qcBatchId}, $batch->{id},
    'a covered test names the batch');
$ann->refused('invalid_body', 'qc-batch create', batchNumber => 'QCB-0102');
$ann->refused('invalid_body', 'qc-batch evaluate', $batch->{id});

# --- Raised --------------------------------------------------------------------

my $control = $ann->done('qc-control add', qcBatchId => $batch->{id}, %spike,
    measuredValue => '13.1');
is($control->{evaluatedValue} + 0, 131, 'the recovery is worked out');
ok(!$control->{passed}, 'the control failed');
$ann->refused('invalid_transition', 'qc-batch override', $batch->{id}, reason => 'not yet failed');

my @events = $lab->events_in(sub { $ann->done('qc-batch evaluate', $batch->{id}) });
is_deeply(\@events,
    [ [ 'qc.failed',
        { qcBatchId => $batch->{id}, batchNumber => 'QCB-0102', qcStatus => 'failed' } ] ],
    'failing writes an event');

my $blocked = refused($lims->post("/sample-tests/$lead/verify"), 409, 'qc_failed', 'verify');
is_deeply($blocked->{qcBatches},
    [ { id => $batch->{id}, batchNumber => 'QCB-0102', qcStatus => 'failed' } ],
    'the answer names the batch');
refused($lims->patch("/samples/$sample->{id}/status", { status => 'completed' }),
    409, 'qc_failed', 'completed');
my $report = refused($lims->post("/samples/$sample->{id}/report"), 409, 'incomplete_sample',
    'report');
is_deeply([ map { $_->{slug} } @{ $report->{blockers} } ], [ 'incomplete_sample', 'qc_failed' ],
    'the report has it as its second blocker');
is($lims->get("/samples/$sample->{id}")->json->{releaseState}, 'blocked', 'the sample is blocked');

# --- Cleared by an override ------------------------------------------------------

is($ann->call('qc-batch override', $batch->{id})->{exit}, 2, 'an override needs a reason');
$ann->refused('signature_invalid', 'qc-batch override', $batch->{id}, reason => 'r',
    password => 'wrong password altogether');
$ann->refused('esignature_required', 'qc-batch override', $batch->{id}, reason => 'r',
    password => undef);
is($ann->done('qc-batch show', $batch->{id})->{qcStatus}, 'failed',
    'the refused overrides changed nothing');

my $overridden = $ann->done('qc-batch override', $batch->{id}, reason => 'spiked twice');
is($overridden->{qcStatus},       'overridden',   'the batch is overridden');
is($overridden->{overrideReason}, 'spiked twice', 'the override has its reason');
is($overridden->{overrideBy},     $ann->{id},     'the override names who signed');
is_deeply([ $lims->db->selectrow_array(q{SELECT e.meaning, e.printed_name, e.reason
        FROM lims.qc_batch b JOIN lims.electronic_signature e
          ON e.organization_id = b.organization_id AND e.id = b.override_signature_id
       WHERE b.organization_id = ? AND b.id = ?}, undef, $lims->fixture->{id}, $batch->{id}) ],
    [ 'override', 'Ann Lee', 'spiked twice' ], 'the signature has meaning, name and reason');
is($lims->post("/sample-tests/$lead/verify")->status, 200, 'the test can be verified');
$ann->refused('invalid_transition', 'qc-batch override', $batch->{id}, reason => 'again');

# --- Raised again, cleared by the controls -----------------------------------------

$ann->done('qc-control add', qcBatchId => $batch->{id}, controlType => 'LRB',
    criterion => 'maximum', measuredValue => '0.05', upperLimit => '0.1');
my $spent = $ann->done('qc-batch show', $batch->{id});
is($spent->{qcStatus}, 'failed', 'another control evaluates the batch again');
is($spent->{overrideReason}, undef, 'the evaluation ends the override');
refused($lims->post("/sample-tests/$copper/verify"), 409, 'qc_failed',
    'the verification is refused again');

like($ann->refused('invalid_body', 'qc-control update', $control->{id},
        measuredValue => '9.8')->{message}, qr/reason/, 'a correction needs a reason');
$ann->done('qc-control update', $control->{id}, measuredValue => '9.8', reason => 'typing error');
is($ann->done('qc-batch show', $batch->{id})->{qcStatus}, 'passed', 'the correction passes it');
is_deeply([ map { [ $_->{controlType}, $_->{passed} ? 1 : 0 ] }
        @{ $ann->done('qc-batch show', $batch->{id})->{controls} } ],
    [ [ 'LFB', 1 ], [ 'LRB', 1 ] ], 'the batch shows its controls');
is($lims->post("/sample-tests/$copper/verify")->status, 200, 'the second test can be verified');
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');
is($lab->value(q{SELECT reason FROM lims.audit_entry WHERE organization_id = ?
        AND table_name = 'qc_control' AND record_id = ? AND action = 'update'},
        $lims->fixture->{id}, $control->{id}), 'typing error', 'the audit trail says why');

# --- Coverage ----------------------------------------------------------------------

my (undef, $first, $second, $third) = $lab->worked(3);
my $other = $ann->done('qc-batch create', batchNumber => 'QCB-0103', sampleTestIds => [$first]);
is_deeply($ann->done('qc-batch cover', $other->{id}, sampleTestIds => [ $second, $first ])
        ->{sampleTestIds}, [ $first, $second ], 'tests are added');
$ann->refused('invalid_reference', 'qc-batch cover', $other->{id},
    sampleTestIds => [ $third, 999_999 ]);
is($lims->get("/sample-tests/$third")->json->{qcBatchId}, undef, 'a refused addition adds no test');
$ann->refused('invalid_reference', 'qc-batch create', batchNumber => 'QCB-0104',
    sampleTestIds => [ $third, 999_999 ]);
is($ann->done('qc-batch list', batchNumber => 'QCB-0104')->{data}[0], undef,
    'with an unknown test no batch is made');

is($ann->call('qc-batch uncover', $other->{id}, sampleTestIds => [$first])->{exit}, 2,
    'leaving a batch needs a reason');
is_deeply($ann->done('qc-batch uncover', $other->{id}, sampleTestIds => [$first],
        reason => 'analysed again in QCB-0104')->{sampleTestIds}, [$second], 'tests are removed');
$ann->refused('invalid_reference', 'qc-batch uncover', $other->{id}, sampleTestIds => [$first],
    reason => 'twice');

# A result does not leave a batch that failed, and none joins one that was overridden.
$lims->patch("/sample-tests/$second", { result => '4.2' });
$ann->done('qc-control add', qcBatchId => $other->{id}, controlType => 'LRB',
    criterion => 'maximum', measuredValue => '3', upperLimit => '0.1');
my @rerun = ('qc-batch uncover', $other->{id}, sampleTestIds => [$second], reason => 'rerun');
$ann->refused('qc_pending', @rerun);
is($ann->done('qc-batch evaluate', $other->{id})->{qcStatus}, 'failed', 'a batch fails');
$ann->refused('qc_failed', @rerun);
$ann->done('qc-batch override', $other->{id}, reason => 'blank of another day');
$ann->refused('invalid_transition', 'qc-batch cover', $other->{id}, sampleTestIds => [$first]);
is($ann->done('qc-batch evaluate', $other->{id})->{qcStatus}, 'failed', 'the override is spent');
$lims->patch("/sample-tests/$second", { result => undef });
like($ann->refused('qc_failed', @rerun)->{message}, qr/had its result in it: add the test to a QC batch/,
    'the message says that the batch of the repetition comes first');
my $rerun = $ann->done('qc-batch create', batchNumber => 'QCB-0106', sampleTestIds => [$second]);
is_deeply($ann->done(@rerun)->{sampleTestIds}, [], 'a withdrawn result has left the batch');
is($ann->done('qc-batch update', $other->{id}, notes => 'run after maintenance')->{notes},
    'run after maintenance', 'its description changes');
$lab->verify($third);
$ann->refused('test_verified_locked', 'qc-batch cover', $other->{id}, sampleTestIds => [$third]);
is_deeply([ map { $_->{batchNumber} }
        @{ $ann->done('qc-batch list', qcStatus => 'failed')->{data} } ],
    ['QCB-0103'], 'batches are listed by status');
is($ann->call('qc-batch show', 999_999)->{exit}, 3, 'an unknown batch is not found');

# --- An override is of the results that it was signed for ----------------------------

my ($both, $changed, $same, $later) = $lab->worked(3);
$lab->enter($later, undef);
my $biased = $ann->done('qc-batch create', batchNumber => 'QCB-0105',
    sampleTestIds => [ $changed, $same, $later ]);
$ann->done('qc-control add', qcBatchId => $biased->{id}, controlType => 'LRB',
    criterion => 'maximum', measuredValue => '3', upperLimit => '0.1');
$ann->done('qc-batch evaluate', $biased->{id});
my @override = ('qc-batch override', $biased->{id}, reason => 'high bias, all far below the limit');
is_deeply($ann->done(@override)->{overriddenTestIds}, [ $changed, $same ],
    'an override names the results that it covers');
$ann->refused('invalid_transition', @override);

$lims->patch("/sample-tests/$changed", { result => '0.1' });
my $held = refused($lims->post("/sample-tests/$changed/verify"), 409, 'qc_failed',
    'another value is not overridden');
is($held->{message}, 'QC batch QCB-0105 failed and is not overridden for the result that stands.',
    'the message says that the new result is not covered');
is_deeply($held->{blockers}[0]{qcBatchIds}, [ $biased->{id} ], 'the blocker names the batch');
is($lims->post("/sample-tests/$same/verify")->status, 200, 'the unchanged result is still covered');
$lims->patch("/sample-tests/$changed", { result => '1' });
refused($lims->post("/sample-tests/$changed/verify"), 409, 'qc_failed',
    'the first value, entered again, is not covered');
$lims->patch("/sample-tests/$later", { result => '2' });
refused($lims->post("/sample-tests/$later/verify"), 409, 'qc_failed',
    'a result entered after the override is not covered');
is($lims->get("/samples/$both->{id}")->json->{releaseState}, 'blocked', 'the sample is blocked');

is_deeply($ann->done(@override)->{overriddenTestIds}, [ $changed, $same, $later ],
    'a second override covers those too');
is($lims->post("/sample-tests/$_/verify")->status, 200,
    'covered by the second override, it can be verified')
    for $changed, $later;
is_deeply($lims->db->selectcol_arrayref(q{SELECT count(*) FROM lims.qc_coverage
        WHERE organization_id = ? AND qc_batch_id = ? GROUP BY override_signature_id
        ORDER BY override_signature_id}, undef, $lims->fixture->{id}, $biased->{id}), [ 1, 2 ],
    'each result keeps the signature that was given for it');
is($lims->post("/samples/$both->{id}/report")->status, 200,
    'the sample is reported once its batch is overridden');

done_testing();
