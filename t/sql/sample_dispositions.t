#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The table of dispositions, whoever writes: which change there is, the permission and the
# reason it needs; and that nothing is done on a cancelled or rejected sample. Who cancels a
# test with a result, or repeats one.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $db   = $base->db;

# The session of the run-time role, acting as a person with this role, with a reason.
my %person;

sub as {
    my ($role, $reason) = @_;
    $person{$role} //= do {
        my $id = $base->insert('user_account', { organization_id => $lab->{id},
            email => "the_$role\@cedar.example", display_name => $role });
        $base->insert('user_role', { organization_id => $lab->{id}, user_id => $id,
            role => $role });
        $id;
    };
    my $app = $base->app({ %$lab, user_id => $person{$role} });
    $app->do(q{SELECT set_config('lims.reason', ?, false)}, undef, $reason // 'broken');
    return $app;
}

my $dispose = q{UPDATE lims.sample SET disposition = ? WHERE organization_id = ? AND id = ?};

sub dispose {
    my ($role, $sample, $disposition) = @_;
    return as($role)->do($dispose, undef, $disposition, $lab->{id}, $sample->{id});
}

sub sample {
    my ($disposition, $status) = @_;
    my $sample = $base->sample($lab, 'PH');
    $db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
    $db->do(q{UPDATE lims.sample SET disposition = $2, disposition_reason =
        CASE WHEN $2 <> 'active' THEN 'x' END, status = $3,
        reported_at = CASE WHEN $3 = 'reported' THEN now() END WHERE id = $1},
        undef, $sample->{id}, $disposition, $status);
    $db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
    return $sample;
}

subtest 'the table' => sub {
    my %allowed = map { $_ => 1 } ('active on_hold', 'on_hold active', 'active cancelled',
        'active rejected', 'on_hold cancelled', 'on_hold rejected', 'cancelled active',
        'rejected active', 'cancelled disposed', 'rejected disposed');
    my @all = qw(active on_hold cancelled rejected disposed);
    for my $from (@all) {
        for my $to (grep { $_ ne $from } @all) {
            my $sample = sample($from, 'received');
            if ($allowed{"$from $to"}) {
                is(dispose('lab_manager', $sample, $to), 1, "$from, $to");
                next;
            }
            refused(as('lab_manager'), $dispose, [ $to, $lab->{id}, $sample->{id} ],
                'invalid_transition', "$from, $to");
        }
    }
    for my $to (qw(on_hold cancelled rejected)) {
        refused(as('lab_manager'), $dispose, [ $to, $lab->{id}, sample('active', 'reported')->{id} ],
            'invalid_transition', "reported, $to");
    }
    is(dispose('lab_manager', sample('active', 'reported'), 'disposed'), 1, 'reported, disposed');
    refused(as('lab_manager'), $dispose,
        [ 'active', $lab->{id}, sample('disposed', 'reported')->{id} ], 'invalid_transition',
        'disposed is final');
};

subtest 'who may' => sub {
    my $sample = $base->sample($lab, 'PH');
    is(dispose('client_services', $sample, 'on_hold'), 1, 'sample.edit holds');
    refused(as('client_services'), $dispose, [ 'cancelled', $lab->{id}, $sample->{id} ],
        'permission_required', 'sample.edit does not cancel');
    refused(as('auditor'), $dispose, [ 'active', $lab->{id}, $sample->{id} ],
        'permission_required', 'who only reads');
    is(dispose('receiving_clerk', $sample, $_), 1, "sample.cancel: $_")
        for qw(cancelled active);
    as('lab_manager')->do('UPDATE lims.sample_test SET result = 7 WHERE organization_id = ?
        AND id = ?', undef, $lab->{id}, $sample->{PH});
    refused(as('receiving_clerk'), $dispose, [ 'rejected', $lab->{id}, $sample->{id} ],
        'permission_required', 'with a result');
    is(dispose('lab_manager', $sample, 'rejected'), 1,
        'a sample with a result needs result.verify as well');
    refused(as('receiving_clerk'), $dispose, [ 'active', $lab->{id}, $sample->{id} ],
        'permission_required', 'taking back a rejection needs result.verify, too');
    is(dispose('receiving_clerk', $sample, 'disposed'), 1, 'sample.edit disposes of it');
};

subtest 'who may cancel, restore, repeat and choose tests' => sub {
    my $sample = $base->sample($lab, qw(PH PB));
    my %call = map { $_ => "SELECT lims.$_(?, ?)" } qw(cancel_test restore_test choose_test);
    $call{retest} = 'SELECT lims.retest(?, ?, 1)';
    my $may = sub {
        my ($role, $call, $test) = @_;
        ok(eval { as($role)->selectall_arrayref($call{$call}, undef, $lab->{id}, $test); 1 },
            "$call: $role") or diag($@);
    };
    my $may_not = sub {
        my ($role, $call, $test) = @_;
        refused(as($role), $call{$call}, [ $lab->{id}, $test ], 'permission_required',
            "$call: not $role");
    };
    as('lab_manager')->do('UPDATE lims.sample_test SET result = 7 WHERE organization_id = ?
        AND id = ?', undef, $lab->{id}, $sample->{PB});
    for my $call (qw(cancel_test restore_test)) {
        $may_not->('analyst', $call, $sample->{PH});
        $may->('receiving_clerk', $call, $sample->{PH});
        $may_not->('receiving_clerk', $call, $sample->{PB});
        $may->('analyst', $call, $sample->{PB});
    }
    $may_not->('receiving_clerk', 'retest', $sample->{PB});
    $may->('analyst', 'retest', $sample->{PB});
    as('lab_manager')->do(q{UPDATE lims.sample_test SET status = 'verified'
        WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $sample->{PB});
    $may_not->('receiving_clerk', 'choose_test', $sample->{PB});
    $may->('analyst', 'choose_test', $sample->{PB});
};

subtest 'how' => sub {
    my $sample = $base->sample($lab, 'PH');
    refused(as('lab_manager', ''), $dispose, [ 'on_hold', $lab->{id}, $sample->{id} ],
        'invalid_body', 'without a reason');
    refused(as('lab_manager'), q{UPDATE lims.sample SET disposition = 'on_hold', notes = 'x'
        WHERE organization_id = ? AND id = ?}, [ $lab->{id}, $sample->{id} ],
        'invalid_transition', 'with another change');
    refused(as('lab_manager'), q{UPDATE lims.sample SET disposition_reason = 'x'
        WHERE organization_id = ? AND id = ?}, [ $lab->{id}, $sample->{id} ],
        'invalid_transition', 'the reason alone');
    refused(as('lab_manager'), q{INSERT INTO lims.sample (organization_id, material_type_id,
        client_name, disposition, disposition_reason) VALUES (?, ?, 'x', 'cancelled', 'x')},
        [ $lab->{id}, $lab->{material} ], 'invalid_transition', 'a new sample');
};

# Writes on a sample with its worksheet and its approval: name, statement and id of each.
sub writes_on {
    my ($sample, $sheet, $approval) = @_;
    return (
        [ 'a correction', q{UPDATE lims.sample SET notes = 'x' WHERE organization_id = ?
            AND id = ?}, $sample->{id} ],
        [ 'a status', q{UPDATE lims.sample SET status = 'received' WHERE organization_id = ?
            AND id = ?}, $sample->{id} ],
        [ 'a test', q{INSERT INTO lims.sample_test (organization_id, test_definition_id, sample_id)
            SELECT d.organization_id, d.id, ?2 FROM lims.test_definition d WHERE d.organization_id = ?1
            AND d.code = 'PB'} =~ s/\?(\d)/\$$1/gr, $sample->{id} ],
        [ 'a result', q{UPDATE lims.sample_test SET result = 8 WHERE organization_id = ?
            AND id = ?}, $sample->{HEM} ],
        [ 'a verification', q{UPDATE lims.sample_test SET status = 'verified'
            WHERE organization_id = ? AND id = ?}, $sample->{PH} ],
        [ 'a cancelled test', q{SELECT lims.cancel_test(?, ?)}, $sample->{HEM} ],
        [ 'a retest', q{SELECT lims.retest(?, ?, 1)}, $sample->{HEM} ],
        [ 'a reading of a confirmation', q{INSERT INTO lims.confirmation_step (organization_id,
            sample_test_id, position, outcome) VALUES (?, ?, 1, 'gas')}, $sample->{EC} ],
        [ 'the outcome', q{UPDATE lims.sample_test SET confirmation_status = 'confirmed'
            WHERE organization_id = ? AND id = ?}, $sample->{EC} ],
        [ 'a value of a worksheet', q{INSERT INTO lims.worksheet_value (organization_id,
            worksheet_id, field_id, value) SELECT organization_id, $2, id, '1'
            FROM lims.worksheet_field WHERE organization_id = $1}, $sheet ],
        [ 'a worksheet', q{INSERT INTO lims.worksheet (organization_id, sample_test_id, template_id)
            SELECT $1, $2, id FROM lims.worksheet_template WHERE organization_id = $1
            AND name = 'HPC'}, $sample->{HPC} ],
        [ 'leaving a batch', q{DELETE FROM lims.qc_coverage WHERE organization_id = ?
            AND sample_test_id = ?}, $sample->{PH} ],
        [ 'joining a batch', q{INSERT INTO lims.qc_coverage (organization_id, sample_test_id,
            qc_batch_id) SELECT $1, $2, id FROM lims.qc_batch WHERE batch_number = 'Q2'},
            $sample->{PH} ],
        [ 'a decision', q{UPDATE lims.approval SET status = 'approved' WHERE organization_id = ?
            AND id = ?}, $approval ],
        [ 'a name', q{INSERT INTO lims.sample_name (organization_id, sample_id, name, reason)
            VALUES (?, ?, 'S1', 'x')}, $sample->{id} ],
    );
}

subtest 'nothing is done on a cancelled sample' => sub {
    my $sample = $base->sample($lab, qw(PH HEM EC HPC));
    my $app = as('lab_manager');
    my @mine = ($lab->{id});
    my $template = $base->insert('worksheet_template', { organization_id => $lab->{id},
        test_definition_id => $lab->{definition}{HEM}, name => 'HEM' });
    $base->insert('worksheet_template', { organization_id => $lab->{id},
        test_definition_id => $lab->{definition}{HPC}, name => 'HPC' });
    $base->insert('worksheet_field', { organization_id => $lab->{id},
        template_id => $template, position => 1, name => 'tare', label => 'Tare', kind => 'number' });
    my ($sheet) = $app->selectrow_array(q{INSERT INTO lims.worksheet (organization_id,
        sample_test_id, template_id) VALUES (?, ?, ?) RETURNING id}, undef, @mine,
        $sample->{HEM}, $template);
    my ($batch, $other) = map { $app->selectrow_array(q{INSERT INTO lims.qc_batch
        (organization_id, batch_number) VALUES (?, ?) RETURNING id}, undef, @mine, $_) } 'Q1', 'Q2';
    $app->do('INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
        VALUES (?, ?, ?)', undef, @mine, $sample->{PH}, $batch);
    $app->do(q{UPDATE lims.sample_test SET result = 'Present' WHERE organization_id = ?
        AND id = ?}, undef, @mine, $sample->{EC});
    $app->do(q{UPDATE lims.sample_test SET result = 7 WHERE organization_id = ? AND id = ?}, undef,
        @mine, $sample->{PH});
    $base->insert('reagent_lot', { organization_id => $lab->{id}, code => 'R1', name => 'Acid',
        lot_number => '1' });
    my $approval = $base->insert('approval', { organization_id => $lab->{id},
        sample_id => $sample->{id}, round => 1, step => 1, name => 'QA' });
    my @writes = writes_on($sample, $sheet, $approval);
    for my $disposition (qw(cancelled rejected)) {
        dispose('lab_manager', $sample, $disposition);
        refused($app, $_->[1], [ @mine, $_->[2] ], 'invalid_transition', "$_->[0], $disposition")
            for @writes;
        refused($app, q{INSERT INTO lims.lot_override (organization_id, sample_id, reagent_lot_id,
            reason) SELECT organization_id, $2, id, 'x' FROM lims.reagent_lot
            WHERE organization_id = $1}, [ @mine, $sample->{id} ], 'invalid_transition',
            "an override of a lot, $disposition");
        dispose('lab_manager', $sample, 'active');
    }
    for my $write (@writes) {
        $app->begin_work;
        ok(eval { $app->do($write->[1], undef, @mine, $write->[2]); 1 }, "active: $write->[0]")
            or diag($@);
        $app->rollback;
    }
};

subtest 'a batch that is evaluated does not stumble over it' => sub {
    my $sample = $base->sample($lab, 'PH');
    my $app = as('lab_manager');
    my ($batch) = $app->selectrow_array(q{INSERT INTO lims.qc_batch
        (organization_id, batch_number) VALUES (?, 'Q9') RETURNING id}, undef, $lab->{id});
    $app->do('INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
        VALUES (?, ?, ?)', undef, $lab->{id}, $sample->{PH}, $batch);
    $app->do(q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type,
        test_definition_id, criterion, measured_value, upper_limit) VALUES (?, ?, 'LRB', ?, 'maximum', 9, 1)},
        undef, $lab->{id}, $batch, $lab->{definition}{PH});
    dispose('lab_manager', $sample, 'cancelled');
    ok(eval { $app->selectrow_array('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id},
                $batch); 1 }, 'a batch with a cancelled sample is evaluated') or diag($@);
};

done_testing();
