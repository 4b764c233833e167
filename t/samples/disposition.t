#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A sample is put on hold, cancelled, rejected, taken back and disposed of. On a cancelled
# or rejected one nothing is done, and nothing of it is lost.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);

sub dispose {
    my ($sample, $disposition, %body) = @_;
    return $lims->post("/samples/$sample->{id}/disposition",
        { disposition => $disposition, reason => 'bottle broken in transit', %body });
}

sub shown_of {
    my ($sample) = @_;
    return [ @{ $lims->get("/samples/$sample->{id}")->json }{
        qw(disposition dispositionReason releaseState holdingStatus)} ];
}

sub findings {
    my ($sample) = @_;
    return { map { $_->{category} => $_ }
            @{ $lims->get("/samples/$sample->{id}/readiness")->json->{findings} } };
}

# A sample whose results are all verified.
sub verified {
    my ($sample, @tests) = $lab->worked(2);
    $lab->verify($_) for @tests;
    return ($sample, @tests);
}

sub reported {
    my ($sample) = verified();
    my $answer = $lims->post("/samples/$sample->{id}/report");
    $answer->status == 200 or die $answer->body;
    return $sample;
}

subtest 'on hold (a laboratory\'s day, 1.4)' => sub {
    my ($sample, @tests) = verified();
    is(shown_of($sample)->[2], 'ready_to_report', 'a sample that is ready');
    my $held = dispose($sample, 'on_hold');
    is($held->status, 200, 'is put on hold') or diag($held->body);
    is_deeply(shown_of($sample), [ 'on_hold', 'bottle broken in transit', 'blocked', undef ],
        'a sample on hold is blocked');
    my $finding = findings($sample)->{sample_on_hold};
    is_deeply([ @{ $finding || {} }{qw(severity message clearedBy)} ],
        [ 'blocking', 'The sample is on hold: bottle broken in transit.',
            'making the sample active again' ], 'readiness says why');
    my $refused = refused($lims->post("/samples/$sample->{id}/report"), 409, 'sample_on_hold',
        'reporting it');
    is($refused->{blockers}[0]{clearedBy}, 'making the sample active again',
        'the refusal says what clears it');
    is($lab->changes_of(sub { is(dispose($sample, 'on_hold')->status, 200, 'again') }), 0,
        'holding it again changes nothing');
    my $added = $lims->post("/samples/$sample->{id}/tests",
        { testDefinitionIds => [ $lab->definition ] });
    is($added->status, 201, 'work on it goes on');
    refused($lims->post("/samples/$sample->{id}/report"), 409, 'incomplete_sample',
        'what the contract refuses comes first');
    $lims->post("/sample-tests/$added->{json}{tests}[0]{id}/cancel", { reason => 'no' })
        if $added->{json};
    is(dispose($sample, 'active')->status, 200, 'made active again');
    is_deeply([ @{ shown_of($sample) }[ 0, 1 ] ], [ 'active', undef ],
        'an active sample has no reason');
    is($lab->value(q{SELECT reason FROM lims.audit_entry WHERE organization_id = ?
        AND table_name = 'sample' AND record_id = ? AND changes -> 'disposition' IS NOT NULL
        ORDER BY id DESC LIMIT 1}, $lims->fixture->{id}, $sample->{id}),
        'bottle broken in transit', 'the audit trail has the reason of the cancellation');
};

subtest 'cancelled, rejected, taken back' => sub {
    my $definition = $lab->definition(holding_time_hours => 1000);
    my $sample = $lab->sample(testDefinitionIds => [ $definition, $lab->definition ],
        collectionDate => '2026-01-02');
    my ($entered, $open) = $lab->tests($sample);
    $lab->enter($entered, '1');
    my $before = $lims->get("/samples/$sample->{id}")->json;
    for my $disposition (qw(cancelled rejected)) {
        my @events = $lab->events_of(sub {
            my $answer = dispose($sample, $disposition);
            is($answer->status, 200, $disposition) or diag($answer->body);
        });
        is_deeply(\@events, [], 'no event is emitted');
        is_deeply(shown_of($sample), [ $disposition, 'bottle broken in transit', 'blocked', undef ],
            'a sample of this disposition is blocked, and its holding times have ended');
        refused($lims->patch("/samples/$sample->{id}", { notes => 'x' }), 409,
            'invalid_transition', 'a correction');
        refused($lims->patch("/samples/$sample->{id}/status", { status => 'processing' }), 409,
            'invalid_transition', 'a status');
        refused($lims->post("/samples/$sample->{id}/report"), 409, 'invalid_transition',
            'a report');
        refused($lims->post("/samples/$sample->{id}/tests",
                { testDefinitionIds => [ $lab->definition ] }), 409, 'invalid_transition',
            'another test');
        refused($lims->patch("/sample-tests/$open", { result => '2' }), 409,
            'invalid_transition', 'a result');
        refused($lims->post('/sample-tests/bulk-results',
                { updates => [ { sampleTestId => $open, result => '2' } ] }),
            409, 'invalid_transition', 'many results');
        my $refusal = refused($lims->post("/sample-tests/$entered/verify"), 409,
            'invalid_transition', 'a verification');
        like($refusal->{message}, qr/is \Q$disposition\E/,
            "the message says that the sample is $disposition");
        refused($lims->post("/sample-tests/$open/cancel", { reason => 'no' }), 409,
            'invalid_transition', 'cancelling a test of it');
        refused($lims->post("/sample-tests/$entered/retest", { reason => 'no' }), 409,
            'invalid_transition', 'a retest');
        my $judged = $lims->post('/sample-tests/judge',
            { results => [ { sampleTestId => $open, result => '1' } ] })->json;
        is_deeply([ map { $_->{error} } @{ $judged->{results}[0]{refusals} } ],
            ['invalid_transition'], 'a result of such a sample is judged as one that would be refused');
        refused(dispose($sample, 'on_hold'), 409, 'invalid_transition', 'putting it on hold');
        is(dispose($sample, 'active')->status, 200, 'it is taken back');
        my $after = $lims->get("/samples/$sample->{id}")->json;
        delete @$_{qw(updatedAt)} for $before, $after;
        is_deeply($after, $before, 'the restored sample is as it was');
    }
    $lab->enter($open, '2');
    $lab->verify($_) for $entered, $open;
    is($lims->post("/samples/$sample->{id}/report")->status, 200, 'a restored sample can be reported');
};

subtest 'receipt skips what is cancelled' => sub {
    my ($gone, $there) = map { $lab->sample } 1, 2;
    dispose($gone, 'cancelled');
    for my $body ({ sampleIds => [ $gone->{id}, $there->{id} ] },
        { items => [ { trackingId => $gone->{trackingId} } ] }) {
        my $answer = $lims->post('/samples/receive', $body)->json;
        is_deeply([ map { $_->{error} } @{ $answer->{skipped} } ], ['not_receivable'],
            'a sample that cannot be received is skipped');
        like($answer->{skipped}[0]{message}, qr/is cancelled/,
            'the message says that the sample is cancelled');
    }
};

subtest 'disposed of' => sub {
    my ($open) = $lab->worked(1);
    refused(dispose($open, 'disposed'), 409, 'invalid_transition', 'a sample still to be reported');
    my $sample = reported();
    for my $disposition (qw(on_hold cancelled rejected)) {
        refused(dispose($sample, $disposition), 409, 'invalid_transition',
            "a reported sample, $disposition");
    }
    my $gone = dispose($sample, 'disposed', reason => 'kept for 30 days');
    is($gone->status, 200, 'a reported sample is disposed of') or diag($gone->body);
    is_deeply([ @{ $gone->json }{qw(status releaseState disposition dispositionReason)} ],
        [ 'reported', 'reported', 'disposed', 'kept for 30 days' ],
            'a disposed sample stays reported');
    refused(dispose($sample, 'active'), 409, 'invalid_transition', 'disposal is final');
    is($lims->post("/samples/$sample->{id}/report")->status, 200,
        'reporting it again does nothing');
    dispose($open, 'rejected');
    is(dispose($open, 'disposed')->status, 200, 'a rejected one is disposed of');
    is_deeply([ @{ shown_of($open) }[ 0, 2, 3 ] ], [ 'disposed', 'blocked', undef ],
        'a sample disposed of unreported stays blocked');
    refused(dispose($open, 'active'), 409, 'invalid_transition', 'a sample that was disposed of does not become active again');
};

subtest 'an open investigation, where that blocks' => sub {
    my $definition = $lab->definition(specification_high => 1);
    my $sample = $lab->sample(testDefinitionIds => [$definition]);
    my ($test) = $lab->tests($sample);
    $lab->policy(oos_opens_investigation => 't', open_investigation_blocks => 't');
    $lab->enter($test, '2');
    for my $disposition (qw(cancelled rejected)) {
        refused(dispose($sample, $disposition), 409, 'investigation_open', $disposition);
    }
    is(dispose($sample, 'on_hold')->status, 200, 'it can be held');
    $lab->cancel_investigations($test);
    is(dispose($sample, 'cancelled')->status, 200, 'closed, the sample is cancelled');
    $lab->policy(oos_opens_investigation => 'f', open_investigation_blocks => 'f');
};

subtest 'what is asked wrongly' => sub {
    my $sample = $lab->sample;
    refused($lims->post("/samples/$sample->{id}/disposition", { disposition => 'on_hold' }), 400,
        'invalid_body', 'no reason');
    refused(dispose($sample, 'reported'), 400, 'invalid_body', 'no disposition');
    refused(dispose({ id => 999_999 }, 'on_hold'), 404, 'not_found', 'a sample of nobody');
    refused($lims->patch("/samples/$sample->{id}", { disposition => 'on_hold' }), 400,
        'field_not_patchable', 'a correction');
};

subtest 'the allowance is counted once' => sub {
    $lab->policy(monthly_sample_allowance => 100000);
    my $sample = $lab->sample;
    my $used = sub { $lab->value('SELECT used FROM lims.sample_allowance WHERE organization_id = ?',
            $lims->fixture->{id}) };
    my $before = $used->();
    dispose($sample, $_) for qw(cancelled active);
    is($used->(), $before, 'taken back, it is not counted again');
};

subtest 'a sample that was blocked while it was cancelled says so when it is active again' => sub {
    my ($sample, $test) = $lab->worked(1);
    my $lot = $lab->media_lot($test);
    my $scanned = sub {
        my ($act) = @_;
        return join ' ', grep { /blocked|ready/ } map { $_->[0] }
            $lab->events_in(sub { $act->(); $lims->ctl('scan') });
    };
    is($scanned->(sub { $lab->verify($test) }), 'sample.ready_to_report', 'it is ready to be reported');
    is($scanned->(sub { dispose($sample, 'cancelled') }), '', 'that it is cancelled is no event of its release state');
    is($scanned->(sub { $lab->media_test($lot, 'sterility', 'failed') }), '', 'what happens to it then is none either');
    is($scanned->(sub { dispose($sample, 'active') }), 'sample.blocked', 'made active again it is blocked');
};

done_testing();
