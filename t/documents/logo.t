#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The logo of certificates: what is uploaded is kept as the printer writes it anew, by who
# manages policies, with a reason; a certificate keeps the logo of its issue, with the bytes
# that were there then; what is no picture is refused.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use MIME::Base64 qw(encode_base64);

use LIMS::Print qw(png);
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

my $printer = LIMS::Test::Printer->real;
my $lims    = LIMS::Test->new(conf => $printer->conf);
my $lab     = LIMS::Service::Laboratory->new($lims);
my $adam    = LIMS::Service::Person->new($lims, roles => ['administrator']);
my $clerk   = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
my $path    = '/organization/logo';
my @why     = (reason => 'a new name');

sub upload { my ($who, $bytes) = @_; return $who->post($path, { contentBase64 => encode_base64($bytes, ''), @why }) }

# The digests of the pictures in a PDF, as pdfimages finds their pixels, without the QR code.
sub pictures_in {
    my ($pdf) = @_;
    my $file = LIMS::Print::written($pdf);
    my @kinds = map { (split)[2] } grep { /\A\s*\d/ } split /\n/, LIMS::Print::command('pdfimages', '-list', $file);
    LIMS::Print::command('pdfimages', '-png', $file, $file);
    my @files = sort glob "$file-*.png";
    return map { sha256_hex(LIMS::Print::slurp($files[$_])) } grep { $kinds[$_] ne 'stencil' } 0 .. $#files;
}

sub pdf_of {
    my ($certificate) = @_;
    is($printer->settled($lab, $certificate)->{state}, 'made', 'the document is made');
    return $adam->get("/certificates/$certificate->{id}.pdf")->body;
}

# --- None, one, another -------------------------------------------------------------------

refused($clerk->get($path), 404, 'not_found', 'a laboratory without a logo');
my $without = $printer->issue($lab);
is(scalar pictures_in(pdf_of($without)), 0, 'its certificates have none');

my $png  = png(40, 20);
my $made = upload($adam, $png);
is($made->status, 200, 'a logo is uploaded') or diag($made->body);
my $kept = $clerk->get($path);
is($kept->status, 200, 'everybody who reads sees the logo');
is(sha256_hex($kept->body), $made->json->{logoSha256}, 'the logo is kept under the digest of its bytes');
isnt(sha256_hex($kept->body), sha256_hex($png), 'the logo is kept as the printer wrote it anew');
my ($entry) = @{ $lims->db->selectcol_arrayref(
    q{SELECT changes -> 'logo_sha256' ->> 'new' FROM lims.audit_entry WHERE table_name = 'organization'
      AND reason = 'a new name' AND changes -> 'logo_sha256' IS NOT NULL}) };
is($entry, '\x' . $made->json->{logoSha256}, 'the trail has its digest');

my $with = $printer->issue($lab);
my $pdf  = pdf_of($with);
my @drawn = pictures_in($pdf);
cmp_ok(scalar @drawn, '>', 0, 'a certificate is printed with it');
is($lab->value(q{SELECT content #>> '{laboratory,logoSha256}' FROM lims.certificate WHERE id = ?}, $with->{id}),
    $made->json->{logoSha256}, 'the content of a certificate names its logo');

my $second = upload($adam, png(60, 60));
isnt($second->json->{logoSha256}, $made->json->{logoSha256}, 'another logo');
my @other = pictures_in(pdf_of(my $later = $printer->issue($lab)));
isnt("@other", "@drawn", 'another logo is on later certificates');
is($lab->value('SELECT count(*) FROM lims.logo'), 2, 'the former one is kept');
my $job = $lab->value('SELECT lims.certificate_print_job(organization_id, content, false)::text FROM lims.certificate
    WHERE id = ?', $with->{id});
my ($again) = LIMS::Print::made($job);
is($again, $pdf, 'the older certificate prints byte for byte as it was');

my $back = upload($adam, $png);
is($back->json->{logoSha256}, $made->json->{logoSha256}, 'the former one again is the same');
is($lab->value('SELECT count(*) FROM lims.logo'), 2, 'the same logo is not kept twice');

# --- Removed ------------------------------------------------------------------------------

my $removed = $adam->delete($path, { @why });
is($removed->status . ' ' . ($removed->json->{logoSha256} // 'none'), '200 none', 'a logo is removed');
refused($clerk->get($path), 404, 'not_found', 'a removed logo is not shown');
is(scalar pictures_in(pdf_of($printer->issue($lab))), 0, 'a removed logo is not printed on later certificates');
is($lab->value('SELECT count(*) FROM lims.logo'), 2, 'a removed logo is kept for the certificates that have it');

# --- What is refused ----------------------------------------------------------------------

my %broken = (
    'no picture'              => [ 'GIF89a',                            qr/not a PNG/ ],
    'a picture cut short'     => [ substr($png, 0, 60),                 qr/cannot be used/ ],
    'a picture with a part that says it has 2 GB' => [ substr($png, 0, 33) . "\x73\0\0\0tEXt" . substr($png, 33),
        qr/one of its parts says that it is longer than it is/ ],
    'a picture of 5,000 pixels' => [ png(5000, 1),                      qr/at most 4000 on a side/ ],
);
for my $what (sort keys %broken) {
    my ($bytes, $reason) = @{ $broken{$what} };
    like(refused(upload($adam, $bytes), 400, 'invalid_body', $what)->{message}, $reason, "the refusal of $what says why it is none");
}
refused($adam->post($path, { contentBase64 => '?', @why }), 400, 'invalid_body', 'what is no base64');
refused($adam->post($path, { contentBase64 => encode_base64("x" x 1_100_000, ''), @why }), 400, 'invalid_body',
    'a file larger than 1 MB');
refused($adam->post($path, { contentBase64 => encode_base64($png, '') }), 400, 'invalid_body', 'without a reason');
refused(upload($clerk, $png), 403, 'permission_required', 'who does not manage policies');
is($lab->value('SELECT count(*) FROM lims.logo'), 2, 'nothing of that is kept');

# --- Another organization, the database ---------------------------------------------------

my $other  = $lims->organization(code => 'other');
my $theirs = LIMS::Service::Person->new($lims, organization => $other, roles => ['administrator']);
upload($adam, $png);
refused($theirs->get($path), 404, 'not_found', "another organization does not see it");
my $app = $lims->app_db($other->{id});
is($app->selectrow_array('SELECT count(*) FROM lims.logo'), 0,
    'the run-time role does not see it there');
$app = $lims->app_db($lims->fixture->{id});
for my $write (q{INSERT INTO lims.logo (organization_id, content) VALUES (1, 'x')},
    'UPDATE lims.logo SET added_by = NULL', 'DELETE FROM lims.logo')
{
    ok(!eval { local $app->{PrintError} = 0; $app->do($write); 1 }, "the run-time role may not: $write");
}
ok(!eval { $lims->db->do('DELETE FROM lims.logo'); 1 }, 'nobody removes a logo');
ok(!eval { $lims->db->do(q{UPDATE lims.organization SET logo_sha256 = sha256('x') WHERE id = ?}, undef, $other->{id}); 1 },
    'a logo that there is not is none of an organization');

# --- Where acts are signed ----------------------------------------------------------------

$lims->db->do('UPDATE lims.organization SET esignature_required = true WHERE id = ?', undef, $lims->fixture->{id});
refused($adam->delete($path, { @why }), 403, 'esignature_required', 'where acts are signed, so is this');
my $seen = $adam->get('/signed-contents?table=organization&recordId=' . $lims->fixture->{id})->json->{data}[0]{contentHash};
my $signed = $adam->post($path, { contentBase64 => encode_base64(png(10, 10), ''), @why,
    signature => { password => $LIMS::Service::Person::password, contentHash => $seen } });
is($signed->status, 200, 'a logo is changed with a signature') or diag($signed->body);

done_testing();
