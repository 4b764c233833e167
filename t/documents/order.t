#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The valid certificates of an order are one PDF, in the order of its samples, for people and
# for keys with certificates:read; the preview of a layout shows the laboratory's letterhead.
use strict;
use warnings;

use File::Temp ();

use LIMS::Print qw(lines words);
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

# The printer by a link, which is taken away where nothing is to be printed.
my $folder = File::Temp->newdir('lims-printer-XXXXXX', TMPDIR => 1);
my $link   = "$folder/lims-print";
chmod 0755, "$folder";
symlink(LIMS::Test::Printer->real->program, $link) or die "$link: $!\n";
my $printer = LIMS::Test::Printer->real(program => $link);
my $lims    = LIMS::Test->new(conf => $printer->conf);
my $lab     = LIMS::Service::Laboratory->new($lims);
my $clerk   = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
my $test    = $lab->definition;

# --- The certificates of an order ---------------------------------------------------------

my $client   = $lab->client(code => 'RIV', name => 'River Works');
my $material = $lab->material;
my $made     = $lab->_ask('POST', '/orders', { clientId => $client, samples => [ map { {
    plantLocation => "Tap $_", materialTypeId => $material, testDefinitionIds => [$test] } } 1 .. 3 ] }, 201);
my $order    = $made->{order};
my @samples  = map { $lims->get("/samples/$_->{id}")->json } @{ $made->{samples} };
my $path    = "/orders/$order->{id}/certificates.pdf";

like(refused($clerk->get($path), 404, 'not_found', 'an order without certificates')->{message},
    qr/No certificate is issued yet for a sample of order \Q$order->{orderNumber}\E/, 'the refusal says that none is issued');
my @issued;
sub without_printing {
    my ($act) = @_;
    $printer->settled($lab, $_) for @issued;
    rename $link, "$link.away" or die "$link: $!\n";
    my @answers = $act->();
    rename "$link.away", $link or die "$link: $!\n";
    return @answers;
}

for my $sample (@samples[ 1, 0 ]) {
    for my $one ($lab->tests($sample)) {
        $lab->enter($one, '1.20');
        $lab->verify($one);
    }
    $lab->_ask('POST', "/samples/$sample->{id}/report", undef, 200);
    push @issued, $printer->issue_of($lab, $sample);
}

for ([ 'a person', $clerk ], [ 'a key', $lims ]) {
    my ($who, $caller) = @$_;
    my $got  = $caller->get($path);
    my $text = words($got->body);

    is($got->status . ' ' . $got->header('Content-Type'), '200 application/pdf', "$who gets them as one PDF");
    like($text, qr/\Q$issued[1]{certificateNumber}\E.*\Q$issued[0]{certificateNumber}\E/s, "$who: certificates stand in the order of the samples");
    like($text, qr/Tap 1.*Tap 2/s, "$who: each certificate has its sample");
    unlike($text, qr/Tap 3/, "$who: samples without a certificate are left out");
    my $tag = $got->header('ETag');
    my @known = without_printing(sub {
        return map { $caller->get($path, headers => { 'If-None-Match' => $_ }) } $tag, "W/$tag", qq{"other", $tag}, '*';
    });
    is(join(' ', map { $_->status } @known), '304 304 304 304', "$who: what is known is not sent again, nor printed");
    is($known[0]->header('ETag'), $tag, "$who: it is told by the same ETag");
    my $similar = $caller->get($path, headers => { 'If-None-Match' => $tag =~ s/"\z/0"/r });
    is($similar->status . ' ' . ($similar->body eq $got->body), '200 1', "$who: with another ETag they are sent");
}
my $narrow = $lims->key($lims->fixture, scopes => ['samples:read']);
refused($lims->get($path, key => $narrow->{key}), 403, 'scope_required', 'a key without certificates:read');
my $other = $lims->organization(code => 'other');
refused($lims->get($path, key => $other->{key}), 404, 'not_found', "another organization's key");
refused($lims->get('/orders/999999/certificates.pdf'), 404, 'not_found', 'an order of nobody');

my $before_amended = $clerk->get($path)->header('ETag');

# Only the version that is valid: the superseded one is in no such document.
my $ann = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => [ 'qa_officer', 'lab_manager' ]);
$ann->done('sample amend', $samples[0]{id}, reason => 'the tap was another');
$ann->done('sample update', $samples[0]{id}, plantLocation => 'Tap 9');
$ann->done('certificate issue', sampleId => $samples[0]{id});
my $now = words($clerk->get($path)->body);
like($now, qr/Tap 9/, 'the next version is in the document');
is(scalar(() = $now =~ /Page 1 of/g), 2, 'the superseded version is not in the document');
isnt($clerk->get($path)->header('ETag'), $before_amended, 'the document with another version has another ETag');

# --- The preview of a layout --------------------------------------------------------------

my $preview = '/organization/certificate-layout/preview';
$lims->db->do(q{UPDATE lims.organization SET address = '12 Mill Road' WHERE id = ?}, undef, $lims->fixture->{id});
my $before = $lims->db->selectrow_array(q{SELECT count(*) FROM lims.audit_entry WHERE table_name = 'organization'});
my $got    = $clerk->post($preview, { certificateLayout => { title => 'Test report', header => 'Telephone 555',
    footer => 'Copy in full only', columns => [qw(flag test result qualifier unit limits uncertainty accredited)],
    statements => ['Sampled by the client.'] } });
is($got->status . ' ' . $got->header('Content-Type'), '200 application/pdf', 'a layout is shown as PDF') or diag($got->body);
my $shown = lines($got->body);
like($shown, qr/12 Mill Road.*Test report/s, 'a preview has the letterhead of the laboratory');
like($shown, qr/Telephone 555/,             'a preview has the text below the letterhead');
like($shown, qr/Copy in full only/,         'a preview has the text at the foot');
like($shown, qr/Sampled by the client/,     'a preview has the statements that it makes');
like($shown, qr/DRAFT|Draft/,               'a preview is marked as a draft');
unlike($shown, qr/Analysed/,                'a preview has no column that is left out');
like(lines($clerk->post($preview, { certificateLayout => {} })->body), qr/Analysed/, 'the usual layout has all columns');
is($lims->db->selectrow_array(q{SELECT count(*) FROM lims.audit_entry WHERE table_name = 'organization'}), $before, 'nothing is changed by it');
my @keyed = ($preview, { certificateLayout => {} }, headers => { 'Idempotency-Key' => 'one-preview' });
is(join(' ', map { $clerk->post(@keyed)->status } 1 .. 2), '200 200', 'a preview under an Idempotency-Key is made each time');
is($lims->db->selectrow_array('SELECT count(*) FROM lims.idempotency_record WHERE body IS NOT NULL'), 0,
    'the answer with a preview is not kept');
refused($clerk->post($preview, { certificateLayout => { paper => 'a5' } }), 400, 'invalid_body', 'a wrong paper');
like(refused($clerk->post($preview, { certificateLayout => { sections => ['client'] } }), 400, 'invalid_body',
    'a layout without results')->{message}, qr/sections must have all of \["client", "sample"/, 'the refusal of a layout says what is missing');

done_testing();
