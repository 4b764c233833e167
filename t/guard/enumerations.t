#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A list of words stands once in the C code: one that two files need is in
# kernel/vocabulary.h, or in the header of its noun.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

# Lists that have the same words by chance: [reason, name...] each.
my @by_chance = (
    [ 'blank cells and rows that are not final are two decisions, each with its enum',
        qw(blanks not_final_names) ],
);

my (%lists, $count);
for my $path (files(qr/\.[ch]\z/, 'mod_lims.c', 'modules')) {
    my $code = code($path);
    while ($code =~ /\bchar \*const (\w+)\[[^\]]*\] = \{(.*?)\};/gs) {
        my ($name, $body) = ($1, $2);
        my $line  = 1 + (() = substr($code, 0, $-[0]) =~ /\n/g);
        my @words = $body =~ /"([^"]*)"/g;
        next if @words < 2;
        $count++;
        push @{ $lists{ join ' ', sort @words } }, [ $name, "$path:$line" ];
    }
}
cmp_ok($count, '>', 60, 'lists are recognised');

my %chance = map { my ($reason, @names) = @$_; "@{[ sort @names ]}" => $reason } @by_chance;
my (@twice, %met);
for my $words (grep { @{ $lists{$_} } > 1 } sort keys %lists) {
    my $names = join ' ', sort map { $_->[0] } @{ $lists{$words} };
    $met{$names} = 1;
    push @twice, "$words: " . join ' ', map { $_->[1] } @{ $lists{$words} } if !$chance{$names};
}
is(join("\n", @twice), '', 'no list of words stands twice');
is_deeply([ grep { !$met{$_} } sort keys %chance ], [], 'every exception is needed');

done_testing();
