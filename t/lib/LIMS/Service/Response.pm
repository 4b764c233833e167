# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Response;

=head1 NAME

LIMS::Service::Response - an HTTP response of the service

=head1 DESCRIPTION

C<status>, C<body> (bytes), C<json> (decoded, undef when it is none),
C<header($name)> (values joined by ", "), C<headers> (a hash by lower-case name),
C<header_names>. C<parse($bytes)> makes one from what came over a socket,
C<from($lims, $path)> asks for a page beside the API, such as a monitor's.

=cut

use strict;
use warnings;

use LIMS::Service::JSONSchema;

sub new {
    my ($class, %part) = @_;

    return bless {
        status  => $part{status},
        body    => defined $part{body} ? $part{body} : '',
        headers => $part{headers} || {},
    }, $class;
}

# The first answer in raw bytes; undef when there is none.
sub parse {
    my ($class, $bytes) = @_;
    my ($head, $body) = split /\r\n\r\n/, $bytes, 2;
    my ($first, @lines) = split /\r\n/, defined $head ? $head : '';
    my ($status) = defined $first ? $first =~ m{\AHTTP/1\.[01] (\d{3})} : ();
    my %headers;

    return unless $status;
    for my $line (@lines) {
        my ($name, $value) = $line =~ /\A([^:]+):\s*(.*?)\s*\z/ or next;
        push @{ $headers{ lc $name } }, $value;
    }
    $body = '' unless defined $body;
    $body = _dechunked($body) if join('', @{ $headers{'transfer-encoding'} || [] }) =~ /chunked/;
    my $length = $headers{'content-length'};
    $body = substr $body, 0, $length->[0] if $length && length $body > $length->[0];
    return $class->new(status => $status, body => $body,
        headers => { map { $_ => join ', ', @{ $headers{$_} } } keys %headers });
}

sub from {
    my ($class, $lims, $path) = @_;
    my $bytes = $lims->raw(join "\r\n", "GET $path HTTP/1.1", 'Host: localhost',
        'Connection: close', '', '');

    return $class->parse($bytes) || die "no answer to $path\n";
}

sub _dechunked {
    my ($chunks) = @_;
    my $body = '';
    while ($chunks =~ s/\A([0-9A-Fa-f]+)[^\r\n]*\r\n//) {
        my $size = hex $1;
        last unless $size;
        $body .= substr $chunks, 0, $size;
        $chunks = length $chunks > $size + 2 ? substr $chunks, $size + 2 : '';
    }
    return $body;
}

sub status  { return $_[0]{status} }
sub body    { return $_[0]{body} }
sub headers { return $_[0]{headers} }

sub header {
    my ($self, $name) = @_;
    return $self->{headers}{ lc $name };
}

sub header_names {
    my ($self) = @_;
    return sort keys %{ $self->{headers} };
}

sub json {
    my ($self) = @_;
    $self->{json} = eval { LIMS::Service::JSONSchema::decode($self->{body}) } unless exists $self->{json};
    return $self->{json};
}

1;
