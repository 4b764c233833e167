#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Errors of PostgreSQL in the middle of a write, by SQLSTATE: passing trouble of the
# database is 503 and not 500, serialization failures and deadlocks are retried, nothing of
# a failed write is done, and the connection can be used afterwards.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(children => 1, conf => LIMS::Service::Laboratory::patience());

# A client's name says with which SQLSTATE its insertion fails, and how often.
$lims->db->do($_) for 'CREATE SEQUENCE lims.attempt', <<'FUNCTION', <<'TRIGGER';
CREATE FUNCTION lims.fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF nextval('lims.attempt') <= split_part(NEW.name, ' ', 2)::integer THEN
        RAISE EXCEPTION USING MESSAGE = 'made by the test', ERRCODE = split_part(NEW.name, ' ', 1);
    END IF;
    RETURN NEW;
END
$$
FUNCTION
CREATE TRIGGER fail BEFORE INSERT ON lims.client FOR EACH ROW EXECUTE FUNCTION lims.fail()
TRIGGER

sub create {
    my ($state, $times) = @_;
    $lims->db->do('ALTER SEQUENCE lims.attempt RESTART');
    my $answer = $lims->post('/clients', { code => 'X', name => "$state $times" });
    my ($last, $called) = $lims->db->selectrow_array('SELECT last_value, is_called FROM lims.attempt');
    return ($answer, $called ? $last : 0);
}

# One whose connection was closed is there until it has noticed.
sub sessions {
    my @pids;
    wait_until {
        @pids = @{ $lims->superuser->selectcol_arrayref(q{SELECT pid FROM pg_stat_activity
            WHERE application_name = 'mod_lims' AND datname = current_database() ORDER BY pid}) };
        @pids == 1;
    };
    return "@pids";
}

# SQLSTATE => [status, attempts]
my %outcome = (
    '40001' => [ 503, 3 ],    # serialization_failure
    '40P01' => [ 503, 3 ],    # deadlock_detected
    '25006' => [ 503, 3 ],    # read_only_sql_transaction
    '55P03' => [ 503, 1 ],    # lock_not_available
    '57014' => [ 503, 1 ],    # query_canceled
    '53100' => [ 503, 1 ],    # disk_full
    '53200' => [ 503, 1 ],    # out_of_memory
    '53300' => [ 503, 1 ],    # too_many_connections
    '57P03' => [ 503, 1 ],    # cannot_connect_now
    '58030' => [ 503, 1 ],    # io_error
    '42703' => [ 500, 3 ],    # undefined_column
    'XX000' => [ 500, 3 ],    # internal_error
    '42501' => [ 500, 1 ],    # insufficient_privilege
    'P0001' => [ 500, 1 ],    # raise_exception
    '22012' => [ 500, 1 ],    # division_by_zero
    '22003' => [ 400, 1 ],    # numeric_value_out_of_range
    '23514' => [ 400, 1 ],    # check_violation
);

is($lims->get('/clients')->status, 200, 'there is a connection');
for my $state (sort keys %outcome) {
    my ($status, $attempts) = @{ $outcome{$state} };
    my $before = sessions();
    my ($answer, $made) = create($state, 99);
    is($answer->status, $status, "$state: $status");
    is($made, $attempts, "$state: as many attempts as it takes");
    is($answer->header('Retry-After'), $status == 503 ? 1 : undef,
        'the answer comes ' . ($status == 503 ? 'with' : 'without') . ' Retry-After');
    unlike($answer->body, qr/made by the test|$state/, "$state: the refusal says nothing about our insides");
    is($lims->get('/clients')->json->{data}[0], undef, 'nothing is written');
    if ($state eq '25006') {
        isnt(sessions(), $before, 'the next request has another connection');
    }
    else {
        is(sessions(), $before, "$state: the next request has the same connection");
    }
}
$lims->expect_log(qr/LIMS0037: 500 internal: .*42703/);
$lims->expect_log(qr/LIMS0035: 503 service_unavailable: .*40(?:001|P01)/);
$lims->expect_log(qr/LIMS00(?:3[2457]|4[35]): \d+ \w+: .*: (?:@{[ join '|', keys %outcome ]}) /);

for my $state (grep { $outcome{$_}[1] == 3 } sort keys %outcome) {
    my ($answer, $made) = create($state, 1);
    is($answer->status, 201, "$state once: the request is repeated and succeeds");
    is($made, 2, "$state once: it succeeds at the second attempt");
    is($lims->db->do(q{UPDATE lims.client SET code = 'X-' || id WHERE code = 'X'}), 1,
        'the client is made once');
}

# The server process ends without an answer, as in a crash.
subtest 'a connection that is lost' => sub {
    my $super = $lims->superuser;
    $super->do(<<'FUNCTION');
CREATE FUNCTION lims.vanish() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF nextval('lims.attempt') <= NEW.contact_name::integer THEN
        PERFORM pg_terminate_backend(pg_backend_pid());
    END IF;
    RETURN NEW;
END
$$
FUNCTION
    my $create = sub {
        my ($code, $times) = @_;
        $lims->db->do('ALTER SEQUENCE lims.attempt RESTART');
        return $lims->post('/clients', { code => $code, name => '40001 0', contactName => $times });
    };
    my $attempts = sub { return $super->selectrow_array('SELECT last_value FROM lims.attempt') };

    $super->do('DROP TRIGGER fail ON lims.client');
    $super->do('CREATE TRIGGER vanish BEFORE INSERT ON lims.client
        FOR EACH ROW EXECUTE FUNCTION lims.vanish()');
    is($create->('L-1', '1')->status, 201, 'lost before the commit: the write is retried');
    is($attempts->(), 2, 'the write is tried twice');
    is($create->('L-2', '99')->status, 503, 'lost in every attempt: the write is refused');
    is($attempts->(), 3, 'the write is tried three times');

    $super->do('DROP TRIGGER vanish ON lims.client');
    $super->do('CREATE CONSTRAINT TRIGGER vanish AFTER INSERT ON lims.client
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lims.vanish()');
    my $answer = $create->('L-3', '1');
    is($answer->status, 503, 'lost at the commit: refused, as its outcome is unknown');
    is($attempts->(), 1, 'a request lost at the commit is not done anew');
    like($answer->json->{message}, qr/may have been made or not: .*Idempotency-Key/,
        'the message says that the outcome is unknown');
    $super->do('DROP TRIGGER vanish ON lims.client');
    $lims->expect_log(qr/LIMS003[68]: 503 service_unavailable/);
    is($lims->get('/clients')->status, 200, 'the next request gets another connection');
};

subtest 'a real deadlock' => sub {
    my $lab = LIMS::Service::Laboratory->new($lims);
    my ($first, $second) = map { ($lab->worked(1))[1] } 1 .. 2;
    my ($other, $ours)   = $lims->parallel(2, sub {
        my ($number) = @_;
        if ($number) {
            wait_until {
                $lims->superuser->selectrow_array(
                    q{SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                      WHERE l.locktype = 'advisory' AND d.datname = current_database()});
            } or die "the other does not begin\n";
            return $lims->post('/sample-tests/bulk-results', { updates => [
                    { sampleTestId => $first,  result => '1' },
                    { sampleTestId => $second, result => '2' } ] })->status;
        }
        my $db = $lims->superuser;
        # So that it is ours that PostgreSQL ends.
        $db->do(q{SET deadlock_timeout = '1min'});
        $db->begin_work;
        $db->do('SELECT FROM lims.sample_test WHERE id = ? FOR UPDATE', undef, $second);
        $db->do('SELECT pg_advisory_xact_lock(1)');
        wait_until {
            $db->selectrow_array('SELECT count(*) FROM pg_locks WHERE NOT granted'
                . ' AND transactionid = pg_current_xact_id()::xid');
        } or die "nobody waits for this one\n";
        $db->do('SELECT FROM lims.sample_test WHERE id = ? FOR UPDATE', undef, $first);
        $db->commit;
        return 'committed';
    });
    is($other, 'committed', 'the other transaction goes on');
    is($ours, 200, 'the rolled back request is retried');
    is($lims->get("/sample-tests?limit=500")->json->{data}[1]{result}, '2',
        'the result is entered');
    # PostgreSQL adds them up now and then.
    my $deadlocks = wait_until {
        $lims->superuser->selectrow_array(
            'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
    };
    cmp_ok($deadlocks, '>=', 1, 'there was a deadlock');
};

done_testing();
