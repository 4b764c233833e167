#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Examples in the documents are accepted by the programs they are for: httpd with
# mod_security and with mod_auth_openidc, HAProxy, and whatever reads YAML. Where one of
# them is not installed, its part is skipped.
use strict;
use warnings;

use File::Temp qw(tempdir);
use LIMS::Test::Source;
use LIMS::Test;

my @places  = (qw(/usr/sbin /usr/local/sbin), split /:/, $ENV{PATH});
my $modules = LIMS::Instance::run('apxs', '-q', 'LIBEXECDIR') =~ s/\s+\z//r;
my $dir     = tempdir(CLEANUP => 1);

# The examples of a chapter in a language, in order.
sub examples {
    my ($file, $chapter, $language) = @_;
    my ($text) = text($file) =~ /^##+ \Q$chapter\E\n(.*?)(?=^##+ |\z)/ms or die "$file: no $chapter\n";
    my @found = $text =~ /^```\Q$language\E\n(.*?)^```$/gms;

    die "$file: $chapter has no example\n" unless @found;
    return @found;
}

sub program {
    my ($name) = @_;
    return (grep { -x } map {"$_/$name"} @places)[0];
}

sub write_file {
    my ($name, $text) = @_;
    open my $out, '>', "$dir/$name" or die "$name: $!\n";
    print {$out} $text;
    close $out;
    return "$dir/$name";
}

# The host of conf/lims.conf, and lines beside it.
sub configtest {
    my ($lines, @also) = @_;
    my $tls  = LIMS::Instance::home($LIMS::Instance::cluster) . '/tls';
    my @load = grep { -f "$modules/mod_$_.so" } qw(mpm_event authn_core authz_core authz_host
        authz_user dbd socache_shmcb ssl mime headers rewrite unique_id), @also;
    my $file = write_file('httpd.conf', join '', qq(ServerRoot "$dir"\nServerName localhost\n),
        "Listen 127.0.0.1:9\nPidFile $dir/pid\nErrorLog $dir/error.log\nTypesConfig /dev/null\n",
        (map {qq(LoadModule ${_}_module "$modules/mod_$_.so"\n)} @load),
        qq(Define LIMS_PORT 9\nDefine LIMS_MODULE "@{[ LIMS::Instance::out() ]}/mod_lims.so"\n),
        qq(Define LIMS_DATABASE "host=/nowhere dbname=lims"\nDefine LIMS_DOCUMENT_ROOT "$dir"\n),
        qq(Define LIMS_CERTIFICATE "$tls/server.pem"\nDefine LIMS_CERTIFICATE_KEY "$tls/server.key"\n),
        qq(Include "$LIMS::Instance::root/conf/lims.conf"\n), $lines);

    local $ENV{LD_PRELOAD} = $ENV{LIMS_PRELOAD} || '';
    return LIMS::Instance::capture(program('apache2'), '-t', '-d', $dir, '-f', $file);
}

# Taken as it is, and refused with a word that is misspelt: so it was looked at.
sub taken {
    my ($name, $lines, $word, @also) = @_;
    my ($status, $output) = configtest($lines, @also);

    is($status, 0, $name) or diag($output);
    ($status) = configtest($lines =~ s/\b\Q$word\E\b/${word}x/r, @also);
    isnt($status, 0, "$name: refused with ${word}x in place of $word");
    return;
}

LIMS::Instance::start_cluster();    # which makes the certificates

subtest 'mod_security' => sub {
    plan skip_all => 'libapache2-mod-security2 is not installed'
        unless -f "$modules/mod_security2.so";
    taken('its rule', "SecRuleEngine On\nSecDataDir $dir\n"
            . join('', examples('conf/administration.md', 'mod_security', 'apache')),
        'beginsWith', 'security2');
};

subtest 'mod_auth_openidc' => sub {
    plan skip_all => 'libapache2-mod-auth-openidc is not installed'
        unless -f "$modules/mod_auth_openidc.so";
    my ($lines) = examples('conf/administration.md', 'Single sign-on in front of the API', 'apache');
    my $keys = write_file('user-keys.txt', "ada\@riverlab.example lk_x\n");
    ok($lines =~ s{/etc/mod_lims/user-keys\.txt}{$keys}, 'it has a list of keys');
    # Values that differ from site to site.
    taken('its host', "OIDCProviderMetadataURL https://id.riverlab.example/.well-known/openid-configuration\n"
            . "OIDCClientID lims\nOIDCClientSecret secret\nOIDCCryptoPassphrase passphrase\n$lines",
        'OIDCUnAuthAction', 'auth_openidc');
};

subtest 'HAProxy' => sub {
    my $haproxy = program('haproxy');
    plan skip_all => 'haproxy is not installed' unless $haproxy;
    my ($lines) = examples('conf/high-availability.md', 'Patroni', 'haproxy');
    my $defaults = "defaults\n    mode tcp\n    timeout connect 5s\n    timeout client 1m\n"
        . "    timeout server 1m\n\n";
    my ($status, $output) = LIMS::Instance::capture($haproxy, '-c', '-f',
        write_file('haproxy.cfg', $defaults . $lines));
    is($status, 0, 'what follows the primary') or diag($output);
    ($status) = LIMS::Instance::capture($haproxy, '-c', '-f',
        write_file('haproxy.cfg', $defaults . $lines =~ s/option httpchk/option httpchkx/r));
    isnt($status, 0, 'a misspelt word in the proxy\'s configuration is refused');
};

subtest 'YAML' => sub {
    my $parse = 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))';
    my ($there) = LIMS::Instance::capture('python3', '-c', 'import yaml');
    plan skip_all => 'python3-yaml is not installed' if $there;
    my ($patroni) = examples('conf/high-availability.md', 'Patroni', 'yaml');
    my ($status, $output) = LIMS::Instance::capture('python3', '-c', "$parse"
            . "\nof = yaml.safe_load(open(sys.argv[1]))"
            . "\nassert of['bootstrap']['dcs']['synchronous_mode'] is True"
            . "\nassert of['watchdog']['mode'] == 'required'"
            . "\nassert len(of['postgresql']['pg_hba']) == 2", write_file('patroni.yml', $patroni));
    is($status, 0, "Patroni's") or diag($output);
    for my $file (files(qr/\.ya?ml\z/, 'conf')) {
        ($status, $output) = LIMS::Instance::capture('python3', '-c', $parse, $file);
        is($status, 0, $file) or diag($output);
    }
    ($status) = LIMS::Instance::capture('python3', '-c', $parse,
        write_file('damaged.yml', $patroni =~ s/^postgresql:/ postgresql:/mr));
    isnt($status, 0, 'a damaged example is refused');
};

done_testing();
