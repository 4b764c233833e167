#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# How controls are judged: recovery, relative percent difference, maximum,
# range and expectation, at their limits and just beyond. The numbers are
# worked out by hand from the definitions in modules/quality/qc_controls.c.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $ann   = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
my $batch = $ann->done('qc-batch create', batchNumber => 'QCB-1')->{id};
my $lead  = $lab->definition(reporting_limit => 0.5);

sub judged {
    my ($name, $value, $passed, %control) = @_;
    my $made = $ann->done('qc-control add', qcBatchId => $batch, %control);

    is($made->{passed} ? 'passed' : 'failed', $passed, "$name: $passed");
    if (defined $value) {
        cmp_ok(abs($made->{evaluatedValue} - $value), '<', 1e-9,
            "$name: the evaluated value is $value");
    }
    else {
        is($made->{evaluatedValue}, undef, "$name: there is no evaluated value");
    }
    return $made->{id};
}

my %recovery = (criterion => 'recovery', lowerLimit => 85, upperLimit => 115);
judged('fortified blank', 98.4, 'passed', %recovery, controlType => 'LFB',
    expectedValue => 50, measuredValue => '49.2');
judged('at the upper limit', 115, 'passed', %recovery, controlType => 'LFB',
    expectedValue => 10, measuredValue => '11.5');
judged('just above it', 115.01, 'failed', %recovery, controlType => 'LFB',
    expectedValue => 10, measuredValue => '11.501');
judged('below the lower limit', 84.9, 'failed', %recovery, controlType => 'LCS',
    expectedValue => 10, measuredValue => '8.49');
judged('matrix spike over its native sample', 91.2, 'passed', controlType => 'LFM',
    criterion => 'recovery', lowerLimit => 70, upperLimit => 130,
    expectedValue => 10, nativeValue => '2.5', measuredValue => '11.62');

my %duplicate = (controlType => 'DUP', criterion => 'rpd', upperLimit => 20,
    testDefinitionId => $lead);
judged('duplicates', 20, 'passed', %duplicate, nativeValue => '9', measuredValue => '11');
judged('duplicates apart', 200 * 2.1 / 20.1, 'failed', %duplicate,
    nativeValue => '9', measuredValue => '11.1');
judged('duplicates near the reporting limit, by their difference', 0.5, 'passed', %duplicate,
    nativeValue => '0.6', measuredValue => '1.1');
judged('duplicates near the reporting limit, apart', 0.6, 'failed', %duplicate,
    nativeValue => '0.6', measuredValue => '1.2');
judged('equal blanks', 0, 'passed', controlType => 'DUP', criterion => 'rpd', upperLimit => 20,
    nativeValue => '0', measuredValue => '0');

judged('blank', 0.05, 'passed', controlType => 'LRB', criterion => 'maximum',
    measuredValue => '0.05', upperLimit => '0.05');
judged('contaminated blank', 0.31, 'failed', controlType => 'MB', criterion => 'maximum',
    measuredValue => '0.31', upperLimit => '0.20');
judged('certified reference material', 189, 'passed', controlType => 'CRM', criterion => 'range',
    measuredValue => 189, lowerLimit => '167.5', upperLimit => '228.5');
judged('outside its certificate', 167.4, 'failed', controlType => 'CRM', criterion => 'range',
    measuredValue => '167.4', lowerLimit => '167.5', upperLimit => '228.5');

judged('positive control', undef, 'passed', controlType => 'POS', criterion => 'expected',
    expectedText => 'Growth', measuredText => 'positive');
judged('negative control that grew', undef, 'failed', controlType => 'NEG',
    criterion => 'expected', expectedText => 'No growth', measuredText => 'Growth');
my $turbid = judged('sterility control', undef, 'failed', controlType => 'STR',
    criterion => 'expected', expectedText => 'clear', measuredText => 'turbid');

is($ann->done('qc-control update', $turbid, measuredText => 'Clear', reason => 'misread')
        ->{passed} ? 'passed' : 'failed', 'passed', 'a corrected control is judged anew');

# --- What is no control -----------------------------------------------------------

sub no_control {
    my ($slug, $said, %control) = @_;
    like($ann->refused($slug, 'qc-control add', qcBatchId => $batch, controlType => 'LFB',
            %control)->{message}, $said, 'the refusal of the control says what is wrong');
    return;
}

no_control('invalid_body', qr/recovery needs expectedValue/, criterion => 'recovery',
    measuredValue => 9, lowerLimit => 85);
no_control('invalid_body', qr/recovery needs lowerLimit or upperLimit/, criterion => 'recovery',
    measuredValue => 9, expectedValue => 10);
no_control('invalid_body', qr/rpd needs nativeValue/, criterion => 'rpd', measuredValue => 9);
no_control('invalid_body', qr/maximum needs upperLimit/, criterion => 'maximum',
    measuredValue => 9);
no_control('invalid_body', qr/range needs measuredValue/, criterion => 'range', upperLimit => 9);
no_control('invalid_body', qr/expected needs expectedText/, criterion => 'expected',
    measuredText => 'clear');
no_control('invalid_body', qr/lowerLimit/, criterion => 'range', measuredValue => 9,
    lowerLimit => 115, upperLimit => 85);
no_control('invalid_reference', qr/qcBatchId/, criterion => 'maximum', measuredValue => 1,
    upperLimit => 2, qcBatchId => 999_999);
no_control('invalid_reference', qr/testDefinitionId/, criterion => 'maximum', measuredValue => 1,
    upperLimit => 2, testDefinitionId => 999_999);
is($ann->call('qc-control add', qcBatchId => $batch, controlType => 'XYZ',
        criterion => 'maximum', measuredValue => 1, upperLimit => 2)->{exit}, 2,
    'an unknown type is a wrong command');
is(scalar @{ $ann->done('qc-control list', qcBatchId => $batch)->{data} }, 17,
    'the controls are listed, and no others were made');
is($ann->done('qc-control show', $turbid)->{measuredText}, 'Clear', 'a control is shown');

done_testing();
