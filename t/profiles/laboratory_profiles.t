#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Profiles that a laboratory could write for instruments whose profiles do not come with
# the service: declarations alone are enough to read files made after vendors' exports.
use strict;
use warnings;

use Test::More;

use LIMS::Files::Reader;

my $folder = "$LIMS::Files::Reader::root/t/profiles/laboratory_profiles";
my @own    = sort glob "$folder/*.json";
my $all    = LIMS::Files::Reader->new(shipped(), @own);

cmp_ok(scalar @own, '>=', 10, 'there are profiles');
for my $profile (@own) {
    my ($code)   = $profile =~ m{([^/]+)\.json\z};
    my ($path)   = grep { !/\.(?:json|tsv)\z/ } glob "$folder/$code.*";
    my ($name)   = $path =~ m{([^/]+)\z};
    my $expected = expected("$folder/$code.tsv");
    my $bytes    = contents($path);

    fits(LIMS::Files::Reader->new($profile)->outcome($name, $bytes), $expected, "$name by its profile");
    fits($all->outcome($name, $bytes), $expected, "$name among all others");
}
done_testing();
