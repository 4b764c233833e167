#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A database of results that were entered, verified, approved and reported before
# contents and names were kept: they get those of the day, nothing that was decided
# is asked for again, and what awaits confirmation by the rule of now does.
use strict;
use warnings;

use LIMS::Database::PartlyMigrated;
use LIMS::Test::SQL;

my $base = LIMS::Database::PartlyMigrated->new(25);
my $db   = $base->db;
my $lab  = $base->laboratory(code => 'cedar');
my @mine = (organization_id => $lab->{id});
$lab->{definition}{FC} = $base->insert('test_definition', { @mine, code => 'FC',
    name => 'Coliforms', method => 'SM 9222', unit => 'CFU', specification_high => 2,
    reporting_limit => '1.0', requires_confirmation => 't' });
$base->insert('approval_step', { @mine, position => 1, name => 'Final approval' });
my $app = $base->app($lab);

sub change {
    my ($table, $set, $id) = @_;
    return $app->do("UPDATE lims.$table SET $set WHERE organization_id = ? AND id = ?", undef,
        $lab->{id}, $id);
}

sub row {
    my ($table, $columns, $id) = @_;
    return $base->db->selectrow_arrayref("SELECT $columns FROM lims.$table WHERE id = ?", undef,
        $id);
}

# A sample with these results, completed and approved.
sub approved {
    my (%result) = @_;
    my $sample = $base->sample($lab, sort keys %result);
    change(sample_test => "result = '$result{$_}'", $sample->{$_}) for keys %result;
    change(sample => q{status = 'completed'}, $sample->{id});
    $app->do(q{UPDATE lims.approval SET status = 'approved' WHERE organization_id = ?
        AND sample_id = ?}, undef, $lab->{id}, $sample->{id});
    return $sample;
}

my $reported = approved(FC => 'confluent', PH => '7.0');
change(sample_test => q{status = 'verified'}, $reported->{$_}) for qw(FC PH);
change(sample => q{status = 'reported'}, $reported->{id});
my $open  = approved(PH => '7.0');
my %entered = map { $_ => approved(FC => $_) } 'confluent', '<2', '<50', '0';
my $trail = $base->value('SELECT count(*) FROM lims.audit_entry');

$base->migrate(26, 28);

is_deeply(row(sample_test => 'status, confirmation_status, test_code, test_name, method, unit,
    reporting_limit', $reported->{FC}),
    [ 'verified', undef, 'FC', 'Coliforms', 'SM 9222', 'CFU', '1.0' ],
    'what was verified is called as of the day, and stays as decided');
is_deeply(row(sample => 'material_type_name, project_name, content_hash', $reported->{id}),
    [ 'Wastewater', undef, undef ], 'so is what was reported; of no content it knows');
is_deeply({ map { $_ => row(sample_test => 'confirmation_status', $entered{$_}{FC})->[0] }
        keys %entered },
    { 'confluent' => 'pending', '<50' => 'pending', '<2' => undef, '0' => undef },
    'what was entered is asked for where it proves no negative');
is($base->value(q{SELECT count(*) FROM lims.audit_entry}) - $trail, 2,
    'which alone is in the trail');
is_deeply([ grep { !$_ } @{ $db->selectcol_arrayref(q{SELECT trigger.tgenabled = 'O'
    FROM pg_trigger trigger WHERE tgrelid IN ('lims.sample_test'::regclass,
    'lims.sample'::regclass, 'lims.approval'::regclass) AND NOT tgisinternal}) } ], [],
    'no trigger is left disabled');

$app = $base->app($lab);
is($base->value('SELECT current FROM lims.approval_record WHERE "sampleId" = ?', $open->{id}), 1,
    'what was approved is current');
change(sample_test => q{status = 'verified'}, $open->{PH});
is(change(sample => q{status = 'reported'}, $open->{id}), 1, 'and is reported as it was');
my $other = approved(PH => '7');
change(sample_test => q{notes = 'x'}, $other->{PH});
is($base->value('SELECT max(round) FROM lims.approval WHERE sample_id = ?', $other->{id}), 2,
    'what is changed from now on is asked for again');

done_testing();
