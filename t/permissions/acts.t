#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Permissions of the acts that matter most, which the database checks again, whoever
# writes: a person without the permission, a key that is another's, revoked or none, and a
# job do none of these acts.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base   = LIMS::Test::SQL->new;
my $lab    = $base->laboratory(code => 'cedar');
my $app    = $base->app($lab);
my @of     = (organization_id => $lab->{id});
my $number = 0;

sub person {
    my (@roles) = @_;
    my $id = $base->insert('user_account', { @of, email => 'p' . ++$number . '@cedar.example',
        display_name => "P $number", password_hash => 'set' });
    $base->insert('user_role', { @of, user_id => $id, role => $_ }) for @roles;
    return $id;
}

sub key {
    my ($person) = @_;
    return $base->key($lab, created_by => $person)->{key_id};
}

sub context {
    my (%setting) = @_;
    for my $name (qw(user_id api_key_id signature_id reason)) {
        $app->do('SELECT set_config(?, ?, true)', undef, "lims.$name", $setting{$name} // '');
    }
    return;
}

# Actors with and without the permission. A key's user is the person it acts for.
my %may   = (user_id => $lab->{user_id});
my $clerk = person('receiving_clerk');
my $spare = person('administrator');
my ($own, $others, $revoked) = (key($lab->{user_id}), key($spare), key($lab->{user_id}));
$base->db->do('UPDATE lims.api_key SET revoked_at = now() WHERE id = ?', undef, $revoked);
my @who = (
    [ 'a person without the permission' => { user_id => $clerk } ],
    [ 'a key of another'  => { %may, api_key_id => $others } ],
    [ 'a revoked key'     => { %may, api_key_id => $revoked } ],
    [ 'an unknown key' => { %may, api_key_id => 999_999 } ],
    [ 'a job'             => {} ],
);

# One act, with the state that it needs: { do, signed } of the run-time role.
sub act {
    my ($sql, @bind) = @_;
    return { sql => $sql, bind => \@bind };
}

sub set {
    my ($table, $id, $change) = @_;
    return act("UPDATE lims.$table SET $change WHERE organization_id = ? AND id = ?", $lab->{id},
        $id);
}

# The slug of the refusal, the SQLSTATE, or "done"; nothing stays.
sub outcome {
    my ($act, $context) = @_;
    my $signature;
    my $ok = eval {
        $app->begin_work;
        context(%$context);
        if (my $signs = $act->{signs}) {
            ($signature) = $app->selectrow_array('SELECT lims.sign(?, ?, ?, ?)', undef,
                $context->{user_id}, @$signs);
            context(%$context, signature_id => $signature, reason => 'a test');
        }
        else {
            context(%$context, reason => 'a test');
        }
        $app->do($act->{sql}, undef, ($signature) x !!$act->{names}, @{ $act->{bind} });
        1;
    };
    my $state = $ok ? 'done' : $app->state;
    $state = $app->pg_error_field('detail') if $state eq 'LM001';
    $app->rollback;
    return $state;
}

sub asked {
    my ($name, $act) = @_;
    subtest $name => sub {
        is(outcome($act, \%may), 'done', 'whoever has the permission') or diag($app->errstr);
        is(outcome($act, $who[0][1]), 'permission_required', $who[0][0]) or diag($app->errstr);
        for my $other (@who[ 1 .. $#who ]) {
            my $outcome = outcome($act, $other->[1]);
            isnt($outcome, 'done', "$other->[0]: $outcome");
            next if $act->{signs};    # which a key, and a job, does not
            like($outcome, qr/permission_required|LM401/, "$other->[0]: the refusal is for want of the permission");
        }
        return if $act->{signs};
        is(outcome($act, { %may, api_key_id => $own }), 'done', 'a key in force');
    };
    return;
}

# --- The acts ----------------------------------------------------------------------

# As the administrator, for good.
sub done {
    my ($sql, @bind) = @_;
    $app->begin_work;
    context(%may, reason => 'a test');
    $app->do($sql, undef, @bind);
    return $app->commit;
}

sub entered {
    my ($sample, $code) = @_;
    return done('UPDATE lims.sample_test SET result = 7 WHERE id = ?', $sample->{$code});
}

my $sample = $base->sample($lab, qw(PH PB));
entered($sample, $_) for qw(PH PB);
asked('verifying a result', set(sample_test => $sample->{PH}, q{status = 'verified'}));

done(q{UPDATE lims.sample_test SET status = 'verified' WHERE id = ?}, $sample->{PB});
my $reopen = act(q{UPDATE lims.sample_test SET status = 'entered', reopening_signature_id = ?
    WHERE organization_id = ? AND id = ?}, $lab->{id}, $sample->{PB});
asked('reopening it', { %$reopen, names => 1, signs => [ 'reopened', 'sample_test', $sample->{PB} ] });

my $batch = $base->insert('qc_batch', { @of, batch_number => 'Q1' });
$base->insert('qc_control', { @of, qc_batch_id => $batch, control_type => 'MB',
    criterion => 'maximum', measured_value => 9, upper_limit => 5 });
done('SELECT lims.evaluate_qc_batch(?, ?)', $lab->{id}, $batch);
my $override = act(q{UPDATE lims.qc_batch SET qc_status = 'overridden', override_reason = 'x',
    override_signature_id = ? WHERE organization_id = ? AND id = ?}, $lab->{id}, $batch);
asked('overriding a QC batch', { %$override, names => 1,
    signs => [ 'override', 'qc_batch', $batch ] });

my $whole = $base->sample($lab, 'PH');
entered($whole, 'PH');
done(q{UPDATE lims.sample_test SET status = 'verified' WHERE id = ?}, $whole->{PH});
done(q{UPDATE lims.sample SET status = 'verified' WHERE id = ?}, $whole->{id});
asked('reporting a sample', set(sample => $whole->{id}, q{status = 'reported'}));

$base->insert('approval_step', { @of, name => 'Review', position => 1 });
my $awaited = $base->sample($lab, 'PH');
entered($awaited, 'PH');
done(q{UPDATE lims.sample_test SET status = 'verified' WHERE id = ?}, $awaited->{PH});
done(q{UPDATE lims.sample SET status = 'completed' WHERE id = ?}, $awaited->{id});
my $approval = $base->value('SELECT id FROM lims.approval WHERE sample_id = ?', $awaited->{id});
asked('deciding an approval', set(approval => $approval, q{status = 'approved'}));

my $certified = $base->sample($lab, 'PH');
entered($certified, 'PH');
done(q{UPDATE lims.sample_test SET status = 'verified' WHERE id = ?}, $certified->{PH});
$base->db->do('UPDATE lims.approval_step SET active = false WHERE organization_id = ?', undef,
    $lab->{id});
done(q{UPDATE lims.sample SET status = 'verified' WHERE id = ?}, $certified->{id});
done(q{UPDATE lims.sample SET status = 'reported' WHERE id = ?}, $certified->{id});
asked('issuing a certificate', act('INSERT INTO lims.certificate (organization_id, sample_id)'
        . ' VALUES (?, ?)', $lab->{id}, $certified->{id}));

# --- What becomes of a report, a repetition, a lot, an investigation ---------------------

# As the administrator, signed, for good; the signature comes first.
sub done_signed {
    my ($signs, $sql, @bind) = @_;
    $app->begin_work;
    context(%may, reason => 'a test');
    my ($signature) = $app->selectrow_array('SELECT lims.sign(?, ?, ?, ?)', undef,
        $lab->{user_id}, @$signs);
    my ($id) = $app->selectrow_array($sql, undef, $signature, @bind);
    $app->commit;
    return $id;
}

my $first = 'INSERT INTO lims.certificate (organization_id, sample_id) VALUES (?, ?)';
done($first, $lab->{id}, $certified->{id});
my @amended = ('amended', 'sample', $certified->{id});
my $opens = 'INSERT INTO lims.amendment (signature_id, organization_id, sample_id, reason)'
    . q{ VALUES (?, ?, ?, 'the wrong well') RETURNING id};
asked('amending a report', { %{ act($opens, $lab->{id}, $certified->{id}) }, names => 1,
    signs => \@amended });

my $amendment = done_signed(\@amended, $opens, $lab->{id}, $certified->{id});
asked('issuing the next version', { %{ act('INSERT INTO lims.certificate (signature_id,'
        . ' organization_id, sample_id) VALUES (?, ?, ?)', $lab->{id}, $certified->{id}) },
    names => 1, signs => [ 'approved', 'amendment', $amendment ] });
my $withdraw = set(amendment => $amendment, q{status = 'withdrawn', close_reason = 'a test'});
is(outcome($withdraw, \%may), 'done', 'withdrawing an amendment');
is(outcome($withdraw, $who[0][1]), 'permission_required', 'withdrawing needs the permission');
is(outcome($withdraw, { %may, api_key_id => $own }), 'invalid_transition', 'a key does not withdraw');

my $twice = $base->sample($lab, 'PH');
entered($twice, 'PH');
my @of_test = ($lab->{id}, $twice->{PH});
asked('repeating a test', act('SELECT lims.retest(?, ?, 1)', @of_test));
asked('sending a result back', act('SELECT lims.return_test(?, ?, NULL)', @of_test));
asked('cancelling a test with a result', act('SELECT lims.cancel_test(?, ?)', @of_test));
done('SELECT lims.retest(?, ?, 1)', @of_test);
done(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ? AND id = ?},
    @of_test);
asked('choosing among repeated results', act('SELECT lims.choose_test(?, ?)', @of_test));
asked('cancelling a sample with results', set(sample => $twice->{id},
    q{disposition = 'cancelled'}));

my $lot = $base->insert('media_lot', { @of, code => 'M1', name => 'Agar', lot_number => '1',
    medium => 'R2A', qc_status => 'quarantined' });
$base->db->do('ALTER TABLE lims.sample_test DISABLE TRIGGER USER');
$base->db->do('UPDATE lims.sample_test SET media_lot_id = ? WHERE id = ?', undef, $lot,
    $twice->{PH});
$base->db->do('ALTER TABLE lims.sample_test ENABLE TRIGGER USER');
asked('overriding a lot', { %{ act('INSERT INTO lims.lot_override (signature_id, organization_id,'
        . q{ sample_id, media_lot_id, reason) VALUES (?, ?, ?, ?, 'a test')}, $lab->{id},
        $twice->{id}, $lot) }, names => 1, signs => [ 'override', 'sample', $twice->{id} ] });

my $investigation = $base->insert('investigation', { @of, title => 'Outside', kind => 'deviation',
    sample_id => $twice->{id} });
done('UPDATE lims.investigation SET retest_plan = ? WHERE organization_id = ? AND id = ?', 'Two',
    $lab->{id}, $investigation);
asked('approving a retest plan', { %{ act('UPDATE lims.investigation SET retest_plan_approved_at'
        . ' = now() WHERE organization_id = ? AND id = ?', $lab->{id}, $investigation) },
    signs => [ 'approved', 'investigation', $investigation ] });
asked('closing an investigation', { %{ act(q{UPDATE lims.investigation SET status = 'cancelled',
        conclusion = 'a test' WHERE organization_id = ? AND id = ?}, $lab->{id},
        $investigation) }, signs => [ 'closed', 'investigation', $investigation ] });

# --- Policies and people --------------------------------------------------------------

asked('changing a policy', act('UPDATE lims.organization SET oos_opens_investigation = false'
        . ' WHERE id = ?', $lab->{id}));
asked('adding a step of approval', act('INSERT INTO lims.approval_step (organization_id, name,'
        . q{ position) VALUES (?, 'Second', 7)}, $lab->{id}));
asked('giving a role a permission', act('INSERT INTO lims.role_permission (organization_id, role,'
        . q{ permission) VALUES (?, 'auditor', 'note.add')}, $lab->{id}));
asked('taking a permission away', act('DELETE FROM lims.role_permission WHERE organization_id = ?'
        . q{ AND role = 'analyst' AND permission = 'note.add'}, $lab->{id}));
asked('making a user', act('INSERT INTO lims.user_account (organization_id, email, display_name)'
        . q{ VALUES (?, 'new@cedar.example', 'New')}, $lab->{id}));
asked('changing a user', set(user_account => $clerk, q{display_name = 'Other'}));
asked('giving a role', act('INSERT INTO lims.user_role (organization_id, user_id, role)'
        . q{ VALUES (?, ?, 'analyst')}, $lab->{id}, $spare));
asked('taking a role away', act('DELETE FROM lims.user_role WHERE organization_id = ?'
        . ' AND user_id = ?', $lab->{id}, $clerk));
asked('unlocking an account', act('SELECT lims.unlock_account(?, ?)', $lab->{id}, $spare));
asked('giving a link', act(q{SELECT lims.give_link(?, ?, sha256('x'))}, $lab->{id}, $spare));
asked('changing a key', set(api_key => $others, 'revoked_at = now()'));

subtest 'within roles, a key does what its person may' => sub {
    my $verify = set(sample_test => $sample->{PH}, q{status = 'verified'});
    my %clerks = (user_id => $clerk, api_key_id => key($clerk));
    is(outcome($verify, \%clerks), 'done', 'without the policy the key verifies');
    $base->db->do('UPDATE lims.organization SET keys_within_roles = true WHERE id = ?', undef,
        $lab->{id});
    is(outcome($verify, \%clerks), 'permission_required',
        'with the policy the key does not verify');
    is(outcome($verify, { %may, api_key_id => $own }), 'done', 'somebody else\'s key may');
};

subtest 'what only the owner of the database sets' => sub {
    for my $change (q{plan = 'enterprise'}, 'api_access = true', 'active = true',
        'monthly_sample_allowance = 9', q{tracking_prefix = 'X'}, q{code = 'other'}) {
        is(outcome(act("UPDATE lims.organization SET $change WHERE id = ?", $lab->{id}), \%may),
            '42501', $change);
    }
    is(outcome(act(q{INSERT INTO lims.organization (code, name) VALUES ('x', 'X')}), \%may), '42501',
        'no other organization can be made');
};

done_testing();
