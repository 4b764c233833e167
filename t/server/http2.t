#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# HTTP/2, where httpd differs in two things: an unread request body takes the response with
# it, and lines of the error log begin differently, which fail2ban's filter has to match.
use strict;
use warnings;

use File::Temp qw(tempdir);
use LIMS::Instance;
use LIMS::Test;
use LIMS::Test::Source;

chomp(my $modules = LIMS::Instance::run('apxs', '-q', 'LIBEXECDIR'));
my $lims = LIMS::Test->new(conf => <<"CONF");
LoadModule http2_module "$modules/mod_http2.so"
Protocols h2 http/1.1
LimsMaxBody 1048576
CONF
my $dir = tempdir(CLEANUP => 1);
my $ca  = LIMS::Instance::ca_file();

# (status, body) of a POST of so many bytes, "000" where no answer arrived.
sub send_bytes {
    my ($path, $length, %option) = @_;
    my $key = exists $option{key} ? $option{key} : $lims->{key};

    open my $out, '>', "$dir/body" or die "body: $!\n";
    print {$out} 'x' x $length;
    close $out;
    my ($code, $output) = LIMS::Instance::capture('curl', '-sS', '--cacert', $ca,
        $option{protocol} // '--http2', '-o', "$dir/answer", '-w', '%{http_version} %{http_code}',
        '-H', 'Content-Type: ' . ($option{type} // 'application/json'),
        defined $key ? ('-H', "Authorization: Bearer $key") : (),
        '--data-binary', "\@$dir/body", $lims->url . "/api/v1$path");
    my ($status) = $output =~ /(\S+ \d{3})\z/;
    open my $in, '<', "$dir/answer" or return ($status, $output);
    my $body = do { local $/; <$in> };
    unlink "$dir/answer";
    return ($status, $body);
}

subtest 'refused bodies of a known key' => sub {
    my @cases = (
        [ 'no such route',  '/nowhere', 404, 'not_found' ],
        [ 'too large',      '/samples', 413, 'payload_too_large' ],
        [ 'of another type', '/samples', 415, 'unsupported_media_type', type => 'text/plain' ],
        [ 'a key for files alone', '/samples', 403, 'upload_only_key',
            key => $lims->key($lims->fixture, upload_only => 1)->{key} ],
    );
    for my $case (@cases) {
        my ($name, $path, $status, $slug, %option) = @$case;
        for my $length (1000, 70_000, 3_000_000) {
            my ($got, $body) = send_bytes($path, $length, %option);
            next if $status == 413 && $length < 3_000_000;
            is($got, "2 $status", "$name: $length bytes");
            like($body, qr/"error":"$slug"/, "$name: the refusal has the slug $slug");
        }
    }
    my $gone = $lims->key($lims->fixture);
    is((send_bytes('/samples', 2, key => $gone->{key}))[0], '2 400', 'a key that works');
    $lims->db->do('UPDATE lims.api_key SET revoked_at = now() WHERE id = ?', undef, $gone->{key_id});
    # Whichever child knows it.
    my ($status, $body) = send_bytes('/samples', 60_000, key => $gone->{key});
    is($status, '2 401', 'a key revoked meanwhile is refused');
    like($body, qr/"error":"unauthorized"/, 'the refusal has the slug unauthorized');
};

subtest 'the connection stays usable' => sub {
    my $curl = join ' ', 'curl -sS --http2 --cacert', $ca,
        "-H 'Authorization: Bearer $lims->{key}' -H 'Content-Type: application/json'",
        "-w '%{num_connects} %{http_code}\\n' -o /dev/null -o /dev/null --data-binary \@$dir/body",
        $lims->url . '/api/v1/nowhere',
        $lims->url . '/api/v1/nowhere';
    is(qx{$curl}, "1 404\n0 404\n", 'the second request uses the same connection');
};

subtest 'fail2ban\'s filter matches the log lines of HTTP/2' => sub {
    my $wrong = substr($lims->{key}, 0, -1) . (substr($lims->{key}, -1) eq 'a' ? 'b' : 'a');
    my $known = () = $lims->log =~ /LIMS0001/g;

    for my $protocol ('--http1.1', '--http2') {
        send_bytes('/samples', 2, protocol => $protocol, key => $wrong) for 1 .. 2;
        send_bytes('/samples', 2, protocol => $protocol, key => LIMS::Test::Fixture::make_key());
        send_bytes('/samples', 2, protocol => $protocol, key => undef) for 1 .. 3;
    }
    wait_until { (() = $lims->log =~ /LIMS0001/g) == $known + 12 };
    my @lines = grep { /LIMS0001/ } split /\n/, $lims->log;
    @lines = @lines[ $known .. $#lines ];
    is(scalar(grep { /\[remote 127/ } @lines), 6, 'HTTP/2 has lines of its own form');

    my ($pattern) = text('conf/fail2ban/mod_lims.conf') =~ /^failregex = (.*)$/m;
    # fail2ban takes the time out of the line before.
    (my $perl = $pattern) =~ s/<HOST>/(?<host>[0-9a-f.:]+?)/;
    my @found = map { s/\A\[[^]]*\]/[]/r =~ /$perl/ ? $+{host} : () } @lines;
    is_deeply(\@found, [ ('127.0.0.1') x 6 ], 'the filter takes wrong keys, and no others');

    SKIP: {
        skip 'fail2ban is not here', 1 if system 'command -v fail2ban-regex >/dev/null 2>&1';
        open my $out, '>', "$dir/error.log" or die "error.log: $!\n";
        print {$out} map {"$_\n"} @lines;
        close $out;
        like(scalar qx{fail2ban-regex '$dir/error.log' '$LIMS::Test::Source::root/conf/fail2ban/mod_lims.conf'},
            qr/Lines: 12 lines, 0 ignored, 6 matched, 6 missed/, 'fail2ban does the same');
    }
};

done_testing();
