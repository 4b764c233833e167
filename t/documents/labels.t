#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Labels of samples, containers, lots and storage locations: each symbol that is printed is
# decoded again and finds its record; what is printed, where, on what, and for whom.
use strict;
use warnings;
use utf8;

use LIMS::Print qw(command lines pictures words written);
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

use JSON::PP ();
use MIME::Base64 qw(decode_base64);

my $lims  = LIMS::Test->new(conf => LIMS::Test::Printer->real->conf);
my $lab   = LIMS::Service::Laboratory->new($lims);
my $clerk = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);

sub labels {
    my ($ids, %other) = @_;
    my $query = join '&', 'ids=' . join(',', @$ids), map { "$_=$other{$_}" } sort keys %other;
    return $clerk->get("/labels?$query");
}

# Returns the texts of the bars and of the matrices on pages with so many labels each.
sub decoded {
    my ($pdf, $count) = @_;
    my @pages = pictures($pdf, 200);
    my $bars  = join '', map { command('zbarimg', '--nodbus', '--raw', '-q', '-Sdisable', '-Scode128.enable', $_) } @pages;
    my $matrices = join '', map { command('dmtxread', '-n', '-N', $count, '-m', '20000', $_) } @pages;
    return [ sort split /\n/, $bars ], [ sort split /\n/, $matrices ];
}

sub finds {
    my ($code) = @_;
    (my $text = $code) =~ s/([^A-Za-z0-9-])/sprintf '%%%02X', ord $1/ge;
    my ($found) = @{ $clerk->get("/lookup?text=$text")->json->{data} };
    return $found ? "$found->{noun} $found->{id}" : 'nothing';
}

# --- A scan of what was printed finds the record -----------------------------------------

my $room    = $lab->location(code => 'COLD', name => 'Cold room');
my $shelf   = $lab->location(code => 'SHELF-2', name => 'Shelf 2', parent_id => $room, kind => 'shelf',
    min_temperature => 2, max_temperature => 8);
my $ph      = $lab->definition(code => 'PH', name => 'pH', preservation => 'Cool, 4 C');
my $nitrate = $lab->definition(code => 'NO3', name => 'Nitrate');
my @samples = map { $lab->sample(testDefinitionIds => [ $ph, $nitrate ], clientName => 'City of Riverbend',
    externalId => "COC-$_", collectedAt => '2026-11-20T15:30:00Z', priority => $_ == 1 ? 'rush' : 'routine',
    storageLocationId => $shelf, plantLocation => "Tap $_") } 1 .. 3;
my @ids     = map { $_->{id} } @samples;
my $reagent = $lab->reagent_lot(code => 'BUF-7', lot_number => 'L-4711', name => 'Buffer pH 7', expires_on => '2030-01-31');
my $medium  = $lab->insert('media_lot', code => 'TSA-A', lot_number => 'M-1', medium => 'TSA', name => 'Tryptic soy agar',
    expires_on => '2030-02-28');

my $got = labels(\@ids);
is($got->status, 200, 'labels of samples are printed');
is($got->header('Content-Type'), 'application/pdf', 'the labels are a PDF');
like($got->header('Content-Disposition'), qr/\Ainline; filename="labels\.pdf"/, 'the PDF is shown by the browser');
my ($bars, $matrices) = decoded($got->body, 3);
my @codes = sort map { $_->{trackingId} } @samples;
is_deeply($bars, \@codes, 'each Code 128 is read again');
is_deeply($matrices, \@codes, 'each DataMatrix is read again');
is_deeply([ map { finds($_) } map { $_->{trackingId} } @samples ], [ map {"sample $_"} @ids ],
    'a scan finds the sample');

for my $case ([ 'reagent-lot', $reagent, 'BUF-7' ], [ 'media-lot', $medium, 'TSA-A' ], [ 'storage-location', $shelf, 'SHELF-2' ]) {
    my ($of, $id, $code) = @$case;

    ($bars, $matrices) = decoded(labels([$id], of => $of, size => 'ROLL-76X25')->body, 1);
    is_deeply([ $bars, $matrices ], [ [$code], [$code] ], "the symbols of a $of have its code");
    is(finds($matrices->[0]), "$of $id", "a scan of the label of a $of finds it");
}

for my $size (map { $_->{code} } @{ $clerk->get('/label-sizes')->json->{data} }) {
    (undef, $matrices) = decoded(labels(\@ids, size => $size)->body, $size =~ /\AROLL/ ? 1 : 3);
    is_deeply($matrices, \@codes, "on $size each DataMatrix is read again");
}

# --- What is printed ---------------------------------------------------------------------

my $text = words(labels([ $ids[0] ], size => 'ROLL-102X51')->body);
like($text, qr/\Q$_\E/, "a label of a sample has $_")
    for $samples[0]{trackingId}, 'City of Riverbend', 'RUSH', 'Tap 1', 'Collected 2026-11-20 ', 'Tests: PH, NO3',
    'Preservation: Cool, 4 C',
    'Storage: SHELF-2', 'COC-1';
unlike($text, qr/COC-2/, 'a label has nothing of another sample');
$text = words(labels([$reagent], of => 'reagent-lot')->body);
like($text, qr/Buffer pH 7.*Lot L-4711.*Use until 2030-01-31/s, 'a label of a reagent lot has name, lot and end');
like(words(labels([$medium], of => 'media-lot')->body), qr/Tryptic soy agar.*TSA, lot M-1.*Use until 2030-02-28/s,
    'of a media lot likewise');
like(words(labels([$shelf], of => 'storage-location')->body), qr/Shelf 2.*shelf.*2 to 8 °C.*In Cold room/s,
    'of a storage location its kind, temperatures and the place that contains it');
my ($cancelled) = $lab->tests($samples[1]);
is($clerk->post("/sample-tests/$cancelled/cancel", { reason => 'not ordered' })->status, 200, 'a test is cancelled');
like(words(labels([ $ids[1] ])->body), qr/Tests: NO3$/m, 'a cancelled test is not named');
unlike(words(labels([ $ids[1] ])->body), qr/Preservation/, 'a cancelled test asks for no preservation');

# Containers are as many as were received.
my $received = $clerk->post('/samples/receive', { items => [ { sampleId => $ids[2], containers => 3 } ] });
is($received->status, 200, 'a sample is received in three containers');
my $pdf = labels([ @ids[ 0, 2 ] ], of => 'container', size => 'ROLL-76X25')->body;
is_deeply([ words($pdf) =~ /Container (\d of \d)/g ], [ '1 of 1', '1 of 3', '2 of 3', '3 of 3' ],
    'each container has a label of its own, numbered');
($bars) = decoded($pdf, 1);
is_deeply($bars, [ sort map { $_->{trackingId} } @samples[ 0, 2, 2, 2 ] ], 'the labels of containers have the codes of their samples');

# --- Where and on what -------------------------------------------------------------------

sub place_of {
    my ($pdf, $word) = @_;
    my ($x, $y) = command('pdftotext', '-bbox', written($pdf), '-') =~ /xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>\Q$word\E</;
    return map { $_ / 72 * 25.4 } $x, $y;
}

sub lies_in {
    my ($pdf, $word, $left, $top, $width, $height, $what) = @_;
    my ($x, $y) = place_of($pdf, $word);
    return ok($x > $left && $x < $left + $width && $y > $top && $y < $top + $height, $what) || diag("$x, $y");
}

lies_in(labels(\@ids, size => 'A4-21')->body, $samples[0]{trackingId}, 7.21, 15.15, 63.5, 38.1, 'labels begin at the top left');
lies_in(labels(\@ids, size => 'A4-21', skip => 4)->body, $samples[0]{trackingId}, 7.21 + 66.04, 15.15 + 38.1, 63.5, 38.1,
    'used labels of a sheet are skipped');
is(scalar(my @all = pictures(labels([ reverse @ids ], size => 'ROLL-76X25')->body, 40)), 3, 'on a roll each label is a page');
like(lines(labels([ reverse @ids ], size => 'ROLL-76X25')->body),
    qr/\Q$samples[2]{trackingId}\E.*\Q$samples[1]{trackingId}\E.*\Q$samples[0]{trackingId}\E/s, 'labels are in the order of the ids');

my $manager = LIMS::Service::Person->new($lims, roles => ['lab_manager']);
my %own = (code => 'TUBES', name => 'Sheet of our own', pageWidth => 100, pageHeight => 80, labelWidth => 45,
    labelHeight => 20, columns => 2, rows => 3, marginLeft => 4, marginTop => 8, gapX => 2, gapY => 1);
my $size = $manager->post('/label-sizes', \%own);
is($size->status, 201, 'a laboratory has sizes of its own');
my $own = labels(\@ids, size => 'TUBES')->body;
lies_in($own, $samples[1]{trackingId}, 51, 8, 45, 20, 'labels lie where the laboratory\'s own size has them');
like(command('pdfinfo', written($own)), qr/Page size: +283\.\d+ x 226\.\d+ pts/, 'pages are as large as the laboratory\'s own size says');
refused($clerk->post('/label-sizes', { %own, code => 'B' }), 403, 'permission_required', 'who does not manage reference data makes none');
my @wrong = (
    [ 'labels beyond the page', { columns => 3 }, qr/pageWidth: .* take 143 mm, and the page has 100 mm/ ],
    [ 'labels below the page', { marginTop => 30 }, qr/pageHeight: .* take 92 mm, and the page has 80 mm/ ],
    [ 'a label of 7 mm', { labelHeight => 7 }, qr/labelHeight: .* at least 8 mm/ ],
    [ 'a page of two metres', { pageHeight => 2000 }, qr/pageHeight: .* at most 1,000 mm/ ],
    [ 'a negative gap', { gapX => -1 }, qr/gapX: cannot be negative/ ],
);
for my $case (@wrong) {
    my ($what, $change, $words) = @$case;
    like(refused($manager->post('/label-sizes', { %own, code => 'C', %$change }), 400, 'invalid_body', $what)->{message},
        $words, 'the refusal says which length is wrong');
}
is($manager->patch('/label-sizes/' . $size->json->{id}, { active => JSON::PP::false },
        headers => { 'If-Match' => $size->header('ETag') })->status, 200, 'a size is deactivated');
refused(labels(\@ids, size => 'TUBES'), 404, 'not_found', 'an inactive size');

# --- ZPL ---------------------------------------------------------------------------------

$got = labels(\@ids, format => 'zpl');
is($got->header('Content-Type'), 'application/octet-stream', 'ZPL is bytes');
like($got->header('Content-Disposition'), qr/\Aattachment; filename="labels\.zpl"/, 'ZPL is saved by the browser');
my $zpl = $got->body;
is_deeply([ $zpl =~ /\^BC[^\^]*\^FH_\^FD>:([^\^]*)\^FS/g ], [ map { $_->{trackingId} } @samples ], 'bars have the codes');
is_deeply([ $zpl =~ /\^BX[^\^]*\^FH_\^FD([^\^]*)\^FS/g ], [ map { $_->{trackingId} } @samples ], 'matrices have the codes');
like($zpl, qr/\^CI28\n\^PW609\n\^LL203\n/, 'without a size the first roll is taken');
like(labels(\@ids, format => 'zpl', size => 'ROLL-102X51')->body, qr/\^PW812\n\^LL406\n/, 'a size is taken that is asked for');
my $hostile = $lab->sample(clientName => "^XZ~JA^XA^FDmine^FS\x{202E}_5E");
$zpl = labels([ $hostile->{id} ], format => 'zpl')->body;
is(join(' ', $zpl =~ /([\^~]..)/g), '^XA ^CI ^PW ^LL ^LH ^BY ^FO ^BC ^FH ^FD ^FS ^FO ^BX ^FH ^FD ^FS'
        . ' ^FO ^A0 ^FH ^FD ^FS' x 3 . ' ^XZ', 'a name that is ZPL is printed, not obeyed') or diag($zpl);
is(labels([ $hostile->{id} ])->status, 200, 'a name that is ZPL is printed on a PDF');

# --- Who, and how much -------------------------------------------------------------------

my $other  = $lims->organization(code => 'other');
my $theirs = LIMS::Service::Person->new($lims, organization => $other);
refused($theirs->get("/labels?ids=$ids[0]"), 404, 'not_found', "another organization's sample");
refused($theirs->get("/labels?ids=$reagent&of=reagent-lot"), 404, 'not_found', "another organization's lot");
my $foreign = $lims->insert('storage_location', { code => 'THEIRS', name => 'Theirs' }, $other);
like(refused(labels([ $shelf, $foreign ], of => 'storage-location'), 404, 'not_found', 'one of ours and one of theirs')->{message},
    qr/no storage location $foreign in your organization/, 'the refusal names the one that is not ours');
refused($theirs->get("/labels?ids=$foreign&of=storage-location&size=TUBES"), 404, 'not_found', "another organization's size");
is($lims->app_db($other->{id})->selectrow_array('SELECT count(*) FROM lims.label'), 1,
    'row-level security hides what labels say of another organization');
refused(labels([999_999]), 404, 'not_found', 'a sample of nobody');

my $viewer = LIMS::Service::Person->new($lims, roles => ['client_viewer']);
refused($viewer->get("/labels?ids=$ids[0]"), 403, 'permission_required', 'who may not read the laboratory\'s records');
is(LIMS::Service::Person->new($lims, roles => ['auditor'])->get("/labels?ids=$ids[0]")->status, 200, 'who may read them prints');
refused($lims->get("/labels?ids=$ids[0]"), 404, 'not_found', 'API keys have no such route');

refused(labels([ 1 .. 201 ]), 400, 'invalid_query', 'more than 200 records');
refused(labels([]), 400, 'invalid_query', 'no record');
refused(labels([ @ids[ 0, 0 ] ]), 400, 'invalid_query', 'a record twice');
like(refused(labels(\@ids, size => 'A4-21', skip => 21), 400, 'invalid_query', 'as many skipped as a sheet has')->{message},
    qr/a sheet of A4-21 has 21 labels/, 'the refusal says how many labels the sheet has');
refused(labels(\@ids, size => 'NONE'), 404, 'not_found', 'a size that there is not');
my $many = $lab->sample;
is($clerk->post('/samples/receive', { items => [ { sampleId => $many->{id}, containers => 1001 } ] })->status, 200, 'a sample of 1,001 containers');
refused(labels([ $many->{id} ], of => 'container'), 400, 'invalid_query', '1,001 containers have too many labels for one file');
is(labels([ $many->{id} ])->status, 200, 'the sample of 1,001 containers has a label of its own');
my $umlaut = $lab->location(code => "K\x{fc}hlraum", name => 'Cold');
for my $format (qw(pdf zpl)) {
    like(refused(labels([$umlaut], of => 'storage-location', format => $format), 409, 'document_failed',
        "$format: a code that no barcode can have")->{message}, qr/only letters, digits and signs of ASCII/, 'the refusal says which characters a barcode can have');
}
my $long = $lab->location(code => 'X' x 64, name => 'Long');
$manager->post('/label-sizes', { code => 'TINY', name => 'Tiny', map { ("${_}Width" => 30, "${_}Height" => 12) } qw(page label) });
for my $format (qw(pdf zpl)) {
    refused(labels([$long], of => 'storage-location', size => 'TINY', format => $format), 409, 'document_failed',
        "$format: a code that is too long for labels of this size");
    is(labels([$room], of => 'storage-location', size => 'TINY', format => $format)->status, 200, "$format: a short code has room on tiny labels");
}
$lims->allow_log(qr/LIMS0392/);

# --- At the command line -----------------------------------------------------------------

my $told = $lims->ctl('--organization', $lims->fixture->{code}, 'label', 'print', '--ids', $ids[0], '--format', 'zpl');
is($told->{json}{fileName}, 'labels.zpl', 'limsctl prints them too');
like(decode_base64($told->{json}{contentBase64}), qr/\^FD\Q$samples[0]{trackingId}\E\^FS/, 'limsctl prints the same code');

done_testing();
