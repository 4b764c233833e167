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
        measured_value, upper_limit) VALUES (?, ?, 'MB', 'maximum', ?, 4.75, 5)}, undef, $lims->fixture->{id}, $batch, $ph);
});
# A control that was corrected.
$lab->act(sub {
    $_[0]->do('UPDATE lims.qc_control SET measured_value = 4.5 WHERE organization_id = ? AND qc_batch_id = ?', undef,
        $lims->fixture->{id}, $batch);
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
    like($text, qr/PH, MB\s+mean 4\.5/,     "$name: the PDF has the chart of the control with its title");
    like($text, qr/Points\s+of\s+the\s+chart.*?20\d\d-\S+\s+4\.5\b/s, "$name: the PDF has the points of the chart");
    my ($manifest, %files) = archive("$path/package.zip");
    is($manifest->{package}, $name, "$name: the manifest names the record");
    is(join(' ', grep { !/^attachments/ } sort keys %files), 'charts.json controls.json notes.json package.pdf record.json results.json trail.json worksheets.json',
        "$name: the archive has each part");
    is(decode_json($files{'results.json'})->[0]{result}, '9.1', "$name: the archive has the records as JSON");
    my $trail = decode_json($files{'trail.json'});
    cmp_ok(scalar @$trail, '>', 3, "$name: the archive has the trail as JSON");
    is(scalar(grep { $_->{sentence} =~ /4\.75.*4\.5/ } @$trail), 1, "$name: the trail has the correction of a control");
    like(words($files{'package.pdf'}), qr/Package of \Q$name\E/, "$name: the archive has the PDF");
}
my (undef, %files) = archive("/investigations/$investigation/package.zip");
my $notes = decode_json($files{'notes.json'});
is($notes->{comments}[0]{text}, 'The probe was dry.', 'comments are in it');
is($notes->{files}[0]{sha256}, sha256_hex('picture'), 'files are in it by their digests');
is($files{ $notes->{files}[0]{path} }, 'picture', 'the bytes of a file are in it');
is(decode_json($files{'charts.json'})->[0]{points}[0]{value} + 0, 4.5, 'charts are in it with their points');

my $told = $lims->ctl('--organization', $lims->fixture->{code}, '--user', $ana->{email}, 'qc-batch', 'package-zip', $batch);
is($told->{json}{fileName}, undef, 'limsctl without a printer makes none');
{
    local $ENV{LIMS_PRINTER} = $printer->program;
    $told = $lims->ctl('--organization', $lims->fixture->{code}, '--user', $ana->{email}, 'qc-batch', 'package-zip', $batch);
    is($told->{json}{fileName}, "$batch_number-package.zip", 'limsctl with a printer makes an archive');
}

# --- The files of people ------------------------------------------------------------------

# The bytes of all attachments, as a package of a batch has them, in the manifest of it.
sub attached {
    my ($name, $bytes) = @_;
    return $ana->post('/attachments', { on => { table => 'qc_batch', id => $batch }, fileName => $name,
        contentBase64 => encode_base64($bytes, '') })->json;
}
my $hostile = "../../etc/\x{202e}gpj.exe";
my @attached = map { attached(@$_) } [ 'scan.pdf', 'one' ], [ 'scan.pdf', 'two' ], [ $hostile, 'three' ];
$ana->post("/attachments/$attached[1]{id}/withdraw", { reason => 'the wrong page' });
my $whole;
($whole, %files) = archive("/qc-batches/$batch/package.zip");
my @paths = map { $_->{path} } @{ $whole->{attachments} };
is_deeply(\@paths, [ "attachments/$attached[0]{id}-scan.pdf", "attachments/$attached[1]{id}-scan.pdf",
    "attachments/$attached[2]{id}-.._.._etc__gpj.exe" ], 'each file has a path of its own, which leads nowhere else');
is_deeply([ @files{@paths} ], [qw(one two three)], 'the bytes of all files are in the archive, of withdrawn ones too');
is_deeply([ map { $_->{sha256} } @{ $whole->{attachments} } ], [ map { sha256_hex($_) } qw(one two three) ],
    'the manifest has the digest of each');
my $paper = words($ana->get("/qc-batches/$batch/package.pdf")->body);
like($paper, qr/scan\.pdf, withdrawn: the wrong page/, 'the PDF says which file is withdrawn, and why');
my $solid = $paper =~ s/\s+//gr;
like($solid, qr/\Q@{[ sha256_hex($_) ]}\E/, "the PDF has the digest of the file of $_") for qw(one two three);

# Files that were attached first come first; what is too large is listed.
$lims->superuser->do('CREATE OR REPLACE FUNCTION lims.package_bytes_max() RETURNS bigint LANGUAGE sql IMMUTABLE
    AS $$ SELECT 6::bigint $$');
($whole, %files) = archive("/qc-batches/$batch/package.zip");
is_deeply([ map { $_->{path} } @{ $whole->{attachments} } ], [ @paths[ 0, 1 ], undef ],
    'files are in the archive as long as there is room');
is(join(' ', grep { /^attachments/ } sort keys %files), join(' ', sort @paths[ 0, 1 ]), 'what is left out is not in it');
is_deeply([ @{ $whole->{attachments}[2] }{qw(fileName size sha256)} ], [ $hostile, 5, sha256_hex('three') ],
    'what is left out is listed with its size and digest');
like(words($ana->get("/qc-batches/$batch/package.pdf")->body), qr/left\s+out:\s+the/, 'the PDF says what is left out');

# Whoever may not read attachments has no package.
$lims->superuser->do(q{DELETE FROM lims.role_permission WHERE organization_id = ? AND role = 'analyst'
    AND permission = 'data.read'}, undef, $lims->fixture->{id});
my $blind = LIMS::Service::Person->new($lims, roles => ['analyst']);
refused($blind->get($_), 403, 'permission_required', "without the permission to read records: $_")
    for "/attachments/$attached[0]{id}/content", "/qc-batches/$batch/package.zip", "/investigations/$investigation/package.zip";

# --- Old entries in archives --------------------------------------------------------------

unlike($files{'trail.json'}, qr/archived/, 'while nothing is archived, nothing is said of it');
{
    my $db = $lims->db;
    $db->do("ALTER TABLE lims.$_ DISABLE TRIGGER USER") for qw(audit_entry audit_archive audit_block);
    $db->do(q{INSERT INTO lims.audit_archive (organization_id, id, from_block, to_block, to_position, entries,
        last_entry_at, file_name, sha256, key_id, signature) SELECT ?, n, n, n, n, 1, now(), 'trail-' || n || '.jsonl',
        repeat('0', 64), 'old', repeat('A', 86) || '==' FROM generate_series(1, 2) n}, undef, $lims->fixture->{id});
    $db->do(q{DELETE FROM lims.audit_entry WHERE table_name = 'sample_test' AND record_id = ? AND action = 'insert'},
        undef, $test);
}
(undef, %files) = archive("/qc-batches/$batch/package.zip");
like(decode_json($files{'trail.json'})->[0]{sentence},
    qr/^What was done up to .* is archived in the files trail-1\.jsonl to trail-2\.jsonl and no longer shown here$/,
    'a package says first that older entries of one of its tests are archived, and where');
like(words($files{'package.pdf'}), qr/Trail.*is\s+archived\s+in\s+the\s+files/s,
    'the PDF of the package says that older entries are archived');

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
