#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The generators decide what SQL the service sends, so what they translate and
# what they refuse is tested like any other code.
use strict;
use warnings;

use File::Temp qw(tempdir);
use Test::More;

use LIMS::Test::Source;

my $dir = tempdir(CLEANUP => 1);

sub put {
    my ($name, $text) = @_;
    open my $out, '>:raw', "$dir/$name" or die "$name: $!\n";
    print {$out} $text;
    close $out;
    return "$dir/$name";
}

# (exit status, messages, header, source) of the statements of one file.
sub statements {
    my ($text) = @_;
    my $file     = put('noun.sql', $text);
    my $awk      = "$LIMS::Test::Source::root/build/statements.awk";
    my $messages = `awk -v header=$dir/h -v source=$dir/c -f $awk /dev/null $file 2>&1`;
    my $status   = $?;
    my @made     = map { -e "$dir/$_" ? do { local (@ARGV, $/) = "$dir/$_"; <> } : '' } qw(h c);

    unlink "$dir/h", "$dir/c";
    return ($status, $messages, @made);
}

# The SQL that one statement becomes.
sub sql {
    my ($text) = @_;
    my ($status, $messages, $header, $source) =
        statements("-- name: it one\n-- global: a test\n$text\n");

    return "refused: $messages" if $status;
    my ($literals) = $source =~ /\.label = "it",\n\s*\.sql =\s*(.*?),\n\s*\.rows/s;
    return join '', map { s/\\n/\n/g; s/\\([\\"?])/$1/g; $_ } $literals =~ /"((?:[^"\\]|\\.)*)"/g;
}

my @translations = (
    [ 'SELECT :id',                         'SELECT $1',                         'a value' ],
    [ 'SELECT :id, :id, :other',            'SELECT $1, $1, $2',                 'the same twice' ],
    [ 'SELECT :?id, :id, :$user',           'SELECT $1, $2, $3',                 'kinds are distinct' ],
    [ 'SELECT :id::bigint, x::text',        'SELECT $1::bigint, x::text',        'casts' ],
    [ q{SELECT ':id', 'it''s :id'},         q{SELECT ':id', 'it''s :id'},        'quoted text' ],
    [ q{SELECT E'\\' :id', :id},            q{SELECT E'\\' :id', $1},            'escaped text' ],
    [ q{SELECT '\\', :id},                  q{SELECT '\\', $1},                  'a plain backslash' ],
    [ 'SELECT x AS "a:id", :id',            'SELECT x AS "a:id", $1',            'quoted names' ],
    [ 'SELECT $$ :id $$, $t$ :id $t$, :id', 'SELECT $$ :id $$, $t$ :id $t$, $1', 'dollar quotes' ],
    [ "SELECT :id -- not :this\n  FROM t",  "SELECT \$1\n  FROM t",              'a comment' ],
    [ 'SELECT /* :this */ :id',             'SELECT   $1',                       'a block comment' ],
    [ 'SELECT a[1:2], a[i:j], a[:2]',       'SELECT a[1:2], a[i:j], a[:2]',      'slices' ],
    [ 'SELECT a[:low : :high]',             'SELECT a[$1 : $2]',                 'a slice of parameters' ],
    [ 'SELECT ARRAY[:a, :b::int]',          'SELECT ARRAY[$1, $2::int]',         'an array' ],
    [ 'SELECT f(p := :a)',                  'SELECT f(p := $1)',                 'a named argument' ],
    [ 'SELECT a - :b / :c',                 'SELECT a - $1 / $2',                'operators' ],
    [ 'SELECT 1;',                          'SELECT 1',                          'a final semicolon' ],
    [ q{SELECT "x" ?? 'y\\z'},              q{SELECT "x" ?? 'y\\z'},             'what C would take amiss' ],
    [ "SELECT 'é'",                         "SELECT 'é'",                        'UTF-8' ],
);
is(sql($_->[0]), $_->[1], "statements: $_->[2]") for @translations;

my @refusals = (
    [ "SELECT 1\n",                                             qr/outside/,        'SQL outside a block' ],
    [ "-- name: Bad one\n-- global: x\nSELECT 1",               qr/bad label/,      'a capital' ],
    [ '-- name: ' . 'a' x 61 . " one\n-- global: x\nSELECT 1",  qr/bad label/,      'a long label' ],
    [ "-- name: none one\n-- global: x\nSELECT 1",              qr/taken/,          'a reserved label' ],
    [ "-- name: a one\n-- global: x\nSELECT 1\n" x 2,           qr/taken/,          'a label twice' ],
    [ "-- name: a two\n-- global: x\nSELECT 1",                 qr/one, many/,      'no row contract' ],
    [ "-- name: a one often\n-- global: x\nSELECT 1",           qr/means nothing/,  'an unknown word' ],
    [ "-- name: a one\nSELECT 1",                               qr/organization/,   'no organization' ],
    [ "-- name: a one\nSELECT ':\$organization'",               qr/organization/,   'a quoted one' ],
    [ "-- name: a one\n-- :\$organization\nSELECT 1",           qr/organization/,   'one in a comment' ],
    [ "-- name: a one\n-- global:\nSELECT 1",                   qr/without a/,      'no reason' ],
    [ "-- name: a one\n-- global: x\nSELECT :\$password",       qr/no context/,     'unknown context' ],
    [ "-- name: a one\n-- global: x\nSELECT 1; SELECT 2",       qr/more than one/,  'two statements' ],
    [ "-- name: a one\n-- global: x\nSELECT 1; :id",            qr/more than one/,  'more behind it' ],
    [ "-- name: a one\n-- global: x\n-- nothing",               qr/no SQL/,         'no statement' ],
    [ "-- name: a one\n-- global: x\nSELECT \$1",               qr/numbered/,       'a number' ],
    [ "-- name: a one\n-- global: x\nSELECT 'open",             qr/without an end/, 'an open quote' ],
    [ "-- name: a one\n-- global: x\nSELECT 1 : 2",             qr/neither/,        'a stray colon' ],
    [ "-- name: a one\n-- global: x\nSELECT " . join(',', map { ":p$_" } 1 .. 65),
        qr/more than 64/, 'too many parameters' ],
);
push @refusals, map { [ "-- name: a many list\nSELECT :\$organization FROM t $_->[0]", qr/no page in order/, $_->[1] ] } (
    [ 'ORDER BY id', 'a list without a cursor' ],
    [ "WHERE id > :cursor::bigint\n ORDER BY name", 'a list in another order' ],
);
push @refusals, [ "-- name: a_newest one\n-- global: x\nSELECT 1\n-- name: a many list\n"
        . "SELECT :\$organization WHERE id > :cursor::bigint\n ORDER BY id\n", qr/taken/, 'a list whose twin is there' ];
for my $case (@refusals) {
    my ($status, $messages) = statements($case->[0]);
    ok($status != 0, "statements refuse $case->[2]");
    like($messages, $case->[1], 'the message says what is wrong');
    like($messages, qr/\A\S+noun\.sql:\d+: /, 'the message names file and line');
}

my ($status, $messages, $header, $source) = statements('');
is($status, 0, 'no statements are no error');
like($header, qr/LIMS_STMT_NONE = 0,\n\s*LIMS_STMT_COUNT/, 'no statements make an empty table');
($status, $messages, $header, $source) = statements(
    "-- name: a_b many custom\nSELECT :\$organization, :?x\n\n-- name: c exec\n-- global: x\nSELECT 1\n");
like($header, qr/LIMS_STMT_A_B,\n\s*LIMS_STMT_C,/, 'names in order');
like($source, qr/\{ \.kind = LIMS_P_CONTEXT, \.name = "organization", \.context = LIMS_CONTEXT_ORGANIZATION \},\n\s*\{ \.kind = LIMS_P_GIVEN, \.name = "x" \}/,
    'the parameters in their order');
like($header, qr/LIMS_CONTEXT_ORGANIZATION,\n(?:\s*LIMS_CONTEXT_\w+,\n)+\s*LIMS_CONTEXT_COUNT\n\} lims_context_e;/,
    'what the context has');
like($source, qr/\.rows = LIMS_ROWS_MANY,\n\s*\.custom = true/, 'the row contract');
like($source, qr/\.origin = "noun\.sql:4"/,                     'the origin');
unlike($source, qr/\.newest/, 'no list, no page from the newest on');

($status, $messages, $header, $source) = statements("-- name: a many list custom\nSELECT x.* FROM x\n"
        . " WHERE o = :\$organization AND x.id > :cursor::bigint\n ORDER BY x.id\n LIMIT :limit\n");
like($header, qr/LIMS_STMT_A,\n\s*LIMS_STMT_A_NEWEST,/, 'a list is two statements');
like($source, qr/\.label = "a",.*?\.custom = true,\n\s*\.newest = LIMS_STMT_A_NEWEST,.*?\.label = "a_newest"/s,
    'a list names the statement of its newest');
like($source, qr/a_newest".*?x\.id < CASE \$2::bigint WHEN 0 THEN 9223372036854775807 ELSE \$2::bigint END\\n"\s*" ORDER BY x\.id DESC\\n"\s*" LIMIT \$3"/s,
    'the statement of the newest is the list turned around');

# --- Migrations --------------------------------------------------------------

sub migrations {
    my (%file) = @_;
    my @names = sort keys %file;
    my @files = map { put($_, $file{$_}) } @names;
    my $sums  = put('sums', join '', map { "0123abcd  $_\n" } @files);

    my $made = `awk -f $LIMS::Test::Source::root/build/migrations.awk $sums @files 2>&1`;
    unlink @files;
    return ($?, $made);
}

my $made;
($status, $made) = migrations('001_one.sql' => "SELECT 'a\\b \"c\"';\n",
    '003_two.sql' => "-- compatible since: 1\nSELECT 2;\n");
is($status, 0, 'migrations are compiled, gaps between their numbers or not');
like($made, qr/\.version = 1,\n\s*\.name = "one",\n\s*\.checksum = "0123abcd"/,
    'with what they are');
like($made, qr/"SELECT 'a\\\\b \\"c\\"';\\n"/,                                   'the migrations have their text');
like($made, qr/\.compatible_since = 1,.*\.compatible_since = 1,/s,
    'with what they are compatible with');
like($made, qr/lims_migrations_count = 2;/,                        'the number of migrations is right');

my ($sums, $demo) = (put('sums', ''), put('001_one.sql', "SELECT 1;\n"));
$made = `awk -v table=lims_demo_files -f $LIMS::Test::Source::root/build/migrations.awk $sums $demo 2>&1`;
like($made, qr/const lims_migration_t lims_demo_files\[\] = \{/, 'or under another name');
like($made, qr/lims_demo_files_count = 1;/,                      'the count has the other name, too');
unlike($made, qr/lims_migrations/,                               'the table does not have the first name');
unlink $demo;

my @wrong = (
    [ { '002_one.sql' => "SELECT 1;\n", '002_two.sql' => "SELECT 1;\n" }, qr/each number once/,
        'a number that comes twice' ],
    [ { '001_One.sql' => "SELECT 1;\n" }, qr/NNN_name/,      'a bad name' ],
    [ { '001_one.sql' => "\\set x 1\n" }, qr/psql/,          'a command of psql' ],
    [ { '001_one.sql' => "BEGIN;\n" },    qr/transaction/,   'transaction control' ],
    [ { '001_one.sql' => " commit ;\n" }, qr/transaction/,   'transaction control in small letters' ],
    [ { '001_one.sql' => "-- compatible since: 2\n" }, qr/up to this one/, 'a later version' ],
);
for my $case (@wrong) {
    ($status, $made) = migrations(%{ $case->[0] });
    ok($status != 0, "migrations refuse $case->[2]");
    like($made, $case->[1], 'the message says what is wrong');
}

done_testing();
