#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The same job gives the same bytes: again in one process, in another, with another
# environment, locale, processor, folder and second, and on another machine that has the same
# fonts and libraries. Another content gives other bytes.
#
# PRINT_APPROVE=1 writes down what this machine makes, for all others.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use File::Basename qw(dirname);
use Test::More;
use Time::HiRes qw(time);

use LIMS::Print;
use LIMS::Wait;

my %jobs = (
    certificate  => { kind => 'certificate', content => content() },
    draft        => { kind => 'certificate', draft => JSON::PP::true, content => content() },
    arabic       => { kind => 'certificate', content => content(layout => { language => 'ar' },
        client => { name => "\x{62d}\x{645}\x{627}\x{645} \x{627}\x{644}\x{645}\x{62f}\x{64a}\x{646}\x{629}" }) },
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

# --- On other machines

# Returns a digest of the fonts, and of the libraries that draw and pack documents.
sub made_of {
    my $digest = Digest::SHA->new(256);
    my @libraries = command('ldd', printer_path())
        =~ m{=> (/\S*/lib(?:cairo|pango|harfbuzz|freetype|fontconfig|fribidi|thai|datrie|graphite2|png16|zint|deflate|z)[.-]\S*)}g;
    my @fonts = split /\n/, command('find', '/usr/share/fonts', '-name', 'NotoSans*-Regular.tt?', '-o',
        '-name', 'NotoSans*-Bold.tt?');

    $digest->addfile($_) for sort(@libraries), sort @fonts;
    return $digest->hexdigest;
}

# Digests that a machine found: { name of the job => SHA-256 } by what they were made of.
sub read_digests {
    my ($path) = @_;
    my %found;
    open my $file, '<', $path or return;
    /\A(\w{64}) (\w+) (\w{64})$/ and $found{$1}{$2} = $3 while <$file>;
    return %found;
}

my $kept    = dirname(__FILE__) . '/approved/digests';
my $here    = made_of();
my %digests = map { $_ => sha256_hex($first{$_}) } keys %first;
if ($ENV{PRINT_APPROVE}) {
    my %known = (read_digests($kept), $here => \%digests);
    open my $file, '>', $kept or die "$kept: $!\n";
    for my $parts (sort keys %known) {
        print {$file} map { "$parts $_ $known{$parts}{$_}\n" } sort keys %{ $known{$parts} };
    }
    close $file or die "$kept: $!\n";
}
SKIP: {
    my %known = read_digests($kept);
    skip 'nobody has written down what these fonts and libraries make', 1 if !$known{$here};
    is_deeply(\%digests, $known{$here}, 'other machines with these fonts and libraries made the same bytes');
}

# --- Beside other documents

# The process keeps texts that it has set for other documents: here with the forms of Han
# characters of another language, in columns of another width, and more than it keeps.
my $han    = "\x{76f4}\x{9aa8}\x{89d2}";
my %beside = map { $_ => { kind => 'certificate', content => content(layout => { language => $_ },
            notes => $han, statements => [$han]) } } qw(en zh-Hans zh-Hant ja ko);
$beside{"columns $_"} = { kind => 'report', title => $han, blocks => [ { type => 'table',
            columns => [ ({ title => 'Dissolved oxygen in the morning' }) x $_ ],
            rows => [ [ ('Measured again in the afternoon') x $_ ] ] } ] } for 2, 8;
$beside{many} = { kind => 'report', title => 'Many', blocks => [ { type => 'table', columns => [ { title => 'Text' } ],
            rows => [ map { ["Text number $_"] } 1 .. 7000 ] } ] };
my %alone = map { $_ => (made($beside{$_}))[0] } keys %beside;
my $process = LIMS::Print->start;
for my $turn (1, 2) {
    for my $name (sort keys %beside) {
        ok(($process->answer($beside{$name}))[1] eq $alone{$name},
            "turn $turn: a process that has made other documents makes the same bytes: $name");
    }
}
is($process->finish, 0, 'it ends well');
isnt($alone{ja}, $alone{'zh-Hans'}, 'Han characters of another language have other forms');

my $changed = content();
$changed->{results}[0]{result} = '7.3';
isnt((made({ kind => 'certificate', content => $changed }))[0], $first{certificate},
    'one digit more gives other bytes');
my ($id)    = $first{certificate} =~ /\/ID \[ <(\w+)>/;
my ($other) = (made({ kind => 'certificate', content => $changed }))[0] =~ /\/ID \[ <(\w+)>/;
ok($id && $other && $id ne $other, 'one digit more gives another identifier');

done_testing();
