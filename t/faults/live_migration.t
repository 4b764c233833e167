#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Migrations while requests run. One that the running service can live with goes
# unnoticed, even if it changes the result of prepared statements, waits for a long
# transaction and meets a deadlock; after one that it cannot live with every request is refused with 503 until
# the matching mod_lims is installed.
use strict;
use warnings;

use LIMS::Chaos::LoadDuringFault;
use LIMS::Test;
use Time::HiRes qw(time sleep);

my $lims    = LIMS::Test->new(conf => LIMS::Chaos::LoadDuringFault::conf());
my $limsctl = LIMS::Instance::out() . '/t/faults/limsctl';
my ($version) = $lims->db->selectrow_array('SELECT max(version) FROM lims.schema_migration');

sub requests_wait {
    return $lims->superuser->selectrow_array(
        q{SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
             AND application_name = 'mod_lims' AND wait_event_type = 'Lock'});
}

sub migration_waits_for_table {
    my ($db) = @_;
    return $db->selectrow_array(
        q{SELECT count(*) FROM pg_locks
           WHERE relation = 'lims.client'::regclass AND mode = 'AccessExclusiveLock'
             AND NOT granted});
}

my $load = LIMS::Chaos::LoadDuringFault->run($lims, clients => 8, action => sub {
    my $reader = LIMS::Instance::connect_database($lims->{database}, 'postgres');
    # So that it is the migration that PostgreSQL ends when the two meet in a deadlock.
    $reader->do(q{SET deadlock_timeout = '1min'});
    $reader->begin_work;
    $reader->selectall_arrayref('SELECT * FROM lims.client');
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        # The child ends by _exit(), so that it cleans up nothing of the parent's.
        my ($status, $output) = LIMS::Instance::capture($limsctl, '--database', $lims->conninfo,
            'migrate');
        warn $output if $status;
        require POSIX;
        POSIX::_exit($status);
    }
    # Until it is seen to hold up requests, and longer than it may at a time.
    my $queued = wait_until { requests_wait() } 20;
    sleep 4 if $queued;
    # The migration has the view by now, the reader its table.
    my $met = wait_until { migration_waits_for_table($reader) } 20;
    $reader->do('SELECT FROM lims.client_record') if $met;
    $reader->rollback;
    $reader->disconnect;
    waitpid $pid, 0;
    return { status => $?, queued => $queued, met => $met };
});
is($load->{result}{status}, 0, 'the migration is applied');
cmp_ok($load->{result}{queued}, '>', 0, 'the migration had requests queued behind it');
is($lims->db->selectrow_array('SELECT max(version) FROM lims.schema_migration'), $version + 1,
    'the schema is newer than before');
is_deeply([ grep { $_->{status} !~ /\A2/ } $load->answers ], [], 'no request failed');
$load->judge('migrated under load');

sub make_incompatible {
    my ($db) = @_;
    $db->begin_work;
    $db->do('ALTER VIEW lims.client_record RENAME TO client_row');
    $db->do(q{INSERT INTO lims.schema_migration (version, name, checksum, compatible_since)
              VALUES (?, 'future', 'none', ?)}, undef, $version + 2, $version + 2);
    return $db->commit;
}

sub make_compatible {
    my ($db) = @_;
    $db->begin_work;
    $db->do('ALTER VIEW lims.client_row RENAME TO client_record');
    $db->do('DELETE FROM lims.schema_migration WHERE version = ?', undef, $version + 2);
    return $db->commit;
}

subtest 'a schema that needs a newer service' => sub {
    my ($done, @answers) = $lims->parallel(7, sub {
        my ($number) = @_;
        if (!$number) {
            sleep 0.3;
            make_incompatible($lims->db);
            return time;
        }
        my (@seen, $until);
        while (!$until || time < $until) {
            my $begun  = time;
            my $answer = $number % 2 ? $lims->get('/clients')
                : $lims->post('/clients', { code => "I-$number-$begun", name => 'I' });
            push @seen, [ $begun, $answer->status, $answer->json->{error} ];
            $until ||= time + 1 if $answer->status !~ /\A2/;
        }
        return \@seen;
    });
    my @failed = grep { $_->[1] !~ /\A2/ } map {@$_} @answers;
    my @later  = grep { $_->[0] > $done } map      {@$_} @answers;
    is_deeply([ grep {"$_->[1] $_->[2]" ne '503 service_unavailable'} @failed ], [],
        'requests that meet the new schema get 503');
    is_deeply([ grep { $_->[1] =~ /\A2/ } @later ], [], 'no request that meets the new schema succeeds');
    $lims->expect_log(qr/LIMS0039: 503 .*which needs a mod_lims made for version/);

    # A process whose statements still work would go on by outdated rules.
    my $noticed = 0;
    wait_until {
        $noticed = $lims->get('/whoami')->status == 503 ? $noticed + 1 : 0;
        $noticed == 10;
    } 20;
    is($noticed, 10, 'other requests are refused soon after');

    make_compatible($lims->db);
    is_deeply([ map { $lims->get("/$_")->status } qw(clients whoami clients) ], [ 200, 200, 200 ],
        'once the schema fits, every request is answered');
};

done_testing();
