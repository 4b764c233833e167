#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Derived columns of results that are entered in bulk: whoever enters them brings them
# along, and the database checks that they are what lims.judged() returns.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar', oos_opens_investigation => 'f');
my $app  = $base->app($lab);
my $test = $base->sample($lab, qw(PH PB EC));

# As the bulk entry does it, with columns of one's own.
sub bring {
    my ($db, $code, $result, %forged) = @_;
    my %column = (map({ $_ => "j.$_" } qw(status result numeric_value out_of_specification spec_low
            spec_high spec_text spec_material_type_id spec_project_id confirmation_status
            entered_by entered_at first_entered_at)), judgements => 't.judgements + 1',
        updated_at => 'now()', %forged);
    my $set = join ', ', map { "$_ = $column{$_}" } sort keys %column;
    return ("UPDATE lims.sample_test t SET $set
               FROM (SELECT x.id, j.* FROM lims.sample_test x
                     CROSS JOIN LATERAL lims.judged(x, \$3, x.qualifier) j
                     WHERE x.organization_id = \$1 AND x.id = \$2) j
              WHERE t.organization_id = \$1 AND t.id = j.id",
        [ $lab->{id}, $test->{$code}, $result ]);
}

sub brought {
    my ($sql, $bind) = bring($app, @_);
    return $app->do($sql, undef, @$bind);
}

sub row {
    my ($code, $columns) = @_;
    return $base->db->selectrow_arrayref("SELECT $columns FROM lims.sample_test WHERE id = ?",
        undef, $test->{$code});
}

my $judged = 'result, status, numeric_value::text, out_of_specification, spec_low, spec_high,'
    . ' entered_by, judgements';
is(brought(PH => '9.10'), 1, 'a judgement that is right is taken');
is_deeply(row(PH => $judged), [ '9.10', 'entered', '9.10', 1, '6.5', '8.5', $lab->{user_id}, 1 ],
    'as it was brought');
is(brought(EC => 'Present'), 1, 'also of a presumptive positive');
is(row(EC => 'confirmation_status')->[0], 'pending', 'which awaits its confirmation');

# One column each that does not follow from the result.
my %forged = (
    numeric_value         => '7',
    out_of_specification  => 'false',
    spec_low              => '6.50',
    spec_high             => '90',
    spec_text             => q{'anything'},
    spec_material_type_id => 'NULL',
    spec_project_id       => '1',
    confirmation_status   => q{'confirmed'},
    entered_by            => 'NULL',
    entered_at            => q{now() - interval '1 day'},
    first_entered_at      => q{now() - interval '1 day'},
    result                => q{'9.3'},
);
for my $column (sort keys %forged) {
    refused($app, bring($app, PH => '9.2', $column => $forged{$column}), '40001',
        "$column of one's own");
}
is_deeply(row(PH => $judged), [ '9.10', 'entered', '9.10', 1, '6.5', '8.5', $lab->{user_id}, 1 ],
    'nothing of it stays');
brought(PH => '9.2', verified_by => $lab->{user_id}, updated_at => q{now() - interval '1 day'});
is_deeply(row(PH => 'result, verified_by, verified_at, updated_at > now() - interval \'1 hour\''),
    [ '9.2', undef, undef, 1 ], 'what is not of the judgement is what it always is');

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
        like($condition, qr/\AIndex Cond: .*\borganization_id = /, '... of one organization')
            or diag($plan);
    }
};

# A judgement without a reason for one.
$app->do('UPDATE lims.sample_test SET judgements = judgements + 1, spec_low = 1, spec_high = 99,
    out_of_specification = false WHERE organization_id = ? AND id = ?', undef, $lab->{id},
    $test->{PH});
is_deeply(row(PH => 'spec_low, spec_high, out_of_specification, judgements'), [ '6.5', '8.5', 1, 2 ],
    'a result that stands is not judged again');

# What is verified, and who is nobody.
$app->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ? AND id = ?},
    undef, $lab->{id}, $test->{PH});
refused($app, bring($app, PH => '7'), 'test_verified_locked', 'a verified result is locked');
$app->begin_work;
$app->do(q{SELECT set_config('lims.user_id', '', true)});
refused($app, bring($app, PB => '7'), 'LM401', 'a result is put down to somebody');
$app->rollback;

# In one transaction, brought and not.
$app->begin_work;
brought(PB => '1.0');
$app->do('UPDATE lims.sample_test SET result = ? WHERE organization_id = ? AND id = ?', undef, '16',
    $lab->{id}, $test->{PB});
$app->commit;
is_deeply(row(PB => 'result, numeric_value::text, out_of_specification, judgements'),
    [ '16', '16', 1, 2 ], 'one that is not brought after one that is: judged');
is_deeply($base->db->selectcol_arrayref('SELECT result FROM lims.result_history
    WHERE sample_test_id = ?', undef, $test->{PB}), ['1.0'], 'and the first is kept');

# A withdrawal takes the analysis with it.
$app->do('UPDATE lims.sample_test SET analyzed_at = now() WHERE organization_id = ? AND id = ?',
    undef, $lab->{id}, $test->{PB});
brought(PB => ' ', analyzed_at => 'j.analyzed_at');
is_deeply(row(PB => 'status, result, analyzed_at, entered_by'), [ 'pending', (undef) x 3 ],
    'a blank result is none');

# The sample becomes another material's meanwhile: whoever is judged by what it
# was is told to try again, whichever way they enter.
$test = $base->sample($lab, qw(PB));
my $sludge = $base->insert('material_type', { organization_id => $lab->{id}, code => 'SLUDGE',
    name => 'Sludge' });
my $plain = q{UPDATE lims.sample_test SET result = '5' WHERE organization_id = $1 AND id = $2};
my $bulk  = (bring($app, PB => '5'))[0] =~ s/\$3/'5'/r;

sub move {
    my ($db) = @_;
    $db->begin_work;
    $db->do('UPDATE lims.sample SET material_type_id = CASE material_type_id WHEN $1 THEN $2
        ELSE $1 END WHERE organization_id = $3 AND id = $4', undef, $sludge, $lab->{material},
        $lab->{id}, $test->{id});
    wait_until {
        # What one transaction sees of activity it would go on seeing.
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

for my $way ([ 'judged by a trigger', $plain ], [ 'judged by who enters', $bulk ]) {
    my ($name, $sql) = @$way;
    $app->do('UPDATE lims.sample_test SET result = NULL WHERE organization_id = ? AND id = ?',
        undef, $lab->{id}, $test->{PB});
    is_deeply([ $base->parallel(2, sub {
            my ($number) = @_;
            my $db = $base->app($lab);
            return $number ? enter_meanwhile($db, $sql) : move($db);
        }) ], [ 'moved', '40001' ], "$name, by a sample that is another's since");
    is($app->do($sql, undef, $lab->{id}, $test->{PB}), 1, '... and again, by what it is now');
    is($base->value('SELECT s.material_type_id = t.spec_material_type_id FROM lims.sample_test t
        JOIN lims.sample s ON s.id = t.sample_id WHERE t.id = ?', $test->{PB}), 1, '... it is');
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
    $test->{id}), 2, '... judged by what the sample has become');

done_testing();
