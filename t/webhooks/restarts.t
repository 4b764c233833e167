#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Graceful restarts during delivery: nothing is lost and hardly anything is sent twice to
# receivers that answer; no child takes longer than its last requests and a second, and no
# thread, descriptor or lease stays behind. LIMS_RESTARTS sets how many.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Peers::WebhookReceiver;
use LIMS::Test;
use Time::HiRes qw(time sleep);

my $restarts = $ENV{LIMS_RESTARTS} || 8;
my $receiver = LIMS::Peers::WebhookReceiver->new;
my $lims     = LIMS::Test->new(conf => $receiver->conf . "LimsWebhookSchedule 0.5 0.5 600\n");
my $lab      = $lims->fixture->{id};

sub emit {
    my ($type, $count) = @_;
    $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        SELECT ?, ?, '{}' FROM generate_series(1, ?)}, undef, $lab, $type, $count);
    return;
}

sub gone_after {
    my (@pids) = @_;
    my $begin = time;
    wait_until { !grep { LIMS::Instance::lives($_) } @pids };
    return time - $begin;
}

sub descriptors {
    my $most = 0;
    for my $pid ($lims->pid, $lims->children) {
        my $count = () = glob "/proc/$pid/fd/*";
        $most = $count if $count > $most;
    }
    return $most;
}

$receiver->endpoint($lims, '/good', events => 'qc.failed');
emit('qc.failed', 3);
$receiver->wait_for('/good', 3);
my $before = descriptors();

my ($sent, $slowest) = (3, 0);
for my $n (1 .. $restarts) {
    my @old = $lims->children;
    emit('qc.failed', 20);
    $sent += 20;
    sleep 0.05;
    $lims->graceful;
    my $took = gone_after(@old);
    $slowest = $took if $took > $slowest;
}
my @came = $receiver->wait_for('/good', $sent, 60);
cmp_ok(scalar @came, '>=', $sent, "$sent deliveries over $restarts restarts");
# An outcome that a busy database did not take in time is told by sending again.
cmp_ok(scalar @came, '<=', $sent + 1 + $restarts / 10, 'hardly a delivery comes twice over restarts');
cmp_ok($slowest, '<', 4 * LIMS::Instance::slowness(), sprintf 'the slowest took %.1f s', $slowest);
my %times;
push @{ $times{ $_->{headers}{'x-service-delivery'} } }, $_ for $receiver->seen('/good');
for my $again (grep { @$_ > 1 } values %times) {
    note(join ', ', map {"at $_->{time} by connection $_->{connection}"} @$again);
}
is(scalar keys %times, $sent, 'each of them');
# The parent has two for the pipe and one for the lock, once.
cmp_ok(descriptors(), '<=', $before + 12, 'no descriptors stay behind');

# A receiver that hangs does not hold up a restart, and what is cut off is no
# attempt: it goes out again, at once.
$receiver->say('/hang', 'hang');
my $hang = $receiver->endpoint($lims, '/hang', events => 'coa.generated');
emit('coa.generated', 1);
$receiver->wait_for('/hang', 1);
my @old = $lims->children;
$lims->graceful;
cmp_ok(gone_after(@old), '<', 5, 'a child does not wait for a receiver that hangs');
is(scalar $receiver->wait_for('/hang', 2, 25), 2, 'another child sends the hanging delivery again');
is($lims->db->selectrow_array('SELECT sum(attempts) FROM lims.webhook_delivery
    WHERE endpoint_id = ?', undef, $hang->{id}), 0,
        'an attempt cut off by a restart is not counted');
$receiver->say('/hang', '200');

# A child that was killed leaves its lanes to who comes after it, who need not
# wait for the lease to end.
@old = $lims->children;
kill 'KILL', @old;
my @seen = $receiver->wait_for('/hang', 3, 25);
is(scalar @seen, 3, 'after kill -9 another takes over before the lease has ended');

$lims->allow_log(qr/exit signal Killed/);
ok($lims->finish, 'the log is clean');
done_testing();
