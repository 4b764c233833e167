# SPDX-License-Identifier: Apache-2.0
package LIMS::Peers::Memcached;

=head1 NAME

LIMS::Peers::Memcached - a memcached server of a test's own

=head1 SYNOPSIS

    my $memcached = LIMS::Peers::Memcached->new;
    my $lims = LIMS::Test->new(conf => 'LimsRateLimitMemcached ' . $memcached->address);

=head1 DESCRIPTION

    new(address => )          at another address than 127.0.0.1
    address                   "127.0.0.1:port", the same over restarts
    kill, start               as a machine that goes and comes back empty
    freeze, thaw              it keeps its connections and does not answer
    ask($command)             the lines of its answer
    stat($name)               one of its figures

=cut

use strict;
use warnings;

use IO::Socket::INET;
use LIMS::Instance;
use LIMS::Wait;

my $owner = $$;
my @made;

sub new {
    my ($class, %option) = @_;
    my $host = $option{address} || '127.0.0.1';
    my $self = bless { host => $host, port => LIMS::Instance::reserve_port($host) }, $class;

    push @made, $self;
    $self->start;
    return $self;
}

sub address { return "$_[0]{host}:$_[0]{port}" }

sub start {
    my ($self) = @_;
    my $pid = fork;

    die "fork: $!\n" unless defined $pid;
    if (!$pid) {
        open STDERR, '>', '/dev/null' or die "/dev/null: $!\n";
        exec 'memcached', '-l', $self->{host}, '-p', $self->{port}, '-U', '0', '-m', '8', '-t', '1',
            $> == 0 ? ('-u', 'nobody') : () or die "memcached: $!\n";
    }
    $self->{pid} = $pid;
    wait_until { IO::Socket::INET->new(PeerAddr => $self->address) }
        or die "memcached did not start\n";
    return;
}

sub kill {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;

    CORE::kill('KILL', $pid);
    waitpid $pid, 0;
    return;
}

sub freeze { return CORE::kill('STOP', $_[0]{pid}) }
sub thaw   { return CORE::kill('CONT', $_[0]{pid}) }

sub ask {
    my ($self, $command) = @_;
    my $socket = IO::Socket::INET->new(PeerAddr => $self->address) or die "memcached: $!\n";
    my @lines;

    print {$socket} "$command\r\n";
    while (defined(my $line = <$socket>)) {
        $line =~ s/\r\n\z//;
        last if $line =~ /\A(?:END|OK|ERROR)\z/;
        push @lines, $line;
    }
    return @lines;
}

sub stat {
    my ($self, $name) = @_;
    my ($value) = map { /\ASTAT \Q$name\E (\S+)/ ? $1 : () } $self->ask('stats');
    return $value;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        $_->kill for @made;
        $? = $status;
    }
}

1;
