#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Members of a certificate's content that lims-print reads are those that the service
# documents: one that only the printer knows would never be printed.
use strict;
use warnings;

use Test::More;

sub slurp {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    local $/ = undef;
    return scalar <$in>;
}

# Members of a job, beside the content, and of a change within an amendment.
my %known = map { $_ => 1 } qw(content contents draft files), qw(member testName testCode old new);
for my $path ('modules/quality/certificate_content.c', 'modules/organizations/certificate_layout.c') {
    $known{$_} = 1 for slurp($path) =~ /\.name = "(\w+)"/g;
}

my $read = 0;
for my $path (glob('modules/print/certificate*.c'), 'modules/print/letterhead.c') {
    my $source = slurp($path);
    my %members = map { $_ => 1 } $source =~ /\blims_(?:json_member|member_\w+)\([^,;]+,\s*"(\w+)"/g,
        $source =~ /\{ "(\w+)", "[^"]*", LIMS_STYLE_/g;

    $read += keys %members;
    is_deeply([ grep { !$known{$_} } sort keys %members ], [], "each member is one of the content: $path");
}
cmp_ok($read, '>', 60, 'members are found');
done_testing();
