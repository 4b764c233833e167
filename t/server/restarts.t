#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# httpd is restarted, gracefully and not, again and again while its children are at work:
# requests, a scan, webhooks under way. Each child ends by itself, which the error log
# shows, and nothing is lost or done twice. LIMS_ROUNDS (5) sets how often.
use strict;
use warnings;

use LIMS::Peers::WebhookReceiver;
use LIMS::Service::Laboratory;
use LIMS::Test;

use POSIX ();
use Time::HiRes qw(sleep);

my $rounds   = $ENV{LIMS_ROUNDS} || 5;
my $receiver = LIMS::Peers::WebhookReceiver->new;
my $lims     = LIMS::Test->new(
    children => 3,
    conf     => $receiver->conf . "LimsWebhookSchedule 0.3 0.3 0.3\nLimsScanInterval 1\n"
        . "LimsRetentionInterval 1\nLimsRecoveryInterval 1\n",
);
my $lab      = LIMS::Service::Laboratory->new($lims);
my %sample   = (clientName => 'Acme', materialTypeId => $lab->material);
my $stop     = "$lims->{instance}{dir}/stop";
my $endpoint = $receiver->endpoint($lims, '/all', events => 'sample.created');

# A scan that finds little to do is over in no time: this one takes a while.
$lims->superuser->do($_) for 'ALTER FUNCTION lims.scan_samples(integer) RENAME TO scan_at_once',
    q{CREATE FUNCTION lims.scan_samples(p_limit integer, OUT looked_at integer,
        OUT told integer, OUT more boolean) LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN
          PERFORM pg_sleep(0.3);
          SELECT s.looked_at, s.told, s.more INTO looked_at, told, more
            FROM lims.scan_at_once(p_limit) s;
      END$$},
    'GRANT EXECUTE ON FUNCTION lims.scan_samples(integer) TO lims_app';

sub scanning {
    return scalar $lims->superuser->selectrow_array(
        q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mod_lims_jobs'
             AND datname = current_database() AND state = 'active'
             AND query LIKE '%lims.scan_samples%'});
}

# Registers samples until it is told to stop, each again until it is confirmed.
sub register {
    my ($name) = @_;
    my $count = 0;

    for (; !-e $stop; $count++) {
        wait_until {
            my $reply = eval { $lims->post('/samples', \%sample, connection => 'new',
                headers => { 'Idempotency-Key' => "$name-$count" }) };
            # One that was cut off may still be at work.
            die 'answered ' . $reply->status . "\n" if $reply && $reply->status !~ /201|503/
                && $reply->json->{error} ne 'idempotency_in_progress';
            $reply && $reply->status == 201;
        } 120 or die "never confirmed\n";
        sleep 0.05;
    }
    return $count;
}

# Waits for a scan to be under way, and restarts.
my ($told, @confirmed) = $lims->parallel(4, sub {
    my ($number) = @_;
    return register("client-$number") if $number;

    my @seen = $lims->children;
    my $scans = 0;
    for my $round (1 .. $rounds) {
        $scans++ if wait_until { scanning() };
        $lims->{instance}->begin_anew($round % 3 ? 'USR1' : 'HUP');
        push @seen, $lims->children;
    }
    open my $out, '>', $stop or die "$stop: $!\n";
    close $out;
    return [ $scans, @seen ];
});
my ($scans, @seen) = @{ $told || [0] };
my $confirmed = 0;
$confirmed += $_ || 0 for @confirmed;

is($scans, $rounds, 'each restart met a scan under way');
cmp_ok($confirmed, '>', 0, "$confirmed samples were confirmed in the meantime");
my %now = map { $_ => 1 } $lims->children;
ok((wait_until { !grep { !$now{$_} && LIMS::Instance::lives($_) } @seen }),
    'the children of former generations are gone');
is($lims->db->selectrow_array('SELECT count(*) FROM lims.sample'), $confirmed,
    'each sample is there once');
my %arrived;
wait_until {
    %arrived = map { $_->{headers}{'x-service-delivery'} => 1 } $receiver->seen('/all');
    keys %arrived >= $confirmed;
};
is(scalar keys %arrived, $confirmed, 'each sample has its event');
unlike($lims->log, qr/LIMS0090/, 'no background job failed');

done_testing();
