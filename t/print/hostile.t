#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Whatever a content is, there is a document or a clear refusal, within 150 MB of memory,
# and the next job is made all the same: notes of 1 MB, 10,000 results, texts that are no
# UTF-8, numbers where texts should be, logos that are bombs.
use strict;
use warnings;
use utf8;

use Compress::Zlib qw(compress crc32);
use Cpanel::JSON::XS ();
use Digest::SHA qw(sha256_hex);
use MIME::Base64 qw(encode_base64);
use Test::More;

use LIMS::Instance;
use LIMS::Print;

# AddressSanitizer needs memory of its own.
my $most    = LIMS::Instance::foreign_malloc() ? 2000 : 150;
my $printer = LIMS::Print->start;
my $json    = Cpanel::JSON::XS->new->utf8;

sub certificate { my (%other) = @_; return { kind => 'certificate', content => content(%other) } }

sub report { my (@blocks) = @_; return { kind => 'report', title => 'X', blocks => \@blocks } }

sub remark { my ($text) = @_; return certificate(results => [ result(remark => $text) ]) }

# A PNG whose head says one thing, and whose data are another.
sub bomb {
    my ($width, $height, $data) = @_;
    my $chunk = sub { pack('N', length $_[1]) . "$_[0]$_[1]" . pack('N', crc32("$_[0]$_[1]")) };
    my $png   = "\x89PNG\r\n\x1a\n" . $chunk->('IHDR', pack('NNCCCCC', $width, $height, 8, 6, 0, 0, 0))
        . $chunk->('IDAT', compress($data)) . $chunk->('IEND', '');
    return { kind => 'logo', file => encode_base64($png, '') };
}

sub many {
    my ($count) = @_;
    return certificate(results => [ map { result(sampleTestId => $_, testCode => "T$_") } 1 .. $count ],
        people => [ map { { printedName => 'Maya', meaning => 'verified', about => "T$_", signed => JSON::PP::true,
                    at => sprintf '2026-11-25T%02d:%02d:%02dZ', $_ / 3600, $_ / 60 % 60, $_ % 60 } } 1 .. $count ]);
}

# --- Documents

my @made = (
    [ 'a note of 1 MB in words',          remark('Lorem ipsum dolor sit amet. ' x 38_000) ],
    [ 'a note of 1 MB in one word',       remark('x' x 1_000_000) ],
    [ 'a note of 1 MB in short lines',    remark("a\n" x 20_000) ],
    [ 'a long note from right to left',   remark('مرحبا بالعالم ' x 20_000) ],
    [ 'a long note in Chinese',           remark('水质检测报告' x 20_000) ],
    [ 'a remark of a sample of 1 MB',     certificate(sample => { trackingId => 'X', remark => 'Lorem ' x 160_000 }) ],
    [ 'a name that fills pages',          certificate(results => [ result(testName => 'y z ' x 5000) ]) ],
    [ 'controls, overrides, zero widths', remark("a\x{7}\x{1B}[31m\x{202E}b\x{2066}\x{200B}\x{FEFF}\x{AD}" x 2000) ],
    [ 'stacks of marks',                  remark("z" . "\x{301}" x 50_000) ],
    [ 'characters that no font has',      remark("\x{E000}\x{10FFFD}\x{378}\x{12000}" x 2000) ],
    [ 'members of other types',           certificate(results => [ 1, undef, 'x', [] ], people => [1], qualifiers => [ [] ],
            amendments => [ { changes => 5 } ], client => 'x', sample => [], layout => { columns => [ 1, undef, {} ],
                sections => [ [], 'results' ], header => 5 }, verification => 7, laboratory => undef) ],
    [ 'as little as there can be',        { kind => 'certificate', content => { certificate => undef, results => undef } } ],
    [ '2,000 results',                    many(2000) ],
    [ 'a chart of numbers at their ends', '{"kind":"report","title":"x","blocks":[{"type":"chart","mean":1e999,"sd":-1,'
            . '"points":[{"value":1e308},{"value":-1e308}]},{"type":"chart","points":[]}]}' ],
    [ 'a logo of one pixel',              bomb(1, 1, "\0\1\2\3\4") ],
);
for my $case (@made) {
    my ($what, $job) = @$case;
    my ($kind, $bytes) = $printer->answer($job);
    is($kind, 'P', "a document: $what") or diag($bytes // 'it ended'), next;
    next if $bytes !~ /\A%PDF/;
    like(command('pdfinfo', written($bytes)), qr/^Pages:\s+\d+$/m, "the PDF can be read: $what");
    cmp_ok($printer->peak, '<', $most, "printing takes less than $most MB: $what");
}

# --- Refusals

my $good    = $json->encode(certificate());
my @refused = (
    [ '10,000 results',                many(10_000), qr/too many results for one document/ ],
    [ 'a table with 100,000 cells',    report({ type => 'table', columns => [ map { { title => $_ } } 1 .. 20 ],
                rows => [ map { [ 1 .. 20 ] } 1 .. 5000 ] }), qr/more than 64000 cells/ ],
    [ 'a name of 40 kB',               certificate(results => [ result(testName => 'y' x 40_000) ]), qr/at most 32768/ ],
    [ 'text that is no UTF-8',         $good =~ s/Cedar/C\xFF\xFEdar/r, qr/malformed UTF-8/ ],
    [ 'an overlong form',              $good =~ s/Cedar/C\xC0\xAFdar/r, qr/malformed UTF-8/ ],
    [ 'half a surrogate pair',         $good =~ s/Cedar/\\uD800/r, qr/unpaired surrogate/ ],
    [ 'a NUL character',               $good =~ s/Cedar/\\u0000/r, qr/NUL/ ],
    [ 'a member twice',                '{"kind":"report","kind":"labels"}', qr/twice/ ],
    [ 'arrays in arrays',              '{"kind":"report","blocks":' . '[' x 50_000 . ']' x 50_000 . '}', qr/levels deep/ ],
    [ '500,000 values',                '{"kind":"report","blocks":[' . join(',', (1) x 500_000) . ']}', qr/more than 400000 values/ ],
    [ 'a footer of 500 lines',         certificate(layout => { footer => "line\n" x 500 }), qr/footer of the layout is too long/ ],
    [ 'a code that no QR can have',    certificate(verification => { code => 'X', url => 'https://x/' . 'y' x 2000 }), qr/too long|1 to 300/ ],
    [ 'a logo that is none',           { kind => 'logo', file => encode_base64('GIF89a', '') }, qr/not a PNG/ ],
    [ 'a logo that is no base64',      { kind => 'logo', file => '*' }, qr/not base64/ ],
    [ 'a logo of 4 billion pixels',    bomb(65_535, 65_535, "\0"), qr/at most 4000 on a side/ ],
    [ 'a logo of a negative size',     bomb(0xFFFFFFFF, 1, "\0"), qr/cannot be used/ ],
    [ 'a logo with too few data',      bomb(1000, 1000, "\0" x 10), qr/cannot be used/ ],
    [ 'a logo larger than 1 MB',       { kind => 'logo', file => encode_base64("\x89PNG\r\n\x1a\n" . "x" x 2_000_000, '') }, qr/larger than 1 MB/ ],
);
for my $case (@refused) {
    my ($what, $job, $words) = @$case;
    my ($kind, $sentence) = $printer->answer($job);
    is($kind, 'E', "a refusal: $what");
    like($sentence // '', $words, "the refusal says why: $what");
    cmp_ok($printer->peak, '<', $most, "refusing takes less than $most MB: $what") if defined $kind;
}

my ($kind) = $printer->answer(certificate());
is($kind, 'P', 'after all that a certificate is made');
is($printer->finish, 0, 'the process ends well after all jobs');

# --- A broken logo does not hold a certificate back

my $broken = "\x89PNG\r\n\x1a\nbroken";
my ($pdf)  = made({ %{ certificate(laboratory => { name => 'Cedar Ridge', logoSha256 => sha256_hex($broken) }) },
        files => { sha256_hex($broken) => encode_base64($broken, '') } });
like(words($pdf), qr/The logo cannot be used.*Certificate of analysis/s, 'a certificate with a broken logo says so');

# --- Out of memory it says so, and ends

my $limited = "ulimit -v 60000; exec '" . printer_path() . "' --once";
my $job     = written($good);
my $said    = command('sh', '-c', "($limited) < '$job' 2>&1 > /dev/null; echo \"ended with \$?\"");
like($said, qr/ended with [1-9]/, 'with too little memory it ends with a failure');

done_testing();
