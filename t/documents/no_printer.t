#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Where no printer is configured, whatever is a PDF is refused as not available, the refusal
# names the directive, and nothing is kept; labels for label printers need none.
use strict;
use warnings;

use MIME::Base64 qw(encode_base64);

use LIMS::Print qw(png);
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

my $printer = LIMS::Test::Printer->new;
my $lims    = LIMS::Test->new(conf => "LimsApplication on\n");
my $lab     = LIMS::Service::Laboratory->new($lims);
my $boss    = LIMS::Service::Person->new($lims, roles => [qw(administrator lab_manager qa_officer receiving_clerk)]);

$lims->allow_log(qr/LIMS0396: 503 service_unavailable/);

# A certificate of an order's sample, and a batch with a control that is charted.
my $definition = $lab->definition(code => 'PH');
my $made       = $lab->_ask('POST', '/orders', { clientId => $lab->client, samples => [
    { materialTypeId => $lab->material, testDefinitionIds => [$definition] } ] }, 201);
my $sample = $made->{samples}[0]{id};
my ($test) = $lab->tests($lims->get("/samples/$sample")->json);
my $batch  = $lab->qc_batch($test);
$lab->act(sub {
    $_[0]->do(q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type, criterion, test_definition_id,
        measured_value, upper_limit) VALUES (?, ?, 'MB', 'maximum', ?, 4.5, 5)}, undef, $lims->fixture->{id}, $batch,
        $definition);
    $_[0]->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lims->fixture->{id}, $batch);
});
$lab->enter($test, '1.20');
$lab->verify($test);
$lab->_ask('POST', "/samples/$sample/report", undef, 200);
my $certificate = $printer->issue_of($lab, { id => $sample });
my $young       = $lab->sample(testDefinitionIds => [$definition])->{id};
my $series      = $lab->value('SELECT min(id) FROM lims.qc_series');

for ([ 'a draft', "/samples/$young/certificate-preview.pdf" ],
    [ 'the certificates of an order', "/orders/$made->{order}{id}/certificates.pdf" ],
    [ 'labels', "/labels?ids=$young" ],
    [ 'a list', '/samples/export.pdf' ],
    [ 'a control chart', "/qc-series/$series/chart.pdf" ],
    [ 'a package as PDF', "/qc-batches/$batch/package.pdf" ],
    [ 'a package as ZIP', "/qc-batches/$batch/package.zip" ]) {
    my ($what, $path) = @$_;
    like(refused($boss->get($path), 503, 'service_unavailable', $what)->{message},
        qr/There is no printer on this server: no LimsPrinter is configured/, "the refusal names the directive: $what");
}
for ([ 'the preview of a layout', '/organization/certificate-layout/preview', { certificateLayout => {} } ],
    [ 'a logo', '/organization/logo', { contentBase64 => encode_base64(png(4, 2), ''), reason => 'a new name' } ]) {
    my ($what, $path, $body) = @$_;
    like(refused($boss->post($path, $body), 503, 'service_unavailable', $what)->{message},
        qr/There is no printer on this server: no LimsPrinter is configured/, "the refusal names the directive: $what");
}
is($lab->value('SELECT count(*) FROM lims.logo'), 0, 'no logo is kept');
my $zpl = $boss->get("/labels?ids=$young&format=zpl");
is($zpl->status, 200, 'labels for label printers need none');
like($zpl->body, qr/\A\^XA/, 'they are ZPL');
refused($boss->get("/certificates/$certificate->{id}.pdf"), 409, 'document_pending', 'the document of a certificate');

done_testing();
