#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# limsctl migrate: each migration is applied once, also by two at once, and a database that
# does not match is not touched.
use strict;
use warnings;

use LIMS::Test::Tool;

my @files    = map { m{(\d{3})_(\w+)\.sql\z} ? [ 0 + $1, $2 ] : () } sort glob 'sql/[0-9]*.sql';
my $count    = @files;
my $recorded = 'SELECT count(*) FROM lims.schema_migration';

sub states { return join ' ', map { $_->{state} } @{ $_[0]->{json}{migrations} } }

cmp_ok($count, '>', 10, 'there are migrations');

# An empty database.

my $tool   = LIMS::Test::Tool->new(empty => 1);
my $status = $tool->run(qw(migrate --status --json));
is($status->{exit}, 5, 'an empty database does not fit');
is(states($status), join(' ', ('pending') x $count), 'all migrations are pending');
is_deeply([ map { [ $_->{version}, $_->{name} ] } @{ $status->{json}{migrations} } ], \@files,
    'they are the files of sql/, in order');
is($tool->run(qw(organization list))->{exit}, 5, 'other commands say that it does not fit');
like($tool->run(qw(organization list))->{err}, qr/limsctl migrate/, 'the error says what to do');

my $dry = $tool->run(qw(migrate --dry-run));
is($dry->{exit}, 0, 'a dry run succeeds');
like($dry->{out}, qr/rolled back/, 'a dry run says that it was rolled back');
is($tool->value(q{SELECT to_regnamespace('lims')}), undef, 'nothing of it is left');

my $done = $tool->run('migrate');
is($done->{exit}, 0, 'limsctl migrate succeeds');
like($done->{out}, qr/^101 foundation \.\.\. done$/m, 'names what it does');
is($tool->value($recorded), $count, 'every migration has its record');
is($tool->value(q{SELECT string_agg(DISTINCT tableowner, ' ') FROM pg_tables
                   WHERE schemaname = 'lims'}), 'lims_owner', 'all tables are lims_owner\'s');
is($tool->run(qw(migrate --status))->{exit}, 0, 'the status is that the schema fits');
my $again = $tool->run(qw(migrate --json));
is($again->{exit}, 0, 'a second run');
is(states($again), join(' ', ('applied') x $count), 'migrating again does nothing');
like($again->{json}{migrations}[0]{appliedAt}, qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z/,
    'times are as in the API');

# A superuser leaves the same behind as the owner.

my $super = LIMS::Test::Tool->new(empty => 1);
is($super->as('postgres', 'migrate')->{exit}, 0, 'a superuser migrates');
is($super->value(q{SELECT string_agg(DISTINCT tableowner, ' ') FROM pg_tables
                    WHERE schemaname = 'lims'}), 'lims_owner',
                        'run by a superuser, lims_owner owns the tables');

# Migrations that this version does not know ---------------------------------------

$tool->db->do(q{UPDATE lims.schema_migration SET checksum = 'other' WHERE version = 110});
my $changed = $tool->run(qw(migrate --json));
is($changed->{exit}, 5, 'a changed migration is refused');
like($changed->{json}{message}, qr/110 \(reference\)/, 'a changed migration is named');
like(states($tool->run(qw(migrate --status --json))), qr/\A(?:applied ){9}changed applied/,
    '--status names the changed migration');
$tool->db->do('UPDATE lims.schema_migration SET checksum = ? WHERE version = 110', undef,
    $super->value('SELECT checksum FROM lims.schema_migration WHERE version = 110'));
is($tool->run(qw(migrate --status))->{exit}, 0, 'with its own bytes back the status is good');

my $last  = $files[-1][0];
my $newer = $last + 1;
$tool->db->do(q{INSERT INTO lims.schema_migration (version, name, checksum, compatible_since)
                VALUES (?, 'future', 'x', ?)}, undef, $newer, $newer);
my $old = $tool->run('migrate');
is($old->{exit}, 5, 'a newer database is refused');
like($old->{err}, qr/newer than this limsctl/, 'a newer schema is refused in words');
is($tool->run(qw(organization list))->{exit}, 5, 'other commands refuse it too');
$tool->db->do('UPDATE lims.schema_migration SET compatible_since = ? WHERE version = ?', undef,
    $last, $newer);
is($tool->run(qw(organization list))->{exit}, 0, 'unless it says that this version may work on it');

# A database that was made by other files is refused, and left as it is.

my $foreign = LIMS::Test::Tool->new(empty => 1);
$foreign->db->do('CREATE SCHEMA lims');
$foreign->db->do(q{CREATE TABLE lims.schema_migration (version integer PRIMARY KEY, name text NOT NULL,
    checksum text NOT NULL, compatible_since integer NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(), applied_by text NOT NULL DEFAULT session_user)});
$foreign->db->do(q{INSERT INTO lims.schema_migration (version, name, checksum, compatible_since)
    VALUES (1, 'ground', 'x', 1), (2, 'reference', 'y', 2)});
$status = $foreign->run(qw(migrate --status --json));
is($status->{exit}, 5, 'a database that was made otherwise does not fit');
is(states($status), join(' ', ('pending') x $count, 'unknown', 'unknown'),
    'the status shows unknown migrations');
for my $way ([], ['--dry-run']) {
    my $refused = $foreign->run('migrate', @$way);
    is($refused->{exit}, 5, "a database with unknown migrations is not migrated @$way");
    like($refused->{err}, qr/made by other migrations, of which 001 \(ground\) is not known here/,
        'the message names the unknown migration');
}
like($foreign->run(qw(organization list))->{err}, qr/run "limsctl migrate" in an empty one/,
    'commands refuse a database of other migrations');
is($foreign->value($recorded), 2, 'no migration was recorded');
is($foreign->value(q{SELECT count(*) FROM pg_class WHERE relnamespace = 'lims'::regnamespace
    AND relkind = 'r'}), 1, 'a refused database has no table made');

# Rights to migrate ----------------------------------------------------------------

my $app = $tool->as('lims_app', 'migrate');
is($app->{exit}, 5, 'the run-time role may not migrate');
like($app->{err}, qr/neither lims_owner nor a member/, 'the run-time role cannot migrate');

# One that fails leaves nothing of itself, and the ones before it.

my $broken = LIMS::Test::Tool->new(empty => 1);
$broken->db->do('CREATE SCHEMA lims');
$broken->db->do('CREATE TABLE lims.sample (id int)');
my $failed = $broken->run('migrate');
is($failed->{exit}, 4, 'a migration that fails');
like($failed->{err}, qr/120_samples\.sql failed and was undone: .*already exists/,
    'a failed migration is named with its cause');
my ($before) = sort { $b <=> $a } grep { $_ < 120 } map { m{/(\d+)_} } glob 'sql/*.sql';
is($broken->value('SELECT max(version) FROM lims.schema_migration'), $before,
    'migrations before the failed one stay');
is($broken->value(q{SELECT count(*) FROM pg_proc WHERE proname = 'check_character'}), 0,
    'nothing of it is left');
$broken->db->do('DROP TABLE lims.sample');
is($broken->run('migrate')->{exit}, 0, 'after the repair migrate goes on');
is($broken->value($recorded), $count, 'every migration is recorded');

# Two at once.

my $both = LIMS::Test::Tool->new(empty => 1);
my @children;
for (1, 2) {
    my $pid = fork // die "fork: $!\n";
    POSIX::_exit($both->run('migrate')->{exit}) unless $pid;
    push @children, $pid;
}
my @exits = map { waitpid($_, 0); $? >> 8 } @children;
is_deeply(\@exits, [ 0, 0 ], 'two runs at once both succeed');
is($both->value($recorded), $count, 'two runs at once apply every migration once');

done_testing();
