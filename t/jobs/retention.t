#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# What has had its time goes, by itself and by hand, of every organization, and
# nothing else does: neither what is young, nor what is still under way, nor at
# the wish of the run-time role.
use strict;
use warnings;

use LIMS::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => <<'CONF');
LimsRetentionInterval 1
LimsEventRetention 20
LimsWebhookDispatchers 0
CONF
$lims->stop;
my $lab = LIMS::Laboratory->new($lims);
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
$db->do(q{INSERT INTO lims.idempotency_record (organization_id, api_key_id, idempotency_key,
    fingerprint, created_at) SELECT ?, ?, 'k' || h, '', now() - make_interval(hours => h)
    FROM unnest(ARRAY[1, 23, 25, 49]) AS h}, undef, $lims->fixture->{id}, $key);

# --- By hand ------------------------------------------------------------------

my $answer = $lims->ctl('retention', '--dry-run');
is($answer->{exit}, 2, 'limsctl is told how long events are kept');
my @how = ('--event-retention', 20, '--idempotency-lifetime', 86_400);
$answer = $lims->ctl('retention', '--dry-run', @how);
my $due = { events => 18, deliveries => 8, givenUp => 0, idempotencyRecords => 2 };
is_deeply($answer->{json}, $due, 'limsctl retention --dry-run says what is due');
is_deeply($lims->app_db->selectcol_arrayref(q{SELECT unnest(ARRAY[b.events, b.deliveries, b.given_up,
        b.idempotency_records])
    FROM lims.retention_backlog('20 days', '24 hours', 3) b}), [ 3, 3, 0, 2 ],
    '... and the metrics count only so far');
is(value('SELECT count(*) FROM lims.event'), @old + @kept, '... and leaves it');
is_deeply($lims->ctl('retention', @how)->{json}, $due, 'limsctl retention does it');
is(join(' ', @{ $db->selectcol_arrayref('SELECT id FROM lims.event ORDER BY id') }),
    join(' ', sort { $a <=> $b } @kept), 'what is young or under way is kept');
is(value('SELECT count(*) FROM lims.webhook_attempt a WHERE NOT EXISTS (
    SELECT FROM lims.webhook_delivery d WHERE d.id = a.delivery_id)'), 0, 'no attempt is left over');
is(value('SELECT count(*) FROM lims.webhook_delivery'), 6, 'the others\' are');
is(value(q{SELECT string_agg(idempotency_key, ' ' ORDER BY created_at DESC)
    FROM lims.idempotency_record}), 'k1 k23', 'answers are kept for their lifetime');

# --- Endpoints that are disabled ----------------------------------------------

my $endpoint = $organizations[1]{endpoint};
$db->do(q{UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now() - ?::interval,
    disabled_reason = 'x' WHERE id = ?}, undef, '6 days 23 hours', $endpoint);
is($lims->ctl('retention', @how)->{json}{givenUp}, 0, 'disabled for less than 7 days: kept');
$db->do(q{UPDATE lims.webhook_endpoint SET disabled_at = now() - interval '8 days'
    WHERE id = ?}, undef, $endpoint);
is($lims->ctl('retention', '--dry-run', @how)->{json}{givenUp}, 1, 'for longer: what is older ...');
is_deeply($lims->ctl('retention', @how)->{json}, { events => 1, deliveries => 1, givenUp => 1,
        idempotencyRecords => 0 }, '... is given up, and its event past its time');
is(value(q{SELECT count(*) FROM lims.webhook_delivery WHERE endpoint_id = ?
    AND state = 'pending'}, $endpoint), 1, 'what is younger waits on');

# --- By itself, and by whom ---------------------------------------------------

event($_, 21, 'delivered') for (@organizations) x 30;
$lims->start;    # which would take an event before it has its delivery
my $left = 1;
for (1 .. 300) {
    $left = value(q{SELECT count(*) FROM lims.event e WHERE created_at < now() - interval '20 days'
        AND NOT EXISTS (SELECT FROM lims.webhook_delivery d
                         WHERE d.event_id = e.id AND d.state = 'pending')}) or last;
    select undef, undef, undef, 0.1;
}
is($left, 0, 'httpd does it by itself');

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
    'all did but the one under way');

done_testing();
