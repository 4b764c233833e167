# SPDX-License-Identifier: Apache-2.0
package LIMS::Peers::OpenIDProvider;

=head1 NAME

LIMS::Peers::OpenIDProvider - an OpenID Connect provider of a test's own

=head1 SYNOPSIS

    my $provider = LIMS::Peers::OpenIDProvider->new;
    my $lims = LIMS::Test->new(conf => 'OIDCProviderMetadataURL ' . $provider->metadata . ...);
    my $back = $provider->authorize($location, 'kim');    # as the browser is sent back

=head1 DESCRIPTION

Answers discovery, its keys and tokens (authorization code flow, RS256). People are whom
the test says: C<authorize> returns the path and query to which the browser of somebody who
has signed in there is redirected; C<location> is the URL to which it was sent.

=cut

use strict;
use warnings;

use parent 'LIMS::Peers::ForkedServer';

use File::Temp qw(tempdir);
use HTTP::Tiny;
use IO::Socket::INET;
use JSON::PP ();
use LIMS::Instance;
use MIME::Base64 qw(encode_base64url decode_base64url);

my $json = JSON::PP->new->utf8->canonical;

sub new {
    my ($class) = @_;
    my $self = bless { folder => tempdir(CLEANUP => 1) }, $class;
    my $listener = IO::Socket::INET->new(Listen => 8, LocalAddr => '127.0.0.1', ReuseAddr => 1)
        or die "listen: $!\n";

    $self->{port} = $listener->sockport;
    LIMS::Instance::run('openssl', 'genrsa', '-out', "$self->{folder}/key.pem", '2048');
    $self->launch(sub { $self->serve($listener, sub { $self->_answer($_[0]) }) });
    return $self;
}

sub issuer   { return "http://127.0.0.1:$_[0]{port}" }
sub metadata { return $_[0]->issuer . '/.well-known/openid-configuration' }

# The code carries what the token has to say, so that nothing is kept.
sub authorize {
    my ($self, $location, $name) = @_;
    my %asked = map { _decoded($_) } map { split /=/, $_, 2 }
        split /&/, $location =~ s/\A[^?]*\?//r;
    my $code = encode_base64url($json->encode({ name => $name, nonce => $asked{nonce} }));

    return $asked{redirect_uri} =~ s{\Ahttps://[^/]+}{}r . "?code=$code&state=$asked{state}";
}

sub _decoded {
    my ($text) = @_;
    $text =~ tr/+/ /;
    $text =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge;
    return $text;
}

sub _answer {
    my ($self, $socket) = @_;
    my ($path, $length) = ('', 0);
    # openssl is waited for.
    local $SIG{CHLD} = 'DEFAULT';

    while (defined(my $line = <$socket>)) {
        ($path) = $line =~ m{\A\w+ (\S+)} if !$path;
        ($length) = $line =~ /: *(\d+)/ if $line =~ /\AContent-Length:/i;
        last if $line =~ /\A\r?\n\z/;
    }
    read $socket, my ($body), $length;
    my $said = $json->encode($path =~ /configuration/ ? $self->_metadata
        : $path =~ /keys/ ? { keys => [ $self->_key ] } : $self->_tokens($body));
    print {$socket} "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n",
        'Content-Length: ', length $said, "\r\n\r\n$said";
    return;
}

sub _metadata {
    my ($self) = @_;
    my $issuer = $self->issuer;

    return { issuer => $issuer, authorization_endpoint => "$issuer/authorize",
        token_endpoint => "$issuer/token", jwks_uri => "$issuer/keys",
        response_types_supported => ['code'], subject_types_supported => ['public'],
        id_token_signing_alg_values_supported => ['RS256'],
        token_endpoint_auth_methods_supported => ['client_secret_basic'] };
}

sub _key {
    my ($self) = @_;
    my $modulus = LIMS::Instance::run('openssl', 'rsa', '-in', "$self->{folder}/key.pem", '-noout',
        '-modulus') =~ s/\A.*Modulus=(\w+).*\z/$1/sr;

    return { kty => 'RSA', use => 'sig', alg => 'RS256', kid => 'one', e => 'AQAB',
        n => encode_base64url(pack 'H*', $modulus) };
}

sub _tokens {
    my ($self, $body) = @_;
    my ($code) = $body =~ /(?:\A|&)code=([^&]+)/;
    my $whom   = $json->decode(decode_base64url(_decoded($code)));

    return { access_token => 'opaque', token_type => 'Bearer', expires_in => 300,
        id_token => $self->_signed({ iss => $self->issuer, aud => 'lims', iat => time,
            exp => time + 300, sub => "subject-of-$whom->{name}", nonce => $whom->{nonce},
            preferred_username => $whom->{name} }) };
}

sub _signed {
    my ($self, $claims) = @_;
    my $signed = join '.', map { encode_base64url($json->encode($_)) }
        { alg => 'RS256', typ => 'JWT', kid => 'one' }, $claims;
    my $file = "$self->{folder}/signed.$$";

    open my $out, '>', $file or die "$file: $!\n";
    print {$out} $signed;
    close $out;
    LIMS::Instance::run('openssl', 'dgst', '-sha256', '-sign', "$self->{folder}/key.pem",
        '-out', "$file.sig", $file);
    open my $in, '<:raw', "$file.sig" or die "$file.sig: $!\n";
    my $signature = do { local $/ = undef; <$in> };
    return "$signed." . encode_base64url($signature);
}

1;
