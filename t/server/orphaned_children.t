#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# httpd's parent is killed: its children go on and keep the port, and only their parent
# could end them. Starting httpd again works all the same.
use strict;
use warnings;

use LIMS::Test;

my $lims = LIMS::Test->new;

for my $how (qw(start restart)) {
    my @left = $lims->children;
    kill 'KILL', $lims->pid;
    wait_until { !LIMS::Instance::lives($lims->pid) };
    is($lims->get('/whoami', connection => 'new')->status, 200, 'the children serve on');
    $lims->$how;
    is_deeply([ grep { LIMS::Instance::lives($_) } @left ], [], "$how: they are gone");
    is($lims->get('/whoami', connection => 'new')->status, 200, "$how: other children serve");
}

done_testing();
