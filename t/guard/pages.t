#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The budgets of the application's pages: nine files of ten have at most 250 lines; none
# gathers what others export; nothing is of the type any; styles stand in style sheets; and
# the libraries that a person's browser loads are these.
use strict;
use warnings;

use Cpanel::JSON::XS qw(decode_json);
use Test::More;

use LIMS::Test::Source;

my $lines_max = 250;
my @pages     = files(qr/\.tsx?\z/, 'modules/application/web');
my @long      = grep { (() = text($_) =~ /\n/g) > $lines_max } @pages;

cmp_ok(scalar @pages, '>', 300, 'the sources of the pages are found');
cmp_ok(@long / @pages, '<=', 0.1, "nine files of ten have at most $lines_max lines")
    or diag(map {"$_\n"} @long);

# A source without its texts and comments.
sub bare_page { return text($_[0]) =~ s{'(?:[^'\\\n]|\\.)*'|//[^\n]*}{}gr }

# [pattern, description, files in which it may stand, each with its reason]
my @refused = (
    [ qr/(?::\s*|<|\bas\s+)any\b/, 'nothing is of the type any' ],
    [ qr/^export\s+(?:\*|\{[^}]*\})\s+from\b/m, 'no file hands on what others export' ],
    [ qr/\bstyle=\{/, 'styles stand in style sheets',
        { 'modules/application/web/grid/grid.tsx' => 'the gap above rows that are not drawn' } ],
);
for my $refused (@refused) {
    my ($pattern, $name, $may) = @$refused;
    my @found = grep { !$may->{$_} && bare_page($_) =~ $pattern } @pages;
    is_deeply(\@found, [], $name);
    is(scalar(grep { bare_page($_) =~ $pattern } keys %{ $may || {} }), scalar(keys %{ $may || {} }),
        "exceptions are used: $name");
}
is_deeply([ grep {m{/index\.tsx?\z}} @pages ], [], 'no file is the index of its folder');

my $package = decode_json(text('modules/application/package.json'));
is_deeply([ sort keys %{ $package->{dependencies} } ],
    [ qw(@tanstack/react-query @tanstack/react-virtual openapi-fetch react react-aria-components react-dom) ],
    'a browser loads these libraries');
done_testing();
