#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Where the record decides which permission an act needs, whoever has one of them meets the
# database, which asks for the right one: with a result, cancelling needs result.verify. Where a
# member of the body decides, a session that the server has not seen yet is asked no other.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my ($clerk, $analyst, $services, $auditor)
    = map { LIMS::Service::CommandLine->new($lims, "Pat $_", roles => [$_]) }
    qw(receiving_clerk analyst client_services auditor);
my @why = (reason => 'bottle broken in transit');

subtest 'a sample test' => sub {
    my $sample = $lab->sample(testDefinitionIds => [ $lab->definition, $lab->definition ]);
    my ($open, $entered) = $lab->tests($sample);
    $lab->enter($entered, '1');
    $auditor->refused('permission_required', 'sample-test cancel', $open, @why);
    for my $act (qw(cancel restore)) {
        $analyst->refused('permission_required', "sample-test $act", $open, @why);
        is($clerk->done("sample-test $act", $open, @why)->{id}, $open, "$act: sample.edit");
        $clerk->refused('permission_required', "sample-test $act", $entered, @why);
        is($analyst->done("sample-test $act", $entered, @why)->{id}, $entered,
            "$act with a result: result.verify");
    }
};

subtest 'a sample' => sub {
    my ($sample) = $lab->worked(1);
    my $bare = $lab->sample;
    my @to = map { [ disposition => $_, @why ] } qw(cancelled active on_hold);
    $services->refused('permission_required', 'sample disposition', $bare->{id}, @{ $to[0] });
    $analyst->refused('permission_required', 'sample disposition', $bare->{id}, @{ $to[2] });
    is($clerk->done('sample disposition', $bare->{id}, @{ $to[0] })->{disposition}, 'cancelled',
        'sample.cancel cancels');
    $services->refused('permission_required', 'sample disposition', $bare->{id}, @{ $to[1] });
    is($clerk->done('sample disposition', $bare->{id}, @{ $to[1] })->{disposition}, 'active',
        'the clerk takes the disposition back');
    is($services->done('sample disposition', $bare->{id}, @{ $to[2] })->{disposition}, 'on_hold',
        'sample.edit holds');
    $clerk->refused('permission_required', 'sample disposition', $sample->{id}, @{ $to[0] });
};

subtest 'the first request of a session after a restart' => sub {
    my $pat    = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
    my $sample = $lab->sample;
    is($pat->get('/session')->status, 200, 'the session has begun');
    $lims->graceful;
    is($pat->patch("/samples/$sample->{id}/status", { status => 'received' })->status, 200,
        'status received: sample.receive');
    $lims->graceful;
    is($pat->patch("/samples/$sample->{id}/status", { status => 'verified' })->json->{error},
        'permission_required', 'status verified: not without result.verify');
};

done_testing();
