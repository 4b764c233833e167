#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A document that can never be made is named within a minute, however it fails: also one that
# ends the process of httpd which prints it, and one that takes longer than is left of the
# minute. Nobody but the job that claimed a document keeps or fails it.
use strict;
use warnings;

use LIMS::Instance;
use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Test::Printer;
use LIMS::Wait;

my $printer = LIMS::Test::Printer->new(timeout => 1000);
my $lims    = LIMS::Test->new(conf => $printer->conf);
my $lab     = LIMS::Service::Laboratory->new($lims);

sub finding {
    my ($certificate) = @_;
    my ($found) = grep { $_->{category} eq 'document_failed' }
        @{ $lims->get("/samples/$certificate->{sampleId}/readiness")->json->{findings} };
    return $found ? $found->{message} : 'none';
}

# Lets a document be older than it is.
sub age {
    my ($certificate, $age) = @_;
    $lims->superuser->do('ALTER TABLE lims.document DISABLE TRIGGER identity');
    $lims->db->do('UPDATE lims.document SET created_at = now() - ?::interval WHERE certificate_id = ?', undef,
        $age, $certificate->{id});
    $lims->superuser->do('ALTER TABLE lims.document ENABLE TRIGGER identity');
    return;
}

# --- One that ends the process which prints it ---------------------------------------------

$lims->allow_log(qr/AH00052: child pid \d+ exit signal Killed/);
my $deadly   = $printer->issue($lab, clientName => 'printer: parent');
my $document = $printer->settled($lab, $deadly, 60);
is("@$document{qw(state attempts)}", 'failed 3', 'a document that ends three processes of httpd is failed');
like($document->{failure}, qr/the last one ended the process/, 'its failure says so');
is($printer->events($lab, $deadly), 1, 'its event is written once');
like(finding($deadly), qr/could not be made: three attempts/, 'the finding of the sample names it');
$lims->expect_log(qr/LIMS0390: document $document->{id} of certificate \Q$deadly->{certificateNumber}\E/);
is($printer->settled($lab, $printer->issue($lab))->{state}, 'made', 'the next one is made');

$printer->tame;
is($printer->{issuer}->post("/documents/$document->{id}/retry", {})->json->{attempts}, 0,
    'asked for again its attempts begin anew');
is($printer->settled($lab, $deadly)->{state}, 'made', 'asked for again it is made');
is($printer->events($lab, $deadly), 1, 'asked for again it has no second event');

# --- Those that wait behind an attempt -----------------------------------------------------

# Issues a certificate whose document is claimed for an hour, with so much of a history.
sub claimed {
    my ($attempts, $failure) = @_;
    my $sample = $printer->reported($lab);
    my $id = $lab->act(sub {
        my ($db) = @_;
        $db->do(q{SELECT set_config('lims.printer', 'on', true)});
        my ($made) = $db->selectrow_array('INSERT INTO lims.certificate (organization_id, sample_id)
            VALUES (?, ?) RETURNING id', undef, $lims->fixture->{id}, $sample->{id});
        $db->do(q{UPDATE lims.document SET claimed_until = now() + interval '1 hour', attempts = ?, failure = ?
            WHERE certificate_id = ?}, undef, $attempts, $failure, $made);
        return $made;
    });
    age({ id => $id }, '50 seconds');
    return { id => $id, sampleId => $sample->{id} };
}

my $under_way = claimed(1, undef);
my $again     = claimed(1, 'the printer failed');
my $number    = $lab->value('SELECT certificate_number FROM lims.certificate WHERE id = ?', $again->{id});
wait_until { $printer->events($lab, $again) } 20;
is($printer->events($lab, $again), 1, 'one that waits for its next attempt is announced before a minute is over');
$lims->expect_log(qr/LIMS0395: .*\Q$number\E version 1/);
like(finding($again), qr/could not be made: the printer failed/, 'the finding of the sample names it');
is($printer->events($lab, $under_way), 0, 'one whose first attempt is under way is not');
is(finding($under_way), 'none', 'a first attempt under way is no finding');

# --- Who keeps and fails it ----------------------------------------------------------------

my $app = LIMS::Instance::connect_database($lims->{database}, 'lims_app');
$app->do(q{SELECT set_config('lims.organization_id', ?, false)}, undef, $lims->fixture->{id});
my $row = $printer->document($lab, $under_way);
for my $claim (q{now()}, q{'-infinity'}, 'NULL') {
    is($app->selectrow_array("SELECT lims.keep_document(?, ?, $claim, '%PDF-1.7', false, 'r')", undef,
        @$row{qw(organization_id id)}), 0, "without its claim nobody keeps bytes of a document: $claim");
}
is($lab->value('SELECT count(*) FROM lims.document_content WHERE document_id = ?', $row->{id}), 0, 'there are none');
for my $act (q{UPDATE lims.document SET state = 'failed'},
    q{INSERT INTO lims.document_content SELECT organization_id, id, '%PDF' FROM lims.document}) {
    local $app->{PrintError} = 0;
    ok(!eval { $app->do($act); 1 }, "the run-time role is refused: $act");
}
{
    local $lims->db->{PrintError} = 0;
    ok(!eval { $lims->db->do('DELETE FROM lims.document_content'); 1 }, 'the owner is refused to delete bytes');
}
$app->disconnect;

# --- One that takes as long as it may ------------------------------------------------------

$lims->stop;
my $slow    = LIMS::Test::Printer->new(timeout => 25_000);
my $patient = LIMS::Test->new(name => 'patient', beside => $lims, conf => $slow->conf);
my $late    = LIMS::Service::Laboratory->new($patient);
$late->{number} = 100;    # codes besides those of the first
my $hanging = $slow->issue($late, clientName => 'printer: hang');
is($slow->settled($late, $hanging, 60)->{state}, 'failed', 'one that hangs for 25 seconds is failed within a minute');
cmp_ok($late->value('SELECT extract(epoch FROM now() - created_at) FROM lims.document WHERE certificate_id = ?',
    $hanging->{id}), '<', 60, 'no minute has passed');
is($slow->events($late, $hanging), 1, 'its event is written once');
$patient->expect_log(qr/LIMS0390: .*took too long/);

done_testing();
