#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# limsctl check finds what is wrong with a database, names it and says what to
# do about it.
use strict;
use warnings;

use LIMS::Test::Tool;

my $tool = LIMS::Test::Tool->new;

# subject => finding
sub findings {
    my ($done) = @_;
    return { map { $_->{subject} => $_ } @{ $done->{json}{findings} } };
}

my $sound = $tool->run(qw(check --json));
is($sound->{exit}, 0, 'a sound database');
ok($sound->{json}{ok}, 'a database without faults passes');
my $found = findings($sound);
for my $subject ('server version', 'encoding', 'transaction isolation', 'roles', 'login',
    'acting for users', 'run-time role', 'schema', 'row-level security', 'owner', 'grants', 'sign-in',
    'append-only', 'triggers', 'functions', 'temporary tables', 'clock')
{
    is($found->{$subject}{state}, 'ok', $subject);
    is($found->{$subject}{remedy}, undef, "$subject needs no remedy");
}
my $tables = $tool->value(q{
    SELECT count(*) FROM information_schema.columns
     WHERE table_schema = 'lims' AND column_name = 'organization_id'
       AND table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = 'lims')});
is($found->{'row-level security'}{finding}, ($tables + 1) . ' tables', 'every tenant table');
is($found->{durability}{state}, 'warning', 'the cluster of the tests does without fsync');
like($found->{durability}{finding}, qr/fsync is off/, 'a warning says that fsync is off');

# Each fault, and how it is put right.

my @faults = (
    [ 'row-level security', 'sample',
        'ALTER TABLE lims.sample DISABLE ROW LEVEL SECURITY',
        'ALTER TABLE lims.sample ENABLE ROW LEVEL SECURITY' ],
    [ 'row-level security', 'client',
        'DROP POLICY tenant ON lims.client',
        'ALTER TABLE lims.client DISABLE ROW LEVEL SECURITY; SELECT lims.enable_row_security()' ],
    [ 'owner', 'project',
        'ALTER TABLE lims.project OWNER TO lims_app',
        'ALTER TABLE lims.project OWNER TO lims_owner;
         GRANT SELECT, INSERT, UPDATE ON lims.project TO lims_app' ],
    [ 'grants', 'sample_test',
        'REVOKE SELECT ON lims.sample_test FROM lims_app',
        'GRANT SELECT ON lims.sample_test TO lims_app' ],
    [ 'sign-in', 'user_session',
        'GRANT SELECT ON lims.user_session TO lims_app',
        'REVOKE SELECT ON lims.user_session FROM lims_app' ],
    [ 'append-only', 'audit_entry',
        'GRANT DELETE ON lims.audit_entry TO lims_app',
        'REVOKE DELETE ON lims.audit_entry FROM lims_app' ],
    [ 'append-only', 'electronic_signature',
        'GRANT UPDATE ON lims.electronic_signature TO lims_app',
        'REVOKE UPDATE ON lims.electronic_signature FROM lims_app' ],
    [ 'triggers', 'qc_batch',
        'ALTER TABLE lims.qc_batch DISABLE TRIGGER USER',
        'ALTER TABLE lims.qc_batch ENABLE TRIGGER USER' ],
    [ 'functions', 'audit_sample',
        'GRANT EXECUTE ON FUNCTION lims.audit_sample() TO lims_app',
        'SELECT lims.secure_functions()' ],
    [ 'functions', 'sample_lock',
        'ALTER FUNCTION lims.sample_lock() SECURITY INVOKER',
        'SELECT lims.secure_functions()' ],
);
for my $fault (@faults) {
    my ($subject, $table, $break, $mend) = @$fault;
    $tool->superuser->do($break);
    my $done = $tool->run(qw(check --json));
    is($done->{exit}, 1, "$break: exit status 1");
    my $finding = findings($done)->{$subject};
    is($finding->{state}, 'failed', "$subject failed");
    like($finding->{finding}, qr/\b$table\b/, "the finding names $table");
    ok($finding->{remedy}, 'the finding has a remedy');
    my @failed = grep { $_->{state} eq 'failed' } @{ $done->{json}{findings} };
    is(@failed, 1, 'no other check fails');
    like($tool->run('check')->{out}, qr/^failed +\Q$subject\E: .*\n +\S/m,
        'the text output has finding and remedy');
    $tool->superuser->do($mend);
}
is($tool->run('check')->{exit}, 0, 'after the repair the check passes');

my $name = $tool->value('SELECT current_database()');
$tool->superuser->do("GRANT TEMPORARY ON DATABASE $name TO PUBLIC");
my $loose = $tool->run(qw(check --json));
is(findings($loose)->{'temporary tables'}{state}, 'warning', 'a right that no schema carries');
is($loose->{exit}, 0, 'a warning alone does not fail the check');
$tool->superuser->do("REVOKE TEMPORARY ON DATABASE $name FROM PUBLIC");

# Another login, an empty database, none at all.

my $app = $tool->as('lims_app', qw(check --json));
is($app->{exit}, 1, 'the run-time role cannot run the check');
is(findings($app)->{login}{state}, 'failed', 'the login is named');

my $empty = LIMS::Test::Tool->new(empty => 1)->run(qw(check --json));
is($empty->{exit}, 5, 'a database without the schema');
like(findings($empty)->{schema}{remedy}, qr/limsctl migrate/, 'the remedy says what to do');
is($tool->run(qw(check --database), 'host=/nowhere')->{exit}, 4,
    'without a database the exit status is 4');

# The configuration of httpd, where its test is named.

is(findings($tool->run(qw(check --json --configtest), 'echo Syntax OK'))->{configuration}{finding},
    'Syntax OK', 'httpd\'s own syntax check is shown');
my $bad = $tool->run(qw(check --json --configtest), 'echo LIMS0001: no TLS >&2; exit 1');
is($bad->{exit}, 1, 'an invalid configuration');
is(findings($bad)->{configuration}{finding}, 'LIMS0001: no TLS',
    'the finding has the words of configtest');

done_testing();
