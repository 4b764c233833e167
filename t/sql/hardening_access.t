#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Statements that the service would never make, by the run-time role: no function, table or
# setting avoids a lock, a gate, the audit trail or the outbox.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $db   = $base->db;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);

# Functions. ------------------------------------------------------------------

sub functions {
    my ($condition) = @_;
    return $base->value("SELECT string_agg(p.proname, ' ' ORDER BY p.proname)
                           FROM pg_proc p
                          WHERE p.pronamespace = 'lims'::regnamespace AND $condition");
}

cmp_ok($base->value(q{SELECT count(*) FROM pg_proc WHERE prorettype = 'trigger'::regtype
    AND pronamespace = 'lims'::regnamespace}), '>', 60, 'triggers there are');
is(functions(q{p.prorettype = 'trigger'::regtype AND NOT p.prosecdef}), undef,
    'every one reads with its owner\'s rights');
is(functions(q{p.prosecdef AND NOT coalesce('search_path=lims, pg_temp' = ANY (p.proconfig),
    false)}), undef, 'what does so fixes its search path');
is(functions(q{EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                        WHERE a.grantee = 0)}), undef, 'everybody may run nothing');
is(functions(q{p.prorettype = 'trigger'::regtype
               AND has_function_privilege('lims_app', p.oid, 'EXECUTE')}), undef,
    'the run-time role may run no trigger');
is(
    functions(q{p.prosecdef AND has_function_privilege('lims_app', p.oid, 'EXECUTE')}),
    'accept_accountability announce_documents assign_tests audit_close audit_closing_age audit_entries_to_close'
        . ' audit_take authenticate authenticate_session begin_identified_session begin_session cancel_test'
        . ' certificate_blockers change_password choose_test claim_document delete_events delete_idempotency_records'
        . ' delete_old_guesses'
        . ' document_backlog end_session enter_again'
        . ' enter_results events_displaced fail_document file_backlog forget_previous_secrets'
        . ' give_link give_up_kept_deliveries identified_accounts keep_document keys_nearly_full laboratory_figures'
        . ' link_owner lock_family note_failed_sign_in note_signature old_guesses_backlog organizations rejected_content_backlog'
        . ' remove_rejected_content replace_session report_blockers restore_test'
        . ' retention_backlog retest return_test sample_test_review scan_backlog'
        . ' scan_samples set_signature_password sign_in_accounts sign_in_checks sign_out spend_link'
        . ' status_blockers take_received_file touch_session unclaim_document unlock_account'
        . ' verify_blockers verify_certificate webhook_backlog webhook_claim webhook_finish'
        . ' webhook_leave webhook_recover_step webhook_release webhook_test',
    'with the owner\'s rights it may run these, and no other');
is(functions(q{p.proname ~ '^(attach_|enable_row|secure_|request_approvals|hold_)'
               AND has_function_privilege('lims_app', p.oid, 'EXECUTE')}), undef,
    'the run-time role may run nothing that makes triggers, policies or approvals');
$db->do('CREATE FUNCTION lims.later() RETURNS trigger LANGUAGE plpgsql
    AS $$BEGIN RETURN NULL; END$$');
$db->do('CREATE FUNCTION lims.later_too() RETURNS integer LANGUAGE sql AS $$SELECT 1$$');
is(functions(q{p.proname LIKE 'later%' AND has_function_privilege('lims_app', p.oid,
    'EXECUTE')}), undef,
        'the run-time role may not run what a later migration makes, until it grants it');
$db->do('SELECT lims.secure_functions()');
is(functions(q{p.proname = 'later' AND p.prosecdef}), 'later',
    'a trigger function of a later migration gets the owner\'s rights like the others');

# A role is given or taken away, by triggers that a change would not run.

refused($app, 'UPDATE lims.user_role SET role = role', [], '42501',
    'the run-time role changes no role of a user');

# A table of its own, with a trigger of the schema on it.

refused($app, 'CREATE TEMPORARY TABLE user_role (id bigint)', [], '42501',
    'the run-time role makes no temporary table');
my ($name) = $db->selectrow_array('SELECT current_database()');
$base->superuser->do("GRANT TEMPORARY ON DATABASE $name TO PUBLIC");
$app->do('CREATE TEMPORARY TABLE user_role (organization_id bigint, id bigint, user_id bigint,
    role text, created_at timestamptz)');
refused($app, "CREATE TRIGGER t AFTER INSERT ON pg_temp.user_role $_", [], '42501',
    'the run-time role cannot make the triggers of the schema on a table of its own')
    for 'REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT
         EXECUTE FUNCTION lims.audit_user_role()',
    'FOR EACH ROW EXECUTE FUNCTION lims.touch()';
$app->do('DROP TABLE pg_temp.user_role');
$base->superuser->do("REVOKE TEMPORARY ON DATABASE $name FROM PUBLIC");

# Tables that only triggers write. --------------------------------------------

my %columns = (
    audit_entry => q{(organization_id, table_name, record_id, action, changes)
                     VALUES (?, 'sample', 1, 'insert', '{}')},
    event => q{(organization_id, type, data, position)
               VALUES (?, 'sample.reported', '{}', 1)},
    approval => q{(organization_id, sample_id, round, step, name) VALUES (?, 1, 9, 1, 'mine')},
    sample_dirty              => '(organization_id, sample_id) VALUES (?, 1)',
    organization_dirty        => '(organization_id) VALUES (?)',
    sample_state_cache        => '(organization_id, sample_id) VALUES (?, 1)',
    sample_allowance          => q{(organization_id, month, used) VALUES (?, '2026-01-01', 0)},
    sample_identifier_counter => q{(organization_id, stem, last_number) VALUES (?, 'A', 1)},
    webhook_attempt => q{(organization_id, delivery_id, number, started_at, duration_ms)
                         VALUES (?, 1, 1, now(), 1)},
    webhook_delivery => '(organization_id, endpoint_id, event_id) VALUES (?, 1, 1)',
    webhook_lane  => q{(organization_id, endpoint_id) VALUES (?, 1)},
    webhook_queue => q{(organization_id, endpoint_id, next_attempt_at, delivery_id)
                       VALUES (?, 1, now(), 1)},
);
for my $table (sort keys %columns) {
    refused($app, "INSERT INTO lims.$table $columns{$table}", [ $lab->{id} ], '42501',
        "$table: no row of its own");
    refused($app, "DELETE FROM lims.$table WHERE organization_id = ?", [ $lab->{id} ], '42501',
        "$table: none taken away");
    next if $table eq 'approval';
    refused($app, "UPDATE lims.$table SET organization_id = organization_id
        WHERE organization_id = ?", [ $lab->{id} ], '42501', "$table: none changed");
}

refused($app, "UPDATE lims.webhook_delivery SET $_ = $_ WHERE organization_id = ?", [ $lab->{id} ],
    '42501', "webhook_delivery: its $_ stays") for qw(endpoint_id event_id delivery_id attempts);
refused($app, 'UPDATE lims.webhook_recovery SET requeued = 0 WHERE organization_id = ?',
    [ $lab->{id} ], '42501', 'webhook_recovery: how far it is nobody says but it');

# The setting taken away half-way. --------------------------------------------

my $blind = q{set_config('lims.organization_id', '', false)};

sub again { return $base->app($lab) }

my $sample = $base->sample($lab, qw(PH));
my $other  = $base->sample($lab, qw(PH));
refused($app, "UPDATE lims.sample SET status = 'reported', notes = $blind
    WHERE organization_id = ? AND id = ?", [ $lab->{id}, $sample->{id} ], 'incomplete_sample',
    'a report is gated, whoever is said to be acting by then');
again();
refused($app, "UPDATE lims.sample
    SET status = CASE WHEN id = ? THEN 'reported' ELSE status END,
        notes = CASE WHEN id = ? THEN $blind ELSE 'n' END
  WHERE organization_id = ? AND id IN (?, ?)",
    [ $other->{id}, $other->{id}, $lab->{id}, $sample->{id}, $other->{id} ], 'incomplete_sample',
    'in a statement over several as well');
again();
is($base->value(q{SELECT string_agg(DISTINCT status, ' ') FROM lims.sample}), 'pending',
    'nothing was reported');
refused($app, "UPDATE lims.sample_test SET status = 'verified'
    WHERE organization_id = ? AND id = ? AND $blind IS NOT NULL", [ $lab->{id}, $sample->{PH} ],
    'blank_result', 'a blank result is not verified');
again();

# Returns what the statement did, or how it was refused; the setting is back.
sub blinded {
    my ($sql, @bind) = @_;
    my $done = eval { $app->selectall_arrayref("$sql RETURNING $blind", undef, @bind); 1 };
    my $why  = $done ? 'done' : $app->pg_error_field('detail') || $app->state;
    again();
    return $why;
}
my @mine = ($lab->{id}, $sample->{id});
is(blinded(q{UPDATE lims.sample_test SET result = '7.2' WHERE organization_id = ? AND id = ?},
    $lab->{id}, $sample->{PH}), 'done', 'a result');
is($base->value('SELECT count(*) FROM lims.event WHERE type = $$result.entered$$'), 1,
    'with its event');
is(blinded(q{UPDATE lims.sample_test SET result = '9.9' WHERE organization_id = ? AND id = ?},
    $lab->{id}, $other->{PH}), 'done', 'one out of specification');
is($base->value('SELECT count(*) FROM lims.investigation WHERE sample_test_id = ?', $other->{PH}),
    1, 'with its investigation');

my $step = $base->insert('approval_step', { organization_id => $lab->{id}, position => 1,
    name => 'Final approval' });
is(blinded(q{UPDATE lims.sample SET status = 'completed' WHERE organization_id = ? AND id = ?},
    @mine), 'done', 'a completed sample');
is($base->value('SELECT count(*) FROM lims.approval WHERE sample_id = ?', $sample->{id}), 1,
    'with its approvals');
$app->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
    AND id = ?}, undef, $lab->{id}, $sample->{PH});
$app->do(q{UPDATE lims.approval SET status = 'approved' WHERE organization_id = ?
    AND sample_id = ?}, undef, @mine);
$app->do(q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ?
    AND id = ?}, undef, @mine);
is(blinded('INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
    VALUES (?, ?, ?)', @mine, $lab->{definition}{PB}), 'invalid_transition',
    'a reported sample gets no more tests');

my $batch   = $base->insert('qc_batch', { organization_id => $lab->{id}, batch_number => 'B1' });
my $control = 'INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type, criterion,
    expected_value, measured_value, lower_limit, upper_limit)
    VALUES (?, ?, $$LCS$$, $$recovery$$, 10, ?, 90, 110)';
$app->do($control, undef, $lab->{id}, $batch, 10);
$app->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $batch);
is(blinded($control, $lab->{id}, $batch, 1), 'done', 'a failing control');
is($base->value('SELECT qc_status FROM lims.qc_batch WHERE id = ?', $batch), 'failed',
    'fails its batch');

my $limited = $base->laboratory(code => 'limited', monthly_sample_allowance => 2);
$lab = $limited;
again();
my $register = q{INSERT INTO lims.sample (organization_id, material_type_id, client_name)
    SELECT ?, ?, 'Walk-in' FROM generate_series(1, ?)};
is(blinded($register, $lab->{id}, $lab->{material}, 2), 'LM500',
    'a statement that clears its context on the way writes no further row');
is(blinded($register, $lab->{id}, $lab->{material}, 1), 'done', "sample $_ is registered")
    for 1, 2;
is(blinded($register, $lab->{id}, $lab->{material}, 1), 'SAMPLE_LIMIT_EXCEEDED',
    'a third sample over the allowance is refused');
is($base->value('SELECT used FROM lims.sample_allowance WHERE organization_id = ?', $lab->{id}),
    2, 'the allowance counts the samples that there are');

# Another organization's gates are none of one's business.

is($app->selectrow_array('SELECT count(*) FROM lims.verify_blockers(?, ?)', undef, $mine[0],
    $other->{PH}), 0, 'what blocks another\'s test is not told');
is($app->selectrow_array('SELECT count(*) FROM lims.report_blockers(?, ?)', undef, $mine[0],
    $other->{id}), 0, 'what blocks another\'s report is not told');
is($app->selectrow_array(q{SELECT count(*) FROM lims.status_blockers(?, ?, 'verified')}, undef,
    $mine[0], $other->{id}), 0, 'what blocks another\'s status is not told');
is($base->app({ id => $mine[0], user_id => undef })
    ->selectrow_array('SELECT count(*) FROM lims.report_blockers(?, ?)', undef, $mine[0],
        $other->{id}), 2, 'blockers of one\'s own organization are listed');

done_testing();
