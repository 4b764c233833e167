# SPDX-License-Identifier: Apache-2.0
package LIMS::Database::PartlyMigrated;

=head1 NAME

LIMS::Database::PartlyMigrated - a database with the first migrations only

=head1 SYNOPSIS

    my $base = LIMS::Database::PartlyMigrated->new(23);    # the migrations up to 023
    ...                                    # what that release would have in it
    $base->migrate(24, 25);

=head1 DESCRIPTION

A L<LIMS::Test::SQL> whose schema has some of the migrations, for tests of what the
next ones make of rows that are there.

=cut

use strict;
use warnings;

use parent -norequire, 'LIMS::Test::SQL';

use LIMS::Instance;
use LIMS::Test::SQL ();

sub new {
    my ($class, $last) = @_;
    my $self = LIMS::Test::SQL::new($class);

    $self->superuser->do('SET client_min_messages = warning');
    $self->superuser->do('DROP SCHEMA lims CASCADE');
    $self->superuser->do("GRANT CREATE ON DATABASE $self->{database} TO lims_owner");
    $self->db->do('SET client_min_messages = warning');
    $self->db->do('CREATE SCHEMA lims');
    $self->migrate(1, $last);
    return $self;
}

# Each in a transaction, as limsctl does it.
sub migrate {
    my ($self, $from, $to) = @_;

    for my $file (sort glob "$LIMS::Instance::root/sql/[0-9]*.sql") {
        my ($number) = $file =~ m{/(\d+)_};
        next if $number < $from || $number > $to;
        open my $in, '<', $file or die "$file: $!\n";
        my $sql = do { local $/ = undef; <$in> };
        $self->db->begin_work;
        eval { $self->db->do($sql); 1 } or die "$file: $@";
        $self->db->commit;
    }
    return;
}

1;
