#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A test under investigation is repeated once its retest plan is approved: by a signature, by
# another person than its author where four eyes are asked for, and until the plan is changed.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my ($ann, $cal, $bo) = map { LIMS::Service::CommandLine->new($lims, $_->[0], roles => [ $_->[1] ]) }
    [ 'Ann Lee', 'qa_officer' ], [ 'Cal Orr', 'qa_officer' ], [ 'Bo Hart', 'analyst' ];
my $ph   = $lab->definition(code => 'PH');
my $lead = $lab->definition(code => 'PB', unit => 'ug/L', specification_high => 15);

# A sample with two results, one of which is under investigation.
sub doubted {
    my $sample = $lab->sample(testDefinitionIds => [ $lead, $ph ]);
    my ($test, $other) = $lab->tests($sample);
    $lab->enter($other, '7');
    $lab->enter($test, '16.2');
    my ($open) = @{ $ann->done('investigation list', sampleId => $sample->{id})->{data} };
    return ($sample, $test, $other, $open);
}

sub again {
    my ($test) = @_;
    return $lims->post("/sample-tests/$test/retest", { reason => 'doubtful' });
}

sub planned { my ($open, $plan) = @_; return $bo->done('investigation update', $open->{id}, retestPlan => $plan) }
sub approved { return $ann->done('investigation approve-retest-plan', $_[0]{id}) }

sub held {
    my ($test, $open, $why, $name) = @_;
    my $refusal = refused(again($test), 409, 'investigation_open', $name);
    like($refusal->{message}, qr/\AInvestigation \Q$open->{investigationNumber}\E .*\Q$why\E/,
        "$name: it says which investigation it is, and what it lacks");
    return $refusal;
}

sub concluded {
    my ($open, $status) = @_;
    $ann->done('investigation advance', $open->{id}, status => $_) for qw(phase_1 conclusion);
    return $ann->done('investigation advance', $open->{id}, status => $status, conclusion => 'a test');
}

subtest 'a plan that is written waits for its approval' => sub {
    my ($sample, $test, $other, $open) = doubted();
    is_deeply([ @$open{qw(retestPlan retestPlanBy retestPlanApproved)} ], [ undef, undef, undef ],
        'there is no plan at first');
    my ($second) = map { $_->{id} } @{ again($test)->json->{tests} };
    ok($second, 'without a plan the test is repeated, as the policy is');
    $lab->enter($second, '16.1');
    $ann->refused('invalid_transition', 'investigation approve-retest-plan', $open->{id});

    is(planned($open, 'Two, of the bottle that was kept')->{retestPlanBy}, $bo->{id},
        'the record names who wrote the plan');
    my $refusal = held($test, $open, 'its retest plan is not approved', 'a retest of the test');
    is_deeply([ @{ $refusal->{blockers}[0] }{qw(testIds investigationIds)} ],
        [ [$test], [ $open->{id} ] ], 'the blocker leads to the investigation');
    held($second, $open, 'its retest plan is not approved', 'a retest of another test of the family');
    is(again($other)->status, 201, 'another test of the sample is repeated');
    is($lims->post("/sample-tests/$second/$_", { reason => 'a test' })->status, 200, "$_ waits for no plan")
        for qw(cancel restore);

    $bo->refused('permission_required', 'investigation approve-retest-plan', $open->{id});
    $ann->refused('esignature_required', 'investigation approve-retest-plan', $open->{id},
        password => undef);
    my $answer = approved($open);
    is($answer->{retestPlanApproved}{by}, $ann->{id}, 'the record names who approved it');
    like($answer->{retestPlanApproved}{at}, qr/\A\d{4}-.*Z\z/, 'the record says when');
    my ($signed) = @{ $ann->done('signature list', table => 'investigation',
            recordId => $open->{id})->{data} };
    is_deeply([ @$signed{qw(meaning stands)} ], [ 'approved', JSON::PP::true ],
        'the signature is listed, and stands');
    like($ann->done('investigation history', $open->{id})->{data}[-1]{sentence},
        qr/\AAnn Lee approved the retest plan of the investigation \Q$open->{investigationNumber}\E/,
        'the history tells of the approval');
    like($ann->refused('invalid_transition', 'investigation approve-retest-plan', $open->{id})->{message},
        qr/approved already/, 'a plan is approved once');
    is(again($test)->status, 201, 'the test is repeated by the approved plan');
};

subtest 'a change of the plan ends its approval' => sub {
    my (undef, $test, undef, $open) = doubted();
    planned($open, 'Two, of the bottle that was kept');
    approved($open);
    ok($bo->done('investigation update', $open->{id}, rootCause => 'Old pipes')->{retestPlanApproved},
        'a change of something else leaves the approval');
    is(planned($open, 'Three')->{retestPlanApproved}, undef, 'another plan is not approved');
    like($ann->done('investigation history', $open->{id})->{data}[-1]{sentence},
        qr/retest plan from .* to Three, which ended the approval of the plan/, 'the history says so');
    held($test, $open, 'its retest plan is not approved', 'a retest behind the change');
    approved($open);
    is(again($test)->status, 201, 'the changed plan is approved in its turn');
    planned($open, "  ");
    is(again($test)->status, 201, 'a blank plan is none');
    like($ann->refused('invalid_transition', 'investigation approve-retest-plan', $open->{id})->{message},
        qr/no retest plan/, 'a blank plan is not approved');
};

subtest 'an investigation of a repetition' => sub {
    my ($sample, $first) = doubted();
    $lab->cancel_investigations($first);
    my ($second) = map { $_->{id} } @{ again($first)->json->{tests} };
    $lab->enter($second, '17');
    my ($open) = @{ $ann->done('investigation list', sampleId => $sample->{id}, open => 'true')->{data} };
    is($open->{sampleTestId}, $second, 'the repetition is investigated');
    planned($open, 'Two');
    held($first, $open, 'not approved', 'a retest of the first of the family');
    approved($open);
    is(again($first)->status, 201, 'once its plan is approved, the first is repeated');
};

subtest 'the end of the investigation opens the way' => sub {
    for my $status (qw(closed cancelled)) {
        my (undef, $test, undef, $open) = doubted();
        planned($open, 'Two');
        held($test, $open, 'not approved', "a retest before it is $status");
        concluded($open, $status);
        is(again($test)->status, 201, "once it is $status, the test is repeated");
        like($ann->refused('invalid_transition', 'investigation approve-retest-plan', $open->{id})
            ->{message}, qr/is \Q$status\E/, "the plan of one that is $status is not approved");
    }
};

subtest 'investigations of something else' => sub {
    my $sample = $lab->sample(testDefinitionIds => [$ph]);
    my ($test) = $lab->tests($sample);
    $lab->enter($test, '7');
    for my $of ([ kind => 'deviation', sampleId => $sample->{id} ],
        [ kind => 'qc_failure', sampleTestId => $test ]) {
        planned($bo->done('investigation create', title => 'Beside it', @$of), 'Two');
    }
    $lab->policy(open_investigation_blocks => 't');
    is(again($test)->status, 201, 'one of the sample alone, or of a QC failure, asks for no plan');
    $lab->policy(open_investigation_blocks => 'f');
};

subtest 'where open investigations block' => sub {
    my ($sample, $test, undef, $open) = doubted();
    $lab->policy(open_investigation_blocks => 't');
    held($test, $open, 'has no retest plan', 'a retest without a plan');
    planned($open, 'Two');
    my $second = $bo->done('investigation create', kind => 'deviation', title => 'The bottle leaked',
        sampleTestId => $test);
    approved($open);
    held($test, $second, 'has no retest plan', 'a retest while another investigation has none');
    planned($second, 'As in the other one');
    approved($second);
    is(again($test)->status, 201, 'once all plans are approved, the test is repeated');
    $lab->policy(open_investigation_blocks => 'f');
};

subtest 'four eyes' => sub {
    my (undef, $test, undef, $open) = doubted();
    $ann->done('investigation update', $open->{id}, retestPlan => 'Two');
    $lab->policy(self_verification => 'refused');
    like($ann->refused('self_verification', 'investigation approve-retest-plan', $open->{id})->{message},
        qr/another person than the one who wrote it/, 'nobody approves their own plan');
    $ann->done('investigation update', $open->{id}, rootCause => 'Old pipes');
    is($cal->done('investigation approve-retest-plan', $open->{id})->{retestPlanApproved}{by}, $cal->{id},
        'another person approves it');
    $cal->done('investigation update', $open->{id}, retestPlan => 'Three');
    $cal->refused('self_verification', 'investigation approve-retest-plan', $open->{id});
    is(approved($open)->{retestPlanApproved}{by}, $ann->{id}, 'who wrote it first approves what another changed');
    $lab->policy(self_verification => 'allowed');
    $ann->done('investigation update', $open->{id}, retestPlan => 'Two');
    ok(approved($open)->{retestPlanApproved}, 'where people verify their own results, they approve their own plans');
};

subtest 'a report that is amended' => sub {
    my ($sample, $test, $other, $open) = doubted();
    $lab->verify($_) for $test, $other;
    is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');
    planned($open, 'Two');
    refused(again($test), 409, 'invalid_transition', 'a key hears first that the sample is reported');
    my $lead = LIMS::Service::CommandLine->new($lims, 'Di Ray', roles => ['lab_manager']);
    $lead->done('sample amend', $sample->{id}, reason => 'doubtful');
    $lead->refused('investigation_open', 'sample-test retest', $test, reason => 'doubtful');
    approved($open);
    is(scalar @{ $lead->done('sample-test retest', $test, reason => 'doubtful')->{tests} }, 1,
        'by the approved plan the test is repeated');
};

done_testing();
