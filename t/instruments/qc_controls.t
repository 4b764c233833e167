#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# QC controls in a run: they make a QC batch that covers the run's tests, and a failed one
# keeps the tests from being verified.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);

sub control {
    my ($name, %rule) = @_;
    return { when => [ { column => 'trackingId', matches => "^$name" } ], route => 'qcBatch', %rule };
}

$pc->profile(rows => { controls => [
            control('CCV', controlType => 'CCV', criterion => 'recovery', expectedValue => '10',
                lowerLimit => '90', upperLimit => '110'),
            control('BLK', controlType => 'MB', criterion => 'maximum', upperLimit => '0.5'),
            { when => [ { column => 'trackingId', matches => '^RINSE' } ], controlType => 'IPC',
                route => 'skip' },
        ] });

subtest 'a run whose controls pass' => sub {
    my ($one, $two) = map { $pc->sample('NO3') } 1 .. 2;
    my $answer;
    my @events = $lab->events_in(sub { $answer = $pc->send($pc->csv([ 'CCV-1', 'NO3', '10.2' ],
                    [ $one, 'NO3', '7' ], [ 'RINSE', 'NO3', '99' ], [ 'BLK', 'NO3', '0.1' ],
                    [ $two, 'NO3', '8' ])) });
    is($answer->status, 201, 'the file is imported') or diag($answer->body);
    my $json = $answer->json;
    is_deeply([ @{ $json->{counts} }{qw(results controls written)} ], [ 2, 2, 2 ],
        'results and controls are counted apart');
    my $batch = $lims->db->selectrow_hashref(q{SELECT * FROM lims.qc_batch});
    is_deeply([ @$batch{qw(batch_number qc_status method)} ],
        [ "FILE-$json->{id}", 'passed', 'Bench CSV' ], 'a batch of the file');
    is_deeply($lims->db->selectall_arrayref(q{SELECT control_type, criterion, measured_value::text,
        passed FROM lims.qc_control ORDER BY id}),
        [ [ 'CCV', 'recovery', '10.2', 1 ], [ 'MB', 'maximum', '0.1', 1 ] ],
            'the batch has the controls of the run');
    is_deeply([ map { $pc->test($_, 'NO3')->{qcBatchId} } $one, $two ], [ ($batch->{id}) x 2 ],
        'over its tests');
    is($lab->value('SELECT count(*) FROM lims.instrument_file_row WHERE qc_control_id IS NOT NULL'),
        2, 'whose rows are known');
    is(scalar(grep { $_->[0] eq 'qc.failed' } @events), 0, 'no qc.failed event');
    $lab->verify(($lab->tests($one))[0]);
    pass('results can be verified');
};

subtest 'a run with a failed control' => sub {
    my $sample = $pc->sample('NO3');
    my $answer;
    my @events = $lab->events_in(sub { $answer = $pc->send($pc->csv([ $sample, 'NO3', '7' ],
                    [ 'CCV-1', 'NO3', '12' ])) });
    is($answer->status, 201, 'imported: what was measured was measured') or diag($answer->body);
    is(scalar(grep { $_->[0] eq 'qc.failed' } @events), 1, 'qc.failed is emitted once');
    my ($test) = $lab->tests($sample);
    refused($lims->post("/sample-tests/$test/verify", {}), 409, 'qc_failed', 'not to be verified');
};

subtest 'a control that cannot be judged' => sub {
    my $sample = $pc->sample('NO3');
    my $answer = $pc->send($pc->csv([ $sample, 'NO3', '7' ], [ 'BLK', 'NO3', 'overflow' ]));
    is($answer->status, 202, 'keeps the file') or diag($answer->body);
    is($pc->test($sample, 'NO3')->{status}, 'pending', 'no result of the file is entered');
};

# A second version of the profile, whose controls are held against other values. What
# a row is stands where others have the time.
sub pairs {
    my ($name, $type, %more) = @_;
    return { when => [ { column => 'sampleType', equals => $name } ], controlType => $type,
        route => 'qcBatch', criterion => 'rpd', upperLimit => '20', %more };
}

sub controls_of {
    my ($answer) = @_;
    return $lims->db->selectall_arrayref(q{SELECT control_type, measured_value::text,
        native_value::text, round(evaluated_value, 2)::text, passed FROM lims.qc_control c
        JOIN lims.qc_batch b ON b.id = c.qc_batch_id
        WHERE b.batch_number = ? ORDER BY c.id}, undef, 'FILE-' . $answer->json->{id});
}

subtest 'duplicates and spikes' => sub {
    $pc->profile(
        columns => { trackingId => 'Sample', test => 'Test', value => 'Value', unit => 'Unit',
            sampleType => 'Time' },
        rows    => { controls => [
                pairs('DUP', 'DUP'),
                pairs('LCSD', 'LCSD', against => 'LCS'),
                pairs('LCS', 'LCS', criterion => 'recovery', expectedValue => '5',
                    lowerLimit => '80', upperLimit => '120') ] });
    my ($one, $two) = map { $pc->sample('NO3') } 1 .. 2;
    my $answer = $pc->send($pc->csv([ $one, 'NO3', '7.0', 'mg/L', '' ],
            [ 'L', 'NO3', '5', 'mg/L', 'LCS' ], [ $one, 'NO3', '7.7', 'mg/L', 'DUP' ],
            [ 'L2', 'NO3', '5.5', 'mg/L', 'LCSD' ]));
    is($answer->status, 201, 'the file is imported') or diag($answer->body);
    is_deeply(controls_of($answer), [ [ 'LCS', '5', undef, '100.00', 1 ],
            [ 'DUP', '7.7', '7.0', '9.52', 1 ], [ 'LCSD', '5.5', '5', '9.52', 1 ] ],
        'duplicates are evaluated by their difference');
    $answer = $pc->send($pc->csv([ $two, 'NO3', '7.0', 'mg/L', '' ],
            [ $two, 'NO3', '9.7', 'mg/L', 'DUP' ]));
    is($answer->status, 201, 'the duplicate is imported too') or diag($answer->body);
    is_deeply(controls_of($answer), [ [ 'DUP', '9.7', '7.0', '32.34', 0 ] ],
        'a duplicate that differs too much fails');
    my ($test) = $lab->tests($two);
    refused($lims->post("/sample-tests/$test/verify", {}), 409, 'qc_failed', 'not to be verified');
};

subtest 'a duplicate without its sample' => sub {
    my ($one, $two) = map { $pc->sample('NO3') } 1 .. 2;
    my $answer = $pc->send($pc->csv([ $one, 'NO3', '7', 'mg/L', '' ],
            [ $two, 'NO3', '7', 'mg/L', 'DUP' ]));
    is($answer->status, 202, 'keeps the file') or diag($answer->body);
    is_deeply([ map { [ @$_{qw(code row)} ] } @{ $answer->json->{reasons} } ],
        [ [ 'missing_value', 3 ] ], 'the reason names the control\'s row');
};

subtest 'a dry run' => sub {
    my $sample  = $pc->sample('NO3');
    my $batches = $lab->value('SELECT count(*) FROM lims.qc_batch');
    my $changes = $lab->changes_of(sub {
        my $answer = $pc->send($pc->csv([ $sample, 'NO3', '7' ], [ 'BLK', 'NO3', '0.7' ]),
            dry_run => 1);
        is($answer->status, 200, 'the request is answered') or diag($answer->body);
    });
    is($changes, 0, 'a dry run changes nothing');
    is($lab->value('SELECT count(*) FROM lims.qc_batch'), $batches, 'makes no batch');
};

subtest 'controls in a unit of their own' => sub {
    my $is = sub { my ($name, %rule) = @_;
        return control($name, controlType => 'CCV', unit => 'ug/L', %rule) };
    $pc->profile(
        tests => [ { name => 'NO3', testCode => 'NO3', unit => 'mg/L' },
            { name => 'PO4', testCode => 'PO4', unit => 'ug/L' },
            { name => 'PH', testCode => 'PH', unit => 'mmol/L', fileUnit => 'mg/L',
                convert => { factor => '0.016', decimals => 2 } } ],
        units => { policy => 'convert', aliases => [ { text => 'ppb', means => 'ug/L' } ] },
        rows  => { controls => [
                $is->('CCV', tests => [qw(NO3 PO4)], criterion => 'recovery', expectedValue => '50',
                    lowerLimit => '90', upperLimit => '110'),
                $is->('BLK', tests => 'NO3', criterion => 'maximum', upperLimit => '5',
                    unit => 'ppb'),
                $is->('RNG', tests => 'NO3', criterion => 'range', lowerLimit => '45',
                    upperLimit => '55'),
                $is->('MOL', criterion => 'recovery', expectedValue => '31', lowerLimit => '90',
                    upperLimit => '110', unit => 'mg/L', tests => 'PH') ] });
    my $sample = $pc->sample('NO3');
    $pc->{definition}{$_} //= $lab->definition(code => $_) for qw(PO4 PH);
    my $answer = $pc->send($pc->csv([ $sample, 'NO3', '7', 'mg/L' ],
            [ 'CCV', 'NO3', '0.0502', 'mg/L' ], [ 'CCV', 'NO3', '50.2', 'ug/L' ],
            [ 'CCV', 'PO4', '50.2', 'ug/L' ], [ 'BLK', 'NO3', '0.004', 'mg/L' ],
            [ 'BLK', 'NO3', '0.006', 'mg/L' ], [ 'RNG', 'NO3', '0.05', 'mg/L' ],
            [ 'RNG', 'NO3', '50', 'mg/L' ], [ 'MOL', 'PH', '31', 'mg/L' ]));
    is($answer->status, 201, 'the file is imported') or diag($answer->body);
    is_deeply(controls_of($answer), [
            [ 'CCV', '0.0502', undef, '100.40', 1 ], [ 'CCV', '0.0502', undef, '100.40', 1 ],
            [ 'CCV', '50.2', undef, '100.40', 1 ], [ 'CCV', '0.004', undef, '0.00', 1 ],
            [ 'CCV', '0.006', undef, '0.01', 0 ], [ 'CCV', '0.05', undef, '0.05', 1 ],
            [ 'CCV', '50', undef, '50.00', 0 ], [ 'CCV', '0.50', undef, '100.81', 1 ] ],
        'controls are judged in the unit of the test');
    is($lab->value(q{SELECT string_agg(trim_scale(expected_value)::text, ' ' ORDER BY id)
        FROM lims.qc_control WHERE expected_value IS NOT NULL AND notes LIKE ?},
        '%of file ' . $answer->json->{id} . '.%'), '0.05 0.05 50 0.496',
            'the batch has the expected values, not rounded');
};

# --- A batch that was made from a template ---------------------------------------------

subtest 'a run fills the open batch that expects its controls' => sub {
    $pc->profile(rows => { controls => [
                control('CCV', controlType => 'CCV', criterion => 'recovery',
                    expectedValue => '10', lowerLimit => '80', upperLimit => '120'),
                control('BLK', controlType => 'MB', criterion => 'maximum',
                    upperLimit => '0.5') ] });
    my $ann    = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
    my ($nitrate) = $lims->db->selectrow_array(q{SELECT id FROM lims.test_definition
        WHERE code = 'NO3'});
    $lims->db->do(q{UPDATE lims.test_definition SET method = 'EPA 300.0' WHERE id = ?}, undef,
        $nitrate);
    my $template = $ann->done('qc-template create', method => 'EPA 300.0', name => 'Anions',
        controls => [
            { type => 'MB', testDefinitionId => $nitrate, criterion => 'maximum',
                upperLimit => 0.2 },
            { type => 'CCV', testDefinitionId => $nitrate, criterion => 'recovery',
                expectedValue => 10, lowerLimit => 90, upperLimit => 110 },
            { type => 'CCV', level => 'high', testDefinitionId => $nitrate,
                criterion => 'recovery', expectedValue => 50, lowerLimit => 90,
                upperLimit => 110 } ]);
    my ($one, $two) = map { $pc->sample('NO3') } 1 .. 2;
    my @tests = map { $pc->test($_, 'NO3')->{id} } $one, $two;
    my $batch = $ann->done('qc-batch create', batchNumber => 'RUN-1',
        qcTemplateId => $template->{id}, sampleTestIds => \@tests);
    my $shown = sub { $ann->done('qc-batch show', $batch->{id}) };

    is($pc->send($pc->csv([ 'BLK', 'NO3', '0.3' ], [ 'CCV-1', 'NO3', '10.1' ],
                [ 'CCV-2', 'NO3', '9.8' ], [ $one, 'NO3', '7' ], [ $two, 'NO3', '8' ]))->status,
        201, 'the file is imported');
    is_deeply([ map { [ @$_{qw(controlType level measuredValue upperLimit)} ] }
            @{ $shown->()->{controls} } ],
        [ [ 'MB', undef, 0.3, 0.2 ], [ 'CCV', undef, 10.1, 110 ], [ 'CCV', 'high', undef, 110 ],
            [ 'CCV', undef, 9.8, 120 ] ],
        'its controls have the limits of the template, a further one stands beside them');
    is($shown->()->{qcStatus}, 'open', 'one is not measured yet');
    ok($shown->()->{failing}, 'a batch whose blank failed by the limit of the template is failing');
    ok($shown->()->{fileId}, 'the batch names the file');
    is_deeply($shown->()->{sampleTestIds}, \@tests, 'the batch covers its tests once');
    my ($high) = grep { ($_->{level} || '') eq 'high' } @{ $shown->()->{controls} };
    $ann->done('qc-control update', $high->{id}, measuredValue => 49);
    is($shown->()->{qcStatus}, 'failed', 'with the last value it is evaluated');

    $lims->patch("/sample-tests/$_", { result => undef }) for @tests;
    my $again = $pc->send($pc->csv([ 'BLK', 'NO3', '0.1' ], [ 'CCV-1', 'NO3', '10.1' ],
            [ $one, 'NO3', '7.1' ], [ $two, 'NO3', '8.1' ]));
    is($again->status, 201, 'the second run is imported') or diag($again->body);
    is_deeply($shown->()->{sampleTestIds}, [],
        'a run of their own replaces the batch that failed');

    # Controls of two levels, of which the template gives no expected value.
    my %open = (type => 'CCV', testDefinitionId => $nitrate, criterion => 'recovery',
        lowerLimit => 90, upperLimit => 110);
    my $vague = $ann->done('qc-template update', $template->{id}, controls =>
        [ { %open, level => 'low', lowerLimit => 50 }, { %open, level => 'high' } ]);
    my $third = $pc->sample('NO3');
    $ann->done('qc-batch create', batchNumber => 'RUN-2', qcTemplateId => $vague->{id},
        sampleTestIds => [ $pc->test($third, 'NO3')->{id} ]);
    my $held = $pc->send($pc->csv([ 'CCV-1', 'NO3', '6' ], [ $third, 'NO3', '7' ]));
    is($held->status, 202, 'a control that may be of two levels holds the file');
    like($held->json->{reasons}[0]{message}, qr/CCV NO3 of row \d+ .* \(high, low\)/,
        'the reason names the levels');
};

done_testing();
