#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The events of one sample, with who was told of each.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $ben   = LIMS::Service::CommandLine->new($lims, 'Ben Walsh', roles => ['receiving_clerk']);

my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ]);
my ($test) = $lab->tests($sample);
$lab->sample;
$lims->post('/samples/receive', { sampleIds => [ $sample->{id} ] });
$lab->enter($test, '1');
$lab->verify($test);

sub events { return $ben->done('sample events', $sample->{id}, @_) }

my $page = events();
is_deeply([ map { $_->{type} } @{ $page->{data} } ],
    [ 'sample.created', 'sample.received', 'result.verified' ], 'its events, in their order');
is_deeply($page->{data}[1]{deliveries}, [], 'nobody was told');

my $event = $page->{data}[1]{id};
$lab->act(sub {
    my ($db) = @_;
    my $endpoint = $lims->insert('webhook_endpoint', { name => 'the ERP',
        url => 'https://erp.example/hook', events => '{sample.received}', secret => 'x' });
    $lims->insert('webhook_delivery', { endpoint_id => $endpoint, event_id => $event,
        state => 'delivered', attempts => 2, finished_at => '2026-01-02T03:04:05Z',
        next_attempt_at => undef });
});
my ($told) = @{ events()->{data}[1]{deliveries} };
is_deeply([ @$told{qw(endpointName state attempts finishedAt)} ],
    [ 'the ERP', 'delivered', 2, '2026-01-02T03:04:05.000Z' ], 'who was told, and how it went');

my $first = events(limit => 1);
is_deeply([ scalar @{ $first->{data} }, $first->{hasMore} ], [ 1, JSON::PP::true ],
    'a page of one event, with more to follow');
is(events(limit => 1, cursor => $first->{nextCursor})->{data}[0]{type}, 'sample.received',
    'the cursor gives the next event');
$ben->refused('not_found', 'sample events', $other->sample->{id});

done_testing();
