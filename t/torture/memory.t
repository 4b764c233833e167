#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every allocation that a request makes fails in turn, once, or that and all that
# follow. A pool that gets no memory ends the child, as APR means it; then there
# is no answer, and httpd starts another child. A child never dies otherwise, and
# in the database nothing is half done or held open, whatever was answered.
#
# TORTURE_KILLS, as for kill.t: with many, every allocation; else some.
use strict;
use warnings;

use Test::More;

use LIMS::Fail;
use LIMS::Laboratory;
use LIMS::Test;

plan skip_all => 'a sanitizer has a malloc of its own' if ($ENV{LIMS_PRELOAD} || '') =~ /asan/;

my $seed = $ENV{TORTURE_SEED} || time ^ $$;
srand $seed;
note("TORTURE_SEED=$seed");

my $fail = LIMS::Fail->new(name => 'memory', libraries => ['memory']);
my $lims = LIMS::Test->new(contract => 0, children => 1, conf => $fail->conf);
my $work = LIMS::Fail::work(LIMS::Laboratory->new($lims));
my $long = ($ENV{TORTURE_KILLS} || 0) > 10;
# All that follow always ends the child, and httpd takes a second to replace it.
my @strides = $long ? (1, 5) : (12, 40);

# Abort is how a pool ends a child. Nothing else may.
$lims->allow_log(qr/exit signal Abort|Memory allocation failed/,
    qr/LIMS00(?:30|36|37|38|40|41|42|46|51|52): |\[dbd:error\]/);
$fail->begin($lims);
for my $name ($long ? sort keys %$work : qw(read register)) {
    for my $lasting (0, 1) {
        $fail->sweep(%{ $work->{$name} }, kind => 'memory', lasting => $lasting, may_die => 1,
            stride => $strides[$lasting], name => $name . ($lasting ? ' and all that follow' : ''));
    }
}
cmp_ok($fail->{turns}, '>', 5, "$fail->{turns} failures");

done_testing();
