# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Pages;

use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

=head1 NAME

LIMS::Test::Pages - runs unit tests of the application's pages

=head1 SYNOPSIS

    use LIMS::Test::Pages;

    LIMS::Test::Pages::units('grid');

=head1 DESCRIPTION

Bundles the files F<*.test.ts> of a folder of F<t/application/web/> and runs each with
Node's own test runner. Each of their tests is one here; of one that fails, what Node says
of it is shown. Without Node or the packages of the pages the test is skipped, as the pages
are then not built either.

=head1 FUNCTIONS

=over

=cut

my $packages = "$LIMS::Test::Source::root/modules/application/node_modules";

# The TAP of Node: one line for each test, and indented details of those that fail.
sub report {
    my ($file) = @_;
    my $output = qx(node --test-reporter=tap "$file" 2>&1);
    my $status = $?;
    my ($count, $failed) = (0, 0);

    for my $line (split /\n/, $output) {
        next unless $line =~ /\A(not )?ok \d+ - (.*)\z/;
        $count++;
        $failed++ if $1;
        ok(!$1, $2);
    }
    cmp_ok($count, '>', 0, 'tests were run');
    is($status, 0, 'Node ended well');
    diag($output) if $failed || $status || !$count;
    return;
}

=item units($folder)

Runs the unit tests of F<t/application/web/$folder/>, each file as a subtest, and ends the
plan.

=cut

sub units {
    my ($folder) = @_;
    my $from  = "$LIMS::Test::Source::root/t/application/web/$folder";
    my $to    = ($ENV{LIMS_OUT} // "$LIMS::Test::Source::root/build/out") . "/application-units/$folder";
    my @files = glob "$from/*.test.ts";

    plan(skip_all => 'the packages of the pages are not installed') unless -x "$packages/.bin/esbuild";
    is(system("$packages/.bin/esbuild", @files, '--bundle', '--platform=node', '--format=esm',
            '--out-extension:.js=.mjs', '--log-level=warning', "--outdir=$to"), 0, 'the tests are bundled');
    for my $file (@files) {
        my ($name) = $file =~ m{([\w-]+\.test)\.ts\z};
        subtest $name => sub { report("$to/$name.mjs") };
    }
    return done_testing();
}

=back

=cut

1;
