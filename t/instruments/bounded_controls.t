#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A control of a file that is only known to be less or greater than a number never passes
# by that number.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);

# A row's type stands in the column of units, its qualifier in that of times.
sub control {
    my ($name, %rule) = @_;
    return { when => [ { column => 'sampleType', equals => $name } ], route => 'qcBatch',
        controlType => $name, %rule };
}

sub profile {
    my @controls = @_;
    $pc->profile(
        columns => { trackingId => 'Sample', test => 'Test', value => 'Value',
            sampleType => 'Unit', qualifier => 'Time' },
        qualifiers => { codes => [ { text => 'nn', meaning => 'nondetect', write => '<{value}' } ] },
        tests => [ { name => 'NO3', testCode => 'NO3' },
            { name => 'TEXT', testCode => 'TEXT', kind => 'text' } ],
        rows => { controls => \@controls });
    return;
}

# Sends a sample's row and further ones; the answer's status, and what was said of the rows.
sub sent {
    my ($sample, $value, @rows) = @_;
    my $answer = $pc->send($pc->csv([ $sample, 'NO3', $value, '', '' ], @rows));
    return ($answer, [ map { [ @$_{qw(code row)} ] } @{ $answer->json->{reasons} } ]);
}

sub controls_of {
    my ($answer) = @_;
    return $lims->db->selectall_arrayref(q{SELECT control_type,
        coalesce(measured_value::text, measured_text), native_value::text, passed
        FROM lims.qc_control c JOIN lims.qc_batch b ON b.id = c.qc_batch_id
        WHERE b.batch_number = ? ORDER BY c.id}, undef, 'FILE-' . $answer->json->{id});
}

profile(
    control('LCS', criterion => 'recovery', expectedValue => '5', lowerLimit => '70',
        upperLimit => '130'),
    control('CCV', criterion => 'recovery', expectedValue => '10', lowerLimit => '80',
        upperLimit => '120'),
    control('QCS', criterion => 'range',   lowerLimit => '4', upperLimit => '6'),
    control('MB',  criterion => 'maximum', upperLimit => '1'),
    control('MS', criterion => 'recovery', expectedValue => '10', lowerLimit => '70',
        upperLimit => '130'),
    control('DUP', criterion => 'rpd', upperLimit => '20'),
    control('NEG', criterion => 'expected', expectedText => '1'),
    control('POS', criterion => 'expected', expectedText => 'Present'),
    control('ICB', criterion => 'expected', expectedText => 'Absent'));

subtest 'controls that are judged by a number of their own' => sub {
    my $sample = $pc->sample('NO3');
    for my $row ([ 'LCS', '<5', '' ], [ 'LCS', '5', 'U' ], [ 'LCS', '5', 'ND' ],
        [ 'LCS', '5', '<' ], [ 'LCS', '5', 'nn' ], [ 'CCV', '>12', '' ], [ 'CCV', '12', '>' ],
        [ 'QCS', '< 5', '' ], [ 'QCS', '5', 'U' ], [ 'QCS', '>5', '' ], [ 'MB', '>0.5', '' ],
        [ 'MB', '0.5', '>' ]) {
        my ($type, $value, $qualifier) = @$row;
        my ($answer, $reasons) = sent($sample, '7', [ 'C', 'NO3', $value, $type, $qualifier ]);
        is($answer->status, 202, "$type of $value $qualifier holds the file")
            or diag($answer->body);
        is_deeply($reasons, [ [ 'non_numeric', 3 ] ], 'the reason names the row of the control');
        like($answer->json->{reasons}[0]{message},
            qr/^The value of the control $type NO3 is only known to be (?:less|greater) than/,
            'it says what is known');
    }
    is($pc->test($sample, 'NO3')->{status}, 'pending', 'no result of such a file is entered');
};

subtest 'a blank below its maximum' => sub {
    for my $row ([ '<0.5', '', 1 ], [ '0.5', 'U', 1 ], [ '0.5', 'ND', 1 ], [ '0.5', 'J', 1 ],
        [ '<1', '', 1 ], [ '<2', '', 0 ]) {
        my ($value, $qualifier, $passed) = @$row;
        my ($answer) = sent($pc->sample('NO3'), '7', [ 'C', 'NO3', $value, 'MB', $qualifier ]);
        is($answer->status, 201, "a blank of $value $qualifier is imported")
            or diag($answer->body);
        is(controls_of($answer)->[0][3], $passed, $passed ? 'it passes' : 'it does not pass');
    }
};

subtest 'an estimated value' => sub {
    my ($answer) = sent($pc->sample('NO3'), '7', [ 'C', 'NO3', '5', 'LCS', 'J' ]);
    is($answer->status, 201, 'is a number') or diag($answer->body);
    is_deeply(controls_of($answer), [ [ 'LCS', '5', undef, 1 ] ], 'it is judged as one');
};

subtest 'a spike of a sample that is below its limit' => sub {
    for my $row ([ '<0.5', '10.2', '0.5', 1 ], [ '<0.5', '13.4', '0', 0 ],
        [ '<0.5', '7.2', '0.5', 0 ], [ '<0.5', '6', '0.5', 0 ], [ '0.5', '13.4', '0.5', 1 ]) {
        my ($native, $spiked, $held, $passed) = @$row;
        my $sample = $pc->sample('NO3');
        my ($answer) = sent($sample, $native, [ $sample, 'NO3', $spiked, 'MS', '' ]);
        is($answer->status, 201, "$spiked against $native is imported") or diag($answer->body);
        is_deeply(controls_of($answer), [ [ 'MS', $spiked, $held, $passed ] ],
            $passed ? 'it passes with 0 and with the limit' : 'it fails with 0 or the limit');
    }
    my $sample = $pc->sample('NO3');
    my ($answer, $reasons) = sent($sample, '>20', [ $sample, 'NO3', '31', 'MS', '' ]);
    is_deeply($reasons, [ [ 'non_numeric', 3 ] ],
        'against a sample beyond the range the spike is not judged');
};

subtest 'a spike of a sample whose qualifier stands beside it' => sub {
    my $sample = $pc->sample('NO3');
    my $answer = $pc->send($pc->csv([ $sample, 'NO3', '0.5', '', 'U' ],
            [ $sample, 'NO3', '13.4', 'MS', '' ]));
    is_deeply(controls_of($answer), [ [ 'MS', '13.4', '0', 0 ] ], 'it is held against 0 too');
    like($lab->value('SELECT notes FROM lims.qc_control ORDER BY id DESC LIMIT 1'),
        qr/<0\.5 counts as 0, with which it fails/, 'its note says so');
    $sample = $pc->sample('NO3');
    $answer = $pc->send($pc->csv([ $sample, 'NO3', '20', '', '>' ],
            [ $sample, 'NO3', '31', 'MS', '' ]));
    is($answer->status, 202, 'beyond the range it holds the file') or diag($answer->body);
};

subtest 'duplicates' => sub {
    for my $row ([ '<0.5', '<0.5', '0.5', '0.5', 1 ], [ '<0.5', '0.52', '0.52', '0', 0 ],
        [ '0.52', '<0.5', '0', '0.52', 0 ], [ '0.5', '0.52', '0.52', '0.5', 1 ]) {
        my ($first, $second, $measured, $native, $passed) = @$row;
        my $sample = $pc->sample('NO3');
        my ($answer) = sent($sample, $first, [ $sample, 'NO3', $second, 'DUP', '' ]);
        is($answer->status, 201, "$second against $first is imported") or diag($answer->body);
        is_deeply(controls_of($answer), [ [ 'DUP', $measured, $native, $passed ] ],
            $passed ? 'the pair passes' : 'the pair fails');
    }
    for my $pair ([ '>9', '>9' ], [ '9', '>9' ], [ '>9', '9' ]) {
        my $sample = $pc->sample('NO3');
        my ($answer, $reasons) =
            sent($sample, $pair->[0], [ $sample, 'NO3', $pair->[1], 'DUP', '' ]);
        is_deeply($reasons, [ [ 'non_numeric', 3 ] ], "@$pair holds the file");
    }
};

subtest 'controls with an expected text' => sub {
    for my $row ([ 'NEG', 'NO3', '1', '', '1', 1 ], [ 'NEG', 'NO3', '1', 'U', '<1', 0 ],
        [ 'NEG', 'NO3', '<1', '', '<1', 0 ], [ 'POS', 'TEXT', 'Present', '', 'Present', 1 ],
        [ 'POS', 'TEXT', 'Present', 'ND', '<Present', 0 ],
        [ 'ICB', 'TEXT', 'Absent', 'ND', 'Absent', 1 ]) {
        my ($type, $code, $value, $qualifier, $text, $passed) = @$row;
        my ($answer) = sent($pc->sample('NO3', 'TEXT'), '7',
            [ 'C', $code, $value, $type, $qualifier ]);
        is($answer->status, 201, "$type of $value $qualifier is imported") or diag($answer->body);
        is_deeply(controls_of($answer), [ [ $type, $text, undef, $passed ] ],
            'it is compared with its sign');
    }
};

subtest 'a control with limits of a template' => sub {
    profile(control('MS', criterion => 'recovery', expectedValue => '10', lowerLimit => '50',
            upperLimit => '200'));
    my $ann = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
    my $nitrate = $lab->value(q{SELECT id FROM lims.test_definition WHERE code = 'NO3'});
    $lims->db->do(q{UPDATE lims.test_definition SET method = 'EPA 300.0' WHERE id = ?}, undef,
        $nitrate);
    my $template = $ann->done('qc-template create', method => 'EPA 300.0', name => 'Anions',
        controls => [ { type => 'MS', testDefinitionId => $nitrate, criterion => 'recovery',
                expectedValue => 10, lowerLimit => 70, upperLimit => 130 } ]);
    my $sample = $pc->sample('NO3');
    my $batch = $ann->done('qc-batch create', batchNumber => 'RUN-1',
        qcTemplateId => $template->{id}, sampleTestIds => [ $pc->test($sample, 'NO3')->{id} ]);
    my ($answer) = sent($sample, '<0.5', [ $sample, 'NO3', '13.4', 'MS', '' ]);
    is($answer->status, 201, 'the file is imported') or diag($answer->body);
    my $shown = $ann->done('qc-batch show', $batch->{id});
    is_deeply([ @{ $shown->{controls}[0] }{qw(measuredValue nativeValue)} ], [ 13.4, 0 ],
        'it is judged at its worse end by the limits of the template');
    is($shown->{qcStatus}, 'failed', 'the batch fails');
};

subtest 'a control that is entered by hand' => sub {
    my $ann   = LIMS::Service::CommandLine->new($lims, 'Bea Roy');
    my $batch = $ann->done('qc-batch create', batchNumber => 'HAND')->{id};
    for my $value ('<5', '>5', '5 U', 'ND') {
        my $answer = $ann->call('qc-control add', qcBatchId => $batch, controlType => 'LCS',
            criterion => 'recovery', expectedValue => 5, measuredValue => $value,
            lowerLimit => 70, upperLimit => 130);
        isnt($answer->{exit}, 0, "a measured value of $value is refused");
        like($answer->{output}, qr/measuredValue|measured-value/, 'the refusal names the member');
    }
};

done_testing();
