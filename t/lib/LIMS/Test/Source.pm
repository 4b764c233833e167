# SPDX-License-Identifier: Apache-2.0
package LIMS::Test::Source;

=head1 NAME

LIMS::Test::Source - the source files, for the guards that look at them

=head1 DESCRIPTION

    files(qr/\.[ch]\z/)     paths below the root, of what is not generated
    text($path)             the contents
    code($path)             of a C file: comments blanked, lines kept
    bare($path)             the same with the contents of strings blanked too
    comments($path)         of a C file: all but comments blanked, lines kept

A guard whose sources are not where it looks for them would pass for ever, so
C<files> dies when it finds none.

=cut

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Find qw(find);

our @EXPORT = qw(files text code bare comments);
our $root   = abs_path(dirname(__FILE__) . '/../../../..');

sub files {
    my ($pattern, @below) = @_;
    my @found;

    @below = qw(mod_lims.c modules sql conf t build Makefile .ci) unless @below;
    my @there = grep { -e } map { "$root/$_" } @below;
    find({ no_chdir => 1, wanted => sub {
                # Folders of built, installed or recorded files have no sources.
                if (-d && m{/build/(?:apr|bench-out|out|clients|asan|tsan|valgrind|fuzz|run|test)\z|/t/fuzz/corpus\z|/node_modules\z}) {
                    $File::Find::prune = 1;
                }
                elsif (-f && $_ =~ $pattern) {
                    push @found, substr $_, length("$root/");
                }
            } }, @there) if @there;
    die "no sources match $pattern below @below\n" unless @found;
    return sort @found;
}

sub text {
    my ($path) = @_;
    open my $in, '<:raw', "$root/$path" or die "$path: $!\n";
    local $/ = undef;
    my $text = <$in>;
    return defined $text ? $text : '';
}

my $string    = qr/"(?:[^"\\\n]|\\.)*"/s;
my $character = qr/'(?:[^'\\\n]|\\.)+'/s;
my $comment   = qr{/\*.*?\*/|//[^\n]*}s;

sub code {
    my ($path) = @_;
    my $text = text($path);

    $text =~ s{($string|$character)|$comment}{defined $1 ? $1 : _blank($&)}ge;
    return $text;
}

sub bare {
    my ($path) = @_;
    my $text = text($path);

    $text =~ s{($string)|($character)|$comment}
        {defined $1 || defined $2 ? _hollow($&) : _blank($&)}ge;
    return $text;
}

sub comments {
    my ($path) = @_;
    my $text = text($path);

    $text =~ s{($comment)|$string|$character|.}{defined $1 ? $1 : _blank($&)}gse;
    return $text;
}

sub _blank {
    my ($text) = @_;
    $text =~ s/[^\n]/ /g;
    return $text;
}

sub _hollow {
    my ($text) = @_;
    my $quote = substr $text, 0, 1;
    return $quote . _blank(substr $text, 1, -1) . $quote;
}

1;
