#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Tenant isolation of the API: every route that discovery lists, with another organization's
# ids in path, query and body. Another organization's record looks exactly like a missing
# one, and nothing of it changes; once as the service runs, and once with row-level security
# off, since statements and row-level security each have to suffice (t/sql/tenancy.t has
# row-level security without the statements). And every route with every kind of key that
# may not call it. A new route has to be added here.
use strict;
use warnings;

use LIMS::Database::RowSecurity;
use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Test::Fixture;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $them = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $api  = LIMS::Service::OpenAPI::decoded($lims->get('/openapi.json')->body);
my $absent = 987_654;

# One of everything, of either organization.
sub furnish {
    my ($at) = @_;
    my %of = (client => $at->client(code => 'THEIRS', name => 'City of Riverbend'),
        material => $at->material, definition => $at->definition, location => $at->location,
        reagent => $at->reagent_lot, media => $at->media_lot);
    $of{project} = $at->project(client_id => $of{client});
    $of{panel} = $at->insert('panel', code => 'PANEL', name => 'Weekly',
        test_definition_ids => "{$of{definition}}");
    $of{waiting} = $at->sample(materialTypeId => $of{material})->{id};
    $of{order} = $lims->post('/orders', { clientId => $of{client},
            samples => [ { materialTypeId => $of{material} } ] },
        key => $at->{organization}{key})->json->{order}{id};
    my $sample = $at->sample(projectId => $of{project}, materialTypeId => $of{material},
        testDefinitionIds => [ $of{definition} ], externalId => "EXT-$at->{organization}{code}");
    @of{qw(sample tracking external)} = @$sample{qw(id trackingId externalId)};
    ($of{test}) = $at->tests($sample);
    $at->enter($of{test}, '1', reagentLotId => $of{reagent}, mediaLotId => $of{media});
    $at->verify($of{test}) if $at == $them;
    my $reported = $at->sample(testDefinitionIds => [ $of{definition} ]);
    for my $test ($at->tests($reported)) {
        $at->enter($test, '1');
        $at->verify($test);
    }
    $lims->post("/samples/$reported->{id}/report", undef, key => $at->{organization}{key});
    $of{reported}    = $reported->{id};
    $of{certificate} = $at->insert('certificate', sample_id => $reported->{id});
    $at->approval_steps('Final approval');
    $at->status($sample, 'completed');
    $of{approval} = $at->value('SELECT id FROM lims.approval WHERE sample_id = ?', $of{sample});
    return %of;
}

# Ids that the first has not: theirs come first, ours are not the same.
my %theirs = furnish($them);
my %ours   = furnish($lab);

my @routes = @{ $lims->get('')->json->{routes} };
cmp_ok(scalar @routes, '>', 20, scalar(@routes) . ' routes');

# Kinds of records that a path's :id names, by the path's first segment.
my %in_path = (samples => 'sample', 'sample-tests' => 'test', 'approval-records' => 'approval',
    projects => 'project', clients => 'client', 'test-definitions' => 'definition',
    'material-types' => 'material', 'storage-locations' => 'location', panels => 'panel', orders => 'order',
    'reagent-lots' => 'reagent', 'media-lots' => 'media',
    certificates => 'certificate');

# A body that would be accepted, by method and path.
my %body = (
    'POST /samples'      => { clientName => 'A', materialTypeId => $ours{material} },
    'PATCH /samples/:id' => { notes => 'theirs' },
    'PATCH /samples/:id/status'      => { status => 'received' },
    'POST /samples/:id/report'       => {},
    'POST /samples/receive'          => { sampleIds => [ $ours{waiting} ] },
    'PATCH /sample-tests/:id'        => { notes => 'theirs' },
    'POST /sample-tests/:id/verify'  => {},
    'POST /sample-tests/bulk-results' =>
        { updates => [ { sampleTestId => $ours{test}, result => '2' } ] },
    'POST /sample-tests/judge' =>
        { results => [ { sampleTestId => $ours{test}, result => '2' } ] },
    'POST /samples/:id/tests'         => { testDefinitionIds => [ $ours{definition} ] },
    (map { ("POST /sample-tests/:id/$_" => { reason => 'theirs' }) }
        qw(cancel restore retest choose)),
    'PATCH /approval-records/:id' => { status => 'approved' },
    'POST /instrument-ingest' =>
        { fileName => 'f.csv', content => 'x', dryRun => JSON::PP::true },
    'POST /instrument-uploads' => qq(--x\r\nContent-Disposition: form-data; name="file"; )
        . qq(filename="f.csv"\r\n\r\nx\r\n--x--\r\n),
    'POST /orders' => { clientId => $ours{client}, samples => [ { materialTypeId => $ours{material} } ] },
    'POST /samples/:id/disposition' => { disposition => 'on_hold', reason => 'client asks' },
    'POST /samples/:id/unreceive' => { reason => 'wrong one' },
    'PATCH /samples/:id/receipt'  => { containers => 2 },
    'PATCH /orders/:id'   => { notes => 'theirs' },
    'POST /projects'      => { code => 'NEW', name => 'New' },
    'PATCH /projects/:id' => { name => 'theirs' },
    'POST /clients'       => { code => 'NEW', name => 'New' },
    'PATCH /clients/:id'  => { name => 'theirs' },
    'POST /panels'        =>
        { code => 'NEW', name => 'New', testDefinitionIds => [ $ours{definition} ] },
    'PATCH /panels/:id'   => { name => 'theirs' },
);

# Kinds of records that fields and parameters refer to.
my %refers = (
    materialTypeId => 'material', projectId => 'project', clientId => 'client',
    storageLocationId => 'location', testDefinitionId => 'definition',
    testDefinitionIds => 'definition', panelIds => 'panel', reagentLotId => 'reagent', mediaLotId => 'media',
    sampleId => 'sample', sampleIds => 'sample', sampleTestId => 'test', parentId => 'location',
    orderId => 'order', trackingId => 'tracking', externalId => 'external',
);

sub short { return $_[0]{path} =~ s{\A/api/v1}{}r }

sub with_id {
    my ($path, $id) = @_;
    return $path =~ s/:id/$id/r;
}

sub call {
    my ($route, $path, %option) = @_;
    my $body = delete $option{body} // $body{"$route->{method} " . short($route)};
    die "no body for $route->{method} $route->{path}: add it\n"
        if $route->{method} ne 'GET' && !$body;
    my @type = ref $body || $route->{method} eq 'GET' ? ()
        : (headers => { 'Content-Type' => 'multipart/form-data; boundary=x' });
    return $lims->request($route->{method}, $path, %option, @type,
        $route->{method} eq 'GET' ? () : (body => $body));
}

# Returns an answer with the id that the client sent replaced by a fixed one.
sub seen {
    my ($response, $id) = @_;
    my $text = $response->body =~ s/(?<![0-9A-Za-z-])\Q$id\E(?![0-9A-Za-z-])/ID/gr;
    return join "\n", $response->status, $text,
        join ' ', sort grep { !/\A(?:date|content-length|x-request-id|ratelimit)/ }
        $response->header_names;
}

# Both organizations as they are.
sub state_of_all {
    return join ' ', map { $_ // 0 } $lims->db->selectrow_array(
        'SELECT (SELECT max(id) FROM lims.audit_entry), (SELECT max(id) FROM lims.event)');
}

sub unchanged {
    my ($action) = @_;
    my $before = state_of_all();
    $action->();
    return is(state_of_all(), $before, 'nothing changed, here or there');
}

sub strange_paths {
    unchanged(sub {
        for my $route (grep { $_->{path} =~ /:id/ } @routes) {
            my $path = short($route);
            my ($segment) = $path =~ m{\A/([^/]+)/:id};
            my $kind = $in_path{ $segment // '' } or return fail("what is the id of $path?");
            my ($strange, $none) = map { call($route, with_id($path, $_)) } $theirs{$kind}, $absent;

            is($strange->status, 404, "$route->{method} $path");
            is(seen($strange, $theirs{$kind}), seen($none, $absent), "$route->{method} $path: theirs is as if it were not there");
        }
    });
    return;
}

sub operation_of {
    my ($route) = @_;
    my $template = short($route) =~ s/:id/{id}/r;
    return $api->{paths}{"/api/v1$template"}{ lc $route->{method} }
        // die "$route->{method} $route->{path} is not documented\n";
}

sub resolved {
    my ($schema) = @_;
    while (my $pointer = $schema->{'$ref'}) {
        $schema = $api;
        $schema = $schema->{$_} for grep { $_ ne '#' } split m{/}, $pointer;
    }
    return $schema;
}

sub strange_queries {
    my $tried = 0;
    # Discovery, whose path is empty, has no parameters.
    for my $route (grep { $_->{method} eq 'GET' && short($_) =~ m{\A/[^:]*\z} } @routes) {
        my $operation = operation_of($route);
        for my $parameter (map { resolved($_) } @{ $operation->{parameters} || [] }) {
            next if $parameter->{in} ne 'query' || !$refers{ $parameter->{name} };
            my ($name, $kind) = ($parameter->{name}, $refers{ $parameter->{name} });
            my $path  = short($route);
            $kind = 'reported' if $path eq '/certificates';
            my $page  = $lims->get("$path?$name=$theirs{$kind}");
            my $own   = $lims->get("$path?$name=$ours{$kind}");

            is($page->body, '{"data":[],"nextCursor":0,"hasMore":false}', "$path?$name: nothing");
            cmp_ok(scalar @{ $own->json->{data} }, '>', 0, "$path?$name finds records of ours");
            $tried++;
        }
    }
    cmp_ok($tried, '>=', 7, "$tried parameters");
    for my $path (map { short($_) } grep { $_->{method} eq 'GET' } @routes) {
        next unless $path =~ m{\A/(?:samples|sample-tests|test-definitions|material-types|projects
            |clients|storage-locations|panels|orders|reagent-lots|media-lots|events|certificates)\z}x;
        my $own   = $lims->get("$path?limit=500")->json->{data};
        my $other = $lims->get("$path?limit=500", key => $them->{organization}{key})->json->{data};
        my %mine  = map { $_->{id} => 1 } @$own;
        is_deeply([ grep { $mine{ $_->{id} } } @$other ], [], "$path: no record in both lists");
        cmp_ok(scalar @$other, '>', 0, "$path: both lists have records");
    }
    is($lims->get('/clients?code=THEIRS')->json->{data}[0]{id}, $ours{client},
        'a code finds ours, not theirs');
    return;
}

# The members of a body that refer to something: [name, schema, in a list of].
sub references_in {
    my ($schema, $list) = @_;
    my $properties = resolved($schema)->{properties} || {};
    my @found;
    for my $name (sort keys %$properties) {
        my $property = resolved($properties->{$name});
        push @found, [ $name, $list ]
            if $name =~ /Ids?\z/ && $refers{$name} && $name !~ /\A(?:externalId|trackingId)\z/;
        push @found, references_in($property->{items}, $name)
            if $property->{items} && resolved($property->{items})->{properties};
    }
    return @found;
}

sub strange_bodies {
    my %tried;
    unchanged(sub {
        for my $route (grep { $_->{method} ne 'GET' } @routes) {
            my $path      = short($route);
            my $operation = operation_of($route);
            my $content   = $operation->{requestBody}{content}{'application/json'} or next;
            my ($segment) = $path =~ m{\A/([^/]+)/:id};
            my $own = $segment ? $ours{ $in_path{$segment} } : '';
            for my $reference (references_in($content->{schema})) {
                my ($name, $list) = @$reference;
                my ($strange, $none) = map {
                    my $id    = $_;
                    my %body  = %{ $body{"$route->{method} $path"} };
                    my $value = $name =~ /s\z/ ? [$id] : $id;
                    delete $body{sampleIds} if $list && $list eq 'items';
                    if ($list) { $body{$list} = [ { %{ $body{$list}[0] || {} }, $name => $value } ] }
                    else       { $body{$name} = $value }
                    call($route, with_id($path, $own), body => \%body);
                } $theirs{ $refers{$name} }, $absent;

                is(seen($strange, $theirs{ $refers{$name} }), seen($none, $absent),
                    "$route->{method} $path, $name: as if it were not there");
                $path eq '/sample-tests/judge'
                    ? is($strange->json->{results}[0]{refusals}[0]{error}, 'invalid_reference',
                        'judging theirs would be refused')
                    : $strange->status == 200
                    ? is($strange->json->{skipped}[0]{error}, 'not_found',
                        "$name: the other organization's id is skipped")
                    : is($strange->json->{error}, 'invalid_reference',
                        "$name: the other organization's id is refused");
                $tried{$name}++;
            }
        }
    });
    is(join(' ', sort keys %tried), 'clientId materialTypeId mediaLotId panelIds projectId reagentLotId '
            . 'sampleId sampleIds sampleTestId storageLocationId testDefinitionIds',
        'every reference there is');
    return;
}

sub apart {
    my ($how) = @_;
    subtest "$how, in the path"  => \&strange_paths;
    subtest "$how, in the query" => \&strange_queries;
    subtest "$how, in the body"  => \&strange_bodies;
    return;
}

apart('as it runs');
LIMS::Database::RowSecurity::disable($lims->db);
apart('by the statements alone');

# --- Keys ---------------------------------------------------------------------

my $fixture = $lims->fixture;
my $revoked = $lims->key($fixture);
$lims->db->do('UPDATE lims.api_key SET revoked_at = now(), revoked_by = ? WHERE id = ?', undef,
    $fixture->{user_id}, $revoked->{key_id});
my $expired = $lims->key($fixture, expires_at => '2026-01-01');
my $inactive = $lims->organization(code => 'no-access');
$lims->db->do(q{UPDATE lims.organization SET plan = 'none', api_access = false WHERE id = ?}, undef,
    $inactive->{id});

# [kind, key, slug of the refusal]
my @keys = (
    [ 'no key',                 undef,                                 'unauthorized' ],
    [ 'an empty key',           '',                                    'unauthorized' ],
    [ 'a malformed key',        'lk_123',                              'unauthorized' ],
    [ 'a wrong checksum',       LIMS::Test::Fixture::make_key() =~ s/.\z/!/r,   'unauthorized' ],
    [ 'an unknown key',         LIMS::Test::Fixture::make_key(),                'unauthorized' ],
    [ 'a revoked key',          $revoked->{key},                       'unauthorized' ],
    [ 'an expired key',         $expired->{key},                       'unauthorized' ],
    [ 'a plan without the API', $inactive->{key},                      'unauthorized' ],
    [ 'an upload-only key', $lims->key($fixture, upload_only => 1)->{key}, 'upload_only_key' ],
    [ 'a key of another scope', $lims->key($fixture, scopes => ['events:read'])->{key},
        'scope_required' ],
);

for my $case (@keys) {
    my ($kind, $key, $slug) = @$case;
    subtest $kind => sub {
        unchanged(sub {
            for my $route (@routes) {
                my $path = short($route);
                my ($segment) = $path =~ m{\A/([^/]+)/:id};
                my $own      = $segment ? $ours{ $in_path{$segment} } : '';
                my $name     = "$route->{method} $path";
                my $response = call($route, with_id($path, $own), key => $key);

                if ($slug eq 'scope_required' && ($route->{scope} // 'events:read') eq 'events:read'
                    || $slug eq 'upload_only_key' && $path eq '/whoami') {
                    is($response->status, 200, "$name is open to it");
                    next;
                }
                refused($response, $slug eq 'unauthorized' ? 401 : 403, $slug, $name);
                like($response->json->{message}, qr/\Q$route->{scope}\E/,
                    'the message names the missing scope')
                    if $slug eq 'scope_required';
                is($response->header('WWW-Authenticate'),
                    $slug eq 'unauthorized' ? 'Bearer' : undef, 'only 401 has WWW-Authenticate');
            }
        });
    };
}

done_testing();
