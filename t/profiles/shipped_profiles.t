#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The profiles that come with the service: each is for its own files alone, all
# of them are in the manual, and their test codes follow its convention.
use strict;
use warnings;

use JSON::PP;
use Test::More;

use LIMS::Files::Reader;

my @profiles = shipped();
my $manual   = contents("$LIMS::Files::Reader::root/conf/profiles/README.md");

cmp_ok(scalar @profiles, '>=', 15, 'there are profiles');
for my $path (@profiles) {
    my ($name)  = $path =~ m{([^/]+)\.json\z};
    my $profile = decode_json(contents($path));
    my @strange = grep { !/\A[A-Z0-9]+(?:-[A-Z0-9]+)*\z/ } map { $_->{testCode} }
        @{ $profile->{tests} };

    is($profile->{code}, $name, "$name is the code too");
    ok($profile->{description}, "$name says what it is for");
    ok(!@strange, "$name has test codes by the convention") or diag("@strange");
    ok($manual =~ /^\| `\Q$name\E` \|/m, "$name is in the manual's table");
}

# A code that several profiles use is of one test definition, which has one unit.
my %unit;
for my $path (@profiles) {
    my $profile = decode_json(contents($path));
    push @{ $unit{ $_->{testCode} }{ $_->{unit} // 'none declared' } }, $profile->{code}
        for @{ $profile->{tests} };
}
for my $code (sort keys %unit) {
    my %of = %{ $unit{$code} };
    next if keys %of < 2;
    fail("$code is one test") || diag(map { "$_: @{ $of{$_} }\n" } sort keys %of);
}
cmp_ok(scalar keys %unit, '>', 200, 'test codes were compared');

# Each file is of one profile, or of none.
my $reader = LIMS::Files::Reader->new(@profiles);
my @files  = map { { path => $_, expected => expected("$_.tsv") } }
    grep { !/\.tsv\z/ } glob "$LIMS::Files::Reader::root/t/profiles/fixtures/*";
if (my $collection = collection()) {
    push @files, map { { path => "$collection/$_->{file}", expected => $_ } }
        expectations('t/profiles/expected');
}
for my $file (@files) {
    my ($name)     = $file->{path} =~ m{([^/]+)\z};
    my $outcome    = $reader->outcome($name, contents($file->{path}));
    my @candidates = @{ $outcome->{candidates} // [] };

    is("@candidates", $file->{expected}{profile}, "$name is matched by that profile alone");
}
done_testing();
