#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Media types of bodies: JSON in UTF-8, not compressed, no larger than LimsMaxBody,
# however it is framed. Actions without a body need none and no media type.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Service::RouteRecords;
use LIMS::Test;

my $max     = 4096;
my $lims    = LIMS::Test->new(conf => join "\n",
    map { "$_ $max" } qw(LimsMaxBody LimsMaxIngestBody LimsMaxUpload));
my $records = LIMS::Service::RouteRecords->new($lims);
my $number  = 0;

# A creation whose body is no fault, in as many bytes as wanted.
sub body {
    my ($bytes) = @_;
    my $text = sprintf '{"code":"M-%d","name":"Media"}', ++$number;
    return $text . ' ' x (($bytes || 0) > length $text ? $bytes - length $text : 0);
}

subtest 'media types' => sub {
    for my $type ('application/json', 'Application/JSON', 'application/json;charset=utf-8',
        'application/json; charset=UTF-8', 'application/json; charset="utf-8"',
        'application/json ; charset=utf-8', 'application/json;  charset=utf8') {
        is($lims->post('/clients', body(), headers => { 'Content-Type' => $type })->status, 201,
            $type);
    }
    my $before = LIMS::Database::Snapshot::take($lims);
    for my $type ('text/plain', 'text/json', 'application/xml', 'application/jsonp',
        'application/json5', 'application/problem+json', 'application/vnd.api+json',
        'application/merge-patch+json', 'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x', 'json', '*/*', 'application/*',
        'application/json; charset=iso-8859-1', 'application/json; charset=utf-16',
        'application/json; charset=', 'application/json;', 'application/json, text/plain',
        'application/octet-stream', '""') {
        my $answer = $lims->post('/clients', body(), headers => { 'Content-Type' => $type });
        is($answer->status, 415, "not $type");
        is($answer->json->{error}, 'unsupported_media_type',
            'the refusal has the slug unsupported_media_type');
        like($answer->json->{message}, qr{application/json}, 'the refusal says that application/json is expected');
    }
    my $untyped = send_raw($lims, message($lims, 'POST', '/clients')
            =~ s/\r\n\r\n\z/"\r\nContent-Length: " . length(body()) . "\r\n\r\n" . body()/er);
    is($untyped->status, 415, 'a body without Content-Type is refused');
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
};

subtest 'every route with a body checks its media type' => sub {
    my $before = LIMS::Database::Snapshot::take($lims);
    for my $route (grep { $_->{method} ne 'GET' } $records->routes) {
        my $answer = $lims->request($route->{method}, $route->{here}, body => 'a=1',
            headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
        is($answer->status, 415, "$route->{method} $route->{template}");
        $answer = $lims->request($route->{method}, $route->{here}, body => '{}',
            headers => { 'Content-Encoding' => 'gzip' });
        is($answer->status, 415, "$route->{method} $route->{template} refuses a compressed body");
        # The parts of a form may have 64 KB beside the file.
        my $form = $route->{template} eq '/instrument-uploads';
        $answer = $lims->request($route->{method}, $route->{here},
            body => '{' . ' ' x ($max + ($form ? 65536 : 1)) . '}',
            $form ? (headers => { 'Content-Type' => 'multipart/form-data; boundary=x' }) : ());
        is($answer->status, 413, 'a form that is too large is refused');
    }
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
};

subtest 'content codings' => sub {
    for my $coding (qw(gzip deflate br compress zstd x-gzip), 'gzip, identity') {
        my $answer = $lims->post('/clients', body(), headers => { 'Content-Encoding' => $coding });
        is($answer->status, 415, "not $coding");
    }
    is($lims->post('/clients', body(), headers => { 'Content-Encoding' => 'identity' })->status,
        201, 'Content-Encoding: identity is accepted');
};

subtest 'size by Content-Length' => sub {
    is($lims->post('/clients', body($max))->status, 201, 'as large as may be');
    my $answer = $lims->post('/clients', body($max + 1));
    is($answer->status, 413, 'a byte more');
    is($answer->json->{error}, 'payload_too_large', 'the refusal has the slug payload_too_large');
    like($answer->json->{message}, qr/\b$max\b/, 'the refusal says how large a body may be');

    # Refused by its stated length: nothing of the body was sent.
    $answer = send_raw($lims, message($lims, 'POST', '/clients', headers =>
                [ 'Content-Type: application/json', 'Content-Length: 10000000000' ]));
    is($answer->status, 413, 'ten gigabytes are refused before they come');
    is($lims->get('/clients?limit=1')->status, 200, 'a request after the refused ten gigabytes is answered');
};

subtest 'size of a chunked body' => sub {
    my $send = sub {
        my ($bytes, $chunk) = @_;
        return send_raw($lims,
            message($lims, 'POST', '/clients', body => body($bytes), chunk => $chunk));
    };
    is($send->(0, 7)->status, 201, 'small pieces become a body');
    is($send->($max, 512)->status, 201, 'as large as may be');
    my $answer = $send->($max + 1, 512);
    is($answer->status, 413, 'a byte more');
    is($answer->json->{error}, 'payload_too_large', 'the refusal has the slug payload_too_large');
    is($send->($max * 200, 8192)->status, 413, 'a body far beyond the limit is refused');
    is($send->($max + 1, $max + 1)->status, 413, 'a body above the limit in one chunk');
};

subtest 'a body that breaks off' => sub {
    my $before = LIMS::Database::Snapshot::take($lims);
    my $head   = message($lims, 'POST', '/clients',
        headers => [ 'Content-Type: application/json', 'Transfer-Encoding: chunked' ]);
    for my $case ([ 'no number', "zz\r\n{}\r\n0\r\n\r\n" ],
        [ 'below zero', "-2\r\n{}\r\n0\r\n\r\n" ],
        [ 'too large a number', 'f' x 20 . "\r\n{}\r\n0\r\n\r\n" ],
        [ 'longer than said', "1\r\n{}\r\n0\r\n\r\n" ]) {
        my $answer = send_raw($lims, $head . $case->[1]);
        like($answer->status, qr/\A4(?:00|13)\z/, "chunk size: $case->[0]");
        ok($answer->json && $answer->json->{error}, 'the refusal is a JSON body');
    }
    my $answer = send_raw($lims, message($lims, 'POST', '/clients', headers => [
                'Content-Type: application/json', 'Content-Length: 2', 'Content-Length: 3' ])
            . '{} ');
    is($answer->status, 400, 'two different lengths are refused');
    ok($answer->json && $answer->json->{error}, 'the refusal is a JSON body');
    $answer = send_raw($lims, message($lims, 'POST', '/clients', headers => [
                'Content-Type: application/json', 'Content-Length: x' ]));
    is($answer->status, 400, 'a Content-Length that is not a number');
    ok($answer->json && $answer->json->{error}, 'the refusal is a JSON body');
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
};

subtest 'actions without a body' => sub {
    my $test = $records->id('sample-tests');
    my $path = "/sample-tests/$test/verify";
    my $gate = 'test_verified_locked';    # so it was understood as the action it is

    for my $case (
        [ 'neither body nor type', [] ],
        [ 'a length of 0', ['Content-Length: 0'] ],
        [ 'a type, but no body', [ 'Content-Type: application/json', 'Content-Length: 0' ] ],
    ) {
        my $answer = send_raw($lims, message($lims, 'POST', $path, headers => $case->[1]));
        is($answer->json->{error}, $gate, $case->[0]);
    }
    is($lims->post($path, '{}')->json->{error}, $gate, 'an empty object');
    is($lims->post($path, ' { } ')->json->{error}, $gate, 'an empty object with blanks');
    my $before = LIMS::Database::Snapshot::take($lims);
    for my $body ('{"force":true}', '{"id":1}') {
        like($lims->post($path, $body)->json->{error}, qr/^(?:invalid_body|field_not_patchable)$/,
            "$body is too much");
    }
    for my $body ('[]', 'null', '1', '""', 'x', ' ') {
        is($lims->post($path, $body)->json->{error}, 'invalid_body', "\"$body\" is none either");
    }
    is($lims->post($path, 'x', headers => { 'Content-Type' => 'text/plain' })->status, 415,
        'another type is refused');
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
    my $report = send_raw($lims, message($lims, 'POST',
            '/samples/' . $records->id('samples') . '/report'));
    is($report->json->{error}, 'approval_required', 'reporting needs no body either');
};

subtest 'a creation without a body' => sub {
    my $answer = send_raw($lims, message($lims, 'POST', '/clients',
            headers => [ 'Content-Type: application/json', 'Content-Length: 0' ]));
    is($answer->status, 400, 'an empty body is refused');
    is($answer->json->{error}, 'invalid_body', 'the refusal has the slug invalid_body');
    like($answer->json->{message}, qr/empty/, 'the refusal says that the body is empty');
};

# A body that was not wanted must not be taken for the next request.
subtest 'the next request on the connection' => sub {
    my $get = message($lims, 'GET', '/whoami');
    my $inner = "GET /api/v1/nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for my $case (
        [ 415, 'POST', '/clients', 'Content-Type: text/plain' ],
        [ 404, 'POST', '/nowhere', 'Content-Type: application/json' ],
        [ 405, 'PUT',  '/clients', 'Content-Type: application/json' ],
        [ 400, 'POST', '/clients', 'Content-Type: application/json' ],
        [ 401, 'POST', '/clients', 'Content-Type: application/json' ],
        [ 200, 'GET',  '/clients', 'Content-Type: application/json' ],
    ) {
        my ($status, $method, $path, @type) = @$case;
        my $first = message($lims, $method, $path, body => $inner, headers => \@type,
            $status == 401 ? (key => undef) : ());
        $first =~ s/^Connection: close\r\n//m;
        my $socket = $lims->socket;
        syswrite $socket, "$first$get";
        my $raw = '';
        while (sysread $socket, my $some, 65536) { $raw .= $some }
        if ($status == 400) {
            # httpd ends the connection, because of such a peer it knows nothing.
            is_deeply([ $raw =~ m{HTTP/1\.1 (\d+) }g ], [400], '400, and that is all');
            like($raw, qr/^Connection: close\r$/m, 'the connection is closed, as the header says');
            next;
        }
        is_deeply([ $raw =~ m{HTTP/1\.1 (\d+) }g ], [ $status, 200 ],
            "$status, and the request behind it is answered");
        like($raw, qr/"ok":true/, 'the request behind a refused body has its own answer');
    }
};

subtest 'Expect: 100-continue' => sub {
    my $body   = body();
    my $socket = $lims->socket;
    my $head   = message($lims, 'POST', '/clients', headers => [ 'Expect: 100-continue',
            'Content-Type: application/json', 'Content-Length: ' . length $body ]);
    syswrite $socket, $head;
    my $heard = '';
    while ($heard !~ /\r\n\r\n/ && sysread $socket, my $some, 4096) { $heard .= $some }
    like($heard, qr{\AHTTP/1\.1 100 }, 'the body is asked for');
    syswrite $socket, $body;
    $heard = '';
    while (sysread $socket, my $some, 4096) { $heard .= $some }
    like($heard, qr{\AHTTP/1\.1 201 }, 'the body is taken');

    my $refused = send_raw($lims, message($lims, 'POST', '/clients', key => undef,
            headers => [ 'Expect: 100-continue', 'Content-Type: application/json',
                'Content-Length: 1000' ]));
    is($refused->status, 401, 'from an anonymous caller no body is asked for');
    $refused = send_raw($lims, message($lims, 'POST', '/clients', headers => [
                'Expect: 100-continue', 'Content-Type: application/json',
                'Content-Length: ' . ($max + 1) ]));
    is($refused->status, 413, 'no body is read that is announced as too large');
};

done_testing();
