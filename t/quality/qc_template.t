#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# QC templates: a batch that is made from one has its controls without values, is evaluated
# by itself when the last has its value, and takes tests only as far as they suffice. A
# template that was used is never changed.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
my $lead = $lab->definition(method => 'EPA 200.8');

my @controls = (
    { type => 'LRB', testDefinitionId => $lead, criterion => 'maximum', upperLimit => 0.1 },
    { type => 'LFB', level => 'low', testDefinitionId => $lead, criterion => 'recovery',
        expectedValue => 10, lowerLimit => 85, upperLimit => 115, unit => 'ug/L' },
);

sub tests {
    my ($number) = @_;
    return map { $lab->tests($lab->sample(testDefinitionIds => [$lead])) } 1 .. $number;
}

sub batch_shown { return $ann->done('qc-batch show', $_[0]{id}) }

# Controls as "LFB -", "LFB +" or "LFB ?" without a value.
sub controls {
    my ($batch) = @_;
    return join ' ', map {
        $_->{controlType} . (!defined $_->{passed} ? '?' : $_->{passed} ? '+' : '-')
    } @{ batch_shown($batch)->{controls} };
}

sub value {
    my ($batch, $type, $value, @more) = @_;
    my ($control) = grep { $_->{controlType} eq $type && !defined $_->{passed} }
        @{ batch_shown($batch)->{controls} };
    return $ann->done('qc-control update', $control->{id}, measuredValue => $value, @more);
}

# --- The template ----------------------------------------------------------------------

$ann->refused('invalid_body', 'qc-template create', method => 'EPA 999', name => 'Metals',
    controls => \@controls);
like($ann->refused('invalid_body', 'qc-template create', method => 'EPA 200.8', name => 'Metals',
        controls => [ { type => 'LRB', criterion => 'maximum' } ])->{message},
    qr/criterion maximum of controls\[0\] needs upperLimit/i, 'the refusal names the control without its limit');
$ann->refused('invalid_reference', 'qc-template create', method => 'EPA 200.8', name => 'Metals',
    controls => [ { %{ $controls[0] }, testDefinitionId => 999_999 } ]);
my $template = $ann->done('qc-template create', method => 'EPA 200.8', name => 'Metals',
    perSamples => 2, controls => \@controls);
is($template->{version}, 1, 'a template begins with version 1');
ok($template->{active} && $template->{required}, 'a new template is in use, and required');
is_deeply([ map { [ @$_{qw(type level count)} ] } @{ $template->{controls} } ],
    [ [ 'LRB', undef, 1 ], [ 'LFB', 'low', 1 ] ], 'its controls are shown in order');

my $wider = $ann->done('qc-template update', $template->{id}, perSamples => 3);
is($wider->{id}, $template->{id}, 'a version that was not used is changed');
$ann->done('qc-template update', $template->{id}, perSamples => 2, controls => \@controls);

# --- A batch from it ---------------------------------------------------------------------

$ann->refused('invalid_body', 'qc-batch create', batchNumber => 'T-0',
    qcTemplateId => $template->{id}, method => 'EPA 245.1');
my @test  = tests(5);
my $batch = $ann->done('qc-batch create', batchNumber => 'T-1', qcTemplateId => $template->{id},
    sampleTestIds => [ $test[0] ]);
is($batch->{method}, 'EPA 200.8', 'a batch has the method of its template');
is(controls($batch), 'LRB? LFB?', 'a batch of a template has its controls, without values');
ok(!(grep { !$_->{expected} } @{ batch_shown($batch)->{controls} }), 'the controls are expected');
is($batch->{qcStatus}, 'open', 'the batch is open');
like($ann->refused('qc_pending', 'qc-batch evaluate', $batch->{id})->{message}, qr/LRB \w+, LFB/,
    'the message names the controls without a value');

$ann->done('qc-batch cover', $batch->{id}, sampleTestIds => [ @test[ 1, 2 ] ]);
is(controls($batch), 'LRB? LFB? LRB? LFB?', 'three samples need each control twice');
$ann->done('qc-batch uncover', $batch->{id}, sampleTestIds => [ $test[2] ], reason => 'no room');
is(controls($batch), 'LRB? LFB?', 'the blank is measured twice, the spike once');

# Members that the template gives of a control are fixed, before and after its value; those
# that it leaves open are given with the value.
my ($first, $low) = @{ batch_shown($batch)->{controls} };
for my $change ([ LRB => $first, upperLimit => 1000 ], [ LRB => $first, upperLimit => undef ],
    [ LFB => $low, expectedValue => 13 ], [ LFB => $low, lowerLimit => 10 ],
    [ LFB => $low, upperLimit => 114 ], [ LFB => $low, unit => 'mg/L' ]) {
    my ($type, $control, @change) = @$change;
    my $told = $ann->refused('field_not_patchable', 'qc-control update', $control->{id}, @change,
        measuredValue => '13');
    like($told->{message}, qr/template gives of .*: $change[0]\.$/,
        "the refusal names what the template gives of the $type");
}
is_deeply($ann->done('qc-control judge', controls => [ { qcControlId => $first->{id},
            measuredValue => 13, upperLimit => 1000 } ])->{results}[0]{refusals}[0]{error},
    'field_not_patchable', 'judging it says so before');
is(controls($batch), 'LRB? LFB?', 'no control has a value by a limit of its own');

my $blank = value($batch, 'LRB', '0.02', unit => 'ug/L', lowerLimit => 0);
ok($blank->{passed}, 'the first value of a control needs no reason');
$ann->refused('qc_pending', 'qc-batch evaluate', $batch->{id});
like($ann->refused('invalid_body', 'qc-control update', $blank->{id},
        measuredValue => '0.03')->{message}, qr/reason/, 'correcting a value of a control needs a reason');
$ann->refused('invalid_body', 'qc-control update', $blank->{id}, measuredValue => undef,
    reason => 'none after all');
$ann->refused('field_not_patchable', 'qc-control update', $blank->{id}, controlType => 'MB',
    reason => 'another');

my $spike;
my @events = $lab->events_in(sub { $spike = value($batch, 'LFB', '13') });
is(batch_shown($batch)->{qcStatus}, 'failed', 'with its last value the batch is evaluated');
is_deeply([ map { $_->[0] } @events ], ['qc.failed'], 'qc.failed is emitted');
ok(!$spike->{passed}, 'the control that failed has not passed');
$ann->done('qc-control update', $spike->{id}, measuredValue => '10.1', reason => 'misread');
is(batch_shown($batch)->{qcStatus}, 'passed', 'the batch passes again with a correction');

$ann->refused('invalid_transition', 'qc-batch cover', $batch->{id}, sampleTestIds => [ $test[2] ]);
$ann->done('qc-control add', qcBatchId => $batch->{id}, controlType => 'LRB',
    criterion => 'maximum', testDefinitionId => $lead, measuredValue => '0.01',
    upperLimit => '0.1');
$ann->refused('invalid_transition', 'qc-batch cover', $batch->{id}, sampleTestIds => [ $test[2] ]);
$ann->done('qc-control add', qcBatchId => $batch->{id}, controlType => 'LFB', level => 'low',
    criterion => 'recovery', testDefinitionId => $lead, expectedValue => 10,
    measuredValue => '9.9', lowerLimit => 85, upperLimit => 115);
$ann->done('qc-batch cover', $batch->{id}, sampleTestIds => [ @test[ 2, 3 ] ]);
pass('with a further set of controls it takes as many samples again');
$ann->refused('invalid_transition', 'qc-batch cover', $batch->{id}, sampleTestIds => [ $test[4] ]);
$ann->refused('field_not_patchable', 'qc-batch update', $batch->{id}, method => 'EPA 6020');

# A control that is added by hand takes the place of an expected one.
my $other = $ann->done('qc-batch create', batchNumber => 'T-2', qcTemplateId => $template->{id});
$ann->done('qc-control add', qcBatchId => $other->{id}, controlType => 'LRB',
    criterion => 'maximum', testDefinitionId => $lead, measuredValue => '0.01',
    upperLimit => '0.1');
is(controls($other), 'LFB? LRB+', 'a control that was added counts');

# But not one that is judged by more lenient limits, or held against another value.
my $third = $ann->done('qc-batch create', batchNumber => 'T-4', qcTemplateId => $template->{id});

sub added {
    my ($type, %more) = @_;
    $ann->done('qc-control add', qcBatchId => $third->{id}, controlType => $type,
        testDefinitionId => $lead, %more);
    return controls($third);
}
my %spike = (criterion => 'recovery', level => 'low', measuredValue => '11',
    expectedValue => 10, lowerLimit => 85, upperLimit => 115);
is(added('LRB', criterion => 'maximum', measuredValue => '50', upperLimit => '1000'),
    'LRB? LFB? LRB+', 'a blank with a higher limit does not take the place of the expected one');
is(added('LFB', %spike, lowerLimit => 50), 'LRB? LFB? LRB+ LFB+',
    'a spike with a lower limit does not take the place either');
is(added('LFB', %spike, lowerLimit => undef), 'LRB? LFB? LRB+ LFB+ LFB+',
    'a spike without a lower limit does not take the place either');
is(added('LFB', %spike, expectedValue => 11), 'LRB? LFB? LRB+ LFB+ LFB+ LFB+',
    'a spike with another expected value does not take the place');
is(added('LFB', %spike, unit => 'mg/L'), 'LRB? LFB? LRB+ LFB+ LFB+ LFB+ LFB+',
    'a spike in another unit does not take the place');
is(batch_shown($third)->{qcStatus}, 'open', 'the batch waits for what its template asks for');
is(added('LRB', criterion => 'maximum', measuredValue => '0.05', upperLimit => '0.09'),
    'LFB? LRB+ LFB+ LFB+ LFB+ LFB+ LRB+', 'one with a stricter limit takes its place');
is(added('LFB', %spike, unit => "\xc2\xb5g/L", upperLimit => 110),
    'LRB+ LFB+ LFB+ LFB+ LFB+ LRB+ LFB+', 'as does a spike, its unit spelt otherwise');
is(batch_shown($third)->{qcStatus}, 'passed', 'with all that its template asks for it is evaluated');

# --- Long templates ------------------------------------------------------------------------

# The controls of a batch are made at once, and none in vain: the trail has those that are there.
my $metal = $lab->definition(method => 'EPA 6020');
my $long  = $ann->done('qc-template create', method => 'EPA 6020', name => 'Long', perSamples => 1,
    controls => [ map { { type => 'CCV', level => "L$_", testDefinitionId => $metal,
            criterion => 'range', lowerLimit => 90, upperLimit => 110, count => 3 } } 1 .. 100 ]);
my @many = map { $lab->tests($lab->sample(testDefinitionIds => [$metal])) } 1 .. 2;
my $made = $ann->done('qc-batch create', batchNumber => 'T-5', qcTemplateId => $long->{id},
    sampleTestIds => [ $many[0] ]);
my @levels = map { $_->{level} } @{ batch_shown($made)->{controls} };
is_deeply(\@levels, [ map { ("L$_") x 3 } 1 .. 100 ],
    'a batch of a template of 100 lines has the controls of each, in their order');

sub trail {
    return { map { @$_ } @{ $lims->superuser->selectall_arrayref(q{SELECT action, count(*)
        FROM lims.audit_entry WHERE table_name = 'qc_control'
         AND coalesce(changes #>> '{qc_batch_id,new}', changes #>> '{qc_batch_id,old}') = ?
       GROUP BY action}, undef, $made->{id}) } };
}
is_deeply(trail(), { insert => 300 }, 'none was made in vain');
$ann->done('qc-batch cover', $made->{id}, sampleTestIds => [ $many[1] ]);
is_deeply(trail(), { insert => 600 }, 'a second sample needs each control once more');
$ann->done('qc-batch uncover', $made->{id}, sampleTestIds => [ $many[1] ], reason => 'no room');
is_deeply(trail(), { insert => 600, delete => 300 }, 'what is too many is taken away once');

# --- Frozen once used ---------------------------------------------------------------------

my $next = $ann->done('qc-template update', $template->{id}, name => 'Metals by ICP-MS',
    controls => [ $controls[0] ]);
isnt($next->{id}, $template->{id}, 'a change of a used version makes the next');
is($next->{version}, 2, 'the version is counted up');
is($next->{perSamples}, 2, 'the next version has what was not changed from the one before');
is(scalar @{ $ann->done('qc-template show', $template->{id})->{controls} }, 2,
    'the version before stays as it was');
ok(!$ann->done('qc-template show', $template->{id})->{active}, 'the version before is out of use');
$ann->refused('invalid_reference', 'qc-batch create', batchNumber => 'T-3',
    qcTemplateId => $template->{id});
is_deeply([ map { $_->{id} } @{ $ann->done('qc-template list', method => 'EPA 200.8',
            active => 'true')->{data} } ], [ $next->{id} ], 'the list finds the one in use');
$ann->done('qc-template update', $next->{id}, active => 'false');
is($ann->done('qc-template show', $next->{id})->{version}, 2, 'a version is put out of use itself');

done_testing();
