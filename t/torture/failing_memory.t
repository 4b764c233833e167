#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every allocation that a request makes fails in turn, once, or that and all that
# follow. A pool that gets no memory ends the child, as APR means it; then there
# is no answer, and httpd starts another child. A child never dies otherwise, and
# in the database nothing is half done or held open, whatever was answered.
#
# TORTURE_KILLS, as for kill.t: with many, every allocation, or some 500 of the
# thousands that TLS makes; else some six.
use strict;
use warnings;

use Test::More;

use LIMS::Chaos::FailingCalls;
use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;

plan skip_all => 'a sanitizer has a malloc of its own' if LIMS::Instance::foreign_malloc();

my $model = LIMS::Peers::ModelService->new;
my $fail = LIMS::Chaos::FailingCalls->new(name => 'memory', libraries => ['memory']);
my $lims = LIMS::Test->new(contract => 0, children => 1,
    conf => $fail->conf . $model->conf(timeout => 5000));
my $work = LIMS::Chaos::FailingCalls::work(LIMS::Service::Laboratory->new($lims), $model);
my $long = ($ENV{TORTURE_KILLS} || 0) > 10;
# All that follow always ends the child, and httpd takes a second to replace it.
my @most = $long ? (500, 50) : (6, 2);

# Abort is how a pool ends a child. Nothing else may, but for APR, which writes an
# answer's head into the memory that a brigade did not get.
$lims->allow_log(qr/exit signal (?:Abort|Segmentation fault)|Memory allocation failed/,
    qr/LIMS0(?:030|036|037|038|040|041|042|046|051|052|064|140): |\[dbd:error\]/);
$fail->begin($lims);
for my $name (grep { $long || /\A(?:ingest|read|register|upload)\z/ } sort keys %$work) {
    for my $lasting (0, 1) {
        $fail->sweep(%{ $work->{$name} }, kind => 'memory', lasting => $lasting, may_die => 1,
            most => $most[$lasting], name => $name . ($lasting ? ' and all that follow' : ''));
    }
}
cmp_ok($fail->{turns}, '>', 5, "$fail->{turns} failures");
my $faults = () = $lims->log =~ /exit signal Segmentation fault/g;
cmp_ok($faults, '<=', $fail->{brigades}, "$faults children died in a brigade, none elsewhere");

done_testing();
