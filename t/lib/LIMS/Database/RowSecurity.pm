# SPDX-License-Identifier: Apache-2.0
package LIMS::Database::RowSecurity;

=head1 NAME

LIMS::Database::RowSecurity - switches the tables' row-level security off

=head1 SYNOPSIS

    LIMS::Database::RowSecurity::disable($lims->db);

=head1 DESCRIPTION

Organizations are kept apart twice: by a condition in each statement, and by the row
security policies of the tables. Either hides a fault of the other. With the policies
switched off in a test's own database, a test sees the statements' conditions alone.

=cut

use strict;
use warnings;

use Test::More;

sub disable {
    my ($db) = @_;
    my $tables = $db->selectcol_arrayref(q{SELECT format('%I.%I', n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'lims' AND c.relrowsecurity});

    cmp_ok(scalar @$tables, '>', 40, 'there are walls');
    $db->do("ALTER TABLE $_ DISABLE ROW LEVEL SECURITY") for @$tables;
    return;
}

1;
