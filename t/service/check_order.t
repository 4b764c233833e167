#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A request with two faults gets the refusal that comes first in the contract's order of
# checks: TLS, key, rate limit, upload-only key, route and method, scope, media type, size,
# path id, query, body, record, gates.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Test;

my $limit = 3;
my $lims  = LIMS::Test->new(conf => "LimsRateLimit $limit\nLimsMaxBody 1024");

my $material = $lims->insert('material_type', { code => 'WATER', name => 'Water' });
my $test     = $lims->insert('test_definition', { code => 'PH', name => 'pH' });
my $made     = $lims->post('/samples',
    { clientName => 'Riverbend', materialTypeId => $material, testDefinitionIds => [$test] });
is($made->status, 201, 'there is a sample with an open test');
my $sample = $made->json->{id};

# Faults of a request, in the order in which they are reported. Each changes the
# description of a request; those of one group exclude each other.
my @faults = (
    { name => 'no TLS', group => 'tls', status => 403, error => 'tls_required',
        spoil => sub { $_[0]{plain} = 1 } },
    { name => 'no key', group => 'key', status => 401, error => 'unauthorized',
        spoil => sub { $_[0]{key} = undef } },
    { name => 'rate limit', group => 'rate', status => 429, error => 'rate_limited',
        spoil => sub { $_[0]{exhaust} = 1 } },
    { name => 'upload-only key', group => 'upload', status => 403, error => 'upload_only_key',
        spoil => sub { $_[0]{upload_only} = 1 } },
    { name => 'no such route', group => 'route', status => 404, error => 'not_found',
        spoil => sub { $_[0]{tail} .= '/nowhere' } },
    { name => 'no such method', group => 'route', status => 405, error => 'method_not_allowed',
        spoil => sub { $_[0]{method} = 'PUT' } },
    { name => 'scope lacks', group => 'scope', status => 403, error => 'scope_required',
        spoil => sub { $_[0]{scopes} = ['samples:read'] } },
    { name => 'media type', group => 'media', status => 415, error => 'unsupported_media_type',
        spoil => sub { $_[0]{type} = 'text/plain' } },
    { name => 'size', group => 'size', status => 413, error => 'payload_too_large',
        spoil => sub { $_[0]{padding} = ' ' x 1100 } },
    { name => 'path id', group => 'id', status => 400, error => 'invalid_id',
        spoil => sub { $_[0]{id} = '0' } },
    { name => 'query', group => 'query', status => 400, error => 'invalid_query',
        spoil => sub { $_[0]{query} = '?nothing=1' } },
    { name => 'body', group => 'body', status => 400, error => 'invalid_body',
        spoil => sub { $_[0]{body} = '{"status":"completed"' } },
    { name => 'no such record', group => 'id', status => 404, error => 'not_found',
        spoil => sub { $_[0]{id} = '999999999' } },
    { name => 'gate', group => 'gate', status => 409, error => 'incomplete_sample',
        spoil => sub { } },
);

# A key of its own for each request, so that the limit is met when it should be.
sub ask {
    my (@spoils) = @_;
    my $request = { method => 'PATCH', id => $sample, tail => '/status', query => '',
        body => '{"status":"completed"}', type => 'application/json', padding => '' };

    $_->{spoil}->($request) for @spoils;
    my %key = map { $_ => $request->{$_} } grep { exists $request->{$_} } qw(upload_only scopes);
    my $key = $lims->key($lims->fixture, %key)->{key};
    if ($request->{exhaust}) {
        $lims->get('/whoami', key => $key) for 1 .. $limit;
    }
    my $bytes = message($lims, $request->{method},
        "/samples/$request->{id}$request->{tail}$request->{query}",
        key     => exists $request->{key} ? undef : $key,
        headers => ["Content-Type: $request->{type}"],
        body    => $request->{body} . $request->{padding});
    return send_raw($lims, $bytes, plain => $request->{plain});
}

my $before = LIMS::Database::Snapshot::take($lims);
my $keys   = $lims->db->selectrow_array('SELECT count(*) FROM lims.api_key');

for my $first (0 .. $#faults) {
    my $told = $faults[$first];
    subtest $told->{name} => sub {
        my $alone = ask($told);
        is($alone->status, $told->{status}, 'each mistake alone has its status');
        is($alone->json->{error}, $told->{error}, 'each mistake alone has its slug');
        for my $later (@faults[ $first + 1 .. $#faults ]) {
            next if $later->{group} eq $told->{group};
            my $answer = ask($told, $later);
            is($answer->status . ' ' . ($answer->json->{error} || ''),
                "$told->{status} $told->{error}", "before: $later->{name}");
        }
        my %seen  = ($told->{group} => 1);
        my $worst = ask($told, grep { !$seen{ $_->{group} }++ } @faults[ $first + 1 .. $#faults ]);
        is($worst->json->{error}, $told->{error}, 'before all of them together');
    };
}

subtest 'the order of checks of a read' => sub {
    my $key = $lims->key($lims->fixture)->{key};
    is($lims->get('/samples/0?nothing=1', key => $key)->json->{error}, 'invalid_id',
        'path id before query');
    is($lims->get('/samples/999999999?nothing=1', key => $key)->json->{error}, 'invalid_query',
        'query before record');
    my $narrow = $lims->key($lims->fixture, scopes => ['results:read'])->{key};
    is($lims->get('/samples/0?nothing=1', key => $narrow)->json->{error}, 'scope_required',
        'scope before path id');
};

subtest 'refused requests changed nothing' => sub {
    my $after = LIMS::Database::Snapshot::take($lims);
    for my $table (sort keys %$after) {
        # The keys that were made for the requests, by this test.
        next if $table eq 'api_key' || $table eq 'audit_entry';
        is($after->{$table}, $before->{$table}, $table);
    }
    is($lims->db->selectrow_array(
            q{SELECT count(*) FROM lims.audit_entry WHERE request_id IS NOT NULL
               AND table_name NOT IN ('sample', 'sample_test')}),
        0, 'no audit entry is of a request');
    is($lims->db->selectrow_array(
            q{SELECT count(DISTINCT request_id) FROM lims.audit_entry
               WHERE request_id IS NOT NULL}),
        1, 'but for the one registration');
};

subtest 'anonymous callers learn nothing about routes' => sub {
    for my $target ([ 'GET', '' ], [ 'GET', '/openapi.json' ], [ 'GET', '/nowhere' ],
        [ 'GET', '/samples/0' ], [ 'PUT', '/samples' ], [ 'DELETE', '/' ], [ 'BREW', '/whoami' ],
        [ 'OPTIONS', '/samples' ], [ 'OPTIONS', '/nowhere' ], [ 'GET', '/.httpd-error' ],
        [ 'GET', '/samples?limit=0' ], [ 'POST', '/samples' ]) {
        my ($method, $path) = @$target;
        my $answer = send_raw($lims, message($lims, $method, $path, key => undef,
                $method eq 'POST' ? (body => '{' x 3000) : ()));
        is($answer->status, 401, "$method $path");
        is($answer->header('WWW-Authenticate'), 'Bearer', 'the refusal has a challenge');
        is($answer->header('Allow'), undef, 'the refusal without a key does not name the methods of the route');
    }
};

done_testing();
