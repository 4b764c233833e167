#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Deliveries can be looked up and sent again: one by one, all since a point in time, and by
# enabling an endpoint. The dispatcher's part is done here by its SQL functions.
use strict;
use warnings;

use LIMS::Test::Tool;
no warnings 'qw';    # commas separate the elements of an option

my $tool  = LIMS::Test::Tool->new;
my @cedar = $tool->laboratory('cedar');
my $db    = $tool->db;
my $org   = $tool->value(q{SELECT id FROM lims.organization WHERE code = 'cedar'});

sub webhook { my (@arguments) = @_; return $tool->made(@cedar, 'webhook', @arguments) }

sub refused {
    my ($exit, $words, $name, @arguments) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $done = $tool->run(@cedar, 'webhook', @arguments);
    is($done->{exit}, $exit, $name);
    like($done->{err}, $words, 'the message says why') or diag($done->{out});
    return;
}

sub endpoint { my ($name, @options) = @_;
    return webhook('create', '--name', $name, '--url', "https://$name.example/", @options)->{id} }

# An event of the catalogue, with its deliveries.
sub event {
    my ($type) = @_;
    return scalar $db->selectrow_array(q{INSERT INTO lims.event (organization_id, type, data)
        VALUES (?, ?, '{"sampleId":1}') RETURNING id}, undef, $org, $type);
}

# ids of deliveries to an endpoint, by state; and whether the queue says the same.
sub deliveries {
    my ($endpoint, $state) = @_;
    my @queue = @{ $db->selectcol_arrayref(q{SELECT delivery_id FROM lims.webhook_queue
        WHERE endpoint_id = ? ORDER BY delivery_id}, undef, $endpoint) };
    my @found = @{ $db->selectcol_arrayref(q{SELECT id FROM lims.webhook_delivery
        WHERE endpoint_id = ? AND state = ? ORDER BY id}, undef, $endpoint, $state) };
    is("@queue", "@found", 'the queue has the recovered deliveries') if $state eq 'pending';
    return "@found";
}

sub finish {
    my ($state, @ids) = @_;
    $db->do(q{UPDATE lims.webhook_delivery SET state = ?, finished_at = now(),
        next_attempt_at = NULL, retries = 5 WHERE id = ANY (?)}, undef, $state, \@ids);
    return;
}

# An attempt that fails, as the dispatcher records it.
sub fail_once {
    my ($id) = @_;
    return $db->do(q{SELECT lims.webhook_finish(json_build_array(json_build_object(
        'organization', organization_id, 'endpoint', endpoint_id, 'delivery', id,
        'attempts', attempts, 'retries', retries, 'arrived', false, 'final', false, 'after', 0,
        'ago', 1.5, 'duration', 12, 'status', 503, 'excerpt', 'Not <now>',
        'error', 'HTTP status 503')), '{1 minute,2 minutes}', '6 hours', 0, 15)
        FROM lims.webhook_delivery WHERE id = ?}, undef, $id);
}

# Looking.

my $erp   = endpoint('erp', qw(--events sample.created,qc.failed));
my $lis   = endpoint('lis', qw(--events qc.failed));
my $first = event('sample.created');
event('qc.failed');
my ($one, $two, $three) = map { $_->{id} } @{ webhook('deliveries')->{data} };
ok($three && !webhook('deliveries')->{hasMore}, 'three deliveries of two events');
sub listed { return join ' ', map { $_->{id} } @{ webhook('deliveries', @_)->{data} } }
is(listed('--endpoint-id', $lis), $three, 'deliveries of one endpoint are listed');
is(listed(qw(--type sample.created)), $one, 'deliveries of one type are listed');
is(listed('--cursor', $one, qw(--limit 1)), $two, 'deliveries are listed in pages');
is(listed(qw(--since 2999-01-01)), '', 'since a time');
is(listed(qw(--state delivered)), '', 'no delivery has arrived');

fail_once($one);
my $shown = webhook('delivery', $one);
is_deeply([ @$shown{qw(id endpointId type state attemptCount lastStatus lastError finishedAt)} ],
    [ $one, $erp, 'sample.created', 'pending', 1, 503, 'HTTP status 503', undef ],
        'a failed delivery is shown');
like($shown->{nextAttemptAt}, qr/Z\z/, 'when it is tried again');
is_deeply([ map { @$_{qw(number durationMs responseStatus responseExcerpt error)} }
        @{ $shown->{attempts} } ], [ 1, 12, 503, 'Not <now>', 'HTTP status 503' ],
            'the delivery shows its attempt and the answer');
my $body = $tool->run(@cedar, '--json', qw(webhook body), $one)->{out};
my $uuid = $shown->{deliveryId};
like($body, qr/\A\{"id":"$uuid","type":"sample\.created","createdAt":"$shown->{createdAt}",
    "organizationId":$org,"data":\{"sampleId":1\}\}\n\z/x, 'its body, to the byte');
refused(3, qr/no webhook delivery 4711/, 'one that is none', 'delivery', 4711);
refused(3, qr/no webhook delivery 4711/, 'an unknown delivery has no body',  'body',     4711);

# One by one.

my $again = webhook('redeliver', $one);
is_deeply([ @$again{qw(state attemptCount deliveryId)} ], [ 'pending', 1, $uuid ],
    'redelivering a waiting delivery changes nothing');
is($tool->value('SELECT next_attempt_at <= now() AND retries = 1 FROM lims.webhook_delivery
    WHERE id = ?', $one), 1, 'a waiting delivery that is sent again is due now, and its count goes on');
is(webhook('redeliver', $two)->{state}, 'pending', 'redelivering a delivery that was not tried');
is($tool->value(q{SELECT next_attempt_at = '-infinity' FROM lims.webhook_delivery
    WHERE id = ?}, $two), 1, 'an untried delivery keeps its turn');
for my $state (qw(given_up delivered)) {
    finish($state, $one);
    $again = webhook('redeliver', $one);
    is_deeply([ @$again{qw(state deliveryId finishedAt)} ], [ 'pending', $uuid, undef ],
        "one that was $state is on its way again");
    is($tool->value('SELECT retries = 0 AND next_attempt_at <= now() FROM lims.webhook_delivery
        WHERE id = ?', $one), 1, "a delivery that was $state begins with all its attempts, now");
}
is(deliveries($erp, 'pending'), "$one $two", 'both deliveries wait');
is($tool->run(@cedar, '--json', qw(webhook body), $one)->{out}, $body,
    'the body is the same in each attempt');

# Tests.

my $test = webhook('test', $lis, '--message', 'Grüß "Gott"');
is_deeply([ @$test{qw(type state endpointId attemptCount)} ], [ 'webhook.test', 'pending', $lis, 0 ],
    'a test is a delivery');
is($tool->value(q{SELECT count(*) FROM lims.webhook_delivery d JOIN lims.event v
    ON v.organization_id = d.organization_id AND v.id = d.event_id
    WHERE v.type = 'webhook.test'}), 1, 'a test is delivered to that endpoint alone');
like($tool->run(@cedar, '--json', qw(webhook body), $test->{id})->{out},
    qr/"type":"webhook\.test".*"data":\{"message" : "Grüß \\"Gott\\""\}\}/,
        'a test has the text that was given');
finish('delivered', $test->{id});
is(webhook('test', $lis)->{state}, 'pending', 'webhook test has a default message');
ok(!eval { $tool->db->do(q{SELECT lims.webhook_test(?, ?, 'x')}, undef, $org + 1, $lis); 1 },
    'a test for another organization\'s endpoint is refused');

# Nothing is sent where nothing is to be sent.

webhook('disable', $lis, '--reason', 'LIS is moving');
refused(1, qr/endpoint $lis is disabled: LIS is moving; enable it first/, 'no test', 'test', $lis);
refused(1, qr/endpoint $lis is disabled: LIS is moving; enable it first/, 'nothing again',
    'redeliver', $three);
is(webhook('delivery', $three)->{nextAttemptAt}, undef,
    'a kept delivery has no time of the next attempt');

# Enabling: what is kept goes out, what is too old does not.

my ($old, $tried, $later) = map { event('qc.failed');
    $tool->value('SELECT max(id) FROM lims.webhook_delivery WHERE endpoint_id = ?', $lis) } 1 .. 3;
$db->do(q{UPDATE lims.webhook_delivery SET created_at = now() - interval '7 days 1 minute'
    WHERE id = ?}, undef, $old);
$db->do(q{UPDATE lims.webhook_delivery SET created_at = now() - interval '6 days 23 hours'
    WHERE id = ?}, undef, $later);
fail_once($tried);
fail_once($tried);
$db->do(q{UPDATE lims.webhook_endpoint SET disabled_at = now() - interval '6 days 23 hours'
    WHERE id = ?}, undef, $lis);
webhook('enable', $lis);
is(webhook('delivery', $old)->{state}, 'pending',
    'kept for less than 7 days, however old: pending');
webhook('disable', $lis, qw(--reason again));
$db->do(q{UPDATE lims.webhook_endpoint SET disabled_at = now() - interval '7 days 1 minute'
    WHERE id = ?}, undef, $lis);
webhook('enable', $lis);
is(webhook('delivery', $old)->{state}, 'given_up', 'kept for more: given up');
is($tool->value('SELECT retries = 0 AND next_attempt_at <= now() AND attempts = 2
    FROM lims.webhook_delivery WHERE id = ?', $tried), 1,
        'enabling makes it due, with all attempts');
is(webhook('delivery', $later)->{state}, 'pending', 'a younger one: pending');
like(deliveries($lis, 'pending'), qr/\b$later\b/, 'a younger delivery stays in the queue');

# All since a time.

my @many = map { event('sample.created') } 1 .. 7;
@many = split / /, deliveries($erp, 'pending');
finish('given_up', @many);
my $arrived = pop @many;
finish('delivered', $arrived);
is(webhook('delivery', $_)->{nextAttemptAt}, undef,
    'a finished delivery has no time of the next attempt')
    for $arrived, $many[0];
$db->do(q{UPDATE lims.webhook_delivery SET created_at = now() - interval '2 hours'
    WHERE id = ?}, undef, $many[0]);
my $since = $tool->value(q{SELECT to_char(now() - interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SSOF')})
    =~ s/\+00\z/Z/r;

sub step { return $tool->value('SELECT lims.webhook_recover_step(?)', $_[0]) }
is(step(3), undef, 'nothing to recover');
refused(2, qr/since is missing/, 'since when?', 'recover', $erp);
my $recovery = webhook('recover', $erp, '--since', $since);
is_deeply([ @$recovery{qw(endpointId requeued finishedAt)} ], [ $erp, 0, undef ],
    'recovery begins as a job');
is(deliveries($erp, 'pending'), '', 'the new job has not begun');
is(step(3), 3, 'one step of the job makes three deliveries');
is(deliveries($erp, 'pending'), "@many[1 .. 3]", 'the first three since then');
is(webhook('recovery', $recovery->{id})->{requeued}, 3, 'the job counts what it has queued');
fail_once($_) for ($many[1]) x 3;
is(webhook('delivery', $many[1])->{state}, 'given_up', 'one of them fails again');

# The endpoint is disabled in the midst of it.
webhook('disable', $erp, qw(--reason x));
is(step(3), undef, 'the job waits while the endpoint is disabled');
webhook('enable', $erp);

# Whoever was at work died before the commit.
my $dying = LIMS::Instance::connect_database($tool->{database}, 'lims_app');
$dying->begin_work;
is($dying->selectrow_array('SELECT lims.webhook_recover_step(3)'), 3,
    'a step that is not committed');
is(step(3), undef, 'nobody else takes the same job');
$dying->rollback;
is(webhook('recovery', $recovery->{id})->{requeued}, 3,
    'a step that was rolled back does not count');
is(step(3), 3, 'the step is repeated');
is(step(100), @many - 7, 'the last step takes the rest');
my $done = webhook('recovery', $recovery->{id});
like($done->{finishedAt}, qr/Z\z/, 'the job has finished');
is($done->{requeued}, @many - 1, 'the finished job has counted all');
is(step(3), undef, 'a finished job has no further step');
is(deliveries($erp, 'pending'), "@many[2 .. $#many]",
    'all but the older one, the one that arrived, and the one that failed behind it');
is_deeply([ map { $_->{id} } @{ webhook(qw(recoveries --finished))->{data} } ], [ $recovery->{id} ],
    'the list of jobs');

# Several at once take turns; a deleted endpoint needs none.
finish('given_up', @many, $later, $tried);
my $long  = webhook('recover', $erp, '--since', '2020-01-01T00:00:00Z')->{id};
my $short = webhook('recover', $lis, '--since', '2020-01-01T00:00:00Z')->{id};
step(1);
step(1);
ok(webhook('recovery', $_)->{requeued} > 0, 'both jobs have begun') for $long, $short;

# A recovery whose steps fail does not delay the other.
my $held = webhook('recovery', $long)->{requeued};
$db->begin_work;
$db->do('SELECT FROM lims.webhook_delivery WHERE endpoint_id = ? AND given_up FOR UPDATE', undef,
    $erp);
my $timed = LIMS::Instance::connect_database($tool->{database}, 'lims_app');
$timed->do(q{SET statement_timeout = '300ms'});
my @steps = map { eval { $timed->selectrow_array('SELECT lims.webhook_recover_step(1)') } // 'failed' }
    1 .. 4;
is_deeply([ sort @steps ], [ 1, 1, 'failed', 'failed' ],
    'while the steps of one job time out, the other has every second step');
$db->rollback;
is(webhook('recovery', $long)->{requeued}, $held, 'a step that timed out queues nothing');

# Nor does an endpoint that cannot be resumed.
$db->do(q{UPDATE lims.webhook_lane SET resumed_at = '-infinity', resumed_id = 0
    WHERE endpoint_id = ?}, undef, $lis);
$db->begin_work;
$db->do('SELECT FROM lims.webhook_lane WHERE endpoint_id = ? FOR UPDATE', undef, $lis);
eval { $timed->selectrow_array('SELECT lims.webhook_recover_step(1)') } for 1 .. 8;
cmp_ok(webhook('recovery', $long)->{requeued}, '>', $held,
    'while resuming an endpoint times out, recoveries go on');
$db->rollback;
my $count = webhook('recovery', $long)->{requeued};
webhook('delete', $erp, qw(--reason x));
is(deliveries($erp, 'pending'), '', 'deleting the endpoint ends its deliveries');
1 while defined step(2);
is_deeply([ map { webhook('recovery', $long)->{$_} } 'requeued' ], [$count],
    'the job of a deleted endpoint queues nothing more');
ok(defined webhook('recovery', $_)->{finishedAt}, 'both jobs have finished') for $long, $short;
event('sample.created');
is(deliveries($erp, 'pending'), '', 'a deleted endpoint gets no new delivery');
isnt(listed('--endpoint-id', $erp), '', 'deliveries of a deleted endpoint can be listed');
refused(1, qr/disabled/, 'a delivery of a deleted endpoint is not sent again', 'redeliver', $many[0]);
refused(3, qr/no webhook endpoint/,
    'an unknown endpoint is not recovered', 'recover', $erp, '--since', $since);

done_testing();
