#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A generated walk: people and keys do at once what comes to their minds, by every route, in
# laboratories of one, two and eight people, under the policies of the contract and under the
# strictest that policy_unsatisfiable lets stand. Whatever they did, every finding that blocks
# has a way out that somebody may take, every sample is reported within 40 acts, and so is
# every amendment issued or withdrawn.
#
#     WALK_ACTS=20000 prove -I t/lib t/walk/dead_ends.t
#
# WALK_SEED draws the same again; the seed is in the name of each laboratory's test. What
# happens at once happens in another order each time.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Walk;
use LIMS::Service::Walk::Ideas;
use LIMS::Test;
use LIMS::Test::Printer;

my $acts = $ENV{WALK_ACTS} || 360;
my $seed = $ENV{WALK_SEED} || time;
my $printer = LIMS::Test::Printer->real->program;
local $ENV{LIMS_PRINTER} = $printer;
my $lims = LIMS::Test->new(contract => $acts < 5000, conf => LIMS::Service::Laboratory::patience()
        . "LimsPrinter $printer\nLimsRateLimit 20000\nLimsRateKeys 512\nLimsRateLimitSessions 20000\n");
my ($amended, $all, %taken) = (0, 0);
srand $seed;

my %people = (
    1 => { 'Una One' => [qw(administrator lab_manager qa_officer)] },
    2 => { 'Una One' => [qw(administrator lab_manager qa_officer)],
        'Duo Two' => [qw(administrator lab_manager microbiologist)] },
    8 => {
        'Ada Admin'  => ['administrator'], 'Max Manager' => ['lab_manager'],
        'Mia Manager' => ['lab_manager'], 'Quinn Quality' => ['qa_officer'],
        'Quirin Quality' => ['qa_officer'], 'Anna Analyst' => ['analyst'],
        'Mick Micro' => ['microbiologist'], 'Cleo Clerk' => ['receiving_clerk'],
    });

# How often each route was done, and how often refused and why, by people over HTTP, by limsctl
# and by keys.
sub count {
    my ($taken) = @_;
    for my $route (keys %$taken) {
        for my $who (keys %{ $taken->{$route} }) {
            my $outcomes = $taken->{$route}{$who};
            $taken{$route}{"$who: $_"} += $outcomes->{$_} for keys %$outcomes;
            $taken{$route}{done} += $outcomes->{done} // 0;
        }
    }
    return;
}

for my $size (sort keys %people) {
    for my $strict (0, 1) {
        my $walk = LIMS::Service::Walk->new($lims, people => $people{$size}, strict => $strict,
            code => "walk-$size-$strict", seed => $seed, documents => defined $ENV{WALK_ACTS});
        my $name = "$size people, " . ($strict ? 'strict (' . $walk->policies . ')'
            : 'as the contract says');

        $walk->wander(int($acts / 12));
        my @stuck = $walk->finish;
        $amended += $walk->amend;
        $walk->wander(int($acts / 24));
        push @stuck, $walk->finish;
        is(join("\n", @stuck), '', "$name: every sample has a right end (seed $seed, "
                . "$walk->{count} acts)");
        is(join("\n", $walk->broken_rules), '', "$name: nothing was released against a rule");
        count($walk->{taken});
        $all += $walk->{count};
    }
}
cmp_ok($amended, '>', 0, 'some of them were amended, each amendment issued or withdrawn');
cmp_ok($all, '>=', $acts, "$all acts");
is_deeply([ grep { my $who = $_; !grep { $_->{"$who: done"} } values %taken } qw(people limsctl keys) ],
    [], 'people over HTTP, limsctl and keys have each done acts');

my $routes = LIMS::Service::Walk::routes();
my @taken  = grep { !LIMS::Service::Walk::Ideas::not_taken($routes->{$_}) } sort keys %$routes;
for my $name (sort keys %$routes) {
    my $reason = LIMS::Service::Walk::Ideas::not_taken($routes->{$name});
    note("$name: ", $reason // join ', ', map { "$_ $taken{$name}{$_}" }
            grep { $_ ne 'done' } sort keys %{ $taken{$name} || {} });
}
is_deeply([ grep { !LIMS::Service::Walk::Ideas::of($routes->{$_}) } @taken ], [],
    'every route has an idea of what to ask, or a reason to be left alone');
is_deeply([ grep { !$taken{$_} } @taken ], [], 'every route was taken') if $acts >= 2000;
is_deeply([ grep { !$taken{$_}{done} } @taken ], [],
    'every route that was taken was also done') if $acts >= 20_000;

done_testing();
