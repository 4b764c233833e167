# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::RetryingPerson;

=head1 NAME

LIMS::Chaos::RetryingPerson - a person in the application who retries as the contract says

=head1 SYNOPSIS

    my $ann = LIMS::Chaos::RetryingPerson->new(url => , name => 'd1', person => $person,
        client_id => , material => , definitions => [...], journal => $file, seed => 42);
    my $sum = $ann->work(sub { -e $stop });

=head1 DESCRIPTION

A L<LIMS::Chaos::RetryingClient> that does what people alone do, and signs it: orders
samples, verifies many results by one password, takes samples out of work and back,
amends what is reported, and decides about instrument files that were held. The first
definition's code is in the laboratory's profile of files.

Its laboratory asks for signatures, and has no approval steps.

=cut

use strict;
use warnings;

use parent 'LIMS::Chaos::RetryingClient';

use JSON::PP ();
use Time::HiRes qw(sleep);

use LIMS::Service::Person;

sub steps {
    return qw(_register _enter _enter_many _enter_many _receive _receive _verify_many _verify_many
        _report _report _describe _hold _amend _amend _send_file _decide_file);
}

sub credentials {
    my ($self) = @_;
    my $person = $self->{person};
    return { Cookie => '__Host-lims=' . $person->token, 'X-Lims-Session' => $person->session,
        'Sec-Fetch-Site' => 'same-origin', 'X-Lims-Request' => '1' };
}

# Returns the digest of the record as the person saw it, which a signature names.
sub _seen {
    my ($self, $table, $id) = @_;
    my $answer = $self->_ask('GET', "/signed-contents?table=$table&recordId=$id");
    return $answer->{json}{data}[0]{contentHash};
}

sub _signature {
    my ($self, @of) = @_;
    return { password => LIMS::Service::Person->password,
        @of ? (contentHash => $self->_seen(@of)) : () };
}

# An order of two samples, while few are in work, so that some come to their end soon.
sub _register {
    my ($self) = @_;
    return $self->_describe if @{ $self->{samples} } > 4;
    my @tokens = map { $self->_token } 1, 2;
    my $answer = $self->_once($tokens[0], '/orders', { clientId => $self->{client_id},
        samples => [ map { { materialTypeId => $self->{material}, notes => $_,
                    testDefinitionIds => $self->{definitions} } } @tokens ] });

    $self->_expect($answer, 201) or return 1;
    for my $made (@{ $answer->{json}{samples} }) {
        my $shown = $self->_ask('GET', "/samples/$made->{id}");
        $self->_registered(shift @tokens, $shown->{json}) if $self->_expect($shown, 200);
    }
    return 1;
}

# All results of a sample or of several, by one password.
sub _verify_many {
    my ($self) = @_;
    my @tests = map { @{ $_->{entered} } } grep { @{ $_->{entered} } } @{ $self->{samples} };
    splice @tests, 8 if @tests > 8;
    return unless @tests;
    my $answer = $self->_once($self->_token, '/sample-tests/verify', { atomic => JSON::PP::true(),
            signature => $self->_signature,
            items => [ map { { sampleTestId => 0 + $_, contentHash => $self->_seen(sample_test => $_) } }
                    @tests ] });

    $self->_expect($answer, 200) or return 1;
    my %asked = map { $_ => 1 } @tests;
    for my $sample (@{ $self->{samples} }) {
        my @mine = grep { $asked{$_} } @{ $sample->{entered} };
        $self->_verified($sample, $_) for @mine;
    }
    return 1;
}

# On hold and active again; sometimes for good.
sub _hold {
    my ($self) = @_;
    my $place  = int rand @{ $self->{samples} };
    my $sample = $self->{samples}[$place] or return;
    my @turns  = ('on_hold', rand() < 0.1 ? 'cancelled' : 'active');

    for my $disposition (@turns) {
        my $answer = $self->_once($self->_token, "/samples/$sample->{id}/disposition",
            { disposition => $disposition, reason => 'bottle mislaid' });
        $self->_expect($answer, 200) or return 1;
        $self->_note(disposed => $sample->{id}, disposition => $disposition);
    }
    splice @{ $self->{samples} }, $place, 1 if $turns[1] eq 'cancelled';
    return 1;
}

# --- What was reported ---------------------------------------------------------------------

sub _reported {
    my ($self, $sample) = @_;
    push @{ $self->{finished} }, $sample;
    return;
}

# The first certificate of a sample, a correction, and the certificate's next version; or an
# amendment without one, which is withdrawn.
sub _amend {
    my ($self) = @_;
    my $sample = shift @{ $self->{finished} } or return;
    my $about  = { sampleId => $sample->{id} };
    my $place  = rand() < 0.7 ? 'Tap ' . $self->_token : undef;

    $self->_expect($self->_once($self->_token, '/certificates', $about), 201) or return 1;
    my $opened = $self->_once($self->_token, "/samples/$sample->{id}/amend", {
            reason => 'wrong tap', signature => $self->_signature(sample => $sample->{id}),
            $place ? (changes => { plantLocation => $place }) : () });
    $self->_expect($opened, 200) or return 1;
    my $id = $opened->{json}{id};
    $self->_note(amended => $id, ends => 'open');
    $self->_note(described => $sample->{id}, place => $place) if $place;
    my $ended = $place
        ? $self->_once($self->_token, '/certificates', { %$about,
            signature => $self->_signature(amendment => $id) })
        : $self->_once($self->_token, "/amendments/$id/withdraw", { reason => 'it was right' });
    $self->_note(amended => $id, ends => $place ? 'issued' : 'withdrawn')
        if $self->_expect($ended, $place ? 201 : 200);
    return 1;
}

# --- Instrument files ------------------------------------------------------------------------

# A file with a value for a test, and one of a sample that there is not, for which it is held.
sub _send_file {
    my ($self) = @_;
    my ($sample) = grep { my $first = $_->{tests}[0];
        $_->{received} && !$_->{file} && grep { $_ == $first } @{ $_->{open} } } @{ $self->{samples} };
    return unless $sample;
    my $value  = $self->_value;
    my $token  = $self->_token;
    my $id     = $self->_deliver("$token.csv", 'Sample;Test;Value;Unit;Time',
        "$sample->{code};$self->{code};$value;;", "NOBODY-$token;$self->{code};1;;") or return 1;

    $sample->{file} = 1;
    $self->_note(filed => $id, status => 'quarantined');
    push @{ $self->{held} }, { id => $id, value => $value, sample => $sample };
    return 1;
}

# Sends a file until it is taken, and waits until it has been read: its id.
sub _deliver {
    my ($self, $name, @lines) = @_;
    my $answer = $self->_ask('POST', '/instrument-ingest', { fileName => $name,
            content => join '', map { "$_\n" } @lines });
    my $id = $answer->{json}{id};

    while ($id && $answer->{json}{status} eq 'received') {
        sleep 0.1;
        $answer = $self->_ask('GET', "/instrument-files/$id");
    }
    return $id if ($answer->{json}{status} // '') eq 'quarantined';
    $self->_surprise("$name: $answer->{status} $answer->{content}");
    return;
}

# Without the second row, the first is imported, if nothing was entered since; or the file is
# rejected.
sub _decide_file {
    my ($self) = @_;
    my $file   = shift @{ $self->{held} } or return;
    my $sample = $file->{sample};
    my $test   = $sample->{tests}[0];
    my $open   = grep { $_ == $test } @{ $sample->{open} };
    my %why    = (reason => 'a rinse');

    if (!$open || rand() < 0.2 || !grep { $_ == $sample } @{ $self->{samples} }) {
        my $answer = $self->_once($self->_token, "/instrument-files/$file->{id}/reject", \%why);
        $self->_note(filed => $file->{id}, status => 'rejected') if $self->_expect($answer, 200);
        return 1;
    }
    my $kept = $self->_ask('PATCH', "/instrument-files/$file->{id}",
        { decisions => { exclude => [ { row => 3, reason => 'a rinse' } ] } });
    $self->_expect($kept, 200) or return 1;
    # Without a key, which whoever is killed while the file is read holds for a minute: then it
    # may have been done by the attempt that got no answer.
    my $answer = $self->_ask('POST', "/instrument-files/$file->{id}/release", \%why);
    $answer = $self->_ask('GET', "/instrument-files/$file->{id}")
        if $answer->{doubt} && $answer->{status} == 409;
    $self->_expect($answer, 200) or return 1;
    return $self->_surprise("file $file->{id} is $answer->{json}{status}")
        if $answer->{json}{status} ne 'released';
    $self->_note(filed => $file->{id}, status => 'released');
    $self->_entered($sample, $test, $file->{value});
    return 1;
}

1;
