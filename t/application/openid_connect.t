#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Single sign-on by OpenID Connect: mod_auth_openidc in front of /app/sign-on sends a person
# to the provider and back, our session begins, and the person signs by a signature
# password. The API knows nothing of it.
use strict;
use warnings;

use LIMS::Peers::OpenIDProvider;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::SignOn;

my $provider = LIMS::Peers::OpenIDProvider->new;
my $lims = LIMS::Test->new(conf => LIMS::Test::SignOn::load(qw(auth_openidc authz_user))
    . LIMS::Test::SignOn::documented('Signing in by OpenID Connect',
        'https://id.riverlab.example/.well-known/openid-configuration' => $provider->metadata,
        'LimsSignIn both' => 'LimsSignIn httpd') . "LimsSignInMatch address\n");
my $db  = $lims->db;
my $lab = LIMS::Service::Laboratory->new($lims);
my $mia = LIMS::Service::Person->new($lims, identity => { type => 'openid-connect', subject => 'mia' });

# A browser: keeps cookies, and follows nothing by itself.
my %cookie;

sub browse {
    my ($method, $path, %option) = @_;
    my $answer = $lims->client({})->request($method, $lims->url . $path, { headers => {
        %cookie ? (Cookie => join '; ', map {"$_=$cookie{$_}"} sort keys %cookie) : (),
        $path =~ /identity/
        ? ('Sec-Fetch-Site' => 'same-origin', 'X-Lims-Request' => '1',
            'Content-Type' => 'application/json')
        : ('Sec-Fetch-Mode' => 'navigate', 'Sec-Fetch-Dest' => 'document',
            Accept => 'text/html') }, %option });

    for my $set (map { ref ? @$_ : $_ } grep { defined } $answer->{headers}{'set-cookie'}) {
        my ($name, $value) = $set =~ /\A([^=]+)=([^;]*)/;
        $cookie{$name} = $value;
    }
    return $answer;
}

# Signs in at the provider as somebody, and comes back.
sub come_back_as {
    my ($name) = @_;

    %cookie = ();
    my $sent = browse('GET', '/app/sign-on');
    is($sent->{status}, 302, 'the browser is sent to the provider') or diag($sent->{content});
    my $back = browse('GET', $provider->authorize($sent->{headers}{location}, $name));
    is($back->{status}, 302, "the provider sends the browser back as $name") or diag($back->{content});
    return;
}

sub decoded { return JSON::PP::decode_json($_[0]{content}) }

subtest 'a person signs in' => sub {
    come_back_as('mia');
    is_deeply([ @{ decoded(browse('GET', '/app/sign-on/identity')) }{qw(type subject person)} ],
        [ 'openid-connect', 'mia', $mia->{name} ], 'the page names the person');
    my $begun = browse('POST', '/app/sign-on/identity', content => '{}');
    is($begun->{status}, 201, 'its button begins a session');
    $mia->{token}   = $cookie{'__Host-lims'};
    $mia->{session} = decoded($begun)->{id};
    my $own = $mia->get('/session')->json;
    is_deeply([ $own->{signIn}{name}, $own->{signIn}{by}, $own->{signature}{method} ],
        [ 'mia', 'sign-on', 'signature-password' ], 'the person signs with a signature password');
};

subtest 'and signs' => sub {
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));
    my $password = 'tidal ledger quince';

    is($mia->post('/session/signature-password', { newPassword => $password })->status, 200,
        'a signature password, just signed in');
    $mia->patch("/sample-tests/$test", { result => '7.1' });
    my $shown = $mia->get("/signed-contents?table=sample_test&recordId=$test")->json->{data}[0];
    is($mia->post("/sample-tests/$test/verify", { signature => { password => $password,
                contentHash => $shown->{contentHash} } })->status, 200, 'signs a result');
};

subtest 'somebody who has no account here' => sub {
    come_back_as('stranger');
    is(browse('POST', '/app/sign-on/identity', content => '{}')->{status}, 401,
        'without a sign-on nobody is known');
    like($lims->log, qr/no account of openid-connect .{0,2}stranger/, 'the log names the stranger without an account');
};

subtest 'an address that the provider claims' => sub {
    my ($near, $far) = ('near@riverlab.example', 'far@third.example');
    LIMS::Service::Person->new($lims, email => $near, password => 0);
    LIMS::Service::Person->new($lims, email => $far, password => 0,
        organization => $lims->organization(code => 'third-laboratory'));

    come_back_as($near);
    is(browse('POST', '/app/sign-on/identity', content => '{}')->{status}, 201,
        'signs in whose account has it');
    come_back_as($far);
    is_deeply([ @{ decoded(browse('GET', '/app/sign-on/identity')) }{qw(person organizations)} ],
        [ undef, [] ], 'of an organization that the server does not name it is nobody\'s');
    is(browse('POST', '/app/sign-on/identity', content => '{}')->{status}, 401,
        'a person of such an organization is not signed in');
    like($lims->log, qr/no account of openid-connect .{0,2}\Q$far\E/, 'the log names the person of such an organization');
};

subtest 'nowhere else' => sub {
    my $answer = $mia->get('/session', cookie => undef, session => undef);
    refused($answer, 401, 'unauthorized', 'the API sends nobody to the provider');
    is($answer->json->{signIn}, 'httpd', 'the refusal says that people sign in by httpd');
    refused($mia->sign_in(password => 'tidal ledger quince'), 403, 'forbidden',
        'no password signs in');
};

done_testing();
