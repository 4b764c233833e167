# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::CommandLine;

=head1 NAME

LIMS::Service::CommandLine - a user of the laboratory who works with limsctl

=head1 SYNOPSIS

    my $ann   = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['qa_officer']);
    my $batch = $ann->done('qc-batch create', batchNumber => 'Q1', sampleTestIds => [$test]);
    $ann->done('qc-batch override', $batch->{id}, reason => 'the spike was doubled');
    $ann->refused('invalid_transition', 'qc-batch override', $batch->{id}, reason => 'again');

=head1 DESCRIPTION

A user of the test's organization, with a password to sign with. Options are
named as the fields they stand for; a list of plain values is written with
commas, anything deeper as JSON. An id comes right after the command.

    done($command, $id, %option)       the decoded answer; dies if refused
    refused($slug, $command, $id, %option)
                                       a test: refused so; the decoded error
    call($command, $id, %option)       { exit, json, output }, nothing judged

An option C<password> is the password to sign with instead of the user's own;
undef signs with none.

=cut

use strict;
use warnings;

use File::Temp ();
use JSON::PP ();
use Test::More;

use LIMS::Service::JSONSchema;

my $json = JSON::PP->new->utf8->canonical;

sub new {
    my ($class, $lims, $name, %option) = @_;
    my $email = lc($name =~ s/\s+/./gr) . '@laboratory.example';
    my $self  = bless { lims => $lims, user => $email }, $class;
    my $made  = $lims->ctl('--organization', $lims->fixture->{code}, '--user',
        'administrator@' . $lims->fixture->{code} . '.example', 'user', 'create',
        '--email', $email, '--display-name', $name,
        '--password-file', $self->_file('correct horse battery staple'),
        '--roles', join(',', @{ $option{roles} || ['lab_manager'] }));

    die "user create: $made->{output}" if $made->{exit};
    $self->{id} = $made->{json}{id};
    return $self;
}

# A file that goes with the object, with the password on its first line.
sub _file {
    my ($self, $password) = @_;
    my $file = $self->{files}{$password} ||= File::Temp->new;

    print {$file} "$password\n" unless -s $file->filename;
    $file->flush;
    return $file->filename;
}

sub _text {
    my ($value) = @_;
    return $value unless ref $value;
    return join ',', @$value if ref $value eq 'ARRAY' && !grep { ref } @$value;
    return $json->encode($value);
}

sub call {
    my ($self, $command, @rest) = @_;
    my @id     = @rest % 2 ? shift @rest : ();
    my %option = @rest;
    my $password
        = exists $option{password} ? delete $option{password} : 'correct horse battery staple';
    my @arguments = map {
        ('--' . lc(s/([A-Z])/-$1/gr), defined $option{$_} ? _text($option{$_}) : '')
    } sort keys %option;
    my $answer = $self->{lims}->ctl('--organization', $self->{lims}->fixture->{code},
        '--user', $self->{user},
        defined $password ? ('--password-file', $self->_file($password)) : (),
        split(' ', $command), @id, @arguments);

    # An error is printed twice: for people, then as JSON.
    my ($last) = $answer->{output} =~ /^(\{.*\})\s*\z/m;
    $answer->{json} //= eval { LIMS::Service::JSONSchema::decode($last) } if defined $last;
    return $answer;
}

sub done {
    my ($self, @call) = @_;
    my $answer = $self->call(@call);

    die "$call[0]: $answer->{output}" if $answer->{exit};
    return $answer->{json};
}

sub refused {
    my ($self, $slug, @call) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $answer = $self->call(@call);
    my $body   = $answer->{json} || {};

    ok($answer->{exit} && ($body->{error} || '') eq $slug && length($body->{message} || ''),
        "$call[0] is refused: $slug")
        or diag("exit $answer->{exit}: $answer->{output}");
    return $body;
}

1;
