#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Scopes of keys: for every route that discovery lists, a key that lacks just its scope is
# refused and told which, and a key with that scope alone is not. An upload-only key may
# call only the routes that the contract names.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::RouteRecords;
use LIMS::Test;
use LIMS::Test::Source;

my $lims    = LIMS::Test->new;
my $records = LIMS::Service::RouteRecords->new($lims);
my @routes  = $records->routes;

my @scopes = qw(samples:read samples:write results:read results:write results:verify
    reports:write approvals:read approvals:write reference:read reference:write
    instruments:write events:read certificates:read);

# A scope without words could not be given to a key in the application.
my ($words) = text('modules/application/web/texts/en-api-keys.ts') =~ /^    words: \{(.*?)^    \}/ms;
is_deeply([ sort $words =~ /'(\w+:\w+)':/g ], [ sort @scopes ], 'the form of a key offers every scope in words');

# As the contract's work is divided; undef: any key.
my %scope = (
    'GET '                           => undef,
    'GET /whoami'                    => undef,
    'GET /openapi.json'              => undef,
    'GET /samples'                   => 'samples:read',
    'GET /samples/:id'               => 'samples:read',
    'GET /samples/:id/readiness'     => 'samples:read',
    'POST /samples'                  => 'samples:write',
    'PATCH /samples/:id'             => 'samples:write',
    'PATCH /samples/:id/status'      => 'samples:write',
    'POST /samples/receive'          => 'samples:write',
    'POST /samples/:id/disposition'  => 'samples:write',
    'POST /samples/:id/unreceive'    => 'samples:write',
    'POST /samples/:id/report'       => 'reports:write',
    'GET /orders'                    => 'samples:read',
    'GET /orders/:id'                => 'samples:read',
    'POST /orders'                   => 'samples:write',
    'PATCH /orders/:id'              => 'samples:write',
    'GET /samples/:id/approvals'     => 'approvals:read',
    'GET /approval-records/:id'      => 'approvals:read',
    'PATCH /approval-records/:id'    => 'approvals:write',
    'GET /sample-tests'              => 'results:read',
    'GET /sample-tests/:id'          => 'results:read',
    'PATCH /sample-tests/:id'        => 'results:write',
    'POST /sample-tests/bulk-results' => 'results:write',
    'POST /sample-tests/:id/verify'  => 'results:verify',
    'POST /sample-tests/judge'       => 'results:read',
    'POST /samples/:id/tests'        => 'samples:write',
    (map { ("POST /sample-tests/:id/$_" => 'samples:write') } qw(cancel restore)),
    (map { ("POST /sample-tests/:id/$_" => 'results:verify') } qw(retest choose)),
    'GET /events'                    => 'events:read',
    'GET /orders/:id/certificates.pdf' => 'certificates:read',
    (map { ("GET /certificates$_" => 'certificates:read') } '', '/:id', '/:id.pdf'),
    'POST /instrument-ingest'        => 'instruments:write',
    'POST /instrument-uploads'       => 'instruments:write',
    (map { ("GET /$_" => 'reference:read', "GET /$_/:id" => 'reference:read') }
        qw(test-definitions material-types projects clients storage-locations panels reagent-lots
            media-lots)),
    (map { ("POST /$_" => 'reference:write', "PATCH /$_/:id" => 'reference:write') }
        qw(projects clients panels)),
);

is_deeply({ map { ("$_->{method} $_->{template}" => $_->{scope}) } @routes }, \%scope,
    'discovery names the scope of each route');

# A body that is no fault of media type or size, and of nothing else asked here.
sub ask {
    my ($route, $key) = @_;
    my $type = $route->{template} eq '/instrument-uploads' ? 'multipart/form-data; boundary=x'
        : 'application/json';
    return $lims->request($route->{method}, $route->{here}, key => $key,
        $route->{method} eq 'GET' ? () : (body => '[]', headers => { 'Content-Type' => $type }));
}

# Returns the status for a key that may; what others than GET send is refused as a body.
sub passed { my ($route) = @_; return $route->{method} eq 'GET' ? $route->{status} : 400 }

sub key { return $lims->key($lims->fixture, @_)->{key} }

my %lacking = map {
    my $scope = $_;
    ($scope => key(scopes => [ grep { $_ ne $scope } @scopes ]));
} @scopes;
my %alone = map { ($_ => key(scopes => [$_])) } @scopes;
my $upload_only = key(upload_only => 1);
my $before      = LIMS::Database::Snapshot::take($lims);

for my $route (@routes) {
    my $name = "$route->{method} $route->{template}";
    subtest $name => sub {
        my $scope = $route->{scope};
        if (defined $scope) {
            my $answer = ask($route, $lacking{$scope});
            is($answer->status . ' ' . $answer->json->{error}, '403 scope_required',
                "a key that has all but $scope");
            like($answer->json->{message}, qr/\b\Q$scope\E(?![\w:])/, "the message names the missing scope $scope");
        }
        my $key    = $alone{ defined $scope ? $scope : 'events:read' };
        my $answer = ask($route, $key);
        is($answer->status, passed($route), 'a key that has just what it takes');
        $answer = ask($route, $upload_only);
        if ($name eq 'POST /instrument-ingest') {
            is($answer->status, 400, 'an upload-only key as well');
            return;
        }
        if ($name eq 'GET /whoami') {
            is($answer->status, 200, 'an upload-only key as well');
            return;
        }
        is($answer->status . ' ' . ($answer->json || {})->{error}, '403 upload_only_key',
            'an upload-only key, whatever its scopes');
    };
}

subtest 'an upload-only key learns nothing about routes' => sub {
    for my $path ('/nowhere', '/samples/999999', '/samples/0', '/.httpd-error') {
        my $answer = $lims->get($path, key => $upload_only);
        is($answer->status . ' ' . $answer->json->{error}, '403 upload_only_key', "GET $path");
    }
    my $answer = $lims->put('/samples', '{}', key => $upload_only);
    is($answer->status . ' ' . $answer->json->{error}, '403 upload_only_key', 'PUT /samples');
    is($answer->header('Allow'), undef, 'the refusal does not name the methods of the route');
    is($lims->head('/samples', key => $upload_only)->status, 403, 'HEAD /samples');
};

subtest 'a scope that is removed is missing on the next request' => sub {
    my $made = $lims->key($lims->fixture, scopes => [ 'samples:read', 'reference:read' ]);
    is($lims->get('/samples', key => $made->{key})->status, 200,
        'a key without a list may read samples');
    $lims->db->do(q{UPDATE lims.api_key SET scopes = '{reference:read}' WHERE id = ?}, undef,
        $made->{key_id});
    is($lims->get('/samples', key => $made->{key})->status, 403, 'the next request may not');
    is($lims->get('/clients', key => $made->{key})->status, 200, 'the remaining scope still works');
    $lims->db->do(q{UPDATE lims.api_key SET upload_only = true WHERE id = ?}, undef,
        $made->{key_id});
    is($lims->get('/clients', key => $made->{key})->json->{error}, 'upload_only_key',
        'as an upload-only key it is refused');
};

subtest 'a key made without a list has all of them' => sub {
    my $key = key(scopes => []);
    is(ask($_, $key)->status, passed($_), "$_->{method} $_->{template}")
        for @routes;
};

subtest 'refused requests changed nothing' => sub {
    my $after = LIMS::Database::Snapshot::take($lims);
    is($after->{$_}, $before->{$_}, $_)
        for grep { !/^(?:api_key|audit_entry)$/ } sort keys %$after;
};

done_testing();
