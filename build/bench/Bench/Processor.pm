# SPDX-License-Identifier: Apache-2.0
package Bench::Processor;

=head1 NAME

Bench::Processor - the processor time that httpd, PostgreSQL and commands spend

=head1 SYNOPSIS

    my $seconds = Bench::Processor::spent($lims, sub { $lims->get('/samples') });
    $seconds = Bench::Processor::of_commands($tool->db, sub { $tool->made(qw(audit close)) });

=head1 DESCRIPTION

Counts the ticks (1/100 s) of the processes of a test's httpd and of its PostgreSQL
cluster while something is done: what else the machine does is not in it. One act is to
take many ticks. Of commands it counts those that have ended and, in the cluster of the
handle, the servers of connections that have ended.

=cut

use strict;
use warnings;

# Returns for each process its parent, its ticks of the processor, and those of its children
# that have ended.
sub _processes {
    my %of;

    for my $file (glob '/proc/[0-9]*/stat') {
        open my $stat, '<', $file or next;
        my ($pid, $rest) = (<$stat> // '') =~ /\A(\d+) \(.*\) (.*)/ or next;
        my @field = split / /, $rest;
        $of{$pid} = { parent => $field[1], ticks => $field[11] + $field[12],
            ended => $field[13] + $field[14] };
    }
    return %of;
}

# Ticks of the processor that each of these processes has had.
sub _ticks {
    my ($lims) = @_;
    my $cluster = $lims->db->selectrow_array('SELECT pg_backend_pid()');
    my %of      = _processes();

    open my $file, '<', "$lims->{instance}{home}/httpd.pid" or die "httpd.pid: $!\n";
    chomp(my $httpd = <$file>);
    my %root = map { $_ => 1 } $httpd, $of{$cluster}{parent};
    return map { $_ => $of{$_}{ticks} } grep { $root{$_} || $root{ $of{$_}{parent} } } keys %of;
}

sub spent {
    my ($lims, $act) = @_;
    my %before = _ticks($lims);
    my $sum    = 0;

    $act->();
    my %after = _ticks($lims);
    $sum += $after{$_} - ($before{$_} // 0) for keys %after;
    return $sum / 100;
}

sub _ended {
    my ($db) = @_;
    my %of = _processes();
    return $of{$$}{ended} + $of{ $of{ $db->{pg_pid} }{parent} }{ended};
}

sub of_commands {
    my ($db, $act) = @_;
    my $before = _ended($db);

    $act->();
    return (_ended($db) - $before) / 100;
}

1;
