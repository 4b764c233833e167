#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Slow clients, and clients that disappear: while they send, while they receive, or without
# a word. None holds a database connection meanwhile, and nothing of them stays behind.
use strict;
use warnings;

use LIMS::Service::RawRequest qw(message);
use LIMS::Service::Response;
use LIMS::Test;
use Socket qw(SOL_SOCKET SO_LINGER);
use Time::HiRes qw(time sleep);

# Without TLS, whose handshakes would be most of the work.
my $lims = LIMS::Test->new(children => 1,
    conf => "LimsTLS proxy\nDefine LIMS_NO_APPLICATION\n"
        . "Define LIMS_READ_TIMEOUT \"header=20 body=5,MinRate=200\"");
# httpd may find that all its threads are taken.
push @{ $lims->{expected} }, qr/AH00484: server reached MaxRequestWorkers/;
my $body = '{"code":"SLOW","name":"Sent byte by byte"}';

# With the whole head and as much of the body, or of a longer one.
sub begin {
    my ($length, $announced) = @_;
    my $socket = $lims->socket(plain => 1);
    syswrite $socket, message($lims, 'POST', '/clients', headers => [
            'Content-Type: application/json',
            'Content-Length: ' . ($announced || length $body) ])
        . substr $body, 0, $length;
    return $socket;
}

# State => number of the service's sessions.
sub sessions {
    my %count = (idle => 0, @{ $lims->superuser->selectcol_arrayref(
            q{SELECT state, count(*) FROM pg_stat_activity
               WHERE application_name = 'mod_lims' AND datname = current_database()
               GROUP BY state}, { Columns => [ 1, 2 ] }) });
    return \%count;
}

# Sessions in the middle of something for longer than any request here has to do.
sub held {
    return $lims->superuser->selectrow_array(q{SELECT count(*) FROM pg_stat_activity
        WHERE application_name = 'mod_lims' AND datname = current_database()
          AND state <> 'idle' AND state_change < clock_timestamp() - interval '2 seconds'});
}

sub made { return $lims->db->selectrow_array('SELECT count(*) FROM lims.client') }

sub descriptors {
    my ($child) = $lims->children;
    opendir my $dir, "/proc/$child/fd" or die "descriptors of $child: $!\n";
    return scalar grep {/\d/} readdir $dir;
}

sub read_all {
    my ($socket) = @_;
    my $raw = '';
    while (sysread $socket, my $some, 65536) { $raw .= $some }
    return $raw;
}

subtest 'clients slower than RequestReadTimeout' => sub {
    is($lims->get('/clients')->status, 200, 'there is a connection');
    my @slow = map { begin(5, 1000) } 1 .. 8;
    # A byte now and then, for as long as anybody listens.
    my $until = time + 60;
    my %open  = map { $_ => $slow[$_] } 0 .. $#slow;
    my (@raw, $held);
    while (%open && time < $until) {
        sleep 0.1;
        for my $number (keys %open) {
            my $socket = $open{$number};
            syswrite $socket, ' ';
            vec(my $bits = '', fileno $socket, 1) = 1;
            next unless select $bits, undef, undef, 0;
            push @raw, read_all($socket);
            delete $open{$number};
        }
        $held ||= held();
    }
    ok(!$held, 'none holds a session of the database');
    is(scalar @raw, scalar @slow, 'every slow request is given up');
    for my $raw (@raw) {
        my $answer = LIMS::Service::Response->parse($raw);
        is($answer && $answer->status . ' ' . $answer->json->{error}, '408 request_timeout',
            'a slow request gets 408 in JSON');
    }
    is(made(), 0, 'the request was not done');
};

subtest 'slow clients within RequestReadTimeout' => sub {
    my $socket = begin(5);
    for my $byte (split //, substr $body, 5) {
        syswrite $socket, $byte;
        sleep 0.002;
    }
    my $answer = LIMS::Service::Response->parse(read_all($socket));
    is($answer && $answer->status, 201, 'a slow request is answered');
    is(made(), 1, 'the slow request is done once');
};

# An end without a good-bye, as of a machine that lost power.
sub vanish {
    my ($socket) = @_;
    setsockopt $socket, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
    close $socket;
    return;
}

my @ways = (
    sub { vanish($lims->socket(plain => 1)) },
    sub { vanish(begin(1 + int rand length($body) - 2)) },
    sub { close begin(1 + int rand length($body) - 2) },
    # In the middle of the request's work, and of its answer.
    sub {
        my ($number) = @_;
        my $socket = $lims->socket(plain => 1);
        syswrite $socket, message($lims, 'GET', '/clients?limit=500');
        sysread $socket, my $some, 64 if $number % 2;
        vanish($socket);
    },
    # In the middle of a head.
    sub {
        my $socket = $lims->socket(plain => 1);
        syswrite $socket, substr message($lims, 'GET', '/clients'), 0, 70;
        vanish($socket);
    },
);

subtest 'thousands of clients that disappear' => sub {
    $lims->db->do(q{INSERT INTO lims.client (organization_id, code, name, address)
                    SELECT ?, 'V-' || n, 'V', repeat('v', 2000)
                      FROM generate_series(1, 300) AS n}, undef, $lims->fixture->{id});
    $lims->parallel(12, sub { return $lims->get('/clients?limit=500')->status });
    my ($before, $descriptors) = (made(), descriptors() - sessions()->{idle});
    my $count = 250;

    $lims->parallel(8, sub {
        my ($number) = @_;
        srand $number;
        $ways[ $_ % @ways ]->($_) for 1 .. $count;
    });
    my @status = map {@$_}
        $lims->parallel(31, sub { return [ map { $lims->get('/clients')->status } 1 .. 3 ] });
    is_deeply([ grep { $_ != 200 } @status ], [], 'afterwards every thread is free again');
    is(made(), $before, 'no request that was sent by half was done');

    my ($left, $sessions);
    wait_until {
        $sessions = sessions();
        $left     = descriptors() - $sessions->{idle};
        $left <= $descriptors && 1 == keys %$sessions;
    };
    is_deeply([ keys %$sessions ], ['idle'], 'every database session is idle');
    cmp_ok($sessions->{idle}, '<=', 40, 'there are no more sessions than the pool may have');
    cmp_ok($left, '<=', $descriptors, 'no descriptor is left');
};

done_testing();
