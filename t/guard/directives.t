#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# conf/reference.conf is the manual of the directives: it has every one that
# the code has and no other, each with words before it.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

my %code;
for my $path (files(qr/\.[ch]\z/, 'modules/server')) {
    my $text = code($path);
    $code{$1}++ while $text =~ /\bAP_INIT_[A-Z0-9_]+\s*\(\s*"(Lims\w+)"/g;
}
cmp_ok(scalar keys %code, '>', 0, 'directives are recognised');

my (%manual, @silent, $words);
for my $line (split /\n/, text('conf/reference.conf')) {
    # A directive that is not set by default stands behind a # without a space.
    if ($line =~ /\A\s*#?(Lims\w+)\b/) {
        push @silent, $1 if !$manual{$1}++ && !$words;
        $words = 0;
    }
    elsif ($line =~ /\A\s*#\s+\S/) {
        $words = 1;
    }
}

is_deeply([ sort keys %manual ], [ sort keys %code ], 'manual and code have the same directives');
ok(!@silent, 'every directive is explained') or diag("@silent");

for my $path (files(qr/\.conf\z/, 'conf')) {
    my @unknown = grep { !$code{$_} } text($path) =~ /^\s*#?(Lims[A-Z]\w+)\s/mg;
    ok(!@unknown, "$path uses directives that exist") or diag("@unknown");
}

done_testing();
