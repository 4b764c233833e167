#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The names of receivers, and those who answer for them. A name that is public
# when it is looked at and an inner address when it is connected to reaches
# nothing, in whatever order it says what; a name server that does not answer
# takes the time of the attempt, and nobody else's.
use LIMS::Namespace;
use LIMS::Test;
use LIMS::Instance;
use LIMS::Receiver;
use Time::HiRes qw(time sleep);

# A public address, which here is on the loopback device.
my $public = '93.184.216.34';
LIMS::Namespace->enter(addresses => [ $public, '10.1.2.3' ], nameserver => '127.0.0.1');

# In turn, a question of each family counting as one.
sub turns {
    my (@answers) = @_;
    my %asked;
    return sub { my ($type) = @_; my $turn = $asked{$type}++;
        return @{ $answers[ $turn > $#answers ? $#answers : $turn ] } };
}

LIMS::Namespace->answer(
    'public.example'   => [$public],
    'loopback.example' => turns([$public], ['127.0.0.1']),
    'private.example'  => turns([$public], ['10.1.2.3']),
    'mapped.example'   => turns([$public], ['::ffff:127.0.0.1']),
    'both.example'     => [ '127.0.0.1', '10.1.2.3', '::1' ],
    'either.example'   => [ '127.0.0.1', $public ],
    'silent.example'   => 'silence',
);

my $receiver = LIMS::Receiver->new(names => [ map {"$_.example"}
            qw(public loopback private mapped both either silent) ]);
my $lims = LIMS::Test->new(conf => "LimsWebhookPoll 50\nLimsWebhookSchedule 600\n"
        . 'LimsWebhookCAFile ' . $receiver->ca_file
        . "\nLimsWebhookTimeout 2000\nLimsWebhookLease 8000\n");
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
    for (1 .. 800) {
        my $attempt = $lims->db->selectrow_hashref(q{SELECT d.state, a.error, a.duration_ms
              FROM lims.webhook_attempt a JOIN lims.webhook_delivery d ON d.id = a.delivery_id
             WHERE d.id = ?}, undef, $id);
        return $attempt if $attempt;
        sleep 0.05;
    }
    return { state => 'no attempt' };
}

# What was resolved is remembered for a while: a child that begins asks anew.
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
    is($it->{state}, 'pending', '... and then no more');
    like($it->{error}, qr/the address is .*\Q$kind\E.*, and not allowed/, "... as it is $kind");
    is(scalar $receiver->seen("/$name"), $seen, '... which was not connected to');
}

like(outcome(emit(endpoint('both')))->{error}, qr/and not allowed/, 'inner addresses alone');
is(outcome(emit(endpoint('either')))->{state}, 'delivered', 'beside a public one');
is_deeply([ grep { $_->{local} ne $public } $receiver->seen ], [],
    'nothing was ever sent to another address than the public one');

# The name server hangs.
my $silent = emit(endpoint('silent'));
my @delivered = map { emit($healthy) } 1 .. 5;
is(outcome($_)->{state}, 'delivered', 'others are served') for @delivered;
is($lims->db->selectrow_array('SELECT count(*) FROM lims.webhook_attempt WHERE delivery_id = ?',
        undef, $silent), 0, '... while the name server is waited for');
my $it = outcome($silent);
is($it->{state}, 'pending', 'then that attempt has failed');
like($it->{error}, qr/no complete answer within 2000 ms/, '... in its time');
cmp_ok($it->{duration_ms}, '>=', 1900, '... all of it');
cmp_ok($it->{duration_ms}, '<', 8000,  '... and no more');

# Nor do children wait for it when they end.
emit({ events => [ $types[ $used - 1 ] ], id => 0 });
sleep 0.5;
$lims->stop;
unlike($lims->log, qr/did not exit/, 'the children end all the same');

ok($lims->finish, 'the log is clean');
done_testing();
