#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Identity of records, whatever statement the run-time role makes: a record starts in its
# first state, keeps its id and organization, and names who made it; and decisions by
# evidence take all committed evidence into account.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base   = LIMS::Test::SQL->new;
my $lab    = $base->laboratory(code => 'cedar');
my $app    = $base->app($lab);
my @mine   = ($lab->{id});
my $sample = $base->sample($lab, qw(PH PB HEM));

sub act { my ($sql, @bind) = @_; return $app->do($sql, undef, @bind) }

sub made {
    my ($table, %column) = @_;
    my @names = sort keys %column;
    return scalar $app->selectrow_array(
        sprintf('INSERT INTO lims.%s (organization_id, %s) VALUES (?, %s) RETURNING id', $table,
            join(', ', @names), join(', ', ('?') x @names)), undef, @mine, @column{@names});
}

# Identity of a record ----------------------------------------------------------

my $unguarded = $base->value(q{
    SELECT string_agg(c.relname, ' ')
      FROM pg_class c
      JOIN pg_trigger a ON a.tgrelid = c.oid AND a.tgname = 'audit_update'
      LEFT JOIN pg_trigger i ON i.tgrelid = c.oid AND i.tgname = 'identity'
     WHERE i.oid IS NULL
        OR EXISTS (SELECT FROM pg_attribute x
                    WHERE x.attrelid = c.oid
                      AND x.attname IN ('organization_id', 'id', 'created_at')
                      AND strpos(pg_get_triggerdef(i.oid),
                                 format('(new.%1$s <> old.%1$s)', x.attname)) = 0)});
is($unguarded, undef, 'every audited record keeps its id, its organization and when it was made');

my $specification = made('specification', test_definition_id => $lab->{definition}{PB},
    material_type_id => $lab->{material}, high => 1000);
my $batch = made('qc_batch', batch_number => 'B1');
my %control = (qc_batch_id => $batch, control_type => 'LCS', criterion => 'recovery',
    expected_value => 10, lower_limit => 90, upper_limit => 110);
my $control = made('qc_control', %control, measured_value => 5);
act('SELECT lims.evaluate_qc_batch(?, ?)', @mine, $batch);
for my $case (
    [ specification => $specification, 'high = 1000000' ],
    [ qc_control    => $control,       'measured_value = 10' ],
    [ sample        => $sample->{id},  q{notes = 'x'} ],
) {
    my ($table, $id, $set) = @$case;
    refused($app, "UPDATE lims.$table SET id = id + 1000, $set WHERE organization_id = ?
        AND id = ?", [ @mine, $id ], 'field_not_patchable', "$table: another id with $set");
    refused($app, "UPDATE lims.$table SET created_at = '2001-01-01' WHERE organization_id = ?
        AND id = ?", [ @mine, $id ], 'field_not_patchable', "$table: another time");
}

# Equal is not the same. -------------------------------------------------------

my $mark   = $base->value('SELECT max(id) FROM lims.audit_entry');
my $limit  = 'UPDATE lims.specification SET high = 1000.00 WHERE organization_id = ? AND id = ?';
my $change = q{SELECT string_agg(changes::text, ' ') FROM lims.audit_entry
    WHERE table_name = 'specification' AND id > ?};
act($limit, @mine, $specification);
is($base->value($change, $mark), '{"high":{"old":1000,"new":1000.00}}',
    'a limit with more decimals is another limit');
is($base->value(q{SELECT count(*) FROM lims.specification WHERE updated_at > created_at}), 1,
    'it changes updated_at of the record');
act($limit, @mine, $specification);
is($base->value($change, $mark), '{"high":{"old":1000,"new":1000.00}}',
    'writing the same limit makes no entry');

# Somebody. --------------------------------------------------------------------

act(q{UPDATE lims.sample_test SET result = '7' WHERE organization_id = ? AND id = ?}, @mine,
    $sample->{PH});
my $investigation = made('investigation', title => 't', kind => 'deviation',
    sample_id => $sample->{id}, investigation_number => '');
act(q{UPDATE lims.investigation SET status = ?, conclusion = 'c' WHERE organization_id = ?
    AND id = ?}, $_, @mine, $investigation) for qw(phase_1 conclusion);
$base->insert('approval_step', { organization_id => $mine[0], position => 1, name => 'Final' });
my $done = $base->sample($lab);
act(q{UPDATE lims.sample SET status = 'completed' WHERE organization_id = ? AND id = ?}, @mine,
    $done->{id});
my $template = made('worksheet_template', test_definition_id => $lab->{definition}{HEM},
    name => 'HEM');
my $field = made('worksheet_field', template_id => $template, position => 1, name => 'mass');
my $sheet = made('worksheet', sample_test_id => $sample->{HEM}, template_id => $template);

$base->app({ id => $mine[0], user_id => undef });
my @nobody = (
    [ 'a result', q{UPDATE lims.sample_test SET result = '8' WHERE organization_id = ?
        AND id = ?}, $sample->{PB} ],
    [ 'a verification', q{UPDATE lims.sample_test SET status = 'verified'
        WHERE organization_id = ? AND id = ?}, $sample->{PH} ],
    [ 'an approval', q{UPDATE lims.approval SET status = 'approved' WHERE organization_id = ?
        AND sample_id = ?}, $done->{id} ],
    [ 'an evaluation', 'SELECT lims.evaluate_qc_batch(?, ?)', $batch ],
    [ 'a worksheet\'s value', q{INSERT INTO lims.worksheet_value (organization_id, worksheet_id,
        field_id, value) VALUES (?, ?, ?, '1')}, $sheet, $field ],
    [ 'the end of an investigation', q{UPDATE lims.investigation SET status = 'closed'
        WHERE organization_id = ? AND id = ?}, $investigation ],
);
for my $case (@nobody) {
    my ($what, $sql, @bind) = @$case;
    refused($app, $sql, [ @mine, @bind ], 'LM401', "nobody: $what");
}
refused($app, q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id,
    result) VALUES (?, ?, ?, '8')}, [ @mine, $sample->{id}, $lab->{definition}{PB} ], 'LM401',
    'without a user: a new test with a result');
$base->app($lab);
is($base->value(q{SELECT count(*) FROM lims.sample_test WHERE result = '8' OR verified_at
    IS NOT NULL}), 0, 'no refused statement changed anything');
for my $case (@nobody) {
    my ($what, $sql, @bind) = @$case;
    $app->begin_work;
    $app->do(q{SELECT set_config('lims.signature_id', ?, true)}, undef,
        signed($app, $lab, 'closed', 'investigation', $investigation))
        if $what eq 'the end of an investigation';
    act($sql, @mine, @bind);
    $app->commit;
}
is($base->value('SELECT entered_by FROM lims.sample_test WHERE id = ?', $sample->{PB}),
    $lab->{user_id}, 'with a user, the change names the user');

# Born as what it is. ----------------------------------------------------------

my %born = (investigation_number => "''", title => "'t'", kind => "'deviation'",
    sample_id => $sample->{id});
for my $more ({ status => "'closed'", closed_at => 'now()', conclusion => "'none'" },
    { status => "'phase_2'" }, { conclusion => "'none'" }) {
    my %column = (%born, %$more);
    my @names  = sort keys %column;
    refused($app, sprintf('INSERT INTO lims.investigation (organization_id, %s) VALUES (?, %s)',
            join(', ', @names), join(', ', @column{@names})), [@mine], 'invalid_transition',
        'an investigation is not born with ' . join(' and ', sort keys %$more));
}

my $register = 'INSERT INTO lims.sample (organization_id, material_type_id, client_name, %s)
    VALUES (?, ?, $$Walk-in$$, $$2001-01-01$$)';
refused($app, sprintf($register, 'received_at'), [ @mine, $lab->{material} ],
    'invalid_transition', 'a sample cannot be inserted as received');
act(sprintf($register, 'created_at'), @mine, $lab->{material});
is($base->value(q{SELECT count(*) FROM lims.sample WHERE created_at < now() - interval '1 day'}),
    0, 'created_at of a sample cannot be in the past');
my $fresh = $base->sample($lab);
my $stamp = 'UPDATE lims.sample SET received_at = $$2001-01-01$$%s WHERE organization_id = ?
    AND id = ?';
refused($app, sprintf($stamp, ''), [ @mine, $fresh->{id} ], 'invalid_transition',
    'received_at cannot be written');
refused($app, sprintf($stamp, q{, status = 'received'}), [ @mine, $fresh->{id} ],
    'invalid_transition', 'received_at cannot be written with the status either');
refused($app, q{SELECT set_config('role', 'lims_owner', true)}, [], '42501',
    'the run-time role cannot become the owner');

sub received {
    return join ' ', @{ $base->db->selectcol_arrayref(
        q{SELECT data ->> 'status' FROM lims.event WHERE type = 'sample.received'
           AND data ->> 'sampleId' = ? ORDER BY id}, undef, $fresh->{id}) };
}
is(received(), '', 'refused statements wrote no sample.received');
my $move = 'UPDATE lims.sample SET status = ? WHERE organization_id = ? AND id = ?';
act($move, 'received', @mine, $fresh->{id});
is(received(), 'received', 'receiving writes sample.received with the sample\'s status');
act($move, $_, @mine, $fresh->{id}) for qw(processing received);
is(received(), 'received', 'a correction of the status writes no sample.received');

my $retired = $base->insert('client', { organization_id => $mine[0], code => 'OLD',
    name => 'Old mill' });
my $project = $base->insert('project', { organization_id => $mine[0], code => 'P', name => 'P',
    client_id => $retired });
$base->db->do('UPDATE lims.client SET active = false WHERE id = ?', undef, $retired);
my $of_project = 'INSERT INTO lims.sample (organization_id, material_type_id, project_id%s)
    VALUES (?, ?, ?%s)';
refused($app, sprintf($of_project, '', ''), [ @mine, $lab->{material}, $project ],
    'invalid_body', 'the inactive client of a project gets no new samples');
is(act(sprintf($of_project, ', client_name', ', $$City of Riverbend$$'), @mine, $lab->{material},
    $project), 1, 'another client can be named instead');

for my $number (qw(NaN Infinity -Infinity)) {
    my %column = (%control, measured_value => $number);
    my @names  = sort keys %column;
    refused($app, sprintf('INSERT INTO lims.qc_control (organization_id, %s) VALUES (?, %s)',
            join(', ', @names), join(', ', ('?') x @names)), [ @mine, @column{@names} ],
        '23514', "a control does not measure $number");
}

# A sign-off step of another template, though it has the name of the one due.
my @template = map { made('worksheet_template', test_definition_id => $lab->{definition}{HEM},
        name => 'HEM', version => $_) } 2, 3;
my @step  = map { made('worksheet_signoff_step', template_id => $_, position => 1,
        name => 'Analyst') } @template;
my $other = $base->sample($lab, qw(HEM));
my $form  = made('worksheet', sample_test_id => $other->{HEM}, template_id => $template[1]);
my $sign  = q{INSERT INTO lims.worksheet_signoff (organization_id, worksheet_id, step_id,
    signature_id, signed_by) VALUES (?, ?, ?, ?, ?)};
$app->begin_work;
my $signature = signed($app, $lab, 'performed', 'worksheet', $form);
refused($app, $sign, [ @mine, $form, $step[0], $signature, $lab->{user_id} ],
    'invalid_reference', 'a step of another template cannot be signed off');
is(act($sign, @mine, $form, $step[1], $signature, $lab->{user_id}), 1,
    'a step of the worksheet\'s template can be signed off');
$app->commit;

# All that is committed. -------------------------------------------------------

my $waiting = $base->sample($lab, qw(PB));
act(q{UPDATE lims.sample_test SET result = '1' WHERE organization_id = ? AND id = ?}, @mine,
    $waiting->{PB});
my $open = made('qc_batch', batch_number => 'B2');
made('qc_control', %control, qc_batch_id => $open, measured_value => 10);
my @decided = (
    [ 'a report',       q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ?
        AND id = ?}, $waiting->{id} ],
    [ 'a status',       q{UPDATE lims.sample SET status = 'completed' WHERE organization_id = ?
        AND id = ?}, $waiting->{id} ],
    [ 'a verification', q{UPDATE lims.sample_test SET status = 'verified'
        WHERE organization_id = ? AND id = ?}, $waiting->{PB} ],
    [ 'an evaluation',  'SELECT lims.evaluate_qc_batch(?, ?)', $open ],
    [ 'a batch\'s status', q{UPDATE lims.qc_batch SET qc_status = 'passed'
        WHERE organization_id = ? AND id = ?}, $open ],
);
for my $level ('REPEATABLE READ', 'SERIALIZABLE') {
    for my $case (@decided) {
        my ($what, $sql, @bind) = @$case;
        $app->begin_work;
        $app->do("SET TRANSACTION ISOLATION LEVEL $level");
        refused($app, $sql, [ @mine, @bind ], '25000', "$level: $what");
        $app->rollback;
    }
}
is(act($decided[-1][1], @mine, $open), 1, 'at READ COMMITTED the decision succeeds');

# Content of a file -------------------------------------------------------------

my $file = $app->selectrow_array(q{SELECT lims.keep_file(?, 'f.csv', 'abc')}, undef, @mine);
my $row = made('instrument_file_row', file_id => $file, row_number => 1, result => '5',
    status => 'written');
my $update = q{UPDATE lims.instrument_file_row SET result = '6' WHERE organization_id = ? AND id = ?};
ok(!eval { local $app->{PrintError} = 0; $app->do($update, undef, @mine, $row) },
    'the run-time role cannot change a stored row of a file');
ok(!eval { my $db = $base->db; local $db->{PrintError} = 0; $db->do($update, undef, @mine, $row) },
    'the owner cannot change a stored row of a file');
is($base->value('SELECT result FROM lims.instrument_file_row WHERE id = ?', $row), '5',
    'the stored row is unchanged');
refused($app, q{SELECT lims.write_readings(?, ?, ARRAY[
        jsonb_populate_record(NULL::lims.file_reading, '{"result": "5"}')], NULL)},
    [ $mine[0], $file ], '23514', 'a value of no sample is not written');

done_testing();
