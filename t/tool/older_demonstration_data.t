#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# `make run` over the data of another version: it says which command removes them, and
# removes nothing itself.
use strict;
use warnings;

use DBI ();
use File::Temp ();
use Test::More;

use LIMS::Instance;

my $root = $LIMS::Instance::root;
my $dir  = File::Temp::tempdir(DIR => "$root/build/test", CLEANUP => 0);

sub instance { return LIMS::Instance::capture("$root/build/instance", @_) }

my ($status, $output) = instance(cluster => $dir);
is($status, 0, 'a cluster is made') or diag($output);
my (undef, $home) = instance(home => $dir);
chomp $home;
my $socket = -f "$home/socket" ? do { open my $in, '<', "$home/socket" or die; <$in> } : "$home/pg";
chomp $socket;

# Makes the database of an older version: a schema of other migrations, with a row in it.
sub connected {
    my ($database) = @_;
    return DBI->connect("dbi:Pg:dbname=$database;host=$socket;user=postgres", undef, undef,
        { RaiseError => 1, PrintError => 0 });
}
my $server = connected('postgres');
$server->do('CREATE DATABASE lims');
my $db = connected('lims');
$db->do($_) for 'CREATE SCHEMA lims', 'CREATE TABLE lims.sample (id bigint)',
    'INSERT INTO lims.sample VALUES (1)',
    'CREATE TABLE lims.schema_migration (version integer PRIMARY KEY, name text NOT NULL,
        checksum text NOT NULL, compatible_since integer NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now(), applied_by text NOT NULL DEFAULT session_user)',
    q{INSERT INTO lims.schema_migration (version, name, checksum, compatible_since)
        VALUES (1, 'ground', 'x', 1)},
    # As roles.sql leaves a schema that lims_owner has made.
    q{DO $$ BEGIN IF to_regrole('lims_owner') IS NULL THEN CREATE ROLE lims_owner LOGIN; END IF; END $$},
    'ALTER SCHEMA lims OWNER TO lims_owner', 'ALTER TABLE lims.sample OWNER TO lims_owner',
    'ALTER TABLE lims.schema_migration OWNER TO lims_owner';
$_->disconnect for $db, $server;

($status, $output) = instance(run => $dir);
isnt($status, 0, 'make run refuses data of another version');
like($output, qr/made by other migrations, of which 001 \(ground\) is not known here/, 'it says why');
my ($command) = $output =~ /to remove them: (build\/instance remove \S+)/;
ok($command, 'the refusal says which command removes the data') or diag($output);
$db = connected('lims');
is($db->selectrow_array('SELECT count(*) FROM lims.sample'), 1, 'nothing was removed');
$db->disconnect;

SKIP: {
    skip 'no command was named', 2 if !$command;
    system("cd '$root' && $command");
    is($?, 0, 'the command that was named');
    ok(!-e $dir, 'the named command removes the data');
}
instance(remove => $dir) if -e $dir;

done_testing();
