#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A database that neither answers nor refuses: frozen, or a host that accepts connections
# and says nothing. No request waits for minutes, few threads wait at all, and requests
# that need no database are answered as always.
use strict;
use warnings;

use IO::Select;
use LIMS::Chaos::PostgreSQL;
use LIMS::Test;
use Time::HiRes qw(time);

my $server = LIMS::Chaos::PostgreSQL->own('silence');

# For whoever is right there (the kernel, a loaded machine): seconds.
my $slack = 6;

sub refused {
    my ($answer, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($answer->status . ' ' . $answer->json->{error} . ' ' . ($answer->header('Retry-After') // ''),
        '503 service_unavailable 1', $name);
    return;
}

# (seconds, answer)
sub timed {
    my ($action) = @_;
    my $begun  = time;
    my $answer = $action->();
    return (time - $begun, $answer);
}

subtest 'every process of the database is frozen' => sub {
    my ($patience, $wait) = (800, 400);
    my $lims = LIMS::Test->new(children => 1,
        conf => "LimsDatabaseTimeout $patience\nLimsDatabaseWait $wait");
    my $sample = sub { $lims->post('/clients', { code => $_[0], name => 'F' }) };
    $lims->parallel(6, sub { return $lims->get('/clients')->status });
    my $sessions = $server->service_sessions;
    $lims->forget_handles;
    $server->freeze;

    my ($took, $answer) = timed(sub { $lims->get('/clients') });
    refused($answer, 'a read is given up');
    cmp_ok($took, '>=', $patience / 1000, 'a read is given up when LimsDatabaseTimeout has passed');
    cmp_ok($took, '<', $patience / 1000 + $slack, 'a read is given up soon after LimsDatabaseTimeout');
    # At a statement, or at making sure of the connection.
    $lims->expect_log(
        qr/LIMS00(?:46|51): 503 .*(?:no answer within $patience ms|answer did not come in time)/);
    refused($sample->('F1'), 'a write is given up');

    my @answers = $lims->parallel(12, sub {
        my ($number) = @_;
        my @took = map {
            my ($seconds, $reply) = timed(sub {
                $number % 3 ? $lims->get('/clients') : $lims->get('/whoami', key => 'lk_wrong') });
            [ $seconds, $reply->status ];
        } 1 .. 3;
        return [ $number % 3 ? 503 : 401, @took ];
    });
    my @slow;
    for my $each (@answers) {
        my ($status, @took) = @$each;
        is_deeply([ map { $_->[1] } @took ], [ ($status) x @took ], "three times $status");
        push @slow, map { $_->[0] } @took;
    }
    cmp_ok((sort { $b <=> $a } @slow)[0], '<', 2 + $slack, 'no request waited for long');

    $server->thaw;
    ($took) = timed(sub { 1 until $lims->get('/whoami')->status == 200 });
    cmp_ok($took, '<', 1 + $slack, 'the first request after the freeze succeeds');
    is($sample->('F2')->status, 201, 'the first write after the freeze succeeds');
    is($lims->db->selectrow_array(q{SELECT count(*) FROM lims.client WHERE code = 'F1'}), 0,
        'what was given up before its commit was not done');
    # Abandoned sessions end when their processes run again.
    wait_until { $server->service_sessions <= $sessions + 6 };
    cmp_ok($server->service_sessions, '<=', $sessions + 6, 'no session was left behind');
    $lims->expect_log(qr/LIMS00(?:3[68]|46|5[17]): 503 service_unavailable|\[dbd:error\]/);
    ok($lims->finish, 'the log is clean');
};

# Accepts connections and counts them; nothing is ever said.
sub start_silent_host {
    my $listener = IO::Socket::INET->new(Listen => 128, LocalAddr => '127.0.0.1') or die "$!\n";
    pipe my $ask, my $asked or die "pipe: $!\n";
    pipe my $tell, my $told or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        my ($count, @held) = (0);
        my $select = IO::Select->new($listener, $ask);
        while (my @ready = $select->can_read) {
            for my $each (@ready) {
                if ($each == $listener) {
                    push @held, scalar $listener->accept;
                    $count++;
                    next;
                }
                sysread($ask, my $byte, 1) or POSIX::_exit(0);
                syswrite $told, "$count\n";
            }
        }
    }
    close $_ for $ask, $told;
    return { port => $listener->sockport, count => sub {
        syswrite $asked, '?';
        return 0 + <$tell>;
    }, stop => sub { kill 'KILL', $pid; waitpid $pid, 0 } };
}

subtest 'a host that takes connections and is silent' => sub {
    my $host = start_silent_host();
    my $lims = LIMS::Test->new(name => 'faults-silent', children => 1,
        conf => qq(Define LIMS_DATABASE "host=127.0.0.1 port=$host->{port} dbname=lims"));
    my $before = $host->{count}->();
    cmp_ok($before, '>', 0, 'httpd asked it at start') or return;

    my $begun   = time;
    my $clients = 12;
    my @answers = $lims->parallel($clients, sub {
        my ($number) = @_;
        return [ map {
            [ timed(sub { $lims->get('/whoami', $number % 3 ? () : (key => 'lk_wrong'))->status }) ]
        } 1 .. 4 ];
    });
    my $seconds  = time - $begun;
    my $attempts = $host->{count}->() - $before;
    my %status   = map { $_->[1] => 1 } map {@$_} @answers;
    is_deeply([ sort keys %status ], [ 401, 503 ],
        'requests that need the database get 503, others their own answer');
    cmp_ok((sort { $b <=> $a } map { $_->[0] } map {@$_} @answers)[0], '<', 2 + 2 + $slack,
        'no request waits much longer than connect_timeout');
    # At first all who come together; then one after the other, 2 s each.
    cmp_ok($attempts, '<=', $clients + $seconds / 2 + 2, "$attempts attempts in all");
    $host->{stop}->();
    $lims->expect_log(qr/LIMS0051: 503 .*timeout expired/);
    $lims->expect_log(qr/LIMS0(?:05[17]|110): |\[dbd:error\]/);
    ok($lims->finish, 'the log is clean');
};

subtest 'the first of two hosts is silent' => sub {
    my $host = start_silent_host();
    my $lims = LIMS::Test->new(name => 'faults-second', children => 1,
        conf => qq(Define LIMS_DATABASE "host=127.0.0.1,) . $server->socket
            . qq( port=$host->{port},5432 dbname=lims_test_faults_second"));
    my ($took, $answer) = timed(sub { $lims->get('/whoami') });
    is($answer->status, 200, 'the second host answers');
    # Each would take two seconds; the best of several, on a machine that is busy.
    my @took = sort { $a <=> $b } map { (timed(sub { $lims->get('/whoami') }))[0] } 1 .. 5;
    cmp_ok($took[0], '<', 1.5, 'the second host answers without waiting');
    $host->{stop}->();
};

subtest 'the socket is missing' => sub {
    my $lims = LIMS::Test->new(name => 'faults-nowhere', children => 1,
        conf => 'Define LIMS_DATABASE "host=/nowhere dbname=lims"');
    refused($lims->get('/whoami'), 'a request is refused');
    $lims->expect_log(qr/LIMS0051: .*"\/nowhere\/\.s\.PGSQL\.5432" failed/);
    $lims->expect_log(qr/\[dbd:error\]|LIMS0110/);
};

done_testing();
