# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::RetryingClient;

=head1 NAME

LIMS::Chaos::RetryingClient - a client that retries as the contract says, and keeps a journal

=head1 SYNOPSIS

    my $client = LIMS::Chaos::RetryingClient->new(url => , name => 'a1', key => , material => ,
        definitions => [...], journal => $file, seed => 42, limited => 1);
    my $sum = $client->work(sub { -e $stop });

=head1 DESCRIPTION

Registers samples, enters, corrects and verifies results, receives and reports, and
retries as the contract says: a request without an answer, or answered with 503, is sent
again with the same Idempotency-Key until there is an answer; what is safe to repeat
needs no key. Sometimes it repeats a request without waiting for the answer, and it tries
to change results that it has verified.

What was acknowledged is written to the journal, a line of JSON for each fact,
before anything else is done. C<work> goes on until its argument says that it is
enough, ends what it has begun, and returns counts: of each answer
("POST 201"), of what got none (C<lost>) and of replays; and C<surprises>: what
the contract does not allow for.

A client works on samples of its own, so that it knows what their records have to
say. Clients of one organization meet at its allowance.

=cut

use strict;
use warnings;

use HTTP::Tiny;
use IO::Socket::SSL;
use JSON::PP ();
use Time::HiRes qw(sleep time);

# How long a whole outage may last for somebody who keeps asking.
my $patience = 60;

my $json = JSON::PP->new->utf8->canonical;

sub new {
    my ($class, %option) = @_;
    my $self = bless {
        %option,
        number  => 0,
        samples => [],
        count   => {},
        surprises => [],
        client  => HTTP::Tiny->new(agent => "client-$option{name}", keep_alive => 1,
            max_redirect => 0, timeout => 20, verify_SSL => 1,
            SSL_options => { SSL_ca_file => $option{ca_file} }),
    }, $class;

    open $self->{out}, '>>', $option{journal} or die "$option{journal}: $!\n";
    srand $option{seed};
    return $self;
}

# Returns the steps of the work, each as often as it is named.
sub steps {
    return qw(_register _enter _enter _enter_many _receive _verify _verify _intrude _report
        _describe);
}

# The header fields that say who asks.
sub credentials { return { Authorization => "Bearer $_[0]{key}" } }

sub work {
    my ($self, $enough) = @_;
    my @steps = $self->steps;

    until ($enough->()) {
        my $step = $steps[ rand @steps ];
        # Nothing to do of this kind: there is always a sample to register.
        $self->$step or $self->_register;
    }
    return { %{ $self->{count} }, surprises => $self->{surprises} };
}

# --- The work ----------------------------------------------------------------

sub _register {
    my ($self) = @_;
    return $self->_describe if $self->{used_up};
    my $token  = $self->_token;
    my $answer = $self->_once($token, '/samples', { clientName => 'City of Riverbend',
        materialTypeId => $self->{material}, testDefinitionIds => $self->{definitions},
        notes => $token });

    if ($self->{limited} && $answer->{status} == 403
        && ($answer->{json}{code} || '') eq 'SAMPLE_LIMIT_EXCEEDED') {
        $self->_note(refused => $token);
        return $self->{used_up} = 1;
    }
    $self->_registered($token, $answer->{json}) if $self->_expect($answer, 201);
    return 1;
}

sub _registered {
    my ($self, $token, $record) = @_;
    my @tests  = map { $_->{id} } @{ $record->{tests} };
    my $sample = { id => $record->{id}, code => $record->{trackingId}, tests => \@tests,
        open => [@tests], entered => [], verified => [] };

    push @{ $self->{samples} }, $sample;
    $self->_note(created => $token, sample => $sample->{id}, tests => \@tests);
    return;
}

sub _enter {
    my ($self) = @_;
    my ($sample, $test) = $self->_pick('open', 'entered') or return;
    my $value  = $self->_value;
    my $answer = $self->_ask('PATCH', "/sample-tests/$test", { result => $value });

    $self->_expect($answer, 200) or return 1;
    $self->_entered($sample, $test, $value);
    return 1;
}

sub _enter_many {
    my ($self) = @_;
    my %chosen;
    for (1 .. 6) {
        my ($sample, $test) = $self->_pick('open', 'entered') or last;
        $chosen{$test} ||= [ $sample, $self->_value ];
    }
    return unless %chosen;
    my $answer = $self->_once($self->_token, '/sample-tests/bulk-results',
        { updates => [ map { { sampleTestId => 0 + $_, result => $chosen{$_}[1] } }
                sort { $a <=> $b } keys %chosen ] });

    $self->_expect($answer, 200) or return 1;
    $self->_entered($chosen{$_}[0], $_, $chosen{$_}[1]) for sort { $a <=> $b } keys %chosen;
    return 1;
}

sub _entered {
    my ($self, $sample, $test, $value) = @_;

    _move($sample, $test, 'open', 'entered');
    $sample->{value}{$test} = $value;
    $self->_note(entered => $test, value => $value);
    return;
}

sub _receive {
    my ($self) = @_;
    my @new = grep { !$_->{received} } @{ $self->{samples} };
    splice @new, 5 if @new > 5;
    return unless @new;
    my $answer = $self->_once($self->_token, '/samples/receive',
        { sampleIds => [ map { $_->{id} } @new ] });

    $self->_expect($answer, 200) or return 1;
    my $skipped = @{ $answer->{json}{skipped} };
    $self->_surprise("$skipped samples were not received: $answer->{content}") if $skipped;
    for my $sample (@new) {
        $sample->{received} = 1;
        $self->_note(received => $sample->{id});
    }
    return 1;
}

# Half of them without a key: then it may have been done by the attempt that got
# no answer, and is locked.
sub _verify {
    my ($self) = @_;
    my ($sample, $test) = $self->_pick('entered') or return;
    my $path   = "/sample-tests/$test/verify";
    my $keyed  = rand() < 0.5;
    my $answer = $keyed ? $self->_once($self->_token, $path, {})
        : $self->_ask('POST', $path, {});

    if ($keyed || !$answer->{doubt} || $answer->{status} != 409
        || $answer->{json}{error} ne 'test_verified_locked') {
        $self->_expect($answer, 200) or return 1;
    }
    $self->_verified($sample, $test);
    return 1;
}

sub _verified {
    my ($self, $sample, $test) = @_;

    _move($sample, $test, 'entered', 'verified');
    $self->_note(verified => $test, value => $sample->{value}{$test});
    return;
}

sub _intrude {
    my ($self) = @_;
    my ($sample, $test) = $self->_pick('verified') or return;
    my $answer = $self->_ask('PATCH', "/sample-tests/$test", { result => 'forged' });

    $self->_surprise("a verified result was changed: $answer->{status} $answer->{content}")
        unless $answer->{status} == 409 && $answer->{json}{error} eq 'test_verified_locked';
    return 1;
}

sub _report {
    my ($self) = @_;
    my ($sample) = grep { @{ $_->{verified} } == @{ $_->{tests} } } @{ $self->{samples} };
    return unless $sample;
    my $answer = $self->_once($self->_token, "/samples/$sample->{id}/report", {});

    $self->_expect($answer, 200) or return 1;
    $self->_note(reported => $sample->{id});
    @{ $self->{samples} } = grep { $_ != $sample } @{ $self->{samples} };
    $self->_reported($sample);
    return 1;
}

# Nothing more is done with it.
sub _reported { return }

sub _describe {
    my ($self) = @_;
    my $sample = $self->{samples}[ rand @{ $self->{samples} } ] or return sleep 0.01;
    my $place  = 'Tap ' . $self->_token;
    my $answer = $self->_ask('PATCH', "/samples/$sample->{id}", { plantLocation => $place });

    $self->_expect($answer, 200) or return 1;
    $self->_note(described => $sample->{id}, place => $place);
    return 1;
}

sub _pick {
    my ($self, @states) = @_;
    my @found;
    for my $sample (@{ $self->{samples} }) {
        push @found, map { [ $sample, $_ ] } map { @{ $sample->{$_} } } @states;
    }
    return @found ? @{ $found[ rand @found ] } : ();
}

sub _move {
    my ($sample, $test, $from, $to) = @_;

    @{ $sample->{$_} } = grep { $_ != $test } @{ $sample->{$_} } for $from, $to;
    push @{ $sample->{$to} }, $test;
    return;
}

sub _token {
    my ($self) = @_;
    return "$self->{name}-" . ++$self->{number};
}

# Never the same twice; some are out of specification.
sub _value {
    my ($self) = @_;
    return ($self->{number} + 1) . '.' . int(100 + rand 900);
}

# --- Facts -------------------------------------------------------------------

sub _note {
    my ($self, @fact) = @_;
    syswrite $self->{out}, $json->encode({ fact => $fact[0], @fact }) . "\n";
    return;
}

sub _surprise {
    my ($self, $words) = @_;
    push @{ $self->{surprises} }, substr "$self->{name}: $words", 0, 500;
    return;
}

sub _expect {
    my ($self, $answer, $status) = @_;
    return 1 if $answer->{status} == $status;
    $self->_surprise("$answer->{what}: $answer->{status} $answer->{content}");
    return;
}

# --- Asking until there is an answer -----------------------------------------

sub _once {
    my ($self, $token, $path, $body) = @_;

    $self->_throw($path, $body, $token) if rand() < 0.125;
    return $self->_ask('POST', $path, $body, { 'Idempotency-Key' => $token });
}

sub _ask {
    my ($self, $method, $path, $body, $headers) = @_;
    my $doubt = 0;
    my $begun = time;
    my $sent  = {
        defined $body ? (content => $json->encode($body)) : (),
        headers => { defined $body ? ('Content-Type' => 'application/json') : (),
            %{ $self->credentials }, %{ $headers || {} } },
    };

    while (time - $begun < $patience) {
        my $answer = $self->{client}->request($method, "$self->{url}$path", $sent);
        my $again  = $self->_again("$method $path", $answer);
        if (!$again) {
            $self->{count}{"$method $answer->{status}"}++;
            $self->{count}{replayed}++ if $answer->{headers}{'idempotent-replayed'};
            return { %$answer, what => "$method $path", doubt => $doubt,
                json => eval { $json->decode($answer->{content}) } || {} };
        }
        $doubt = 1;
        sleep 0.02 + rand 0.1;
    }
    $self->_surprise("$method $path was not answered within $patience seconds");
    return { status => 0, content => 'no answer', what => "$method $path", json => {} };
}

# Whether this is no answer: lost on the way, or 503, or the first attempt with
# this Idempotency-Key is still at work.
sub _again {
    my ($self, $what, $answer) = @_;
    my $status = $answer->{status};

    if ($status == 599) {
        $self->_surprise("$what: $answer->{content}") if $answer->{content} =~ /timed out/i;
        return ++$self->{count}{lost};
    }
    if ($status == 503) {
        $self->_surprise("$what: 503 without Retry-After") unless $answer->{headers}{'retry-after'};
        return ++$self->{count}{503};
    }
    return ++$self->{count}{'in progress'}
        if $status == 409 && $answer->{content} =~ /"idempotency_in_progress"/;
    return;
}

# Sends a POST on a connection of its own and does not wait for the answer.
sub _throw {
    my ($self, $path, $body, $token) = @_;
    my ($host, $port, $base) = $self->{url} =~ m{\Ahttps://([^:/]+):(\d+)(.*)\z};
    my $content = $json->encode($body);
    my $who     = $self->credentials;
    my $socket  = IO::Socket::SSL->new(PeerAddr => $host, PeerPort => $port, Timeout => 5,
        SSL_ca_file => $self->{ca_file}, SSL_verifycn_scheme => 'none') or return;

    syswrite $socket, join "\r\n", "POST $base$path HTTP/1.1", "Host: $host",
        (map { "$_: $who->{$_}" } sort keys %$who), 'Content-Type: application/json',
        "Idempotency-Key: $token", 'Content-Length: ' . length $content, '', $content;
    $self->{count}{thrown}++;
    sleep rand 0.01;
    close $socket;
    return;
}

1;
