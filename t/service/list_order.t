#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every list is read from the oldest record on, or with order=-id from the newest: each
# record once, also while records are added. The cursor is then the id before which to
# read; 0 is the end, and an empty page answers the cursor that it was asked with.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Wait;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['administrator']);

my @samples = map { $lab->sample(testDefinitionIds => [ $lab->definition, $lab->definition ]) } 1 .. 5;
$lims->patch("/sample-tests/$_->{tests}[0]{id}", { result => '7' }) for @samples;

# Events are shown once no older transaction of the cluster is open.
wait_until { @{ $lims->get('/events?limit=500')->json->{data} } >= 10 } 60;

# The ids of a walk over all pages of two, and its last page.
sub walk {
    my ($path, $order, $between) = @_;
    my ($cursor, $page, @seen) = (0);
    my $joint = $path =~ /\?/ ? '&' : '?';

    do {
        $page = $lims->get("$path${joint}limit=2&order=$order&cursor=$cursor")->json;
        push @seen, map { $_->{id} } @{ $page->{data} };
        $cursor = $page->{nextCursor};
        $between->() if $between;
    } while ($page->{hasMore});
    return (\@seen, $page);
}

subtest 'every list of the API' => sub {
    my ($sample) = @samples;
    my @lists = map { $_->{template} } grep {
        grep { ($_->{name} || '') eq 'order' } @{ $_->{operation}{parameters} || [] }
    } $lims->api->operations;
    cmp_ok(scalar @lists, '>=', 11, 'the document names them');
    for my $template (sort @lists) {
        (my $path = $template) =~ s/\{id\}/$sample->{id}/;
        my $default = $lims->get("$path?limit=500")->json->{data};
        my ($up)    = walk($path, 'id');
        my ($down)  = walk($path, '-id');
        is_deeply($up, [ map { $_->{id} } @$default ], "$template: as it was without an order");
        is_deeply($down, [ reverse @$up ], "$template: -id turns the order around");
    }
};

subtest 'with filters, and of what changed' => sub {
    for my $path ('/samples?status=pending', '/samples?updatedSince=2020-01-01',
        '/sample-tests?status=entered', '/sample-tests?updatedSince=2020-01-01',
        '/events?type=sample.created', "/sample-tests?sampleId=$samples[2]{id}") {
        my ($up)   = walk($path, 'id');
        my ($down) = walk($path, '-id');
        cmp_ok(scalar @$up, '>', 1, $path);
        is_deeply($down, [ reverse @$up ], "$path: order=-id is the whole list from the newest on");
    }
};

subtest 'the cursor' => sub {
    my $newest = $lims->get('/samples?order=-id&limit=1')->json;
    my $id     = $newest->{data}[0]{id};
    is($newest->{nextCursor}, $id, 'is the id before which to read');
    is($lims->get("/samples?order=-id&limit=1&cursor=$id")->json->{data}[0]{id} < $id, 1,
        'a page by order=-id does not repeat the record of its cursor');
    my $page = $lims->get("/samples?order=-id&cursor=$samples[0]{id}")->json;
    is_deeply($page, { data => [], nextCursor => $samples[0]{id}, hasMore => JSON::PP::false() },
        'of an empty page it is the one that was passed');
    my $events = $lims->get('/events?order=-id&cursor=1&type=qc.failed')->json;
    is_deeply([ $events->{data}, $events->{nextCursor} ], [ [], 1 ], 'an empty page of the feed keeps the cursor that was passed');
};

subtest 'while records are added, none is seen twice or left out' => sub {
    my $before = $lims->get('/samples?limit=500')->json->{data};
    my ($seen) = walk('/samples', '-id', sub { $lab->sample });
    is_deeply($seen, [ reverse map { $_->{id} } @$before ], 'a walk from the newest on');
};

refused($lims->get('/samples?order=id,-id'), 400, 'invalid_query', 'two orders');
refused($lims->get('/samples?order=receivedAt'), 400, 'invalid_query', 'another column');

subtest 'every list of people' => sub {
    my $bea = LIMS::Service::CommandLine->new($lims, 'Bea Ito', roles => ['analyst']);
    $bea->done('reagent-lot create', name => "Reagent $_", code => "R$_", lotNumber => "L$_") for 1 .. 3;
    $bea->done('comment add', on => { table => 'sample', id => $samples[0]{id} }, text => "Read $_") for 1 .. 3;
    for my $command ('reagent-lot list', 'people list', 'comment list') {
        my @more = $command eq 'comment list' ? (table => 'sample', recordId => $samples[0]{id}) : ();
        my @up   = map { $_->{id} } @{ $bea->done($command, @more)->{data} };
        my @down = map { $_->{id} } @{ $bea->done($command, @more, order => '-id')->{data} };
        cmp_ok(scalar @up, '>', 1, $command);
        is_deeply(\@down, [ reverse @up ], "$command: order=-id is the whole list from the newest on");
    }
    my $trail = $ann->call('audit list', order => 'id');
    is($trail->{exit} != 0, 1, 'the trail is read from the newest on alone');
};
done_testing();
