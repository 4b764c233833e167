#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# As many documents are printed for an answer at once as the machine admits, however long each
# takes: whoever does not get a turn in time is told, and starts no printer.
use strict;
use warnings;

use List::Util qw(max);

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;
use Time::HiRes qw(sleep time);

# Longer than passwords and files hold a permit.
my $printer = LIMS::Test::Printer->new(timeout => 8000);
my $lims    = LIMS::Test->new(conf => $printer->conf);
my $lab     = LIMS::Service::Laboratory->new($lims);
my $clerk   = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
my $hung    = $lab->sample(clientName => 'printer: hang')->{id};
chomp(my $processors = `getconf _NPROCESSORS_ONLN`);
my $permits = $processors > 2 ? int($processors / 2) : 1;
my $asked   = $permits + 3;

# Returns the number of printers that run.
sub running {
    my $program = $printer->program;
    my $count   = 0;

    for my $process (glob '/proc/[0-9]*') {
        open my $file, '<', "$process/cmdline" or next;
        my $line = <$file> // '';
        $count++ if $line =~ /perl\0\Q$program\E\0/;
    }
    return $count;
}

$lims->allow_log(qr/LIMS0392|LIMS006[78]/);
my ($most, @answers) = $lims->parallel($asked + 1, sub {
    my ($number) = @_;
    if ($number) {
        my $answer = $clerk->get("/labels?ids=$hung");
        return $answer->status . ' ' . $answer->json->{message};
    }
    my ($begun, $seen) = (time, 0);
    while (time < $begun + 7.5) {
        $seen = max($seen, running());
        sleep 0.1;
    }
    return $seen;
});
is($most, $permits, "of $asked labels that hang, as many are printed at once as are admitted");
is(scalar(grep { /\A409 .*took too long/ } @answers), $permits, 'those are told that the printer took too long');
is(scalar(grep { /\A503 Too many documents/ } @answers), $asked - $permits, 'the others are told that there are too many');
is(running(), 0, 'no printer is left');
isnt($clerk->get('/labels?ids=' . $lab->sample->{id})->status, 503, 'the next one gets its turn');

done_testing();
