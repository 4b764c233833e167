#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /sample-tests/bulk-results: up to a thousand results in one transaction,
# answered in the order sent, each as if it were entered alone; and if one is
# wrong or locked, none is entered.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $limit = $lab->definition(specification_high => 10);

sub tests { return map { $lab->tests($lab->sample(testDefinitionIds => [$limit])) } 1 .. $_[0] }

sub bulk { return $lims->post('/sample-tests/bulk-results', { updates => [@_] }) }

sub update {
    my ($test, $result, %more) = @_;
    return { sampleTestId => $test, result => $result, %more };
}

subtest 'each result as if it were entered alone' => sub {
    my @tests = tests(5);
    $lab->enter($tests[3], '4', notes => 'before');
    $lab->enter($tests[4], '5');
    my $response;
    my @events = $lab->events_in(sub {
        $response = bulk(update($tests[2], '12.50'), update($tests[0], ' <1 ', notes => 'n'),
            update($tests[3], undef), update($tests[4], '5'), update($tests[1], 'TNTC'));
    });
    is($response->status, 200) or diag($response->body);
    my @records = @{ $response->json->{updated} };

    is_deeply([ keys %{ $response->json } ], ['updated'], 'the answer has one list');
    is_deeply([ map { $_->{id} } @records ], [ @tests[ 2, 0, 3, 4, 1 ] ],
        'the records are in the order sent');
    is_deeply([ map { $_->{result} } @records ], [ '12.50', ' <1 ', undef, '5', 'TNTC' ],
        'the results are as sent');
    is_deeply([ map { $_->{status} } @records ], [qw(entered entered pending entered entered)],
        'a blank one is pending');
    is_deeply([ map { $_->{notes} } @records ], [ undef, 'n', 'before', undef, undef ],
        'notes stay where none are given');
    is_deeply([ map { defined $_->{outOfSpecification} ? 0 + $_->{outOfSpecification} : undef }
                @records ], [ 1, 0, undef, 0, undef ], 'each result is judged by its limits');
    is_deeply([ map { $lims->get("/sample-tests/$_->{id}")->json } @records ], \@records,
        'the results are read as they were answered');
    is_deeply([ sort { $a <=> $b } map { $_->[1]{sampleTestId} }
                grep { $_->[0] eq 'result.entered' } @events ], [ @tests[ 0 .. 2 ] ],
        'told for what was entered, not for what stood or was withdrawn');
};

subtest 'notes can be cleared, and are kept when absent' => sub {
    my ($test) = tests(1);
    bulk(update($test, '1', notes => 'n'));
    is(bulk(update($test, '2'))->json->{updated}[0]{notes}, 'n', 'absent notes stay');
    is(bulk(update($test, '2', notes => undef))->json->{updated}[0]{notes}, undef,
        'null removes the notes');
};

subtest 'locked tests' => sub {
    my @tests = tests(4);
    $lab->enter($_, '1') for @tests[ 0 .. 2 ];
    $lab->verify($_) for @tests[ 2, 0 ];
    my $changes = $lab->changes_of(sub {
        my $body = refused(bulk(map { update($_, '2') } @tests[ 3, 2, 1, 0 ]), 409,
            'test_verified_locked', 'two of four');
        is_deeply([ sort { $a <=> $b } @{ $body->{blockers}[0]{testIds} } ], [ @tests[ 0, 2 ] ],
            'the blocker names the locked tests');
        refused(bulk(update($tests[0], '1')), 409, 'test_verified_locked',
            'the same value for a locked test is refused too');
    });
    is($changes, 0, 'no result was entered');
    is($lims->get("/sample-tests/$tests[3]")->json->{status}, 'pending',
        'the unlocked test was not entered either');
};

subtest 'unknown ids' => sub {
    my ($test)    = tests(1);
    my ($foreign) = $other->tests($other->sample(testDefinitionIds => [ $other->definition ]));
    my $changes   = $lab->changes_of(sub {
        my $absent  = refused(bulk(update($test, '1'), update(987654, '1')), 400,
            'invalid_reference', 'absent');
        my $strange = refused(bulk(update($test, '1'), update($foreign, '1')), 400,
            'invalid_reference', 'foreign');
        like($absent->{message}, qr/updates\[1\]/, 'its place is named');
        is($strange->{message} =~ s/$foreign/N/r, $absent->{message} =~ s/987654/N/r,
            'a foreign test is refused in the words of an absent one');
    });
    is($changes, 0, 'no result was entered');
};

subtest 'tests of a reported sample' => sub {
    my ($sample, $done) = $lab->worked(1);
    my ($test) = tests(1);
    $lab->verify($done);
    $lims->post("/samples/$sample->{id}/report", {});
    refused(bulk(update($test, '1'), update($done, '2')), 409, 'test_verified_locked', 'closed');
    is($lims->get("/sample-tests/$test")->json->{status}, 'pending', 'no result was entered');
};

my ($one) = tests(1);

# [what, the body, word]
my @refusals = (
    [ 'nothing',             {},                                              'updates' ],
    [ 'an empty list',       { updates => [] },                               'updates' ],
    [ 'no list',             { updates => update($one, '1') },                'updates' ],
    [ 'a null',              { updates => undef },                            'updates' ],
    [ 'a test twice',        { updates => [ update($one, '1'), update($one, '1') ] }, 'updates' ],
    [ 'a number',            { updates => [1] },                              'updates\[0\]' ],
    [ 'no id',               { updates => [ { result => '1' } ] },            'sampleTestId' ],
    [ 'no result',           { updates => [ { sampleTestId => $one } ] },     'result' ],
    [ 'an id in quotes',     { updates => [ update("$one", '1') ] },          'sampleTestId' ],
    [ 'an id of 0',          { updates => [ update(0, '1') ] },               'sampleTestId' ],
    [ 'a number as result',  { updates => [ update($one, 7) ] },              'result' ],
    [ 'a long result',       { updates => [ update($one, 'r' x 1001) ] },     'result' ],
    [ 'long notes',          { updates => [ update($one, '1', notes => 'n' x 4001) ] }, 'notes' ],
    [ 'an unknown member',   { updates => [ update($one, '1', unit => 'g') ] }, 'unit' ],
    [ 'a member beside',     { updates => [ update($one, '1') ], dryRun => 1 }, 'dryRun' ],
    [ 'one bad of two',      { updates => [ update($one, '1'), update(1, []) ] },
        'updates\[1\]' ],
    [ '1,001',               { updates => [ map { update($_, '1') } 1 .. 1001 ] }, 'updates' ],
);

subtest 'refused bodies' => sub {
    my $changes = $lab->changes_of(sub {
        for my $case (@refusals) {
            my ($what, $body, $word) = @$case;
            like(refused($lims->post('/sample-tests/bulk-results', $body), 400, 'invalid_body',
                    $what)->{message}, qr/$word/, "$what: the message names the mistake");
        }
    });
    is($changes, 0, 'no result was entered');
};

subtest 'a thousand results' => sub {
    my $db = $lims->db;
    my ($sample) = $db->selectrow_array('INSERT INTO lims.sample (organization_id, client_name,'
            . ' material_type_id) VALUES (?, ?, ?) RETURNING id', undef, $lims->fixture->{id},
        'Bulk', $lab->material);
    my $tests = $db->selectcol_arrayref('INSERT INTO lims.sample_test (organization_id, sample_id,'
            . ' test_definition_id) SELECT ?, ?, ? FROM generate_series(1, 1000) RETURNING id',
        undef, $lims->fixture->{id}, $sample, $limit);
    my ($response, $number) = (undef, 0);
    my @events = $lab->events_of(sub {
        $response = bulk(map { update($_, '' . ++$number) } reverse @$tests) });
    my @records = @{ $response->json->{updated} || [] };

    is($response->status, 200) or diag(substr $response->body, 0, 500);
    is_deeply([ map { $_->{id} } @records ], [ reverse @$tests ], 'all records, in the order sent');
    is(scalar(grep { $_->{outOfSpecification} } @records), 990, 'each result is judged');
    is(scalar(grep { $_->[0] eq 'result.entered' } @events), 1000, 'an event for each');
    is(scalar(grep { $_->[0] eq 'investigation.opened' } @events), 990,
        'an investigation for each');
};

# Three samples of each of two materials and a project, with limits of their own,
# and for each test a twin that takes the same result by itself.
subtest 'different samples, materials, projects and limits' => sub {
    my $presence = $lab->definition(result_type => 'presence', specification_text => 'Absent',
        requires_confirmation => 't');
    my @materials = map { $lab->material } 1, 2;
    my $project   = $lab->project;
    $lims->insert('specification', { organization_id => $lims->fixture->{id},
        test_definition_id => $limit, material_type_id => $materials[0], low => 2, high => 5 });
    $lims->insert('specification', { organization_id => $lims->fixture->{id},
        test_definition_id => $limit, material_type_id => $materials[0], project_id => $project,
        low => 4 });
    my @kinds = map { { materialTypeId => $_->[0], projectId => $_->[1] } } [ $materials[0] ],
        [ $materials[0], $project ], [ $materials[1], $project ];
    my @pairs = map {
        my $kind = $_;
        map { [ map { $lab->tests($lab->sample(%$kind,
                    testDefinitionIds => [ $limit, $presence ])) } 1, 2 ] } 1 .. 3
    } @kinds;
    my @results = ('3', '<1', '12', ' ', 'TNTC', 'Present', 'absent', undef, '4.50');
    my (@updates, @twins);
    for my $pair (@pairs) {
        my ($one, $other, $twin, $twin_of_other) = @$pair;
        for my $couple ([ $one, $twin ], [ $other, $twin_of_other ]) {
            my $result = $results[ @updates % @results ];
            $lab->enter($_, '1', qualifier => 'J') for $updates[-1] ? () : @$couple;
            push @updates, update($couple->[0], $result);
            push @twins, $couple->[1];
            $lims->patch("/sample-tests/$couple->[1]", { result => $result });
        }
    }
    my @own     = qw(id sampleId createdAt updatedAt enteredAt);
    my $without = sub { my %record = %{ $_[0] }; delete @record{@own}; return \%record };
    my @records = @{ bulk(@updates)->json->{updated} };
    is(scalar @records, 18, 'eighteen results');
    is_deeply([ map { $without->($_) } @records ],
        [ map { $without->($lims->get("/sample-tests/$_")->json) } @twins ],
        'each is as its twin, which was entered alone');
    my $changes = $lab->changes_of(sub { is_deeply(bulk(@updates)->json->{updated}, \@records,
            'once more: the same answer') });
    is($changes, 0, 'nothing is written for the same values');
};

subtest 'one refused result among many' => sub {
    my @tests   = tests(40);
    my $expired = $lab->reagent_lot(code => 'HCL-PAST', expires_on => '2020-01-01');
    my ($sample, $gone) = $lab->worked(1);
    $lims->patch("/sample-tests/$tests[30]", { reagentLotId => $expired });
    my $changes = $lab->changes_of(sub {
        like(refused(bulk(map { update($_, '7') } @tests), 409, 'reagent_lot_expired',
                'a lot that has expired')->{message}, qr/HCL-PAST/, 'the message names the lot');
        $lab->verify($gone);
    });
    my @states = map { $lims->get("/sample-tests/$_")->json->{status} } @tests;
    is(scalar(grep { $_ eq 'pending' } @states), 40, 'none of the forty was entered');
    $changes = $lab->changes_of(sub {
        refused(bulk(map { update($_, '7') } @tests[ 0 .. 29 ], $gone), 409, 'test_verified_locked',
            'a verified one at the end') });
    is($changes, 0, 'none of the thirty was entered');
    is(bulk(map { update($_, '7') } @tests[ 0 .. 29 ])->status, 200, 'without it they are');
};

subtest 'two requests with the same tests in opposite order' => sub {
    my @tests = tests(6);
    for my $round (1 .. 3) {
        my @answers = $lims->parallel(2, sub {
            my ($number) = @_;
            my @order = $number ? reverse @tests : @tests;
            return bulk(map { update($_, "$round.$number") } @order)->status;
        });
        is_deeply(\@answers, [ 200, 200 ], "round $round: neither waits for ever");
        my %last = map { $lims->get("/sample-tests/$_")->json->{result} => 1 } @tests;
        is(scalar keys %last, 1, 'one request is the later one for all tests');
    }
};

done_testing();
