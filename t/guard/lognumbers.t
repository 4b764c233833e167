#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The number in a log line (LIMS0042) is how an administrator finds what it
# means, so it stands at one place in the code only.
use strict;
use warnings;

use Test::More;

use LIMS::Source;

# Where a number is written: in the text itself, or as the argument that the
# text's LIMS%04d takes.
my $argument = qr/[^,()]*(?:\([^()]*\)[^,()]*)*/;
my @forms = (
    qr/"[^"\n]*?LIMS(\d{4})\b/,
    qr/\blims_broken\s*\($argument,$argument,\s*(\d+)\s*,/,
    qr/\breport\s*\($argument,\s*(\d+)\s*,/,
    qr/\.number\s*=\s*(\d+)\b/,
);

my %sites;
for my $path (files(qr/\.c\z/, 'mod_lims.c', 'modules')) {
    my $code = code($path);

    for my $form (@forms) {
        while ($code =~ /$form/g) {
            my $number = sprintf 'LIMS%04d', $1;
            my $line   = 1 + (() = substr($code, 0, $-[1]) =~ /\n/g);
            push @{ $sites{$number} }, "$path:$line";
        }
    }
}
delete $sites{LIMS0000};    # "not worth a number"

cmp_ok(scalar keys %sites, '>', 10, 'log numbers are recognised');
my @shared = grep { @{ $sites{$_} } > 1 } sort keys %sites;
ok(!@shared, 'a log number stands at one place')
    or diag(map { "$_: @{ $sites{$_} }\n" } @shared);

done_testing();
