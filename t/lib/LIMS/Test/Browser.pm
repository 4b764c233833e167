# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Browser;

=head1 NAME

LIMS::Test::Browser - runs a test of the application's pages in Chromium

=head1 SYNOPSIS

    use LIMS::Test::Browser;

    LIMS::Test::Browser::run('samples');
    done_testing();

=head1 DESCRIPTION

Starts a service with the demonstration data, and Node with
F<t/application/web/browser/samples.mjs>, which drives Chromium against it and writes TAP;
each of its tests is one here. What that script begins with is
F<t/application/web/browser/support.mjs>.

What only this side can do, such as asking the database or restarting a server, a script
asks for with C<act('name', ...)> of F<support.mjs>: C<rows> answers a query's rows, what
else there is the test gives in C<acts>.

A violation of the Content-Security-Policy, an error in the browser's console that the
test did not announce, or a finding of axe-core fails the test. Screenshots lie in
F<build/out/screenshots>. Without Node, Chromium or built pages the test is skipped, but
not in continuous integration.

=head1 FUNCTIONS

=over

=cut

use strict;
use warnings;

use IPC::Open2 qw(open2);
use JSON::PP ();
use Test::More;

use LIMS::Test;
use LIMS::Test::Source;

my $root = $LIMS::Test::Source::root;

sub missing {
    return 'the pages are not built'           unless -f "$root/build/out/application/index.html";
    return 'the packages of the pages are not installed'
        unless -d "$root/modules/application/node_modules/playwright-core";
    return 'Chromium is not installed' unless grep { -x "$_/chromium-headless-shell" } split /:/, $ENV{PATH};
    return;
}

sub rows {
    my ($lims, $query, @values) = @_;
    return $lims->db->selectall_arrayref($query, undef, @values);
}

# Does what the script asks for, and says what came of it in one line.
sub act {
    my ($lims, $acts, $name, $given) = @_;
    my $act   = $acts->{$name} || die "there is no act $name\n";
    my $json  = JSON::PP->new->utf8->allow_nonref;
    my $found = $act->($lims, @{ $json->decode($given) });

    return $json->encode(ref $found ? $found : defined $found ? "$found" : undef);
}

=item run($name, $prepare, %option)

Runs F<$name.mjs>, or another script by its path in the sources, after C<$prepare> was called
with the L<LIMS::Test>, if it is given. The options are those of L<LIMS::Test>, and C<acts>:
what the script may ask for, by name, each called with the L<LIMS::Test> and what the script
gave.

=cut

sub run {
    my ($name, $prepare, %option) = @_;
    my $missing = missing();
    plan(skip_all => $missing) if $missing && !$ENV{CI};
    die "$missing\n" if $missing;

    my $acts = { rows => \&rows, %{ delete $option{acts} || {} } };
    my $lims = LIMS::Test->new(demo => 1, %option);
    # Lists show the release state that the scan has cached.
    $lims->ctl('scan');
    $prepare->($lims) if $prepare;
    local $ENV{LIMS_URL}         = $lims->url;
    local $ENV{LIMS_PASSWORD}    = $lims->{keys}{LIMS_DEMO_PASSWORD};
    local $ENV{LIMS_SCREENSHOTS} = "$root/build/out/screenshots";
    my $script = $name =~ m{/} ? $name : "t/application/web/browser/$name.mjs";
    my $pid = open2(my $node, my $answers, 'node', "$root/$script");
    $answers->autoflush;
    my ($count, $planned) = (0);
    while (my $line = <$node>) {
        if ($line =~ /\A(not )?ok \d+ - (.*)/) {
            $count++;
            ok(!$1, $2);
        }
        elsif ($line =~ /\A1\.\.(\d+)/) {
            $planned = $1;
        }
        elsif ($line =~ /\A# (.*)/) {
            diag($1);
        }
        elsif ($line =~ /\A! (\w+) (.*)/) {
            print {$answers} act($lims, $acts, $1, $2), "\n";
        }
    }
    waitpid $pid, 0;
    is($?, 0, 'Node ended well');
    is($count, $planned, 'all tests ran');
    return;
}

=back

=cut

1;
