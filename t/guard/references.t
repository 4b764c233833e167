#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every file that a comment, a document or a text for users names exists. A name is a
# path from the root, the end of one (kernel/etag.h, etag.h), or a path from the file
# that has it (../lib/unit.h). In a name, `*`, `<noun>`, `things`, NNN, OUT and FILE stand
# for anything. A number of three digits in parentheses, in a comment of SQL, is a file of sql/.
use strict;
use warnings;

use File::Basename qw(basename);
use Test::More;

use LIMS::Test::Source;

my $root = $LIMS::Test::Source::root;

# Files of other programs.
my $foreign = qr/\A(?:deflate|pg_hba)\.conf\z|\A(?:mod_(?!lims)\w+|util_ldap)\.c\z|\Apatroni\.yml\z|\Apostgres\.js\z/;
# Files that a build makes.
my $made = qr{\Abuild/(?:out|run|test|asan|tsan|valgrind|fuzz|apr|clients|bench-out)\b
    |\A(?:statements|migrations|demo)\.[ch]\z|\A\d+_profiles\.sql\z}x;

my $part = qr/[\w.*-]+|<\w+>/;
my $kind = qr/(?:awk|c|conf|css|h|html|js|lua|md|mjs|pm|sh|sql|t|tsx?|yml)/;
# Files of data, and pages of manuals, have names that a user chooses too: only paths.
my $data = qr/(?:8|csv|json|png)/;
my $name = qr{(?<![\w./\$%<>:*-])(?!\.\*)
    ((?:\.\.?/)*(?:$part)(?:/(?:$part))*\.$kind
        | (?:[\w.*-]+/)+[\w.*-]+\.$data | (?:modules|sql|conf|t|build)/[\w./*-]*\w)
    (?![\w*/-]|\.\w)}x;

my @sources = files(qr/./);
my %end;    # the ends of the paths of all files and folders
for my $path (@sources, qw(README.md LICENSE CHANGES t/fuzz/corpus/x)) {
    my @part = split m{/}, $path;
    for my $last (0 .. $#part) {
        $end{ join '/', @part[ $_ .. $last ] } = 1 for 0 .. $last;
    }
}

sub is_there {
    my ($name) = @_;
    return 1 if $name =~ $made || basename($name) =~ $foreign || $name =~ /\b(?:NNN|OUT|FILE)[._]|\bthings\b/;
    $name =~ s{\A(?:\.\.?/)+}{};
    return 1 if $end{$name};
    return unless $name =~ /[*<]/;
    my $pattern = join '', map { $_ eq '*' ? '[^/]*' : /\A</ ? '[^/]+' : quotemeta }
        split /(\*|<\w+>)/, $name;
    return grep { /\A$pattern\z/ } keys %end;
}

# A source without its code, a document whole; lines are kept.
sub words {
    my ($path) = @_;
    return comments($path) if $path =~ /\.[ch]\z/;
    return text($path) if $path =~ /\.md\z/;
    return comments($path) if $path =~ /\.css\z/;
    my $mark = $path =~ /\.(?:sql|lua)\z/ ? '--' : $path =~ /\.(?:js|mjs|tsx?)\z/ ? '//' : '#';
    my $pod;
    return join "\n", map {
        $pod = 1 if /\A=[a-z]/;
        my $words = $pod ? $_ : /(?:\A|\s)\Q$mark\E(.*)/ ? $1 : '';
        $pod = 0 if /\A=cut/;
        $words;
    } split /\n/, text($path), -1;
}

my ($count, @missing) = (0);

sub look {
    my ($path, $text) = @_;
    my $line = 0;
    for (split /\n/, $text) {
        $line++;
        while (/$name/g) {
            $count++;
            push @missing, "$path:$line: $1" if !is_there($1);
        }
    }
    return;
}

for my $path ('README.md', grep { !/\.(?:json|tsv|csv|txt|asm|xml)\z/ && -T "$root/$_" } @sources) {
    look($path, words($path));
    # Users are told of files.
    look($path, code($path) =~ s/^\s*#\s*include.*$//mgr) if $path =~ /\.[ch]\z/ && $path !~ m{\At/};
    look($path, join "\n", map { join ' ', /"([^"\$]*)"/g } split /\n/, text($path), -1)
        if $path =~ m{\.sh\z|\Abuild/(?:bench/)?[\w-]+\z};
}
cmp_ok($count, '>', 200, 'names are recognised');
my %number = map { m{\Asql/(\d+)_} ? ($1 => 1) : () } @sources;
my ($numbers, @unknown) = (0);
for my $path (grep { /\.sql\z/ } @sources) {
    my $line = 0;
    for my $text (split /\n/, words($path), -1) {
        $line++;
        for my $number ($text =~ /\((\d{3})\)/g) {
            $numbers++;
            push @unknown, "$path:$line: $number" if !$number{$number};
        }
    }
}
cmp_ok($numbers, '>', 30, 'numbers of files are recognised');
is(join("\n", @unknown), '', 'every number in SQL is that of a file');
ok(!@missing, 'every file that is named exists') or diag(join "\n", @missing);

done_testing();
