# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::SQL;

=head1 NAME

LIMS::Test::SQL - tests in SQL: a migrated database of their own, without a service

=head1 SYNOPSIS

    use LIMS::Test::SQL;    # also all of Test::More, and wait_until

    my $base   = LIMS::Test::SQL->new;
    my $lab    = $base->laboratory(code => 'cedar', esignature_required => 't');
    my $sample = $base->sample($lab, qw(PH PB));
    my $app    = $base->app($lab);
    refused($app, q{UPDATE lims.sample_test SET status = 'verified' WHERE id = ?},
        [ $sample->{PH} ], 'blank_result');
    done_testing();

=head1 DESCRIPTION

What the database promises it promises to everybody, so these tests speak SQL,
as the run-time role. There is no httpd: tests of the service are written with
L<LIMS::Test>.

=head2 Methods

    db, superuser, value($sql, @bind)   as L<LIMS::Test::Connections> has them
    app($laboratory)    as lims_app, acting for it as its user; undef: for none
    owner($laboratory)  as lims_owner, acting for it as its user
    insert($table, { column => value })    a row, as the owner; its id
    parallel($count, sub { my ($number) = @_; ... })
                        as L<LIMS::Test::Parallel> has it

    laboratory(code => , ...columns of organization)
        an organization with a user, a client, a material type and definitions:
        { id, user_id, client, material, definition => { PH => id, ... } }
    sample($laboratory, @codes)
        a sample with these tests, made as the run-time role: { id, PH => id, ... }

=head2 Functions

    refused($handle, $sql, \@bind, $slug, $name)
        passes when the statement raises LM001 with this slug, or this SQLSTATE
    signed($handle, $laboratory, $meaning, $table, $id)    a signature's id

=cut

use strict;
use warnings;

use Test::More;

use parent qw(LIMS::Test::Connections LIMS::Test::Fixture LIMS::Test::Parallel);

use LIMS::Instance;
use LIMS::Wait;

our @EXPORT = qw(refused signed wait_until);

my $owner = $$;
my @made;

sub import {
    my ($class) = @_;

    Test::More->export_to_level(1, $class);
    no strict 'refs';
    *{ caller() . "::$_" } = \&{$_} for @EXPORT;
    return;
}

sub new {
    my ($class) = @_;
    my ($name) = $0 =~ m{\bt/(.*)\.t\z};
    $name = ($name || 'sql') =~ s/\W/_/gr;
    my $self = bless { database => 'lims_test_' . $name . (@made || ''), problems => [] }, $class;

    LIMS::Instance::create_database($self->{database});
    push @made, $self;
    return $self;
}

sub app {
    my ($self, $lab) = @_;
    return $self->app_db($lab->{id}, $lab->{user_id});
}

sub owner {
    my ($self, $lab) = @_;
    my $handle = $self->db;
    $handle->do(q{SELECT set_config('lims.organization_id', ?, false),
        set_config('lims.user_id', ?, false)}, undef, $lab->{id}, $lab->{user_id});
    return $handle;
}

sub before_parallel {
    my ($self) = @_;
    $self->handle('lims_app');
    return;
}

sub laboratory {
    my ($self, %column) = @_;
    my %lab = (id => $self->insert('organization', { name => $column{code}, %column }));
    my @mine = (organization_id => $lab{id});

    $lab{user_id}  = $self->insert('user_account',
        { @mine, email => "analyst\@$column{code}.example", display_name => 'Ana Lyst',
            password_hash => 'set' });
    $self->insert('user_role', { @mine, user_id => $lab{user_id}, role => $_ })
        for qw(administrator lab_manager);
    $lab{client}   = $self->insert('client', { @mine, code => 'RIV', name => 'City of Riverbend' });
    $lab{material} = $self->insert('material_type', { @mine, code => 'WW', name => 'Wastewater' });
    my %definition = (
        PH  => { name => 'pH', unit => 's.u.', specification_low => 6.5,
            specification_high => 8.5 },
        PB  => { name => 'Lead', unit => 'ug/L', specification_high => 15 },
        HEM => { name => 'Oil and grease', unit => 'mg/L', requires_worksheet => 't' },
        EC  => { name => 'E. coli', result_type => 'presence', specification_text => 'Absent',
            requires_confirmation => 't' },
        HPC => { name => 'Plate count', unit => 'CFU/mL' },
    );
    for my $code (sort keys %definition) {
        $lab{definition}{$code} =
            $self->insert('test_definition', { @mine, code => $code, %{ $definition{$code} } });
    }
    return \%lab;
}

sub sample {
    my ($self, $lab, @codes) = @_;
    my $app = $self->app($lab);
    my %sample;

    ($sample{id}) = $app->selectrow_array(
        q{INSERT INTO lims.sample (organization_id, material_type_id, client_name)
          VALUES (?, ?, 'City of Riverbend') RETURNING id}, undef, $lab->{id}, $lab->{material});
    for my $code (@codes) {
        ($sample{$code}) = $app->selectrow_array(
            q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
              VALUES (?, ?, ?) RETURNING id},
            undef, $lab->{id}, $sample{id}, $lab->{definition}{$code});
    }
    return \%sample;
}

# Inside a transaction, it goes on.
sub refused {
    my ($handle, $sql, $bind, $slug, $name) = @_;
    my $inside = !$handle->{AutoCommit} || $handle->{BegunWork};

    $handle->pg_savepoint('attempt') if $inside;
    my $done  = eval { $handle->do($sql, undef, @$bind); 1 };
    my $state = $done ? '' : $handle->state;
    my $words = $done ? '' : $handle->errstr;    # which the next call clears
    my $found = $done ? 'no refusal' : $state eq 'LM001' ? $handle->pg_error_field('detail')
        : $state;
    $handle->pg_rollback_to('attempt') if $inside && !$done;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($found, $slug, $name || "refused: $slug") || diag($words);
    return $words;
}

sub signed {
    my ($handle, $lab, $meaning, $table, $id) = @_;
    my ($signature) = $handle->selectrow_array(q{SELECT lims.sign(?, ?, ?, ?, 'because')}, undef,
        $lab->{user_id}, $meaning, $table, $id);
    return $signature;
}

# By itself at the end; sooner by who takes the cluster away.
sub finish {
    my ($self) = @_;

    return 1 if $self->{finished}++;
    $self->forget_handles;
    LIMS::Instance::drop_database($self->{database}) unless $ENV{LIMS_TEST_LEAVE};
    return 1;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        eval { $_->finish } || diag($@) for @made;
        $? = $status;
    }
}

1;
