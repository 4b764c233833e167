#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Without a printer coa.generated comes with the issue; what was issued before is printed
# when there is a printer, without a second event; and what waits for a printer that is gone
# is announced after a minute.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Test::Printer;
use LIMS::Wait;

my $printer = LIMS::Test::Printer->new;
my $lims    = LIMS::Test->new(conf => "LimsApplication on\n");
my $lab     = LIMS::Service::Laboratory->new($lims);

# Lets a document have waited for two minutes.
sub age {
    my ($of) = @_;
    $lims->superuser->do('ALTER TABLE lims.document DISABLE TRIGGER identity');
    $lims->db->do(q{UPDATE lims.document SET created_at = now() - interval '2 minutes' WHERE certificate_id = ?},
        undef, $of->{id});
    $lims->superuser->do('ALTER TABLE lims.document ENABLE TRIGGER identity');
    return;
}

my $certificate = $printer->issue($lab);
my $document    = $printer->document($lab, $certificate);
is($document->{state}, 'pending', 'the document waits');
is($printer->events($lab, $certificate), 1, 'the event came with the issue');
like(refused($lims->get("/certificates/$certificate->{id}.pdf"), 409, 'document_pending', 'its bytes')->{message},
    qr/there is no printer on this server/, 'the refusal of the bytes says that there is no printer');

# A second httpd, with a printer, prints what waits.
my $second = LIMS::Test->new(name => 'second', beside => $lims, conf => $printer->conf);
is($printer->settled($lab, $certificate)->{state}, 'made', 'a printer makes what was issued before it was there');
is($printer->events($lab, $certificate), 1, 'a document printed later has no second event');
$second->stop;

# Issued where there is a printer, which is gone then: as somebody who asks for a printer.
my $sample = $printer->reported($lab);
$lab->act(sub {
    my ($db) = @_;
    $db->do(q{SELECT set_config('lims.printer', 'on', true)});
    $db->do('INSERT INTO lims.certificate (organization_id, sample_id) VALUES (?, ?)', undef,
        $lims->fixture->{id}, $sample->{id});
});
my $waiting = { id => $lab->value('SELECT max(id) FROM lims.certificate'), sampleId => $sample->{id} };
is($printer->events($lab, $waiting), 0, 'the event waits for the document');
is($lims->ctl('print')->{json}{documents}, 0, 'limsctl without a printer prints nothing');
is($printer->events($lab, $waiting), 0, 'limsctl without a printer announces no certificate that is young');
age($waiting);
$lims->ctl('print');
is($printer->events($lab, $waiting), 1, 'after a minute it is announced without its bytes');
{
    local $ENV{LIMS_PRINTER} = $printer->program;
    is($lims->ctl('print')->{json}{documents}, 1, 'limsctl with a printer prints it');
}
is($printer->document($lab, $waiting)->{state}, 'made', 'limsctl with a printer makes the document that waits');
is($printer->events($lab, $waiting), 1, 'a document that limsctl prints has one event');

# --- A printer that cannot be started -----------------------------------------------------

my $third = LIMS::Test->new(name => 'third', beside => $lims, conf => $printer->conf);
unlink $printer->program;
my $there = LIMS::Service::Laboratory->new($third);
$there->{number} = 100;    # codes besides those of the first
delete $printer->{issuer};
my $stuck = $printer->issue($there);
$third->expect_log(qr/LIMS0090: the job "print" .* LIMS0394/) if $third->get('/whoami')->status == 200;
is($lab->value('SELECT max(attempts) FROM lims.document'), 0, 'a printer that is missing costs no document an attempt');
is($printer->events($lab, $stuck), 0, 'the event of a document that is young waits for it');
age($stuck);
wait_until { $printer->events($lab, $stuck) } 40;
is($printer->events($lab, $stuck), 1, 'after a minute the event comes without the document');
$third->expect_log(qr/LIMS0395: .*\Q$stuck->{certificateNumber}\E version 1/);
my ($finding) = grep { $_->{category} eq 'document_failed' }
    @{ $third->get("/samples/$stuck->{sampleId}/readiness")->json->{findings} };
like($finding->{message}, qr/\Q$stuck->{certificateNumber}\E version 1 could not be made: it still waits for the printer/,
    'a finding of the sample names the document');
{
    local $ENV{LIMS_PRINTER} = $printer->program;
    my ($said) = grep { $_->{subject} eq 'documents' } @{ $third->ctl('check')->{json}{findings} };
    like("$said->{state}: $said->{finding}", qr/\Awarning: .*1 wait for a printer since/, 'limsctl check tells of it');
}
ok(!eval { LIMS::Test->new(name => 'fourth', beside => $lims, conf => "LimsPrinter /nowhere/lims-print\n"); 1 },
    'httpd does not start with one that there is not');

done_testing();
