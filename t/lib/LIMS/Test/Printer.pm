# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Printer;

=head1 NAME

LIMS::Test::Printer - a printer that misbehaves on request, and certificates to print

=head1 SYNOPSIS

    my $printer = LIMS::Test::Printer->new;
    my $lims    = LIMS::Test->new(conf => $printer->conf);
    my $certificate = $printer->issue($lab, clientName => 'printer: crash');
    my $document = $printer->settled($lab, $certificate);

=head1 DESCRIPTION

C<new> puts a copy of F<t/lib/printer> into a folder of the test's own, where also
processes of www-data can run it; C<conf> has the directives that name it.
C<tame> has it misbehave no more.
C<LIMS::Test::Printer-E<gt>real> is the same with lims-print itself; C<hold>, before
the service starts, has it wait before its first document, and returns what lets it go on.

C<issue> has a reported sample made and its certificate issued in the application,
and returns the certificate's record. C<document> returns the row of its
document; C<settled> waits until it is made or failed. C<events> counts the
events coa.generated of the sample.

=cut

use strict;
use warnings;

use File::Copy qw(copy);
use File::Temp ();

use LIMS::Service::Person;
use LIMS::Wait;

sub new {
    my ($class, %option) = @_;
    my $folder = File::Temp->newdir('lims-printer-XXXXXX', TMPDIR => 1);

    chmod 0777, "$folder";
    copy('t/lib/printer', "$folder/printer") or die "t/lib/printer: $!\n";
    chmod 0755, "$folder/printer";
    return bless { folder => $folder, program => "$folder/printer", %option }, $class;
}

sub tame {
    my ($self) = @_;
    open my $file, '>', "$self->{folder}/tame" or die "$self->{folder}/tame: $!\n";
    return close $file;
}

sub real {
    my ($class, %option) = @_;
    my $out = $ENV{LIMS_OUT} || 'build/out';

    $out = "$ENV{PWD}/$out" if $out !~ m{\A/};
    return bless { program => "$out/lims-print", %option }, $class;
}

sub hold {
    my ($self) = @_;
    my $folder = $self->{folder} = File::Temp->newdir('lims-printer-XXXXXX', TMPDIR => 1);

    chmod 0755, "$folder";
    open my $script, '>', "$folder/printer" or die "$folder/printer: $!\n";
    print {$script} "#!/bin/sh\nuntil test -e $folder/go; do sleep 0.1; done\nexec $self->{program}\n";
    close $script or die "$folder/printer: $!\n";
    chmod 0755, "$folder/printer";
    $self->{program} = "$folder/printer";
    return sub {
        open my $go, '>', "$folder/go" or die "$folder/go: $!\n";
        return close $go;
    };
}

# Holds the processes that start from now on.
sub hold_again {
    my ($self) = @_;
    return unlink "$self->{folder}/go";
}

sub conf {
    my ($self) = @_;
    return "LimsApplication on\nLimsPrinter $self->{program}\n"
        . ($self->{timeout} ? "LimsPrinterTimeout $self->{timeout}\n" : '');
}

sub program { return shift->{program} }

sub reported {
    my ($self, $lab, %body) = @_;
    my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ], %body);

    for my $test ($lab->tests($sample)) {
        $lab->enter($test, '1.20');
        $lab->verify($test);
    }
    $lab->_ask('POST', "/samples/$sample->{id}/report", undef, 200);
    return $sample;
}

sub issue {
    my ($self, $lab, %body) = @_;

    return $self->issue_of($lab, $self->reported($lab, %body));
}

sub issue_of {
    my ($self, $lab, $sample) = @_;

    $self->{issuer} //= LIMS::Service::Person->new($lab->{lims}, roles => ['qa_officer'],
        organization => $lab->{organization});
    my $answer = $self->{issuer}->post('/certificates', { sampleId => $sample->{id} });
    $answer->status == 201 or die 'certificate: ' . $answer->body . "\n";
    return $answer->json;
}

sub document {
    my ($self, $lab, $certificate) = @_;
    return $lab->{lims}->db->selectrow_hashref(
        'SELECT *, encode(sha256, $$hex$$) AS digest FROM lims.document WHERE certificate_id = ?',
        undef, $certificate->{id});
}

sub settled {
    my ($self, $lab, $certificate, $patience) = @_;
    my $document;

    wait_until {
        $document = $self->document($lab, $certificate);
        $document->{state} ne 'pending'
    } $patience || 30;
    return $document;
}

sub events {
    my ($self, $lab, $certificate) = @_;
    return $lab->value(q{SELECT count(*) FROM lims.event WHERE type = 'coa.generated'
        AND (data ->> 'sampleId')::bigint = ?}, $certificate->{sampleId});
}

1;
