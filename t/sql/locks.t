#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Locked records are locked for everybody: plain SQL as the run-time role changes neither a
# verified result, nor a reported sample, nor the audit trail.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base   = LIMS::Test::SQL->new;
my $lab    = $base->laboratory(code => 'cedar');
my $app    = $base->app($lab);
my $sample = $base->sample($lab, qw(PH PB));
my $other  = $base->sample($lab, qw(PH));

sub enter {
    my ($test, $result) = @_;
    return $app->do('UPDATE lims.sample_test SET result = ? WHERE organization_id = ? AND id = ?',
        undef, $result, $lab->{id}, $test);
}

sub verify {
    my ($test) = @_;
    return $app->do(q{UPDATE lims.sample_test SET status = 'verified'
                       WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $test);
}

sub status_of { return $base->value('SELECT status FROM lims.sample_test WHERE id = ?', $_[0]) }

# A verified result.

enter($sample->{PH}, '7.2');
verify($sample->{PH});
is(status_of($sample->{PH}), 'verified', 'a result is verified');

my @changes = (
    [ 'its result',       q{result = '7.3'} ],
    [ 'a blank result',   q{result = ''} ],
    [ 'its qualifier',    q{qualifier = '<'} ],
    [ 'its notes',        q{notes = 'later'} ],
    [ 'its status',       q{status = 'entered'} ],
    [ 'its status, back', q{status = 'pending'} ],
    [ 'who verified',     q{verified_by = NULL} ],
    [ 'when',             q{verified_at = now() - interval '1 day'} ],
    [ 'when analysed',    q{analyzed_at = now()} ],
    [ 'its confirmation', q{confirmation_status = 'confirmed'} ],
    [ 'its judgement',    q{out_of_specification = true}, $base->owner($lab) ],
    [ 'its value',        q{numeric_value = 1}, $base->owner($lab) ],
);
for my $change (@changes) {
    my ($name, $set, $owner) = @$change;
    refused($owner || $app, "UPDATE lims.sample_test SET $set WHERE organization_id = ? AND id = ?",
        [ $lab->{id}, $sample->{PH} ], 'test_verified_locked', "a verified test: $name");
}
is(
    $app->do('UPDATE lims.sample_test SET result = result WHERE organization_id = ? AND id = ?',
        undef, $lab->{id}, $sample->{PH}), 1, 'writing the same value is allowed');
refused($app, 'DELETE FROM lims.sample_test WHERE organization_id = ? AND id = ?',
    [ $lab->{id}, $sample->{PH} ], '42501', 'the run-time role deletes no test');
refused($base->db, 'DELETE FROM lims.sample_test WHERE id = ?', [ $sample->{PH} ],
    'test_verified_locked', 'the owner deletes no verified test');

# Bulk: one locked test refuses them all.
enter($sample->{PB}, '3');
refused($app, q{UPDATE lims.sample_test SET result = '4' WHERE organization_id = ?
    AND sample_id = ?},
    [ $lab->{id}, $sample->{id} ], 'test_verified_locked',
        'a statement over several tests fails as a whole');
is($base->value('SELECT result FROM lims.sample_test WHERE id = ?', $sample->{PB}), '3',
    'the other test was not changed');

# Reopening needs a signature that was made for it, in this transaction.

my $reopen = q{UPDATE lims.sample_test SET status = 'entered', reopening_signature_id = ?
                WHERE organization_id = ? AND id = ?};
my $spent = signed($app, $lab, 'reopened', 'sample_test', $sample->{PH});
refused($app, $reopen, [ $spent, $lab->{id}, $sample->{PH} ],
    'test_verified_locked', 'a signature of an earlier transaction does not reopen');
$app->begin_work;
for my $wrong ([ 'verified', $sample->{PH} ], [ 'reopened', $sample->{PB} ]) {
    my $signature = signed($app, $lab, $wrong->[0], 'sample_test', $wrong->[1]);
    refused($app, $reopen, [ $signature, $lab->{id}, $sample->{PH} ],
        'test_verified_locked',
            "a signature that says $wrong->[0] of test $wrong->[1] does not reopen");
}
my $signature = signed($app, $lab, 'reopened', 'sample_test', $sample->{PH});
refused($app, q{UPDATE lims.sample_test SET status = 'entered', result = '9',
                       reopening_signature_id = ? WHERE organization_id = ? AND id = ?},
    [ $signature, $lab->{id}, $sample->{PH} ], 'test_verified_locked',
        'reopening cannot change the result with it');
$app->do($reopen, undef, $signature, $lab->{id}, $sample->{PH});
$app->commit;
is(status_of($sample->{PH}), 'entered', 'the right signature reopens the test');
enter($sample->{PH}, '7.4');
is_deeply(
    $base->db->selectall_arrayref('SELECT result, status FROM lims.result_history
                                    WHERE sample_test_id = ? ORDER BY id', undef, $sample->{PH}),
    [ [ '7.2', 'verified' ], [ '7.2', 'entered' ] ], 'the history keeps every value');
verify($_) for @$sample{qw(PH PB)};

# A reported sample.

$app->do(q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ? AND id = ?},
    undef, $lab->{id}, $sample->{id});
for my $set (q{status = 'verified'}, q{notes = 'x'}, q{client_name = 'x'}, q{reported_at = now()},
    q{priority = 'stat'}, q{received_at = now()}) {
    refused($app, "UPDATE lims.sample SET $set WHERE organization_id = ? AND id = ?",
        [ $lab->{id}, $sample->{id} ], 'invalid_transition', "a reported sample: $set");
}
is(
    $app->do(q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ? AND id = ?},
        undef, $lab->{id}, $sample->{id}), 1, 'reporting it again changes nothing');
refused($app, 'INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
               VALUES (?, ?, ?)', [ $lab->{id}, $sample->{id}, $lab->{definition}{PB} ],
    'invalid_transition', 'a reported sample gets no more tests');
$app->begin_work;
refused($app, $reopen,
    [ signed($app, $lab, 'reopened', 'sample_test', $sample->{PH}), $lab->{id}, $sample->{PH} ],
    'invalid_transition', 'no test of a reported sample is reopened');
$app->rollback;
refused($base->db, 'DELETE FROM lims.sample WHERE id = ?', [ $sample->{id} ],
    'invalid_transition', 'the owner does not delete a reported sample');

# Columns that are written once --------------------------------------------------

my @written = (
    [ audit_entry          => q{reason = 'x'} ],
    [ result_history       => q{result = 'x'} ],
    [ electronic_signature => q{printed_name = 'x'} ],
);
for my $table (@written) {
    my ($name, $set) = @$table;
    cmp_ok($base->value("SELECT count(*) FROM lims.$name"), '>', 0, "$name has rows");
    refused($app, "UPDATE lims.$name SET $set", [], '42501', "$name: the run-time role: update");
    refused($app, "DELETE FROM lims.$name", [], '42501', "$name: delete");
    refused($app, "TRUNCATE lims.$name", [], '42501', "$name: truncate");
    refused($base->db, "UPDATE lims.$name SET $set", [], 'invalid_transition',
        "$name: the owner: update");
    refused($base->db, "DELETE FROM lims.$name", [], 'invalid_transition', "$name: delete");
    refused($base->db, "TRUNCATE lims.$name", [], $name eq 'electronic_signature' ? '0A000'
        : 'invalid_transition',
        "$name: truncate");
}
refused($app, q{INSERT INTO lims.audit_entry (organization_id, table_name, record_id, action,
    changes)
                VALUES (?, 'sample', 1, 'insert', '{}')}, [ $lab->{id} ], '42501',
    'nobody writes the audit trail by hand');
refused($app, $_, [], '42501', "no DDL: $_")
    for 'CREATE TABLE lims.x (a integer)', 'ALTER TABLE lims.sample DISABLE TRIGGER ALL',
    'DROP TRIGGER lock ON lims.sample_test', q{ALTER TABLE lims.sample DISABLE ROW LEVEL SECURITY},
    q{SELECT lims.attach_append_only('sample')}, 'SET session_replication_role = replica';

done_testing();
