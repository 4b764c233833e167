#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Holding times in SQL: from the start of the collection day in the laboratory's time zone,
# or from the minute where it is known, to the analysis or to now.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar', time_zone => 'America/Denver');
my $app  = $base->app($lab);
my %hours = (PH => '0.25', PB => 48, HPC => 8);
$base->db->do('UPDATE lims.test_definition SET holding_time_hours = ? WHERE id = ?', undef,
    $hours{$_}, $lab->{definition}{$_}) for sort keys %hours;

sub collected {
    my ($sample, $column, $value) = @_;
    my $other = $column eq 'collected_at' ? 'collection_date' : 'collected_at';
    return $app->do("UPDATE lims.sample SET $column = $value, $other = NULL
                      WHERE organization_id = ? AND id = ?", undef, $lab->{id}, $sample->{id});
}

sub status_of {
    my ($test) = @_;
    return $app->selectrow_array('SELECT "holdingStatus" FROM lims.sample_test_record
        WHERE organization_id = ? AND id = ?', undef, $lab->{id}, $test);
}

sub expiry {
    my ($test) = @_;
    return $app->selectrow_array(
        q{SELECT to_char("holdingExpiresAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
            FROM lims.sample_test_record WHERE organization_id = ? AND id = ?}, undef,
        $lab->{id}, $test);
}

sub sample_status {
    my ($sample) = @_;
    return $app->selectrow_array('SELECT "holdingStatus" FROM lims.sample_record
        WHERE organization_id = ? AND id = ?', undef, $lab->{id}, $sample->{id});
}

my $sample = $base->sample($lab, qw(PH PB HPC EC));
is(status_of($sample->{PB}), undef,
    'a test of a sample without collection date has no holding status');
is(sample_status($sample), undef, 'a sample without collection date has no holding status');

# When it ends. Denver: UTC-7 in winter, UTC-6 in summer.
collected($sample, 'collection_date', q{'2026-01-10'});
is(expiry($sample->{PB}), '2026-01-12 07:00',
    'the holding time runs from the start of the collection day');
collected($sample, 'collection_date', q{'2026-07-10'});
is(expiry($sample->{PB}), '2026-07-12 06:00', 'in summer too, by the laboratory\'s time zone');
collected($sample, 'collection_date', q{'2026-03-08'});
is(expiry($sample->{PB}), '2026-03-10 07:00', '48 hours are 48 hours when the clocks change');
collected($sample, 'collected_at', q{'2026-01-10T15:20:00Z'});
is(expiry($sample->{PB}), '2026-01-12 15:20',
    'the holding time runs from the minute, where it is known');
is(expiry($sample->{PH}), '2026-01-10 15:35', 'a holding time of fifteen minutes');
is(expiry($sample->{EC}), undef, 'a test without a holding time has no end');

# Expected states, with a warning a day ahead.
my @cases = (
    [ '1 hour',   ok            => 'a day and more is left' ],
    [ '23 hours', ok            => 'just so' ],
    [ '25 hours', expiring_soon => 'less than a day' ],
    [ '47 hours', expiring_soon => 'an hour' ],
    [ '49 hours', expired       => 'none' ],
);
for my $case (@cases) {
    my ($ago, $status, $name) = @$case;
    collected($sample, 'collected_at', "now() - interval '$ago'");
    is(status_of($sample->{PB}), $status, "$ago ago: $name");
}
$base->db->do('UPDATE lims.organization SET holding_warning_hours = 2 WHERE id = ?', undef,
    $lab->{id});
collected($sample, 'collected_at', q{now() - interval '25 hours'});
is(status_of($sample->{PB}), 'ok', 'the window of the warning is a policy');

# An analysed test is judged by when it was analysed.
sub analysed {
    my ($test, $result, $ago) = @_;
    return $app->do(q{UPDATE lims.sample_test SET result = ?, analyzed_at = now() - ?::interval
                       WHERE organization_id = ? AND id = ?},
        undef, $result, $ago, $lab->{id}, $test);
}
collected($sample, 'collected_at', q{now() - interval '60 hours'});
is(status_of($sample->{PB}), 'expired', 'the holding time is over');
analysed($sample->{PB}, undef, '13 hours');
is(status_of($sample->{PB}), 'ok', 'a test analysed in time is ok');
analysed($sample->{PB}, '3', '11 hours');
is(status_of($sample->{PB}), 'expired', 'a test analysed too late is expired');
is(
    $app->selectrow_array(
        q{SELECT severity || ': ' || message FROM lims.release_finding
           WHERE organization_id = ? AND sample_id = ? AND category = 'holding_time_expired'
             AND sample_test_id = ?}, undef, $lab->{id}, $sample->{id}, $sample->{PB}),
    'warning: PB was not analysed within its holding time', 'the finding is a warning');
analysed($sample->{PB}, '3', undef);
is(status_of($sample->{PB}), 'expired', 'a result without a time was analysed when it was entered');

# The sample's is the worst of its open tests.
collected($sample, 'collected_at', q{now() - interval '7 hours'});
is(join(' ', map { status_of($sample->{$_}) } qw(PH HPC PB)), 'expired expiring_soon ok',
    'three tests with a status each');
is(sample_status($sample), 'expired', 'the sample has the worst status');
my $release = $app->selectrow_hashref('SELECT * FROM lims.sample_release(?, ?)', undef, $lab->{id},
    $sample->{id});
is_deeply($release->{holding_test_names}, ['pH'], 'the sample names the tests of that status');
analysed($sample->{PH}, '7', '1 minute');
$app->do(q{UPDATE lims.sample_test SET status = 'verified'
            WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $sample->{PH});
is(sample_status($sample), 'expiring_soon', 'a verified test is no longer open');

# Returns the verdict kept with the test. It follows the facts, whoever changes them,
# without a trace of its own: a record agrees with every filter.
sub kept {
    my ($test) = @_;
    return join ' ', map { $_ // '-' } $app->selectrow_array(
        q{SELECT to_char(holding_expires_at AT TIME ZONE 'UTC', 'DD HH24:MI'),
                 holding_met::int, work_priority
            FROM lims.sample_test WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $test);
}

sub change {
    my ($id, $set) = @_;
    return $app->do("UPDATE lims.sample SET $set WHERE organization_id = ? AND id = ?", undef,
        $lab->{id}, $id);
}
my $trail = q{SELECT count(*) FROM lims.audit_entry WHERE table_name = 'sample_test'};
my $next  = $base->sample($lab, qw(PB EC));
my ($lead, $plain) = @$next{qw(PB EC)};
is(kept($lead), '- - 3', 'a sample that was not taken yet');
my $before = $base->value($trail);
my $stamp  = $base->value('SELECT updated_at FROM lims.sample_test WHERE id = ?', $lead);
collected($next, 'collection_date', q{'2026-01-10'});
is(kept($lead), '12 07:00 - 3', 'a sample that was taken');
is(kept($plain), '- - 3', 'a test without a holding time keeps none');
change($next->{id}, q{priority = 'stat'});
is(kept($lead), '12 07:00 - 1', 'made urgent');
is($base->value($trail), $before, 'the trail of the test has no entry of it');
is($base->value('SELECT updated_at FROM lims.sample_test WHERE id = ?', $lead), $stamp,
    'the test is not changed');
analysed($lead, '4', '1 minute');
is(kept($lead), '12 07:00 0 1', 'analysed too late');
$app->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ? AND id = ?},
    undef, $lab->{id}, $lead);
collected($next, 'collected_at', q{now() - interval '1 hour'});
is(status_of($lead), 'ok', 'the sample was taken later: a verified test is judged by that too');
$app->do(q{SELECT * FROM lims.enter_results(?, ?::jsonb)}, undef, $lab->{id},
    qq([{"sampleTestId":$plain,"result":"4"}]));
is(kept($plain), '- - 1', 'entered with others, without a holding time');
my $other = $base->sample($lab, qw(PB));
collected($other, 'collection_date', q{'2026-01-10'});
$app->do(q{SELECT * FROM lims.enter_results(?, ?::jsonb)}, undef, $lab->{id},
    qq([{"sampleTestId":$other->{PB},"result":"4"}]));
is(kept($other->{PB}), '12 07:00 0 3', 'a test with a result keeps its verdict');
analysed($other->{PB}, undef, undef);
is(kept($other->{PB}), '12 07:00 - 3', 'withdrawn: not analysed any more');
$app->begin_work;
$app->do(q{SELECT set_config('lims.reason', 'broken', true)});
change($other->{id}, q{disposition = 'on_hold'});
is(kept($other->{PB}), '12 07:00 - 3', 'on hold, the work goes on');
change($other->{id}, q{disposition = 'cancelled'});
is(kept($other->{PB}), '12 07:00 - -', 'the holding time of a cancelled sample is not watched');
$app->commit;
$base->db->do(q{UPDATE lims.organization SET time_zone = 'UTC' WHERE id = ?}, undef, $lab->{id});
is(kept($other->{PB}), '12 07:00 - -', 'the holding time of a cancelled sample stays when the laboratory changes its zone');
$app->begin_work;
$app->do(q{SELECT set_config('lims.reason', 'found', true)});
change($other->{id}, q{disposition = 'active'});
$app->commit;
is(kept($other->{PB}), '12 00:00 - 3', 'the laboratory corrects its time zone');
is($base->value(q{SELECT count(*) FROM lims.sample_test t
        JOIN lims.sample s ON s.id = t.sample_id
        JOIN lims.organization o ON o.id = s.organization_id
       WHERE t.holding_expires_at IS DISTINCT FROM lims.holding_end(s.collected_at,
                 s.collection_date, o.time_zone, t.holding_time_hours)
          OR t.work_priority IS DISTINCT FROM lims.work_priority(s.disposition, s.priority)}), 0, 'all agree with their samples');

done_testing();
