#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every character of a certificate is found again in its text, in five scripts and more,
# and what hides in a text stands there as its number.
use strict;
use warnings;
use utf8;

use Test::More;
use Unicode::Normalize qw(NFKC);

use LIMS::Print;

my %texts = (
    Latin      => 'Grüße an Łódź, Çeşme, façade, Ångström, naïve, fi fl ffi, Đorđe, ß, œ',
    Greek      => 'Θολότητα και αγωγιμότητα του νερού, Ἀθῆναι, ΑΒΓΔ ψω',
    Cyrillic   => 'Жёсткость воды и электропроводность, Українська їжак ґанок, ЪЫЬ',
    Arabic     => 'العينة مأخوذة من الصنبور الثالث بعد تشغيل المياه لمدة خمس دقائق',
    Chinese    => '水质检测报告：总硬度与电导率符合标准，铅未检出',
    Japanese   => '水質検査の結果、カルシウムと硬度は基準内です',
    Korean     => '수질 검사 결과 기준에 적합합니다',
    Hebrew     => 'דגימת מים מהברז השלישי במזרח העיר',
    Devanagari => 'जल की गुणवत्ता परीक्षण',
    Thai       => 'ผลการทดสอบคุณภาพน้ำ',
    symbols    => 'µg/L · CaCO₃ · ±8 % · ≤ 10⁻³ · °C · Ω · →',
);
# Marks that are stacked come in another order.
my %loose = map { $_ => 1 } qw(Devanagari Thai);

# The characters of a text, signs and all, each form of one letter being the same.
sub characters {
    my ($text) = @_;
    return NFKC($text) =~ s/[\s\p{Cf}]//gr;
}

sub counted {
    my ($text) = @_;
    return join '', sort split //, characters($text);
}

for my $script (sort keys %texts) {
    my $text = $texts{$script};
    my ($pdf, $refusal) = made({ kind => 'report', title => '', blocks => [ { type => 'paragraph', text => $text } ] });
    ok(defined $pdf, "a text is set: $script") or diag($refusal);
    my $found = words($pdf) =~ s/Page 1 of 1//r;
    # As one word: spaces are a matter of how a reader sees lines.
    if ($loose{$script}) {
        is(counted($found), counted($text), "all characters are found again: $script");
    }
    else {
        is(characters($found), characters($text), "the text is found again, character by character: $script");
    }
    unlike(command('pdffonts', written($pdf)), qr/\bno  ?(?:yes|no) +(?:yes|no) +\d+ +\d+$/m,
        "every font is embedded: $script");
}

# The same in all places of a certificate at once.
for my $script (qw(Latin Greek Cyrillic Arabic Chinese)) {
    my $text = $texts{$script};
    my $word = (split / /, $text)[0];
    my ($pdf) = made({ kind => 'certificate', content => content(
        results => [ result(testName => $text, unit => undef, method => $word) ],
        client  => { name => $word, address => $text },
        people  => [ { printedName => $word, meaning => 'verified', at => '2026-11-25T15:00:09Z', about => $text } ],
        statements => [$text]) });
    my $found = NFKC(words($pdf)) =~ s/\s|\P{Print}//gr;
    my $want  = quotemeta(NFKC($word) =~ s/\s//gr);
    cmp_ok(scalar(() = $found =~ /$want/g), '>=', 6, "names, units, people and statements: $script")
        or diag($found);
}

# --- Han characters by the language

my $han = sub {
    my ($text, $language) = @_;
    my ($pdf) = made({ kind => 'certificate', content => content(layout => { language => $language },
            statements => [$text]) });
    return join ' ', command('pdffonts', written($pdf)) =~ /NotoSansCJK(\w+)/g;
};
like($han->('直角', 'en'),      qr/\Asc/, 'Han characters are simplified');
like($han->('直角', 'zh-TW'),   qr/\Atc/, 'Han characters are traditional where the layout says so');
like($han->('直角の値', 'en'),  qr/\Ajp/, 'Han characters are Japanese beside kana');
like($han->('直角 결과', 'en'), qr/\Akr/, 'Han characters are Korean beside hangul');

# --- What hides

my %hidden = (
    "safe\x{202E}fdp.exe"      => 'safe[U+202E]fdp.exe',
    "a\x{200B}b\x{FEFF}c"      => 'a[U+200B]b[U+FEFF]c',
    "x\x{07}\x{1B}[31my"       => 'x[U+0007][U+001B][31my',
    "p\x{2066}q\x{2069}r"      => 'p[U+2066]q[U+2069]r',
    "soft\x{AD}hyphen"         => 'soft[U+00AD]hyphen',
    "tag\x{E0041}\x{FFFE}"     => 'tag[U+E0041][U+FFFE]',
    "l\x{200E}m"               => 'l[U+200E]m',
    'z' . "\x{0301}" x 10      => '[U+0301][U+0301]',
);
for my $text (sort keys %hidden) {
    my ($pdf) = made({ kind => 'certificate', content => content(client => { name => $text }) });
    my $found = words($pdf) =~ s/\s+//gr;
    ok(index($found, $hidden{$text}) >= 0, "it is seen: $hidden{$text}") or diag($found);
}
# In Persian the joiner is spelling.
my ($persian) = made({ kind => 'report', title => '', blocks => [ { type => 'paragraph', text => "می\x{200C}شود" } ] });
unlike(words($persian), qr/U\+200C/, 'a joiner within a word that needs it is none of these');

done_testing();
