#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Single sign-on: an authentication module of httpd stands in front of /app/sign-on and finds
# a person, and the session that begins is ours. Only by types and in organizations that the
# server names, by the identity of an account, and never by a header field or elsewhere.
use strict;
use warnings;

use File::Temp qw(tempdir);
use MIME::Base64 qw(encode_base64);

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::SignOn;

my $dir    = tempdir(CLEANUP => 1);
my $secret = LIMS::Test::SignOn::secret();
my $latin1 = "st\xe9phane";
my $place  = LIMS::Test::SignOn::conf($dir, qw(aruiz bo@cedar.example stranger
    here@cedar.example there far@third.example), $latin1) =~ s/^LimsSignInTypes .*\n//mr . <<"END";
LimsSignInOrganizations test-laboratory second-laboratory
LimsSignOutURL https://idp.example/logout
Include "$dir/sign-in.conf"
END

sub write_sign_in {
    open my $conf, '>', "$dir/sign-in.conf" or die "$dir/sign-in.conf: $!\n";
    print {$conf} @_;
    close $conf;
    return;
}

write_sign_in("LimsSignIn both\nLimsSignInTypes Basic\n");
my $lims = LIMS::Test->new(conf => $place);
my $db   = $lims->db;

sub account {
    my ($email, $identity, $organization) = @_;
    my $id = $lims->insert('user_account', { email => $email, display_name => "Name of $email",
        $identity ? (identity => qq({"type":"Basic","subject":"$identity"})) : () }, $organization);
    $lims->insert('user_role', { user_id => $id, role => 'analyst' }, $organization);
    return $id;
}

# As the page at /app/sign-on asks, with what the browser sends to the module of httpd.
sub ask {
    my ($method, $name, %option) = @_;
    my %headers = ('Sec-Fetch-Site' => 'same-origin', 'X-Lims-Request' => '1',
        %{ $option{headers} || {} });
    $headers{Authorization} = 'Basic ' . encode_base64("$name:$secret", '') if defined $name;
    return $lims->request($method, '/identity', key => undef, headers => \%headers,
        surface => $option{surface} // '/app/sign-on', document => LIMS::Service::Person::api(),
        $method eq 'POST' ? (body => $option{body} // {}) : ());
}

my $ana = account('ana@cedar.example', 'aruiz');

subtest 'whom the module has found' => sub {
    is_deeply(ask('GET', 'aruiz')->json, { type => 'Basic', subject => 'aruiz',
            person => 'Name of ana@cedar.example',
            organizations => [ { code => 'test-laboratory', name => 'test-laboratory' } ] },
        'is named before anything begins');
    my $begun = ask('POST', 'aruiz');
    is($begun->status, 201, 'a session begins');
    my ($token) = $begun->header('Set-Cookie')
        =~ /\A__Host-lims=([0-9a-f]{64}); Path=\/; Secure; HttpOnly; SameSite=Strict\z/;
    ok($token, 'the answer sets our cookie');
    my %page = (Cookie => "__Host-lims=$token", 'X-Lims-Session' => $begun->json->{id});
    my $who = $lims->request('GET', '/session', key => undef, surface => '/app/api',
        document => LIMS::Service::Person::api(), headers => \%page)->json;
    is_deeply([ $who->{person}{id}, $who->{signature}{ready} ], [ $ana, JSON::PP::false() ],
        'the session is that person\'s, who has no password to sign with');
    is($db->selectrow_array(q{SELECT identity ->> 'subject' FROM lims.user_session WHERE id = ?},
            undef, $begun->json->{id}), 'aruiz', 'the session says by which identity');
    is($lims->request('DELETE', '/session', key => undef, surface => '/app/api',
            document => LIMS::Service::Person::api(), headers => { %page,
                'Sec-Fetch-Site' => 'same-origin', 'X-Lims-Request' => '1' })->json->{next},
        'https://idp.example/logout', 'signing out leads on');
};

subtest 'nobody else' => sub {
    refused(ask('POST', 'stranger'), 401, 'unauthorized', 'whoever has no account here');
    like($lims->log, qr/LIMS0004: sign-in refused: no account of Basic .{0,2}stranger/, 'the log names the stranger without an account');
    is(ask('GET', 'stranger')->json->{person}, undef, 'a stranger gets no name');
    refused(ask($_, $latin1), 401, 'unauthorized', "a name that is no UTF-8, $_") for qw(GET POST);
    like($lims->log, qr/LIMS0004: sign-in refused: the name .* is not UTF-8/, 'the log says that the name is not UTF-8');
    refused(ask('POST', 'aruiz', surface => '/app/api'), 404, 'not_found', 'elsewhere there is nothing');
    refused(ask('POST', 'aruiz', headers => { 'Sec-Fetch-Site' => 'cross-site' }), 403,
        'cross_site_request', 'no other site begins a session');
    account('here@cedar.example');
    refused(ask('POST', 'here@cedar.example'), 401, 'unauthorized', 'an address is no identity');
    my $third = $lims->organization(code => 'third-laboratory');
    account('there@third.example', 'there', $third);
    refused(ask('POST', 'there'), 401, 'unauthorized',
        'no organization that the server does not name');
    $db->do(q{UPDATE lims.user_account SET active = false WHERE id = ?}, undef, $ana);
    refused(ask('POST', 'aruiz'), 401, 'unauthorized', 'no inactive account');
    $db->do(q{UPDATE lims.user_account SET active = true WHERE id = ?}, undef, $ana);
};

subtest 'in several organizations' => sub {
    my $second = $lims->organization(code => 'second-laboratory', name => 'Second');
    account('ana@second.example', 'aruiz', $second);
    my $offer = ask('POST', 'aruiz');

    is($offer->status, 200, 'one organization can be chosen');
    is_deeply([ map { $_->{code} } @{ $offer->json->{organizations} } ],
        [qw(test-laboratory second-laboratory)], 'the answer lists the organizations');
    is(ask('POST', 'aruiz', body => { organization => 'second-laboratory' })->status, 201,
        'the one that was chosen');
};

subtest 'passwords beside it, or not' => sub {
    my $cy = LIMS::Service::Person->new($lims, roles => ['system_administrator']);

    is($cy->sign_in->status, 201, 'both: a password signs in as well');
    is($cy->get('/session', cookie => undef, session => undef)->json->{signIn}, 'both',
        'a page that is signed out learns how');
    write_sign_in("LimsSignIn httpd\nLimsSignInMatch address\nLimsSignInTypes Basic\n");
    $lims->graceful;
    refused($cy->sign_in, 403, 'forbidden', 'httpd: no password signs in');
    is(ask('POST', 'here@cedar.example')->status, 201, 'with a match by address it is one');
    account('far@third.example', undef, { id => $db->selectrow_array(
            q{SELECT id FROM lims.organization WHERE code = 'third-laboratory'}) });
    refused(ask('POST', 'far@third.example'), 401, 'unauthorized',
        'but no address of an organization that the server does not name');
    my $bo = account('bo@cedar.example');
    $db->do(q{UPDATE lims.user_account SET password_hash = 'x' WHERE id = ?}, undef, $bo);
    refused(ask('POST', 'bo@cedar.example'), 401, 'unauthorized',
        'an account that has a password is refused: nobody signs in by both');
    my $link = $cy->post("/users/$ana/link", { reason => 'new', purpose => 'password' })->json;
    refused($cy->post('/session/link', { token => $link->{token}, password => 'grey heron at nine' },
            session => undef, cookie => undef), 409, 'invalid_transition',
        'a link sets no password that would end signing in by an identity');
    is(ask('POST', 'aruiz', body => { organization => 'test-laboratory' })->status, 201,
        'the person signs in as before');
};

subtest 'a module of a type that the server does not trust' => sub {
    write_sign_in("LimsSignIn both\nLimsSignInTypes Negotiate openid-connect\n");
    $lims->graceful;
    refused(ask($_, 'aruiz'), 401, 'unauthorized', "finds nobody, $_") for qw(GET POST);
    like($lims->log, qr/no module of a type of LimsSignInTypes has found anybody/, 'the log says that no trusted module has found anybody');
};

done_testing();
