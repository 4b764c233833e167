#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The lifecycle scan, in SQL: which events it writes and how often, what marks a sample as
# dirty, what the passing of time alone changes, and many scans at once.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar', coa_before_approval => 't');
my $last = 0;

sub act { my ($sql, @bind) = @_; return $base->app($lab)->do($sql, undef, @bind) }

# Batches until nothing is left; as the run-time role, who acts for nobody.
sub scan {
    my (%option) = @_;
    my $app = $base->app({ id => undef });
    my ($looked_at, $told) = (0, 0);

    for (1 .. $option{batches} || 1000) {
        my $done = $app->selectrow_hashref('SELECT * FROM lims.scan_samples(?)', undef,
            $option{limit} || 100);
        $looked_at += $done->{looked_at};
        $told      += $done->{told};
        last unless $done->{more};
    }
    $base->app($lab);
    return "$looked_at looked at, $told told";
}

# Returns the events of the scan since the last call: 'type {"member":value,...}'.
sub told {
    my $rows = $base->db->selectall_arrayref(
        q{SELECT id, type, data::text FROM lims.event
           WHERE id > ? AND (type IN ('sample.blocked', 'sample.ready_for_review',
                 'sample.ready_to_report', 'holding_time.expiring'))
           ORDER BY id}, undef, $last);
    $last = $rows->[-1][0] if @$rows;
    return [ map { "$_->[1] " . $_->[2] =~ s/" : /":/gr =~ s/, "/,"/gr =~ s/, \{/,{/gr } @$rows ];
}

sub types { return join ' ', map { /\A(?:sample\.)?(\S+)/ } @{ told() } }

my $sample   = $base->sample($lab, qw(PH PB));
my $tracking = $base->value('SELECT tracking_id FROM lims.sample WHERE id = ?', $sample->{id});
my @tests    = ($lab->{id}, $sample->{id});
my $enter    = 'UPDATE lims.sample_test SET result = ? WHERE organization_id = ? AND id = ?';
my $verify   = q{UPDATE lims.sample_test SET status = 'verified'
    WHERE organization_id = ? AND sample_id = ?};

sub lifecycle {
    my ($type, $status, @reasons) = @_;
    my $reasons = join ',', map {
        my ($category, $severity, $message) = @$_;
        qq({"category":"$category","severity":"$severity","message":"$message"})
    } @reasons;
    return qq($type {"sampleId":$sample->{id},"trackingId":"$tracking",)
        . qq("sampleIdentifier":"$tracking","clientName":"City of Riverbend",)
        . qq("status":"$status","reasons":[$reasons]});
}

# --- Each state -----------------------------------------------------------------

is(scan(), '1 looked at, 0 told', 'a new sample is looked at');
is_deeply(told(), [], 'in progress is no news');
is(scan(), '0 looked at, 0 told', 'nothing is due');

act($enter, '7', $lab->{id}, $sample->{PH});
act($enter, '3', $lab->{id}, $sample->{PB});
is(scan(), '1 looked at, 1 told', 'the scan looks at the sample whose results changed');
is_deeply(told(), [ lifecycle('sample.ready_for_review', 'pending',
        [ 'unverified_result', 'blocking', 'PH is not verified' ],
        [ 'unverified_result', 'blocking', 'PB is not verified' ]) ],
            'the scan emits sample.ready_for_review');
scan();
act($enter, '4', $lab->{id}, $sample->{PB});
is(scan(), '1 looked at, 0 told', 'looked at again, it is as it was');

my $batch = $base->insert('qc_batch', { organization_id => $lab->{id}, batch_number => 'Q1' });
my $control = $base->insert('qc_control', { organization_id => $lab->{id}, qc_batch_id => $batch,
    control_type => 'MB', criterion => 'maximum', measured_value => 1, upper_limit => 0.5 });
my $cover = 'INSERT INTO lims.qc_coverage (qc_batch_id, organization_id, sample_test_id)
    VALUES (?, ?, ?)';
act($cover, $batch, $lab->{id}, $sample->{PB});
scan();
is(types(), '', 'in a batch that is open');
$base->app($lab)->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $batch);
scan();
is_deeply(told(), [ lifecycle('sample.blocked', 'pending',
        [ 'qc_failed', 'blocking', 'QC batch Q1 failed and is not overridden' ],
        [ 'unverified_result', 'blocking', 'PH is not verified' ],
        [ 'unverified_result', 'blocking', 'PB is not verified' ]) ],
            'the scan emits sample.blocked');
act('UPDATE lims.qc_control SET measured_value = 0.1 WHERE organization_id = ? AND id = ?',
    $lab->{id}, $control);
scan();
is(types(), 'ready_for_review', 'an event for each time that a state is entered');
act($verify, @tests);
scan();
is_deeply(told(), [ lifecycle('sample.ready_to_report', 'pending') ],
    'sample.ready_to_report has no reasons');
act(q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ? AND id = ?}, @tests);
is(scan(), '1 looked at, 0 told', 'the scan emits no event for a report');
my $reported = $sample->{id};

# --- Time -----------------------------------------------------------------------

my $hold = $base->insert('test_definition', { organization_id => $lab->{id}, code => 'TSS',
    name => 'Suspended solids', holding_time_hours => 168 });
$lab->{definition}{TSS} = $hold;
$sample   = $base->sample($lab, qw(TSS TSS PH));
$tracking = $base->value('SELECT tracking_id FROM lims.sample WHERE id = ?', $sample->{id});

# As if so much time had passed: what the scan remembers moves with the sample.
sub collected {
    my ($ago) = @_;
    act(q{UPDATE lims.sample SET collected_at = now() - ?::interval WHERE organization_id = ?
        AND id = ?}, $ago, $lab->{id}, $sample->{id});
    return;
}
sub wait_for {
    my ($time) = @_;
    $base->superuser->do('SET session_replication_role = replica');
    $base->superuser->do('UPDATE lims.sample SET collected_at = collected_at - ?::interval
        WHERE id = ?', undef, $time, $sample->{id});
    $base->superuser->do('UPDATE lims.sample_test
        SET holding_expires_at = holding_expires_at - ?::interval
        WHERE sample_id = ?', undef, $time, $sample->{id});
    $base->superuser->do('UPDATE lims.sample_state_cache SET valid_until = valid_until - ?::interval
        WHERE sample_id = ?', undef, $time, $sample->{id});
    $base->superuser->do('RESET session_replication_role');
    return;
}
collected('100 hours');
scan();
is(types(), '', 'within its holding time');
is($base->value(q{SELECT extract(epoch FROM w.valid_until - s.collected_at)::integer / 3600
    FROM lims.sample_state_cache w JOIN lims.sample s ON s.id = w.sample_id WHERE s.id = ?},
    $sample->{id}), 144, 'it is looked at again when the warning begins');
wait_for('43 hours 59 minutes');
is(scan(), '0 looked at, 0 told', 'a minute before, nothing');
wait_for('2 minutes');
is(scan(), '1 looked at, 1 told', 'a minute after');
my $expires = $base->value(q{SELECT to_char((collected_at + interval '168 hours')
    AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') FROM lims.sample WHERE id = ?},
    $sample->{id});
my @open = map { [ 'incomplete_result', 'blocking', "$_ has no result" ] } qw(TSS TSS PH);
my $tail = qq(,"holdingStatus":"expiring_soon","expiresAt":"$expires",)
    . '"testNames":["Suspended solids","Suspended solids"]}';
is_deeply(told(), [ lifecycle('holding_time.expiring', 'pending', @open) =~ s/\}\z/$tail/r ],
    'the scan emits holding_time.expiring');
is(scan(), '0 looked at, 0 told', 'a second scan emits no event');
wait_for('23 hours 58 minutes');
scan();
is(types(), '', 'a minute before its end');
wait_for('2 minutes');
scan();
my ($expired) = @{ told() };
like($expired, qr/"category":"holding_time_expired","severity":"warning"/,
    'expired: its reasons say so');
like($expired, qr/"holdingStatus":"expired"/, 'the event says that the holding time has expired');
wait_for('1000 hours');
is(scan(), '0 looked at, 0 told', 'then time changes nothing any more');
collected('150 hours');
scan();
is(types(), 'holding_time.expiring', 'a corrected time is a change of its own');
act($enter, '5', $lab->{id}, $sample->{TSS});
scan();
$base->db->do(q{UPDATE lims.organization SET holding_warning_hours = 1 WHERE id = ?}, undef,
    $lab->{id});
is($base->value('SELECT count(*) FROM lims.organization_dirty'), 1,
    'a policy marks its organization, in one row');
is(scan(limit => 1), '1 looked at, 0 told',
    'the scan looks at the samples of the organization that are not reported');
is($base->value('SELECT count(*) FROM lims.organization_dirty'), 0, 'until it has been through');
is($base->value('SELECT holding_status FROM lims.sample_state_cache WHERE sample_id = ?',
    $sample->{id}), 'ok', 'the status is by the new policy');

# --- What marks -----------------------------------------------------------------

my ($pb, $ec) = map { $base->sample($lab, $_) } qw(PB EC);
my $hem  = $base->sample($lab, qw(HEM PH));
my $lot  = $base->insert('media_lot', { organization_id => $lab->{id}, code => 'M', name => 'M',
    lot_number => '1', medium => 'R2A' });
my $form = $base->insert('worksheet_template', { organization_id => $lab->{id},
    test_definition_id => $lab->{definition}{HEM}, name => 'Extraction' });
my $field = $base->insert('worksheet_field', { organization_id => $lab->{id},
    template_id => $form, name => 'tare', position => 1, required => 't' });
scan();

sub marked {
    my $ids = $base->db->selectcol_arrayref(
        q{SELECT DISTINCT sample_id FROM lims.sample_dirty UNION ALL
          SELECT -organization_id FROM lims.organization_dirty ORDER BY 1});
    scan();
    return join ' ', map { $_ < 0 ? 'all' : $_ } @$ids;
}

my @it = ($lab->{id}, $pb->{PB});
my @marks = (
    [ 'a result', $pb, $enter, '1', @it ],
    # The batch is evaluated: with a further test it may lack controls for all of its samples.
    [ 'its batch', "$reported $pb->{id}", $cover, $batch, @it ],
    [ 'the batch\'s status', "$reported $pb->{id}",
        'UPDATE lims.qc_control SET measured_value = 2 WHERE organization_id = ?', $lab->{id} ],
    [ 'a note on the batch', '', q{UPDATE lims.qc_batch SET notes = 'x' WHERE organization_id = ?},
        $lab->{id} ],
    [ 'its medium', $ec, 'UPDATE lims.sample_test SET media_lot_id = ? WHERE organization_id = ?
        AND id = ?', $lot, $lab->{id}, $ec->{EC} ],
    [ 'a test of the medium', $ec, q{INSERT INTO lims.media_qc_test (organization_id,
        media_lot_id, kind, outcome, performed_on) VALUES (?, ?, 'sterility', 'failed', now())},
        $lab->{id}, $lot ],
    [ 'a note on the medium', '', q{UPDATE lims.media_lot SET notes = 'x'
        WHERE organization_id = ?}, $lab->{id} ],
    [ 'a presumptive positive', $ec, $enter, 'Present', $lab->{id}, $ec->{EC} ],
    [ 'its confirmation', $ec, q{UPDATE lims.sample_test SET confirmation_status = 'refuted'
        WHERE organization_id = ? AND id = ?}, $lab->{id}, $ec->{EC} ],
    [ 'a worksheet', $hem, q{INSERT INTO lims.worksheet (organization_id, sample_test_id,
        template_id) VALUES (?, ?, ?)}, $lab->{id}, $hem->{HEM}, $form ],
    [ 'what is written on it', $hem, q{INSERT INTO lims.worksheet_value (organization_id,
        worksheet_id, field_id, value) SELECT organization_id, id, ?, '1' FROM lims.worksheet},
        $field ],
    [ 'a test more', $hem, 'INSERT INTO lims.sample_test (organization_id, sample_id,
        test_definition_id) VALUES (?, ?, ?)', $lab->{id}, $hem->{id}, $lab->{definition}{PB} ],
    [ 'a test less', $hem, 'DELETE FROM lims.sample_test WHERE id = ?', $hem->{PH} ],
    [ 'when it was taken', $hem, q{UPDATE lims.sample SET collection_date = '2026-01-05'
        WHERE organization_id = ? AND id = ?}, $lab->{id}, $hem->{id} ],
    [ 'its notes', '', q{UPDATE lims.sample SET notes = 'x' WHERE organization_id = ? AND id = ?},
        $lab->{id}, $hem->{id} ],
    [ 'its status', '', q{UPDATE lims.sample SET status = 'received' WHERE organization_id = ?
        AND id = ?}, $lab->{id}, $pb->{id} ],
    [ 'an investigation', $pb, q{INSERT INTO lims.investigation (organization_id, title, kind,
        sample_id, investigation_number) VALUES (?, 'x', 'deviation', ?, '')}, $lab->{id},
        $pb->{id} ],
    [ 'a definition', '', 'UPDATE lims.test_definition SET requires_worksheet = true,
        holding_time_hours = 1 WHERE organization_id = ? AND id = ?', $lab->{id},
        $lab->{definition}{PB} ],
    [ 'a policy', 'all', 'UPDATE lims.organization SET coa_before_approval = false WHERE id = ?',
        $lab->{id} ],
    [ 'a time zone', 'all', q{UPDATE lims.organization SET time_zone = 'America/Denver'
        WHERE id = ?}, $lab->{id} ],
    [ 'a name', '', q{UPDATE lims.organization SET name = 'x' WHERE id = ?}, $lab->{id} ],
    [ 'a step', 'all', q{INSERT INTO lims.approval_step (organization_id, position, name)
        VALUES (?, 1, 'Final')}, $lab->{id} ],
    [ 'an approval that is asked for', $ec, q{UPDATE lims.sample SET status = 'completed'
        WHERE organization_id = ? AND id = ?}, $lab->{id}, $ec->{id} ],
    [ 'its decision', $ec, q{UPDATE lims.approval SET status = 'approved'
        WHERE organization_id = ? AND sample_id = ?}, $lab->{id}, $ec->{id} ],
);
$base->db->do(q{SELECT set_config('lims.user_id', ?, false)}, undef, $lab->{user_id});
for my $mark (@marks) {
    my ($name, $whose, $sql, @bind) = @$mark;
    my $handle = $sql =~ /\A(?:DELETE|UPDATE lims.organization|INSERT INTO lims.approval_step)/ ? $base->db : $base->app($lab);
    eval { $handle->do($sql, undef, @bind) } or diag("$name: $@");
    is(marked(), ref $whose ? $whose->{id} : $whose, $whose ? "marked by $name" : "not by $name");
}

# --- Many at once ---------------------------------------------------------------

# Each of these samples enters one state, while six scans look for them, some of
# which are killed in the middle of a batch.
told();
my @crowd = map { $base->sample($lab, 'PH') } 1 .. 120;
$base->db->do('UPDATE lims.organization SET coa_before_approval = true');
scan();
my @outcome = $base->parallel(8, sub {
    my ($number) = @_;
    my $app = $base->app($number < 2 ? $lab : { id => undef });
    if ($number < 2) {
        $app->do($enter, undef, '7', $lab->{id}, $_->{PH})
            for @crowd[ $number * 60 .. $number * 60 + 59 ];
        return 'entered';
    }
    for (1 .. 60) {
        $app->begin_work if $number == 7;
        $app->do('SELECT lims.scan_samples(7)');
        $app->rollback if $number == 7;
        select undef, undef, undef, 0.01;
    }
    return 'scanned';
});
is(join(' ', sort @outcome), join(' ', ('entered') x 2, ('scanned') x 6),
    'nobody waits for ever, nobody fails');
scan();
my %heard;
$heard{$_}++ for @{ told() };
is(join(' ', map { scalar @$_ } [ values %heard ], [ grep { $_ == 1 } values %heard ]), '120 120',
    'one event for each sample');

# One organization's mass change does not keep the others waiting.
my $small = $base->laboratory(code => 'harbor');
my $few   = $base->sample($small, 'PH');
$base->db->do('INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT organization_id, id FROM lims.sample, generate_series(1, 20) WHERE organization_id = ?',
    undef, $lab->{id});
scan(limit => 50, batches => 1);
is($base->value('SELECT release_state FROM lims.sample_state_cache WHERE sample_id = ?', $few->{id}),
    'in_progress', 'the first batch has of both');
scan();

# A transaction that sees everything as of its beginning would not see what the scan
# removes.
my $app = $base->app($lab);
$app->do('BEGIN ISOLATION LEVEL REPEATABLE READ');
refused($app, 'SELECT lims.scan_samples(10)', [], '25000', 'not in a snapshot of the past');
$app->do('ROLLBACK');

done_testing();
