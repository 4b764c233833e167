#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /samples/receive: samples that await receiving are received, with time stamp and one
# event each; the others are skipped with the reason and do not change; up to 1,000 at a
# time, also when two requests overlap.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));

sub receive { return $lims->post('/samples/receive', { sampleIds => [@_] }) }

sub ids { return [ map { $_->{id} } @{ $_[0] } ] }

subtest 'a mixed delivery' => sub {
    my @waiting = map { $lab->sample->{id} } 1 .. 3;
    my %at;
    for my $status (qw(received processing completed verified)) {
        my $sample = $lab->sample;
        $lab->status($sample, $status);
        $at{$status} = $sample->{id};
    }
    my ($reported, $test) = $lab->worked(1);
    $lab->verify($test);
    $lims->post("/samples/$reported->{id}/report", {});
    $at{reported} = $reported->{id};
    my $foreign = $other->sample->{id};
    my %before  = map { $_ => $lims->get("/samples/$at{$_}")->body } keys %at;

    my $response;
    my @events = $lab->events_in(sub {
        $response = receive($waiting[2], $at{received}, 987654, $waiting[0], $at{reported},
            $foreign, $at{processing}, $waiting[1], @at{qw(completed verified)});
    });
    my $body = $response->json;

    is($response->status, 200) or diag($response->body);
    is_deeply([ sort keys %$body ], [qw(received skipped)], 'the answer has two lists');
    is_deeply(ids($body->{received}), [@waiting], 'the awaited samples are received');
    is_deeply([ map { "$_->{sampleId} $_->{status} $_->{error}" } @{ $body->{skipped} } ], [
            "$at{received} 409 not_receivable", '987654 404 not_found',
            "$at{reported} 409 not_receivable", "$foreign 404 not_found",
            "$at{processing} 409 not_receivable", "$at{completed} 409 not_receivable",
            "$at{verified} 409 not_receivable",
        ], 'the others, in the order sent');
    ok(!(grep { !length $_->{message} } @{ $body->{skipped} }),
        'each skipped sample has a message');
    is_deeply([ map { [ $_->[0], $_->[1]{sampleId}, $_->[1]{status} ] } @events ],
        [ map { [ 'sample.received', $_, 'received' ] } @waiting ], 'sample.received for each');
    is_deeply([ map { $lims->get("/samples/$at{$_}")->body } sort keys %at ],
        [ map { $before{$_} } sort keys %at ], 'the skipped are as they were');
    my ($message) = map { $_->{message} } grep { $_->{sampleId} == $foreign } @{ $body->{skipped} };
    my ($absent)  = map { $_->{message} } grep { $_->{sampleId} == 987654 } @{ $body->{skipped} };
    is($message, $absent, 'a sample of another organization looks like an unknown one');

    for my $record (@{ $body->{received} }) {
        my $alone = $lims->get("/samples/$record->{id}")->json;
        is($alone->{status}, 'received', "$record->{id} is received");
        like($alone->{receivedAt}, qr/\A\d{4}-/, 'receivedAt is set');
        delete $alone->{tests};
        is_deeply($record, $alone, 'answered as it now is');
    }
};

subtest 'received samples are skipped' => sub {
    my $id = $lab->sample->{id};
    my $at = receive($id)->json->{received}[0]{receivedAt};
    my $changes = $lab->changes_of(sub {
        my $again = receive($id)->json;
        is_deeply($again->{received}, [], 'received samples are not received again');
        is($again->{skipped}[0]{error}, 'not_receivable', 'they are skipped with not_receivable');
    });
    is($changes, 0, 'no change and no event');
    $lims->patch("/samples/$id/status", { status => 'pending' });
    is(receive($id)->json->{received}[0]{receivedAt}, $at, 'moved back, it keeps its first time');
};

subtest 'only unknown ids' => sub {
    is_deeply(receive(987654)->json->{received}, [], 'no sample is received');
    is(receive(987654)->status, 200, 'unknown ids are no error');
};

subtest 'refused bodies' => sub {
    my $id = $lab->sample->{id};
    my $changes = $lab->changes_of(sub {
        for my $list ([], [ $id, $id ], [0], [-1], ["$id"], [ $id, undef ], [1.5], $id, 'x', undef,
            [ 1 .. 1001 ]) {
            like(refused($lims->post('/samples/receive', { sampleIds => $list }), 400,
                    'invalid_body', 'sampleIds: ' . shown($list))->{message}, qr/sampleIds/,
                'the message names it');
        }
        refused($lims->post('/samples/receive', {}), 400, 'invalid_body', 'an empty object');
    });
    is($changes, 0, 'no sample was received');
    is($lims->get("/samples/$id")->json->{status}, 'pending', 'the sample still awaits receiving');
};

subtest 'a thousand samples' => sub {
    my $ids = $lims->db->selectcol_arrayref('INSERT INTO lims.sample (organization_id,'
            . ' client_name, material_type_id) SELECT ?, ?, ? FROM generate_series(1, 999)'
            . ' RETURNING id', undef, $lims->fixture->{id}, 'Bulk', $lab->material);
    my $response;
    my @events = $lab->events_of(sub { $response = receive(987654, reverse @$ids) });
    my $body   = $response->json;

    is_deeply(ids($body->{received}), $ids, 'all 999, in the order of their ids');
    is(scalar @{ $body->{skipped} }, 1, 'the unknown id is skipped');
    is(scalar @events, 999, 'each receipt has its event');
    my %shape = map { join(q{ }, @$_) => 1 } @events;
    is_deeply([ keys %shape ],
        ['sample.received sampleId integer, trackingId string, status string'],
            'each event has the same members');
};

subtest 'two deliveries of the same samples at once' => sub {
    for my $round (1 .. 3) {
        my @ids = map { $lab->sample->{id} } 1 .. 8;
        my @answers;
        my @events = $lab->events_of(sub {
            @answers = $lims->parallel(4, sub {
                my ($number) = @_;
                my $body = receive($number % 2 ? reverse @ids : @ids)->json;
                return [ ids($body->{received}), scalar @{ $body->{skipped} } ];
            });
        });
        is_deeply([ sort { $a <=> $b } map { @{ $_->[0] } } @answers ], [@ids],
            "round $round: each received by one of them");
        is_deeply([ map { @{ $_->[0] } + $_->[1] } @answers ], [ (8) x 4 ],
            "round $round: each request answers for every sample");
        is(scalar @events, 8, 'each sample has one event');
    }
};

done_testing();
