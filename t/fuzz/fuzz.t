#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Replays the corpus of every fuzz target: inputs that once broke something, or
# that reach a place of their own, stay tested without a fuzzer.
use strict;
use warnings;

use File::Basename qw(basename dirname);
use File::Spec;
use Test::More;

my $root     = File::Spec->rel2abs(dirname(__FILE__) . '/../..');
my $out      = File::Spec->rel2abs($ENV{LIMS_OUT} // 'build/out', $root);
my $programs = "$out/t/fuzz";
my @targets  = grep { $_ ne 'replay' } map { basename($_, '.c') } sort glob "$root/t/fuzz/*.c";

ok(@targets > 0, 'there are fuzz targets');

for my $target (@targets) {
    my @inputs = sort glob "$root/t/fuzz/corpus/$target/*";

    ok(@inputs > 0, "$target has a corpus") or next;
    ok(-x "$programs/$target", "$target is built") or next;
    replay($target, @inputs);
}
done_testing();

# The last path on the error stream is the input that broke the target.
sub replay {
    my ($target, @inputs) = @_;
    my $errors = "$programs/$target.log";
    my $pid    = open my $output, '-|';

    defined $pid or return fail("$target: cannot fork: $!");
    if ($pid == 0) {
        open STDERR, '>', $errors or die "$errors: $!\n";
        exec "$programs/$target", @inputs or die "$target: $!\n";
    }
    my $ran = <$output>;
    close $output;
    is($?, 0, "$target ends well") or diag(`tail -n 20 '$errors'`);
    is(defined $ran ? $ran + 0 : undef, scalar @inputs, "$target ran its whole corpus");
    return;
}
