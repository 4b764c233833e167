#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The audit trail: who, when, what, old and new value, why; of every table that people
# change and every column of it; nothing when nothing changed, and no secrets.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $db   = $base->db;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);

# Tables and columns that are not audited, and why.
my %silent = (
    audit_entry               => 'is the trail',
    audit_block               => 'is the chain of the trail',
    audit_closing             => 'is the job\'s place in the chain',
    audit_archive             => 'is signed, and belongs to the chain',
    archived_result           => 'is what rules ask of archived entries',
    archived_coverage         => 'is what rules ask of archived entries',
    result_history            => 'is a trail of its own',
    instrument_file_row       => 'is a trail of its own',
    extraction_row            => 'is a trail of its own',
    event                     => 'says what was done, and is written by it',
    sample_dirty              => 'is a queue of the scan',
    sample_state_cache        => 'is a cache',
    organization_dirty        => 'is the scan\'s place in an organization',
    sample_allowance          => 'counts',
    sample_identifier_counter => 'counts',
    idempotency_record        => 'is an answer kept',
    webhook_delivery          => 'is sending, not changing',
    webhook_attempt           => 'is sending, not changing',
    webhook_lane              => 'is sending, not changing',
    webhook_queue             => 'is sending, not changing',
    document_content          => 'is bytes that are kept by their hash',
    logo                      => 'is bytes that are kept by their hash',
    instrument_file_content   => 'is bytes that are kept by their hash',
    file_storage              => 'is a sum',
    attachment_storage        => 'is a sum',
    answer_storage            => 'is a sum',
    schema_migration          => 'is a trail of its own',
);
my @shown_elsewhere = qw(organization_id id created_at updated_at);
# Columns whose change is no entry, and why: use of a key, bytes that are kept by
# their hash, technical numbers, what is derived from another record.
my %ignored = (
    account_state        => [qw(last_sign_in_at)],
    api_key              => [qw(last_used_at)],
    attachment           => [qw(content)],
    certificate          => [qw(content)],
    document             => [qw(attempts begun_at claimed_until event_id)],
    electronic_signature => [qw(content transaction_id)],
    instrument_file      => [qw(attempts)],
    sample               => [qw(reported_content)],
    sample_test          => [qw(holding_expires_at holding_met work_priority)],
    sign_in_guess        => [qw(succeeded_at)],
    user_session         => [qw(last_used_at)],
    webhook_endpoint     => [qw(consecutive_failures)],
    webhook_recovery     => [qw(last_delivery_id requeued)],
);
my $tables = $db->selectcol_arrayref(q{SELECT relname FROM pg_class
    WHERE relnamespace = 'lims'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1});
for my $table (@$tables) {
    my $triggers = $db->selectcol_arrayref(q{SELECT tgname FROM pg_trigger
        WHERE tgrelid = ?::regclass AND tgname LIKE 'audit\_%' ORDER BY 1}, undef, "lims.$table");
    if ($silent{$table}) {
        is("@$triggers", '', "$table is not audited: it $silent{$table}");
        next;
    }
    is("@$triggers", 'audit_delete audit_insert audit_update', "$table is audited");
    my $source  = $base->value('SELECT prosrc FROM pg_proc
        WHERE oid = ?::regproc', "lims.audit_$table");
    my $columns = $db->selectcol_arrayref(q{SELECT attname FROM pg_attribute
        WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped AND attname <> ALL (?)},
            undef,
        "lims.$table", [ @shown_elsewhere, @{ $ignored{$table} || [] } ]);
    is(join(' ', grep { $source !~ /"\Q$_\E":\{"old"/ } @$columns), '',
        "$table: every column of it");
    is(join(' ', grep { $source =~ /"\Q$_\E":/ } @{ $ignored{$table} || [] }), '',
        "$table: none that is ignored")
        if $ignored{$table};
}

# An entry.
my $sample = $base->sample($lab, qw(PH));
my %context = (request_id => 'req-7', reason => 'second weighing', api_key_id => 0);
my $mark = $base->value('SELECT max(id) FROM lims.audit_entry');

sub entries {
    my ($table) = @_;
    my $rows = $db->selectall_arrayref('SELECT * FROM lims.audit_entry WHERE id > ?
        AND table_name = ? ORDER BY id',
        { Slice => {} }, $mark, $table);
    $mark = $base->value('SELECT max(id) FROM lims.audit_entry');
    return @$rows;
}
my $notes = 'UPDATE lims.sample SET notes = ? WHERE organization_id = ? AND id = ?';
$app->begin_work;
$app->do(q{SELECT set_config('lims.request_id', 'req-7', true), set_config('lims.reason',
    'label unreadable', true), set_config('lims.surface', 'application', true),
    set_config('lims.session_id', '12', true)});
$app->do($notes, undef, 'turbid', $lab->{id}, $sample->{id});
$app->commit;
my ($entry, @more) = entries('sample');
is(scalar @more, 0, 'one change, one entry');
my @who = qw(organization_id record_id action user_id api_key_id request_id reason signature_id
    surface session_id);
is_deeply([ @$entry{@who} ],
    [ $lab->{id}, $sample->{id}, 'update', $lab->{user_id}, undef, 'req-7', 'label unreadable',
        undef, 'application', 12 ], 'the entry says who and why');
is($entry->{changes}, '{"notes":{"old":null,"new":"turbid"}}', 'the entry says what changed');
$app->do($notes, undef, 'turbid', $lab->{id}, $sample->{id});
is(scalar(entries('sample')), 0, 'writing the same value makes no entry');
is($base->value('SELECT created_at = updated_at FROM lims.sample_test
    WHERE id = ?', $sample->{PH}), 1,
    'writing the same value keeps updated_at');
my $stamp = $base->value('SELECT updated_at FROM lims.sample WHERE id = ?', $sample->{id});
$app->do($notes, undef, 'turbid', $lab->{id}, $sample->{id});
is($base->value('SELECT updated_at FROM lims.sample WHERE id = ?', $sample->{id}), $stamp,
    'there as well');
$app->do('UPDATE lims.sample SET updated_at = now() + interval $$1 day$$
    WHERE organization_id = ?', undef, $lab->{id});
is($base->value('SELECT updated_at FROM lims.sample WHERE id = ?', $sample->{id}), $stamp,
    'it cannot be set');

# Insertion and deletion; odd characters; the whole of a statement.
my $project = $base->insert('project', { organization_id => $lab->{id}, code => 'Q"\\',
    name => "line\nbreak \x{b5}g" });
($entry) = entries('project');
is($base->value(q{SELECT changes -> 'name' ->> 'new' = name AND changes -> 'code' ->> 'new' = code
                    FROM lims.audit_entry a JOIN lims.project p ON p.id = a.record_id
                   WHERE a.id = ?}, $entry->{id}), 1,
    'an insertion has the new values, to the letter');
is($base->value(q{SELECT string_agg(k, ' ' ORDER BY k)
    FROM lims.audit_entry, json_object_keys(changes) k WHERE id = ?},
    $entry->{id}), 'active code composite_sample_identifier name',
        'an insertion lists the columns that have a value');
my $role = $base->insert('user_role', { organization_id => $lab->{id}, user_id => $lab->{user_id},
    role => 'analyst' });
entries('user_role');
$app->do(q{SELECT set_config('lims.reason', 'another task', false)});
$app->do('DELETE FROM lims.user_role WHERE organization_id = ? AND id = ?', undef, $lab->{id},
    $role);
($entry) = entries('user_role');
is_deeply([ @$entry{qw(action record_id changes)} ],
    [ 'delete', $role, qq({"user_id":{"old":$lab->{user_id}},"role":{"old":"analyst"}}) ],
        'a deletion has the old values');
$app->do(q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
           SELECT ?, ?, ? FROM generate_series(1, 20)}, undef, $lab->{id}, $sample->{id},
               $lab->{definition}{PB});
is(scalar(entries('sample_test')), 20, 'twenty rows of a statement, twenty entries');
$app->do(q{UPDATE lims.sample_test SET result = CASE WHEN id % 2 = 0 THEN '1' END
    WHERE organization_id = ? AND test_definition_id = ?},
    undef, $lab->{id}, $lab->{definition}{PB});
is(scalar(entries('sample_test')), 10, 'ten changed rows of twenty, ten entries');

# Secrets: that they changed, not what they are.
my $key = $base->value(q{INSERT INTO lims.api_key (organization_id, name, key_hash, key_prefix,
    scopes, created_by)
    VALUES (?, 'k', sha256('lk_secret'), 'lk_', '{}', ?) RETURNING id}, $lab->{id},
        $lab->{user_id});
$db->do(q{UPDATE lims.user_account SET password_hash = 'argon'
    WHERE id = ?}, undef, $lab->{user_id});
is($base->value(q{SELECT count(*) FROM lims.audit_entry WHERE changes::text ~ 'argon'
                     OR changes::text LIKE '%' || encode(sha256('lk_secret'), 'hex') || '%'}), 0,
                         'the audit trail has no secret');
is($base->value(q{SELECT count(*) FROM lims.audit_entry
    WHERE action = 'update' AND changes -> 'password_hash' ->> 'new' = '(secret)'}), 1,
    'a changed password is noted without its value');
entries('api_key');
$app->do('UPDATE lims.api_key SET last_used_at = now() WHERE id = ?', undef, $key);
is($base->value('SELECT last_used_at IS NOT NULL FROM lims.api_key
    WHERE id = ?', $key), 1, 'lastUsedAt of a key is updated');
is(scalar(entries('api_key')), 0, 'updating lastUsedAt makes no entry');

done_testing();
