# SPDX-License-Identifier: Apache-2.0
package LIMS::Instance;

=head1 NAME

LIMS::Instance - the PostgreSQL cluster and the httpds that tests run against

=head1 DESCRIPTION

All tests share one PostgreSQL cluster in F<build/test>, started by whichever
comes first. In it is a migrated template database for this build, one with and
one without the demonstration data; each test gets a clone, and an httpd of its
own. Beside it are the pages that these serve, and what is worth keeping for all tests
(C<shared_folder>). F<build/instance> does the starting and stopping; C<make test> stops the
cluster at the end.

=cut

use strict;
use warnings;

use Cwd qw(abs_path);
use DBI;
use Digest::SHA;
use Fcntl qw(:flock);
use File::Basename qw(dirname);
use File::Glob qw(:bsd_glob);
use File::Path qw(make_path);
use IO::Socket::INET;
use IO::Socket::UNIX;
use IPC::Open3 qw(open3);
use LIMS::Wait;

our $root    = abs_path(dirname(__FILE__) . '/../../..');
our $cluster = "$root/build/test";
my $shared = $cluster;

# Where the module and limsctl were built.
sub out {
    my $out = $ENV{LIMS_OUT} || 'build/out';
    return $out =~ m{\A/} ? $out : "$root/$out";
}

# Where tests keep what others may use, also those with a cluster of their own.
sub shared_folder {
    make_path($shared);
    return $shared;
}

# From here on a cluster of this test's own, which may break: the others share one
# that must stay up. To be called before anything is started.
sub own_cluster {
    my ($name) = @_;
    our $owned = $cluster = "$root/build/test/$name";
    run("$root/build/instance", 'remove', $cluster);
    return;
}

# Ends a cluster of one's own.
sub leave_cluster {
    our ($owned, $socket, $in_use);
    return unless $owned;
    close $in_use if $in_use;
    run("$root/build/instance", 'remove', $owned);
    undef $owned;
    return;
}

# Runs a command; dies with what it said unless it succeeds.
sub run {
    my (@command) = @_;
    my ($status, $output) = capture(@command);

    die "@command: $output" if $status;
    return $output;
}

# A port for a server that takes it later, or again and again: none of those that
# the kernel gives to whoever asks for any, and of no other test until this one ends.
sub reserve_port {
    my ($host) = @_;
    our @reserved;
    my ($least) = split ' ', eval { _slurp('/proc/sys/net/ipv4/ip_local_port_range') } // 32768;

    make_path("$root/build/test/ports");
    for (1 .. 1000) {
        my $port = $least - 1 - int rand 10_000;
        open my $lock, '>>', "$root/build/test/ports/$port" or die "ports: $!\n";
        next unless flock $lock, LOCK_EX | LOCK_NB;
        my $free = IO::Socket::INET->new(Listen => 1, ReuseAddr => 1, LocalPort => $port,
            LocalAddr => $host || '127.0.0.1') or next;
        push @reserved, $lock;
        return $port;
    }
    die "no free port\n";
}

# (exit status, standard output and error together)
sub capture {
    my (@command) = @_;
    open my $nothing, '<', '/dev/null' or die "/dev/null: $!\n";
    my $pid = open3('<&' . fileno $nothing, my $out, undef, @command);
    my $output = do { local $/ = undef; <$out> };

    waitpid $pid, 0;
    return ($? >> 8 || $?, defined $output ? $output : '');
}

# The cluster is there; where its sockets are.
sub start_cluster {
    our $socket;
    return $socket if defined $socket;
    # The last test run stops the cluster; this file says that another is still running.
    make_path($cluster);
    open our $in_use, '>>', "$cluster/in-use" or die "$cluster/in-use: $!\n";
    flock $in_use, LOCK_SH or die "flock: $!\n";
    run("$root/build/instance", 'cluster', $cluster) unless _stands();
    my $home = home($cluster);
    $ENV{LIMS_SECRET_KEY_FILE} = "$home/secret.key";    # limsctl's, as it is httpd's
    return $socket = _socket($home);
}

sub _socket {
    my ($home) = @_;
    open my $in, '<', "$home/socket" or return "$home/pg";
    chomp(my $socket = <$in>);
    return $socket;
}

# Whether the cluster is there with all that belongs to it: asked by every test, and found
# out faster than by build/instance, whose lock says that it is not at work.
sub _stands {
    my $home = home($cluster);
    open my $lock, '<', "$home/lock" or return 0;
    flock $lock, LOCK_SH or die "flock: $!\n";
    return -s "$home/secret.key" && -s "$home/tls/server.pem"
        && IO::Socket::UNIX->new(Peer => _socket($home) . '/.s.PGSQL.5432');
}

# Where the files of an instance really are.
sub home {
    my ($dir) = @_;
    return readlink "$dir/home" || $dir;
}

sub conninfo {
    my ($database, $user) = @_;
    my $socket = start_cluster();
    return "host='$socket' dbname=$database user=$user";
}

sub connect_database {
    my ($database, $user) = @_;

    return DBI->connect("dbi:Pg:host=" . start_cluster() . ";dbname=$database", $user, undef,
        { RaiseError => 1, PrintError => 0, PrintWarn => 0, AutoCommit => 1, AutoInactiveDestroy => 1 });
}

# One test at a time does what all share.
sub exclusively {
    my ($action) = @_;

    make_path($cluster);
    open my $lock, '>>', "$cluster/template.lock" or die "$cluster/template.lock: $!\n";
    flock $lock, LOCK_EX or die "flock: $!\n";
    my $result = $action->();
    close $lock;
    return $result;
}

# A short name for the contents of files.
sub fingerprint {
    my (@files) = @_;
    my $sha = Digest::SHA->new(256);

    $sha->addfile($_) for @files;
    return substr $sha->hexdigest, 0, 12;
}

sub database_exists {
    my ($admin, $name) = @_;
    return $admin->selectrow_array('SELECT 1 FROM pg_database WHERE datname = ?', undef, $name);
}

# The name of the template database of this build, made if it is not there.
sub template {
    my ($demo) = @_;
    our %made;
    my @sources = (out() . '/migrations.sha256', "$root/sql/roles.sql",
        $demo ? out() . '/limsctl' : ());
    my $kind    = ($demo ? 'lims_demo_' : 'lims_template_')
        . ($ENV{LIMS_PARTITIONED} ? 'partitioned_' : '');

    return $made{$kind} ||= exclusively(sub {
        my $name  = $kind . fingerprint(@sources);
        my $admin = connect_database('postgres', 'postgres');
        return $name if database_exists($admin, $name);
        _drop_old($admin, $_) for $kind, "making_$kind";
        $admin->do("DROP DATABASE IF EXISTS making_$name WITH (FORCE)");
        _make_template($admin, "making_$name", $demo);
        $admin->do("ALTER DATABASE making_$name RENAME TO $name");
        return $name;
    });
}

# Drops template databases of former builds; another test run may still be cloning a
# recent one.
sub _drop_old {
    my ($admin, $prefix) = @_;
    my $names = $admin->selectcol_arrayref(<<'END', undef, $prefix);
SELECT datname
  FROM pg_database
 WHERE starts_with(datname, $1)
   AND (pg_stat_file('base/' || oid || '/PG_VERSION')).modification < now() - interval '1 hour'
END

    $admin->do("DROP DATABASE $_ WITH (FORCE)") for @$names;
    return;
}

sub _make_template {
    my ($admin, $name, $demo) = @_;
    my @limsctl = (out() . '/limsctl', '--database', conninfo($name, 'lims_owner'));

    $admin->do("CREATE DATABASE $name");
    my $database = connect_database($name, 'postgres');
    $database->do(_slurp("$root/sql/roles.sql"));
    $database->disconnect;
    run(@limsctl, 'migrate');
    _check_migrations($name);
    if ($ENV{LIMS_PARTITIONED}) {
        require LIMS::Database::Partitioned;
        LIMS::Database::Partitioned::partition($name);
    }
    if ($demo) {
        my $keys = _keys_file($name =~ s/\Amaking_//r);
        unlink $keys;
        run(@limsctl, 'demo', '--keys-to', $keys);
    }
    return;
}

# A limsctl that is older than the generated migrations would make an old schema
# that everybody takes for the new one.
sub _check_migrations {
    my ($name) = @_;
    my $database = connect_database($name, 'lims_owner');
    my $applied  = $database->selectcol_arrayref(
        'SELECT checksum FROM lims.schema_migration ORDER BY version');
    my @built = _slurp(out() . '/migrations.sha256') =~ m{^(\w+)  (?!/dev/null)}mg;

    $database->disconnect;
    die "limsctl is older than the generated migrations: run make\n"
        unless "@$applied" eq "@built";
    return;
}

# A template's keys are its own: those of other builds stand beside it.
sub _keys_file {
    my ($template) = @_;
    return "$cluster/$template.keys";
}

# The keys of the demonstration: { LIMS_API_KEY => 'lk_...', ... }.
sub demo_keys {
    return { _slurp(_keys_file(template(1))) =~ /^(LIMS_\w+)=['"]?([^'"\n]*)/mg };
}

# The same test in another run waits until this one is done with the name.
sub create_database {
    my ($name, $demo) = @_;
    our %taken;

    make_path("$cluster/locks");
    open $taken{$name}, '>>', "$cluster/locks/$name" or die "$cluster/locks/$name: $!\n";
    flock $taken{$name}, LOCK_EX or die "flock: $!\n";
    my $template = template($demo);
    my $admin    = connect_database('postgres', 'postgres');

    $admin->do("DROP DATABASE IF EXISTS $name WITH (FORCE)");
    $admin->do("CREATE DATABASE $name TEMPLATE $template");
    # The rights on a database are none of its contents; roles.sql says the same.
    $admin->do("REVOKE TEMPORARY ON DATABASE $name FROM PUBLIC");
    $admin->do("GRANT CONNECT, CREATE ON DATABASE $name TO lims_owner");
    $admin->disconnect;
    return;
}

sub drop_database {
    my ($name) = @_;
    my $admin = connect_database('postgres', 'postgres');

    $admin->do("DROP DATABASE IF EXISTS $name WITH (FORCE)");
    $admin->disconnect;
    our %taken;
    delete $taken{$name};
    return;
}

sub _slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    local $/ = undef;
    return scalar <$in>;
}

# --- httpd -------------------------------------------------------------------

# An httpd in a folder of its own:
# (name => , database => , conf => , children => , mpm => )
sub start {
    my ($class, %option) = @_;
    my $self = bless {
        dir      => "$cluster/httpd-$option{name}",
        database => $option{database},
        children => $option{children} || 2,
        mpm      => $option{mpm} || 'event',
        conf     => $option{conf},
    }, $class;

    run("$root/build/instance", 'remove', $self->{dir});
    make_path($self->{dir});
    if (defined $self->{conf}) {
        open my $out, '>', "$self->{dir}/extra.conf" or die "extra.conf: $!\n";
        print {$out} $self->{conf}, "\n";
        close $out;
    }
    start_cluster();
    $self->launch;
    return $self;
}

sub launch {
    my ($self) = @_;

    local @ENV{qw(LIMS_CLUSTER LIMS_DBNAME LIMS_CHILDREN LIMS_MPM LIMS_PLAIN LIMS_OUT LIMS_EXTRA)} =
        ($cluster, $self->{database}, $self->{children}, $self->{mpm}, 'yes', out(),
        defined $self->{conf} ? "$self->{dir}/extra.conf" : '');
    run("$root/build/instance", 'httpd', $self->{dir});
    $self->{home} = home($self->{dir});
    for my $name (qw(port plain_port)) {
        chomp($self->{$name} = _slurp("$self->{home}/$name"));
    }
    # Children answer before the parent logs that it has resumed; that line must not be
    # taken for the end of a restart.
    my $there = qr/\[pid @{[ $self->pid ]}\b[^\n]*resuming normal operations/;
    wait_until { $self->log =~ $there };
    return;
}

sub stop {
    my ($self) = @_;
    run("$root/build/instance", 'stop', $self->{dir});
    return;
}

sub remove {
    my ($self) = @_;
    run("$root/build/instance", 'remove', $self->{dir});
    return;
}

sub ca_file { return home($cluster) . '/tls/ca.pem' }

sub pid {
    my ($self) = @_;
    my $pid = eval { _slurp("$self->{home}/httpd.pid") };
    return defined $pid && $pid =~ /\A(\d+)/ ? $1 : undef;
}

# The child processes, ascending.
sub children {
    my ($self) = @_;
    my $parent = $self->pid or return;

    return children_of($parent);
}

sub children_of {
    my ($parent) = @_;
    return _processes(sub { $_[1] == $parent });
}

# All that were started by this process, or by what it started, as long as they
# did not make themselves independent: also those whose parent is gone.
sub session_of {
    my ($leader) = @_;
    return _processes(sub { $_[3] == $leader });
}

# The processes whose state, parent, group and session are as wanted, ascending.
sub _processes {
    my ($wanted) = @_;
    my @found;

    for my $stat (glob '/proc/[0-9]*/stat') {
        my $text = eval { _slurp($stat) } or next;
        my ($pid, $state, @of) = $text =~ /\A(\d+) \(.*\) (\S) (\d+) (\d+) (\d+) /s or next;
        push @found, $pid if $state ne 'Z' && $wanted->($state, @of);
    }
    return sort { $a <=> $b } @found;
}

# A process that has ended stays in the list until its parent takes notice.
sub lives {
    my ($pid) = @_;
    my $text = eval { _slurp("/proc/$pid/stat") };
    return defined $text && $text =~ /\A\d+ \(.*\) [^ZX] /s;
}

# A restart: USR1 lets the children finish what they do, HUP does not. Returns when
# the new generation is at work.
sub begin_anew {
    my ($self, $signal) = @_;
    my $before = () = $self->log =~ /resuming normal operations/g;

    kill $signal, $self->pid;
    wait_until {
        my $now = () = $self->log =~ /resuming normal operations/g;
        $now > $before;
    } or die "httpd did not come back from a restart by $signal\n";
    return 1;
}

sub graceful { return $_[0]->begin_anew('USR1') }

# The whole error log.
sub log {
    my ($self) = @_;
    my $text = eval { _slurp("$self->{home}/log/error.log") };
    return defined $text ? $text : '';
}

# Whether httpd runs with a malloc that a tool put in the place of libc's.
sub foreign_malloc {
    return $ENV{LIMS_VALGRIND} || ($ENV{LIMS_PRELOAD} || '') =~ /asan/;
}

# How many times as long as by itself a program may take.
sub slowness { return $ENV{LIMS_VALGRIND} ? 10 : 1 }

# Returns the output of the sanitizers.
sub sanitizer_output {
    my ($self) = @_;
    return join '', map { _slurp($_) } glob "$self->{home}/sanitizer/*";
}

# --- The document ------------------------------------------------------------

# The OpenAPI document of this build, from a server of its own so that no test
# sees the request; the text is kept for all tests.
sub openapi {
    my $sources = fingerprint(out() . '/mod_lims.so');
    my $file    = shared_folder() . "/openapi-$sources.json";

    return exclusively(sub { return _slurp($file) if -s $file; return })
        || _fetch_openapi($file);
}

# The application's document; a test compares it with what the service serves.
sub application_openapi {
    my $limsctl = out() . '/limsctl';
    my $text    = qx('$limsctl' openapi --surface application);
    die "limsctl openapi: $?\n" if $?;
    return $text;
}

sub _fetch_openapi {
    my ($file) = @_;
    require LIMS::Test;

    my $lims     = LIMS::Test->new(name => "openapi-$$", contract => 0);
    my $response = $lims->get('/openapi.json');
    $lims->finish;
    return unless $response->status == 200 && length $response->body;
    open my $out, '>:raw', "$file.$$" or die "$file: $!\n";
    print {$out} $response->body;
    close $out or die "$file: $!\n";
    unlink grep { -M > 1 / 24 } glob shared_folder() . '/{openapi,decoded}-*';
    rename "$file.$$", $file or die "$file: $!\n";
    return $response->body;
}

1;
