#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# PATCH /samples/:id/status: forward with or without skipping, back as an audited
# correction, no change for the same status; completed and verified pass their gates, and
# reported is final.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my @five = qw(pending received processing completed verified);

my $received = 'sampleId integer, trackingId string, status string';

sub move {
    my ($sample, $status) = @_;
    return $lims->patch("/samples/$sample->{id}/status", { status => $status });
}

sub last_change {
    my ($sample) = @_;
    return LIMS::Service::JSONSchema::decode($lab->value('SELECT changes FROM lims.audit_entry'
                . q{ WHERE organization_id = ? AND table_name = 'sample' AND record_id = ?}
                . ' ORDER BY id DESC LIMIT 1', $lims->fixture->{id}, $sample->{id}));
}

subtest 'every change between the five statuses' => sub {
    my ($sample, $test) = $lab->worked(1);
    $lab->verify($test);
    $lab->status($sample, 'received');    # so that the matrix stamps nothing
    for my $from (@five) {
        for my $to (@five) {
            $lab->status($sample, $from);
            my $response;
            my $changes = $lab->changes_of(sub { $response = move($sample, $to) });

            is($response->status, 200, "$from to $to") or diag($response->body);
            is($response->json->{status}, $to, "the answer has the status $to");
            is($lims->get("/samples/$sample->{id}")->json->{status}, $to,
                "the status $to is stored");
            if ($from eq $to) {
                is($changes, 0, 'the same status again changes nothing');
                next;
            }
            is_deeply(last_change($sample), { status => { old => $from, new => $to } },
                'the audit trail has old and new status');
            is($changes, $from eq 'pending' && $to eq 'received' ? 2 : 1,
                'the change is made once');
        }
    }
};

subtest 'receivedAt is set once, the event comes each time' => sub {
    my $sample = $lab->sample;
    is_deeply([ $lab->events_of(sub { move($sample, 'received') }) ],
        [ [ 'sample.received', $received ] ], 'sample.received is emitted');
    my $at = $lims->get("/samples/$sample->{id}")->json->{receivedAt};
    like($at, qr/\A\d{4}-.*\.\d{3}Z\z/, 'the time of receipt is recorded, in UTC');
    is_deeply([ $lab->events_of(sub { move($sample, 'received') }) ], [],
        'the same status writes no event');
    move($sample, 'pending');
    is($lims->get("/samples/$sample->{id}")->json->{receivedAt}, $at, 'kept when moved back');
    is_deeply([ map { $_->[0] } $lab->events_of(sub { move($sample, 'received') }) ],
        ['sample.received'], 'marked anew');
    is($lims->get("/samples/$sample->{id}")->json->{receivedAt}, $at, 'the first time stays');
};

subtest 'a status change that skips received' => sub {
    my $sample = $lab->sample;
    is_deeply([ $lab->events_of(sub { move($sample, 'processing') }) ], [], 'tells nothing');
    is($lims->get("/samples/$sample->{id}")->json->{receivedAt}, undef,
        'skipping received sets no receivedAt');
    is_deeply([ map { $_->[0] } $lab->events_of(sub { move($sample, 'received') }) ],
        ['sample.received'], 'marking it received writes the event');
};

subtest 'completed needs a result on every test' => sub {
    my ($sample, @tests) = $lab->worked(3);
    $lims->patch("/sample-tests/$tests[$_]", { result => '' }) for 0, 2;
    my $changes = $lab->changes_of(sub {
        my $body = refused(move($sample, 'completed'), 409, 'incomplete_sample', 'two are open');
        is_deeply($body->{blockers}[0]{testIds}, [ @tests[ 0, 2 ] ],
            'the blocker names the open tests');
        is($body->{blockers}[0]{slug}, 'incomplete_sample', 'the blocker has its slug');
        is(scalar @{ $body->{blockers} }, 1, 'it is the only blocker');
    });
    is($changes, 0, 'no row has changed');
    is($lims->get("/samples/$sample->{id}")->json->{status}, 'pending', 'the status is unchanged');
    $lab->enter($_, '1') for @tests[ 0, 2 ];
    is(move($sample, 'completed')->status, 200, 'complete now, though not verified');
};

subtest 'verified needs every test verified' => sub {
    my ($sample, @tests) = $lab->worked(2);
    $lab->verify($tests[0]);
    is_deeply(refused(move($sample, 'verified'), 409, 'incomplete_sample',
        'one test is not verified')
            ->{blockers}[0]{testIds}, [ $tests[1] ], 'the blocker names the unverified test');
    $lab->verify($tests[1]);
    is(move($sample, 'verified')->status, 200, 'with every test verified it succeeds');
};

subtest 'a sample without tests can be completed' => sub {
    my $sample = $lab->sample;
    is(move($sample, $_)->status, 200, $_) for qw(completed verified);
};

subtest 'a failed QC batch refuses both, until it is overridden or passes' => sub {
    my ($sample, $test) = $lab->worked(1);
    my $batch = $lab->qc_batch($test);
    $lab->verify($test);
    is($lab->qc_control($batch, 9), 'failed', 'the batch fails');
    for my $status (qw(completed verified)) {
        my $body = refused(move($sample, $status), 409, 'qc_failed', $status);
        is_deeply($body->{qcBatches}, [ { id => $batch, qcStatus => 'failed',
                    batchNumber => $lab->value('SELECT batch_number FROM lims.qc_batch'
                        . ' WHERE id = ?', $batch) } ], 'the refusal names the batch');
        is_deeply($body->{blockers}[0]{qcBatchIds}, [$batch], 'the blocker names the batch too');
    }
    is(move($sample, $_)->status, 200, "$_ is no matter of the gates")
        for qw(processing received pending);
    $lab->qc_override($batch);
    is(move($sample, $_)->status, 200, "$_ after the override") for qw(completed verified);

    my ($second, $other) = $lab->worked(1);
    my $failing = $lab->qc_batch($other);
    $lab->qc_control($failing, 9);
    refused(move($second, 'completed'), 409, 'qc_failed', 'another');
    $lab->act(sub { $_[0]->do('UPDATE lims.qc_control SET measured_value = 1'
                    . ' WHERE qc_batch_id = ?', undef, $failing) });
    is(move($second, 'completed')->status, 200, 'allowed after its control was corrected');
};

subtest 'an open batch refuses nothing' => sub {
    my ($sample, $test) = $lab->worked(1);
    $lab->qc_batch($test);
    is(move($sample, 'completed')->status, 200, 'the sample is completed');
};

subtest 'a refusal lists every gate, in the contract\'s order' => sub {
    my ($sample, @tests) = $lab->worked(2);
    $lab->qc_control($lab->qc_batch($tests[0]), 9);
    $lims->patch("/sample-tests/$tests[1]", { result => undef });
    my $body = refused(move($sample, 'completed'), 409, 'incomplete_sample', 'the first');
    is_deeply([ map { $_->{slug} } @{ $body->{blockers} } ], [qw(incomplete_sample qc_failed)],
        'both blockers are named');
    ok($body->{qcBatches}, 'the details of the second blocker are there');
};

subtest 'refused bodies' => sub {
    my $sample = $lab->sample;
    my $path   = "/samples/$sample->{id}/status";
    for my $value (qw(reported Received done), '', undef, 1, [], {}) {
        like(refused($lims->patch($path, { status => $value }), 400, 'invalid_body',
                'status: ' . shown($value))
                ->{message}, qr/status/, 'the message names it');
    }
    refused($lims->patch($path, { status => 'received', notes => 'x' }), 400, 'field_not_patchable',
        'another field');
    is($lims->patch($path, {})->status, 400, 'no status at all');
    is($lims->get("/samples/$sample->{id}")->json->{status}, 'pending', 'the status is unchanged');
    refused($lims->patch('/samples/987654/status', { status => 'received' }), 404, 'not_found',
        'no such sample');
};

subtest 'reported is final' => sub {
    my ($sample, $test) = $lab->worked(1);
    $lab->verify($test);
    $lims->post("/samples/$sample->{id}/report", {});
    my $changes = $lab->changes_of(sub {
        refused(move($sample, $_), 409, 'invalid_transition', "not to $_") for @five;
    });
    is($changes, 0, 'no row has changed');
};

done_testing();
