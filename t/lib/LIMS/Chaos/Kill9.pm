# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::Kill9;

=head1 NAME

LIMS::Chaos::Kill9 - kill -9 of processes, and the restart that a service manager would do

=head1 SYNOPSIS

    LIMS::Instance::own_cluster('kill9');    # before LIMS::Test->new
    my $killer = LIMS::Chaos::Kill9->new($lims);
    $killer->kill9('backend');               # what it did, in words

=head1 DESCRIPTION

C<kill9> kills with SIGKILL and brings back what does not come back by itself,
as a service manager would:

    child       one of httpd's children; httpd starts another
    children    all of them at once
    parent      httpd's parent; what is left of its children is ended, and
                httpd started
    backend     one of the server processes that work for the service, at work
                if there is one; PostgreSQL ends all others and recovers
    postmaster  PostgreSQL's parent; it is started again at once
    all         every process of PostgreSQL and of httpd

The cluster is one of the test's own, and is set to lose nothing of what it
confirmed when its processes are killed.

=cut

use strict;
use warnings;

use Time::HiRes qw(sleep);

use LIMS::Instance;
use LIMS::Wait;

our @kinds = qw(child children parent backend postmaster all);

sub new {
    my ($class, $lims) = @_;
    my $super = LIMS::Instance::connect_database('postgres', 'postgres');

    # The kernel keeps what was written, but does not write a page in one piece.
    $super->do("ALTER SYSTEM SET $_ = on") for qw(synchronous_commit full_page_writes);
    $super->do('SELECT pg_reload_conf()');
    $super->disconnect;
    return bless { lims => $lims }, $class;
}

sub kill9 {
    my ($self, $kind) = @_;
    my $action = $self->can("_$kind") or die "nothing of the kind $kind can be killed\n";
    return $self->$action;
}

sub _kill {
    my (@processes) = @_;
    kill 'KILL', grep { $_ && $_ > 1 } @processes;
    return scalar @processes;
}

sub _child {
    my ($self) = @_;
    my @children = $self->{lims}->children;
    my $child    = $children[ rand @children ];

    _kill($child);
    return "httpd's child $child of @children";
}

sub _children {
    my ($self) = @_;
    my @children = $self->{lims}->children;

    _kill(@children);
    return "httpd's children @children";
}

sub _parent {
    my ($self) = @_;
    my $parent = $self->{lims}->pid;

    # Orphans go on answering until somebody ends them.
    _kill($parent);
    sleep rand 0.2;
    my @children = $self->_end_httpd($parent);
    return "httpd's parent $parent, then its children @children";
}

sub _backend {
    my ($self) = @_;
    my $super = eval { LIMS::Instance::connect_database('postgres', 'postgres') }
        or return 'no backend: the database is not up';
    my $found = eval { $super->selectall_arrayref(q{
        SELECT pid, state FROM pg_stat_activity
         WHERE application_name IN ('mod_lims', 'mod_lims_jobs')
         ORDER BY state <> 'idle' DESC, random() LIMIT 1}) };

    return 'no backend: none is there' unless $found && @$found;
    _kill($found->[0][0]);
    return "backend $found->[0][0], $found->[0][1]";
}

sub _postmaster {
    my ($self) = @_;
    my $postmaster = $self->_postmaster_pid;

    _kill($postmaster);
    $self->_start_database($postmaster);
    return "postmaster $postmaster";
}

sub _all {
    my ($self) = @_;
    my $postmaster = $self->_postmaster_pid;
    my $parent     = $self->{lims}->pid;
    my @database   = ($postmaster, LIMS::Instance::children_of($postmaster));

    _kill($parent, $self->{lims}->children, @database);
    $self->_start_database($postmaster);
    $self->_end_httpd($parent);
    return "httpd $parent and PostgreSQL @database";
}

# --- Bringing back -----------------------------------------------------------

sub _postmaster_pid {
    my $home = LIMS::Instance::home($LIMS::Instance::cluster);
    open my $in, '<', "$home/pg/data/postmaster.pid" or die "postmaster.pid: $!\n";
    my ($pid) = <$in> =~ /\A(\d+)/;
    return $pid;
}

# Processes of the former server have to be gone first; each notices by itself.
sub _start_database {
    my ($self, $former) = @_;
    my $tool = "$LIMS::Instance::root/build/instance";
    my ($status, $output);

    # pg_ctl takes one that has not been buried for one that is alive.
    wait_until { !kill 0, $former } 10;
    wait_until {
        ($status, $output) = LIMS::Instance::capture($tool, 'cluster', $LIMS::Instance::cluster);
        !$status;
    } or die "PostgreSQL did not come back: $output";
    return;
}

# Ends what is left of an httpd without its parent, also a child that was made at
# the last moment, and starts another.
sub _end_httpd {
    my ($self, $parent) = @_;
    my $port = $self->{lims}{instance}{port};
    my @left = LIMS::Instance::session_of($parent);

    _kill(@left);
    wait_until { !grep { LIMS::Instance::lives($_) } $parent, @left }
        or die "httpd's processes @left could not be killed\n";
    $self->{lims}->start;
    die "httpd is at another port: something held on to its own\n"
        if $self->{lims}{instance}{port} != $port;
    return @left;
}

1;
