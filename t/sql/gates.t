#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The gates, each raised and cleared: the blockers that are listed are the ones that the
# triggers enforce and the findings show.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);
my @mine = (organization_id => $lab->{id});

sub made {
    my ($table, %column) = @_;
    my %all   = (@mine, %column);
    my @names = sort keys %all;
    my ($id) = $app->selectrow_array(
        sprintf('INSERT INTO lims.%s (%s) VALUES (%s) RETURNING id', $table, join(', ', @names),
            join(', ', ('?') x @names)), undef, @all{@names});
    return $id;
}

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

# The act's refusal, and that the blockers listed it first.
sub blocked {
    my ($blockers, $act, @slugs) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($function, @arguments) = @$blockers;
    my $rows = $app->selectall_arrayref(
        sprintf('SELECT * FROM lims.%s(?, %s)', $function, join ', ', ('?') x @arguments),
        { Slice => {} }, $lab->{id}, @arguments);
    is_deeply([ map { $_->{slug} } @$rows ], \@slugs, "$function: " . (join(', ', @slugs)
        || 'nothing'));
    refused($app, @$act, $slugs[0]) if @slugs;
    return $rows->[0];
}

sub verify { my ($test)   = @_; return ([ verify_blockers => $test ], [ set(sample_test => $test,
    status => 'verified') ]) }
sub report { my ($sample) = @_; return ([ report_blockers => $sample ], [ set(sample => $sample,
    status => 'reported') ]) }
sub move {
    my ($sample, $status) = @_;
    return ([ status_blockers => $sample, $status ], [ set(sample => $sample, status => $status) ]);
}

sub state_of {
    my ($sample) = @_;
    return $app->selectrow_array('SELECT release_state FROM lims.sample_release(?, ?)', undef,
        $lab->{id}, $sample);
}

sub findings {
    my ($sample) = @_;
    return join ' ', @{ $app->selectcol_arrayref(
        q{SELECT category FROM lims.release_finding WHERE organization_id = ? AND sample_id = ?
            ORDER BY 1},
        undef, $lab->{id}, $sample->{id}) };
}

# incomplete_sample, blank_result
my $sample = $base->sample($lab, qw(PH PB));
is(state_of($sample->{id}), 'in_progress', 'a result is missing');
my $first = blocked(report($sample->{id}), 'incomplete_sample');
is_deeply($first->{testIds}, [ @$sample{qw(PH PB)} ], 'it names the tests');
blocked(move($sample->{id}, 'completed'), 'incomplete_sample');
$first = blocked(verify($sample->{PH}), 'blank_result');
change(sample_test => $sample->{$_}, result => '7') for qw(PH PB);
blocked(move($sample->{id}, 'completed'));
blocked(move($sample->{id}, 'verified'), 'incomplete_sample');
is(state_of($sample->{id}), 'ready_for_review', 'the rest is review');
is(findings($sample), 'unverified_result unverified_result', 'of two results');
my $empty = $base->sample($lab);
blocked(report($empty->{id}), 'incomplete_sample');
is(findings($empty), 'incomplete_result', 'a sample without tests reports nothing');
blocked(move($empty->{id}, 'completed'));

# qc_failed
my $batch = made('qc_batch', batch_number => 'QCB-0102');
refused($app, 'SELECT lims.evaluate_qc_batch(?, ?)', [ $lab->{id}, $batch ], 'invalid_body',
    'no controls, no verdict');
my $spike = made('qc_control', qc_batch_id => $batch, control_type => 'LFB',
    criterion => 'recovery',
    test_definition_id => $lab->{definition}{PB}, expected_value => 50, measured_value => 65.5,
        lower_limit => 85,
    upper_limit => 115);
made('qc_coverage', sample_test_id => $sample->{$_}, qc_batch_id => $batch) for qw(PH PB);
blocked(verify($sample->{PH}));
is($app->selectrow_array('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $batch),
    'failed', 'LFB 131 %');
$first = blocked(verify($sample->{PH}), 'qc_failed');
is_deeply($first->{testIds}, [ $sample->{PH} ], 'of a test, that test');
$first = (blocked(report($sample->{id}), 'incomplete_sample', 'qc_failed'));
blocked(move($sample->{id}, 'completed'), 'qc_failed');
my $qc = $app->selectrow_hashref(q{SELECT * FROM lims.report_blockers(?, ?)
    WHERE slug = 'qc_failed'}, undef,
    $lab->{id}, $sample->{id});
like($qc->{qcBatches}, qr/"id" : $batch, "batchNumber" : "QCB-0102", "qcStatus" : "failed"/,
    'the batch, as the API shows it');
is_deeply($qc->{testIds}, [ @$sample{qw(PH PB)} ], 'all its tests');
is(state_of($sample->{id}), 'blocked', 'a hard blocker');
is(findings($sample), 'qc_failed unverified_result unverified_result', 'one finding of one batch');
refused($app, set(qc_batch => $batch, qc_status => $_), $_ eq 'overridden' ? 'invalid_body'
    : 'invalid_transition',
    "a failed batch is not simply $_") for qw(passed open overridden);
refused($app, set(qc_batch => $batch, qc_status => 'overridden', override_reason => 'spiked twice'),
    'esignature_required', 'overriding is signed');
$app->begin_work;
my $wrong = signed($app, $lab, 'reviewed', 'qc_batch', $batch);
refused($app, set(qc_batch => $batch, qc_status => 'overridden', override_reason => 'spiked twice',
        override_signature_id => $wrong), 'esignature_required', 'as an override');
change(qc_batch => $batch, qc_status => 'overridden', override_reason => 'spiked twice',
    override_signature_id => signed($app, $lab, 'override', 'qc_batch', $batch));
$app->commit;
blocked(verify($sample->{PH}));
made('qc_control', qc_batch_id => $batch, control_type => 'MB', criterion => 'maximum',
    measured_value => 0.1,
    upper_limit => 0.5);
blocked(verify($sample->{PH}), 'qc_failed');
change(qc_control => $spike, measured_value => 49);
is($base->value('SELECT qc_status FROM lims.qc_batch WHERE id = ?', $batch), 'passed', 'LFB 98 %');
blocked(verify($sample->{PH}));

# Controls by criterion: limits are inclusive, numbers exact.
my $scratch = made('qc_batch', batch_number => 'QCB-0200');
my %lead = (test_definition_id => made('test_definition', code => 'RL', name => 'RL',
    reporting_limit => 1));
for my $case (
    [ 1, '115.0000000000000000', criterion => 'recovery', expected_value => 20,
        measured_value => 23, lower_limit => 85, upper_limit => 115 ],
    [ 0, undef, criterion => 'recovery', expected_value => 20, measured_value => 23.0001,
        lower_limit => 85, upper_limit => 115 ],
    [ 1, '90.0000000000000000', criterion => 'recovery', expected_value => 10,
        measured_value => 14, native_value => 5, lower_limit => 90 ],
    [ 1, undef, criterion => 'rpd', measured_value => 10, native_value => 12, upper_limit => 20 ],
    [ 0, undef, criterion => 'rpd', measured_value => 10, native_value => 13, upper_limit => 20 ],
    [ 1, '0.5', criterion => 'rpd', measured_value => 1, native_value => 1.5, upper_limit => 20,
        %lead ],
    [ 0, '1.1', criterion => 'rpd', measured_value => 1, native_value => 2.1, upper_limit => 20,
        %lead ],
    [ 1, '0', criterion => 'rpd', measured_value => 0, native_value => 0, upper_limit => 20 ],
    [ 1, '0.5', criterion => 'maximum', measured_value => 0.5, upper_limit => 0.5 ],
    [ 0, '0.51', criterion => 'maximum', measured_value => 0.51, upper_limit => 0.5 ],
    [ 1, '189', criterion => 'range', measured_value => 189, lower_limit => 167.5,
        upper_limit => 228.5 ],
    [ 0, '167.4', criterion => 'range', measured_value => 167.4, lower_limit => 167.5 ],
    [ 1, undef, criterion => 'expected', expected_text => 'Growth', measured_text => 'positive' ],
    [ 0, undef, criterion => 'expected', expected_text => 'No growth', measured_text => 'growth' ],
) {
    my ($passed, $value, %control) = @$case;
    my $id = made('qc_control', qc_batch_id => $scratch, control_type => 'LCS', %control);
    my ($found, $outcome) = $app->selectrow_array('SELECT evaluated_value, passed
        FROM lims.qc_control WHERE id = ?', undef, $id);
    is($outcome, $passed, "$control{criterion}: " . join ' ', map { "$_ $control{$_}" }
        grep { !/criterion/ } sort keys %control);
    is($found, $value, 'its value') if defined $value;
}
refused($app, 'INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type, criterion)
    VALUES (?, ?, ?, ?)',
    [ $lab->{id}, $scratch, 'MB', 'maximum' ], 'invalid_body',
        'a control without the numbers of its criterion is refused');

# confirmation_required
my $micro = $base->sample($lab, qw(EC));
change(sample_test => $micro->{EC}, result => 'Present');
blocked(verify($micro->{EC}), 'confirmation_required');
is(state_of($micro->{id}), 'blocked', 'a presumptive positive blocks');
change(sample_test => $micro->{EC}, confirmation_status => 'refuted');
blocked(verify($micro->{EC}));
like(findings($micro), qr/out_of_specification/, 'it is still said that it is out');

# media_qc_failed
my $lot  = made('media_lot', code => 'TSA-B', lot_number => 'B', medium => 'TSA',
    name => 'TSA lot B');
my %qc   = (media_lot_id => $lot, kind => 'growth_promotion', organism => 'S. aureus',
    performed_on => '2026-03-01');
change(sample_test => $micro->{EC}, media_lot_id => $lot);
blocked(verify($micro->{EC}));
made('media_qc_test', %qc, recovery_percent => 38, outcome => 'failed');
$first = blocked(verify($micro->{EC}), 'media_qc_failed');
is_deeply($first->{mediaLotIds}, [$lot], 'it names the lot');
change(media_lot => $lot, growth_promotion_status => 'passed', qc_status => 'passed');
blocked(verify($micro->{EC}), 'media_qc_failed');
made('media_qc_test', %qc, organism => 'P. aeruginosa', outcome => 'passed');
blocked(verify($micro->{EC}), 'media_qc_failed');
$app->do(q{SELECT set_config('lims.reason', 'plates of the first test had dried out', false)});
made('media_qc_test', %qc, performed_on => '2026-03-04', outcome => 'passed');
$app->do(q{SELECT set_config('lims.reason', '', false)});
blocked(verify($micro->{EC}));
made('media_qc_test', %qc, kind => 'sterility', organism => undef, outcome => 'failed');
blocked(verify($micro->{EC}), 'media_qc_failed');
refused($app, set(sample_test => $micro->{EC}, media_lot_id => undef), 'media_qc_failed',
    'the result that was found with it does not leave it');
refused($app, set(sample_test => $micro->{EC}, media_lot_id => undef, result => 'Absent'),
    'media_qc_failed', 'another result that names no lot does not leave a failed lot either');
my $sound = made('media_lot', code => 'TSA-C', lot_number => 'C', medium => 'TSA',
    name => 'TSA lot C');
change(sample_test => $micro->{EC}, media_lot_id => $sound, result => 'Absent');

# worksheet_incomplete
my $oil = $base->sample($lab, qw(HEM));
my $template = made('worksheet_template', test_definition_id => $lab->{definition}{HEM},
    name => 'HEM by 1664B');
my @field = map { made('worksheet_field', template_id => $template, position => $_->[0],
    name => $_->[1], required => $_->[2]) }
    [ 1, 'volume', 't' ], [ 2, 'mass', 't' ], [ 3, 'remark', 'f' ];
my @step = map { made('worksheet_signoff_step', template_id => $template, position => $_->[0],
    name => $_->[1]) }
    [ 1, 'analyst' ], [ 2, 'review' ];
change(sample_test => $oil->{HEM}, result => '4.1');
$first = blocked(verify($oil->{HEM}), 'worksheet_incomplete');
is_deeply([ @$first{qw(missing needsSignoff)} ], [ [qw(volume mass)], [qw(analyst review)] ],
    'all of it');
my $sheet = made('worksheet', sample_test_id => $oil->{HEM}, template_id => $template);
made('worksheet_value', worksheet_id => $sheet, field_id => $field[0], value => '1000');
my $blank = made('worksheet_value', worksheet_id => $sheet, field_id => $field[1], value => ' ');
$first = blocked(verify($oil->{HEM}), 'worksheet_incomplete');
is_deeply($first->{missing}, ['mass'], 'a blank is missing');

sub sign_off {
    my ($step, $meaning) = @_;
    return ('INSERT INTO lims.worksheet_signoff (organization_id, worksheet_id, step_id,
        signature_id, signed_by)
             VALUES (?, ?, ?, lims.sign(?, ?, ?, ?), ?)',
        [ $lab->{id}, $sheet, $step, $lab->{user_id}, $meaning, 'worksheet', $sheet,
            $lab->{user_id} ]);
}
refused($app, sign_off($step[0], 'performed'), 'worksheet_incomplete',
    'nobody signs an unfinished sheet');
change(worksheet_value => $blank, value => '0.0041');
refused($app, sign_off($step[1], 'reviewed'), 'invalid_transition', 'the review comes second');
refused($app, sign_off($step[0], 'approved'), 'esignature_required',
    'a signature says what it is for');
my ($sql, $bind) = sign_off($step[0], 'performed');
$app->do($sql, undef, @$bind);
$first = blocked(verify($oil->{HEM}), 'worksheet_incomplete');
is_deeply([ @$first{qw(missing needsSignoff)} ], [ [], ['review'] ],
    'the blocker names the missing signature');
refused($app, set(worksheet_value => $blank, value => '9'), 'invalid_transition',
    'what is signed does not change');
($sql, $bind) = sign_off($step[1], 'reviewed');
$app->do($sql, undef, @$bind);
blocked(verify($oil->{HEM}));
$app->do(q{UPDATE lims.worksheet_signoff SET withdrawn_at = now() WHERE organization_id = ?
    AND step_id = ?}, undef, $lab->{id}, $step[1]);
blocked(verify($oil->{HEM}), 'worksheet_incomplete');
($sql, $bind) = sign_off($step[1], 'reviewed');
$app->do($sql, undef, @$bind);
change(sample_test => $oil->{HEM}, status => 'verified');
refused($app, 'UPDATE lims.worksheet_signoff SET withdrawn_at = now() WHERE organization_id = ?
    AND step_id = ? AND withdrawn_at IS NULL',
    [ $lab->{id}, $step[0] ], 'test_verified_locked', 'a verified test locks its sheet');
refused($app, 'UPDATE lims.worksheet_field SET required = false WHERE organization_id = ?
    AND id = ?',
    [ $lab->{id}, $field[0] ], 'invalid_transition',
        'a worksheet template with worksheets cannot be changed');

# approval_required
change(sample_test => $sample->{$_}, status => 'verified') for qw(PH PB);
is(state_of($sample->{id}), 'ready_to_report', 'without steps nobody has to approve');
$base->insert('approval_step', { @mine, position => $_->[0], name => $_->[1] })
    for [ 1, 'QA review' ], [ 2, 'Final approval' ];
is(state_of($sample->{id}), 'ready_for_review', 'with steps, somebody');
blocked(report($sample->{id}), 'approval_required');
change(sample => $sample->{id}, status => 'completed');

sub approvals {
    my ($id) = @_;
    return map { $_->[0] } @{ $app->selectall_arrayref(
        q{SELECT id FROM lims.approval WHERE organization_id = ? AND sample_id = ? AND round =
            (SELECT max(round) FROM lims.approval WHERE organization_id =
                ? AND sample_id = ?) ORDER BY step},
        undef, ($lab->{id}, $id) x 2) };
}
my @approval = approvals($sample->{id});
is(scalar @approval, 2, 'completing asks for both');
$first = blocked(report($sample->{id}), 'approval_required');
is_deeply($first->{approvalIds}, [ $approval[0] ], 'the open one');
refused($app, set(approval => $approval[1], status => 'approved'), 'approval_required', 'in order');
refused($app, set(approval => $approval[0], status => 'rejected'), 'invalid_body',
    'a rejection says why');
change(approval => $approval[0], status => 'rejected', comment => 'blank too high');
refused($app, set(approval => $approval[0], status => 'approved'), 'already_decided',
    'decided is decided');
is(state_of($sample->{id}), 'blocked', 'a rejection is a hard blocker');
$base->db->do('UPDATE lims.organization SET coa_before_approval = true');
blocked(report($sample->{id}), 'approval_required');
change(sample => $sample->{id}, status => 'processing');
change(sample => $sample->{id}, status => 'completed');
isnt(join(' ', approvals($sample->{id})), "@approval", 'completing it again asks again');
blocked(report($sample->{id}));
$base->db->do('UPDATE lims.organization SET coa_before_approval = false');
blocked(report($sample->{id}), 'approval_required');
@approval = approvals($sample->{id});
change(approval => $_, status => 'approved') for @approval;
is(state_of($sample->{id}), 'ready_to_report', 'nothing blocks the report');
$app->begin_work;
change(sample_test => $sample->{PH}, status => 'entered',
    reopening_signature_id => signed($app, $lab, 'reopened', 'sample_test', $sample->{PH}));
$app->commit;
change(sample_test => $sample->{PH}, status => 'verified');
blocked(report($sample->{id}), 'approval_required');
change(approval => $_, status => 'approved') for approvals($sample->{id});
blocked(report($sample->{id}));
change(sample => $sample->{id}, status => 'reported');
is(state_of($sample->{id}), 'reported', 'the sample is reported');

# esignature_required
my $strict = $base->laboratory(code => 'harbor', esignature_required => 't');
my $theirs = $base->sample($strict, qw(PB));
my $them   = $base->app($strict);
$them->do(q{UPDATE lims.sample_test SET result = '3' WHERE organization_id = ?
    AND id = ?}, undef, $strict->{id}, $theirs->{PB});
my $verify = q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
    AND id = ?};
refused($them, $verify, [ $strict->{id}, $theirs->{PB} ], 'esignature_required',
    'verifying is signed');
is($them->selectrow_array('SELECT slug FROM lims.verify_blockers(?, ?)', undef, $strict->{id},
    $theirs->{PB}),
    'esignature_required', 'the signature is asked for first');
$them->begin_work;
my $signature = signed($them, $strict, 'verified', 'sample_test', $theirs->{PB});
$them->do(q{SELECT set_config('lims.signature_id', ?, true)}, undef, $signature);
$them->do($verify, undef, $strict->{id}, $theirs->{PB});
$them->commit;
is($base->value('SELECT verification_signature_id FROM lims.sample_test
    WHERE id = ?', $theirs->{PB}), $signature,
    'the signature is stored with the result');

# reagent_lot_expired: in the laboratory's day, whatever the client says of when.
my $acid = $base->sample($lab, qw(PB PH));
my $today = q{(now() AT TIME ZONE 'UTC')::date};
my %lots = map { $_ => $app->selectrow_array(
        "INSERT INTO lims.reagent_lot (organization_id, code, lot_number, name, expires_on)
         VALUES (?, ?, '1', 'Lead standard',
             $today + ?::integer) RETURNING id", undef, $lab->{id}, "R$_", $_) } -1, 0;
refused($app, set(sample_test => $acid->{PB}, result => '1', reagent_lot_id => $lots{-1},
    analyzed_at => '2020-01-01T00:00:00Z'),
    'reagent_lot_expired', 'an expired lot');
is(change(sample_test => $acid->{PB}, result => '1', reagent_lot_id => $lots{0}), 1,
    'its last day is a good day');
is(change(sample_test => $acid->{PH}, reagent_lot_id => $lots{-1}), 1,
    'without a result, nothing was entered');
refused($app, set(sample_test => $acid->{PH}, result => '7'), 'reagent_lot_expired',
    'with one, it was');
$base->db->do(q{UPDATE lims.organization SET reagent_expiry_policy = 'warn'
    WHERE id = ?}, undef, $lab->{id});
is(change(sample_test => $acid->{PH}, result => '7'), 1, 'a laboratory may only want to be warned');
is_deeply(
    $app->selectrow_array('SELECT warnings[1] ~ ? FROM lims.sample_test_record WHERE id = ?', undef,
        '^reagent lot R-1 expired on', $acid->{PH}), 1, 'the record carries the warning of the expired lot');

done_testing();
