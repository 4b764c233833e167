#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A certificate says all of its content: who, what, how, with which result and by whom,
# with its number, version and page on each page. A layout orders it, and leaves nothing
# out without which a result could be read as another.
use strict;
use warnings;
use utf8;

use Digest::SHA qw(sha256_hex);
use MIME::Base64 qw(encode_base64);
use Test::More;

use LIMS::Print;

my ($true, $false) = (JSON::PP::true, JSON::PP::false);

sub certificate {
    my (%other) = @_;
    my ($pdf, $refusal) = made({ kind => 'certificate', content => content(%other) });
    diag($refusal) if !defined $pdf;
    return $pdf;
}

# --- What it says

my $words = words(certificate());
for my $text ('Cedar Ridge Laboratory', '1200 Mill Road', 'ISO/IEC 17025:2017', 'Certificate of analysis',
    'COA-2026-000417, version 1', 'Issued 2026-11-26 14:03', 'Verification code 7KQ4-M2XT-9RWD',
    'https://lims.example/app/verify/7KQ4M2XT9RWD', 'River Works', 'Ada Moore', 'ORD-2026-00098', 'PO 4711',
    'CED-26-004711-K', 'Tap 3', 'Drinking water', '2026-11-19 08:30', '2026-11-19 11:02', 'Maya Torres',
    '4.2 °C', 'Intact', 'One bottle had headspace.', 'pH (PH)', 'SM 4500-H+ B', '7.2', 's.u.', '6.5 to 8.5',
    'Within', '2026-11-20', 'A: within the scope of accreditation (ISO/IEC 17025:2017, PJLA 98765)', 'Technical review', 'Approved',
    'Ines Kowalski', '2026-11-25 16:40:11 -07:00', 'Verified', 'Electronic signature',
    'Decision rule: Simple acceptance.', 'The results concern the items tested only.',
    'Times are those of America/Denver.', '3f' x 32, 'Page 1 of 2')
{
    ok(index($words, $text) >= 0, "it says: $text") or diag($words);
}

my @results = (
    result(result => '0.5', qualifier => '<', unit => 'mg/L', testName => 'Lead', testCode => 'PB'),
    result(result => undef, qualifier => 'ND', testName => 'Coliforms', testCode => 'TC', accredited => $false,
        conformity => undef, outOfSpecification => undef, decisionRule => undef),
    result(result => '9.1', conformity => 'outside', outOfSpecification => $true, uncertainty => '± 0.1',
        remark => 'Measured twice.', holdingTimeMet => $false, qualifier => 'J', reportingLimit => 5,
        decisionRule => 'Guard band.'),
);
my @qualifiers = ({ qualifier => 'ND', meaning => 'not detected' });
my $lines = lines(certificate(results => \@results, qualifiers => \@qualifiers));
like($lines, qr/Lead \(PB\).*< 0\.5\b.*mg\/L/, 'a qualifier that leads its value stands before it');
like($lines, qr/Coliforms \(TC\).*\bND\b/, 'one without a value in its place');
like($lines, qr/pH \(PH\).*\b9\.1\s+J\b.*± 0\.1.*Outside/, 'a result outside says so, with its qualifier');
like($lines, qr/Measured twice\./, 'a remark stands below its result');
like($lines, qr/The holding time was exceeded\./, 'a result says that its holding time was exceeded');
like($lines, qr/Reporting limit 5/, 'an estimate has its reporting limit');
like($lines, qr/ND: not detected/, 'qualifiers are explained');
like($lines, qr/Decision rule for Lead \(PB\): Simple/, 'decision rules say for which tests they are');

$lines = lines(certificate(results => [
    result(result => '<0.5', qualifier => '<', unit => 'mg/L', testName => 'Lead', testCode => 'PB'),
    result(result => ' > 100', qualifier => '>', unit => 'mg/L', testName => 'Iron', testCode => 'FE'),
    result(result => '>80', qualifier => '<', unit => 'mg/L', testName => 'Zinc', testCode => 'ZN') ]));
like($lines, qr/Lead \(PB\)[^<>]*<0\.5\s[^<>]*mg\/L/, 'a sign that the text of a value has is printed once');
like($lines, qr/Iron \(FE\)[^<>]*> 100\s[^<>]*mg\/L/, 'a sign behind a blank is found as well');
like($lines, qr/Zinc \(ZN\)[^<>]*>80\s[^<>]*mg\/L/, 'where sign and qualifier differ, the text stands that was judged');

$lines = lines(certificate(results => [ result(accredited => $false) ]));
like($lines, qr/Accr\..*–: outside of it/s,
    'where a laboratory names its accreditation, a certificate of none of its tests says so');

# --- Amendments, drafts

$lines = lines(certificate(
    certificate => { number => 'COA-1', version => 2, reason => 'Typing error', issuedAt => '2026-11-26T14:03:22Z',
        replaces => { version => 1, issuedAt => '2026-11-24T10:00:00Z', sha256 => 'ab' x 32 } },
    amendments => [ { version => 2, reason => 'Typing error', openedBy => 'Ines Kowalski',
            openedAt => '2026-11-26T09:00:00Z', changes => [ { member => 'plantLocation', old => 'West', new => 'East' },
                { member => 'collectedAt', old => '2026-11-19T08:30:00-07:00', new => '2026-11-19T09:30:00-07:00' },
                { member => 'tests[101].result', testName => 'pH', testCode => 'PH', old => '9.2', new => '7.2' },
                { member => 'tests[101].outOfSpecification', testName => 'pH', testCode => 'PH', old => 'true', new => 'false' },
                { member => 'tests[102].result', testName => 'Agglutination', testCode => 'AGG', old => 'true', new => 'false' },
                { member => 'tests[7]', testName => 'Lead', testCode => 'PB', old => 'PB', new => undef } ] } ]));
like($lines, qr/Amendment that led to version 2/, 'an amendment is told');
like($lines, qr/Plant location\s+West\s+East/, 'an amendment says in words what it changed');
like($lines, qr/Result of pH \(PH\)\s+9\.2\s+7\.2/, 'an amendment names a changed test');
like($lines, qr/Out of specification of pH \(PH\)\s+yes\s+no/, 'an amendment tells a changed verdict');
like($lines, qr/Result of Agglutination \(AGG\)\s+true\s+false/, 'a result that is a word stays that word');
like($lines, qr/Collected at\s+2026-11-19 08:30:00 -07:00\s+2026-11-19 09:30:00 -07:00/, 'an amendment tells changed times as times');
like($lines, qr/Test\s+PB\s+\(none\)/, 'an amendment names a test that is gone');
like($lines, qr/This version replaces version 1 of 2026-11-24 10:00, which is no longer valid\./, 'what it replaces');

my ($draft) = made({ kind => 'certificate', draft => $true, content => content() });
$words = words($draft);
like($words, qr/D\s*R\s*A\s*F\s*T/, 'a draft has its watermark');
like($words, qr/Draft: not a certificate/, 'a draft says that it is no certificate');
unlike($words, qr/7KQ4/, 'a draft has no code to verify it by');
unlike(words(certificate()), qr/draft/i, 'a certificate has no watermark');

# --- Pages

my @many = map { result(testCode => "T$_", testName => "Test number $_", sampleTestId => $_) } 1 .. 200;
my $long = certificate(results => \@many);
my @pages = split /\f/, lines($long);
cmp_ok(scalar @pages, '>', 5, '200 tests are several pages');
for my $i (0 .. $#pages) {
    like($pages[$i], qr/COA-2026-000417, version 1.*Page @{[ $i + 1 ]} of @{[ scalar @pages ]}\s*\z/s,
        "page @{[ $i + 1 ]} has number, version and its count");
}
is(scalar(grep { /^\s*Test\s+Method\s+Result/m } @pages[ 0 .. 3 ]), 4, 'the head of the table is on each page');
is_deeply([ join("\n", @pages) =~ /Test number (\d+) \(T\d+\)/g ], [ 1 .. 200 ], 'each test is there, once, in order');

# Rows stand below a head, and notes below their rows, wherever pages end.
for my $count (1, 2, 5, 9, 20, 60) {
    my @noted = map { my $i = $_; result(testCode => "T$i", testName => "Test $i", remark => join "\n", map { "Note $_ of $i" } 1 .. $count) } 1 .. 30;
    my @noted_pages = split /\f/, lines(certificate(results => \@noted));
    my @rows = grep { /\(T\d+\)/ } @noted_pages;
    is(scalar(grep { !/^\s*Test\s+Method\s+Result.*?\(T\d+\)/ms } @rows), 0, "notes of $count lines: no row stands above the head of its page");
    is(scalar(grep { /\A(?:(?!\(T\d+\)).)*Note 1 of/s } @noted_pages), 0, "notes of $count lines: each begins below its row");
    is_deeply([ join("\n", @noted_pages) =~ /Note (\d+ of \d+)/g ], [ map { my $i = $_; map { "$_ of $i" } 1 .. $count } 1 .. 30 ],
        "notes of $count lines: each line is there, once, in order");
}
# A number beside a long text stands in its column.
my $boxes = command('pdftotext', '-bbox', written(certificate(results => [
    result(result => '5.25', unit => 'mg/L', qualifier => 'J', uncertainty => '± 0.12', method => 'SM 4500-H+ B 2017 modified'),
    result(result => 'Growth observed in two of three replicates after incubation', unit => 'mg/L',
        testName => 'Colour of the whole sample', method => 'ISO 7027-1:2016 with deviations') ])), '-');
my ($number) = $boxes =~ /xMin="([\d.]+)"[^>]*>5\.25</;
my ($column) = $boxes =~ /xMin="([\d.]+)"[^>]*>Result</;
my ($next)   = $boxes =~ /xMin="([\d.]+)"[^>]*>Qualifier</;
ok($number >= $column && $number < $next, 'a number beside a long text stands in its column') or diag("$column, $number, $next");
$boxes = command('pdftotext', '-bbox', written(certificate(results => [
    result(result => '0.000012345', unit => 'mg/L'), result(result => 'Щ' x 12, unit => 'mg/L') ])), '-');
utf8::decode($boxes);
($number) = $boxes =~ /xMin="([\d.]+)"[^>]*>Щ/;
($column) = $boxes =~ /xMin="([\d.]+)"[^>]*>Result</;
cmp_ok($number, '>=', $column, 'a text of wide letters beside a number stands in its column');
my $address = join "\n", map { "Street $_" } 1 .. 90;
is_deeply([ words(certificate(client => { name => 'River Works', address => $address })) =~ /Street (\d+)/g ], [ 1 .. 90 ],
    'a fact of more lines than a page has goes on on the next one');

my ($drafted) = made({ kind => 'certificate', draft => $true, content => content(results => \@many) });
my @drafts = split /\f/, command('pdftotext', '-raw', written($drafted), '-');    # as it was drawn: the watermark first
is(scalar(grep { /\AD\s*R\s*A\s*F\s*T\s.*Draft of COA-2026-000417, version 1/s } @drafts), scalar @pages,
    'each page of a draft has its watermark, and says of which certificate it is a draft');

my ($order) = made({ kind => 'certificates', contents => [ content(), content(results => \@many), content() ] });
@pages = split /\f/, lines($order);
like($pages[1],  qr/Page 2 of 2\s*\z/, 'each part of a document of several counts its own pages');
like($pages[2],  qr/Page 1 of (?:[5-9]|1\d)\s*\z/, 'the second part begins at page one');
like($pages[-1], qr/Page 2 of 2\s*\z/, 'the last part counts its own pages too');

# --- Layout

my $layout = { paper => 'letter', title => 'Test report', columns => [ 'result', 'unit' ],
    sections => [ 'statements', 'results' ], header => 'Above all', footer => "Below\nall" };
my $laid = certificate(layout => $layout, results => \@results, statements => ['Own words.']);
$lines = lines($laid);
like(command('pdfinfo', written($laid)), qr/Page size:\s+612 x 792/, 'paper is a choice');
like($lines, qr/Test report.*Statements.*Results/s, 'title and order of sections are a choice');
like($lines, qr/Above all.*Own words\..*Below\s+all\s/s, 'the texts of a layout are printed');
like($lines, qr/^\s*Result\s+Unit\s+Test\s+Qualifier\s+Uncertainty\s+Limits\s+Conformity\s+Accr\.\s*$/m,
    'columns are ordered; what a result cannot be read without is not left out');
unlike($lines, qr/Analysed|Method\s+Result/, 'a column of what stands among the methods can be left out');
unlike($lines, qr/ORD-2026-00098|Technical review/, 'order and approvals can be left out');
like($lines, qr/$_/, "no layout leaves out: $_") for 'River Works', 'CED-26-004711-K', 'One bottle had headspace',
    'outside of it', 'SM 4500-H';
like($lines, qr/Signatures and acts.*Maya Torres/s, 'a certificate has its signatures in any layout');

# --- The QR code, the logo

my ($page) = pictures(certificate(), 150);
is(command('zbarimg', '--nodbus', '--raw', '-q', '-Sdisable', '-Sqrcode.enable', $page),
    "https://lims.example/app/verify/7KQ4M2XT9RWD\n", 'the QR code leads to the verification');

my $logo    = png(120, 40);
my %with    = (%{ content()->{laboratory} }, logoSha256 => sha256_hex($logo));
my $picture = sub {
    my ($bytes) = @_;
    my ($pdf) = made({ kind => 'certificate', content => content(laboratory => \%with),
            files => { sha256_hex($logo) => encode_base64($bytes, '') } });
    return $pdf;
};
like(command('pdfimages', '-list', written($picture->($logo))), qr/image\s+120\s+40/, 'the logo is printed');
like(words($picture->('other')), qr/not the one of its SHA-256/, 'another file is not, and that is said');
my ($kind) = made({ kind => 'logo', file => encode_base64($logo, '') });
like($kind, qr/\A\x89PNG/, 'a logo is written anew');
my (undef, $refusal) = made({ kind => 'logo', file => encode_base64(png(1, 5000), '') });
like($refusal, qr/at most 4000 on a side/, 'one that is too large is refused');
(undef, $refusal) = made({ kind => 'logo', file => encode_base64(substr($logo, 0, 60), '') });
like($refusal, qr/The logo cannot be used/, 'a broken logo is refused');

done_testing();
