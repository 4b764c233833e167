#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Policies are changed by a person who manages them, with a reason, and signed where acts
# are; steps of approval name roles; and what the people of the laboratory cannot meet is
# refused.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Test::Tool;

my $tool     = LIMS::Test::Tool->new;
my @cedar    = qw(--organization cedar);
my @ana      = $tool->laboratory('cedar');
my @password = ('--password-file', $tool->secret($tool->password));
my @why      = ('--reason', 'four eyes');
my @update   = (@ana, qw(organization update), @why);

sub person {
    my ($name, @roles) = @_;
    local $" = ',';
    $tool->made(@ana, qw(user create --email), "$name\@cedar.example", '--display-name',
        ucfirst $name, '--roles', "@roles", @password);
    return ('--organization', 'cedar', '--user', "$name\@cedar.example");
}

sub policies { return ('--policies', JSON::PP->new->canonical->encode({@_})) }

sub refused {
    my ($slug, $name, @arguments) = @_;
    my $run = $tool->run('--json', @arguments);

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($run->{json}{error}, $slug, "$name: $slug") or diag($run->{out}, $run->{err});
    return $run->{json}{message} // '';
}

subtest 'who changes them' => sub {
    refused('invalid_query', 'not without a person', @cedar,
        qw(organization update --name Cedar --reason x));
    refused('permission_required', 'a person sets no plan', @update, qw(--plan starter));
    is($tool->made(@cedar, qw(organization update --plan starter))->{plan}, 'starter',
        'the owner sets the plan, without a reason');
    refused('invalid_body', 'not without a reason', @ana, qw(organization update --name C));
    is($tool->made(@update, qw(--name Cedars))->{name}, 'Cedars', 'a person, with a reason');
    my ($who, $reason) = $tool->db->selectrow_array(q{
        SELECT u.email, a.reason FROM lims.audit_entry a
          JOIN lims.user_account u ON u.id = a.user_id
         WHERE a.table_name = 'organization' ORDER BY a.id DESC LIMIT 1});
    is("$who: $reason", 'ana@cedar.example: four eyes', 'the trail has who and why');
};

my @quin = person(quin => 'qa_officer');

subtest 'steps have roles' => sub {
    my $made = $tool->made(@update, '--approval-steps', 'Review,Release', '--approval-step-roles',
        'null,qa_officer');
    is_deeply($made->{approvalStepRoles}, [ undef, 'qa_officer' ], 'a role for each, or none');
    $made = $tool->made(@update, '--approval-steps', 'Review,Final');
    is_deeply($made->{approvalStepRoles}, [ undef, 'qa_officer' ], 'a renamed step keeps its role');
    $made = $tool->made(@update, '--approval-step-roles', 'qa_officer,qa_officer');
    is_deeply([ @{$made}{qw(approvalSteps approvalStepRoles)} ],
        [ [qw(Review Final)], [qw(qa_officer qa_officer)] ], 'roles alone, one of them twice');
    like(refused('invalid_body', 'one role for two steps', @update, '--approval-step-roles',
            'qa_officer'), qr/2 approvalSteps/, 'the refusal says how many approval steps there are');
    like(refused('invalid_body', 'a role that decides nothing', @update, '--approval-step-roles',
            'null,auditor'), qr/auditor/, 'the message names the role');
    is($tool->run(@update, '--approval-step-roles', 'null,boss')->{exit}, 2, 'an unknown role');
    $tool->made(@update, '--approval-steps', '', '--approval-step-roles', '');
};

subtest 'what the people cannot meet' => sub {
    my $two = refused('policy_unsatisfiable', 'two steps and a verifier', @update,
        '--approval-steps', 'Review,Release', policies(approverMayBeVerifier => JSON::PP::false));
    like($two, qr/Review, Release, verifying results need 3 different people.*: Ana Ruiz, Quin/,
        'the refusal names the places and the people');
    like($two, qr/enough: set approverMayBeVerifier to true; or have 1 more active person/,
        'the refusal names each change that would be enough');
    like(refused('policy_unsatisfiable', 'a role that nobody has', @update, '--approval-steps',
            'Release', '--approval-step-roles', 'microbiologist'),
        qr/Release needs an active person with .*approval\.decide and the role microbiologist/,
        'the message names role and permission');

    my @mia = person(mia => 'microbiologist');
    my $made = $tool->made(@update, '--approval-steps', 'Review,Release', '--approval-step-roles',
        'microbiologist,qa_officer', policies(approverMayBeVerifier => JSON::PP::false,
            selfVerification => 'refused'));
    is_deeply($made->{approvalStepRoles}, [qw(microbiologist qa_officer)],
        'with a third person it can be met: ana verifies what mia enters');

    is_deeply([ map { @$_{qw(lacks remedies)} } $tool->made(@ana, qw(policy impact)) ], [ [], [] ],
        'nobody lacks a permission');
    is($tool->made(@ana, qw(user deactivate 3))->{active}, JSON::PP::false,
        'a person may leave all the same');
    my $impact = $tool->made(@ana, qw(policy impact));
    like($impact->{lacks}[0], qr/Review needs an active person .*microbiologist/,
        'the page of policies says what nobody can do');
    is_deeply($impact->{remedies}, [
        'set approverMayBeVerifier to true, and name no roles in approvalStepRoles',
        'have 1 more active person with the permissions and roles that lack',
    ], 'the page of policies names each change that would be enough');
    is_deeply([ map { $_->{policy} } grep { $_->{inForce} } @{ $impact->{policies} } ],
        [qw(approverMayBeVerifier coaBeforeApproval reagentExpiryPolicy selfVerification)],
        'the page of policies says which policies are in force');
    is(@{ $tool->made(@ana, qw(policy impact --approver-may-be-verifier true --self-verification
            allowed))->{lacks} }, 1, 'judged by other policies, the role still lacks');
    my ($check) = grep { $_->{subject} eq 'people' } @{ $tool->run(qw(--json check))->{json}{findings} };
    like("$check->{state} $check->{finding}", qr/\Awarning cedar: Review needs/,
        'limsctl check says so too');
    $tool->made(@ana, qw(material-type create --code DW --name Water));
    my $sample = $tool->made(@ana, qw(sample create --client-name x --material-type-id 1));
    like($tool->made(@ana, qw(sample readiness), $sample->{id})->{lacks}[0], qr/\AReview needs/,
        'the readiness of a sample says what nobody can do');
    is($tool->made(@update, qw(--name Cedar))->{name}, 'Cedar',
        'what makes nothing stricter is not refused');
    is($tool->made(@update, '--approval-step-roles', 'null,qa_officer')->{approvalStepRoles}[0],
        undef, 'a looser policy is not refused');
    refused('policy_unsatisfiable', 'a further step', @update, '--approval-steps', 'A,B,C');
    $tool->made(@update, '--approval-steps', '', policies(approverMayBeVerifier => JSON::PP::true,
            selfVerification => 'allowed'));
};

subtest 'signed where acts are signed' => sub {
    $tool->made(@update, qw(--esignature-required true));
    refused('esignature_required', 'without a password', @update, qw(--name C));
    my $signatures = 'SELECT count(*) FROM lims.electronic_signature';
    my $before = $tool->value($signatures);
    is($tool->made(@update, @password, qw(--name C))->{name}, 'C',
        'a signed change of the policies is made');
    is($tool->value($signatures), $before + 1, 'the signature is recorded');
    my $signature = $tool->db->selectrow_hashref(q{
        SELECT s.*, lims.signature_fits(s.organization_id, s.id) AS stands
          FROM lims.electronic_signature s ORDER BY id DESC LIMIT 1});
    is("@{$signature}{qw(meaning table_name reason)}", 'approved organization four eyes',
        'the signature says what was approved');
    ok($signature->{stands}, 'the signature fits the organization after its own change');
    is($tool->value(q{SELECT signature_id FROM lims.audit_entry WHERE table_name = 'organization'
        ORDER BY id DESC LIMIT 1}), $signature->{id}, 'the trail names it');
    $tool->db->do(q{UPDATE lims.user_account SET password_hash = NULL,
        identity = '{"type": "oidc", "subject": "quin"}' WHERE email = 'quin@cedar.example'});
    ok($tool->value(q{SELECT u.id = ANY (lims.fit_people(u.organization_id, 'approval.decide'))
        FROM lims.user_account u WHERE u.email = 'quin@cedar.example'}),
        'whoever signs in by an identity counts as one who can sign');
};

done_testing();
