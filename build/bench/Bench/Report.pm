# SPDX-License-Identifier: Apache-2.0
package Bench::Report;

=head1 NAME

Bench::Report - the table of what was measured, and the same as JSON

=cut

use strict;
use warnings;

use Bench::Measure;
use Bench::Setup;
use JSON::PP;

my $samples;

# A figure of one measurement, "cpu.httpd" and the like being the parts of its CPU time.
sub _of {
    my ($measured, $name) = @_;
    my ($part) = $name =~ /\Acpu\.(.*)/;
    return defined $part ? $measured->{cpu}{$part} : $measured->{$name};
}

# The median of one figure of one subject over the rounds.
sub figure {
    my ($subject, $name) = @_;
    return scalar Bench::Measure::median(
        map { _of($_, $name) } @{ $samples->{$subject} || [] });
}

# The median of the ratio of two subjects, each round for itself: what the
# machine does meanwhile meets both.
sub ratio {
    my ($over, $under, $name) = @_;
    my ($over_list, $under_list) = ($samples->{$over}, $samples->{$under});

    return undef unless $over_list && $under_list;
    return scalar Bench::Measure::median(
        map { _of($over_list->[$_], $name) / _of($under_list->[$_], $name) } 0 .. $#$over_list);
}

sub _rates {
    my ($what, $reference) = @_;
    return ratio("$what service", "$what $reference", 'rate');
}

# [ what, value, target, is it met ]
sub _at_least {
    my ($what, $value, $target) = @_;
    return defined $value ? [ $what, $value, ">= $target", $value >= $target ] : ();
}

sub _at_most {
    my ($what, $value, $target) = @_;
    return defined $value ? [ $what, $value, "<= $target", $value <= $target ] : ();
}

# Everything that has a target, and what explains it.
sub verdicts {
    my $bulk  = figure('bulk service', 'rate');
    my $p99   = _tail();
    my @lines = (
        _at_least('GET one sample / R1 static file', _rates('get',  'R1'), 0.65),
        _at_least('GET one sample / R2 pgbench 1.0.0', _rates('get', 'R2'), 0.95),
        # httpd and TLS take processor time that pgbench does not need; what they do not explain
        # is the statements'.
        _at_least('R2 pgbench 1.0.0 / GET one sample, database CPU',
            ratio('get R2', 'get service', 'cpu.postgresql'), 0.95),
        _at_least('GET one sample / R3 Fastify',     _rates('get',  'R3'), 1.5),
        _at_least('GET list of 50 / R2 pgbench 1.0.0', _rates('list', 'R2'), 0.5),
        _at_least('GET list of 50 / R3 Fastify',     _rates('list', 'R3'), 1.5),
        _at_least('POST sample with three tests / R2 pgbench', _rates('post', 'R2'), 0.6),
        _at_least('bulk-results of 1000, results/s', defined $bulk ? $bulk * 1000 : undef, 20000),
        _at_least('bulk-results of 1000 / R2 pgbench', _rates('bulk', 'R2'), 0.95),
        _at_most('p99 at 80 % of the peak / median', $p99, 5),
    );

    for my $what (qw(get list post)) {
        for my $part (qw(1 10)) {
            push @lines, _at_most("cost of $what, 100 % / $part % of the data",
                ratio("$what at 100", "$what at $part", 'cpu_total'), 1.15);
        }
    }
    return @lines;
}

sub _tail {
    my @paced = @{ $samples->{'paced service'} || [] };
    return scalar Bench::Measure::median(map { $_->{p99} / $_->{p50} } @paced);
}

sub _number {
    my ($value) = @_;
    return ''                       unless defined $value;
    return sprintf '%.0f', $value if $value >= 100;
    return sprintf '%.1f', $value if $value >= 10;
    return sprintf '%.2f', $value;
}

sub _subjects_table {
    my @columns = qw(rate p50 p99 cpu_total cpu.httpd cpu.node cpu.postgresql);
    my $text    = sprintf "%-18s%10s%9s%9s%10s%8s%8s%12s\n", 'median of rounds', 'req/s', 'p50 us',
        'p99 us', 'CPU us', 'httpd', 'node', 'postgresql';

    for my $subject (sort keys %$samples) {
        $text .= sprintf "%-18s%10s%9s%9s%10s%8s%8s%12s\n", $subject,
            map { _number(figure($subject, $_)) } @columns;
    }
    return $text;
}

sub _verdicts_table {
    my $text = sprintf "%-50s%10s%12s\n", 'ratio, median of rounds', 'measured', 'target';

    for my $line (verdicts()) {
        my ($what, $value, $target, $met) = @$line;
        $text .= sprintf "%-50s%10s%12s  %s\n", $what, _number($value), $target,
            $met ? 'pass' : 'FAIL';
    }
    return $text;
}

# The table for people; the JSON beside it has every round.
sub report {
    my ($conditions, $measured) = @_;
    $samples = $measured;

    my $text = join '', map { sprintf "%-14s%s\n", "$_->[0]:", $_->[1] } @$conditions;
    $text .= "\n" . _subjects_table() . "\n" . _verdicts_table();
    Bench::Setup::spew("$Bench::Setup::place/result.txt", $text);
    my @verdicts = map { {
        what     => $_->[0],
        measured => $_->[1] + 0,
        target   => $_->[2],
        met      => $_->[3] ? JSON::PP::true : JSON::PP::false,
    } } verdicts();
    Bench::Setup::spew("$Bench::Setup::place/result.json", JSON::PP->new->canonical->pretty->encode({
        conditions => { map { @$_ } @$conditions },
        rounds     => $measured,
        verdicts   => \@verdicts,
    }));
    return $text;
}

1;
