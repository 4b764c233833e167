#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Whatever changes a QC batch (an evaluation, a late control, an override, another number),
# by the functions or by direct SQL, at once with reports, verifications and decisions of
# its samples: each ends as one order of them would, and there is no deadlock.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);
my @of   = (organization_id => $lab->{id});

# Acts in a transaction that stays open a moment, and again where the database says so, as
# the service does: 'done', the refusal's slug, or the state of another error.
sub attempt {
    my ($handle, $act) = @_;
    for my $try (1 .. 20) {
        my $done = eval {
            $handle->begin_work;
            $act->($handle);
            select undef, undef, undef, 0.02;
            $handle->commit;
            1;
        };
        return 'done' if $done;
        my $why = $handle->state eq 'LM001' ? $handle->pg_error_field('detail') : $handle->state;
        $handle->rollback unless $handle->{AutoCommit};
        return $why if $why ne '40001';
        select undef, undef, undef, rand 0.02 * $try;
    }
    return '40001';
}

sub on {
    my ($sql, @bind) = @_;
    return sub { $_[0]->do($sql, undef, @bind) };
}

my $number = 0;

# Two samples with a verified result each, an approval, and a batch that covers both.
sub run_of_samples {
    my ($value) = @_;
    my $batch = $base->insert('qc_batch', { @of, batch_number => 'Q' . ++$number });
    my @samples = map { $base->sample($lab, 'PB') } 1 .. 2;

    $base->insert('qc_control', { @of, qc_batch_id => $batch, control_type => 'MB',
        criterion => 'maximum', measured_value => $value, upper_limit => 5 });
    for my $sample (@samples) {
        $app->do(q{UPDATE lims.sample_test SET result = '1' WHERE organization_id = ? AND id = ?},
            undef, $lab->{id}, $sample->{PB});
        $app->do('INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
            VALUES (?, ?, ?)', undef, $lab->{id}, $sample->{PB}, $batch);
    }
    $app->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $batch);
    return ($batch, @samples);
}

my %change = (
    'the evaluation' => sub {
        my ($batch) = @_;
        return on('SELECT lims.evaluate_qc_batch(?, ?)', $lab->{id}, $batch);
    },
    'a late control that fails' => sub {
        my ($batch) = @_;
        return on(q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type,
            criterion, measured_value, upper_limit) VALUES (?, ?, 'LCS', 'maximum', 9, 5)},
            $lab->{id}, $batch);
    },
    'another number' => sub {
        my ($batch) = @_;
        return on(q{UPDATE lims.qc_batch SET batch_number = batch_number || 'a'
            WHERE organization_id = ? AND id = ?}, $lab->{id}, $batch);
    },
    'a direct override' => sub {
        my ($batch) = @_;
        return sub {
            my ($handle) = @_;
            my $signature = signed($handle, $lab, 'override', 'qc_batch', $batch);
            $handle->do(q{UPDATE lims.qc_batch SET qc_status = 'overridden',
                override_reason = 'bias', override_signature_id = ?
                WHERE organization_id = ? AND id = ?}, undef, $signature, $lab->{id}, $batch);
        };
    },
);

sub verify {
    my ($sample) = @_;
    return on(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
        AND id = ?}, $lab->{id}, $sample->{PB});
}

sub status {
    my ($sample, $status) = @_;
    return on('UPDATE lims.sample SET status = ? WHERE organization_id = ? AND id = ?', $status,
        $lab->{id}, $sample->{id});
}

sub decide {
    my ($sample) = @_;
    return on(q{UPDATE lims.approval SET status = 'approved' WHERE organization_id = ?
        AND sample_id = ? AND status = 'pending'}, $lab->{id}, $sample->{id});
}

# Returns which of two acts happened first, as a session of the laboratory sees it.
sub order_of {
    my ($batch, $sample) = @_;
    return $base->db->selectrow_array(q{
        SELECT (SELECT min(e.id) FROM lims.event e WHERE e.type = 'sample.reported'
                   AND (e.data ->> 'sampleId')::bigint = ?),
               (SELECT max(e.id) FROM lims.event e WHERE e.type = 'qc.failed'
                   AND (e.data ->> 'qcBatchId')::bigint = ?)}, undef, $sample->{id}, $batch);
}

my (%outcome, @torn);
sub race {
    my ($name, $batch, $samples, @acts) = @_;
    my @ended = $base->parallel(scalar @acts,
        sub { my ($place) = @_; return attempt($base->app($lab), $acts[$place]) });

    $outcome{$name}{"@ended"}++;
    for my $sample (@$samples) {
        my ($reported, $failed) = order_of($batch, $sample);
        my $standing = $base->value('SELECT qc_status FROM lims.qc_batch WHERE id = ?', $batch);
        push @torn, "$name: @ended" if $reported && $failed && $failed < $reported
            && $standing eq 'failed';
    }
    return @ended;
}

my $allowed = qr/\A(?:done|qc_failed|incomplete_sample|invalid_transition|approval_required
    |test_verified_locked)\z/x;

sub judged {
    my ($name) = @_;
    my %seen = map { $_ => 1 } map { split / / } keys %{ $outcome{$name} };
    is(join(' ', grep { !/$allowed/ } sort keys %seen), '',
        "$name: what is refused is refused by a rule") or diag(explain($outcome{$name}));
    return;
}

for my $name (sort keys %change) {
    my $override = $name eq 'a direct override';
    for my $round (1 .. 3) {
        my ($batch, @samples) = run_of_samples($override ? 9 : 1);
        my $change = $change{$name}->($batch);
        if ($override) {
            race("$name and verifications", $batch, \@samples, $change, map { verify($_) } @samples);
            next;
        }
        attempt($app, verify($_)) for @samples;
        race("$name and reports", $batch, \@samples, $change,
            map { status($_, 'reported') } @samples);
    }
    judged($_) for grep { /\A\Q$name\E/ } sort keys %outcome;
}

# With approvals, which are asked for again: the batch's change writes to its samples.
$base->insert('approval_step', { @of, name => 'Review', position => 1 });
for my $name (sort keys %change) {
    my $override = $name eq 'a direct override';
    for my $round (1 .. 3) {
        my ($batch, @samples) = run_of_samples($override ? 9 : 1);
        my $change = $change{$name}->($batch);
        attempt($app, verify($_)) for $override ? () : @samples;
        attempt($app, status($_, 'completed')) for @samples;
        attempt($app, decide($samples[1]));
        race("$name and decisions", $batch, \@samples, $change, decide($samples[0]),
            status($samples[1], 'reported'));
    }
    judged("$name and decisions");
}

# Two batches that cover the same samples.
for my $round (1 .. 4) {
    my ($batch, @samples) = run_of_samples(1);
    my ($second) = run_of_samples(1);
    $app->do('INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
        VALUES (?, ?, ?)', undef, $lab->{id}, $_->{PB}, $second) for @samples;
    attempt($app, verify($_)) for @samples;
    attempt($app, status($_, 'completed')) for @samples;
    attempt($app, decide($_)) for @samples;
    race('two batches of the same samples', $batch, \@samples,
        map { $change{'a late control that fails'}->($_) } $batch, $second);
    race('two batches of the same samples', $batch, \@samples,
        map { $change{'another number'}->($_) } $batch, $second);
}
judged('two batches of the same samples');

is_deeply(\@torn, [], 'no sample is reported behind a batch that had failed');

# Direct SQL does not wait for samples that somebody else has, but begins again.
my ($batch, @samples) = run_of_samples(1);
my $holder = $base->app($lab);
$holder->begin_work;
$holder->do('SELECT FROM lims.sample WHERE organization_id = ? AND id = ? FOR NO KEY UPDATE', undef,
    $lab->{id}, $samples[0]{id});
my $other = LIMS::Instance::connect_database($base->{database}, 'lims_app');
$other->do(q{SELECT set_config('lims.organization_id', ?, false), set_config('lims.user_id', ?, false),
    set_config('lock_timeout', '5s', false)}, undef, @$lab{qw(id user_id)});
ok(!eval { $change{'another number'}->($batch)->($other); 1 }, 'a batch whose samples are held');
is($other->state, '40001', 'a batch whose samples are held is to be changed later');
$holder->rollback;
ok(eval { $change{'another number'}->($batch)->($other); 1 },
    'the change is made afterwards') or diag($@);
$other->disconnect;
done_testing();
