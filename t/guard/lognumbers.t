#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The number in a log line (LIMS0042) is how an administrator finds what it
# means, so it stands at one place in the code only, and modules/MESSAGES.md
# explains those that there are and no other.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

my $argument = qr/[^,()]*(?:\([^()]*\)[^,()]*)*/;
my %code = map { $_ => code($_) } files(qr/\.c\z/, 'mod_lims.c', 'modules');

# Functions that write a number they are given, or keep it for the log: [name,
# the place of `int number` among the parameters, their file if it is theirs].
my @writers;
for my $path (sort keys %code) {
    while ($code{$path} =~ /^(\w[\w *]*?\**)(\w+)\(([^()]*\bint number\b[^()]*)\)\n(\{.*?^\})/gms) {
        my ($type, $name, $parameters, $body) = ($1, $2, $3, $4);
        next unless $body =~ /LIMS%04d|->number = number|\blims_server_error\b/;
        my @list = split /,/, $parameters;
        my ($place) = grep { $list[$_] =~ /\bint number\b/ } 0 .. $#list;
        push @writers, [ $name, $place, $type =~ /\bstatic\b/ ? $path : undef ];
    }
}
cmp_ok(scalar @writers, '>', 2, 'the functions that take a number are recognised');

# Where a number is written: in the text itself, or handed to one of them.
my (%sites, @unclear);
for my $path (sort keys %code) {
    my $note = sub {
        my ($number, $offset) = @_;
        my $line = 1 + (() = substr($code{$path}, 0, $offset) =~ /\n/g);
        push @{ $sites{ sprintf 'LIMS%04d', $number } }, "$path:$line";
    };
    $note->($1, $-[0]) while $code{$path} =~ /"[^"\n]*?LIMS(\d{4})\b/g;
    for my $writer (@writers) {
        my ($name, $place, $file) = @$writer;
        next if defined $file && $file ne $path;
        while ($code{$path} =~ /(?<=[\s(])\Q$name\E\s*\((?:$argument,){$place}\s*(\w[\w ]*)/g) {
            my $given = $1;
            $note->($given, $-[0]) if $given =~ /\A\d+\z/;
            push @unclear, "$path: $name(... $given" unless $given =~ /\A(?:\d+|(?:int )?number)\z/;
        }
    }
}
delete $sites{LIMS0000};    # "not worth a number"
is_deeply(\@unclear, [], 'a number is given as such');

cmp_ok(scalar keys %sites, '>', 20, 'log numbers are recognised');
my @shared = grep { @{ $sites{$_} } > 1 } sort keys %sites;
ok(!@shared, 'a log number stands at one place')
    or diag(map { "$_: @{ $sites{$_} }\n" } @shared);

my @rows = map { [ map { s/\A\s+|\s+\z//gr } split /\|/ ] }
    text('modules/MESSAGES.md') =~ /^\| (LIMS\d{4} \|.*) \|$/mg;
is_deeply([ sort map { $_->[0] } @rows ], [ sort keys %sites ],
    'the manual has the numbers of the code, each once');
my @terse = map { $_->[0] } grep { @$_ < 3 || grep { !/\w/ } @$_ } @rows;
ok(!@terse, 'the manual says meaning and remedy of each number') or diag("@terse");

# A number is for the reader of the log. What a program has to tell apart, an error
# says by its kind, its retry and its failure: the number is only handed on, but in the
# file that writes the lines.
my ($handed_on, @deciding) = (0);
for my $path (grep { $_ ne 'modules/server/log.c' } sort keys %code) {
    my $text = bare($path);
    my %is_error = map { $_ => 1 } $text =~ /\blims_error_t\s*\*+\s*(?:const\s+)?(\w+)/g;
    while ($text =~ /(\S)\s*\b(\w+)->number\b\s*(=?\S?)/g) {
        my ($before, $name, $after) = ($1, $2, $3);
        next if !$is_error{$name};
        $handed_on++;
        my $line = 1 + (() = substr($text, 0, $-[2]) =~ /\n/g);
        push @deciding, "$path:$line" unless $before eq ',' && $after =~ /\A[,)]\z/
            || $path eq 'modules/kernel/error.c' && $before eq ';' && $after =~ /\A=(?!=)/;
    }
}
cmp_ok($handed_on, '>', 2, 'places that hand a number on are recognised');
is_deeply(\@deciding, [], 'nothing is decided by a number');

my ($bound) = $code{'modules/server/log.c'} =~ /^#define NUMBER_MAX (\d+)$/m;
my ($largest) = sort { $b <=> $a } map { $_->[0] =~ /(\d+)/ } @rows;
cmp_ok($bound, '>', $largest, 'floods of lines are counted for every number');

done_testing();
