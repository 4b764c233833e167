#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# People are managed by people: roles with a reason, never the last who manages users, never
# one's own. Failed signatures lock; links are given once; where nobody who manages users can
# sign in, the owner of the database helps.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);

use LIMS::Test::Tool;

my $tool = LIMS::Test::Tool->new;
my @ana  = $tool->laboratory('cedar');
my @owner = qw(--organization cedar);
my @right = ('--password-file', $tool->secret($tool->password));
my @wrong = ('--password-file', $tool->secret('not that one'));

sub refused {
    my ($slug, @command) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $done = $tool->run('--json', @command);
    my ($said) = $done->{err} =~ /^(\{.*\})\s*\z/m;
    my $body = $done->{json} || ($said && LIMS::Service::JSONSchema::decode($said)) || {};

    ok($done->{exit} && ($body->{error} || '') eq $slug, "refused: $slug")
        or diag("@command: exit $done->{exit}: $done->{out}$done->{err}");
    return $body;
}

sub person {
    my ($name, $roles, @as) = @_;
    $tool->made(@as ? @as : @ana, qw(user create --email), "$name\@cedar.example",
        '--display-name', ucfirst $name, '--roles', $roles, @right);
    return (@owner, '--user', "$name\@cedar.example");
}

sub id {
    my ($name) = @_;
    return $tool->value('SELECT id FROM lims.user_account WHERE email = ?', "$name\@cedar.example");
}

my @bo = person('bo', 'analyst');

subtest 'roles' => sub {
    refused('permission_required', @bo, qw(user list));
    refused('permission_required', @bo, qw(user update), id('bo'), qw(--roles administrator
        --reason x));
    refused('reason_required', @ana, qw(user update), id('bo'), '--roles', 'analyst,qa_officer');
    my $bo = $tool->made(@ana, qw(user update), id('bo'), '--roles',
        'analyst,qa_officer', '--reason', 'covers for Cy');
    is_deeply($bo->{roles}, [qw(analyst qa_officer)], 'changed with a reason');
    is($tool->value(q{SELECT reason FROM lims.audit_entry WHERE table_name = 'user_role'
        ORDER BY id DESC LIMIT 1}), 'covers for Cy', 'the trail has the reason of the change of roles');
    is($tool->value(q{SELECT string_agg(DISTINCT user_id::text, ' ') FROM lims.audit_entry
        WHERE table_name IN ('user_account', 'user_role') AND (record_id = ?
            OR (changes -> 'user_id' ->> 'new')::bigint = ?)}, (id('bo')) x 2), id('ana'),
        'the trail has the person who made him and gave his roles');
    $tool->made(@ana, qw(user update), id('bo'), '--display-name', 'Bo Kim');
};

subtest 'the last who manages users' => sub {
    for my $last ([qw(user deactivate)], [qw(user update --active false)],
        [qw(user update --roles analyst --reason x)]) {
        my ($noun, $verb, @rest) = @$last;
        refused('last_administrator', @ana, $noun, $verb, id('ana'), @rest);
    }
    my @cy = person('cy', 'system_administrator');
    refused('own_roles', @cy, qw(user update), id('cy'), qw(--roles analyst --reason x));
    $tool->made(@cy, qw(user update), id('ana'), qw(--roles lab_manager --reason x));
    refused('last_administrator', @cy, qw(user deactivate), id('cy'));
    $tool->made(@cy, qw(user update), id('ana'), '--roles', 'administrator,lab_manager',
        '--reason', 'back again');
};

# --- Failed signatures --------------------------------------------------------

my $definition = $tool->made(@ana, qw(test-definition create --code PH --name pH));
$tool->made(@ana, qw(material-type create --code WW --name Water));
$tool->made(@ana, qw(sample create --client-name x --material-type-id 1 --test-definition-ids),
    $definition->{id}) for 1 .. 2;
$tool->made(@ana, qw(sample-test enter), $_, qw(--result 7.1)) for 1 .. 2;

sub fails { return refused('signature_invalid', @bo, @wrong, qw(sample-test verify 1)) }

sub state_of {
    my ($name) = @_;
    return $tool->db->selectrow_hashref('SELECT failures, locks, round(extract(epoch FROM'
            . ' locked_until - now()) / 60) AS minutes FROM lims.account_state WHERE user_id = ?',
        undef, id($name)) || {};
}

sub end_lock {
    $tool->db->do('UPDATE lims.account_state SET locked_until = now() - interval $$1 second$$');
    return;
}

subtest 'five failed signatures in a row' => sub {
    fails() for 1 .. 4;
    is(state_of('bo')->{failures}, 4, 'four are counted');
    $tool->made(@bo, @right, qw(sample-test verify 1));
    is_deeply([ @{ state_of('bo') }{qw(failures locks)} ], [ 0, 0 ],
        'the right password sets the count back');
    fails() for 1 .. 4;
    my $last = $tool->run('--json', @bo, @wrong, qw(sample-test verify 1));
    is(state_of('bo')->{minutes}, 15, 'the fifth locks for 15 minutes');
    my $line = 'LIMS0003: account "bo@cedar.example" (user ' . id('bo') . ' of organization';
    like($last->{err}, qr/^limsctl\[\d+\]: \Q$line\E \d+\) is locked after failed signatures until /m,
        'the fifth failure writes a line to the log');
    my $locked = refused('signature_invalid', @bo, @right, qw(sample-test verify 2));
    is($locked->{message}, fails()->{message}, 'the right password is answered as a wrong one');
    is($tool->value('SELECT status FROM lims.sample_test WHERE id = 2'), 'entered',
        'nothing is signed');
    is(state_of('bo')->{failures}, 0, 'what is tried while it is locked does not count');
    ok($tool->made(@ana, qw(user show), id('bo'))->{lockedUntil}, 'user show says until when');
    is($tool->value(q{SELECT count(*) FROM lims.audit_entry WHERE table_name = 'account_state'
        AND changes -> 'locked_until' -> 'new' IS NOT NULL}), 1, 'the trail has the lock');
};

subtest 'many failed signatures at once' => sub {
    my $at_once = sub {
        my ($count) = @_;
        return $tool->parallel($count,
            sub { return $tool->run('--json', @bo, @wrong, qw(sample-test verify 2)) });
    };
    end_lock();
    $tool->made(@bo, @right, qw(sample-test verify 2));
    $tool->made(@bo, @right, qw(sample-test reopen 2 --reason), 'to fail at it');
    my $locks = q{SELECT count(*) FROM lims.audit_entry WHERE table_name = 'account_state'
        AND changes -> 'locks' ->> 'new' <> '0'};
    my $before = $tool->value($locks);
    $at_once->(4);
    is_deeply([ @{ state_of('bo') }{qw(failures locks)} ], [ 4, 0 ], 'four count as four');
    $tool->made(@bo, @right, qw(sample-test verify 2));
    $tool->made(@bo, @right, qw(sample-test reopen 2 --reason), 'to fail at it');
    my @answers = $at_once->(20);
    is(scalar(grep { ($_->{json}{error} || '') eq 'signature_invalid' } @answers), 20,
        'twenty wrong passwords get the same answer');
    is_deeply([ @{ state_of('bo') }{qw(failures locks minutes)} ], [ 0, 1, 15 ],
        'twenty failures at once lock once');
    is($tool->value($locks), $before + 1, 'the trail has one entry of the lock');
    is(scalar(grep { $_->{err} =~ /LIMS0003/ } @answers), 1, 'the log has one line of the lock');
};

subtest 'the next lock is twice as long, up to a day' => sub {
    for my $minutes (30, 60, 120, 240, 480, 960, 1440, 1440) {
        end_lock();
        fails() for 1 .. 5;
        is(state_of('bo')->{minutes}, $minutes, "$minutes minutes");
    }
};

subtest 'the database asks again' => sub {
    my $app = LIMS::Instance::connect_database($tool->{database}, 'lims_app');
    my $sign = sub {
        my $ok = eval {
            $app->begin_work;
            $app->do(q{SELECT set_config('lims.organization_id', ?, true),
                set_config('lims.user_id', ?, true)}, undef,
                $tool->value(q{SELECT id FROM lims.organization WHERE code = 'cedar'}), id('bo'));
            $app->selectrow_array(q{SELECT lims.sign(?, 'verified', 'sample_test', 2)}, undef,
                id('bo'));
        };
        my $error = $@;
        $app->rollback;
        return $ok || $error;
    };
    like($sign->(), qr/account_locked/, 'a locked account signs nothing');
    end_lock();
    like($sign->(), qr/\A[0-9]+\z/, 'once the time has passed, it does');
    ok(!eval { $app->do('UPDATE lims.account_state SET failures = 0'); 1 },
        'the run-time role does not set the count back');
    $app->disconnect;
    $tool->made(@bo, @right, qw(sample-test verify 2));
};

subtest 'unlocking' => sub {
    fails() for 1 .. 5;
    refused('permission_required', @bo, qw(user unlock), id('bo'));
    $tool->db->do(q{INSERT INTO lims.account_state (organization_id, user_id, locked_until)
        SELECT organization_id, id, now() + interval '1 hour' FROM lims.user_account
         WHERE id = ?}, undef, id('ana'));
    refused('permission_required', @ana, qw(user unlock), id('ana'));
    is($tool->made(@ana, qw(user unlock), id('bo'))->{lockedUntil}, undef,
        'another administrator unlocks the account');
    $tool->made(@bo, @right, qw(sample-test reopen 2 --reason x));
    $tool->made(@owner, qw(--user cy@cedar.example user unlock), id('ana'));
};

# --- Links --------------------------------------------------------------------

subtest 'a link' => sub {
    my @link = (@ana, qw(user link), id('bo'));
    my $given = $tool->made(@link, '--reason', 'a new telephone');
    like($given->{token}, qr/\A[0-9a-f]{64}\z/, 'the token is shown');
    is($given->{userId}, id('bo'), 'the answer names the user');
    my $stored = sub { return $tool->value(q{SELECT encode(token_hash, 'hex')
        FROM lims.account_link WHERE user_id = ? AND expires_at > now()}, id('bo')) };
    is($stored->(), sha256_hex($given->{token}), 'its SHA-256 is kept');
    is($tool->value(q{SELECT count(*) FROM lims.audit_entry WHERE changes::text LIKE ?},
            "%$given->{token}%"), 0, 'the token is nowhere');
    my $next = $tool->made(@link, '--reason', 'lost');
    is($stored->(), sha256_hex($next->{token}), 'the next one replaces it');
    $tool->made(@ana, qw(user set-password), id('bo'), @right);
    is($stored->(), undef, 'a new password ends it');
    my $done = $tool->run(@link);
    is($done->{exit}, 2, 'a link is given with a reason');
};

subtest 'an identity' => sub {
    my $cy = $tool->made(@ana, qw(user update), id('cy'), '--identity',
        '{"type":"ldap","subject":"cyk"}');
    is_deeply([ $cy->{identity}, $cy->{canSign} ], [ { type => 'ldap', subject => 'cyk' },
            JSON::PP::false ], 'it takes the password away');
    is($tool->made(@ana, qw(user set-password), id('cy'), @right)->{identity}, undef,
        'a password takes the identity away');
};

# --- Who helps when nobody can ---------------------------------------------------

subtest 'the owner of the database' => sub {
    my @set = (@owner, qw(user set-password), id('bo'), @right);
    my $refused = $tool->run(@set);
    is($refused->{exit}, 2, 'does not manage people while a person can');
    like($refused->{err}, qr/--user EMAIL/, 'the refusal says to name a person');
    $tool->db->do(q{INSERT INTO lims.account_state (organization_id, user_id, locked_until)
        SELECT u.organization_id, u.id, now() + interval '1 hour' FROM lims.user_account u
         WHERE u.email IN ('ana@cedar.example', 'cy@cedar.example')
            ON CONFLICT (organization_id, user_id)
            DO UPDATE SET locked_until = excluded.locked_until});
    like($tool->run(@owner, qw(user unlock), id('cy'))->{err}, qr/--reason/,
        'where they are locked, the owner says why');
    $tool->made(@owner, qw(user unlock), id('cy'), '--reason', 'both are locked out');
    my $entry = $tool->db->selectrow_hashref(q{SELECT user_id, surface, reason
        FROM lims.audit_entry WHERE table_name = 'account_state' ORDER BY id DESC LIMIT 1});
    is_deeply($entry, { user_id => undef, surface => 'command line',
            reason => 'both are locked out' }, 'the trail has no person, and the reason');
    is($tool->run(@set)->{exit}, 2, 'now a person can again');
};

subtest 'the first administrator' => sub {
    $tool->made(qw(organization create --code elm --name Elm));
    my $ada = $tool->made(qw(--organization elm user create --email ada@elm.example
        --display-name Ada --roles administrator));
    $tool->made(qw(--organization elm user set-password), $ada->{id}, @right);
    is($tool->run(qw(--organization elm user create --email x@elm.example
        --display-name X))->{exit}, 2, 'is the only one without an acting user');
};

# --- Keys -------------------------------------------------------------------------

subtest 'a key acts for the person who is named when it is made' => sub {
    my $key = $tool->made(@ana, qw(key create --name ERP --acts-for), id('bo'));
    is($key->{actsFor}, id('bo'), 'the key is listed');
    is($key->{createdBy}, id('ana'), 'who made it is somebody else');
    is($tool->made(@ana, qw(key create --name own))->{actsFor}, id('ana'), 'by default the maker');
    refused('invalid_reference', @ana, qw(key create --name x --acts-for 999999));
    refused('permission_required', @bo, qw(key create --name x));

    my $next = $tool->made(@ana, qw(key rotate), $key->{id}, qw(--overlap-hours 2));
    is_deeply([ @$next{qw(name actsFor scopes)} ], [ @$key{qw(name actsFor scopes)} ],
        'the rotated key has the same name, user and scopes');
    isnt($next->{rawKey}, $key->{rawKey}, 'the rotated key has a new secret');
    is($tool->value(q{SELECT round(extract(epoch FROM expires_at - now()) / 3600)
        FROM lims.api_key WHERE id = ?}, $key->{id}), 2, 'the former one expires');
    $tool->made(@ana, qw(key revoke), $key->{id});
    refused('invalid_transition', @ana, qw(key rotate), $key->{id});
    $tool->made(@ana, qw(key rotate), $next->{id}, qw(--overlap-hours 0));
    is($tool->value('SELECT expires_at <= now() FROM lims.api_key WHERE id = ?', $next->{id}), 1,
        'without an overlap at once');
};

subtest 'a key that expires is replaced by one that expires then' => sub {
    my $key = $tool->made(@ana, qw(key create --name Contractor --expires-at 2099-03-01T00:00:00Z));
    my $next = $tool->made(@ana, qw(key rotate), $key->{id});
    is($next->{expiresAt}, $key->{expiresAt}, 'the same time, where none is given');
    is($tool->made(@ana, qw(key rotate), $next->{id}, qw(--expires-at 2099-09-01T00:00:00Z))
        ->{expiresAt}, '2099-09-01T00:00:00.000Z', 'another one that is given');
    refused('invalid_body', @ana, qw(key rotate), $next->{id}, qw(--expires-at 2001-01-01T00:00:00Z));
};

subtest 'a key without a list of scopes has all of them' => sub {
    is_deeply($tool->made(@ana, qw(key create --name all))->{scopes}, [], 'no list is kept');
    refused('invalid_body', @ana, qw(key create --name none --scopes), '');
};
done_testing();
