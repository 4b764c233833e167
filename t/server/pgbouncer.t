#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Behind PgBouncer, as conf/high-availability.md has it set up: sessions are
# pooled, and what the service asks of a session is set for its role.
use strict;
use warnings;

use File::Temp qw(tempdir);
use LIMS::Chaos::PostgreSQL;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $dir  = tempdir('/var/tmp/lims-pgb.XXXXXX', CLEANUP => 1);
# A role's settings hold in the whole cluster.
my $server = LIMS::Chaos::PostgreSQL->own('pgbouncer');
my $who  = $> == 0 ? 'www-data' : getpwuid $>;
my $pid;

sub write_file {
    my ($name, $text) = @_;
    open my $out, '>', "$dir/$name" or die "$dir/$name: $!\n";
    print {$out} $text;
    close $out;
    return;
}

# The guide's own lines, and where things are in this test.
my $guide = do {
    open my $in, '<', 'conf/high-availability.md' or die "the guide: $!\n";
    local $/ = undef;
    <$in>;
};
my ($settings) = $guide =~ /^```ini\n(\[pgbouncer\]\n.*?)^```/ms;
my ($role)     = $guide =~ /^```sql\n(ALTER ROLE lims_app .*?)^```/ms;
BAIL_OUT('conf/high-availability.md does not say how') unless $settings && $role;
LIMS::Instance::template();    # with which the roles come
$server->say($role =~ /(ALTER .*);/g);

write_file('users', qq("lims_app" ""\n));
write_file('pgbouncer.ini', "[databases]\n* = host=" . $server->socket . "\n$settings"
        . "listen_addr =\nlisten_port = 6432\nunix_socket_dir = $dir\nauth_type = trust\n"
        . "auth_file = $dir/users\nlogfile = $dir/log\n");
chmod 0755, $dir;
chown scalar(getpwnam $who), -1, $dir if $> == 0;
sub start_pgbouncer {
    unlink "$dir/.s.PGSQL.6432";
    $pid = fork // die "fork: $!\n";
    if (!$pid) {
        my @as = $> == 0 ? ('setpriv', "--reuid=$who", "--regid=$who", '--clear-groups') : ();
        $ENV{PATH} .= ':/usr/sbin';
        open STDERR, '>', '/dev/null' or die "/dev/null: $!\n";
        exec @as, 'pgbouncer', '-q', "$dir/pgbouncer.ini" or die "pgbouncer: $!\n";
    }
    wait_until { -S "$dir/.s.PGSQL.6432" } or die "pgbouncer did not start\n";
    return;
}
END { local $?; kill 'KILL', $pid if $pid }
start_pgbouncer();

my $lims = LIMS::Test->new(conf =>
    qq(Define LIMS_DATABASE "host=$dir port=6432 dbname=lims_test_server_pgbouncer"));
my $lab = LIMS::Service::Laboratory->new($lims);
my ($sample, $test) = $lab->worked(1);
is($lims->post("/sample-tests/$test/verify", {})->status, 200, 'the work is done');
refused($lims->patch("/sample-tests/$test", { result => '9' }), 409, 'test_verified_locked',
    'the gates hold');
my @once = map { $lims->post('/clients', { code => 'A', name => 'A' },
        headers => { 'Idempotency-Key' => 'once' }) } 1, 2;
is($once[1]->header('Idempotent-Replayed'), 'true', 'idempotency works');
my @statuses = $lims->parallel(16, sub {
    return [ map { $lims->get("/samples/$sample->{id}")->status } 1 .. 10 ];
});
is_deeply([ grep { $_ != 200 } map {@$_} @statuses ], [], 'many at once');
subtest 'the role\'s settings are those of the service' => sub {
    $server->say("ALTER ROLE lims_app SET lock_timeout = '200ms'");
    kill 'KILL', $pid;
    waitpid $pid, 0;
    is($lims->get('/whoami')->status, 503, 'without it nothing is reached');
    $lims->expect_log(qr/LIMS00(?:38|51): 503/);
    start_pgbouncer();
    my $db = $lims->db;
    $db->begin_work;
    $db->do('SELECT FROM lims.sample WHERE id = ? FOR UPDATE', undef, $sample->{id});
    my $answer;
    wait_until {
        $answer = $lims->patch("/samples/$sample->{id}", { notes => 'n' });
        $answer->body !~ /out of reach/;
    };
    is($answer->status, 503, 'a lock that is not had in time ends the request');
    $db->rollback;
    $lims->expect_log(qr/55P03/);
};
ok($lims->finish, 'the log is clean');

done_testing();
