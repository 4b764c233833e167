#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# GET /samples/:id/readiness: every category of finding, with its severity, the ids that it
# is about and what clears it; and the release state that follows from the findings, from
# registration to report.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;
use POSIX qw(strftime);

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));

my @members = qw(approvalId category clearedBy investigationId mediaLotId message qcBatchId
    reagentLotId sampleTestId severity worksheetId);

sub readiness { return $lims->get("/samples/$_[0]{id}/readiness")->json }

# "category severity id=7" of each finding; the state has to be the sample's too.
sub findings {
    my ($sample) = @_;
    my $readiness = readiness($sample);
    is($lims->get("/samples/$sample->{id}")->json->{releaseState}, $readiness->{releaseState},
        'the sample has the same state');
    return [ sort map {
        my $finding = $_;
        join ' ', @$finding{qw(category severity)}, map { "$_=$finding->{$_}" }
            grep { /Id\z/ && defined $finding->{$_} } sort keys %$finding;
    } @{ $readiness->{findings} } ];
}

sub holds {
    my ($sample, $state, $findings, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is_deeply(findings($sample), [ sort @$findings ], $name);
    return is(readiness($sample)->{releaseState}, $state, "$name: the state is $state");
}

sub verified {
    my ($sample, @tests) = $lab->worked(@_);
    $lab->verify($_) for @tests;
    return ($sample, @tests);
}

subtest 'members of the response' => sub {
    my ($sample) = $lab->worked(1);
    my $response = $lims->get("/samples/$sample->{id}/readiness");
    my $body     = $response->json;
    is($response->status, 200);
    is_deeply([ sort keys %$body ], [qw(findings releaseState sampleId)],
        'the members of the answer');
    is($body->{sampleId}, $sample->{id}, 'the answer names the sample');
    is_deeply([ sort keys %{ $body->{findings}[0] } ], \@members, 'members of a finding');
    ok(length $body->{findings}[0]{message},   'each finding has a message');
    ok(length $body->{findings}[0]{clearedBy}, 'the finding says what clears it');
};

subtest 'the release state from registration to report' => sub {
    my $sample = $lab->sample;
    holds($sample, 'in_progress', ['incomplete_result blocking'], 'no test yet');

    ($sample, my @tests) = $lab->worked(2);
    $lims->patch("/sample-tests/$tests[1]", { result => undef });
    holds($sample, 'in_progress', [ "unverified_result blocking sampleTestId=$tests[0]",
            "incomplete_result blocking sampleTestId=$tests[1]" ], 'one result');
    $lab->enter($tests[1], '1');
    holds($sample, 'ready_for_review',
        [ map { "unverified_result blocking sampleTestId=$_" } @tests ], 'both results');
    $lab->verify($tests[0]);
    holds($sample, 'ready_for_review', ["unverified_result blocking sampleTestId=$tests[1]"],
        'one verified');
    $lab->verify($tests[1]);
    holds($sample, 'ready_to_report', [], 'both verified');
    $lims->post("/samples/$sample->{id}/report", {});
    is(readiness($sample)->{releaseState}, 'reported', 'the release state of a reported sample');
};

subtest 'qc_failed: once for a batch, however many tests' => sub {
    my ($sample, @tests) = verified(2);
    my ($second, @more)  = $lab->worked(2);
    my $batch = $lab->qc_batch(@more);
    $lab->qc_control($batch, 9);
    holds($second, 'blocked', [ "qc_failed blocking qcBatchId=$batch",
            map { "unverified_result blocking sampleTestId=$_" } @more ], 'a failed batch');
    holds($sample, 'ready_to_report', [], 'another sample is not concerned');
    $lab->qc_override($batch);
    holds($second, 'ready_for_review',
        [ map { "unverified_result blocking sampleTestId=$_" } @more ], 'overridden');
};

subtest 'confirmation_required' => sub {
    my ($test) = $lab->tests(my $sample = $lab->sample(testDefinitionIds =>
                [ $lab->definition(requires_confirmation => 't') ]));
    $lab->enter($test, '5');
    holds($sample, 'blocked', [ "confirmation_required blocking sampleTestId=$test",
            "unverified_result blocking sampleTestId=$test" ], 'presumptive positive');
    $lab->confirm($test, 'refuted');
    holds($sample, 'ready_for_review', ["unverified_result blocking sampleTestId=$test"],
        'refuted');
};

subtest 'media_qc_failed, also after verification' => sub {
    my ($sample, @tests) = $lab->worked(2);
    my $lot = $lab->media_lot(@tests);
    $lab->verify($_) for @tests;
    holds($sample, 'ready_to_report', [], 'a lot not yet tested');
    $lab->media_test($lot, 'sterility', 'failed');
    holds($sample, 'blocked', ["media_qc_failed blocking mediaLotId=$lot"], 'not sterile');
    like(readiness($sample)->{findings}[0]{message}, qr/sterility/,
        'the message names the failed test of the lot');
    $lab->media_test($lot, 'growth_promotion', 'failed', 'E. coli');
    like(readiness($sample)->{findings}[0]{message}, qr/growth promotion and sterility/,
        'the message names both tests');
    $lab->media_test($lot, 'sterility', 'passed');
    $lab->media_test($lot, 'growth_promotion', 'passed', 'S. aureus');
    holds($sample, 'blocked', ["media_qc_failed blocking mediaLotId=$lot"],
        'another organism makes up for nothing');
    $lab->media_test($lot, 'growth_promotion', 'passed', 'E. coli');
    holds($sample, 'ready_to_report', [], 'requalified');
};

subtest 'worksheet_incomplete' => sub {
    my $definition = $lab->definition(requires_worksheet => 't');
    $lab->worksheet_template($definition, ['Tare'], ['Analyst']);
    my ($test) = $lab->tests(my $sample = $lab->sample(testDefinitionIds => [$definition]));
    holds($sample, 'in_progress', ["incomplete_result blocking sampleTestId=$test"],
        'without a result it is not yet asked for');
    $lab->enter($test, '1');
    my $open = "unverified_result blocking sampleTestId=$test";
    holds($sample, 'blocked', [ $open, "worksheet_incomplete blocking sampleTestId=$test" ],
        'none begun');
    my $sheet = $lab->worksheet_fill($test, Tare => '1');
    holds($sample, 'blocked',
        [ $open, "worksheet_incomplete blocking sampleTestId=$test worksheetId=$sheet" ],
        'not signed');
    $lab->worksheet_sign($test, 'Analyst');
    holds($sample, 'ready_for_review', [$open], 'signed');
};

subtest 'advisory findings block nothing' => sub {
    my $limit = $lab->definition(specification_high => 10);
    my ($test) = $lab->tests(my $sample = $lab->sample(testDefinitionIds => [$limit]));
    $lab->enter($test, '12');
    $lab->verify($test);
    my $investigation = $lab->value('SELECT id FROM lims.investigation WHERE sample_test_id = ?',
        $test);
    my $out = "out_of_specification warning sampleTestId=$test";
    holds($sample, 'ready_to_report',
        [ $out, grep { /investigation_open warning.*investigationId=$investigation\b/ }
                @{ findings($sample) } ], 'out of specification, investigated');
    is(scalar @{ readiness($sample)->{findings} }, 2, 'there are no other findings');
    $lab->cancel_investigations($test);
    holds($sample, 'ready_to_report', [$out], 'cancelled');
    is($lims->post("/samples/$sample->{id}/report", {})->status, 200, 'the sample is reported');

    my $held = $lab->definition(holding_time_hours => 1);
    my $collected = strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time - 7200));
    ($test) = $lab->tests($sample = $lab->sample(testDefinitionIds => [$held],
            collectedAt => $collected));
    $lab->enter($test, 'TNTC');
    $lab->verify($test);
    holds($sample, 'ready_to_report', [ "holding_time_expired warning sampleTestId=$test",
            "non_numeric_result warning sampleTestId=$test" ], 'late, and no number');
    my ($code) = map { $_->{testCode} } @{ $sample->{tests} };
    is_deeply([ map { $_->{message} } @{ readiness($sample)->{findings} } ],
        [ "$code was not analysed within its holding time.",
            "$code has a result that is no number: TNTC." ],
        'findings have the words that bodies of events have');
    is($lims->post("/samples/$sample->{id}/report", {})->status, 200, 'the sample is reported');

    my $text = $lab->definition(result_type => 'text');
    ($test) = $lab->tests($sample = $lab->sample(testDefinitionIds => [$text]));
    $lab->enter($test, 'clear');
    $lab->verify($test);
    holds($sample, 'ready_to_report', [], 'words are what a text test has');
};

subtest 'blocking findings decide the release state' => sub {
    my ($sample, @tests) = $lab->worked(2);
    $lab->qc_control($lab->qc_batch($tests[0]), 9);
    $lims->patch("/sample-tests/$tests[1]", { result => undef });
    is(readiness($sample)->{releaseState}, 'blocked', 'hard comes before missing');
};

subtest 'blocking findings are listed first' => sub {
    my $limit = $lab->definition(specification_high => 10);
    my ($test) = $lab->tests(my $sample = $lab->sample(testDefinitionIds => [$limit]));
    $lab->enter($test, '12');
    is_deeply([ map { $_->{severity} } @{ readiness($sample)->{findings} } ],
        [qw(blocking warning warning)], 'warnings come last');
};

# The steps are asked of every sample of the organization, so they come last.
subtest 'approval_required and approval_rejected' => sub {
    my ($sample) = verified(1);
    $lab->approval_steps('Technical review', 'Final approval');
    holds($sample, 'ready_for_review', ['approval_required blocking'], 'before it is completed');
    $lab->status($sample, 'completed');
    my @approvals = map { $_->{id} }
        @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} };
    holds($sample, 'ready_for_review', ["approval_required blocking approvalId=$approvals[0]"],
        'the step that is next');
    $lims->patch("/approval-records/$approvals[0]", { status => 'approved' });
    holds($sample, 'ready_for_review', ["approval_required blocking approvalId=$approvals[1]"],
        'the final one');
    $lims->patch("/approval-records/$approvals[1]", { status => 'rejected', comment => 'no' });
    holds($sample, 'blocked', ["approval_rejected blocking approvalId=$approvals[1]"], 'rejected');
    $lab->policy(coa_before_approval => 't');
    holds($sample, 'blocked', ["approval_rejected blocking approvalId=$approvals[1]"],
        'whatever the policy');
    my ($free) = verified(1);
    holds($free, 'ready_to_report', [], 'while an open one is no matter then');
};

subtest 'unknown samples' => sub {
    my $foreign = $other->sample;
    my $absent  = refused($lims->get('/samples/987654/readiness'), 404, 'not_found', 'absent');
    my $strange = refused($lims->get("/samples/$foreign->{id}/readiness"), 404, 'not_found',
        'foreign');
    is($strange->{message} =~ s/$foreign->{id}/N/r, $absent->{message} =~ s/987654/N/r,
        'a foreign sample is refused in the words of an absent one');
};

done_testing();
