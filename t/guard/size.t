#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Files of at most 600 lines and functions of at most 70, in C, SQL, Perl and TypeScript:
# what does not fit is doing two things. That holds for tests too, which are read when they
# fail; a table of cases that is longer is cut by subject. Exceptions are functions in SQL
# alone, each with its reason.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

my $file_max     = 600;
my $function_max = 70;

# [name, first line, lines] of each function: an opening brace in the first
# column that a parameter list precedes, up to a closing one there.
sub functions {
    my ($path) = @_;
    my @lines = split /\n/, bare($path), -1;
    my (@found, $name, $start);

    for my $i (0 .. $#lines) {
        if ($lines[$i] =~ /\A\{/ && $i && $lines[ $i - 1 ] =~ /\)\s*\z/) {
            my $head = join ' ', @lines[ ($i > 8 ? $i - 8 : 0) .. $i - 1 ];
            ($name) = $head =~ /(\w+)\s*\([^{};]*\)\s*\z/;
            $start = $i;
        }
        elsif (defined $start && $lines[$i] =~ /\A\}/) {
            push @found, [ $name || '?', $start + 1, $i - $start + 1 ];
            undef $start;
        }
    }
    return @found;
}

my @sources = grep { $_ ne 'LICENSE' }
    files(qr/\.(?:[ch]|sql|pm|t|awk|sh|lua|tsx?|m?js|css)\z|\/build\/(?:bench\/)?[\w-]+\z/);
my @long = grep { $_->[1] > $file_max } map { [ $_, scalar(() = text($_) =~ /\n/g) ] } @sources;
ok(!@long, "no file has more than $file_max lines")
    or diag(map { "$_->[0]: $_->[1]\n" } @long);

my ($count, @over) = (0);
for my $path (files(qr/\.[ch]\z/, qw(mod_lims.c modules t build))) {
    for my $function (functions($path)) {
        $count++;
        push @over, "$path:$function->[1]: $function->[0] has $function->[2] lines"
            if $function->[2] > $function_max;
    }
}
cmp_ok($count, '>', 2000, 'functions in C are recognised');

# [name, first line, lines] of each function that begins with a line of this form, which
# names it, up to the first line after it that closes a brace or bracket at the same place.
sub blocks {
    my ($path, $opening) = @_;
    my (@found, $open, $line);
    for my $text (split /\n/, text($path), -1) {
        $line++;
        if (!$open && $text =~ $opening) {
            $open = [ $2, $line, length $1 ] if $text !~ /[};]\s*\z/;
        }
        elsif ($open && $text =~ /\A {$open->[2]}[})\]](?!.*[{(]\z)/) {
            push @found, [ @$open[ 0, 1 ], $line - $open->[1] + 1 ];
            undef $open;
        }
    }
    return @found;
}

my %opening = (
    Perl => qr/\A()(?:sub (\w+)|(?:subtest (.*) => )sub)\b.*\{\s*\z/,
    TypeScript => qr/\A(\ {4}(?=(?:async\ |static\ |get\ )?[#\w]+\()|)(?:export\ )?(?:default\ )?
        (?:async\ |static\ |get\ )?(?:function\*?\ |const\ (?=.*(?:=>\ ?\{?|=\ (?:async\ )?\()\s*\z))?
        (\#?(?!if|for|while|switch|return|const|class|import|export|interface|type)\w+)(?=\b.*[({]\s*\z)/x,
);
my %counted;
for my $path (files(qr/\.(?:t|pm|tsx?|m?js)\z/, qw(modules t build))) {
    my $language = $path =~ /\.(?:t|pm)\z/ ? 'Perl' : 'TypeScript';
    for my $block (blocks($path, $opening{$language})) {
        $counted{$language}++;
        push @over, "$path:$block->[1]: " . ($block->[0] // 'a subtest') . " has $block->[2] lines"
            if $block->[2] > $function_max;
    }
}
cmp_ok($counted{$_}, '>', 1000, "functions in $_ are recognised") for sort keys %opening;
is(join("\n", @over), '', "no function has more than $function_max lines");

# A function in SQL that is one statement has no parts that could stand alone: what it
# reads once would be read again by each of them.
my %longer_sql = (
    attach_audit       => 'writes the text of one function, with the parts of its statements',
    sample_guard       => 'is one look-up of all references, which serves every check of the row',
    enter_results      => 'is one statement: each test is read once, locked, judged and written',
    webhook_claim      => 'is one statement: what is claimed is decided over all lanes at once',
    webhook_finish     => 'is one statement: each outcome counts for delivery, lane and endpoint',
    scan_look          => 'is one statement: what is cached and what is reported are the same look',
    reading_reasons    => 'is one statement, of which half is the table of reasons',
    import_file        => 'is what a refusal in the middle undoes, and what it leaves',
    laboratory_figures => 'is one statement: a table of figures over what was counted once',
);
my (%lines, @longer);
for my $path (files(qr/\.sql\z/, 'sql')) {
    my $text = text($path);
    while ($text =~ /^CREATE\ (?:OR\ REPLACE\ )?(?:FUNCTION|PROCEDURE)\ lims\.(\w+)\(
            (?:(?!^CREATE\ ).)*?\bAS\s+(\$\w*\$)(.*?)\2/gsmx) {
        my ($name, $length) = ($1, ($3 =~ tr/\n//) - 1);
        $lines{$name} = $length;
        push @longer, "$path: $name has $length lines"
            if $length > $function_max && !$longer_sql{$name};
    }
}
cmp_ok(scalar keys %lines, '>', 200, 'functions in SQL are recognised');
my $blocks = 0;
for my $path (files(qr/\.sql\z/)) {
    my $text = text($path);
    while ($text =~ /^DO\s+(\$\w*\$)(.*?)\1/gsm) {
        $blocks++;
        my ($length, $line) = (($2 =~ tr/\n//) - 1, 1 + (() = substr($text, 0, $-[0]) =~ /\n/g));
        push @longer, "$path:$line: a block has $length lines" if $length > $function_max;
    }
}
cmp_ok($blocks, '>', 5, 'blocks of SQL are recognised');
ok(!@longer, "no function or block in SQL has more than $function_max lines") or diag(join "\n", @longer);
is_deeply([ grep { ($lines{$_} // 0) <= $function_max } sort keys %longer_sql ], [],
    'every function that is named as too long is too long');

done_testing();
