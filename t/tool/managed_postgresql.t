#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Without a superuser, as on a managed PostgreSQL: an administrator who may create databases
# and roles is enough for roles.sql, the migrations and the first organization.
use strict;
use warnings;

use LIMS::Chaos::PostgreSQL;
use LIMS::Instance;
use LIMS::Service::JSONSchema;
use LIMS::Test::Source;
use Test::More;

my $server = LIMS::Chaos::PostgreSQL->own('managed');

sub connected {
    my ($database) = @_;
    return DBI->connect('dbi:Pg:host=' . $server->socket . ";dbname=$database", 'postgres', undef,
        { RaiseError => 1, PrintError => 0, PrintWarn => 0 });
}

sub as_administrator {
    my ($database, @statements) = @_;
    my $db = connected($database);
    $db->do('SET SESSION AUTHORIZATION administrator');
    is($db->selectrow_array('SELECT rolsuper FROM pg_roles WHERE rolname = session_user'), 0,
        'the administrator is no superuser');
    ok(eval { $db->do($_); 1 },
        'the administrator may ' . substr $_, 0, 40) or diag($@) for @statements;
    $db->disconnect;
    return;
}

sub limsctl {
    my (@arguments) = @_;
    my ($status, $output) = LIMS::Instance::capture(LIMS::Instance::out() . '/limsctl',
        '--database', 'host=' . $server->socket . ' dbname=managed user=lims_owner', @arguments);
    is($status, 0, "limsctl @arguments[0, 1]") or diag($output);
    return $output;
}

my $db = connected('postgres');
$db->do("DROP ROLE $_") for grep { $db->selectrow_array(
        'SELECT true FROM pg_roles WHERE rolname = ?', undef, $_) } qw(lims_app lims_owner);
$db->do('CREATE ROLE administrator LOGIN CREATEROLE CREATEDB');
$db->disconnect;

as_administrator('postgres', 'CREATE DATABASE managed');
my $roles = do { open my $in, '<', 'sql/roles.sql' or die "roles.sql: $!\n"; local $/ = undef; <$in> };
as_administrator('managed', $roles, $roles);
limsctl('migrate', '--json');
limsctl(qw(organization create --code river --name River));
limsctl(qw(--organization river user create --email ada@river.example --display-name Ada
        --roles administrator));
my $key = LIMS::Service::JSONSchema::decode(
    limsctl(qw(--json --organization river --user ada@river.example key create --name ERP)));
like($key->{rawKey}, qr/\Alk_/, 'a key, with which the service can be asked');
my $check = LIMS::Service::JSONSchema::decode(limsctl('check', '--json'));
is_deeply([ grep { $_->{state} eq 'failed' } @{ $check->{findings} } ], [],
    'limsctl check has nothing to object to');
$db = connected('managed');
is($db->selectrow_array(q{SELECT count(*) FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
        WHERE c.relnamespace = 'lims'::regnamespace AND r.rolname <> 'lims_owner'}), 0,
    'lims_owner owns every table');
$db->disconnect;

done_testing();
