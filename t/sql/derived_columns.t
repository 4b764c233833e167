#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Derived columns of results: whoever enters a result cannot write them, lims.enter_results()
# derives them once, and what the owner writes is judged row by row.
use strict;
use warnings;

use JSON::PP qw(encode_json);

use LIMS::Test::SQL;

my $base  = LIMS::Test::SQL->new;
my $lab   = $base->laboratory(code => 'cedar', oos_opens_investigation => 'f');
my $other = $base->laboratory(code => 'harbor');
my $app   = $base->app($lab);
my $test  = $base->sample($lab, qw(PH PB EC));

# As a client's bulk request and an instrument's file do it; the status that it had.
sub enter {
    my ($db, $code, %update) = @_;
    return $db->selectrow_array('SELECT stood FROM lims.enter_results(?, ?::jsonb)', undef,
        $lab->{id}, encode_json([ { sampleTestId => $test->{$code}, %update } ]));
}

my $set_result = 'UPDATE lims.sample_test SET result = ? WHERE organization_id = ? AND id = ?';

sub row {
    my ($code, $columns) = @_;
    return $base->db->selectrow_arrayref("SELECT $columns FROM lims.sample_test WHERE id = ?",
        undef, $test->{$code});
}

my $judged = 'result, status, numeric_value::text, out_of_specification, spec_low, spec_high,'
    . ' entered_by';
my @right = ('9.10', 'entered', '9.10', 1, '6.5', '8.5', $lab->{user_id});
is(enter($app, PH => result => '9.10'), 'pending', 'a result is entered');
is_deeply(row(PH => $judged), \@right, 'with its derived columns');
enter($app, EC => result => 'Present');
is(row(EC => 'confirmation_status')->[0], 'pending', 'a presumptive positive awaits confirmation');

# Forged values, one for each derived column.
my %forged = (
    numeric_value         => '7',
    out_of_specification  => 'false',
    spec_low              => '6.50',
    spec_high             => '90',
    spec_text             => q{'anything'},
    spec_material_type_id => 'NULL',
    spec_project_id       => 'NULL',
    entered_by            => 'NULL',
    entered_at            => q{now() - interval '1 day'},
    first_entered_at      => q{now() - interval '1 day'},
    holding_expires_at    => q{now() + interval '1 day'},
    holding_met           => 'true',
    work_priority         => '1',
    assigned_to           => 'NULL',
    returned_at           => 'now()',
    reporting_limit       => '1',
    test_code             => q{'XX'},
    requires_confirmation => 'false',
    created_at            => q{now() - interval '1 day'},
    updated_at            => q{now() - interval '1 day'},
);
my $here = 'WHERE organization_id = ? AND id = ?';
for my $column (sort keys %forged) {
    refused($app, "UPDATE lims.sample_test SET result = '9.2', $column = $forged{$column} $here",
        [ $lab->{id}, $test->{PH} ], '42501', "$column of one's own");
    refused($app, "INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id,
        result, $column) VALUES (?, ?, ?, '7', $forged{$column})",
        [ $lab->{id}, $test->{id}, $lab->{definition}{PB} ], '42501', "$column of a new row is refused");
}
is_deeply(row(PH => $judged), \@right, 'nothing of it stays');
refused($app, 'SELECT * FROM lims.enter_results(?, ?::jsonb)', [ $other->{id},
    encode_json([ { sampleTestId => $test->{PH}, result => '7' } ]) ], '42501',
    'nothing is entered for another organization');

# Only what enters results writes them with the owner's rights: the trigger relies on it.
is($base->value(q{SELECT string_agg(p.proname, ' ' ORDER BY p.proname) FROM pg_proc p
    WHERE p.pronamespace = 'lims'::regnamespace AND p.prosecdef
      AND p.prosrc ~* 'UPDATE\s+(ONLY\s+)?(lims\.)?sample_test\M'}),
    'assign_tests cancel_test choose_test enter_again enter_results reschedule_tests'
        . ' restore_test return_test sample_rejudge sample_shelve sample_test_undo_choice',
    'functions that change results with the owner\'s rights');
is($base->value(q{SELECT p.prosrc ~ '\m(result|qualifier)\M' FROM pg_proc p
    WHERE p.oid = ?::regproc}, "lims.$_"), 0, "$_ changes no result")
    for qw(sample_rejudge sample_shelve reschedule_tests);

# The owner may write every column, and is judged.
sub as_owner {
    my ($sql, $role) = @_;
    my $db = $base->db;
    $db->begin_work;
    $db->do('SELECT lims.act_as(?, ?, NULL, NULL, NULL)', undef, $lab->{id}, $lab->{user_id});
    $db->do("SET LOCAL ROLE $role") if $role;
    my $done = eval { $db->do($sql, undef, $lab->{id}, $test->{PH}); 1 };
    my $state = $done ? 'done' : $db->state;
    $done ? $db->commit : $db->rollback;
    return $state;
}
my $forgery = join ', ', q{result = '9.2'}, map { "$_ = $forged{$_}" }
    grep { !/\A(?:requires_confirmation|created_at)\z/ } sort keys %forged;
my @still = ('9.2', 'entered', '9.2', 1, '6.5', '8.5', $lab->{user_id});
is(as_owner("UPDATE lims.sample_test SET $forgery $here"), 'done',
    'the owner writes what it likes');
is_deeply(row(PH => "$judged, test_code, updated_at > now() - interval '1 hour'"),
    [ @still, undef, 1 ], 'what the owner writes is judged');
as_owner("UPDATE lims.sample_test SET numeric_value = 7, out_of_specification = false,
    spec_high = 99, entered_by = NULL $here");
is_deeply(row(PH => $judged), \@still, 'also where the result stays');
is(as_owner("UPDATE lims.sample_test SET result = '9.10', numeric_value = 7,
        out_of_specification = false
    FROM (SELECT set_config('role', 'lims_app', true) OFFSET 0) x $here"), 'done',
    'who becomes the run-time role half-way');
is_deeply(row(PH => $judged), \@right, 'is judged');
is(as_owner("UPDATE lims.sample_test SET $forgery $here", 'lims_app'), '42501',
    'as the run-time role the owner has its rights');
is(as_owner(qq{SELECT lims.enter_results(?, jsonb_build_array(jsonb_build_object('sampleTestId',
    ?::bigint, 'result', '9.2')))}, $_), 'done', 'and enters results' . ($_ ? " as $_" : ''))
    && is_deeply(row(PH => $judged), \@still, 'the result is judged as ' . ($_ // 'the owner')) for undef, 'lims_app';

# A verified result, and an unknown person.
$app->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ? AND id = ?},
    undef, $lab->{id}, $test->{PH});
is(enter($app, PH => result => '7'), 'verified', 'a verified result');
is(row(PH => 'result')->[0], '9.2', 'a verified result keeps its value');
$app->begin_work;
$app->do(q{SELECT set_config('lims.user_id', '', true)});
refused($app, 'SELECT lims.enter_results(?, ?::jsonb)', [ $lab->{id},
    encode_json([ { sampleTestId => $test->{PB}, result => '7' } ]) ], 'LM401',
    'a result is put down to somebody');
refused($app, $set_result, [ '7', $lab->{id}, $test->{PB} ], 'LM401',
    'a result by nobody is refused');
$app->rollback;

# Both ways in one transaction.
$app->begin_work;
enter($app, PB => result => '1.0');
$app->do($set_result, undef, '16', $lab->{id}, $test->{PB});
$app->commit;
is_deeply(row(PB => 'result, numeric_value::text, out_of_specification'), [ '16', '16', 1 ],
    'a result that is set after one that was entered: judged');
is_deeply($base->db->selectcol_arrayref('SELECT result FROM lims.result_history
    WHERE sample_test_id = ?', undef, $test->{PB}), ['1.0'],
        'the first result is kept in the history');

# A withdrawal takes the analysis with it.
$app->do('UPDATE lims.sample_test SET analyzed_at = now() WHERE organization_id = ? AND id = ?',
    undef, $lab->{id}, $test->{PB});
enter($app, PB => result => ' ');
is_deeply(row(PB => 'status, result, analyzed_at, entered_by'), [ 'pending', (undef) x 3 ],
    'a blank result is stored as NULL');

# One by one, however many are judged at once: the plan is kept for one alone.
subtest 'limits are found by an index' => sub {
    $base->db->do("SET $_ = off") for qw(enable_seqscan enable_bitmapscan);
    my $plan = join "\n", @{ $base->db->selectcol_arrayref(q{EXPLAIN SELECT j.low
        FROM (SELECT t FROM lims.sample_test t CROSS JOIN generate_series(1, 1000000) OFFSET 0) x
       CROSS JOIN LATERAL (SELECT spec_low AS low FROM lims.judged(x.t, '1', NULL)) j}) };
    $base->db->do("RESET $_") for qw(enable_seqscan enable_bitmapscan);
    for my $table (qw(test_definition specification)) {
        my ($scan, $condition) = $plan =~ /((?:Index )?Scan [^\n]* on $table .*?\n)\s*(.*)\n/;
        like($scan, qr/\AIndex Scan/, $table) or diag($plan);
        like($condition, qr/\AIndex Cond: .*\borganization_id = /,
            'the index condition names the organization')
            or diag($plan);
    }
};

# The sample becomes another material's meanwhile: whoever enters waits for it, and is judged
# by what it has become, whichever way they enter.
$test = $base->sample($lab, qw(PB));
my $sludge = $base->insert('material_type', { organization_id => $lab->{id}, code => 'SLUDGE',
    name => 'Sludge' });
my $plain = q{UPDATE lims.sample_test SET result = '5' WHERE organization_id = $1 AND id = $2};
my $bulk  = q{SELECT lims.enter_results($1, jsonb_build_array(jsonb_build_object(
    'sampleTestId', $2::bigint, 'result', '5')))};

sub move {
    my ($db) = @_;
    $db->begin_work;
    $db->do('UPDATE lims.sample SET material_type_id = CASE material_type_id WHEN $1 THEN $2
        ELSE $1 END WHERE organization_id = $3 AND id = $4', undef, $sludge, $lab->{material},
        $lab->{id}, $test->{id});
    wait_until {
        # A transaction would go on seeing the activity that it saw first.
        $db->do('SELECT pg_stat_clear_snapshot()');
        $db->selectrow_array('SELECT count(*) FROM pg_stat_activity
            WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))') == 1;
    } or die "nobody waits for it\n";
    $db->commit;
    return 'moved';
}

sub enter_meanwhile {
    my ($db, $way) = @_;
    wait_until {
        !$db->selectrow_array('SELECT count(*) FROM (SELECT FROM lims.sample
            WHERE organization_id = ? AND id = ? FOR SHARE SKIP LOCKED) free', undef, $lab->{id},
            $test->{id});
    } or die "nobody has it\n";
    return eval { $db->do($way, undef, $lab->{id}, $test->{PB}); 'entered' } || $db->state;
}

for my $way ([ 'judged by a trigger', $plain ], [ 'entered in bulk', $bulk ]) {
    my ($name, $sql) = @$way;
    $app->do('UPDATE lims.sample_test SET result = NULL WHERE organization_id = ? AND id = ?',
        undef, $lab->{id}, $test->{PB});
    is_deeply([ $base->parallel(2, sub {
            my ($number) = @_;
            my $db = $base->app($lab);
            return $number ? enter_meanwhile($db, $sql) : move($db);
        }) ], [ 'moved', 'entered' ], "$name, by a sample that is another's since");
    is($base->value('SELECT s.material_type_id = t.spec_material_type_id FROM lims.sample_test t
        JOIN lims.sample s ON s.id = t.sample_id WHERE t.id = ?', $test->{PB}), 1,
        'the result is judged by what its sample is now');
}

# One that is scheduled with its result waits for the sample and is judged once.
my $scheduled = q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id,
    result) SELECT t.organization_id, t.sample_id, t.test_definition_id, '5'
      FROM lims.sample_test t WHERE t.organization_id = $1 AND t.id = $2};
is_deeply([ $base->parallel(2, sub {
        my ($number) = @_;
        my $db = $base->app($lab);
        return $number ? enter_meanwhile($db, $scheduled) : move($db);
    }) ], [ 'moved', 'entered' ], 'scheduled with a result, meanwhile');
is($base->value('SELECT count(*) FROM lims.sample_test t JOIN lims.sample s ON s.id = t.sample_id
    WHERE s.id = ? AND t.result IS NOT NULL AND t.spec_material_type_id = s.material_type_id',
    $test->{id}), 2, 'the results are judged by what the sample has become');

done_testing();
