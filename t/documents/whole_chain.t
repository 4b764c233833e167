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

# A text of a content as the document says it: a time to the minute, a meaning with a capital.
# The times at which results were verified and the sample reported stand with the people.
sub printed {
    my ($place, $text) = @_;
    return '' if $place =~ /\.(?:verifiedAt|reportedAt)\z/;
    return $text =~ s/T(\d\d:\d\d).*/ $1/r if $place =~ /(?:\.a|A)t\z/;
    return $place =~ /\.meaning\z/ ? ucfirst $text : $text;
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

done_testing();
