#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A change of any audited table, through any surface, is found in the trail by its record,
# by the person and by the period. The tables are those of the catalogue, the rows those of
# the demonstration data.
use strict;
use warnings;

use LIMS::Service::Demo;
use LIMS::Test;
use LIMS::Test::Source;

my $demo = LIMS::Service::Demo->new;
my $lab  = $demo->laboratory('cedar-basin');
my $db   = $demo->lims->superuser;
my @surfaces = ('api', 'application', 'command line', 'instrument file', 'job');
my ($person) = $db->selectrow_array(q{SELECT id FROM lims.user_account
    WHERE organization_id = ? AND email = 'mateo.ortiz@cedarbasin.example'}, undef, $lab->id);

# A row of each table of which the demonstration has none.
my %row = (
    account_link         => { user_id => $person, token_hash => 'x' x 32, expires_at => 'now' },
    account_state        => { user_id => $person },
    attachment           => { table_name => 'sample', record_id => 1, file_name => 'a',
        content => 'x', media_type => 'text/plain', added_by => $person },
    comment              => { table_name => 'sample', record_id => 1, text => 'a' },
    extraction           => { file_name => 'a', sha256 => 'x' x 32, size => 1, host => 'h',
        prompt_version => '1', confidence_threshold => 0.5 },
    investigation_action => { investigation_id => 1, text => 'a' },
    lot_override         => { sample_id => 1, media_lot_id => 1, lot_status => 'failed', times_unreleased => 1,
        reason => 'a', signature_id => 1, overridden_by => $person },
    panel                => { code => 'a', name => 'a', test_definition_ids => '{1}' },
    qc_template          => { method => 'a', name => 'a' },
    qc_template_control  => { template_id => 1, position => 1, control_type => 'MB',
        criterion => 'maximum' },
    sample_name          => { name => 'a', sample_id => 1, reason => 'a' },
    sample_order         => { order_number => 'a', client_id => 1 },
    saved_view           => { name => 'a', page => 'samples', query => 'a' },
    sign_in_guess        => { user_id => $person, address => '::1' },
    user_session         => { user_id => $person, token_hash => 'x' x 32, address => '::1' },
    webhook_endpoint     => { name => 'a', url => 'https://a.example/', events => '{qc.failed}',
        secret => 'x' },
    webhook_recovery     => { endpoint_id => 1, since => 'now' },
);

sub record_of {
    my ($table) = @_;
    my $organization = $table eq 'organization' ? 'id' : 'organization_id';
    my $find = sub {
        return $db->selectrow_array(
            "SELECT max(id) FROM lims.$table WHERE $organization = ?", undef, $lab->id);
    };
    my ($id) = $find->();
    return $id if $id || !$row{$table};
    my %column = (organization_id => $lab->id, %{ $row{$table} });
    $db->begin_work;
    $db->do(q{SELECT set_config('session_replication_role', 'replica', true),
        set_config('lims.organization_id', ?, true), set_config('lims.user_id', ?, true)}, undef,
        $lab->id, $person);
    $db->do("INSERT INTO lims.$table (" . join(', ', sort keys %column) . ') VALUES ('
            . join(', ', map { '?' } keys %column) . ')', undef, @column{ sort keys %column });
    $db->commit;
    return scalar $find->();
}

# Columns that the trail compares, with an expression for another value; those first that a
# constraint can hardly refuse.
my %other = (
    text      => q{coalesce(%1$I, '') || 'x'},
    boolean   => 'NOT coalesce(%1$I, false)',
    bigint    => 'coalesce(%1$I, 0) + 1',
    integer   => 'coalesce(%1$I, 0) + 1',
    numeric   => 'coalesce(%1$I, 0) + 1',
    'timestamp with time zone' => q{coalesce(%1$I, now()) + interval '1 second'},
);

# Tables in which every column is of a closed list.
my %other_role = (
    role_permission => q{CASE role WHEN 'client_viewer' THEN 'auditor' ELSE 'client_viewer' END},
    user_role       => q{CASE role WHEN 'client_viewer' THEN 'auditor' ELSE 'client_viewer' END},
);

sub candidates {
    my ($table) = @_;
    my $columns = $db->selectall_arrayref(q(SELECT a.attname, format_type(a.atttypid, NULL)
          FROM pg_attribute a
          JOIN pg_proc p ON p.oid = ?::regproc
         WHERE a.attrelid = ?::regclass AND a.attnum > 0 AND NOT a.attisdropped
           AND a.attgenerated = ''
           AND p.prosrc LIKE '%"' || a.attname || '":{"old"%'
         ORDER BY a.attname ~ '_(id|by)$' OR a.attnotnull, a.attnum), undef,
        "lims.audit_$table", "lims.$table");
    return [ 'role', $other_role{$table} ] if $other_role{$table};
    my @known = grep { $other{ $_->[1] } } @$columns;
    $_->[1] = $db->selectrow_array('SELECT format(?::text, ?::text)', undef, $other{ $_->[1] }, $_->[0])
        for @known;
    return @known;
}

# Changes the record as the person, through the surface, with the triggers of the audit
# trail alone: what may be changed is the business of other tests. Returns the column.
sub changed {
    my ($table, $id, $surface) = @_;
    my $organization = $table eq 'organization' ? 'id' : 'organization_id';
    my $done;

    $db->begin_work;
    $db->do("ALTER TABLE lims.$table DISABLE TRIGGER USER");
    $db->do("ALTER TABLE lims.$table ENABLE TRIGGER audit_update");
    $db->do(q{SELECT set_config('lims.' || k, v, true) FROM unnest(?::text[], ?::text[]) w (k, v)},
        undef, [qw(organization_id user_id surface reason)],
        [ $lab->id, $person, $surface, "by $surface" ]);
    for my $try (candidates($table)) {
        my ($column, $value) = @$try;
        $db->do('SAVEPOINT try');
        local $db->{PrintError} = 0;
        $done = eval { $db->do("UPDATE lims.$table SET $column = $value
            WHERE $organization = ? AND id = ?", undef, $lab->id, $id) } && $column;
        last if $done;
        $db->do('ROLLBACK TO try');
    }
    $db->do("ALTER TABLE lims.$table ENABLE TRIGGER USER");
    $db->commit;
    return $done;
}

my $tables = $db->selectcol_arrayref(q{SELECT c.relname FROM pg_class c
    WHERE c.relnamespace = 'lims'::regnamespace AND c.relkind IN ('r', 'p')
      AND EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'audit_update')
    ORDER BY 1});
cmp_ok(scalar @$tables, '>', 50, 'the audited tables are those of the catalogue');
my @offered = text('modules/application/web/pages/audit/tables.ts') =~ /'(\w+)'/g;
is_deeply([ sort @offered ], [ sort @$tables ],
    'the application offers each of them to filter by');

my ($begun) = $db->selectrow_array(
    q{SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')});
my (%record, %column);
for my $table (@$tables) {
    $record{$table} = record_of($table) or die "$table: the demonstration has no row: give one\n";
    $column{"$table $_"} = changed($table, $record{$table}, $_) for @surfaces;
    is(join(', ', grep { !$column{"$table $_"} } @surfaces), '',
        "$table: a row is changed through each surface");
}

# Returns the entry that a list of the trail has to show for a change of the table through
# the surface.
sub shown {
    my ($entry) = @_;
    my $column = $column{"$entry->{table} $entry->{surface}"} // '';

    return join ' ', @$entry{qw(table recordId surface reason userId)},
        grep { $_ eq $column } map { $_->{field} } @{ $entry->{changes} };
}

sub expected {
    my ($table) = @_;
    return [ sort map {
        "$table $record{$table} $_ by $_ $person " . ($column{"$table $_"} // 'nothing')
    } @surfaces ];
}

sub trail {
    return @{ $lab->done('grace.okafor', 'audit', 'list', '--limit', 500, @_)->{data} };
}

my %of_person;
my $cursor = 0;
while (1) {
    my $page = $lab->done('grace.okafor', 'audit', 'list', '--user-id', $person, '--from', $begun,
        '--cursor', $cursor, '--limit', 100);
    push @{ $of_person{ $_->{table} } }, shown($_) for @{ $page->{data} };
    $cursor = $page->{nextCursor};
    last if !$page->{hasMore};
}
for my $table (@$tables) {
    my @of_record = grep { ($_->{reason} // '') =~ /\Aby / }
        trail('--table', $table, '--record-id', $record{$table});
    is_deeply([ sort map { shown($_) } @of_record ], expected($table), "$table: by its record");
    is_deeply([ sort @{ $of_person{$table} || [] } ], expected($table),
        "$table: the trail of the person has it");
    is_deeply([ sort map { shown($_) } trail('--table', $table, '--from', $begun) ],
        expected($table), "$table: the trail of the period has it");
}
done_testing();
