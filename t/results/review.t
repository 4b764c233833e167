#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Review data beside each result in the list of results that wait: QC, lots, worksheet,
# file, earlier results of the location, the refusal to verify, and the digest that is
# signed.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst']);

my $lead  = $lab->definition(requires_worksheet => 't');
my $plain = $lab->definition;
$lab->worksheet_template($lead, ['Tare'], ['Analyst']);

sub at {
    my ($place, $value, @definitions) = @_;
    my @tests = $lab->tests($lab->sample(testDefinitionIds => \@definitions,
            plantLocation => $place));
    $lab->enter($_, $value) for @tests;
    return @tests;
}

sub review {
    my ($id) = @_;
    my ($row) = grep { $_->{id} == $id }
        @{ $ann->done('sample-test list', status => 'entered', include => 'review')->{data} };
    return $row->{review};
}

my @earlier = map { at('Well 4', $_, $plain) } 1 .. 4;
at('Well 5', 9, $plain);
my ($test, $sheet) = at('Well 4', 5, $plain, $lead);
my $batch  = $lab->qc_batch($test);
my $number = $lab->value('SELECT batch_number FROM lims.qc_batch WHERE id = ?', $batch);
$lab->qc_control($batch, 9);
$lab->media_lot($test);

my $review = review($test);
is_deeply($review->{qcBatches}, [ { id => $batch, batchNumber => $number, qcStatus => 'failed' } ],
    'the QC batch, with its standing');
ok($review->{mediaLotCode}, 'the code of the lot');
is_deeply([ map { $_->{result} } @{ $review->{previous} } ], [ 4, 3, 2 ],
    'the last three results of the location');
is_deeply([ map { $_->{error} } @{ $review->{refusals} } ], ['qc_failed'],
    'the reasons for which verifying would be refused');
is($review->{source}, undef, 'a result from no file');
is($review->{holding}, undef, 'a test without a holding time');

my $held = $lab->definition(holding_time_hours => 48);
my ($kept) = $lab->tests($lab->sample(testDefinitionIds => [$held],
        collectedAt => '2026-01-05T08:00:00Z'));
$lab->enter($kept, 3, analyzedAt => '2026-01-06T09:30:00Z');
is_deeply(review($kept)->{holding}, { beganAt => '2026-01-05T08:00:00.000Z',
        endedAt => '2026-01-06T09:30:00.000Z' }, 'how much of the holding time was used');
is(review($sheet)->{worksheetStatus}, 'missing', 'the state of the worksheet');
is_deeply([ map { $_->{error} } @{ review($sheet)->{refusals} } ], ['worksheet_incomplete'],
    'the missing worksheet refuses verification');
is($lab->changes_of(sub { review($test) }), 0, 'looking changes nothing');

$lab->policy(esignature_required => 't');
is_deeply([ map { $_->{error} } @{ review($earlier[0])->{refusals} } ], [],
    'the signature that is still to be given is no refusal');
my $hash = review($earlier[0])->{contentHash};
like($hash, qr/\A[0-9a-f]{64}\z/, 'the digest of what is signed');
is($ann->done('sample-test verify-many',
        items => [ { sampleTestId => $earlier[0], contentHash => $hash } ])->{results}[0]{status},
    'verified', 'the digest that was shown signs the verification');
is($lab->value(q{SELECT encode(s.content_hash, 'hex') FROM lims.electronic_signature s
    JOIN lims.sample_test t ON t.verification_signature_id = s.id WHERE t.id = ?}, $earlier[0]),
    $hash, 'the signature has the digest that was shown');
$lab->policy(esignature_required => 'f', self_verification => 'refused');
$ann->done('sample-test enter', $earlier[1], result => '2.5');
is_deeply([ map { $_->{error} } @{ review($earlier[1])->{refusals} } ], ['self_verification'],
    'her own result');

my $mia = LIMS::Service::Person->new($lims, roles => ['lab_manager']);
subtest 'of one test' => sub {
    my ($listed) = grep { $_->{review} }
        @{ $mia->get('/sample-tests?include=review&status=entered')->json->{data} };
    my $one = $mia->get("/sample-tests/$listed->{id}?include=review");
    is_deeply($one->json, $listed, 'as in the list');
    like($one->json->{review}{contentHash}, qr/\A[0-9a-f]{64}\z/, 'a single test has the digest that is signed');
    is($one->json->{sample}{trackingId}, $mia->get("/samples/$listed->{sampleId}")->json->{trackingId},
        'a single test has facts of its sample');
    isnt($one->header('ETag'), $mia->get("/sample-tests/$listed->{id}")->header('ETag'),
        'the ETag of a test with its review is another than without');
    ok(!exists $mia->get("/sample-tests/$listed->{id}")->json->{review}, 'not unless asked for');
    is($mia->get("/sample-tests/$listed->{id}?include=sample")->json->{sample}{trackingId},
        $mia->get("/samples/$listed->{sampleId}")->json->{trackingId}, 'with facts of its sample');
    refused($mia->get('/sample-tests/999999?include=review'), 404, 'not_found', 'of no test');
    refused($lims->get("/sample-tests/$listed->{id}?include=review"), 400, 'invalid_query', 'a key');
};

refused($lims->get('/sample-tests?include=review'), 400, 'invalid_query',
    'an API key has no such parameter');
ok(!exists $lims->get("/sample-tests/$test")->json->{review},
    'a record that an API key reads has no such member');
done_testing();
