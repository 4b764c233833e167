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
    LIMS::Test::Pages::in_browser('grid');

=head1 DESCRIPTION

Bundles tests of a folder of F<t/application/web/> and runs each with Node's own test
runner. Each of their tests is one here; of one that fails, what Node says of it is shown.
Without Node, the packages of the pages or Chromium they are skipped, as the pages are then
not built either.

=head1 FUNCTIONS

=over

=cut

my $root     = $LIMS::Test::Source::root;
my $packages = "$root/modules/application/node_modules";
my $chromium = $ENV{LIMS_CHROMIUM} // '/usr/bin/chromium-headless-shell';

sub bundle {
    my ($to, @arguments) = @_;
    local $ENV{NODE_PATH} = $packages;
    return is(system("$packages/.bin/esbuild", @arguments, '--bundle', '--log-level=warning',
            "--outdir=$to"), 0, 'the tests are bundled');
}

# The command that runs one file; a test that keeps Node waiting, as by an open channel, fails.
my $node = 'timeout --kill-after=5 300 node --test-reporter=tap';

# The TAP of Node: one line for each test, its remarks, and indented details of those that fail.
sub report {
    my ($file) = @_;
    my $output = qx($node "$file" 2>&1);
    my $status = $?;
    my ($count, $failed) = (0, 0);

    for my $line (split /\n/, $output) {
        note($1) if $line =~ /\A# ((?!Subtest|tests|suites|pass|fail|cancelled|skipped|todo|duration).*)/;
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

# Runs the bundled tests, each file as a subtest, and ends the plan.
sub run_each {
    my ($to, @files) = @_;

    for my $file (@files) {
        my ($name) = $file =~ m{([\w.-]+)\.ts\z};
        subtest $name => sub { report("$to/$name.cjs") };
    }
    return done_testing();
}

sub folder {
    my ($folder) = @_;
    plan(skip_all => 'the packages of the pages are not installed') unless -x "$packages/.bin/esbuild";
    return ("$root/t/application/web/$folder",
        ($ENV{LIMS_OUT} // "$root/build/out") . "/application-tests/$folder");
}

# Modules learn the base path of the application from where they are loaded.
my @for_node = ('--platform=node', '--format=cjs', '--out-extension:.js=.cjs',
    '--define:import.meta.url="file:///assets/page.js"');

=item units($folder)

Runs the tests F<*.test.ts> of the folder, which need no browser, and ends the plan.

=cut

sub units {
    my ($from, $to) = folder(@_);
    my @files = glob "$from/*.test.ts";

    bundle($to, @files, @for_node);
    return run_each($to, @files);
}

=item in_browser($folder)

Bundles the page F<page.tsx> of the folder with the application's theme, runs the tests
F<*.browser.ts> with it in Chromium, and ends the plan. Pictures that they take are put
beside the page, in F<pictures/>.

=cut

sub in_browser {
    my ($from, $to) = folder(@_);
    my $web   = "$root/modules/application/web";
    my @files = glob "$from/*.browser.ts";

    plan(skip_all => "there is no $chromium") unless -x $chromium;
    bundle($to, "$from/page.tsx", "$web/theme.css", "$web/start.ts", "$web/icon.svg", '--minify',
        '--jsx=automatic', '--loader:.svg=copy', '--entry-names=[name]',
        '--define:process.env.NODE_ENV="production"');
    bundle($to, @files, @for_node, '--external:playwright-core', '--external:axe-core');
    local @ENV{qw(NODE_PATH LIMS_PAGE LIMS_CHROMIUM)} = ($packages, $to, $chromium);
    return run_each($to, @files);
}

=back

=cut

1;
