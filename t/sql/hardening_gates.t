#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Ways around a gate by plain SQL of the run-time role: derived columns written together
# with the verification, batches and lots removed, approvals of what has changed since,
# material types exchanged after the entry.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar', time_zone => 'Pacific/Kiritimati');
my $app  = $base->app($lab);

sub set {
    my ($table, $id, %column) = @_;
    my @names = sort keys %column;
    return (sprintf('UPDATE lims.%s SET %s WHERE organization_id = ? AND id = ?', $table,
            join ', ', map { "$_ = ?" } @names), [ @column{@names}, $lab->{id}, $id ]);
}

sub change {
    my ($sql, $bind) = set(@_);
    return $app->do($sql, undef, @$bind);
}

sub made {
    my ($table, %column) = @_;
    my @names = ('organization_id', sort keys %column);
    my ($id) = $app->selectrow_array(
        sprintf('INSERT INTO lims.%s (%s) VALUES (%s) RETURNING id', $table, join(', ', @names),
            join(', ', ('?') x @names)), undef, $lab->{id}, @column{ @names[ 1 .. $#names ] });
    return $id;
}

sub of_test {
    my ($column, $id) = @_;
    return $base->value("SELECT $column FROM lims.sample_test WHERE id = ?", $id);
}

# Nothing but the verification happens in a verification.

my $sample = $base->sample($lab, qw(PB PH));
my $spare  = made('qc_batch', batch_number => 'QC-SPARE');
my $medium = made('media_lot', code => 'M0', lot_number => '0', medium => 'R2A', name => 'R2A');
change(sample_test => $sample->{PB}, result => '50');
is(of_test('out_of_specification', $sample->{PB}), 1, 'a result out of specification');
my @forged = (
    [ out_of_specification => 'false' ], [ numeric_value => 5 ], [ spec_high => 100 ],
    [ spec_text => q{'anything'} ],      [ entered_by => 'NULL' ],
    [ entered_at => q{'2020-01-01'} ],   [ first_entered_at => q{'2020-01-01'} ],
    [ analyzed_at => 'now()' ],          [ notes => q{'fine'} ],
    [ media_lot_id => $medium ],         [ confirmation_status => q{'refuted'} ],
);
my $owner = $base->owner($lab);
for my $forged (@forged) {
    my ($column, $value) = @$forged;
    refused($owner, "UPDATE lims.sample_test SET status = 'verified', $column = $value
                    WHERE organization_id = ? AND id = ?", [ $lab->{id}, $sample->{PB} ],
        'invalid_transition', "verified, and $column with it");
}
is(of_test('status', $sample->{PB}), 'entered', 'the result was not verified');
my $clever = $owner->selectrow_array(
    q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id, result,
          out_of_specification, spec_high, first_entered_at, verified_by, requires_worksheet,
          holding_time_hours)
      VALUES (?, ?, ?, '50', false, 100, '2020-01-01', ?, true, 9) RETURNING id}, undef, $lab->{id},
    $sample->{id}, $lab->{definition}{PB}, $lab->{user_id});
is_deeply(
    $base->db->selectrow_arrayref(
        'SELECT out_of_specification, spec_high, first_entered_at = created_at, verified_by,
                requires_worksheet, holding_time_hours FROM lims.sample_test WHERE id = ?', undef,
        $clever), [ 1, 15, 1, undef, 0, undef ], 'derived columns are derived on insertion too');
is(change(sample_test => $sample->{PB}, status => 'verified'), 1,
    'without other columns the verification succeeds');
is(of_test('out_of_specification', $sample->{PB}), 1, 'the result is still out of specification');

# A result does not leave what failed it.

my $failing = made('qc_batch', batch_number => 'QC-1');
my $lot     = made('media_lot', code => 'M1', lot_number => '1', medium => 'R2A', name => 'R2A');
my $second  = $base->sample($lab, qw(PH PB HPC));
for my $code (qw(PH PB)) {
    change(sample_test => $second->{$code}, result => 7, media_lot_id => $lot);
    made('qc_coverage', sample_test_id => $second->{$code}, qc_batch_id => $failing);
}
my $sterile = made('media_lot', code => 'M2', lot_number => '2', medium => 'R2A', name => 'R2A');
my $faulty  = made('media_lot', code => 'M3', lot_number => '3', medium => 'R2A', name => 'R2A');
is(change(sample_test => $second->{PB}, media_lot_id => undef), 1,
    'a lot that did not fail can be removed');
change(sample_test => $second->{PB}, media_lot_id => $lot);
made('qc_control', qc_batch_id => $failing, control_type => 'MB', criterion => 'maximum',
    measured_value => 2, upper_limit => 1);
$app->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $failing);
made('media_qc_test', media_lot_id => $_, kind => 'sterility', outcome => 'failed',
    performed_on => '2026-01-02') for $lot, $faulty;

for my $case (
    [ media_lot_id => undef ], [ media_lot_id => $medium ],
    [ media_lot_id => undef, qualifier => 'J' ],
    [ media_lot_id => $medium, result => ' 7 ' ], [ media_lot_id => $medium, result => '7.0' ],
    [ media_lot_id => $medium, result => '<7e0' ], [ media_lot_id => $faulty, result => '8' ],
    [ media_lot_id => undef,   result => '8' ],   [ media_lot_id => undef,   result => undef ],
) {
    my @column = @$case;
    refused($app, set(sample_test => $second->{PH}, @column), 'media_qc_failed',
        join ' ', 'the lot is not left:', map { defined $_ ? $_ : 'none' } @column);
}
is(change(sample_test => $second->{PB}, result => '7.5', media_lot_id => $medium), 1,
    'another result can name another lot');
refused($app, set(sample_test => $second->{PB}, media_lot_id => undef), 'media_qc_failed',
    'a failed lot cannot be replaced by none');
is(change(sample_test => $second->{PB}, media_lot_id => $sterile), 1,
    'a failed lot can be replaced by another lot');
change(sample_test => $second->{PH}, result => undef);
refused($app, set(sample_test => $second->{PH}, media_lot_id => undef), 'media_qc_failed',
    'withdrawing the result does not remove a failed lot');
is(change(sample_test => $second->{PH}, media_lot_id => $medium), 1,
    'the next result names another lot');
refused($app, set(sample_test => $second->{PH}, media_lot_id => undef), 'media_qc_failed',
    'its lot cannot be removed');
refused($app, set(sample_test => $second->{PH}, media_lot_id => undef, result => '7'),
    'media_qc_failed', 'its lot cannot be removed with the entry either');
is(change(sample_test => $second->{PH}, result => '7'), 1,
    'the same number is entered with another lot');

sub uncovered {
    my ($test, $batch) = @_;
    return ('DELETE FROM lims.qc_coverage WHERE organization_id = ? AND sample_test_id = ?
        AND qc_batch_id = ?', [ $lab->{id}, $test, $batch ]);
}
made('qc_coverage', sample_test_id => $second->{PH}, qc_batch_id => $spare);
refused($app, uncovered($second->{PH}, $failing), 'qc_failed',
    'a result cannot leave its failed batch');
my ($leave, $bind) = uncovered($second->{PH}, $spare);
is($app->do($leave, undef, @$bind), 1, 'a result can leave a batch that did not fail');
change(sample_test => $second->{PH}, result => undef);
refused($app, uncovered($second->{PH}, $failing), 'qc_failed',
    'a withdrawn result cannot leave a failed batch for none');
made('qc_coverage', sample_test_id => $second->{PH}, qc_batch_id => $spare);
($leave, $bind) = uncovered($second->{PH}, $failing);
is($app->do($leave, undef, @$bind), 1, 'a withdrawn result can leave a failed batch for another');
refused($app, uncovered($second->{PH}, $spare), 'qc_failed',
    'the batch that has taken its place cannot be left for none');
change(sample_test => $second->{PH}, result => '7');
refused($app, uncovered($second->{PH}, $spare), 'qc_failed',
    'the same value cannot leave it either');
ok(made('qc_coverage', sample_test_id => $second->{PH}, qc_batch_id => $failing),
    'a result can join a failed batch');

$app->begin_work;
my $signature = signed($app, $lab, 'override', 'qc_batch', $failing);
change(qc_batch => $failing, qc_status => 'overridden', override_reason => 'bias is high',
    override_signature_id => $signature);
$app->commit;
refused($app, 'INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
    VALUES (?, ?, ?)', [ $lab->{id}, $second->{HPC}, $failing ], 'invalid_transition',
    'no result joins a batch that was overridden');
refused($app, uncovered($second->{PH}, $failing), 'qc_failed',
    'a result cannot leave a batch that was overridden');
($leave, $bind) = uncovered($second->{PH}, $spare);
is($app->do($leave, undef, @$bind), 1, 'it can leave the other, since the failed one covers it again');

# A medium's test is not done tomorrow, in the laboratory's time zone.

my $today = q{(now() AT TIME ZONE 'Pacific/Kiritimati')::date};
my $tests = "INSERT INTO lims.media_qc_test (organization_id, media_lot_id, kind, outcome,
    performed_on) VALUES (?, ?, 'sterility', 'passed', $today + ?::integer)";
refused($app, $tests, [ $lab->{id}, $lot, 1 ], 'invalid_body',
    'a media test dated tomorrow is refused');
$app->do(q{SELECT set_config('lims.reason', 'the tubes were mixed up', false)});
is($app->do($tests, undef, $lab->{id}, $lot, 0), 1, 'a media test dated today is accepted');

# Another material type or project: entered results are judged anew.

my $sludge = $base->insert('material_type', { organization_id => $lab->{id}, code => 'SL',
    name => 'Sludge' });
my $outfall = $base->insert('project', { organization_id => $lab->{id}, code => 'OUT',
    name => 'Outfall' });
$base->insert('specification', { organization_id => $lab->{id}, material_type_id => $sludge,
    test_definition_id => $lab->{definition}{PB}, high => 1000 });
$base->insert('specification', { organization_id => $lab->{id}, material_type_id => $sludge,
    project_id => $outfall, test_definition_id => $lab->{definition}{PB}, high => 300 });
my $third = $base->sample($lab, qw(PB EC));
change(sample => $third->{id}, material_type_id => $sludge);
change(sample_test => $third->{PB}, result => '500');
change(sample_test => $third->{EC}, result => 'Present');
change(sample_test => $third->{EC}, confirmation_status => 'confirmed');

sub judged {
    my ($sample) = @_;
    return $base->db->selectrow_arrayref(
        q{SELECT t.spec_high, t.out_of_specification, count(i.id)
            FROM lims.sample_test t LEFT JOIN lims.investigation i
              ON i.organization_id = t.organization_id AND i.sample_test_id = t.id
             AND i.kind = 'oos' AND i.status = 'opened'
           WHERE t.id = ? GROUP BY t.spec_high, t.out_of_specification}, undef, $sample->{PB});
}
my $entered = of_test('entered_at', $third->{PB});
my $events  = $base->value('SELECT count(*) FROM lims.event');
is_deeply(judged($third), [ 1000, 0, 0 ], 'as sludge, the result is within its limits');
$base->db->do('UPDATE lims.specification SET high = 10 WHERE high = 1000');
my ($write, $values) =
    set(sample_test => $third->{PB}, spec_material_type_id => $lab->{material}, spec_high => 9);
refused($app, $write, $values, '42501', 'the run-time role writes no derived columns');
$owner->do($write, undef, @$values);
is_deeply(judged($third), [ 1000, 0, 0 ], 'derived columns that the owner writes change nothing');
change(sample => $third->{id}, project_id => $outfall);
is_deeply(judged($third), [ 300, 1, 1 ], 'by the project\'s own limits it is out of specification');
is_deeply([ of_test('entered_at', $third->{PB}), of_test('confirmation_status', $third->{EC}) ],
    [ $entered, 'confirmed' ], 'entered_at and confirmation status stay');
is($base->value('SELECT count(*) FROM lims.event') - $events, 1,
    'the only new event is the investigation\'s');
change(sample => $third->{id}, material_type_id => $lab->{material});
is_deeply(judged($third), [ 15, 1, 1 ], 'as another material, the definition\'s own limits apply');
change(sample_test => $third->{PB}, status => 'verified');
refused($app, set(sample => $third->{id}, $_->[0] => $_->[1]), 'test_verified_locked',
    "with a verified result: $_->[0]")
    for [ material_type_id => $sludge ], [ project_id => undef ];
is(change(sample => $third->{id}, notes => 'x', priority => 'rush'), 1,
    'other columns of the sample may change');

# Approvals hold for what was approved.

$base->insert('approval_step', { organization_id => $lab->{id}, position => $_,
        name => "Step $_" }) for 1, 2;
my $fourth = $base->sample($lab, qw(PH PB));
change(sample_test => $fourth->{$_}, result => 7) for qw(PH PB);
change(sample => $fourth->{id}, status => 'completed');

sub approvals {
    my ($sample) = @_;
    return $app->selectall_arrayref('SELECT id, round, status FROM lims.approval
        WHERE organization_id = ? AND sample_id = ? ORDER BY id DESC', { Slice => {} }, $lab->{id},
        $sample->{id});
}
my $round = 1;

sub approve {
    my ($sample, $steps) = @_;
    my @open = reverse grep { $_->{status} eq 'pending' && $_->{round} == $round }
        @{ approvals($sample) };
    change(approval => $_->{id}, status => 'approved') for @open[ 0 .. $steps - 1 ];
    return;
}
change(sample_test => $fourth->{PH}, result => '7.1');
is(approvals($fourth)->[0]{round}, 1, 'without a decision the round of approvals goes on');
my @changes = (
    [ 'a result',          sub { change(sample_test => $fourth->{PH}, result => '7.2') } ],
    [ 'its qualifier',     sub { change(sample_test => $fourth->{PH}, qualifier => 'J') } ],
    [ 'a test more',       sub { made('sample_test', sample_id => $fourth->{id},
                test_definition_id => $lab->{definition}{HPC}, result => '5') } ],
    [ 'a test less',       sub { $base->db->do(q{DELETE FROM lims.sample_test
                WHERE sample_id = ? AND result = '5'}, undef, $fourth->{id}) } ],
    [ 'the client',        sub { change(sample => $fourth->{id}, client_name => 'Another') } ],
    [ 'the material type', sub { change(sample => $fourth->{id}, material_type_id => $sludge) } ],
    [ 'the project',       sub { change(sample => $fourth->{id}, project_id => $outfall) } ],
    [ 'the collection day', sub { change(sample => $fourth->{id},
                collection_date => '2026-01-05') } ],
    [ 'the collection time', sub { change(sample => $fourth->{id},
                collected_at => '2026-01-05T10:00:00Z') } ],
    [ 'a remark',          sub { change(sample => $fourth->{id}, notes => 'x') } ],
    [ 'the client\'s id',  sub { change(sample => $fourth->{id}, external_id => 'E1') } ],
    [ 'the place',         sub { change(sample => $fourth->{id}, plant_location => 'P1') } ],
    [ 'a remark on a test', sub { change(sample_test => $fourth->{PH}, notes => 'x') } ],
    [ 'a result after it went back', sub {
            change(sample => $fourth->{id}, status => 'processing');
            change(sample_test => $fourth->{PH}, result => '7.3');
            change(sample => $fourth->{id}, status => 'completed');
        } ],
);
for my $case (@changes) {
    my ($name, $act) = @$case;
    approve($fourth, $round % 2 + 1);    # of one step, or of both
    $act->();
    is_deeply([ map { "$_->{round} $_->{status}" } @{ approvals($fourth) }[ 0, 1 ] ],
        [ ($round + 1 . ' pending') x 2 ], "asked again: $name");
    $round++;
}
approve($fourth, 2);
change(sample => $fourth->{id}, priority => 'stat');
is(approvals($fourth)->[0]{round}, $round, 'a changed priority asks for no approval');

# A rejection stands until the sample is completed again.
change(sample_test => $fourth->{PB}, result => '8');
$round++;
change(approval => approvals($fourth)->[1]{id}, status => 'rejected', comment => 'no');
change(sample => $fourth->{id}, status => 'processing');
change(sample_test => $fourth->{PB}, result => '9');
is(approvals($fourth)->[0]{round}, $round, 'corrected after a rejection, the round stays rejected');
change(sample => $fourth->{id}, status => 'completed');
is(approvals($fourth)->[0]{round}, $round + 1, 'completing the sample asks for a new round');

done_testing();
