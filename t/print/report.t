#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A report is made of blocks: headings, paragraphs, facts, tables, control charts. Numbers
# of a column stand with their decimal points below each other.
use strict;
use warnings;
use utf8;

use Test::More;

use LIMS::Print;

my @values = ('7.25', '10.5', '123.456', '9');
my $report = { kind => 'report', title => 'Worklist of metals', subtitle => 'Bench 2', laboratory => 'Cedar Ridge',
    madeAt => '2026-11-26T14:00:00-07:00', blocks => [
        { type => 'heading', text => 'Samples' },
        { type => 'facts', items => [ { label => 'Lot', value => 'L-0O1lI', code => JSON::PP::true } ] },
        { type => 'table', columns => [ { title => 'Id', code => JSON::PP::true }, { title => 'Value', align => 'decimal' },
                { title => 'Verdict' } ], rows => [ (map { [ "S-$_", $_, 'ok' ] } @values),
                { cells => [ 'S-5', '1.0', { text => 'Above', shape => 'above', strong => JSON::PP::true } ], note => 'Diluted.' } ] },
        { type => 'pagebreak' },
        { type => 'chart', title => 'Nitrate', unit => 'mg/L', mean => 10, sd => 0.5, limits => [ { value => 12, label => 'upper' } ],
            points => [ { at => '2026-11-01T08:00:00Z', value => 10.1 }, { at => '2026-11-02T08:00:00Z', value => 11.9, rules => ['1-3s'] },
                { at => '2026-11-03T08:00:00Z', value => 9.7, excluded => JSON::PP::true } ] },
        { type => 'paragraph', text => 'The end.' },
    ] };
my ($pdf, $refusal) = made($report);
diag($refusal) if !defined $pdf;
my @pages = split /\f/, lines($pdf);

like($pages[0], qr/Cedar Ridge.*Worklist of metals.*Bench 2.*Samples.*L-0O1lI/s, 'title, laboratory, heading and facts');
like($pages[0], qr/S-123\.456\s+123\.456\s+ok/, 'a row of the table');
like($pages[0], qr/S-5\s+1\.0\s+Above\s+Diluted\./, 'a note stands below its row');
like($pages[0], qr/Made 2026-11-26 14:00:00 -07:00\s+Page 1 of 2/, 'when it was made, and the page');
like($pages[1], qr/Nitrate, mg\/L.*1-3s/s, 'a chart with the rule that is broken');
like($pages[1], qr/upper 12.*\+3 s\s+11\.5.*mean 10.*−3 s\s+8\.5/s, 'a chart has its limits from above to below');
like($pages[1], qr/2026-11-01 08:00.*2026-11-03 08:00/, 'the chart says from when to when it is');
like($pages[1], qr/The end\./, 'a paragraph');

# The decimal point of each number is at one place.
my $box = command('pdftotext', '-bbox', '-l', '1', written($pdf), '-');
my %left = map { my ($x) = $box =~ /xMin="([\d.]+)"[^>]*>\Q$_\E</; ($_ => $x) } @values;
my $digit = ($left{'7.25'} - $left{'10.5'});
cmp_ok($digit, '>', 3, 'a number of one digit more begins further left');
cmp_ok(abs($left{'10.5'} - $left{'123.456'} - $digit), '<', 0.05, 'two digits more begin two digits further left');
cmp_ok(abs($left{'9'} - $left{'7.25'}), '<', 0.05, 'numbers are aligned with or without decimals');

# The mean of too few points has no standard deviation; a value may be small.
my ($young) = made({ kind => 'report', title => 'Young', blocks => [ { type => 'chart', title => 'Lead', mean => 4.5,
    limits => [ { value => 0.00012, label => 'lower' } ], points => [ { at => '2026-11-01T08:00:00Z', value => 4.5 } ] } ] });
like(lines($young), qr/mean 4\.5\s.*lower 0\.00012\s/s, 'a chart without a standard deviation has its mean');

my ($wide) = made({ kind => 'report', title => 'Wide', orientation => 'landscape', paper => 'letter', blocks => [] });
like(command('pdfinfo', written($wide)), qr/Page size:\s+792 x 612/, 'a report may lie');

for my $case ([ 'a row with more cells than columns', { type => 'table', columns => [ { title => 'A' } ], rows => [ [ 1, 2 ] ] } ],
    [ 'a table without columns', { type => 'table', columns => [], rows => [] } ],
    [ 'a shape that is not known', { type => 'table', columns => [ { title => 'A' } ], rows => [ [ { text => 1, shape => 'star' } ] ] } ],
    [ 'a block that is not known', { type => 'video' } ],
    [ 'a point without a number', { type => 'chart', points => [ { value => 'high' } ] } ],
    [ 'a point that is infinite', { type => 'chart', points => [ { value => 9**9**9 } ] } ])
{
    my ($what, $block) = @$case;
    (my $none, $refusal) = made({ kind => 'report', title => 'X', blocks => [$block] });
    ok(!defined $none && $refusal =~ /\.\n\z/, "$what: a refusal") or diag($refusal);
}

done_testing();
