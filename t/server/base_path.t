#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# LimsBasePath moves the service to another path of the site: every route is there, none is
# left at the old path, and URLs in responses are the new ones.
use strict;
use warnings;

use LIMS::Service::Response;
use LIMS::Test;

for my $configured ('/lab', '/lab/', '/company/lab-2/lims') {
    (my $base = $configured) =~ s{/\z}{};
    subtest "LimsBasePath $configured" => sub {
        # As the directive takes it, or by the Define that its ErrorDocuments follow.
        my $defined = $configured eq $base;
        my $lims    = LIMS::Test->new(base => $base,
            conf => $defined ? "Define LIMS_BASE $base" : "LimsBasePath $configured");
        my $plain = sub {
            return LIMS::Service::Response->parse($lims->raw("GET $_[0] HTTP/1.1\r\nHost: localhost\r\n"
                        . "Connection: close\r\nAuthorization: Bearer $lims->{key}\r\n\r\n"));
        };
        is($lims->get('/whoami')->status, 200, "it is at $base/api/v1");
        for my $else ('/api/v1/whoami', "$base/whoami", "${base}x/api/v1/whoami", "$base/api/v1x",
            "/x$base/api/v1/whoami") {
            my $answer = $plain->($else);
            is($answer->status, 404, "but not at $else");
            is($answer->header('RateLimit-Limit'), undef, "a request at $else is not ours");
        }
        if ($defined) {
            my $answer = LIMS::Service::Response->parse($lims->raw(
                "GET $base/api/v1/whoami HTTP/1.1\r\nHost: localhost\r\nNo colon\r\n\r\n"));
            is_deeply([ $answer->status, $answer->json->{error} ], [ 400, 'bad_request' ],
                'what httpd refuses is JSON');
        }
        my $made = $lims->post('/clients', { code => 'BASE', name => 'Base' });
        is($made->header('Location'), "$base/api/v1/clients/" . $made->json->{id},
            'Location is below it');
        is($plain->($made->header('Location'))->json->{code}, 'BASE',
            'the address in Location can be read');
        my $discovery = $lims->get('')->json;
        is($discovery->{documentation}, "$base/api/v1/openapi.json", 'discovery is told');
        my $document = $plain->($discovery->{documentation});
        is($document->status, 200, 'the address in discovery can be read');
        my $server = $document->json->{servers}[0]{url};
        is($server, $base, 'the document stands behind the same');
        for my $path ('/api/v1', '/api/v1/whoami') {
            ok($document->json->{paths}{$path}, "the document has the path $path");
            is($plain->("$server$path")->status, 200, "the address of $path can be read");
        }
        ok($lims->finish, 'the log is clean');
    };
}

subtest 'LimsDocumentation' => sub {
    my $url  = 'https://docs.example.org/lims';
    my $lims = LIMS::Test->new(conf => "LimsDocumentation $url");
    is($lims->get('')->json->{documentation}, $url, 'discovery names what is configured');
};

done_testing();
