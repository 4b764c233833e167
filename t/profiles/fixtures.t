#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Files as instruments write them, by the profiles that come with the service:
# each beside what it has to come to.
use strict;
use warnings;

use Test::More;

use LIMS::Files::Reader;

my $folder   = "$LIMS::Files::Reader::root/t/profiles/fixtures";
my @fixtures = grep { !/\.tsv\z/ } sort glob "$folder/*";
my $reader   = LIMS::Files::Reader->new(shipped());
my %tried;

ok(@fixtures > 0, 'there are fixtures');
for my $path (@fixtures) {
    my ($name) = $path =~ m{([^/]+)\z};

    if (ok(-f "$path.tsv", "$name has its expectation")) {
        my $expected = expected("$path.tsv");
        fits($reader->outcome($name, contents($path)), $expected, "$name ends as expected");
        $tried{ $expected->{profile} }{ $expected->{outcome} }++;
    }
}
for my $path (shipped()) {
    my ($code) = $path =~ m{([^/]+)\.json\z};
    ok($tried{$code}, "$code has a fixture that it reads");
}
done_testing();
