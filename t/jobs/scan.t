#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The lifecycle scan in the service: events that follow from actions through the API, run
# by one thread of one child, shown in the metrics, and run by limsctl.
use strict;
use warnings;

use POSIX ();

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(children => 3, conf => <<'CONF');
LimsScanInterval 1
<Location "/lims/status">
    SetHandler lims-status
</Location>
<Location "/lims/metrics">
    SetHandler lims-metrics
</Location>
CONF
my $lab  = LIMS::Service::Laboratory->new($lims);
my $db   = $lims->db;
my $last = 0;

# Waits until the scan has nothing before it, and returns what it told since the
# last look: [type, decoded payload].
sub told {
    wait_until { !$db->selectrow_array('SELECT waiting FROM lims.scan_backlog()') } 120;
    my $rows = $db->selectall_arrayref(
        q{SELECT id, type, data FROM lims.event WHERE id > ?
             AND type ~ '^(sample.(blocked|ready)|holding)' ORDER BY id}, undef, $last);
    $last = $rows->[-1][0] if @$rows;
    return map { [ $_->[1], JSON::PP::decode_json($_->[2]) ] } @$rows;
}

sub types { return join ' ', map { $_->[0] =~ s/^sample\.//r } told() }

my $ph     = $lab->definition(specification_low => 6.5, specification_high => 8.5);
my $sample = $lab->sample(testDefinitionIds => [$ph]);
my ($test) = $lab->tests($sample);
is(types(), '', 'a new sample is in progress');

$lab->enter($test, '7.2');
my ($event) = told();
is($event->[0], 'sample.ready_for_review', 'a result: ready for review');
is_deeply([ @{ $event->[1] }{qw(sampleId trackingId sampleIdentifier clientName status)} ],
    [ @$sample{qw(id trackingId sampleIdentifier clientName status)} ],
        'the event names the sample');
is_deeply($event->[1]{reasons}, [ map {
    { map { ($_ => $event->[1]{reasons}[0]{$_}) } qw(category severity message) } }
    @{ $lims->get("/samples/$sample->{id}/readiness")->json->{findings} } ],
    'the event has the findings of the sample\'s readiness');
my $batch = $lab->qc_batch($test);
$lab->qc_control($batch, 9);
is(types(), 'blocked', 'a failed batch: blocked');
$lab->qc_override($batch);
is(types(), 'ready_for_review', 'overridden: for review again');
$lab->verify($test);
($event) = told();
is_deeply([ $event->[0], $event->[1]{reasons} ], [ 'sample.ready_to_report', [] ],
    'verified: ready to report');
$lims->post("/samples/$sample->{id}/report", {});
is(types(), '', 'a reported sample: no event of the scan');

my $held = $lab->definition(holding_time_hours => 48, name => 'Nitrite');
my $old  = $lab->sample(testDefinitionIds => [$held],
    collectedAt => POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time - 47 * 3600)));
($event) = told();
is($event->[0], 'holding_time.expiring', 'a sample near its holding time');
is_deeply([ @{ $event->[1] }{qw(holdingStatus testNames)} ], [ 'expiring_soon', ['Nitrite'] ],
    'the event says which test is near its holding time, and how near');
is($event->[1]{expiresAt}, $lims->get("/samples/$old->{id}")->json->{tests}[0]{holdingExpiresAt},
    'the event says when the holding time ends');

# --- What operators see -------------------------------------------------------

# Returns a figure of the job's database, whose name comes last.
sub metric {
    return (LIMS::Service::Response->from($lims, '/lims/metrics')->body
            =~ /^\Q$_[0]\E,database="\Q$lims->{database}\E\@[^"]+"\} (\S+)$/m)[0];
}

# A scan is counted when it has ended, after what it told is there.
my $status;
wait_until {
    $status = JSON::PP::decode_json(
        LIMS::Service::Response->from($lims, '/lims/status?json')->body);
    $status->{scanEvents} >= 5 && !metric('lims_job_backlog{task="scan",of="waiting"');
};
is($status->{scanEvents}, 5, 'the status page counts the events of scans');
cmp_ok($status->{scanSamples}, '>=', 6, 'the status page counts the samples scanned');
is($status->{scanFailures}, 0, 'no scan failed');
cmp_ok(time - $status->{scanLastSuccess}, '<', 60, 'the last scan was just now');
is(metric('lims_job_done_total{task="scan",of="events"'), 5, 'Prometheus reads the same');
is(metric('lims_job_backlog{task="scan",of="waiting"'), 0, 'no sample waits for a scan');
cmp_ok(metric('lims_job_runs_total{task="scan",outcome="done"'), '>=', 2,
    'the metrics count the runs');
cmp_ok(metric('lims_job_seconds_total{task="scan"'), '>', 0, 'the metrics have the time that the runs took');

# --- By hand ------------------------------------------------------------------

$lims->stop;
$db->do('DELETE FROM lims.sample_state_cache WHERE sample_id = ?', undef, $old->{id});
$db->do('INSERT INTO lims.sample_dirty (organization_id, sample_id, marked_at)
    SELECT organization_id, id, now() - interval \'1 hour\' FROM lims.sample WHERE id = ?', undef,
    $old->{id});
my $answer = $lims->ctl('scan', '--dry-run');
is($answer->{exit}, 0, 'limsctl scan --dry-run');
is($answer->{json}{waiting}, 1, 'a dry run shows what waits');
cmp_ok(abs($answer->{json}{oldestSeconds} - 3600), '<', 60, 'a dry run shows for how long the oldest sample waits');
is_deeply($lims->ctl('scan')->{json}, { samples => 1, events => 1 },
    'limsctl scan scans the sample');
is_deeply($lims->ctl('scan')->{json}, { samples => 0, events => 0 },
    'a second limsctl scan finds nothing');
is(types(), 'holding_time.expiring', 'limsctl scan writes the event that httpd would');

done_testing();
