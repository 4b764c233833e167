#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The views of 1.0.0 that the benchmark keeps as its reference (build/bench) can be made
# over today's tables, return today's records, and are subject to row-level security.
use strict;
use warnings;

use File::Basename qw(dirname);
use LIMS::Test::SQL;

my $base  = LIMS::Test::SQL->new;
my $lab   = $base->laboratory(code => 'cedar', reagent_expiry_policy => 'warn');
my $other = $base->laboratory(code => 'birch');
my @mine  = (organization_id => $lab->{id});
my $app   = $base->app($lab);
my $path  = dirname(__FILE__) . '/../../build/bench/version-1.0.0/records.sql';

open my $in, '<', $path or die "$path: $!\n";
my $sql = do { local $/ = undef; <$in> };
$base->superuser->do($sql, { pg_direct => 1 });

$base->sample($other, qw(PH PB));
$lab->{definition}{TSS} = $base->insert('test_definition',
    { @mine, code => 'TSS', name => 'Solids', holding_time_hours => 48 });
my $sample  = $base->sample($lab, qw(PH PB EC HEM HPC TSS));
my $batch   = $base->insert('qc_batch', { @mine, batch_number => 'Q1' });
my $reagent = $base->insert('reagent_lot',
    { @mine, code => 'R1', lot_number => '1', name => 'Buffer', expires_on => '2020-01-01' });
$base->insert('specification', { @mine, test_definition_id => $lab->{definition}{HPC},
    material_type_id => $lab->{material}, high => 500 });
$base->insert('qc_coverage',
    { @mine, sample_test_id => $sample->{PH}, qc_batch_id => $batch });
$app->do('UPDATE lims.sample_test SET reagent_lot_id = ? WHERE organization_id = ? AND id = ?',
    undef, $reagent, $lab->{id}, $sample->{PB});
$app->do('UPDATE lims.sample_test SET result = ? WHERE organization_id = ? AND id = ?', undef,
    '20', $lab->{id}, $sample->{$_}) for qw(PH PB);

for my $record (qw(sample_record sample_test_record)) {
    my $then  = "SELECT * FROM bench.$record";
    my $today = "SELECT * FROM lims.$record WHERE organization_id = $lab->{id}";
    my $rows  = $app->selectall_arrayref("$then ORDER BY id", { Slice => {} });
    my @known = sort keys %{ $rows->[0] };

    # Members that were added since are no part of what the reference reads.
    is_deeply($rows, [ map { my %row; @row{@known} = @$_{@known}; \%row }
                @{ $app->selectall_arrayref("$today ORDER BY id", { Slice => {} }) } ],
        "$record is today's, of the one organization");
}
my $test = $app->selectrow_hashref('SELECT * FROM bench.sample_test_record WHERE id = ?',
    undef, $sample->{PB});
is($test->{outOfSpecification}, 1, 'a result out of its limits is so');
is(scalar @{ $test->{warnings} }, 1, 'a warning names the expired lot');

done_testing();
