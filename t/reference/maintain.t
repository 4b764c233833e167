#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Creating and changing clients and projects through the API: every field, clearing fields,
# refusals with their reasons, and the audit trail.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $other = $lims->organization(code => 'other-laboratory');

my $client   = $lims->insert('client', { code => 'OWNER',  name => 'Owner' });
my $second   = $lims->insert('client', { code => 'SECOND', name => 'Second' });
my $inactive = $lims->insert('client', { code => 'GONE',   name => 'Gone', active => 'f' });
my $theirs   = $lims->insert('client', { code => 'THEIRS', name => 'Theirs' }, $other);

my $true  = LIMS::Service::JSONSchema::decode('true');
my $false = LIMS::Service::JSONSchema::decode('false');

my %kind = (
    'clients' => {
        table => 'client',
        bare  => { contactName => undef, email => undef, phone => undef, address => undef,
            active => $true },
        full => { contactName => 'Ada Lovelace', email => 'ada@client.example',
            phone => '+44 20 7946 0000', address => "12 St James's Square\nLondon",
            active => $false },
        changed => { contactName => 'Grace Hopper', email => 'grace@client.example',
            phone => '1', address => '2', active => $true, code => 'NEW-CODE', name => 'New name' },
        nullable => [qw(contactName email phone address)],
        longest  => { code => 64, name => 255, contactName => 255, email => 254, phone => 64,
            address => 4000 },
    },
    'projects' => {
        table => 'project',
        bare  => { clientId => undef, compositeSampleIdentifier => $false, active => $true },
        full  => { clientId => $client, compositeSampleIdentifier => $true, active => $false },
        changed => { clientId => $second, compositeSampleIdentifier => $false, active => $true,
            code => 'NEW-CODE', name => 'New name' },
        nullable => ['clientId'],
        longest  => { code => 64, name => 255 },
    },
);

my $number = 0;
sub code { return 'M-' . ++$number }

sub refused {
    my ($answer, $slug, $field, $name) = @_;
    my $said = $answer->json || {};

    is($answer->status . ' ' . ($said->{error} || '?'), "400 $slug", $name)
        or diag($answer->body);
    like($said->{message} || '', qr/\b$field\b/, "the message names $field");
    return;
}

sub without_times {
    my ($record) = @_;
    return { map { $_ => $record->{$_} } grep { !/^(?:createdAt|updatedAt)$/ } keys %$record };
}

for my $noun (sort keys %kind) {
    my $kind = $kind{$noun};

    subtest "/$noun: creation" => sub {
        for my $which (qw(bare full)) {
            my %body = (code => code(), name => "A $which one",
                $which eq 'full' ? %{ $kind->{full} } : ());
            my $made = $lims->post("/$noun", \%body);
            is($made->status, 201, "with $which fields") or diag($made->body);
            my $id = $made->json->{id};
            is($made->header('Location'), "/api/v1/$noun/$id",
                'Location is the path of the record');
            is_deeply(without_times($made->json),
                { %{ $kind->{bare} }, %body, id => $id }, 'the answer has every field');
            is($made->json->{createdAt}, $made->json->{updatedAt},
                'a new record was never changed');
            is($lims->get("/$noun/$id")->body, $made->body, 'a read shows the new record as it was answered');
        }
        my %body = (code => code(), name => 'Null', map { $_ => undef } @{ $kind->{nullable} });
        my $made = $lims->post("/$noun", \%body);
        is($made->status, 201, 'null is as good as leaving out');
    };

    subtest "/$noun: creation refused" => sub {
        my $before = LIMS::Database::Snapshot::take($lims);
        my $create = sub { return $lims->post("/$noun", { code => code(), name => 'N', @_ }) };

        for my $required (qw(code name)) {
            my %body = (code => code(), name => 'N');
            delete $body{$required};
            refused($lims->post("/$noun", \%body), 'invalid_body', $required, "no $required");
            refused($create->($required => undef), 'invalid_body', $required, "$required null");
            refused($create->($required => ''),    'invalid_body', $required, "$required empty");
            refused($create->($required => " \t "), 'invalid_body', $required, "$required blank");
            refused($create->($required => 7),     'invalid_body', $required, "$required a number");
        }
        for my $field (sort keys %{ $kind->{longest} }) {
            refused($create->($field => 'x' x ($kind->{longest}{$field} + 1)), 'invalid_body',
                $field, "$field too long");
        }
        for my $boolean (grep { ref $kind->{bare}{$_} } sort keys %{ $kind->{bare} }) {
            for my $bad ('true', 1, 0, undef, []) {
                refused($create->($boolean => $bad), 'invalid_body', $boolean,
                    "$boolean: " . (defined $bad ? $bad : 'null'));
            }
        }
        for my $fixed ([ id => 7 ], [ createdAt => '2026-01-01T00:00:00Z' ],
            [ updatedAt => '2026-01-01T00:00:00Z' ]) {
            refused($create->(@$fixed), 'field_not_patchable', $fixed->[0], "$fixed->[0] is ours");
        }
        refused($create->(organizationId => $other->{id}), 'invalid_body', 'organizationId',
            'another organization');
        refused($create->(Code => 'x'), 'invalid_body', 'Code', 'names have their case');
        is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
    };

    subtest "/$noun: a code is unique in its organization" => sub {
        my $code = code();
        my $made = $lims->post("/$noun", { code => $code, name => 'First' })->json;
        my $next = $lims->post("/$noun", { code => code(), name => 'Next' })->json;
        my $before = LIMS::Database::Snapshot::take($lims);
        refused($lims->post("/$noun", { code => $code, name => 'Second' }), 'invalid_body', 'code',
            'a second one');
        refused($lims->patch("/$noun/$next->{id}", { code => $code }), 'invalid_body', 'code',
            'a change to it');
        is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
        is($lims->patch("/$noun/$made->{id}", { code => $code, name => 'Still' })->status, 200,
            'its own it may keep');
        is($lims->post("/$noun", { code => lc $code, name => 'x' })->status, 201,
            'other letters are another code');
        is($lims->post("/$noun", { code => $code, name => 'x' }, key => $other->{key})->status, 201,
            'another organization may have the same code');
        my @statuses = sort map { $_->status } $lims->parallel(6, sub {
            return $lims->post("/$noun", { code => "RACE-$noun", name => 'x' });
        });
        is_deeply(\@statuses, [ 201, (400) x 5 ], 'of six at once one is made');
    };

    subtest "/$noun: the longest values" => sub {
        my %body = (code => code(), name => 'N');
        for my $field (sort keys %{ $kind->{longest} }) {
            my $value = "\x{E9}" x $kind->{longest}{$field};
            my $made = $lims->post("/$noun", { %body, code => code(), $field => $value });
            is($made->status, 201, "$field of $kind->{longest}{$field} characters")
                or diag($made->body);
            is(($made->json || {})->{$field}, $value, "$field is kept whole");
        }
    };

    subtest "/$noun: change" => sub {
        my $made = $lims->post("/$noun", { code => code(), name => 'N', %{ $kind->{full} } })->json;
        my $path = "/$noun/$made->{id}";
        my %now  = %{ without_times($made) };
        for my $field (sort keys %{ $kind->{changed} }) {
            my $value = $kind->{changed}{$field};
            $value = "$value-$noun" if $field eq 'code';
            my $before = $lims->get($path)->json->{updatedAt};
            my $answer = $lims->patch($path, { $field => $value });
            is($answer->status, 200, "$field alone") or diag($answer->body);
            $now{$field} = $value;
            is_deeply(without_times($answer->json), \%now, "$field is all that changes");
            cmp_ok($answer->json->{updatedAt}, 'gt', $before, 'the record is dated as changed now');
            is($answer->json->{createdAt}, $made->{createdAt}, "$field: the time of creation stays");
        }
        for my $field (@{ $kind->{nullable} }) {
            my $answer = $lims->patch($path, { $field => undef });
            is($answer->status, 200, "null clears $field");
            $now{$field} = undef;
            is_deeply(without_times($answer->json), \%now, "$field is all that is cleared");
        }
        my $answer = $lims->patch($path, $kind->{full});
        is_deeply(without_times($answer->json), { %now, %{ $kind->{full} } }, 'many together');

        my $count = 'SELECT count(*) FROM lims.audit_entry WHERE table_name = ? AND record_id = ?';
        my @row   = ($kind->{table}, $made->{id});
        my $entries = $lims->db->selectrow_array($count, undef, @row);
        my $again = $lims->patch($path, $kind->{full});
        is($again->body, $answer->body, 'the same again changes nothing, not even updatedAt');
        is($lims->db->selectrow_array($count, undef, @row), $entries, 'the same change again makes no audit entry');
        is($entries, 1 + keys(%{ $kind->{changed} }) + @{ $kind->{nullable} } + 1,
            'each change before left one');
    };

    subtest "/$noun: change refused" => sub {
        my $made = $lims->post("/$noun", { code => code(), name => 'N', %{ $kind->{full} } })->json;
        my $path = "/$noun/$made->{id}";
        my $before = LIMS::Database::Snapshot::take($lims);
        my $answer = $lims->patch($path, {});
        is($answer->status . ' ' . $answer->json->{error}, '400 no_updatable_fields',
            'an empty change is refused');
        for my $fixed (qw(id createdAt updatedAt)) {
            refused($lims->patch($path, { $fixed => $made->{$fixed} }), 'field_not_patchable',
                $fixed, "$fixed, even as it is");
        }
        refused($lims->patch($path, { name => 'x', colour => 'red' }), 'invalid_body', 'colour',
            'an unknown field beside a known one');
        for my $needed ('code', 'name', 'active') {
            refused($lims->patch($path, { $needed => undef }), 'invalid_body', $needed,
                "$needed cannot be cleared");
        }
        refused($lims->patch($path, { name => '' }), 'invalid_body', 'name', 'an empty name');
        is($lims->patch($path, { name => 'x' }, key => $other->{key})->status, 404,
            'another organization does not find it');
        is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
    };
}

subtest 'the client of a project' => sub {
    my $project = $lims->post('/projects', { code => code(), name => 'P' })->json;
    my $before  = LIMS::Database::Snapshot::take($lims);
    my %bad = ('of nobody' => 999999999, 'of another organization' => $theirs,
        'inactive' => $inactive, 'the largest there can be' => '9223372036854775807');
    for my $name (sort keys %bad) {
        my $body = "{\"code\":\"X-CLIENT\",\"name\":\"P\",\"clientId\":$bad{$name}}";
        refused($lims->post('/projects', $body), 'invalid_reference', 'clientId',
            "$name: creation");
        refused($lims->patch("/projects/$project->{id}", "{\"clientId\":$bad{$name}}"),
            'invalid_reference', 'clientId', "$name: change");
    }
    for my $no_id (0, -1, '1.0', '"1"', '1e3', 'true', '9223372036854775808') {
        refused($lims->patch("/projects/$project->{id}", "{\"clientId\":$no_id}"), 'invalid_body',
            'clientId', "$no_id is not an id");
    }
    my ($absent, $foreign) = map {
        $lims->patch("/projects/$project->{id}", { clientId => $_ })->json->{message} =~ s/\d+/N/gr
    } 999999999, $theirs;
    is($foreign, $absent, 'another organization\'s record looks like a missing one');
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');

    my $kept = $lims->insert('client', { code => 'KEPT', name => 'Kept' });
    $lims->patch("/projects/$project->{id}", { clientId => $kept });
    $lims->patch("/clients/$kept", { active => $false });
    is($lims->patch("/projects/$project->{id}", { name => 'Other' })->status, 200,
        'a project keeps a client that becomes inactive');
};

subtest 'the audit trail' => sub {
    my $made = $lims->post('/clients', { code => 'AUDIT', name => 'Before', phone => '1' })->json;
    my $answer = $lims->patch("/clients/$made->{id}", { name => 'After', phone => undef });
    my $rows = $lims->db->selectall_arrayref(
        q{SELECT action, changes, user_id, api_key_id, request_id FROM lims.audit_entry
           WHERE table_name = 'client' AND record_id = ? ORDER BY id}, undef, $made->{id});
    is(scalar @$rows, 2, 'an entry for each act');
    is($rows->[0][0], 'insert', 'the creation');
    my ($action, $changes, @who) = @{ $rows->[1] };
    is($action, 'update', 'the change');
    is_deeply(LIMS::Service::JSONSchema::decode($changes),
        { name => { old => 'Before', new => 'After' }, phone => { old => '1', new => undef } },
        'the entry has old and new of what changed, and of nothing else');
    is_deeply(\@who, [ $lims->fixture->{user_id}, $lims->fixture->{key_id},
            $answer->header('X-Request-Id') ], 'the entry has person, key and request');
};

done_testing();
