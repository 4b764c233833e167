#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /samples: every field is stored and returned, what is left out has its
# default, the tests asked for are scheduled in their order, sample.created is
# written in the same transaction, and each invalid body is refused by name and
# leaves nothing behind.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Service::Laboratory;
use LIMS::Test;
use POSIX qw(strftime);

my $lims     = LIMS::Test->new;
my $lab      = LIMS::Service::Laboratory->new($lims);
my $other    = LIMS::Service::Laboratory->new($lims,
    $lims->organization(code => 'other-laboratory'));
my $material = $lab->material;
my $project  = $lab->project;
my $location = $lab->location;
my @tests    = map { $lab->definition } 1 .. 3;
my @minimum  = (clientName => 'City of Riverbend', materialTypeId => $material);

my @members = qw(id trackingId status materialTypeId projectId receivedAt sampleIdentifier
    externalId clientId clientName collectionDate collectedAt priority notes plantLocation
    storageLocationId releaseState holdingStatus createdAt updatedAt reportedAt orderId dueDate receipt
    disposition dispositionReason noteOnReport amendment underReview tests);

sub day { return strftime('%Y-%m-%d', gmtime(time + 86400 * $_[0])) }
sub moment { return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time + 3600 * $_[0])) }

subtest 'the required fields alone' => sub {
    my $response = $lims->post('/samples', {@minimum});
    my $sample   = $response->json;

    is($response->status, 201);
    is($response->header('Location'), "/api/v1/samples/$sample->{id}");
    is_deeply([ sort keys %$sample ], [ sort @members ], 'every member is there, null or not');
    my %expected = (status => 'pending', priority => 'routine', releaseState => 'in_progress',
        clientName => 'City of Riverbend', materialTypeId => $material, tests => []);
    is_deeply($sample->{$_}, $expected{$_}, $_) for sort keys %expected;
    is($sample->{$_}, undef, "$_ is null")
        for qw(projectId receivedAt externalId clientId collectionDate collectedAt notes
        plantLocation storageLocationId holdingStatus reportedAt);
    like($sample->{createdAt}, qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z/,
        'it is UTC, to the millisecond');
    is($sample->{updatedAt}, $sample->{createdAt}, 'never changed');

    my $again = $lims->get("/samples/$sample->{id}");
    is_deeply($again->json, $sample, 'the sample is read as it was answered');
    is($again->header('ETag'), $response->header('ETag'), 'a read has the same ETag');
};

subtest 'all fields' => sub {
    my %body = (@minimum,
        projectId         => $project,
        externalId        => 'WO-88123/4',
        collectionDate    => day(-1),
        priority          => 'stat',
        notes             => "line one\nline two: 5 \x{b5}g/L \x{1F9EA}",
        plantLocation     => 'EFF-001',
        storageLocationId => $location,
    );
    my $response = $lims->post('/samples', { %body, testDefinitionIds => [ @tests[ 2, 0, 1 ] ] });
    my $sample   = $response->json;

    is($response->status, 201) or diag($response->body);
    is($sample->{$_}, $body{$_}, $_) for sort keys %body;
    is($sample->{sampleIdentifier}, $sample->{trackingId}, 'the tracking id identifies it');
    is_deeply([ map { $_->{testDefinitionId} } @{ $sample->{tests} } ], [ @tests[ 2, 0, 1 ] ],
        'tests in the order asked for');
    is_deeply([ map { $_->{id} } @{ $sample->{tests} } ],
        [ sort { $a <=> $b } map { $_->{id} } @{ $sample->{tests} } ],
            'the tests are in the order of their ids');
    is_deeply([ map { $_->{status} } @{ $sample->{tests} } ], [ ('pending') x 3 ],
        'every test is pending');
    is_deeply($lims->get("/samples/$sample->{id}")->json, $sample,
        'the sample is read with its tests as it was answered');
    is($lab->value('SELECT created_by FROM lims.sample WHERE id = ?', $sample->{id}),
        $lims->fixture->{user_id}, 'made by the user of the key');
};

subtest 'null is the same as leaving an optional field out' => sub {
    my @nullable = qw(projectId externalId collectionDate collectedAt notes plantLocation
        storageLocationId);
    my $response = $lims->post('/samples', { @minimum, map { $_ => undef } @nullable });

    is($response->status, 201) or diag($response->body);
    is($response->json->{$_}, undef, $_) for @nullable;
};

subtest 'each priority' => sub {
    for my $priority (qw(routine rush stat)) {
        is($lab->sample(priority => $priority)->{priority}, $priority, $priority);
    }
};

subtest 'the longest values' => sub {
    my %body = (
        clientName    => "\x{e9}" x 255,
        externalId    => "\x{1F9EA}" x 255,
        notes         => 'n' x 4000,
        plantLocation => "\x{f8}" x 64,
    );
    my @many   = map { $lab->definition } 1 .. 197;
    my $sample = $lims->post('/samples',
        { @minimum, %body, testDefinitionIds => [ @tests, @many ] })->json;

    is($sample->{$_}, $body{$_}, $_) for sort keys %body;
    is(scalar @{ $sample->{tests} || [] }, 200, '200 tests');
};

subtest 'sample.created, in the transaction of the sample' => sub {
    my $sample;
    is_deeply([ $lab->events_of(sub { $sample = $lab->sample(testDefinitionIds => [@tests]) }) ],
        [ [ 'sample.created', 'sampleId integer, trackingId string, sampleIdentifier string, '
                . 'clientName string, status string' ] ], 'one event, as in the contract');
    my ($type, $data, $together) = $lims->db->selectrow_array(
        'SELECT e.type, e.data::text, e.xmin = s.xmin FROM lims.event e, lims.sample s'
            . ' WHERE s.id = ? AND e.organization_id = s.organization_id'
            . q{ AND (e.data ->> 'sampleId')::bigint = s.id}, undef, $sample->{id});
    my $event = LIMS::Service::JSONSchema::decode($data);
    is($event->{$_}, $sample->{ $_ eq 'sampleId' ? 'id' : $_ }, $_)
        for qw(sampleId trackingId sampleIdentifier clientName status);
    ok($together, 'both rows are of one transaction');
};

subtest 'externalId is unique within the organization' => sub {
    $lab->sample(externalId => 'LIMS-1');
    like(refused($lims->post('/samples', { @minimum, externalId => 'LIMS-1' }), 400,
            'invalid_body', 'a second one')->{message}, qr/externalId/, 'the message names it');
    is($lab->sample(externalId => 'lims-1')->{externalId}, 'lims-1', 'case tells them apart');
    is($other->sample(externalId => 'LIMS-1')->{externalId}, 'LIMS-1', 'elsewhere it is free');
};

my $inactive = $lab->material(active => 'f');
my $retired  = $lab->definition(active => 'f');
my %foreign  = (
    materialTypeId    => $other->material,
    projectId         => $other->project,
    storageLocationId => $other->location,
);

# [what, the body's members beside the minimum (undef: instead of it), slug, word]
my @refusals = (
    [ 'an empty object', undef, {}, 'invalid_body', 'materialTypeId|clientName' ],
    [ 'no material type', undef, { clientName => 'A' }, 'invalid_body', 'materialTypeId' ],
    [ 'no client', undef, { materialTypeId => $material }, 'invalid_body', 'clientName' ],
    [ 'a blank client', 1, { clientName => '   ' }, 'invalid_body', 'clientName' ],
    [ 'an empty client', 1, { clientName => '' }, 'invalid_body', 'clientName' ],
    [ 'a null client', 1, { clientName => undef }, 'invalid_body', 'clientName' ],
    [ 'a client number', 1, { clientName => 7 }, 'invalid_body', 'clientName' ],
    [ 'a long client', 1, { clientName => 'c' x 256 }, 'invalid_body', 'clientName' ],
    [ 'a null material type', 1, { materialTypeId => undef }, 'invalid_body', 'materialTypeId' ],
    [ 'an inactive material type', 1, { materialTypeId => $inactive }, 'invalid_reference',
        'materialTypeId' ],
    [ 'an inactive project', 1, { projectId => $lab->project(active => 'f') },
        'invalid_reference', 'projectId' ],
    [ 'an inactive location', 1, { storageLocationId => $lab->location(active => 'f') },
        'invalid_reference', 'storageLocationId' ],
    [ 'an unknown priority', 1, { priority => 'urgent' }, 'invalid_body', 'priority' ],
    [ 'a priority in capitals', 1, { priority => 'RUSH' }, 'invalid_body', 'priority' ],
    [ 'a null priority', 1, { priority => undef }, 'invalid_body', 'priority' ],
    [ 'an invalid day', 1, { collectionDate => '2026-02-30' }, 'invalid_body',
        'collectionDate' ],
    [ 'a German date', 1, { collectionDate => '21.11.2026' }, 'invalid_body', 'collectionDate' ],
    [ 'a time as a date', 1, { collectionDate => '2026-01-01T00:00:00Z' }, 'invalid_body',
        'collectionDate' ],
    [ 'an empty date', 1, { collectionDate => '' }, 'invalid_body', 'collectionDate' ],
    [ 'the day after tomorrow', 1, { collectionDate => day(2) }, 'invalid_body',
        'collectionDate' ],
    [ 'a time without a zone', 1, { collectedAt => '2026-01-01T00:00:00' }, 'invalid_body',
        'collectedAt' ],
    [ 'a time in two days', 1, { collectedAt => moment(48) }, 'invalid_body', 'collectedAt' ],
    [ 'long notes', 1, { notes => 'n' x 4001 }, 'invalid_body', 'notes' ],
    [ 'notes of the wrong type', 1, { notes => ['n'] }, 'invalid_body', 'notes' ],
    [ 'a long plant location', 1, { plantLocation => 'p' x 65 }, 'invalid_body',
        'plantLocation' ],
    [ 'an empty external id', 1, { externalId => '' }, 'invalid_body', 'externalId' ],
    [ 'a long external id', 1, { externalId => 'e' x 256 }, 'invalid_body', 'externalId' ],
    [ 'an unknown field', 1, { colour => 'blue' }, 'invalid_body', 'colour' ],
    [ 'testDefinitionIds that are not a list', 1, { testDefinitionIds => $tests[0] }, 'invalid_body',
        'testDefinitionIds' ],
    [ 'a test twice', 1, { testDefinitionIds => [ @tests[ 0, 1, 0 ] ] }, 'invalid_body',
        'testDefinitionIds' ],
    [ '201 tests', 1, { testDefinitionIds => [ 1 .. 201 ] }, 'invalid_body',
        'testDefinitionIds' ],
    [ 'a test as text', 1, { testDefinitionIds => ["$tests[0]"] }, 'invalid_body',
        'testDefinitionIds' ],
    [ 'test 0', 1, { testDefinitionIds => [0] }, 'invalid_body', 'testDefinitionIds' ],
    [ 'an absent test', 1, { testDefinitionIds => [ $tests[0], 987654 ] }, 'invalid_reference',
        'testDefinitionIds' ],
    [ 'a retired test', 1, { testDefinitionIds => [$retired] }, 'invalid_reference',
        'testDefinitionIds' ],
    [ 'a foreign test', 1, { testDefinitionIds => [ $other->definition ] }, 'invalid_reference',
        'testDefinitionIds' ],
    (map { my $field = $_; (
        [ "$field: absent", 1, { $field => 987654 }, 'invalid_reference', $field ],
        [ "$field: foreign", 1, { $field => $foreign{$field} }, 'invalid_reference', $field ],
        [ "$field: 0", 1, { $field => 0 }, 'invalid_body', $field ],
        [ "$field: negative", 1, { $field => -1 }, 'invalid_body', $field ],
        [ "$field: a fraction", 1, { $field => 1.5 }, 'invalid_body', $field ],
        [ "$field: text", 1, { $field => '1' }, 'invalid_body', $field ],
        [ "$field: true", 1, { $field => JSON::PP::true }, 'invalid_body', $field ],
    ) } sort keys %foreign),
    (map { [ "$_ is the service's", 1, { $_ => 1 }, 'field_not_patchable', $_ ] }
        qw(id trackingId status receivedAt sampleIdentifier clientId releaseState holdingStatus
        createdAt updatedAt reportedAt)),
);

subtest 'refused bodies leave nothing behind' => sub {
    my $changes = $lab->changes_of(sub {
        for my $case (@refusals) {
            my ($what, $complete, $more, $slug, $word) = @$case;
            my $body = refused($lims->post('/samples', { $complete ? @minimum : (), %$more }),
                400, $slug, $what);
            like($body->{message}, qr/$word/, "the message names $word");
        }
    });
    is($changes, 0, 'no audit entry, no event');
};

subtest 'ids beyond 2^63-1' => sub {
    my $text = '{"clientName":"A","materialTypeId":%s}';
    refused($lims->post('/samples', sprintf $text, '9223372036854775808'), 400, 'invalid_body',
        'too large for an id');
    refused($lims->post('/samples', sprintf $text, '9223372036854775807'), 400,
        'invalid_reference', 'the largest id there can be');
};

done_testing();
