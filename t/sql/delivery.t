#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Deliveries in the database: each event is queued for every endpoint that asked for it, in
# the transaction of the event; a lane is leased to one dispatcher at a time, lanes take
# turns, and the outcome of an attempt makes the next one or ends the delivery.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base   = LIMS::Test::SQL->new;
my $lab    = $base->laboratory(code => 'cedar');
my $other  = $base->laboratory(code => 'harbor');
my $db     = $base->db;
my $app    = $base->app($lab);
my $number = 0;
my ($one, $two) = map { sprintf '00000000-0000-4000-8000-%012d', $_ } 1, 2;

sub endpoint {
    my ($laboratory, @events) = @_;
    return $base->insert('webhook_endpoint', { organization_id => $laboratory->{id},
        name => 'E' . ++$number, url => "https://receiver.example/$number",
        events => '{' . join(',', @events) . '}', secret => 'sealed' });
}

my @columns = qw(organization_id endpoint_id id delivery_id type body attempts retries fresh);

# Claims deliveries, as a dispatcher with nothing in hand, or with what %hand says.
sub claim {
    my ($holder, %hand) = @_;
    my $list = sub { return '{' . join(',', @{ $_[0] || [] }) . '}' };
    return @{ $app->selectall_arrayref(sprintf(
            'SELECT %s FROM lims.webhook_claim(?, ?, ?, ?, ?, ?, ?, ?)', join ', ', @columns),
        { Slice => {} }, $holder, $hand{lease} || '30 s', $list->($hand{organizations}),
        $list->($hand{endpoints}), $list->($hand{room}), $list->($hand{busy}),
        $hand{lanes} || 100, $hand{each} || 4) };
}

sub leave {
    my ($holder) = @_;
    $app->do('SELECT lims.webhook_release(?)', undef, $holder);
    return;
}

sub finish {
    my ($outcome, @claimed) = @_;
    my $json = join ',', map {
        sprintf '{"organization":%d,"endpoint":%d,"delivery":%d,"attempts":%d,"retries":%d,'
            . '"arrived":%s,"final":%s,"after":%s,"ago":1.5,"duration":5,"status":%s,'
            . '"excerpt":null,"error":%s}', $_->{organization_id}, $_->{endpoint_id}, $_->{id},
            $_->{attempts}, $_->{retries}, $outcome->{arrived} ? 'true' : 'false',
            $outcome->{final} ? 'true' : 'false', $outcome->{after} || 0,
            $outcome->{status} || 'null', $outcome->{error} ? qq("$outcome->{error}") : 'null'
    } @claimed;
    return $app->selectall_arrayref(q{SELECT * FROM lims.webhook_finish(?::json,
        '{1 min,2 min,4 min,8 min,16 min}', '6 h', ?, 15)}, { Slice => {} }, "[$json]",
        $outcome->{jitter} || 0);
}

sub delivery {
    my ($id) = @_;
    return $db->selectrow_hashref(q{SELECT state, attempts, retries,
        round(extract(epoch FROM next_attempt_at - clock_timestamp())) AS wait
        FROM lims.webhook_delivery WHERE id = ?}, undef, $id);
}

# As if time had passed.
sub elapse {
    my ($interval) = @_;
    $db->do(q{UPDATE lims.webhook_delivery SET next_attempt_at = next_attempt_at - ?::interval
        WHERE next_attempt_at > '-infinity'}, undef, $interval);
    return;
}

sub queue_is_true {
    my ($name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($base->value(q{SELECT count(*) FROM (
            (SELECT organization_id, endpoint_id, next_attempt_at, id FROM lims.webhook_delivery
              WHERE state = 'pending' EXCEPT TABLE lims.webhook_queue)
            UNION ALL
            (TABLE lims.webhook_queue EXCEPT SELECT organization_id, endpoint_id, next_attempt_at,
              id FROM lims.webhook_delivery WHERE state = 'pending')) d}), 0, $name);
}

subtest 'fan-out: a delivery for each endpoint that asked' => sub {
    my $created  = endpoint($lab, qw(sample.created));
    my $all      = endpoint($lab, qw(sample.created result.entered));
    my $off      = endpoint($lab, qw(sample.created));
    my $gone     = endpoint($lab, qw(sample.created));
    my $stranger = endpoint($other, qw(sample.created));
    $db->do('UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now() WHERE id = ?',
        undef, $off);
    $db->do('UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now(),
        deleted_at = now() WHERE id = ?', undef, $gone);
    my $sample = $base->sample($lab, qw(PH));
    $app->begin_work;
    $app->do(q{UPDATE lims.sample_test SET result = '7' WHERE organization_id = ? AND id = ?},
        undef, $lab->{id}, $sample->{PH});
    is($app->selectrow_array('SELECT count(*) FROM lims.webhook_delivery'), 4,
        'deliveries are queued in the transaction of the action');
    $app->rollback;
    is_deeply($db->selectcol_arrayref('SELECT endpoint_id FROM lims.webhook_delivery ORDER BY id'),
        [ $created, $all, $off ],
        'each endpoint that asked has a delivery, a disabled one too; nobody else has');
    queue_is_true('they are queued');
    my @claimed = claim($one);
    is_deeply([ map { $_->{endpoint_id} } @claimed ], [ $created, $all ],
        'a disabled endpoint gets nothing meanwhile');
    my ($tracking) = $app->selectrow_array(
        'SELECT tracking_id FROM lims.sample WHERE organization_id = ? AND id = ?', undef,
        $lab->{id}, $sample->{id});
    like($claimed[0]{body}, qr/\A\{"id":"\Q$claimed[0]{delivery_id}\E","type":"sample\.created",
        "createdAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","organizationId":$lab->{id},
        "data":\{"sampleId"\ :\ $sample->{id},\ "trackingId"\ :\ "\Q$tracking\E",.*\}\}\z/x,
        'the envelope has its members in the order of the contract');
    leave($one);
    my ($again) = claim($one);
    is($again->{body}, $claimed[0]{body}, 'the envelope is the same text in each attempt');
    finish({ arrived => 1, status => 200 }, claim($one));
    leave($one);
    is_deeply([ claim($one) ], [], 'a delivery that arrived is not claimed again');
    queue_is_true('the queue agrees');
    $db->do('UPDATE lims.webhook_endpoint SET enabled = true, disabled_at = NULL WHERE id = ?',
        undef, $off);
    is_deeply([ map { $_->{endpoint_id} } claim($one) ], [$off],
        'once enabled, the endpoint gets its delivery');
    finish({ arrived => 1, status => 200 }, claim($one));
    leave($one);
};

subtest 'leases of lanes' => sub {
    my $first  = endpoint($lab, 'sample.received');
    my $second = endpoint($lab, 'sample.received');
    my @samples = map { $base->sample($lab, 'PH') } 1 .. 10;
    $app->do(q{UPDATE lims.sample SET status = 'received' WHERE organization_id = ?
        AND status = 'pending' AND id >= ?}, undef, $lab->{id}, $samples[0]{id});
    leave($one);
    finish({ arrived => 1 }, grep { $_->{type} eq 'sample.created' } claim($one, each => 100));
    leave($one);
    my @mine = claim($one, lanes => 1);
    is(scalar @mine, 4, 'a claim takes as many as asked for, of one lane');
    is_deeply([ map { $_->{id} } @mine ], [ sort { $a <=> $b } map { $_->{id} } @mine ],
        'deliveries of a lane come in the order of their events');
    my $lane  = $mine[0]{endpoint_id};
    my @yours = claim($two);
    is_deeply([ map { $_->{endpoint_id} } @yours ], [ ($lane == $first ? $second : $first) x 4 ],
        'another dispatcher gets the other lane');
    is_deeply([ claim($two, organizations => [ $lab->{id} ], endpoints => [ $yours[0]{endpoint_id} ],
                room => [0], busy => ['"{}"']) ], [], 'a lane without room is not claimed');
    my @more = claim($one, lanes => 1, organizations => [ $lab->{id} ], endpoints => [$lane],
        room => [4], busy => [ sprintf '"{%s}"', join ',', map { $_->{id} } @mine ]);
    is_deeply([ $more[0]{id} ], [ $mine[-1]{id} + ($mine[1]{id} - $mine[0]{id}) ],
        'claimed deliveries are not claimed again, the next ones are');
    $db->do(q{UPDATE lims.webhook_lane SET held_until = now() - interval '1 s'
        WHERE endpoint_id = ?}, undef, $lane);
    is((claim($two, organizations => [ $lab->{id} ], endpoints => [ $yours[0]{endpoint_id} ],
            room => [0]))[0]{id}, $mine[0]{id},
                'an expired lease can be taken by another dispatcher');
    is(finish({ arrived => 1 }, $mine[0])->[0]{delivered}, 1,
        'the outcome of an attempt is recorded');
    is(finish({ arrived => 0 }, $mine[0])->[0]{failed}, 0, 'the outcome is recorded once');
    is(delivery($mine[0]{id})->{state}, 'delivered', 'the first outcome stays');
    leave($_) for $one, $two;
    finish({ arrived => 1 }, claim($one, each => 100));
    leave($one);
    queue_is_true('the queue agrees');
};

# An organization with many endpoints does not keep the others waiting.
subtest 'lanes take turns' => sub {
    endpoint($lab, 'qc.failed') for 1 .. 20;
    endpoint($other, 'qc.failed');
    for my $laboratory ($lab, $other) {
        $db->do(q{INSERT INTO lims.event (organization_id, type, data)
            VALUES (?, 'qc.failed', '{}')}, undef, $laboratory->{id});
    }
    my @first = claim($one, lanes => 2);
    is_deeply([ sort { $a <=> $b } map { $_->{organization_id} } @first ],
        [ sort { $a <=> $b } $lab->{id}, $other->{id} ], 'each organization gets its turn');
    leave($one);
    finish({ arrived => 1 }, claim($one));
    leave($one);
};

subtest 'the schedule of retries' => sub {
    my $endpoint = endpoint($lab, 'coa.generated');
    $db->do(q{INSERT INTO lims.event (organization_id, type, data)
        VALUES (?, 'coa.generated', '{}')}, undef, $lab->{id});
    my ($it) = claim($one);
    my @waits;
    for my $try (1 .. 6) {
        finish({ status => 500 }, $it);
        my $now = delivery($it->{id});
        push @waits, $now->{wait} if $now->{state} eq 'pending';
        is_deeply([ claim($one) ], [], "after attempt $try it waits") if $try < 6;
        elapse('1 h');
        ($it) = claim($one) if $try < 6;
        is($it->{fresh}, 0, "attempt $try is a retry") if $try < 6;
    }
    is_deeply(\@waits, [ 60, 120, 240, 480, 960 ], 'retries wait 1, 2, 4, 8, 16 minutes');
    is_deeply([ @{ delivery($it->{id}) }{qw(state attempts)} ], [ 'given_up', 6 ],
        'the sixth failure is the last');
    is_deeply($db->selectcol_arrayref('SELECT number FROM lims.webhook_attempt
        WHERE delivery_id = ? ORDER BY number', undef, $it->{id}), [ 1 .. 6 ],
            'each attempt is recorded');

    my @later = ([ 'Retry-After', { status => 503, after => 300 }, 300 ],
        [ 'never earlier', { status => 503, after => 5 }, 60 ],
        [ 'six hours at most', { status => 503, after => 86400 }, 21600 ]);
    for my $case (@later) {
        my ($name, $outcome, $wait) = @$case;
        $db->do(q{INSERT INTO lims.event (organization_id, type, data)
            VALUES (?, 'coa.generated', '{}')}, undef, $lab->{id});
        ($it) = claim($one);
        finish($outcome, $it);
        is(delivery($it->{id})->{wait}, $wait, $name);
    }
    $db->do(q{INSERT INTO lims.event (organization_id, type, data)
        SELECT ?, 'coa.generated', '{}' FROM generate_series(1, 200)}, undef, $lab->{id});
    my @many = claim($one, each => 200);
    finish({ status => 503, jitter => 0.1 }, @many);
    my ($least, $most, $different) = $db->selectrow_array(q{SELECT min(w), max(w), count(DISTINCT w)
        FROM (SELECT extract(epoch FROM next_attempt_at - max(t.started) OVER ()) AS w
          FROM lims.webhook_delivery d, (SELECT now() AS started) t
         WHERE d.endpoint_id = ? AND d.id >= ?) x}, undef, $endpoint, $many[0]{id});
    cmp_ok($least, '>', 57,        'jitter is added, not taken away');
    cmp_ok($most,  '<=', 66,       'jitter adds a tenth at most');
    cmp_ok($different, '>', 150,   'each delivery has jitter of its own');
    elapse('1 h');
    finish({ status => 410, final => 1 }, $many[0]);
    queue_is_true('the queue agrees');
};

subtest 'an endpoint is disabled after failures in a row' => sub {
    my $endpoint = endpoint($lab, 'investigation.opened');
    my $emit = sub {
        $db->do(q{INSERT INTO lims.event (organization_id, type, data)
            SELECT ?, 'investigation.opened', '{}' FROM generate_series(1, ?)}, undef, $lab->{id},
            $_[0]);
        leave($one);
        return grep { $_->{endpoint_id} == $endpoint } claim($one, each => 100);
    };
    my $failures = sub {
        return $base->value("SELECT consecutive_failures FROM lims.webhook_endpoint WHERE id = ?",
            $endpoint);
    };
    my $gone = { status => 410, final => 1 };
    finish($gone, $emit->(10));
    is($failures->(), 10, 'deliveries given up are counted');
    finish({ arrived => 1 }, $emit->(1));
    is($failures->(), 0, 'a success resets the count');
    finish($gone, $emit->(14));
    my @rows = @{ finish({ status => 500 }, $emit->(3)) };
    is($failures->(), 14, 'an attempt that will be made again is no delivery given up');
    my ($last) = $emit->(2);
    @rows = @{ finish($gone, $last) };
    is_deeply([ map { $_->{endpoint_id} } @rows ], [ $endpoint, undef ],
        'the fifteenth failure in a row disables the endpoint');
    like($rows[0]{reason}, qr/\A15 deliveries in a row were given up; the last one: status 410\z/,
        'the reason is recorded');
    is_deeply([ $emit->(1) ], [], 'a disabled endpoint gets nothing');
    is($base->value(q{SELECT count(*) FROM lims.webhook_queue WHERE endpoint_id = ?}, $endpoint), 5,
        'deliveries for a disabled endpoint are kept');
};

# An endpoint is enabled while attempts of before are under way.
subtest 'an endpoint that is enabled during an attempt' => sub {
    my $endpoint = endpoint($lab, 'sample.reported');
    my $enabled  = sub {
        $db->do('UPDATE lims.webhook_endpoint SET enabled = ?, disabled_at = CASE WHEN ? THEN NULL
            ELSE now() END WHERE id = ?', undef, $_[0], $_[0], $endpoint);
    };
    $db->do(q{INSERT INTO lims.event (organization_id, type, data)
        SELECT ?, 'sample.reported', '{}' FROM generate_series(1, 3)}, undef, $lab->{id});
    leave($one);
    my @first = grep { $_->{endpoint_id} == $endpoint } claim($one);
    finish({ status => 503 }, @first);
    elapse('1 h');
    my ($arrives, $fails, $ends) = grep { $_->{endpoint_id} == $endpoint } claim($one);
    $enabled->($_) for 'f', 't';
    is_deeply(delivery($fails->{id}), { state => 'pending', attempts => 1, retries => 0,
            wait => delivery($fails->{id})->{wait} }, 'enabling the endpoint resets the attempts');
    is(finish({ arrived => 1, status => 200 }, $arrives)->[0]{delivered}, 1,
        'an attempt under way that arrives counts');
    is(delivery($arrives->{id})->{state}, 'delivered', 'a delivery whose attempt arrives is not sent again');
    finish({ status => 503 }, $fails);
    finish({ status => 410, final => 1 }, $ends);
    for my $it ($fails, $ends) {
        my $now = delivery($it->{id});
        is_deeply([ @$now{qw(state attempts retries)} ], [ 'pending', 2, 0 ],
            'an attempt under way that fails does not use up a retry');
        cmp_ok($now->{wait}, '<=', 0, 'the delivery is due again');
    }
    leave($one);
    finish({ arrived => 1 }, grep { $_->{endpoint_id} == $endpoint } claim($one));
    leave($one);
    queue_is_true('the queue agrees');
};

# Outcomes of attempts are recorded while the endpoint is changed: one transaction waits
# for the other, and neither for ever.
sub waits {
    my ($count) = @_;
    my $watch = LIMS::Instance::connect_database($base->{database}, 'postgres');
    wait_until {
        $watch->selectrow_array(q{SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'}) >= $count;
    };
    $watch->disconnect;
    return;
}

for my $change ('enabled = false, disabled_at = now()', 'enabled = false, disabled_at = now(),
    deleted_at = now()', 'enabled = true, disabled_at = NULL') {
    my $endpoint = endpoint($lab, 'sample.blocked');
    $db->do(q{INSERT INTO lims.event (organization_id, type, data)
        SELECT ?, 'sample.blocked', '{}' FROM generate_series(1, 4)}, undef, $lab->{id});
    leave($one);
    my $mine = sub { return grep { $_->{endpoint_id} == $endpoint } claim($one) };
    finish({ status => 503 }, $mine->());
    elapse('1 h');
    my @claimed = $mine->();
    $db->do('UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now() WHERE id = ?',
        undef, $endpoint) if $change =~ /true/;
    my @said = $base->parallel(3, sub {
        my ($who) = @_;
        my $done = eval {
            if ($who == 0) {
                # Locks the row that both need until both wait.
                my $handle = $base->db;
                $handle->begin_work;
                $handle->do('SELECT FROM lims.webhook_delivery WHERE id = ? FOR UPDATE', undef,
                    $claimed[0]{id});
                $handle->do('SELECT pg_advisory_xact_lock(1)');
                waits(2);
                $handle->rollback;
            }
            elsif ($who == 1) {
                $app = $base->app($lab);
                wait_until {
                    $app->selectrow_array(q{SELECT count(*) FROM pg_locks
                        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database
                        WHERE datname = current_database())});
                } or die "it is not held\n";
                finish({ final => 1, status => 410 }, @claimed[ 2, 1, 0 ]);
            }
            else {
                waits(1);
                $base->db->do("UPDATE lims.webhook_endpoint SET $change WHERE id = ?", undef,
                    $endpoint);
            }
            1;
        };
        return $done ? 'done' : $@;
    });
    is("@said", 'done done done', 'at once: what became of attempts, and ' . ($change =~ /deleted/
        ? 'deleting' : $change =~ /true/ ? 'enabling' : 'disabling'));
    $db->do('UPDATE lims.webhook_endpoint SET enabled = false, deleted_at = now(),
        disabled_at = coalesce(disabled_at, now()) WHERE id = ? AND deleted_at IS NULL', undef,
        $endpoint);
}
queue_is_true('the queue agrees');

is_deeply([ @{ $app->selectrow_hashref('SELECT * FROM lims.webhook_backlog()') }{
        qw(kept disabled_endpoints)} ], [ 5, 1 ],
            'the backlog shows kept deliveries and disabled endpoints');
# Plans are kept that were made when there was next to nothing.
subtest 'a query plan made while the queue was empty' => sub {
    my $fresh  = LIMS::Test::SQL->new;
    my $cedar  = $fresh->laboratory(code => 'cedar');
    my $handle = $fresh->superuser;
    my $claim  = sub {
        return $handle->selectall_arrayref(q{SELECT * FROM lims.webhook_claim(?, '30 s', '{}',
            '{}', '{}', '{}', 64, 16)}, { Slice => {} }, $one);
    };
    my $grow = sub {
        my ($endpoints, $events) = @_;
        $fresh->insert('webhook_endpoint', { organization_id => $cedar->{id}, name => 'E',
            url => 'https://receiver.example/', events => '{qc.failed}', secret => 'sealed' })
            for 1 .. $endpoints;
        $fresh->db->do(q{INSERT INTO lims.event (organization_id, type, data)
            SELECT ?, 'qc.failed', '{}' FROM generate_series(1, ?)}, undef, $cedar->{id}, $events);
    };
    $handle->do('SET plan_cache_mode = force_generic_plan');
    $grow->(1, 1);
    my $record = sub {
        my ($usual, @rows) = ($app, @_);
        $app = $handle;
        my $said = finish({ arrived => 1, status => 200 }, @rows)->[-1]{delivered};
        $app = $usual;
        return $said;
    };
    my $fetched = sub {
        return $handle->selectrow_array(q{SELECT sum(pg_stat_get_xact_tuples_fetched(l)) FROM
            lims.leaves(('lims.' || ?)::regclass) l}, undef, $_[0]);
    };
    my @first = @{ $claim->() };
    is(scalar @first, 1, 'the first claim takes one row');
    is($record->(@first), 1, 'the outcome of the first claim is recorded');
    $grow->(80, 40);
    $handle->begin_work;
    my @many = @{ $claim->() };
    is(scalar @many, 64 * 16, 'a claim takes as many as there may be in flight');
    cmp_ok($fetched->($_), '<=', 3 * 64 * 16, "a claim does not go through all of $_")
        for qw(webhook_delivery event);
    is($record->(@many[ 0 .. 99 ]), 100, 'some of them arrive');
    cmp_ok($fetched->('webhook_delivery'), '<=', 3 * 64 * 16 + 600,
        'recording reads few rows of deliveries');
    $handle->rollback;
};

# As much as can be while somebody waits, the rest by the job of the recoveries.
subtest 'an endpoint that is enabled with a long queue' => sub {
    my $fresh = LIMS::Test::SQL->new;
    my $cedar = $fresh->laboratory(code => 'cedar');
    my $set   = sub { $fresh->db->do("UPDATE lims.webhook_endpoint SET $_[0]") };
    my $left  = sub {
        return $fresh->value(q{SELECT count(*) FROM lims.webhook_delivery
            WHERE state = 'pending' AND (retries > 0 OR next_attempt_at > now())});
    };
    $fresh->insert('webhook_endpoint', { organization_id => $cedar->{id}, name => 'E',
        url => 'https://receiver.example/', events => '{qc.failed}', secret => 'sealed' });
    $fresh->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        SELECT ?, 'qc.failed', '{}' FROM generate_series(1, 10300)}, undef, $cedar->{id});
    $fresh->db->do(q{UPDATE lims.webhook_delivery SET attempts = 1, retries = 1,
            next_attempt_at = now() + interval '1 h' * (id % 7 - 3),
            created_at = now() - CASE WHEN id % 1000 = 1 THEN interval '8 days' ELSE '0' END
        WHERE id % 103 > 0});
    is($fresh->value('SELECT lims.webhook_recover_step(100)'), undef, 'nothing to do');
    $set->(q{enabled = false, disabled_at = now() - interval '7 days 1 minute'});
    $set->('enabled = true, disabled_at = NULL');
    cmp_ok($left->(), '>=', 200, 'enabled: some are left');
    cmp_ok($left->(), '<=', 300, 'the rest is not made pending yet');
    $set->('enabled = false, disabled_at = now()');
    is($fresh->value('SELECT lims.webhook_recover_step(100)'), undef, 'disabled: nothing to do');
    $set->('enabled = true, disabled_at = NULL');
    my $steps = 0;
    $steps++ while defined $fresh->value('SELECT lims.webhook_recover_step(100)') && $steps < 100;
    cmp_ok($steps, '>', 1, 'the job sends the rest in several steps');
    is($left->(), 0, 'every kept delivery is queued with all attempts');
    is($fresh->value(q{SELECT count(*) FROM lims.webhook_delivery
        WHERE state = 'given_up' AND created_at > now() - interval '7 days'}), 0,
        'deliveries younger than 7 days are not given up');
    $fresh->finish;
};

is($base->value(q{SELECT count(*) FROM unnest(ARRAY['webhook_queue', 'webhook_lane', 'sample_dirty',
        'webhook_delivery', 'sample_test']) t, lims.leaves(('lims.' || t)::regclass) l
    JOIN pg_class c ON c.oid = l AND c.reloptions IS NULL}), 0,
    'tables with many changes have storage settings of their own');
refused($app, 'INSERT INTO lims.webhook_queue VALUES (?, 1, now(), 1)', [ $lab->{id} ], '42501',
    'the run-time role cannot write to the queue');
refused($app, 'UPDATE lims.webhook_lane SET held_until = now()', [], '42501',
    'the run-time role cannot write to the lanes');

subtest 'an organization has at most 100 endpoints' => sub {
    my $full = $base->laboratory(code => 'full');
    my $gone = endpoint($full, 'qc.failed');
    $db->do('UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now(),
        deleted_at = now() WHERE id = ?', undef, $gone);
    endpoint($full, 'qc.failed') for 1 .. 99;
    my @outcome = sort $base->parallel(2, sub {
        my $mine = $base->app($full);
        my $made = eval {
            $mine->begin_work;
            $mine->do(q{INSERT INTO lims.webhook_endpoint (organization_id, name, url, events, secret)
                VALUES (?, 'E', 'https://receiver.example/', '{qc.failed}', 'sealed')}, undef,
                $full->{id});
            select undef, undef, undef, 0.05;
            $mine->commit;
            1;
        };
        return $made ? 'made' : $mine->pg_error_field('detail');
    });
    is_deeply(\@outcome, [qw(invalid_transition made)],
        'of two at once the 100th is made and the other refused; a deleted one does not count');
};

done_testing();
