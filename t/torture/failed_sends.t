#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A libpq call that fails while a query is sent or its answer is read: part of the query may
# have been sent, and the answer comes all the same. So the connection is closed, whatever
# else is right about it, and the next request has another one.
use strict;
use warnings;

use LIMS::Chaos::FailingCalls;
use LIMS::Test;

my $fail = LIMS::Chaos::FailingCalls->new(name => 'sends', libraries => ['calls']);
my $lims = LIMS::Test->new(children => 1, contract => 0,
    conf => "Define LIMS_CONNECTIONS 1\n" . $fail->conf);
my $number = 0;

# The connections that requests go to; a closed one is there until its end has noticed.
sub sessions {
    return sort @{ $lims->superuser->selectcol_arrayref(q{SELECT pid FROM pg_stat_activity
        WHERE application_name = 'mod_lims' AND datname = current_database()}) };
}

# The one that there is after a request.
sub session {
    my @found;
    wait_until {
        $lims->get('/whoami');
        (@found = sessions()) == 1;
    } or die "there is not one connection: @found\n";
    return $found[0];
}

$lims->allow_log(qr/LIMS00(?:30|36|38|40|46|51|52|57): |\[dbd:error\]/);
$fail->begin($lims);
$lims->get('/clients');
for my $work ([ GET => '/clients' ], [ POST => '/clients' ]) {
    my ($method, $path) = @$work;
    my ($tried, $turn, @kept, $outcome) = (0, 0);
    do {
        my $before = session();
        $outcome = $fail->one('call', ++$turn, 0, [ $method, $path,
            $method eq 'POST' ? { code => 'C' . ++$number, name => 'C' } : () ]);
        if ($outcome->{what} =~ /\APQ(?:send\w+|pipelineSync|getResult)\z/) {
            wait_until { !grep { $_ == $before } sessions() };
            push @kept, "turn $turn, $outcome->{what}" if session() == $before;
            $tried++;
        }
    } while $outcome->{failed};
    cmp_ok($tried, '>', 5, "$method: $tried calls failed");
    is_deeply(\@kept, [], "$method: no connection whose send failed was used again");
}

done_testing();
