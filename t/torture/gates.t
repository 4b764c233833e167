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

use LIMS::Inspector;
use LIMS::Laboratory;
use LIMS::Test;
use LIMS::Walker;

my $walkers = 4;
my $seconds = $ENV{WALK_SECONDS};
my $steps   = $ENV{WALK_STEPS} || ($seconds ? 1e9 : 1200);
my $seed    = $ENV{WALK_SEED} || time ^ $$;

diag(($seconds ? "$seconds seconds" : "$steps steps") . ", WALK_SEED=$seed");
my $lims = LIMS::Test->new(contract => 0,
    conf => "LimsRateLimit 100000\nLimsRateKeys 64\n" . LIMS::Laboratory::patience());
my $lab   = LIMS::Laboratory->new($lims);
my $scene = LIMS::Walker->scene($lims, $lab);
my $until = time + ($seconds || 1e6);

$_->disconnect for values %{ delete $lims->{handles}{$$} };
my @walked = $lims->parallel($walkers, sub {
    my ($number) = @_;
    my $left = $steps / $walkers;
    return LIMS::Walker->new($scene, seed => $seed + $number)
        ->walk(sub { $left-- < 1 || time > $until });
});

my (%count, @surprises);
for my $walked (@walked) {
    push @surprises, @{ delete $walked->{surprises} };
    $count{$_} += $walked->{$_} for keys %$walked;
}
note("$_: $count{$_}") for sort keys %count;
is_deeply(\@surprises, [], 'every answer is what was asked for, or a refusal');

my $inspector = LIMS::Inspector->new($lims->db, $lims->fixture->{id})->inspect;
note("$_: $inspector->{met}{$_}") for sort keys %{ $inspector->{met} };
cmp_ok($inspector->{reports}, '>=', 5, "$inspector->{reports} samples were reported");
cmp_ok($inspector->{certificates}, '>', 0, "$inspector->{certificates} certificates were issued");

# A short walk may come upon a few of them alone.
my @gates = ('a final approval', 'a presumptive positive', 'a signed worksheet', 'a media lot',
    'a failed lot left', 'a batch that is passed', 'a batch that is overridden',
    'a definition renamed since');
my @missed = grep { !$inspector->{met}{$_} } @gates;
cmp_ok(scalar @missed, '<=', $inspector->{reports} < 100 ? 4 : 0,
    'of what gates are about, reports came upon enough') or diag(join ', ', @missed);
is_deeply($inspector->{faults}, [], 'nothing was reported or certified past a gate')
    or diag(join "\n", grep { defined } @{ $inspector->{faults} }[ 0 .. 20 ]);

done_testing();
