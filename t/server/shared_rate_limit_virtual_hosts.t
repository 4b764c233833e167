#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# One memcached for several databases that know the same keys: a key's requests count
# for its own database, on whichever machine and host they are asked, and for no other.
use strict;
use warnings;

use LIMS::Service::VirtualHosts;
use LIMS::Peers::Memcached;
use LIMS::Test;

my $memcached = LIMS::Peers::Memcached->new;
my $conf = "LimsRateLimit 120\nLimsRateLimitTimeout 1000\nLimsRateLimitMemcached "
    . $memcached->address . "\n";

sub remaining { return $_[0]->get('/whoami')->header('RateLimit-Remaining') }

# Another machine on a host's database.
sub machine { return LIMS::Test->new(conf => $conf, beside => $_[0]) }

subtest 'two databases' => sub {
    my $hosts = LIMS::Service::VirtualHosts->new(way => 'include', conf => $conf);
    my ($first, $second) = $hosts->all;
    my @far  = map { machine($_) } $first, $second;
    my @left = map { remaining($first) } 1 .. 30;

    is("@left", join(' ', reverse 90 .. 119), 'a key is counted in its database');
    is(remaining($far[0]),  89,  'the count is shared by the machines');
    is(remaining($second),  119, 'a key of the other database is counted apart');
    is(remaining($far[1]),  118, 'the other database counts on every machine');
    is(remaining($first),   88,  'requests to the other database are not counted in the first');
    is($first->get('/whoami')->status, 200, 'until') for 1 .. 88;
    is($_->get('/whoami')->status, 429, 'the key is used up in the one')     for $first,  $far[0];
    is($_->get('/whoami')->status, 200, 'the key of the other database is not used up') for $second, $far[1];
    ok($_->finish, 'nothing unexpected in the log') for @far;
    ok($hosts->finish, 'nothing unexpected in the log of the hosts');
};

subtest 'one database, written in two ways' => sub {
    my $hosts = LIMS::Service::VirtualHosts->new(way => 'written', conf => $conf, one => sub {
        my ($socket, $name) = $_[0] =~ /host='([^']+)' dbname=(\S+)/;
        return "application_name=elsewhere dbname='$name' port=5432 host=$socket";
    });
    my ($first, $second) = $hosts->all;
    my $far = machine($first);

    is(join(' ', map { remaining($_) } ($first, $second, $far) x 5), join(' ', reverse 105 .. 119),
        'two hosts and another machine count together');
    ok($far->finish,   'nothing unexpected in the log');
    ok($hosts->finish, 'nothing unexpected in the log of the two hosts');
};

done_testing();
