#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every statement is prepared on a freshly migrated database, as it would be
# before its first use: a misspelt column is found here and not by a customer.
# The texts are those that the generator compiled into this build.
use strict;
use warnings;

use Test::More;

use LIMS::Instance;

my $source = LIMS::Instance::out() . '/statements.c';
open my $in, '<:raw', $source or BAIL_OUT("$source: $!; run make");
my $text = do { local $/ = undef; <$in> };

# What a C compiler makes of adjacent string literals.
sub unquoted {
    my ($literals) = @_;
    my %escape = (n => "\n", t => "\t");
    my $made   = join '', $literals =~ /"((?:[^"\\]|\\.)*)"/g;

    $made =~ s/\\(.)/exists $escape{$1} ? $escape{$1} : $1/ge;
    return $made;
}

my $database = 'lims_test_database_statements';
LIMS::Instance::create_database($database);
my $db = LIMS::Instance::connect_database($database, 'lims_owner');

my $count = 0;
while ($text =~ /\.label = "(\w+)",\n\s*\.sql =\s*((?:"(?:[^"\\]|\\.)*"\s*)+),\n.*?\.origin = "([^"]*)"/gs) {
    my ($label, $sql, $origin) = ($1, unquoted($2), $3);

    $count++;
    my $prepared = eval {
        $db->do("PREPARE $label AS $sql");
        $db->do("DEALLOCATE $label");
        1;
    };
    ok($prepared, "$label ($origin)") or diag($@);
}
my $expected = () = $text =~ /^    \[LIMS_STMT_(?!NONE\])/mg;
is($count, $expected, 'every statement was looked at');

$db->disconnect;
LIMS::Instance::drop_database($database);
done_testing();
