#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Words that must not be in the sources: notes about later work, C functions that overflow,
# leak or misread (pools and apr_strtoi64 do better); and files without a licence line.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

my @all = files(qr/\.(?:[ch]|sql|pm|t|awk|sh|lua|conf|md|8)\z|Makefile\z|\/build\/(?:bench\/)?[\w-]+\z|\.ci\/\w+\z/);

# Written so that this file does not find itself.
my $later  = join '|', map { "\\b$_\\b" } 'TO' . 'DO', 'FIX' . 'ME', 'X' . 'XX', 'HA' . 'CK';
my @unmade = grep { text($_) =~ /$later/ } @all;
ok(!@unmade, 'nothing is left to be done later') or diag("@unmade");

my @bare = grep { text($_) !~ /SPDX-License-Identifier: Apache-2\.0/ } grep { !/\.md\z/ } @all;
ok(!@bare, 'every file names its licence') or diag("@bare");

my $banned = qr/\b(strcpy|strcat|strncpy|strncat|sprintf|vsprintf|gets|atoi|atol|atoll|atof
    |malloc|calloc|realloc|strdup|strtok|alloca|system|popen|tmpnam|setjmp)\s*\(/x;
my @banned;
my @sources = files(qr/\.[ch]\z/, 'mod_lims.c', 'modules');
for my $path (@sources) {
    my $line = 0;
    for my $text (split /\n/, bare($path), -1) {
        $line++;
        push @banned, "$path:$line: $1" if $text =~ $banned;
    }
}
ok(!@banned, 'no banned calls') or diag(join "\n", @banned);

# One way out of a function, and no other jump.
my @jumps;
for my $path (@sources) {
    my $code = bare($path);
    push @jumps, "$path: goto $1" while $code =~ /\bgoto\s+(?!leave\b)(\w+)/g;
}
ok(!@jumps, 'the only label that is jumped to is leave') or diag(join "\n", @jumps);

my $wide = 100;
my @wide = grep { grep { length > $wide } map { my $copy = $_; utf8::decode($copy); $copy }
        split /\n/, text($_) } @sources;
ok(!@wide, "no line of C has more than $wide columns") or diag("@wide");

done_testing();
