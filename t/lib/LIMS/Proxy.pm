# SPDX-License-Identifier: Apache-2.0
package LIMS::Proxy;

=head1 NAME

LIMS::Proxy - an HTTP proxy that notes what passes

=head1 SYNOPSIS

    my $proxy = LIMS::Proxy->new;
    my $lims  = LIMS::Test->new(conf => 'LimsExtractionProxy ' . $proxy->url);
    ...
    my @tunnels = $proxy->seen;

=head1 DESCRIPTION

Takes CONNECT alone, in a process for each connection, and passes on what comes.

    new(refuse => '407')   answers that to each CONNECT instead
    url
    seen        the tunnels so far: target, head (what it was asked with), bytes
                (what was passed on to the target, to the letter)
    forget      those so far
    stop

=cut

use strict;
use warnings;

use File::Temp ();
use IO::Select;
use IO::Socket::INET;
use JSON::PP ();
use MIME::Base64 qw(decode_base64 encode_base64);
use POSIX ();

my $owner = $$;
my %running;

sub new {
    my ($class, %option) = @_;
    my $self = bless { folder => File::Temp->newdir, %option }, $class;
    my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1')
        or die "listen: $!\n";

    $self->{port} = $listener->sockport;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM);
        $SIG{CHLD} = 'IGNORE';
        setpgrp;
        eval { $self->_serve($listener) };
        POSIX::_exit(0);
    }
    close $listener;
    $running{$pid} = 1;
    $self->{pid} = $pid;
    return $self;
}

sub url { return "http://127.0.0.1:$_[0]{port}" }

sub seen {
    my ($self) = @_;
    open my $in, '<', "$self->{folder}/seen" or return;
    my @parts = map { JSON::PP::decode_json($_) } grep { /\n\z/ } <$in>;
    my (%tunnel, @tunnels);

    for my $part (@parts) {
        if (!$tunnel{ $part->{id} }) {
            push @tunnels, $tunnel{ $part->{id} } = { bytes => '' };
        }
        my $it = $tunnel{ $part->{id} };
        $it->{$_} = $part->{$_} for grep { defined $part->{$_} } qw(target head);
        $it->{bytes} .= decode_base64($part->{bytes} // '');
    }
    return @tunnels;
}

sub forget {
    my ($self) = @_;
    unlink "$self->{folder}/seen";
    return;
}

sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;

    delete $running{$pid};
    kill 'KILL', -$pid, $pid;
    waitpid $pid, 0;
    return;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        kill 'KILL', -$_, $_ for keys %running;
        $? = $status;
    }
}

# --- The proxy ---------------------------------------------------------------

# One write, so that the lines of several processes do not mix.
sub _note {
    my ($self, %what) = @_;
    open my $out, '>>', "$self->{folder}/seen" or die "seen: $!\n";

    syswrite $out, JSON::PP::encode_json({ id => $$, %what }) . "\n";
    close $out;
    return;
}

sub _serve {
    my ($self, $listener) = @_;
    while (1) {
        my $client = $listener->accept or next;
        my $pid = fork;
        next if $pid || !defined $pid;
        eval { $self->_pass($client) };
        POSIX::_exit(0);
    }
    return;
}

sub _pass {
    my ($self, $client) = @_;
    my ($head, $bytes) = ('', undef);

    $head .= $bytes while $head !~ /\r\n\r\n\z/ && sysread $client, $bytes, 1;
    my ($target) = $head =~ /\ACONNECT (\S+) /;
    $self->_note(target => $target // '', head => $head);
    return syswrite $client, "HTTP/1.1 $self->{refuse} No\r\nContent-Length: 0\r\n\r\n"
        if $self->{refuse};
    return if !defined $target;
    my $server = IO::Socket::INET->new(PeerAddr => $target) or return;
    syswrite $client, "HTTP/1.1 200 Connected\r\n\r\n";
    my $both = IO::Select->new($client, $server);
    while (my @ready = $both->can_read(60)) {
        for my $from (@ready) {
            sysread $from, $bytes, 65536 or return;
            $self->_note(bytes => encode_base64($bytes, '')) if $from == $client;
            syswrite $from == $client ? $server : $client, $bytes;
        }
    }
    return;
}

1;
