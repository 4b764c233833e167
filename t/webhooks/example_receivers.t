#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The examples of conf/receivers: each takes what the contract calls genuine and
# nothing else, signed here by Perl's own HMAC.
use strict;
use warnings;

use Digest::SHA qw(hmac_sha256_hex);
use File::Temp qw(tempdir);
use HTTP::Tiny;
use IO::Socket::INET;
use LIMS::Instance;
use LIMS::Wait;
use POSIX ();
use Test::More;

LIMS::Instance::start_cluster();    # which makes the certificates
my $root   = $LIMS::Instance::root;
my $tls    = LIMS::Instance::home($LIMS::Instance::cluster) . '/tls';
my $folder = tempdir(CLEANUP => 1);
my $secret = 'whsec_' . 'A' x 43 . '=';
my $owner  = $$;
my %process;
$ENV{WEBHOOK_SECRET} = $secret;

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or return '';
    local $/ = undef;
    return scalar(<$in>) // '';
}

# Starts a receiver that is a server by itself; its URL.
sub start {
    my ($name, @command) = @_;
    my $port = LIMS::Instance::reserve_port();
    my $pid  = fork // die "fork: $!\n";

    if (!$pid) {
        open STDOUT, '>', "$folder/$name.out" or POSIX::_exit(127);
        exec @command, "$root/conf/receivers/$name", $port, "$tls/server.pem", "$tls/server.key"
            or POSIX::_exit(127);
    }
    $process{$name} = $pid;
    wait_until { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) }
        or die "$name does not listen\n";
    return "https://localhost:$port/hook";
}

END {
    if (defined $owner && $$ == $owner) {
        my $status = $?;
        kill 'TERM', values %process;
        waitpid $_, 0 for values %process;
        $? = $status;
    }
}

my $http = HTTP::Tiny->new(verify_SSL => 1, SSL_options => { SSL_ca_file => "$tls/ca.pem" },
    timeout => 60);

sub post {
    my ($url, $headers, $body) = @_;
    my $answer = $http->post($url, { headers => $headers, content => $body });
    diag($answer->{content}) if $answer->{status} == 599;
    return $answer->{status};
}

# The same of a CGI script, as a web server runs it.
sub run_cgi {
    my ($name, $headers, $body) = @_;
    local %ENV = (%ENV, GATEWAY_INTERFACE => 'CGI/1.1', REQUEST_METHOD => 'POST',
        CONTENT_LENGTH => length $body);
    $ENV{ 'HTTP_' . uc =~ tr/-/_/r } = $headers->{$_} for keys %$headers;
    open my $in, '>:raw', "$folder/body" or die "body: $!\n";
    print {$in} $body;
    close $in;
    my $answer = qx{'$root/conf/receivers/$name' <'$folder/body' 2>>'$folder/$name.out'};
    return $answer =~ /\AStatus: (\d{3})\r\n(?:[\w-]+: [^\r\n]*\r\n)*\r\n\z/ ? $1 : $answer;
}

my $id = '5b6f1c9e-0d0f-4a55-9a1e-6c1f3f6f2f10';
my $body = qq({"id":"$id","type":"sample.created","createdAt":"2026-11-21T07:48:00.000Z",)
    . qq("organizationId":1,"data":{"clientName":"B\xC3\xA4ckerei \\"Zum Hahn\\"", "sampleId" : 1}});

sub signature { my ($time, $bytes, $key) = @_; return 'sha256=' . hmac_sha256_hex("$time.$bytes", $key) }

sub headers {
    my ($time, %more) = @_;
    return { 'Content-Type' => 'application/json', 'X-Service-Event' => 'sample.created',
        'X-Service-Delivery' => $id, 'X-Service-Timestamp' => $time,
        'X-Service-Signature' => signature($time, $body, $secret), %more };
}

sub without {
    my ($name) = @_;
    my $headers = headers(time);
    delete $headers->{$name};
    return $headers;
}

my $other = 'whsec_' . 'B' x 43 . '=';
my $stale = 'sha256=' . '0' x 64;

# [name, status, headers, body], made when it is sent: it names the time.
sub cases {
    my $now = time;
    return (
        [ 'genuine', 204, headers($now), $body ],
        [ 'again', 204, headers($now), $body ],
        [ 'four minutes old', 204, headers($now - 240), $body ],
        [ 'signed with the new secret too', 204, headers($now,
                'X-Service-Signature' => signature($now, $body, $other),
                'X-Service-Signature-Previous' => signature($now, $body, $secret)), $body ],
        [ 'another body', 401, headers($now), $body =~ s/Hahn/Huhn/r ],
        [ 'a byte more', 401, headers($now), "$body " ],
        [ 'no body', 401, headers($now), '' ],
        [ 'another secret', 401, headers($now,
                'X-Service-Signature' => signature($now, $body, $other)), $body ],
        [ 'the secret without its prefix', 401, headers($now,
                'X-Service-Signature' => signature($now, $body, substr $secret, 6)), $body ],
        [ 'a body signed without the time', 401, headers($now,
                'X-Service-Signature' => 'sha256=' . hmac_sha256_hex($body, $secret)), $body ],
        [ 'an hour old', 401, headers($now - 3600), $body ],
        [ 'of the future', 401, headers($now + 3600), $body ],
        [ 'another time', 401, headers($now,
                'X-Service-Timestamp' => $now - 1), $body ],
        [ 'a time that is none', 401, headers('now'), $body ],
        [ 'no time', 401, without('X-Service-Timestamp'), $body ],
        [ 'no signature', 401, without('X-Service-Signature'), $body ],
        [ 'a signature that is none', 401, headers($now, 'X-Service-Signature' => 'sha256='), $body ],
        [ 'zeros', 401, headers($now, 'X-Service-Signature' => $stale), $body ],
        [ 'a pattern', 401, headers($now, 'X-Service-Signature' => 'sha256=*'), $body ],
        [ 'as long as one', 401, headers($now, 'X-Service-Signature' => 'x' x 71), $body ],
    );
}

sub judged {
    my ($name, $send) = @_;
    for my $case (cases()) {
        my ($what, $status, $headers, $bytes) = @$case;
        is($send->($headers, $bytes), $status, "$name: $what");
    }
    my $told = slurp("$folder/$name.out");
    like($told, qr/^\Q$id\E sample\.created .*B(?:\xC3\xA4|\\u00e4)ckerei \\"Zum Hahn\\"/m,
        "$name: what was genuine is there");
    unlike($told, qr/Huhn/, "$name: and nothing else");
    return;
}

sub there { my ($program) = @_; return !system "command -v $program >/dev/null 2>&1" }

# A signed request that is no event is refused, and the next event is accepted.
sub lives {
    my ($name, $send) = @_;
    my $now = time;

    for my $bytes ('', '{"id":', 'hello') {
        is($send->(headers($now, 'X-Service-Signature' => signature($now, $bytes, $secret)),
                $bytes), 400, "$name: genuine, and no event: '$bytes'");
    }
    is($send->(headers($now), $body), 204, "$name: and goes on");
    return;
}

judged('receive.cgi', sub { run_cgi('receive.cgi', @_) });
lives('receive.cgi', sub { run_cgi('receive.cgi', @_) });
SKIP: {
    skip 'python3 is not here', 1 if !there('python3');
    my $url = start('receive.py', 'python3');
    judged('receive.py', sub { post($url, @_) });
    my @lines = split /\n/, slurp("$folder/receive.py.out");
    is(scalar @lines, 1, 'receive.py: a delivery that comes again is taken once');
    lives('receive.py', sub { post($url, @_) });
    is(qx{'$root/conf/receivers/send.sh' '$url' --cacert '$tls/ca.pem' </dev/null}, "204\n",
        'send.sh: nothing to send is a test event');
    like(slurp("$folder/receive.py.out"), qr/webhook\.test .*Hello/, 'receive.py: the test event of send.sh has come');
    my $event = '{"id":"7","type":"webhook.test","data":{"message":"from curl"}}';
    is(qx{printf '%s' '$event' | '$root/conf/receivers/send.sh' '$url' --cacert '$tls/ca.pem'},
        "204\n", 'send.sh: curl and openssl send what it takes');
    like(slurp("$folder/receive.py.out"), qr/from curl/, 'receive.py: the event that curl sent has come');
    local $ENV{WEBHOOK_SECRET} = $other;
    like(qx{printf '%s' '$event' | '$root/conf/receivers/send.sh' '$url' --cacert '$tls/ca.pem' 2>&1},
        qr/401/, 'send.sh: another secret is refused');
}
SKIP: {
    skip 'node is not here', 1 if !there('node');
    my $url = start('receive.mjs', 'node');
    judged('receive.mjs', sub { post($url, @_) });
    my @lines = split /\n/, slurp("$folder/receive.mjs.out");
    is(scalar @lines, 1, 'receive.mjs: a delivery that comes again is taken once');
    lives('receive.mjs', sub { post($url, @_) });
}

done_testing();
