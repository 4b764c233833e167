#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Control charts at the command line: a series is made with its first point, shows its
# points with the rules that they break, takes another baseline and other rules, and a
# point is left out with a reason, which evaluates nothing again.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;
use MIME::Base64 qw(decode_base64);

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);
my $lead = $lab->definition;

my $icp = $ann->done('instrument create', code => 'ICP-1', name => 'ICP-MS', model => 'iCAP RQ',
    calibrationDue => '2027-01-31')->{id};
is($ann->done('instrument update', $icp, serialNumber => 'X7')->{serialNumber}, 'X7',
    'an instrument is changed');
is_deeply([ map { "$_->{code} $_->{calibrationDue}" }
        @{ $ann->done('instrument list', code => 'ICP-1')->{data} } ],
    ['ICP-1 2027-01-31'], 'instruments are listed');
is($ann->done('instrument show', $icp)->{model}, 'iCAP RQ', 'an instrument is shown');

my @controls;
for my $value (100, 101, 99, 100, 102, 98, 120) {
    my $day   = 10 + @controls;
    my $batch = $ann->done('qc-batch create', batchNumber => "Q$day", instrumentId => $icp,
        analysisDate => "2026-10-$day")->{id};
    push @controls, $ann->done('qc-control add', qcBatchId => $batch, controlType => 'LCS',
        testDefinitionId => $lead, criterion => 'range', measuredValue => $value, lowerLimit => 50,
        upperLimit => 150, level => 'low', lot => 'C-7');
}
my $series = $controls[0]{qcSeriesId};
is_deeply([ map { $_->{qcSeriesId} } @controls ], [ ($series) x 7 ], 'one series of all');
my ($listed) = @{ $ann->done('qc-series list', testDefinitionId => $lead)->{data} };
is_deeply([ @$listed{qw(id controlType criterion level lot instrumentId)} ],
    [ $series, 'LCS', 'range', 'low', 'C-7', $icp ], 'the series is listed with what it is of');
is_deeply($ann->done('qc-series list', controlType => 'MB')->{data}, [], 'the filter controlType leaves out series of other types');
is_deeply($listed->{rules}, [ '1-3s', '2-2s', 'R-4s', '4-1s', '10-x' ], 'the rules by default');
is($listed->{baseline}{n}, 7, 'the baseline has what there is');
is($listed->{baselineSize}, 20, 'the series says of how many points it will be taken');
my $wider = $ann->done('qc-series update', $series, baseline => { kind => 'first', n => 40 });
is_deeply([ $wider->{baseline}{n}, $wider->{baselineSize} ], [ 7, 40 ],
    'the number that was set is shown beside the number that there is');
is($ann->done('qc-series update', $series, rules => $listed->{rules})->{baselineSize}, 40,
    'a change of the rules alone leaves the baseline');

my $shown = $ann->done('qc-series update', $series,
    baseline => { kind => 'fixed', mean => 100, s => 2 });
is($shown->{baselineSize}, undef, 'a fixed baseline has no number of points');
is_deeply([ map { $_->{value} } @{ $shown->{points} } ], [ 100, 101, 99, 100, 102, 98, 120 ],
    'its points are in order of time');
is_deeply($shown->{points}[6]{broken}, ['1-3s'], 'the last breaks a rule');
is($shown->{points}[6]{z}, 10, 'the point has its distance from the mean');
is(join(' ', @{ $shown->{points}[6] }{qw(batchNumber lowerLimit upperLimit passed)}),
    'Q16 50 150 1', 'a point has its batch, its limits and its verdict');
is_deeply($ann->done('qc-control show', $controls[6]{id})->{broken}, ['1-3s'],
    'the control says the same');
is_deeply([ map { "$_->{batchNumber} $_->{value}" } @{ $ann->done('qc-series show', $series,
            from => '2026-10-12', to => '2026-10-13')->{points} } ], [ 'Q12 99', 'Q13 100' ],
    'the points of a period');
my ($head, @lines) = split /\r\n/, decode_base64($ann->done('qc-series export', $series,
        from => '2026-10-15')->{contentBase64});
like($head, qr/,batchNumber,measuredAt,value,.*,broken,/, 'the points as a file');
is(scalar @lines, 2, 'the file has the points of the period');
like($lines[1], qr/,"Q16",.*,"120",.*1-3s/, 'the points in the file have the rules that they break');
is($ann->call('qc-series export', 999_999)->{exit}, 3, 'the file of an unknown series is not found');
is_deeply($ann->done('qc-series update', $series, rules => ['7-T'])->{points}[6]{broken}, [],
    'a rule that was not chosen is not broken');
$ann->refused('invalid_body', 'qc-series update', $series, rules => ['9-x']);
$ann->refused('invalid_body', 'qc-series update', $series, baseline => { kind => 'fixed' });
$ann->refused('invalid_body', 'qc-series update', $series, baseline => { kind => 'first', n => 4 });
$ann->done('qc-series update', $series, rules => [ '1-3s', '1-2s' ]);

# --- Leaving out ----------------------------------------------------------------------

my $batch = $controls[6]{qcBatchId};
my $spike = $ann->done('qc-control add', qcBatchId => $batch, controlType => 'MB',
    testDefinitionId => $lead, criterion => 'maximum', measuredValue => 9, upperLimit => 1);
ok($ann->done('qc-batch show', $batch)->{failing}, 'an open batch with a failed control is failing');
$ann->done('qc-batch evaluate', $batch);
ok(!$ann->done('qc-batch show', $batch)->{failing}, 'an evaluated batch is no longer failing');
$ann->done('qc-batch override', $batch, reason => 'blank of another day');
is($ann->call('qc-control exclude', $controls[6]{id})->{exit}, 2, 'leaving out needs a reason');
my $left = $ann->done('qc-control exclude', $controls[6]{id}, reason => 'wrong standard');
is_deeply([ @$left{qw(excluded excludedReason broken)} ], [ JSON::PP::true(), 'wrong standard', [] ],
    'it is left out');
my $point = $ann->done('qc-series show', $series)->{points}[6];
is_deeply([ @$point{qw(value excluded reason)} ], [ 120, JSON::PP::true(), 'wrong standard' ],
    'a point that is left out stays on the chart, with its reason');
is($ann->done('qc-batch show', $batch)->{qcStatus}, 'overridden',
    'the batch is not evaluated again');
ok(!$ann->done('qc-control exclude', $controls[6]{id}, excluded => 'false',
        reason => 'it was the right one')->{excluded}, 'it is taken in again');

# --- Another instrument ---------------------------------------------------------------

my $other = $ann->done('instrument create', code => 'ICP-2', name => 'The old one')->{id};
$ann->done('qc-batch update', $controls[5]{qcBatchId}, instrumentId => $other);
isnt($ann->done('qc-control show', $controls[5]{id})->{qcSeriesId}, $series,
    'the points of a batch move with its instrument');
is(scalar @{ $ann->done('qc-series show', $series)->{points} }, 6, 'the former series has lost the points of the batch');
$ann->refused('invalid_reference', 'qc-batch update', $batch, instrumentId => 999_999);
is($ann->call('qc-series show', 999_999)->{exit}, 3, 'an unknown series is not found');

done_testing();
