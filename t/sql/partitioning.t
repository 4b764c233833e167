#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The schema can be spread by organization: with every table that has one
# partitioned by its hash, the migrations load as they are and the laboratory
# works. A key without the organization, or a trigger that partitions do not
# have, would fail here and nowhere else.
use strict;
use warnings;

use LIMS::Database::Partitioned;
use LIMS::Test::SQL;

my $base   = LIMS::Test::SQL->new;
my $spread = LIMS::Database::Partitioned::partition($base->{database});
my $owner  = $base->db;

cmp_ok($spread, '>', 40, "$spread tables are partitioned");
is($owner->selectrow_array(q{
    SELECT string_agg(c.relname, ' ') FROM pg_class c
     WHERE c.relnamespace = 'lims'::regnamespace AND c.relispartition AND c.relkind = 'r'
       AND (NOT c.relrowsecurity
            OR has_table_privilege('lims_app', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE'))}),
    undef, 'no partition is reached but through its table');

# A day in it, for organizations of different partitions.
for my $code (qw(cedar harbor starter)) {
    my $lab    = $base->laboratory(code => $code, monthly_sample_allowance => 1);
    my $app    = $base->app($lab);
    my $sample = $base->sample($lab, qw(PH PB));
    my @it     = ($lab->{id}, $sample->{id});
    $base->insert('approval_step', { organization_id => $lab->{id}, position => 1,
        name => 'Final approval' });
    refused($app, 'INSERT INTO lims.sample (organization_id, material_type_id, client_name)
        VALUES (?, ?, ?)',
        [ $lab->{id}, $lab->{material}, 'x' ], 'SAMPLE_LIMIT_EXCEEDED', "$code: its allowance");
    $app->do(q{UPDATE lims.sample_test SET result = '9.9' WHERE organization_id = ?
        AND sample_id = ?}, undef, @it);
    $app->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
        AND sample_id = ?}, undef, @it);
    refused($app, q{UPDATE lims.sample_test SET result = '8' WHERE organization_id = ?
        AND sample_id = ?}, \@it,
        'test_verified_locked', "$code: its locks");
    $app->do(q{UPDATE lims.sample SET status = 'completed' WHERE organization_id = ?
        AND id = ?}, undef, @it);
    refused($app, q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ?
        AND id = ?}, \@it,
        'approval_required', "$code: its gates");
    $app->do(q{UPDATE lims.approval SET status = 'approved' WHERE organization_id = ?
        AND sample_id = ?}, undef, @it);
    $app->do(q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ?
        AND id = ?}, undef, @it);
    is($app->selectrow_array('SELECT "releaseState" FROM lims.sample_record
        WHERE organization_id = ? AND id = ?', undef, @it),
        'reported', "$code: reported");
    is(
        join(' ', @{ $app->selectcol_arrayref('SELECT type FROM lims.event ORDER BY id') }),
        'sample.created result.entered result.entered investigation.opened '
            . 'result.verified result.verified sample.reported',
        "$code: its events");
    cmp_ok($app->selectrow_array('SELECT count(*) FROM lims.audit_entry'), '>', 10,
        "$code: its audit trail");
    my ($part) = $app->selectrow_array('SELECT tableoid::regclass FROM lims.sample_test LIMIT 1');
    refused($app, "INSERT INTO $part (organization_id, sample_id, test_definition_id, result)
        VALUES (?, ?, ?, '99')", [ @it, $lab->{definition}{PH} ], '42501',
        "$code: nothing is put behind the triggers' back");
}

done_testing();
