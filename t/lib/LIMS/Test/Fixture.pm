# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Fixture;

=head1 NAME

LIMS::Test::Fixture - organizations, API keys and rows for a test

=head1 DESCRIPTION

The part of L<LIMS::Test> and L<LIMS::Test::SQL> that makes what a request needs to
find, as the owner of the schema. The keys are made after their description and not by the code
that they are to test.

=cut

use strict;
use warnings;

use DBD::Pg ();
use Digest::SHA qw(sha256);

my @alphabet = (0 .. 9, 'A' .. 'Z', 'a' .. 'z');

# An API key, after the description in modules/kernel/key.h.
sub make_key {
    my $random = '';
    open my $source, '<:raw', '/dev/urandom' or die "/dev/urandom: $!\n";
    while (length $random < 40) {
        read $source, my $byte, 1;
        $random .= $alphabet[ ord($byte) % 62 ] if ord $byte < 248;
    }
    return "lk_$random" . key_checksum($random);
}

sub key_checksum {
    my ($random) = @_;
    my $crc = 0xFFFFFFFF;
    for my $byte (unpack 'C*', $random) {
        $crc ^= $byte;
        $crc = ($crc >> 1) ^ ($crc & 1 ? 0xEDB88320 : 0) for 1 .. 8;
    }
    $crc ^= 0xFFFFFFFF;
    my $digits = '';
    for (1 .. 6) {
        $digits = $alphabet[ $crc % 62 ] . $digits;
        $crc = int $crc / 62;
    }
    return $digits;
}

sub fixture { return $_[0]{fixture} }

# An organization with an administrator and a key that may do everything.
sub organization {
    my ($self, %column) = @_;

    $column{name} = $column{code} unless defined $column{name};
    my $id   = $self->_insert('organization', \%column);
    my $made = { id => $id, code => $column{code} };
    $made->{user_id} = $self->insert('user_account',
        { email => "administrator\@$column{code}.example", display_name => 'Administrator',
            password_hash => 'set' }, $made);
    $self->insert('user_role', { user_id => $made->{user_id}, role => $_ }, $made)
        for qw(administrator lab_manager);
    my $key = $self->key($made, name => 'full');
    return { %$made, %$key };
}

my @scopes = qw(samples:read samples:write results:read results:write results:verify
    reports:write approvals:read approvals:write reference:read reference:write
    instruments:write events:read certificates:read);

# A key of an organization: { key, key_id }; all scopes unless some are named.
sub key {
    my ($self, $organization, %option) = @_;
    my $key = make_key();
    my $id  = $self->insert('api_key', {
            name        => $option{name} || 'test',
            key_hash    => [ sha256($key) ],
            key_prefix  => substr($key, 0, 8) . '...',
            scopes      => $option{scopes} || [@scopes],
            upload_only => $option{upload_only} ? 't' : 'f',
            created_by  => $option{created_by} || $organization->{user_id},
            defined $option{acts_for} ? (acts_for => $option{acts_for}) : (),
            defined $option{expires_at} ? (expires_at => $option{expires_at}) : (),
        }, $organization);

    return { key => $key, key_id => $id };
}

# A row of that organization, or of the test's own if it has one; its id.
sub insert {
    my ($self, $table, $column, $organization) = @_;
    $organization ||= $self->{fixture};
    return $self->_insert($table,
        { $organization ? (organization_id => $organization->{id}) : (), %$column });
}

# The id is a number, so that it can go into a JSON body as it is.
sub _insert {
    my ($self, $table, $column) = @_;
    my @names = sort keys %$column;
    my $statement = $self->db->prepare_cached(
        sprintf 'INSERT INTO lims.%s (%s) VALUES (%s) RETURNING id',
        $table, join(', ', @names), join(', ', ('?') x @names));
    my $place = 0;

    for my $name (@names) {
        my $value  = $column->{$name};
        my $binary = $name =~ /_hash\z/ && ref $value;
        $statement->bind_param(++$place, $binary ? $value->[0] : $value,
            $binary ? { pg_type => DBD::Pg::PG_BYTEA() } : undef);
    }
    $statement->execute;
    my ($id) = $statement->fetchrow_array;
    $statement->finish;
    return 0 + $id;
}

1;
