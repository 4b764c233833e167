#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The clock of the machine is set back by an hour: deliveries under way get their outcome,
# and later ones go out at once.
use strict;
use warnings;

use File::Temp ();
use LIMS::Peers::WebhookReceiver;
use LIMS::Test;
use Time::HiRes qw(time);

my $clock = File::Temp->new;
chmod 0644, "$clock";
sub set_clock {
    my ($seconds) = @_;
    sysseek $clock, 0, 0;
    return syswrite $clock, pack 'q', $seconds * 1_000_000;
}
set_clock(0);

my $receiver = LIMS::Peers::WebhookReceiver->new;
my $lims     = do {
    local $ENV{LIMS_CLOCK}   = "$clock";
    local $ENV{LIMS_PRELOAD} = join ':', grep { $_ } $ENV{LIMS_PRELOAD},
        LIMS::Instance::out() . '/fail/clock.so';
    LIMS::Test->new(conf => $receiver->conf . "LimsWebhookTimeout 3000\nLimsWebhookSchedule 1\n");
};
my $lab = $lims->fixture->{id};

sub happen {
    my ($type) = @_;
    return $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        VALUES (?, ?, '{}')}, undef, $lab, $type);
}

my $hanging = $receiver->endpoint($lims, '/hanging', events => 'qc.failed');
my $healthy = $receiver->endpoint($lims, '/healthy', events => 'sample.created');
$receiver->say('/hanging', 'hang');
happen('sample.created');
is(scalar $receiver->wait_for('/healthy', 1), 1, 'a healthy delivery arrives');
happen('qc.failed');
is(scalar $receiver->wait_for('/hanging', 1), 1, 'a delivery hangs');
set_clock(-3600);

happen('sample.created');
my @seen = $receiver->wait_for('/healthy', 2, 50);
is(scalar @seen, 2, 'the next one goes out all the same');
my $behind = time - $seen[1]{headers}{'x-service-timestamp'};
cmp_ok(abs($behind - 3600), '<', 60, 'signed with the time that it is now said to be');

is(scalar $receiver->wait_for('/hanging', 2, 60), 2,
    'the hanging delivery is retried by its schedule');
my $attempt = $lims->db->selectrow_hashref(q{SELECT a.duration_ms, a.error
    FROM lims.webhook_attempt a JOIN lims.webhook_delivery d ON d.id = a.delivery_id
   WHERE d.endpoint_id = ? AND a.number = 1}, undef, $hanging->{id});
cmp_ok($attempt->{duration_ms}, '>=', 2990, 'the first attempt took as long as it took');
cmp_ok($attempt->{duration_ms}, '<', 60_000, 'the attempt has no longer duration than it took');
like($attempt->{error}, qr/within 3000 ms/, 'the attempt is on record with its error');
ok($lims->finish, 'the log is clean');

done_testing();
