#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A receiver that is away for longer than its deliveries are retried: the endpoint is
# disabled, new deliveries are kept and sent when it is enabled, and those given up are sent
# again by a job that survives the end of httpd. Every delivery keeps its id.
use strict;
use warnings;

use LIMS::Peers::WebhookReceiver;
use LIMS::Test;

my $receiver = LIMS::Peers::WebhookReceiver->new;
my $lims     = LIMS::Test->new(conf => $receiver->conf . <<'END');
LimsWebhookSchedule 0.1
LimsWebhookDisableAfter 3
LimsRecoveryInterval 1
END
my $code = $lims->fixture->{code};
my @here = ('--organization', $code, '--user', "administrator\@$code.example");

sub webhook {
    my (@arguments) = @_;
    my $done = $lims->ctl(@here, 'webhook', @arguments);
    $done->{exit} == 0 or die "limsctl webhook @arguments: $done->{output}\n";
    return $done->{json};
}

my $material = $lims->insert('material_type', { code => 'DW', name => 'Water' });
sub happens {
    my ($count) = @_;
    for (1 .. $count) {
        my $made = $lims->post('/samples', { clientName => 'A', materialTypeId => $material });
        $made->status == 201 or die 'a sample: ' . $made->body . "\n";
    }
    return;
}

my $endpoint = $receiver->endpoint($lims, '/hook', events => 'sample.created');
sub in_state { return map { $_->{id} } @{ webhook('deliveries', '--state', @_)->{data} } }

my $before = $lims->db->selectrow_array(q{SELECT to_char(now() AT TIME ZONE 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS"Z"')});
$receiver->say('/hook', '503');
happens(3);
ok((wait_until { !webhook('show', $endpoint->{id})->{enabled} } 30),
    'three given up disable the endpoint');
like(webhook('show', $endpoint->{id})->{disabledReason}, qr/3 deliveries in a row.*503/,
    'the endpoint shows why it was disabled');
is(scalar in_state('given_up'), 3, 'three are given up');
happens(2);
is(scalar in_state('pending'), 2, 'later deliveries are kept');
my @tried = $receiver->seen('/hook');
my %known = map { $_->{headers}{'x-service-delivery'} => 1 } @tried;
is(scalar keys %known, 3, 'kept deliveries are not sent');

$receiver->say('/hook', '200');
webhook('enable', $endpoint->{id});
ok((wait_until { in_state('delivered') == 2 } 30), 'enabled, it gets what was kept');

# The httpd that would do it ends with the command; another one finds the job.
my $recovery = webhook('recover', $endpoint->{id}, '--since', $before);
$lims->stop;
$lims->start;
ok((wait_until { webhook('recovery', $recovery->{id})->{finishedAt} } 30),
    'the recovery is worked off');
is(webhook('recovery', $recovery->{id})->{requeued}, 3, 'all three are sent again');
ok((wait_until { in_state('delivered') == 5 } 30), 'all deliveries arrive');

my @seen = $receiver->seen('/hook');
my %body;
push @{ $body{ $_->{headers}{'x-service-delivery'} } }, $_->{body} for @seen;
is(scalar keys %body, 5, 'five deliveries, whatever was sent how often');
is_deeply([ grep { my ($first, @again) = @{ $body{$_} }; grep { $_ ne $first } @again } keys %body ],
    [], 'each with the same bytes every time');
is_deeply([ grep { !verified($_, $endpoint->{secret}) } @seen ], [], 'each signed anew');
is(webhook('show', $endpoint->{id})->{consecutiveFailures}, 0, 'no failures are counted any more');

ok($lims->finish, 'the log is clean');
done_testing();
