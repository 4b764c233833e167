# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::PostgreSQL;

=head1 NAME

LIMS::Chaos::PostgreSQL - PostgreSQL servers that a test may stop, freeze and fail over

=head1 SYNOPSIS

    use LIMS::Test;
    use LIMS::Chaos::PostgreSQL;

    my $server = LIMS::Chaos::PostgreSQL->own('restart');    # before anything is started
    my $lims   = LIMS::Test->new;
    $server->stop('QUIT');
    $server->start;

    my $standby = $server->standby;
    $server->stop('KILL');
    $standby->promote;

=head1 DESCRIPTION

All other tests share one cluster, which must stay up. C<own> gives the test one
of its own, where commits are as durable as in production; it goes when the test
ends. C<standby> makes a streaming copy of it. C<socket> is the folder to connect
to.

    pid, alive           of the postmaster
    stop($signal)        INT: sessions are ended; QUIT: dropped; KILL: no good-byes
    start                returns when it accepts connections
    follow($primary)     starts as a copy of another what was a primary itself
    freeze, thaw         every process of the server stands still: what connects
                         hangs, nothing is answered. freeze(1): the postmaster
                         alone, sessions go on
    say(@sql)            as the superuser in the database postgres
    service_sessions     how many the service has open

=cut

use strict;
use warnings;

use File::Temp qw(tempdir);

use LIMS::Instance;
use LIMS::Test ();
use LIMS::Wait;

my ($owner, @standbys, @frozen) = ($$);

# A cluster of the test's own, for all that LIMS::Test starts from now on.
sub own {
    my ($class, $name) = @_;
    my $self = bless { folder => "$LIMS::Instance::root/build/test/$name" }, $class;

    LIMS::Instance::own_cluster($name);
    $self->{socket} = LIMS::Instance::start_cluster();
    $self->{data}   = LIMS::Instance::home($self->{folder}) . '/pg/data';
    # A cluster for tests promises less than one should: here commits count.
    $self->say('ALTER SYSTEM SET synchronous_commit = on', 'SELECT pg_reload_conf()');
    return $self;
}

sub socket { return $_[0]{socket} }

sub say {
    my ($self, @sql) = @_;
    my $handle = DBI->connect("dbi:Pg:host=$self->{socket};dbname=postgres", 'postgres', undef,
        { RaiseError => 1, PrintError => 0, PrintWarn => 0 });
    my @said = map { $handle->selectrow_array($_) if /\A\s*SELECT/i || !$handle->do($_) } @sql;

    $handle->disconnect;
    return $said[-1];
}

sub service_sessions {
    my ($self) = @_;
    return $self->say(
        q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'mod_lims'});
}

# --- The process -------------------------------------------------------------

sub pid {
    my ($self) = @_;
    open my $in, '<', "$self->{data}/postmaster.pid" or return;
    my ($pid) = <$in> =~ /\A(\d+)/;
    return $pid;
}

sub alive {
    my ($self) = @_;
    my $pid = $self->pid;
    return defined $pid && kill 0, $pid;
}

# The postmaster and its children.
sub _processes {
    my ($self) = @_;
    my $pid = $self->pid;
    open my $in, '<', "/proc/$pid/task/$pid/children" or die "children of $pid: $!\n";
    return ($pid, split ' ', <$in> // '');
}

sub stop {
    my ($self, $signal) = @_;
    my $pid = $self->pid;

    kill $signal || 'INT', $pid or die "postmaster $pid: $!\n";
    wait_until { !kill 0, $pid } or die "the database did not stop\n";
    return;
}

sub start {
    my ($self) = @_;
    return $self->_pg_ctl('start') if $self->{standby};
    return LIMS::Instance::run("$LIMS::Instance::root/build/instance", 'cluster', $self->{folder});
}

sub freeze {
    my ($self, $alone) = @_;
    push @frozen, $self;
    # The postmaster first: it makes no others then.
    kill 'STOP', $self->pid;
    kill 'STOP', $self->_processes unless $alone;
    return;
}

sub thaw {
    my ($self) = @_;
    kill 'CONT', reverse $self->_processes;
    return;
}

# --- A second node -----------------------------------------------------------

# PostgreSQL's tools refuse to run as root.
sub _as_postgres {
    my (@command) = @_;
    @command = ('setpriv', '--reuid=postgres', '--regid=' . getgrnam 'postgres', '--init-groups',
        @command) if $> == 0;
    return LIMS::Instance::run('sh', '-c', 'cd / && exec "$0" "$@"', @command);
}

sub _tool {
    my ($name) = @_;
    our $bin ||= LIMS::Instance::run('pg_config', '--bindir') =~ s/\s+\z//r;
    return "$bin/$name";
}

sub _pg_ctl {
    my ($self, $command, @arguments) = @_;
    return _as_postgres(_tool('pg_ctl'), '-D', $self->{data}, '-l', "$self->{folder}/log", '-w',
        $command, @arguments);
}

sub _append {
    my ($self, $file, $line) = @_;
    open my $out, '>>', "$self->{data}/$file" or die "$file: $!\n";
    print {$out} "$line\n";
    close $out;
    return;
}

# A streaming copy, which follows.
sub standby {
    my ($self) = @_;
    # A socket's path may have 107 bytes.
    my $folder = tempdir('/var/tmp/lims-node.XXXXXX');
    my $copy   = bless { folder => $folder, standby => 1, socket => $folder,
        data => "$folder/data" }, ref $self;

    chmod 0755, $folder;
    chown +(getpwnam 'postgres')[ 2, 3 ], $folder if $> == 0;
    push @standbys, $copy;
    $self->_append('pg_hba.conf',   'local replication all peer map=lims');
    $self->_append('pg_ident.conf', 'lims postgres postgres');
    $self->say('SELECT pg_reload_conf()');
    _as_postgres(_tool('pg_basebackup'), '-D', $copy->{data}, '-h', $self->{socket}, '-U',
        'postgres', '-c', 'fast', '-R', '--no-sync');
    $copy->_append('postgresql.auto.conf', "unix_socket_directories = '$folder'");
    $copy->_pg_ctl('start');
    return $copy;
}

# Starts what was a primary as a copy of another.
sub follow {
    my ($self, $primary) = @_;
    $self->_append('postgresql.auto.conf',
        "primary_conninfo = 'host=$primary->{socket} user=postgres'");
    $self->_append('standby.signal', '');
    LIMS::Instance::run('chown', 'postgres:', "$self->{data}/standby.signal") if $> == 0;
    $self->start;
    return;
}

# Returns when it can be written.
sub promote { return $_[0]->_pg_ctl('promote') }

# Waits until a standby has replayed all that its primary has written.
sub catch_up {
    my ($self, $primary) = @_;
    my $written = $primary->say('SELECT pg_current_wal_flush_lsn()');

    wait_until { $self->say("SELECT pg_last_wal_replay_lsn() >= '$written'") }
        or die "the standby does not follow\n";
    return;
}

sub _remove {
    my ($self) = @_;

    $self->stop('QUIT') if $self->alive;
    LIMS::Instance::run('rm', '-rf', $self->{folder});
    return;
}

# This END block runs before that of LIMS::Test, which stops the cluster.
END {
    if ($$ == $owner) {
        my $status = $?;
        eval { $_->thaw } for @frozen;
        my $clean = LIMS::Test::finish_all();
        eval { $_->_remove; 1 } || warn $@ for @standbys;
        $? = $status || ($clean ? 0 : 254);
    }
}

1;
