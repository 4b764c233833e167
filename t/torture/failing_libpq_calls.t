#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every call of libpq that a request makes fails in turn: refused by libpq, or
# because the connection is cut at that moment; once, or from then on. The child
# survives, the answer is success or 503 (500 where nobody can say more), and
# nothing is half done, held open or leaked.
#
# TORTURE_KILLS, as for kill.t: with many, every turn; else some six.
use strict;
use warnings;

use Test::More;

use LIMS::Chaos::FailingCalls;
use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;

# A sanitizer has a malloc of its own.
my $counted = !LIMS::Instance::foreign_malloc();
my $model = LIMS::Peers::ModelService->new;
my $fail = LIMS::Chaos::FailingCalls->new(name => 'calls',
    libraries => [ 'calls', $counted ? 'memory' : () ]);
my $lims = LIMS::Test->new(contract => 0, children => 1,
    conf => $fail->conf . $model->conf(timeout => 5000));
my $work = LIMS::Chaos::FailingCalls::work(LIMS::Service::Laboratory->new($lims), $model);
my $long = ($ENV{TORTURE_KILLS} || 0) > 10;
my $blocks;

$lims->allow_log(qr/LIMS00(?:30|36|38|40|46|51|52): |\[dbd:error\]/);
$fail->begin($lims);
for my $name (sort keys %$work) {
    for my $kind (qw(call link)) {
        for my $lasting (0, 1) {
            $fail->sweep(%{ $work->{$name} }, kind => $kind, lasting => $lasting,
                most => $long ? 10_000 : 6,
                name => "$name, $kind" . ($lasting ? ' and all that follow' : ''));
            # After everything was done once, so that what is kept is there.
            $blocks ||= $fail->blocks;
        }
    }
}
cmp_ok($fail->{turns}, '>', 12 * keys %$work, "$fail->{turns} failures");
# One connection to the database more or less is some forty.
cmp_ok($fail->blocks - $blocks, '<', 60, "no memory was lost by the failures ($blocks blocks)") if $counted;

done_testing();
