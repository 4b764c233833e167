#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# HEAD answers as GET does, header for header, without the body: for every GET route that
# discovery lists, and for refusals.
use strict;
use warnings;

use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Service::RouteRecords;
use LIMS::Test;

my $lims    = LIMS::Test->new;
my $records = LIMS::Service::RouteRecords->new($lims);

# Headers that differ from one request to the next.
my %moving = map { $_ => 1 } qw(date x-request-id ratelimit-remaining ratelimit-reset);

sub fixed {
    my ($response) = @_;
    return { map { $_ => $response->header($_) } grep { !$moving{$_} } $response->header_names };
}

sub compare {
    my ($path, %option) = @_;
    my $get  = send_raw($lims, message($lims, 'GET',  $path, %option));
    my $head = send_raw($lims, message($lims, 'HEAD', $path, %option));

    is($head->status, $get->status, "HEAD $path: status " . $get->status);
    is_deeply(fixed($head), fixed($get), "HEAD $path: the header fields are those of GET");
    like($head->{raw}, qr/\r\n\r\n\z/, "HEAD $path: not a byte of a body");
    like($get->{raw}, qr/\r\n\r\n./s, 'GET has a body') unless $get->status == 304;
    return $get;
}

my @routes = grep { $_->{method} eq 'GET' } $records->routes;
cmp_ok(scalar @routes, '>=', 15, 'discovery lists the GET routes');
for my $route (@routes) {
    subtest "GET $route->{template}" => sub {
        is(compare($route->{here})->status, $route->{status}, 'HEAD is answered as GET');
    };
}

subtest 'refusals' => sub {
    is(compare('/nowhere')->status, 404, 'no such route');
    is(compare('/samples/999999')->status, 404, 'no such record');
    is(compare('/samples/0')->status, 400, 'no such id');
    is(compare('/samples?limit=0')->status, 400, 'no such page');
    is(compare('/samples', key => undef)->status, 401, 'HEAD without a key');
    my $head = send_raw($lims, message($lims, 'HEAD', '/samples/receive'));
    is($head->status, 405, 'no such method, in words that name it');
    like($head->{raw}, qr/\r\n\r\n\z/, 'a refused HEAD has no body');
};

subtest '304 for HEAD' => sub {
    my $path = '/samples/' . $records->id('samples');
    my $etag = $lims->get($path)->header('ETag');
    my $get  = compare($path, headers => ["If-None-Match: $etag"]);
    is($get->status, 304, 'the condition holds for both');
    is($get->header('ETag'), $etag, '304 names the entity tag (RFC 9110 section 15.4.5)');
};

done_testing();
