#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every statement is prepared on a freshly migrated database, as it would be
# before its first use: a misspelt column is found here and not by a customer.
# The texts are those that the generator compiled into this build.
use strict;
use warnings;

use LIMS::Database::Statements;
use LIMS::Instance;
use Test::More;

my $database = 'lims_test_database_statements';
LIMS::Instance::create_database($database);
my $db = LIMS::Instance::connect_database($database, 'lims_owner');

for my $statement (LIMS::Database::Statements::all()) {
    my $label    = $statement->{label};
    my $prepared = eval {
        $db->do("PREPARE $label AS $statement->{sql}");
        $db->do("DEALLOCATE $label");
        1;
    };
    ok($prepared, "$label ($statement->{origin})") or diag($@);
}

$db->disconnect;
LIMS::Instance::drop_database($database);
done_testing();
