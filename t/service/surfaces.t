#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# An API key reaches what is on the API, and nothing that is on other surfaces
# alone: there is nothing at a path of theirs (404), and where one is shared their
# methods are not possible (405), and not named in Allow. Taken from the tables of
# routes themselves. A path of theirs may lie where the API has an id
# (/sample-tests/assign beside /sample-tests/:id): it is then an id for keys, as ever.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::RouteRecords;
use LIMS::Test;
use LIMS::Test::Source;

my $lims    = LIMS::Test->new;
my $records = LIMS::Service::RouteRecords->new($lims);

# A file's text with its macro of rows, if it has one, written out for each use.
sub written_out {
    my ($text) = @_;
    my ($macro, $noun, $row) = $text =~ /^#define (\w+)\((\w+),[^\n]*\n((?:[^\n]*\\\n)+[^\n]*\n)/m
        or return $text;
    my @rows;

    $text =~ s/^#define \Q$macro\E\((?:[^\n]*\\\n)+[^\n]*\n//m;
    while ($text =~ /^\s*\Q$macro\E\(("[^"]*"),/gm) {
        my $path = $1;
        push @rows, $row =~ s/\b\Q$noun\E\b/$path/gr;
    }
    return join "\n", $text, @rows;
}

# Method, path and surfaces of every row of a table of routes.
sub rows {
    my @rows;
    my %constant = LIMS::Test::Source::text('modules/lims.h') =~ /^#define (\w+) ("[^"]*")/mg;
    for my $file (LIMS::Test::Source::files(qr/\.c\z/, 'modules')) {
        my $text = LIMS::Test::Source::text($file);
        next unless $text =~ /const lims_route_t \w*routes\[\] = \{/;
        $text = written_out($text) =~ s/\.path = (\w+)/'.path = ' . ($constant{$1} \/\/ $1)/ger;
        while ($text =~ /\{ \.method = "(\w+)",(.*?)\.surfaces = (\w+),/sg) {
            my ($method, $between, $surfaces) = ($1, $2, $3);
            push @rows, { method => $method, surfaces => $surfaces,
                path => $between =~ /\.path = "([^"]*)"(?: "([^"]*)")?/ ? $1 . ($2 // '') : undef };
        }
    }
    return @rows;
}

my @rows  = rows();
my %known = map { ("LIMS_SURFACE$_" => 1) } qw(_API _APPLICATION _TOOL S_ALL S_HTTP S_PEOPLE);
cmp_ok(scalar @rows, '>', 130, 'the tables have routes');
is_deeply([ grep { !$known{ $_->{surfaces} } } @rows ], [], 'each is on surfaces that are known');

my @api    = grep { $_->{surfaces} =~ /_(?:API|HTTP|ALL)\z/ } @rows;
my @others = grep { defined $_->{path} && $_->{surfaces} !~ /_(?:API|HTTP|ALL)\z/ } @rows;
is_deeply([ sort map { "$_->{method} $_->{path}" } @api ],
    [ sort map { "$_->{method} $_->{template}" } $records->routes ],
    'discovery lists what is on the API');

my %allowed;
for my $route (@api) {
    push @{ $allowed{ $route->{path} } }, $route->{method}, $route->{method} eq 'GET' ? 'HEAD' : ();
}

# The methods that the API has at a path, by its own template or by one with an id in
# the place of the last word.
sub allowed_at {
    my ($path) = @_;
    return $allowed{$path} // $allowed{ $path =~ s{/[a-z-]+\z}{/:id}r };
}

my $before = LIMS::Database::Snapshot::take($lims);
cmp_ok(scalar @others, '>', 80, 'there are routes of other surfaces');
for my $route (@others) {
    my $shared = allowed_at($route->{path});
    my $answer = $lims->request($route->{method}, $route->{path} =~ s/:id/1/r,
        $route->{method} eq 'GET' ? ()
        : (body => '{}', headers => { 'Content-Type' => 'application/json' }));
    my $name = "$route->{method} $route->{path}";

    if ($shared && grep { $_ eq $route->{method} } @$shared) {
        is($answer->status, 400, "$name is a route of the API, and refuses an invalid id");
        is($answer->json->{error}, 'invalid_id', "$name: the refusal is a JSON body");
        next;
    }
    is($answer->status, $shared ? 405 : 404, "$name is not for keys");
    is($answer->json->{error}, $shared ? 'method_not_allowed' : 'not_found',
        "$name: the refusal is a JSON body");
    is(join(', ', sort split /, /, $answer->header('Allow') || ''),
        join(', ', sort @{ $shared || [] }), "$name: Allow names the methods that keys have");
}
is_deeply([ sort { $a cmp $b } grep { $allowed{$_} } map { $_->{path} } @others ],
    [ sort '/certificates', map { ("/$_", "/$_/:id") }
        qw(material-types media-lots reagent-lots storage-locations test-definitions) ],
    'the nouns that keys read share their paths');
is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'nothing was changed');

# Every route that people reach has a path; those without are for the owner of the
# database.
is_deeply([ sort map { $_->{method} } grep { !defined $_->{path} } @rows ], [qw(GET POST)],
    'only listing and making organizations has none');

done_testing();
