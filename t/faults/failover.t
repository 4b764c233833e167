#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Failover between two database nodes, both named in the connection string: when the
# primary dies and the standby is promoted, the service works again at once. It never
# writes to a read-only node.
use strict;
use warnings;

use LIMS::Chaos::LoadDuringFault;
use LIMS::Chaos::PostgreSQL;
use LIMS::Test;
use Time::HiRes qw(time sleep);

my $first  = LIMS::Chaos::PostgreSQL->own('failover');
my $second = $first->standby;
my $lims   = LIMS::Test->new(conf => LIMS::Chaos::LoadDuringFault::conf()
        . 'Define LIMS_DATABASE "host=' . $first->socket . ',' . $second->socket
        . ' dbname=lims_test_faults_failover target_session_attrs=read-write"');

# From here on the test too asks that node.
sub work_on { $LIMS::Instance::socket = $_[0]->socket; $lims->forget_handles; return }

# The service looks at each node, and leaves the one that may only be read.
sub is_left {
    my ($node, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    wait_until { !$node->service_sessions };
    return is($node->service_sessions, 0, $name);
}

# Confirmed writes must be on the standby, as an operator would configure it.
$first->say("ALTER SYSTEM SET synchronous_standby_names = '*'",
    'ALTER SYSTEM SET synchronous_commit = remote_apply', 'SELECT pg_reload_conf()');

is($lims->get('/whoami')->status, 200, 'at first all is well');
is_left($second, 'nobody works on the standby');

my $load = LIMS::Chaos::LoadDuringFault->run($lims, clients => 12, action => sub {
    $first->stop('KILL');
    sleep 0.3;
    $second->promote;
    my $promoted = time;
    # By the best of several: none of them is to blame for a machine that is busy.
    my @took = $lims->parallel(4, sub {
        1 until $lims->get('/whoami')->status == 200;
        return time - $promoted;
    });
    return (sort { $a <=> $b } @took)[0];
});
work_on($second);
cmp_ok((scalar grep { $_->{status} == 503 } $load->answers), '>', 0,
    'some requests were refused meanwhile');
$load->judge('failed over under load');
cmp_ok($load->{result}, '<', 2, 'the service is back within two seconds of the promotion');
note(sprintf 'back after %.3f s', $load->{result});
cmp_ok($second->service_sessions, '>', 0, 'it works on the new primary');

subtest 'the old primary comes back as a standby' => sub {
    $second->say('ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()');
    $first->follow($second);
    is($first->say('SELECT pg_is_in_recovery()'), 1, 'the old primary is read-only');
    my @made = map { $lims->post('/clients', { code => "B-$_", name => 'B' })->status } 1 .. 20;
    is_deeply(\@made, [ (201) x 20 ], 'writes go on');
    is_left($first, 'no connection to the former primary is left');
    $lims->restart;
    is($lims->post('/clients', { code => 'B-21', name => 'B' })->status, 201,
        'writes go on after a restart of httpd');
    is_left($first, 'a restarted httpd, too, leaves no connection to the former primary');
};

subtest 'a connection that stays open to a node that may only be read' => sub {
    $lims->parallel(6, sub { return $lims->get('/clients')->status });
    my $before = $second->service_sessions;
    cmp_ok($before, '>', 0, 'there are connections');
    $second->say('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()');
    wait_until {
        $second->say(q{SELECT current_setting('default_transaction_read_only')}) eq 'on';
    };
    my $answer = $lims->post('/clients', { code => 'R', name => 'R' });
    is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
        'a write is refused while there is no primary');
    like($answer->header('Retry-After'), qr/\A\d+\z/, 'the refusal has Retry-After');
    $second->say('ALTER SYSTEM RESET default_transaction_read_only', 'SELECT pg_reload_conf()');
    wait_until {
        $second->say(q{SELECT current_setting('default_transaction_read_only')}) eq 'off';
    };
    is($lims->post('/clients', { code => 'R', name => 'R' })->status, 201,
        'the first write after the promotion succeeds');
};

$lims->expect_log(qr/LIMS00(?:3[68]|5[17]|45|30): 503 service_unavailable|\[dbd:error\]/);

done_testing();
