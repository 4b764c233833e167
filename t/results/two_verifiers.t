#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two people verify the same result at once: it is verified once, signed once and told once,
# by one of them; the other is refused, and leaves no signature.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims   = LIMS::Test->new;
my $lab    = LIMS::Service::Laboratory->new($lims);
my @people = map { LIMS::Service::CommandLine->new($lims, $_, roles => ['analyst']) } 'Ann Lee',
    'Bo Kim';
my ($sample, @tests) = $lab->worked(4);

for my $test (@tests) {
    my @answers;
    my @events = $lab->events_of(sub {
        @answers = $lims->parallel(2, sub { $people[ $_[0] ]->call('sample-test verify', $test) });
    });
    my @done    = grep { !$_->{exit} } @answers;
    my @refused = grep { $_->{exit} } @answers;
    is(scalar(@done), 1, "test $test is verified by one");
    is($refused[0]{json}{error}, 'test_verified_locked', "test $test: the other verification is refused");
    my @signatures = @{ $lims->db->selectcol_arrayref(q{SELECT signer
        FROM lims.electronic_signature WHERE table_name = 'sample_test' AND record_id = ?}, undef,
        $test) };
    is_deeply(\@signatures, [ $done[0]{json}{verifiedBy} ], "test $test: only the verifier has signed");
    is_deeply([ map { $_->[0] } @events ], ['result.verified'], 'result.verified is emitted once');
}
done_testing();
