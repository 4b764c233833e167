#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A path that does not exist is 404; a path without this method is 405, with its methods in
# Allow: derived from discovery for every path and method.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Service::Response;
use LIMS::Service::RouteRecords;
use LIMS::Test;

my $lims    = LIMS::Test->new;
my $records = LIMS::Service::RouteRecords->new($lims);

my (%methods, %path);
for my $route ($records->routes) {
    $methods{ $route->{template} }{ $route->{method} } = 1;
    $methods{ $route->{template} }{HEAD} = 1 if $route->{method} eq 'GET';
    $path{ $route->{template} } = $route->{here};
}
cmp_ok(scalar keys %methods, '>', 20, 'discovery lists the paths');

my $before = LIMS::Database::Snapshot::take($lims);

for my $template (sort keys %methods) {
    subtest "/api/v1$template" => sub {
        my $allowed = join ', ', sort keys %{ $methods{$template} };
        for my $method (qw(GET HEAD POST PUT PATCH DELETE OPTIONS LINK FROBNICATE get)) {
            next if $methods{$template}{$method};
            my $answer = send_raw($lims, message($lims, $method, $path{$template}));
            is($answer->status, 405, "$method is not possible");
            is(join(', ', sort split /, /, $answer->header('Allow') || ''), $allowed,
                'Allow names the methods that are possible');
            next if $method eq 'HEAD';
            is($answer->json->{error}, 'method_not_allowed', 'the refusal is a JSON body');
            like($answer->json->{message}, qr/\Q$method\E/, "the refusal names the method $method");
        }
    };
}

subtest 'paths that do not exist' => sub {
    my $sample = $records->id('samples');
    for my $path ('/nowhere', '/', '/samples/', '/samples//', "/samples/$sample/",
        "/samples/$sample/nowhere", "/samples/$sample/status/1", "/sample/$sample", '/Samples',
        '/WHOAMI', '/whoami/1', '/openapi.json/', '/openapi.yaml', '/openapi', '/samples.json',
        "/samples;v=1/$sample", '/.httpd-error/x', '/clients/1/projects', '/samples/:id/nowhere',
        '/samples/a/b/c', '/' . 'x/' x 200, '/' . 'x' x 2000) {
        my $short = length $path > 40 ? substr($path, 0, 40) . '...' : $path;
        for my $method (qw(GET POST PATCH DELETE)) {
            my $answer = send_raw($lims, message($lims, $method, $path));
            is($answer->status, 404, "$method $short");
            is($answer->json->{error}, 'not_found', 'the refusal is a JSON body');
            is($answer->header('Allow'), undef, 'the refusal has no Allow');
        }
    }
};

subtest 'paths outside the base path' => sub {
    my $plain = sub {
        my ($target) = @_;
        # Spelt in ways that the document does not have.
        return LIMS::Service::Response->parse($lims->raw("GET $target HTTP/1.1\r\nHost: localhost\r\n"
                    . "Connection: close\r\nAuthorization: Bearer $lims->{key}\r\n\r\n"));
    };
    for my $target ('/', '/api', '/api/', '/api/v2/samples', '/api/v1x/samples', '/api/v10',
        '/ready') {
        my $answer = $plain->($target);
        ok(!$answer->header('RateLimit-Limit'), "$target is not counted");
        unlike($answer->status, qr/^(?:401|5..)/, "$target asks for no key");
    }
    # httpd resolves dots and escapes first, as RFC 3986 section 6.2.2 has it,
    # and takes several slashes for one (MergeSlashes).
    is($plain->('/api/v1//whoami')->status, 200, '//whoami is /whoami');
    is($plain->('/api/v1/samples/../whoami')->status, 200, '/samples/../whoami is /whoami');
    is($plain->('/api/v1/who%61mi')->status, 200, 'an escaped letter is that letter');
    is($plain->('/api/v1/samples%2F' . $records->id('samples'))->status, 404,
        'an escaped slash is no slash');
    is($plain->('https://localhost/api/v1/whoami')->status, 200,
        'a whole URL is a target as well (RFC 9112 section 3.2.2)');
};

is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');

done_testing();
