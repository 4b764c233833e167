#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Refusals of the database's rules become sentences of the API: the first word gets a
# capital, unless it is the name of a field. So each first word of such a message is one
# that kernel/error.c knows, or is named like a field.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

my ($words) = text('modules/kernel/error.c') =~ /\bbegins\[\] = \{(.*?)\};/s;
my %known   = map { $_ => 1 } $words =~ /"(\w+)"/g;
my %field;
for my $file (files(qr/\.c\z/, 'modules')) {
    $field{$_} = 1 for text($file) =~ /\.name = "([a-z]\w*)"/g;
}
cmp_ok(scalar keys %known, '>', 10, 'there are words that get a capital');
cmp_ok(scalar keys %field, '>', 100, 'there are names of fields');

my ($messages, @odd) = (0);
for my $file (files(qr/\.sql\z/, 'sql', 'modules')) {
    my $sql = text($file) =~ s/^\s*--.*\n//gmr;
    while ($sql =~ /\blims\.refuse(?:_for|_gate)?\(\s*'\w+',\s*(?:format\(\s*)?'((?:[^']|'')+)/g) {
        my $message = $1;
        my ($first) = $message =~ /\A(\S+?):?(?:\s|\z)/;
        $messages++;
        push @odd, "$file: $message"
            unless $first =~ /\A[A-Z%]/ || $known{$first} || $field{$first};
    }
}
cmp_ok($messages, '>', 50, "$messages messages were looked at");
ok(!@odd, 'each begins with a word that gets a capital, or with the name of a field')
    or diag(join "\n", @odd);
done_testing();
