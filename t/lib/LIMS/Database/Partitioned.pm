# SPDX-License-Identifier: Apache-2.0
package LIMS::Database::Partitioned;

=head1 NAME

LIMS::Database::Partitioned - the schema partitioned by organization

=head1 DESCRIPTION

    LIMS::Database::Partitioned::partition($database)

makes the schema of a migrated database again, from the same migrations, with each table
that has an organization partitioned by its hash, the form in which the schema can be
distributed over machines; returns the number of those tables. The record of the
migrations stays, so that the service accepts the database.

With LIMS_PARTITIONED=1 in the environment this is done with every database that
a test gets.

=cut

use strict;
use warnings;

use LIMS::Instance;

# How many partitions a table has.
my $parts = 4;

sub _partition {
    my ($statement, $name, $body, $count) = @_;
    return $statement unless $body =~ /^    organization_id bigint NOT NULL/m;
    $$count++;
    return "CREATE TABLE lims.$name ($body\n) PARTITION BY HASH (organization_id);\n"
        . join '', map { "CREATE TABLE lims.${name}_part_$_ PARTITION OF lims.$name"
            . " FOR VALUES WITH (MODULUS $parts, REMAINDER $_);\n" } 0 .. $parts - 1;
}

sub partition {
    my ($database) = @_;
    my $owner = LIMS::Instance::connect_database($database, 'lims_owner');
    my $super = LIMS::Instance::connect_database($database, 'postgres');
    my $count = 0;

    $super->do("GRANT CREATE ON DATABASE $database TO lims_owner");
    $_->do('SET client_min_messages = warning') for $owner, $super;
    $super->do('ALTER TABLE lims.schema_migration SET SCHEMA public');
    $super->do('DROP SCHEMA lims CASCADE');
    $owner->do('CREATE SCHEMA lims');
    $super->do('ALTER TABLE public.schema_migration SET SCHEMA lims');
    for my $file (sort glob "$LIMS::Instance::root/sql/[0-9]*.sql") {
        open my $in, '<', $file or die "$file: $!\n";
        my $sql = do { local $/ = undef; <$in> };
        $sql =~ s/(CREATE TABLE lims\.(\w+) \((.*?)\n\);)/_partition($1, $2, $3, \$count)/gse;
        $owner->begin_work;
        eval { $owner->do($sql); 1 } or die "$file, partitioned: $@";
        $owner->commit;
    }
    $_->disconnect for $owner, $super;
    return $count;
}

1;
