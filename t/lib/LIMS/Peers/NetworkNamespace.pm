# SPDX-License-Identifier: Apache-2.0
package LIMS::Peers::NetworkNamespace;

=head1 NAME

LIMS::Peers::NetworkNamespace - a network namespace with addresses and a name server

=head1 SYNOPSIS

    use LIMS::Peers::NetworkNamespace;

    LIMS::Peers::NetworkNamespace->enter(addresses => [ '8.8.8.8' ], nameserver => '127.0.0.1');

=head1 DESCRIPTION

C<enter> goes on with the test in a network namespace where there is nothing but
the loopback device, with these addresses on it too, and in a mount namespace
where F</etc/resolv.conf> names this server, or F</etc/hosts> has these lines
(C<hosts>). The test begins anew there, so it is to be called first; what it
starts lives there. The cluster, which speaks through a socket in a folder, is
outside and stays.

Skips the test where the machine or the user can't do that: Linux, root, and the
tools unshare, mount and ip are needed.

C<name_server(%names)> is a name server in a process of its own, on port 53 of
127.0.0.1: a name has addresses, or a code reference that is called for each
question (by address family) and returns them, in that process; or C<silence>,
and is never answered.

=cut

use strict;
use warnings;

use File::Temp ();
use IO::Socket::INET;
use POSIX ();
use Socket qw(AF_INET6 inet_aton inet_pton);
use Test::More ();

use LIMS::Instance;

my $owner = $$;
my @servers;

sub _can {
    return 'it takes root' if $> != 0;
    return 'it takes Linux' if $^O ne 'linux';
    my ($status, $words) = LIMS::Instance::capture('unshare', '--net', '--mount', 'sh', '-c',
        'ip link set lo up && ip address add 192.0.2.1/32 dev lo'
            . ' && mount --bind /dev/null /etc/resolv.conf && mount --bind /dev/null /etc/hosts');
    return $status ? "no namespaces here: $words" : undef;
}

sub enter {
    my ($class, %option) = @_;
    return if $ENV{LIMS_NAMESPACE};
    my $reason = _can();
    Test::More::plan(skip_all => $reason) if $reason;
    # Not in there, where it would stay when the test has ended.
    LIMS::Instance::start_cluster();
    my @commands = ('ip link set lo up', map {"ip address add $_/32 dev lo"}
            @{ $option{addresses} || [] });
    my %file = ('/etc/hosts' => $option{hosts} || "127.0.0.1 localhost\n",
        '/etc/resolv.conf' => $option{nameserver} ? "nameserver $option{nameserver}\n" : '');
    for my $name (sort keys %file) {
        my ($out, $copy) = File::Temp::tempfile();
        print {$out} $file{$name};
        close $out;
        chmod 0644, $copy;
        push @commands, "mount --bind $copy $name", "rm -f $copy";
    }
    $ENV{LIMS_NAMESPACE} = 1;
    exec 'unshare', '--net', '--mount', 'sh', '-ec', join("\n", @commands, 'exec "$@"'), 'sh', $^X,
        (map {"-I$_"} @INC), $0, @ARGV
        or die "unshare: $!\n";
}

# --- Names -----------------------------------------------------------------------

# RFC 1035: a question as it came, and addresses for it.
sub _reply {
    my ($packet, $names) = @_;
    my ($id, undef, undef) = unpack 'n3', $packet;
    my ($at, @labels) = (12);
    while (my $length = ord substr $packet, $at, 1) {
        push @labels, substr $packet, $at + 1, $length;
        $at += 1 + $length;
    }
    my $question = substr $packet, 12, $at + 5 - 12;
    my ($type) = unpack 'n', substr $packet, $at + 1, 2;
    my $known = $names->{ lc join '.', @labels };
    return if defined $known && !ref $known && $known eq 'silence';
    my @addresses = ref $known eq 'CODE' ? $known->($type) : @{ $known || [] };
    my @records = map {
        my $data = /:/ ? ($type == 28 ? inet_pton(AF_INET6, $_) : undef)
            : $type == 1 ? inet_aton($_) : undef;
        defined $data ? pack('n n n N n a*', 0xc00c, $type, 1, 0, length $data, $data) : ()
    } @addresses;
    return pack('n6', $id, 0x8180 | ($known ? 0 : 3), 1, scalar @records, 0, 0) . $question
        . join '', @records;
}

sub name_server {
    my ($class, %names) = @_;
    my $socket = IO::Socket::INET->new(Proto => 'udp', LocalAddr => '127.0.0.1', LocalPort => 53)
        or die "port 53: $!\n";
    my $pid = fork // die "fork: $!\n";

    if (!$pid) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM);
        while (1) {
            defined $socket->recv(my $packet, 512) or next;
            my $reply = _reply($packet, \%names);
            $socket->send($reply) if defined $reply;
        }
    }
    push @servers, $pid;
    return;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        kill 'KILL', @servers;
        waitpid $_, 0 for @servers;
        $? = $status;
    }
}

1;
