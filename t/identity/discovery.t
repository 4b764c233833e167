#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Discovery and whoami: discovery lists every route of the contract and the same routes as
# the OpenAPI document; whoami says whose key it is.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Test;

my $lims = LIMS::Test->new;

subtest 'discovery' => sub {
    my $answer = $lims->get('');
    is($answer->status, 200, 'the discovery answers');
    my $said = $answer->json;
    is_deeply([ sort keys %$said ], [qw(documentation name routes version)],
        'the members of the discovery');
    is($said->{name}, 'Laboratory Sample Management Service', 'the service\'s name');
    is($said->{version}, 'v1', 'the version of the API');
    is($said->{documentation}, '/api/v1/openapi.json', 'discovery names the OpenAPI document');
    for my $route (@{ $said->{routes} }) {
        is_deeply([ sort keys %$route ], [qw(method path scope summary)],
            "$route->{method} $route->{path}");
        like($route->{summary}, qr/\w+ \w+/, "$route->{method} $route->{path} has a summary");
        like($route->{path}, qr{\A/api/v1(?:/|\z)}, "$route->{method} $route->{path} is a whole path");
    }
    my $summary = qr/"(?:[^"\\]|\\.)+"/;
    like($answer->body, qr{\A\{"name":"Laboratory\ Sample\ Management\ Service","version":"v1",
        "documentation":"/api/v1/openapi\.json","routes":\[
        (?:,?\{"method":"[A-Z]+","path":"/api/v1[^"]*","scope":(?:null|"[a-z:]+"),
        "summary":$summary\})+\]\}\z}x, 'the bytes of discovery: members in the order of 1.0.0');
    my %seen;
    is_deeply([ grep { $seen{"$_->{method} $_->{path}"}++ } @{ $said->{routes} } ], [],
        'no route is listed twice');
};

# The contract's table, and what the decisions add.
my @contract = (
    'GET /api/v1', 'GET /api/v1/whoami', 'GET /api/v1/samples', 'GET /api/v1/samples/:id',
    'POST /api/v1/samples', 'PATCH /api/v1/samples/:id', 'PATCH /api/v1/samples/:id/status',
    'POST /api/v1/samples/receive', 'POST /api/v1/samples/:id/report',
    'GET /api/v1/samples/:id/approvals', 'GET /api/v1/sample-tests',
    'PATCH /api/v1/sample-tests/:id', 'POST /api/v1/sample-tests/:id/verify',
    'POST /api/v1/sample-tests/bulk-results', 'POST /api/v1/instrument-uploads',
    'POST /api/v1/instrument-ingest',
    'PATCH /api/v1/approval-records/:id',
    'GET /api/v1/test-definitions', 'GET /api/v1/material-types', 'GET /api/v1/projects',
    'POST /api/v1/projects', 'PATCH /api/v1/projects/:id', 'GET /api/v1/clients',
    'POST /api/v1/clients', 'PATCH /api/v1/clients/:id', 'GET /api/v1/storage-locations',
    'GET /api/v1/openapi.json', 'GET /api/v1/samples/:id/readiness',
);

subtest 'every route of the contract is listed' => sub {
    my %listed = map { ("$_->{method} $_->{path}" => 1) } @{ $lims->get('')->json->{routes} };
    ok($listed{$_}, $_) for @contract;
};

subtest 'the OpenAPI document lists the same routes' => sub {
    my $document = $lims->get('/openapi.json');
    is($document->header('Content-Type'), 'application/json', 'a document in JSON');
    my %method = map { $_ => 1 } qw(get put post patch delete options trace);
    my (%documented, %id);
    while (my ($path, $item) = each %{ $document->json->{paths} }) {
        # A path of the document stands behind its server.
        (my $at = $document->json->{servers}[0]{url} . $path) =~ s/\{(\w+)\}/:$1/g;
        for my $name (grep { $method{$_} } keys %$item) {
            $documented{ uc($name) . " $at" } = $item->{$name}{summary};
            $id{ $item->{$name}{operationId} }++;
        }
    }
    my %listed = map { ("$_->{method} $_->{path}" => $_->{summary}) }
        @{ $lims->get('')->json->{routes} };
    is_deeply(\%documented, \%listed, 'the same routes, with the same summaries');
    is_deeply([ grep { $id{$_} > 1 } keys %id ], [], 'every operation has an id of its own');
};

subtest 'whoami' => sub {
    my $other = $lims->organization(code => 'other-laboratory');
    my $second = $lims->key($other, name => 'second');
    for my $case ([ $lims->fixture, $lims->fixture ], [ $other, $other ],
        [ $other, { %$other, %$second } ]) {
        my ($organization, $key) = @$case;
        my $answer = $lims->get('/whoami', key => $key->{key});
        is_deeply($answer->json, {
                ok             => LIMS::Service::JSONSchema::decode('true'),
                organizationId => $organization->{id},
                keyId          => $key->{key_id},
                userId         => $organization->{user_id},
                version        => 'v1',
            }, "key $key->{key_id} of $organization->{code}");
    }
    my $fixture = $lims->fixture;
    is($lims->get('/whoami')->body,
        qq({"ok":true,"organizationId":$fixture->{id},"keyId":$fixture->{key_id},)
            . qq("userId":$fixture->{user_id},"version":"v1"}),
        'the bytes of whoami: members in the order of 1.0.0');
    my $colleague = $lims->insert('user_account',
        { email => 'second@other.example', display_name => 'Second' }, $other);
    my $theirs = $lims->key($other, created_by => $colleague);
    is($lims->get('/whoami', key => $theirs->{key})->json->{userId}, $colleague,
        'the user is who created the key');
};

done_testing();
