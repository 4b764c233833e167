# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::RawRequest;

=head1 NAME

LIMS::Service::RawRequest - HTTP requests written byte by byte, as no HTTP library would send them

=head1 SYNOPSIS

    use LIMS::Service::RawRequest qw(message send_raw);

    my $response = send_raw($lims, message($lims, 'POST', '/samples',
        headers => ['Content-Encoding: gzip'], body => $bytes));
    my $odd = send_raw($lims, "GET\r\n\r\n");

=head1 DESCRIPTION

C<message> writes a request by hand: the key of the test unless C<key> says
otherwise (undef: none), the lines of C<headers> as they are, and a body with
its length, or in pieces of C<chunk> bytes. C<send_raw> sends bytes on a connection
of their own and returns the answer as a L<LIMS::Service::Response>, compared with the
OpenAPI document like every other; undef when nothing came back. All the bytes
that came are its C<{raw}>.

=cut

use strict;
use warnings;

use Exporter qw(import);

use LIMS::Service::Response;

our @EXPORT_OK = qw(message send_raw);

sub message {
    my ($lims, $method, $path, %option) = @_;
    my $key   = exists $option{key} ? $option{key} : $lims->{key};
    my @lines = ("$method $lims->{base}$path HTTP/1.1", 'Host: localhost', 'Connection: close');
    my $body  = $option{body};

    push @lines, "Authorization: Bearer $key" if defined $key;
    push @lines, @{ $option{headers} || [] };
    return join "\r\n", @lines, '', '' unless defined $body;
    push @lines, 'Content-Type: application/json'
        unless grep { /^Content-Type:/i } @{ $option{headers} || [] };
    return join "\r\n", @lines, 'Content-Length: ' . length $body, '', $body
        unless $option{chunk};
    return join "\r\n", @lines, 'Transfer-Encoding: chunked', '',
        (map { sprintf("%x\r\n", length) . $_ } unpack "(a$option{chunk})*", $body), '0', '', '';
}

sub send_raw {
    my ($lims, $bytes, %option) = @_;
    my $answer   = $lims->raw($bytes, %option);
    my $response = LIMS::Service::Response->parse($answer) or return;
    my ($method, $target) = $bytes =~ m{\A([A-Z]+) (\S+) HTTP/1\.1\r\n};

    $response->{raw} = $answer;
    if (defined $target && $target =~ s{\A\Q$lims->{base}\E}{}) {
        $lims->check_contract($method, $target, $response);
    }
    return $response;
}

1;
