# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Connections;

=head1 NAME

LIMS::Test::Connections - database handles and limsctl, for a test with a database

=head1 DESCRIPTION

What L<LIMS::Test>, L<LIMS::Test::SQL> and L<LIMS::Test::Tool> have in common: an
object with the name of its C<database>.

    conninfo($role)     a libpq connection string (lims_owner)
    db                  a handle as lims_owner
    superuser           a handle as the superuser
    app_db($organization_id, $user_id)
                        a handle as lims_app, the run-time role, for that organization
                        (undef: none) and, if it is given, that user
    value($sql, @bind)  one value, read as lims_owner
    tables_with(@secrets)
                        the names of the tables in which one of them stands, as text, or as
                        bytes, which PostgreSQL writes as hexadecimal digits
    ctl(@arguments)     limsctl --json as lims_owner; a hash of exit, json, output
    forget_handles      closes them: before the database goes away, or processes part

Processes do not share connections: each has handles of its own.

=cut

use strict;
use warnings;

use LIMS::Instance;
use LIMS::Service::JSONSchema;

sub conninfo {
    my ($self, $role) = @_;
    return LIMS::Instance::conninfo($self->{database}, $role || 'lims_owner');
}

sub db        { return $_[0]->handle('lims_owner') }
sub superuser { return $_[0]->handle('postgres') }

sub app_db {
    my ($self, $organization_id, @user) = @_;
    my $handle = $self->handle('lims_app');

    $handle->do(q{SELECT set_config('lims.organization_id', ?, false)}, undef,
        $organization_id // '');
    $handle->do(q{SELECT set_config('lims.user_id', ?, false)}, undef, $user[0] // '') if @user;
    return $handle;
}

sub handle {
    my ($self, $role) = @_;
    return $self->{handles}{$$}{$role} ||=
        LIMS::Instance::connect_database($self->{database}, $role);
}

sub tables_with {
    my ($self, @secrets) = @_;
    my @words = map { ($_, unpack 'H*', $_) } @secrets;
    my $found = join ' OR ', ('strpos(t::text, ?) > 0') x @words;

    return grep { $self->superuser->selectrow_array("SELECT EXISTS (SELECT FROM lims.$_ t"
                . " WHERE $found)", undef, @words) }
        @{ $self->superuser->selectcol_arrayref(q{SELECT relname FROM pg_class
            WHERE relnamespace = 'lims'::regnamespace AND relkind = 'r' ORDER BY 1}) };
}

sub value {
    my ($self, $sql, @bind) = @_;
    return scalar $self->db->selectrow_array($sql, undef, @bind);
}

sub ctl {
    my ($self, @arguments) = @_;
    my ($status, $output) = LIMS::Instance::capture(LIMS::Instance::out() . '/limsctl',
        '--database', $self->conninfo, '--json', @arguments);
    my $bytes = $output;

    return { exit => $status, output => $output,
        json => scalar eval { LIMS::Service::JSONSchema::decode($bytes) } };
}

sub forget_handles {
    my ($self) = @_;
    for my $handle (grep { $_ } values %{ delete $self->{handles}{$$} || {} }) {
        eval { $handle->disconnect };    # the server may be gone
    }
    return;
}

1;
