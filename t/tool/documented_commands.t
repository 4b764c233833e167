#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The commands in the documents: every limsctl in them exists with its options, and the
# README's own (but for those of the five minutes) work as they stand, one after the other.
use strict;
use warnings;

use File::Path qw(make_path);
use LIMS::Instance;
use LIMS::Test::Source;
use LIMS::Test::Tool;

my $tool = LIMS::Test::Tool->new;
my $help = $tool->run('--help')->{out};
my ($list) = $help =~ /^Commands:\n((?:  .*\n)+)/m;
my %command = map { $_ => 1 } $list =~ /^  (\w\S*(?: \S+)?)  /mg;
my ($global) = $help =~ /^Options of every command:\n(.*)/ms;

my %options;

sub has_option {
    my ($command, $option) = @_;
    $options{$command} ||= $tool->run(split(' ', $command), '--help')->{out};
    return $options{$command} =~ /^  --\Q$option\E\b/m;
}

# A value of the shell; what follows a command ends with its line or quotation.
my $word = qr/'[^']*'|"[^"]*"|[^\s`"',;|)]+/;
my (%mentions, @unknown);
for my $file ('README.md', files(qr/\.(?:md|conf|yml)\z/, qw(conf modules))) {
    my $text = text($file) =~ s/\\\n\s*//gr =~ s/\n# +/ /gr;
    while ($text =~ /(?:\blimsctl|\$lims) ((?:--(?:organization|user|reason) $word )*)(.*)/g) {
        my $rest = $2 =~ s/`.*//r =~ s/ {2,}# .*//r;
        my ($first, $second) = $rest =~ /\A([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/ or next;
        my ($name) = grep { $command{$_} } defined $second ? "$first $second" : (), $first;
        # "limsctl and the error log say why": that is no command.
        next if !$name && $first =~ /\A(?:and|is|commit|to|of|from|has|with|in|sends|on)\z/;
        $mentions{$file}++;
        push @unknown, "$file: limsctl $rest" unless $name;
        push @unknown, map { "$file: limsctl $name --$_" }
            grep { $name && !has_option($name, $_) } $rest =~ /(?<!\S)--([a-z][a-z0-9-]*)/g;
    }
}
is_deeply(\@unknown, [], 'every command and option that a document names is one');
cmp_ok($mentions{$_} || 0, '>=', 3, "$_ names some") for 'README.md', 'conf/profiles/README.md',
    'conf/alerts.yml';

# --- README's own -----------------------------------------------------------------

my ($setup, $webhooks, $instruments, $unknown) = map {
    my ($section) = text('README.md') =~ /^## \Q$_\E\n(.*?)^## /ms;
    my @blocks = $section =~ /^```sh\n(.*?)^```$/msg;
    join '', @blocks;
} 'In an existing Apache, on an existing PostgreSQL', 'Webhooks', 'Instruments',
    'Files that no profile knows';

# An instrument's file that nothing reads, since no profile of the laboratory's is
# for it, and one more for each command that needs another.
my $folder = "$tool->{folder}";
make_path("$folder/bin");
symlink LIMS::Instance::out() . '/limsctl', "$folder/bin/limsctl" or die "limsctl: $!\n";
open my $run, '>', "$folder/run42.csv" or die "run42.csv: $!\n";
print {$run} "Sample,Value\nA,1\n";
close $run;

# limsctl.conf as it is installed, for the database and the folder at hand.
my $settings = text('conf/limsctl.conf') =~ s{/etc/mod_lims}{$folder}gr;
my $conninfo = LIMS::Instance::conninfo($tool->{database}, 'lims_owner');
$settings =~ s{^(LIMS_DATABASE =).*}{$1 $conninfo}m;
open my $conf, '>', "$folder/limsctl.conf" or die "limsctl.conf: $!\n";
print {$conf} $settings;
close $conf;

# As it stands there, but for what is another machine's.
sub typed {
    my ($name, $script) = @_;
    $script =~ s{/etc/mod_lims}{$folder}g;
    $script =~ s{\bsudo }{}g;
    $script =~ s{\@run42\.csv}{\@$folder/run42.csv}g;
    open my $out, '>', "$folder/script" or die "script: $!\n";
    print {$out} "set -eu\ncd '$LIMS::Instance::root'\nPATH='$folder/bin':\$PATH\n", $script;
    close $out;
    local $ENV{LIMSCTL_CONF} = "$folder/limsctl.conf";
    local @ENV{qw(LIMS_DATABASE LIMS_SECRET_KEY_FILE)};
    delete @ENV{qw(LIMS_DATABASE LIMS_SECRET_KEY_FILE)};
    my ($status, $output) = LIMS::Instance::capture('bash', "$folder/script");
    is($status, 0, $name) or diag($output);
    return $output;
}

my ($first) = $setup =~ /^(sudo limsctl organization create.*?)^sudo limsctl check/ms;
like(typed('a laboratory is set up', $first), qr/^rawKey: +lk_\w{40,}$/m, 'the first key is made');
my $told = typed('its webhooks', $webhooks);
like($told, qr/^secret: +whsec_\S+$/m, 'the endpoint is made with a secret');
like($told, qr/^1 +[0-9a-f-]{36} +1 +webhook\.test +pending/m, 'the test delivery is queued');

my ($before, $reviewed) = $instruments =~ /^(\$lims profile add.*?)(^\$lims instrument-file.*)/ms;
my ($lims) = $webhooks =~ /^(lims=.*\n)/m;
like(typed('a profile that comes along', "$lims$before"), qr/^status: +active$/m, 'is in use');
$tool->db->do(<<'SQL');
SELECT setval('lims.instrument_file_id_seq', 812, false), lims.keep_file(id, 'run42.csv', 'bytes')
  FROM lims.organization
 WHERE code = 'riverlab'
SQL
$tool->db->do(q{UPDATE lims.instrument_file SET status = 'quarantined', processed_at = now()});
my ($look, $release) = $reviewed =~ /(.*)(^\$lims --reason.*)\n/ms;
like(typed('what it holds back', "$lims$look"), qr/^imported: +0$/m, 'is read again');
like(typed('what is decided about it', "$lims$release || true\n"), qr/File 812 cannot be released so:/,
    'the file is not released: its bytes do not allow it');

my ($calibration) = $unknown =~ /^(\$lims extraction.*)\n/m;
like(typed('what came of extractions', "$lims$calibration\n"), qr/^byConfidence/m,
    'the command prints what came of extractions');

done_testing();
