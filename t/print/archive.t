#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Documents are PDF/A-2b by their structure, and tagged: well-formed for qpdf, metadata in
# both forms, an output intent with a profile, identifier, language, fonts embedded, the
# table's cells in rows, texts in the place of pictures.
use strict;
use warnings;
use utf8;

use Test::More;

use LIMS::Print;

my $content = content(client => { name => 'Κόσμος & 水 <b> العربية' });
$content->{certificate}{number} = 'COA-<1>&Ω';
my %documents = (
    certificate => { kind => 'certificate', content => $content },
    report => { kind => 'report', title => 'List', madeAt => '2026-11-26T14:00:00Z', blocks => [
            { type => 'table', columns => [ { title => 'A' } ], rows => [ ['1'] ] },
            { type => 'chart', title => 'C', mean => 1, sd => 1, points => [ { value => 1 } ] } ] },
    labels => { kind => 'labels', sheet => { pageWidth => 60, pageHeight => 40, labelWidth => 60, labelHeight => 40 },
        labels => [ { code => 'A-1' } ] },
);
for my $name (sort keys %documents) {
    my ($pdf, $refusal) = made($documents{$name});
    my $path = written($pdf // diag($refusal));
    system "qpdf --check '$path' > '$path.check' 2>&1";
    is($?, 0, "qpdf finds no mistake: $name");
    my $plain = "$path.qdf";
    system 'qpdf', '--qdf', '--object-streams=disable', $path, $plain;
    my $objects = do { local (@ARGV, $/) = ($plain); <> };

    like($pdf, qr/\A%PDF-1\.[4-7]\n%[\x80-\xFF]{4}/, "the header says that it is binary: $name");
    like($pdf, qr/\ntrailer\n<<[^>]*\/ID \[ <(\w{32})> <\1> \]/s, "it has an identifier: $name");
    like($objects, qr/\/Type \/Catalog/, "the catalogue is there: $name");
    like($objects, qr/\/MarkInfo <<\s+\/Marked true/, "it is tagged: $name");
    like($objects, qr/\/Lang \(en\)|\/Lang <feff0065006e>/i, "it has a language: $name");
    like($objects, qr/\/S \/GTS_PDFA1/, "it has an output intent: $name");
    like($objects, qr/mntrRGB XYZ .{12}acsp/s, "the output intent has a profile of colours: $name");
    unlike($objects, qr/\/Interpolate true|\/JavaScript|\/Launch|\/Encrypt|\/EmbeddedFiles|\/LZWDecode/,
        "nothing is in it that an archive forbids: $name");
    is(scalar(() = $objects =~ /\/Subtype \/CIDFontType2/g), scalar(() = $objects =~ /\/CIDToGIDMap \/Identity/g),
        "each font of numbers has its map: $name");
    my @fonts = grep { !/^(?:name|-)/ } split /\n/, command('pdffonts', $path);
    is(scalar(grep { !/ yes yes yes +\d+ +\d+$/ } @fonts), 0, "fonts are embedded and say their characters: $name");
}

my ($pdf)    = made($documents{certificate});
my $path     = written($pdf);
my $metadata = command('pdfinfo', '-meta', $path);
utf8::decode($metadata);
like($metadata, qr/<pdfaid:part>2<.*<pdfaid:conformance>B</s, 'the metadata says PDF/A-2b');
like($metadata, qr/Certificate of analysis COA-&lt;1&gt;&amp;Ω, version 1</, 'the metadata has the title, escaped');
like($metadata, qr/<xmp:CreateDate>2026-11-26T14:03:22-07:00</, 'the metadata has the time of the issue');
my $facts = command('pdfinfo', '-isodates', $path);
utf8::decode($facts);
like($facts, qr/^Title:\s+Certificate of analysis COA-<1>&Ω, version 1$/m, 'the dictionary says the same');
like($facts, qr/^CreationDate:\s+2026-11-26T14:03:22-07/m, 'the dictionary has the time of the issue');
like($facts, qr/^Tagged:\s+yes/m, 'readers see that it is tagged');

my $structure = command('pdfinfo', '-struct-text', $path);
like($structure, qr/\ADocument\n/, 'there is one root of its structure');
like($structure, qr/H1 \(block\)\n\s+"Certificate of analysis"/, 'the structure has a title');
like($structure, qr/H2 \(block\)\n\s+"Results"\n\s+Table \(block\)\n\s+TR\n\s+TH:\n\s+\/Scope \/Column\n\s+"Test"/,
    'the structure has a table with heads of columns');
like($structure, qr/TR\n\s+TD\n\s+"pH \(PH\)"\n\s+TD\n\s+"SM 4500-H\+ B"\n\s+TD\n\s+"7\.2"/, 'the table has cells in rows');
like($pdf, qr/\/S \/Figure\n(?:(?!endobj).)*\/Alt <FEFF00510052/s, 'a picture has a text in its place');

done_testing();
