#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Deliveries verified by code that is not ours: the examples of conf/receivers and the
# library of Standard Webhooks; through a rotation of the secret and of the key that seals
# it.
use strict;
use warnings;

use File::Copy qw(copy);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use HTTP::Tiny;
use IO::Socket::INET;
use LIMS::Instance;
use LIMS::Test;

LIMS::Instance::start_cluster();
my $root   = $LIMS::Instance::root;
my $tls    = LIMS::Instance::home($LIMS::Instance::cluster) . '/tls';
my $folder = tempdir(CLEANUP => 1);
my $owner  = $$;
my %process;

sub there { my ($program) = @_; return !system "command -v $program >/dev/null 2>&1" }

# The library, of the version that the lock file names; empty where there is no
# npm or no registry.
sub library {
    my $place = "$root/build/test/standard";
    return '' if !there('npm') || !there('node');
    make_path($place);
    for my $file (qw(package.json package-lock.json .npmrc receive.mjs)) {
        copy("$root/t/webhooks/standard/$file", "$place/$file") or die "$file: $!\n";
    }
    system "cd '$place' && { test node_modules -nt package.json || timeout 60 npm ci"
        . ' --ignore-scripts --loglevel=error; } >npm.log 2>&1 && touch node_modules';
    return -d "$place/node_modules/standardwebhooks" ? $place : '';
}

my $library   = library();
my %receivers = (
    (there('python3') ? ('receive.py' => [ 'python3', "$root/conf/receivers/receive.py" ]) : ()),
    (there('node') ? ('receive.mjs' => [ 'node', "$root/conf/receivers/receive.mjs" ]) : ()),
    ($library ? (standardwebhooks => [ 'node', "$library/receive.mjs" ]) : ()),
);
plan(skip_all => 'neither python3 nor node is here') if !%receivers;

# A key file of its own, which is going to be changed.
local $ENV{LIMS_SECRET_KEY_FILE} = "$folder/secret.key";
LIMS::Instance::run(LIMS::Instance::out() . '/limsctl', qw(secret-key --key-id first));

my $lims = LIMS::Test->new(conf => <<"END");
Define LIMS_SECRET_KEY_FILE $folder/secret.key
LimsWebhookAllow 127.0.0.0/8 ::1/128
LimsWebhookCAFile "$tls/ca.pem"
LimsWebhookPoll 100
LimsWebhookSchedule @{[ (0.5) x 20 ]}
LimsWebhookDisableAfter 1000
END
my $code = $lims->fixture->{code};
my @here = ('--organization', $code, '--user', "administrator\@$code.example");

sub webhook {
    my (@arguments) = @_;
    my $done = $lims->ctl(@here, 'webhook', @arguments);
    $done->{exit} == 0 or die "limsctl webhook @arguments: $done->{output}\n";
    return $done->{json};
}

sub start {
    my ($name, $port, $secret) = @_;
    local $ENV{WEBHOOK_SECRET} = $secret;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>>', "$folder/$name.out" or POSIX::_exit(127);
        exec @{ $receivers{$name} }, $port, "$tls/server.pem", "$tls/server.key"
            or POSIX::_exit(127);
    }
    $process{$name} = $pid;
    wait_until { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) }
        or die "$name does not listen\n";
    return;
}

sub stop {
    my ($name) = @_;
    my $pid = delete $process{$name} or return;
    kill 'TERM', $pid;
    return waitpid $pid, 0;
}

END {
    if (defined $owner && $$ == $owner) {
        my $status = $?;
        stop($_) for keys %process;
        $? = $status;
    }
}

sub told {
    my ($name) = @_;
    open my $in, '<:raw', "$folder/$name.out" or return '';
    local $/ = undef;
    return scalar(<$in>) // '';
}

# Does what matches come to be told within a minute?
sub tells {
    my ($name, $pattern, $what) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    wait_until { told($name) =~ $pattern };
    return like(told($name), $pattern, "$name: $what");
}

my $material = $lims->insert('material_type', { code => 'DW', name => 'Water' });
sub happens {
    my ($client) = @_;
    my $made = $lims->post('/samples', { clientName => $client, materialTypeId => $material });
    is($made->status, 201, 'a sample is registered') or diag($made->body);
    return $made->json->{trackingId};
}

my %endpoint;
for my $name (sort keys %receivers) {
    my $port = LIMS::Instance::reserve_port();
    $endpoint{$name} = webhook('create', '--name', $name, '--url', "https://localhost:$port/hook",
        '--events', 'sample.created', $name eq 'standardwebhooks' ? '--standard-headers' : ());
    $endpoint{$name}{port} = $port;
    start($name, $port, $endpoint{$name}{secret});
}

my $first = happens("B\x{e4}ckerei \"Zum Hahn\" \x{1F413}");
for my $name (sort keys %receivers) {
    tells($name, qr/^[0-9a-f-]{36} sample\.created .*\Q$first\E/m, 'takes a delivery');
    webhook('test', $endpoint{$name}{id}, '--message', 'Can you hear me?');
    tells($name, qr/ webhook\.test .*Can you hear me\?/, 'takes a test');
}

# The old secret is good for a while.
$endpoint{$_}{rotated} = webhook('rotate', $endpoint{$_}{id})->{secret} for sort keys %receivers;
my $second = happens('Rotated');
tells($_, qr/ sample\.created .*\Q$second\E/, 'knows the old secret') for sort keys %receivers;
for my $name (sort keys %receivers) {
    stop($name);
    start($name, $endpoint{$name}{port}, $endpoint{$name}{rotated});
}
my $third = happens('Told');
tells($_, qr/ sample\.created .*\Q$third\E/, 'knows the new secret') for sort keys %receivers;

# Known to others, a secret is of no use at once; the receiver is told later.
$endpoint{$_}{secret} = webhook('rotate', $endpoint{$_}{id}, qw(--overlap-hours 0))->{secret}
    for sort keys %receivers;
my $fourth = happens('Waiting');
my %waiting = map { $_->{endpointId} => $_ }
    @{ webhook(qw(deliveries --state pending))->{data} };
for my $name (sort keys %receivers) {
    my $delivery = $waiting{ $endpoint{$name}{id} } or fail("$name: it waits"), next;
    wait_until { webhook('delivery', $delivery->{id})->{attemptCount} };
    is(webhook('delivery', $delivery->{id})->{attempts}[0]{responseStatus}, 401,
        "$name: does not know the newest");
    stop($name);
    start($name, $endpoint{$name}{port}, $endpoint{$name}{secret});
    webhook('redeliver', $delivery->{id});
    tells($name, qr/ sample\.created .*\Q$fourth\E/, 'gets it when it does');
}

# The key that the secrets are kept under is replaced.
$lims->ctl(qw(secret-key --key-id second));
$lims->graceful;
is($lims->ctl(qw(webhook rekey))->{exit}, 0, 'limsctl webhook rekey succeeds');
open my $in, '<', "$folder/secret.key" or die "secret.key: $!\n";
my @lines = grep { !/^first / } <$in>;
close $in;
open my $out, '>', "$folder/secret.key" or die "secret.key: $!\n";
print {$out} @lines;
close $out or die "secret.key: $!\n";
$lims->graceful;
my $fifth = happens('Rekeyed');
tells($_, qr/ sample\.created .*\Q$fifth\E/, 'notices nothing of a new key') for sort keys %receivers;

ok($lims->finish, 'the log is clean');
done_testing();
