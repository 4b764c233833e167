#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Coverage of the OpenAPI document: every operation, and every status that is documented for
# it, was produced by some test of the suite, as LIMS::Test noted. It says something only
# after the whole suite, so `make test` sets LIMS_SUITE, and it runs last.
use strict;
use warnings;

use Test::More;

use LIMS::Instance;
use LIMS::Service::OpenAPI;

plan skip_all => 'after the whole suite only (make test)' unless $ENV{LIMS_SUITE};

my $text = LIMS::Instance::openapi();
BAIL_OUT('there is no OpenAPI document') unless defined $text;
my $api = LIMS::Service::OpenAPI->new(LIMS::Service::OpenAPI::decoded($text));

open my $in, '<', "$LIMS::Instance::cluster/coverage"
    or BAIL_OUT("no test has noted a reply: $!");
chomp(my @lines = <$in>);
my %seen = map { $_ => 1 } @lines;

cmp_ok(scalar $api->operations, '>', 0, 'operations are documented');
for my $each ($api->operations) {
    my @missing = grep { !$seen{"$each->{operationId} $_"} }
        sort keys %{ $each->{operation}{responses} };

    ok(!@missing, "$each->{method} $each->{template}: every documented status was produced")
        or diag("not produced: @missing");
}
done_testing();
