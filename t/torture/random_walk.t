#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A random walk through the release gates: several people do whatever can be done to
# the same few samples, in any order and at the same time. Afterwards the audit trail
# and the stored certificates alone say whether anything was reported past a gate.
#
# WALK_STEPS=20000 or WALK_SECONDS=3600 set how long, WALK_SEED=1 which way.
use strict;
use warnings;

use Test::More;

use LIMS::Chaos::RandomWalk;
use LIMS::Chaos::ReleaseAudit;
use LIMS::Service::Laboratory;
use LIMS::Service::TrailRules;
use LIMS::Test;

my $walkers = 4;
my $seconds = $ENV{WALK_SECONDS};
my $steps   = $ENV{WALK_STEPS} || ($seconds ? 1e9 : 1200);
my $seed    = $ENV{WALK_SEED} || time ^ $$;

diag(($seconds ? "$seconds seconds" : "$steps steps") . ", WALK_SEED=$seed");
my $lims = LIMS::Test->new(contract => 0,
    conf => "LimsRateLimit 100000\nLimsRateKeys 64\n" . LIMS::Service::Laboratory::patience());
my $lab   = LIMS::Service::Laboratory->new($lims);
my $fixture = LIMS::Chaos::RandomWalk->fixture($lims, $lab);
my $until = time + ($seconds || 1e6);

$lims->forget_handles;
my @walked = $lims->parallel($walkers, sub {
    my ($number) = @_;
    my $left = $steps / $walkers;
    return LIMS::Chaos::RandomWalk->new($fixture, seed => $seed + $number)
        ->walk(sub { $left-- < 1 || time > $until });
});

my (%count, @surprises);
for my $walked (@walked) {
    push @surprises, @{ delete $walked->{surprises} };
    $count{$_} += $walked->{$_} for keys %$walked;
}
note("$_: $count{$_}") for sort keys %count;
is_deeply(\@surprises, [], 'every answer is what was asked for, or a refusal');

my $audit = LIMS::Chaos::ReleaseAudit->new($lims->db, $lims->fixture->{id})->inspect;
note("$_: $audit->{met}{$_}") for sort keys %{ $audit->{met} };
cmp_ok($audit->{reports}, '>=', 5, "$audit->{reports} samples were reported");
cmp_ok($audit->{certificates}, '>', 0, "$audit->{certificates} certificates were issued");

# A short walk may come upon a few of them alone.
my @gates = ('a final approval', 'a presumptive positive', 'a signed worksheet', 'a media lot',
    'a failed lot left', 'a batch that is passed', 'a batch that is overridden',
    'a definition renamed since');
my @missed = grep { !$audit->{met}{$_} } @gates;
cmp_ok(scalar @missed, '<=', $audit->{reports} < 100 ? 4 : 0,
    'of what gates are about, reports came upon enough') or diag(join ', ', @missed);
is(join("\n", LIMS::Service::TrailRules::broken($lims->superuser, $lims->fixture->{id}, {})), '',
    'nothing was reported against a rule');
is_deeply($audit->{faults}, [], 'nothing was reported or certified past a gate')
    or diag(join "\n", grep { defined } @{ $audit->{faults} }[ 0 .. 20 ]);

done_testing();
