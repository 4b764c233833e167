#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The whole way of a certificate by lims-print itself: issued, printed, kept, downloaded, read
# again in five scripts, verified by anybody; an amended one supersedes it, and a changed
# byte is told.
use strict;
use warnings;
use utf8;

use Digest::SHA qw(sha256_hex);
use Unicode::Normalize qw(NFKC);

use LIMS::Print qw(words);
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Printer;

my $printer = LIMS::Test::Printer->real;
my $lims    = LIMS::Test->new(conf => $printer->conf);
my $lab     = LIMS::Service::Laboratory->new($lims);
my $clerk   = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
my $ann     = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => [ 'qa_officer', 'lab_manager' ]);

my %texts = (
    Latin    => 'Wasserwerk Łódź, façade, Ångström',
    Greek    => 'Θολότητα και αγωγιμότητα του νερού',
    Cyrillic => 'Жёсткость воды и электропроводность',
    Arabic   => 'العينة مأخوذة من الصنبور الثالث',
    Chinese  => '水质检测报告：总硬度与电导率',
);

# The letters of a word in one order, for right-to-left, each form of one letter being the same.
sub letters { return join '', sort split //, NFKC($_[0]) =~ s/[^\p{L}\p{N}\p{M}]//gr }

# The texts of a content by where they stand: { "results[0].unit" => "mg/L" }.
sub texts {
    my ($value, $place) = @_;
    return map { texts($value->{$_}, $place eq '' ? $_ : "$place.$_") } sort keys %$value if ref $value eq 'HASH';
    return map { texts($value->[$_], "${place}[$_]") } 0 .. $#$value if ref $value eq 'ARRAY';
    return !defined $value || ref $value ? () : ([ $place, $value ]);
}

# Members that the document says otherwise or not at all: the times at which results were verified and
# the sample reported stand with the people; who entered a result signs nothing; records'
# numbers and states of quality control are the laboratory's own.
my $unprinted = qr/\.(?:verifiedAt|verifiedBy|reportedAt|enteredBy|contentSha256|member)\z
    |\Acertificate\.replaces\.sha256\z|\Alaboratory\.logo|(?:\.i|I)d\z|\Alayout\.
    |\.qc(?:Batch|Status|Batches)|\AcontentVersion\z/x;

# A text of a content as the document says it: the day of an analysis, other times to the
# minute, what people did with a capital.
sub printed {
    my ($place, $text) = @_;
    return '' if $place =~ $unprinted;
    return { true => 'yes', false => 'no' }->{$text} // $text =~ s/T(\d\d:\d\d).*/ $1/r if $place =~ /\.(?:old|new)\z/;
    return $text =~ s/T.*//r if $place =~ /\.analyzedAt\z/;
    return $text =~ s/T(\d\d:\d\d).*/ $1/r if $place =~ /(?:\.a|A)t\z/;
    return $place =~ /\Apeople.*\.meaning\z|\.status\z/ ? ucfirst $text : $text;
}

# The places whose texts do not all stand in the document, signs and all: word by word, since
# a cell breaks its lines.
sub unread {
    my ($content, $pdf) = @_;
    my $read = NFKC(words($pdf)) =~ s/\s+//gr;
    my %read = map { letters($_) => 1 } split ' ', words($pdf);
    my @unread;

    for my $text (texts($content, '')) {
        for my $word (split ' ', NFKC(printed(@$text))) {
            next if index($read, $word) >= 0 || ($word =~ /\p{Arabic}/ && $read{ letters($word) });
            push @unread, "$text->[0]: $word";
        }
    }
    return @unread;
}

sub downloaded { return $clerk->get("/certificates/$_[0]{id}.pdf")->body }

# Returns the status that the public page tells of a code, and whether a file is the document.
sub told {
    my ($code, $bytes) = @_;
    my $answer = LIMS::Service::Person->new($lims)->get("/verifications?code=$code&sha256=" . sha256_hex($bytes),
        cookie => undef, session => undef)->json;
    return "$answer->{status} " . ($answer->{fileMatches} ? 'the file' : 'another file');
}

# --- In five scripts ----------------------------------------------------------------------

my %issued;
for my $script (sort keys %texts) {
    my $sample = $printer->reported($lab, clientName => $texts{$script}, plantLocation => $texts{$script});
    my $certificate = $issued{$script} = $printer->issue_of($lab, $sample);

    is($printer->settled($lab, $certificate, 60)->{state}, 'made', "the document is made: $script");
    my $pdf     = downloaded($certificate);
    my $content = $clerk->get("/certificates/$certificate->{id}/content")->json;
    is_deeply([ unread($content, $pdf) ], [], "every text of the certificate's content is read again: $script");
    is($printer->events($lab, $certificate), 1, "coa.generated is written once: $script");
}

# --- Texts that hide something ----------------------------------------------------------

my $hiding = $printer->issue_of($lab, $printer->reported($lab, clientName => "Works \x{202E}fdp.exe",
    plantLocation => "a\x{200B}b", notes => "line\nline"));
is($printer->settled($lab, $hiding, 60)->{state}, 'made', 'a document is made of names that hide something');
like(words(downloaded($hiding)) =~ s/\s+//gr, qr/Works\[U\+202E\]fdp\.exe.*a\[U\+200B\]b/s,
    'characters that turn or hide a text stand there as their numbers');

# --- Verified, superseded, tampered with --------------------------------------------------

my $first = $issued{Latin};
my $code  = $lims->get("/certificates/$first->{id}")->json->{verificationCode};
my $pdf   = downloaded($first);
my $other = $pdf;
substr $other, length($other) / 2, 1, chr(ord(substr $other, length($other) / 2, 1) ^ 1);
like(words($pdf) =~ s/[\s-]+//gr, qr/\Q$code\E/, 'the code is printed on the certificate');
is(told($code, $pdf), 'valid the file', 'the document that was downloaded is verified');
is(told($code, $other), 'valid another file', 'one with a changed byte is told');
is(told($code, downloaded($issued{Greek})), 'valid another file', 'that of another certificate is told');

my $sample = $first->{sampleId};
my $draft  = $clerk->get("/samples/$sample/certificate-preview.pdf")->body;
is(told($code, $draft), 'valid another file', 'a draft is told');
$ann->done('sample amend', $sample, reason => 'the place was another');
$ann->done('sample update', $sample, plantLocation => 'Wasserwerk Gdańsk');
{
    local $ENV{LIMS_APPLICATION} = 'https://lims.example/app';
    $ann->done('certificate issue', sampleId => $sample);
}
my $second = { id => $lab->value('SELECT max(id) FROM lims.certificate'), sampleId => $sample };
is($printer->settled($lab, $second, 60)->{state}, 'made', 'the next version is made');
is(told($code, $pdf), 'superseded the file', 'the former one is superseded, and still the same file');
my $next = $lims->get("/certificates/$second->{id}")->json->{verificationCode};
is(told($next, downloaded($second)), 'valid the file', 'the next one is valid');
is($clerk->get("/certificates/$second->{id}/content")->json->{verification}{url},
    "https://lims.example/app/verification/$next", 'limsctl prints the address at which it is verified');
is(told($next, $pdf), 'valid another file', 'the former file is not that of the next version');
is(downloaded($first), $pdf, 'the bytes of the former version are what they were');
my @said = words(downloaded($second)) =~ /(the place was another|Wasserwerk Gdańsk)/g;
cmp_ok(scalar @said, '>=', 2, 'the next version says what changed, and why');

# --- All that a certificate can say --------------------------------------------------------

my $admin = LIMS::Service::CommandLine->new($lims, 'Al Fox', roles => ['administrator']);
my $bo    = LIMS::Service::CommandLine->new($lims, 'Bo Hart', roles => ['analyst']);
$admin->done('organization update', timeZone => 'America/Denver', address => "12 Mill Road\nBoulder",
    accreditation => 'ISO/IEC 17025, 4711.01', reason => 'letterhead');
my $material = $lab->material;
my $lead     = $lab->definition(code => 'PB', name => 'Lead', unit => 'ug/L', method => 'EPA 200.8', accredited => 1,
    uncertainty => '± 0.2 ug/L (k = 2)', reporting_limit => 2, method_detection_limit => 0.25);
my $copper = $lab->definition(code => 'CU', name => 'Copper', method => 'EPA 200.7');
$ann->done('specification create', testDefinitionId => $lead, materialTypeId => $material, high => 15,
    decisionRule => 'Guard band of 0.5.');
$lab->approval_steps('Technical review');

# Reopens, enters, verifies and approves the results of a sample, until it may be reported.
sub verified_again {
    my ($full, %notes) = @_;
    for my $test (@{ $lims->get("/samples/$full->{id}")->json->{tests} }) {
        my $own = $notes{ $test->{testCode} };
        $ann->done('sample-test reopen', $test->{id}, reason => 'again') if $test->{status} eq 'verified';
        $bo->done('sample-test enter', $test->{id}, %$own, reason => 'as read');
        $ann->done('sample-test verify', $test->{id});
    }
    $lab->status($full, 'completed') if $lims->get("/samples/$full->{id}")->json->{status} ne 'reported';
    my ($pending) = grep { $_->{status} eq 'pending' } @{ $lims->get("/samples/$full->{id}/approvals")->json->{data} };
    return $ann->done('approval decide', $pending->{id}, status => 'approved');
}

sub full_certificate {
    my ($full) = @_;
    local $ENV{LIMS_APPLICATION} = 'https://lims.example/app';
    my $made = $ann->done('certificate issue', sampleId => $full->{id});
    is($printer->settled($lab, $made, 60)->{state}, 'made', 'the document of a full certificate is made');
    return ($clerk->get("/certificates/$made->{id}/content")->json, downloaded($made));
}

my $made = $lab->_ask('POST', '/orders', { orderNumber => 'PO-17', contact => 'Kim',
    clientId => $lab->client(code => 'RB', name => 'City of Riverbend', address => '1 Main Street', contact_name => 'Ida Poe'),
    samples => [ { materialTypeId => $material, plantLocation => 'Well 4', externalId => 'ERP-99',
            projectId => $lab->project(name => 'Spring survey'), notes => 'taken in rain',
            collectedAt => '2026-01-05T06:30:00Z', testDefinitionIds => [ $lead, $copper ] } ] }, 201);
my ($full) = @{ $made->{samples} };
$lab->_ask('PATCH', "/samples/$full->{id}", { noteOnReport => JSON::PP::true() }, 200);
$lab->_ask('POST', '/samples/receive', { items => [ { sampleId => $full->{id}, containers => 2,
    deviations => 'lid loose' } ], receipt => { temperature => 4.5, condition => 'warm' } }, 200);
verified_again($full, PB => { result => '0.5', qualifier => 'J', notes => 'spiked twice', analyzedAt => '2026-01-06T05:00:00Z' },
    CU => { result => '1.20', notes => 'turbid', noteOnReport => 'true' });
$lab->_ask('POST', "/samples/$full->{id}/report", undef, 200);
my ($content, $bytes) = full_certificate($full);
is_deeply([ unread($content, $bytes) ], [], 'every text of a full certificate is read again');
cmp_ok(scalar texts($content, ''), '>', 60, 'a full certificate has many texts');
unlike(words($bytes), qr/spiked/, 'an internal note is not printed');

$ann->done('sample amend', $full->{id}, reason => 'another well');
$ann->done('sample update', $full->{id}, plantLocation => 'Well 5', notes => 'taken in sunshine',
    collectedAt => '2026-01-05T07:30:00Z');
verified_again($full, PB => { result => '16.4', qualifier => undef, notes => 'spiked thrice' },
    CU => { result => '1.20', notes => 'clear', noteOnReport => 'true' });
($content, $bytes) = full_certificate($full);
is_deeply([ unread($content, $bytes) ], [], 'every text of a full amended certificate is read again');
unlike(words($bytes), qr/spiked/, 'an internal note that an amendment changed is not printed');
like(words($bytes), qr/$_/, "the amended certificate says: $_")
    for 'Result of Lead \(PB\)\s+0\.5\s+16\.4', 'Remark of Copper \(CU\)\s+turbid\s+clear', 'Out of specification of Lead \(PB\)\s+no\s+yes',
    'Remark\s+taken in rain\s+taken in sunshine', 'Plant location\s+Well 4\s+Well 5';

done_testing();
