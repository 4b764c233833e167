# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::MixedLoad;

=head1 NAME

LIMS::Chaos::MixedLoad - a steady mixture of requests, each response checked

=head1 SYNOPSIS

    my $load = LIMS::Chaos::MixedLoad->new($lims, keys => 300);
    my $sum  = $load->run(processes => 8, requests => 10_000);
    my $sum  = $load->run(processes => 8, until => sub { -e $stop }, close => 4);

=head1 DESCRIPTION

Reads, lists, registrations, results, bulk results, and refused requests: with an
unknown key (401), for a missing record (404), with a wrong body (400), and of a key that
has used up its rate limit (429). C<conf> sets that limit so that only this key meets it.

Each process has a connection, which it keeps; the first C<close> of them ask
for a new one with each request. A kept connection may be closed by the server
between two requests, at any time (RFC 9112, 9.3.1): what is idempotent, or has
an Idempotency-Key, is then sent again on a new one, if nothing came back. Any
other failure is a request lost. The sum counts answers by what was asked and
status, C<again> and C<lost>, with the first C<words> on what went wrong.

=cut

use strict;
use warnings;

use IO::Socket::SSL;
use JSON::PP ();
use List::Util qw(first);

use LIMS::Instance;

my $limit = 300;

# How many of each in a hundred, and the statuses that are right.
my @mixture = (
    [ get      => 36, 200 ],
    [ list     => 10, 200 ],
    [ register => 6,  201 ],
    [ enter    => 10, 200 ],
    [ bulk     => 2,  200 ],
    [ stranger => 10, 401 ],
    [ absent   => 10, 404 ],
    [ wrong    => 6,  400 ],
    [ greedy   => 10, 200 ],
);

sub conf { return "LimsRateLimit $limit\nLimsRateKeys 1024\n" }

sub new {
    my ($class, $lims, %option) = @_;
    my $lab      = $option{laboratory};
    my @defined  = map { $lab->definition } 1 .. 3;
    my @samples  = map { $lab->sample(testDefinitionIds => \@defined) } 1 .. 12;
    my $self = bless {
        lims     => $lims,
        defined  => \@defined,
        material => $lab->material,
        samples  => [ map { $_->{id} } @samples ],
        tests    => [ map { $lab->tests($_) } @samples ],
        keys     => [ map { $lims->key($lims->fixture)->{key} } 1 .. $option{keys} ],
        greedy   => $lims->key($lims->fixture)->{key},
        json     => JSON::PP->new->canonical,
    }, $class;

    return $self;
}

sub run {
    my ($self, %option) = @_;
    my %sum;

    for my $part ($self->{lims}->parallel($option{processes}, sub { $self->_work($_[0], \%option) })) {
        my $words = delete $part->{words};
        push @{ $sum{words} }, @{ $words || [] };
        $sum{$_} += $part->{$_} for keys %$part;
    }
    return \%sum;
}

# --- One process -------------------------------------------------------------

sub _work {
    my ($self, $number, $option) = @_;
    my $share = $option->{requests} ? $option->{requests} / $option->{processes} : 0;
    my %self  = (%$self, number => $number, close => $number < ($option->{close} || 0),
        count => { lost => 0, again => 0 }, done => 0);
    my $worker = bless \%self, ref $self;

    # Closes the connection that parallel() has used: idle, it would hold memory of the
    # server that another request then gets.
    delete $self->{lims}{client};
    srand($number + 1000 * ($option->{seed} || 0));
    while ($share ? $worker->{done} < $share : !$option->{until}->()) {
        my ($name, $status) = _choose();
        $worker->_one($name, $status);
        $worker->{done}++;
    }
    return $worker->{count};
}

sub _choose {
    my $place = rand 100;
    my $kind  = first { ($place -= $_->[1]) < 0 } @mixture;
    return @{ $kind || $mixture[0] }[ 0, 2 ];
}

sub _one {
    my ($self, $name, $expected) = @_;
    my $message = "_$name";
    my ($head, $body, $safe) = $self->$message;
    my $bytes   = $self->_bytes($name, $head, $body);
    my $answer  = $self->_exchange($bytes, $safe);
    my ($status) = $answer =~ m{\AHTTP/1\.1 (\d+)};

    if (!$status) {
        $self->{count}{lost}++;
        return $self->_say("$name: no answer, $answer");
    }
    $self->{count}{"$name $status"}++;
    return if $status == $expected || $status == 429;
    return $self->_say("$name: " . substr $answer, 0, 400);
}

sub _say {
    my ($self, $words) = @_;
    push @{ $self->{count}{words} }, $words if @{ $self->{count}{words} || [] } < 5;
    return;
}

sub _bytes {
    my ($self, $name, $head, $body) = @_;
    my $key = $name eq 'stranger' ? 'lk_mistyped' : $name eq 'greedy' ? $self->{greedy}
        : $self->{keys}[ rand @{ $self->{keys} } ];
    my $content = defined $body ? $self->{json}->encode($body) : '';
    my ($method, $path, @more) = split ' ', $head, 3;

    return join "\r\n", "$method /api/v1$path HTTP/1.1", 'Host: localhost',
        "Authorization: Bearer $key", $self->{close} ? 'Connection: close' : (), @more,
        defined $body ? ('Content-Type: application/json', 'Content-Length: ' . length $content) : (),
        '', $content;
}

# --- What is asked: the first line, the body, whether it may be repeated ------

sub _any { my ($list) = @_; return $list->[ rand @$list ] }

sub _get      { return ('GET /samples/' . _any($_[0]{samples}), undef, 1) }
sub _list     { return ('GET /samples?limit=20&cursor=' . int rand 20, undef, 1) }
sub _stranger { return ('GET /samples', undef, 1) }
sub _absent   { return ('GET /samples/987654321', undef, 1) }
sub _greedy   { return ('GET /whoami', undef, 1) }
sub _wrong    { return ('POST /samples', { clientName => [] }, 1) }

sub _register {
    my ($self) = @_;
    my $token = "$$-" . ++$self->{token};
    return ("POST /samples Idempotency-Key: $token", { clientName => 'A', notes => $token,
            materialTypeId => $self->{material}, testDefinitionIds => $self->{defined} }, 1);
}

sub _enter {
    my ($self) = @_;
    return ('PATCH /sample-tests/' . _any($self->{tests}), { result => int(rand 1000) . '.5' }, 1);
}

sub _bulk {
    my ($self) = @_;
    my $token = "$$-" . ++$self->{token};
    return ("POST /sample-tests/bulk-results Idempotency-Key: $token", { updates => [ map {
                { sampleTestId => $_, result => int(rand 1000) . '.25' } } @{ $self->{tests} } ] }, 1);
}

# --- The wire ----------------------------------------------------------------

sub _exchange {
    my ($self, $bytes, $safe) = @_;
    my $kept   = $self->{socket};
    my $socket = delete $self->{socket} || eval { $self->{lims}->socket };

    return "no connection: $@" unless $socket;
    my $answer = _send_and_read($socket, $bytes);
    if ($answer eq '' && $kept && $safe) {
        $self->{count}{again}++;
        return $self->_exchange($bytes, 0);
    }
    $self->{socket} = $socket unless $self->{close} || $answer !~ /\AHTTP/
        || $answer =~ /\r\nConnection: close/i;
    return $answer;
}

# The whole answer, as much as came of it, or nothing.
sub _send_and_read {
    my ($socket, $bytes) = @_;
    my ($answer, $length) = ('');

    local $SIG{ALRM} = sub { die "silence\n" };
    my $ok = eval {
        alarm 60;
        syswrite $socket, $bytes;
        while (!defined $length || length $answer < $length) {
            sysread $socket, $answer, 65536, length $answer or last;
            next if defined $length;
            my $end = index $answer, "\r\n\r\n";
            next if $end < 0;
            $length = $end + 4 + (substr($answer, 0, $end) =~ /\r\nContent-Length: (\d+)/i ? $1 : 0);
        }
        alarm 0;
        1;
    };
    alarm 0;
    return "none in 60 seconds: $answer" unless $ok;
    return $answer eq '' || (defined $length && length $answer >= $length) ? $answer
        : "cut off: $answer";
}

1;
