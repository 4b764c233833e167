# SPDX-License-Identifier: Apache-2.0
package LIMS::Peers::WebhookReceiver;

=head1 NAME

LIMS::Peers::WebhookReceiver - an HTTPS server that webhooks are sent to

=head1 SYNOPSIS

    use LIMS::Peers::WebhookReceiver;

    my $receiver = LIMS::Peers::WebhookReceiver->new;
    my $lims     = LIMS::Test->new(conf => $receiver->conf . 'LimsWebhookSchedule 0.2 0.2');
    my $endpoint = $receiver->endpoint($lims, '/good', events => 'sample.created');
    ...
    my @requests = $receiver->wait_for('/good', 3);

=head1 DESCRIPTION

An HTTPS server in processes of its own, one for each connection, which knows the
contract's text and nothing else of the service. What it does with a request is
the word that was last said for its path, at first C<200>:

    200 ...        that status, and a short body
    302            a redirect to /redirected
    503 after 2    with Retry-After: 2
    hang           no answer
    reset          the connection is reset instead of one
    fickle         200 to the first request of a connection, and a reset for the next
    close          closed in the middle of the answer
    drip           a byte of an answer's body in a while, without end
    endless        a body without end, as fast as it goes
    headers        header fields without end
    gzip           megabytes of zeros in a few kilobytes
    junk           bytes that are no text

Several words, with commas, are for its requests in turn, the last one for all that
follow: C<500, 500, 204>.

=head2 Methods

    new(%option)         certificate => 'other': signed by nobody. names => [...]:
                         a certificate of its own for these, at every address.
                         tls => {...}: further options of IO::Socket::SSL
    ca_file              who signed its certificate
    url($path)           https://localhost:PORT$path
    conf                 directives that let a service send to it
    say($path, $word)    what it does with requests for the path from now on
    seen($path)          the requests so far, in order of their arrival: time, method, path,
                         headers (lower case), body, connection, and the address that
                         it came to (local)
    wait_for($path, $count, $seconds)    the same, when there are so many (20)
    endpoint($lims, $path, %option)      an endpoint there, made with limsctl:
                                         its record, with the secret. events =>
    stop

C<verified($request, $secret, $header)> is exported: whether a request's
signature is the contract's, worked out with Digest::SHA.

=cut

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256_hex);
use Exporter qw(import);
use File::Temp ();
use IO::Socket::SSL;
use LIMS::Instance;
use LIMS::Wait;
use POSIX ();
use Socket qw(SOL_SOCKET SO_LINGER);
use Time::HiRes qw(time sleep);
use parent 'LIMS::Peers::ForkedServer';

our @EXPORT = qw(verified);

sub new {
    my ($class, %option) = @_;
    LIMS::Instance::start_cluster();
    my $self = bless { folder => File::Temp->newdir, number => 0 }, $class;
    my $tls = LIMS::Instance::home($LIMS::Instance::cluster) . '/tls';
    my ($certificate, $key) = ("$tls/server.pem", "$tls/server.key");

    ($certificate, $key) = $self->_own_certificate(@{ $option{names} || ['localhost'] })
        if $option{certificate} || $option{names};
    $self->{ca_file} = $option{names} ? $certificate : LIMS::Instance::ca_file();
    $self->{listener} = IO::Socket::INET->new(Listen => 1024, ReuseAddr => 1,
        LocalAddr => $option{names} ? '0.0.0.0' : '127.0.0.1', LocalPort => $option{port} || 0)
        or die "listen: $!\n";
    $self->{port} = $self->{listener}->sockport;
    $self->{tls}  = IO::Socket::SSL::SSL_Context->new(SSL_cert_file => $certificate,
        SSL_key_file => $key, SSL_server => 1, %{ $option{tls} || {} }) or die "TLS: $IO::Socket::SSL::SSL_ERROR\n";
    $self->launch(sub {
        $self->serve($self->{listener}, sub { $self->_converse(@_) });
    });
    close delete $self->{listener};
    return $self;
}

sub _own_certificate {
    my ($self, @names) = @_;
    my @files = map { "$self->{folder}/$_" } qw(own.pem own.key);

    LIMS::Instance::run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
        'ec_paramgen_curve:prime256v1', '-nodes', '-subj', "/CN=$names[0]", '-addext',
        'subjectAltName=' . join(',', map {"DNS:$_"} @names), '-days', '2', '-out', $files[0],
        '-keyout', $files[1]);
    # Whoever reads it to trust it is not root.
    chmod 0755, "$self->{folder}";
    chmod 0644, $files[0];
    return @files;
}

sub url { return "https://localhost:$_[0]{port}$_[1]" }

sub ca_file { return $_[0]{ca_file} }

sub conf {
    my ($self) = @_;
    return "LimsWebhookAllow 127.0.0.0/8 ::1\nLimsWebhookPoll 50\nLimsWebhookCAFile "
        . LIMS::Instance::ca_file() . "\n";
}

# --- What it is told, and what it saw ----------------------------------------

sub _file { return "$_[0]{folder}/" . unpack('H*', $_[1]) }

sub say {
    my ($self, $path, $word) = @_;
    my $file = $self->_file($path);

    open my $out, '>', "$file.new" or die "$file: $!\n";
    print {$out} $word;
    close $out;
    rename "$file.new", $file or die "$file: $!\n";
    return;
}

sub seen {
    my ($self, $path) = @_;
    return grep { !defined $path || $_->{path} eq $path } $self->noted;
}

sub wait_for {
    my ($self, $path, $count, $seconds) = @_;
    my @seen;

    wait_until { (@seen = $self->seen($path)) >= $count } $seconds || 20;
    return @seen;
}

sub endpoint {
    my ($self, $lims, $path, %option) = @_;
    local $ENV{LIMS_SECRET_KEY_FILE} =
        LIMS::Instance::home($LIMS::Instance::cluster) . '/secret.key';
    my $code = ($option{organization} || $lims->fixture)->{code};
    my $made = $lims->ctl('--organization', $code, '--user', "administrator\@$code.example",
        'webhook', 'create', '--name', 'Receiver', '--url', $option{url} || $self->url($path),
        $option{events} ? ('--events', $option{events}) : (),
        $option{standard} ? ('--standard-headers', 'true') : ());

    die "webhook create: $made->{output}\n" if $made->{exit};
    return $made->{json};
}

sub verified {
    my ($request, $secret, $header) = @_;
    my $given = $request->{headers}{ $header || 'x-service-signature' };
    my $signed = "$request->{headers}{'x-service-timestamp'}.$request->{body}";

    utf8::encode($signed);
    return defined $given && $given eq 'sha256=' . hmac_sha256_hex($signed, $secret);
}

# --- The server --------------------------------------------------------------

sub _converse {
    my ($self, $socket) = @_;
    my $tls = IO::Socket::SSL->start_SSL($socket, SSL_server => 1,
        SSL_reuse_ctx => $self->{tls}) or return;
    my $buffer = '';

    while (my $request = $self->_read($tls, \$buffer)) {
        $request->{local} = $socket->sockhost;
        $self->note($request);
        last if !$self->_answer($tls, $socket, $request);
    }
    return;
}

sub _read {
    my ($self, $tls, $buffer) = @_;
    my $body;

    while (1) {
        if ($$buffer =~ /\A(.*?)\r\n\r\n(.*)\z/s) {
            my ($head, $rest) = ($1, $2);
            my ($length) = $head =~ /^Content-Length: *(\d+)/mi;
            if (length $rest >= ($length || 0)) {
                $body    = substr $rest, 0, $length || 0;
                $$buffer = substr $rest, $length || 0;
                return $self->_request($head, $body);
            }
        }
        sysread($tls, $$buffer, 65536, length $$buffer) or return;
    }
    return;
}

sub _request {
    my ($self, $head, $body) = @_;
    my ($first, @lines) = split /\r\n/, $head;
    my ($method, $path) = split / /, $first;
    my %headers;

    for (@lines) {
        my ($name, $value) = /\A([^:]+):\s*(.*)\z/ or next;
        $headers{ lc $name } = exists $headers{ lc $name } ? "$headers{lc $name}, $value" : $value;
    }
    utf8::decode($body);
    return { time => time, method => $method, path => $path, headers => \%headers, body => $body,
        connection => $$ };
}

sub _word {
    my ($self, $path) = @_;
    open my $in, '<', $self->_file($path) or return '200';
    local $/ = undef;
    return scalar <$in>;
}

# The word for this request, which is noted already.
sub _turn {
    my ($self, $path) = @_;
    my @words = split /, */, $self->_word($path);
    my $turn  = @words > 1 ? $self->seen($path) : 1;

    return $words[ $turn > @words ? -1 : $turn - 1 ];
}

my %acts = (
    hang  => sub { sleep 3600 },
    reset => sub {
        my ($tls, $socket) = @_;
        setsockopt $socket, SOL_SOCKET, SO_LINGER, pack('ii', 1, 0);
        POSIX::close(fileno $socket);
    },
    close => sub { print { $_[0] } "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of" },
    drip  => sub {
        print { $_[0] } "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
        while (syswrite $_[0], '.') { sleep 0.05 }
    },
    endless => sub {
        print { $_[0] } "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        while (syswrite $_[0], "1000\r\n" . 'x' x 4096 . "\r\n") { }
    },
    headers => sub {
        print { $_[0] } "HTTP/1.1 200 OK\r\n";
        while (syswrite $_[0], 'X-More: ' . 'x' x 1000 . "\r\n") { }
    },
    gzip => sub {
        require Compress::Zlib;
        my $bomb = Compress::Zlib::memGzip("\0" x 5_000_000);
        syswrite $_[0], "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "
            . length($bomb) . "\r\n\r\n$bomb";
        return 1;
    },
    junk => sub {
        syswrite $_[0], "HTTP/1.1 500 No\r\nContent-Length: 8\r\n\r\n\xff\xfe\0\x01\xc3(\xe2\x82";
        return 1;
    },
);

# Whether the connection goes on.
sub _answer {
    my ($self, $tls, $socket, $request) = @_;

    return $self->_act($self->_turn($request->{path}), $tls, $socket, $request);
}

sub _act {
    my ($self, $words, $tls, $socket, $request) = @_;
    my ($word, @more) = split ' ', $words;
    $word = $self->{answered}++ ? 'reset' : '200' if $word eq 'fickle';
    my $body = "Thank you for $request->{path}";

    if ($acts{$word}) {
        return (($acts{$word}->($tls, $socket) || 0) eq '1') && $word =~ /gzip|junk/;
    }
    my $extra = $word eq '302' ? "Location: /redirected\r\n" : '';
    $extra .= "Retry-After: $more[1]\r\n" if ($more[0] || '') eq 'after';
    sleep $more[1] if ($more[0] || '') eq 'slowly';
    return syswrite $tls, "HTTP/1.1 $word Word\r\nContent-Type: text/plain\r\n$extra"
        . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
}

1;
