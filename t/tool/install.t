#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# `make install` puts everything where it belongs, with no more rights than it needs,
# compiles nothing anew, keeps what an administrator changed, and can be undone.
use strict;
use warnings;

use File::Find qw(find);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;

use LIMS::Instance;
use LIMS::Test::Source;

my $dir = tempdir(CLEANUP => 1);

sub make {
    my (@arguments) = @_;
    local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)} = ('', '', '');
    # Whoever installs has not the CFLAGS of whoever compiled.
    local $ENV{CFLAGS} = '-O1';
    return LIMS::Instance::capture('make', '-C', $LIMS::Test::Source::root, @arguments,
        "DESTDIR=$dir", 'OUT=' . ($ENV{LIMS_OUT} || 'build/out'), 'libexecdir=/usr/lib/modules');
}

# { path => mode } of what is there.
sub installed {
    my %mode;
    find({ no_chdir => 1, wanted => sub {
        my $path = $File::Find::name =~ s/\A\Q$dir\E//r;
        $mode{$path} = sprintf '%o', (lstat)[2] & 07777 if length $path && !-d;
    } }, $dir);
    return \%mode;
}

my ($status, $output) = make('install');
is($status, 0, 'make install succeeds') or diag($output);
unlike($output, qr/^(?:cc|ld) /m, 'make install compiles nothing');
my $mode = installed();
my %expected = (
    '/usr/lib/modules/mod_lims.so'        => 644,
    '/usr/sbin/limsctl'                   => 755,
    '/usr/share/man/man8/limsctl.8'       => 644,
    '/etc/mod_lims/limsctl.conf'          => 640,
    (map { ("/usr/share/mod_lims/$_" => 644) } qw(lims.conf lims.load reference.conf alerts.yml
        prometheus.yml roles.sql fail2ban/mod_lims.conf fail2ban/jail.conf
        profiles/thermo-qubit-4.json receivers/README.md)),
    (map { ("/usr/share/doc/mod_lims/$_" => 644) } qw(README.md CHANGES LICENSE MESSAGES.md
        administration.md high-availability.md)),
);
my @pages = map { s{.*build/out/}{/usr/share/mod_lims/}r }
    map { glob "$LIMS::Test::Source::root/build/out/application/$_" } qw(index.html assets/*);
is($mode->{$_}, 644, $_) for @pages;
is($mode->{$_}, $expected{$_}, $_) for sort keys %expected;
my @written = grep { $mode->{$_} !~ /\A[67][45][45]\z|\A640\z/ } sort keys %$mode;
is_deeply(\@written, [], 'no installed file is writable for others');
is(sprintf('%o', (stat "$dir/etc/mod_lims")[2] & 07777), '750',
    'the folder of secrets is closed to others');
ok(-d "$dir/usr/share/mod_lims/www" && !glob("$dir/usr/share/mod_lims/www/*"),
    'the document root is empty');
my $load = do { open my $in, '<', "$dir/usr/share/mod_lims/lims.load" or die; local $/; <$in> };
like($load, qr{\A# Depends: dbd ssl headers alias dir mime rewrite\n.*^LoadModule lims_module /usr/lib/modules/mod_lims\.so$}ms,
    'a2enmod is told where it is and what it needs');
# Whatever the documents of the installed configuration speak of is there.
for my $file (qw(lims.conf prometheus.yml limsctl.conf)) {
    for my $path (text("conf/$file") =~ m{(/usr/share/mod_lims/[\w./-]*\w)}g) {
        ok(-e "$dir$path", "$file: $path is there");
    }
}

my $conf = "$dir/etc/mod_lims/limsctl.conf";
open my $out, '>', $conf or die "$conf: $!\n";
print {$out} "LIMS_DATABASE = mine\n";
close $out;
chmod 0700, "$dir/etc/mod_lims" or die "$dir/etc/mod_lims: $!\n";
($status) = make('install');
is($status, 0, 'installing again succeeds');
is(sprintf('%o', (stat "$dir/etc/mod_lims")[2] & 07777), '700',
    'a folder that the house has closed further stays so');
open my $in, '<', $conf or die "$conf: $!\n";
is(scalar <$in>, "LIMS_DATABASE = mine\n", 'the settings of the house are kept');
close $in;

# On Debian, with the module enabled.
my $apache = LIMS::Instance::capture($ENV{APXS} || 'apxs', '-q', 'SYSCONFDIR') =~ s/\s+\z//r;
make_path(map { "$dir$apache/mods-$_" } qw(available enabled));
make('install');
my $enabled = "$dir$apache/mods-enabled/lims.load";
symlink '../mods-available/lims.load', $enabled or die "$enabled: $!\n";
($status, $output) = make('uninstall');
isnt($status, 0, 'a module that is enabled is not uninstalled: httpd would not start any more');
like($output, qr/a2dismod lims/, 'the refusal says what comes first');
ok(-e $enabled, 'an enabled module is still there');
unlink $enabled;

($status, $output) = make('uninstall');
is($status, 0, 'make uninstall succeeds') or diag($output);
is_deeply([ keys %{ installed() } ], ['/etc/mod_lims/limsctl.conf'],
    'make uninstall leaves the configuration alone');

done_testing();
