#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A generated walk: people and a key do what comes to their minds, in laboratories of one,
# two and eight people, under the policies of the contract and under the strictest that
# policy_unsatisfiable lets stand. Whatever they did, every finding that blocks has a way out
# that somebody may take, every sample is reported within 40 acts, and so is every amendment
# issued or withdrawn.
#
#     WALK_ACTS=20000 prove -I t/lib t/walk/dead_ends.t
#
# WALK_SEED repeats a walk; the seed is in the name of the first test.
use strict;
use warnings;

use List::Util qw(first shuffle);

use LIMS::Test;
use LIMS::Service::Walk;

my $acts = $ENV{WALK_ACTS} || 240;
my $seed = $ENV{WALK_SEED} || time;
srand $seed;
my $amended = 0;

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

for my $size (sort keys %people) {
    for my $strict (0, 1) {
        my $walk = LIMS::Service::Walk->new(people => $people{$size}, strict => $strict);
        my $name = "$size people, "
            . ($strict ? "strict ($walk->{policies})" : 'as the contract says');

        $walk->wander(int($acts / 9));
        my @stuck = $walk->finish;
        $amended += $walk->amend;
        $walk->wander(int($acts / 18));
        push @stuck, $walk->finish;
        is(join("\n", @stuck), '', "$name: every sample has a right end (seed $seed, "
                . "$walk->{count} acts)");
        is(join("\n", $walk->broken_rules), '', '... and nothing was released against a rule');
        $walk->end;
    }
}
cmp_ok($amended, '>', 0, 'some of them were amended, each amendment issued or withdrawn');

done_testing();
