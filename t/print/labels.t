#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Codes printed on a sheet of labels are read again: each Code 128 and each DataMatrix by
# its reader, each code with its check character by people. Labels stand where the sheet
# has them.
use strict;
use warnings;

use Test::More;

use LIMS::Print;

my %sheet = (pageWidth => 210, pageHeight => 297, labelWidth => 63.5, labelHeight => 38.1, columns => 3,
    rows => 7, marginLeft => 7.2, marginTop => 15.1, gapX => 2.5, gapY => 0);

sub labels { return map { sprintf 'CED-26-%06d-%s', 4700 + $_, substr('KXTR', $_ % 4, 1) } 1 .. $_[0] }

sub sheet_of {
    my ($symbology, $codes, %other) = @_;
    my ($pdf, $refusal) = made({ kind => 'labels', sheet => \%sheet, labels => [ map { { code => $_,
                    symbology => $symbology, title => 'Drinking water', lines => [ 'East', 'Tap 3' ] } } @$codes ], %other });
    return wantarray ? ($pdf, $refusal) : $pdf;
}

my @codes = labels(19);
my ($page, @more) = pictures(scalar sheet_of('code128', \@codes, skip => 2), 200);
is(scalar @more, 0, '19 labels behind 2 that are skipped fill one sheet of 21');
is_deeply([ sort split /\n/, command('zbarimg', '--nodbus', '--raw', '-q', '-Sdisable', '-Scode128.enable', $page) ],
    [ sort @codes ], 'each Code 128 is read again');

@codes = labels(6);
($page) = pictures(scalar sheet_of('datamatrix', \@codes), 200);
my $found = command('dmtxread', '-n', '-N', '6', $page);
is_deeply([ sort split /\n/, $found ], [ sort @codes ], 'each DataMatrix is read again');

@codes = labels(3);
($page) = pictures(scalar sheet_of('both', \@codes), 300);
is_deeply([ sort split /\n/, command('zbarimg', '--nodbus', '--raw', '-q', '-Sdisable', '-Scode128.enable', $page) ],
    [ sort @codes ], 'a label with both has bars that are read');
is_deeply([ sort split /\n/, command('dmtxread', '-n', '-N', '3', $page) ], [ sort @codes ], 'a label with both has modules that are read');

my $pdf = sheet_of('code128', [ labels(22) ]);
my @pages = split /\f/, lines($pdf);
is(scalar @pages, 2, 'a label more begins the next sheet');
like($pages[0], qr/CED-26-004701-X.*CED-26-004702-T.*CED-26-004703-R/, 'codes are printed with their check characters');
like($pages[0], qr/Drinking water/, 'titles are printed');
like($pages[1], qr/CED-26-004722-T.*Tap 3/s, 'lines are printed');

# A text that has no room is cut with a sign of it, or left out.
sub narrow {
    my ($width, $height, $code) = @_;
    my ($made) = made({ kind => 'labels', sheet => { pageWidth => 2 * $width, pageHeight => $height,
            labelWidth => $width, labelHeight => $height, columns => 2 },
        labels => [ map { { code => $code, symbology => 'fitting', title => 'Monitoring well number 12 of the east field',
                    lines => [ 'Collected 2026-11-26 08:30', 'Tests: PH, CL' ] } } 1 .. 2 ] });
    return $made;
}
is(words(narrow(10, 10, 'S-1')) =~ s/\s+//gr, '', 'beside a matrix that fills a label nothing is printed on the next one');
is(words(narrow(12, 8, 'S-1234')) =~ s/\s+//gr, '', 'no part of a code is printed');
my $cut = words(narrow(38.1, 21.2, 'CED-26-004701-X')) =~ s/\s+/ /gr;
like($cut, qr/CED-26-0047 01-X/, 'a code is broken where it is printed whole');
like($cut, qr/Monitoring well number 12 of the east field/,
    'a title with too little room has an ellipsis, which stands for the rest of it');

# Each text lies within its label.
my $box = command('pdftotext', '-bbox', written($pdf), '-');
my ($x, $y) = $box =~ /xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>CED-26-004705-X</;
my ($left, $top) = map { $_ * 72 / 25.4 } 7.2 + 63.5 + 2.5, 15.1 + 38.1;
ok($x > $left && $x < $left + 63.5 * 2.83 && $y > $top && $y < $top + 38.1 * 2.83,
    'the fifth label is the second of the second row') or diag("$x, $y: $left, $top");

my @refused = (
    [ 'a code that bars cannot have', 'code128', ["x\x{6c34}"], {}, qr/cannot be printed as a barcode/ ],
    [ 'bars that would be too narrow', 'code128', [ 'A' x 60 ], {}, qr/too narrow/ ],
    [ 'an empty code', 'datamatrix', [''], {}, qr/1 to 300 bytes/ ],
    [ 'a symbology that is not known', 'pdf417', ['A'], {}, qr/code128, datamatrix, both or fitting/ ],
    [ 'as many skipped as there are', 'both', ['A'], { skip => 21 }, qr/fewer places/ ],
    [ 'labels beyond the page', 'both', ['A'], { sheet => { %sheet, columns => 4 } }, qr/do not fit/ ],
    [ 'labels without a size', 'both', ['A'], { sheet => {} }, qr/at least 8 mm/ ],
);
for my $case (@refused) {
    my ($what, $symbology, $codes, $other, $words) = @$case;
    my (undef, $refusal) = sheet_of($symbology, $codes, %$other);
    like($refusal, $words, "$what: a refusal");
}

done_testing();
