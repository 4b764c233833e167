#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every route that people reach, tried as every role and as nobody: it is refused unless the
# matrix that an organization begins with gives the role its permission.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Service::Roles;
use LIMS::Test::Tool;

my $tool = LIMS::Test::Tool->new;
$tool->laboratory('cedar');

my %matrix = %LIMS::Service::Roles::matrix;

# All have the administrator's password, so that each can sign.
for my $role (sort keys %matrix) {
    $tool->db->do(q{WITH made AS (
            INSERT INTO lims.user_account (organization_id, email, display_name, password_hash)
            SELECT organization_id, ?, ?, password_hash FROM lims.user_account
             WHERE email = 'ana@cedar.example' RETURNING organization_id, id)
        INSERT INTO lims.user_role (organization_id, user_id, role)
        SELECT organization_id, id, ? FROM made WHERE ? <> 'nobody'}, undef, $role . '@x', $role,
        $role, $role);
}

# Commands by the permission that the laboratory's rules ask for. One
# that stands nowhere here reads, which its last word says, and needs data.read.
my $reads = qr/[ -](?:list|show|history|export|pdf|zip|recall|preview|list-pdf|preview-pdf)\z/;
my %needs = (
    'data.read' => [ 'lookup', 'turnaround', 'worklist', 'worklist-sequence', 'label print',
        'instrument-file candidates', 'instrument-file content', 'instrument-file counts',
        'instrument-file grid', 'attachment content', 'certificate content',
        'extraction calibration', 'organization logo', 'organization preview-layout',
        'qc-batch impact', 'qc-batch sequence', 'reference-data uses', 'sample counts', 'sample events',
        'sample readiness' ],
    'sample.register'  => ['sample create', 'order create', 'client create'],
    'sample.receive'   => ['sample receive', 'sample unreceive', 'sample receipt',
        'sample status received'],
    'sample.edit'      => ['sample update', 'order update', 'sample add-tests',
        'sample-test cancel', 'sample-test restore', 'sample disposition'],
    'sample.cancel'    => ['sample disposition cancelled', 'sample disposition rejected'],
    'sample.report'    => ['sample report'],
    'result.enter'     => ['sample-test enter', 'sample-test bulk-enter', 'sample-test judge',
        'sample-test assign', 'sample advance', 'sample status processing', 'sample status completed'],
    'result.verify'    => ['sample-test verify', 'sample-test verify-many', 'sample-test return',
        'sample-test retest', 'sample-test choose', 'sample status'],
    'result.reopen'    => ['sample-test reopen'],
    'approval.decide'  => ['approval decide', 'approval decide-many', 'approval inbox',
        'approval export', 'approval pdf'],
    'certificate.issue' => [ 'certificate issue', 'document retry' ],
    'certificate.amend' => ['sample amend', 'amendment withdraw', 'amendment resubmit'],
    'qc.enter'         => [ (map { "qc-batch $_" } qw(create update evaluate cover uncover)),
        map { "qc-control $_" } qw(add update judge) ],
    'qc.override'      => ['qc-batch override', 'qc-control exclude', 'sample override-lot'],
    'reference.manage' => [ 'specification delete', 'qc-series update', 'reference-data import',
        'client update',
        map { ("$_ create", "$_ update") } qw(qc-template instrument panel worksheet-template
            specification test-definition material-type storage-location label-size project) ],
    'lot.manage'       => [ 'media-lot test', map { my $lot = $_; map { "$lot $_" }
            qw(create update open quarantine) } qw(reagent-lot media-lot) ],
    'lot.release'      => ['reagent-lot release', 'media-lot release'],
    'worksheet.fill'   => ['worksheet fill'],
    'worksheet.sign'   => ['worksheet sign-off', 'worksheet withdraw'],
    'confirmation.record' => ['confirmation step'],
    'confirmation.decide' => ['confirmation outcome'],
    'investigation.close' => [ 'investigation advance closed', 'investigation advance cancelled',
        'investigation approve-retest-plan' ],
    'investigation.work'  => [ map { "investigation $_" } qw(create update advance
        add-action finish-action) ],
    'file.review'      => [ 'sample-name add', 'sample-name remove',
        map { "instrument-file $_" } qw(release reject reopen decide reevaluate
        reevaluate-some) ],
    'profile.manage'   => [ map { "profile $_" } qw(add activate retire test) ],
    'policy.manage'    => [ 'permission list', 'permission update', 'policy impact',
        map { "organization $_" } qw(update set-logo remove-logo) ],
    'user.manage'      => [ 'session list', map { "user $_" } qw(list show create update
        set-password deactivate unlock link export history pdf) ],
    'key.manage'       => [ map { "key $_" } qw(list show create update rotate revoke export
        history pdf) ],
    'webhook.manage'   => [ map { "webhook $_" } qw(list show create update enable disable rotate
        delete test recover recoveries recovery deliveries delivery body redeliver
        deliveries-export export history pdf) ],
    'audit.read'       => [ map { "audit $_" } qw(list archives export verify-export export-heads heads
        public-key verify) ],
    'note.add'         => ['comment add', 'attachment add', 'attachment withdraw'],
    'self'             => [ 'session end', map { "saved-view $_" } qw(list show create update delete) ],
);
# Acts that a second permission allows as well, depending on the record: act -> permission.
my %or = ('certificate issue' => 'certificate.amend', 'session end' => 'user.manage',
    'sample disposition' => 'sample.cancel', 'sample-test cancel' => 'result.verify',
    'sample-test restore' => 'result.verify');
my %needed = map { my $permission = $_; map { $_ => $permission } @{ $needs{$permission} } }
    keys %needs;

my @lines = split /\n/, LIMS::Instance::run(LIMS::Instance::out() . '/t/permissions/matrix',
    $tool->conninfo, 'cedar', $tool->password, map { $_ . '@x' } sort keys %matrix);
my (%faults, %permission, %other, %outcome);

for my $line (@lines) {
    my ($command, $value, $permissions, $user, $outcome) = split /\t/, $line;
    my ($permission, $or) = split / /, $permissions;
    my $role = $user =~ s/\@x\z//r;
    my $act  = $value ? "$command $value" : $command;
    my $may  = grep { $_ eq $permission || $_ eq ($or // '') } @{ $matrix{$role} };

    $permission{$act} = $permission;
    $other{$command}  = $or if $or;
    $outcome{$outcome}++;
    next if !$may == ($outcome eq 'permission_required');
    push @{ $faults{ $may ? 'refused' : 'let through' } }, "$act as $role: $outcome";
}
note(join ', ', map { "$_: $outcome{$_}" } sort keys %outcome);
cmp_ok(scalar @lines, '>', 1500, scalar(@lines) . ' acts are tried');
is(join("\n", @{ $faults{'let through'} || [] }), '', 'no role does what it has no permission for');
is(join("\n", @{ $faults{refused} || [] }), '', 'every role does what it has the permission for');
cmp_ok($outcome{reached}, '>', 500, 'what is not refused comes to its action');
is(join("\n", map { "$_ asks for $permission{$_}, and the rules say "
            . ($needed{$_} // (/$reads/ ? 'data.read' : 'nothing')) }
        grep { $permission{$_} ne ($needed{$_} // (/$reads/ ? 'data.read' : '')) }
        sort keys %permission), '', 'every act asks for the permission of the rules');
is_deeply(\%other, \%or, 'another permission may do only where the rules say so');
is(join("\n", grep { !$permission{$_} } sort keys %needed), '', 'every act of the rules is there');
done_testing();
