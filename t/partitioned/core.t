#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The core of the suite once more, on a database whose tables are partitioned by
# organization (LIMS::Database::Partitioned): what can be spread over machines has to work
# like what stands in one place. `make check-partitioned` runs the whole suite so.
use strict;
use warnings;

use LIMS::Database::Partitioned;
use LIMS::Instance;
use Test::More;

my @core = qw(
    samples/create samples/update samples/list samples/receive samples/status samples/report
    results/enter results/bulk results/verify
    approvals/approvals release/gates release/readiness quality/qc_batch
    events/catalogue events/feed
    service/idempotency organizations/keys tenancy/routes database/row_security
);

chdir $LIMS::Instance::root or die "$LIMS::Instance::root: $!\n";
$ENV{LIMS_PARTITIONED} = 1;

subtest 'the database of these tests' => sub {
    LIMS::Instance::create_database('lims_test_partitioned_core');
    my $db = LIMS::Instance::connect_database('lims_test_partitioned_core', 'lims_owner');
    my ($whole) = $db->selectrow_array(q{SELECT string_agg(c.relname, ' ')
          FROM pg_class c
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
         WHERE c.relnamespace = 'lims'::regnamespace AND c.relkind = 'r'
           AND NOT c.relispartition AND NOT a.attisdropped AND a.attnotnull});
    is($whole, undef, 'every table that has an organization is spread by it');
    $db->disconnect;
    LIMS::Instance::drop_database('lims_test_partitioned_core');
};

for my $name (@core) {
    my ($status, $output) = LIMS::Instance::capture($^X, '-It/lib', "t/$name.t");
    ok(!$status, "t/$name.t") or diag($output =~ s/^ *ok .*\n//gmr);
}

done_testing();
