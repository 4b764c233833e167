#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Retention: expired records are deleted, by the job and by limsctl, for every organization,
# and nothing else is: nothing younger, nothing still under way, and nothing on the request
# of the run-time role.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => <<'CONF');
LimsRetentionInterval 1
LimsEventRetention 20
LimsWebhookDispatchers 0
CONF
$lims->stop;
my $lab = LIMS::Service::Laboratory->new($lims);
my $db  = $lims->db;
my @organizations = ($lims->fixture, $lims->organization(code => 'other'));

sub value { my ($sql, @bind) = @_; return scalar $db->selectrow_array($sql, undef, @bind) }

# An event so many days old, delivered as said to an endpoint of its organization.
sub event {
    my ($organization, $days, $state) = @_;
    my $id = value(q{INSERT INTO lims.event (organization_id, type, data, created_at)
        VALUES (?, 'sample.created', '{}', now() - make_interval(days => ?)) RETURNING id},
        $organization->{id}, $days);
    return $id unless $state;
    $organization->{endpoint} ||= $lims->insert('webhook_endpoint', { name => 'e',
        url => 'https://example.org/', events => '{qc.failed}', secret => 'x' }, $organization);
    $lims->insert('webhook_delivery', { endpoint_id => $organization->{endpoint},
        event_id => $id, state => $state,
        created_at => value('SELECT now() - make_interval(days => ?)', $days),
        $state eq 'pending' ? () : (finished_at => 'now', next_attempt_at => undef) },
        $organization);
    $db->do('INSERT INTO lims.webhook_attempt (organization_id, delivery_id, number, started_at,
        duration_ms) SELECT organization_id, id, 1, now(), 5 FROM lims.webhook_delivery
        WHERE event_id = ?', undef, $id);
    return $id;
}

my (@old, @kept);
for my $organization (@organizations) {
    $db->do('DELETE FROM lims.event WHERE organization_id = ?', undef, $organization->{id});
    push @old, map { event($organization, 21, $_) } (undef) x 5, ('delivered', 'given_up') x 2;
    push @kept, event($organization, 21, 'pending'), event($organization, 19, 'delivered'),
        event($organization, 1), event($organization, 0, 'pending');
}
my $key = $lims->fixture->{key_id};
$db->do(q{INSERT INTO lims.idempotency_record (organization_id, api_key_id, user_id, idempotency_key,
        fingerprint, created_at)
    SELECT k.organization_id, CASE WHEN h <> 49 THEN k.id END, CASE WHEN h = 49 THEN k.acts_for END, 'k' || h, '',
        now() - make_interval(hours => h)
    FROM lims.api_key k CROSS JOIN unnest(ARRAY[1, 23, 25, 49]) AS h WHERE k.id = ?}, undef, $key);

# --- By hand ------------------------------------------------------------------

my $answer = $lims->ctl('retention', '--dry-run');
is($answer->{exit}, 2, 'limsctl retention needs the time that events are kept');
my @how = ('--event-retention', 20, '--idempotency-lifetime', 86_400);
$answer = $lims->ctl('retention', '--dry-run', @how);
my $due = { events => 18, deliveries => 8, givenUp => 0, idempotencyRecords => 2,
    previousSecrets => 0, rejectedFiles => 0, signInGuesses => 0 };
is_deeply($answer->{json}, $due, 'limsctl retention --dry-run says what is due');
is_deeply($lims->app_db->selectcol_arrayref(q{SELECT unnest(ARRAY[b.events, b.deliveries, b.given_up,
        b.idempotency_records])
    FROM lims.retention_backlog('20 days', '24 hours', 3) b}), [ 3, 3, 0, 2 ],
    'the metrics count what is due up to a number');
is(value('SELECT count(*) FROM lims.event'), @old + @kept, 'a dry run deletes no event');
is_deeply($lims->ctl('retention', @how)->{json}, $due, 'limsctl retention deletes it');
is(join(' ', @{ $db->selectcol_arrayref('SELECT id FROM lims.event ORDER BY id') }),
    join(' ', sort { $a <=> $b } @kept), 'young events and those under way are kept');
is(value('SELECT count(*) FROM lims.webhook_attempt a WHERE NOT EXISTS (
    SELECT FROM lims.webhook_delivery d WHERE d.id = a.delivery_id)'), 0,
        'no attempt of a deleted delivery stays');
is(value('SELECT count(*) FROM lims.webhook_delivery'), 6, 'deliveries of the kept events stay');
is(value(q{SELECT string_agg(idempotency_key, ' ' ORDER BY created_at DESC)
    FROM lims.idempotency_record}), 'k1 k23', 'stored responses, of keys and of people, are kept for their lifetime');

# --- Endpoints that are disabled ----------------------------------------------

my $endpoint = $organizations[1]{endpoint};
$db->do(q{UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now() - ?::interval,
    disabled_reason = 'x' WHERE id = ?}, undef, '6 days 23 hours', $endpoint);
is($lims->ctl('retention', @how)->{json}{givenUp}, 0,
    'deliveries of an endpoint disabled for less than 7 days are kept');
$db->do(q{UPDATE lims.webhook_endpoint SET disabled_at = now() - interval '8 days'
    WHERE id = ?}, undef, $endpoint);
is($lims->ctl('retention', '--dry-run', @how)->{json}{givenUp}, 1, 'for longer: what is older ...');
is_deeply($lims->ctl('retention', @how)->{json}, { events => 1, deliveries => 1, givenUp => 1,
        idempotencyRecords => 0, previousSecrets => 0, rejectedFiles => 0, signInGuesses => 0 },
            'what has waited for longer is given up, and its event past its time');
is(value(q{SELECT count(*) FROM lims.webhook_delivery WHERE endpoint_id = ?
    AND state = 'pending'}, $endpoint), 1, 'younger deliveries go on waiting');

# --- Endpoints that were deleted or whose secret was replaced -------------------

sub endpoint {
    my ($organization, %column) = @_;
    return $lims->insert('webhook_endpoint', { name => 'n', url => 'https://example.org/',
        events => '{sample.reported}', secret => 'x', %column }, $organization);
}

# Committed after the endpoint was deleted, by a transaction that began before.
my $gone = endpoint($organizations[0]);
my $late = LIMS::Instance::connect_database($db->{pg_db}, 'lims_owner');
$late->begin_work;
$late->do(q{INSERT INTO lims.event (organization_id, type, data)
    VALUES (?, 'sample.reported', '{}')}, undef, $organizations[0]{id});
$db->do('UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now(),
    deleted_at = now() WHERE id = ?', undef, $gone);
$late->commit;
is(value(q{SELECT state FROM lims.webhook_delivery WHERE endpoint_id = ?}, $gone), 'pending',
    'an event for an endpoint that is deleted meanwhile');
is($lims->ctl('retention', '--dry-run', @how)->{json}{givenUp}, 1, 'a delivery to an endpoint that was deleted is to be given up');
is($lims->ctl('retention', @how)->{json}{givenUp}, 1, 'the delivery is given up');
is(value(q{SELECT state FROM lims.webhook_delivery WHERE endpoint_id = ?}, $gone), 'given_up',
    'the delivery stays given up');

my @secret = map { endpoint($organizations[0], events => '{qc.failed}', previous_secret => 'y',
        previous_secret_until => value("SELECT now() + interval '$_'")) } '1 hour', '-1 second';
is($lims->ctl('retention', '--dry-run', @how)->{json}{previousSecrets}, 1,
    'a secret whose overlap is over');
is($lims->ctl('retention', @how)->{json}{previousSecrets}, 1, 'the previous secret is deleted');
is_deeply([ map { value('SELECT previous_secret IS NULL AND previous_secret_until IS NULL
    FROM lims.webhook_endpoint WHERE id = ?', $_) } @secret ], [ 0, 1 ], 'no other secret is deleted');

# --- Counts of wrong passwords --------------------------------------------------

for my $organization (@organizations) {
    my $person = value('SELECT min(id) FROM lims.user_account WHERE organization_id = ?',
        $organization->{id});
    $lims->insert('sign_in_guess', { user_id => $person, address => "192.0.2.$_", failures => 1,
        updated_at => value('SELECT now() - make_interval(days => ?)', $_) }, $organization)
        for 29, 31;
}
is($lims->ctl('retention', '--dry-run', @how)->{json}{signInGuesses}, 2,
    'counts of wrong passwords that were not added to for 30 days are due');
is($lims->ctl('retention', @how)->{json}{signInGuesses}, 2, 'these counts are deleted');
is(value(q{SELECT string_agg(DISTINCT address, ' ') FROM lims.sign_in_guess}), '192.0.2.29',
    'younger counts of wrong passwords stay');

# A long queue of which next to nothing is old enough.
my $kept = endpoint($organizations[0]);
$db->do(q{INSERT INTO lims.event (organization_id, type, data)
    SELECT ?, 'sample.reported', '{}' FROM generate_series(1, 6000)}, undef,
    $organizations[0]{id});
$db->do(q{UPDATE lims.webhook_delivery SET created_at = now() - interval '8 days'
    WHERE endpoint_id = ? AND id < (SELECT min(id) + 1500 FROM lims.webhook_delivery
        WHERE endpoint_id = ?)}, undef, $kept, $kept);
$db->do(q{UPDATE lims.webhook_endpoint SET enabled = false,
    disabled_at = now() - interval '8 days' WHERE id = ?}, undef, $kept);
{
    my $looking = LIMS::Instance::connect_database($db->{pg_db}, 'postgres');
    my $fetched = q{SELECT sum(pg_stat_get_xact_tuples_fetched(c.oid)
            + pg_stat_get_xact_tuples_returned(c.oid))
        FROM pg_class c WHERE c.relname ~ '^webhook_delivery' AND c.relkind = 'r'};
    $looking->begin_work;
    is($looking->selectrow_array('SELECT lims.count_kept_deliveries(NULL)'), 1500,
        'deliveries kept for too long are counted');
    cmp_ok($looking->selectrow_array($fetched), '<=', 2100, 'counting deliveries does not go through those that are not due');
    is($looking->selectrow_array('SELECT lims.count_kept_deliveries(700)'), 700,
        'deliveries are counted up to a number');
    $looking->rollback;
}

# A batch that takes longer than a statement may is done in smaller ones.
{
    local $ENV{PGOPTIONS} = '-c statement_timeout=1500';
    $lims->superuser->do(q{CREATE FUNCTION lims.dawdle() RETURNS trigger LANGUAGE plpgsql
        AS $$BEGIN PERFORM pg_sleep(0.004); RETURN NEW; END$$});
    $lims->superuser->do(q{CREATE TRIGGER dawdle BEFORE UPDATE ON lims.webhook_delivery
        FOR EACH ROW EXECUTE FUNCTION lims.dawdle()});
    my $done = $lims->ctl('retention', @how);
    is($done->{json}{givenUp}, 1500,
        'a batch that times out is halved until it succeeds') or diag($done->{output});
    $lims->superuser->do('DROP FUNCTION lims.dawdle CASCADE');
}
$db->do('DELETE FROM lims.webhook_delivery WHERE endpoint_id = ?', undef, $kept);
$db->do(q{UPDATE lims.webhook_endpoint SET deleted_at = now() WHERE id = ?}, undef, $kept);

# --- By itself, and by whom ---------------------------------------------------

event($_, 21, 'delivered') for (@organizations) x 30;
$lims->start;    # which would take an event before it has its delivery
my $left;
wait_until {
    $left = value(q{SELECT count(*) FROM lims.event e WHERE created_at < now() - interval '20 days'
        AND NOT EXISTS (SELECT FROM lims.webhook_delivery d
                         WHERE d.event_id = e.id AND d.state = 'pending')});
    !$left;
} 120;
is($left, 0, 'the job in httpd deletes it');

my $app = $lims->app_db($lims->fixture->{id});
for my $sql (q{SELECT lims.delete_events('23 hours', 1)}, q{SELECT lims.delete_events(NULL, 1)},
    q{SELECT lims.delete_idempotency_records('0 seconds', 1)},
    'DELETE FROM lims.idempotency_record WHERE organization_id = 1',
    'DELETE FROM lims.webhook_attempt WHERE organization_id = 1',
    'DELETE FROM lims.webhook_delivery WHERE organization_id = 1',
    'DELETE FROM lims.event WHERE organization_id = 1') {
    local $app->{PrintError} = 0;
    eval { $app->do($sql) };
    like($app->state, qr/\A(?:22023|42501)\z/, "the run-time role may not: $sql");
}

# Several at once share the work, and none fails.
$lims->stop;
event($_, 21, 'delivered') for (@organizations) x 60;
my @done = $lims->parallel(6, sub {
    my $handle = $lims->app_db($lims->fixture->{id});
    my $sum    = 0;
    for (1 .. 60) {
        $sum += $handle->selectrow_array(q{SELECT events FROM lims.delete_events('20 days', 4)});
    }
    return $sum;
});
my $by_hand = 0;
$by_hand += $_ for @done;
cmp_ok($by_hand, '<=', 120, "each event went once: @done");
is(value(q{SELECT count(*) FROM lims.event WHERE created_at < now() - interval '20 days'}), 1,
    'only the event under way is left');

done_testing();
