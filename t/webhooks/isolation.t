#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Endpoints that hang do not delay others, however many there are and however long their
# queues: neither endpoints that worked before nor, when a dispatcher starts and knows
# nothing yet, any. No clock is involved: healthy deliveries arrive before the first attempt
# of a hanging one ends.
use strict;
use warnings;

use IO::Socket::INET;
use LIMS::Peers::WebhookReceiver;
use LIMS::Test;
use Time::HiRes qw(sleep);

my ($hanging, $each) = (90, 20);
my $receiver = LIMS::Peers::WebhookReceiver->new;
my $lims     = LIMS::Test->new(conf => $receiver->conf
        . "LimsWebhookTimeout 60000\nLimsWebhookLease 130000\nLimsWebhookInFlight 256\n");
my $lab = $lims->fixture->{id};
# The kernel takes their connections, and nobody else does.
my $nobody = IO::Socket::INET->new(Listen => 4096, LocalAddr => '127.0.0.1')
    or die "listen: $!\n";

sub emit {
    my ($type, $count) = @_;
    $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        SELECT ?, ?, '{}' FROM generate_series(1, ?)}, undef, $lab, $type, $count);
    return;
}

sub attempts {
    return $lims->db->selectrow_array(q{SELECT count(*) FROM lims.webhook_attempt a
        JOIN lims.webhook_delivery d ON d.id = a.delivery_id
        JOIN lims.webhook_endpoint e ON e.id = d.endpoint_id WHERE e.name LIKE 'Hang%'});
}

# Lanes that somebody holds, of those that hang.
sub held {
    return $lims->db->selectrow_array(q{SELECT count(*) FROM lims.webhook_lane w
        JOIN lims.webhook_endpoint e ON e.id = w.endpoint_id
        WHERE e.name LIKE 'Hang%' AND w.held_until > now()});
}

$receiver->endpoint($lims, '/good', events => 'qc.failed');
for my $n (1 .. $hanging) {
    my $it = $receiver->endpoint($lims, "/$n", events => 'coa.generated',
        url => 'https://localhost:' . $nobody->sockport . "/$n");
    $lims->db->do(q{UPDATE lims.webhook_endpoint SET name = ? WHERE id = ?}, undef, "Hang $n",
        $it->{id});
}

my $sent = 0;
sub good_ones_arrive {
    my ($name) = @_;
    for (1 .. 5) {
        emit('qc.failed', 10);
        $sent += 10;
        $receiver->wait_for('/good', $sent, 40);
    }
    is(scalar $receiver->seen('/good'), $sent, $name);
    return is(attempts(), 0, "$name: before those that hang have been given up once");
}

good_ones_arrive('alone');
emit('coa.generated', $each);
wait_until { held() >= $hanging / 2 } 120 or die "those that hang are not tried\n";
good_ones_arrive("beside $hanging that hang, with $each deliveries each");
sleep 1.5;    # they are known to be slow by now
good_ones_arrive('later');
$lims->restart;
wait_until { held() >= $hanging / 2 } 120 or die "those that hang are not tried\n";
good_ones_arrive('with a dispatcher that knows none of them');

ok($lims->finish, 'the log is clean');
done_testing();
