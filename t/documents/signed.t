#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# With LimsDocumentKey the document of a certificate is signed before it is kept, as PAdES
# baseline B-B: readers of PDF find the signature valid, the same document signed again has
# the same bytes, and a changed byte is told; a key that cannot sign stops httpd.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use File::Temp ();

use LIMS::Print qw(command words written);
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

my $folder = File::Temp->newdir('lims-key-XXXXXX', TMPDIR => 1);

sub quietly {
    my ($command) = @_;
    system("cd $folder && $command 2>/dev/null") == 0 or die "$command\n";
    return;
}

sub write_file {
    my ($name, $text, $mode) = @_;
    open my $file, '>', "$folder/$name" or die "$name: $!\n";
    print {$file} $text;
    close $file or die "$name: $!\n";
    chmod $mode // 0600, "$folder/$name";
    return "$folder/$name";
}

my $usage = '-addext keyUsage=critical,digitalSignature,nonRepudiation';
quietly("openssl req -x509 -newkey rsa:2048 -nodes -keyout rsa.key -out rsa.crt -days 30 -subj '/CN=River Laboratory' $usage");
quietly('openssl pkcs12 -export -inkey rsa.key -in rsa.crt -passout pass:secret -out rsa.p12');
quietly("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ec.key -out ec.crt -days 30 -subj '/CN=River' $usage");
quietly('cat ec.key ec.crt > ec.pem');
quietly("openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.crt -days 30 -subj '/CN=Other' "
        . '-addext keyUsage=critical,keyEncipherment');
quietly('cat rsa.key other.crt > unfit.pem; cat other.key other.crt > encipher.pem; cat rsa.crt > bare.pem');
chmod 0600, glob "$folder/*";
my $passphrase = write_file('passphrase', "secret\n");

my $printer = LIMS::Test::Printer->real;
my $key     = "LimsDocumentKey $folder/rsa.p12\nLimsDocumentPassphraseFile $passphrase\n";
my $lims    = LIMS::Test->new(conf => $printer->conf . $key);
my $lab     = LIMS::Service::Laboratory->new($lims);
my $clerk   = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);

sub pdf_of { return $clerk->get("/certificates/$_[0]{id}.pdf")->body }
sub told   { return command('pdfsig', '-nocert', written($_[0], 'signed.pdf')) }

# --- Signed -------------------------------------------------------------------------------

my $certificate = $printer->issue($lab);
my $document    = $printer->settled($lab, $certificate);
is($document->{state}, 'made', 'the document is made') or diag($document->{failure});
my $pdf    = pdf_of($certificate);
my $report = told($pdf);
is(sha256_hex($pdf), $document->{digest}, 'its digest is that of the signed bytes');
like($report, qr/Signature Type: ETSI\.CAdES\.detached/,  'pdfsig finds a signature of PAdES');
like($report, qr/Signature Validation: Signature is Valid/, 'pdfsig finds that the signature is valid');
like($report, qr/Total document signed/,                  'the signature covers the whole document');
like($report, qr/Signer Certificate Common Name: River Laboratory/, 'the signature is by the certificate of the laboratory');
like(words($pdf), qr/\Q$certificate->{certificateNumber}\E/, 'the certificate is read as before');
like(command('qpdf', '--check', written($pdf, 'checked.pdf')), qr/No syntax or stream encoding errors found/,
    'the file is well-formed');

# A signed document is still one for the archive (t/print/archive.t has those without a signature).
my $objects = command('qpdf', '--qdf', '--object-streams=disable', written($pdf, 'kept.pdf'), '-');
like($objects, $_->[1], "signed, $_->[0]") for [ 'it is tagged', qr{/MarkInfo <<\s+/Marked true} ],
    [ 'it has a language', qr{/Lang \(en\)|/Lang <feff0065006e>}i ], [ 'it has an output intent', qr{/S /GTS_PDFA1} ],
    [ 'the field of its signature is printed, and nothing of it is seen', qr{/F 132\s.*/Rect \[\s+0\s+0\s+0\s+0\s+\].*/Subtype /Widget}s ];
unlike($objects, qr{/Interpolate true|/JavaScript|/Launch|/Encrypt|/EmbeddedFiles|/LZWDecode},
    'signed, it has nothing that an archive forbids');
like(command('pdfinfo', '-meta', written($pdf, 'kept.pdf')), qr{<pdfaid:part>2<.*<pdfaid:conformance>B<}s,
    'signed, its metadata says PDF/A-2b');
is(scalar(grep { !/ yes yes yes +\d+ +\d+$/ } grep { !/^(?:name|-)/ } split /\n/, command('pdffonts', written($pdf, 'kept.pdf'))),
    0, 'signed, its fonts are embedded');

# The attributes name the certificate, and no time besides the one of /M.
my ($hex) = $pdf =~ m{/Contents <([0-9a-f]+)>};
my $der   = pack 'H*', $hex;
my $size  = unpack 'n', substr $der, 2, 2;
my $cms   = command('openssl', 'cms', '-cmsout', '-print', '-inform', 'DER', '-in', written(substr($der, 0, $size + 4), 'cms.der'));
like($cms, qr/id-smime-aa-signingCertificateV2/, 'the signature names its certificate');
unlike($cms, qr/signingTime/, 'the signature has no time of its own');
my $at = $lab->value(q{SELECT to_char(issued_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS') FROM lims.certificate WHERE id = ?},
    $certificate->{id});
like($pdf, qr{/M \(D:${at}Z\)}, 'the time of signing is that of the issue');

# --- Told apart ---------------------------------------------------------------------------

my $changed = $pdf;
my $place   = index $changed, 'stream';
substr $changed, $place + 40, 1, chr(ord(substr $changed, $place + 40, 1) ^ 1);
like(told($changed), qr/Digest Mismatch|Signature is Invalid/, 'a changed byte is told');

# An update behind the signature, which replaces the metadata.
my ($last) = $pdf =~ /.*startxref\n(\d+)/s;
my ($root, $total) = map { $pdf =~ m{.*/$_ (\d+)}s } qw(Root Size);
my $object  = sprintf "%d 0 obj\n<< /Title (Another) >>\nendobj\n", $total;
my $updated = $pdf . $object . sprintf "xref\n%d 1\n%010d 00000 n \ntrailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /Prev %d >>\n"
    . "startxref\n%d\n%%%%EOF\n", $total, length $pdf, $total + 1, $root, $total, $last, length($pdf) + length $object;
like(command('pdfinfo', written($updated, 'updated.pdf')), qr/Title:\s+Another/, 'an update behind the signature is read');
like(told($updated), qr/Not total document signed/, 'pdfsig tells that it is not signed');
my $code = $lims->get("/certificates/$certificate->{id}")->json->{verificationCode};
for ([ $pdf, 1, 'the signed file is the document' ], [ $changed, 0, 'the changed one is not' ]) {
    my ($bytes, $matches, $name) = @$_;
    is($clerk->get("/verifications?code=$code&sha256=" . sha256_hex($bytes), cookie => undef, session => undef)
            ->json->{fileMatches} ? 1 : 0, $matches, $name);
}

# --- At the command line ------------------------------------------------------------------

$lims->stop;
my $second = LIMS::Test->new(name => 'second', beside => $lims, conf => "LimsApplication on\n");
my $without = LIMS::Service::Laboratory->new($second);
$without->{number} = 100;    # codes besides those of the first
my $waiting = LIMS::Test::Printer->real->issue($without);
{
    local @ENV{qw(LIMS_PRINTER LIMS_DOCUMENT_KEY)} = ($printer->program, "$folder/ec.pem");
    is($second->ctl('print')->{json}{documents}, 1, 'limsctl prints a document');
    my ($found) = grep { $_->{subject} eq 'document key' } @{ $second->ctl('check')->{json}{findings} };
    is("$found->{state}: $found->{finding}", "warning: the certificate of $folder/ec.pem ends in 29 days",
        'limsctl check warns of a certificate that ends soon');
}
my $theirs = $second->db->selectrow_array(
    'SELECT content FROM lims.document_content c JOIN lims.document d ON d.id = c.document_id WHERE certificate_id = ?',
    undef, $waiting->{id});
like(told($theirs), qr/Total document signed.*Signature is Valid/s, 'limsctl signs by its key, here of EC');
{
    local @ENV{qw(LIMS_PRINTER LIMS_DOCUMENT_KEY)} = ($printer->program, "$folder/none.pem");
    like($second->ctl('print')->{output}, qr/LIMS_DOCUMENT_KEY: there is no file/, 'a key that there is not is refused');
}

{
    local $ENV{LIMS_PRINTER} = $printer->program;
    my $another = LIMS::Test::Printer->real->issue($without);
    my $answer  = $second->ctl('print');
    is($answer->{exit}, 2, 'beside a service that signs, limsctl without a key prints nothing');
    like($answer->{output}, qr/are signed, and no LIMS_DOCUMENT_KEY is set here/, 'the refusal says why');
    is($printer->document($without, $another)->{state}, 'pending', 'the document waits');
    local $ENV{LIMS_DOCUMENT_KEY} = "$folder/ec.pem";
    is($second->ctl('print')->{json}{documents}, 1, 'with a key it is printed');
}

# --- The same bytes -----------------------------------------------------------------------

{
    local @ENV{qw(LIMS_PRINTER LIMS_DOCUMENT_KEY LIMS_DOCUMENT_PASSPHRASE_FILE)}
        = ($printer->program, "$folder/rsa.p12", $passphrase);
    my @bytes = map {
        my $one = LIMS::Test::Printer->real->issue($without);
        $second->superuser->do('ALTER TABLE lims.certificate DISABLE TRIGGER USER');
        $second->db->do('UPDATE lims.certificate SET (content, sha256, issued_at) = (SELECT content, sha256, issued_at FROM lims.certificate
            WHERE id = ?) WHERE id = ?', undef, $certificate->{id}, $one->{id});
        $second->superuser->do('ALTER TABLE lims.certificate ENABLE TRIGGER USER');
        $second->ctl('print');
        $second->db->selectrow_array('SELECT content FROM lims.document_content c JOIN lims.document d
            ON d.id = c.document_id WHERE certificate_id = ?', undef, $one->{id});
    } 1;
    is($bytes[0], $pdf, 'the same content signed again by an RSA key has the same bytes');
}

# --- What cannot be signed ----------------------------------------------------------------

# The printer of a test answers with bytes that only begin like a PDF.
my $strange = LIMS::Test::Printer->new;
my $third   = LIMS::Test->new(name => 'third', beside => $lims, conf => $strange->conf . $key);
my $bare    = LIMS::Service::Laboratory->new($third);
$bare->{number} = 200;
my $unsigned = $strange->issue($bare);
my $given_up = $strange->settled($bare, $unsigned, 60);
is($given_up->{state}, 'failed', 'a document that cannot be signed is failed');
like($given_up->{failure}, qr/\Ait could not be signed: it has another form than the printer's/, 'its failure says why');
is($third->db->selectrow_array('SELECT count(*) FROM lims.document_content WHERE document_id = ?', undef,
    $given_up->{id}), 0, 'no bytes of it are kept without a signature');
is($strange->events($bare, $unsigned), 1, 'its event is written once');
$third->expect_log(qr/LIMS0390: .*could not be signed/);
$third->stop;

# --- Keys that cannot sign ----------------------------------------------------------------

my %refused = (
    'a file that there is not'         => [ 'none.p12',     undef,       qr/there is no file/ ],
    'a wrong passphrase'               => [ 'rsa.p12',      'wrong',     qr/cannot be opened with the passphrase/ ],
    'a passphrase file that is open'   => [ 'rsa.p12',      'open',      qr/open is open to others/ ],
    'a certificate of another key'     => [ 'unfit.pem',    undef,       qr/has no certificate of its private key/ ],
    'a certificate that does not sign' => [ 'encipher.pem', undef,       qr/not for signing \(keyUsage\)/ ],
    'a certificate alone'              => [ 'bare.pem',     undef,       qr/has no private key/ ],
    'a key that others may read'       => [ 'public.pem',   undef,       qr/open to others than its owner/ ],
    'what is neither'                  => [ 'text',         undef,       qr/neither PKCS#12 nor PEM/ ],
);
write_file('wrong', "another\n");
write_file('open',  "secret\n", 0644);
write_file('text',  'Hello');
quietly('cp ec.pem public.pem && chmod 644 public.pem');
for my $what (sort keys %refused) {
    my ($file, $opened_by, $reason) = @{ $refused{$what} };
    my $conf = "LimsDocumentKey $folder/$file\n" . ($opened_by ? "LimsDocumentPassphraseFile $folder/$opened_by\n" : '');
    my $started = eval { LIMS::Test->new(name => 'refused', beside => $lims, conf => $printer->conf . $conf); 1 };
    ok(!$started, "httpd does not start with $what");
    like($@, $reason, "the line about $what says what is wrong");
}

done_testing();
