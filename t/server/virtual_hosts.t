#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two virtual hosts in one httpd, in every way to configure them: on two databases they
# share nothing, on one database they share what belongs to it.
use strict;
use warnings;

use LIMS::Service::Response;
use LIMS::Service::VirtualHosts;
use LIMS::Test;
use Time::HiRes qw(sleep time);

my $conf = "LimsRateLimit 5000\nLimsScanInterval 1\n";

# Requests of a route that a host's page says were answered with 200.
sub answered {
    my ($host, $route) = @_;
    my ($count) = LIMS::Service::Response->from($host, '/lims/metrics')->body
        =~ /^lims_requests_total\{method="GET",route="\Q$route\E",status="200"\} (\d+)$/m;
    return $count;
}

sub remaining { return $_[0]->get('/whoami')->header('RateLimit-Remaining') }

# Database => sessions of that name.
sub sessions {
    my ($host, $name) = @_;
    return { map { @$_ } @{ $host->superuser->selectall_arrayref('SELECT datname, count(*)::int
        FROM pg_stat_activity WHERE application_name = ? GROUP BY 1', undef, $name) } };
}

for my $way (@LIMS::Service::VirtualHosts::ways) {
    subtest "two databases: $way" => sub {
        my $hosts = LIMS::Service::VirtualHosts->new(way => $way, conf => $conf);
        my ($first, $second) = $hosts->all;

        is($_->get('/whoami')->status, 200, "$_->{database} answers") for $first, $second;
        my @before = map { remaining($_) } $first, $second;
        remaining($first) for 1 .. 10;
        is(remaining($first), $before[0] - 11, 'a key is counted');
        is(remaining($second), $before[1] - 1, 'a key is not counted in another database');

        for my $host ($first, $second) {
            is($host->post('/clients', { code => "AT-$host->{database}", name => 'C' })->status,
                201, 'each host writes into its own database');
        }
        for my $host ($first, $second) {
            is_deeply($host->db->selectcol_arrayref('SELECT code FROM lims.client'),
                ["AT-$host->{database}"], 'a record is in its own database only');
        }
        # A key that is revoked in one is a key in the other.
        my $key = $first->key($first->fixture);
        is($first->get('/whoami', key => $key->{key})->status, 200, 'a key of the first');
        is($second->get('/whoami', key => $key->{key})->status, 401, 'a key of the first database is none of the second');
        is($first->get('/whoami', key => $key->{key})->status, 200, 'the key is still one of the first database');

        my @names = sort map { $_->{database} } $first, $second;
        wait_until { my $s = sessions($first, 'mod_lims_webhooks'); 2 == grep { $s->{$_} } @names };
        my $found = sessions($first, 'mod_lims_webhooks');
        is_deeply([ map { $found->{$_} } @names ], [ 1, 1 ], 'each has a dispatcher');

        for my $host ($first, $second) {
            my $text;
            ok((wait_until {
                $text = LIMS::Service::Response->from($host, '/lims/metrics')->body;
                $text =~ /^lims_job_runs_total\{task="scan",outcome="done",[^}]*\} [1-9]/m;
            }), 'each scans');
            my %told = map { $_ => 1 } $text =~ /^lims_job_\w+\{[^}]*database="([^"@]+)\@/mg;
            is_deeply(\%told, { $host->{database} => 1 }, 'each host shows the figures of its own database');
        }
        $first->get('/projects') for 1 .. 3;
        is(answered($first,  '/projects'), 3,     'the requests of a host are counted');
        is(answered($second, '/projects'), undef, 'the requests of a host are not counted for another database');
        ok($hosts->finish, 'nothing unexpected in the log');
    };
}

# A schema that does not fit fails every request alike.
subtest 'what one database has logged leaves the other its lines' => sub {
    my $hosts = LIMS::Service::VirtualHosts->new(way => 'include', conf => $conf, children => 1);
    my ($first, $second) = $hosts->all;

    $_->db->do(q{UPDATE lims.schema_migration SET checksum = 'other'
        WHERE version = (SELECT max(version) FROM lims.schema_migration)}) for $first, $second;
    $hosts->httpd->restart;
    $hosts->httpd->allow_log(qr/LIMS0039: 503 |LIMS0112: /);
    for my $round (1 .. 3) {
        sleep 1 - (time - int time);    # a second from its beginning
        for my $host (($first) x 3, $second) {
            is($host->get('/whoami', headers => { 'X-Request-Id' => "$host->{database}-$round" })
                    ->status, 503, 'each host\'s requests are refused');
        }
        my @lines = map { [ $hosts->httpd->log =~ /LIMS0039: .*\(request \Q$_->{database}\E-$round\b/g ] }
            $first, $second;
        is_deeply([ map { scalar @$_ } @lines ], [ 1, 1 ], 'a line for each database');
    }
    ok($hosts->finish, 'nothing unexpected in the log');
};

subtest 'one database, written in two ways' => sub {
    my $hosts = LIMS::Service::VirtualHosts->new(way => 'written', conf => $conf, one => sub {
        my ($socket, $name) = $_[0] =~ /host='([^']+)' dbname=(\S+)/;
        return "application_name=elsewhere dbname='$name' port=5432 host=$socket";
    });
    my ($first, $second) = $hosts->all;
    my $left = remaining($first);

    is(remaining($second), $left - 1, 'the second host counts on where the first one was');
    is(remaining($first),  $left - 2, 'the first host counts on where the second one was');
    wait_until { sessions($first, 'mod_lims_webhooks')->{ $first->{database} } };
    is(sessions($first, 'mod_lims_webhooks')->{ $first->{database} }, 1,
        'they have one dispatcher');
    my @pages;
    ok((wait_until {
        @pages = map { LIMS::Service::Response->from($_, '/lims/metrics')->body =~
                /^(lims_job_runs_total\{task="scan",outcome="done",.*)$/m } $first, $second;
        $pages[0] =~ / [2-9]/;
    }), 'scans are done');
    is($pages[0] =~ s/ \d+\z//r, $pages[1] =~ s/ \d+\z//r, 'both hosts have the same jobs');
    $_->get('/projects') for $first, $second;
    is(answered($_, '/projects'), 2, 'both hosts show the requests of both') for $first, $second;
    ok($hosts->finish, 'nothing unexpected in the log');
};

# The folder of the socket and its address are two names that no configuration tells.
subtest 'one database, named differently' => sub {
    my $hosts = LIMS::Service::VirtualHosts->new(way => 'include', conf => $conf, one => sub {
        my ($socket, $name) = $_[0] =~ /host='([^']+)' dbname=(\S+)/;
        return "host=,$socket hostaddr=192.0.2.1, dbname=$name connect_timeout=2";
    });
    $hosts->httpd->expect_log(qr/:warn\] .*LIMS0365: the hosts \S+ and \S+ name one database in two/,
        'is said at the start');
    ok($hosts->finish, 'nothing else in the log');
};

done_testing();
