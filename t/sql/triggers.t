#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every table with more than a few triggers has a map of them at its head, in the
# order in which they run, with what each does; the maps say what the database has.
#
# A number over 100 in a map is the file in which the trigger's function is created. A
# function without one is in the map's own file, in a file that the head of the map
# names, or in one of those that all tables share. A smaller number is another trigger of
# the same list.
use strict;
use warnings;

use LIMS::Test::SQL;
use LIMS::Test::Source;

# A table may have so many without a map.
my $few = 6;

# The maps of all files: table -> moment ("BEFORE INSERT") -> names, in order. A map
# begins with "-- Triggers of lims.TABLE" and ends with its comment.
my (%map, %place, %head, %says, @faults);
for my $file (LIMS::Test::Source::files(qr/\.sql\z/, 'sql')) {
    my ($table, $moment);
    for my $line (split /\n/, LIMS::Test::Source::text($file)) {
        if ($line =~ /\A-- Triggers of lims\.(\w+)/) {
            ($table, $moment) = ($1, undef);
            $head{$table} = $line;
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
            push @{ $says{$table}{$moment} }, $3 // '';
        }
        elsif ($table && $line =~ /\A--\s+(\S.*)/) {
            my $part = $moment ? \$says{$table}{$moment}[-1] : \$head{$table};
            $$part = join ' ', grep { defined } $$part, $1;
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
is_deeply([ grep { LIMS::Test::Source::text($place{$_})
            !~ /^-- Triggers of lims\.$_\b.*^CREATE TABLE lims\.$_ /ms } sort keys %place ],
    [], 'a map is in the file of its table, before it');

# The number of the file in which each function is created; attach_audit() makes others.
my %created;
for my $file (LIMS::Test::Source::files(qr{/\d+_\w+\.sql\z}, 'sql')) {
    my ($number) = $file =~ m{\Asql/(\d+)_};
    next if !$number;
    my $text = LIMS::Test::Source::text($file);
    $created{$1} = $number while $text =~ /^CREATE (?:OR REPLACE )?FUNCTION lims\.(\w+)\(/mg;
}
my %function = map { ("$_->[0] $_->[1]" => $_->[2]) } @{ $base->db->selectall_arrayref(<<'END') };
SELECT c.relname, t.tgname, p.proname
  FROM pg_catalog.pg_trigger t
  JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
  JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid
 WHERE c.relnamespace = 'lims'::regnamespace
   AND NOT t.tgisinternal
END
my ($audit) = map { $created{$_} // die "no function $_\n" } 'attach_audit';
my %shared = map { $_ => 1 } 101, 105, $audit;

# The numbers in parentheses of a text: of files, and of other triggers.
sub numbers {
    my @all = $_[0] =~ /\((\d+)\)/g;
    return ([ grep { $_ > 100 } @all ], [ grep { $_ <= 100 } @all ]);
}

# Returns the faults of the numbers of one trigger of a map.
sub misnumbered {
    my ($table, $moment, $at) = @_;
    my $name = $map{$table}{$moment}[$at];
    my ($files, $others) = numbers($says{$table}{$moment}[$at]);
    my $function = $function{"$table $name"} or return;    # another test misses the trigger
    my ($own) = $place{$table} =~ m{/(\d+)_};
    my $there = $created{$function} // ($function =~ /\Aaudit_/ ? $audit : 'none');
    my %silent = (%shared, map { $_ => 1 } $own, $head{$table} =~ /\b(1\d\d|2\d\d)\b/g);
    my $what = "$moment $name of $table";
    return (@$files ? map({ "$what: $function is in $there, not $_" } grep { $_ ne $there } @$files)
            : $silent{$there} ? () : "$what: $function is in $there"),
        map { "$what: ($_) is no other trigger of the list" }
        grep { $_ < 1 || $_ > @{ $map{$table}{$moment} } || $_ == $at + 1 } @$others;
}

my ($numbered, @misnumbered, @unexplained) = (0);
for my $table (sort keys %map) {
    for my $moment (sort keys %{ $map{$table} }) {
        push @misnumbered, map { misnumbered($table, $moment, $_) } 0 .. $#{ $map{$table}{$moment} };
    }
    my ($files) = numbers(join ' ', map { @$_ } values %{ $says{$table} });
    $numbered += @$files;
    push @unexplained, $table
        if @$files && $head{$table} !~ /A number over 100 is the file of the function/;
}
cmp_ok($numbered, '>', 40, 'numbers of files are recognised');
is(join("\n", @misnumbered), '', 'a number in a map is the file of the function, or another trigger');
is("@unexplained", '', 'a map with numbers of files says what they are');

is_deeply($base->db->selectcol_arrayref(q{
    SELECT tgrelid::regclass || ' ' || tgname FROM pg_catalog.pg_trigger
     WHERE NOT tgisinternal AND tgenabled <> 'O'}), [], 'no trigger is left disabled');

done_testing();
