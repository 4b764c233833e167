#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Real files of real instruments, each with what it has to come to: every value
# with its place, or every reason for which it is held back. The files are others'
# and not part of this project; where a collection of them lies beside it, they
# are read, and otherwise fixtures.t reads files of the same kinds.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Test::More;

use LIMS::Files::Reader;

my @expected = expectations('t/profiles/expected');

ok(@expected > 0, 'there are expectations');
ok(!(grep { !defined $_->{file} } @expected), 'each names its file');

my $collection = collection();
if (!$collection) {
    note('no collection of real files here');
    done_testing();
    exit;
}

my $reader = LIMS::Files::Reader->new(shipped());
my %read;
for my $expected (@expected) {
    my $path = "$collection/$expected->{file}";
    my ($name) = $path =~ m{([^/]+)\z};

    if (!ok(-f $path, "$expected->{file} is there")) {
        next;
    }
    my $bytes = contents($path);
    is(substr(sha256_hex($bytes), 0, 12), $expected->{sha256}, "$name is the file that is meant");
    fits($reader->outcome($name, $bytes), $expected, "$name ends as expected");
    $read{ $expected->{file} }++;
}

# Every file of the manifest has its expectation, and one alone.
my $folder = '';
for my $line (split /\n/, contents("$collection/MANIFEST.md")) {
    if ($line =~ m{^### (\S+)/(\S+) \(}) {
        $folder = "$1+$2";
    }
    elsif ($line =~ /^\| (\d+) \| (\S+) \| \d+ \|/) {
        is($read{"$folder/$2"}, 1, "number $1 is expected to come to something");
    }
}
note(scalar(keys %read), ' real files read');
done_testing();
