#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The messages of refusals: whole sentences that say what came and what is expected, whoever
# refuses: the service, a rule of the database, or httpd.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);

sub says {
    my ($answer, $what, $name) = @_;
    my $message = $answer->json->{message} // '';

    like($message, $what, $name);
    return like($message, qr/\A[^a-z].*[.?!]\z|\A[a-z]\w*(?:\[\d+\])?(?:\.\w+)*:? .*[.?!]\z/s,
        "$name: the message is a sentence");
}

# A request with these header fields.
sub sent {
    my ($method, $path, $body, @headers) = @_;
    return send_raw($lims, message($lims, $method, $path, body => $body, headers => \@headers));
}

my $json   = 'Content-Type: application/json';
my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ]);
my $path   = "/samples/$sample->{id}";

subtest 'paths and ids' => sub {
    says($lims->get('/samples/'), qr{nothing at /api/v1/samples/: leave out the slash}, 'a slash');
    says($lims->get('/nowhere/'), qr{nothing at /api/v1/nowhere/\.},
        'a path with a slash too much');
    says($lims->get('/samples/LAB-26-0000039-G'),
        qr{'LAB-26-0000039-G' is not an id.*GET /samples\?trackingId=LAB-26-0000039-G},
            'a tracking id');
    says($lims->get('/samples/abc'), qr/'abc' is not an id: ids are integers/, 'no id');
};

subtest 'queries' => sub {
    says($lims->get('/samples?externalId='), qr/externalId is empty: leave it out, or give a string of 1 to/,
        'an empty filter');
    says($lims->get('/samples?since=2026-11-21T08:48:00'), qr/the zone is missing/, 'no zone');
    says($lims->get('/samples?limit=0'), qr/1 or more \(above 500 is taken as 500\)/, 'limit');
};

subtest 'bodies' => sub {
    says(sent('POST', '/samples', ''), qr/There is no body: send JSON|is empty, but must be JSON/,
        'no body');
    says(sent('POST', '/samples', 'a=1', 'Content-Type: application/x-www-form-urlencoded'),
        qr{came as application/x-www-form-urlencoded: send JSON}, 'a form');
    says(sent('POST', '/samples', '{}', $json, 'Content-Encoding: gzip'),
        qr/Content-Encoding gzip, and must not be compressed/, 'compressed');
    my $cut = '{"clientName":"x","materialTypeId":15';
    says(sent('POST', '/samples', $cut, $json), qr/ends too soon, after 37 bytes/, 'cut short');
    says(sent('POST', '/samples', '{"a":tru', $json), qr/ends too soon, after 8 bytes/,
        'in a word');
    says(sent('POST', '/samples', '{"a":trux}', $json), qr/not valid JSON/,
        'a misspelt word of JSON');
    says($lims->patch($path, { notes => "a\x{1}b" }), qr/notes has a control character, U\+0001, at place 2;/,
        'a control character');
    says($lims->post('/samples', { clientName => '  ', materialTypeId => $lab->material }),
        qr/clientName is blank/, 'blanks');
    says(sent('POST', '/samples', '{}', $json, 'Idempotency-Key: a b'), qr/one value .*'a b' is not/,
        'Idempotency-Key');
};

subtest 'references' => sub {
    my $retired = $lab->definition(active => 'f');
    my $with    = sub {
        return $lims->post('/samples', { clientName => 'x', materialTypeId => $lab->material,
            testDefinitionIds => [@_] });
    };
    says($with->(888_888, $lab->definition, 777_777, $retired),
        qr/no active test definitions 888888, 777777, $retired\.\z/,
            'several unknown test definitions');
    says($with->($retired), qr/no active test definition $retired\.\z/, 'one unknown test definition');
};

subtest 'sizes' => sub {
    my $small = LIMS::Test->new(beside => $lims,
        conf => "LimsMaxBody 2048\nLimsMaxUpload 1048576\nLimsMaxIngestBody 1572864");
    my $file  = 'The file may have at most 1048576 bytes (1 MB)';
    my $send  = sub { return $small->post('/instrument-ingest', { fileName => 'f', content => 'a' x $_[0] }) };

    says($send->(1_048_577), qr/\A\Q$file\E\.\z/, 'a file in JSON');
    says($send->(1_572_864), qr/\A\Q$file\E, and the JSON that brings it 1572864 bytes\.\z/,
        'the JSON itself');
    my $chunked = message($small, 'POST', '/instrument-ingest', body => '{' . ' ' x 1_572_864,
        chunk => 8192, headers => [$json]);
    says(send_raw($small, $chunked), qr/\A\Q$file\E, and the JSON that brings it 1572864 bytes\.\z/,
        'the JSON of a file in chunks is refused with its size');
    says($small->post('/clients', { name => 'a' x 2048 }), qr/\AThe body may have at most 2048 bytes\./,
        'any other body');
};

subtest 'fields that another route changes' => sub {
    says($lims->patch($path, { status => 'received' }), qr{changed by PATCH /samples/\{id\}/status},
        'status');
    says($lims->patch($path, { testDefinitionIds => [1] }), qr/scheduled when a sample is registered/,
        'tests');
    says($lims->patch($path, { trackingId => 'x' }), qr/trackingId cannot be set here: it is read-only/,
        'read-only');
    says($lims->patch("$path/status", { status => 'reported' }), qr{POST /samples/\{id\}/report},
        'reported');
    is(says($lims->patch("$path/status", { tests => [] }), qr/tests cannot be set here/, 'tests'), 1);
};

subtest 'If-Match' => sub {
    my $etag = $lims->get($path)->header('ETag');
    my $with = sub { return $lims->patch($path, { notes => 'x' }, headers => { 'If-Match' => $_[0] }) };

    for my $none ($etag =~ s/"//gr, "W/$etag") {
        my $answer = $with->($none);
        is($answer->status, 412, $none);
        says($answer, qr/with its quotes and without W/, "$none as If-Match is refused as no entity tag");
    }
    says($with->('"0123456789abcdef0123456789abcdef"'), qr/has changed since you read it/,
        'another');
    is($with->($etag)->status, 200, 'the right ETag');
};

subtest 'gates' => sub {
    my ($test) = $lab->tests($sample);
    my $refusal = $lims->post("$path/report", {});
    says($refusal, qr/has no result/, 'no result');
    my ($blocker) = @{ $refusal->json->{blockers} };
    is($blocker->{message}, $refusal->json->{message}, 'the blocker has the same message');
    like($blocker->{clearedBy}, qr/entering/, 'the blocker says what clears it');
    $lab->enter($test, '1');
    $lims->post("/sample-tests/$test/verify", {});
    my $locked = $lims->patch("/sample-tests/$test", { result => '2' });
    says($locked, qr/The result of sample test $test is verified and locked.*reopened in the application/,
        'one verified result');
    my $judged = $lims->patch($path, { materialTypeId => $lab->material });
    says($judged, qr/Sample \S+ has verified results/, 'a material type with verified results');
    is_deeply($judged->json->{blockers}[0]{testIds}, [ 0 + $test ],
        'the blocker has the ids of the tests');
    my ($open) = grep { $_->{category} eq 'approval_required' }
        @{ $lims->get("$path/readiness")->json->{findings} };
    is($open->{clearedBy}, 'completing the sample, then approving it', 'approval not asked for')
        if $open;
};

subtest 'signatures' => sub {
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));
    $lab->enter($test, '1');
    $lab->policy(esignature_required => 't');
    my $refusal = $lims->post("/sample-tests/$test/verify", {});
    says($refusal, qr/needs a signature .*, which an API key cannot give: somebody has to do it in the application\./,
        'a signature that an API key cannot give');
    is($refusal->json->{blockers}[0]{message}, $refusal->json->{message},
        'the blocker of the signature has the same message');
    $lab->policy(esignature_required => 'f');
};

subtest 'what httpd refuses' => sub {
    my $far = send_raw($lims,
        "GET /api/v2/samples HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    says($far, qr{nothing at /api/v2/samples; the API is at /api/v1}, 'another version') if $far->json;
    my $long = send_raw($lims, "GET /api/v1/whoami HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            . 'X-Long: ' . 'x' x 9000 . "\r\n\r\n");
    says($long, qr/A header field of the request is larger/, 'a long header field');
};

done_testing();
