#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /orders: up to 200 samples of a client are registered together or not at all, with
# the events, tests and allowance of as many POST /samples. Every mistake of every row is
# answered at once, in the words of POST /samples; a dry run answers the same and writes
# nothing.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $true  = LIMS::Service::JSONSchema::decode('true');
my $client   = $lab->client(name => 'City of Riverbend');
my $second   = $lab->client(name => 'Harbor Water');
my $material = $lab->material;
my ($ph, $lead, $tin) = map { $lab->definition } 1 .. 3;
my $panel = $lab->insert('panel', code => 'METALS', name => 'Metals',
    test_definition_ids => "{$lead,$tin}");
my $composite = $lab->project(code => 'NPDES', composite_sample_identifier => 't');

sub row { return { materialTypeId => $material, @_ } }

sub order {
    my ($rows, %more) = @_;
    my %option = delete %more{qw(headers key)};
    delete $option{$_} for grep { !defined $option{$_} } keys %option;
    return $lims->post('/orders', { clientId => $client, samples => $rows, %more }, %option);
}

sub mistakes {
    my ($answer) = @_;
    return map { "$_->{path} $_->{error}" } @{ $answer->json->{errors} };
}

subtest 'three bottles of one cooler (a laboratory\'s day, 1.1)' => sub {
    my $answer;
    my @events = $lab->events_in(sub {
        $answer = order([
                row(plantLocation => 'INF-001', projectId => $composite, panelIds => [$panel],
                    externalId => 'ORD-7781/1', testDefinitionIds => [$ph]),
                row(plantLocation => 'EFF-001', projectId => $composite, priority => 'rush',
                    collectedAt => '2026-11-01T10:00:00Z', dueDate => '2026-12-24'),
                row(clientName => 'CITY of Riverbend', notes => 'third'),
            ], orderNumber => 'PO 4711', contact => 'Ada Moore');
    });
    is($answer->status, 201, 'what was sent is registered') or diag($answer->body);
    my ($order, $samples) = @{ $answer->json }{qw(order samples)};

    is("$order->{orderNumber} $order->{clientId} $order->{contact} $order->{sampleCount}",
        "PO 4711 $client Ada Moore 3", 'the order\'s facts, and how many samples it has');
    is_deeply($order->{panelIds}, [$panel], 'the order shows its panels');
    is_deeply($order->{testDefinitionIds}, [ sort { $a <=> $b } $ph, $lead, $tin ],
        'the order shows its definitions');
    is_deeply([ map { $_->{testDefinitionIds} } @$samples ], [ [ $ph, $lead, $tin ], [], [] ],
        'its samples have their tests');
    like($samples->[0]{sampleIdentifier}, qr/\ANPDES-INF-001-\d{8}-1\z/, 'a composite identifier');
    is($samples->[1]{collectionDate}, '2026-11-01', 'the day of collectedAt');
    is($samples->[1]{dueDate}, '2026-12-24', 'the due date that was given');
    is_deeply([ map { $_->{clientName} } @$samples ], [ ('City of Riverbend') x 3 ],
        'all of the client, as its record spells it');
    is_deeply([ map { $_->[0] . ' ' . $_->[1]{sampleId} } @events ],
        [ map { "sample.created $_->{id}" } @$samples ], 'sample.created for each, in order');
    is_deeply([ sort keys %{ $events[0][1] } ],
        [ sort qw(sampleId trackingId sampleIdentifier clientName status) ],
            'the event has its members');

    for my $sample (@$samples) {
        my $alone = $lims->get("/samples/$sample->{id}")->json;
        is($alone->{orderId}, $order->{id}, "$alone->{trackingId} names its order");
        is_deeply({ map { $_ => $alone->{$_} } grep { $_ ne 'testDefinitionIds' } keys %$sample },
            { map { $_ => $sample->{$_} } grep { $_ ne 'testDefinitionIds' } keys %$sample },
            "$alone->{trackingId} reads as it was answered with the order");
    }
    my $shown = $lims->get("/orders/$order->{id}")->json;
    is_deeply([ map { $_->{id} } @{ $shown->{samples} } ], [ map { $_->{id} } @$samples ],
        'the order shows its samples');
    is_deeply([ map { $_->{id} } @{ $lims->get("/samples?orderId=$order->{id}")->json->{data} } ],
        [ map { $_->{id} } @$samples ], 'samples are filtered by order');
};

subtest 'an order without a number gets one' => sub {
    my $order = order([ row() ])->json->{order};
    like($order->{orderNumber}, qr/\AORD-\d\d-\d{7}-[0-9A-Z]\z/, $order->{orderNumber});
    my $next = $order->{orderNumber} =~ s/(\d{7})/sprintf '%07d', $1 + 1/er;
    is_deeply([ mistakes(order([ row() ], orderNumber => $next)) ], ['orderNumber invalid_body'],
        'the form of such a number cannot be taken');
    is_deeply([ mistakes(order([ row() ], orderNumber => 'PO 4711')) ],
        ['orderNumber invalid_body'], 'the number of another order cannot be taken');
    is(order([ row() ], orderNumber => 'PO 4711', clientId => $other->client,
            key => $other->{organization}{key})->json->{errors}[0]{path}, 'samples[0].materialTypeId',
        "another laboratory's number is free") ;
};

# Mistakes in a row, each with the message of POST /samples for the same.
my $taken    = $lab->sample(externalId => 'TAKEN');
my $gone     = $lab->definition(active => 'f');
my @mistaken = (
    [ materialTypeId    => row(materialTypeId => 987654) ],
    [ materialTypeId    => { clientName => 'City of Riverbend' } ],
    [ materialTypeId    => row(materialTypeId => "$material") ],
    [ projectId         => row(projectId => $other->project) ],
    [ storageLocationId => row(storageLocationId => 987654) ],
    [ testDefinitionIds => row(testDefinitionIds => [$gone]) ],
    [ testDefinitionIds => row(testDefinitionIds => [ $ph, $ph ]) ],
    [ panelIds          => row(panelIds => [987654]) ],
    [ plantLocation     => row(projectId => $composite) ],
    [ collectionDate    => row(collectionDate => '2099-01-01') ],
    [ collectionDate    => row(collectionDate => '2026-02-30') ],
    [ collectedAt       => row(collectedAt => '2099-01-01T00:00:00Z') ],
    [ externalId        => row(externalId => 'TAKEN') ],
    [ priority          => row(priority => 'urgent') ],
    [ priority          => row(priority => undef) ],
    [ dueDate           => row(dueDate => 'soon') ],
    [ colour            => row(colour => 'red') ],
    [ status            => row(status => 'received') ],
);

subtest 'every mistake of every row, as POST /samples says it' => sub {
    my $before = LIMS::Database::Snapshot::take($lims);
    my $answer = order([ map { $_->[1] } @mistaken ]);
    my @errors = @{ refused($answer, 400, 'invalid_reference', 'the order')->{errors} };
    my %at     = map { $_->{path} => $_ } @errors;

    is(scalar @errors, scalar @mistaken, 'as many mistakes as rows') or diag($answer->body);
    for my $i (0 .. $#mistaken) {
        my ($member, $row) = @{ $mistaken[$i] };
        my $alone = $lims->post('/samples', { clientName => 'City of Riverbend', %$row })->json;
        my $found = $at{"samples[$i].$member"} || {};
        is($found->{error}, $alone->{error}, "row $i: $member " . shown($row->{$member}));
        is(($found->{message} || '') =~ s/\Asamples\[$i\]\.//r, $alone->{message},
            "row $i: $member is refused in the words of a single sample");
    }
    my $dry = order([ map { $_->[1] } @mistaken ], dryRun => $true);
    is($dry->status, 200, 'a dry run');
    is_deeply($dry->json->{errors}, \@errors, 'a dry run answers the same mistakes');
    ok(!$dry->json->{valid}, 'a dry run says that the order is not valid');
    is_deeply($dry->json->{samples}, [], 'a dry run makes no sample');
    my $after = LIMS::Database::Snapshot::take($lims);
    is_deeply([ grep { $after->{$_} ne $before->{$_} } sort keys %$after ], [],
        'the dry run writes nothing');
};

subtest 'mistakes that only an order can have' => sub {
    my @found = mistakes(order([ row(clientName => 'Harbor Water'), row(externalId => 'TWICE'),
                row(externalId => 'TWICE') ]));
    is_deeply(\@found, [ 'samples[0].clientName invalid_body', 'samples[2].externalId invalid_body' ],
        "another client's sample, an external id twice");
    is_deeply([ mistakes(order([ row() ], clientId => $other->client)) ],
        ['clientId invalid_reference'], "another laboratory's client");
    my @panels = map { $lab->insert('panel', code => "P$_", name => 'P', test_definition_ids =>
                '{' . join(',', map { $lab->definition } 1 .. 101) . '}') } 1, 2;
    is_deeply([ mistakes(order([ row(panelIds => \@panels) ])) ],
        ['samples[0].panelIds invalid_body'], 'more than 200 tests');
    for my $rows ([], [ map { row() } 1 .. 201 ], 'x', undef) {
        refused(order($rows), 400, 'invalid_body', 'samples: ' . shown($rows));
    }
    is_deeply([ mistakes(order([ 7, row() ])) ], ['samples[0] invalid_body'],
        'a row that is no object');
    my $many = order([ map { row(map { ("wrong$_" => 1) } 1 .. 6) } 1 .. 200 ]);
    is(scalar @{ $many->json->{errors} }, 1000, 'of 1,200 mistakes the first 1,000');
};

subtest 'a sample stays with its order and its client' => sub {
    my $sample = order([ row() ])->json->{samples}[0];
    refused($lims->patch("/samples/$sample->{id}", { clientName => 'Harbor Water' }), 400,
        'invalid_body', "another client's name");
    is($lims->patch("/samples/$sample->{id}", { clientName => 'CITY OF RIVERBEND' })->status, 200,
        'another spelling of its own');
    refused($lims->patch("/samples/$sample->{id}", { orderId => 1 }), 400, 'field_not_patchable',
        'another order');
};

subtest 'a dry run writes nothing, and says what would be' => sub {
    my $before = LIMS::Database::Snapshot::take($lims);
    my $dry = order([ row(panelIds => [$panel], testDefinitionIds => [$tin]) ], dryRun => $true,
        headers => { 'Idempotency-Key' => 'dry' })->json;
    my $after = LIMS::Database::Snapshot::take($lims);

    ok($dry->{valid}, 'the dry run finds the order valid');
    is($dry->{order}, undef, 'a dry run makes no order');
    is_deeply([ map { @$_{qw(id trackingId clientId priority)} } @{ $dry->{samples} } ],
        [ undef, undef, $client, 'routine' ], 'the sample without ids');
    is_deeply($dry->{samples}[0]{testDefinitionIds}, [ $tin, $lead ],
        'the dry run shows the tests');
    is_deeply([ grep { $after->{$_} ne $before->{$_} } sort keys %$after ], [],
        'the dry run writes nothing');
};

subtest 'the same request again' => sub {
    my @same  = ([ row(), row() ], headers => { 'Idempotency-Key' => 'order-1' });
    my $first = order(@same);
    my $again = order(@same);
    is($again->body, $first->body, 'the repetition gets the same answer');
    is($again->header('Idempotent-Replayed'), 'true', 'the answer is marked as replayed');
    is($lab->value('SELECT count(*) FROM lims.sample WHERE order_id = ?', $first->json->{order}{id}),
        2, 'the samples are registered once');
};

subtest 'PATCH changes contact and notes, and no more' => sub {
    my $order = order([ row() ])->json->{order};
    my $said  = $lims->patch("/orders/$order->{id}", { contact => 'Grace', notes => 'late' })->json;
    is("$said->{contact} $said->{notes}", 'Grace late', 'contact and notes are changed');
    refused($lims->patch("/orders/$order->{id}", { $_->[0] => $_->[1] }), 400,
        'field_not_patchable', $_->[0]) for [ clientId => $second ], [ orderNumber => 'X' ];
    refused($lims->patch("/orders/$order->{id}", {}), 400, 'no_updatable_fields', 'an empty body');
    is_deeply([ map { $_->{id} } @{ $lims->get("/orders?orderNumber=$order->{orderNumber}")->json->{data} } ],
        [ $order->{id} ], 'found by its number');
    my $page = $lims->get("/orders?clientId=$client&limit=2")->json;
    is(scalar @{ $page->{data} }, 2, 'listed by client');
};

subtest 'the allowance' => sub {
    my $used = $lab->value('SELECT count(*) FROM lims.sample WHERE organization_id = ?',
        $lims->fixture->{id});
    $lab->policy(monthly_sample_allowance => $used + 3);
    my $dry = order([ map { row() } 1 .. 4 ], dryRun => $true)->json;
    is_deeply($dry->{allowance}, { limit => $used + 3, used => $used, left => 3 },
        'the dry run says how many samples are left');
    is_deeply([ map { "$_->{path} $_->{error}" } @{ $dry->{errors} } ],
        ['samples SAMPLE_LIMIT_EXCEEDED'], 'a dry run of more');
    refused(order([ map { row() } 1 .. 4 ]), 403, 'SAMPLE_LIMIT_EXCEEDED', 'an order of more');
    is(order([ row() ], dryRun => $true)->json->{allowance}{used}, $used,
        'the dry run counts nothing');
    my $made = order([ map { row() } 1 .. 3 ]);
    is($made->status, 201, 'an order of just as many');
    is($made->json->{allowance}{left}, 0, 'nothing is left of the allowance');
    $lab->policy(monthly_sample_allowance => undef);
    is(order([ row() ], dryRun => $true)->json->{allowance}{left}, undef,
        'without one, any number');
};

subtest 'the allowance, of orders and samples at once' => sub {
    my $count = sub { return $lab->value('SELECT count(*) FROM lims.sample WHERE organization_id = ?',
            $lims->fixture->{id}) };
    for my $round (1 .. 3) {
        my $before = $count->();
        $lab->policy(monthly_sample_allowance => $before + 7);
        my @status = $lims->parallel(6, sub {
            my ($number) = @_;
            return ($number % 2 ? $lims->post('/samples', row(clientName => 'Harbor Water'))
                : order([ map { row() } 1 .. 3 ]))->status;
        });
        my $orders = grep { $status[$_] == 201 } 0, 2, 4;
        my $alone  = grep { $status[$_] == 201 } 1, 3, 5;
        is($count->() - $before, 3 * $orders + $alone, "round $round: whole orders are registered");
        is($lims->value('SELECT used FROM lims.sample_allowance WHERE organization_id = ?',
                $lims->fixture->{id}), $count->(), "round $round: each sample is counted once");
        cmp_ok(3 * $orders + $alone, '<=', 7, "round $round: no more samples are registered than were left");
        cmp_ok(7 - 3 * $orders - $alone, '<', 3, "round $round: no order is refused that there was room for");
        is_deeply([ grep { $_ != 201 && $_ != 403 } @status ], [], 'the others are refused');
    }
    $lab->policy(monthly_sample_allowance => undef);
};

subtest 'orders that share counters, at once and crosswise' => sub {
    my @places = map { "P-$_" } 1 .. 20;
    for my $round (1 .. 3) {
        my @answers = $lims->parallel(4, sub {
            my ($number) = @_;
            my $answer = order([ map { row(projectId => $composite, plantLocation => $_) }
                    $number % 2 ? @places : reverse @places ]);
            return [ $answer->status, map { $_->{sampleIdentifier} } @{ $answer->json->{samples} || [] } ];
        });
        is_deeply([ map { $_->[0] } @answers ], [ (201) x 4 ], "round $round: all are registered");
        my %seen;
        $seen{$_}++ for map { @$_[ 1 .. $#$_ ] } @answers;
        is(scalar keys %seen, 80, "round $round: each sample has an identifier of its own");
    }
};

done_testing();
