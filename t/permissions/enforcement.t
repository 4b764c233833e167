#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A person may do what a role of theirs has the permission for, from the next request on; an
# API key what its scopes allow, and under keysWithinRoles only what its person may.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my %as   = map { $_ => LIMS::Service::CommandLine->new($lims, "Pat $_", roles => [$_]) }
    qw(analyst receiving_clerk qa_officer auditor client_viewer);
my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ]);
my ($test) = $lab->tests($sample);

sub roles {
    my ($person, @roles) = @_;
    $lims->db->do('DELETE FROM lims.user_role WHERE organization_id = ? AND user_id = ?', undef,
        $lims->fixture->{id}, $person->{id});
    $lims->insert('user_role', { user_id => $person->{id}, role => $_ }) for @roles;
    return;
}

subtest 'a person' => sub {
    my $body = $as{receiving_clerk}->refused('permission_required', 'sample-test enter', $test,
        result => '7.1');
    like($body->{message}, qr/result\.enter.*analyst, lab_manager, microbiologist/,
        'the refusal names the permission and the roles that have it');
    is($as{analyst}->done('sample-test enter', $test, result => '7.1')->{status}, 'entered',
        'an analyst enters');
    $as{auditor}->done('sample-test show', $test);
    $as{client_viewer}->refused('permission_required', 'sample-test show', $test);
    $as{client_viewer}->refused('permission_required', 'saved-view list');
};

# Whoever receives samples has no act of the bench, of quality assurance or of the report.
subtest 'one person from the result to the certificate (a laboratory\'s day, 1.12)' => sub {
    $lab->approval_steps('Technical review');
    my ($made, $result) = $lab->worked(1);
    my $batch = $lab->qc_batch($result);
    $lab->status($made, 'completed');
    my ($approval) = @{ $lims->get("/samples/$made->{id}/approvals")->json->{data} };
    for my $who (@as{qw(receiving_clerk client_viewer)}) {
        $who->refused('permission_required', @$_)
            for [ 'sample-test enter', $result, result => '1.9' ],
            [ 'sample-test verify', $result ], [ 'sample-test reopen', $result, reason => 'mine' ],
            [ 'qc-batch override', $batch, reason => 'ok by me' ],
            [ 'sample status', $made->{id}, status => 'completed' ],
            [ 'approval decide', $approval->{id}, status => 'approved' ],
            [ 'sample report', $made->{id} ], [ 'certificate issue', sampleId => $made->{id} ];
    }
    $lims->db->do('UPDATE lims.approval_step SET active = false');
};

subtest 'a change of roles holds at once' => sub {
    roles($as{receiving_clerk}, 'analyst');
    $as{receiving_clerk}->done('sample-test enter', $test, result => '7.2');
    roles($as{receiving_clerk}, 'receiving_clerk');
    $as{receiving_clerk}->refused('permission_required', 'sample-test enter', $test, result => '7');
};

subtest 'what the body decides' => sub {
    my ($clerk, $analyst, $officer) = @as{qw(receiving_clerk analyst qa_officer)};

    is($clerk->done('sample status', $sample->{id}, status => 'received')->{status}, 'received',
        'the receipt is sample.receive');
    $clerk->refused('permission_required', 'sample status', $sample->{id}, status => 'processing');
    $analyst->done('sample status', $sample->{id}, status => 'processing');
    $officer->refused('permission_required', 'sample status', $sample->{id},
        status => 'completed');
    $clerk->refused('permission_required', 'sample status', $sample->{id}, status => 'received',
        reason => 'a step back');
    $analyst->refused('reason_required', 'sample status', $sample->{id}, status => 'received');
    is($analyst->done('sample status', $sample->{id}, status => 'received',
            reason => 'the wrong label')->{status}, 'received', 'a step back is result.verify');
    is($lims->value(q{SELECT reason FROM lims.audit_entry WHERE table_name = 'sample'
            AND record_id = ? ORDER BY id DESC LIMIT 1}, $sample->{id}), 'the wrong label',
        'its reason is in the trail');
};

# --- Keys -------------------------------------------------------------------

my $key = $lims->key($lims->fixture, created_by => $as{receiving_clerk}{id})->{key};
my @as_clerk = (key => $key);

sub enter {
    my ($result) = @_;
    return $lims->patch("/sample-tests/$test", { result => $result }, @as_clerk);
}

subtest 'a key is ruled by its scopes' => sub {
    is(enter('7.4')->status, 200, 'it may do what its person may not');
    is($lims->get('/sample-tests', @as_clerk)->status, 200, 'the key may read');
};

subtest 'a key within roles' => sub {
    $lab->policy(keys_within_roles => 't');
    is($lab->changes_of(sub {
        refused(enter('7.5'), 403, 'permission_required', 'what its person may not');
    }), 0, 'a refused act within roles changes nothing');
    is($lims->patch("/samples/$sample->{id}", { notes => 'urgent' }, @as_clerk)->status,
        200, 'what its person may');
    is($lims->get('/sample-tests', @as_clerk)->status, 200, 'reading is data.read');
    roles($as{receiving_clerk});
    refused($lims->get('/sample-tests', @as_clerk), 403, 'permission_required',
        'a person without any role reads nothing');
    is($lims->get('/whoami', @as_clerk)->status, 200, 'whoami asks for none');
    is($lims->get('/sample-tests')->status, 200, 'the key of somebody who may goes on');
    roles($as{receiving_clerk}, 'receiving_clerk');
};

# A key that was refused before hears the same.
subtest 'the refusals of the contract come first' => sub {
    refused($lims->patch('/sample-tests/999999', { result => '1' }, @as_clerk), 404, 'not_found',
        'no such test');
    refused($lims->patch("/sample-tests/$test", { nothing => 1 }, @as_clerk), 400, 'invalid_body',
        'an unknown member');
    refused($lims->request('PATCH', "/sample-tests/$test", body => { result => '1' }, @as_clerk,
        headers => { 'If-Match' => '"another"' }), 412, 'precondition_failed', 'a condition');
    my $narrow = $lims->key($lims->fixture, created_by => $as{receiving_clerk}{id},
        scopes => ['samples:read'])->{key};
    refused($lims->patch("/sample-tests/$test", { result => '1' }, key => $narrow), 403,
        'scope_required', 'a scope');
};

subtest 'an act that is refused is not remembered' => sub {
    my @once = (@as_clerk, headers => { 'Idempotency-Key' => 'refused-once' });
    my $path = "/sample-tests/$test/verify";
    my $refused = $lims->request('POST', $path, body => {}, @once);

    refused($refused, 403, 'permission_required', 'verifying');
    $lab->policy(keys_within_roles => 'f');
    is($lims->request('POST', $path, body => {}, @once)->status, 200, 'once it may, it does');
};
done_testing();
