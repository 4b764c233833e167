# SPDX-License-Identifier: Apache-2.0
package Bench::Setup;

=head1 NAME

Bench::Setup - the cluster, data, servers and keys that are measured

=head1 DESCRIPTION

Everything is in F<build/bench-out>. The cluster is a private one of
F<build/instance> with its tests' settings taken back: what is acknowledged is
on disk. Each size of data is generated once for a schema and kept; every run
measures on fresh copies.

=cut

use strict;
use warnings;

use Cwd qw(abs_path);
use DBI;
use Digest::SHA;
use File::Basename qw(basename dirname);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use IO::Socket::INET;
use JSON::PP;

our $root    = abs_path(dirname(__FILE__) . '/../../..');
our $bench   = "$root/build/bench";
our $place   = "$root/build/bench-out";
our $cluster = "$place/cluster";
our $built   = "$place/built";

# How many organizations the load speaks for; each has a process of pgbench.
our $speakers = 16;

sub slurp {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    local $/ = undef;
    return scalar <$in>;
}

sub spew {
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!\n";
    print {$out} $text;
    close $out or die "$path: $!\n";
    return;
}

# For keys.
sub spew_secret {
    my ($path, $text) = @_;
    my $mask = umask 077;

    unlink $path;
    spew($path, $text);
    umask $mask;
    return;
}

sub run {
    my (@command) = @_;
    system(@command) == 0 or die "@command failed\n";
    return;
}

sub output {
    my (@command) = @_;
    open my $pipe, '-|', @command or die "$command[0]: $!\n";
    my $text = do { local $/ = undef; <$pipe> };
    close $pipe or die "@command failed\n";
    return defined $text ? $text : '';
}

# Another build meanwhile must not change what is measured.
sub keep_build {
    my $out = $ENV{LIMS_OUT} || 'build/out';

    $out = "$root/$out" unless $out =~ m{\A/};
    make_path($built);
    spew("$place/.gitignore", "*\n");
    for my $path (map({ "$out/$_" } qw(mod_lims.so limsctl statements.c migrations.sha256)),
        "$bench/generate.sql", "$root/sql/roles.sql", "$root/conf/lims.conf") {
        my $kept = "$built/" . basename($path);
        copy($path, "$kept.new") or die "$path: $!\n";
        rename "$kept.new", $kept or die "$kept: $!\n";
    }
    chmod 0755, "$built/limsctl";
    return;
}

# --- The cluster -------------------------------------------------------------

sub home {
    my ($dir) = @_;
    return readlink "$dir/home" || $dir;
}

sub tls_folder {
    return home($cluster) . '/tls';
}

sub socket_folder {
    my $home = home($cluster);
    return -s "$home/socket" ? slurp("$home/socket") =~ s/\n//r : "$home/pg";
}

# The settings that conf/lims.conf gives each of the service's sessions: others
# that run its statements are to run them the same way.
sub session_options {
    my $conf      = slurp("$built/lims.conf");
    my %defined   = $conf =~ /^\s*Define (\w+) "([^"]*)"/mg;
    my ($options) = $conf =~ /^\s*DBDParams .*options='([^']*)'/m;

    die "conf/lims.conf names no session options\n" unless defined $options;
    return $options =~ s/\$\{(\w+)\}/$defined{$1}/gr;
}

sub database {
    my ($name, $role) = @_;
    my $source = 'dbi:Pg:host=' . socket_folder() . ";dbname=$name";
    return DBI->connect($source, $role || 'postgres', undef,
        { RaiseError => 1, PrintError => 0, PrintWarn => 0, AutoCommit => 1 });
}

# A quarter of the memory: what PostgreSQL's manual begins with.
sub shared_buffers {
    my ($kilobytes) = slurp('/proc/meminfo') =~ /^MemTotal:\s+(\d+)/m;
    return int($kilobytes / 4096) . 'MB';
}

sub start_cluster {
    my @settings = (
        [ fsync              => 'on' ],
        [ synchronous_commit => 'on' ],
        [ full_page_writes   => 'on' ],
        [ shared_buffers     => shared_buffers() ],
        [ max_wal_size       => '8GB' ],
        [ checkpoint_timeout => '15min' ],
        [ max_connections    => 300 ],
    );

    make_path($cluster);
    run("$root/build/instance", 'cluster', $cluster);
    my $admin = database('postgres');
    $admin->do("ALTER SYSTEM SET $_->[0] = '$_->[1]'") for @settings;
    $admin->disconnect;
    run("$root/build/instance", 'stop',    $cluster);
    run("$root/build/instance", 'cluster', $cluster);
    return;
}

# --- Data --------------------------------------------------------------------

# The name of the kept database of this many samples and this schema.
sub kept_name {
    my ($size) = @_;
    my $sha = Digest::SHA->new(256);
    $sha->addfile("$built/$_") for qw(migrations.sha256 generate.sql roles.sql);
    return sprintf 'kept_%d_%d_%s', $size->{samples}, $size->{organizations},
        substr $sha->hexdigest, 0, 10;
}

sub limsctl {
    my ($name, @arguments) = @_;
    return output("$built/limsctl", '--database',
        "host='" . socket_folder() . "' dbname=$name user=lims_owner", @arguments);
}

sub psql {
    my ($name, @arguments) = @_;
    local $ENV{PGUSER}     = 'postgres';
    local $ENV{PGDATABASE} = $name;
    return output("$root/build/instance", 'psql', $cluster, '-Xq', '-v', 'ON_ERROR_STOP=1',
        @arguments);
}

sub make_keys {
    my ($name, $size) = @_;
    my @keys;

    for my $o (1 .. $size->{organizations}) {
        my $made = decode_json(limsctl($name, qw(key create --json --name bench), '--organization',
            "bench-$o", '--user', "admin\@bench-$o.example"));
        push @keys, { id => $made->{id}, key => $made->{rawKey}, organization => $o };
    }
    spew_secret("$place/$name.keys", encode_json(\@keys));
    return;
}

# Generates the data unless it is there.
sub make_data {
    my ($size, $say) = @_;
    my $name  = kept_name($size);
    my $admin = database('postgres');
    my ($there) =
        $admin->selectrow_array('SELECT 1 FROM pg_database WHERE datname = ?', undef, $name);

    if (!$there || !-s "$place/$name.keys") {
        $say->("generating $size->{samples} samples in $size->{organizations} organizations");
        $admin->do("DROP DATABASE IF EXISTS $name WITH (FORCE)");
        $admin->do("CREATE DATABASE $name");
        psql($name, '-f', "$built/roles.sql");
        limsctl($name, 'migrate');
        psql($name, '-v', "samples=$size->{samples}", '-v', "organizations=$size->{organizations}",
            '-f', "$built/generate.sql");
        make_keys($name, $size);
    }
    return $name;
}

# Data of other schemas is not needed any more.
sub drop_others {
    my ($needed) = @_;
    my ($schema) = $needed =~ /_(\w{10})\z/;
    my $admin    = database('postgres');

    for my $name (@{ $admin->selectcol_arrayref(
            "SELECT datname FROM pg_database WHERE datname ~ '^(kept|bench)_'") }) {
        next if $name =~ /\Akept_.*_$schema\z/;
        $admin->do("DROP DATABASE $name WITH (FORCE)");
        unlink "$place/$name.keys";
    }
    return;
}

# A fresh copy to be measured on.
sub copy_data {
    my ($kept, $name) = @_;
    my $admin = database('postgres');

    $admin->do("DROP DATABASE IF EXISTS $name WITH (FORCE)");
    $admin->do("CREATE DATABASE $name TEMPLATE $kept STRATEGY FILE_COPY");
    return;
}

# Makes the views and functions that the statements of 1.0.0 read, the reference of the
# service's.
sub make_reference {
    my ($name) = @_;
    psql($name, '-f', "$bench/version-1.0.0/records.sql");
    return;
}

# --- Who asks ----------------------------------------------------------------

# Sample tests that can take a result, in sets of a thousand: no two of them
# share a test, so that requests in parallel do not wait for each other.
sub open_tests {
    my ($database, $organization) = @_;
    my $ids = $database->selectcol_arrayref(<<'END', undef, $organization);
SELECT t.id
  FROM lims.sample_test t
 WHERE t.organization_id = ?
   AND t.status <> 'verified'
 ORDER BY t.sample_id, t.id
 LIMIT 4000
END
    my @sets;

    push @sets, [ splice @$ids, 0, 1000 ] while @$ids >= 1000;
    return \@sets;
}

# The samples of a page of a list, and from how many of an organization's samples on a
# whole page and one sample more follow: what a page costs is compared between databases
# in which an organization has 200 and 20,000 samples.
our $page = 50;

sub pages {
    my ($count) = @_;
    return $count > $page + 1 ? $count - $page - 1 : 1;
}

# The keys that the load uses, spread over the organizations.
sub speakers {
    my ($kept, $name, $size) = @_;
    my $keys     = decode_json(slurp("$place/$kept.keys"));
    my $database = database($name);
    my $count    = $speakers < @$keys ? $speakers : scalar @$keys;
    my $samples  = int($size->{samples} / $size->{organizations});
    my @speakers;

    for my $i (0 .. $count - 1) {
        my $key = $keys->[ int($i * @$keys / $count) ];
        my $o   = $key->{organization};
        push @speakers, {
            %$key,
            hash  => '\\x' . Digest::SHA::sha256_hex($key->{key}),
            user  => ($o - 1) * 8 + 1,
            first => $o,
            step  => $size->{organizations},
            count => $samples,
            pages => pages($samples),
            material    => ($o - 1) * 8 + 3,
            project     => ($o - 1) * 24 + 5,
            client      => "Client 7 of $o",
            definitions => join(',', map { ($o - 1) * 24 + $_ } 3, 11, 19),
            sets        => open_tests($database, $o),
        };
    }
    return \@speakers;
}

sub lua {
    my ($value) = @_;
    return '{' . join(',', map { lua($_) } @$value) . '}' if ref $value eq 'ARRAY';
    return '{' . join(',', map { "$_=" . lua($value->{$_}) } sort keys %$value) . '}' if ref $value;
    return $value =~ /\A\d+\z/ ? $value : '"' . $value =~ s/(["\\])/\\$1/gr . '"';
}

# Writes the plan that load.lua reads; never the same twice, so that no request is a
# repetition.
sub write_plan {
    my ($path, $speakers) = @_;
    our $plans;
    my @today = gmtime;
    my @keys;

    for my $speaker (@$speakers) {
        my %key = map { $_ => $speaker->{$_} }
            qw(key first step count pages material project client definitions sets);
        push @keys, \%key;
    }

    spew_secret($path, 'return ' . lua({
        keys   => \@keys,
        seed   => $$ + 104729 * ++$plans,
        offset => ($plans * 97) % 280,
        run    => sprintf('%x-%x-%x', time, $$, $plans),
        today  => sprintf('%d-%02d-%02d', $today[5] + 1900, $today[4] + 1, $today[3]),
    }) . "\n");
    return $path;
}

# --- Servers -----------------------------------------------------------------

# A httpd over the database, with the rate limit out of the way, and no search for
# .htaccess before each static file. Each child has as many threads as there are
# connections: one that has no thread left closes connections that wait for their
# next request. The lifecycle scan, which would look at a minute's writes while
# somebody else is measured, runs between measurements; it has one of its own
# (build/bench/scan).
sub start_httpd {
    my ($name, $database) = @_;
    my $dir = "$cluster/httpd-$name";

    make_path($dir);
    spew("$dir/extra.conf", <<'END');
ThreadsPerChild 32
MaxRequestWorkers 64
MaxSpareThreads 64
LimsRateLimit 5000
LimsRateWindow 1
LimsRateKeys 64
LimsScanInterval 86400
<Directory "/">
    AllowOverride None
</Directory>
END
    local @ENV{qw(LIMS_CLUSTER LIMS_DBNAME LIMS_CHILDREN LIMS_OUT LIMS_EXTRA)} =
        ($cluster, $database, 2, $built, "$dir/extra.conf");
    run("$root/build/instance", 'httpd', $dir);
    my $home = home($dir);
    chomp(my $port = slurp("$home/port"));
    chomp(my $pid  = slurp("$home/httpd.pid"));
    return { url => "https://127.0.0.1:$port", pid => $pid, home => $home };
}

sub free_port {
    my $socket = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')
        or die "no free port: $!\n";
    return $socket->sockport;
}

# The packages are those of the lock file, in a copy outside of the sources.
sub install_reference {
    my $dir = "$place/reference";

    make_path($dir);
    copy("$bench/reference/$_", "$dir/$_") or die "$_: $!\n"
        for qw(index.js package.json package-lock.json .npmrc);
    my $sha = Digest::SHA->new(256)->addfile("$dir/package-lock.json")->hexdigest;
    return $dir if -s "$dir/installed" && slurp("$dir/installed") eq $sha;
    run('sh', '-c', 'cd "$1" && npm ci --ignore-scripts --loglevel=error >&2', 'sh', $dir);
    spew("$dir/installed", $sha);
    return $dir;
}

sub start_reference {
    my ($database, $statements) = @_;
    my $dir  = install_reference();
    my $port = free_port();
    my $tls  = tls_folder();

    spew("$place/statements.json",
        encode_json({ map { $_ => $statements->{$_}{sql} } keys %$statements }));
    my $pid = open my $out, '-|';
    defined $pid or die "fork: $!\n";
    if (!$pid) {
        @ENV{qw(NODE_ENV BENCH_SOCKET BENCH_DATABASE BENCH_PORT BENCH_KEY BENCH_CERTIFICATE
            BENCH_STATEMENTS BENCH_CONNECTIONS BENCH_OPTIONS)} = ('production', socket_folder(),
            $database, $port, "$tls/server.key", "$tls/server.pem", "$place/statements.json", 32,
            session_options());
        exec 'node', "$dir/index.js" or die "node: $!\n";
    }
    defined(my $line = <$out>) or die "the reference service did not start\n";
    return { url => "https://127.0.0.1:$port", pid => $pid, out => $out };
}

sub stop_reference {
    my ($reference) = @_;
    kill 'TERM', $reference->{pid};
    waitpid $reference->{pid}, 0;
    return;
}

sub stop {
    run("$root/build/instance", 'stop', $cluster) if -d $cluster;
    return;
}

1;
