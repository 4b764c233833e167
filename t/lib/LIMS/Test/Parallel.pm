# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Parallel;

=head1 NAME

LIMS::Test::Parallel - processes of a test that act at the same time

=head1 SYNOPSIS

    my @results = $lims->parallel(20, sub { my ($number) = @_; ... });

=head1 DESCRIPTION

For L<LIMS::Test> and L<LIMS::Test::SQL>. C<parallel> starts so many processes; each
connects (C<before_parallel>), waits for the others, then acts. What each returns
comes back in order.

C<problem($name, @words)> fails the test; called in one of those processes, it fails
the test in their parent.

=cut

use strict;
use warnings;

use POSIX ();
use Storable qw(freeze thaw);
use Test::More ();

my $owner = $$;

# Connects, so that it is no part of what overlaps.
sub before_parallel { return }

sub parallel {
    my ($self, $count, $action) = @_;
    my (@children, @results);

    pipe my $ready_in, my $ready_out or die "pipe: $!\n";
    pipe my $go_in,    my $go_out    or die "pipe: $!\n";
    for my $number (0 .. $count - 1) {
        pipe my $in, my $out or die "pipe: $!\n";
        my $pid = fork;
        die "fork: $!\n" unless defined $pid;
        if (!$pid) {
            close $_ for $in, $ready_in, $go_out;
            $self->_take_part($number, $action, $ready_out, $go_in, $out);
        }
        close $out;
        push @children, [ $pid, $in ];
    }
    close $ready_out;
    close $go_in;
    for (1 .. $count) {
        sysread($ready_in, my $byte, 1) or die "a process of parallel() died\n";
    }
    close $go_out;    # all are waiting for just this
    for my $child (@children) {
        push @results, $self->_collect(@$child);
    }
    return @results;
}

sub _take_part {
    my ($self, $number, $action, $ready, $go, $out) = @_;
    my $ok = eval {
        $self->before_parallel;
        syswrite $ready, '.';
        close $ready;
        sysread $go, my $byte, 1;
        my $result = $action->($number);
        print {$out} freeze([ $result, $self->{problems} ]);
        1;
    };
    print {$out} freeze([ undef, [ [ "process $number of parallel() ran", "$@" ] ] ]) unless $ok;
    close $out;
    # Neither END blocks nor destructors: they are the parent's.
    POSIX::_exit(0);
}

sub _collect {
    my ($self, $pid, $in) = @_;
    my $frozen = do { local $/ = undef; <$in> };

    close $in;
    waitpid $pid, 0;
    if (!defined $frozen || $frozen eq '') {
        $self->problem('a process of parallel() ended as it should', "wait status $?");
        return undef;
    }
    my ($result, $problems) = @{ thaw($frozen) };
    $self->problem(@$_) for @$problems;
    return $result;
}

# Fails the test; in a process of parallel(), its parent does.
sub problem {
    my ($self, $name, @words) = @_;
    chomp @words;

    if ($$ == $owner) {
        Test::More::fail($name);
        Test::More::diag(map { "  $_\n" } map { length > 2000 ? substr($_, 0, 2000) . '...' : $_ }
                grep { length } @words);
        return;
    }
    push @{ $self->{problems} }, [ $name, @words ];
    return;
}

1;
