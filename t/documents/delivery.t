#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The document of a certificate is delivered to people, to keys with certificates:read and at
# the command line: its own bytes, with their digest as ETag, and never another
# organization's.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

use Digest::SHA qw(sha256_hex);

my $printer = LIMS::Test::Printer->new(timeout => 1000);
my $lims    = LIMS::Test->new(conf => $printer->conf);
my $lab     = LIMS::Service::Laboratory->new($lims);
my $clerk   = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);

my $certificate = $printer->issue($lab);
my $digest      = $printer->settled($lab, $certificate)->{digest};
my $path        = "/certificates/$certificate->{id}.pdf";

# --- The bytes ----------------------------------------------------------------------------

for ([ 'a key', $lims ], [ 'a person', $clerk ]) {
    my ($who, $caller) = @$_;
    my $got = $caller->get($path);

    is($got->status, 200, "$who gets the document");
    is(sha256_hex($got->body), $digest, "$who gets the bytes that were kept");
    is($got->header('Content-Type'), 'application/pdf', "$who is told that the document is a PDF");
    is($got->header('ETag'), qq("$digest"), "$who gets the digest of the bytes as ETag");
    is($got->header('Content-Disposition'), 'inline; filename="'
            . "$certificate->{certificateNumber}-v1.pdf\"; filename*=UTF-8''$certificate->{certificateNumber}-v1.pdf",
        "$who gets a file name made of the certificate's number, to be shown");
    like($got->header('Content-Security-Policy'), qr/\Adefault-src 'none'/, "the document of $who can reach nothing in a browser");
    my $known = $caller->get($path, headers => { 'If-None-Match' => qq("$digest") });
    my $similar = $caller->get($path, headers => { 'If-None-Match' => qq("${digest}0") });
    is(length($similar->body), length($got->body), "$who: with an ETag that begins alike they are sent");
    is($known->status . '|' . $known->body, '304|', "$who is not sent a document again that is known");
    my $head = $caller->head($path);
    is($head->status . '|' . $head->header('Content-Length') . '|' . $head->body,
        '200|' . length($got->body) . '|', "$who is told by HEAD how long the document is");
}

my $told = $lims->ctl('--organization', $lims->fixture->{code}, 'certificate', 'pdf', $certificate->{id});
is($told->{json}{fileName}, "$certificate->{certificateNumber}-v1.pdf", 'limsctl has it too');
require MIME::Base64;
is(sha256_hex(MIME::Base64::decode_base64($told->{json}{contentBase64})), $digest, 'limsctl certificate pdf has the same bytes');

# --- Whose it is --------------------------------------------------------------------------

my $other  = $lims->organization(code => 'other');
my $theirs = LIMS::Service::Person->new($lims, organization => $other);
refused($lims->get($path, key => $other->{key}), 404, 'not_found', "another organization's key");
refused($theirs->get($path), 404, 'not_found', "another organization's person");
my $app = $lims->app_db($other->{id});
is($app->selectrow_array('SELECT count(*) FROM lims.document_content'), 0,
    'row-level security hides the bytes from the run-time role in another organization');
$app = $lims->app_db($lims->fixture->{id});
for my $write ('UPDATE lims.document_content SET content = $$x$$',
    'DELETE FROM lims.document_content', 'UPDATE lims.document SET sha256 = NULL',
    'DELETE FROM lims.document', 'INSERT INTO lims.document (organization_id, certificate_id) SELECT 1, 1') {
    ok(!eval { local $app->{PrintError}; $app->do($write); 1 }, "the run-time role may not: $write");
}
ok(!eval { $lims->db->do('UPDATE lims.document_content SET content = $$x$$'); 1 },
    'nobody changes bytes');
ok(!eval { $lims->db->do(q{UPDATE lims.document SET state = 'failed'}); 1 }, 'a document that was made is never failed afterwards');

my $narrow = $lims->key($lims->fixture, scopes => ['samples:read']);
refused($lims->get($path, key => $narrow->{key}), 403, 'scope_required', 'a key without the scope');
refused($lims->get('/certificates', key => $narrow->{key}), 403, 'scope_required', 'the list likewise');
my $reader = $lims->key($lims->fixture, scopes => ['certificates:read']);
is($lims->get($path, key => $reader->{key})->status, 200, 'the scope is enough');
is($lims->get('/certificates', key => $reader->{key})->json->{data}[0]{document}{sha256}, $digest,
    'a key with the scope lists certificates with the digests of their documents');
refused($lims->post('/certificates', { sampleId => 1 }, key => $reader->{key}), 405,
    'method_not_allowed', 'a key issues none');
refused($lims->get('/certificates/999999.pdf'), 404, 'not_found', 'a certificate of nobody');
refused($lims->get('/certificates/x.pdf'), 400, 'invalid_id', 'no id');

# --- Not made -----------------------------------------------------------------------------

my $failed = $printer->issue($lab, clientName => 'printer: refuse');
my $row    = $printer->settled($lab, $failed);
$lims->expect_log(qr/LIMS0390/);
like(refused($lims->get("/certificates/$failed->{id}.pdf"), 409, 'document_failed', 'one that failed')->{message},
    qr/the name of the client cannot be printed/, 'the refusal of a failed document says why it failed');
refused($clerk->post("/documents/$row->{id}/retry", {}), 403, 'permission_required',
    'who issues no certificates does not retry');
my $issuer = LIMS::Service::Person->new($lims, roles => ['client_services']);
is($issuer->post("/documents/$row->{id}/retry", {})->json->{state}, 'pending', 'who issues them does');
is($printer->settled($lab, $failed)->{state}, 'failed', 'a document that cannot be printed fails again');
is($printer->events($lab, $failed), 1, 'a document that failed again has no second event');
refused($issuer->post('/documents/' . $printer->document($lab, $certificate)->{id} . '/retry', {}), 409,
    'invalid_transition', 'one that is made is not made again');
is_deeply([ map { $_->{id} } @{ $clerk->get('/documents?state=failed')->json->{data} } ], [ $row->{id} ],
    'the list has those that failed');
is_deeply([ grep { $_->{subject} eq 'documents' } @{ $lims->ctl('check')->{json}{findings} } ],
    [ { subject => 'documents', state => 'warning', finding => $lims->fixture->{code} . ': 1 could not be made',
        remedy => 'limsctl document list --state failed has the reasons; then limsctl document retry.' } ],
    'limsctl check names it');

# --- A draft ------------------------------------------------------------------------------

my $draft = $clerk->get("/samples/$certificate->{sampleId}/certificate-preview.pdf");
is($draft->status . ' ' . $draft->header('Content-Type'), '200 application/pdf', 'a draft is printed for its answer');
like($draft->header('ETag'), qr/\A"[0-9a-f]{32}"\z/, 'a draft has an ETag');
isnt(sha256_hex($draft->body), $digest, 'a draft is not the certificate');
refused($theirs->get("/samples/$certificate->{sampleId}/certificate-preview.pdf"), 404, 'not_found',
    "of another organization's sample there is none");
refused($clerk->get("/samples/$failed->{sampleId}/certificate-preview.pdf"), 409, 'document_failed',
    'one that the printer refuses');
$lims->allow_log(qr/LIMS0392/);

# --- At the command line ------------------------------------------------------------------

{
    local @ENV{qw(LIMS_PRINTER LIMS_PRINTER_TIMEOUT)} = ($printer->program, 300);
    my $slow  = $lab->sample(testDefinitionIds => [ $lab->definition ], clientName => 'printer: hang');
    my $began = time;
    like($lims->ctl('--organization', $lims->fixture->{code}, 'certificate', 'preview-pdf', $slow->{id})->{output},
        qr/the printer took too long/, 'limsctl gives up a document that takes too long');
    cmp_ok(time - $began, '<', 9, 'limsctl waits for as long as LIMS_PRINTER_TIMEOUT says');
}

# --- The certificates of an order -----------------------------------------------------------

my $order = $lab->_ask('POST', '/orders', { clientId => $lab->client(name => 'printer: refuse'),
    samples => [ { materialTypeId => $lab->material, testDefinitionIds => [ $lab->definition ] } ] }, 201);
my ($only) = @{ $order->{samples} };
my ($test) = map { $_->{id} } @{ $lims->get("/samples/$only->{id}")->json->{tests} };
$lab->enter($test, '1.20');
$lab->verify($test);
$lab->_ask('POST', "/samples/$only->{id}/report", undef, 200);
$printer->issue_of($lab, $only);
refused($lims->get("/orders/$order->{order}{id}/certificates.pdf"), 409, 'document_failed',
    'certificates of an order that the printer refuses');

done_testing();
