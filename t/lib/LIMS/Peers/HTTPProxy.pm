# SPDX-License-Identifier: Apache-2.0
package LIMS::Peers::HTTPProxy;

=head1 NAME

LIMS::Peers::HTTPProxy - an HTTP proxy (CONNECT) that records what passes

=head1 SYNOPSIS

    my $proxy = LIMS::Peers::HTTPProxy->new;
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
use MIME::Base64 qw(decode_base64 encode_base64);
use parent 'LIMS::Peers::ForkedServer';

sub new {
    my ($class, %option) = @_;
    my $self = bless { folder => File::Temp->newdir, %option }, $class;
    my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1')
        or die "listen: $!\n";

    $self->{port} = $listener->sockport;
    $self->launch(sub {
        $self->serve($listener, sub { $self->_pass(@_) });
    });
    close $listener;
    return $self;
}

sub url { return "http://127.0.0.1:$_[0]{port}" }

sub seen {
    my ($self) = @_;
    my (%tunnel, @tunnels);

    for my $part ($self->noted) {
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

# --- The proxy ---------------------------------------------------------------

sub _pass {
    my ($self, $client) = @_;
    my ($head, $bytes) = ('', undef);

    $head .= $bytes while $head !~ /\r\n\r\n\z/ && sysread $client, $bytes, 1;
    my ($target) = $head =~ /\ACONNECT (\S+) /;
    $self->note({ id => $$, target => $target // '', head => $head });
    return syswrite $client, "HTTP/1.1 $self->{refuse} No\r\nContent-Length: 0\r\n\r\n"
        if $self->{refuse};
    return if !defined $target;
    my $server = IO::Socket::INET->new(PeerAddr => $target) or return;
    syswrite $client, "HTTP/1.1 200 Connected\r\n\r\n";
    my $both = IO::Select->new($client, $server);
    while (my @ready = $both->can_read(60)) {
        for my $from (@ready) {
            sysread $from, $bytes, 65536 or return;
            $self->note({ id => $$, bytes => encode_base64($bytes, '') }) if $from == $client;
            syswrite $from == $client ? $server : $client, $bytes;
        }
    }
    return;
}

1;
