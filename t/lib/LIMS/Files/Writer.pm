# SPDX-License-Identifier: Apache-2.0
package LIMS::Files::Writer;

=head1 NAME

LIMS::Files::Writer - writes files in the formats of instruments: XLSX, XLS, ASTM, HL7

=head1 SYNOPSIS

    use LIMS::Files::Writer;

    my $bytes = xls([ 'Sample', 'NO3' ], [ $id, '7.25' ]);

=head1 DESCRIPTION

    xlsx(@rows)        a workbook of one sheet; a number stands as it is, all else as
                       an inline string; { e => '#N/A' } as a cell of that type
    workbook({ name, rows, hidden }, ...)   the same of several sheets
    xls(@rows)         the same in BIFF8, in a compound file; texts are shared
    astm(@records)     records of ASTM E1394, each with its line's end
    framed(@records)   the same in frames of E1381 with their checksums, as on the wire
    hl7(@segments)     segments of HL7
    mllp($message)     a message in its block

=cut

use strict;
use warnings;

use Exporter qw(import);
use IO::Compress::Zip qw($ZipError);

our @EXPORT = qw(xlsx workbook xls astm framed hl7 mllp);

my $number = qr/\A[0-9]+(?:\.[0-9]+)?\z/;

# --- Workbooks of parts in an archive ----------------------------------------

my $main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
my $of   = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
my $pack = 'http://schemas.openxmlformats.org/package/2006';
my $type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

sub _sheet {
    my (@rows) = @_;
    my $row = 0;

    return join '', map {
        $row++;
        my $column = 'A';
        "<row r=\"$row\">" . join('', map {
            my $place = $column++ . $row;
            my ($kind) = ref $_ ? keys %$_ : ();
            $kind ? "<c r=\"$place\" t=\"$kind\"><v>$_->{$kind}</v></c>" : /$number/ ? "<c r=\"$place\"><v>$_</v></c>"
                : "<c r=\"$place\" t=\"inlineStr\"><is><t>$_</t></is></c>";
        } @$_) . '</row>';
    } @rows;
}

sub xlsx { return workbook({ name => 'Run', rows => \@_ }) }

sub workbook {
    my (@sheets) = @_;
    my $each = sub { my ($text) = @_; return join '', map { $text->($_) } 1 .. @sheets };
    my @parts = (
        '[Content_Types].xml' => "<Types xmlns=\"$pack/content-types\"><Default Extension=\"rels\" "
            . 'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            . "<Override PartName=\"/xl/workbook.xml\" ContentType=\"$type.sheet.main+xml\"/>"
            . $each->(sub { "<Override PartName=\"/xl/worksheets/sheet$_[0].xml\" "
                    . "ContentType=\"$type.worksheet+xml\"/>" }) . '</Types>',
        '_rels/.rels' => "<Relationships xmlns=\"$pack/relationships\"><Relationship Id=\"r1\" "
            . "Type=\"$of/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
        'xl/workbook.xml' => "<workbook xmlns=\"$main\" xmlns:r=\"$of\"><sheets>"
            . $each->(sub {
                my ($number) = @_;
                my $sheet = $sheets[ $number - 1 ];
                my $state = $sheet->{hidden} ? ' state="hidden"' : '';
                "<sheet name=\"$sheet->{name}\" sheetId=\"$number\"$state r:id=\"r$number\"/>";
            }) . '</sheets></workbook>',
        'xl/_rels/workbook.xml.rels' => "<Relationships xmlns=\"$pack/relationships\">"
            . $each->(sub { "<Relationship Id=\"r$_[0]\" Type=\"$of/worksheet\" "
                    . "Target=\"worksheets/sheet$_[0].xml\"/>" }) . '</Relationships>',
        map { ("xl/worksheets/sheet$_.xml" => "<worksheet xmlns=\"$main\"><sheetData>"
                . _sheet(@{ $sheets[ $_ - 1 ]{rows} }) . '</sheetData></worksheet>') } 1 .. @sheets,
    );
    my ($bytes, $zip) = ('');
    while (my ($name, $text) = splice @parts, 0, 2) {
        $zip->newStream(Name => $name) if $zip;
        $zip ||= IO::Compress::Zip->new(\$bytes, Name => $name) or die $ZipError;
        $zip->print($text);
    }
    $zip->close;
    return $bytes;
}

# --- Workbooks of records in a compound file ---------------------------------

sub _record { return pack 'v v/a*', @_ }

sub _beginning { return _record(0x0809, pack 'v v V V', 0x0600, $_[0], 0, 0) }

sub _end { return _record(0x000a, '') }

sub xls {
    my (@rows) = @_;
    my (@texts, $cells);

    for my $row (0 .. $#rows) {
        for my $column (0 .. $#{ $rows[$row] }) {
            my $cell  = $rows[$row][$column];
            my $place = pack 'v v v', $row, $column, 0;

            $cells .= $cell =~ /$number/ ? _record(0x0203, $place . pack 'd<', $cell)
                : _record(0x00fd, $place . pack 'V', scalar @texts);
            push @texts, $cell unless $cell =~ /$number/;
        }
    }
    my $shared = _record(0x00fc,
        pack('V V', (scalar @texts) x 2) . join '', map { pack 'v C a*', length, 0, $_ } @texts);
    # The name of the sheet, and where in the stream it begins.
    my $bound = sub { _record(0x0085, pack 'V C C C C a*', $_[0], 0, 0, 3, 0, 'Run') };
    my $length = length join '', _beginning(5), $bound->(0), $shared, _end();

    return _compound('Workbook', join '', _beginning(5), $bound->($length), $shared, _end(),
        _beginning(16), $cells, _end());
}

# A compound file with one stream: a table of sectors, the directory, the stream. One
# that is shorter would stand in sectors of another size.
sub _compound {
    my ($name, $stream) = @_;
    my $free = 0xffffffff;
    my $last = 0xfffffffe;

    $stream .= "\0" x (4096 - length $stream) if length $stream < 4096;
    $stream .= "\0" x (-length($stream) % 512);
    my $sectors = length($stream) / 512;
    my $table   = pack 'V*', 0xfffffffd, $last, 3 .. $sectors + 1, $last;
    my $entry   = sub {
        my ($title, $kind, $child, $start, $size) = @_;
        my $wide = join '', map {"$_\0"} split //, "$title\0";
        return pack 'a64 v C C V V V x16 x4 x16 V V V', $wide, length $wide, $kind, 1, $free, $free,
            $child, $start, $size, 0;
    };
    my $header = pack 'a8 x16 v v v v v x6 V V V x4 V V V V V V',
        "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3e, 3, 0xfffe, 9, 6, 0, 1, 1, 4096, $last, 0, $last, 0,
        0;

    return join '', $header . "\xff" x (512 - length $header), $table . "\xff" x (512 - length $table),
        pack('a512', $entry->('Root Entry', 5, 1, $last, 0) . $entry->($name, 2, $free, 2,
            length $stream)), $stream;
}

# --- Messages ----------------------------------------------------------------

sub astm { return join '', map {"$_\r"} @_ }

sub framed {
    my (@records) = @_;
    my $count = 0;
    my $wire  = "\x05";

    for my $record (@records) {
        my $end  = ++$count == @records ? "\x03" : "\x17";
        my $text = $count % 8 . "$record\r$end";
        $wire .= "\x02$text" . sprintf("%02X\r\n", unpack '%8C*', $text);
    }
    return "$wire\x04";
}

sub hl7 { return join '', map {"$_\r"} @_ }

sub mllp { return "\x0b$_[0]\x1c\r" }

1;
