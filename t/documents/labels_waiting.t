#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Whoever waits for labels to be printed holds no connection to the database, and is told
# what the printer says.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;
use LIMS::Wait;

my $printer = LIMS::Test::Printer->new(timeout => 15_000);
my $lims    = LIMS::Test->new(children => 1, conf => $printer->conf . "Define LIMS_CONNECTIONS 1\n");
my $lab     = LIMS::Service::Laboratory->new($lims);
my $clerk   = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
my ($hung, $refused) = map { $lab->sample(clientName => "printer: $_")->{id} } qw(hang refuse);

my @answers = $lims->parallel(2, sub {
    my ($number) = @_;
    return $clerk->get("/labels?ids=$hung")->status if $number == 0;

    my $program = $printer->program;
    return { printing => wait_until { system("pgrep -f '^[^ ]*perl $program' > /dev/null") == 0 },
        read => $clerk->get("/samples/$hung")->status,
        zpl => $clerk->get("/labels?ids=$hung&format=zpl")->status,
        still => system("pgrep -f '^[^ ]*perl $program' > /dev/null") };
});
is($answers[1]{printing}, 1, 'a printer hangs');
is($answers[1]{read}, 200, 'a record is read over the one connection meanwhile');
is($answers[1]{zpl}, 200, 'ZPL needs no printer');
is($answers[1]{still}, 0, 'the printer hung all the while');
is($answers[0], 409, 'whoever waited for the printer is told');
like(refused($clerk->get("/labels?ids=$refused"), 409, 'document_failed', 'labels that the printer refuses')->{message},
    qr/the name of the client cannot be printed/, 'the refusal is the printer\'s sentence');
$lims->allow_log(qr/LIMS0392/);

done_testing();
