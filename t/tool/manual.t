#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Help and manual page come from the tables: every command is in both, with all
# its options, each once.
use strict;
use warnings;

use LIMS::Test::Tool;

my $tool     = LIMS::Test::Tool->new(empty => 1);
my $overview = $tool->run('--help');
is($overview->{exit}, 0, 'limsctl --help succeeds');
my ($list)   = $overview->{out} =~ /^Commands:\n((?:  .*\n)+)/m;
my @commands = $list =~ /^  (\w\S*(?: \S+)?)  /mg;
cmp_ok(@commands, '>', 40, 'the manual page lists the commands');
is(scalar @commands, scalar(() = $list =~ /\n/g), 'each command has a line of its own');

my $manual = $tool->run('man')->{out};
like($manual, qr/^\.TH LIMSCTL 8 /m, 'the manual page');
(my $plain = $manual) =~ s/\\f[BIR]|\\:|\\(?=-)//g;

my %global = map { $_ => 1 } qw(database organization user reason password-file json help version);
my (@unhelped, @twice, @unnamed, @undocumented, @hidden);
for my $command (@commands) {
    my $help = $tool->run(split(' ', $command), '--help');
    push @unhelped, $command if $help->{exit} || $help->{out} !~ /\Alimsctl \Q$command\E\b/;
    my ($options) = $help->{out} =~ /^Options:\n(.*?)^Options of every/ms;
    my @options = ($options // '') =~ /^  --(\S+)/mg;
    my %seen;
    push @twice, map { "$command --$_" } grep { $seen{$_}++ } @options;
    push @hidden, map { "$command --$_" } grep { $global{$_} && $_ ne 'password-file' } @options;
    push @undocumented, map { "$command --$_" }
        grep { $options !~ /^  --\Q$_\E .*\n {8}\S/m } @options;
    my ($section) = $plain =~ /^limsctl \Q$command\E(?: \[?ID\]?)?\n(.*?)(?=^limsctl |^\.S)/ms;
    push @unnamed, $command if !defined $section;
    push @unnamed, map { "$command --$_" }
        grep { defined $section && $section !~ /^--\Q$_\E\b/m } @options;
}
is_deeply(\@unhelped,     [], 'every command has help');
is_deeply(\@twice,        [], 'no command has an option twice');
is_deeply(\@hidden,       [], 'no command hides an option of every command');
is_deeply(\@undocumented, [], 'every option says what it is');
is_deeply(\@unnamed,      [], 'the manual page has all commands and options');

# A word may be longer than a line.
my @wide = grep { length > 79 && /\S +\S/ }
    map { split /\n/, $tool->run(split(' ', $_), '--help')->{out} =~ s/^  --.*//mgr } @commands;
is_deeply(\@wide, [], 'help fits into 79 columns');

like($tool->run('--version')->{out}, qr/\Alimsctl \d+\.\d+\.\d+\n\z/,
    'limsctl --version says the version');
is($tool->run(qw(openapi))->{json}{openapi}, '3.1.0', 'limsctl openapi prints the document');
is($tool->run('openapi', '--server', 'https://lims.example')->{json}{servers}[0]{url},
    'https://lims.example', 'openapi takes the URL of the server');

SKIP: {
    skip 'groff is not here', 1 if system 'command -v groff >/dev/null';
    my $file = $tool->secret($manual);
    is(qx{groff -man -ww -Tutf8 $file 2>&1 >/dev/null}, '', 'groff has no complaint');
}

done_testing();
