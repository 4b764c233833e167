#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The filters of the list of sample tests by their samples, lots, QC batches, holding times
# and assignment; and include=sample, which shows some facts of the sample.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee');

my $short   = $lab->definition(holding_time_hours => 24);
my $long    = $lab->definition(holding_time_hours => 2400);
my $mill    = $lab->client(name => 'Millbrook Dairy');
my @samples = map { $lab->sample(testDefinitionIds => [ $short, $long ],
        priority => $_ == 2 ? 'rush' : 'routine',
        clientName => $_ == 3 ? 'Millbrook Dairy' : 'City of Riverbend',
        collectionDate => $_ == 1 ? '2026-01-05' : undef) } 1 .. 3;
my @tests = map { $lab->tests($_) } @samples;
my %place = map { $tests[$_] => $_ } 0 .. $#tests;

sub places { return join ' ', map { $place{ $_->{id} } // "?$_->{id}" } @{ $_[0]{data} } }

sub found {
    my ($query) = @_;
    my $answer = $lims->get("/sample-tests?$query");
    return $answer->status == 200 ? places($answer->json) : $answer->body;
}

$lab->status($samples[1], 'received');
$lab->enter($tests[3], '1');

subtest 'by the sample' => sub {
    is(found('sampleStatus=received'),                   '2 3',     'the filter sampleStatus');
    is(found('sampleStatus=received&order=-id'),         '3 2',     'tests by status of their samples, from the newest on');
    is(found('sampleStatus=received&status=pending'),    '2',       'a status of the test filters as well');
    is(found('sampleStatus=pending&limit=2'),            '0 1',     'a page');
    is(found("sampleStatus=pending&limit=2&cursor=$tests[1]"), '4 5',
        'the cursor gives the next page');
    is(found('sampleStatus=reported'),                   '',        'no test of a reported sample is listed');
    is(found('priority=rush'),                           '2 3',     'the filter priority');
    is(found('priority=routine&status=entered'),         '',        'the filters priority and status hold together');
};

subtest q{by several statuses (a laboratory's day, 1.5)} => sub {
    is(found('status=pending,entered'),                  '0 1 2 3 4 5',
        'tests of each status are found');
    is(found('status=entered,verified'),                 '3',           'a test of another status is not found');
    is(found('status=pending,entered&order=-id&limit=3'), '5 4 3',      'newest first, merged');
    is(found("status=entered,pending&limit=2&cursor=$tests[2]"), '3 4', 'tests of several statuses, from a cursor on');
    is(found('status=pending,entered&sampleStatus=received'), '2 3',    'of samples in one status');
    is(found('status=pending,entered&updatedSince=2020-01-01&priority=rush'), '2 3',
        'changed since');
    is(found('status=pending,verified&holdingStatus=expired'), '0 1',   'tests are found by holding time');
    like(found('status=pending,pending'), qr/status/, 'a status named twice is refused');
    like(found('status=pending,done'), qr/status\[1\] must be one of/,
        'an unknown status is refused');
};

subtest 'by lot, batch and assignment' => sub {
    my $lot = $lab->reagent_lot;
    my $dish = $lab->media_lot;
    $lims->patch("/sample-tests/$tests[4]", { result => '2', reagentLotId => $lot, mediaLotId => $dish });
    is(found("reagentLotId=$lot"), '4', 'the filter reagentLotId');
    is(found("mediaLotId=$dish"),  '4', 'the filter mediaLotId');
    my @batches = map { $ann->done('qc-batch create', batchNumber => "Q$_", sampleTestIds => [ @tests[ 0, $_ ] ]) } 1, 3;
    is(found("qcBatchId=$batches[0]{id}"), '0 1', 'the filter qcBatchId');
    is(found("qcBatchId=$batches[1]{id}&order=-id"), '3 0',
        'a batch finds tests that a later batch covers too');
    $ann->done('sample-test assign', sampleTestIds => [ @tests[ 2, 5 ] ], assignedTo => $ann->{id});
    is(found("assignedTo=$ann->{id}"), '2 5', 'the filter assignedTo');
    is(found("assignedTo=$ann->{id}&sampleStatus=received"), '2',
        'tests of received samples alone are found');
};

subtest 'by holding time, as the records say it' => sub {
    for my $status (qw(ok expiring_soon expired)) {
        my @said = grep { ($_->{holdingStatus} // '') eq $status }
            @{ $lims->get('/sample-tests?limit=500')->json->{data} };
        is(found("holdingStatus=$status"), join(' ', map { $place{ $_->{id} } } @said), $status);
    }
    $lims->db->do('ALTER TABLE lims.sample_test DISABLE TRIGGER USER');
    $lims->db->do(q{UPDATE lims.sample_test SET holding_expires_at = now() + ? * interval '1 hour',
        holding_met = ? WHERE id = ?}, undef, @$_)
        for [ -1, undef, $tests[0] ], [ 1, undef, $tests[1] ], [ 2000, undef, $tests[2] ],
            [ -5, 't', $tests[3] ], [ -5, 'f', $tests[4] ], [ 1, 't', $tests[5] ];
    $lims->db->do('ALTER TABLE lims.sample_test ENABLE TRIGGER USER');
    is(found('holdingStatus=expired'),       '0 4',   'expired: not analysed in time, or too late');
    is(found('holdingStatus=expiring_soon'), '1',     'expiring soon');
    is(found('holdingStatus=ok'),            '2 3 5', 'the filter holdingStatus=ok');
    is(found('holdingStatus=ok&order=-id&limit=2'), '5 3', 'a page by holding status, from the newest on');
    is(found('holdingStatus=ok&status=pending&updatedSince=2020-01-01'), '2 5',
        'the filter combines with others');
    for my $record (@{ $lims->get('/sample-tests')->json->{data} }) {
        like(' ' . found("holdingStatus=$record->{holdingStatus}") . ' ', qr/ $place{$record->{id}} /,
            "the record of $place{$record->{id}} agrees: $record->{holdingStatus}");
    }
};

subtest 'include=sample' => sub {
    my ($plain) = @{ $lims->get("/sample-tests?sampleId=$samples[1]{id}")->json->{data} };
    ok(!exists $plain->{sample} && !exists $plain->{assignedTo}, 'not unless asked for');
    my ($record) = @{ $lims->get("/sample-tests?sampleId=$samples[1]{id}&include=sample")->json->{data} };
    my $sample = $lims->get("/samples/$samples[1]{id}")->json;
    is_deeply($record->{sample}, { map { $_ => $sample->{$_} }
            qw(trackingId sampleIdentifier clientName priority receivedAt) },
                'facts of the sample');
    is($record->{assignedTo}, $ann->{id}, 'a test with facts of its sample says to whom the work is assigned');
    delete @$record{qw(sample assignedTo)};
    is_deeply($record, $plain, 'all other members of a test are the same with include');
    my $page = $lims->get('/sample-tests?include=sample&limit=3&order=-id')->json;
    is_deeply([ map { $_->{sample}{trackingId} } @{ $page->{data} } ],
        [ map { $samples[$_]{trackingId} } 2, 2, 1 ], 'each record has its own sample');
    is($page->{data}[0]{sample}{receivedAt}, undef, 'the sample of a test may not be received');
    is(scalar @{ $lims->get('/sample-tests?include=sample&sampleId=987654')->json->{data} }, 0,
        'an unknown sample has no tests');
    refused($lims->get('/sample-tests?include=client'), 400, 'invalid_query', 'another include');
};

subtest 'for people' => sub {
    refused($lims->get("/sample-tests?$_"), 400, 'invalid_query', $_)
        for "clientId=$mill", 'enteredSince=2026-01-01';
    is(places($ann->done('sample-test list', clientId => $mill)), '4 5',
        'limsctl takes the filter clientId');
    is(places($ann->done('sample-test list', enteredSince => '2026-01-01')), '3 4',
        'limsctl takes the filter enteredSince');
    is(places($ann->done('sample-test list', enteredSince => '2999-01-01')), '',
        'nothing was entered since a later time');
};
done_testing();
