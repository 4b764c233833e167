#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Whichever allocation fails, the configured proxy is never bypassed: behind one that
# refuses everybody, the model service receives nothing.
#
# TORTURE_KILLS, as for kill.t: with many, every allocation; else some six.
use strict;
use warnings;

use Test::More;

use LIMS::Chaos::FailingCalls;
use LIMS::Peers::HTTPProxy;
use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;

plan skip_all => 'a sanitizer has a malloc of its own' if ($ENV{LIMS_PRELOAD} || '') =~ /asan/;

my $model = LIMS::Peers::ModelService->new;
my $proxy = LIMS::Peers::HTTPProxy->new(refuse => '403');
my $fail  = LIMS::Chaos::FailingCalls->new(name => 'proxy', libraries => ['memory']);
my $lims  = LIMS::Test->new(contract => 0, children => 1,
    conf => $fail->conf . $model->conf(timeout => 5000, more => { Proxy => $proxy->url }));
my $lab    = LIMS::Service::Laboratory->new($lims);
my $upload = LIMS::Chaos::FailingCalls::work($lab, $model)->{upload}{work};
my $long   = ($ENV{TORTURE_KILLS} || 0) > 10;

$lims->allow_log(qr/exit signal Abort|Memory allocation failed/,
    qr/LIMS0(?:030|036|037|038|040|041|042|046|051|052|064|140): |\[dbd:error\]/);
$fail->begin($lims);
my $plain = $fail->one('memory', 0, 0, $upload->());
my $seen  = $plain->{seen};
my $step  = $long ? 1 : 1 + int $seen / 6;
my %answers;

is($plain->{status}, 503, 'behind a proxy that lets nobody through there is no answer');
is(scalar $proxy->seen, 1, 'the proxy was asked');
for (my $turn = 1 + int rand $step; $turn <= $seen; $turn += $step) {
    $answers{ $fail->one('memory', $turn, 0, $upload->())->{status} }++;
}
note(join ', ', map { "$_: $answers{$_}" } sort keys %answers);
is($answers{200}, undef, 'no upload succeeds without memory');
is(scalar $model->seen, 0, 'no request bypasses the proxy');

done_testing();
