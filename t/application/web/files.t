#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The pages as files: what leads to them, what is cached, what is sent compressed, and that
# a missing script is not answered with the page. Also below a base path.
use strict;
use warnings;

use LIMS::Service::Response;
use LIMS::Test;
use LIMS::Test::Source;

my $built = "$LIMS::Test::Source::root/build/out/application/index.html";
plan(skip_all => 'the pages are not built') unless -f $built || $ENV{CI};

sub ask {
    my ($lims, $path, @fields) = @_;
    return LIMS::Service::Response->parse($lims->raw(join("\r\n", "GET $path HTTP/1.1",
        'Host: localhost', 'Connection: close', @fields, '', '')));
}

for my $base ('', '/lab') {
    my $lims = LIMS::Test->new(base => $base, $base ? (conf => "Define LIMS_BASE $base") : ());

    subtest $base || 'no base path' => sub {
        my $start = ask($lims, '/');
        is($start->status, 302, 'the host leads to the application');
        like($start->header('Location'), qr{$base/app/\z},
            'it leads to the base path of the application');

        my $page = ask($lims, "$base/app/samples/3");
        is($page->status, 200, 'every address of it is the page');
        is($page->header('Content-Type'), 'text/html; charset=utf-8', 'the page is HTML');
        is($page->header('Cache-Control'), 'no-cache', 'the page is asked for again each time');
        like($page->header('Content-Security-Policy'), qr/default-src 'none'.*trusted-types default/,
            'the page has the content security policy');
        my @scripts = $page->body =~ /(?:src|href)="([^"]+)"/g;
        cmp_ok(scalar @scripts, '>=', 4, 'the page has scripts, style and icon');

        my %types = (js => 'text/javascript', css => 'text/css', svg => 'image/svg+xml');
        for my $script (@scripts) {
            my ($suffix) = $script =~ /(\w+)\z/;
            my $plain    = ask($lims, $script);
            my $packed   = ask($lims, $script, 'Accept-Encoding: gzip, br');
            is($plain->status, 200, "$suffix is there");
            is($plain->header('Content-Type'), $types{$suffix}, "$suffix has its media type");
            like($plain->header('Cache-Control'), qr/immutable/, "$suffix is immutable");
            is($packed->header('Content-Encoding'), 'br', "$suffix is compressed for browsers that take it");
            is($packed->header('Content-Type'), $types{$suffix}, "$suffix has the same media type compressed");
            like($packed->header('Vary'), qr/Accept-Encoding/, "$suffix tells caches that it depends on Accept-Encoding");
        }
        is(ask($lims, "$base/app/assets/gone.js")->status, 404, 'a missing script is missing');
    };
}
done_testing();
