#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The database may be down when httpd starts, and may be restarted while it runs: requests
# that cannot be served meanwhile get 503, nothing is half done or done twice, and httpd
# recovers by itself. On a cluster of its own.
use strict;
use warnings;

use LIMS::Chaos::LoadDuringFault;
use LIMS::Chaos::PostgreSQL;
use LIMS::Test;
use Time::HiRes qw(time sleep);

my $server = LIMS::Chaos::PostgreSQL->own('restart');
my $lims   = LIMS::Test->new(conf => LIMS::Chaos::LoadDuringFault::conf());

subtest 'the database is down when httpd starts' => sub {
    is($lims->get('/whoami')->status, 200, 'at first all is well');
    $lims->stop;
    $lims->forget_handles;
    $server->stop('INT');
    ok(eval { $lims->start; 1 }, 'httpd starts all the same') or diag($@);
    my $pid = $lims->pid;
    $lims->expect_log(qr/LIMS0110: host localhost:\d+, database \S+: the schema could not be checked at start/);
    for my $method (qw(GET POST)) {
        my $answer = $lims->request($method, '/clients',
            $method eq 'POST' ? (body => { code => 'D', name => 'D' }) : ());
        is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
            "$method: the service is not available");
        like($answer->header('Retry-After'), qr/\A[1-9]\d*\z/, "$method: the refusal says when to come again");
        unlike($answer->json->{message}, qr/socket|postgres|\.s\.PGSQL/i,
            "$method: the refusal says nothing about our insides");
    }
    is($lims->get('/whoami', key => 'lk_mistyped')->status, 401,
        'what needs no database is answered as ever');
    $lims->expect_log(qr/LIMS0051: 503 .*connection to server on socket .* failed/);
    $lims->expect_log(qr/\[dbd:error\]/);
    $server->start;
    is($lims->get('/whoami')->status, 200, 'once the database is up, requests are answered');
    is($lims->pid, $pid, 'httpd is the same process');
};

subtest 'idle sessions are ended' => sub {
    for my $round (1 .. 3) {
        $lims->parallel(6, sub { return $lims->get('/clients')->status });
        my ($ended) = $lims->superuser->selectrow_array(
            q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
               WHERE application_name = 'mod_lims'});
        cmp_ok($ended, '>', 0, "round $round: there were some");
        ok((wait_until { !$server->service_sessions }), "round $round: the sessions are gone");
        is($lims->post('/clients', { code => "E-$round", name => 'E' })->status, 201,
            "round $round: a write gets a new session at once");
        is($lims->get('/clients')->status, 200, "round $round: a read gets a new session at once");
    }
};

# INT ends the sessions and then the server, QUIT drops everything at once, and
# so does KILL, without a word.
for my $signal (qw(INT QUIT KILL)) {
    my $load = LIMS::Chaos::LoadDuringFault->run($lims, clients => 32, action => sub {
        $server->stop($signal);
        sleep 0.3;
        $server->start;
    });
    cmp_ok((scalar grep { $_->{status} == 503 } $load->answers), '>', 0,
        "SIG$signal: it was really away");
    $load->judge("restarted under load (SIG$signal)");
}

subtest 'a long outage' => sub {
    $lims->forget_handles;
    $server->stop('INT');
    my $lines = () = $lims->log =~ /^/mg;
    my $begun = time;
    my @status = map {@$_} $lims->parallel(16, sub {
        return [ map { $lims->get('/whoami')->status } 1 .. 15 ];
    });
    my $seconds = time - $begun;
    my $asked   = @status;
    is_deeply([ grep { $_ != 503 } @status ], [], "$asked requests are refused");
    my $more = (() = $lims->log =~ /^/mg) - $lines;
    # One a second and child; mod_dbd's for the connections that were in use.
    cmp_ok($more, '<', 2 * ($seconds + 2) + 20, "the log does not fill for $asked requests")
        or diag("$more lines");
    like($lims->log, qr/LIMS0051: .*and [1-9]\d* before it\)/, 'the log says how many lines it has left out');
    $server->start;
    my @back = $lims->parallel(32, sub { return $lims->get('/whoami')->status });
    is_deeply(\@back, [ (200) x 32 ], 'after that all requests are answered at once');
    $lims->expect_log(qr/LIMS0056: the database is back; .* this child refused [1-9]/);
};

subtest 'few connection attempts during an outage' => sub {
    my $narrow = LIMS::Test->new(children => 1,
        conf => "Define LIMS_CONNECTIONS 1\nLimsDatabaseWait 60000\n");
    is($narrow->get('/whoami')->status, 200, 'at first all is well');
    $_->forget_handles for $lims, $narrow;
    $server->stop('INT');
    my $begun  = time;
    my @status = $narrow->parallel(8, sub { return $narrow->get('/whoami')->status });
    is_deeply(\@status, [ (503) x 8 ], 'all requests are refused');
    cmp_ok(time - $begun, '<', 30, 'requests that wait for a connection are refused in time');
    $server->start;
    is($narrow->get('/whoami')->status, 200, 'after the outage requests are answered');
    $narrow->expect_log(qr/LIMS0051: 503 /);
    $narrow->expect_log(qr/LIMS0056: /);
    $narrow->allow_log(qr/LIMS00(?:3[68]|45): 503 |\[dbd:error\]/);
    $narrow->finish;
};

cmp_ok($server->service_sessions, '<=', 80, 'no session was left behind');
$lims->stop;
ok((wait_until { !$server->service_sessions }), 'no session outlives httpd');
$lims->start;
$lims->expect_log(qr/LIMS00(?:3[68]|51|30|45): 503 service_unavailable/);

done_testing();
