# SPDX-License-Identifier: Apache-2.0
package Bench::Measure;

=head1 NAME

Bench::Measure - puts load on a server or on PostgreSQL and reads the clocks

=head1 DESCRIPTION

Every measurement is a hash: C<rate> (requests or transactions a second), C<p50>
and C<p99> (microseconds; of pgbench the mean stands for the median), and CPU
time by part of the system in microseconds a request. Whatever was refused or
broken ends the run: figures of errors would be worth nothing.

=cut

use strict;
use warnings;

use Bench::Setup;
use List::Util ();
use POSIX qw(sysconf _SC_CLK_TCK);

our $connections = 32;

# Seconds that a new session of pgbench takes to know its plans.
my $begin = 3;

# --- Statements --------------------------------------------------------------

# The statements that the module was built with: { label => { sql, parameters } },
# a parameter being [ kind, name ].
sub statements {
    my ($source) = @_;
    my (%parameters, %statements);

    while ($source =~ /lims_parameter_t (\w+)_parameters\[\] = \{(.*?)\};/sg) {
        my ($label, $list) = ($1, $2);
        push @{ $parameters{$label} }, [ $1, $2 ]
            while $list =~ /\{ \.kind = LIMS_P_(\w+), \.name = "(\w+)"/g;
    }
    while ($source =~ /\.label = "(\w+)",\s*\.sql =\s*((?:"(?:[^"\\]|\\.)*"\s*)+),/sg) {
        my ($label, $literal) = ($1, $2);
        my $sql = join '', $literal =~ /"((?:[^"\\]|\\.)*)"/g;
        $sql =~ s/\\(.)/$1 eq 'n' ? "\n" : $1/ge;
        $statements{$label} = { sql => $sql, parameters => $parameters{$label} || [] };
    }
    return \%statements;
}

# A statement for pgbench: its numbered parameters as variables, NULL for what
# the request does not give.
sub for_pgbench {
    my ($statement, $variables) = @_;
    my $sql = $statement->{sql};

    $sql =~ s{\$(\d+)}{
        my ($kind, $name) = @{ $statement->{parameters}[ $1 - 1 ] };
        my $given = $variables->{$name};
        $kind eq 'GIVEN' ? ($given ? 'true' : 'false') : $given ? ":$name" : 'NULL';
    }ge;
    return $sql;
}

# --- CPU time ----------------------------------------------------------------

# Microseconds of CPU time of a process and all below it, with those that ended.
sub cpu_of {
    my (@roots) = @_;
    my (%parent, %used);

    for my $path (glob '/proc/[0-9]*/stat') {
        open my $in, '<', $path or next;
        my $line = <$in>;
        my ($pid, $rest) = defined $line ? $line =~ /\A(\d+) \(.*\) (.*)/s : ();
        next unless defined $rest;
        my @field = split / /, $rest;
        $parent{$pid} = $field[1];
        $used{$pid}   = $field[11] + $field[12] + $field[13] + $field[14];
    }
    my %inside = map { $_ => 1 } @roots;
    for my $pid (keys %parent) {
        my @line = ($pid);
        push @line, $parent{ $line[-1] } while $parent{ $line[-1] } && !$inside{ $line[-1] };
        @inside{@line} = (1) x @line if $inside{ $line[-1] };
    }
    my $ticks = 0;
    $ticks += $used{$_} || 0 for keys %inside;
    return $ticks * 1e6 / sysconf(_SC_CLK_TCK);
}

sub postmaster {
    my $home = Bench::Setup::home($Bench::Setup::cluster);
    my ($pid) = Bench::Setup::slurp("$home/pg/data/postmaster.pid") =~ /\A(\d+)/;
    return $pid || die "no postmaster\n";
}

# Runs the action and says what each of the named processes used meanwhile, by
# request: { httpd => pid, ... }.
sub with_cpu {
    my ($processes, $action) = @_;
    my %all    = (%$processes, postgresql => postmaster());
    my %before = map { $_ => cpu_of($all{$_}) } keys %all;
    my $result = $action->();

    for my $name (keys %all) {
        my $cpu = (cpu_of($all{$name}) - $before{$name}) / $result->{requests};
        $result->{cpu}{$name} = $cpu;
        $result->{cpu_total} += $cpu;
    }
    return $result;
}

# --- Load --------------------------------------------------------------------

# wrk on one server: (url, processes, what, plan, seconds, connections, think)
sub wrk {
    my (%o) = @_;
    my $c = $o{connections} || $connections;

    return with_cpu($o{processes}, sub {
        my $text = Bench::Setup::output('wrk', '-t2', "-c$c", "-d$o{seconds}s", '--timeout', '10s',
            '--latency', '-s', "$Bench::Setup::bench/load.lua", $o{url}, '--', $o{what}, $o{plan},
            defined $o{think} ? $o{think} : ());
        my %seen = $text =~ /(\w+)=(\d+)/g;
        die "wrk did not measure:\n$text" unless $seen{requests};
        # A server may close a connection that waits; wrk opens another one.
        die "$o{what}: not every request was answered:\n$text"
            if $seen{read} > $seen{requests} / 100
            || grep { $seen{$_} } qw(refused connect write timeout);
        return { requests => $seen{requests}, reopened => $seen{read}, p50 => $seen{p50},
            p99 => $seen{p99}, rate => $seen{requests} * 1e6 / $seen{microseconds} };
    });
}

sub _pgbench_path {
    my ($path) = grep { -x } map { "$_/pgbench" } (split /:/, $ENV{PATH}),
        reverse sort glob '/usr/lib/postgresql/*/bin';

    return $path || die "pgbench is not installed\n";
}

# One process of pgbench for a speaker, with its key and organization. Progress
# goes to standard error.
sub _pgbench_command {
    my ($speaker, $clients, $o) = @_;
    my $value = $speaker->{variables};

    return ('sh', '-c', 'exec "$@" 2>&1', 'sh', _pgbench_path(), '-n', '-M', 'prepared',
        '-h', Bench::Setup::socket_folder(), '-U', 'lims_app', '-c', $clients, '-j', 1, '-P', 1,
        '-T', $o->{seconds} + $begin + 1, '-f', $o->{script},
        (map { ('-D', "$_=$value->{$_}") } sort keys %$value), $o->{database});
}

# Reads a process's progress up to a time; how many transactions it did since
# the time before.
sub _pgbench_until {
    my ($pipe, $time) = @_;
    my ($count, $text) = (0, '');

    while (my $line = <$pipe>) {
        $text .= $line;
        next unless $line =~ /^progress: ([\d.]+) s, ([\d.]+) tps/;
        $count += $2;
        return $count if $1 > $time - 0.5;
    }
    die "pgbench failed:\n$text";
}

sub _pgbench_end {
    my ($pipe) = @_;
    my $text = do { local $/ = undef; <$pipe> };

    close $pipe or die "pgbench failed:\n$text";
    $text =~ /^number of failed transactions: 0 /m or die "pgbench:\n$text";
    return;
}

# pgbench with the speakers, as many as there are connections for: (script,
# speakers, database, seconds, connections). Its sessions are new ones: the first
# seconds, in which they plan, do not count.
sub pgbench {
    my (%o) = @_;
    my $all      = $o{connections} || $connections;
    my @speakers = List::Util::head($all, @{ $o{speakers} });
    my $left     = $all;
    my $count    = 0;
    my @pipes;

    local $ENV{PGOPTIONS} = Bench::Setup::session_options();
    for my $i (0 .. $#speakers) {
        my $clients = int($left / (@speakers - $i));
        $left -= $clients;
        open $pipes[$i], '-|', _pgbench_command($speakers[$i], $clients, \%o)
            or die "pgbench: $!\n";
    }
    _pgbench_until($_, $begin) for @pipes;
    my $before = cpu_of(postmaster());
    $count += _pgbench_until($_, $begin + $o{seconds}) for @pipes;
    my $cpu = cpu_of(postmaster()) - $before;
    _pgbench_end($_) for @pipes;
    return { requests => $count, rate => $count / $o{seconds},
        p50 => 1e6 * $all * $o{seconds} / $count, cpu => { postgresql => $cpu / $count },
        cpu_total => $cpu / $count };
}

# The pause between requests at which the rate is what was asked for, found by
# short trials.
sub pace {
    my ($rate, $load) = @_;
    my $think = 1000 * $connections / $rate * 0.8;
    my $last;

    for (1 .. 6) {
        $last = wrk(%$load, seconds => 2, think => sprintf '%.3f', $think);
        my $off = $last->{rate} / $rate - 1;
        last if abs $off < 0.02;
        $think += 1000 * $connections * (1 / $rate - 1 / $last->{rate});
        $think = 0.05 if $think < 0.05;
    }
    return sprintf '%.3f', $think;
}

sub median {
    my @sorted = sort { $a <=> $b } grep { defined } @_;
    return undef unless @sorted;
    return ($sorted[ int($#sorted / 2) ] + $sorted[ int(@sorted / 2) ]) / 2;
}

1;
