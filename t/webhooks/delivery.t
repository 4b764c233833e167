#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Webhooks reach the endpoints that asked for them: soon, once, signed, in order, and exactly
# as the contract says, checked by a receiver that knows only the contract.
use strict;
use warnings;

use Digest::SHA qw(hmac_sha256_base64);
use JSON::PP ();
use LIMS::Peers::WebhookReceiver;
use LIMS::Test;
use MIME::Base64 qw(decode_base64);
use Time::HiRes qw(sleep);

my $receiver = LIMS::Peers::WebhookReceiver->new;
my $lims     = LIMS::Test->new(conf => $receiver->conf . "LimsWebhookSchedule 0.3 0.3 0.3\n");
my $material = $lims->insert('material_type', { code => 'W', name => 'Water' });
my %sample   = (clientName => "Caf\x{e9} \"Acme\"", materialTypeId => $material);
my $lab      = $lims->fixture->{id};

sub emit {
    my ($type, $count) = @_;
    $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        SELECT ?, ?, json_build_object('n', n) FROM generate_series(1, ?) n}, undef, $lab, $type,
        $count || 1);
    return;
}

# Returns the outcome of a delivery, once it is recorded.
sub state_of {
    my ($uuid) = @_;
    wait_until {
        $lims->db->selectrow_array(q{SELECT state <> 'pending' FROM lims.webhook_delivery
            WHERE delivery_id = ?}, undef, $uuid);
    };
    return $lims->db->selectrow_hashref(q{SELECT state, attempts FROM lims.webhook_delivery
        WHERE delivery_id = ?}, undef, $uuid);
}

subtest 'headers and body as in the contract' => sub {
    my $endpoint = $receiver->endpoint($lims, '/good', events => 'sample.created');
    my $made     = $lims->post('/samples', \%sample);
    is($made->status, 201, 'a sample is registered');
    my ($it, @more) = $receiver->wait_for('/good', 1);
    is(scalar @more, 0, 'its event arrives once');
    my %got = %{ $it->{headers} };
    delete @got{qw(accept host content-length)};
    my $envelope = JSON::PP->new->decode($it->{body});
    is($it->{method}, 'POST', 'the delivery is a POST');
    is_deeply([ sort keys %got ], [ qw(content-type user-agent x-service-delivery x-service-event
            x-service-signature x-service-timestamp) ],
                'the header fields of the contract, no other');
    is($got{'content-type'},       'application/json',      'the header Content-Type');
    is($got{'user-agent'},         'mod_lims-webhooks/1.0', 'the header User-Agent');
    is($got{'x-service-event'},    'sample.created',        'the header X-Service-Event');
    is($got{'x-service-delivery'}, $envelope->{id},
        'X-Service-Delivery is the envelope\'s id');
    like($got{'x-service-timestamp'}, qr/\A\d+\z/, 'X-Service-Timestamp is in seconds');
    cmp_ok(abs($it->{time} - $got{'x-service-timestamp'}), '<', 5, 'the time stamp is now');
    ok(verified($it, $endpoint->{secret}),
        'X-Service-Signature is the body\'s, by the endpoint\'s secret');
    like($it->{body}, qr/\A\{"id":"[0-9a-f-]{36}","type":"sample\.created","createdAt":
        "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","organizationId":$lab,"data":\{/x,
            'the body is the contract\'s envelope');
    is_deeply($envelope->{data}, { sampleId => $made->json->{id}, status => 'pending',
            clientName => $sample{clientName}, map { $_ => $made->json->{$_} }
            qw(trackingId sampleIdentifier) }, 'the payload');
    is_deeply(state_of($envelope->{id}), { state => 'delivered', attempts => 1 },
        'the delivery is acknowledged at the first attempt');
    my $attempt = $lims->db->selectrow_hashref(q{SELECT a.* FROM lims.webhook_attempt a
        JOIN lims.webhook_delivery d ON d.id = a.delivery_id WHERE d.delivery_id = ?}, undef,
        $envelope->{id});
    is_deeply([ @$attempt{qw(number response_status response_excerpt error)} ],
        [ 1, 200, 'Thank you for /good', undef ], 'the attempt is kept');
};

subtest 'a failed delivery is tried again' => sub {
    my $endpoint = $receiver->endpoint($lims, '/flaky', events => 'sample.received');
    $receiver->say('/flaky', '500, 500, 204');
    emit('sample.received');
    my @seen = $receiver->wait_for('/flaky', 3);
    my $state = state_of($seen[0]{headers}{'x-service-delivery'});
    sleep 0.8;    # more than another wait
    is(scalar $receiver->seen('/flaky'), 3, 'it is retried until it is acknowledged');
    is_deeply([ map { $_->{body} } @seen ], [ ($seen[0]{body}) x 3 ], 'the body is the same');
    is(scalar(grep { verified($_, $endpoint->{secret}) } @seen), 3, 'each is signed');
    cmp_ok($seen[2]{headers}{'x-service-timestamp'}, '>=', $seen[0]{headers}{'x-service-timestamp'},
        'each attempt is signed anew');
    cmp_ok($seen[1]{time} - $seen[0]{time}, '>', 0.29, 'a retry does not come early');
    is_deeply($state, { state => 'delivered', attempts => 3 }, 'each attempt counted');
};

subtest 'Standard Webhooks, and a secret that is replaced' => sub {
    my $endpoint = $receiver->endpoint($lims, '/standard', events => 'coa.generated', standard => 1);
    emit('coa.generated');
    my ($it) = $receiver->wait_for('/standard', 1);
    my $h = $it->{headers};
    my $signed = sub {
        my ($secret) = @_;
        my $base64 = hmac_sha256_base64("$h->{'webhook-id'}.$h->{'webhook-timestamp'}.$it->{body}",
            decode_base64($secret =~ s/\Awhsec_//r));
        return "v1,$base64" . '=' x (-length($base64) % 4);
    };
    is($h->{'webhook-id'},        $h->{'x-service-delivery'},  'webhook-id is the delivery\'s id');
    is($h->{'webhook-timestamp'}, $h->{'x-service-timestamp'},
        'webhook-timestamp is the delivery\'s');
    is($h->{'webhook-signature'}, $signed->($endpoint->{secret}),
        'webhook-signature is by the same secret');
    ok(!exists $h->{'x-service-signature-previous'}, 'there is no previous secret');

    local $ENV{LIMS_SECRET_KEY_FILE} =
        LIMS::Instance::home($LIMS::Instance::cluster) . '/secret.key';
    my $new = $lims->ctl('--organization', $lims->fixture->{code}, '--user',
        'administrator@' . $lims->fixture->{code} . '.example', 'webhook', 'rotate',
        $endpoint->{id})->{json};
    isnt($new->{secret}, $endpoint->{secret}, 'the secret is replaced');
    emit('coa.generated');
    (undef, $it) = $receiver->wait_for('/standard', 2);
    $h = $it->{headers};
    ok(verified($it, $new->{secret}), 'the new one signs');
    ok(verified($it, $endpoint->{secret}, 'x-service-signature-previous'), 'the old one beside it');
    is($h->{'webhook-signature'}, $signed->($new->{secret}) . ' ' . $signed->($endpoint->{secret}),
        'the standard header has both signatures');
    $lims->db->do(q{UPDATE lims.webhook_endpoint SET previous_secret_until = now()
        WHERE id = ?}, undef, $endpoint->{id});
    emit('coa.generated');
    (undef, undef, $it) = $receiver->wait_for('/standard', 3);
    ok(verified($it, $new->{secret}), 'after the overlap the new secret signs');
    ok(!exists $it->{headers}{'x-service-signature-previous'},
        'after the overlap the former secret does not sign');
};

# One at a time, so that the order in which they start is the one in which they
# arrive; and with so long a poll that nothing but the commit can have told.
my $single = LIMS::Test->new(conf => $receiver->conf . "LimsWebhookPoll 30000\n"
    . "LimsWebhookInFlightPerEndpoint 1\nLimsWebhookSchedule 600\n");
$sample{materialTypeId} = $single->insert('material_type', { code => 'W', name => 'Water' });

subtest 'each commit wakes the dispatcher' => sub {
    $receiver->endpoint($single, '/soon', events => 'sample.created');
    for my $n (1 .. 10) {
        $single->post('/samples', \%sample);
        is(scalar $receiver->wait_for('/soon', $n), $n, "commit $n wakes the dispatcher");
    }
};

subtest 'deliveries arrive in order' => sub {
    $receiver->endpoint($single, '/order', events => 'qc.failed');
    $receiver->say('/order', '500');
    $single->db->do(q{INSERT INTO lims.event (organization_id, type, data)
        SELECT ?, 'qc.failed', json_build_object('n', n) FROM generate_series(1, 60) n}, undef,
        $single->fixture->{id});
    $single->post('/samples', \%sample);
    $receiver->wait_for('/order', 20);
    $receiver->say('/order', '200');
    my @seen = $receiver->wait_for('/order', 60);
    is_deeply([ map { JSON::PP->new->decode($_->{body})->{data}{n} } @seen ], [ 1 .. 60 ],
        'they start in the order of their events, and one that fails does not hold up the next');
    my %connections = map { $_->{connection} => 1 } @seen;
    cmp_ok(scalar keys %connections, '<=', 2, 'over connections that are kept');
};
ok($single->finish, 'the log is clean');

my $left;
wait_until { !($left = $lims->db->selectrow_array('SELECT count(*) FROM lims.webhook_queue')) };
is($left, 0, 'nothing is left');
ok($lims->finish, 'the log is clean');
done_testing();
