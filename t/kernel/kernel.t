#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Runs every C unit test of the kernel and passes on what it reports. A program
# without a plan, with a wrong count or with a bad exit fails as a whole; a
# source without a program fails too, so that none can drop out unnoticed.
use strict;
use warnings;

use File::Basename qw(basename dirname);
use File::Spec;
use Test::More;

my $root     = File::Spec->rel2abs(dirname(__FILE__) . '/../..');
my $out      = File::Spec->rel2abs($ENV{LIMS_OUT} // 'build/out', $root);
my $programs = "$out/t/kernel";
my @sources  = sort glob "$root/t/kernel/*.c";

ok(@sources > 0, 'there are unit tests');

for my $source (@sources) {
    my $name = basename($source, '.c');

    subtest $name => sub { run_program("$programs/$name") };
}
done_testing();

sub run_program {
    my ($program) = @_;
    my ($count, $plan) = (0, undef);

    if (!ok(-x $program, 'is built')) {
        diag("$program is missing; make builds it");
        return;
    }
    open my $output, '-|', $program or return fail("runs: $!");
    while (my $line = <$output>) {
        if ($line =~ /^(not )?ok \d+ - (.*)/) {
            my ($failed, $name) = ($1, $2);

            $count++;
            ok(!$failed, $name =~ /^[\d\s]*$/ ? "'$name'" : $name);
        }
        elsif ($line =~ /^1\.\.(\d+)$/) {
            $plan = $1;
        }
        elsif ($line =~ /^# ?(.*)/) {
            diag($1);
        }
    }
    close $output;
    is($?, 0, 'ends with success');
    is($plan, $count, 'ran what it planned');
    return;
}
