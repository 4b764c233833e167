#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Controls are judged without being entered: value, outcome, place in their series, and what
# entering them would be refused for. Nothing is written.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
my $lead = $lab->definition(method => 'EPA 200.8');

my %spike = (controlType => 'LFB', criterion => 'recovery', testDefinitionId => $lead,
    expectedValue => 10, lowerLimit => 85, upperLimit => 115);
my $batch = $ann->done('qc-batch create', batchNumber => 'J-1')->{id};

# A baseline of mean 100 and s 2.108.
$ann->done('qc-control add', qcBatchId => $batch, %spike, measuredValue => $_,
    measuredAt => '2026-11-01T08:00:00Z') for qw(9.8 10.2 9.8 10.2 9.8 10.2 9.8 10.2 9.8 10.2);

sub judged {
    my (@controls) = @_;
    my $answer;
    my $changes = $lab->changes_of(sub {
        $answer = $ann->done('qc-control judge', controls => \@controls) });

    is($changes, 0, 'judging writes nothing');
    return @{ $answer->{results} };
}

my ($good, $bad, $incomplete, $nobody, $upside) = judged(
    { qcBatchId => $batch, %spike, measuredValue => 10.1 },
    { qcBatchId => $batch, %spike, measuredValue => 11.6 },
    { qcBatchId => $batch, %spike },
    { qcControlId => 999_999, measuredValue => 5 },
    { %spike, measuredValue => 5, testDefinitionId => 999_999, lowerLimit => 115,
        upperLimit => 85 },
);
is($good->{evaluatedValue} + 0, 101, 'the recovery is worked out');
ok($good->{passed}, 'the control passes');
is_deeply($good->{refusals}, [], 'a value that passes is not refused');
cmp_ok(abs($good->{z} - 0.474342), '<', 1e-5, 'the judgement has the distance from the mean of the series');
is_deeply($good->{broken}, [], 'no rule is broken');
ok(defined $bad->{passed} && !$bad->{passed}, 'another value would fail');
is_deeply($bad->{broken}, ['1-3s'], 'a value that fails breaks rule 1-3s');
is($incomplete->{passed}, undef, 'one without a value is not judged');
is_deeply([ map { $_->{error} } @{ $incomplete->{refusals} } ], ['invalid_body'],
    'entering a control without a value would be refused');
is_deeply([ map { $_->{error} } @{ $nobody->{refusals} } ], ['invalid_reference'],
    'a control that is not there would be refused');
is_deeply([ map { $_->{error} } @{ $upside->{refusals} } ], [qw(invalid_reference invalid_body)],
    'all refusals are said');

# The standing control: another value, with its other members.
my $stands = $ann->done('qc-batch show', $batch)->{controls}[9];
my ($other) = judged({ qcControlId => $stands->{id}, measuredValue => 13 });
is($other->{qcControlId}, $stands->{id}, 'a control that is there');
is($other->{evaluatedValue} + 0, 130, 'a control that is there is judged with another value');
ok(!$other->{passed}, 'a control that is there is judged by its own limits');
is($ann->done('qc-control show', $stands->{id})->{measuredValue} + 0, 10.2, 'judging a control that is there keeps its measured value');

done_testing();
