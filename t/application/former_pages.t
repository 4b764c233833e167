#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# When new pages are installed, the files of those before stay for a day: a page that
# somebody has open still finds its parts.
use strict;
use warnings;

use File::Path qw(make_path);
use File::Temp qw(tempdir);

use LIMS::Instance;
use LIMS::Test;

my $dir = tempdir(CLEANUP => 1);

sub write_file {
    my ($name, $text) = @_;
    open my $out, '>', "$dir/$name" or die "$name: $!\n";
    print {$out} $text;
    close $out;
    return;
}

# Installs a build whose files are these.
sub place {
    my ($build, @files) = @_;

    make_path("$dir/$build/assets");
    write_file("$build/index.html", "page of $build");
    write_file("$build/assets/$_", $_) for @files;
    LIMS::Instance::run("$LIMS::Instance::root/build/place-pages", "$dir/$build", "$dir/served");
    return;
}

sub served { return join ' ', map { s{.*/}{}r } sort glob "$dir/served/assets/*" }

sub page {
    open my $in, '<', "$dir/served/index.html" or die "index.html: $!\n";
    return do { local $/ = undef; <$in> };
}

sub hours_pass {
    my ($hours) = @_;
    my @files = glob "$dir/served/assets/*";

    utime $_ - 3600 * $hours, $_ - 3600 * $hours, shift @files for map { (stat)[9] } @files;
    return;
}

place('first', qw(app-1.js list-1.js theme-1.css));
is(served(), 'app-1.js list-1.js theme-1.css', 'a first build is installed');
hours_pass(1000);
place('second', qw(app-2.js list-2.js theme-1.css));
is(page(), 'page of second', 'with the next one the page is a new one');
is(served(), 'app-1.js app-2.js list-1.js list-2.js theme-1.css',
    'the files of the build before stay, however old they are');
hours_pass(23);
place('third', qw(app-3.js theme-1.css));
is(served(), 'app-1.js app-2.js app-3.js list-1.js list-2.js theme-1.css',
    'files of former builds stay for a day');
hours_pass(2);
place('third', qw(app-3.js theme-1.css));
is(served(), 'app-2.js app-3.js list-2.js theme-1.css', 'after a day they go, and only they');
hours_pass(25);
place('third', qw(app-3.js theme-1.css));
is(served(), 'app-3.js theme-1.css', 'those of the page that is served stay as long as it is');
done_testing();
