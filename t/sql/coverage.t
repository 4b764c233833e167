#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# QC coverage for the run-time role: it begins and ends by the rules, nobody writes the
# reasons for it by hand, and the audit trail alone tells which batches covered a result.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $them = $base->laboratory(code => 'harbor');
my $app  = $base->app($lab);

sub made {
    my ($table, %column) = @_;
    my @names = ('organization_id', sort keys %column);
    my ($id) = $app->selectrow_array(
        sprintf('INSERT INTO lims.%s (%s) VALUES (%s) RETURNING id', $table, join(', ', @names),
            join(', ', ('?') x @names)), undef, $lab->{id}, @column{ @names[ 1 .. $#names ] });
    return $id;
}

my $cover = 'INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
    VALUES (?, ?, ?)';
my $leave = 'DELETE FROM lims.qc_coverage WHERE organization_id = ? AND sample_test_id = ?
    AND qc_batch_id = ?';

sub enter {
    my ($test, $result, $qualifier) = @_;
    $app->do('UPDATE lims.sample_test SET result = ?, qualifier = ? WHERE organization_id = ?
        AND id = ?', undef, $result, $qualifier, $lab->{id}, $test);
    return;
}

sub verify {
    return (q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ? AND id = ?},
        [ $lab->{id}, $_[0] ]);
}

sub verified {
    my ($sql, $bind) = verify(@_);
    return $app->do($sql, undef, @$bind);
}

# A batch of a control that passes up to 5, evaluated.
sub batch {
    my ($number, $value, %more) = @_;
    my $id = made('qc_batch', batch_number => $number, %more);
    made('qc_control', qc_batch_id => $id, control_type => 'MB', criterion => 'maximum',
        measured_value => $value, upper_limit => 5);
    $app->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $id);
    return $id;
}

sub file {
    my ($name) = @_;
    $app->begin_work;
    my $id = made('instrument_file', file_name => $name, size => length $name,
        sha256 => '\x' . sha256_hex($name));
    $app->do('INSERT INTO lims.instrument_file_content (organization_id, file_id, content)
        VALUES (?, ?, ?)', undef, $lab->{id}, $id, $name);
    $app->commit;
    return $id;
}

sub override {
    my ($batch) = @_;
    $app->begin_work;
    my $signature = signed($app, $lab, 'override', 'qc_batch', $batch);
    $app->do(q{UPDATE lims.qc_batch SET qc_status = 'overridden', override_reason = 'bias',
        override_signature_id = ? WHERE organization_id = ? AND id = ?}, undef, $signature,
        $lab->{id}, $batch);
    $app->commit;
    return $signature;
}

# --- Who may write what --------------------------------------------------------------

my $sample = $base->sample($lab, qw(PH PB));
my ($ph, $pb) = @$sample{qw(PH PB)};
my $failed = batch('F1', 9);
my $passed = batch('P1', 1);
enter($ph, '7.0');
my $covers = made('qc_coverage', sample_test_id => $ph, qc_batch_id => $failed);
refused($app, $cover, [ $lab->{id}, $ph, $failed ], '23505', 'a batch covers a test once');
refused($app, 'UPDATE lims.qc_coverage SET qc_batch_id = ? WHERE organization_id = ? AND id = ?',
    [ $passed, $lab->{id}, $covers ], '42501', 'coverage is not moved to another batch');
refused($base->db, 'UPDATE lims.qc_coverage SET qc_batch_id = ? WHERE id = ?', [ $passed, $covers ],
    'invalid_transition', 'coverage is not moved by the owner either');
refused($app, 'INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id, result,
    entered_at, override_signature_id) VALUES (?, ?, ?, ?, now(), 1)',
    [ $lab->{id}, $pb, $failed, '1' ], '42501', 'an override cannot be written by hand');
my $theirs = $base->sample($them, 'PH');
is($base->app($them)->selectrow_array('SELECT count(*) FROM lims.qc_coverage'), 0,
    'another laboratory does not see the coverage');
$base->app($lab);
refused($app, $cover, [ $lab->{id}, $theirs->{PH}, $failed ], '23503',
    'a test of another laboratory cannot be covered');
refused($app, verify($ph), 'qc_failed', 'a failed batch refuses the verification of its results');
refused($app, $leave, [ $lab->{id}, $ph, $failed ], 'qc_failed',
    'a result cannot leave a failed batch');
is($app->do($cover, undef, $lab->{id}, $ph, $passed), 1,
    'a result joins a second batch, which passed');
refused($app, $leave, [ $lab->{id}, $ph, $failed ], 'qc_failed',
    'it cannot leave the failed batch then either');
refused($app, verify($ph), 'qc_failed', 'the failed batch still refuses the verification');

# --- Files ---------------------------------------------------------------------------

# The batch of a file that has results of these tests, measured at a time of that day.
sub run {
    my ($number, $value, $time, @tests) = @_;
    my $file = file("$number.csv");
    $app->begin_work;
    my $id = batch($number, $value, file_id => $file);
    made('instrument_file_row', file_id => $file, row_number => 1, sample_test_id => $_,
        result => '3', analyzed_at => $time && "2026-01-02T$time:00Z", status => 'written') for @tests;
    $app->do('SELECT lims.cover_measured(?, ?, ?)', undef, $lab->{id}, $id, \@tests);
    $app->commit;
    return $id;
}

sub covering {
    return $app->selectcol_arrayref('SELECT qc_batch_id FROM lims.qc_coverage
        WHERE organization_id = ? AND sample_test_id = ? ORDER BY id', undef, $lab->{id}, $_[0]);
}

enter($pb, '3');
my @run = (run('R1', 9, '08:00', $pb));
refused($app, $leave, [ $lab->{id}, $pb, $run[0] ], 'qc_failed',
    'a result cannot leave a failed run');
$app->do($cover, undef, $lab->{id}, $pb, $passed);
refused($app, $leave, [ $lab->{id}, $pb, $run[0] ], 'qc_failed',
    'it cannot leave it for a batch made by hand');
my $other = run('R0', 1, '08:30', $base->sample($lab, 'PB')->{PB});
$app->do($cover, undef, $lab->{id}, $pb, $other);
refused($app, $leave, [ $lab->{id}, $pb, $run[0] ], 'qc_failed',
    'it cannot leave it for a run that did not measure it');
$app->do($leave, undef, $lab->{id}, $pb, $other);
my $copy = run('R1 again', 1, '08:00', $pb);
is_deeply(covering($pb), [ $run[0], $passed, $copy ], 'it does not leave it for a copy of the run');
refused($app, $leave, [ $lab->{id}, $pb, $run[0] ], 'qc_failed',
    'nobody removes it from the failed run for its copy');
push @run, run('R2', 9, '09:00', $pb);
is_deeply(covering($pb), [ $passed, $run[1] ], 'it leaves both for a run that measured it again');
refused($app, verify($pb), 'qc_failed',
    'the second run, which failed too, refuses the verification');
push @run, run('R3', 1, '10:00', $pb);
is_deeply(covering($pb), [ $passed, $run[2] ], 'it leaves that for a third run, which passed');
refused($app, 'UPDATE lims.qc_batch SET file_id = NULL WHERE organization_id = ? AND id = ?',
    [ $lab->{id}, $run[2] ], 'field_not_patchable', 'the file of a run cannot change');
is($app->selectrow_array('SELECT "qcBatchId" FROM lims.sample_test_record
    WHERE organization_id = ? AND id = ?', undef, $lab->{id}, $pb), $run[2],
        'qcBatchId shows the latest batch');
is(verified($pb), 1, 'the result is verified');
refused($app, $_->[0], [ $lab->{id}, $pb, $_->[1] ], 'test_verified_locked',
    "then it is locked: $_->[2]")
    for [ $leave, $passed, 'it leaves none' ], [ $cover, $failed, 'it joins none' ];

# Found in a file by a model, it was measured as well, without controls.
my $found = $base->sample($lab, 'PB')->{PB};
enter($found, '3');
$app->do($cover, undef, $lab->{id}, $found, $_) for @run[ 0, 2 ], $passed;
my $look = made('extraction', file_name => 'x.csv', sha256 => '\x' . sha256_hex('x'), size => 1,
    host => 'model.example', prompt_version => '1', confidence_threshold => '0.9');
for my $status (qw(locked applied)) {
    made('extraction_row', extraction_id => $look, sample_test_id => $found, result => '4',
        confidence => 1, features => '{}', status => $status);
    is_deeply(covering($found), $status eq 'applied' ? [ $run[0], $passed ] : [ @run[ 0, 2 ], $passed ],
        "a result that a model found: $status");
}

# --- Overrides -----------------------------------------------------------------------

my $signature = override($failed);
is_deeply($app->selectrow_arrayref('SELECT result, qualifier, override_signature_id
    FROM lims.qc_coverage WHERE organization_id = ? AND id = ?', undef, $lab->{id}, $covers),
    [ '7.0', undef, $signature ], 'an override names the results that it covers');
enter($ph, '7.0', 'J');
refused($app, verify($ph), 'qc_failed', 'a changed qualifier is not covered by the override');
refused($app, $leave, [ $lab->{id}, $ph, $failed ], 'qc_failed',
    'a changed result cannot leave the batch');
enter($ph, '7.0');
refused($app, verify($ph), 'qc_failed', 'the former value, entered again, is not covered either');
my $second = override($failed);
is($app->selectrow_array('SELECT override_signature_id FROM lims.qc_coverage
    WHERE organization_id = ? AND id = ?', undef, $lab->{id}, $covers), $second,
    'a second override covers the changed result');
made('qc_control', qc_batch_id => $failed, control_type => 'LRB', criterion => 'maximum',
    measured_value => 1, upper_limit => 5);
is($app->selectrow_array('SELECT override_signature_id FROM lims.qc_coverage
    WHERE organization_id = ? AND id = ?', undef, $lab->{id}, $covers), undef,
    'evaluating the batch again ends its override');
refused($app, verify($ph), 'qc_failed', 'the batch refuses the verification again');
override($failed);
is(verified($ph), 1, 'after another override the result is verified');

# --- The trail -----------------------------------------------------------------------

# Batches that cover a test at the end of the trail, by the trail alone.
my $covered = q{
    SELECT string_agg(DISTINCT b.changes -> 'batch_number' ->> 'new', ' ')
      FROM lims.audit_entry c
      JOIN lims.audit_entry b
        ON b.organization_id = c.organization_id
       AND b.table_name = 'qc_batch'
       AND b.action = 'insert'
       AND b.record_id = (c.changes -> 'qc_batch_id' ->> 'new')::bigint
     WHERE c.organization_id = ?
       AND c.table_name = 'qc_coverage'
       AND c.action = 'insert'
       AND (c.changes -> 'sample_test_id' ->> 'new')::bigint = ?
       AND NOT EXISTS (
           SELECT FROM lims.audit_entry g
            WHERE g.organization_id = c.organization_id
              AND g.table_name = 'qc_coverage'
              AND g.record_id = c.record_id
              AND g.action = 'delete')};
is($app->selectrow_array($covered, undef, $lab->{id}, $ph), 'F1 P1',
    'the audit trail has the batches over a result');
is($app->selectrow_array($covered, undef, $lab->{id}, $pb), 'P1 R3',
    'the audit trail has the batches that were left');
is($app->selectrow_array(q{SELECT string_agg(changes -> 'override_signature_id' ->> 'new', ' '
    ORDER BY id) FROM lims.audit_entry WHERE organization_id = ? AND table_name = 'qc_coverage'
    AND record_id = ? AND action = 'update'
    AND changes -> 'override_signature_id' ->> 'new' IS NOT NULL}, undef, $lab->{id}, $covers)
    =~ /\A$signature $second \d+\z/, 1, 'the audit trail has every override with its signature');

# --- At once -------------------------------------------------------------------------

# A test is verified, and joins a failed batch: one of the two is refused, or the
# verification came first.
for my $round (1 .. 8) {
    my $test = $base->sample($lab, 'PB')->{PB};
    enter($test, '2');
    my ($verify, $bind) = verify($test);
    my @outcome = $base->parallel(2, sub {
        my ($number) = @_;
        my $handle = $base->app($lab);
        return eval { $handle->do($number ? ($verify, undef, @$bind)
                : ($cover, undef, $lab->{id}, $test, $run[0])); 'done' } || 'refused';
    });
    my ($status, $batches) = $base->db->selectrow_array(q{SELECT t.status,
        (SELECT count(*) FROM lims.qc_coverage c WHERE c.sample_test_id = t.id)
        FROM lims.sample_test t WHERE t.id = ?}, undef, $test);
    is($status eq 'verified' ? 1 : 0, $batches ? 0 : 1, "verified or covered: @outcome");
}

# A batch fails after a result of it was verified: whoever measured, the investigation is
# opened, though that person may work on none; and nobody else's laboratory sees what it touches.
subtest 'what a late failure touches' => sub {
    my $sample = $base->sample($lab, 'PB');
    my $batch  = batch('late', 1);
    enter($sample->{PB}, '2');
    $app->do($cover, undef, $lab->{id}, $sample->{PB}, $batch);
    verified($sample->{PB});
    my $clerk = $base->insert('user_account', { organization_id => $lab->{id},
        email => 'ben@cedar.example', display_name => 'Ben', password_hash => 'set' });
    $base->insert('user_role', { organization_id => $lab->{id}, user_id => $clerk, role => 'receiving_clerk' });
    my $impact = 'SELECT "sampleId" FROM lims.qc_impact_record WHERE "qcBatchId" = ?';
    my $seen   = sub { return $_[0]->selectcol_arrayref($impact, undef, $batch) };
    my $ben    = $base->app({ %$lab, user_id => $clerk });
    is($ben->do(q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type, criterion,
        measured_value, upper_limit) VALUES (?, ?, 'LCS', 'maximum', 9, 5)}, undef, $lab->{id}, $batch), 1,
        'a control fails late');
    is_deeply($seen->($ben), [ $sample->{id} ], 'the sample is listed');
    is_deeply($seen->($base->app($them)), [], 'another organization sees no coverage');
    my $opened = $base->db->selectrow_arrayref(q{SELECT id, kind, sample_id, opened_by
        FROM lims.investigation WHERE organization_id = ? AND qc_batch_id = ?}, undef, $lab->{id}, $batch);
    is_deeply([ @$opened[ 1 .. 3 ] ], [ 'qc_failure', undef, $clerk ], 'an investigation is opened');
    $app = $base->app({ %$lab, user_id => $clerk });
    for my $status (qw(phase_1 conclusion)) {
        $app->do('UPDATE lims.investigation SET status = ? WHERE organization_id = ? AND id = ?', undef,
            $status, $lab->{id}, $opened->[0]);
    }
    refused($app, q{UPDATE lims.investigation SET status = 'closed', conclusion = 'none' WHERE
        organization_id = ? AND id = ?}, [ $lab->{id}, $opened->[0] ], 'permission_required', 'closing it');
};

done_testing();
