#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Files of at most 600 lines and functions of at most 70: what does not fit is
# doing two things. That holds for tests too, which are read when they fail; a table
# of cases that is longer is cut by subject. Exceptions are functions in SQL alone,
# each with its reason.
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

my @sources = grep { $_ ne 'LICENSE' } files(qr/\.(?:[ch]|sql|pm|t|awk|sh|lua)\z|\/build\/(?:bench\/)?[\w-]+\z/);
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
cmp_ok($count, '>', 50, 'functions are recognised');
ok(!@over, "no function has more than $function_max lines") or diag(join "\n", @over);

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
    while ($text =~ /^CREATE FUNCTION lims\.(\w+)\((?:(?!^CREATE ).)*?^AS \$\$\n(.*?)^\$\$;/gsm) {
        my ($name, $length) = ($1, $2 =~ tr/\n//);
        $lines{$name} = $length;
        push @longer, "$path: $name has $length lines"
            if $length > $function_max && !$longer_sql{$name};
    }
}
cmp_ok(scalar keys %lines, '>', 200, 'functions in SQL are recognised');
ok(!@longer, "no function in SQL has more than $function_max lines") or diag(join "\n", @longer);
is_deeply([ grep { ($lines{$_} // 0) <= $function_max } sort keys %longer_sql ], [],
    '... but for those that are named');

done_testing();
