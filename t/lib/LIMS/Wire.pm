# SPDX-License-Identifier: Apache-2.0
package LIMS::Wire;

=head1 NAME

LIMS::Wire - requests that no HTTP library would send

=head1 SYNOPSIS

    use LIMS::Wire qw(message speak);

    my $response = speak($lims, message($lims, 'POST', '/samples',
        headers => ['Content-Encoding: gzip'], body => $bytes));
    my $odd = speak($lims, "GET\r\n\r\n");

=head1 DESCRIPTION

C<message> writes a request by hand: the key of the test unless C<key> says
otherwise (undef: none), the lines of C<headers> as they are, and a body with
its length, or in pieces of C<chunk> bytes. C<speak> sends bytes on a connection
of their own and returns the answer as a L<LIMS::Response>, compared with the
OpenAPI document like every other; undef when nothing came back. All the bytes
that came are its C<{raw}>.

=cut

use strict;
use warnings;

use Exporter qw(import);

use LIMS::Response;

our @EXPORT_OK = qw(message speak);

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

sub speak {
    my ($lims, $bytes, %option) = @_;
    my $answer   = $lims->raw($bytes, %option);
    my $response = LIMS::Response->parse($answer) or return;
    my ($method, $target) = $bytes =~ m{\A([A-Z]+) (\S+) HTTP/1\.1\r\n};

    $response->{raw} = $answer;
    if (defined $target && $target =~ s{\A\Q$lims->{base}\E}{}) {
        $lims->check_contract($method, $target, $response);
    }
    return $response;
}

1;
