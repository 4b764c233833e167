#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Settings of limsctl: of the command line, the environment and limsctl.conf the first wins.
# And roles.sql leaves databases of others alone.
use strict;
use warnings;

use File::Temp qw(tempdir);
use Test::More;

use LIMS::Instance;
use LIMS::Test::Source;
use LIMS::Test::Tool;

my $tool     = LIMS::Test::Tool->new;
my $limsctl  = LIMS::Instance::out() . '/limsctl';
my $dir      = tempdir(CLEANUP => 1);
my $conninfo = LIMS::Instance::conninfo($tool->{database}, 'lims_owner');

# (exit status, output) of limsctl with a file of these lines.
sub settings {
    my ($lines, @arguments) = @_;
    open my $out, '>', "$dir/limsctl.conf" or die "limsctl.conf: $!\n";
    print {$out} $lines;
    close $out;
    local $ENV{LIMSCTL_CONF} = "$dir/limsctl.conf";
    return LIMS::Instance::capture($limsctl, @arguments);
}

delete @ENV{qw(LIMS_DATABASE LIMS_SECRET_KEY_FILE PGHOST)};
for my $line ("LIMS_DATABASE=$conninfo", "# the database\n\n  LIMS_DATABASE = $conninfo  ",
    qq(LIMS_DATABASE = "$conninfo"\nLIMS_SECRET_KEY_FILE = /nowhere)) {
    my ($status, $output) = settings("$line\n", 'organization', 'list');
    is($status, 0, 'the database of the file') or diag("$line\n$output");
}
my ($status, $output) = settings("LIMS_DATABASE = host=/nowhere\n", 'organization', 'list');
is($status, 4, 'a database that is not there');
{
    local $ENV{LIMS_DATABASE} = $conninfo;
    is((settings("LIMS_DATABASE = host=/nowhere\n", 'organization', 'list'))[0], 0,
        'the environment comes before the file of settings');
}
is((settings("LIMS_DATABASE = host=/nowhere\n", '--database', $conninfo, 'organization', 'list'))[0], 0,
    'the command line comes before the file of settings');
($status, $output) = settings("LIMS_SECRET_KEY_FILE = $dir/secret.key\n", 'secret-key');
is($status, 0, 'the key file of the file') or diag($output);
ok(-s "$dir/secret.key", 'the key file of the settings is made');
for my $line ("LIMS_DATABSE = x", "dbname=lims user=lims_owner") {
    my ($odd) = $line =~ /^(\w+)/;
    ($status, $output) = settings("# a line\n$line\n", 'organization', 'list');
    is($status, 2, "an unknown setting: $line");
    like($output, qr/limsctl\.conf, line 2: there is no setting "\Q$odd\E"; the settings are LIMS_DATABASE, LIMS_SECRET_KEY_FILE, .* and LIMS_APPLICATION\.$/m,
        'the refusal has the line of an unknown setting');
}
for my $timeout ('ten', '99', '60001', '') {
    ($status, $output) = settings("LIMS_PRINTER_TIMEOUT = $timeout\n", '--database', $conninfo, 'organization', 'list');
    is($status, 2, "a time-out of \"$timeout\" milliseconds is refused");
    like($output, qr/LIMS_PRINTER_TIMEOUT: "$timeout" is not a number of milliseconds from 100 to 60000/, "the refusal of \"$timeout\" says which are taken");
}
is((settings("LIMS_PRINTER_TIMEOUT = 500\n", '--database', $conninfo, 'organization', 'list'))[0], 0,
    'half a second is taken');
{
    local $ENV{LIMSCTL_CONF} = "$dir/none";
    ($status, $output) =
        LIMS::Instance::capture($limsctl, '--database', $conninfo, 'organization', 'list');
    is($status, 2, 'a file of settings that is named has to exist');
    like($output, qr{The settings file $dir/none cannot be read: No such file or directory\.},
        'the refusal names the file of settings, and why it cannot be read');
    # A file of which reading fails for root, too.
    $ENV{LIMSCTL_CONF} = "$dir/secret.key/x";
    is((LIMS::Instance::capture($limsctl, '--database', $conninfo, 'organization', 'list'))[0], 2,
        'a file of settings that cannot be opened is no absent one');
}
like(text('conf/limsctl.conf'), qr/^LIMS_DATABASE = host=\S+ dbname=lims user=lims_owner$/m,
    'the file that is installed names the owner');

my $roles = text('sql/roles.sql');
for my $database (qw(postgres template1)) {
    my $others = LIMS::Instance::connect_database($database, 'postgres');
    my $rights = 'SELECT datacl::text FROM pg_database WHERE datname = current_database()';
    my ($before) = $others->selectrow_array($rights);
    ok(!eval { $others->do($roles); 1 }, "roles.sql in the database $database");
    like($@, qr/this is the database $database, not the one of the service/,
        'roles.sql refuses another database');
    is(($others->selectrow_array($rights))[0], $before, 'roles.sql changes no rights of another database');
}

done_testing();
