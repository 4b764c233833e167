#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A person sees and ends the own sessions and changes the own password; an administrator
# ends anybody's and gives links, which set a password and sign nobody in. Whoever signs has
# accepted what that means. The trail says from where.
use strict;
use warnings;

use File::Temp ();

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $db   = $lims->db;
my $ada  = LIMS::Service::Person->new($lims, roles => ['system_administrator'], name => 'Ada');
my $ana  = LIMS::Service::Person->new($lims, roles => ['lab_manager'], name => 'Ana Ruiz');
my $next = 'tidal ledger quince';

sub ids { return [ map { $_->{id} } @{ $_[0]->json->{data} } ] }

# The same person at another desk.
sub elsewhere {
    my ($person) = @_;
    my $there = bless {%$person}, ref $person;
    is($there->sign_in(cookie => undef, headers => { 'User-Agent' => 'Lynx/2.9' }, @_[ 1 .. $#_ ])
            ->status, 201, 'signed in elsewhere');
    return $there;
}

subtest 'sessions, seen and ended' => sub {
    my $there = elsewhere($ana);
    my $own   = $ana->get('/sessions?active=true')->json->{data};

    is_deeply([ map { [ @$_{qw(id userId person address browser active)}, !!$_->{current} ] } @$own ],
        [ [ $ana->session, $ana->id, 'Ana Ruiz', '127.0.0.1', undef, JSON::PP::true(), 1 ],
            [ $there->session, $ana->id, 'Ana Ruiz', '127.0.0.1', 'Lynx/2.9', JSON::PP::true(), '' ] ],
        'one\'s own: since, last use, address, browser');
    my $ended = $ana->post('/sessions/' . $there->session . '/end');
    is($ended->status, 200, 'one of them is ended');
    is($ended->json->{endReason}, 'ended by the person', 'the record says who ended the session');
    refused($there->get('/session'), 401, 'unauthorized', 'the session ends at once');
    is($ana->post('/sessions/' . $there->session . '/end')->json->{endedAt},
        $ended->json->{endedAt}, 'ending it again changes nothing');
    is_deeply(ids($ana->get('/sessions?active=true')), [ $ana->session ], 'the own goes on');
};

subtest 'anybody\'s, for whoever manages users' => sub {
    my $there = elsewhere($ana);
    my $path  = '/users/' . $ana->id . '/sessions';

    refused($ana->get($path), 403, 'permission_required', 'nobody else sees them');
    refused($ana->post('/sessions/' . $ada->session . '/end'), 404, 'not_found',
        'nobody else can end the session');
    is_deeply(ids($ada->get("$path?active=true")), [ $ana->session, $there->session ], 'Ada does');
    is($ada->post('/sessions/' . $there->session . '/end', { reason => 'left open' })->json
            ->{endReason}, 'ended by an administrator', 'the administrator ends the session');
    refused($there->get('/session'), 401, 'unauthorized', 'that session ends at once, too');
    is($db->selectrow_array(q{SELECT reason FROM lims.audit_entry WHERE table_name = 'user_session'
            AND record_id = ? AND action = 'update'}, undef, $there->session), 'left open',
        'the trail says why');
    refused($ada->get('/users/999999/sessions'), 404, 'not_found', 'of nobody');
};

subtest 'the own password' => sub {
    my $there = elsewhere($ana);
    my ($token, $session) = ($ana->token, $ana->session);
    my $change = sub { $ana->post('/session/password',
            { oldPassword => $_[0], newPassword => $_[1] }) };

    refused($change->($ana->password, 'short'), 400, 'invalid_body', 'too short');
    refused($change->($ana->password, 'Password1234'), 400, 'invalid_body', 'a common one');
    refused($change->($ana->password, $ana->email), 400, 'invalid_body', 'the address');
    refused($change->($ana->password, 'Test-Laboratory'), 400, 'invalid_body', 'the laboratory');
    refused($change->($ana->password, $ana->password), 400, 'invalid_body', 'the old one');
    my $wrong = $change->('not that one at all', $next);
    refused($wrong, 403, 'signature_invalid', 'with a wrong old one');
    is($wrong->json->{attemptsLeft}, 4, 'a wrong old password counts as a failed signature');
    my $done = $change->($ana->password, $next);
    is($done->status, 200, 'with the right one');
    is($done->json->{id}, $session, 'the session goes on');
    my ($new) = $done->header('Set-Cookie') =~ /\A__Host-lims=([0-9a-f]{64});/;
    isnt($new, $token, 'a change of password gives the session a new token');
    refused($ana->get('/session', cookie => $token), 401, 'unauthorized',
        'the old one is of no use');
    $ana->{token} = $new;
    is($ana->get('/session')->status, 200, 'the new one is');
    refused($there->get('/session'), 401, 'unauthorized', 'all other sessions have ended');
    refused($ana->sign_in, 401, 'unauthorized', 'the old password signs in no more');
    is($ana->sign_in(password => $next)->status, 201, 'the new one does');
    is($db->selectrow_array('SELECT failures FROM lims.account_state WHERE user_id = ?', undef,
            $ana->id), 0, 'the right one set the count back');
    is($db->selectrow_array(q{SELECT count(*) FROM lims.idempotency_record}), 0,
        'no record of a password');
};

subtest 'whoever loses the last role' => sub {
    my $dan = LIMS::Service::Person->new($lims, roles => ['analyst']);

    $ada->patch('/users/' . $dan->id, { roles => [], reason => 'has left' });
    refused($dan->get('/samples'), 403, 'permission_required', 'a person without a role does nothing');
    is($dan->delete('/session', undef)->status, 200, 'the person signs out all the same');
    refused($dan->get('/session'), 401, 'unauthorized', 'the session has ended');
    refused($dan->sign_in, 401, 'unauthorized', 'a person without a role does not sign in again');
};

subtest 'a password is given by nobody else' => sub {
    my $cat = LIMS::Service::Person->new($lims);
    my $new = sub {
        my $file = File::Temp->new;
        print {$file} "tidal ledger quince\n";
        close $file;
        return $lims->ctl('--organization', $lims->fixture->{code}, '--user', $ada->email,
            'user', @_, '--password-file', $file->filename);
    };
    for my $command ([ 'set-password', $cat->id ],
        [ 'create', '--email', 'new@cedar.example', '--display-name', 'New' ]) {
        my $answer = $new->(@$command);
        is($answer->{exit}, 1, "user $command->[0] is refused where people sign in");
        like($answer->{output}, qr/invalid_transition.*user link/s, 'the refusal names the remedy');
    }
    is($cat->sign_in->status, 201, 'the password is that of before');
    $db->do('UPDATE lims.account_state SET last_sign_in_at = NULL');
    is($new->('set-password', $cat->id)->{exit}, 0, 'until somebody signs in, it is');
};

subtest 'guessing the old password locks' => sub {
    my $bo = LIMS::Service::Person->new($lims);
    my $guess = sub { $bo->post('/session/password',
            { oldPassword => 'not that one at all', newPassword => $next }) };

    refused($guess->(), 403, 'signature_invalid', "guess $_") for 1 .. 5;
    my $locked = $guess->();
    refused($locked, 403, 'account_locked', 'then the account');
    cmp_ok($locked->header('Retry-After'), '>', 800, 'the account is locked for 15 minutes');
    is($bo->get('/session')->status, 200, 'the session goes on for reading');
};

subtest 'a one-time link' => sub {
    my $there = elsewhere($ana, password => $next);
    my $path  = '/users/' . $ana->id . '/link';
    my $spend = sub { $ana->post('/session/link', { token => $_[0], password => $_[1] },
            session => undef, cookie => undef) };

    my $first = $ada->post($path, { reason => 'lost' })->json->{token};
    my $token = $ada->post($path, { reason => 'lost again' })->json->{token};
    refused($spend->($first, 'grey heron at nine'), 404, 'not_found', 'one that was replaced');
    refused($spend->('f' x 64, 'grey heron at nine'), 404, 'not_found', 'one that never was');
    refused($spend->($token, 'qwertyuiop12'), 400, 'invalid_body', 'with a common password');
    $db->do(q{UPDATE lims.sign_in_guess SET locked_until = now() + interval '1 hour'
        WHERE user_id = ?}, undef, $ana->id);
    $db->do(q{UPDATE lims.account_state SET locked_until = now() + interval '1 hour', locks = 1
        WHERE user_id = ?}, undef, $ana->id);
    my $spent = $spend->($token, 'grey heron at nine');
    is_deeply($spent->json, { email => $ana->email }, 'the link is spent, and its person named');
    ok(!$spent->header('Set-Cookie'), 'a spent link signs nobody in');
    refused($_->get('/session'), 401, 'unauthorized', 'every session has ended') for $ana, $there;
    refused($spend->($token, 'grey heron at ten'), 404, 'not_found', 'it is spent once');
    is($ana->sign_in(password => 'grey heron at nine')->status, 201, 'locks have ended');
    ok($ana->get('/session')->json->{passwordSetByLinkAt}, 'the person is told');
    $ana->sign_in(password => 'grey heron at nine');
    is($ana->get('/session')->json->{passwordSetByLinkAt}, undef, 'the notice is shown once');
    is_deeply($db->selectall_arrayref(q{SELECT user_id, session_id, surface FROM lims.audit_entry
        WHERE table_name = 'user_account' AND record_id = ? ORDER BY id DESC LIMIT 1}, undef,
            $ana->id), [ [ $ana->id, undef, 'application' ] ],
                'the trail says who, without a session');
    my $late = $ada->post($path, { reason => 'once more' })->json->{token};
    $db->do(q{UPDATE lims.account_link SET expires_at = now() WHERE user_id = ?}, undef, $ana->id);
    refused($spend->($late, 'grey heron at ten'), 404, 'not_found', 'after a day it is too late');
};

subtest 'a link ends with what it was given for' => sub {
    for my $change ([ 'another address', q{email = 'elsewhere@cedar.example'} ],
        [ 'another password', q{password_hash = 'x'} ], [ 'no longer active', 'active = false' ]) {
        my $fay   = LIMS::Service::Person->new($lims);
        my $token = $ada->post('/users/' . $fay->id . '/link', { reason => 'new' })->json->{token};
        $db->do("UPDATE lims.user_account SET $change->[1] WHERE id = ?", undef, $fay->id);
        refused($fay->post('/session/link', { token => $token, password => 'grey heron at nine' },
                session => undef, cookie => undef), 404, 'not_found', $change->[0]);
    }
};

subtest 'two spend a link at once' => sub {
    my $cy    = LIMS::Service::Person->new($lims);
    my $token = $ada->post('/users/' . $cy->id . '/link', { reason => 'new' })->json->{token};
    my @status = sort map { $_->{status} } $lims->parallel(2, sub {
        return { status => $cy->post('/session/link', { token => $token,
                password => 'grey heron at nine' }, session => undef, cookie => undef)->status };
    });

    is_deeply(\@status, [ 200, 404 ], 'one of two uses of the link succeeds');
};

subtest 'the cost of the hash was raised' => sub {
    my $di   = LIMS::Service::Person->new($lims);
    my $hash = sub { $db->selectrow_array('SELECT password_hash FROM lims.user_account WHERE id = ?',
            undef, $di->id) };
    my $link = $ada->post('/users/' . $di->id . '/link', { reason => 'kept' })->json;
    my $there = elsewhere($di);

    like($hash->(), qr/\Ascrypt\$32768\$/, 'the password is hashed anew at sign-in');
    is($di->get('/session')->status, 200, 'other sessions go on');
    ok($db->selectrow_array('SELECT expires_at > now() FROM lims.account_link WHERE user_id = ?',
            undef, $di->id), 'a link stays when the password is hashed anew');
    my $before = $hash->();
    elsewhere($di);
    is($hash->(), $before, 'the password is hashed anew only once');
};

subtest 'being held accountable' => sub {
    my $lab = LIMS::Service::Laboratory->new($lims);
    my $eve = LIMS::Service::Person->new($lims, accountable => 0, name => 'Eve');
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));
    $lims->patch("/sample-tests/$test", { result => '7.1' });
    my $sign = sub { $eve->post("/sample-tests/$test/verify", { signature => {
                password => $eve->password,
                contentHash => $db->selectrow_array(q{SELECT encode(lims.signed_hash(?,
                    'sample_test', ?), 'hex')}, undef, $lims->fixture->{id}, $test) } }) };

    my $who = $eve->get('/session')->json;
    is_deeply([ $who->{accountableSince}, $who->{signature}{ready} ], [ undef, JSON::PP::false() ],
        'is not accepted yet');
    refused($sign->(), 403, 'esignature_required', 'nothing is signed before');
    my $since = $eve->post('/session/statement')->json->{accountableSince};
    ok($since, 'the time of acceptance is recorded');
    is($eve->post('/session/statement')->json->{accountableSince}, $since,
        'the first acceptance stands');
    is($sign->()->status, 200, 'then it is signed');
    is($db->selectrow_array(q{SELECT count(*) FROM lims.audit_entry
        WHERE table_name = 'account_state' AND user_id = ?
            AND changes -> 'accountable_since' ->> 'new' IS NOT NULL}, undef, $eve->id), 1,
        'the acceptance is in the audit trail');
    my $entry = $ada->get('/audit-entries?table=sample_test&recordId=' . $test)->json->{data}[0];
    is_deeply([ @$entry{qw(person address browser sessionId)} ],
        [ 'Eve', '127.0.0.1', undef, $eve->session ], 'the trail says from where');
};

done_testing();
