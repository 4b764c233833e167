# SPDX-License-Identifier: Apache-2.0
package LIMS::Files::Instrument;

=head1 NAME

LIMS::Files::Instrument - an instrument of the laboratory, which sends files to the service

=head1 SYNOPSIS

    my $instrument = LIMS::Files::Instrument->new($lab);
    $instrument->profile;
    my $answer = $instrument->send($instrument->csv([ $sample, 'NO3', '7.10' ]));

=head1 DESCRIPTION

What sends files. Its files are lists with a column each for sample, test, value,
unit and time; C<profile> is the profile that reads them, activated as C<limsctl
profile> does it.

    definition(%member)        the profile as a structure; members replace those it has,
                               undef leaves one out
    profile(%member)           adds and activates it; its id
    sample(@codes)             a received sample with tests of these codes
    test($sample, $code)       the record of one of its tests
    csv([ sample, test, value, unit, time ], ...)   a file; a sample is its record or an id
    send($bytes, %option)      POST; name, profile, dry_run, key, base64 => 1, headers
    upload($bytes, %option)    the same as a form; name, key, and other parts by their names
    codes($answer)             the codes of its reasons, sorted, each once

=cut

use strict;
use warnings;

use JSON::PP ();
use MIME::Base64 qw(encode_base64);

sub new {
    my ($class, $lab) = @_;
    return bless { lab => $lab, lims => $lab->{lims}, number => 0 }, $class;
}

sub definition {
    my ($self, %member) = @_;
    my %definition = (
        code    => 'bench',
        name    => 'Bench CSV',
        match   => { container => 'text', headers => [ 'Sample', 'Test', 'Value' ] },
        dialect => { delimiter => ';' },
        layout  => 'long',
        columns => {
            trackingId => 'Sample', test => 'Test', value => 'Value', unit => 'Unit',
            analysedAt => 'Time',
        },
        tests => [ map { { name => $_, testCode => $_ } } qw(NO3 PO4 PH TEXT ABSENT) ],
        %member,
    );
    delete $definition{$_} for grep { !defined $definition{$_} } keys %definition;
    return \%definition;
}

sub profile {
    my ($self, %member) = @_;
    my $definition = $self->definition(%member);
    my $lims       = $self->{lims};
    my $db         = $lims->db;
    my $id;

    $self->{lab}->act(sub {
        $db->do(q{UPDATE lims.instrument_profile SET status = 'retired'
            WHERE organization_id = ? AND code = ? AND status = 'active'}, undef,
            $self->{lab}{organization}{id}, $definition->{code});
        ($id) = $db->selectrow_array(q{INSERT INTO lims.instrument_profile (organization_id, code,
            version, name, definition, status)
            VALUES (?, ?, (SELECT coalesce(max(version), 0) + 1 FROM lims.instrument_profile
                WHERE organization_id = ? AND code = ?), ?, ?, 'active') RETURNING id}, undef,
            $self->{lab}{organization}{id}, $definition->{code}, $self->{lab}{organization}{id},
            @$definition{qw(code name)}, JSON::PP->new->ascii->canonical->encode($definition));
    });
    return $id;
}

# Test definitions come into being when they are first asked for.
sub sample {
    my ($self, @codes) = @_;
    my $lab    = $self->{lab};
    my $sample = $lab->sample(testDefinitionIds =>
            [ map { $self->{definition}{$_} //= $lab->definition(code => $_) } @codes ]);

    return { %$sample, %{ $lab->status($sample, 'received') } };
}

sub test {
    my ($self, $sample, $code) = @_;
    my $record = $self->{lims}->get("/samples/$sample->{id}",
        key => $self->{lab}{organization}{key})->json;
    my ($test) = grep { $_->{testCode} eq $code } @{ $record->{tests} };

    return $test;
}

sub csv {
    my ($self, @rows) = @_;
    return join '', "Sample;Test;Value;Unit;Time\n", map {
        my ($sample, @more) = @$_;
        join(';', ref $sample ? $sample->{trackingId} : $sample, map { $_ // '' } @more[ 0 .. 3 ])
            . "\n";
    } @rows;
}

sub send {
    my ($self, $bytes, %option) = @_;
    my $name = $option{name} // 'run' . ++$self->{number} . '.csv';

    return $self->{lims}->post('/instrument-ingest', {
            fileName => $name,
            $option{base64} ? (contentBase64 => encode_base64($bytes, ''))
            : (content => $bytes),
            $option{profile} ? (profile => $option{profile}) : (),
            exists $option{dry_run}
            ? (dryRun => $option{dry_run} ? JSON::PP::true : JSON::PP::false) : (),
        },
        key => exists $option{key} ? $option{key} : $self->{lab}{organization}{key},
        headers => $option{headers} || {});
}

sub upload {
    my ($self, $bytes, %part) = @_;
    my $name     = delete $part{name} // 'run' . ++$self->{number} . '.csv';
    my $key      = delete $part{key}  // $self->{lab}{organization}{key};
    my $boundary = 'a-boundary-that-is-in-no-file';
    my $body     = join '', map { "--$boundary\r\nContent-Disposition: form-data; name=\"$_\""
            . "\r\n\r\n$part{$_}\r\n" } sort keys %part;

    $body .= "--$boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"$name\"\r\n"
        . "Content-Type: text/csv\r\n\r\n$bytes\r\n--$boundary--\r\n";
    return $self->{lims}->post('/instrument-ingest', $body, key => $key,
        headers => { 'Content-Type' => "multipart/form-data; boundary=$boundary" });
}

sub codes {
    my ($self, $answer) = @_;
    my %seen;
    return [ sort grep { !$seen{$_}++ } map { $_->{code} } @{ $answer->json->{reasons} } ];
}

1;
