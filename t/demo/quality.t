#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The QC batches, lots and the control chart of the demonstration have the outcome that
# their story tells: as the database works it out, and here again from the points of the
# chart.
use strict;
use warnings;

use LIMS::Service::Demo;
use LIMS::Test;
use List::Util qw(sum);

my $demo  = LIMS::Service::Demo->new;
my $cedar = $demo->laboratory('cedar-basin');
my $db    = $demo->lims->db;

subtest 'QC batches' => sub {
    my %status = ('QCB-0101' => 'passed', 'QCB-0102' => 'failed', 'QCB-0103' => 'overridden',
        'QCB-0104' => 'passed', 'QCB-0105' => 'failed', 'QCB-0106' => 'passed');
    for my $number (sort keys %status) {
        my $batch = $cedar->done('grace.okafor', 'qc-batch', 'show', $cedar->qc_batch($number));
        my @failed = map { 0 + $_->{evaluatedValue} } grep { !$_->{passed} } @{ $batch->{controls} };
        my %why = ('QCB-0102' => [131], 'QCB-0103' => [112], 'QCB-0105' => [0.31]);

        is($batch->{qcStatus}, $status{$number}, "$number is $status{$number}");
        is_deeply(\@failed, $why{$number} || [], "$number failed for the reason that it has");
    }
    my $batch = $cedar->done('grace.okafor', 'qc-batch', 'show', $cedar->qc_batch('QCB-0103'));
    like($batch->{overrideReason}, qr/112 %/, 'the override says why');
    is_deeply([ sort @{ $batch->{sampleTestIds} } ],
        [ sort map { $cedar->test($_, 'NO3N')->{id} } qw(COC-9008 COC-9009) ],
        'the overridden batch covers the tests of nitrate');
    my @failed = @{ $db->selectcol_arrayref(q{SELECT data->>'batchNumber' FROM lims.event
        WHERE organization_id = ? AND type = 'qc.failed' ORDER BY id}, undef, $cedar->id) };
    is("@failed", 'QCB-0102 QCB-0103 QCB-0105', 'each failure was announced once');
};

subtest 'recoveries and differences of QCB-0101' => sub {
    my $batch = $cedar->done('grace.okafor', 'qc-batch', 'show', $cedar->qc_batch('QCB-0101'));
    my %value = map { $_->{controlType} => sprintf '%.1f', $_->{evaluatedValue} }
        grep { $_->{controlType} ne 'LRB' } @{ $batch->{controls} };

    is_deeply(\%value, { LFB => '98.4', LFM => '91.2', DUP => '3.1' },
        'recovery and RPD stand in percent');
};

# Westgard's rules by the mean and deviation of the first twenty runs.
subtest 'the control chart of arsenic' => sub {
    my @found = @{ $db->selectcol_arrayref(q{SELECT c.measured_value FROM lims.qc_control c
        JOIN lims.qc_batch b ON b.organization_id = c.organization_id AND b.id = c.qc_batch_id
        WHERE c.organization_id = ? AND b.batch_number BETWEEN 'QCB-0061' AND 'QCB-0100'
        AND c.control_type = 'LFB' ORDER BY b.analysis_date}, undef, $cedar->id) };
    is(scalar @found, 40, 'the control was measured in forty runs');
    my $mean = sum(@found[ 0 .. 19 ]) / 20;
    my $sd   = sqrt(sum(map { ($_ - $mean)**2 } @found[ 0 .. 19 ]) / 19);
    my @z    = map { ($_ - $mean) / $sd } @found;
    my $run  = sub {
        my ($length, $rule) = @_;
        return join ' ', map { $_ + 1 } grep {
            my @some = @z[ $_ - $length + 1 .. $_ ];
            (grep { $rule->($_) } @some) == $length || (grep { $rule->(-$_) } @some) == $length
        } $length - 1 .. $#z;
    };

    is($run->(1, sub { $_[0] > 3 }), '25', 'rule 1-3s is broken once, by run 25');
    is($run->(4, sub { $_[0] > 1 }), '35', 'rule 4-1s is broken once, by run 35');
    is($run->(1, sub { $_[0] > 2 && $_[0] <= 3 }), '', 'without a warning of 1-2s before');
    is($run->(2, sub { $_[0] > 2 }),  '', 'rule 2-2s is not broken');
    is($run->(10, sub { $_[0] > 0 }), '', 'rule 10-x is not broken');
    is_deeply([ grep { $_ < 42.5 || $_ > 57.5 } @found ], [], 'within the limits of the method');
};

subtest 'the series of arsenic' => sub {
    my ($id) = $db->selectrow_array(q{SELECT c.qc_series_id FROM lims.qc_control c
        JOIN lims.qc_batch b ON b.organization_id = c.organization_id AND b.id = c.qc_batch_id
        WHERE c.organization_id = ? AND b.batch_number = 'QCB-0061'}, undef, $cedar->id);
    my @show   = ('grace.okafor', 'qc-series', 'show', $id);
    my $series = $cedar->done(@show);
    my @points = @{ $series->{points} };
    my $breaks = sub {
        my ($rule) = @_;
        return join ' ', map { $_ + 1 } grep { grep { $_ eq $rule } @{ $points[$_]{broken} } }
            0 .. $#points;
    };

    is(scalar @points, 41, 'the chart has forty-one points');
    is(sprintf('%.2f %.3f', @{ $series->{baseline} }{qw(mean s)}), '99.07 1.829',
        'mean and s of the first twenty');
    is($breaks->('1-3s'), '25', 'the chart marks rule 1-3s once');
    is(sprintf('%.2f', $points[24]{z}), '3.68', 'the point has its distance from the mean');
    is($breaks->('4-1s'), '32 33 34 35', '4-1s, on each of its four points');
    is(join(' ', map { $breaks->($_) } '2-2s', 'R-4s', '10-x'), '  ', 'no other rule is broken');
    my ($all) = $db->selectrow_array(q{SELECT count(*) FROM lims.westgard(ARRAY(
        SELECT (c.evaluated_value - b.mean) / b.s FROM lims.qc_control c
         CROSS JOIN (SELECT avg(evaluated_value) AS mean, stddev_samp(evaluated_value) AS s
           FROM lims.qc_control WHERE qc_series_id = ?) b
         WHERE c.qc_series_id = ? ORDER BY c.charted_at, c.id),
        array_fill(false, ARRAY[41]), '{4-1s}') WHERE broken <> '{}'}, undef, $id, $id);
    is($all, 0, 'by the mean and s of all nothing breaks 4-1s');
};

subtest 'lots' => sub {
    my %media = ('cedar-basin' => { 'COLILERT-A' => 'passed', 'PCA-A' => 'passed',
            'PCA-B' => 'failed', 'PCA-C' => 'passed', 'LTB-A' => 'passed', 'ECB-A' => 'passed' },
        'harborview' => { 'TSA-A' => 'passed', 'TSA-B' => 'failed', 'FTM-A' => 'failed',
            'XLD-A' => 'pending', 'SDA-A' => 'passed', 'SCDM-A' => 'passed', 'MAC-A' => 'passed',
            'TSB-X' => 'passed' });
    my %person = ('cedar-basin' => 'priya.nair', 'harborview' => 'sofia.reyes');

    for my $code (sort keys %media) {
        my $page = $demo->laboratory($code)->done($person{$code}, 'media-lot', 'list');
        is_deeply({ map { $_->{code} => $_->{qcStatus} } @{ $page->{data} } }, $media{$code},
            "media of $code");
    }
    my ($recovery) = $db->selectrow_array(q{SELECT t.recovery_percent FROM lims.media_qc_test t
        JOIN lims.media_lot l ON l.organization_id = t.organization_id AND l.id = t.media_lot_id
        WHERE l.code = 'TSA-B' AND t.outcome = 'failed'});
    is(0 + $recovery, 38, 'TSA-B recovered 38 %');
    my ($overdue) = $db->selectrow_array(q{SELECT (l.created_at AT TIME ZONE o.time_zone)::date
        - l.expires_on FROM lims.reagent_lot l JOIN lims.organization o ON o.id = l.organization_id
        WHERE l.code = 'STD-ICPMS-25'});
    is($overdue, 1, 'the old standard expired the day before the load');
};

done_testing();
