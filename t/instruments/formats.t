#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Workbooks and XML through POST /instrument-ingest, in JSON and as a form: to the
# value that is entered, whatever the file is called.
use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use IO::Compress::Zip qw(zip $ZipError);
use LIMS::Instrument;
use LIMS::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Laboratory->new($lims);
my $pc   = LIMS::Instrument->new($lab);

# A workbook of one sheet; a number stands as it is, all else as an inline string.
sub workbook {
    my (@rows) = @_;
    my $number = 0;
    my $sheet  = join '', map {
        $number++;
        my $column = 'A';
        "<row r=\"$number\">" . join('', map {
            my $place = $column++ . $number;
            /\A[0-9.]+\z/ ? "<c r=\"$place\"><v>$_</v></c>"
                : "<c r=\"$place\" t=\"inlineStr\"><is><t>$_</t></is></c>";
        } @$_) . '</row>';
    } @rows;
    my $main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
    my $of   = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    my $pack = 'http://schemas.openxmlformats.org/package/2006';
    my $type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
    my @parts = (
        '[Content_Types].xml' => "<Types xmlns=\"$pack/content-types\"><Default Extension=\"rels\" "
            . 'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            . "<Override PartName=\"/xl/workbook.xml\" ContentType=\"$type.sheet.main+xml\"/>"
            . "<Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"$type.worksheet+xml\"/>"
            . '</Types>',
        '_rels/.rels' => "<Relationships xmlns=\"$pack/relationships\"><Relationship Id=\"r1\" "
            . "Type=\"$of/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
        'xl/workbook.xml' => "<workbook xmlns=\"$main\" xmlns:r=\"$of\"><sheets>"
            . '<sheet name="Run" sheetId="1" r:id="r1"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels' => "<Relationships xmlns=\"$pack/relationships\">"
            . "<Relationship Id=\"r1\" Type=\"$of/worksheet\" Target=\"worksheets/sheet1.xml\"/>"
            . '</Relationships>',
        'xl/worksheets/sheet1.xml' =>
            "<worksheet xmlns=\"$main\"><sheetData>$sheet</sheetData></worksheet>",
    );
    my $bytes = '';
    my $zip;
    while (my ($name, $text) = splice @parts, 0, 2) {
        $zip ||= IO::Compress::Zip->new(\$bytes, Name => $name) or die $ZipError;
        $zip->newStream(Name => $name) if length $bytes && $name ne '[Content_Types].xml';
        $zip->print($text);
    }
    $zip->close;
    return $bytes;
}

sub of_book {
    my ($sample, $value, $more) = @_;
    return workbook([qw(Sample Test Value Unit)],
        [ $sample->{trackingId}, 'NO3', $value, 'mg/L' ], [ $sample->{trackingId}, 'PH', $more ]);
}

sub of_xml {
    my ($sample, $value, $more) = @_;
    return "<?xml version=\"1.0\"?>\n<Run><Samples><Sample><Id>$sample->{trackingId}</Id>"
        . "<NO3>$value</NO3><PH>$more</PH></Sample></Samples></Run>\n";
}

my %format = (
    xlsx => { file => \&of_book, profile => { code => 'book', name => 'Book', dialect => undef,
            match => { container => 'xlsx', headers => [ 'Sample', 'Test', 'Value' ] },
            columns => { trackingId => 'Sample', test => 'Test', value => 'Value', unit => 'Unit' } } },
    xml => { file => \&of_xml, profile => { code => 'paths', name => 'Paths', dialect => undef,
            layout => 'xml', match => { container => 'xml', root => 'Run' },
            table  => { element => '/Run/Samples/Sample' }, columns => { trackingId => 'Id' },
            tests  => [ map { { name => $_, testCode => $_ } } qw(NO3 PH) ] } },
);

$pc->profile(%{ $format{$_}{profile} }) for sort keys %format;
for my $name (sort keys %format) {
    for my $way (qw(json form)) {
        subtest "$name, $way" => sub {
            my $sample = $pc->sample(qw(NO3 PH));
            my $bytes  = $format{$name}{file}->($sample, '7.25', '6.90');
            my $answer = $way eq 'json' ? $pc->send($bytes, name => 'run.bin', base64 => 1)
                : $pc->upload($bytes, name => 'run.bin');
            is($answer->status, 201, 'imported') or diag($answer->body);
            is($answer->json->{sha256}, sha256_hex($bytes), 'to the byte');
            is($answer->json->{profile}, $format{$name}{profile}{code}, 'by what it is');
            is_deeply([ map { $pc->test($sample, $_)->{result} } qw(NO3 PH) ],
                [ '7.25', '6.90' ], 'to the value');
            my $again = $way eq 'json' ? $pc->upload($bytes) : $pc->send($bytes, base64 => 1);
            is($again->status, 200, 'and the other way it is the same file');
        };
    }
    my $cut = substr $format{$name}{file}->($pc->sample('NO3'), '1', '2'), 0, -40;
    my $kept = $pc->send($cut, base64 => 1);
    is($kept->status, 202, "$name that was cut off is kept") or diag($kept->body);
    cmp_ok(scalar @{ $pc->codes($kept) }, '>', 0, 'with a reason');
}

done_testing();
