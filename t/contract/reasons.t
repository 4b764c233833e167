#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The codes of reasons against a file stand in the C code (formats/document.c) and in the
# rules of the database; whatever lists them names those and no others. The manual of
# profiles explains each. A code that an upload-only key is told concerns the file alone.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Instance;
use LIMS::Test::Source;
use Test::More;

sub sorted {
    my %once = map { $_ => 1 } @_;
    return join ' ', sort keys %once;
}

# The first part of a file's text that matches.
sub part {
    my ($path, $pattern) = @_;
    my ($part) = text($path) =~ $pattern or die "$path: no $pattern\n";
    return $part;
}

sub lacking {
    my ($known, @codes) = @_;
    return sorted(grep { !$known->{$_} } @codes);
}

my $c = JSON::PP::decode_json(LIMS::Instance::run(LIMS::Instance::out() . '/t/contract/tables'));
my @of_c = @{ $c->{fileReasons} };
cmp_ok(scalar @of_c, '>', 30, 'codes of the C code are known');

# In SQL: what is not a reading's own, and the table of reasons of a reading.
my @of_sql = map { text($_) =~ /\blims\.file_reason\(\s*'(\w+)'/g } files(qr/\.sql\z/, 'sql');
my (undef, @rows) = split /^ {19}\(/m,
    part('sql/211_reading_reasons.sql', qr/LATERAL \(VALUES\n(.*?)\) AS v \(holds,/s) =~ s/--[^\n]*//gr;
my @without = grep { !/,\s*'[a-z_]+',/ } @rows;
is(join("\n", @without), '', 'each row of the table of reasons has a code');
push @of_sql, map { /,\s*'([a-z_]+)',/ ? $1 : () } @rows;
cmp_ok(scalar @of_sql, '>', 20, 'codes of the database are known');

my %known = map { $_ => 1 } @of_c, @of_sql;

# --- The manual -----------------------------------------------------------------------

my $manual = part('conf/profiles/README.md', qr/^## When a file is held back\n(.*?)(?=^## |\z)/ms);
my @explained = map { /`(\w+)`/g } $manual =~ /^\| (`.*?`) \|/mg;
my ($others) = $manual =~ /^The other codes concern samples and tests, not the profile:(.*?)\n\n/ms;
my @of_samples = grep { /_/ } $others =~ /`(\w+)`/g;
my @alone = grep { $manual =~ /`$_`/ } qw(sender_not_active already_imported decisions_kept);
is(sorted(@explained, @of_samples, @alone), sorted(keys %known),
    'the manual of profiles explains the codes that there are');

# --- What an upload-only key is told --------------------------------------------------

my @told = part('modules/instruments/ingest.sql',
    qr/'code', CASE WHEN r\.value ->> 'code' IN \((.*?)\)\s+THEN r\.value ->> 'code'\s+ELSE 'unknown_tracking_id'/s)
    =~ /'(\w+)'/g;
is(lacking(\%known, @told), '', 'an upload-only key is told codes that there are');
my %told = map { $_ => 1 } @told;
is(sorted(grep { !$told{$_} } keys %known), sorted(@of_samples),
    'an upload-only key is not told the codes that concern samples and tests');

# --- Other lists ----------------------------------------------------------------------

is(lacking(\%known, part('sql/211_reading_reasons.sql', qr/FUNCTION lims\.is_told_enough\(.*?NOT IN \((.*?)\)/s)
        =~ /'(\w+)'/g), '', 'lims.is_told_enough() knows codes that there are');
is(lacking(\%known, map { /'(\w+)'/g } text('modules/application/web/nouns/file-reasons.ts')
        =~ /^const of(?:Tests|Samples) = \[(.*?)\]/msg), '',
    'the pages offer decisions for codes that there are');

done_testing();
