#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A database that accepts connections and says nothing does not delay the end of a
# dispatcher, and so of its child: it connects without blocking and ends without waiting for
# the database. On a cluster of its own, which is frozen.
use strict;
use warnings;

use LIMS::Chaos::PostgreSQL;
use LIMS::Instance;
use LIMS::Peers::WebhookReceiver;
use LIMS::Test;
use Time::HiRes qw(sleep);

my $server   = LIMS::Chaos::PostgreSQL->own('frozen');
my $receiver = LIMS::Peers::WebhookReceiver->new;
# So many hosts that who waited for a connection would wait for all of them.
my $hosts = join ',', ($server->socket) x 8;
# A dispatcher that ended leaves its endpoints to others after the lease, a short one here.
my $lims  = LIMS::Test->new(contract => 0, conf => $receiver->conf . <<"END");
LimsScanInterval 86400
LimsRetentionInterval 86400
LimsRecoveryInterval 86400
LimsWebhookTimeout 1000
LimsWebhookLease 8000
Define LIMS_DATABASE "host=$hosts dbname=lims_test_webhooks_frozen_database"
END
my $lab  = $lims->fixture->{id};

sub emit {
    $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        VALUES (?, 'qc.failed', '{}')}, undef, $lab);
    return;
}

# So many deliveries have; what nobody could say any more may have come twice.
sub arrived {
    my ($count) = @_;
    my %seen;
    wait_until {
        $seen{ $_->{headers}{'x-service-delivery'} }++ for $receiver->seen('/good');
        keys %seen >= $count;
    };
    return keys %seen == $count;
}

# The dispatcher's process in the database.
sub session {
    return $server->say(q{SELECT min(pid) FROM pg_stat_activity
        WHERE application_name = 'mod_lims_webhooks'});
}

$receiver->endpoint($lims, '/good', events => 'qc.failed');
emit();
is(scalar $receiver->wait_for('/good', 1), 1, 'a webhook goes out');

for my $what ('while it connects', 'with a connection') {
    my $session = session() or die "no dispatcher has a connection\n";
    $lims->forget_handles;
    if ($what =~ /connects/) {
        $server->freeze(1);    # who makes the next one
        kill 'TERM', $session;
    }
    else {
        $server->freeze;
    }
    sleep 2.5;    # more than a poll
    $lims->stop;
    unlike($lims->log, qr/sending a SIGKILL/, "$what: the children end by themselves");
    $server->thaw;
    $lims->start;
    emit();
    is(arrived($what =~ /connects/ ? 2 : 3), 1, "$what: webhooks go on afterwards");
}

$lims->allow_log(qr/./);    # what is said of a database that is away
$lims->finish;
done_testing();
