#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A comment names the thing that it is about: it begins with a verb or a noun, not with
# a word that leaves the reader to guess ("What is done with ...", "Of it"). A function
# that a header declares has a comment of its own.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

# Openings that leave open which thing is meant.
my $vague = qr/\A(?:What|Who|Whom|Whose|Which|Of|It|Its|They|Their|Those|These\s(?:are|is)|Told|Likewise)\b/;

# The marks of comments that stand on lines of their own, by the end of a file's name.
my %mark = (sql => '--', ts => '//', tsx => '//', mjs => '//', t => '#', pm => '#', lua => '--');

# [line, text] of each comment that begins on a line of its own.
sub comments_of {
    my ($path) = @_;
    my @found;
    my ($end) = $path =~ /\.(\w+)\z/;
    my $line = 0;
    if (my $mark = $mark{$end}) {
        my $open;    # the comment of the lines before
        for my $text (split /\n/, text($path), -1) {
            $line++;
            my ($words) = $text =~ /\A\s*\Q$mark\E\s?(.*)\z/;
            # Lines for tools (name: of a statement, SPDX) are no comments, and end one.
            # Lines for tools (name: of a statement, SPDX) are no comments, and end one.
            if (!defined $words || $words =~ /\A(?:name: \w+|SPDX-License-Identifier|!|\s*\z)/) {
                undef $open;
            }
            elsif ($open) { $open->[1] .= " $words" }
            else          { push @found, $open = [ $line, $words ] }
        }
        return @found;
    }
    my $text = text($path);
    while ($text =~ m{^[ \t]*/\*[\s*]*(.*?)\*/}gms) {
        push @found, [ 1 + (substr($text, 0, $-[0]) =~ tr/\n//), $1 ];
    }
    return @found;
}

# The guard sees what it is for.
like($_, $vague, "names nothing: $_") for 'What becomes of a sample.', 'Of it.', 'Those in use.';
unlike($_, $vague, "names a thing: $_") for 'Whether a sample is final.', 'Returns the sample.';

my ($count, @faults) = (0);
for my $path (files(qr/\.(?:[ch]|css|sql|tsx?|mjs|t|pm|lua)\z/)) {
    for my $comment (comments_of($path)) {
        my ($line, $words) = @$comment;
        $count++;
        push @faults, "$path:$line: $words" if $words =~ $vague;
    }
}
cmp_ok($count, '>', 5000, "$count comments are recognised");
is(scalar @faults, 0, 'every comment names what it is about')
    or diag(map { substr($_, 0, 100) . "\n" } @faults);

# --- Functions of headers

my ($functions, @shared) = (0);
for my $path (files(qr/\.h\z/, 'modules')) {
    my $text = text($path);
    $text =~ s/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*//gm;
    my $commented = 0;
    while ($text =~ m{(/\*.*?\*/)|([^;{}/]*?\b(lims_\w+)\([^;{}]*\)[^;{}]*;)|;}gs) {
        if ($1) {
            $commented = 1 if $1 !~ m{\A/\* -{3}};
        }
        else {
            if ($2) {
                $functions++;
                push @shared, "$path: $3" if !$commented;
            }
            $commented = 0;
        }
    }
}
cmp_ok($functions, '>', 500, "$functions functions of headers are recognised");
is(join("\n", @shared), '', 'each has a comment of its own');

done_testing();
