#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A receiver that keeps connections open and resets them when they are used again: the
# delivery goes out on a new connection at once, and no attempt is counted.
use strict;
use warnings;

use LIMS::Peers::WebhookReceiver;
use LIMS::Test;

my $count    = 120;
my $receiver = LIMS::Peers::WebhookReceiver->new;
my $lims     = LIMS::Test->new(conf => $receiver->conf . "LimsWebhookSchedule 600\n");
my $endpoint = $receiver->endpoint($lims, '/fickle', events => 'qc.failed');

$receiver->say('/fickle', 'fickle');
$lims->db->do(q{INSERT INTO lims.event (organization_id, type, data)
    SELECT ?, 'qc.failed', '{}' FROM generate_series(1, ?)}, undef, $lims->fixture->{id}, $count);
my $tried = q{SELECT count(*) FROM lims.webhook_delivery WHERE attempts > 0};
wait_until { $lims->db->selectrow_array($tried) == $count };
is_deeply($lims->db->selectall_arrayref(q{SELECT state, attempts, count(*)
    FROM lims.webhook_delivery GROUP BY 1, 2}), [ [ 'delivered', 1, $count ] ],
    'each has arrived at the first attempt')
    or diag(map { "$_->[0]\n" } @{ $lims->db->selectall_arrayref(
        'SELECT DISTINCT error FROM lims.webhook_attempt WHERE error IS NOT NULL') });
my %requests;
$requests{ $_->{connection} }++ for $receiver->seen('/fickle');
cmp_ok((scalar grep { $_ > 1 } values %requests), '>', 0, 'on connections that were used again');

done_testing();
