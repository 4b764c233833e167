#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The switches (Define) of conf/lims.conf, and what its host has besides the API: other
# files, a proxy in front, a port without TLS, status pages for operators.
use strict;
use warnings;

use Fcntl ();
use File::Temp qw(tempdir);
use LIMS::Instance;
use LIMS::Service::Response;
use LIMS::Test;
use LIMS::Test::Source;

chomp(my $modules = LIMS::Instance::run('apxs', '-q', 'LIBEXECDIR'));
my $dir = tempdir(CLEANUP => 1);
my $off = LIMS::Instance::reserve_port();

sub load { return map {"LoadModule ${_}_module \"$modules/mod_$_.so\"\n"} @_ }

my $lims = LIMS::Test->new(conf => join '', load(qw(alias status)), <<"CONF");
Define LIMS_HSTS 300
Define LIMS_ACCESS_LOG "$dir/lims_access.log"
Define LIMS_FILES_LOG "$dir/lims_files.log"
<Location "/api/v1">
    Require expr "-z %{HTTP:X-Denied}"
</Location>
RedirectMatch 401 ^/e401\$
RedirectMatch 429 ^/e429\$
RedirectMatch 502 ^/e502\$
RedirectMatch 504 ^/e504\$
Listen 127.0.0.1:$off
<VirtualHost 127.0.0.1:$off>
    <Location "/server-status">
        SetHandler server-status
    </Location>
</VirtualHost>
CONF

sub ask {
    my ($path, @headers) = @_;
    return LIMS::Service::Response->parse($lims->raw(join "\r\n", "GET $path HTTP/1.1", 'Host: localhost',
            'Connection: close', @headers, '', ''));
}

sub plain {
    my ($service, $path, @headers) = @_;
    return LIMS::Service::Response->parse($service->raw(join("\r\n", "GET $path HTTP/1.1",
                'Host: localhost', 'Connection: close', @headers, '', ''), plain => 1));
}

sub figures {
    my %value = ask('/lims/metrics')->body =~ /^(lims_(?:requests|refusals)_total\{.*\}) (\d+)$/mg;
    return \%value;
}

subtest 'requests that httpd itself refuses' => sub {
    my $before = figures();
    my %slug = (401 => 'unauthorized', 429 => 'rate_limited', 502 => 'service_unavailable',
        504 => 'service_unavailable');

    for my $status (sort keys %slug) {
        my $answer = ask("/e$status");
        is($answer->status, $status, "$status stays $status");
        is($answer->json->{error}, $slug{$status}, "$status has its slug");
    }
    ok(ask('/e502')->header('Retry-After'), 'a gateway may be asked again');
    is(ask('/wp-login.php')->status, 404, 'a file that is not there');
    is_deeply(figures(), $before, 'such requests do not count as the API\'s');
    is($lims->get('/whoami', key => undef)->status, 401, 'a request of the API counts');
    my $after = figures();
    is($after->{'lims_refusals_total{error="unauthorized"}'},
        $before->{'lims_refusals_total{error="unauthorized"}'} + 1, 'the refusal is counted');
};

subtest 'which request is logged where' => sub {
    my $read = sub { open my $in, '<', "$dir/$_[0]" or return ''; local $/; return scalar <$in> };
    wait_until { $read->('lims_access.log') =~ m{/api/v1/whoami} };
    unlike($read->('lims_access.log'), qr{wp-login|/e401}, 'the API\'s has the API\'s requests');
    wait_until { $read->('lims_files.log') =~ m{wp-login} };
    like($read->('lims_files.log'), qr{^127\.0\.0\.1 - - \[.*\] "GET /wp-login\.php HTTP/1\.1" 404 \d+ "-" "-"$}m,
        'the other log has the other requests');
    unlike($read->('lims_files.log'), qr{/api/v1/whoami},
        'files and requests have logs of their own');
};

subtest 'TLS versions and ciphers' => sub {
    is(ask('/api/v1/whoami')->header('Strict-Transport-Security'), 'max-age=300',
        'Define LIMS_HSTS: also of a refusal');
    is(plain($lims, '/api/v1/whoami')->header('Strict-Transport-Security'), undef,
        'LIMS_HSTS sets no header without TLS');
    my ($ciphers) = text('conf/lims.conf') =~ /^\s*SSLCipherSuite (\S+)/m;
    my ($status, $listed) = LIMS::Instance::capture('openssl', 'ciphers', '-tls1_2', '-s', $ciphers);
    chomp $listed;
    my %known = map { $_ => 1 } split /:/, $listed;
    is_deeply([ grep { !$known{$_} } split /:/, $ciphers ], [], 'OpenSSL knows every cipher');
    unlike($ciphers, qr/CBC|3DES|RC4|SHA:|^(?!ECDHE)|:(?!ECDHE)/, 'all ciphers keep former traffic secret');
};

subtest 'the port without TLS' => sub {
    my $answer = plain($lims, '/lims/sample?x=1');
    is($answer->status, 301, 'a page is moved');
    is($answer->header('Location'), 'https://localhost/lims/sample?x=1',
        'the page is moved to https');
    $answer = plain($lims, '/api/v1/whoami', "Authorization: Bearer $lims->{key}");
    is($answer->status, 403, 'the API is not');
    is($answer->json->{error}, 'tls_required', 'the API is refused without TLS, so that a key is not sent in the clear for long');
};

subtest 'the pages for operators' => sub {
    for my $path (map {"/lims/$_"} qw(status metrics ready live)) {
        is(ask($path)->status, 200, "$path from this machine");
        for my $header ('X-Forwarded-For: 203.0.113.9', 'Forwarded: for=203.0.113.9', 'Via: 1.1 x',
            'X-Forwarded-Proto: https', 'X-Real-IP: 203.0.113.9') {
            my $answer = ask($path, $header);
            is($answer->status, 403, "$header does not change the address");
            is($answer->json->{error}, 'forbidden', 'the refusal is a JSON body');
        }
        is(plain($lims, $path)->status, 301, 'without TLS a request is moved to https whatever its headers');
    }
    $lims->expect_log(qr/AH01630/);
    my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$off") or die "connect: $!\n";
    print {$socket} "GET /server-status?auto HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    my $page = do { local $/; <$socket> };
    like($page, qr/^BusyWorkers: /m, 'mod_status of a site without the service');
    unlike($page, qr/Lims/i, 'a site without the service shows nothing of it in mod_status');
};

subtest 'access by Require' => sub {
    my $denied = ask('/api/v1/whoami.html', 'X-Denied: yes', "Authorization: Bearer $lims->{key}");
    is($denied->status, 403, 'holds for the API');
    is($denied->json->{error}, 'forbidden', 'the refusal is a JSON body');
    $lims->expect_log(qr{AH01630: client denied by server configuration: lims:/api/v1/whoami\.html/},
        'the log says for which URL access was denied');
};

# As conf/administration.md has it: a host for the proxy, and one that it does not
# know, by the same file.
subtest 'behind a proxy' => sub {
    my $port   = LIMS::Instance::reserve_port();
    my $behind = LIMS::Test->new(conf => join '', load('remoteip'), <<"CONF");
LimsRateLimit 20
Define PORT \${LIMS_PORT}
Listen 127.0.0.1:$port
Define LIMS_PROXY 127.0.0.1
Define LIMS_PORT $port
Include "$LIMS::Test::Source::root/conf/lims.conf"
UnDefine LIMS_PROXY
Define LIMS_PORT \${PORT}
CONF
    my $key     = "Authorization: Bearer $behind->{key}";
    my $through = sub {
        my ($path, @headers) = @_;
        my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") or die "connect: $!\n";
        print {$socket} join "\r\n", "GET $path HTTP/1.1", 'Host: localhost', 'Connection: close',
            @headers, '', '';
        return LIMS::Service::Response->parse(do { local $/; <$socket> });
    };

    my $first = $through->('/api/v1/whoami', $key);
    is($first->status, 200, 'requests come without TLS');
    is($behind->get('/whoami')->header('RateLimit-Remaining'),
        $first->header('RateLimit-Remaining') - 1, 'both hosts count together');
    my $answer = $through->('/api/v1/whoami', 'X-Forwarded-Proto: http', $key);
    is($answer->status, 403, 'requests that the proxy had without TLS');
    is($answer->json->{error}, 'tls_required',
        'requests that the proxy had without TLS are refused');
    for my $page (qw(status metrics ready live)) {
        is($through->("/lims/$page")->status, 404, "/lims/$page is not there");
        is(LIMS::Service::Response->from($behind, "/lims/$page")->status, 200,
            "/lims/$page is on the other port");
    }
    $through->('/api/v1/whoami', 'X-Forwarded-For: 203.0.113.9');
    $behind->expect_log(qr/\[client 203\.0\.113\.9(?::\d+)?\] LIMS0001/, 'the log has the client');
    is($first->header('Upgrade'), undef, 'no other protocol is offered');
};

subtest 'more connections than PostgreSQL has' => sub {
    my ($room) = $lims->db->selectrow_array(q{SELECT current_setting('max_connections')::integer
        - current_setting('superuser_reserved_connections')::integer});
    unlike($lims->log, qr/LIMS0382/, 'a server that fits starts without a word');
    my $each  = int(($room - 2) / 2);
    my $fits  = LIMS::Test->new(conf => "Define LIMS_CONNECTIONS $each");
    unlike($fits->log, qr/LIMS0382/, "a server that just fits starts without a word: two children with $each");
    my $needs = 2 * ($each + 1) + 2;
    LIMS::Test->new(conf => 'Define LIMS_CONNECTIONS ' . ($each + 1))
        ->expect_log(qr/\[lims:warn\] .*LIMS0382: host \S+, database \S+: PostgreSQL has room for $room connections, and this httpd may ask for $needs: 2 children with DBDMax @{[ $each + 1 ]}, and 2 of its own; raise max_connections/,
        'one connection more is warned of');
};

subtest 'shared memory files of databases that are no longer configured' => sub {
    my $runtime = "$lims->{instance}{home}/runtime";
    my ($own) = glob "$runtime/lims-webhooks-*";
    my ($left, $held, $other) = map {"$runtime/lims-webhooks-$_"} qw(0123abcd 4567abcd notes.txt);

    ok($own, 'the dispatchers of this one have a file');
    my %file = map { open my $file, '+>', $_ or die "$_: $!\n"; $_ => $file } $left, $held, $other;
    # As a child of before a graceful restart has it.
    my $lock = pack 's s x![q] q q l x![q]', Fcntl::F_WRLCK(), 0, 0, 36, 0;
    fcntl $file{$held}, Fcntl::F_SETLK(), $lock or die "fcntl: $!\n";
    $lims->graceful;
    ok(!-e $left, 'a file of a removed database is deleted at a restart');
    ok(-e $held, 'a file of a removed database stays while a process has it');
    ok(-e $other, 'a file that is not ours stays');
    ok(-e $own,   'our own files are not deleted');
    close $file{$held};
    $lims->graceful;
    ok(!-e $held, 'a file in use is deleted when it is free');
    my $dispatching = sub { $lims->superuser->selectrow_array(q{SELECT count(*) FROM pg_stat_activity
        WHERE application_name = 'mod_lims_webhooks' AND datname = ?}, undef, $lims->{database}) };
    ok(wait_until { $dispatching->() == 1 }, 'one dispatcher is at work');
};

done_testing();
