#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /instrument-uploads: a model points at the results in a file, the service copies,
# checks and enters them; what it answers for each row, and what is kept.
use strict;
use warnings;

use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $model = LIMS::Peers::ModelService->new;
my $lims  = LIMS::Test->new(conf => $model->conf . "LimsMaxUpload 200000\n"
        . "LimsExtractionMaxBytes 100000\nLimsExtractionMaxRows 50\nLimsExtractionMaxCells 200\n");
my $lab = LIMS::Service::Laboratory->new($lims);
my ($nitrate, $chloride) = map { $lab->definition(code => $_->[0], name => $_->[1], unit => 'mg/L') }
    [ 'NO3N', 'Nitrate as N' ], [ 'CL', 'Chloride' ];

$lab->policy(ai_data_access => 'true');

# A sample with both tests; its record and the ids of its tests by code.
sub sample {
    my $sample = $lab->sample(testDefinitionIds => [ $nitrate, $chloride ]);
    my %test   = map { $_->{testCode} => $_->{id} }
        @{ $lims->get("/samples/$sample->{id}")->json->{tests} };
    return ($sample->{trackingId}, \%test, $sample->{id});
}

sub table { return join '', map { "$_\n" } 'Sample,NO3N (mg/L),CL (mg/L)', @_ }

sub result_of { return $lims->get("/sample-tests/$_[0]")->json->{result} }

sub statuses { return join ' ', map { $_->{status} } @{ $_[0]->json->{rows} } }

subtest 'results that a model points at are copied and entered' => sub {
    my ($id,    $test)  = sample();
    my ($other, $tests) = sample();
    my $response;

    $model->say('right');
    my @events = $lab->events_in(sub {
        $response = $model->upload($lims, table("$id,7.10,<0.5", "$other,0.020,12"));
    });
    is($response->status, 200) or diag($response->body);
    my $answer = $response->json;

    is(statuses($response), 'applied applied applied applied');
    is_deeply($answer->{summary}, { total => 4, applied => 4, proposed => 0, skipped => 0 });
    is_deeply([ @$answer{qw(fileName dryRun confidenceThreshold model)} ],
        [ 'run.csv', JSON::PP::false, 0.9, 'stand-in-1' ]);
    is_deeply($answer->{rows}[0], { row => 2, trackingId => $id, testCode => 'NO3N',
            result => '7.10', unit => 'mg/L', qualifier => undef, sampleTestId => $test->{NO3N},
            confidence => 0.97, status => 'applied', message => undef,
            provenance => { sheet => undef, row => 2, column => 2, cell => '7.10',
                unit => 'mg/L' } });
    is_deeply([ map { result_of($_) } @$test{qw(NO3N CL)}, @$tests{qw(NO3N CL)} ],
        [ '7.10', '<0.5', '0.020', '12' ], 'the results are entered to the letter');
    is_deeply([ sort map { $_->[1]{sampleTestId} } grep { $_->[0] eq 'result.entered' } @events ],
        [ sort values %$test, values %$tests ], 'each result has its event');
    is($lab->value('SELECT count(*) FROM lims.extraction_row WHERE extraction_id = ?
        AND status = ? AND confidence = 0.97', $answer->{id}, 'applied'), 4,
            'the pointers are stored with their confidence');
    is($lab->value('SELECT model || host FROM lims.extraction WHERE id = ?', $answer->{id}),
        'stand-in-1localhost', 'model and host are stored');
};

subtest 'a dry run says the same and leaves nothing' => sub {
    my ($id, $test) = sample();
    my $file = table("$id,7.10,3");
    my $response;

    is_deeply([ $lab->changes_of(sub {
        $response = $model->upload($lims, $file, dryRun => 'true');
    }) ], [ $lab->changes_of(sub { }) ], 'nothing is written');
    is(statuses($response), 'proposed proposed');
    my $kept = $lab->value('SELECT count(*) FROM lims.extraction');
    is($response->json->{id}, undef, 'a dry run has no id');
    my @rows = @{ $response->json->{rows} };

    $_->{status} = 'applied' for @rows;
    is_deeply($model->upload($lims, $file)->json->{rows}, \@rows,
        'a dry run answers what the real run does');
    is($lab->value('SELECT count(*) FROM lims.extraction'), $kept + 1, 'the real run is stored');
};

subtest 'below the threshold nothing is entered' => sub {
    my ($id, $test) = sample();
    my $response = $model->upload($lims, table("$id,1,2"), confidenceThreshold => '0.98');

    is(statuses($response), 'below_threshold below_threshold');
    is(result_of($test->{CL}), undef);
    is(statuses($model->upload($lims, table("$id,1,2"), confidenceThreshold => '0.97')),
        'applied applied', 'a confidence equal to the threshold is enough');
};

subtest 'each row is judged by itself' => sub {
    my ($locked, $of_locked, $sample) = sample();
    my ($stands, $of_stands) = sample();
    my ($free,   $of_free)   = sample();

    $lab->enter($of_locked->{NO3N}, '1');
    $lab->verify($of_locked->{NO3N});
    $lab->enter($of_stands->{NO3N}, '5');
    my $response = $model->upload($lims,
        table("$locked,2,3", "$stands,6,\"1,5\"", "$free,8,9", 'LAB-26-0000001-X,1,2'));

    is(statuses($response), 'locked applied rejected_check rejected_check applied applied');
    is($response->json->{summary}{skipped}, 3);
    is(result_of($of_locked->{NO3N}), '1', 'a verified result stays');
    is(result_of($of_stands->{NO3N}), '5', 'a result entered by hand stays');
    is(result_of($of_stands->{CL}), undef, 'a decimal comma is not guessed at');
    is(result_of($of_free->{CL}), '9');
};

subtest 'a value that stands is replaced with a reason, which a file does not give' => sub {
    my ($id, $test) = sample();
    my $policy = sub { $lab->policy(reason_on_change => $_[0]) };

    $lab->enter($test->{NO3N}, '5');
    $policy->('t');
    is(statuses($model->upload($lims, table("$id,6,7"))), 'locked applied',
        'under reasonOnChange its row is locked');
    is(result_of($test->{NO3N}), '5', 'the value of a locked row stays');
    is(result_of($test->{CL}), '7', 'a first value needs no reason');
    my ($other, $of_other) = sample();
    $lab->enter($of_other->{NO3N}, '5');
    $policy->('f');
    is(statuses($model->upload($lims, table("$other,6,7"))), 'rejected_check applied',
        'without the policy the value itself is judged');
};

subtest 'two values for one test: none is entered' => sub {
    my ($id, $test) = sample();

    is(statuses($model->upload($lims, table("$id,1,2", "$id,3,4"))),
        'ambiguous ambiguous ambiguous ambiguous');
    is(result_of($test->{CL}), undef);
};

subtest 'a rule of the laboratory refuses one row and not the others' => sub {
    my ($id,    $test) = sample();
    my ($other, $free) = sample();
    my $lot = $lab->reagent_lot;

    $lab->set_tests('reagent_lot_id', $lot, $test->{NO3N});
    $lab->act(sub { $_[0]->do(q{UPDATE lims.reagent_lot SET expires_on = '2020-01-01'
        WHERE id = ?}, undef, $lot) });
    my $response = $model->upload($lims, table("$id,1,2", "$other,3,4"));
    is(statuses($response), 'rejected_check applied applied applied');
    like($response->json->{rows}[0]{message}, qr/lot/i, 'the row has the rule\'s message');
    is(result_of($test->{NO3N}), undef);
    is(result_of($free->{NO3N}), '3');
};

subtest 'a file without a tracking id of ours is not sent' => sub {
    $model->forget;
    my $response = $model->upload($lims, table('LAB-26-0000001-X,1,2'));

    is($response->status, 200);
    is_deeply($response->json->{rows}, []);
    like($response->json->{message}, qr/No tracking id .* was not asked/,
        'the message says why the model was not asked');
    is(scalar $model->seen, 0);
};

subtest 'a repeated request is done once' => sub {
    my ($id) = sample();
    my $file = table("$id,1,2");
    my %once = (headers => { 'Idempotency-Key' => 'an-upload' });
    my $first = $model->upload($lims, $file, %once);

    $model->forget;
    my $again = $model->upload($lims, $file, %once);
    is($again->body, $first->body, 'the first answer again');
    is($again->header('Idempotent-Replayed'), 'true');
    is(scalar $model->seen, 0, 'the model is not asked again');
    refused($model->upload($lims, $file . "\n", %once), 422, 'idempotency_mismatch',
        'another file under the same key');
};

subtest 'refused uploads' => sub {
    my ($id) = sample();
    my $file = table("$id,1,2");
    my ($other, $type);

    refused($model->upload($lims, $file, dryRun => 'maybe'), 400, 'invalid_body', 'a wrong flag');
    refused($model->upload($lims, $file, confidenceThreshold => '1.1'), 400, 'invalid_body',
        'a threshold beyond 1');
    refused($model->upload($lims, $file, more => '1'), 400, 'invalid_body', 'an unknown part');
    refused($model->upload($lims, $file, hint => 'x' x 501), 400, 'invalid_body', 'a long hint');
    refused($model->upload($lims, ''), 400, 'invalid_body', 'an empty file');
    refused($model->upload($lims, "%PDF-1.7\n$file"), 400, 'invalid_body', 'a PDF');
    refused($model->upload($lims, 'x' x 100_001), 413, 'payload_too_large', 'a large file');
    refused($model->upload($lims, 'x' x 300_000), 413, 'payload_too_large', 'a larger one');
    refused($model->upload($lims, table(map { "$id,1,2" } 1 .. 60)), 413, 'payload_too_large',
        'many rows');
    refused($model->upload($lims, table(map { "$id," . '1,' x 20 } 1 .. 20)), 413,
        'payload_too_large', 'many cells');
    ($other, $type) = $model->form(hint => 'x');
    refused($lims->post('/instrument-uploads', $other, headers => { 'Content-Type' => $type }), 400,
        'invalid_body', 'no file');
    refused($lims->post('/instrument-uploads', { file => 'x' }), 415, 'unsupported_media_type',
        'JSON');
    refused($lims->post('/instrument-uploads', 'x', headers => { 'Content-Type' =>
                'multipart/form-data' }), 400, 'invalid_body', 'a form without a boundary');
    refused($lims->post('/samples', 'x', headers => { 'Content-Type' =>
                'multipart/form-data; boundary=x' }), 415, 'unsupported_media_type',
        'a form where none belongs');
};

subtest 'scopes' => sub {
    my ($id) = sample();
    my $file  = table("$id,1,2");
    my $other = $lims->organization(code => 'other-laboratory', ai_data_access => 1);
    my $reader = $lims->key($lims->fixture, scopes => ['samples:read']);
    my $pc     = $lims->key($lims->fixture, upload_only => 1);

    refused($model->upload($lims, $file, key => $reader->{key}), 403, 'scope_required',
        'a key without the scope');
    refused($model->upload($lims, $file, key => $pc->{key}), 403, 'upload_only_key',
        'not an upload-only key');
    $model->forget;
    is_deeply($model->upload($lims, $file, key => $other->{key})->json->{rows}, [],
        'another organization finds nothing of ours');
    is(scalar $model->seen, 0, 'a file without known samples is not sent to the model');
    $lab->policy(ai_data_access => 'false');
    refused($model->upload($lims, $file), 403, 'ai_data_access_disabled',
        'not when the organization forbids it');
    is(scalar $model->seen, 0, 'a forbidden file is not sent to the model');
    $lab->policy(ai_data_access => 'true');
};

subtest 'without a model service' => sub {
    my $none = LIMS::Test->new(beside => $lims);

    refused($model->upload($none, table('x,1,2')), 503, 'ai_unavailable',
        'no model service is configured');
    $lab->policy(ai_data_access => 'false');
    refused($model->upload($none, table('x,1,2')), 403, 'ai_data_access_disabled',
        'the organization is asked first');
    $lab->policy(ai_data_access => 'true');
};

subtest 'the limit of twenty uploads a minute' => sub {
    my $few = LIMS::Test->new(beside => $lims,
        conf => $model->conf =~ s/LimsRateLimitUploads 5000/LimsRateLimitUploads 20/r);
    my $key  = $lims->key($lims->fixture, name => 'Busy')->{key};
    my $file = table('LAB-26-0000001-X,1,2');
    my @status = map { $model->upload($few, $file, key => $key)->status } 1 .. 20;

    is_deeply(\@status, [ (200) x 20 ]);
    my $response = $model->upload($few, $file, key => $key);
    refused($response, 429, 'rate_limited', 'the twenty-first upload is refused');
    is($response->header('RateLimit-Limit'), 20, 'the headers show the limit of uploads');
    cmp_ok($response->header('Retry-After'), '>', 0);
    my $whoami = $few->get('/whoami', key => $key);
    is($whoami->status, 200, 'other requests go on');
    is($whoami->header('RateLimit-Limit') - $whoami->header('RateLimit-Remaining'), 21,
        'against whose limit the one that was refused did not count');
};

done_testing();
