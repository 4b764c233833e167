#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# lastUsedAt of a key: written at most once per LimsKeyTouchInterval, by reads and by
# writes, and once by many requests at the same time.
use strict;
use warnings;

use LIMS::Test;

my $interval = 4;
my $lims     = LIMS::Test->new(conf => "LimsKeyTouchInterval $interval");

# Counts each write of a key, whoever does it, and each attempt at one.
$lims->db->do($_) for (
    'CREATE TABLE lims.attempt_count ()',
    q{CREATE FUNCTION lims.count_attempt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN INSERT INTO lims.attempt_count DEFAULT VALUES; RETURN NULL; END $$},
    q{CREATE TRIGGER count_attempt BEFORE UPDATE ON lims.api_key
      FOR EACH STATEMENT EXECUTE FUNCTION lims.count_attempt()},
    'CREATE TABLE lims.touch_count (api_key_id bigint NOT NULL)',
    q{CREATE FUNCTION lims.count_touch() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN INSERT INTO lims.touch_count VALUES (NEW.id); RETURN NULL; END $$},
    q{CREATE TRIGGER count_touch AFTER UPDATE ON lims.api_key
      FOR EACH ROW EXECUTE FUNCTION lims.count_touch()},
);

sub touches {
    my ($key) = @_;
    return $lims->db->selectrow_array(
        'SELECT count(*) FROM lims.touch_count WHERE api_key_id = ?', undef, $key->{key_id});
}

# At most one each interval, the first at the beginning.
sub allowed {
    my ($since) = @_;
    return 1 + int((time - $since) / $interval);
}

sub attempts { return $lims->db->selectrow_array('SELECT count(*) FROM lims.attempt_count') }

# Seconds since it was used last, by what is kept.
sub age {
    my ($key) = @_;
    return $lims->db->selectrow_array(
        'SELECT extract(epoch FROM now() - last_used_at) FROM lims.api_key WHERE id = ?', undef,
        $key->{key_id});
}

subtest 'a read updates lastUsedAt' => sub {
    my $key = $lims->key($lims->fixture);
    is(age($key), undef, 'a new key was never used');
    my $begun = time;
    is($lims->get('/clients', key => $key->{key})->status, 200, 'the key is used');
    is(touches($key), 1, 'the use of the key is kept by one write');
    cmp_ok(age($key), '<=', time + 1 - $begun, 'the time of the last use is now');
    $lims->get('/clients', key => $key->{key}) for 1 .. 30;
    my $most    = allowed($begun);
    my $touches = touches($key);
    cmp_ok($touches, '<=', $most, 'thirty more within the interval write nothing');
    cmp_ok(attempts(), '<=', $most, 'thirty more uses within the interval try no write');
    sleep $interval + 1;
    cmp_ok(age($key), '>=', $interval, 'lastUsedAt is older than the interval');
    $begun = time;
    $lims->get('/clients', key => $key->{key}) for 1 .. 10;
    cmp_ok(touches($key), '>', $touches, 'after the interval it is written once more');
    cmp_ok(touches($key), '<=', $touches + allowed($begun),
        'no further write follows within the interval');
    cmp_ok(age($key), '<=', time + 1 - $begun, 'the time of the last use is now again');
};

subtest 'a write updates lastUsedAt' => sub {
    my $key   = $lims->key($lims->fixture);
    my $begun = time;
    $lims->post('/clients', { code => "L-$_", name => 'L' }, key => $key->{key}) for 1 .. 10;
    my $touches = touches($key);
    cmp_ok($touches, '>', 0, 'ten writes note it');
    cmp_ok($touches, '<=', allowed($begun), 'ten uses are written once');
    cmp_ok(age($key), '<=', time + 1 - $begun, 'lastUsedAt is now');
};

subtest 'many requests at once update it once' => sub {
    my $key  = $lims->key($lims->fixture);
    my $many = sub {
        return [ $lims->parallel(12, sub { $lims->get('/clients', key => $key->{key})->status }) ];
    };
    my $hold = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
    $hold->begin_work;
    $hold->do('SELECT 1 FROM lims.api_key WHERE id = ? FOR UPDATE', undef, $key->{key_id});
    is_deeply($many->(), [ (200) x 12 ], 'no request waits for a change of the key');
    is(touches($key), 0, 'a key that is being changed is not written meanwhile');
    $hold->rollback;
    $hold->disconnect;
    my $begun = time;
    is_deeply($many->(), [ (200) x 12 ], 'twelve at the same moment');
    my $touches = touches($key);
    cmp_ok($touches, '>', 0, 'write it');
    cmp_ok($touches, '<=', allowed($begun), 'parallel uses are written once');
};

subtest 'refused requests do not update it' => sub {
    my $key = $lims->key($lims->fixture);
    $lims->db->do('UPDATE lims.api_key SET revoked_at = now() WHERE id = ?', undef,
        $key->{key_id});
    my $before = touches($key);
    is($lims->get('/clients', key => $key->{key})->status, 401, 'a revoked key');
    is(touches($key), $before, 'a refused key is not marked as used');
    is(age($key), undef, 'a refused key has no time of use');
};

subtest 'updating it is no audited change' => sub {
    my $key = $lims->key($lims->fixture);
    my $sql = q{SELECT k.updated_at, (SELECT count(*) FROM lims.audit_entry a
                  WHERE a.table_name = 'api_key' AND a.record_id = k.id)
                  FROM lims.api_key k WHERE k.id = ?};
    my @before = $lims->db->selectrow_array($sql, undef, $key->{key_id});
    $lims->get('/whoami', key => $key->{key});
    is(touches($key), 1, 'lastUsedAt was written');
    is_deeply([ $lims->db->selectrow_array($sql, undef, $key->{key_id}) ], \@before,
        'updatedAt and the audit trail are unchanged');
};

done_testing();
