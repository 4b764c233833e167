#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two databases behind one httpd have profiles of the same id. Each laboratory's files are read
# by its own profile: a process that has cached the one does not take it for the other.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Service::VirtualHosts;
use LIMS::Test;

my $hosts = LIMS::Service::VirtualHosts->new(way => 'written', conf => "LimsRateLimit 5000\n");
my ($first, $second) = map { LIMS::Files::Instrument->new(LIMS::Service::Laboratory->new($_)) } $hosts->all;

# In the second laboratory the instrument's NO3 is another test.
my @ids = ($first->profile(tests => [ { name => 'NO3', testCode => 'NO3' } ]),
    $second->profile(tests => [ { name => 'NO3', testCode => 'PO4' } ]));
is($ids[0], $ids[1], 'both profiles have the same id');

# The results of a sample of a laboratory, by test, once its file was imported.
sub read_by {
    my ($pc) = @_;
    my $sample = $pc->sample(qw(NO3 PO4));
    my $sent = $pc->send($pc->csv([ $sample, 'NO3', '2.5' ]))->json;
    return "$sent->{status} " . join ' ', map { "$_=" . ($pc->test($sample, $_)->{result} // '') } qw(NO3 PO4);
}

# Several, for any process may be the one that reads.
for (1 .. 6) {
    is(read_by($first), 'imported NO3=2.5 PO4=', 'a file of the first laboratory is read by its profile');
    is(read_by($second), 'imported NO3= PO4=2.5', 'a file of the second laboratory is read by its own');
}

$hosts->finish;
done_testing();
