#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The C tables and the database's catalogue say the same: lists of values, lengths and
# patterns of text, what may be null; scopes, roles, types of events and meanings of
# signatures; the members of payloads; the slugs that rules refuse with. What only one of
# the two has is named here with its reason; a reason that is no longer needed fails too.
#
# tables.c writes down the C tables. The column behind a field is found by the
# statement that reads the record: with a view PostgreSQL keeps which column of which
# table each of its columns is.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Database::Catalogue;
use LIMS::Database::Statements;
use LIMS::Instance;
use Test::More;

# --- What is not compared by itself -----------------------------------------------------

# Fields that the record of their resource does not have, and the column that they are
# about: of what is sent, computed or kept elsewhere.
my %column = (
    'createOrder.samples.priority' => 'sample.priority',
    'receiveSamples.items.trackingId' => 'sample.tracking_id',
    'receiveSamples.items.identifier' => 'sample.sample_identifier',
    'receiveSamples.items.deviations' => 'sample.receipt_deviations',
    'receiveSamples.receipt.condition' => 'sample.receipt_condition',
    'changeReceipt.condition'          => 'sample.receipt_condition',
    'changeReceipt.deviations'         => 'sample.receipt_deviations',
    'enterResults.updates.result'       => 'sample_test.result',
    'enterResults.updates.notes'        => 'sample_test.notes',
    'enterResults.updates.qualifier'    => 'sample_test.qualifier',
    'judgeResults.results.result'       => 'sample_test.result',
    'judgeResults.results.qualifier'    => 'sample_test.qualifier',
    'judgeResults.results.status'       => 'sample_test.status',
    'verifyResults.results.status'      => 'sample_test.status',
    'investigation.actions.text'        => 'investigation_action.text',
    'addInvestigationAction.text'       => 'investigation_action.text',
    'decideApprovals.items.status'      => 'approval.status',
    'decideApprovals.items.comment'     => 'approval.comment',
    'decideApprovals.results.status'    => 'approval.status',
    'approval to decide.role'           => 'user_role.role',
    'approval to decide.status'         => 'approval.status',
    map({ ("$_.status" => 'approval.status') } map { "${_}ApprovalRecords" } qw(list export print)),
    'lot recall.status'                 => 'sample_test.status',
    'sample.releaseState'               => 'sample_state_cache.release_state',
    'sample.holdingStatus'              => 'sample_state_cache.holding_status',
    'sample test.review.previous.qualifier' => 'sample_test.qualifier',
    'sample test.returned.reason'       => 'sample_test.return_reason',
    'worklist.returned.reason'          => 'sample_test.return_reason',
    'worklist.status'                   => 'sample_test.status',
    'worklist.holdingStatus'            => 'sample_state_cache.holding_status',
    'sample test.holdingStatus'         => 'sample_state_cache.holding_status',
    'sample event.type'                 => 'event.type',
    'sample event.deliveries.state'     => 'webhook_delivery.state',
    'certificate.deliveries.state'      => 'webhook_delivery.state',
    map({ ("certificate.document.$_" => "document.$_") } qw(state failure)),
    'getSampleReadiness.releaseState'   => 'sample_state_cache.release_state',
    (map { my $session = $_;
        map { ("$session.policies.$_->[0]" => "organization.$_->[1]") }
            [qw(selfVerification self_verification)], [qw(qcRequired qc_required)],
            [qw(lotQcPolicy lot_qc_policy)], [qw(reagentExpiryPolicy reagent_expiry_policy)] } qw(getSession signIn.session signOn.session)),
    'worklist.sampleDisposition' => 'sample.disposition', 'advanceSamples.samples.status' => 'sample.status',
    map({ ($_ => 'sample.priority') } qw(worklist.priority), 'approval to decide.sample.priority'),
    'worksheet.values.kind'             => 'worksheet_field.kind',
    'reevaluateInstrumentFiles.files.status' => 'instrument_file.status',
    map({ ("$_.results.qcStatus" => 'qc_batch.qc_status', "$_.results.qcBatches.qcStatus" => 'qc_batch.qc_status') }
        qw(getCertificateContent previewCertificate)),
    'sample test.review.qcBatches.qcStatus' => 'qc_batch.qc_status',
    'holding_time.expiring.holdingStatus' => 'sample_state_cache.holding_status',
    'ingestInstrumentFile.fileName'     => 'instrument_file.file_name',
    'ingestInstrumentFile.profile'      => 'instrument_file.profile_code',
    'ingestInstrumentFile.status'       => 'instrument_file.status',
    'releaseInstrumentFile.profile'     => 'instrument_profile.code',
    'decideInstrumentFile.decisions.profile' => 'instrument_profile.code',
    'reevaluateInstrumentFile.profile'  => 'instrument_profile.code',
    'uploadInstrumentFile.rows.status'  => 'extraction_row.status',
    'listEvents.type'                   => 'event.type',
    'testMediaLot.kind'                 => 'media_qc_test.kind',
    'testMediaLot.organism'             => 'media_qc_test.organism',
    'testMediaLot.outcome'              => 'media_qc_test.outcome',
    'testMediaLot.notes'                => 'media_qc_test.notes',
    map({ ("worksheet template.fields.$_" => "worksheet_field.$_") }
        qw(name label unit kind formula decimals)),
    'worksheet template.signoffSteps.name' => 'worksheet_signoff_step.name',
    'worksheet template.signoffSteps.role' => 'worksheet_signoff_step.role',
    'getQcBatchImpact.samples.releaseState' => 'sample_state_cache.release_state',
    'getQcBatchImpact.samples.tests.status' => 'sample_test.status',
    'judgeQcControls.controls.controlType'  => 'qc_control.control_type',
    'judgeQcControls.controls.criterion'    => 'qc_control.criterion',
    'judgeQcControls.controls.level'        => 'qc_control.level',
    'judgeQcControls.controls.lot'          => 'qc_control.lot',
    'judgeQcControls.controls.expectedText' => 'qc_control.expected_text',
    'judgeQcControls.controls.measuredText' => 'qc_control.measured_text',
    'QC template.controls.type'         => 'qc_template_control.control_type',
    'QC template.controls.criterion'    => 'qc_template_control.criterion',
    'QC template.controls.level'        => 'qc_template_control.level',
    'QC template.controls.expectedText' => 'qc_template_control.expected_text',
    'QC template.controls.unit'         => 'qc_template_control.unit',
    'worksheet.signOffs.meaning'        => 'electronic_signature.meaning',
    'fillWorksheet.values.field'        => 'worksheet_field.name',
    'fillWorksheet.values.value'        => 'worksheet_value.value',
    'fillWorksheet.values.was'          => 'worksheet_value.value',
    'signOffWorksheet.step'             => 'worksheet_signoff_step.name',
    'signOffWorksheet.meaning'          => 'electronic_signature.meaning',
    'addConfirmationStep.medium'        => 'confirmation_step.medium',
    'addConfirmationStep.procedure'     => 'confirmation_step.procedure',
    'addConfirmationStep.reading'       => 'confirmation_step.reading',
    'addConfirmationStep.outcome'       => 'confirmation_step.outcome',
    'addConfirmationStep.notes'         => 'confirmation_step.notes',
    'decideConfirmation.outcome'        => 'sample_test.confirmation_status',
    'comment.on.table'                  => 'comment.table_name',
    'listComments.table'                => 'comment.table_name',
    'attachment.on.table'               => 'attachment.table_name',
    'listAttachments.table'             => 'attachment.table_name',
    'sample test.sample.priority'       => 'sample.priority',
    map({ ("$_.holdingStatus" => 'sample_state_cache.holding_status',
            "$_.sampleStatus" => 'sample.status', "$_.priority" => 'sample.priority')
    } qw(listSampleTests exportSampleTests printSampleTests)),
    map({ ("$_.releaseState" => 'sample_state_cache.release_state',
            "$_.holdingStatus" => 'sample_state_cache.holding_status')
    } qw(listSamples exportSamples countSamples printSamples)),
    'user.roles'                        => 'user_role.role',
    'linkUser.purpose'                  => 'account_link.purpose',
    'permission matrix.roles.role'      => 'role_permission.role',
    'organization.approvalSteps'        => 'approval_step.name',
    'organization.approvalStepRoles'    => 'role_permission.role',
    'audit entry.action'                => 'audit_entry.action',
    map({ ("$_.surface" => 'audit_entry.surface') }
        'audit entry', 'listAuditEntries', 'exportAuditEntries'),
    'getPolicyImpact.selfVerification'  => 'organization.self_verification',
    map({ ("organization.policies.$_" => 'organization.' . s/([A-Z])/_\l$1/gr) }
        qw(selfVerification qcRequired lotQcPolicy)),
);

# Values that no column holds, and the views and functions that work them out: each
# word stands there.
my %worked_out = (
    map({ ($_ => ['worksheet_state']) } 'sample test.worksheetStatus',
        'sample test.review.worksheetStatus', 'worksheet.status'),
    map({ ("$_.entryWarnings.code" => [ 'value_warnings', 'lot_entry_warnings' ]) }
        'sample test', 'judgeResults.results'),
    'getSampleReadiness.findings.category'  => [ 'finding', 'release_finding' ],
    'getSampleReadiness.findings.severity'  => [ 'finding', 'release_finding' ],
    map({ ("$_.table" => ['signed_content']) } 'signed content', 'listSignedContents'),
    'verifyCertificate.status'              => ['verify_certificate'],
    map({ my $of = $_; map { ("$of.$_" => ['certificate_layout_mistake']) }
        qw(paper language logo columns sections) } 'organization.certificateLayout', 'previewCertificate.layout',
        'getCertificateContent.layout', 'previewCertificateLayout.certificateLayout'),
    map { ("$_.reasons.category" => [ 'finding', 'release_finding' ],
            "$_.reasons.severity" => [ 'finding', 'release_finding' ]) }
        qw(sample.blocked sample.ready_for_review sample.ready_to_report holding_time.expiring),
);

# Bounds and lists that stand in C alone.
my %in_c_alone = (
    map({ ("test definition.confirmationPlan.$_" => 'bounded by the CHECK of confirmation_plan') } qw(step medium)),
    map({ ("organization.certificateLayout.$_" => 'bounded by lims.certificate_layout_mistake()',
            "previewCertificateLayout.certificateLayout.$_" => 'bounded there as well') }
        qw(title header footer statements)),
    (map { ($_ => 'of a file') } qw(exportAuditEntries.format printLabels.format printLabels.of
            compareAuditHeads.file verifyAuditExport.file)),
    'getTurnaround.rows.by'         => 'groups of a report, which is kept nowhere',
    'reference data.outcome'        => 'of a row of a file, which is not kept',
    (map { ($_ => 'nouns as paths have them') }
        qw(exportReferenceData.noun importReferenceData.noun listReferenceUses.noun)),
    (map { ("importReferenceData.$_" => 'of a file, which is not kept') }
        qw(content contentBase64 contentHash)),
    (map { ($_ => 'computed outside of the database, which has no key') }
        'verifyAuditTrail.problem', map {"$_.findings.problem"} qw(verifyAuditTrail compareAuditHeads)),
    'receiveSamples.skipped.status' => 'statuses of HTTP',
    'receiveSamples.skipped.error'  => 'slugs of the answer, which are kept nowhere',
    'ingestInstrumentFile.reasons.severity' => 'reasons are a document, most of them by the reader',
    'QC series.baseline.kind'       => 'a column of its own, baseline_kind',
    'QC series.rules'               => 'compared with those known, by a trigger',
    'enterResults.updates.ifMatch'  => 'compared with a tag, which is kept nowhere',
    map({ ($_ => 'compared with a digest, which is kept nowhere') }
        qw(overrideLot.lotContentHash decideApprovals.items.contentHash verifyResults.items.contentHash)),
    map({ ("$_.include" => 'the name of members') }
        qw(listSamples countSamples exportSamples printSamples listSampleTests exportSampleTests
            printSampleTests getSampleTest getOrganization)),
    'sample.flags'                  => 'derived from tests and findings',
    'verifyResults.items.choose'    => 'kept in the audit trail and with its signature',
    'enterResults.updates.reason'   => 'kept in the audit trail, beside other rows\' reasons',
    'blocker.slug'                  => 'compared with the slugs of gates, below',
    'uploadInstrumentFile.hint'     => 'for the model; kept nowhere',
    'addInstrumentProfile.definition' => 'a document, bounded by the body',
    'user.password'                 => 'kept as a hash',
    'user.identity.type'            => 'a member of a column, which a check bounds',
    'user.identity.subject'         => 'a member of a column, which a check bounds',
    'permission matrix.roles.permissions' => 'compared with the permissions, below',
    map({ ("$_.contentBase64" => 'kept as bytes, whose number the database bounds') } qw(attachment setLogo)),
    'setUserPassword.password'      => 'kept as a hash',
    (map { ("amendSample.changes.$_" => 'the column of the field of a sample') }
        qw(externalId clientName notes plantLocation)),
    (map { ("$_.signature.method" => 'stored as what a signature was made by: password or provider',
        "$_.signIn.by" => 'derived from the identity of the session') } qw(getSession signIn.session signOn.session)),
    (map { ("signIn.$_" => 'compared with what is kept, which is bounded') }
        qw(email password organization)),
    'signOn.organization' => 'compared with what is kept, which is bounded',
    (map { ("$_" => 'compared with what is kept, or kept as a hash') }
        qw(changePassword.oldPassword changePassword.newPassword spendLink.token
            spendLink.password setSignaturePassword.oldPassword setSignaturePassword.newPassword)),
    'organization.reason'           => 'kept in the audit trail',
    'organization.timeZone'         => 'one that the server knows, whatever its length',
    'testWebhookEndpoint.message'   => 'in the payload of an event',
    'reevaluateInstrumentFiles.reasonCode' => 'of a reason, in a document',
    (map { ("ingestInstrumentFile.$_" => 'bytes, bounded by the body',
            "testInstrumentProfile.$_" => 'of a trial, which keeps nothing') }
        qw(content contentBase64)),
    'testInstrumentProfile.fileName' => 'of a trial, which keeps nothing',
    'testInstrumentProfile.gridSheet' => 'of a trial, which keeps nothing',
    map { ("releaseInstrumentFile.$_" => 'in the resolution, a document',
            "decideInstrumentFile.decisions.$_" => 'in the decisions, a document') }
        qw(exclude.sheet exclude.cell exclude.test exclude.trackingId exclude.reason
        aliases.from aliases.to aliases.reason tests.sheet),
);

# Text of columns with a closed list.
my %as_text = (
    'session.endReason' => 'words for people, which only the database writes',
    map { ("$_.scopes" => 'scopes are compared below') } 'API key', qw(createKey rotateKey),
);

# Values that a list in C has beyond its column's.
my %beyond = (
    'uploadInstrumentFile.rows.status proposed' => 'of a dry run, which keeps no rows',
    'audit entry.action archived' => 'a line that stands for entries that are elsewhere',
);

# Lists of values in C that are only a part of their column's, which no other list in C
# has whole.
my %in_the_database_alone = (
    'api_key.scopes'              => 'compared with the scopes, below',
    'qc_series.baseline_kind'     => 'a member of the baseline',
    'user_session.end_reason'     => 'written by the database, in words for people',
    'role_permission.permission'  => 'compared with the permissions, below',
);

# Meanings that no route signs with.
my %not_signed = ();

# Text that may be empty where its column's may not: it is never stored so.
my %emptied = (
    'sample test.result'          => 'an empty result withdraws what stands',
    'enterResults.updates.result' => 'an empty result withdraws what stands',
    'judgeResults.results.result' => 'an empty result withdraws what stands',
);

# Columns that may not be null, of fields that may be null or left out.
my %always_filled = (
    'sample.clientName'            => 'by default that of the project',
    'media lot test.performedOn'   => 'by default today; the field is also that of the body',
    'confirmation step.readAt'     => 'by default now; the field is also that of the body',
    'webhook endpoint.events'      => 'by default all of them',
    'investigation.trackingId'     => 'none without a sample',
    'investigation.qcBatchNumber'  => 'none without a QC batch',
    'confirmation step.mediaLotCode' => 'none without a media lot',
    'investigation.fileName'       => 'none without an instrument file',
    'API key.actsFor'              => 'by default who creates the key',
    'instrument file.profileCode'    => 'none before a profile was found',
    'instrument file.profileVersion' => 'none before a profile was found',
);

# Types of events that do not happen in the demonstration, and members that do not.
my %not_demonstrated = (
    'webhook.test'               => 'an administrator asks for it',
    'sample.reported trackingId' => 'absent when several samples are reported at once',
);

# Functions that refuse with a slug that another one found, or is given.
my %passed_on = (
    'check_certificate v_blocker.slug' => 'the first gate of certificate_blockers()',
    'refuse p_slug'           => 'raises what it is given',
    'refuse_for p_slug'       => 'raises what it is given',
    'sample_lock v_slug'      => 'the first gate of report_blockers() or status_blockers()',
    'sample_test_verify v_slug' => 'the first gate of verify_blockers()',
);

my %used;
sub reason {
    my ($from, $key) = @_;
    return unless exists $from->{$key};
    $used{$key} = 1;
    return $from->{$key};
}

sub sorted { return join ' ', sort @_ }

# --- The database's side ----------------------------------------------------------------

my $name = 'lims_test_contract_catalogue';
LIMS::Instance::create_database($name, 1);
my $db = LIMS::Instance::connect_database($name, 'postgres');

my $catalogue = LIMS::Database::Catalogue->new($db);
my $may       = $catalogue->columns;
my %statement = map { $_->{label} => $_ } LIMS::Database::Statements::all();

# Returns the definitions of the views and functions of these names.
sub source_of {
    my (@names) = @_;
    return join ' ', @{ $db->selectcol_arrayref(<<'END', undef, \@names) };
SELECT pg_get_viewdef(c.oid)
  FROM pg_class c
 WHERE c.relnamespace = 'lims'::regnamespace
   AND c.relkind = 'v'
   AND c.relname = ANY ($1)
UNION ALL
SELECT p.prosrc
  FROM pg_proc p
 WHERE p.pronamespace = 'lims'::regnamespace
   AND p.proname = ANY ($1)
END
}

# --- The C side ---------------------------------------------------------------------------

my $c = JSON::PP::decode_json(LIMS::Instance::run(LIMS::Instance::out() . '/t/contract/tables'));
my %resource = map { $_->{name} => $_ } @{ $c->{resources} };

# { path, use, sent, column, named, field } of each field and all that is in it. Members
# that are another resource's records stand there.
sub items {
    my ($path, $use, $sent, $fields, $columns) = @_;
    return map {
        my $field  = $_;
        my $here   = "$path.$field->{name}";
        my $named  = reason(\%column, $here);
        my $column = $named || $columns->{ $field->{name} };
        my $given  = $sent || $field->{create} || $field->{update};
        ({ path => $here, use => $use, sent => $given, column => $column, named => $named,
                field => $field },
            items($here, $use, $given, $field->{members} || [], {}));
    } @{ $fields || [] };
}

sub columns_of {
    my ($resource) = @_;
    return $resource->{record} ? $catalogue->origins_of_statement($resource->{record}) : {};
}

my @items;
for my $resource (@{ $c->{resources} }) {
    my $columns = columns_of($resource);
    push @items, items($resource->{name}, 'record', 0, $resource->{fields}, $columns);
    push @items, items($resource->{nested}, 'record', 0, $resource->{nestedFields},
        $catalogue->origins_of_statement($resource->{nestedStatement})) if $resource->{nested};
    for my $route (@{ $resource->{routes} }) {
        push @items, items($route->{operation}, $_->[0], $_->[1], $route->{ $_->[0] }, $columns)
            for [ input => 1 ], [ form => 1 ], [ query => 0 ], [ output => 0 ];
    }
}
my %noun = (sample => 'sample', holding_time => 'sample', qc => 'QC batch',
    investigation => 'investigation');
for my $event (@{ $c->{events} }) {
    my ($of) = $event->{type} =~ /\A(\w+)/;
    push @items, items($event->{type}, 'payload', 0, $event->{data},
        $noun{$of} ? columns_of($resource{ $noun{$of} }) : {});
}
push @items, items('blocker', 'output', 0, $c->{blocker}, {});
my %once;
@items = grep { !$once{"$_->{path} $_->{use}"}++ } @items;

# --- Comparing ------------------------------------------------------------------------------

subtest 'lists of values' => sub {
    my (%whole, @faults);
    # The order of a list is in no column.
    for my $item (grep { $_->{field}{values} && $_->{path} !~ /\A(?:list|recall)\w+\.order\z/ } @items) {
        my ($path, $column, @mine) = (@$item{qw(path column)}, @{ $item->{field}{values} });
        if (my $by = reason(\%worked_out, $path)) {
            my $source = source_of(@$by);
            push @faults, map { "$path: no $_ in @$by" } grep { $source !~ /'\Q$_\E'/ } @mine;
            next;
        }
        my $theirs = $column && $may->{$column}{values};
        if (!$theirs) {
            push @faults, "$path: " . sorted(@mine) . ' stand in C alone'
                unless reason(\%in_c_alone, $path);
            next;
        }
        my %there  = map { $_ => 1 } @$theirs;
        my @others = grep { !$there{$_} && !reason(\%beyond, "$path $_") } @mine;
        push @faults, "$path: $column has no @others" if @others;
        $whole{$column} = 1 if sorted(grep { $there{$_} } @mine) eq sorted(@$theirs);
    }
    push @faults, map { "$_: no list in C has " . sorted(@{ $may->{$_}{values} }) }
        grep { !$whole{$_} && !reason(\%in_the_database_alone, $_) }
        grep { $may->{$_}{values} } sort keys %$may;
    cmp_ok(scalar keys %whole, '>', 25, 'the lists of ' . keys(%whole) . ' columns are compared');
    is(join("\n", @faults), '', 'every list of values is the same in C and in the database');
};

# A text whose column has a closed list is an enumeration.
subtest 'values of fields that are text' => sub {
    my @open = grep { $_->{field}{type} =~ /\Astrings?\z/ && !$_->{field}{values} && $_->{column}
            && $may->{ $_->{column} }{values} && !reason(\%as_text, $_->{path}) } @items;
    is(join("\n", map { "$_->{path}: $_->{column} has " . sorted(@{ $may->{ $_->{column} }{values} }) } @open),
        '', 'no field is text whose column has a list of values');
};

subtest 'values of people and of signatures' => sub {
    my @wider = grep { $_->{field}{peopleValues} } @items;
    cmp_ok(scalar @wider, '>', 0, 'a field has values for people');
    for my $item (@wider) {
        my %theirs = map { $_ => 1 } @{ $item->{field}{peopleValues} };
        is(sorted(grep { !$theirs{$_} } @{ $item->{field}{values} }), '',
            "people may say of $item->{path} what a key may");
    }
    my @signed = grep { $_->{signMember} } map { @{ $_->{routes} } } @{ $c->{resources} };
    cmp_ok(scalar @signed, '>', 0, 'a route is signed by the value of a field');
    for my $route (@signed) {
        my ($field) = grep { $_->{name} eq $route->{signMember} } @{ $route->{input} };
        my %there = map { $_ => 1 } @{ $field->{values} };
        is(sorted(grep { !$there{$_} } @{ $route->{signValues} }), '',
            "$route->{operation} is signed for values that $route->{signMember} can have");
    }
};

subtest 'numbers' => sub {
    my ($count, @faults) = (0);
    for my $item (grep { $_->{field}{type} eq 'integer' && $_->{sent} && $_->{column} } @items) {
        my ($path, $column, $field) = @$item{qw(path column field)};
        next if $item->{use} !~ /\A(?:record|input|form)\z/;
        my ($least, $most) = @{ $may->{$column} }{qw(least most)};
        $count++;
        push @faults, "$path: $field->{min} to $field->{max}, $column "
            . join ' to ', map { $_ // 'any' } $least, $most
            if $field->{min} != ($least // 'NaN') || $field->{max} != ($most // 'NaN');
    }
    cmp_ok($count, '>', 5, "the bounds of $count numbers are compared");
    is(join("\n", @faults), '', 'bounds of numbers are the same in C and in the database');
};

# A bound in C is optional for fields that records show and nobody sends.
subtest 'text' => sub {
    my ($count, @faults) = (0);
    for my $item (grep { $_->{field}{type} =~ /\Astrings?\z/ && !$_->{field}{values} } @items) {
        my ($path, $column, $field, $sent) = @$item{qw(path column field sent)};
        my $max = $field->{type} eq 'string' && $field->{max} || ($sent && $c->{textMax});
        next unless $max && $item->{use} =~ /\A(?:record|input|form)\z/;
        next if $path eq 'API key.scopes' || reason(\%in_c_alone, $path);
        # The reason of an act is kept in the audit trail, beside other rows' own reasons.
        next if $sent && $path =~ /\A[^.]+\.reason\z/;
        my $theirs = $column && $may->{$column} || {};
        push @faults, "$path: pattern " . ($field->{pattern} // 'none') . ", $column "
            . ($theirs->{pattern} // 'none')
            if $column && ($field->{pattern} // '') ne ($theirs->{pattern} // '')
            && $path ne 'webhook endpoint.url';
        push @faults, "$path: at most $max, " . ($column // 'no column') . ' ' . ($theirs->{max} // 'any')
            if $max != ($theirs->{max} // 0) && ($theirs->{pattern} // '') !~ /\{\d+,\d+\}/;
        next unless $field->{type} eq 'string' && $sent;
        my $least = $field->{min} || ($field->{required} && !$field->{nullable} ? 1 : 0);
        push @faults, "$path: at least $least, $column $theirs->{min}"
            if $least < ($theirs->{min} // 0) && !reason(\%emptied, $path);
        $count++;
    }
    cmp_ok($count, '>', 80, "$count bounds of text are compared");
    is(join("\n", @faults), '', 'bounds and patterns of text are the same in C and in the database');
};

# A record may show null where the column may be, and a creation may leave out what the
# column can do without.
subtest 'what may be null' => sub {
    my ($count, @faults) = (0);
    for my $item (grep { $_->{use} eq 'record' && $_->{column} && !$_->{named} } @items) {
        my ($path, $column, $field) = @$item{qw(path column field)};
        my $theirs = $may->{$column};
        $count++;
        push @faults, "$path is never null, $column may be" if $theirs->{null} && !$field->{nullable};
        next if $theirs->{null};
        my $left_out = $field->{create} && !$field->{required} && !defined $field->{fallback}
            && !$theirs->{default};
        push @faults, "$path may be null or left out, $column may not"
            if ($field->{nullable} || $left_out) && !reason(\%always_filled, $path);
    }
    cmp_ok($count, '>', 300, "$count columns are compared");
    is(join("\n", @faults), '', 'fields and columns may be null alike');
};

my @routes = map { @{ $_->{routes} } } @{ $c->{resources} };

# Columns are listed once, in the view of the record: what reads records takes all of it.
subtest 'views of records' => sub {
    my %read = map { $_ => 1 } grep { defined } (map { @$_{qw(record nestedStatement)} } @{ $c->{resources} }),
        map { @$_{qw(statement search changes)} } grep { $_->{list} } @routes;
    cmp_ok(scalar keys %read, '>', 60, keys(%read) . ' statements read records');
    is(sorted(grep { $statement{$_}{sql} !~ /\bSELECT (?:\w+\.)?\*,?\n.*\blims\.\w+_record\b/s } keys %read),
        '', 'every one of them takes all columns of the view of a record');
};

subtest 'permissions' => sub {
    # A person has the permission `self` without a row in the matrix.
    is(sorted(@{ $c->{permissions} }), sorted(@{ $may->{'role_permission.permission'}{values} }, 'self'),
        'the permissions are those of the matrix');
    is(sorted(@{ $may->{'role_permission.role'}{values} }), sorted(@{ $may->{'user_role.role'}{values} }),
        'the roles of the matrix are those of people');
};

subtest 'scopes' => sub {
    is(sorted(@{ $c->{scopes} }), sorted(@{ $may->{'api_key.scopes'}{values} }), 'the scopes are those that a key can have');
    my %known = map { $_ => 1 } @{ $c->{scopes} };
    my @asked = grep { defined } map { $_->{scope} } @routes;
    cmp_ok(scalar @asked, '>', 20, 'routes ask for scopes');
    is(sorted(grep { !$known{$_} } @asked), '', 'no route asks for a scope that there is not');
};

# ":status" stands for the values of that field.
subtest 'meanings of signatures' => sub {
    my %meant;
    for my $route (grep { $_->{meaning} } @routes) {
        my ($field) = $route->{meaning} =~ /\A:(.*)/;
        my @values = map { @{ $_->{values} } } grep { $_->{name} eq ($field // '') } @{ $route->{input} };
        $meant{$_} = 1 for $field ? @values : $route->{meaning};
    }
    is(sorted(keys %meant), sorted(grep { !reason(\%not_signed, $_) }
            @{ $may->{'electronic_signature.meaning'}{values} }),
        'the meanings that routes sign with are those of the database');
};

subtest 'types of events' => sub {
    my @types = map { $_->{type} } @{ $c->{events} };
    is(sorted(@types), sorted(@{ $may->{'event.type'}{values} }), 'the types are those that the database keeps');
    is(sorted(@{ $c->{eventTypes} }), sorted(@{ $may->{'webhook_endpoint.events'}{values} }),
        'an endpoint may ask for those of lims_event_types');
    is(sorted(@{ $c->{eventTypes} }), sorted(grep { $_ ne 'webhook.test' } @types),
        'lims_event_types has all types but webhook.test');
};

# By the demonstration, where nearly everything has happened, once it has been scanned.
subtest 'members of payloads' => sub {
    $db->do('SELECT lims.scan_samples(1000)');
    my %members = map { $_->[0] => [ map { [split] } @{ $_->[1] } ] } @{ $db->selectall_arrayref(<<'END') };
SELECT v.type, array_agg(DISTINCT m.names)
  FROM lims.event v
 CROSS JOIN LATERAL (SELECT string_agg(n, ' ' ORDER BY n) FROM json_object_keys(v.data) n) m (names)
 GROUP BY v.type
END
    for my $event (@{ $c->{events} }) {
        my ($type, @fields) = ($event->{type}, @{ $event->{data} });
        my $lists = $members{$type};
        if (!$lists) {
            ok(reason(\%not_demonstrated, $type), "$type does not happen in the demonstration");
            next;
        }
        my %any = map { $_ => 1 } map { @$_ } @$lists;
        is(sorted(keys %any), sorted(map { $_->{name} }
                grep { $any{ $_->{name} } || !reason(\%not_demonstrated, "$type $_->{name}") } @fields),
            "$type has the members of its payload and no others");
        my @always = map { $_->{name} } grep { $_->{out} } @fields;
        is(sorted(map { my %has = map { $_ => 1 } @$_; grep { !$has{$_} } @always } @$lists), '',
            "$type always has those that are not optional");
    }
};

# The service looks up the slug with which a rule refuses: an unknown one would be an
# internal error.
subtest 'slugs of refusals' => sub {
    my (%raised, %gate, @faults);
    for my $function (@{ $db->selectall_arrayref(<<'END') }) {
SELECT p.proname, p.prosrc, p.prorettype = 'lims.blocker'::regtype
  FROM pg_proc p
 WHERE p.pronamespace = 'lims'::regnamespace
END
        my ($of, $source, $blocks) = @$function;
        $source =~ s/--[^\n]*//g;
        for my $slug ($source =~ /\blims\.refuse(?:_for)?\(\s*([^,]+?)\s*,/g,
            $source =~ /\bDETAIL\s*=\s*([\w']+)/g) {
            if    ($slug =~ /\A'(.*)'\z/) { $raised{$1} = $of }
            elsif (!reason(\%passed_on, "$of $slug")) { push @faults, "$of: $slug" }
        }
        next unless $blocks;
        $gate{$_} = $of for $source =~ /\blims\.test_blocker\(\w+, '(\w+)'/g, $source =~ /\('\w+', '(\w+)', \d+\)/g;
    }
    cmp_ok(scalar keys %raised, '>=', 15, 'rules refuse with ' . sorted(keys %raised));
    is(join("\n", @faults), '', 'every slug is written out where a rule refuses with it');
    is(sorted(map { "$raised{$_}: $_" } grep { ($c->{errors}{$_} // 0) < 400 } keys %raised), '',
        'every slug that a rule refuses with has an HTTP status');
    my %listed = map { $_ => 1 } map { @{ $_->{values} } } grep { $_->{name} eq 'slug' }
        @{ $c->{blocker} };
    cmp_ok(scalar keys %gate, '>=', 6, 'gates refuse with ' . sorted(keys %gate));
    is(sorted(grep { ($c->{errors}{$_} // 0) < 400 } keys %gate), '', 'every slug of a gate has an HTTP status');
    is(sorted(grep { !$listed{$_} } keys %gate), '', 'every slug of a gate is one of a blocker');
    is(sorted(grep { !$gate{$_} && !$raised{$_} } keys %listed), '', 'every slug of a blocker is refused with somewhere');
};

subtest 'exceptions' => sub {
    my @unused = grep { !$used{$_} } map { keys %$_ } \(%column, %as_text, %worked_out, %in_c_alone, %beyond,
        %in_the_database_alone, %not_signed, %emptied, %always_filled, %not_demonstrated, %passed_on);
    is(join("\n", sort @unused), '', 'every exception named above is needed');
};

$db->disconnect;
LIMS::Instance::drop_database($name);
done_testing();
