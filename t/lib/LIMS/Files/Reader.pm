# SPDX-License-Identifier: Apache-2.0
package LIMS::Files::Reader;

=head1 NAME

LIMS::Files::Reader - reads files by profiles, and compares the result with an expected one

=head1 SYNOPSIS

    my $reader  = LIMS::Files::Reader->new(shipped());
    my $file    = 't/profiles/fixtures/abbott-afinion-2.txt';
    my $outcome = $reader->outcome('abbott-afinion-2.txt', contents($file));
    fits($outcome, expected("$file.tsv"), 'a result of each kind');

=head1 DESCRIPTION

An expectation is a table, written by hand from what the file says:

    file      path in the collection, first 12 digits of its SHA-256 (real files)
    profile   code of the profile that reads it; empty: none does
    outcome   imported, or quarantined
    value     row, column, tracking id, test code, result, unit, qualifier,
              and of a control its type
    reason    code, blocking or note, row, column

Cells are separated by tabs; lines that begin with # are remarks. The values of a
quarantined file are compared only where some are listed: whoever releases it
sees them.

=cut

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Spec;
use IPC::Open2 qw(open2);
use Test::More;

our @EXPORT = qw(shipped expected expectations lines fits contents collection);
our $root   = abs_path(dirname(__FILE__) . '/../../../..');

# The profiles that come with the service.
sub shipped { return sort glob "$root/conf/profiles/*.json" }

# Where real files are, if they are: they are no part of this project.
sub collection {
    my $folder = "$root/../shared/data/instrument-files";
    return -d $folder ? $folder : undef;
}

sub contents {
    my ($path) = @_;
    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/ = undef;
    return scalar(<$in>) // '';
}

# --- The reader ---------------------------------------------------------------

sub new {
    my ($class, @profiles) = @_;
    my $out  = File::Spec->rel2abs($ENV{LIMS_OUT} // 'build/out', $root);
    my $self = bless {}, $class;

    $self->{pid} = open2($self->{answers}, $self->{requests}, "$out/t/lib/reader", @profiles);
    binmode $self->{$_} for qw(answers requests);
    my $ready = readline $self->{answers};
    die "The profiles cannot be read.\n" unless defined $ready && $ready eq "ready\n";
    return $self;
}

sub DESTROY {
    my ($self) = @_;
    return unless $self->{pid};
    close $self->{requests};
    close $self->{answers};
    local $?;
    waitpid $self->{pid}, 0;
    return;
}

my @value  = qw(row column trackingId testCode result unit qualifier dilution replicate
    analysedAt operator control raw sheet);
my @reason = qw(code severity row column cell sheet message);

# { profile, candidates, counts, values, reasons }
sub outcome {
    my ($self, $name, $bytes) = @_;
    my %outcome = (values => [], reasons => []);

    print { $self->{requests} } length($bytes), "\t$name\n", $bytes;
    $self->{requests}->flush;
    while (defined(my $line = readline $self->{answers})) {
        chomp $line;
        return \%outcome if $line eq 'end';
        my ($what, @cells) = split /\t/, $line, -1;
        my %of = (value => \@value, reason => \@reason);

        s/\\(.)/{ t => "\t", n => "\n", r => "\r", '\\' => '\\' }->{$1}/ge for @cells;
        if (my $names = $of{$what}) {
            my %entry;
            @entry{@$names} = @cells;
            push @{ $outcome{"${what}s"} }, \%entry;
        }
        elsif ($what eq 'counts') {
            @{ $outcome{counts} }{qw(rows results controls skipped reasons blocking)} = @cells;
        }
        else {
            $outcome{$what} = $what eq 'candidates' ? \@cells : $cells[0];
        }
    }
    die "Reading $name ended the reader.\n";
}

# --- Expectations ---------------------------------------------------------------

# As lines() gives them, in the order of rows and columns.
sub ordered {
    my ($place, @lines) = @_;
    return map { $_->[1] }
        sort { $a->[0][0] <=> $b->[0][0] || $a->[0][1] <=> $b->[0][1] || $a->[1] cmp $b->[1] }
        map { [ [ (split /\t/)[ @$place ] ], $_ ] } @lines;
}

# { file, sha256, profile, outcome, values, reasons }
sub expected {
    my ($path) = @_;
    my %expected = (path => $path, profile => '', values => [], reasons => []);

    for my $line (split /\n/, contents($path)) {
        next if $line =~ /^\s*(?:#|$)/;
        my ($what, @cells) = split /\t/, $line, -1;

        if    ($what eq 'file')    { @expected{qw(file sha256)} = @cells }
        elsif ($what eq 'value')   { push @{ $expected{values} },  joined($what, 8, @cells) }
        elsif ($what eq 'reason')  { push @{ $expected{reasons} }, joined($what, 4, @cells) }
        elsif ($what =~ /^(?:profile|outcome)$/) { $expected{$what} = $cells[0] // '' }
        else { die "$path: $what is none of file, profile, outcome, value, reason\n" }
    }
    die "$path has no outcome\n" unless ($expected{outcome} // '') =~ /^(?:imported|quarantined)$/;
    return \%expected;
}

# Every expectation of a folder.
sub expectations {
    my ($folder) = @_;
    return map { expected($_) } sort glob "$root/$folder/*.tsv";
}

sub joined {
    my ($what, $count, @cells) = @_;
    return join "\t", $what, map { $_ // '' } @cells[ 0 .. $count - 1 ];
}

# An outcome in the form of an expectation.
sub lines {
    my ($outcome) = @_;
    my @values = map { joined('value', 8,
            @$_{qw(row column trackingId testCode result unit qualifier control)}) }
        @{ $outcome->{values} };
    my @reasons = map { joined('reason', 4, @$_{qw(code severity row column)}) }
        @{ $outcome->{reasons} };

    return {
        profile => $outcome->{profile},
        outcome => $outcome->{counts}{blocking} ? 'quarantined' : 'imported',
        values  => \@values,
        reasons => \@reasons,
    };
}

# Passes if an outcome is what was expected; otherwise shows where they part.
sub fits {
    my ($outcome, $expected, $name) = @_;
    my $got = lines($outcome);
    my @differences;

    for my $part (qw(profile outcome)) {
        push @differences, "$part is '$got->{$part}', not '$expected->{$part}'"
            if $got->{$part} ne $expected->{$part};
    }
    for my $part ([ values => 1, 2 ], [ reasons => 3, 4 ]) {
        my ($list, @place) = @$part;
        my (@got, @wanted);

        next if $list eq 'values' && $expected->{outcome} eq 'quarantined' && !@{ $expected->{values} };
        @got    = ordered(\@place, @{ $got->{$list} });
        @wanted = ordered(\@place, @{ $expected->{$list} });
        my %got;
        $got{$_}++ for @got;
        my @missing = grep { !$got{$_} || !$got{$_}-- } @wanted;
        push @differences, map({ "- $_" } @missing), map({ ("+ $_") x $got{$_} }
            sort grep { $got{$_} } keys %got);
    }
    if (!ok(!@differences, $name)) {
        my @messages = map { "  $_->{code}\@$_->{row},$_->{column}: $_->{message}" }
            @{ $outcome->{reasons} };
        splice @$_, 40 for grep { @$_ > 40 } \@differences, \@messages;
        diag(join "\n", @differences, @messages);
    }
    return !@differences;
}

1;
