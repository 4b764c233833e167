#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The life of an API key: how limsctl creates, lists and revokes it, and what the service
# accepts of it.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use LIMS::Test;

my $lims = LIMS::Test->new;
my $code = $lims->fixture->{code};
my @here = ('--organization', $code, '--user', "administrator\@$code.example");

sub create {
    my (@options) = @_;
    my $done = $lims->ctl(qw(key create --name test), @options, @here);
    is($done->{exit}, 0, "key create @options") or diag($done->{output});
    return $done->{json};
}

# The key is shown once.

my $key = create();
like($key->{rawKey}, qr/\Alk_[0-9A-Za-z]{46}\z/, 'the key\'s form');
is($key->{keyPrefix}, substr($key->{rawKey}, 0, 8) . '...',
    'the record shows the key\'s beginning');
is_deeply($key->{scopes}, [], 'no list of scopes');
is($lims->db->selectrow_array(q{SELECT encode(key_hash, 'hex') FROM lims.api_key WHERE id = ?},
    undef, $key->{id}), sha256_hex($key->{rawKey}), 'its hash is kept');
for my $look ([qw(key list)], [ qw(key show), $key->{id} ]) {
    my $done = $lims->ctl(@$look, @here);
    is($done->{exit}, 0, "@$look");
    unlike($done->{output}, qr/rawKey|\Q$key->{rawKey}\E/, "@$look does not show it");
    like($done->{output}, qr/\Q$key->{keyPrefix}\E/, "@$look shows its beginning");
}
is($lims->db->selectrow_array(q{SELECT count(*) FROM lims.audit_entry
                                 WHERE changes::text LIKE '%' || ? || '%'}, undef,
        sha256_hex($key->{rawKey})), 0, 'the audit trail has not even the hash');

# Life of a key ------------------------------------------------------------------

my $who = $lims->get('/whoami', key => $key->{rawKey});
is($who->status, 200, 'the key is accepted');
is($who->json->{keyId}, $key->{id}, 'whoami names the key');
is($who->json->{userId}, $lims->fixture->{user_id}, 'whoami names who created it');
is($lims->get('/samples', key => $key->{rawKey})->status, 200, 'without a list it may do anything');

my $reader = create('--scopes', 'reference:read,samples:read');
is($lims->get('/samples', key => $reader->{rawKey})->status, 200, 'a scope it has');
is($lims->get('/sample-tests', key => $reader->{rawKey})->status, 403, 'a scope it has not');
my $wrong = $lims->ctl(qw(key create --name x --scopes samples:reed), @here);
is($wrong->{exit}, 1, 'an unknown scope');
like($wrong->{json}{message}, qr/samples:write/, 'the message names those there are');

my $upload = create('--upload-only');
is($lims->get('/whoami',  key => $upload->{rawKey})->status, 200, 'an upload-only key');
is($lims->get('/samples', key => $upload->{rawKey})->json->{error}, 'upload_only_key',
    'an upload-only key reads no samples');

my $useless = $lims->ctl(qw(key create --name x --upload-only --scopes samples:read), @here);
is($useless->{exit}, 1, 'upload-only without the scope to upload');
like($useless->{json}{message}, qr/instruments:write/, 'the message names the missing scope');
ok(create(qw(--upload-only --scopes instruments:write))->{uploadOnly},
    'with the scope the key is created');
$useless = $lims->ctl(qw(key create --name x --expires-at 2020-01-01T00:00:00Z), @here);
is($useless->{exit}, 1, 'a key that would have expired already');
like($useless->{json}{message}, qr/\AexpiresAt\b/, 'the refusal names the field expiresAt');

my $short = create('--expires-at', '2099-01-01T00:00:00Z');
is($lims->get('/whoami', key => $short->{rawKey})->status, 200,
    'before its expiry the key is accepted');
$lims->db->do(q{UPDATE lims.api_key SET expires_at = now() WHERE id = ?}, undef, $short->{id});
is($lims->get('/whoami', key => $short->{rawKey})->status, 401,
    'after its expiry the key is refused');

# Revoked, it is refused at once, by every process that knew it.

is($lims->get('/whoami', key => $key->{rawKey}, connection => 'new')->status, 200, 'still good')
    for 1 .. 6;
my $revoked = $lims->ctl(qw(key revoke), $key->{id}, @here);
is($revoked->{exit}, 0, 'limsctl key revoke succeeds');
like($revoked->{json}{revokedAt}, qr/\A\d{4}-.*Z\z/, 'the record says when it was revoked');
is($lims->get('/whoami', key => $key->{rawKey}, connection => 'new')->status, 401, 'refused')
    for 1 .. 6;
is($lims->ctl(qw(key revoke), $key->{id}, @here)->{json}{revokedAt}, $revoked->{json}{revokedAt},
    'the first revocation stands');
is_deeply([ map { $_->{id} } @{ $lims->ctl(qw(key list --revoked), @here)->{json}{data} } ],
    [ $key->{id} ], 'a list of the revoked ones');
is($lims->ctl(qw(key revoke 999999), @here)->{exit}, 3, 'an unknown key');

# Permission to create keys ------------------------------------------------------

$lims->ctl(qw(user create --email analyst@x.example --display-name Lyst --roles analyst),
    @here);
my $refused = $lims->ctl(qw(key create --name x --user analyst@x.example --organization), $code);
is($refused->{exit}, 1, 'an analyst creates no keys');
like($refused->{json}{message}, qr/administrator/, 'the refusal says who manages keys');

# Keys of an organization without API access, and of somebody who left.

$lims->ctl(qw(organization update --plan none --organization), $code);
is($lims->get('/whoami', key => $reader->{rawKey})->status, 401, 'a plan without API access');
$lims->ctl(qw(organization update --plan starter --api-access --organization), $code);
is($lims->get('/whoami', key => $reader->{rawKey})->status, 200,
    'with API access again the key is accepted');
$lims->insert('user_role', { role => 'administrator', user_id => $lims->insert('user_account',
    { email => 'second@x.example', display_name => 'Second', password_hash => 'set' }) });
$lims->ctl(qw(user deactivate), $lims->fixture->{user_id}, '--organization', $code,
    qw(--user second@x.example));
is($lims->get('/whoami', key => $reader->{rawKey})->status, 401, 'its creator was deactivated');

done_testing();
