#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every table with more than a few triggers has a map of them at its head, in the
# order in which they run, with what each does; the maps say what the database has.
use strict;
use warnings;

use LIMS::Test::SQL;
use LIMS::Test::Source;

# A table may have so many without a map.
my $few = 6;

# The maps of all files: table -> moment ("BEFORE INSERT") -> names, in order. A map
# begins with "-- Triggers of lims.TABLE" and ends with its comment.
my (%map, %place, @faults);
for my $file (LIMS::Test::Source::files(qr/\.sql\z/, 'sql')) {
    my ($table, $moment);
    for my $line (split /\n/, LIMS::Test::Source::text($file)) {
        if ($line =~ /\A-- Triggers of lims\.(\w+)/) {
            ($table, $moment) = ($1, undef);
            push @faults, "$file: $table has a map in $place{$table} too" if $place{$table};
            $place{$table} = $file;
        }
        elsif ($line !~ /\A--/) {
            undef $table;
        }
        elsif ($table && $line =~ /\A--\s+((?:BEFORE|AFTER) (?:INSERT|UPDATE|DELETE|TRUNCATE))\z/) {
            $moment = $1;
        }
        elsif ($table && $moment && $line =~ /\A--\s+(\d+) (\w+)(\s+\S.*)?\z/) {
            push @{ $map{$table}{$moment} }, $2;
            push @faults, "$file: $moment $2 of $table is not number $1"
                if $1 != @{ $map{$table}{$moment} };
            push @faults, "$file: nothing is said of $moment $2 of $table" if !$3;
        }
    }
}
is_deeply(\@faults, [], 'the maps are numbered, and say something of each trigger');

# As PostgreSQL runs them: before a row those of the statement, after it those of the
# rows, and last the deferred ones; each by name.
my $base = LIMS::Test::SQL->new;
my $rows = $base->db->selectall_arrayref(<<'END');
SELECT c.relname, m.timing || ' ' || e.event, t.tgname
  FROM pg_catalog.pg_trigger t
  JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
 CROSS JOIN LATERAL (
       SELECT CASE WHEN t.tgtype & 2 = 2 THEN 'BEFORE' ELSE 'AFTER' END AS timing,
              t.tgtype & 1 = 1 AS each_row) m
  JOIN (VALUES (4, 'INSERT'), (8, 'DELETE'), (16, 'UPDATE'), (32, 'TRUNCATE')) AS e (bit, event)
    ON t.tgtype & e.bit = e.bit
 WHERE c.relnamespace = 'lims'::regnamespace
   AND NOT c.relispartition
   AND NOT t.tgisinternal
 ORDER BY 1, 2, t.tginitdeferred, m.each_row = (m.timing = 'BEFORE'), t.tgname COLLATE "C"
END
my (%found, %names);
for my $row (@$rows) {
    my ($table, $moment, $name) = @$row;
    push @{ $found{$table}{$moment} }, $name;
    $names{$table}{$name} = 1;
}
cmp_ok(scalar keys %{ $names{sample_test} }, '>', 30, 'sample tests have their triggers');

for my $table (sort keys %found) {
    my $count = keys %{ $names{$table} };
    next if $count <= $few && !$map{$table};
    is_deeply($map{$table}, $found{$table}, "the map of lims.$table: $count triggers");
}
is_deeply([ grep { !$found{$_} } sort keys %map ], [], 'no map is of a table without triggers');

# A map stands at the head of its table.
is_deeply([ grep { LIMS::Test::Source::text($place{$_}) !~ /^CREATE TABLE lims\.$_ /m } sort keys %place ],
    [], 'a map is in the file of its table');

is_deeply($base->db->selectcol_arrayref(q{
    SELECT tgrelid::regclass || ' ' || tgname FROM pg_catalog.pg_trigger
     WHERE NOT tgisinternal AND tgenabled <> 'O'}), [], 'no trigger is left disabled');

done_testing();
