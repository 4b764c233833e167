#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# People sign in, are known by the cookie of their session, and sign out. Keys and sessions
# stay apart: the REST API never looks at a cookie, the application never takes a key.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ana  = LIMS::Service::Person->new($lims, roles => ['analyst'], name => 'Ana Ruiz');
my $sample = $lab->sample;

subtest 'signing in' => sub {
    my $before = $ana->token;
    my $answer = $ana->sign_in;

    is($answer->status, 201, 'by address and password');
    like($answer->header('Set-Cookie'),
        qr/\A__Host-lims=[0-9a-f]{64}; Path=\/; Secure; HttpOnly; SameSite=Strict\z/,
        'the cookie');
    isnt($ana->token, $before, 'the session has a new token');
    refused($ana->get('/session', cookie => $before, session => undef), 401, 'unauthorized',
        'the session that the browser had before has ended');
    is($ana->sign_in(cookie => 'f' x 64)->status, 201, 'with a cookie that somebody else set');
    my $begun = $answer->json;
    isnt($ana->token, 'f' x 64, 'the session has a token that the service made');
    refused($ana->get('/session', cookie => 'f' x 64, session => undef), 401, 'unauthorized',
        'the cookie that somebody else set opens no session');
    my $who = $ana->get('/session', session => undef)->json;
    is_deeply({ %{ $begun->{session} }, map { $_ => $who->{$_} } qw(id startedAt endsAt) }, $who,
        'the answer to signing in has the session');
    is($begun->{session}{id}, $begun->{id}, 'the answer to signing in has the session that began');
    is_deeply([ @$who{qw(id)}, @{ $who->{person} }{qw(id email displayName)},
            $who->{organization}{code} ],
        [ $ana->session, $ana->id, $ana->email, 'Ana Ruiz', 'test-laboratory' ], 'who is signed in');
    is_deeply([ grep { /\A(?:result\.enter|user\.manage|self)\z/ } @{ $who->{permissions} } ],
        [qw(result.enter self)], 'the session says what the person may do');
    my %lacking = map { $_->{permission} => $_->{roles} } @{ $who->{lacking} };
    is_deeply([ @lacking{qw(user.manage result.enter)} ],
        [ [qw(administrator system_administrator)], undef ], 'the session says who may do the rest');
    is((grep { $lacking{$_} } @{ $who->{permissions} }), 0, 'what the person may do is not among the rest');
    is_deeply($who->{roles}, ['analyst'], 'the session shows the roles');
    is_deeply($who->{signature},
        { method => 'password', ready => JSON::PP::true(), lockedUntil => undef },
            'the session shows how the person signs');
    is($who->{policies}{sessionMinutes}, 15, 'the session shows the policies');
    is($lims->db->selectrow_array(q{SELECT surface FROM lims.audit_entry
        WHERE table_name = 'user_session' AND record_id = ? AND session_id = record_id
            AND user_id = ?}, undef, $ana->session, $ana->id), 'application', 'the trail has it');
};

subtest 'refusals of signing in' => sub {
    my @answers = map { $ana->sign_in(%$_) }
        { password => 'not that one at all' }, { email => 'nobody@cedar.example' },
        { organization => 'elsewhere' };

    refused($_, 401, 'unauthorized', 'refused') for @answers;
    is($answers[$_]->json->{message}, $answers[0]->json->{message}, 'in the same words')
        for 1 .. $#answers;
    ok(!grep({ $_->header('Set-Cookie') || $_->header('WWW-Authenticate') } @answers),
        'without cookie or WWW-Authenticate');
    my $guest = LIMS::Service::Person->new($lims, roles => ['client_viewer']);
    refused($guest->sign_in, 401, 'unauthorized', 'a person who may do nothing');
};

subtest 'accounts are not counted at every attempt' => sub {
    my $db    = $lims->db;
    my $count = q{SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM lims.checks_asked};
    my $was   = $db->selectrow_array(q{SELECT pg_get_functiondef('lims.sign_in_checks'::regproc)});
    $db->do('CREATE SEQUENCE lims.checks_asked');
    $db->do(q{CREATE OR REPLACE FUNCTION lims.sign_in_checks() RETURNS bigint
        LANGUAGE sql SECURITY DEFINER SET search_path = lims, pg_temp
        AS $$ SELECT 1 FROM nextval('lims.checks_asked') $$});
    $ana->sign_in(email => 'nobody@cedar.example') for 1 .. 20;
    cmp_ok($db->selectrow_array($count), '<=', 6,
        '20 attempts have all accounts looked at once a minute in each process');
    $db->do($was);
};

subtest 'an address in several organizations' => sub {
    my $other  = $lims->organization(code => 'second-laboratory', name => 'Second');
    my $checks = 'SELECT lims.sign_in_checks()';
    is($lims->db->selectrow_array($checks), 1, 'before, one password is checked');
    my $there = LIMS::Service::Person->new($lims, email => $ana->email, organization => $other);
    my $offer = $ana->sign_in;

    is($lims->db->selectrow_array($checks), 2, 'two are checked, for whatever address');
    is($offer->status, 200, 'chooses one');
    is_deeply($offer->json, { id => undef, session => undef, organizations => [
                { code => 'test-laboratory', name => 'test-laboratory' },
                { code => 'second-laboratory', name => 'Second' } ] },
                    'the answer lists the organizations');
    ok(!$offer->header('Set-Cookie'), 'the offer of organizations opens no session');
    is($ana->sign_in(organization => 'test-laboratory')->status, 201, 'the one that was chosen');
    is($ana->get('/session')->json->{organization}{code}, 'test-laboratory',
        'the session belongs to the chosen organization');
    $lims->db->do('UPDATE lims.organization SET plan = $$none$$, api_access = false WHERE id = ?',
        undef, $other->{id});
    is($there->sign_in(organization => 'second-laboratory')->status, 201,
        'a plan without API access is for keys');
    is($there->get("/samples/$sample->{id}")->status, 404, 'no sample of another organization');
};

subtest 'who asks' => sub {
    is($ana->get("/samples/$sample->{id}")->status, 200, 'a person reads a sample');
    my $nobody = $ana->get('/samples', cookie => undef);
    refused($nobody, 401, 'unauthorized', 'no cookie');
    is($nobody->header('WWW-Authenticate'), undef, 'no browser is made to ask for a password');
    is($ana->get('/samples', session => 1)->header('WWW-Authenticate'), undef,
        'a request with another session does not make a browser ask either');
    refused($ana->get('/openapi.json', cookie => undef), 401, 'unauthorized',
        'the document of the routes is for those who are signed in');
    is($ana->get('/openapi.json')->json->{openapi}, '3.1.0', 'whoever is signed in reads the document of the routes');
    refused($ana->get('/samples', cookie => 'x'), 401, 'unauthorized', 'no cookie of ours');
    refused($ana->get('/samples', cookie => '0' x 64), 401, 'unauthorized', 'no session');
    refused($ana->get('/samples', session => $ana->session + 1), 401, 'session_changed',
        'the page knows another session');
    refused($ana->get('/samples', session => undef), 401, 'session_changed', 'none named');
    refused($ana->get('/session', session => $ana->session + 1), 401, 'session_changed',
        'not even to say who it is');
    refused($lims->get('/samples', key => undef,
            headers => { Cookie => '__Host-lims=' . $ana->token }), 401, 'unauthorized',
        'the REST API does not look at a cookie');
    refused($ana->get('/samples', cookie => undef,
            headers => { Authorization => 'Bearer ' . $lims->fixture->{key} }), 401, 'unauthorized',
        'the application takes no key');
    refused($ana->get('/nowhere'), 404, 'not_found', 'no path');
    refused($ana->put('/samples', {}), 405, 'method_not_allowed', 'no method');
};

subtest 'permission instead of scope' => sub {
    my $body = { clientName => 'Acme', materialTypeId => $sample->{materialTypeId} };
    my $refused = $ana->post('/samples', $body);

    refused($refused, 403, 'permission_required', 'an analyst registers no sample');
    like($refused->json->{message}, qr/sample\.register.*receiving_clerk/,
        'the message names the roles that register samples');
    refused($ana->post('/samples', { nonsense => 1 }), 403, 'permission_required',
        'the permission is missing whatever the body says');
    refused($ana->get('/users'), 403, 'permission_required',
        'a person without the permission lists no users');
    my $clerk = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
    my $made  = $clerk->post('/samples', $body);
    is($made->status, 201, 'a clerk registers a sample');
    is($made->header('Location'), '/app/api/samples/' . $made->json->{id},
        'Location is below the application');
    is_deeply([ $lims->db->selectrow_array(q{SELECT surface, user_id, session_id, api_key_id
            FROM lims.audit_entry WHERE table_name = 'sample' AND record_id = ?}, undef,
            $made->json->{id}) ], [ 'application', $clerk->id, $clerk->session, undef ],
        'the trail says who, through what, in which session');
};

subtest 'signing out' => sub {
    my ($token, $session) = ($ana->token, $ana->session);
    my $answer = $ana->delete('/session');

    is($answer->status, 200, 'signed out');
    like($answer->header('Set-Cookie'), qr/\A__Host-lims=; .*Max-Age=0\z/,
        'signing out removes the cookie');
    refused($ana->get('/samples'), 401, 'unauthorized', 'a stolen cookie is of no use');
    is($lims->db->selectrow_array('SELECT end_reason FROM lims.user_session WHERE id = ?', undef,
            $session), 'signed out', 'the session says why it ended');
};

done_testing();
