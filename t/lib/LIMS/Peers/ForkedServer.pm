# SPDX-License-Identifier: Apache-2.0
package LIMS::Peers::ForkedServer;

=head1 NAME

LIMS::Peers::ForkedServer - base class of servers that run in processes of their own

=head1 SYNOPSIS

    use parent 'LIMS::Peers::ForkedServer';

    $self->launch(sub { ... });    # which serves, until it is stopped
    $self->serve($listener, sub { my ($socket) = @_; ... });    # in there: each
                                   # connection in a process of its own
    $self->note({ ... });          # in there: for the test, in $self->{folder}
    my @noted = $self->noted;      # in the test: what was noted so far
    $self->stop;                   # at the latest when the test ends

=cut

use strict;
use warnings;

use Cpanel::JSON::XS ();
use POSIX ();

my $json  = Cpanel::JSON::XS->new->utf8->canonical;
my $owner = $$;
my %running;

sub launch {
    my ($self, $serve) = @_;
    my $pid = fork // die "fork: $!\n";

    if (!$pid) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM);
        setpgrp;
        eval { $serve->() };
        POSIX::_exit(0);
    }
    $running{$pid} = 1;
    $self->{pid} = $pid;
    return;
}

sub serve {
    my ($self, $listener, $converse) = @_;
    # Nobody waits for the processes, and who hangs up ends none.
    local @SIG{qw(CHLD PIPE)} = ('IGNORE') x 2;

    while (1) {
        my $socket = $listener->accept or next;
        my $pid = fork;
        next if $pid || !defined $pid;
        close $listener;
        eval { $converse->($socket) };
        POSIX::_exit(0);
    }
    return;
}

sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;

    delete $running{$pid};
    kill 'KILL', -$pid, $pid;
    waitpid $pid, 0;
    return;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        kill 'KILL', -$_, $_ for keys %running;
        $? = $status;
    }
}

# One write, so that the lines of several processes do not mix.
sub note {
    my ($self, $what) = @_;
    open my $out, '>>', "$self->{folder}/seen" or die "seen: $!\n";

    syswrite $out, $json->encode($what) . "\n";
    close $out;
    return;
}

sub noted {
    my ($self) = @_;
    open my $in, '<', "$self->{folder}/seen" or return;

    return map { $json->decode($_) } grep { /\n\z/ } <$in>;
}

1;
