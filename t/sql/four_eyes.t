#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Policies of four eyes and of reasons, whoever writes: nobody verifies an own result, or
# approves what he or she verified; a result that stood, or a fact of a received sample,
# is changed with a reason.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my %person = (ana => $lab->{user_id});
my %role = (bo => 'lab_manager', cy => 'qa_officer', di => 'lab_manager');
for my $name (qw(bo cy di)) {
    $person{$name} = $base->insert('user_account', { organization_id => $lab->{id},
        email => "$name\@cedar.example", display_name => ucfirst $name, password_hash => 'set' });
}
$base->insert('user_role', { organization_id => $lab->{id}, user_id => $person{$_},
        role => $role{$_} }) for sort keys %role;

# The session of the run-time role, acting as the person; with further settings.
sub as {
    my ($name, %setting) = @_;
    my $app = $base->app({ %$lab, user_id => $person{$name} });
    $app->do('SELECT set_config(?, ?, false)', undef, "lims.$_", $setting{$_} // '')
        for qw(api_key_id reason);
    return $app;
}

sub policy {
    my (%column) = @_;
    $base->db->do("UPDATE lims.organization SET $_ = ? WHERE id = ?", undef, $column{$_}, $lab->{id})
        for sort keys %column;
    return;
}

sub set_test {
    my ($name, $test, %column) = @_;
    return as($name)->do('UPDATE lims.sample_test SET '
            . join(', ', map { "$_ = ?" } sort keys %column)
            . ' WHERE organization_id = ? AND id = ?', undef,
        @column{ sort keys %column }, $lab->{id}, $test);
}

my $verify = q{UPDATE lims.sample_test SET status = 'verified'
    WHERE organization_id = ? AND id = ?};

subtest 'nobody verifies an own result' => sub {
    my $sample = $base->sample($lab, qw(PH PB HPC));
    set_test('ana', $sample->{$_}, result => 7) for qw(PH PB HPC);
    as('ana')->do($verify, undef, $lab->{id}, $sample->{PB});
    policy(self_verification => 'refused');
    refused(as('ana'), $verify, [ $lab->{id}, $sample->{PH} ], 'self_verification',
        'who entered the value');
    my $lot = $base->insert('reagent_lot', { organization_id => $lab->{id}, code => 'R1',
        name => 'Acid', lot_number => '1' });
    set_test('bo', $sample->{PH}, reagent_lot_id => $lot);
    set_test('cy', $sample->{PH}, analyzed_at    => '2026-01-02');
    for my $name (qw(ana bo cy)) {
        refused(as($name), $verify, [ $lab->{id}, $sample->{PH} ], 'self_verification', $name);
    }
    set_test('bo', $sample->{PH}, qualifier => 'J');
    set_test('cy', $sample->{PH}, reagent_lot_id => undef);
    refused(as('ana'), $verify, [ $lab->{id}, $sample->{PH} ], 'self_verification',
        'the value is still hers, whoever qualified it');
    is(as('di')->do($verify, undef, $lab->{id}, $sample->{PH}), 1, 'another verifies it');
    set_test('bo', $sample->{HPC}, result => 8);
    is(as('ana')->do($verify, undef, $lab->{id}, $sample->{HPC}), 1,
        'a value that was replaced is nobody\'s');
    is($base->value('SELECT status FROM lims.sample_test WHERE id = ?', $sample->{PB}), 'verified',
        'what was verified before the policy stays so');
    policy(self_verification => 'allowed');
};

sub completed {
    my $sample = $base->sample($lab, 'PH');
    set_test('ana', $sample->{PH}, result => 7);
    as('bo')->do($verify, undef, $lab->{id}, $sample->{PH});
    as('ana')->do(q{UPDATE lims.sample SET status = 'completed'
        WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $sample->{id});
    return ($sample, @{ $base->db->selectcol_arrayref('SELECT id FROM lims.approval
        WHERE organization_id = ? AND sample_id = ? ORDER BY round DESC, step', undef, $lab->{id},
        $sample->{id}) });
}
my $approve = q{UPDATE lims.approval SET status = 'approved' WHERE organization_id = ? AND id = ?};

subtest 'who verified does not approve, nor one person twice' => sub {
    my $place = 0;
    $base->insert('approval_step', { organization_id => $lab->{id}, name => $_,
        position => ++$place }) for 'Technical review', 'Final approval';
    policy(approver_may_be_verifier => 'f');
    my ($sample, $first, $last) = completed();
    refused(as('bo'), $approve, [ $lab->{id}, $first ], 'self_approval', 'the verifier');
    is(as('di')->do($approve, undef, $lab->{id}, $first), 1, 'who did not verify approves');
    refused(as('di'), $approve, [ $lab->{id}, $last ], 'self_approval', 'a second step');
    is(as('cy')->do($approve, undef, $lab->{id}, $last), 1, 'a third person approves the second step');
    policy(approver_may_be_verifier => 't');
    (undef, $first, $last) = completed();
    is(as('bo')->do($approve, undef, $lab->{id}, $_), 1, 'without the policy one person may')
        for $first, $last;
};

# The approvals of the latest round of a sample that wait, first step first.
sub waiting {
    my ($sample) = @_;
    return @{ $base->db->selectcol_arrayref(q{SELECT id FROM lims.approval
        WHERE organization_id = ? AND sample_id = ? AND status = 'pending'
          AND round = (SELECT max(round) FROM lims.approval WHERE organization_id = ? AND sample_id = ?)
        ORDER BY step}, undef, ($lab->{id}, $sample->{id}) x 2) };
}

# bo and di have verified, and cy approved a step before she verifies.
subtest 'where all who could approve have verified, there is a way on' => sub {
    policy(approver_may_be_verifier => 'f');
    my $sample = $base->sample($lab, qw(PH PB HPC));
    set_test('ana', $sample->{$_}, result => 7) for qw(PH PB HPC);
    as('bo')->do($verify, undef, $lab->{id}, $sample->{PH});
    as('di')->do($verify, undef, $lab->{id}, $sample->{PB});
    as('ana')->do(q{UPDATE lims.sample SET status = 'completed'
        WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $sample->{id});
    my ($first) = waiting($sample);
    is(as('cy')->do($approve, undef, $lab->{id}, $first), 1, 'who verified nothing approves');
    is(as('cy')->do($verify, undef, $lab->{id}, $sample->{HPC}), 1, 'who approved may verify afterwards');
    my @again = waiting($sample);
    is(scalar @again, 2, 'a later result has all steps asked for again');
    refused(as($_), $approve, [ $lab->{id}, $again[0] ], 'self_approval', "now $_") for qw(bo cy di);

    my $app = as('cy');
    $app->begin_work;
    my $signature = signed($app, { %$lab, user_id => $person{cy} }, 'reopened', 'sample_test', $sample->{PH});
    $app->do(q{UPDATE lims.sample_test SET status = 'entered', reopening_signature_id = ?
        WHERE organization_id = ? AND id = ?}, undef, $signature, $lab->{id}, $sample->{PH});
    $app->commit;
    as('di')->do($verify, undef, $lab->{id}, $sample->{PH});
    is(as('bo')->do($approve, undef, $lab->{id}, (waiting($sample))[0]), 1,
        'a test that is reopened and verified by another frees who had verified it');
    policy(approver_may_be_verifier => 't');
};

subtest 'a step names a role' => sub {
    my $step = sub {
        $base->db->do(q{UPDATE lims.approval_step SET role = ? WHERE organization_id = ?
            AND position = 2}, undef, $_[0], $lab->{id});
    };
    $step->('microbiologist');
    my (undef, $first, $last) = completed();
    as('bo')->do($approve, undef, $lab->{id}, $first);
    my $words = refused(as('cy'), $approve, [ $lab->{id}, $last ], 'permission_required',
        'without the role');
    like($words, qr/approval\.decide.*microbiologist/, 'the message names the role');
    $step->('qa_officer');
    refused(as('cy', api_key_id => 1), $approve, [ $lab->{id}, $last ], 'permission_required', 'an API key');
    is(as('cy')->do($approve, undef, $lab->{id}, $last), 1,
        'the corrected policy frees what waits');

    # The second step ends while a round that asked for it waits.
    (undef, $first, $last) = completed();
    as('bo')->do($approve, undef, $lab->{id}, $first);
    $base->db->do('UPDATE lims.approval_step SET active = false WHERE organization_id = ?
        AND position = 2', undef, $lab->{id});
    refused(as('bo'), $approve, [ $lab->{id}, $last ], 'permission_required',
        'a step that the policy no longer has keeps its role');
    is(as('cy')->do($approve, undef, $lab->{id}, $last), 1, 'the kept role decides the step');
    $base->db->do('UPDATE lims.approval_step SET active = true WHERE organization_id = ?
        AND position = 2', undef, $lab->{id});
    $step->(undef);
};

subtest 'what stood is changed with a reason' => sub {
    my $sample = $base->sample($lab, 'PH');
    policy(reason_on_change => 't');
    set_test('ana', $sample->{PH}, result => 7);
    my $enter = 'UPDATE lims.sample_test SET result = ? WHERE organization_id = ? AND id = ?';
    refused(as('ana'), $enter, [ $_, $lab->{id}, $sample->{PH} ], 'reason_required',
        defined $_ ? 'another value' : 'a withdrawal') for 8, undef;
    is(set_test('ana', $sample->{PH}, notes => 'cloudy'), 1, 'a remark needs none');
    my $told = sub { return as('ana', reason => 'misread') };
    is($told->()->do($enter, undef, 8, $lab->{id}, $sample->{PH}), 1, 'with a reason');
    is($base->value(q{SELECT reason FROM lims.audit_entry WHERE table_name = 'sample_test'
        AND record_id = ? ORDER BY id DESC LIMIT 1}, $sample->{PH}), 'misread',
        'the trail keeps the reason');

    my $place = 'UPDATE lims.sample SET plant_location = ? WHERE organization_id = ? AND id = ?';
    is(as('ana')->do($place, undef, 'A', $lab->{id}, $sample->{id}), 1, 'before it is received');
    as('ana')->do(q{UPDATE lims.sample SET status = 'received' WHERE organization_id = ?
        AND id = ?}, undef, $lab->{id}, $sample->{id});
    refused(as('ana'), $place, [ 'B', $lab->{id}, $sample->{id} ], 'reason_required',
        'a fact of a received sample');
    is($told->()->do($place, undef, 'B', $lab->{id}, $sample->{id}), 1, 'with a reason');
    my $print = 'UPDATE lims.sample SET note_on_report = true WHERE organization_id = ? AND id = ?';
    refused(as('ana'), $print, [ $lab->{id}, $sample->{id} ], 'reason_required',
        'whether its notes are printed');
    my $add = 'INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
        SELECT organization_id, sample_id, test_definition_id FROM lims.sample_test
         WHERE organization_id = ? AND id = ?';
    refused(as('ana'), $add, [ $lab->{id}, $sample->{PH} ], 'reason_required', 'a test that is added');
    is($told->()->do($add, undef, $lab->{id}, $sample->{PH}), 1, 'with a reason it is added');
    is(as('ana')->do(q{UPDATE lims.sample SET priority = 'rush' WHERE organization_id = ?
        AND id = ?}, undef, $lab->{id}, $sample->{id}), 1, 'how urgent it is is no fact');
    policy(reason_on_change => 'f');
};

subtest 'an open investigation blocks the report by policy' => sub {
    my $sample = $base->sample($lab, 'PH');
    set_test('ana', $sample->{PH}, result => 3);    # out of specification
    as('bo')->do($verify, undef, $lab->{id}, $sample->{PH});
    my $report = q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ?
        AND id = ?};
    my $state = sub {
        return $base->value('SELECT release_state FROM lims.sample_release(?, ?)', $lab->{id},
            $sample->{id});
    };
    $base->db->do('UPDATE lims.approval_step SET active = false WHERE organization_id = ?', undef,
        $lab->{id});
    is($state->(), 'ready_to_report', 'without the policy it is advisory');
    policy(open_investigation_blocks => 't');
    is($state->(), 'blocked', 'with it the sample is blocked');
    refused(as('bo'), $report, [ $lab->{id}, $sample->{id} ], 'investigation_open', 'the report');
    policy(open_investigation_blocks => 'f');
    is(as('bo')->do($report, undef, $lab->{id}, $sample->{id}), 1, 'without it it is reported');
};

subtest 'a verification by somebody who approved asks for the approvals anew' => sub {
    $base->insert('approval_step', { organization_id => $lab->{id}, name => 'Release',
        position => 1 });
    policy(approver_may_be_verifier => 'f');
    my $sample = $base->sample($lab, 'PH');
    my $rounds = sub {
        return $base->db->selectcol_arrayref(q{SELECT round || ' ' || status FROM lims.approval
            WHERE organization_id = ? AND sample_id = ? ORDER BY round}, undef, $lab->{id},
            $sample->{id});
    };
    set_test('ana', $sample->{PH}, result => 7);
    as('ana')->do(q{UPDATE lims.sample SET status = 'completed'
        WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $sample->{id});
    my $id = $base->value('SELECT id FROM lims.approval WHERE sample_id = ?', $sample->{id});
    is(as('di')->do($approve, undef, $lab->{id}, $id), 1, 'approved before it is verified');
    is(as('di')->do($verify, undef, $lab->{id}, $sample->{PH}), 1, 'verified by the approver');
    is_deeply($rounds->(), [ '1 approved', '2 pending' ], 'another approves');
    policy(approver_may_be_verifier => 't');
};

subtest 'a signature for a change of policies that changes nothing is refused' => sub {
    my $signs = sub {
        my ($hours) = @_;
        my $app  = as('ana', reason => 'a test');
        my $done = eval {
            $app->begin_work;
            $app->do(q{SELECT set_config('lims.signature_id', ?, true)}, undef,
                signed($app, $lab, 'approved', organization => $lab->{id}));
            $app->do('UPDATE lims.organization SET holding_warning_hours = ? WHERE id = ?', undef,
                $hours, $lab->{id});
            $app->commit;
        };
        my $slug = $done ? 'done' : $app->pg_error_field('detail');
        $app->rollback unless $app->{AutoCommit};
        return $slug;
    };
    is($signs->(31), 'done', 'another value');
    is($signs->(31), 'invalid_transition', 'the same value, which somebody signed already');
    is($base->value(q{SELECT count(*) FROM lims.electronic_signature WHERE organization_id = ?
        AND table_name = 'organization'}, $lab->{id}), 1, 'one signature of the same value is kept');
};

subtest 'a permission that a policy needs is not taken away' => sub {
    my $take = sub {
        my ($name) = @_;
        my $app = as($name, reason => 'a test');
        my $done = eval {
            $app->begin_work;
            $app->do(q{DELETE FROM lims.role_permission WHERE organization_id = ?
                AND permission = 'result.verify'}, undef, $lab->{id});
            $app->commit;
        };
        my $slug = $done ? 'done' : $app->pg_error_field('detail');
        $app->rollback unless $app->{AutoCommit};
        return $slug;
    };
    $base->insert('user_role', { organization_id => $lab->{id}, user_id => $person{ana},
        role => 'administrator' }) unless $base->value(q{SELECT count(*) FROM lims.user_role
            WHERE user_id = ? AND role = 'administrator'}, $person{ana});
    policy(self_verification => 'refused');
    is($take->('ana'), 'policy_unsatisfiable', 'while results are verified by another person');
    is($base->value(q{SELECT count(*) > 0 FROM lims.role_permission WHERE organization_id = ?
        AND permission = 'result.verify'}, $lab->{id}), 1, 'no permission is taken away');
    policy(self_verification => 'allowed');
    is($take->('ana'), 'done', 'without the policy it may be');
};

done_testing();
