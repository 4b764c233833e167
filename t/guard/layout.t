#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Allowed dependencies of each folder. The kernel is linked by the module, the tool, the
# unit tests and the fuzzers, so it must not need a server or a database; libpq stays in
# one folder so that its rules are kept in one place; and apr_dbd is used only to lend
# connections, because its statements lose SQLSTATE and crash on a dead backend.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

my $httpd = qr/\#\s*include\s*[<"](?:httpd|http_\w+|ap_\w+|util_\w+|mod_\w+|mpm_\w+|scoreboard)\.h/;

# [what, pattern, where it may be]
my @rules = (
    [ 'httpd',              $httpd,                            qr{\A(?:mod_lims\.c|modules/server/)} ],
    [ 'libpq',              qr/\#\s*include\s*[<"]libpq|\bPQ\w+\s*\(|\bPG(?:conn|result)\b/,
        qr{\Amodules/database/} ],
    [ 'apr_dbd',            qr/\bapr_dbd_\w+\s*\(/,            qr{\Amodules/server/(?:pool|configtest)\.c\z} ],
    [ 'threads',            qr/\bapr_thread_create|\bap_thread_create/, qr{\Amodules/server/} ],
    [ 'the server\'s code', qr/\#\s*include\s*"server\//,      qr{\A(?:mod_lims\.c|modules/server/)} ],
    [ 'the tool\'s code',   qr/\#\s*include\s*"tool\//,        qr{\Amodules/tool/} ],
);
my @sources = files(qr/\.[ch]\z/, 'mod_lims.c', 'modules');

for my $rule (@rules) {
    my ($what, $pattern, $allowed) = @$rule;
    my @users    = grep { code($_) =~ $pattern } @sources;
    my @breaches = grep { $_ !~ $allowed } @users;

    ok(!@breaches, "$what is used where it may be") or diag("not in @breaches");
}

# Folders that the unit tests and the fuzzers link alone: they include each other.
my $pure   = join '|', qw(kernel openapi formats profiles extraction);
my @impure = grep {
    m{\Amodules/(?:$pure)/} && code($_) =~ m{\#\s*include\s*"(?!(?:$pure)/)\w+/}
} @sources;
ok(!@impure, 'what knows neither httpd nor the database includes nothing that does')
    or diag("@impure");

# lims-print is a program by itself.
my @known = grep { m{\Amodules/print/} && code($_) =~ m{\#\s*include\s*"(?!(?:print|kernel)/|lims\.h")} } @sources;
ok(!@known, 'lims-print knows of the rest only the kernel') or diag("@known");

my ($linked) = text('Makefile') =~ /^KERNEL := \$\(filter (.*),/m;
is(join('|', $linked =~ m{modules/(\w+)/%}g), $pure, 'the Makefile links alone what knows neither httpd nor the database');

my @promised = text('modules/README.md') =~ /^\| `(\w+)\/` \|.*knows neither httpd nor the database/mg;
is(join(' ', sort @promised), join(' ', sort split /\|/, $pure), 'the README says of the same folders that they know neither httpd nor the database');

my @rows    = text('modules/README.md') =~ /^\| `(\w+)\/` \|/mg;
my %folders = map { m{\Amodules/(\w+)/} ? ($1 => 1) : () } @sources;
is_deeply([ sort @rows ], [ sort keys %folders ], 'modules/README.md has a row for each folder');

# The top level is fixed; a build leaves its own in build/.
my %top = map { $_ => 1 } qw(mod_lims.c modules conf sql t build Makefile README.md LICENSE CHANGES);
opendir my $dir, $LIMS::Test::Source::root or die "$LIMS::Test::Source::root: $!\n";
my @strangers = grep { !/\A\./ && !$top{$_} } readdir $dir;
ok(!@strangers, 'nothing else at the top level') or diag("@strangers");

done_testing();
