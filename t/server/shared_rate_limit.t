#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The rate limit of several machines that share a memcached: one limit for all of them; and
# while memcached is away, slow or empty, each counts for itself, at once and without an
# error.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use LIMS::Peers::Memcached;
use LIMS::Service::JSONSchema;
use LIMS::Test;
use Time::HiRes qw(sleep time);

my $memcached = LIMS::Peers::Memcached->new;
# Patient, as on a busy machine memcached may be slow without being away.
my $conf = "LimsRateLimit 120\nLimsRateLimitTimeout 1000\nLimsRateLimitMemcached "
    . $memcached->address . "\n"
    . join '', map {"<Location \"/lims/$_\">\nSetHandler lims-$_\n</Location>\n"} qw(metrics status);
my $one = LIMS::Test->new(conf => $conf);
my $two = LIMS::Test->new(conf => $conf, beside => $one);

sub of       { return $_[0]->header("RateLimit-$_[1]") }
sub fresh    { return $one->key($one->fixture)->{key} }
sub ask      { my ($lims, $key) = @_; return $lims->get('/whoami', key => $key) }
sub statuses { my ($lims, $key, $count) = @_; return map { ask($lims, $key)->status } 1 .. $count }

sub look {
    my ($lims, $path) = @_;
    my ($head, $body) = split /\r\n\r\n/,
        $lims->raw("GET $path HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), 2;
    return $body;
}

# Whether this machine comes to say that it has its memcached. It asks that for who is
# admitted: a key for each time.
sub comes_back {
    my ($lims) = @_;
    return wait_until {
        ask($lims, fresh());
        look($lims, '/lims/metrics') =~ /^lims_rate_limit_store_up\{[^}]*\} 1$/m;
    } 20;
}

subtest 'two machines share one limit' => sub {
    my $key = fresh();
    my @left;
    for my $round (1 .. 60) {
        push @left, map { of(ask($_, $key), 'Remaining') } $one, $two;
    }
    is_deeply(\@left, [ reverse 0 .. 119 ], 'each request counts, at either server');
    for my $lims ($one, $two) {
        my $answer = ask($lims, $key);
        is($answer->status . ' ' . $answer->json->{error}, '429 rate_limited',
            'then both servers refuse');
        is(of($answer, 'Remaining') . ' ' . of($answer, 'Limit'), '0 120',
            'the header fields say so');
        cmp_ok($answer->header('Retry-After'), '>=', 1, 'Retry-After is at least a second');
        cmp_ok($answer->header('Retry-After'), '<=', 63, 'Retry-After is at most a window and a twentieth');
    }
    is(ask($two, fresh())->status, 200, 'another key is admitted');
};

# A request that is counted while one twentieth of the window ends and the next
# begins is moved to it, which others may see half-way: then one is refused too
# early, and never one too many admitted.
subtest 'the limit is exact under simultaneous requests' => sub {
    my %count;
    for my $round (1 .. 4) {
        my $key  = fresh();
        my @told = $one->parallel(12, sub {
            my ($number) = @_;
            return [ statuses($number % 2 ? $one : $two, $key, 20) ];
        });
        %count = ();
        $count{$_}++ for map {@$_} @told;
        cmp_ok($count{200}, '<=', 120, 'never more than 120');
        last if $count{200} == 120;
    }
    is_deeply(\%count, { 200 => 120, 429 => 120 }, 'of 240 requests 120 are admitted');
};

subtest 'the limit holds in any 60 seconds' => sub {
    my $shape = "LimsRateLimit 6\nLimsRateWindow 2\nLimsRateLimitTimeout 1000\n"
        . 'LimsRateLimitMemcached ' . $memcached->address;
    my @machines = map { LIMS::Test->new(conf => $shape, beside => $one) } 1, 2;
    my (@admitted, $refused);
    # A request counts at some time between its beginning and its end.
    for (my $until = time + 6; time < $until; sleep 0.01) {
        my $begun = time;
        my $status = ask($machines[ rand 2 ], $one->{key})->status;
        $status == 200 ? push(@admitted, [ $begun, time ]) : $refused++;
    }
    my @close = grep { $admitted[$_][0] - $admitted[ $_ - 6 ][1] < 2
            && $admitted[$_][1] - $admitted[ $_ - 6 ][0] < 2 } 6 .. $#admitted;
    is("@close", '', 'no seven within two seconds');
    cmp_ok(scalar @admitted, '>=', 12, 'but six again and again: ' . @admitted);
    cmp_ok($refused, '>', 0, 'the others are refused');
    ok($_->finish, 'the log is clean') for @machines;
};

subtest 'what is stored in memcached' => sub {
    my $key    = fresh();
    my $begun  = time;
    my $trips  = $memcached->stat('total_connections');
    my @before = map { $memcached->stat($_) } qw(incr_hits cmd_set);
    ask($one, $key) for 1 .. 50;
    my @after = map { $memcached->stat($_) } qw(incr_hits cmd_set);
    # One that meets the end of a twentieth of the window is counted in the next.
    cmp_ok($after[0] - $before[0], '>=', 50, 'each request is counted');
    cmp_ok($after[0] - $before[0], '<=', 51 + (time - $begun) / 3, 'no request is counted twice');
    is($after[1] - $before[1], $after[0] - $before[0],
        'each request also renews the life of its counter');
    # The two of this test's own questions are connections as well.
    cmp_ok($memcached->stat('total_connections') - $trips, '<=', 12,
        'connections are kept for the next request');
    my @items = $memcached->ask('lru_crawler metadump all');
    cmp_ok(scalar @items, '>', 1, 'memcached has counters');
    is_deeply([ grep { !/\Akey=lims\.rate\.[0-9a-f]{32}%3A\d+ exp=[1-9]\d+ / } @items ], [],
        'named apart, each with an end');
    my $all = join "\n", @items;
    my $hash = sha256_hex($key);
    ok(index($all, substr $_, 0, 12) < 0, 'memcached has nothing of the key')
        for $key, substr($key, 3), $hash, substr($hash, 32);
};

subtest 'memcached goes down and comes back' => sub {
    my $key = fresh();
    ask($one, $key) for 1 .. 30;
    $memcached->kill;
    my $begun  = time;
    my @left = map { of(ask($one, $key), 'Remaining') } 1 .. 20;
    is_deeply(\@left, [ reverse 70 .. 89 ], 'this machine counts on, from what it admitted');
    is_deeply([ statuses($two, $key, 120), ask($two, $key)->status ], [ (200) x 120, 429 ],
        'without memcached each server counts for itself');
    $_->expect_log(qr/lims:warn.*LIMS0061: memcached 127\.0\.0\.1:\d+ does not answer/) for $one, $two;
    is(() = $one->log =~ /LIMS0061/g, 1, 'said once');
    like(look($one, '/lims/metrics'), qr/^lims_rate_limit_store_up\{server="[\d.:]+"\} 0$/m,
        'the metrics show it');
    like(LIMS::Service::JSONSchema::decode(look($one, '/lims/status?json'))->{rateLimitStore},
        qr/this machine: memcached does not answer/, 'the status shows it, too');
    $memcached->start;
    ok(comes_back($_), 'memcached is used again once it is back') for $one, $two;
    $_->expect_log(qr/LIMS0062: memcached \S+ answers again/) for $one, $two;
    is(LIMS::Service::JSONSchema::decode(look($one, '/lims/status?json'))->{rateLimitStore}, 'memcached',
        'the status says so');
    my $shared = fresh();
    ask($one, $shared);
    is(of(ask($two, $shared), 'Remaining'), 118, 'both servers share one count again');
};

subtest 'memcached comes back empty' => sub {
    my $key = fresh();
    is_deeply([ statuses($one, $key, 120) ], [ (200) x 120 ], 'a key at its limit');
    $memcached->ask('flush_all');
    is(ask($one, $key)->status, 429, 'stays there on the machine that knows');
    like(look($one, '/lims/metrics'), qr/^lims_rate_limit_store_up\{[^}]*\} 1$/m,
        'while memcached is asked');
};

subtest 'memcached does not answer' => sub {
    my $key = fresh();
    ask($one, $key);
    $memcached->freeze;
    my ($worst, @status) = (0);
    for (1 .. 30) {
        my $begun = time;
        push @status, ask($one, $key)->status;
        $worst = time - $begun if time - $begun > $worst;
    }
    is_deeply(\@status, [ (200) x 30 ], 'requests are answered');
    cmp_ok($worst, '<', 10, 'no request waits for ten seconds while memcached is away');
    my ($failures) = look($one, '/lims/metrics')
        =~ /^lims_rate_limit_store_failures_total\{[^}]*\} (\d+)$/m;
    cmp_ok($failures, '>=', 2, 'counted as failures');
    cmp_ok($failures, '<', 20, 'while memcached is away not every request tries it');
    $memcached->thaw;
    ok(comes_back($one), 'when it answers it is used again');
};

subtest 'memcached was never there' => sub {
    my $alone = LIMS::Test->new(beside => $one,
        conf => "LimsRateLimit 3\nLimsRateLimitMemcached 127.0.0.1:1");
    is_deeply([ statuses($alone, fresh(), 4) ], [ 200, 200, 200, 429 ],
        'a machine whose memcached never was there counts for itself');
    $alone->expect_log(qr/LIMS0061: memcached 127\.0\.0\.1:1 does not answer/);
    ok($alone->finish, 'the log is clean');
};

subtest 'a host name that does not resolve' => sub {
    my $lost = LIMS::Test->new(beside => $one,
        conf => "LimsRateLimit 3\nLimsRateLimitMemcached no..where:11211");
    $lost->expect_log(qr/lims:warn.*LIMS0063: the address of memcached no\.\.where:11211/);
    is_deeply([ statuses($lost, fresh(), 4) ], [ 200, 200, 200, 429 ],
        'the server counts for itself');
    ok($lost->finish, 'the log is clean');
};

subtest 'malformed addresses of servers' => sub {
    for my $servers ('127.0.0.1:port', '127.0.0.1:99999999', ',') {
        my $started = eval {
            LIMS::Test->new(beside => $one, conf => "LimsRateLimitMemcached $servers");
        };
        like($started ? 'it starts' : $@, qr/LimsRateLimitMemcached: /, "$servers is refused");
    }
};

done_testing();
