#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Only pages of this host change anything, whatever a browser sends with a request that
# another site caused; and no page of this host can be framed or run scripts of others.
use strict;
use warnings;

use JSON::PP ();

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims   = LIMS::Test->new;
my $lab    = LIMS::Service::Laboratory->new($lims);
my $clerk  = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
my $body   = { clientName => 'Acme', materialTypeId => $lab->sample->{materialTypeId} };
my $origin = 'https://localhost:' . $lims->{instance}{port};

sub post {
    my (%headers) = @_;
    return $clerk->post('/samples', $body, page => 0, headers => \%headers);
}

subtest 'who made a request' => sub {
    my @page = ('X-Lims-Request' => '1');

    is(post(@page, 'Sec-Fetch-Site' => 'same-origin')->status, 201, 'a page of this host');
    is(post(@page, Origin => $origin)->status, 201, 'a page of this host in a browser without Fetch Metadata');
    refused(post(@page, 'Sec-Fetch-Site' => $_, Origin => $origin), 403, 'cross_site_request', $_)
        for qw(cross-site same-site none);
    refused(post(@page, Origin => $_), 403, 'cross_site_request', "Origin: $_")
        for 'https://evil.example', 'null', 'http://localhost', 'https://localhost:1',
        "$origin.evil.example";
    refused(post(@page), 403, 'cross_site_request', 'neither');
    my $json = JSON::PP::encode_json($body);
    like($lims->raw(join "\r\n", 'POST /app/api/samples HTTP/1.1', 'Host: evil.example',
            'Origin: https://evil.example', 'X-Lims-Request: 1', 'Cookie: __Host-lims=' . $clerk->token,
            'X-Lims-Session: ' . $clerk->session, 'Content-Type: application/json',
            'Content-Length: ' . length $json, 'Connection: close', '', $json),
        qr/ 403 .*"cross_site_request"/s,
        'this host is the one of ServerName, whatever a request calls it');
    refused(post('Sec-Fetch-Site' => 'same-origin'), 403, 'cross_site_request',
        'without X-Lims-Request, which no form can send');
    refused(post('Sec-Fetch-Site' => 'same-origin', 'X-Lims-Request' => '2'), 403,
        'cross_site_request', 'another value of X-Lims-Request is refused');
};

subtest 'also for' => sub {
    my @evil = (page => 0, headers => { 'Sec-Fetch-Site' => 'cross-site', 'X-Lims-Request' => '1' });

    refused($clerk->request('DELETE', '/session', @evil), 403, 'cross_site_request', 'signing out');
    refused($clerk->request('POST', '/session', @evil, session => undef,
            body => { email => $clerk->email, password => $clerk->password }), 403,
        'cross_site_request', 'signing in');
    refused($clerk->request('PATCH', '/samples/1', @evil, body => { notes => 'x' }), 403,
        'cross_site_request', 'PATCH');
    refused($clerk->request('POST', '/nowhere', @evil, body => {}), 403, 'cross_site_request',
        'a path that there is not');
    is($clerk->get('/samples/1', headers => { 'Sec-Fetch-Site' => 'cross-site' })->status, 200,
        'a link may lead here: reading changes nothing');
    is($clerk->head('/samples/1')->status, 200, 'HEAD reads');
    is($clerk->get('/session')->status, 200, 'the session goes on');
};

subtest 'a body is JSON' => sub {
    my @page = ('Sec-Fetch-Site' => 'same-origin', 'X-Lims-Request' => '1');

    refused($clerk->request('POST', '/samples', page => 0, body => 'clientName=x',
            headers => { @page, 'Content-Type' => $_ }), 415, 'unsupported_media_type', $_)
        for 'text/plain', 'application/x-www-form-urlencoded';
};

# --- Header fields ----------------------------------------------------------

my %wanted = (
    'Content-Security-Policy' => "default-src 'none'; script-src 'self'; style-src 'self';"
        . " img-src 'self' blob:; font-src 'self'; connect-src 'self'; frame-src blob:;"
        . " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
        . " require-trusted-types-for 'script'; trusted-types default",
    'X-Content-Type-Options'     => 'nosniff',
    'Referrer-Policy'            => 'same-origin',
    'Cross-Origin-Opener-Policy' => 'same-origin',
);

sub raw_headers {
    my ($request) = @_;
    my ($head) = split /\r\n\r\n/,
        $lims->raw("$request\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    my ($status, @lines) = split /\r\n/, $head;
    my %found;
    for my $line (@lines) {
        my ($name, $value) = $line =~ /\A([^:]+): (.*)\z/ or next;
        push @{ $found{$name} }, $value;
    }
    return ($status =~ /\AHTTP\/1\.1 (\d+)/, \%found);
}

# A script of the pages, as index.html names it.
my ($script) = $lims->raw("GET /app/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    =~ m{"(/app/assets/[^"]+\.js)"};
ok($script, 'the page names a script');

for my $request ("GET $script HTTP/1.1", (map { "GET /app/$_ HTTP/1.1" } '', 'samples/3', 'sign-on'),
    'GET /app/api/session HTTP/1.1', 'GET /api/v1 HTTP/1.1', 'GET /lims/status HTTP/1.1',
    'GET /nowhere HTTP/1.1', 'GET /app/assets/gone.js HTTP/1.1', 'GET /ready HTTP/1.1',
    'GET / HTTP/1.1', 'BROKEN') {
    my ($status, $found) = raw_headers($request);
    is($status, 404, "$request: no page in the place of a file that is gone")
        if $request =~ m{/assets/gone};
    is($status, 200, "$request: there is one") if $request =~ m{ /app/(?!api|assets/gone)};
    is_deeply({ map { $_ => $found->{$_} } keys %wanted }, { map { $_ => [ $wanted{$_} ] } keys %wanted },
        "$request ($status): every header field, once");
}

done_testing();
