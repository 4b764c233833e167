#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# An id in a path is an integer from 1 to 2^63-1 in its one spelling. Anything else is 400
# invalid_id on every route with an id; a valid id that names nothing of the organization is
# 404.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::RouteRecords;
use LIMS::Test;

my $lims    = LIMS::Test->new;
my $records = LIMS::Service::RouteRecords->new($lims);
my @routes  = grep { $_->{template} =~ /:id/ } $records->routes;
cmp_ok(scalar @routes, '>=', 15, 'discovery lists routes with an id');

my %bad = (
    'zero'                 => '0',
    'below zero'           => '-1',
    'a plus sign'          => '+1',
    'minus zero'           => '-0',
    'a leading zero'       => '01',
    'two leading zeros'    => '001',
    'a decimal point'      => '1.0',
    'an exponent'          => '1e3',
    'a letter'             => 'a',
    'a word'               => 'latest',
    'a letter behind'      => '1a',
    'a letter before'      => 'a1',
    'hexadecimal'          => '0x1F',
    'a blank before'       => '%201',
    'a blank behind'       => '1%20',
    'a line feed behind'   => '1%0A',
    'a comma'              => '1,2',
    'a semicolon'          => '1;DROP%20TABLE%20sample',
    'a quote'              => "1'",
    'the parameter itself' => ':id',
    'a star'               => '*',
    'Arabic digits'        => '%D9%A1',
    'malformed UTF-8'      => '%FF',
    '2^63'                 => '9223372036854775808',
    '2^64'                 => '18446744073709551616',
    '2^64 + 1'             => '18446744073709551617',
    'a hundred digits'     => '1' . '0' x 99,
    'a thousand digits'    => '9' x 1000,
);

# A body that is no fault: the id is judged before it.
sub ask {
    my ($route, $id) = @_;
    return $lims->request($route->{method}, $records->with_id($route, $id),
        $route->{method} eq 'GET' ? () : (body => '{}'));
}

my $before = LIMS::Database::Snapshot::take($lims);

for my $route (@routes) {
    subtest "$route->{method} $route->{template}" => sub {
        for my $name (sort keys %bad) {
            my $answer = ask($route, $bad{$name});
            is($answer->status . ' ' . ($answer->json || {})->{error}, '400 invalid_id', $name);
        }
        my $words = ask($route, '0')->json->{message};
        like($words, qr/\bid\b.*9223372036854775807/, 'the words say what an id is');
    };
}

# A body that would do, so that only the record is missing.
my %body = (
    '/samples/:id'          => '{"notes":"x"}',
    '/samples/:id/status'   => '{"status":"received"}',
    '/sample-tests/:id'     => '{"notes":"x"}',
    '/approval-records/:id' => '{"status":"approved"}',
    '/clients/:id'          => '{"name":"x"}',
    '/projects/:id'         => '{"name":"x"}',
    '/panels/:id'           => '{"name":"x"}',
    '/orders/:id'           => '{"notes":"x"}',
    '/samples/:id/disposition' => '{"disposition":"on_hold","reason":"x"}',
    '/samples/:id/unreceive' => '{"reason":"x"}',
    '/samples/:id/tests'     => '{"testDefinitionIds":[1]}',
    (map { ("/sample-tests/:id/$_" => '{"reason":"x"}') } qw(cancel restore retest choose)),
);

subtest 'well-formed ids of nothing' => sub {
    for my $route (@routes) {
        for my $id ('9223372036854775807', '9223372036854775806', '4294967296', '999999999') {
            my $body   = $body{ $route->{template} } || '{}';
            my $answer = $lims->request($route->{method}, $records->with_id($route, $id),
                $route->{method} eq 'GET' ? () : (body => $body));
            is($answer->status, 404, "$route->{method} $route->{template} with $id");
            is($answer->json->{error}, 'not_found', 'the refusal has the slug not_found');
            like($answer->json->{message}, qr/\b$id\b/, "the refusal names the id $id");
        }
    }
};

is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');

done_testing();
