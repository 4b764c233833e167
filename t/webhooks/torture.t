#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Nothing lost, nothing invented. While many processes register samples and roll back
# transactions, children, httpd and PostgreSQL are killed at random moments and httpd is
# restarted gracefully; the receivers hang, reset, answer slowly or badly, and recover. In
# the end every event of a committed transaction has arrived at every endpoint that asked
# for it and ever accepts, and nothing else has; what arrived twice has the same id and
# bytes.
#
# A short form by default; `make torture-webhooks` has at least 20,000 events.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Chaos::Kill9;
use LIMS::Instance;
use LIMS::Peers::WebhookReceiver;
use LIMS::Test;
use Time::HiRes qw(sleep);

my $long   = $ENV{TORTURE_EVENTS} || 0;
my $events = $long || 240;
my $kills  = $ENV{TORTURE_KILLS} || ($long ? 80 : 6);
my $seed   = $ENV{TORTURE_SEED} || int rand 1_000_000;
note("TORTURE_SEED=$seed");
srand $seed;

LIMS::Instance::own_cluster('webhook-torture');
my $receiver = LIMS::Peers::WebhookReceiver->new;
my $lims     = LIMS::Test->new(contract => 0, conf => $receiver->conf
    . "LimsWebhookTimeout 5000\nLimsWebhookLease 12500\nLimsWebhookDisableAfter 1000\nLimsWebhookInFlightPerEndpoint 2\n"
    . "LimsWebhookSchedule @{[ (0.5) x 10, (2) x 5, (15) x 5 ]}\n");
$lims->allow_log(qr/./);    # whatever is said of what is killed
my $killer = LIMS::Chaos::Kill9->new($lims);

my @types = qw(sample.created qc.failed);
my @good  = map { $receiver->endpoint($lims, "/good$_",  events => $types[ $_ % 2 ]) } 0 .. 3;
my @moody = map { $receiver->endpoint($lims, "/moody$_", events => $types[ $_ % 2 ]) } 0 .. 3;
my $off   = $receiver->endpoint($lims, '/off', events => 'qc.failed');
$lims->db->do('UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now()
    WHERE id = ?', undef, $off->{id});
my $material = $lims->insert('material_type', { code => 'W', name => 'Water' });
my $lab = $lims->fixture->{id};

# --- Those who cause events ----------------------------------------------------

# Through the API; what is not answered is asked again under the same key.
sub register {
    my ($number, $count) = @_;
    for my $n (1 .. $count) {
        wait_until {
            my $answer = eval { $lims->post('/samples',
                    { clientName => "C-$number-$n", materialTypeId => $material },
                    headers => { 'Idempotency-Key' => "k-$number-$n" }, connection => 'new') };
            $answer && $answer->status == 201;
        } 120;
    }
    return;
}

# In transactions that are committed or not.
sub transact {
    my ($number, $count) = @_;
    my $done = 0;
    while ($done < $count) {
        my $ok = eval {
            my $db = $lims->db;
            $db->begin_work;
            $db->do(q{INSERT INTO lims.event (organization_id, type, data)
                SELECT ?, 'qc.failed', json_build_object('n', n) FROM generate_series(1, 5) n},
                undef, $lab);
            sleep 0.01;
            rand() < 0.3 ? $db->rollback : do { $db->commit; $done += 5 };
            1;
        };
        next if $ok;
        $lims->forget_handles;
        sleep 0.1;
    }
    return;
}

# --- What happens to them --------------------------------------------------------

my @harm = qw(child backend graceful parent postmaster children graceful all);

sub harm {
    my ($kind) = @_;
    return $killer->kill9($kind) if $kind ne 'graceful';
    kill 'USR1', $lims->pid;
    return 'a graceful restart';
}

my @moods = ('hang', 'reset', 'close', 'drip', '500', '302', '429 after 1', '200', 'junk');

sub do_harm {
    my (@done);
    for my $n (1 .. $kills) {
        $receiver->say("/moody$_", $moods[ rand @moods ]) for 0 .. 3;
        sleep 0.3 + rand 0.9;
        push @done, harm($harm[ ($n - 1) % @harm ]);
    }
    $receiver->say("/moody$_", '200') for 0 .. 3;
    return join ', ', @done;
}

$lims->forget_handles;
my @seen = $lims->parallel(5, sub {
    my ($number) = @_;
    srand $seed + $number;
    return do_harm() if $number == 0;
    return $number % 2 ? register($number, int $events / 8) : transact($number, int 3 * $events / 8);
});
$lims->forget_handles;
diag("killed: $seen[0]") if $long;
$lims->start;    # unless it is up
cmp_ok($lims->get('/whoami')->status, '==', 200, 'the service is there');

# --- The end -------------------------------------------------------------------

$lims->db->do('UPDATE lims.webhook_endpoint SET enabled = true, disabled_at = NULL
    WHERE id = ?', undef, $off->{id});
my $left;
wait_until {
    $left = $lims->db->selectrow_array('SELECT count(*) FROM lims.webhook_queue');
    !$left;
} $long ? 900 : 90;
is($left, 0, 'nothing is left to send') or diag(explain $lims->db->selectall_arrayref(
        q{SELECT error, response_status, count(*) FROM lims.webhook_attempt GROUP BY 1, 2}));

my %expected;
for my $row (@{ $lims->db->selectall_arrayref(q{SELECT d.endpoint_id, d.delivery_id, d.state,
        lims.webhook_body(d.delivery_id, v.type, v.created_at, v.organization_id, v.data)
    FROM lims.webhook_delivery d JOIN lims.event v ON v.id = d.event_id}) }) {
    $expected{ $row->[1] } = { endpoint => $row->[0], state => $row->[2], body => $row->[3] };
}
is($lims->db->selectrow_array(q{SELECT count(*) FROM lims.event v JOIN lims.webhook_endpoint e
        ON v.type = ANY (e.events) LEFT JOIN lims.webhook_delivery d
        ON d.event_id = v.id AND d.endpoint_id = e.id WHERE d.id IS NULL}), 0,
    'every event has its delivery to everybody who asked');
is($lims->db->selectrow_array(q{SELECT count(*) FROM lims.event WHERE type = 'sample.created'}),
    $lims->db->selectrow_array('SELECT count(*) FROM lims.sample'),
    'an event for each sample that there is');
cmp_ok($lims->db->selectrow_array('SELECT count(*) FROM lims.event'), '>=', $events,
    "at least $events events");
is(scalar(grep { $_->{state} ne 'delivered' } values %expected), 0,
    'every expected delivery is acknowledged');

my %path = map { $_->{id} => $_->{url} =~ s{\Ahttps://[^/]+}{}r } @good, @moody, $off;
my (%arrived, @invented, @changed, @elsewhere);
my $json = JSON::PP->new->utf8;
for my $request ($receiver->seen) {
    my $id   = $request->{headers}{'x-service-delivery'};
    my $known = $expected{$id};
    my $body = $request->{body};

    $arrived{$id}++;
    push @invented,  $id if !$known;
    push @changed,   $id if $known && $known->{body} ne $body;
    push @elsewhere, $id if $known && $path{ $known->{endpoint} } ne $request->{path};
}
is(scalar(grep { !$arrived{$_} } keys %expected), 0, scalar(keys %expected) . ' arrived');
is("@invented",  '', 'no event of a rolled back transaction arrived');
is("@changed",   '', 'each time with the same bytes');
is("@elsewhere", '', 'no event arrived at a wrong receiver');
my $twice = grep { ($arrived{$_} || 0) > 1 } grep { $path{ $expected{$_}{endpoint} } =~ /good/ }
    keys %expected;
note("$twice arrived more than once at receivers that took the first");
is($lims->db->selectrow_array(q{SELECT count(*) FROM (SELECT d.id FROM lims.webhook_delivery d
        LEFT JOIN lims.webhook_attempt a ON a.delivery_id = d.id GROUP BY d.id, d.attempts
        HAVING count(a.number) <> d.attempts) x}), 0, 'every attempt that was counted is kept');

$lims->finish;
LIMS::Instance::leave_cluster();
done_testing();
