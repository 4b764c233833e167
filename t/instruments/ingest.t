#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /instrument-ingest: a file is imported as a whole, by the same rules as results
# entered by hand, or kept with every reason why not; sending it again does nothing twice.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my ($false, $true) = (JSON::PP::false, JSON::PP::true);

$pc->profile;

sub sample { return $pc->sample(@_) }

subtest 'a file is imported' => sub {
    my ($one, $two) = (sample(qw(NO3 PH)), sample(qw(NO3)));
    my $file = $pc->csv([ $one, 'NO3', '7.10' ], [ $one, 'PH', '6.9' ], [ $two, 'NO3', '<0.5' ]);
    my $answer;
    my @events = $lab->events_in(sub { $answer = $pc->send($file, name => 'run42.csv') });
    my $json   = $answer->json;

    is($answer->status, 201) or diag($answer->body);
    is_deeply([ @$json{qw(fileName sha256 status duplicate dryRun profile profileVersion)} ],
        [ 'run42.csv', sha256_hex($file), 'imported', $false, $false, 'bench', 1 ],
        'the answer has name, hash, status and profile');
    is_deeply($json->{counts},
        { rows => 3, results => 3, controls => 0, skipped => 0, written => 3 },
            'the counts of rows, results and controls');
    is_deeply($json->{reasons}, [], 'an imported file has no reasons');
    my @tests = map { $pc->test(@$_) } [ $one, 'NO3' ], [ $one, 'PH' ], [ $two, 'NO3' ];
    is_deeply([ map { [ @$_{qw(row sampleTestId trackingId testCode result)} ] }
                @{ $json->{results} } ],
        [ [ 2, $tests[0]{id}, $one->{trackingId}, 'NO3', '7.10' ],
            [ 3, $tests[1]{id}, $one->{trackingId}, 'PH', '6.9' ],
            [ 4, $tests[2]{id}, $two->{trackingId}, 'NO3', '<0.5' ] ],
                'each result with its row, sample and test');
    is_deeply([ map { "$_->{status} $_->{result}" } @tests ],
        [ 'entered 7.10', 'entered 6.9', 'entered <0.5' ], 'the results are entered exactly');
    is_deeply([ sort { $a <=> $b } map { $_->[1]{sampleTestId} }
                grep { $_->[0] eq 'result.entered' } @events ],
        [ sort { $a <=> $b } map { $_->{id} } @tests ], 'each result has its event');
    is($lab->value('SELECT status FROM lims.instrument_file WHERE id = ?', $json->{id}),
        'imported', 'the file is kept');
};

subtest 'the same bytes again' => sub {
    my $sample = sample('NO3');
    my $file   = $pc->csv([ $sample, 'NO3', '1' ]);
    my $first  = $pc->send($file, name => 'first.csv');
    my $again;
    is($lab->changes_of(sub { $again = $pc->send($file, name => 'second.csv') }), 0,
        'sending it again changes nothing');
    is($again->status, 200, 'sending it again is answered 200');
    is_deeply($again->json, { %{ $first->json }, duplicate => $true }, 'the first outcome again');

    my $strange = $pc->csv([ 'LAB-26-NOBODY', 'NO3', '1' ]);
    is($pc->send($strange)->status, 202, 'the file is kept in quarantine');
    my $kept = $pc->send($strange);
    is($kept->status . ' ' . $kept->json->{status}, '200 quarantined',
        'a file in quarantine, sent again, is answered 200');
    is_deeply($pc->codes($kept), ['unknown_tracking_id'], 'the answer has the reasons');
};

subtest 'the same results in other bytes' => sub {
    my $sample = sample('NO3');
    my @row    = ($sample, 'NO3', '7.5');
    my $first  = $pc->send($pc->csv([@row]));
    is($first->status, 201, 'the export is imported');
    my $again;
    my @events = $lab->events_in(sub { $again = $pc->send($pc->csv([@row]) . "\n\n") });
    is($again->status, 200, 'the same export made again');
    is_deeply([ @{ $again->json }{qw(status duplicate duplicateOf)}, $again->json->{counts}{written} ],
        [ 'imported', $true, $first->json->{id}, 0 ], 'is a duplicate of the first');
    is_deeply($again->json->{results}, $first->json->{results},
        'the answer has the results of the first');
    is(scalar @events, 0, 'no event is written');
};

subtest 'bytes as base64' => sub {
    my $sample = sample('NO3');
    my $file   = $pc->csv([ $sample, 'NO3', '2.50' ]);
    my $answer = $pc->send($file, base64 => 1);
    is($answer->status, 201, 'the file is imported') or diag($answer->body);
    is($answer->json->{sha256}, sha256_hex($file), 'the hash is that of the decoded bytes');
    is($pc->send($file)->json->{duplicate}, $true, 'the same file as text is a duplicate');
    is($lab->value('SELECT convert_from(content, $$UTF8$$) FROM lims.instrument_file_content WHERE file_id = ?',
            $answer->json->{id}), $file, 'kept to the byte');
};

subtest 'a file as a form (multipart/form-data)' => sub {
    my $sample   = sample('NO3');
    my $file     = $pc->csv([ $sample, 'NO3', '3' ]);
    my $answer   = $pc->upload($file, name => 'form.csv', profile => 'bench');
    is($answer->status, 201, 'the file is imported') or diag($answer->body);
    is_deeply([ @{ $answer->json }{qw(fileName sha256 profile)} ],
        [ 'form.csv', sha256_hex($file), 'bench' ], 'name and content come from the parts');
    is($pc->test($sample, 'NO3')->{result}, '3', 'the result is there');
    is($pc->upload($pc->csv([ 'NOBODY', 'NO3', '3' ]), dryRun => 'true')->status, 200, 'a dry run');
    refused($pc->upload($file, nothing => 'x'), 400, 'invalid_body', 'an unknown part');
};

subtest 'a dry run' => sub {
    my $sample = sample(qw(NO3 PH));
    my $file   = $pc->csv([ $sample, 'NO3', '4.40' ], [ $sample, 'PH', '7' ]);
    my $dry;
    is($lab->changes_of(sub { $dry = $pc->send($file, name => 'dry.csv', dry_run => 1) }), 0,
        'a dry run changes nothing');
    is($dry->status, 200, 'a dry run is answered 200');
    is($lab->value(q{SELECT count(*) FROM lims.instrument_file WHERE file_name = 'dry.csv'}), 0,
        'a dry run stores no file');
    my $real = $pc->send($file, name => 'dry.csv');
    is_deeply($dry->json, { %{ $real->json }, id => undef, dryRun => $true },
        'a dry run answers what the real run does');
    is($real->status, 201, 'the real run imports the file');

    my $bad = $pc->csv([ 'LAB-26-NOBODY', 'NO3', '1' ], [ $sample, 'XX', '1' ]);
    my $dry_bad = $pc->send($bad, name => 'bad.csv', dry_run => 1);
    my $really  = $pc->send($bad, name => 'bad.csv');
    is_deeply($dry_bad->json, { %{ $really->json }, id => undef, dryRun => $true },
        'a dry run of a file that is held back, likewise');
};

subtest 'invalid bodies' => sub {
    my $post = sub { $lims->post('/instrument-ingest', @_) };
    my %name = (fileName => 'f.csv');
    refused($post->({%name}), 400, 'invalid_body', 'no content');
    refused($post->({ %name, content => 'a', contentBase64 => 'YQ==' }), 400, 'invalid_body',
        'both content and contentBase64');
    refused($post->({ content => 'a' }), 400, 'invalid_body', 'no name');
    refused($post->({ %name, fileName => '', content => 'a' }), 400, 'invalid_body',
        'an empty name');
    refused($post->({ %name, contentBase64 => $_ }), 400, 'invalid_body', "base64 '$_'")
        for 'YQ', 'Y===', "YQ==\n", 'YQ==YQ==', 'Y Q=', '====', 'YQ-_';
    refused($post->({ %name, content => 'a', more => 1 }), 400, 'invalid_body',
        'an unknown member');
    refused($post->({ %name, content => 'a', dryRun => 'yes' }), 400, 'invalid_body', 'dryRun');
    is($post->({ %name, content => '' })->status, 202, 'an empty file is a file');
    is($post->({ %name, contentBase64 => '' })->status, 200,
        'an empty file in base64 is taken, too');
};

subtest 'Idempotency-Key' => sub {
    my $sample  = sample('NO3');
    my $file    = $pc->csv([ $sample, 'NO3', '5' ]);
    my %headers = ('Idempotency-Key' => 'one');
    my $first   = $pc->send($file, name => 'i.csv', headers => \%headers);
    my $again   = $pc->send($file, name => 'i.csv', headers => \%headers);
    is_deeply([ $again->status, $again->body ], [ $first->status, $first->body ],
        'the first answer');
    is($again->header('Idempotent-Replayed'), 'true', 'the first answer is replayed');
    my $files = $lab->value('SELECT count(*) FROM lims.instrument_file');
    refused($pc->send("other\n", name => 'i.csv', headers => \%headers), 422, 'idempotency_mismatch',
        'another file under the same key');
    is($lab->value('SELECT count(*) FROM lims.instrument_file'), $files, 'another file under the same key is not kept');
};

subtest 'the largest file' => sub {
    my $small = LIMS::Test->new(beside => $lims, conf => "LimsMaxUpload 2000\nLimsMaxIngestBody 4000");
    my $send = sub { $small->post('/instrument-ingest', { fileName => 'f', @_ }) };
    is($send->(content => 'a' x 2000)->status, 202, 'the largest file is taken');
    refused($send->(content => 'a' x 2001), 413, 'payload_too_large', 'one byte above the limit');
    refused($send->(content => 'a' x 4000), 413, 'payload_too_large', 'a larger body');
};

subtest 'other organizations' => sub {
    my $them  = LIMS::Service::Laboratory->new($lims,
        $lims->organization(code => 'other-laboratory'));
    my $other = LIMS::Files::Instrument->new($them);
    my $ours  = sample('NO3');
    my $file  = $pc->csv([ $ours, 'NO3', '6' ]);

    $other->profile;
    my $answer = $other->send($file);
    is($answer->status, 202, 'our file, sent by them');
    is_deeply($other->codes($answer), [qw(unknown_test_code unknown_tracking_id)],
        'another organization\'s key finds no sample');
    is($pc->test($ours, 'NO3')->{status}, 'pending',
        'another organization\'s file changes nothing here');
    my $mine = $pc->send($file);
    is($mine->status . ' ' . $mine->json->{duplicate}, '201 0',
        'the same bytes are a new file here');
    is($other->send($file)->json->{status}, 'quarantined', 'each has its own outcome');
};

done_testing();
