#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Dependencies lead in one direction. A folder depends on no folder that depends on it,
# also by way of others; nor does a folder of the pages import one that imports it. Files
# may depend on each other in twos and threes, as the halves of a thing that is too long
# for one file. Other circles are exceptions that stand here with their reasons.
#
# A file is a .c and the .h of its name together. It depends on what it includes, and
# on the file that defines an exported function or table that it uses: a header that
# several files implement hides the second from the first.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Source;

# Circles of more than three files, [reason, files below modules/...] each: none.
my @exceptions = ();
# Circles of folders: [reason, folders...] each.
my @folder_exceptions = (
    [ 'discovery lists the resources, and is one of them', qw(identity resources) ],
);

my @sources = files(qr/\.[ch]\z/, 'mod_lims.c', 'modules');
my %is_source = map { $_ => 1 } @sources;

# "kernel/json" of "modules/kernel/json.h".
sub unit {
    my ($path) = @_;
    return $path =~ s{\Amodules/}{}r =~ s{\.[ch]\z}{}r;
}

# "kernel" of "kernel/json"; what stands in no folder stands for itself.
sub folder {
    my ($unit) = @_;
    return $unit =~ m{\A(\w+)/} ? $1 : $unit;
}

# --- What depends on what: { from => { to => 1 } } ----------------------------------

my (%includes, %folders, %uses);
for my $path (@sources) {
    for my $included (code($path) =~ /^\s*\#\s*include\s*"([^"]+)"/mg) {
        my ($from, $to) = (unit($path), unit("modules/$included"));
        next if !$is_source{"modules/$included"} || $from eq $to;
        $includes{$from}{$to} = 1;
        $folders{ folder($from) }{ folder($to) } = 1 if folder($from) ne folder($to);
    }
}

# The file of each exported function, and of each table.
my %defined_in;
for my $path (grep { /\.c\z/ } @sources) {
    my $text = bare($path);
    $defined_in{$1} = unit($path)
        while $text =~ /^(?!static\b|typedef\b)[A-Za-z][\w \t*]*?\b(lims_\w+)\s*\([^;{}]*\)\s*\{/mg;
    $defined_in{$1} = unit($path)
        while $text =~ /^(?!static\b|typedef\b)[A-Za-z][\w \t*]*?\b(lims_\w+)(?:\[[^\]]*\])*\s*=/mg;
}
for my $path (grep { /\.c\z/ } @sources) {
    for my $name (bare($path) =~ /\b(lims_\w+)\b/g) {
        my $definer = $defined_in{$name};
        $uses{ unit($path) }{$definer} = 1 if $definer && $definer ne unit($path);
    }
}
for my $from (keys %uses) {
    $folders{ folder($from) }{ folder($_) } = 1 for grep { folder($_) ne folder($from) } keys %{ $uses{$from} };
}

cmp_ok(scalar keys %folders, '>', 20, 'folders are recognised');
cmp_ok(scalar keys %includes, '>', 200, 'includes are recognised');
cmp_ok(scalar keys %defined_in, '>', 600, 'exported functions and tables are recognised');
cmp_ok(scalar keys %uses, '>', 150, 'uses of exported functions and tables are recognised');

# "pages/samples" of "pages/samples/list.tsx"; what stands in no folder stands for itself.
sub folder_of_pages {
    my ($path) = @_;
    return $path =~ m{\A((?:pages/)?[\w-]+)/} ? $1 : $path;
}

# The file of the pages that an import names, "grid/acts.ts" of "./acts.ts" in grid/desk.ts.
my $web = 'modules/application/web';
sub imported {
    my ($from, $name) = @_;
    my @to;
    $_ eq '..' ? pop @to : $_ ne '.' && push @to, $_
        for split(m{/}, $from =~ s{/?[^/]+\z}{}r), split m{/}, $name;
    return join '/', @to;
}

# "grid/desk.ts" => { "grid/acts.ts" => 1 } of the pages. Of files only values count, for types
# are gone when a page runs; of folders types count as well.
my (%imports, %folders_of_pages);
for my $from (map { s{\A$web/}{}r } files(qr/\.tsx?\z/, $web)) {
    my $text = text("$web/$from");
    while ($text =~ /^(?:import|export)\s(type\b)?[^;]*?\bfrom\s'(\.[^']+)'|\bimport\('(\.[^']+)'\)/mg) {
        my ($type, $to, $later) = ($1, imported($from, $2 // $3), $3);
        my @folders = map { folder_of_pages($_) } $from, $to;
        $imports{$from}{$to} = 1 if !$type && !$later && $from ne $to;
        $folders_of_pages{ $folders[0] }{ $folders[1] } = 1 if $folders[0] ne $folders[1];
    }
}
cmp_ok(scalar keys %folders_of_pages, '>', 30, 'folders of the pages are recognised');
cmp_ok(scalar keys %imports, '>', 200, 'imports of the pages are recognised');
is(join("\n", grep { !-e "$LIMS::Test::Source::root/$web/$_" } map { keys %$_ } values %imports), '',
    'imports of the pages lead to files');

# --- Circles -----------------------------------------------------------------------

# The strongly connected components of more than one member, each sorted (Tarjan 1972).
sub circles {
    my ($graph) = @_;
    my (%index, %lowest, %on_stack, @stack, @circles);
    my $visit;
    $visit = sub {
        my ($at) = @_;
        $index{$at} = $lowest{$at} = scalar keys %index;
        push @stack, $at;
        $on_stack{$at} = 1;
        for my $to (sort keys %{ $graph->{$at} || {} }) {
            $visit->($to) if !exists $index{$to};
            $lowest{$at} = $lowest{$to} if $on_stack{$to} && $lowest{$to} < $lowest{$at};
        }
        return if $lowest{$at} != $index{$at};
        my @members;
        do {
            push @members, pop @stack;
            delete $on_stack{ $members[-1] };
        } until $members[-1] eq $at;
        push @circles, [ sort @members ] if @members > 1;
    };
    $visit->($_) for grep { !exists $index{$_} } sort keys %$graph;
    return @circles;
}

# The arrows inside a circle, to see which of them is the wrong one.
sub drawing {
    my ($graph, @members) = @_;
    my %is_member = map { $_ => 1 } @members;
    return map {
        my $from = $_;
        map { "  $from -> $_\n" } grep { $is_member{$_} } sort keys %{ $graph->{$from} };
    } @members;
}

my %allowed = map { my ($reason, @members) = @$_; "@{[ sort @members ]}" => $reason }
    @exceptions, @folder_exceptions;
my %met;
for my $graph ([ 'folder', \%folders ], [ 'folder of the pages', \%folders_of_pages ]) {
    my ($what, $arrows) = @$graph;
    my @all = circles($arrows);
    $met{"@$_"} = 1 for @all;
    my @circles = grep { !$allowed{"@$_"} } @all;
    ok(!@circles, "no $what depends on one that depends on it, but for the exceptions")
        or diag(map { ("@$_\n", drawing($arrows, @$_)) } @circles);
}

for my $graph ([ 'include', \%includes ], [ 'use', \%uses ], [ 'import', \%imports ]) {
    my ($how, $arrows) = @$graph;
    my @large = grep { @$_ > 3 } circles($arrows);

    $met{"@$_"} = 1 for @large;
    my @unknown = grep { !$allowed{"@$_"} } @large;
    ok(!@unknown, "no circle of more than three files by $how, but for the exceptions")
        or diag(map { ("@$_\n", drawing($arrows, @$_)) } @unknown);
}

my @gone = grep { !$met{$_} } sort keys %allowed;
ok(!@gone, 'every exception is there') or diag(map { "no such circle: $_\n" } @gone);

done_testing();
