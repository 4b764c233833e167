#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The document of a certificate is printed right behind its issue, kept, and announced with
# its bytes; a printer that crashes, hangs or answers nonsense costs one document, which is
# named, and announced without bytes.
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

# --- Made -------------------------------------------------------------------------------

my $certificate = $printer->issue($lab);
my $document    = $printer->settled($lab, $certificate);

is($document->{state}, 'made', 'the document is made');
cmp_ok($lab->value('SELECT extract(epoch FROM made_at - created_at) FROM lims.document WHERE id = ?',
    $document->{id}), '<', 5, 'a document is made within 5 seconds, without waiting for the next poll');
is($printer->events($lab, $certificate), 1, 'coa.generated is written once');
is($lab->value('SELECT created_at = announced_at FROM lims.document WHERE id = ?', $document->{id}), 0,
    'the event is written with the bytes, and not with the issue');
is($lab->value(q{SELECT d.made_at = d.announced_at AND e.xmin = c.xmin FROM lims.document d
    JOIN lims.event e ON e.organization_id = d.organization_id AND e.id = d.event_id AND e.type = 'coa.generated'
    JOIN lims.document_content c ON c.organization_id = d.organization_id AND c.document_id = d.id WHERE d.id = ?},
    $document->{id}), 1, 'the event is written by the transaction that stores the bytes');
my $bytes = $lims->db->selectrow_array(
    'SELECT content FROM lims.document_content WHERE document_id = ?', undef, $document->{id});
is(sha256_hex($bytes), $document->{digest}, 'its digest is that of its bytes');
is(length $bytes, $document->{size}, 'its size too');
like($bytes, qr/\A%PDF-1\.7 printed by a test\n[0-9a-f]{64}\n\z/, 'they are what was printed');

my $record = $lims->get("/certificates/$certificate->{id}")->json;
is("@{ $record->{document} }{qw(id state sha256 size)}",
    "@$document{qw(id state digest size)}", 'the certificate shows it');

# Whoever holds it, signed in or not.
sub compared {
    my ($digest) = @_;
    return LIMS::Service::Person->new($lims)->get(
        "/verifications?code=$record->{verificationCode}&sha256=$digest", cookie => undef,
        session => undef)->json->{fileMatches};
}
ok(compared($document->{digest}), 'a file with that digest is the document');
is(compared('0' x 64) ? 1 : 0, 0, 'another one is not');

# --- Never made ---------------------------------------------------------------------------

my %reason = (
    crash       => qr/\Athe printer failed: it was ended by signal 6: this printer crashes/,
    hang        => qr/\Athe printer took too long/,
    garbage     => qr/\Athe printer failed: it answered what is no answer/,
    'too large' => qr/\Athe printer failed: it answered with too many bytes/,
    memory      => qr/\Athe printer failed: it ended with status 1: Out of memory/,
    refuse      => qr/\Athe name of the client cannot be printed\z/,
);
# The service built with AddressSanitizer bounds no memory of the printer (documents/printer.h).
delete $reason{memory} if LIMS::Instance::foreign_malloc();
my %issued = map { $_ => $printer->issue($lab, clientName => "printer: $_") } sort keys %reason;
my $after  = $printer->issue($lab);

is($printer->settled($lab, $after, 60)->{state}, 'made', 'a document behind them is made');
for my $how (sort keys %reason) {
    my $failed = $printer->settled($lab, $issued{$how}, 60);

    is($failed->{state}, 'failed', "$how: the document is failed");
    like($failed->{failure}, $reason{$how}, "$how: the failure says what the printer did");
    is($failed->{attempts}, $how eq 'refuse' ? 1 : 3, "$how: as many attempts are made as are due");
    is($printer->events($lab, $issued{$how}), 1, "$how: the event is written once");
    $lims->expect_log(qr/LIMS0390: document $failed->{id} of certificate \Q$issued{$how}{certificateNumber}\E/);
    my ($finding) = grep { $_->{category} eq 'document_failed' }
        @{ $lims->get("/samples/$issued{$how}{sampleId}/readiness")->json->{findings} };
    is($finding->{severity}, 'warning', "$how: the finding of the sample is a warning, which blocks nothing");
}
is($printer->settled($lab, $printer->issue($lab, clientName => 'printer: noise'))->{state}, 'failed',
    'one that fills standard error is ended by the time-out');
$lims->expect_log(qr/LIMS0390: .*took too long/);

# --- Made by another attempt --------------------------------------------------------------

my $once = $printer->settled($lab, my $second = $printer->issue($lab, clientName => 'printer: crash once'));
is("@$once{qw(state attempts)}", 'made 1', 'a document that failed once is made by the next attempt');
is($printer->events($lab, $second), 1, 'the event of a document that failed once is written once');
ok(!defined $once->{failure}, 'a document that was made after a failure says nothing of the failure');

done_testing();
