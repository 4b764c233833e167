#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two databases behind one httpd, in every way that one can write them, while
# PostgreSQL and httpd are restarted again and again: what the one host acknowledged
# is in its database, once, and nothing of it is in the other's, which knows the
# same keys; every webhook of both arrives, and every sample of both is scanned.
#
# TORTURE_WRITES=10000 says how many writes each way has to stand, TORTURE_WAY=macro
# which way alone.
use strict;
use warnings;

use Encode ();
use JSON::PP ();
use Time::HiRes qw(sleep);

use LIMS::Chaos::PostgreSQL;
use LIMS::Peers::WebhookReceiver;
use LIMS::Service::VirtualHosts;
use LIMS::Test;

my $writes  = $ENV{TORTURE_WRITES} || 120;
my $writers = 6;    # at each host
my $server  = LIMS::Chaos::PostgreSQL->own('torture-hosts');

# Again until it is acknowledged, five times a second, which leaves the processors to who
# restarts; the same Idempotency-Key makes it one write.
sub write_one {
    my ($host, $material, $name) = @_;

    for (1 .. 600) {
        my $answer = eval {
            $host->post('/samples', { clientName => $name, materialTypeId => $material },
                headers => { 'Idempotency-Key' => $name });
        };
        return $name if $answer && $answer->status == 201;
        sleep 0.2;
    }
    die "$name was never acknowledged\n";
}

# The restarts go on until all is written, and are two at least.
sub disturb {
    my ($hosts, $done) = @_;
    my $rounds = 0;

    do {
        sleep 0.3;
        $server->stop($rounds % 2 ? 'QUIT' : 'INT');
        $server->start;
        sleep 0.3;
        $hosts->httpd->graceful;
        $rounds++;
    } until $rounds >= 2 && (() = glob "$done*") == 2 * $writers;
    return $rounds;
}

sub work {
    my ($host, $material, $label, $done) = @_;
    my @made = map { write_one($host, $material, "$label-$_") } 1 .. $writes / 2 / $writers;

    open my $out, '>', "$done-$label" or die "$done: $!\n";
    close $out;
    return \@made;
}

for my $way ($ENV{TORTURE_WAY} || @LIMS::Service::VirtualHosts::ways) {
    subtest $way => sub {
        my $receiver = LIMS::Peers::WebhookReceiver->new;
        my $hosts = LIMS::Service::VirtualHosts->new(way => $way, conf => $receiver->conf
                . "LimsRateLimit 100000\nLimsRateKeys 16\nLimsScanInterval 1\nLimsDatabaseReads 40\n"
                . "LimsWebhookSchedule 0.2 0.5 1 1 1 1 1\n");
        my @host = $hosts->all;
        my @names = map { $_->{database} } @host;
        my @material = map {
            $_->insert('material_type', { code => 'DW', name => 'Water' }) } @host;
        $receiver->endpoint($host[$_], "/$_", events => 'sample.created') for 0, 1;
        my $done = "$hosts->{httpd}{instance}{dir}/done";
        $_->forget_handles for @host, $hosts->httpd;

        my ($rounds, @made) = $host[0]->parallel(1 + 2 * $writers, sub {
            my ($number) = @_;
            return disturb($hosts, $done) if $number == 0;
            my $of = $number % 2;
            return work($host[$of], $material[$of], "$way-$of-$number", $done);
        });
        cmp_ok($rounds, '>=', 2, "PostgreSQL and httpd were restarted $rounds times");
        for my $of (0, 1) {
            my @all = sort map { @{ $made[$_] } } grep { ($_ + 1) % 2 == $of } 0 .. $#made;
            cmp_ok(scalar @all, '>=', $writes / 2 - $writers, "$names[$of]: writes");
            is_deeply($host[$of]->db->selectcol_arrayref(
                    'SELECT client_name FROM lims.sample ORDER BY client_name COLLATE "C"'), \@all,
                "$names[$of]: all writes are there, each once, and nothing of the other");
            my %come;
            ok((wait_until {
                %come = map { JSON::PP::decode_json(Encode::encode_utf8($_->{body}))
                        ->{data}{clientName} => 1 } $receiver->seen("/$of");
                keys %come >= @all;
            } 120), 'every webhook arrived');
            is_deeply([ sort keys %come ], \@all, "$names[$of]: webhooks of its own samples arrived, and of no others");
            ok((wait_until {
                !$host[$of]->db->selectrow_array('SELECT count(*) FROM lims.sample_dirty');
            } 120), "$names[$of]: every sample was scanned");
        }
        $hosts->httpd->allow_log(
            qr/LIMS00(?:30|36|38|45|46|51): 503|\[dbd:error\]|LIMS0110|LIMS012[0-3]/);
        ok($hosts->finish, 'nothing unexpected in the log');
        $receiver->stop;
    };
}

done_testing();
