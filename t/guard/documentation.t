#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The texts that users meet name the thing that they are about: every field of
# every route and every member of a profile has documentation that is a noun
# phrase ("Version of the profile."), and every summary says what the route does
# or returns.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

my $string  = qr/"(?:[^"\\]|\\.)*"/;
my $literal = qr/(?:$string\s*(?:LIMS_\w+\s*(?="))?)+/;

# A C file as the compiler sees it: no comments, macros on one line.
sub source {
    my ($path) = @_;
    my $text = code($path);
    $text =~ s/\\\n/ /g;
    return $text;
}

sub joined {
    my ($literals) = @_;
    return join '', map { substr $_, 1, -1 } $literals =~ /($string)/g;
}

# Openings that leave open which thing is meant, or are no nouns.
my $vague = qr/\A(?:Also|And|Another|As|Asked|Both|By|From|How|If|In|It|Its|Likewise|Of|Or|Others
    |Same|So|Such|Takes|That|Them|Then|There|These|They|This|Those|To|What|Where|Which|Who|Whose
    |Why|With|Without|Only\s(?:it|ones?|that|these|this|those)|Is|Has)\b/x;

my $least = 15;

sub fault {
    my ($doc) = @_;
    return "has fewer than $least characters" if length $doc < $least;
    return 'begins with a small letter'      if $doc !~ /\A[A-Z]/;
    return 'ends without a period'           if $doc !~ /\.\z/;
    return "begins with \"$&\""              if $doc =~ $vague;
    return undef;
}

# The guard sees what it is for.
is(fault('Version of the profile.'), undef, 'a noun phrase');
ok(fault($_), "no noun phrase: $_")
    for 'Of it.', 'How much was read.', 'When.', 'version of the profile.', 'Version of the profile',
    'What the file is called.', 'Only those of this state.', 'Or the bytes of any file.';

my @paths = files(qr/\.[ch]\z/, 'modules');
my (@undocumented, @faults);
my $documented = 0;

for my $path (@paths) {
    my $text = source($path);
    # A row of a table stands behind a brace or a comma.
    while ($text =~ /(?<=[{,(\s])(?<!= )(\{\s*\.name\s*=\s*("[^"]+")(?:[^{}"]|$string|\{(?:[^{}"]|$string)*\})*\})/g) {
        my ($field, $name) = ($1, $2);
        next unless $field =~ /\.type\s*=\s*LIMS_[TM]_/;
        push @undocumented, "$path: $name" if $field !~ /\.doc\s*=/;
    }
    while ($text =~ /\.doc\s*=\s*($literal)/g) {
        my $doc = joined($1);
        next if $path =~ m{/jobs/};    # of the source, not of the service
        $documented++;
        my $fault = fault($doc);
        push @faults, "$path: \"$doc\" $fault" if $fault;
    }
}
cmp_ok($documented, '>', 800, 'fields were found');
ok(!@undocumented, 'every field and member is documented') or diag(join "\n", @undocumented);
ok(!@faults, 'every field and member is documented by a noun phrase') or diag(join "\n", @faults);

# The arguments of macros that make fields.
my @arguments = map {
    my $path = $_;
    map { [ $path, joined($_) ] } source($path) =~ /\bLIMS_REASON\([^"()]*($literal)/g;
} @paths;
cmp_ok(scalar @arguments, '>', 8, 'macros of reasons were found');
for my $path (grep { m{/profiles/} } @paths) {
    my $text = source($path);
    push @arguments, map { [ $path, joined($_) ] } $text =~ /^\s+(?:PART|COLUMN|BOUND)\([^()"]*"\w+",[^()"]*?($literal)\)/mg;
}
cmp_ok(scalar @arguments, '>', 40, 'documentation of members of profiles was found');
@faults = map { my ($path, $doc) = @$_; my $fault = fault($doc); $fault ? "$path: \"$doc\" $fault" : () }
    @arguments;
ok(!@faults, 'members that macros make are documented') or diag(join "\n", @faults);

# A summary is a phrase of several words without a period: what the route does
# ("List samples") or returns ("One sample").
my @summaries;
for my $path (@paths) {
    push @summaries, map { [ $path, joined($_) ] } source($path) =~ /\.summary\s*=\s*($literal)/g;
}
cmp_ok(scalar @summaries, '>', 130, 'summaries were found');
my @riddles = map { "$_->[0]: $_->[1]" } grep {
    my $summary = $_->[1];
    length $summary < 8 || $summary !~ /\A[A-Z]\w*,? \w/ || $summary =~ /\.\z/ || $summary =~ $vague
        || $summary =~ /\A(?:Give|Have|Not|Put|Take)\b|\bwhat\b.*\b(?:has|had)\b/
} @summaries;
ok(!@riddles, 'every summary says what a route does or returns') or diag(join "\n", @riddles);

done_testing();
