#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Authentication in SQL: API keys as the database sees them, the context that they set, and
# the stored responses of repeated requests.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');

# Somebody has to remain who manages users.
$base->insert('user_role', { organization_id => $lab->{id}, role => 'administrator',
    user_id => $base->insert('user_account', { organization_id => $lab->{id},
        email => 'second@x.example', display_name => 'Second', password_hash => 'set' }) });
my $app  = $base->app(undef);

sub made_key {
    my ($raw, %column) = @_;
    my @names = sort keys %column;
    return $base->value(
        sprintf(q{INSERT INTO lims.api_key (organization_id, name, key_hash, key_prefix,
            created_by, scopes%s)
                  VALUES (?, 'k', sha256(?::text::bytea), 'lk_', ?,
                      '{samples:read}'%s) RETURNING id},
            join('', map { ", $_" } @names), ', ?' x @names), $lab->{id}, $raw, $lab->{user_id},
                @column{@names});
}

sub authenticated {
    my ($raw) = @_;
    my $row = eval {
        $app->selectrow_hashref('SELECT * FROM lims.authenticate(sha256(?::text::bytea), ?)',
            undef, $raw, 'req-1');
    };
    return $row || $app->state . ' ' . ($app->errstr =~ /ERROR:\s*(.*)/)[0];
}

my $id  = made_key('lk_good');
my $row = authenticated('lk_good');
is_deeply([ @$row{qw(key_id organization_id user_id scopes upload_only)} ],
    [ $id, $lab->{id}, $lab->{user_id}, ['samples:read'], 0 ],
        'authenticate() returns organization, user, scopes');

$app->begin_work;
authenticated('lk_good');
is_deeply($app->selectrow_arrayref(q{SELECT lims.context_id('organization_id'),
    lims.context_id('user_id'),
        lims.context_id('api_key_id'), lims.context('request_id'), lims.context('reason')}),
    [ $lab->{id}, $lab->{user_id}, $id, 'req-1', undef ],
        'the context is set within the transaction');
$app->commit;
is_deeply($app->selectrow_arrayref(q{SELECT lims.context_id('organization_id'),
    lims.context_id('user_id'),
        lims.context_id('api_key_id'), lims.context('request_id')}), [ (undef) x 4 ],
            'the context ends with the transaction');

# A file that was received is read later, in the name of its sender: as long as the key would be
# accepted.
sub acting_for {
    my ($key) = @_;
    $app->begin_work;
    $app->do('SELECT lims.act_for_sender(?, ?, ?, ?)', undef, $lab->{id}, $lab->{user_id}, $key, 'req-2');
    my ($user) = $app->selectrow_array(q{SELECT lims.context_id('user_id')});
    $app->rollback;
    return $user;
}
my $maker = $base->insert('user_account', { organization_id => $lab->{id}, email => 'maker@x.example',
    display_name => 'Maker' });
my $given = $base->value(q{INSERT INTO lims.api_key (organization_id, name, key_hash, key_prefix, created_by, acts_for,
    scopes) VALUES (?, 'k', sha256('lk_given'), 'lk_', ?, ?, '{results:write}') RETURNING id}, $lab->{id}, $maker,
    $lab->{user_id});
is(acting_for($given), $lab->{user_id}, 'a received file is read in the name of the person whom its key acts for');
$base->db->do('UPDATE lims.user_account SET active = false WHERE id = ?', undef, $maker);
is(acting_for($given), undef, 'but not once the person who made the key is inactive');

made_key('lk_revoked', revoked_at => '2026-01-01');
made_key('lk_expired', expires_at => '2026-01-01');
is(authenticated('lk_unknown'), 'LM401 the API key is unknown', 'an unknown key');
is(authenticated('lk_revoked'), 'LM401 the API key is revoked', 'a revoked key');
is(authenticated('lk_expired'), 'LM401 the API key has expired', 'an expired key');
for my $case (
    [ organization => $lab->{id}, 'api_access', 'the plan has no API access' ],
    [ organization => $lab->{id}, 'active', 'the organization is not active' ],
    [ user_account => $lab->{user_id}, 'active', q{the API key's user is not active} ],
) {
    my ($table, $row_id, $column, $words) = @$case;
    $base->db->do("UPDATE lims.$table SET $column = false WHERE id = ?", undef, $row_id);
    is(authenticated('lk_good'), "LM401 $words", $words);
    $base->db->do("UPDATE lims.$table SET $column = true WHERE id = ?", undef, $row_id);
}
ok(ref authenticated('lk_good'), 'the key is valid again');
refused($base->db, 'UPDATE lims.api_key SET revoked_at = NULL WHERE revoked_at IS NOT NULL', [],
    'invalid_transition', 'a revoked key stays revoked');
refused($base->db, q{UPDATE lims.api_key SET key_hash = sha256('x')
    WHERE id = ?}, [$id], 'invalid_transition',
    'the hash of a key cannot change');
my $other = $base->insert('user_account', { organization_id => $lab->{id},
    email => 'other@cedar.example', display_name => 'Otto Other' });
refused($base->db, q{UPDATE lims.api_key SET created_by = ?
    WHERE id = ?}, [ $other, $id ], 'invalid_transition', 'the user of a key cannot change');
$base->db->do(q{UPDATE lims.api_key SET last_used_at = now(), updated_at = '2001-01-01'
    WHERE id = ?}, undef, $id);
is($base->value('SELECT updated_at >= created_at FROM lims.api_key WHERE id = ?', $id), 1,
    'updated_at of a key cannot be written');
refused($base->db, q{UPDATE lims.api_key
    SET scopes = '{everything}' WHERE id = ?}, [$id], '23514', 'an unknown scope is refused');

# The command line.
is(eval { $app->do('SELECT lims.act_as(?, ?, NULL, NULL, NULL)', undef, $lab->{id}, 999_999); 1 }
    || $app->state, 'LM401',
    'acting as an unknown user is refused');
is_deeply($app->selectall_arrayref('SELECT code FROM lims.organizations()'), [ ['cedar'] ],
    'the run-time role can list the organizations');
refused($app, 'SELECT count(*) FROM lims.organization', [], 'LM500',
    'the table of organizations shows nothing without a context');

# One request, many times at once: one does it.
sub begin {
    my ($handle, $key, $print, $lifetime) = @_;
    $handle->do(q{SELECT lims.set_context(?, ?, ?, 'r', NULL, NULL)}, undef, $lab->{id},
        $lab->{user_id}, $id);
    return $handle->selectrow_hashref('SELECT *
        FROM lims.idempotency_begin(?, sha256(?::text::bytea), ?)', undef, $key,
        $print, $lifetime || '24 hours');
}
my @outcome = $base->parallel(20, sub {
    my $handle = $base->app(undef);
    $handle->begin_work;
    my $found = begin($handle, 'order-1', 'POST /samples {}');
    if ($found->{outcome} eq 'new') {
        select undef, undef, undef, 1.0;
        $handle->do(q{SELECT lims.idempotency_finish('order-1', ?, 201,
            '{"Location":"/api/v1/samples/1"}', '{"id":1}')}, undef, $found->{token});
    }
    $handle->commit;
    return $found->{outcome};
});
my %seen;
$seen{$_}++ for @outcome;
is($seen{new}, 1, 'one of twenty claims the idempotency key');
is(($seen{in_progress} || 0) + ($seen{replay} || 0), 19,
    'the others get "in progress" or the stored response')
    || diag(explain(\%seen));
cmp_ok($seen{in_progress}, '>', 0, 'some of them overlapped');
$app->begin_work;
is_deeply(begin($app, 'order-1', 'POST /samples {}'),
    { outcome => 'replay', token => undef, status => 201, headers => '{"Location":"/api/v1/samples/1"}',
        body => '{"id":1}' },
    'a repetition gets the stored response');
is(begin($app, 'order-1', 'POST /samples {"x":1}')->{outcome}, 'mismatch',
    'another request with the same key is a mismatch');
is(begin($app, 'order-2', 'POST /samples {}')->{outcome}, 'new', 'another idempotency key is new');
$app->rollback;
$app->begin_work;
is(begin($app, 'order-2', 'POST /samples {}')->{outcome}, 'new',
    'a rolled back request can be made again');
$app->rollback;
$base->db->do(q{UPDATE lims.idempotency_record SET created_at = now() - interval '25 hours'});
$app->begin_work;
is(begin($app, 'order-1', 'POST /clients {}')->{outcome}, 'new', 'a day later the key is free');
$app->rollback;

done_testing();
