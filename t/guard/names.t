#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# One name, one thing. Two types of one name in two headers compile for as long as
# no file includes both; two files of one name cannot be told apart in a backtrace,
# a log line or an editor's list; and a function without the prefix collides one
# day with a library's. A pointer is tested in one way only, `p` or `!p`, as in httpd
# and APR.
use strict;
use warnings;

use File::Basename qw(basename);
use File::Spec;
use Test::More;

use LIMS::Test::Source;

my $out     = File::Spec->rel2abs($ENV{LIMS_OUT} // 'build/out', $LIMS::Test::Source::root);
my @sources = files(qr/\.[ch]\z/, 'mod_lims.c', 'modules');
my @headers = grep { /\.h\z/ } @sources;

# The places of each name that has several, as lines for a person.
sub repeated {
    my ($places) = @_;
    return map { "$_: @{ $places->{$_} }\n" } grep { @{ $places->{$_} } > 1 } sort keys %$places;
}

# --- Files

my %files;
push @{ $files{ basename($_) } }, $_ for files(qr/\.(?:[ch]|sql)\z/, 'modules');
cmp_ok(scalar keys %files, '>', 200, 'files are recognised');
my @twice = repeated(\%files);
ok(!@twice, 'no file name stands twice below modules/') or diag(@twice);

# --- What headers declare

# The declarations of a header, without macros, attributes and what braces hold.
sub declarations {
    my ($code) = @_;
    $code =~ s/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*//gm;
    1 while $code =~ s/\{[^{}]*\}/\x01/g;
    $code =~ s/\x01/{}/g;
    $code =~ s/__attribute__\s*\(\([^()]*(?:\([^()]*\))?[^()]*\)\)//g;
    $code =~ s/\)\s*\{\}/);/g;
    return map { s/\A\s+|\s+\z//gr } split /;/, $code;
}

my $parameters = qr/\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/;
my (%types, %functions, %unprefixed);
for my $path (@headers) {
    for my $declaration (declarations(bare($path))) {
        my ($name);
        if ($declaration =~ /\Atypedef\b(.*)\z/s) {
            my $text = $1;
            next if $text =~ /\A\s*(?:struct|enum|union)\s+(\w+)\s+\1\z/;    # names it ahead
            ($name) = $text =~ /\(\s*\*?\s*(\w+)\s*\)\s*$parameters\z/;
            ($name) = $text =~ /(\w+)\s*(?:\[[^\]]*\]|$parameters)?\z/ unless $name;
            push @{ $types{$name} }, $path;
        }
        elsif ($declaration =~ /\A(?:struct|enum|union)\s+(\w+)\s*\{/) {
            push @{ $types{$1} }, $path;
        }
        elsif ($declaration =~ /\A[\w\s*]*?(\w+)\s*$parameters\z/ && $1 ne 'APR_RING_HEAD') {
            push @{ $functions{$1} }, $path;
        }
    }
    for my $enumeration (bare($path) =~ /\benum\s*(?:\w+\s*)?\{([^}]*)\}/g) {
        /\A\s*(\w+)/ and $1 !~ /\ALIMS_/ and push @{ $unprefixed{$1} }, $path
            for split /,/, $enumeration;
    }
    /\ALIMS_|\Alims_/ or push @{ $unprefixed{$_} }, $path
        for bare($path) =~ /^[ \t]*#[ \t]*define[ \t]+(\w+)/gm;
}
cmp_ok(scalar keys %types,     '>', 150, 'types are recognised');
cmp_ok(scalar keys %functions, '>', 400, 'functions are recognised');

@twice = (repeated(\%types), repeated(\%functions));
ok(!@twice, 'no type and no function is declared in two headers') or diag(@twice);

push @{ $unprefixed{$_} }, @{ $types{$_} || $functions{$_} }
    for grep { !/\Alims_/ } keys %types, keys %functions;
ok(!%unprefixed, 'what a header declares begins with lims_ or LIMS_')
    or diag(map { "$_: @{ $unprefixed{$_} }\n" } sort keys %unprefixed);

# A type of one file has no prefix, so that it is not taken for a header's.
my %own;
for my $path (grep { !/\.h\z/ } @sources) {
    /\Atypedef\b.*\b(lims_\w+)\z/s and push @{ $own{$path} }, $1 for declarations(bare($path));
}
ok(!%own, 'a type of one file alone has no prefix')
    or diag(map { "$_: @{ $own{$_} }\n" } sort keys %own);

# --- What the objects define

my %object = map { $_ => "$out/" . s/\.c\z/.o/r } grep { /\.c\z/ } @sources;
my @objects = grep { -e } values %object;
my (%defined, @foreign);
open my $nm, '-|', 'nm', '-A', '--extern-only', '--defined-only', @objects or die "nm: $!\n";
while (<$nm>) {
    my ($object, $name) = /\A(.*?):.*\s(\S+)\s*\z/;
    next if $name =~ /\A__/;    # a sanitizer's
    next if $name =~ /\Adeflate(?:Init_|End)?\z/ && $object =~ /compression\.o\z/;    # stands in front of zlib's
    push @{ $defined{$name} }, $object unless $name eq 'main';    # each program has one
    push @foreign, "$object: $name\n" unless $name =~ /\Alims_/ || $name eq 'main';
}
close $nm or die "nm failed\n";
is(join(' ', grep { !-e $object{$_} } sort keys %object), '', 'every source has an object');
ok(!@foreign, 'every function and table that leaves its file begins with lims_') or diag(@foreign);
@twice = repeated(\%defined);
ok(!@twice, 'none is defined twice, not even in programs that are linked apart') or diag(@twice);

# --- NULL

my @compared;
for my $path (@sources, files(qr/\.[ch]\z/, 't', 'build')) {
    my $line = 0;
    for my $text (split /\n/, bare($path), -1) {
        $line++;
        push @compared, "$path:$line\n" if $text =~ /[!=]=\s*NULL\b|\bNULL\s*[!=]=/;
    }
}
ok(!@compared, 'no pointer is compared with NULL: p, or !p') or diag(@compared);

done_testing();
