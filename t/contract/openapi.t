#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The OpenAPI document of the real tables, as `limsctl openapi` prints it: its references
# resolve, it says what the contract says, and its examples and defaults are valid.
use strict;
use warnings;

use Test::More;

use LIMS::Instance;
use LIMS::Service::JSONSchema;
use LIMS::Service::OpenAPI;

my $text   = document();
my $api    = LIMS::Service::JSONSchema::decode($text);
my $schema = LIMS::Service::JSONSchema->new($api);
my @all    = LIMS::Service::OpenAPI->new($api)->operations;
my %by_path = map { ("$_->{method} $_->{template}" => $_->{operation}) } @all;

sub document {
    my $limsctl = LIMS::Instance::out() . '/limsctl';

    open my $out, '-|:raw', $limsctl, 'openapi', @_ or BAIL_OUT("$limsctl: $!");
    local $/ = undef;
    my $printed = <$out>;
    close $out or BAIL_OUT("$limsctl openapi ended with $?");
    return $printed;
}

# Calls with every object of the document, and the names that lead to it.
sub walk {
    my ($thing, $visit, @path) = @_;

    if (ref $thing eq 'HASH') {
        $visit->($thing, @path);
        walk($thing->{$_}, $visit, @path, $_) for sort keys %$thing;
    }
    elsif (ref $thing eq 'ARRAY') {
        walk($thing->[$_], $visit, @path, $_) for 0 .. $#$thing;
    }
    return;
}

sub resolved {
    my ($thing) = @_;
    return $thing->{'$ref'} ? $schema->resolve($thing->{'$ref'}) : $thing;
}

# The slugs that a response can carry.
sub slugs {
    my ($operation, $status) = @_;
    my $response = resolved($operation->{responses}{$status} || return ());
    my @found;

    walk($response->{content}, sub {
        my ($object) = @_;
        my $error = $object->{properties} && $object->{properties}{error} or return;
        push @found, @{ $error->{enum} };
    });
    return sort @found;
}

subtest 'version and form of the document' => sub {
    is($api->{openapi}, '3.1.0', 'the document is OpenAPI 3.1.0');
    is(document(), $text, 'the document is the same each time');
};

# Clients put server and path together as they stand, or take the server for a URL
# relative to the document's. "" is right with every generator that clients.t runs,
# "/" is not: it makes "//api/v1" of the root.
subtest 'paths and servers' => sub {
    is_deeply([ map { $_->{url} } @{ $api->{servers} } ], [''], 'the server is where it came from');
    is_deeply([ grep { !m{\A/api/v1(?:/|\z)} } sort keys %{ $api->{paths} } ], [],
        'every path is whole');
    ok($api->{paths}{'/api/v1'}, 'the root path is whole too');
    my @own;
    walk($api, sub {
        my ($object, @path) = @_;
        push @own, "@path" if @path && ref $object->{servers} eq 'ARRAY';
    });
    is_deeply(\@own, [], 'no path or operation has servers of its own');
    for my $server ('https://lims.example', '/lab') {
        my $document = LIMS::Service::JSONSchema::decode(document('--server', $server));

        is($document->{servers}[0]{url}, $server, "or stands behind $server");
        is_deeply([ sort keys %{ $document->{paths} } ], [ sort keys %{ $api->{paths} } ],
            'a document of another server has the same paths');
    }
};

subtest 'references' => sub {
    my (%used, @broken);

    walk($api, sub {
        my ($object, @path) = @_;
        my $pointer = $object->{'$ref'} or return;
        $used{$pointer} = 1;
        push @broken, "@path: $pointer" unless eval { $schema->resolve($pointer) };
    });
    ok(!@broken, 'every reference leads somewhere') or diag(join "\n", @broken);
    my @unused = grep { !$used{$_} } map { my $section = $_;
            map { "#/components/$section/$_" } sort keys %{ $api->{components}{$section} } }
        grep { $_ ne 'securitySchemes' } sort keys %{ $api->{components} };
    ok(!@unused, 'every component is referred to') or diag("@unused");
};

# Every line of the contract's table of endpoints whose resource is built.
subtest 'the routes of the contract' => sub {
    my @contract = (
        'GET ', 'GET /whoami', 'GET /samples', 'GET /samples/{id}', 'POST /samples',
        'PATCH /samples/{id}', 'PATCH /samples/{id}/status', 'POST /samples/receive',
        'POST /samples/{id}/report', 'GET /samples/{id}/approvals', 'GET /sample-tests',
        'PATCH /sample-tests/{id}', 'POST /sample-tests/{id}/verify',
        'POST /sample-tests/bulk-results', 'PATCH /approval-records/{id}',
        'GET /test-definitions', 'GET /material-types', 'GET /projects', 'POST /projects',
        'PATCH /projects/{id}', 'GET /clients', 'POST /clients', 'PATCH /clients/{id}',
        'GET /storage-locations',
    );
    ok($by_path{$_}, $_) for @contract;
};

subtest 'operations' => sub {
    my %tags = map { $_->{name} => 1 } @{ $api->{tags} };
    my (%ids, @faults);
    my $scopes = $api->{components}{securitySchemes}{bearer}{description};

    for my $each (@all) {
        my ($name, $operation) = ("$each->{method} $each->{template}", $each->{operation});
        my $scope = $operation->{'x-scope'};
        my $write = $each->{method} ne 'GET';
        my $id    = $each->{template} =~ /\{id\}/;
        my %status = map { $_ => 1 } 400, 401, 403, 429, 500, 503;

        $status{$_} = 1 for ($id ? 404 : ()), ($write ? (408, 413, 415) : ()),
            ($write && $id ? 412 : ()), ($each->{method} eq 'POST' ? (409, 422) : ());
        push @faults, "$name: operationId $each->{operationId} is there twice"
            if $ids{ $each->{operationId} }++;
        push @faults, map { "$name: tag $_" } grep { !$tags{$_} } @{ $operation->{tags} };
        push @faults, "$name: no summary or description"
            unless $operation->{summary} && $operation->{description};
        push @faults, "$name: scope $scope" if $scope && $scopes !~ /`\Q$scope\E`/;
        push @faults, "$name: the scope and security differ"
            unless join(',', @{ $operation->{security}[0]{bearer} }) eq ($scope || '');
        push @faults, map { "$name: $_ is not documented" }
            grep { !$operation->{responses}{$_} } sort keys %status;
        push @faults, "$name: success" unless grep { /\A2/ } keys %{ $operation->{responses} };
    }
    ok(!@faults, 'every operation is complete') or diag(join "\n", @faults);
};

# An answer of which nothing is said but that it is an object helps nobody who reads it. The
# document itself is described by its own standard.
subtest 'every answer is described' => sub {
    for my $surface (qw(api application)) {
        my $document = LIMS::Service::JSONSchema::decode(document('--surface', $surface));
        my $schemas  = LIMS::Service::JSONSchema->new($document);
        my @silent;
        for my $each (LIMS::Service::OpenAPI->new($document)->operations) {
            for my $status (grep { /\A2/ } sort keys %{ $each->{operation}{responses} }) {
                my $answer = $each->{operation}{responses}{$status};
                $answer = $schemas->resolve($answer->{'$ref'}) if $answer->{'$ref'};
                my $shape = $answer->{content}{'application/json'}{schema} or next;
                $shape = $schemas->resolve($shape->{'$ref'}) if $shape->{'$ref'};
                push @silent, "$each->{operation}{operationId} $status"
                    unless $shape->{properties} || $shape->{oneOf} || $shape->{items};
            }
        }
        is_deeply(\@silent, ['getOpenApi 200'], "of the surface $surface");
    }
};

# The contract's table of gates: slug, status, endpoints.
subtest 'responses of the gates' => sub {
    my $verify = 'POST /sample-tests/{id}/verify';
    my $report = 'POST /samples/{id}/report';
    my $status = 'PATCH /samples/{id}/status';
    my $enter  = 'PATCH /sample-tests/{id}';
    my $many   = 'POST /sample-tests/bulk-results';
    my @gates  = (
        [ 403, 'esignature_required',   $verify, 'PATCH /approval-records/{id}' ],
        [ 409, 'incomplete_sample',     $report, $status ],
        [ 409, 'qc_failed',             $verify, $report, $status ],
        [ 409, 'approval_required',     $report ],
        [ 409, 'confirmation_required', $verify, $report ],
        [ 409, 'media_qc_failed',       $verify, $report ],
        [ 409, 'worksheet_incomplete',  $verify ],
        [ 409, 'blank_result',          $verify ],
        [ 409, 'reagent_lot_expired',   $enter, $many ],
        [ 409, 'test_verified_locked',  $enter, $many, $verify ],
    );
    for my $gate (@gates) {
        my ($code, $slug, @where) = @$gate;
        for my $operation (@where) {
            ok((grep { $_ eq $slug } slugs($by_path{$operation}, $code)),
                "$operation may answer $code $slug");
        }
    }
    is($api->{components}{schemas}{PlanLimitError}{properties}{code}{enum}[0],
        'SAMPLE_LIMIT_EXCEEDED', 'the plan limit has a code');
    is_deeply([ sort keys %{ $api->{components}{schemas}{Problem}{properties} } ],
        [qw(blockers conflicts error errors message missing needsSignoff qcBatches)],
            'the members of an error');
};

# A schema with the name of a built-in type would be renamed in generated clients.
subtest 'names of schemas shadow no built-in type of clients' => sub {
    my %taken = map { $_ => 1 } qw(Array Blob Body Boolean Buffer Client Comment Date Document
        Element Error Event Exception File FormData Function Headers Image Iterator List Location
        Lock Map Module Node Notification Number Object Option Package Partial Pick Plugin Process
        Promise Proxy Range Readonly Record Reflect Request Required Response Result Selection Set
        Storage String Symbol Text Type URL Worker);
    is_deeply([ grep { $taken{$_} } sort keys %{ $api->{components}{schemas} } ], [],
        'shadow nothing');
};

subtest 'enumerations' => sub {
    my $of = sub {
        my ($name, @path) = @_;
        my $thing = $api->{components}{schemas}{$name};
        $thing = $thing->{properties}{$_} for @path;
        return $thing;
    };
    for my $open ([qw(SampleBlockedEvent data)], [qw(HoldingTimeExpiringEvent data)]) {
        my $reason = $of->(@$open)->{properties}{reasons}{items}{properties};
        for my $name (qw(category severity)) {
            cmp_ok(scalar @{ $reason->{$name}{enum} }, '>=', 2, "$open->[0]: $name");
            like($reason->{$name}{description}, qr/More may be added\./,
                "$name says that values may be added");
        }
    }
    is_deeply($of->(qw(HoldingTimeExpiringEvent data))->{properties}{holdingStatus}{enum},
        [qw(expiring_soon expired)], 'the event names the states of a holding time');
    ok((grep { $_ eq 'oos' } @{ $of->(qw(InvestigationOpenedEvent data))->{properties}{kind}{enum} }),
        'the event names the kinds of investigations');
    ok((grep { $_ eq 'qc_failed' } @{ $of->(qw(Blocker slug))->{enum} }), 'the slug of a blocker');
    unlike($of->(qw(Blocker slug))->{description}, qr/added/, 'the description of slugs that the contract lists does not say that more may be added');
    my $skipped = $of->(qw(ReceiveSamplesResponse skipped))->{items}{properties};
    is_deeply($skipped->{error}{enum},  [qw(not_found not_receivable check_character ambiguous)],
        'what skipped samples have as error');
    is_deeply($skipped->{status}{enum}, [ 400, 404, 409 ], 'what skipped samples have as status');
    unlike($of->(qw(SampleCreate priority))->{description}, qr/added/,
        'enumerations of requests are closed');
    like($of->(qw(Sample priority))->{description}, qr/More may be added/,
        'more values may be added to enumerations of answers');
};

subtest 'values that the service refuses are not valid by the schema' => sub {
    my $client = $api->{components}{schemas}{SampleCreate}{properties}{clientName};
    ok(!$schema->validate('City', $client), 'a name is valid');
    ok($schema->validate($_, $client), 'a name that is blank or has a control character')
        for ' ', "\t\n", "a\x{1}b", "a\x{85}b", "a\x{7f}";
    my $notes = $api->{components}{schemas}{SampleCreate}{properties}{notes};
    ok(!$schema->validate($_, $notes), 'lines and tabs') for '', "a\n\tb\r\n";
    ok($schema->validate("\x{9b}31m", $notes), 'an escape of a terminal');
    my %query = map { resolved($_)->{name} => resolved($_)->{schema} }
        @{ $by_path{'GET /samples'}{parameters} };
    is($query{limit}{maximum}, undef, 'limit has no maximum: more is taken as it');
    ok($schema->validate('', $query{externalId}), 'an empty filter');
};

subtest 'the feed tells the events by their types' => sub {
    my $feed = $api->{components}{schemas}{FeedEvent}{anyOf};
    my @types = map { @{ resolved($_)->{properties}{type}{enum} || [] } } @$feed;
    is_deeply([ sort @types ], [ grep { $_ ne 'webhook.test' } sort keys %{ $api->{webhooks} } ],
        'each as its webhook');
    my %event = (id => '5b6f1c9e-0d0f-4a55-9a1e-6c1f3f6f2f10', createdAt =>
            '2026-11-21T07:48:00.000Z', organizationId => 1);
    my $fits = sub { !$schema->validate({ %event, @_ }, { '$ref' => '#/components/schemas/FeedEvent' }) };
    ok($fits->(type => 'result.entered', data => { sampleTestId => 1, testDefinitionId => 2 }),
        'an existing type of event is valid');
    ok(!$fits->(type => 'result.entered', data => { sampleTestId => 1 }),
        'an event with members missing is invalid');
    ok($fits->(type => 'sample.blessed', data => { any => 'thing' }),
        'a type of event that may be added is valid');
};

# Documented members are possible members, and required ones are documented.
subtest 'schemas' => sub {
    my (@faults, $objects);

    walk($api, sub {
        my ($object, @path) = @_;
        return unless $object->{properties} && ($object->{type} || '') eq 'object';
        $objects++;
        push @faults, map { "@path: requires $_, which it can't have" }
            grep { !$object->{properties}{$_} } @{ $object->{required} || [] };
        push @faults, "@path: open to anything"
            unless LIMS::Service::JSONSchema::type_of($object->{additionalProperties}) eq 'boolean'
            && !$object->{additionalProperties};
    });
    cmp_ok($objects, '>', 40, 'there are objects');
    ok(!@faults, 'they are closed and consistent') or diag(join "\n", @faults);
};

sub has_valid_examples {
    my ($document) = @_;
    my $schema = LIMS::Service::JSONSchema->new($document);
    my (@faults, $count);

    walk($document, sub {
        my ($object, @path) = @_;
        my @values = (@{ ref $object->{examples} eq 'ARRAY' ? $object->{examples} : [] },
            exists $object->{type} && exists $object->{default} ? $object->{default} : ());
        for my $value (@values) {
            $count++;
            push @faults, map { "@path: $_" } $schema->validate($value, $object);
        }
    });
    cmp_ok($count, '>', 40, 'there are examples');
    return ok(!@faults, 'they are values of their schemas') || diag(join "\n", @faults);
}

subtest 'examples and defaults' => sub { has_valid_examples($api) };
subtest 'examples and defaults of the application' => sub {
    has_valid_examples(LIMS::Service::JSONSchema::decode(document('--surface', 'application')));
};

# That the types are the database's is seen in catalogue.t.
subtest 'events' => sub {
    my @types = sort keys %{ $api->{webhooks} };

    cmp_ok(scalar @types, '>=', 13, 'there is a webhook for each type of event');
    for my $type (@types) {
        my $post  = $api->{webhooks}{$type}{post};
        my $event = resolved($post->{requestBody}{content}{'application/json'}{schema});

        is_deeply($event->{properties}{type}{enum}, [$type], "$type has its own envelope");
        is_deeply($event->{required}, [qw(id type createdAt organizationId data)],
            "$type has every member of it");
    }
};

done_testing();
