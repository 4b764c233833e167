#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The pool of database connections is small. A request that gets none within
# LimsDatabaseWait is answered 503; a client that sends or reads slowly holds none.
use strict;
use warnings;

use LIMS::Service::RawRequest qw(message);
use LIMS::Test;
use Socket qw(SOL_SOCKET SO_RCVBUF);
use Time::HiRes qw(time);

# As long as those who only take turns need on a busy machine.
my $wait = 4000;
my $lims = LIMS::Test->new(
    children => 1,
    conf     => <<"END",
Define LIMS_CONNECTIONS 2
Define LIMS_TIMEOUTS "-c statement_timeout=0"
LimsDatabaseReads 10
LimsDatabaseWait $wait
LimsDatabaseTimeout 60000
<Location "/lims/metrics">
    SetHandler lims-metrics
    Require all granted
</Location>
END
);

sub connections {
    return $lims->superuser->selectrow_array(
        q{SELECT count(*) FROM pg_stat_activity
           WHERE application_name = 'mod_lims' AND datname = current_database()});
}

subtest 'all connections in use' => sub {
    my $blocker = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
    $blocker->begin_work;
    $blocker->do('LOCK TABLE lims.client IN ACCESS EXCLUSIVE MODE');
    my @waiting = map {
        my $socket = $lims->socket;
        syswrite $socket, message($lims, 'GET', '/clients');
        $socket;
    } 1 .. 2;
    wait_until {
        $lims->superuser->selectrow_array(
            q{SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
               AND application_name = 'mod_lims' AND datname = current_database()}) == 2;
    };
    is(connections(), 2, 'two requests hold the two connections');

    my $start  = time;
    my $answer = $lims->get('/whoami', connection => 'new');
    my $took   = 1000 * (time - $start);
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
        'the third is refused');
    like($answer->header('Retry-After'), qr/\A\d+\z/, 'the refusal says when to come again');
    cmp_ok($took, '>=', $wait - 20, "the refusal comes after a wait of $wait ms");
    cmp_ok($took, '<', $wait + 10000, "the refusal comes within $wait ms and ten seconds");
    $lims->expect_log(qr/LIMS0050: 503 .*raise DBDMax/);

    is($lims->get('/whoami', key => undef)->status, 401,
        'a request without a database query is answered');
    $blocker->rollback;
    $blocker->disconnect;
    for my $socket (@waiting) {
        my $raw = '';
        while (sysread $socket, my $some, 65536) { $raw .= $some }
        like($raw, qr{\AHTTP/1\.1 200 }, 'the request that waited for the database is answered');
    }
    is($lims->get('/whoami')->status, 200, 'the next request gets a connection');
    is(connections(), 2, 'there were never more than two');
    like(LIMS::Service::Response->from($lims, '/lims/metrics')->body,
        qr/^lims_database_exhausted_total 1$/m,
            'the metrics count the request without a connection');
};

subtest 'a client that sends slowly' => sub {
    my $body = '{"code":"SENT","name":"Sent slowly"}';
    my @slow = map {
        my $socket = $lims->socket;
        syswrite $socket, message($lims, 'POST', '/clients', headers => [
                'Content-Type: application/json', 'Content-Length: ' . length $body ]) . '{"code"';
        $socket;
    } 1 .. 4;
    is($lims->get('/clients')->status, 200, 'others get a connection meanwhile') for 1 .. 4;
    is($lims->post('/clients', { code => 'QUICK', name => 'Quick' })->status, 201,
        'a connection is free to write while clients send slowly');
    close $_ for @slow[ 1 .. 3 ];
    syswrite $slow[0], substr $body, 7;
    my $raw = '';
    while (sysread $slow[0], my $some, 65536) { $raw .= $some }
    like($raw, qr{\AHTTP/1\.1 201 }, 'the client that completes its body is answered');
    is($lims->db->selectrow_array(q{SELECT count(*) FROM lims.client WHERE code = 'SENT'}), 1,
        'the client that hangs up has done nothing');
};

# As many as there are threads: they take turns.
subtest 'more requests than connections' => sub {
    my @statuses = $lims->parallel(12, sub {
        return [ map { $lims->get('/clients')->status } 1 .. 20 ];
    });
    is_deeply([ grep { $_ != 200 } map {@$_} @statuses ], [], 'all of 240 requests are answered');
    cmp_ok(connections(), '<=', 2, 'over two connections');
};

subtest 'a client that reads slowly' => sub {
    # More than the buffers of both ends take: 8 MB.
    $lims->db->do(q{INSERT INTO lims.client (organization_id, code, name, address)
                    SELECT ?, 'SLOW-' || n, 'Slow', repeat(U&'\+01F9EA', 4000)
                      FROM generate_series(1, 500) AS n}, undef, $lims->fixture->{id});
    my @slow = map {
        my $plain = IO::Socket::INET->new(Proto => 'tcp') || die "socket: $!\n";
        setsockopt $plain, SOL_SOCKET, SO_RCVBUF, 4096;
        connect($plain, Socket::pack_sockaddr_in($lims->{instance}{port},
                Socket::inet_aton('127.0.0.1'))) or die "connect: $!\n";
        my $socket = IO::Socket::SSL->start_SSL($plain,
            SSL_ca_file => LIMS::Instance::ca_file(), SSL_verifycn_scheme => 'none')
            or die "TLS: $IO::Socket::SSL::SSL_ERROR\n";
        syswrite $socket, message($lims, 'GET', '/clients?limit=500');
        sysread $socket, my $first, 100;
        [ $socket, $first ];
    } 1 .. 3;
    like($_->[1], qr{\AHTTP/1\.1 200 }, 'its answer has begun') for @slow;
    for my $time (1 .. 4) {
        is($lims->get('/whoami')->status, 200, 'other requests get one of the two connections');
    }
    for my $each (@slow) {
        my ($socket, $raw) = @$each;
        while (sysread $socket, my $some, 262144) { $raw .= $some }
        my ($length) = $raw =~ /^Content-Length: (\d+)/mi;
        my ($head, $body) = split /\r\n\r\n/, $raw, 2;
        cmp_ok($length, '>', 7_000_000, 'in the end the slow client has read everything');
        is(length $body, $length, 'the slow client has read its answer to the last byte');
    }
};

done_testing();
