#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The feed: it shows every event of the organization once, and never inserts one before a
# cursor that it has given out, however transactions overlap.
#
# A transaction anywhere in the cluster that has not ended holds the feed back, and other
# tests share this cluster: so this test waits for what it expects.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;
use Time::HiRes qw(sleep time);

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $cursor = 0;

sub page {
    my ($query, %option) = @_;
    my $answer = $lims->get("/events?$query", %option);
    die "GET /events?$query: " . $answer->body . "\n" unless $answer->status == 200;
    return $answer->json;
}

# Returns the events after the cursor, to the end of the last page; moves the cursor.
sub come {
    my ($limit) = @_;
    my @events;
    my $page;
    do {
        $page = page("cursor=$cursor&limit=" . ($limit || 500));
        push @events, @{ $page->{data} };
        $cursor = $page->{nextCursor};
    } while ($page->{hasMore});
    return @events;
}

# The same, until as many have come.
sub follow {
    my ($count, $limit) = @_;
    my @events;
    wait_until {
        push @events, come($limit);
        @events >= $count;
    } 120;
    return @events;
}

sub of_samples { return map { $_->{data}{sampleId} } @_ }

subtest 'the envelope' => sub {
    my $sample = $lab->sample;
    my ($event) = follow(1);
    my ($id, $created) = $lims->db->selectrow_array(
        'SELECT lims.event_uuid(organization_id, id, created_at), created_at FROM lims.event WHERE organization_id = ?', undef,
        $lab->{organization}{id});

    is_deeply([ sort keys %$event ], [qw(createdAt data id organizationId type)],
        'the members of an event');
    is($event->{id}, $id, 'the event\'s own id');
    is($event->{type}, 'sample.created', 'the event\'s type');
    is($event->{organizationId}, $lab->{organization}{id}, 'the event\'s organization');
    like($event->{createdAt}, qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z/,
        'it is UTC, to the millisecond');
    is_deeply($event->{data}, { sampleId => $sample->{id}, trackingId => $sample->{trackingId},
            sampleIdentifier => $sample->{sampleIdentifier}, clientName => $sample->{clientName},
            status => 'pending' }, 'the payload of the webhook');
    my $raw = $lims->get('/events')->body;
    is(join(' ', ($raw =~ /"(id|type|createdAt|organizationId|data|sampleId)" ?:/g)[1 .. 6]),
        'id type createdAt organizationId data sampleId', 'members in the contract\'s order');
};

subtest 'pages' => sub {
    my @made = map { $lab->sample->{id} } 1 .. 7;
    my $begin = $cursor;
    is_deeply([ of_samples(follow(7, 3)) ], \@made, 'three at a time, the events come in order');
    my $empty = page("cursor=$cursor");
    is_deeply($empty, { data => [], nextCursor => $cursor, hasMore => JSON::PP::false },
        'an empty page keeps the cursor');
    is_deeply([ map { $_->{id} } @{ page("cursor=$begin")->{data} } ],
        [ map { $_->{id} } @{ page("cursor=$begin")->{data} } ],
            'reading again from a cursor shows the same');
    is_deeply(page('cursor=9007199254740991')->{data}, [], 'a cursor ahead of all: nothing');
    is(scalar @{ page('')->{data} }, 8, 'without a cursor all events are shown');
};

subtest 'filters' => sub {
    my $before = $lims->db->selectrow_array('SELECT clock_timestamp()');
    my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ]);
    my ($test) = $lab->tests($sample);
    $lab->enter($test, '7');
    follow(2);
    is_deeply([ map { $_->{type} } @{ page('type=result.entered')->{data} } ], ['result.entered'],
        'events of one type');
    is_deeply(page('type=qc.failed')->{data}, [], 'a type of which there is none');
    my $since = $before =~ s/ /T/r =~ s/\+00\z/Z/r =~ s/(\.\d{3})\d*/$1/r;
    is_deeply([ map { $_->{type} } @{ page("since=$since")->{data} } ],
        [ 'sample.created', 'result.entered' ], 'since a time');
    is_deeply([ map { $_->{type} } @{ page("since=$since&type=result.entered")->{data} } ],
        ['result.entered'], 'since and type together');
    refused($lims->get('/events?type=sample.exploded'), 400, 'invalid_query', 'an unknown type');
    refused($lims->get('/events?type=webhook.test'), 400, 'invalid_query', 'a test is no event');
    refused($lims->get('/events', key => $lims->key($lims->fixture,
                scopes => ['samples:read'])->{key}), 403, 'scope_required', 'without its scope');
};

subtest 'webhook.test is not in the feed' => sub {
    $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        VALUES (?, 'webhook.test', '{"message":"Test"}')}, undef, $lab->{organization}{id});
    my $sample = $lab->sample;
    is_deeply([ map { $_->{type} } follow(1) ], ['sample.created'],
        'the feed has only the event that was committed');
};

# A transaction of the laboratory in a connection of its own.
sub transaction {
    my $db = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
    $db->begin_work;
    $db->do(q{SELECT set_config('lims.organization_id', ?, true)}, undef, $lab->{organization}{id});
    return $db;
}

sub register {
    my ($db) = @_;
    our $material //= $lab->material;
    return $db->selectrow_array(q{INSERT INTO lims.sample (organization_id, material_type_id,
        client_name) VALUES (?, ?, 'Late') RETURNING id}, undef, $lab->{organization}{id}, $material);
}

subtest 'a transaction that commits late' => sub {
    my $late  = transaction();
    my $first = register($late);
    my @after = map { $lab->sample->{id} } 1 .. 3;
    is_deeply([ come() ], [], 'events after an open transaction wait for it');
    is_deeply(page("cursor=$cursor&type=sample.created")->{data}, [],
        'a filtered feed waits as well');
    $late->commit;
    $late->disconnect;
    is_deeply([ of_samples(follow(4)) ], [ $first, @after ], 'they come behind it');

    my $undone = transaction();
    register($undone);
    my $stays = $lab->sample->{id};
    is_deeply([ come() ], [], 'a transaction that is rolled back holds them too');
    $undone->rollback;
    $undone->disconnect;
    is_deeply([ of_samples(follow(1)) ], [$stays],
        'the transaction that was rolled back left no event');
};

# Begun first and written last: a higher id in an earlier transaction. Whoever
# reads by ids would have gone past the other.
subtest 'ids that ascend against the order of commits' => sub {
    my ($earlier, $later) = (transaction(), transaction());
    $_->selectrow_array('SELECT pg_current_xact_id()') for $earlier, $later;
    my $low  = register($later);
    my $high = register($earlier);
    $earlier->commit;
    is_deeply([ of_samples(follow(1)) ], [$high],
        'the feed has the earlier transaction, its id higher');
    my $before = $cursor;
    $later->commit;
    is_deeply([ of_samples(follow(1)) ], [$low], 'then the later commit, with the lower id');
    cmp_ok($cursor, '<', $before, 'the cursor goes back to the lower id');
    is_deeply([ come() ], [], 'no event comes twice');
    $_->disconnect for $earlier, $later;
};

subtest 'expired events' => sub {
    my @made = map { $lab->sample->{id} } 1 .. 3;
    follow(3);
    my $next = $lab->sample->{id};
    $lims->db->do('DELETE FROM lims.event WHERE organization_id = ? AND id <= ?', undef,
        $lab->{organization}{id}, $cursor);
    is_deeply([ of_samples(follow(1)) ], [$next],
        'a cursor whose event is gone goes on with the next');
    is_deeply([ of_samples(@{ page('cursor=1')->{data} }) ], [$next],
        'an expired cursor goes on with what is left');
};

subtest 'many writers at once' => sub {
    my ($writers, $each) = (6, 12);
    my $begin = $cursor;
    my @seen  = $lims->parallel($writers + 1, sub {
        my ($number) = @_;
        if ($number == $writers) {
            my @events;
            for (my $until = time + 240; @events < $writers * $each * 2 && time < $until;) {
                push @events, come(7);
            }
            return [ map { $_->{id} } @events ];
        }
        my $db = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
        for my $round (1 .. $each) {
            $db->begin_work;
            $db->selectrow_array('SELECT pg_current_xact_id()') if rand() < 0.5;
            sleep rand 0.02;
            register($db);
            sleep rand 0.02;
            register($db);
            $db->commit;
            # One that leaves a gap.
            $db->begin_work;
            register($db);
            $db->rollback;
        }
        $db->disconnect;
        return [];
    });
    my $all = $lims->db->selectcol_arrayref('SELECT lims.event_uuid(organization_id,'
            . ' id, created_at) FROM lims.event WHERE organization_id = ?'
            . q{ AND data->>'sampleId' IN (SELECT id::text FROM lims.sample WHERE client_name = 'Late')}
            . ' ORDER BY position, id DESC', undef, $lab->{organization}{id});
    my @tail = @$all[ -$writers * $each * 2 .. -1 ];
    is_deeply([ sort @{ $seen[$writers] } ], [ sort @tail ],
        'a reader during the writes has each event exactly once');
    $cursor = $begin;
    is_deeply([ map { $_->{id} } come(11) ], $seen[$writers], 'a later reader has the same order');
};

subtest 'events of another organization' => sub {
    $other->sample;
    is_deeply([ come() ], [], 'another organization\'s events are not shown');
    my $theirs;
    wait_until {
        $theirs = $lims->get("/events?cursor=0", key => $other->{organization}{key})->json->{data};
        @$theirs;
    } 120;
    is_deeply([ map { $_->{organizationId} } @$theirs ], [ $other->{organization}{id} ],
        'it sees its own events');
    my $shared = $lims->get("/events?cursor=$cursor", key => $other->{organization}{key})->json;
    is_deeply([ grep { $_->{organizationId} != $other->{organization}{id} } @{ $shared->{data} } ],
        [], 'a cursor of ours shows another organization nothing of ours');
};

subtest 'limsctl event list' => sub {
    my $said = $lims->ctl('--organization', $lims->fixture->{code}, '--user',
        'administrator@' . $lims->fixture->{code} . '.example', 'event', 'list', '--limit', '1');
    is($said->{exit}, 0, 'limsctl event list succeeds') or diag($said->{output});
    is_deeply($said->{json}{data}, page('limit=1')->{data}, 'the same page');
};

# A restored dump, or a copy by logical replication: the same rows in a cluster
# whose transactions are numbered from another beginning.
subtest 'a copy of the database in another cluster' => sub {
    my $ahead = 1_000_000_000;
    $lims->db->do('UPDATE lims.event SET position = position + ?', undef, $ahead);
    refused($lims->get("/events?cursor=$cursor"), 503, 'service_unavailable',
        'the feed of the copy is refused');
    refused($lims->post('/samples', { clientName => 'Early', materialTypeId => $lab->material }),
        503, 'service_unavailable', 'writes are refused before limsctl migrate');
    $lims->expect_log(qr/LIMS0364: 503 service_unavailable: .*run "limsctl migrate"/);
    # As roles.sql does: a clone has no rights on itself.
    $lims->superuser->do("GRANT CREATE ON DATABASE $lims->{database} TO lims_owner");
    my $migrated = $lims->ctl('migrate');
    is($migrated->{exit}, 0, 'limsctl migrate succeeds') or diag($migrated->{output});
    is_deeply([ come() ], [], 'goes on where it was');
    my @made = map { $lab->sample->{id} } 1 .. 2;
    is_deeply([ of_samples(follow(2)) ], \@made, 'new events come next');
    my $base = $lims->db->selectrow_array('SELECT lims.event_base()');
    cmp_ok($base, '>', $ahead - 1_000_000, 'behind all that was there');
    is($lims->ctl('migrate')->{exit}, 0, 'migrating once more succeeds');
    is($lims->db->selectrow_array('SELECT lims.event_base()'), $base,
        'migrating once more changes nothing');
};

done_testing();
