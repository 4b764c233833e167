#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Requests that httpd itself refuses are answered in JSON too, with the right status and a
# request id, never with an HTML page and never with 500; the next request is answered
# normally.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::Response;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => 'Define LIMS_READ_TIMEOUT "header=3 body=3"');
my $auth = "Authorization: Bearer $lims->{key}";
my $host = "Host: localhost\r\nConnection: close\r\n$auth";

# [name, bytes, status, slug]
my @cases = (
    [ 'no Host',              "GET /api/v1/whoami HTTP/1.1\r\n$auth\r\n\r\n", 400, 'bad_request' ],
    [ 'two Hosts', "GET /api/v1/whoami HTTP/1.1\r\n$host\r\nHost: other\r\n\r\n", 400,
        'bad_request' ],
    [ 'a Host that is none',  "GET /api/v1/whoami HTTP/1.1\r\nHost: a b\r\n$auth\r\n\r\n", 400,
        'bad_request' ],
    [ 'blanks in the path',   "GET /api/v1/who ami HTTP/1.1\r\n$host\r\n\r\n", 400, 'bad_request' ],
    [ 'two blanks',           "GET  /api/v1/whoami HTTP/1.1\r\n$host\r\n\r\n", 400, 'bad_request' ],
    [ 'a blank before',       " GET /api/v1/whoami HTTP/1.1\r\n$host\r\n\r\n", 400, 'bad_request' ],
    [ 'a tab for a blank', "GET\t/api/v1/whoami\tHTTP/1.1\r\n$host\r\n\r\n", 400, 'bad_request' ],
    [ 'a control character',  "GET /api/v1/\x01 HTTP/1.1\r\n$host\r\n\r\n", 400, 'bad_request' ],
    [ 'a method of no token', "G{T /api/v1/whoami HTTP/1.1\r\n$host\r\n\r\n", 400, 'bad_request' ],
    [ 'an invalid version', "GET /api/v1/whoami HTTP/x.y\r\n$host\r\n\r\n", 400,
        'bad_request' ],
    [ 'another protocol',     "GET /api/v1/whoami SIP/2.0\r\n$host\r\n\r\n", 400, 'bad_request' ],
    [ 'HTTP/0.9',             "GET /api/v1/whoami\r\n\r\n", 400, 'bad_request' ],
    [ 'an invalid escape', "GET /api/v1/%zz HTTP/1.1\r\n$host\r\n\r\n", 400, 'bad_request' ],
    [ 'an escape cut off', "GET /api/v1/samples/%4 HTTP/1.1\r\n$host\r\n\r\n", 400,
        'bad_request' ],
    [ 'an escaped NUL',       "GET /api/v1/samples/%00 HTTP/1.1\r\n$host\r\n\r\n", 404,
        'not_found' ],
    [ 'above the root',       "GET /api/v1/../../../etc/passwd HTTP/1.1\r\n$host\r\n\r\n", 400,
        'bad_request' ],
    [ 'a path without slash', "GET api/v1/whoami HTTP/1.1\r\n$host\r\n\r\n", 400, 'bad_request' ],
    [ 'a target too long',    'GET /api/v1/' . 'x' x 9000 . " HTTP/1.1\r\n$host\r\n\r\n", 414,
        'bad_request' ],
    [ 'a query too long', 'GET /api/v1/clients?code=' . 'x' x 9000 . " HTTP/1.1\r\n$host\r\n\r\n",
        414, 'bad_request' ],
    [ 'a field too long', "GET /api/v1/whoami HTTP/1.1\r\n$host\r\nX-Long: " . 'x' x 9000
            . "\r\n\r\n", 400, 'bad_request' ],
    [ 'a key too long', "GET /api/v1/whoami HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            . 'Authorization: Bearer lk_' . 'x' x 9000 . "\r\n\r\n", 400, 'bad_request' ],
    [ 'too many fields', "GET /api/v1/whoami HTTP/1.1\r\n$host\r\n"
            . join('', map {"X-$_: $_\r\n"} 1 .. 150) . "\r\n", 400, 'bad_request' ],
    [ 'a field without colon', "GET /api/v1/whoami HTTP/1.1\r\n$host\r\nnonsense\r\n\r\n", 400,
        'bad_request' ],
    [ 'a field without name', "GET /api/v1/whoami HTTP/1.1\r\n$host\r\n: x\r\n\r\n", 400,
        'bad_request' ],
    [ 'a blank before the colon', "GET /api/v1/whoami HTTP/1.1\r\n$host\r\nX-A : x\r\n\r\n", 400,
        'bad_request' ],
    [ 'a control character in a field', "GET /api/v1/whoami HTTP/1.1\r\n$host\r\nX-A: \x01\r\n\r\n",
        400, 'bad_request' ],
    [ 'a name with a control character', "GET /api/v1/whoami HTTP/1.1\r\n$host\r\nX\x02: x\r\n\r\n",
        400, 'bad_request' ],
    [ 'an expectation nobody knows',
        "POST /api/v1/clients HTTP/1.1\r\n$host\r\nExpect: miracles\r\n\r\n", 417, 'bad_request' ],
    [ 'a transfer coding nobody knows', "POST /api/v1/clients HTTP/1.1\r\n$host\r\n"
            . "Content-Type: application/json\r\nTransfer-Encoding: rot13\r\n\r\n{}", 400,
        'bad_request' ],
    [ 'TRACE', "TRACE /api/v1/whoami HTTP/1.1\r\n$host\r\n\r\n", 405, 'method_not_allowed' ],
    [ 'a body that stops', "POST /api/v1/clients HTTP/1.1\r\n$host\r\n"
            . "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"code\":", 408,
        'request_timeout' ],
    [ 'a head that stops', "GET /api/v1/whoami HTTP/1.1\r\nHost: local", 408, 'request_timeout' ],
);

my $before = LIMS::Database::Snapshot::take($lims);

for my $case (@cases) {
    my ($name, $bytes, $status, $slug) = @$case;
    subtest $name => sub {
        my $raw      = $lims->raw($bytes);
        my $response = LIMS::Service::Response->parse($raw);
        ok($response, 'it is answered') or return diag("came back: $raw");
        is($response->status, $status, 'the answer\'s status');
        is($response->header('Content-Type'), 'application/json', 'the refusal is JSON');
        my $said = $response->json || {};
        is($said->{error}, $slug, 'the answer\'s slug') or diag($response->body);
        ok(length($said->{message} || ''), 'the refusal has a message');
        unlike($raw, qr/<html|<!DOCTYPE/i, 'the refusal is never HTML');
        ok($response->header('X-Request-Id'), 'a request id');
        is($response->header('Cache-Control'), 'no-store', 'the response is not to be cached');
    };
}

subtest 'HTTP/1.0' => sub {
    my $answer = LIMS::Service::Response->parse($lims->raw("GET /api/v1/whoami HTTP/1.0\r\n$auth\r\n\r\n"));
    is($answer->status, 200, 'HTTP/1.0 works');
    $answer = LIMS::Service::Response->parse($lims->raw("GET /api/v1/nowhere HTTP/1.0\r\n$auth\r\n\r\n"));
    is($answer->json->{error}, 'not_found', 'refusals over HTTP/1.0 are JSON');
};

subtest 'Content-Length and Transfer-Encoding together' => sub {
    # RFC 9112 section 6.1: chunked wins, and the connection is not used again.
    my $raw = $lims->raw("POST /api/v1/clients HTTP/1.1\r\nHost: localhost\r\n$auth\r\n"
            . "Content-Type: application/json\r\nContent-Length: 4\r\n"
            . "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
            . "GET /api/v1/whoami HTTP/1.1\r\nHost: localhost\r\n$auth\r\n\r\n");
    my @answers = $raw =~ m{^HTTP/1\.1 (\d+)}mg;
    is_deeply(\@answers, ['400'], 'there is one response, 400');
};

subtest 'plain HTTP on the TLS port' => sub {
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
        PeerPort => $lims->{instance}{port}) or die "connect: $!\n";
    syswrite $socket, "GET /api/v1/whoami HTTP/1.1\r\n$host\r\n\r\n";
    my $raw = '';
    while (sysread $socket, my $some, 4096) { $raw .= $some }
    my $answer = LIMS::Service::Response->parse($raw);
    is($answer->status, 400, 'the request is refused');
    is($answer->header('Content-Type'), 'application/json', 'the refusal is JSON');
    unlike($raw, qr/organizationId/, 'without looking at the key');
};

subtest 'bytes that are no HTTP request' => sub {
    for my $bytes ("\r\n\r\n", "\0\0\0\0", "\x16\x03\x01", 'x' x 70000, "\xff" x 100 . "\r\n\r\n") {
        my $raw = $lims->raw($bytes, patience => 2);
        unlike($raw, qr/<html/i, 'the response is no HTML');
        unlike($raw, qr{^HTTP/1\.1 5}, 'the response is no server error');
    }
};

is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
$lims->expect_log(qr/AH10244: invalid URI path/, 'httpd notes the paths that it refuses');
is($lims->get('/whoami', connection => 'new')->status, 200, 'the next request is answered');

done_testing();
