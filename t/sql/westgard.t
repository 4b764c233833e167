#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The rules of Westgard as they are published (J. O. Westgard, Basic QC Practices, and
# https://www.westgard.com/westgard-rules/): each is broken by its example, not by one that
# falls just short of it, and is named on every point of its run. Then the series of a
# control, with its baseline, as the run-time role makes it.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);

# The places (from 1) at which a rule is broken by these distances from the mean in s.
sub places {
    my ($rule, $z, $opposed) = @_;
    my @opposed = map { $_ ? 't' : 'f' } $opposed ? @$opposed : map { 0 } @$z;
    return join ' ', @{ $app->selectcol_arrayref('SELECT place FROM lims.westgard(?::numeric[],
        ?::boolean[], ARRAY[?]) WHERE ? = ANY (broken) ORDER BY place', undef, $z, \@opposed,
        $rule, $rule) };
}

my %example = (
    '1-2s' => [ [ [ 0.5, 2.1, -2.01 ], '2 3' ], [ [ 2, -2 ], '' ] ],
    '1-3s' => [ [ [ 0.2, 3.1, -3.2, 1 ], '2 3' ], [ [ 3, -3, 2.9 ], '' ] ],
    '2-2s' => [ [ [ 0, 2.1, 2.3, 0 ], '2 3' ], [ [ -2.4, -2.1 ], '1 2' ],
        [ [ 2.1, -2.1 ], '' ], [ [ 2.1, 0, 2.1 ], '' ] ],
    '3-1s' => [ [ [ 0, 1.1, 1.5, 1.2, 0 ], '2 3 4' ], [ [ 1.1, 1.1, 0.9, 1.1 ], '' ] ],
    '4-1s' => [ [ [ 1.1, 1.4, 1.2, 1.9, 0 ], '1 2 3 4' ],
        [ [ -1.1, -1.4, -1.2, -1.9, -1.3 ], '1 2 3 4 5' ], [ [ 1.1, 1.2, 1.3, -1.4 ], '' ] ],
    '7-T' => [ [ [ -1, -0.6, -0.2, 0.1, 0.5, 0.9, 1.3 ], '1 2 3 4 5 6 7' ],
        [ [ 1.3, 0.9, 0.5, 0.1, -0.2, -0.6, -1, 0 ], '1 2 3 4 5 6 7' ],
        [ [ -1, -0.6, -0.2, 0.1, 0.5, 0.9 ], '' ],
        [ [ -1, -0.6, -0.2, -0.2, 0.5, 0.9, 1.3 ], '' ] ],
    '10-x' => [ [ [ -0.1, (0.3) x 10, -0.2 ], '2 3 4 5 6 7 8 9 10 11' ],
        [ [ (0.3) x 9, -0.1 ], '' ], [ [ (-0.2) x 10 ], '1 2 3 4 5 6 7 8 9 10' ],
        [ [ (0.3) x 5, 0, (0.3) x 5 ], '' ] ],
);
for my $rule (sort keys %example) {
    is(places($rule, $_->[0]), $_->[1], "$rule: " . join ' ', @{ $_->[0] })
        for @{ $example{$rule} };
}
is(places('R-4s', [ 2.2, 0.1 ], [ 1, 0 ]), '1', 'R-4s: another of the batch beyond -2s');
is(places('R-4s', [2.2]), '', 'R-4s: no other');
is($base->value(q{SELECT count(*) FROM lims.westgard('{4,NULL,4}', '{f,f,f}', '{2-2s}')
    WHERE broken <> '{}'}), 0, 'a rule that is not chosen names no point');
is(places('1-3s', [ undef, undef ]), '', 'without a distance no rule is broken');

# --- A series ----------------------------------------------------------------------

sub made {
    my ($table, %column) = @_;
    my @names = ('organization_id', sort keys %column);
    my ($id) = $app->selectrow_array(
        sprintf('INSERT INTO lims.%s (%s) VALUES (%s) RETURNING id', $table, join(', ', @names),
            join(', ', ('?') x @names)), undef, $lab->{id}, @column{ @names[ 1 .. $#names ] });
    return $id;
}

my $day = 0;

sub control {
    my ($value, %more) = @_;
    my $batch = delete $more{batch} || made('qc_batch', batch_number => 'B' . ++$day,
        analysis_date => sprintf '2026-%02d-%02d', 1 + int $day / 28, 1 + $day % 28);
    return made('qc_control', qc_batch_id => $batch, control_type => 'LCS', criterion => 'range',
        test_definition_id => $lab->{definition}{PB}, measured_value => $value, lower_limit => 0,
        upper_limit => 1000, %more);
}

sub points {
    my ($series) = @_;
    return $app->selectall_arrayref('SELECT * FROM lims.qc_points(?, ?)', { Slice => {} },
        $lab->{id}, $series);
}

sub broken { return join ' ', map { @{ $_->{broken} } } grep { $_->{qc_control_id} == $_[1] }
        @{ points($_[0]) } }

sub series_of {
    return $app->selectrow_array('SELECT qc_series_id FROM lims.qc_control WHERE organization_id = ?
        AND id = ?', undef, $lab->{id}, $_[0]);
}

my $first  = control(99);
my $series = series_of($first);
control($_) for 100, 101;
my $fourth = control(500);
is(broken($series, $fourth), '', 'under five points no rule is broken');
is(points($series)->[0]{z}, undef, 'under five points there is no distance from the mean');
$app->do('UPDATE lims.qc_control SET excluded_reason = ? WHERE organization_id = ? AND id = ?',
    undef, 'air in the tube', $lab->{id}, $fourth);
control($_) for 99, 101;
my $far = control(150);
is_deeply([ map { 0 + $_ } $app->selectrow_array('SELECT n, mean FROM lims.qc_baseline(?, ?)', undef,
        $lab->{id}, $series) ], [ 6, (99 + 100 + 101 + 99 + 101 + 150) / 6 ],
    'a point that is left out is not in the baseline');
is_deeply([ grep { $_->{excluded} } @{ points($series) } ]->[0]{broken}, [],
    'a point that is left out breaks no rule');
$app->do(q{UPDATE lims.qc_series SET baseline_kind = 'fixed', baseline_mean = 100, baseline_s = 1
    WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $series);
is(broken($series, $far), '1-3s', 'a fixed baseline');
my $batch = made('qc_batch', batch_number => 'TWO', analysis_date => '2026-10-01');
control(100);
my $high  = control(102.5, batch => $batch);
my $low   = control(8, batch => $batch, level => 'low');
isnt(series_of($low), $series, 'another level is another series');
is(broken($series, $high), '', 'the other level has no baseline yet');
$app->do(q{UPDATE lims.qc_series SET baseline_kind = 'fixed', baseline_mean = 10, baseline_s = 0.5
    WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, series_of($low));
is(broken($series, $high), 'R-4s', 'R-4s looks across the levels of a batch');
is(broken(series_of($low), $low), '1-3s R-4s', 'R-4s is broken from either side');
$app->do('UPDATE lims.qc_series SET baseline_s = 0 WHERE organization_id = ? AND id = ?', undef,
    $lab->{id}, $series);
is(broken($series, $far), '', 'with a deviation of 0 no rule is broken');

# --- What is refused ----------------------------------------------------------------

refused($app, 'UPDATE lims.qc_series SET rules = ? WHERE organization_id = ? AND id = ?',
    [ ['5-x'], $lab->{id}, $series ], 'invalid_body', 'an unknown rule');
refused($app, 'UPDATE lims.qc_series SET level = ? WHERE organization_id = ? AND id = ?',
    [ 'x', $lab->{id}, $series ], '42501', 'what a series is of does not change');
refused($app, 'UPDATE lims.qc_control SET excluded_reason = ? WHERE organization_id = ? AND id = ?',
    [ ' ', $lab->{id}, $far ], 'invalid_body', 'leaving out without words');
my $rpd = control(9, criterion => 'rpd', native_value => 10, upper_limit => 20, lower_limit => undef);
is(series_of($rpd), undef, 'a difference is a point of no series');
refused($app, 'UPDATE lims.qc_control SET excluded_reason = ? WHERE organization_id = ? AND id = ?',
    [ 'x', $lab->{id}, $rpd ], 'invalid_transition', 'leaving out what is no point');

# --- A long chart ----------------------------------------------------------------------

$base->owner($lab)->do(q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type,
    criterion, test_definition_id, measured_value, upper_limit, level, measured_at)
    SELECT ?, ?, 'LCS', 'range', ?, 100 + n % 7, 1000, 'long', now() - n * interval '1 hour'
      FROM generate_series(1, 1500) n}, undef, $lab->{id}, $batch, $lab->{definition}{PB});
my ($long) = $app->selectrow_array(q{SELECT id FROM lims.qc_series WHERE organization_id = ?
    AND level = 'long'}, undef, $lab->{id});
my $long_points = points($long);
is(scalar @$long_points, 1000, 'a chart has the latest 1,000 points');
is($long_points->[-1]{value}, 101, 'the latest point is last');

done_testing();
