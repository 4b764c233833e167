#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Pages of lists are live for people: each has an ETag, by which it is asked for again
# until something in it has changed. Pages of keys have none.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims   = LIMS::Test->new;
my $lab    = LIMS::Service::Laboratory->new($lims);
my $ana    = LIMS::Service::Person->new($lims, roles => ['analyst']);
my @samples = map { $lab->sample } 1, 2;

sub again { my ($path, $page) = @_; return $ana->get($path, headers => { 'If-None-Match' => $page->header('ETag') }) }

for my $path ('/samples', '/samples?q=lab', '/samples?limit=1', '/sample-tests', '/worklist', '/samples/counts') {
    my $page = $ana->get($path);
    is($page->status, 200, $path);
    like($page->header('ETag') // '', qr/\A"[^"]+"\z/, 'the answer has an ETag');
    is($page->header('Cache-Control'), 'private, no-cache', "$path is cached by its person alone");
    my $same = again($path, $page);
    is($same->status, 304, "$path has not changed");
    is($same->body, '', "$path that has not changed has no body");
}

my %page = map { $_ => $ana->get($_) } '/samples', '/samples?limit=1', '/samples/counts';
$lab->status($samples[1], 'received');
is(again('/samples', $page{'/samples'})->status, 200, 'a change of a record in it is seen');
is(again('/samples?limit=1', $page{'/samples?limit=1'})->status, 304, 'a change of a record on another page does not change this one');
is(again('/samples/counts', $page{'/samples/counts'})->status, 200,
    'counts of another page are sent again');

my $key = $lims->get('/samples');
is($key->header('ETag'), undef, 'a page of a key has none');
is($key->header('Cache-Control'), 'no-store', 'a page of a key is not cached');
done_testing();
