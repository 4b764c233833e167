#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A statement that no C file names is dead, and its SQL would rot unseen. (A
# name that no statement has does not compile.) A list's page from the newest record
# on is named by the list.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

my $code = join "\n", map { code($_) } files(qr/\.[ch]\z/, 'mod_lims.c', 'modules');
my @labels;
for my $path (files(qr/\.sql\z/, 'modules')) {
    push @labels, text($path) =~ /^-- name: (\w+)/mg;
}

cmp_ok(scalar @labels, '>', 0, 'there are statements');
my @unused = grep { my $name = 'LIMS_STMT_' . uc s/_newest\z//r; $code !~ /\b$name\b/ } @labels;
ok(!@unused, 'every statement is used') or diag("@unused");

done_testing();
