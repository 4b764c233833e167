# SPDX-License-Identifier: Apache-2.0
package LIMS::Database::Snapshot;

=head1 NAME

LIMS::Database::Snapshot - tells whether anything changed in the database

=head1 SYNOPSIS

    my $before = LIMS::Database::Snapshot::take($lims);
    ...
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');

=head1 DESCRIPTION

For every table of the schema the number of its rows and a digest of their
contents, whichever organization they belong to. When a key was used last is
left out: that is no change. So are the blocks of the trail, which a job of the
service closes at its own time, of entries that are compared themselves.

=cut

use strict;
use warnings;

sub take {
    my ($lims) = @_;
    my $tables = $lims->db->selectcol_arrayref(<<'END');
SELECT c.relname
  FROM pg_catalog.pg_class c
 WHERE c.relnamespace = 'lims'::regnamespace
   AND c.relkind = 'r'
   AND c.relname NOT IN ('audit_block', 'audit_closing')
 ORDER BY 1
END
    my $rows = $lims->db->selectall_arrayref(join ' UNION ALL ', map {
        "SELECT '$_', count(*) || ' rows ' || coalesce(md5(string_agg("
            . "(to_jsonb(t) - 'last_used_at')::text, ' '"
            . " ORDER BY (to_jsonb(t) - 'last_used_at')::text)), '') FROM lims.$_ t"
    } @$tables);

    return { map { $_->[0] => $_->[1] } @$rows };
}

1;
