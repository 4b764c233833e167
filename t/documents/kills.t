#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# kill -9 of the printer, of httpd and of PostgreSQL while two clients issue certificates and
# these are printed: every issued certificate has its bytes exactly once, and coa.generated
# exactly once. DOCUMENT_ISSUES=500 is the long form.
use strict;
use warnings;

use LIMS::Chaos::Kill9;
use LIMS::Instance;
use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Test::Printer;
use LIMS::Wait;
use Time::HiRes qw(sleep);

my $issues = $ENV{DOCUMENT_ISSUES} || 14;
LIMS::Instance::own_cluster('documents');
my $printer = LIMS::Test::Printer->new(timeout => 2000);
my $lims    = LIMS::Test->new(conf => $printer->conf);
my $lab     = LIMS::Service::Laboratory->new($lims);
my $killer  = LIMS::Chaos::Kill9->new($lims);

$lims->allow_log(qr/LIMS00\d\d|LIMS0110|LIMS0121|LIMS0122|LIMS0390|AH000\d\d|AH00629|AH02655|exit signal Killed/);
my @samples = map { $printer->reported($lab) } 1 .. $issues;
my @kinds   = ('printer', @LIMS::Chaos::Kill9::kinds);

sub kill_printer {
    my ($program) = $printer->program;

    for my $process (glob '/proc/[0-9]*') {
        open my $file, '<', "$process/cmdline" or next;
        my $line = <$file> // '';
        kill 'KILL', $process =~ m{(\d+)\z} if $line =~ /\Q$program\E/;
    }
    return;
}

# Returns a count, also of a database that is just starting: 0.
sub counted {
    my $count = eval { $lab->value(@_) };
    $lims->forget_handles if !defined $count;
    return $count // 0;
}

sub issued { return counted('SELECT count(*) FROM lims.certificate') }

# An issue whose answer was lost may have been committed.
sub issue {
    my (@own) = @_;

    for my $sample (@own) {
        wait_until {
            eval { $printer->issue_of($lab, $sample); 1 }
                || counted('SELECT count(*) FROM lims.certificate WHERE sample_id = ?', $sample->{id})
        } 120 or die "sample $sample->{id} could not be issued\n";
    }
    return;
}

# Kills something for each certificate, while the next ones are on their way.
sub wreak {
    for my $number (1 .. $issues) {
        my $kind = $kinds[ $number % @kinds ];

        wait_until { issued() >= $number - 2 } 120;
        sleep rand 0.2;
        $lims->forget_handles;
        if ($kind eq 'printer') { kill_printer() }
        else                    { $killer->kill9($kind) }
        wait_until { counted('SELECT 1') } 60;
    }
    return;
}

# The person who issues signs in before the processes part.
$printer->issue_of($lab, shift @samples);
$lims->forget_handles;
$lims->parallel(3, sub {
    my ($number) = @_;
    return $number ? issue(grep { $_->{id} % 2 == $number - 1 } @samples) : wreak();
});
wait_until { !$lab->value(q{SELECT count(*) FROM lims.document WHERE state = 'pending'}) } 120;

is($lab->value('SELECT count(*) FROM lims.certificate'), $issues, 'every certificate was issued once');
is($lab->value(q{SELECT count(*) FROM lims.document WHERE state = 'made'}), $issues, 'every certificate has a document that is made');
is($lab->value('SELECT count(*) FROM lims.document d JOIN lims.document_content c
    ON c.organization_id = d.organization_id AND c.document_id = d.id
    WHERE sha256(c.content) = d.sha256 AND length(c.content) = d.size'), $issues, 'every document has its bytes once');
is($lab->value(q{SELECT count(*) FROM lims.event WHERE type = 'coa.generated'}), $issues, 'as many events are written');
is($lab->value(q{SELECT count(DISTINCT (data ->> 'sampleId')) FROM lims.event WHERE type = 'coa.generated'}),
    $issues, 'each certificate has an event of its own');

done_testing();
