#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# GET /sample-tests and /sample-tests/:id: each filter finds what it names, pages
# walk through all, and a sample's own list says the same of its tests.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));

my @definitions = map { $lab->definition(unit => 'mg/L', name => "Analyte $_") } 1 .. 3;
my @samples     = map { $lab->sample(testDefinitionIds => [@definitions]) } 1 .. 3;
my @tests       = map { $lab->tests($_) } @samples;
$other->sample(testDefinitionIds => [ $other->definition ]);
$lab->enter($tests[$_], '1') for 1, 4, 7, 8;
$lab->verify($tests[$_]) for 7, 8;

my %place = map { $tests[$_] => $_ } 0 .. $#tests;

sub found {
    my ($query) = @_;
    my $response = $lims->get("/sample-tests$query");
    return $response->body unless $response->status == 200;
    return join ' ', map { $place{ $_->{id} } // "?$_->{id}" } @{ $response->json->{data} };
}

subtest 'filters' => sub {
    is(found(''),                                  '0 1 2 3 4 5 6 7 8',
        'without filters: all, ascending');
    is(found("?sampleId=$samples[1]{id}"),         '3 4 5',             'the filter sampleId');
    is(found("?testDefinitionId=$definitions[1]"), '1 4 7',
        'the filter testDefinitionId');
    is(found('?status=pending'),                   '0 2 3 5 6',
        'the filter status=pending');
    is(found('?status=entered'),                   '1 4',
        'the filter status=entered');
    is(found('?status=verified'),                  '7 8',
        'the filter status=verified');
    is(found("?status=verified&testDefinitionId=$definitions[1]"), '7', 'two filters at once');
    is(found("?sampleId=$samples[1]{id}&limit=2"), '3 4',               'filter and limit');
    is(found("?sampleId=$samples[1]{id}&cursor=$tests[3]"), '4 5',      'filter and cursor');
    is(found('?sampleId=987654'),                  '',                  'an unknown sample');
};

subtest 'updatedSince' => sub {
    my $at = $lab->enter($tests[5], '2')->{updatedAt};
    is(found("?updatedSince=$at"), '5', 'updatedSince includes its own time');
    is(found('?updatedSince=2999-01-01'), '', 'a later updatedSince excludes all');
    is(found('?updatedSince=2020-01-01'), '0 1 2 3 4 5 6 7 8',
        'an early updatedSince includes all');
};

subtest 'refused queries' => sub {
    for my $query (qw(status=done sampleId=0 sampleId=x testDefinitionId=-1 updatedSince=x
        limit=0 cursor=x urgency=rush sampleId=1&sampleId=1)) {
        refused($lims->get("/sample-tests?$query"), 400, 'invalid_query', $query);
    }
};

subtest 'pages' => sub {
    my ($cursor, $more, @seen) = (0, 1);
    while ($more) {
        my $page = $lims->get("/sample-tests?limit=2&cursor=$cursor")->json;
        cmp_ok(scalar @{ $page->{data} }, '<=', 2, 'a page of at most two');
        push @seen, map { $place{ $_->{id} } } @{ $page->{data} };
        ($cursor, $more) = @$page{qw(nextCursor hasMore)};
    }
    is_deeply(\@seen, [ 0 .. 8 ], 'each test is listed once');
    is($cursor, $tests[8], 'the last cursor is the last test\'s');
};

subtest 'list, record and sample show the same' => sub {
    my %listed = map { $_->{id} => $_ } @{ $lims->get('/sample-tests')->json->{data} };
    my $nested = $lims->get("/samples/$samples[2]{id}")->json->{tests};
    for my $test (@$nested) {
        is_deeply($lims->get("/sample-tests/$test->{id}")->json, $test, "test $test->{id}");
        is_deeply($listed{ $test->{id} }, $test, "test $test->{id} in the list is the same record");
    }
    is_deeply([ map { $_->{testName} } @$nested ], [ map { "Analyte $_" } 1 .. 3 ],
        'the names of the tests');
    is($nested->[0]{unit}, 'mg/L', 'unit of the definition');
    is($nested->[2]{sampleId}, $samples[2]{id}, 'each test names its sample');
    refused($lims->get('/sample-tests/987654'), 404, 'not_found', 'an unknown test');
};

done_testing();
