#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: while somebody enters results, signs or registers, httpd or PostgreSQL is
# restarted, the network is cut, an answer is lost, the session ends, another browser does the
# same first, the tab is closed. What was acknowledged is there, once; what was typed is still
# there, and the person was told.
use strict;
use warnings;

use LIMS::Chaos::PostgreSQL;
use LIMS::Test;
use LIMS::Test::Browser;

my $server = LIMS::Chaos::PostgreSQL->own('web-faults');

LIMS::Test::Browser::run('faults', sub {
    my ($lims) = @_;
    $lims->db->do(q{UPDATE lims.organization SET esignature_required = true});
    # A database that was just copied takes numbers of its sequences that no crash remembers.
    $server->say('CHECKPOINT');
    $lims->allow_log(qr/LIMS00\d\d: 503|LIMS0110|\[dbd:error\]/);
}, acts => {
    graceful => sub { $_[0]->graceful; return },
    stop     => sub { $_[0]->forget_handles; $server->stop('QUIT'); return },
    start    => sub { $server->start; return },
});
done_testing();
