#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The same job gives the same bytes: again in one process, in another, with another
# environment, locale, processor, folder and second. Another content gives other bytes.
use strict;
use warnings;

use Test::More;
use Time::HiRes qw(time);

use LIMS::Print;
use LIMS::Wait;

my %jobs = (
    certificate  => { kind => 'certificate', content => content() },
    draft        => { kind => 'certificate', draft => JSON::PP::true, content => content() },
    certificates => { kind => 'certificates', contents => [ content(), content() ] },
    report => { kind => 'report', title => 'List', blocks => [ { type => 'paragraph', text => "\x{6c34}" } ] },
    labels => { kind => 'labels', sheet => { pageWidth => 60, pageHeight => 40, labelWidth => 60, labelHeight => 40 },
        labels => [ { code => 'CED-26-000001-K', symbology => 'both' } ] },
);
my $printer = LIMS::Print->start;
my %first   = map { $_ => ($printer->answer($jobs{$_}))[1] } sort keys %jobs;
my $second  = int time;

like($first{$_}, qr/\A%PDF/, "a document: $_") for sort keys %jobs;
ok(($printer->answer($jobs{$_}))[1] eq $first{$_}, "the same process makes the same bytes: $_")
    for reverse sort keys %jobs;
is($printer->finish, 0, 'it ends well');

# Dates of files have seconds: a clock would show.
wait_until { int time > $second };
my %other = (
    LANG => 'tr_TR.UTF-8', LC_ALL => 'de_DE.UTF-8', TZ => 'Asia/Tokyo', HOME => '/nowhere',
    LANGUAGE => 'ja', PANGO_LANGUAGE => 'ja:ar', FONTCONFIG_FILE => '/nowhere/fonts.conf',
    FC_LANG => 'ja', SOURCE_DATE_EPOCH => '86400', G_MESSAGES_DEBUG => 'all',
    # As on an older processor: other code of the C and the mathematical library.
    GLIBC_TUNABLES => 'glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable',
);
for my $name (sort keys %jobs) {
    my ($bytes, $refusal) = made($jobs{$name}, %other);
    ok(defined $bytes && $bytes eq $first{$name},
        "another process with another environment, as on another processor, makes the same bytes: $name") or diag($refusal);
}

my $changed = content();
$changed->{results}[0]{result} = '7.3';
isnt((made({ kind => 'certificate', content => $changed }))[0], $first{certificate},
    'one digit more gives other bytes');
my ($id)    = $first{certificate} =~ /\/ID \[ <(\w+)>/;
my ($other) = (made({ kind => 'certificate', content => $changed }))[0] =~ /\/ID \[ <(\w+)>/;
ok($id && $other && $id ne $other, 'one digit more gives another identifier');

done_testing();
