#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The name of a memcached may have several addresses, of which some lead nowhere:
# whichever comes first, the one that answers counts.
use strict;
use warnings;

use LIMS::Peers::Memcached;
use LIMS::Peers::NetworkNamespace;
use LIMS::Test;

my @addresses = qw(127.0.0.11 127.0.0.12);
LIMS::Peers::NetworkNamespace->enter(hosts => "127.0.0.1 localhost\n"
        . join('', map {"$_ memcached.example\n"} @addresses));

# Whatever the order in which the system has them, in one of the rounds the first
# is the one where nobody is.
for my $address (@addresses) {
    my $memcached = LIMS::Peers::Memcached->new(address => $address);
    my ($port)    = $memcached->address =~ /(\d+)\z/;
    my $lims = LIMS::Test->new(conf => "LimsRateLimit 120\nLimsRateLimitTimeout 1000\n"
            . "LimsRateLimitMemcached memcached.example:$port\n");

    is($lims->get('/whoami')->status, 200, "a request, with memcached at $address") for 1 .. 5;
    cmp_ok($memcached->stat('cmd_set'), '>', 0, 'memcached has counted the request');
    unlike($lims->log, qr/LIMS0061/, "memcached at $address is never said to be away");
    ok($lims->finish, 'the log is clean');
    $memcached->kill;
}

done_testing();
