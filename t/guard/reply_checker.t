#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Tests the check of replies (LIMS::Service::OpenAPI) with a document and replies of its
# own: each way in which a reply can differ from the document has to be found.
use strict;
use warnings;

use Test::More;

use LIMS::Service::OpenAPI;
use LIMS::Service::Response;

my $document = LIMS::Service::JSONSchema::decode(<<'END');
{
  "openapi": "3.1.0",
  "paths": {
    "/things": {
      "get": { "operationId": "listThings", "responses": {
        "200": { "$ref": "#/components/responses/Things" },
        "401": { "description": "no", "content": { "application/json": {
          "schema": { "$ref": "#/components/schemas/Problem" } } } } } }
    },
    "/things/{id}": {
      "get": { "operationId": "getThing", "responses": {
        "200": { "description": "one",
                 "headers": { "ETag": { "required": true, "schema": { "type": "string" } } },
                 "content": { "application/json": {
                   "schema": { "$ref": "#/components/schemas/Thing" } } } },
        "304": { "description": "the same" } } }
    },
    "/things/receive": {
      "post": { "operationId": "receiveThings", "responses": { "200": { "description": "done" } } }
    }
  },
  "components": {
    "responses": {
      "Things": { "description": "many",
        "headers": { "RateLimit-Limit": { "$ref": "#/components/headers/Limit" } },
        "content": { "application/json": {
          "schema": { "type": "array", "items": { "$ref": "#/components/schemas/Thing" } } } } }
    },
    "headers": { "Limit": { "schema": { "type": "integer", "minimum": 1 } } },
    "schemas": {
      "Thing": { "type": "object", "required": ["id"], "additionalProperties": false,
        "properties": { "id": { "type": "integer" },
                        "at": { "type": ["string", "null"], "format": "date-time" } } },
      "Problem": { "type": "object", "required": ["error"],
        "properties": { "error": { "type": "string" } } }
    }
  }
}
END

my $api  = LIMS::Service::OpenAPI->new($document);
my %json = ('content-type' => 'application/json');

sub faults {
    my ($method, $path, $status, $body, %headers) = @_;
    my ($operation, @faults) = $api->check($method, $path,
        LIMS::Service::Response->new(status => $status, body => $body, headers => {%headers}));
    return join '; ', @faults;
}

is($api->find('GET',  '/things/7')->{operationId},       'getThing',      'a path with an id');
is($api->find('POST', '/things/receive')->{operationId}, 'receiveThings', 'a literal path first');
is($api->find('HEAD', '/things')->{operationId},         'listThings',    'HEAD is GET');
is($api->find('POST', '/things'),                        undef,           'another method');
is($api->find('GET',  '/things/7/parts'),                undef,           'a longer path');
is(scalar(my @all = $api->operations), 3, 'all operations');

# Correct responses.
is(faults('GET', '/things', 200, '[{"id":1}]', %json), '', 'a documented response passes');
is(faults('GET', '/things', 200, '[]', %json, 'ratelimit-limit' => '120', date => 'x'), '',
    'documented header fields pass');
is(faults('GET', '/things/1', 200, '{"id":1,"at":"2026-11-21T07:48:00.000Z"}', %json, etag => '"x"'),
    '', 'with a required header');
is(faults('GET',  '/things/1', 304, ''), '', '304 without a body passes');
is(faults('HEAD', '/things',   200, '', %json), '', 'an answer to HEAD has no body');
is(faults('GET', '/nothing', 404, '{"error":"not_found"}', %json), '', 'a refusal of the unknown');

# Wrong responses.
my @wrong = (
    [ [ 'GET', '/things', 418, '{}', %json ], qr/status 418 is not documented/, 'a status' ],
    [ [ 'GET', '/things', 200, '[{}]', %json ],         qr/\$\[0\]: member "id"/,   'a body' ],
    [ [ 'GET', '/things', 200, '[{"id":1,"x":1}]', %json ], qr/"x" is not documented/, 'a member' ],
    [ [ 'GET', '/things', 200, '[{"id":1,', %json ],    qr/is no JSON/,             'broken JSON' ],
    [ [ 'GET', '/things', 200, '[{"id":"1"}]', %json ], qr/string where integer/,   'a type' ],
    [ [ 'GET', '/things', 200, '[]', 'content-type' => 'text/html' ], qr/media type "text\/html"/,
        'a media type' ],
    [ [ 'GET', '/things', 200, '[]' ], qr/media type ""/, 'no media type' ],
    [ [ 'GET', '/things', 200, '[]', %json, 'x-secret' => 1 ], qr/header x-secret is not/, 'a header' ],
    [ [ 'GET', '/things', 200, '[]', %json, 'ratelimit-limit' => 'many' ], qr/header ratelimit-limit/,
        'the value of a header' ],
    [ [ 'GET', '/things', 200, '[]', %json, 'ratelimit-limit' => '0' ], qr/header ratelimit-limit/,
        'the bounds of a header' ],
    [ [ 'GET', '/things/1', 200, '{"id":1}', %json ], qr/header etag is missing/, 'a missing header' ],
    [ [ 'GET', '/things/1', 304, 'x' ], qr/a body where none/, 'a body too many' ],
    [ [ 'GET', '/things/1', 200, '{"id":1,"at":"2026-11-21T07:48:00Z"}', %json, etag => 'x' ],
        qr/is no date-time/, 'a timestamp without milliseconds' ],
    [ [ 'GET', '/nothing', 200, '{}', %json ], qr/not documented at all/, 'success of the unknown' ],
    [ [ 'GET', '/nothing', 404, 'Not Found', 'content-type' => 'text/html' ], qr/JSON is expected/,
        'a refusal in HTML' ],
    [ [ 'GET', '/nothing', 404, '{}', %json ], qr/member "error"/, 'a refusal of another shape' ],
);
like(faults(@{ $_->[0] }), $_->[1], "noticed: $_->[2]") for @wrong;

# --- Answers from a socket ---------------------------------------------------

my $response = LIMS::Service::Response->parse(
    "HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\nX-A: 1\r\nX-A: 2\r\n"
        . "Content-Length: 11\r\n\r\n{\"error\":1}HTTP/1.1 200 OK\r\n\r\n");
is($response->status,        409,           'parsed: status');
is($response->header('x-a'), '1, 2',        'parsed: a repeated header');
is($response->body,          '{"error":1}', 'parsed: a body of its length');
is_deeply($response->json, { error => 1 }, 'parsed: JSON');
$response = LIMS::Service::Response->parse(
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
is($response->body, 'abcde', 'parsed: chunks');
is(LIMS::Service::Response->parse(''),           undef, 'nothing is no answer');
is(LIMS::Service::Response->parse('<html>'),     undef, 'HTML alone is no answer');

done_testing();
