# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Requests;

=head1 NAME

LIMS::Test::Requests - the HTTP client of a test, which checks each response

=head1 DESCRIPTION

The part of L<LIMS::Test> that sends requests, and compares each response with the
OpenAPI document that the service serves. The methods are described there.

=cut

use strict;
use warnings;

use HTTP::Tiny;
use IO::Socket::INET;
use IO::Socket::SSL;
use JSON::PP ();
use Socket qw(IPPROTO_TCP TCP_NODELAY);

use LIMS::Instance;
use LIMS::Service::OpenAPI;
use LIMS::Service::Response;

sub get    { my ($self, $path, %o) = @_; return $self->request('GET',  $path, %o) }
sub head   { my ($self, $path, %o) = @_; return $self->request('HEAD', $path, %o) }
sub post   { my ($self, $path, $body, %o) = @_; return $self->_send('POST',   $path, $body, %o) }
sub patch  { my ($self, $path, $body, %o) = @_; return $self->_send('PATCH',  $path, $body, %o) }
sub put    { my ($self, $path, $body, %o) = @_; return $self->_send('PUT',    $path, $body, %o) }
sub delete { my ($self, $path, $body, %o) = @_; return $self->_send('DELETE', $path, $body, %o) }

sub _send {
    my ($self, $method, $path, $body, %option) = @_;
    return $self->request($method, $path, %option, body => $body);
}

sub request {
    my ($self, $method, $path, %option) = @_;
    my ($headers, $body) = $self->_message(%option);
    my $answer = $self->client(\%option)->request($method, $self->_base(\%option) . $path,
        { headers => $headers, defined $body ? (content => $body) : () });

    # HTTP::Tiny's own status for what never reached the server.
    die "$method $path: $answer->{content}" if $answer->{status} == 599;
    my $response = LIMS::Service::Response->new(
        status  => $answer->{status},
        body    => $answer->{content},
        headers => { map { $_ => ref $answer->{headers}{$_}
                    ? join(', ', @{ $answer->{headers}{$_} }) : $answer->{headers}{$_} }
                keys %{ $answer->{headers} } },
    );
    $self->check_contract($method, $path, $response, $option{document});
    return $response;
}

# The URL before a path: of the REST API, or of another surface of the same service.
sub _base {
    my ($self, $option) = @_;
    my $base = $self->{base};

    $base =~ s{/api/v1\z}{$option->{surface}} if defined $option->{surface};
    return $self->url . $base;
}

sub _message {
    my ($self, %option) = @_;
    my %headers = %{ $option{headers} || {} };
    my $key     = exists $option{key} ? $option{key} : $self->{key};
    my $body    = $option{body};

    $body = JSON::PP->new->utf8->canonical->allow_nonref->allow_bignum->encode($body) if ref $body;
    $headers{Authorization} = "Bearer $key"
        if defined $key && !grep { lc eq 'authorization' } keys %headers;
    $headers{'Content-Type'} = 'application/json'
        if defined $body && !grep { lc eq 'content-type' } keys %headers;
    return (\%headers, $body);
}

# HTTP::Tiny writes head and body one by one: without this, the kernel keeps the
# second back until the first is acknowledged, 40 ms for every body.
{
    no warnings 'redefine';
    my $connect = HTTP::Tiny::Handle->can('connect');
    *HTTP::Tiny::Handle::connect = sub {
        my $handle = $connect->(@_);
        setsockopt $handle->{fh}, IPPROTO_TCP, TCP_NODELAY, 1;
        return $handle;
    };
}

# A connection is kept and used again, by this process only, and not when it has
# been idle so long that httpd may be closing it (KeepAliveTimeout).
sub client {
    my ($self, $option) = @_;
    return $self->new_client(local_address => $option->{from}) if $option->{from};
    my $new = ($option->{connection} || '') eq 'new' || time > ($self->{client_until} || 0);

    delete $self->{client} if $new || ($self->{client_of} || 0) != $$;
    $self->{client_of}    = $$;
    $self->{client_until} = time + 3;
    return $self->{client} ||= $self->new_client(keep_alive => 1);
}

sub new_client {
    my ($self, %option) = @_;
    return HTTP::Tiny->new(
        agent        => 'LIMS-Test',
        max_redirect => 0,
        timeout      => 120,
        verify_SSL   => 1,
        SSL_options  => { SSL_reuse_ctx => authority() },
        %option,
    );
}

# The certificate authority is read once for all connections: a test may open thousands.
my $authority;

sub authority {
    return $authority ||= IO::Socket::SSL::SSL_Context->new(
        SSL_ca_file     => LIMS::Instance::ca_file(),
        SSL_verify_mode => IO::Socket::SSL::SSL_VERIFY_PEER(),
    ) || die "the authority of the tests: $IO::Socket::SSL::SSL_ERROR\n";
}

sub url {
    my ($self) = @_;
    return "https://127.0.0.1:$self->{instance}{port}";
}

sub http_get {
    my ($self, $path, %option) = @_;
    my ($headers) = $self->_message(%option);
    my $answer = HTTP::Tiny->new(agent => 'LIMS-Test', max_redirect => 0)
        ->get("http://127.0.0.1:$self->{instance}{plain_port}$self->{base}$path",
        { headers => $headers });

    my $response = LIMS::Service::Response->new(status => $answer->{status}, body => $answer->{content},
        headers => $answer->{headers});
    $self->check_contract('GET', $path, $response);
    return $response;
}

# An open socket to the service, over TLS unless plain.
sub socket {
    my ($self, %option) = @_;

    if ($option{plain}) {
        return IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $self->{instance}{plain_port}) || die "connect: $!\n";
    }
    return IO::Socket::SSL->new(
        PeerAddr            => '127.0.0.1',
        PeerPort            => $self->{instance}{port},
        SSL_hostname        => '',
        SSL_reuse_ctx       => authority(),
        SSL_verifycn_scheme => 'http',
        SSL_verifycn_name   => '127.0.0.1',
    ) || die "connect: $IO::Socket::SSL::SSL_ERROR\n";
}

sub raw {
    my ($self, $bytes, %option) = @_;
    my $socket = $self->socket(%option);

    $socket->blocking(1);
    my $sent = 0;
    while ($sent < length $bytes) {
        my $count = syswrite $socket, $bytes, 16384, $sent;
        last unless defined $count;    # it has heard enough and hung up
        $sent += $count;
    }
    my $answer = _read_answer($socket, $option{patience} || 60);
    close $socket;
    return $answer;
}

# Until the answer is whole, the other side hangs up or patience ends.
sub _read_answer {
    my ($socket, $patience) = @_;
    my $answer = '';
    my $ok = eval {
        local $SIG{ALRM} = sub { die "patience\n" };
        alarm $patience;
        while (sysread $socket, my $some, 65536) {
            $answer .= $some;
            my ($head, $body) = split /\r\n\r\n/, $answer, 2;
            last if defined $body && $head =~ /^Content-Length: *(\d+)/mi && length $body >= $1;
        }
        alarm 0;
        1;
    };
    alarm 0;
    die $@ if !$ok && $@ ne "patience\n";
    return $answer;
}

# --- The contract ------------------------------------------------------------

my $api;

sub api {
    return $api ||= do {
        my $text = LIMS::Instance::openapi();
        die "the service does not serve an OpenAPI document at /api/v1/openapi.json\n"
            unless defined $text;
        LIMS::Service::OpenAPI->new(LIMS::Service::OpenAPI::decoded($text));
    };
}

# Compares a reply with what the document says and notes what was seen; of another
# document than the REST API's nothing is noted.
sub check_contract {
    my ($self, $method, $path, $response, $document) = @_;

    return unless $self->{contract};
    my ($bare) = $path =~ /\A([^?]*)/;
    my ($operation, @faults) = ($document || $self->api)->check($method, $bare, $response);
    _note_coverage($operation->{operationId}, $response->status) if $operation && !$document;
    return unless @faults;
    $self->problem("$method $path " . $response->status . ' is as documented',
        @faults, $response->body);
    return;
}

sub _note_coverage {
    my ($operation, $status) = @_;
    our %noted;

    return if $noted{"$operation $status"}++;
    open my $out, '>>', "$LIMS::Instance::cluster/coverage" or die "coverage: $!\n";
    syswrite $out, "$operation $status\n";
    close $out;
    return;
}

1;
