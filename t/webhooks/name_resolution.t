#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Host names of receivers and their name servers. A name that is public when it is checked
# and private when it is connected to reaches nothing, in any order of answers; a name
# server that does not answer uses up the time of that attempt, and nobody else's.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Peers::NetworkNamespace;
use LIMS::Peers::WebhookReceiver;
use LIMS::Test;
use Time::HiRes qw(sleep);

# A public address, which here is on the loopback device.
my $public = '93.184.216.34';
LIMS::Peers::NetworkNamespace->enter(addresses => [ $public, '10.1.2.3' ], nameserver => '127.0.0.1');

# In turn, a question of each family counting as one.
sub turns {
    my (@answers) = @_;
    my %asked;
    return sub { my ($type) = @_; my $turn = $asked{$type}++;
        return @{ $answers[ $turn > $#answers ? $#answers : $turn ] } };
}

LIMS::Peers::NetworkNamespace->name_server(
    'public.example'   => [$public],
    'loopback.example' => turns([$public], ['127.0.0.1']),
    'private.example'  => turns([$public], ['10.1.2.3']),
    'mapped.example'   => turns([$public], ['::ffff:127.0.0.1']),
    'both.example'     => [ '127.0.0.1', '10.1.2.3', '::1' ],
    'either.example'   => [ '127.0.0.1', $public ],
    'silent.example'   => 'silence',
);

my $receiver = LIMS::Peers::WebhookReceiver->new(names => [ map {"$_.example"}
            qw(public loopback private mapped both either silent) ]);
my $lims = LIMS::Test->new(conf => "LimsWebhookPoll 50\nLimsWebhookSchedule 600\n"
        . 'LimsWebhookCAFile ' . $receiver->ca_file
        . "\nLimsWebhookTimeout 5000\nLimsWebhookLease 20000\n");
my $lab   = $lims->fixture->{id};
my @types = qw(sample.created sample.received result.entered result.verified sample.blocked
    sample.ready_for_review sample.ready_to_report sample.reported coa.generated qc.failed);
my $used = 0;

sub endpoint {
    my ($name) = @_;
    return $receiver->endpoint($lims, '', events => $types[ $used++ ],
        url => "https://$name.example:$receiver->{port}/$name");
}

sub emit {
    my ($endpoint) = @_;
    $lims->db->do(q{INSERT INTO lims.event (organization_id, type, data) VALUES (?, ?, '{}')},
        undef, $lab, $endpoint->{events}[0]);
    return scalar $lims->db->selectrow_array(
        'SELECT max(id) FROM lims.webhook_delivery WHERE endpoint_id = ?', undef, $endpoint->{id});
}

sub outcome {
    my ($id) = @_;
    my $attempt = wait_until {
        $lims->db->selectrow_hashref(q{SELECT d.state, a.error, a.duration_ms
              FROM lims.webhook_attempt a JOIN lims.webhook_delivery d ON d.id = a.delivery_id
             WHERE d.id = ?}, undef, $id);
    } 120;
    return $attempt || { state => 'no attempt' };
}

# Has names resolved anew: a child caches addresses for a while, and a new child has no
# cache.
sub forget_names {
    $lims->restart;
    return;
}

my $healthy = endpoint('public');
is(outcome(emit($healthy))->{state}, 'delivered', 'a public address, with nothing allowed');

for my $case ([ loopback => 'loopback' ], [ private => 'private' ], [ mapped => 'loopback' ]) {
    my ($name, $kind) = @$case;
    my $endpoint = endpoint($name);
    is(outcome(emit($endpoint))->{state}, 'delivered', "$name.example, while it is public");
    forget_names();
    my $seen = $receiver->seen("/$name");
    my $it   = outcome(emit($endpoint));
    is($it->{state}, 'pending', "$name.example is not delivered to, once its address is not public");
    like($it->{error}, qr/the address is .*\Q$kind\E.*, and not allowed/, "the error says that the address of $name.example is $kind");
    is(scalar $receiver->seen("/$name"), $seen, "$name.example is not connected to any more");
}

like(outcome(emit(endpoint('both')))->{error}, qr/and not allowed/, 'inner addresses alone');
is(outcome(emit(endpoint('either')))->{state}, 'delivered', 'beside a public one');
is_deeply([ grep { $_->{local} ne $public } $receiver->seen ], [],
    'nothing was ever sent to another address than the public one');

# The name server hangs. All are due at once; what is on record says which was first.
my $hanging = endpoint('silent');
$lims->db->begin_work;
my $silent = emit($hanging);
my @delivered = map { emit($healthy) } 1 .. 5;
$lims->db->commit;
is(outcome($_)->{state}, 'delivered', 'others are served') for @delivered;
my $it = outcome($silent);
is($lims->db->selectrow_array(q{WITH attempt AS (SELECT delivery_id,
        started_at + duration_ms * interval '1 millisecond' AS ended FROM lims.webhook_attempt)
    SELECT count(*) FROM attempt WHERE delivery_id = ANY (?)
       AND ended < (SELECT ended FROM attempt WHERE delivery_id = ?)}, undef, \@delivered, $silent),
    5, 'deliveries to other names are not held up by a silent name server');
is($it->{state}, 'pending', 'the attempt fails when its time is up');
like($it->{error}, qr/no complete answer within 5000 ms/, 'the error names the time-out');
cmp_ok($it->{duration_ms}, '>=', 4900, 'the attempt waits all its time');
cmp_ok($it->{duration_ms}, '<', 50_000, 'the attempt does not wait longer');

# Nor do children wait for it when they end.
emit({ events => [ $types[ $used - 1 ] ], id => 0 });
sleep 0.5;
$lims->stop;
unlike($lims->log, qr/did not exit/, 'the children end all the same');

ok($lims->finish, 'the log is clean');
done_testing();
