#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The scripted scenarios of Cedar Basin Environmental Laboratory, over TLS with
# its key: each gate is seen to hold on the sample that was made for it, and to
# open once the laboratory has done what it asks for. The number of a subtest is
# that of the scenario, and of its samples (COC-<number>nn).
use strict;
use warnings;

use LIMS::Service::Demo;
use LIMS::Service::Laboratory qw(refused);
use LIMS::Test;
use POSIX qw(strftime);

my $demo  = LIMS::Service::Demo->new;
my $cedar = $demo->laboratory('cedar-basin');

sub slugs { return join ' ', map { $_->{slug} } @{ $_[0]{blockers} || [] } }

sub blocker {
    my ($body, $slug) = @_;
    my ($found) = grep { $_->{slug} eq $slug } @{ $body->{blockers} || [] };
    return $found || {};
}

sub verify { my ($test)   = @_; return $cedar->post("/sample-tests/$test->{id}/verify", {}) }
sub report { my ($sample) = @_; return $cedar->post("/samples/$sample->{id}/report",    {}) }
sub enter  { my ($test, %body) = @_; return $cedar->patch("/sample-tests/$test->{id}", \%body) }

sub move {
    my ($sample, $status) = @_;
    return $cedar->patch("/samples/$sample->{id}/status", { status => $status });
}

# The person at the bench enters, the program verifies.
subtest '1: the happy path of an effluent' => sub {
    my $loaded = $cedar->sample('COC-0101');
    is($loaded->{status}, 'reported', 'the one in the data is reported');
    like($loaded->{sampleIdentifier}, qr/\ANPDES001-EFF-001-\d{8}-\d+\z/,
        'the sample has a composite identifier');

    my ($sample, @seen);
    push @seen, $cedar->events(sub {
        $sample = $cedar->post('/samples', {
                materialTypeId => $cedar->material('WWE'), projectId => $cedar->project('NPDES001'),
                plantLocation => 'EFF-001',
                collectedAt => strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time - 3600)),
                testDefinitionIds => [ map { $cedar->definition($_) } qw(BOD5 TSS NH3N) ] })->json;
        is($cedar->post('/samples/receive', { sampleIds => [ $sample->{id} ] })->status, 200,
            'the sample is received');
    });
    is($sample->{clientName}, 'City of Riverbend', 'the project names the client');
    my %result = (BOD5 => '12.1', TSS => '9.0', NH3N => '0.75');
    push @seen, $cedar->events(sub {
        for my $test (@{ $sample->{tests} }) {
            is(enter($test, result => $result{ $test->{testCode} })->status, 200,
                'a result is entered');
        }
        is(verify($_)->status, 200, 'verified') for @{ $sample->{tests} };
        is(move($sample, 'completed')->status, 200, 'the sample is completed');
    });
    refused(report($sample), 409, 'approval_required',
        'the report is refused before the approvals');
    my $approvals = $cedar->get("/samples/$sample->{id}/approvals")->json->{data};
    is(join(', ', map { $_->{name} } @$approvals), 'Technical review, Quality assurance approval',
        'both approval steps are there');
    push @seen, $cedar->events(sub {
        is($cedar->patch("/approval-records/$_->{id}", { status => 'approved' })->status, 200,
            'approved') for @$approvals;
        is(report($sample)->json->{status}, 'reported', 'the sample is reported');
        $cedar->done('grace.okafor', 'certificate', 'issue', '--sample-id', $sample->{id});
    });
    is(join(' ', map { $_->[0] } @seen), join(' ', 'sample.created sample.received',
            ('result.entered') x 3, ('result.verified') x 3, 'sample.reported coa.generated'),
        'with the events of each step, once');
    is($seen[-1][1]{sampleId}, $sample->{id}, 'the certificate is of this sample');
};

subtest '2: nitrate at hour 47 of 48' => sub {
    my $test = $cedar->test('COC-0201', 'NO3N');
    my ($hours, $age) = $demo->lims->db->selectrow_array(
        'SELECT extract(epoch FROM s.updated_at - s.collected_at) / 3600,'
            . ' extract(epoch FROM now() - s.collected_at) / 3600 FROM lims.sample s'
            . ' WHERE s.organization_id = ? AND s.external_id = ?',
        undef, $cedar->id, 'COC-0201');

    cmp_ok(abs($hours - 47), '<', 0.001, 'at loading the sample is 47 hours old');
    is($test->{holdingStatus}, $age < 48 ? 'expiring_soon' : 'expired',
        'the holding status agrees with its age');
    is($cedar->sample('COC-0201')->{holdingStatus}, $test->{holdingStatus},
        'the sample has the same holding status');
    my ($due) = $demo->lims->db->selectrow_array('SELECT count(*) FROM lims.sample_dirty q'
            . ' FULL JOIN (SELECT * FROM lims.sample_state_cache WHERE valid_until IS NOT NULL) w'
            . ' USING (organization_id, sample_id)'
            . ' WHERE organization_id = ? AND sample_id = ?', undef, $cedar->id,
        $test->{sampleId});
    cmp_ok($due, '>', 0, 'the scan that announces holding times looks at it, now or in time');
    is(enter($test, result => '4.2')->json->{holdingStatus}, $age < 48 ? 'ok' : 'expired',
        'analysed now, it is judged by now');
};

subtest '3: pH received the next day' => sub {
    my $test = $cedar->test('COC-0301', 'PH');

    is($test->{holdingStatus}, 'expired', 'its 15 minutes had passed');
    like($test->{notes}, qr/\AH: /, 'the notes have the laboratory\'s H qualifier');
    is($cedar->categories('COC-0301'), 'approval_required holding_time_expired unverified_result',
        'an expired holding time is a finding that blocks nothing');
    is(verify($test)->status, 200, 'it can be verified');
};

subtest '4: seven samples on a QC batch that failed' => sub {
    my $batch = { id => $cedar->qc_batch('QCB-0102'), batchNumber => 'QCB-0102',
        qcStatus => 'failed' };
    my @samples = map { $cedar->sample("COC-040$_") } 1 .. 7;
    is(join(' ', map { $_->{releaseState} } @samples), join(' ', ('blocked') x 7),
        'all seven samples are blocked');

    my $body = refused(verify($cedar->test('COC-0401', 'PB')), 409, 'qc_failed', 'verify');
    is_deeply($body->{qcBatches}, [$batch], 'the refusal names the batch');
    $body = refused(report($samples[0]), 409, 'incomplete_sample', 'report');
    is_deeply(blocker($body, 'qc_failed')->{qcBatchIds}, [ $batch->{id} ],
        'the blocker lists the batch');
    $body = refused(move($samples[0], 'completed'), 409, 'qc_failed', 'status');
    is_deeply($body->{qcBatches}, [$batch], 'the refusal names the batch');

    my $without = $demo->lims->ctl('--organization', 'cedar-basin', '--user',
        'grace.okafor@cedarbasin.example', 'qc-batch', 'override', $batch->{id}, '--reason', 'x');
    is($without->{exit}, 1, 'an override without a signature is refused');
    $cedar->done('grace.okafor', 'qc-batch', 'override', $batch->{id}, '--reason',
        'LFB spiked twice by mistake; LFM and IPC of the run within limits');
    is(join(' ', map { $cedar->sample("COC-040$_")->{releaseState} } 1 .. 7),
        join(' ', ('ready_for_review') x 7), 'overridden and signed, all are ready for review');
    is(verify($cedar->test('COC-0401', 'PB'))->status, 200, 'the result can be verified');
};

subtest '5: one test without a result' => sub {
    my $sample = $cedar->sample('COC-0501');

    refused(report($sample), 409, 'incomplete_sample', 'report');
    my $body = refused(move($sample, 'completed'), 409, 'incomplete_sample', 'technical review');
    is_deeply(blocker($body, 'incomplete_sample')->{testIds},
        [ $cedar->test('COC-0501', 'TSS')->{id} ], 'the blocker names the test');
    is(enter($cedar->test('COC-0501', 'TSS'), result => '11')->status, 200,
        'the result is entered');
    is(move($sample, 'completed')->status, 200, 'the sample is completed then');
};

subtest '6: nothing to verify' => sub {
    my $test = $cedar->test('COC-0601', 'TURB');

    refused(verify($test), 409, 'blank_result', 'blank');
    is(enter($test, result => '0.22')->status, 200, 'a result is entered');
    is(verify($test)->status, 200, 'the test is verified then');
};

subtest '7: presumptive fecal coliform' => sub {
    my $test   = $cedar->test('COC-0701', 'FC');
    my $sample = $cedar->sample('COC-0701');

    is($test->{confirmationStatus}, 'pending',               'the positive awaits confirmation');
    is($sample->{sampleIdentifier} =~ /\ANPDES001-Upstream-/, 1,
        'the sample is of the stream above the outfall');
    refused(verify($test), 409, 'confirmation_required', 'verify');
    is(slugs(report($sample)->json), 'incomplete_sample approval_required confirmation_required',
        'report says so too');
    $cedar->done('priya.nair', 'confirmation', 'step', $test->{id}, '--medium', 'EC broth ECB-A',
        '--outcome', 'fecal coliforms confirmed', '--reading', 'Gas in 5, 3 and 1 of 5 tubes');
    $cedar->done('priya.nair', 'confirmation', 'outcome', $test->{id}, '--outcome', 'confirmed');
    is(verify($test)->json->{confirmationStatus}, 'confirmed', 'confirmed, it is verified');
};

subtest '8: a count on a medium that failed' => sub {
    my $test = $cedar->test('COC-0801', 'HPC');

    my $body = refused(verify($test), 409, 'media_qc_failed', 'verify');
    is_deeply(blocker($body, 'media_qc_failed')->{mediaLotIds}, [ $cedar->media_lot('PCA-B') ],
        'the blocker names the lot');
    like($body->{message}, qr/PCA-B/, 'the message names the lot');
    is(slugs(report($cedar->sample('COC-0801'))->json),
        'incomplete_sample approval_required media_qc_failed', 'report says so too');
    is(enter($test, result => '41', mediaLotId => $cedar->media_lot('PCA-A'))->status, 200,
        'repeated on a lot that passed');
    is(verify($test)->status, 200, 'the repeated test is verified');
};

subtest '9: a standard that has expired' => sub {
    my $test = $cedar->test('COC-0901', 'PB');
    my $old  = $cedar->reagent_lot('STD-ICPMS-25');

    my $body = refused(enter($test, result => '2.4', reagentLotId => $old), 409,
        'reagent_lot_expired', 'blocked by the policy');
    like($body->{message}, qr/STD-ICPMS-25/, 'the message names the lot');
    is($cedar->test('COC-0901', 'PB')->{result}, undef, 'no result with the expired lot is entered');
    is(enter($test, result => '2.4', reagentLotId => $cedar->reagent_lot('STD-ICPMS-26'))->status,
        200, 'the current lot is taken');
};

subtest '10: lead above the action level' => sub {
    is($cedar->test('COC-1001', 'PB')->{outOfSpecification} ? 1 : 0, 1, '16.2 is out');
    is($cedar->test('COC-1001', 'PB')->{specification}, 'at most 15 ug/L',
        'the limit is at most 15 ug/L');
    is($cedar->categories('COC-1001'), 'approval_required investigation_open investigation_open'
            . ' out_of_specification unverified_result unverified_result',
        'readiness lists the investigation and its CAPA');
    my @history = @{ $demo->lims->db->selectcol_arrayref(
            'SELECT status FROM lims.investigation WHERE organization_id = ? AND sample_id = ?'
                . ' ORDER BY id', undef, $cedar->id, $cedar->sample('COC-1001')->{id}) };
    is("@history", 'phase_2 opened', 'the investigation is in phase 2');
    is_deeply($demo->lims->db->selectrow_arrayref(q{SELECT w.display_name, a.display_name,
            lims.signature_fits(s.organization_id, s.id) FROM lims.investigation i
          JOIN lims.user_account w ON w.id = i.retest_plan_by
          JOIN lims.user_account a ON a.id = i.retest_plan_approved_by
          JOIN lims.electronic_signature s ON s.table_name = 'investigation' AND s.record_id = i.id
           AND s.meaning = 'approved' AND s.organization_id = i.organization_id
         WHERE i.organization_id = ? AND i.kind = 'oos'}, undef, $cedar->id),
        [ 'Grace Okafor', 'Lena Fischer', 1 ], 'the retest plan is approved by another than its author');

    my $test   = $cedar->test('COC-1002', 'PB');
    my @events = $cedar->events(sub {
        is(enter($test, result => '16.2')->json->{outOfSpecification} ? 1 : 0, 1,
            'another result is out of specification');
    });
    is(join(' ', map { $_->[0] } @events), 'result.entered investigation.opened',
        'an investigation is opened');
    is($events[1][1]{kind},     'oos',             'the investigation is of kind oos');
    is($events[1][1]{sampleId}, $test->{sampleId}, 'the investigation names the sample');
    like($events[1][1]{title}, qr/\APB 16\.2 ug\/L outside at most 15 ug\/L/,
        'the title names value and limit');
};

subtest '11: worksheets' => sub {
    my $test = $cedar->test('COC-1101', 'HEM');
    my $body = refused(verify($test), 409, 'worksheet_incomplete', 'incomplete');
    is_deeply($body->{missing}, [ 'Tare weight of flask', 'Final weight of flask' ],
        'the weights are missing');
    is_deeply($body->{needsSignoff}, [ 'Analyst', 'Peer review' ], 'both signatures are missing');

    $test = $cedar->test('COC-1102', 'HEM');
    is($test->{worksheetStatus}, 'unsigned', 'the second worksheet is unsigned');
    $body = refused(verify($test), 409, 'worksheet_incomplete', 'verifying a test with an unsigned worksheet');
    is_deeply([ $body->{missing}, $body->{needsSignoff} ], [ [], [ 'Analyst', 'Peer review' ] ],
        'nothing but the signatures is missing');
    my ($sheet) = @{ blocker($body, 'worksheet_incomplete')->{worksheetIds} };
    $cedar->done('mateo.ortiz', 'worksheet', 'sign-off', $sheet, '--step', 'Analyst',
        '--meaning', 'performed');
    $body = refused(verify($test), 409, 'worksheet_incomplete', 'one signature is not enough');
    is_deeply($body->{needsSignoff}, ['Peer review'], 'the second signature is still asked for');
    $cedar->done('lena.fischer', 'worksheet', 'sign-off', $sheet, '--step', 'Peer review',
        '--meaning', 'reviewed');
    is(verify($test)->json->{worksheetStatus}, 'complete', 'signed by both, it is verified');
    is($cedar->test('COC-1103', 'HEM')->{status}, 'verified', 'the third test is verified already');
};

subtest '12: approvals are open' => sub {
    my $sample = $cedar->sample('COC-1201');

    my $body = refused(report($sample), 409, 'approval_required', 'report');
    my ($next, $last) = map { $_->{id} } @{ $cedar->get("/samples/$sample->{id}/approvals")
            ->json->{data} };
    is_deeply(blocker($body, 'approval_required')->{approvalIds}, [$next],
        'the blocker names the step');
    is($cedar->patch("/approval-records/$_", { status => 'approved' })->status, 200, 'approved')
        for $next, $last;
    is(report($sample)->json->{status}, 'reported', 'then it is reported');
};

subtest '13: verified is locked' => sub {
    my ($locked, $open) = map { $cedar->test('COC-1301', $_) } qw(TDS F);

    refused(enter($locked, result => '290'), 409, 'test_verified_locked', 'one by one');
    my $body = refused($cedar->post('/sample-tests/bulk-results', { updates => [
                { sampleTestId => $open->{id},   result => '0.70' },
                { sampleTestId => $locked->{id}, result => '290' } ] }),
        409, 'test_verified_locked', 'in bulk');
    is_deeply(blocker($body, 'test_verified_locked')->{testIds}, [ $locked->{id} ],
        'the blocker names the locked test');
    is($cedar->test('COC-1301', 'F')->{result}, '0.61', 'the result of the other test is as it was');
};

subtest '14: receiving a mix' => sub {
    my ($first, $second, $here) = map { $cedar->sample("COC-140$_")->{id} } 1 .. 3;
    my $answer;
    my @events = $cedar->events(sub {
        $answer = $cedar->post('/samples/receive', { sampleIds => [ $first, $here, $second ] });
    });

    is($answer->status, 200, 'the request is answered');
    is(join(' ', sort map { $_->{id} } @{ $answer->json->{received} }),
        join(' ', sort $first, $second), 'the two that were awaited');
    is_deeply([ map { [ @{$_}{qw(sampleId status error)} ] } @{ $answer->json->{skipped} } ],
        [ [ $here, 409, 'not_receivable' ] ], 'the third is skipped');
    is(join(' ', map { $_->[0] } @events), 'sample.received sample.received',
        'each receipt is announced by an event');
};

subtest '15: an upload-only key' => sub {
    my $key = $demo->lims->{keys}{LIMS_UPLOAD_KEY};

    refused($cedar->get('/samples', key => $key), 403, 'upload_only_key', 'reads nothing');
    is($cedar->get('/whoami', key => $key)->status, 200, 'an upload-only key may call whoami');
};

subtest '19: an amended certificate' => sub {
    my $id   = $cedar->sample('COC-1901')->{id};
    my $list = sub {
        my $page = $cedar->done('grace.okafor', 'certificate', 'list', '--sample-id', $id);
        return join ', ', map { "$_->{version} $_->{status}" } @{ $page->{data} };
    };
    my $first = $cedar->done('grace.okafor', 'certificate', 'list', '--sample-id', $id)->{data};

    is($list->(), '1 superseded, 2 issued', 'the second version supersedes the first');
    is($first->[1]{supersedesId}, $first->[0]{id}, 'the second version names the first');
    like($first->[1]{amendment}, qr/Well 4 North/, 'the second version has its reason');
    is($first->[0]{certificateNumber}, $first->[1]{certificateNumber},
        'both versions have one number');
    my $amendment
        = $cedar->done('grace.okafor', 'amendment', 'list', '--sample-id', $id)->{data}[0];
    is_deeply([ $amendment->{status}, $amendment->{differences} ],
        [ 'issued', [ { member => 'plantLocation', old => 'Well 4', new => 'Well 4 North' } ] ],
        'the amendment says what it changed');
    isnt($cedar->ctl('grace.okafor', 'certificate', 'issue', '--sample-id', $id)->{exit}, 0,
        'another version needs another amendment');
    $cedar->done('grace.okafor', 'sample', 'amend', $id, '--reason', 'Client address corrected');
    for my $who (qw(lena.fischer grace.okafor)) {
        my ($open) = grep { $_->{status} eq 'pending' }
            @{ $cedar->done($who, 'approval', 'list', $id)->{data} };
        $cedar->done($who, 'approval', 'decide', $open->{id}, '--status', 'approved');
    }
    my @events = $cedar->events(sub {
        $cedar->done('grace.okafor', 'certificate', 'issue', '--sample-id', $id);
    });
    is($list->(), '1 superseded, 2 superseded, 3 issued', 'then there is a new version');
    is(join(' ', map { "$_->[0] $_->[1]{sampleId}" } @events), "coa.generated $id",
        'the certificate is announced by an event');
};

subtest '20: a composite project without a plant location' => sub {
    my $body = refused($cedar->post('/samples', { materialTypeId => $cedar->material('WWE'),
                projectId => $cedar->project('NPDES001') }), 400, 'invalid_body', 'the sample');
    like($body->{message}, qr/plantLocation/, 'the message names the field');
};

subtest '22: a medium recalled after all was ready' => sub {
    my $sample = $cedar->sample('COC-2201');
    my $due    = sub {
        return scalar $demo->lims->db->selectrow_array('SELECT count(*) FROM lims.sample_dirty q'
                . ' WHERE q.organization_id = ? AND q.sample_id = ?', undef, $cedar->id,
            $sample->{id});
    };
    my $before = $due->();

    is($sample->{releaseState}, 'ready_to_report', 'verified, approved, ready');
    $cedar->done('priya.nair', 'media-lot', 'test', $cedar->media_lot('PCA-C'), '--kind',
        'sterility', '--outcome', 'failed', '--notes', 'Recalled by the supplier');
    is($cedar->sample('COC-2201')->{releaseState}, 'blocked',
        'after the recall the sample is blocked');
    my $body = refused(report($sample), 409, 'media_qc_failed', 'a blocked sample is not reported');
    like($body->{message}, qr/PCA-C failed sterility/, 'the message names the lot');
    cmp_ok($due->(), '>', $before, 'it is queued for the scan that announces the state');
};

done_testing();
