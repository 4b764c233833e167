#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A certificate that was changed or removed behind the service's back is never delivered:
# neither other bytes than were made, nor another content than was issued.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

my $printer = LIMS::Test::Printer->real;
my $go_on   = $printer->hold;
my $lims    = LIMS::Test->new(conf => $printer->conf);
my $lab     = LIMS::Service::Laboratory->new($lims);
my $clerk   = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);

# Changes rows as somebody with all rights on the database could.
sub damage {
    my ($statement, @values) = @_;
    my $db = $lims->superuser;
    $db->do('SET session_replication_role = replica');
    is($db->do($statement, undef, @values) + 0, 1, 'one row is damaged');
    return $db->do('RESET session_replication_role');
}

# Asks for what is damaged: an error of the server that names it in the log.
sub damaged {
    my ($path, $line, $name) = @_;
    my $got = $clerk->get($path);
    is($got->status . ' ' . $got->json->{error}, '500 internal', $name);
    return $lims->expect_log(qr/LIMS0037.*XX001 $line/, "the log names it: $line");
}

my $made = $lab->_ask('POST', '/orders', { clientId => $lab->client(code => 'RIV', name => 'River Works'),
    samples => [ { materialTypeId => $lab->material, testDefinitionIds => [ $lab->definition ] } ] }, 201);
my $order  = $made->{order};
my $sample = $lims->get("/samples/$made->{samples}[0]{id}")->json;
for my $test ($lab->tests($sample)) {
    $lab->enter($test, '1.20');
    $lab->verify($test);
}
$lims->post("/samples/$sample->{id}/report");
my $certificate = $printer->issue_of($lab, $sample);

# One that waits behind it is damaged before it is printed.
my $waiting = $printer->issue($lab);
damage(q{UPDATE lims.certificate SET content = jsonb_set(content, '{results,0,result}', '"0.12"') WHERE id = ?},
    $waiting->{id});
$lims->allow_log(qr/LIMS0390/);
$go_on->();
my $failed = $printer->settled($lab, $waiting, 60);
is($failed->{state}, 'failed', 'no document is made of a changed content');
like($failed->{failure}, qr/not the one that was issued/, 'the reason is said');
$lims->expect_log(qr/LIMS0390.*not the one that was issued/, 'the log names it, too');

is($printer->settled($lab, $certificate, 60)->{state}, 'made', 'a certificate has its document');
my $id = $certificate->{id};
my @ways = ("/certificates/$id.pdf", "/certificates/$id/content", "/orders/$order->{id}/certificates.pdf");
is(join(' ', map { $clerk->get($_)->status } @ways), '200 200 200', 'what is as it was made is delivered');

my $document = $printer->document($lab, $certificate)->{id};
damage('UPDATE lims.document_content SET content = set_byte(content, 500, get_byte(content, 500) # 1) WHERE document_id = ?',
    $document);
damaged($ways[0], "document $document has other bytes than were made", 'a document with a changed byte is not delivered');
damage('DELETE FROM lims.document_content WHERE document_id = ?', $document);
damaged($ways[0], "document $document has no bytes", 'a document without its bytes is not delivered as an empty one');

damage(q{UPDATE lims.certificate SET content = jsonb_set(content, '{results,0,result}', '"0.12"') WHERE id = ?}, $id);
damaged($ways[$_], "the content of certificate $certificate->{certificateNumber}, version 1, is not the one",
    "a changed result is not delivered: $ways[$_]") for 1, 2;
done_testing();
