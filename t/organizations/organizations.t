#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Organizations with plan and policies, and their users.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Test::Tool;
no warnings 'qw';    # commas separate the elements of an option

my $tool = LIMS::Test::Tool->new;

# Organizations.

my @cedar = (qw(--organization cedar --reason), 'while nobody manages users yet');
my $made  = $tool->made(qw(organization create --code cedar --name Cedar), '--approval-steps',
    'Technical review,Final approval');
is_deeply(
    { %$made, createdAt => 0, updatedAt => 0 },
    {   id => 1, code => 'cedar', name => 'Cedar', timeZone => 'UTC', locale => 'en-US',
        trackingPrefix => 'LAB',
        plan => 'professional', apiAccess => JSON::PP::true, monthlySampleAllowance => undef,
        reagentExpiryPolicy   => 'block',         coaBeforeApproval     => JSON::PP::false,
        esignatureRequired    => JSON::PP::false, aiDataAccess          => JSON::PP::false,
        oosOpensInvestigation => JSON::PP::true,  holdingWarningHours   => 24,
        approvalSteps         => [ 'Technical review', 'Final approval' ],
        approvalStepRoles     => [ undef, undef ],
        address => undef, logo => undef, logoSha256 => undef, accreditation => undef,
        certificateLayout => { map { $_ => undef }
                qw(paper language title logo header footer columns sections statements) },
        active                => JSON::PP::true,  createdAt => 0, updatedAt => 0,
        policies => { selfVerification => 'allowed', approverMayBeVerifier => JSON::PP::true,
            (map { $_ => JSON::PP::false } qw(reasonOnChange openInvestigationBlocks
                keysWithinRoles)), qcRequired => 'off', lotQcPolicy => 'off',
            sessionMinutes => 15, investigationDays => 30, attachmentBytes => 1_073_741_824 },
    }, 'an organization and the defaults of its policies');

my $strict = $tool->made(qw(organization update), '--policies',
    '{"selfVerification":"refused","reasonOnChange":true,"qcRequired":"warn"}', @cedar)->{policies};
is_deeply([ @{$strict}{qw(selfVerification qcRequired lotQcPolicy sessionMinutes)} ],
    [qw(refused warn off 15)], 'policies are changed, and those that are left out stay');
ok($strict->{reasonOnChange} && $strict->{approverMayBeVerifier},
    'policies that are switches are changed, too');
is($tool->run(qw(organization update --policies), $_, @cedar)->{exit}, 2, "no policy: $_")
    for '{"selfVerification":"maybe"}', '{"sessionMinutes":4}', '{"mood":"strict"}';
$tool->made(qw(organization update), '--policies',
    '{"selfVerification":"allowed","reasonOnChange":false,"qcRequired":"off"}', @cedar);

my $none = $tool->made(qw(organization create --code none --name x --plan none));
ok(!$none->{apiAccess}, 'the plan none has no API access');
is($tool->run(qw(organization create --code none2 --name x --plan none --api-access))->{exit}, 1,
    'a plan without API access cannot be given it');
my $twice = $tool->run(qw(--json organization create --code cedar --name Again));
is($twice->{exit}, 1, 'a code is unique');
like($twice->{json}{message}, qr/\Acode: /, 'the refusal names the field');
for my $bad ([qw(--code Cedar)], [qw(--code a_b)], [ '--code', '' ]) {
    is($tool->run(qw(organization create --name x), @$bad)->{exit}, 2, "no code: $bad->[1]");
}
my $zone = $tool->run(qw(--json organization create --code z --name x --time-zone Nowhere/Town));
is($zone->{exit}, 1, 'an unknown time zone');
like($zone->{json}{message}, qr/timeZone/, 'the unknown time zone is named');
for my $bad ('German', 'en_GB', 'de-de', '') {
    is($tool->run(qw(organization create --code l --name x --locale), $bad)->{exit}, 2,
        qq{"$bad" is no language tag});
}
is($tool->made(qw(organization update --locale zh-Hant-TW), @cedar)->{locale}, 'zh-Hant-TW',
    'days and times are written by the rules of a language, a script and a country');

my $changed = $tool->made(qw(organization update --monthly-sample-allowance 25
    --reagent-expiry-policy warn --holding-warning-hours 36.5 --esignature-required
    --time-zone America/Denver), @cedar);
is($changed->{monthlySampleAllowance}, 25,     'the monthly allowance is set');
is($changed->{reagentExpiryPolicy},    'warn', 'the policy is set');
is($changed->{holdingWarningHours},    36.5,   'a warning window');
ok($changed->{esignatureRequired}, 'signatures are required');
is_deeply($changed->{approvalSteps}, [ 'Technical review', 'Final approval' ],
    'fields that are not given stay');
is_deeply($tool->made(qw(organization show --include allowance), @cedar)->{allowance},
    { limit => 25, used => 0, left => 25 }, 'all of the allowance is left');
ok(!exists $tool->made(qw(organization show), @cedar)->{allowance}, 'the allowance is told only where it is asked for');
is($tool->made('organization', 'update', '--monthly-sample-allowance', '', @cedar)
    ->{monthlySampleAllowance}, undef, 'an allowance is lifted');
ok(!$tool->made(qw(organization update --plan none), @cedar)->{apiAccess},
    'the plan none takes API access');
$tool->made(qw(organization update --plan starter --api-access), @cedar);

# Steps are known by their place.

sub steps { return $tool->made(qw(organization update --approval-steps), $_[0], @cedar)->{approvalSteps} }
my $step = 'SELECT id FROM lims.approval_step WHERE active AND position = ?';
my $first = $tool->value($step, 1);
is_deeply(steps('Review,QA,Final'), [qw(Review QA Final)], 'steps renamed and added');
is($tool->value($step, 1), $first, 'the first is the same one');
is_deeply(steps('Final'), ['Final'], 'steps that are not named are dropped');
is_deeply(steps(''),      [],        'no approval step is active');
is_deeply(steps('A,B'),   [qw(A B)], 'two steps are active again');
is($tool->value('SELECT count(*) FROM lims.approval_step WHERE NOT active'), 3,
    'former steps stay on record');

my $list = $tool->made(qw(organization list));
is_deeply([ map { $_->{code} } @{ $list->{data} } ], [qw(cedar none)],
    'the list has every organization');
is($tool->made(qw(organization show), @cedar)->{code}, 'cedar', 'the one that is named');

# Users.

my @who = ('--display-name', 'Ana Ruiz');
my $ana = $tool->made(qw(user create --email ana@cedar.example --roles analyst,qa_officer),
    @who, @cedar);
ok(!$ana->{canSign}, 'without a password one cannot sign');
is_deeply($ana->{roles}, [qw(analyst qa_officer)], 'the roles in their order');
ok(!exists $ana->{password}, 'a password is no part of the record');
is($tool->run(qw(user create --email ANA@cedar.example), @who, @cedar)->{exit}, 1,
    'an address is unique, however it is written');
is($tool->run(qw(user create --email ana), @who, @cedar)->{exit}, 2, 'an address has an @');
is($tool->run(qw(user create --email b@x --roles boss), @who, @cedar)->{exit}, 2,
    'an unknown role');
is($tool->run(qw(user create --password secret), @who, @cedar)->{exit}, 2,
    'a password is no argument');
is($tool->run('user', 'set-password', 1, '--password-file', $tool->secret('short'), @cedar)->{exit},
    2, 'a password has eight characters');
my $unasked = $tool->run(qw(user set-password 1), @cedar);
is($unasked->{exit}, 2, 'without a terminal it is not asked for');
like($unasked->{err}, qr/password is missing/, 'a missing password is named');

my $set = $tool->made('user', 'set-password', 1, '--password-file',
    $tool->secret($tool->password), @cedar);
ok($set->{canSign}, 'a password to sign with');
like($tool->value('SELECT password_hash FROM lims.user_account'), qr/\Ascrypt\$32768\$8\$1\$/,
    'the password is stored as scrypt');
is($tool->value(q{SELECT count(*) FROM lims.audit_entry WHERE changes::text LIKE '%scrypt%'}), 0,
    'the hash is not in the audit trail');

my $moved = $tool->made(qw(user update 1 --roles analyst,lab_manager --email ana@b.example), @cedar);
is_deeply($moved->{roles}, [qw(analyst lab_manager)], 'a list of roles replaces the former ones');
is($moved->{email}, 'ana@b.example', 'a new address');
is_deeply($tool->made(qw(user update 1 --roles=), @cedar)->{roles}, [], 'all roles are removed');
is(@{ $tool->made(qw(user list --email ANA@B.example), @cedar)->{data} }, 1, 'found by address');
is(@{ $tool->made(qw(user list --active=false), @cedar)->{data} }, 0, 'nobody is inactive');
ok(!$tool->made(qw(user deactivate 1), @cedar)->{active}, 'a user is deactivated');
is($tool->run(qw(client create --code x --name x --user ana@b.example), @cedar)->{exit}, 3,
    'an inactive user acts no more');
is($tool->run(qw(user show 1 --organization none))->{exit}, 3, 'users are their organization\'s');

# Every act is on record, with its reason.

$tool->made(qw(organization update --name Cedars --organization cedar --reason), 'a merger');
my ($entry) = $tool->db->selectrow_array(q{
    SELECT changes::text || ' ' || reason || ' ' || (request_id IS NOT NULL)
      FROM lims.audit_entry
     WHERE table_name = 'organization'
     ORDER BY id DESC LIMIT 1});
is($entry, '{"name":{"old":"Cedar","new":"Cedars"}} a merger true', 'the audit trail');

my $roles = $tool->made(qw(organization create --code roles --name Roles), '--approval-steps',
    'Review,Release', '--approval-step-roles', 'null,qa_officer');
is_deeply([ @{$roles}{qw(approvalSteps approvalStepRoles)} ],
    [ [qw(Review Release)], [ undef, 'qa_officer' ] ], 'steps are created with their roles');
for my $wrong ('qa_officer', 'null,auditor') {
    my $refused = $tool->run(qw(--json organization create --code wrong --name Wrong),
        '--approval-steps', 'Review,Release', '--approval-step-roles', $wrong);
    is($refused->{json}{error}, 'invalid_body', "roles that do not fit the steps: $wrong");
}
is($tool->value(q{SELECT count(*) FROM lims.organization WHERE code = 'wrong'}), 0,
    'the refused creation makes no organization');

done_testing();
