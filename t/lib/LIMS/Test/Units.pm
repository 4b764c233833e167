# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Units;

=head1 NAME

LIMS::Test::Units - runs the C unit tests of a folder

=head1 SYNOPSIS

    use LIMS::Test::Units;

    run_units(__FILE__);    # in t/kernel/kernel.t: the programs of t/kernel/*.c

=head1 DESCRIPTION

Passes on what the programs report. A program without a plan, with a wrong count or
with a bad exit fails as a whole; a source without a program fails too, so that none
can drop out unnoticed.

=cut

use strict;
use warnings;

use Exporter 'import';
use File::Basename qw(basename dirname);
use File::Spec;
use Test::More;

our @EXPORT = qw(run_units);

sub run_units {
    my ($test)   = @_;
    my $folder   = File::Spec->rel2abs(dirname($test));
    my $root     = File::Spec->rel2abs("$folder/../..");
    my $out      = File::Spec->rel2abs($ENV{LIMS_OUT} // 'build/out', $root);
    my $programs = "$out/t/" . basename($folder);
    my @sources  = sort glob "$folder/*.c";

    ok(@sources > 0, 'there are unit tests');
    for my $source (@sources) {
        my $name = basename($source, '.c');

        subtest $name => sub { run_program("$programs/$name") };
    }
    done_testing();
    return;
}

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

1;
