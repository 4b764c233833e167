#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# PATCH /samples/:id: every mutable field changes alone, null clears optional fields, fields
# that the service owns are refused by name, a reported sample is final, and the audit trail
# has old and new value of what changed and nothing else.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims     = LIMS::Test->new;
my $lab      = LIMS::Service::Laboratory->new($lims);
my $other    = LIMS::Service::Laboratory->new($lims,
    $lims->organization(code => 'other-laboratory'));
my $material = $lab->material;

my %full = (
    clientName        => 'City of Riverbend',
    materialTypeId    => $lab->material,
    projectId         => $lab->project,
    externalId        => 'WO-1',
    collectedAt       => '2026-03-09T14:05:00.000Z',
    priority          => 'rush',
    notes             => 'first',
    plantLocation     => 'EFF-001',
    storageLocationId => $lab->location,
);
my $sample = $lab->sample(%full);
my $path   = "/samples/$sample->{id}";

# [field, another value]
my @changes = (
    [ clientName        => 'Somebody Else' ],
    [ materialTypeId    => $material ],
    [ projectId         => $lab->project ],
    [ externalId        => 'WO-2' ],
    [ collectedAt       => '2026-03-10T14:05:00.000Z' ],
    [ priority          => 'stat' ],
    [ notes             => "second \x{b5}" ],
    [ plantLocation     => 'INF' ],
    [ storageLocationId => $lab->location ],
    [ noteOnReport      => JSON::PP::true ],
);

# The contents of two records that differ, without what every change changes.
sub differences {
    my ($before, $after) = @_;
    return join ' ', sort grep {
        ($before->{$_} // "\0") ne ($after->{$_} // "\0") && $_ ne 'updatedAt' && $_ ne 'tests'
    } keys %$after;
}

subtest 'each field is changed alone' => sub {
    for my $change (@changes) {
        my ($field, $value) = @$change;
        my $before   = $lims->get($path)->json;
        my $response = $lims->patch($path, { $field => $value });
        my $after    = $response->json;

        is($response->status, 200, $field) or diag($response->body);
        is($after->{$field}, $value, "$field has the new value");
        is(differences($before, $after),
            $field eq 'collectedAt' ? 'collectedAt collectionDate' : $field,
                "$field is all that changes");
        isnt($after->{updatedAt}, $before->{updatedAt}, 'the record is dated as changed');
        is_deeply($lims->get($path)->json, $after, "the sample is read with its new $field");
    }
};

subtest 'all fields are changed at once' => sub {
    my $response = $lims->patch($path, {%full});
    is($response->status, 200) or diag($response->body);
    is($response->json->{$_}, $full{$_}, $_) for sort keys %full;
};

subtest 'null clears a field' => sub {
    for my $field (qw(projectId externalId collectedAt collectionDate notes plantLocation
        storageLocationId)) {
        my $before = $lims->get($path)->json;
        ok(defined $before->{$field}, "$field is there");
        my $after = $lims->patch($path, { $field => undef })->json;
        is($after->{$field}, undef, "$field is cleared");
        is(differences($before, $after), $field, "$field is all that is cleared");
    }
};

subtest 'null in a required field' => sub {
    for my $field (qw(clientName materialTypeId priority)) {
        like(refused($lims->patch($path, { $field => undef }), 400, 'invalid_body', $field)
                ->{message}, qr/$field/, 'the message names it');
    }
};

subtest 'fields that the service owns' => sub {
    my $changes = $lab->changes_of(sub {
        for my $field (qw(id trackingId status receivedAt sampleIdentifier clientId releaseState
            holdingStatus createdAt updatedAt reportedAt testDefinitionIds tests)) {
            my $body = refused($lims->patch($path, { $field => 'x', notes => 'hidden' }), 400,
                'field_not_patchable', $field);
            like($body->{message}, qr/$field/, "the message names $field");
        }
        refused($lims->patch($path, {}), 400, 'no_updatable_fields', 'nothing to change');
        refused($lims->patch($path, { colour => 'blue' }), 400, 'invalid_body', 'unknown');
        refused($lims->patch($path, { priority => 'now' }), 400, 'invalid_body', 'no priority');
        refused($lims->patch($path, { notes => 'n' x 4001 }), 400, 'invalid_body', 'too long');
    });
    is($changes, 0, 'no row has changed');
};

subtest 'references' => sub {
    my %make = (materialTypeId => 'material', projectId => 'project',
        storageLocationId => 'location');
    for my $field (sort keys %make) {
        my $method = $make{$field};
        my $absent = refused($lims->patch($path, { $field => 987654 }), 400,
            'invalid_reference', "$field: absent");
        my $foreign = $other->$method;
        my $strange = refused($lims->patch($path, { $field => $foreign }), 400,
            'invalid_reference', "$field: another organization's");
        is($strange->{message} =~ s/$foreign/N/r, $absent->{message} =~ s/987654/N/r,
            'the refusal of another organization\'s record looks like that of one that is not there');
        refused($lims->patch($path, { $field => $lab->$method(active => 'f') }), 400,
            'invalid_reference', "$field: inactive");
    }
};

subtest 'a reference that became inactive stays' => sub {
    my $retiring = $lab->material;
    my $old = $lab->sample(materialTypeId => $retiring);
    $lims->db->do('UPDATE lims.material_type SET active = false WHERE id = ?', undef, $retiring);
    is($lims->patch("/samples/$old->{id}", { notes => 'still worked on' })->status, 200,
        'another field changes');
    is($lims->patch("/samples/$old->{id}", { materialTypeId => $retiring })->status, 200,
        'sent again unchanged');
};

subtest 'externalId of another sample' => sub {
    $lab->sample(externalId => 'TAKEN');
    like(refused($lims->patch($path, { externalId => 'TAKEN' }), 400, 'invalid_body', 'taken')
            ->{message}, qr/externalId/, 'the message names it');
    is($lims->patch($path, { externalId => 'FREE' })->status, 200, 'a free one');
    is($lims->patch($path, { externalId => 'FREE' })->status, 200,
        'its own external id is accepted again');
};

subtest 'the audit trail' => sub {
    my $changes = $lab->changes_of(sub { $lims->patch($path, { notes => 'as it was' }) });
    is($changes, 1, 'one audit entry, no event');
    my $id = 'test-request-' . $$;
    $lims->patch($path, { notes => 'as it is', priority => 'routine' },
        headers => { 'X-Request-Id' => $id });
    my $entry = $lims->db->selectrow_hashref('SELECT * FROM lims.audit_entry'
            . ' WHERE organization_id = ? ORDER BY id DESC LIMIT 1', undef, $lims->fixture->{id});
    is_deeply(LIMS::Service::JSONSchema::decode($entry->{changes}), {
            notes    => { old => 'as it was', new => 'as it is' },
            priority => { old => 'rush',      new => 'routine' },
        }, 'old and new of what changed');
    is("$entry->{table_name} $entry->{record_id} $entry->{action}",
        "sample $sample->{id} update", 'the entry names the sample');
    is($entry->{request_id}, $id, 'the entry has the request id');
    is($entry->{api_key_id}, $lims->fixture->{key_id}, 'the entry has the key');
    is($entry->{user_id}, $lims->fixture->{user_id}, 'the entry has the user');
    is($lab->changes_of(sub { $lims->patch($path, { notes => 'as it is' }) }), 0,
        'the same value leaves no entry');
};

subtest 'a reported sample is final' => sub {
    my ($done, $test) = $lab->worked(1);
    $lab->verify($test);
    is($lims->post("/samples/$done->{id}/report", {})->status, 200, 'the sample is reported');
    my $before  = $lims->get("/samples/$done->{id}")->json;
    my $changes = $lab->changes_of(sub {
        for my $change (@changes, [ collectionDate => '2026-01-01' ],
            [ clientName => $before->{clientName} ]) {
            refused($lims->patch("/samples/$done->{id}", {@$change}), 409, 'invalid_transition',
                $change->[0]);
        }
    });
    is($changes, 0, 'no row has changed');
    is_deeply($lims->get("/samples/$done->{id}")->json, $before, 'the record is unchanged');
};

subtest 'unknown samples' => sub {
    my $foreign = $other->sample->{id};
    my $absent  = refused($lims->patch('/samples/987654', { notes => 'x' }), 404, 'not_found',
        'absent');
    my $strange = refused($lims->patch("/samples/$foreign", { notes => 'x' }), 404, 'not_found',
        'another organization\'s');
    is($strange->{message} =~ s/$foreign/N/r, $absent->{message} =~ s/987654/N/r,
        'both messages are the same but for the id');
};

done_testing();
