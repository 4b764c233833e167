#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A request without TLS is refused before its key is looked at, whatever headers it has;
# behind a proxy that ends TLS, the configuration says so.
use strict;
use warnings;

use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Test;

subtest 'httpd ends TLS' => sub {
    my $lims = LIMS::Test->new;
    my %case = (
        'a valid key'   => message($lims, 'GET', '/whoami'),
        'no key'        => message($lims, 'GET', '/whoami', key => undef),
        'a wrong key'   => message($lims, 'GET', '/whoami', key => 'lk_wrong'),
        'no such route' => message($lims, 'GET', '/nowhere'),
        'HEAD'          => message($lims, 'HEAD', '/whoami'),
        'a creation'    => message($lims, 'POST', '/clients', body => '{"code":"T","name":"T"}'),
        'a proxy that nobody configured' =>
            message($lims, 'GET', '/whoami', headers => ['X-Forwarded-Proto: https']),
        'another such' => message($lims, 'GET', '/whoami',
            headers => [ 'Forwarded: proto=https', 'X-Forwarded-Ssl: on', 'Front-End-Https: on' ]),
    );
    for my $name (sort keys %case) {
        my $answer = send_raw($lims, $case{$name}, plain => 1);
        is($answer->status, 403, $name);
        is($answer->header('RateLimit-Limit'),  undef, "$name: no key is counted");
        is($answer->header('WWW-Authenticate'), undef, "$name: no key is asked for");
        next if $name eq 'HEAD';
        is($answer->json->{error}, 'tls_required', 'the refusal has the slug tls_required');
        like($answer->json->{message}, qr/https/, "$name: the refusal says to use https");
    }
    is($lims->db->selectrow_array(
            q{SELECT count(*) FROM lims.client WHERE code = 'T'}), 0,
                'the refused request made no client');
    is($lims->db->selectrow_array(
            'SELECT last_used_at FROM lims.api_key WHERE id = ?', undef, $lims->fixture->{key_id}),
        undef, 'the key was not looked at');
    unlike($lims->log, qr/LIMS0001/, 'a key of wrong form was not looked at either');
    is($lims->get('/whoami', headers => { 'X-Forwarded-Proto' => 'http' })->status, 200,
        'over TLS nobody is believed either');
    ok($lims->finish, 'the log is clean');
};

subtest 'a proxy ends TLS' => sub {
    my $lims = LIMS::Test->new(conf => "LimsTLS proxy\nDefine LIMS_NO_APPLICATION");
    my $ask  = sub {
        return send_raw($lims, message($lims, 'GET', '/whoami', headers => [@_]), plain => 1)->status;
    };
    is($ask->(), 200, 'a request without TLS is answered');
    is($ask->('X-Forwarded-Proto: https'), 200, 'X-Forwarded-Proto says that the client used TLS');
    is($ask->('X-Forwarded-Proto: HTTPS'), 200, 'X-Forwarded-Proto is compared without case');
    is($ask->('X-Forwarded-Proto: http'), 403, 'X-Forwarded-Proto says that it did not');
    is($ask->('X-Forwarded-Proto: http', 'X-Forwarded-Proto: https'), 403, 'or not all the way');
    is($ask->('X-Forwarded-Proto: '), 403, 'an unknown protocol is refused');
    is($lims->get('/whoami')->status, 200, 'over TLS as well');
    ok($lims->finish, 'the log is clean');
};

done_testing();
