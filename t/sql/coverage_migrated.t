#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A database in which a test named the one batch that covered it: afterwards the
# same batches cover the same tests, and an override is of the results that were
# there when it was signed.
use strict;
use warnings;

use LIMS::Database::PartlyMigrated;
use LIMS::Test::SQL;

my $base = LIMS::Database::PartlyMigrated->new(23);    # as the release before made it
my $db   = $base->db;

sub signs {
    my ($meaning, $table, $id, $reason) = @_;
    return $db->selectrow_array('SELECT lims.sign(lims.context_id(?), ?, ?, ?, ?)', undef,
        'user_id', $meaning, $table, $id, $reason);
}

my $lab = $base->laboratory(code => 'cedar');
$db->do(q{SELECT set_config('lims.organization_id', ?, false),
    set_config('lims.user_id', ?, false)}, undef, @$lab{qw(id user_id)});
my $sample = $base->sample($lab, qw(PH PB HPC HEM));
my $enter  = q{UPDATE lims.sample_test SET result = ?, qc_batch_id = ? WHERE organization_id = ?
    AND id = ?};

# A batch of a control that failed, or none yet.
sub batch {
    my ($number, $fails) = @_;
    my $id = $base->insert('qc_batch', { organization_id => $lab->{id}, batch_number => $number });
    $base->insert('qc_control', { organization_id => $lab->{id}, qc_batch_id => $id,
            control_type => 'MB', criterion => 'maximum', measured_value => $fails,
            upper_limit => 5 });
    $db->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $id);
    return $id;
}
my ($overridden, $run) = (batch('Q1', 9), batch('FILE-1', 1));
my $file = $base->insert('instrument_file', { organization_id => $lab->{id}, file_name => 'a.csv',
        content => 'a', size => 1, sha256 => pack 'A32', 'a' });
$db->do(q{INSERT INTO lims.instrument_file_row (organization_id, file_id, qc_control_id, status,
    row_number, result) SELECT organization_id, ?, id, 'control', 1, '1' FROM lims.qc_control
    WHERE qc_batch_id = ?}, undef, $file, $run);
$db->do($enter, undef, '7', $overridden, $lab->{id}, $sample->{PH});
$db->do($enter, undef, '8', $overridden, $lab->{id}, $sample->{PB});
$db->do($enter, undef, undef, $run, $lab->{id}, $sample->{HPC});
$db->begin_work;
$db->do(q{UPDATE lims.qc_batch SET qc_status = 'overridden', override_reason = 'bias',
    override_signature_id = ? WHERE id = ?}, undef,
    signs('override', 'qc_batch', $overridden, 'bias'), $overridden);
$db->commit;
$db->do($enter, undef, '9', $overridden, $lab->{id}, $sample->{PB});

# A worksheet that was signed for the first of two results, and signed again.
my $form = $base->insert('worksheet_template', { organization_id => $lab->{id}, name => 'HEM',
        test_definition_id => $lab->{definition}{HEM} });
my @step = map { $base->insert('worksheet_signoff_step', { organization_id => $lab->{id},
            template_id => $form, position => $_, name => "step $_" }) } 1, 2;
$db->do($enter, undef, '4', undef, $lab->{id}, $sample->{HEM});
my $sheet = $base->insert('worksheet', { organization_id => $lab->{id}, template_id => $form,
        sample_test_id => $sample->{HEM} });

sub signed_off {
    my ($step) = @_;
    $db->begin_work;
    $base->insert('worksheet_signoff', { organization_id => $lab->{id}, worksheet_id => $sheet,
            step_id => $step, signed_by => $lab->{user_id},
            signature_id => signs('performed', 'worksheet', $sheet, 'x') });
    $db->commit;
    return;
}
signed_off($step[0]);
$db->do($enter, undef, '5', undef, $lab->{id}, $sample->{HEM});
signed_off($step[1]);

$base->migrate(24, 25);

is_deeply($db->selectall_arrayref('SELECT sample_test_id, qc_batch_id, result,
        override_signature_id IS NOT NULL, standing
    FROM lims.qc_coverage JOIN lims.qc_covered USING (organization_id, id, sample_test_id,
        qc_batch_id) ORDER BY sample_test_id'),
    [ [ $sample->{PH},  $overridden, '7',   1, 'overridden' ],
        [ $sample->{PB},  $overridden, '9',   0, 'failed' ],
        [ $sample->{HPC}, $run,        undef, 0, 'passed' ] ],
    'the batches cover what they covered, the override what it was signed for');
is_deeply($db->selectall_arrayref('SELECT id, file_id FROM lims.qc_batch ORDER BY id'),
    [ [ $overridden, undef ], [ $run, $file ] ], 'the batch of a file is known');
is_deeply($db->selectrow_arrayref('SELECT status, needs_signoff FROM lims.worksheet_state(?, ?)',
        undef, $lab->{id}, $sample->{HEM}), [ 'unsigned', ['step 1'] ],
    'a sign-off is of the result that stood');
is($db->selectrow_array(q{SELECT count(*) FROM pg_attribute
    WHERE attrelid = 'lims.sample_test'::regclass AND attname = 'qc_batch_id'}), 0,
    'and a test names none itself');

done_testing();
