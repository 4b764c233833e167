#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The package of an investigation or of a QC batch has its results, controls with their
# charts, worksheets, notes and trail, as PDF and as an archive whose manifest fits.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use JSON::PP;
use MIME::Base64 qw(encode_base64);

use LIMS::Print qw(command words written);
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

my $printer = LIMS::Test::Printer->real;
my $lims    = LIMS::Test->new(conf => $printer->conf);
my $lab     = LIMS::Service::Laboratory->new($lims);
my $ana     = LIMS::Service::Person->new($lims, roles => ['lab_manager']);
my $ph      = $lab->definition(code => 'PH', specification_low => 6.5, specification_high => 8.5);

$lab->worksheet_template($ph, ['buffer'], []);
my ($sample) = $lab->sample(testDefinitionIds => [$ph], plantLocation => 'Well 4');
my ($test)   = $lab->tests($sample);
my $batch    = $lab->qc_batch($test);
$lab->act(sub {
    $_[0]->do(q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type, criterion, test_definition_id,
        measured_value, upper_limit) VALUES (?, ?, 'MB', 'maximum', ?, 4.5, 5)}, undef, $lims->fixture->{id}, $batch, $ph);
    $_[0]->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lims->fixture->{id}, $batch);
});
$lab->worksheet_fill($test, buffer => 'B-17');
$lab->enter($test, '9.1');
my $investigation = $lab->value('SELECT id FROM lims.investigation WHERE sample_test_id = ?', $test);
my $number        = $lab->value('SELECT investigation_number FROM lims.investigation WHERE id = ?', $investigation);
$ana->post('/comments', { on => { table => 'investigation', id => $investigation }, text => 'The probe was dry.' });
$ana->post('/attachments', { on => { table => 'investigation', id => $investigation }, fileName => 'probe.jpg',
    contentBase64 => encode_base64('picture', '') });
my $batch_number = $lab->value('SELECT batch_number FROM lims.qc_batch WHERE id = ?', $batch);

sub archive {
    my ($path) = @_;
    my $got  = $ana->get($path);
    my $file = written($got->body, 'package.zip');
    is($got->status, 200, "an archive: $path") or diag($got->body);
    like(command('unzip', '-t', $file), qr/No errors detected/, "unzip finds the archive whole: $path");
    my %files = map { $_ => command('unzip', '-p', $file, $_) } grep { length } split /\n/, command('unzip', '-Z1', $file);
    my $manifest = decode_json(delete $files{'manifest.json'});
    is_deeply({ map { $_->{name} => "$_->{size} $_->{sha256}" } @{ $manifest->{files} } },
        { map { $_ => length($files{$_}) . ' ' . sha256_hex($files{$_}) } keys %files },
        "the manifest has the size and digest of each file: $path");
    return ($manifest, %files);
}

for ([ "/investigations/$investigation", $number ], [ "/qc-batches/$batch", $batch_number ]) {
    my ($path, $name) = @$_;
    my $got  = $ana->get("$path/package.pdf");
    my $text = words($got->body);

    is($got->status . ' ' . $got->header('Content-Type'), '200 application/pdf', "the package of $name as PDF") or diag($got->body);
    like($got->header('Content-Disposition'), qr/filename="\Q$name\E-package\.pdf"/, "$name: the PDF is named after its record");
    like($text, qr/Package of \Q$name\E/,     "$name: the PDF has the name of its record");
    like($text, qr/\Q$sample->{trackingId}\E.*9\.1/s, "$name: the PDF has the results of its tests");
    like($text, qr/\Q$batch_number\E.*4\.5/s, "$name: the PDF has the controls of its batch");
    like($text, qr/buffer.*B-17/si,           "$name: the PDF has the worksheets of its tests");
    like($text, qr/Trail.*entered/s,          "$name: the PDF has the trail in words");
    my ($manifest, %files) = archive("$path/package.zip");
    is($manifest->{package}, $name, "$name: the manifest names the record");
    is(join(' ', sort keys %files), 'charts.json controls.json notes.json package.pdf record.json results.json trail.json worksheets.json',
        "$name: the archive has each part");
    is(decode_json($files{'results.json'})->[0]{result}, '9.1', "$name: the archive has the records as JSON");
    cmp_ok(scalar @{ decode_json($files{'trail.json'}) }, '>', 3, "$name: the archive has the trail as JSON");
    like(words($files{'package.pdf'}), qr/Package of \Q$name\E/, "$name: the archive has the PDF");
}
my (undef, %files) = archive("/investigations/$investigation/package.zip");
my $notes = decode_json($files{'notes.json'});
is($notes->{comments}[0]{text}, 'The probe was dry.', 'comments are in it');
is($notes->{files}[0]{sha256}, sha256_hex('picture'), 'files are in it by their digests');
is(decode_json($files{'charts.json'})->[0]{points}[0]{value} + 0, 4.5, 'charts are in it with their points');

my $told = $lims->ctl('--organization', $lims->fixture->{code}, '--user', $ana->{email}, 'qc-batch', 'package-zip', $batch);
is($told->{json}{fileName}, undef, 'limsctl without a printer makes none');
{
    local $ENV{LIMS_PRINTER} = $printer->program;
    $told = $lims->ctl('--organization', $lims->fixture->{code}, '--user', $ana->{email}, 'qc-batch', 'package-zip', $batch);
    is($told->{json}{fileName}, "$batch_number-package.zip", 'limsctl with a printer makes an archive');
}

# --- Whose it is, and what is too large ---------------------------------------------------

my $other  = $lims->organization(code => 'other');
my $theirs = LIMS::Service::Person->new($lims, organization => $other);
my $nobody = LIMS::Service::Person->new($lims, roles => ['client_viewer']);
for my $path (map { ("$_/package.pdf", "$_/package.zip") } "/investigations/$investigation", "/qc-batches/$batch") {
    refused($theirs->get($path), 404, 'not_found', "another organization's person: $path");
    refused($lims->get($path), 404, 'not_found', "no API key reaches $path");
}
refused($ana->get('/investigations/999999/package.pdf'), 404, 'not_found', 'an investigation of nobody');
$lims->superuser->do('CREATE OR REPLACE FUNCTION lims.package_tests(p_organization bigint, p_table text, p_id bigint)
    RETURNS bigint[] LANGUAGE sql STABLE AS $$ SELECT array_agg(i) FROM generate_series(1, 1001) i (i) $$');
like(refused($ana->get("/qc-batches/$batch/package.zip"), 413, 'payload_too_large', 'a package of 1,001 tests')->{message},
    qr/at most 1,000/, 'the refusal says how many are taken');

done_testing();
