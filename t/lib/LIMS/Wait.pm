# SPDX-License-Identifier: Apache-2.0
package LIMS::Wait;

=head1 NAME

LIMS::Wait - waits until a condition holds

=head1 SYNOPSIS

    wait_until { -S $socket } or die "it did not start\n";

    my $left;
    wait_until { !($left = left()) } 120;
    is($left, 0, 'nothing is left');

    ok((wait_until { sessions() == 1 }), 'one session stays');

=head1 DESCRIPTION

C<wait_until> runs the block, at least once, until it returns something true or
so many seconds have passed (60), with pauses in which others can work. What the
block returned last is returned: whether it came true is for the caller to judge.

L<LIMS::Test> and L<LIMS::Test::SQL> pass it on to whoever uses them.

=cut

use strict;
use warnings;

use Time::HiRes qw(CLOCK_MONOTONIC clock_gettime sleep);

use parent 'Exporter';

our @EXPORT = qw(wait_until);

my $pause = 0.02;

sub wait_until (&;$) {
    my ($condition, $seconds) = @_;
    my $end = clock_gettime(CLOCK_MONOTONIC) + ($seconds // 60);
    my $met;

    until ($met = $condition->()) {
        last if clock_gettime(CLOCK_MONOTONIC) >= $end;
        sleep $pause;
    }
    return $met;
}

1;
