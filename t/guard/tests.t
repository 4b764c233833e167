#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The tests' own house: each begins in the same way, and t/README.md lists every
# helper and every folder that there is, and none that there is not; its examples
# compile. build/README.md lists what is in build. A description says what holds by itself,
# for it stands alone in a log: none goes on with the sentence before.
use strict;
use warnings;

use File::Temp ();
use Test::More;

use LIMS::Test::Source;

my $readme   = text('t/README.md');
my $root     = $LIMS::Test::Source::root;
my $preamble = qr{\A#!/usr/bin/perl\n# SPDX-License-Identifier: Apache-2\.0\n#\n(?:#.*\n)+}
    . qr{use strict;\nuse warnings;\n(?:use utf8;\n)?\nuse };

my @odd = grep { text($_) !~ $preamble } files(qr/\.t\z/, 't');
ok(!@odd, 'each test says what it proves and is strict') or diag(join "\n", @odd);

# A text of code that begins so, up to the end of its argument. A question is a text of users.
my $goes_on = qr/(?<!\w)(['"`])((?:and|nor|which|so)\ (?:(?!\1)[^\\?]|\\.)*)\1(?=\s*(?:[,);\]]|\z))/x;
my @fragments;
for my $path (files(qr/\.(?:t|pm|c|ts|mjs|md)\z/, 't')) {
    my $line = 0;
    for my $text (split /\n/, text($path), -1) {
        $line++;
        push @fragments, "$path:$line: $1" if $text =~ /(?:['"`]|\bqq?[\{(])(\.\.\. .*)/;
        push @fragments, "$path:$line: $2" if $text =~ $goes_on && $text !~ m{\A\s*(?:#|//|/?\*)};
    }
}
is(join("\n", @fragments), '', 'no description goes on with the sentence before');

sub compare {
    my ($what, $listed, $there) = @_;
    is(join(' ', sort @$listed), join(' ', sort @$there), "t/README.md lists the $what, each once");
    return;
}

my @modules = map { s{\At/lib/|\.pm\z}{}gr =~ s{/}{::}gr } files(qr/\.pm\z/, 't/lib');
compare('modules of t/lib', [ $readme =~ /^\| `(LIMS::[\w:]+)`/mg ], \@modules);
compare('C files of t/lib', [ $readme =~ /^\| `(\w+\.[ch])`/mg ],
    [ map { s{.*/}{}r } files(qr/\.[ch]\z/, 't/lib') ]);

my %folder = map { m{\At/([^/]+)/} ? ("$1/" => 1) : () } files(qr/./, 't');
my ($table) = $readme =~ /^\| folder \| what is tested \|\n(.*?)\n\n/ms;
compare('folders of t', [ ($table // '') =~ /`([\w-]+\/)`/g ], [ keys %folder ]);

my %built = map { m{\Abuild/([^/]+)(/?)} ? ("$1$2" => 1) : () } files(qr/./, 'build');
delete @built{qw(README.md instance.d/)};
is(join(' ', sort map { /`([\w.-]+\/?)`/g } text('build/README.md') =~ /^\| (.*?) \|/mg),
    join(' ', sort keys %built), 'build/README.md lists what is in build, each once');

for my $example ($readme =~ /^```perl\n(.*?)^```\n/msg) {
    my ($says) = $example =~ /^#\n# (.*)/m;
    my $file = File::Temp->new(SUFFIX => '.t');
    print {$file} $example;
    close $file;
    like(scalar `$^X -I'$root/t/lib' -c $file 2>&1`, qr/syntax OK/, "the example compiles: $says");
}

done_testing();
