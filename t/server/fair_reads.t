#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The fair semaphore of short reads: a read that lasts loses its place to the next, so that
# none waits for long. Requests that may take long, searches and writes, neither hold a
# place nor wait for one.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::RawRequest qw(message);
use LIMS::Test;
use Time::HiRes qw(time);

my $lims = LIMS::Test->new(
    children => 1,
    conf     => <<'END',
Define LIMS_TIMEOUTS "-c statement_timeout=0"
LimsDatabaseReads 1
LimsDatabaseWait 30000
LimsDatabaseTimeout 60000
END
);

my $sample = LIMS::Service::Laboratory->new($lims)->sample;

# Until so many wait in the database.
sub stuck {
    my ($number) = @_;
    wait_until {
        $lims->superuser->selectrow_array(
            q{SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
               AND application_name = 'mod_lims' AND datname = current_database()}) == $number;
    } or die "there are not $number that wait\n";
    return;
}

# Requests at once, whose answers are not read yet.
sub ask {
    my (@paths) = @_;
    my @sockets = map { $lims->socket } @paths;
    syswrite $sockets[$_], message($lims, 'GET', $paths[$_]) for 0 .. $#paths;
    return @sockets;
}

sub answer_of {
    my ($socket) = @_;
    my $raw = '';
    while (sysread $socket, my $some, 65536) { $raw .= $some }
    return $raw;
}

my $blocker = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
$blocker->begin_work;
$blocker->do('LOCK TABLE lims.client IN ACCESS EXCLUSIVE MODE');

my ($search) = ask('/clients?code=X');
stuck(1);
is($lims->get('/projects')->status, 200, 'a search that takes long holds no turn');

my ($page) = ask('/clients');
stuck(2);
is($lims->get($_)->status, 200, "$_ does not wait for the end of a page that takes long")
    for qw(/projects /whoami);

my $start = time;
my @pages = ask(('/clients') x 5);
stuck(7);
cmp_ok(time - $start, '>=', 0.4, 'five such pages have a turn of 100 ms, one after another');
is($lims->get('/projects?code=X')->status, 200, 'a search waits for no turn');
is($lims->patch("/samples/$sample->{id}", { notes => 'meanwhile' })->status, 200,
    'a write does not wait for a place');

$blocker->rollback;
$blocker->disconnect;
like(answer_of($_), qr{\AHTTP/1\.1 200 }, 'requests that waited for the database are answered')
    for $search, $page, @pages;
my @statuses = $lims->parallel(8, sub {
    return [ map { $lims->get('/projects')->status } 1 .. 20 ];
});
is_deeply([ grep { $_ != 200 } map {@$_} @statuses ], [], 'all short reads are answered');

done_testing();
