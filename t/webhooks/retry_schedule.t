#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The schedule of retries, made faster by directives: attempts at their times and no more,
# endpoints disabled after failures in a row, deliveries kept for them until they are
# enabled. And the metrics of it.
use strict;
use warnings;

use LIMS::Peers::WebhookReceiver;
use LIMS::Test;

my $receiver = LIMS::Peers::WebhookReceiver->new;
my $lims     = LIMS::Test->new(conf => $receiver->conf . <<'END');
LimsWebhookSchedule 0.3 0.6 1.2 2.4 4.8
LimsWebhookDisableAfter 3
LimsWebhookInFlightPerEndpoint 2
<Location "/lims/metrics">
    SetHandler lims-metrics
</Location>
END
my $lab = $lims->fixture->{id};
my $no  = $receiver->endpoint($lims, '/no', events => 'sample.reported');
my $go  = $receiver->endpoint($lims, '/gone', events => 'qc.failed');
$receiver->say('/no',   '503');
$receiver->say('/gone', '410');

sub emit {
    my ($type, $count) = @_;
    $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        SELECT ?, ?, '{}' FROM generate_series(1, ?)}, undef, $lab, $type, $count);
    return;
}

sub endpoint {
    my ($id) = @_;
    return $lims->db->selectrow_hashref(q{SELECT enabled, consecutive_failures, disabled_reason
        FROM lims.webhook_endpoint WHERE id = ?}, undef, $id);
}

subtest 'six attempts at the times of the schedule' => sub {
    emit('sample.reported', 1);
    my @seen = $receiver->wait_for('/no', 6, 40);
    is(scalar @seen, 6, 'six attempts are made');
    my @wait = (0.3, 0.6, 1.2, 2.4, 4.8);
    my @gaps = map { $seen[ $_ + 1 ]{time} - $seen[$_]{time} } 0 .. $#seen - 1;
    is(scalar(grep { $gaps[$_] < $wait[$_] } 0 .. $#gaps), 0, 'no attempt comes before its time')
        or diag("@gaps");
    cmp_ok($gaps[4], '<', 4.8 * 1.1 + 4, 'an attempt comes soon after its time');
    ok((wait_until { endpoint($no->{id})->{consecutive_failures} == 1 } 30),
        'after the last attempt the delivery is given up');
    sleep 1;
    is(scalar $receiver->seen('/no'), 6, 'no further attempt is made');
};

subtest 'an endpoint is disabled and enabled' => sub {
    emit('qc.failed', 2);
    ok((wait_until { endpoint($go->{id})->{consecutive_failures} == 2 } 30), 'two are given up');
    $receiver->say('/gone', '200');
    emit('qc.failed', 1);
    ok((wait_until { endpoint($go->{id})->{consecutive_failures} == 0 } 30),
        'a success sets it back');
    $receiver->say('/gone', '410');
    emit('qc.failed', 3);
    ok((wait_until { !endpoint($go->{id})->{enabled} } 30), 'three in a row disable it');
    is(endpoint($go->{id})->{disabled_reason},
        '3 deliveries in a row were given up; the last one: status 410',
            'the endpoint shows the reason');
    $lims->expect_log(qr/LIMS0122: webhook endpoint $go->{id} of organization $lab is disabled: 3 /);
    my $before = $receiver->seen('/gone');
    emit('qc.failed', 4);
    sleep 1;
    is(scalar $receiver->seen('/gone'), $before, 'a disabled endpoint gets nothing');
    my $metrics = LIMS::Service::Response->from($lims, '/lims/metrics')->body;
    like($metrics, qr/^lims_webhook_deliveries_kept 4$/m, 'the metrics count kept deliveries');
    like($metrics, qr/^lims_webhook_endpoints_disabled 1$/m,
        'the metrics count disabled endpoints');
    like($metrics, qr/^lims_webhook_attempts_total\{outcome="given_up"\} 6$/m,
        'deliveries that were given up are counted');
    like($metrics, qr/^lims_webhook_attempts_total\{outcome="failed"\} 5$/m,
        'attempts that failed are counted');
    like($metrics, qr/^lims_webhook_attempts_total\{outcome="delivered"\} 1$/m,
        'attempts that were acknowledged are counted');
    like($metrics, qr/^lims_webhook_arrival_seconds_count 1$/m,
        'the metrics have the time of arrival');
    $receiver->say('/gone', '200');
    $lims->db->do('UPDATE lims.webhook_endpoint SET enabled = true, disabled_at = NULL,
        consecutive_failures = 0 WHERE id = ?', undef, $go->{id});
    is(scalar $receiver->wait_for('/gone', $before + 4), $before + 4,
        'once enabled, the endpoint gets all kept deliveries');
};

ok($lims->finish, 'the log is clean');
done_testing();
