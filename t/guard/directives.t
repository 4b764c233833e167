#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# conf/reference.conf is the manual of the directives: it has every one that
# the code has and no other, each with words before it, and it gives each the
# unit, the bounds, the words and the default of its row in
# modules/server/config.c.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

# --- The code ---------------------------------------------------------------------

my $config = code('modules/server/config.c');

# A constant: a number, a product of numbers, or a name that some header defines.
sub value_of {
    my ($text) = @_;
    if ($text =~ /\A[A-Z]\w+\z/) {
        for my $path (files(qr/\.[ch]\z/, 'modules')) {
            return value_of($1) if code($path) =~ /^\#\s*define \Q$text\E (.+?)\s*$/m;
        }
        die "nothing defines $text\n";
    }
    my $product = 1;
    for my $factor (split /\s*\*\s*/, $text) {
        die "$text is no number\n" if $factor !~ /\A\d+\z/;
        $product *= $factor;
    }
    return $product;
}

# The words of a list: [ENUM] = "word", ...; in the order of the enumeration.
sub words_of {
    my ($name) = @_;
    my ($body) = $config =~ /\b\Q$name\E\[\] = \{(.*?)\};/s or die "there are no words $name\n";
    return [ $body =~ /\[(\w+)\] = "(\w+)"/g ];
}

# [type, { member => text }] of a row, by the directive's name.
my %rows;
while ($config =~ /\bAP_INIT_([A-Z0-9_]+)\s*\(\s*"(Lims\w+)",\s*\w+,\s*LIMS_(\w+)\(([^()]*)\)/g) {
    my ($how, $name, $type, $arguments) = ($1, $2, $3, $4);
    my %row = $arguments =~ /\.(\w+) =\s*("[^"]*"|[^,]+?)\s*(?:,|\z)/g;
    $rows{$name} = [ $how eq 'FLAG' ? 'FLAG' : $type, \%row ];
}
cmp_ok(scalar keys %rows, '>', 50, 'the rows of directives are recognised');
is_deeply([ sort keys %rows ], [ sort map { code($_) =~ /\bAP_INIT_\w+\s*\(\s*"(Lims\w+)"/g }
            files(qr/\.[ch]\z/, 'modules') ], 'every directive is such a row');

# --- The manual -------------------------------------------------------------------

# Heading and default of each directive in the manual. A directive that is not set by
# default stands behind a # without a space.
my (%heading, %default, %manual, @silent, $words);
for my $line (split /\n/, text('conf/reference.conf')) {
    if ($line =~ /\A\s*(#?)(Lims\w+)\b\s*(.*)/) {
        push @silent, $2 if !$manual{$2}++ && !$words;
        $default{$2} = $1 ? undef : $3;
        $words = 0;
    }
    elsif ($line =~ /\A\s*#\s+\S/) {
        $heading{$1} = $2 if $line =~ /\A# (Lims\w+) (.+)/;
        $words = 1;
    }
}

is_deeply([ sort keys %manual ], [ sort keys %rows ], 'manual and code have the same directives');
ok(!@silent, 'every directive is explained') or diag("@silent");

# Texts whose default the manual has to word otherwise: nothing before the path, a URL
# that is made of others, a word for no servers.
my %worded = (
    LimsBasePath           => [ '""',   '/' ],
    LimsDocumentation      => [ 'NULL', '/api/v1/openapi.json' ],
    LimsRateLimitMemcached => [ 'NULL', 'none' ],
);

# [heading, default] as the row has them; the heading undef: any.
sub expected {
    my ($name) = @_;
    my ($type, $row) = @{ $rows{$name} };

    if ($type eq 'NUMBER') {
        my ($min, $max, $fallback) = map { value_of($_) } @$row{qw(min max fallback)};
        return ($row->{unit} =~ s/"//gr . " ($min to $max)", $fallback);
    }
    return ('on|off', $row->{fallback} ? 'on' : 'off') if $type eq 'FLAG';
    if ($type eq 'WORD') {
        my %word = my @pairs = @{ words_of($row->{words}) };
        return (join('|', @pairs[ grep { $_ % 2 } 0 .. $#pairs ]), $word{ $row->{fallback} });
    }
    return (undef, $worded{$name}[1])
        if $worded{$name} && ($row->{text} || '') eq $worded{$name}[0];
    if ($row->{text} && $row->{text} eq 'SCHEDULE') {
        my ($schedule) = $config =~ /^\#define SCHEDULE "\{(.*)\}"$/m;
        return (undef, join ' ', $schedule =~ /([\d.]+) s/g);
    }
    return (undef, undef);
}

for my $name (sort keys %rows) {
    my ($heading, $default) = expected($name);
    my $told = ($heading{$name} || '') =~ s/ +/ /gr;

    is($told, $heading, "$name is told with its unit and bounds, or its words") if defined $heading;
    is($default{$name}, $default, "$name is told with its default");
}

for my $path (files(qr/\.conf\z/, 'conf')) {
    my @unknown = grep { !$rows{$_} } text($path) =~ /^\s*#?(Lims[A-Z]\w+)\s/mg;
    ok(!@unknown, "$path uses directives that exist") or diag("@unknown");
}

done_testing();
