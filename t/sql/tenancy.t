#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The two walls between organizations. The first is the shape of every table, which the
# catalogue shows; the second is row-level security, which statements without an
# organization show.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $db   = $base->db;

# The shape. What has no organization is named here, with why.
my %global = (
    organization     => 'is one',
    schema_migration => 'the schema is one for all',
);
my $tables = $db->selectcol_arrayref(
    q{SELECT c.relname FROM pg_class c
       WHERE c.relnamespace = 'lims'::regnamespace AND c.relkind IN ('r',
           'p') AND NOT c.relispartition
       ORDER BY 1});
cmp_ok(scalar @$tables, '>', 40, 'the whole domain is there');

for my $table (@$tables) {
    my ($has) = $db->selectrow_array(
        q{SELECT attnotnull FROM pg_attribute
           WHERE attrelid = ?::regclass AND attname = 'organization_id'}, undef, "lims.$table");
    if ($global{$table}) {
        ok(!defined $has, "$table has no organization: it $global{$table}");
        next;
    }
    ok($has, "$table: organization_id, not null");
    my $loose = $db->selectcol_arrayref(
        q{SELECT i.indexrelid::regclass::text
            FROM pg_index i
           WHERE i.indrelid = ?::regclass
             AND pg_get_indexdef(i.indexrelid, 1, true) <> 'organization_id'
             AND (i.indisunique OR i.indexrelid <> ALL (ARRAY['lims.api_key_hash',
                     'lims.user_session_token', 'lims.account_link_token',
                     'lims.user_account_sign_in', 'lims.certificate_verification']::regclass[]))},
        undef, "lims.$table");
    is("@$loose", '',
        "$table: every index begins with the organization, but for those that find it");
    my $foreign = $db->selectcol_arrayref(
        q{SELECT c.conname
            FROM pg_constraint c
            JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
            JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[1]
           WHERE c.contype = 'f' AND c.conrelid = ?::regclass
             AND c.confrelid <> 'lims.organization'::regclass
             AND (a.attname, b.attname) <> ('organization_id', 'organization_id')},
        undef, "lims.$table");
    is("@$foreign", '', "$table: it can refer to nothing of another organization");
}

# Row-level security, everywhere and for every command.
for my $table (grep { $_ ne 'schema_migration' } @$tables) {
    my $column = $table eq 'organization' ? 'id' : 'organization_id';
    my ($on, $policies, $covered) = $db->selectrow_array(
        q{SELECT c.relrowsecurity, count(p.oid),
                 bool_and(p.polcmd = '*' AND p.polroles = '{0}'
                          AND pg_get_expr(p.polqual, p.polrelid) LIKE '(' || ?
                              || ' = COALESCE((NULLIF(current_setting(''lims.organization_id'''
                              || '::text, true), %))::bigint, lims.no_organization()))')
            FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid
           WHERE c.oid = ?::regclass GROUP BY 1}, undef, $column, "lims.$table");
    ok($on && $policies == 1 && $covered, "$table: row-level security");
}
is(
    $base->value(q{SELECT count(*) FROM pg_views v
                    WHERE v.schemaname = 'lims'
                      AND NOT coalesce((SELECT c.reloptions @> '{security_invoker=true}'
                                          FROM pg_class c
                                         WHERE c.oid = format('lims.%I', v.viewname)::regclass),
                                             false)}),
    0, 'no view looks with its owner\'s rights');
is($base->value(q{SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'lims_app'}),
    0, 'the run-time role does not bypass it');
is($base->value(q{SELECT pg_has_role('lims_app', 'lims_owner', 'MEMBER')}), 0,
    'the run-time role is not the owner');
is(
    $base->value(q{SELECT string_agg(p.oid::regprocedure::text, ' ')
                     FROM pg_proc p
                    WHERE p.pronamespace = 'lims'::regnamespace AND p.prosecdef
                      AND NOT coalesce(array_to_string(p.proconfig, ' '),
                          '') LIKE '%search_path=lims, pg_temp%'}),
    undef, 'a function with its owner\'s rights fixes its search path');

# In use: two organizations with a row each in what matters most.
my @labs    = map { $base->laboratory(code => $_) } qw(cedar harbor);
my @samples = map { $base->sample($_, qw(PH)) } @labs;
for my $table (qw(organization user_account client material_type test_definition sample sample_test
    audit_entry event sample_dirty sample_record sample_test_record release_finding)) {
    my $column = $table eq 'organization' ? 'id' : 'organization_id';
    my ($all) = $db->selectrow_array("SELECT count(DISTINCT $column) FROM lims.$table");
    is($all, 2, "$table: both have rows");
    for my $lab (@labs) {
        my $seen = $base->app($lab)->selectcol_arrayref("SELECT DISTINCT $column FROM lims.$table");
        is("@$seen", $lab->{id}, "$table: $lab->{id} sees its own, though nothing asks for it");
    }
    # An answer without rows would be taken for one that there are none.
    refused($base->app(undef), "SELECT DISTINCT $column FROM lims.$table", [], 'LM500',
        "$table: nobody is refused, and sees nothing");
}

my $app = $base->app($labs[0]);
is($app->do(q{UPDATE lims.sample SET notes = 'x' WHERE id = ?}, undef, $samples[1]{id}),
    '0E0', 'another\'s sample is not there to be changed');
is($app->do(q{UPDATE lims.sample_test
    SET result = '7'}), 1, 'an update without a predicate stays at home');
refused($app, q{INSERT INTO lims.client (organization_id, code, name) VALUES (?, 'X', 'X')},
    [ $labs[1]{id} ], '42501', 'nothing is written to another');
refused($app, q{UPDATE lims.client SET organization_id = ?}, [ $labs[1]{id} ],
    'field_not_patchable', 'or moved there');
refused($app, q{INSERT INTO lims.sample (organization_id, material_type_id, client_name)
    VALUES (?, ?, 'c')},
    [ $labs[0]{id}, $labs[1]{material} ], 'invalid_reference', 'a material type of another organization is unknown');
refused($app, q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
    VALUES (?, ?, ?)},
    [ $labs[0]{id}, $samples[1]{id}, $labs[0]{definition}{PH} ], '23503',
        'a sample of another organization is unknown');
$base->insert('project', { organization_id => $labs[0]{id}, code => 'P', name => 'P' });
refused($db, q{UPDATE lims.project SET client_id = ? WHERE organization_id = ?},
    [ $labs[1]{client}, $labs[0]{id} ], 'invalid_reference',
        'the owner refers to no other\'s client either');

# A function with the owner's rights sees every organization: one that is given the
# organization compares it with that of the context, or asks a function that does.
my %of_any = (
    begin_session            => 'signs in: before that there is no context',
    begin_identified_session => 'signs in: before that there is no context',
    note_failed_sign_in      => 'of a sign-in: before that there is no context',
    audit_entries_to_close   => 'for the job that closes the blocks of every organization',
    keep_document            => 'for the printer, which prints for every organization',
    fail_document            => 'for the printer, which prints for every organization',
    unclaim_document         => 'for the printer, which prints for every organization',
);
my %source = map { $_->[0] => $_->[1] =~ s/--[^\n]*//gr } @{ $db->selectall_arrayref(
        q{SELECT p.proname, p.prosrc FROM pg_proc p WHERE p.pronamespace = 'lims'::regnamespace}) };
my $compares = qr/\blims\.(?:require_own|is_asked_for)\(\s*p_organization\s*\)
    |\bp_organization\s+IS\ DISTINCT\ FROM\s+lims\.context_id\('organization_id'\)
    |\blims\.context_id\('organization_id'\)\s+IS\ DISTINCT\ FROM\s+p_organization
    |\bp_organization\s*(?:=|<>)\s*lims\.context_id\('organization_id'\)/x;
my %is_safe = map { $_ => 1 } grep { $source{$_} =~ $compares } keys %source;
my $owners = $db->selectcol_arrayref(q{SELECT p.proname FROM pg_proc p
     WHERE p.pronamespace = 'lims'::regnamespace AND p.prosecdef
       AND 'p_organization' = ANY (p.proargnames)
       AND has_function_privilege('lims_app', p.oid, 'EXECUTE')
     ORDER BY 1});
cmp_ok(scalar @$owners, '>', 20, 'functions with the rights of the owner are recognised');
my @unsafe = grep {
    !$is_safe{$_} && !grep { $is_safe{$_} } $source{$_} =~ /\b(?:PERFORM|FROM) lims\.(\w+)\(p_organization\b/g
} @$owners;
is(join(' ', grep { !$of_any{$_} } @unsafe), '',
    'a function with the rights of the owner compares the organization with the context');
my %unsafe = map { $_ => 1 } @unsafe;
is(join(' ', grep { !$unsafe{$_} } sort keys %of_any), '', 'every exception is needed');

done_testing();
