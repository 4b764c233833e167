#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Misbehaving receivers: none counts as having received what it did not acknowledge, none
# takes more time and memory than allowed, and the others are served as always.
use strict;
use warnings;

use LIMS::Peers::HTTPProxy;
use LIMS::Peers::WebhookReceiver;
use LIMS::Test;

my $receiver = LIMS::Peers::WebhookReceiver->new;
my $stranger = LIMS::Peers::WebhookReceiver->new(certificate => 'own');
my $lims     = LIMS::Test->new(conf => $receiver->conf
    . "LimsWebhookSchedule 600\nLimsWebhookTimeout 4000\nLimsWebhookLease 16000\n"
    . "LimsWebhookMaxAnswer 100000\nLimsWebhookExcerpt 40\n");
my $lab  = $lims->fixture->{id};
my $type = 0;
my @types = qw(sample.created sample.received result.entered result.verified sample.blocked
    sample.ready_for_review sample.ready_to_report sample.reported coa.generated qc.failed
    holding_time.expiring investigation.opened);

sub deliver {
    my ($endpoint) = @_;
    my ($event, $id) = ($endpoint->{events}[0], undef);
    $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data) VALUES (?, ?, '{}')},
        undef, $lab, $event);
    ($id) = $lims->db->selectrow_array(
        'SELECT max(id) FROM lims.webhook_delivery WHERE endpoint_id = ?', undef, $endpoint->{id});
    my $attempt = wait_until {
        $lims->db->selectrow_hashref(
            q{SELECT d.state, a.duration_ms, a.response_status, a.response_excerpt, a.error,
                round(extract(epoch FROM d.next_attempt_at - d.created_at)) AS wait
              FROM lims.webhook_attempt a JOIN lims.webhook_delivery d ON d.id = a.delivery_id
             WHERE d.id = ?}, undef, $id);
    };
    return $attempt || { state => 'no attempt' };
}

# word, what became of it, status, error, excerpt
my @cases = (
    [ '200',         'delivered', 200, undef, qr/\AThank you for / ],
    [ '204',         'delivered', 204, undef ],
    [ '299',         'delivered', 299, undef ],
    [ '302',         'pending',   302, undef ],
    [ '304',         'pending',   304, undef ],
    [ '400',         'pending',   400, undef ],
    [ '404',         'pending',   404, undef ],
    [ '410',         'given_up',  410, undef ],
    [ '500',         'pending',   500, undef, qr/\AThank you/ ],
    [ '503 after 1000', 'pending', 503, undef ],
    [ '503 after 9223372036854775807', 'pending', 503, undef ],
    [ '503 after -9223372036854775808', 'pending', 503, undef ],
    [ 'hang',        'pending', undef, qr/no complete answer within 4000 ms/ ],
    [ 'drip',        'pending', 200,   qr/no complete answer within 4000 ms/ ],
    [ 'reset',       'pending', undef, qr/\w/ ],
    [ 'close',       'pending', 200,   qr/\w/ ],
    [ 'endless',     'delivered', 200, undef, qr/\Ax{40}\z/ ],
    [ 'headers',     'pending',   200, qr/header is too long/ ],
    [ 'gzip',        'delivered', 200, undef, qr/\A\x{1f}/ ],
    [ 'junk',        'pending',   500, undef, qr/\A\x{fffd}{3}\x{1}\x{fffd}\(\x{fffd}{2}\z/ ],
);
my $healthy = $receiver->endpoint($lims, '/healthy', events => 'investigation.opened');

sub memory {
    my $most = 0;
    for my $pid ($lims->children) {
        open my $in, '<', "/proc/$pid/status" or next;
        my ($kb) = join('', <$in>) =~ /^VmRSS:\s+(\d+)/m;
        $most = $kb if $kb > $most;
    }
    return $most;
}
deliver($healthy);
my $before = memory();

for my $case (@cases) {
    my ($word, $state, $status, $error, $excerpt) = @$case;
    subtest "a receiver that answers with $word" => sub {
        my $path     = '/' . ($word =~ s/\W/-/gr);
        my $endpoint = $receiver->endpoint($lims, $path, events => $types[ $type++ % 11 ]);
        $receiver->say($path, $word);
        my $it = deliver($endpoint);
        is($it->{state}, $state, $state);
        is($it->{response_status}, $status, 'status ' . ($status // 'none'));
        defined $error ? like($it->{error}, $error, 'why') : is($it->{error}, undef, 'no error');
        utf8::decode(my $text = $it->{response_excerpt} // '');
        like($text, $excerpt, 'the first part of the answer') if $excerpt;
        cmp_ok($it->{duration_ms}, '<', 40_000, 'in its time') if $state eq 'pending';
        cmp_ok($it->{duration_ms}, '>=', 3990,
            'the attempt waits all its time') if $word =~ /hang|drip/;
        cmp_ok($it->{wait}, '>=', 1000, 'Retry-After') if $word =~ /after \d/;
        cmp_ok($it->{wait}, '<=', 86_400, 'no longer than the longest wait') if $state eq 'pending';
        cmp_ok($it->{wait}, '<', 700, 'by schedule') if $word =~ /500|after -/;
        is(deliver($healthy)->{state}, 'delivered', 'another endpoint is served');
        $lims->db->do(q{UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now()
            WHERE id = ?}, undef, $endpoint->{id});
    };
}
is(scalar $receiver->seen('/redirected'), 0, 'no redirect was followed');
cmp_ok(memory() - $before, '<', 30_000, 'endless answers are not kept in memory');

subtest 'a certificate that nobody signed' => sub {
    my $endpoint = $stranger->endpoint($lims, '/x', events => 'sample.created');
    my $it = deliver($endpoint);
    is($it->{state}, 'pending', 'a server with that certificate gets no delivery');
    like($it->{error}, qr/certificate/, 'for that reason');
    is(scalar $stranger->seen, 0, 'it receives no request');
};

subtest 'a port on which nobody listens' => sub {
    my $gone = LIMS::Peers::WebhookReceiver->new;
    my $endpoint = $gone->endpoint($lims, '/x', events => 'sample.received');
    $gone->stop;
    my $it = deliver($endpoint);
    is($it->{state}, 'pending', 'is tried again');
    like($it->{error}, qr/connect/i, 'for that reason');
};

subtest 'a host name that does not resolve' => sub {
    my $endpoint = $receiver->endpoint($lims, '/x', events => 'result.entered',
        url => 'https://receiver.invalid/');
    my $it = deliver($endpoint);
    is($it->{state}, 'pending', 'is tried again');
    like($it->{error}, qr/resolve|no complete answer/i, 'for that reason');
};

ok($lims->finish, 'the log is clean');

# Addresses allowed above are not allowed by default.
subtest 'private addresses are refused' => sub {
    my $conf = $receiver->conf =~ s/LimsWebhookAllow [^\n]*/LimsWebhookAllow 192.0.2.0\/24/r;
    my $strict = LIMS::Test->new(conf => $conf . "LimsWebhookSchedule 600\n");
    $lims = $strict;
    $lab  = $strict->fixture->{id};
    {
        local @ENV{qw(https_proxy HTTPS_PROXY all_proxy)} = ($receiver->url('')) x 3;
        $strict->restart;
    }
    my @targets = ([ "https://127.0.0.1:$receiver->{port}/refused", 'loopback' ],
        [ $receiver->url('/refused'), 'loopback' ],
        [ "https://[::1]:$receiver->{port}/refused", 'loopback' ],
        [ "https://[::ffff:127.0.0.1]:$receiver->{port}/refused", 'loopback' ],
        [ "https://169.254.169.254/latest/meta-data", 'link-local' ],
        [ "https://10.0.0.1/", 'private' ], [ 'https://[fd00::1]/', 'unique local' ]);
    for my $target (@targets) {
        my ($url, $kind) = @$target;
        my $endpoint = $receiver->endpoint($strict, '', events => $types[ $type++ % 11 ],
            url => $url);
        my $it = deliver($endpoint);
        is($it->{state}, 'pending', $url);
        like($it->{error}, qr/the address is \Q$kind\E \(.+\), and not allowed/,
            "the error says that the address is $kind");
        cmp_ok($it->{duration_ms}, '<', 1000, 'the attempt fails at once');
        $lims->db->do('UPDATE lims.webhook_endpoint SET enabled = false, disabled_at = now()
            WHERE id = ?', undef, $endpoint->{id});
    }
    is(scalar $receiver->seen('/refused'), 0, 'no refused address was connected to');
    ok($strict->finish, 'the log is clean');
};

# libcurl itself knows both addresses of localhost, whatever the machine's files say.
subtest 'one private address, and no answer at the other' => sub {
    my $gone = LIMS::Peers::WebhookReceiver->new;
    my $conf = $gone->conf =~ s/LimsWebhookAllow [^\n]*/LimsWebhookAllow 127.0.0.1/r;
    $lims = LIMS::Test->new(conf => $conf . "LimsWebhookSchedule 600\n");
    $lab  = $lims->fixture->{id};
    my $endpoint = $gone->endpoint($lims, '', events => 'sample.created',
        url => "https://localhost:$gone->{port}/");
    $gone->stop;
    my $it = deliver($endpoint);
    is($it->{state}, 'pending', 'is tried again');
    is($it->{error}, 'not connected to 127.0.0.1: Connection refused; '
        . 'another address is loopback (::1), and not allowed', 'each with its own reason');
    ok($lims->finish, 'the log is clean');
};

# Addresses are for the proxy to decide, so that nothing may pass it by.
subtest 'the configured proxy is used, whatever the environment says' => sub {
    my $proxy = LIMS::Peers::HTTPProxy->new;
    my $conf = $receiver->conf =~ s/LimsWebhookAllow [^\n]*/LimsWebhookAllow 192.0.2.0\/24/r;
    $lims = LIMS::Test->new(conf => "${conf}LimsWebhookProxy " . $proxy->url . "\n");
    $lab  = $lims->fixture->{id};
    {
        local @ENV{qw(no_proxy NO_PROXY)} = ('localhost,127.0.0.1', '*');
        $lims->restart;
    }
    my $it = deliver($receiver->endpoint($lims, '/through', events => 'qc.failed'));
    is($it->{state}, 'delivered', 'the delivery goes through the proxy');
    is_deeply([ map { $_->{target} } $proxy->seen ], ["localhost:$receiver->{port}"],
        'hosts that the environment excepts are reached through the proxy, too');
    ok($lims->finish, 'the log is clean');
};

done_testing();
