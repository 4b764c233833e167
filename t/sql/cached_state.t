#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The cached state of a sample, after random actions of one and of many processes: wherever
# it is marked valid, it equals the state worked out from everything that it depends on.
# LIMS_SEED repeats a run, LIMS_ACTS lengthens it.
use strict;
use warnings;

use LIMS::Test::SQL;

my $seed = $ENV{LIMS_SEED} || time;
srand $seed;
note("LIMS_SEED=$seed");

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my @mine = (organization_id => $lab->{id});

sub one_of { return $_[ rand @_ ] }
sub chance { return rand() < $_[0] }

$lab->{definition}{TSS} = $base->insert('test_definition', { @mine, code => 'TSS',
    name => 'Solids', holding_time_hours => 48 });
my @lots    = map { $base->insert('media_lot', { @mine, code => "M$_", name => "M$_",
    lot_number => $_, medium => 'R2A' }) } 1 .. 2;
my @batches = map { $base->insert('qc_batch', { @mine, batch_number => "Q$_" }) } 1 .. 3;
my $form    = $base->insert('worksheet_template', { @mine,
    test_definition_id => $lab->{definition}{HEM}, name => 'Extraction' });
my $field   = $base->insert('worksheet_field', { @mine, template_id => $form, name => 'tare',
    position => 1, required => 't' });
# The method of a test, which may require quality control, and which takes few samples a batch.
$base->db->do(q{UPDATE lims.test_definition SET method = 'EPA 150.1' WHERE id = ?}, undef,
    $lab->{definition}{PH});
my $asked = $base->insert('qc_template', { @mine, method => 'EPA 150.1', name => 'pH',
    per_samples => 2 });
$base->insert('qc_template_control', { @mine, template_id => $asked, position => 1,
    control_type => 'MB', criterion => 'maximum', upper_limit => 5 });
my @samples = map { $base->sample($lab, grep { chance(0.6) } sort keys %{ $lab->{definition} }) }
    1 .. 12;
$base->db->do(q{SELECT set_config('lims.user_id', ?, false)}, undef, $lab->{user_id});

# As the run-time role, and as the owner where only that may; dies of a SQLSTATE.
sub attempt {
    my ($handle, $sql, @bind) = @_;
    local $handle->{PrintError} = 0;
    eval { $handle->do($sql, undef, @bind, $lab->{id}); 1 } or die $handle->state . " $@";
    return;
}
sub act   { return attempt($base->app($lab), @_) }
sub owner { return attempt($base->db,        @_) }
sub some  { return one_of(@samples)->{id} }

sub test {
    my $sample = one_of(@samples);
    my @codes  = grep { $_ ne 'id' } keys %$sample;
    return @codes ? $sample->{ one_of(@codes) } : 0;
}

my %act = (
    enter => [ 8, sub { act('UPDATE lims.sample_test SET result = ? WHERE id = ?
        AND organization_id = ?', one_of(qw(5 7 Present Absent 100 <1), ''), test()) } ],
    analysed => [ 1, sub { act(q{UPDATE lims.sample_test SET analyzed_at = now() - ?::interval
        WHERE id = ? AND organization_id = ?}, one_of('1 minute', '1 day'), test()) } ],
    verify => [ 6, sub { act(q{UPDATE lims.sample_test SET status = 'verified' WHERE id = ?
        AND organization_id = ?}, test()) } ],
    confirm => [ 4, sub { act('UPDATE lims.sample_test SET confirmation_status = ? WHERE id = ?
        AND organization_id = ?', one_of(qw(confirmed refuted)), test()) } ],
    cover => [ 3, sub { act('INSERT INTO lims.qc_coverage (qc_batch_id, sample_test_id,
        organization_id) VALUES (?, ?, ?)', one_of(@batches), test()) } ],
    uncover => [ 1, sub { act('DELETE FROM lims.qc_coverage WHERE sample_test_id = ?
        AND organization_id = ?', test()) } ],
    medium => [ 3, sub { act('UPDATE lims.sample_test SET media_lot_id = ? WHERE id = ?
        AND organization_id = ?', one_of(@lots, undef), test()) } ],
    schedule => [ 1, sub { act('INSERT INTO lims.sample_test (sample_id, test_definition_id,
        organization_id) VALUES (?, ?, ?)', some(), one_of(values %{ $lab->{definition} })) } ],
    cancel => [ 1, sub { owner('DELETE FROM lims.sample_test WHERE id = ? AND organization_id = ?',
        test()) } ],
    control => [ 3, sub { act(q{INSERT INTO lims.qc_control (qc_batch_id, control_type, criterion,
        measured_value, upper_limit, organization_id) VALUES (?, 'MB', 'maximum', ?, 5, ?)},
        one_of(@batches), one_of(1, 9)) } ],
    remeasure => [ 2, sub { act('UPDATE lims.qc_control SET measured_value = ? WHERE qc_batch_id = ?
        AND organization_id = ?', 1, one_of(@batches)) } ],
    evaluate => [ 3, sub { act('SELECT lims.evaluate_qc_batch(b.organization_id, b.id)
        FROM lims.qc_batch b WHERE b.id = ? AND b.organization_id = ?', one_of(@batches)) } ],
    medium_test => [ 2, sub { act(q{INSERT INTO lims.media_qc_test (media_lot_id, kind, outcome,
        performed_on, organization_id) VALUES (?, 'sterility', ?, now() - interval '1 day', ?)},
        one_of(@lots), one_of(qw(passed failed))) } ],
    worksheet => [ 2, sub { act('INSERT INTO lims.worksheet (template_id, sample_test_id,
        organization_id) VALUES (?, ?, ?)', $form, test()) } ],
    fill => [ 3, sub { act('INSERT INTO lims.worksheet_value (field_id, value, worksheet_id,
        organization_id) SELECT ?, ?, w.id, w.organization_id FROM lims.worksheet w
        WHERE w.sample_test_id = ? AND w.organization_id = ?', $field, one_of('1', ' '), test()) } ],
    refill => [ 2, sub { act('UPDATE lims.worksheet_value SET value = ? WHERE field_id = ?
        AND organization_id = ?', one_of('2', ''), $field) } ],
    status => [ 4, sub { act('UPDATE lims.sample SET status = ? WHERE id = ?
        AND organization_id = ?', one_of(qw(received processing completed verified)), some()) } ],
    decide => [ 3, sub { act(q{UPDATE lims.approval SET status = ?, comment = 'x'
        WHERE sample_id = ? AND organization_id = ?}, one_of(qw(approved rejected)), some()) } ],
    collected => [ 3, sub { act(q{UPDATE lims.sample SET collected_at = now() - ?::interval
        WHERE id = ? AND organization_id = ?}, one_of('1 hour', '25 hours', '50 hours'), some()) } ],
    day => [ 1, sub { act('UPDATE lims.sample SET collected_at = NULL, collection_date = ?
        WHERE id = ? AND organization_id = ?', one_of('2026-01-05', undef), some()) } ],
    straight => [ 2, sub {
        my $sample = $base->sample($lab, 'PH');
        act(q{UPDATE lims.sample_test SET result = '7' WHERE id = ? AND organization_id = ?},
            $sample->{PH});
        act(q{UPDATE lims.sample_test SET status = 'verified' WHERE id = ?
            AND organization_id = ?}, $sample->{PH});
        act(q{UPDATE lims.sample SET status = 'completed' WHERE id = ? AND organization_id = ?},
            $sample->{id});
        act(q{UPDATE lims.approval SET status = 'approved' WHERE id IN (SELECT a.id
            FROM lims.approval a WHERE a.sample_id = ? ORDER BY a.step) AND organization_id = ?},
            $sample->{id});
        push @samples, $sample;
    } ],
    report => [ 3, sub { act(q{UPDATE lims.sample SET status = 'reported' WHERE id = (
        SELECT min(w.sample_id) FROM lims.sample_state_cache w
         WHERE w.release_state = 'ready_to_report') AND organization_id = ?}) } ],
    register => [ 1, sub { act(q{INSERT INTO lims.sample (material_type_id, client_name,
        organization_id) VALUES (?, 'x', ?)}, $lab->{material}) } ],
    policy => [ 1, sub { owner('UPDATE lims.organization SET coa_before_approval = ?,
        holding_warning_hours = ? WHERE id = ?', one_of(qw(t f)), one_of(1, 24, 30)) } ],
    qc_policy => [ 1, sub { owner('UPDATE lims.organization SET qc_required = ? WHERE id = ?',
        one_of(qw(off warn block block))) } ],
    limit => [ 1, sub { act('UPDATE lims.qc_control SET upper_limit = ? WHERE qc_batch_id = ?
        AND organization_id = ?', one_of(5, 9), one_of(@batches)) } ],
    zone => [ 1, sub { owner('UPDATE lims.organization SET time_zone = ? WHERE id = ?',
        one_of('UTC', 'Pacific/Auckland', 'America/Denver')) } ],
    step => [ 0.5, sub { owner('INSERT INTO lims.approval_step (position, name, organization_id)
        VALUES (?, ?, ?)', one_of(1, 2), 'Step') } ],
    step_ends => [ 0.5, sub { owner('UPDATE lims.approval_step SET active = false WHERE position = ?
        AND organization_id = ?', one_of(1, 2)) } ],
    scan => [ 8, sub { act('SELECT lims.scan_samples(?) FROM lims.organization WHERE id = ?',
        one_of(1, 4, 100)) } ],
);
my @hat = map { ($_) x (2 * $act{$_}[0]) } sort keys %act;
my %outcome;
my @states = qw(blocked in_progress ready_for_review ready_to_report reported);
my ($number, %trusted) = (0);

# Draws a random act; refusals by a rule, a key or the order of locks are outcomes that
# the test wants.
sub draw {
    my @undone = grep { !$outcome{$_}{done} } sort keys %act;
    my @ways   = @undone && chance(0.2) ? @undone : @hat;
    # A state that did not come by itself: a sample goes straight to its report.
    @ways = qw(straight scan) if $number >= 300 && chance(0.3) && grep { !$trusted{$_} } @states;
    my $name = one_of(@ways);
    my $done = eval { $act{$name}[1]->(); 1 };

    die "$name: $@" if !$done && $@ !~ /\A(?:LM001|23503|23505|40P01) /;
    $outcome{$name}{ $done ? 'done' : 'refused' }++;
    return $name;
}

# [sample, kept, worked out] of those that are to be trusted and should not be,
# and of those whose record says otherwise.
sub wrong {
    my $rows = $base->db->selectall_arrayref(
        q{SELECT s.id, k.release_state, k.holding_status, r.release_state, r.holding_status,
                 k.blocker_count, r.blocker_count, k.findings::text, r.findings::text
            FROM lims.sample s
           CROSS JOIN LATERAL lims.cached_sample_state(s.organization_id, s.id) k
           CROSS JOIN LATERAL lims.sample_release(s.organization_id, s.id) r
           WHERE (k.release_state, k.holding_status, k.blocker_count, k.findings) IS DISTINCT FROM
                 (r.release_state, r.holding_status, r.blocker_count, r.findings)
           UNION ALL
          SELECT s.id, v."releaseState", v."holdingStatus", r.release_state, r.holding_status,
                 NULL, NULL, NULL, NULL
            FROM lims.sample s
            JOIN lims.sample_record v USING (organization_id, id)
           CROSS JOIN LATERAL lims.sample_release(s.organization_id, s.id) r
           WHERE (v."releaseState", v."holdingStatus") IS DISTINCT FROM
                 (r.release_state, r.holding_status)});
    return join '; ', map { join ' ', map { $_ // '-' } @$_ } @$rows;
}

# At least so many, and on until every act was done and every state trusted.
my $bad = '';

sub is_enough {
    return 0 if $number < ($ENV{LIMS_ACTS} || 300);
    return 1 if $number >= 2000;
    return !grep({ !$outcome{$_}{done} } keys %act) && !grep { !$trusted{$_} } @states;
}

while (!$bad && !is_enough()) {
    my $name = draw();
    my $why  = wrong();
    $number++;
    $bad = "after $name ($number): $why" if $why;
    $trusted{$_}++ for @{ $base->db->selectcol_arrayref(
            q{SELECT k.release_state FROM lims.sample s
               CROSS JOIN LATERAL lims.cached_sample_state(s.organization_id, s.id) k}) };
}
is($bad, '', "$number acts: what is trusted is what is");
note(join ', ', map { "$_ $trusted{$_}" } sort keys %trusted);
note(join ', ', map { "$_ " . join '/', map { $_ // 0 } @{ $outcome{$_} }{qw(done refused)} }
        sort keys %outcome);
is(join(' ', grep { !$outcome{$_}{done} } sort keys %act), '', 'every kind of action was done');
is(join(' ', sort keys %trusted), "@states", 'every state was valid in the cache at some time');

# Many at once, in transactions that overlap; a look between the rounds.
for my $round (1 .. 5) {
    my @done = $base->parallel(6, sub {
        my ($number) = @_;
        srand $seed * 100 + $round * 10 + $number;
        $base->db->do(q{SELECT set_config('lims.user_id', ?, false)}, undef, $lab->{user_id});
        my $app = $base->app($lab);
        for (1 .. 15) {
            $app->begin_work;
            draw();
            select undef, undef, undef, rand 0.01;
            $app->commit;
        }
        return 'done';
    });
    is(wrong(), '', "round $round of many at once") || last;
    is(join(' ', grep { !/\Adone/ } @done), '', "round $round: all went through");
}
1 while $base->db->selectrow_array('SELECT more FROM lims.scan_samples(100)');
is(wrong(), '', 'in the end every valid cached state is correct');
is($base->value('SELECT count(*) FROM lims.sample s WHERE NOT EXISTS (
    SELECT FROM lims.cached_sample_state(s.organization_id, s.id))'), 0,
        'in the end every sample has a valid cached state');

done_testing();
