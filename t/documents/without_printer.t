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

my $printer = LIMS::Test::Printer->new;
my $lims    = LIMS::Test->new(conf => "LimsApplication on\n");
my $lab     = LIMS::Service::Laboratory->new($lims);

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
$lims->superuser->do('ALTER TABLE lims.document DISABLE TRIGGER identity');
$lims->db->do(q{UPDATE lims.document SET created_at = now() - interval '2 minutes' WHERE certificate_id = ?},
    undef, $waiting->{id});
$lims->superuser->do('ALTER TABLE lims.document ENABLE TRIGGER identity');
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
$third->expect_log(qr/LIMS0090: the job "print" .* LIMS0394/) if $printer->issue($lab)
    && $third->get('/whoami')->status == 200;
is($lab->value('SELECT max(attempts) FROM lims.document'), 0, 'a printer that is missing costs no document an attempt');
ok(!eval { LIMS::Test->new(name => 'fourth', beside => $lims, conf => "LimsPrinter /nowhere/lims-print\n"); 1 },
    'httpd does not start with one that there is not');

done_testing();
