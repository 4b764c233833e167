#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Out of memory in background work (jobs and webhooks): the child ends or the work is tried
# again; every event gets its delivery, and the jobs go on.
#
# TORTURE_KILLS, as for kill.t: with many, some 300 times; else ten.
use strict;
use warnings;

use JSON::PP ();
use Test::More;

use LIMS::Chaos::FailingCalls;
use LIMS::Peers::WebhookReceiver;
use LIMS::Test;

plan skip_all => 'a sanitizer has a malloc of its own' if LIMS::Instance::foreign_malloc();

my $receiver = LIMS::Peers::WebhookReceiver->new;
my $fail     = LIMS::Chaos::FailingCalls->new(name => 'background', libraries => ['memory']);
my $metrics  = "<Location \"/metrics\">\n    SetHandler lims-metrics\n</Location>\n";
my $lims     = LIMS::Test->new(contract => 0, children => 1, conf => $fail->conf(background => 1)
        . $receiver->conf . "LimsWebhookSchedule 0.3 0.3 0.3\nLimsWebhookTimeout 1000\n"
        . "LimsWebhookLease 4000\n$metrics");
my $times    = ($ENV{TORTURE_KILLS} || 0) > 10 ? 300 : 10;
my ($failed, %got) = (0);

# Runs that each job has done.
sub runs {
    my $text = LIMS::Service::Response->from($lims, '/metrics')->body;
    return { $text =~ /^lims_job_runs_total\{[^}]*task="(\w+)",[^}]*outcome="done"[^}]*\} (\d+)/gm };
}

$lims->allow_log(qr/exit signal Abort|Memory allocation failed/, qr/LIMS0(?:090|120|123|124): /);
$fail->begin($lims);
$receiver->endpoint($lims, '/good', events => 'sample.created');
for my $n (1 .. $times) {
    $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        VALUES (?, 'sample.created', json_build_object('n', ?::int))}, undef,
        $lims->fixture->{id}, $n);
    # The first in a child without requests before: in what libraries do once.
    my $turn    = $n == 1 ? 50 + int rand 60 : 1 + int rand 250;
    my $outcome = $fail->alone('memory', $turn, $n % 5 == 1);
    $failed++ if $outcome->{failed};
    next unless @{ $outcome->{death} };
    fail("turn $turn ($outcome->{what}): the child met a segmentation fault");
    diag(join "\n", @{ $outcome->{death} });
}
cmp_ok($failed, '>', $times / 2, "memory ran out $failed times");

# Also where what OpenSSL makes once in a process met with no memory.
my $before = eval { runs() } || {};
is(scalar keys %$before, 6, 'the child speaks TLS, and tells of six jobs') or diag($@);
for my $job (sort keys %$before) {
    ok((wait_until { runs()->{$job} > $before->{$job} }), "the job $job goes on");
}

# A child of which no endpoint waits for the end of the minute after LIMS0124. httpd
# may make two in place of one that ends as it restarts, and end but one of them.
sleep 2;
$lims->get('/whoami');
$lims->graceful;
wait_until {
    %got = map { JSON::PP->new->decode($_->{body})->{data}{n} => 1 } $receiver->seen('/good');
    keys %got == $times;
};
is_deeply([ sort { $a <=> $b } keys %got ], [ 1 .. $times ], 'no event went without its delivery');
done_testing();
