# SPDX-License-Identifier: Apache-2.0
package LIMS::Test;

=head1 NAME

LIMS::Test - a service of its own for each test

=head1 SYNOPSIS

    use LIMS::Test;    # also strict, warnings, all of Test::More, and wait_until

    my $lims = LIMS::Test->new(conf => 'LimsRateLimit 120');
    my $made = $lims->post('/samples', { clientName => 'Acme', materialTypeId => 1 });
    is($made->status, 201);
    is($lims->get('/samples/' . $made->json->{id})->json->{status}, 'pending');
    done_testing();

=head1 DESCRIPTION

C<new> clones a migrated database and starts an httpd on a free port, over TLS,
with F<conf/lims.conf> as it is shipped. Both go when the test ends.

Every reply to every request is compared with the OpenAPI document that the
service serves; what is not as documented fails the test. So does an error log
with lines of level error or above that the test did not announce with
C<expect_log>, a child that crashed, and what a sanitizer found.

=head2 new(%option)

    conf      further directives, read before conf/lims.conf. Without a
              LimsRateLimit, LimsUnknownKeys or LimsScanInterval among them these are out of the way
    demo      1: with the demonstration data; the default key is its first
    children  number of child processes (2)
    mpm       event (default) or worker
    base      what stands before /api/v1 (as LimsBasePath, '')
    beside    another LIMS::Test: a second httpd, on its database and organization
    contract  0: replies are not compared with the document

=head2 Requests

    get, post, patch, head, delete, put ($path, $body, %option)
    request($method, $path, body => , key => , headers => {}, connection => 'new')

C<$path> is below /api/v1, with its query. A body that is a reference is sent as
JSON, text as it is (bytes), with Content-Type application/json unless headers
say otherwise. C<key> is the key to send, undef for none; without it, the key of
the test's own organization. GET and HEAD take no body. The answer is a
L<LIMS::Response>.

    raw($bytes, plain => 1, patience => 60)    the bytes that came back
    http_get($path)                           without TLS

=head2 The laboratory

    organization(code => , name => , ...policies as columns)
    key($organization, scopes => [], upload_only => 1, name => )
    insert($table, { column => value }, $organization)    its id
    fixture                                   the test's own organization

An organization is a hash of id, code, user_id, key and key_id.

=head2 Database and command line

    db         a handle as lims_owner; superuser as the superuser
    app_db($organization_id)   as lims_app, for that organization
    conninfo($role)            a libpq connection string
    forget_handles             before the database goes away
    ctl(@arguments)            limsctl --json; a hash of exit, json, output

=head2 Concurrency

    my @results = $lims->parallel(20, sub { my ($number) = @_; ... });

Twenty processes connect, wait for each other, then act at once. What each
returns comes back in order.

=head2 The server

    log, expect_log(qr/LIMS0042/), pid, children, graceful, restart, stop, start
    allow_log(qr/LIMS0042/)

C<expect_log> waits for the line, and fails if none comes; C<allow_log>
is for lines that depend on the moment.

=head2 Environment

    LIMS_TEST_LEAVE=1     leaves server and database running
    LIMS_TEST_CATLOG=1    prints the error log at the end
    LIMS_TEST_CONTRACT=0  while writing: replies are not compared

=cut

use strict;
use warnings;

use HTTP::Tiny;
use IO::Handle;
use IO::Socket::INET;
use IO::Socket::SSL;
use JSON::PP ();
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use Storable qw(freeze thaw);
use Test::More;

use parent 'LIMS::Fixture';

use LIMS::Instance;
use LIMS::OpenAPI;
use LIMS::Response;
use LIMS::Schema;
use LIMS::Wait;

# Neither the environment's proxy nor its locale have a say in a test.
delete @ENV{qw(http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY)};
$ENV{LC_ALL} = 'C.UTF-8';
$SIG{PIPE}   = 'IGNORE';
# So that END blocks put away what was started.
$SIG{$_} = sub { exit 1 } for qw(INT TERM);

our $owner = $$;
my (@running, %named);

sub import {
    my ($class) = @_;

    strict->import;
    warnings->import;
    Test::More->export_to_level(1, $class);
    LIMS::Wait->export_to_level(1, $class);
    return;
}

sub new {
    my ($class, %option) = @_;
    my $name = $option{name} || _name();
    my $self = bless {
        name     => $name,
        database => $option{beside} ? $option{beside}{database} : 'lims_test_' . $name =~ s/\W/_/gr,
        beside   => $option{beside},
        base     => ($option{base} || '') . '/api/v1',
        contract => _wants_contract($option{contract}),
        expected => [ $ENV{LIMS_VALGRIND} ? qr/AH00046/ : () ],    # ends too slowly for httpd
        problems => [],
    }, $class;

    LIMS::Instance::create_database($self->{database}, $option{demo}) unless $option{beside};
    $self->{instance} = LIMS::Instance->start(
        name     => $name,
        database => $self->{database},
        children => $option{children},
        mpm      => $option{mpm},
        conf     => _configuration($option{conf}),
    );
    push @running, $self;
    if (my $first = $option{beside}) {
        @$self{qw(keys key fixture)} = @$first{qw(keys key fixture)};
    }
    elsif ($option{demo}) {
        $self->{keys} = LIMS::Instance::demo_keys();
        $self->{key}  = $self->{keys}{LIMS_API_KEY};
    }
    else {
        $self->{fixture} = $self->organization(code => 'test-laboratory');
        $self->{key}     = $self->{fixture}{key};
    }
    return $self;
}

# t/samples/create.t -> samples-create, a second server of it samples-create-2.
sub _name {
    my $name = $0;
    $name =~ s{\A.*\bt/}{};
    $name =~ s{\.t\z}{};
    $name =~ s{[^A-Za-z0-9]+}{-}g;
    $name =~ s{\A-}{};
    $name = lc substr $name, 0, 40;
    return $named{$name}++ ? "$name-$named{$name}" : $name;
}

sub _wants_contract {
    my ($asked) = @_;
    return 0 if defined $asked && !$asked;
    return !defined $ENV{LIMS_TEST_CONTRACT} || $ENV{LIMS_TEST_CONTRACT};
}

sub _configuration {
    my $conf = $_[0] // '';
    $conf = "LimsRateLimit 5000\nLimsRateKeys 256\n$conf" unless $conf =~ /LimsRateLimit/i;
    $conf = "LimsUnknownKeys 0\n$conf" unless $conf =~ /LimsUnknownKeys/i;
    $conf = "LimsScanInterval 86400\n$conf" unless $conf =~ /LimsScanInterval/i;
    return $conf;
}

# --- Requests ----------------------------------------------------------------

sub get    { my ($self, $path, %o) = @_; return $self->request('GET',  $path, %o) }
sub head   { my ($self, $path, %o) = @_; return $self->request('HEAD', $path, %o) }
sub post   { my ($self, $path, $body, %o) = @_; return $self->_send('POST',   $path, $body, %o) }
sub patch  { my ($self, $path, $body, %o) = @_; return $self->_send('PATCH',  $path, $body, %o) }
sub put    { my ($self, $path, $body, %o) = @_; return $self->_send('PUT',    $path, $body, %o) }
sub delete { my ($self, $path, $body, %o) = @_; return $self->_send('DELETE', $path, $body, %o) }

sub _send {
    my ($self, $method, $path, $body, %option) = @_;
    return $self->request($method, $path, %option, body => $body);
}

sub request {
    my ($self, $method, $path, %option) = @_;
    my ($headers, $body) = $self->_message(%option);
    my $answer = $self->_client(\%option)->request($method, $self->url . $self->{base} . $path,
        { headers => $headers, defined $body ? (content => $body) : () });

    # HTTP::Tiny's own status for what never reached the server.
    die "$method $path: $answer->{content}" if $answer->{status} == 599;
    my $response = LIMS::Response->new(
        status  => $answer->{status},
        body    => $answer->{content},
        headers => { map { $_ => ref $answer->{headers}{$_}
                    ? join(', ', @{ $answer->{headers}{$_} }) : $answer->{headers}{$_} }
                keys %{ $answer->{headers} } },
    );
    $self->check_contract($method, $path, $response);
    return $response;
}

sub _message {
    my ($self, %option) = @_;
    my %headers = %{ $option{headers} || {} };
    my $key     = exists $option{key} ? $option{key} : $self->{key};
    my $body    = $option{body};

    $body = JSON::PP->new->utf8->canonical->allow_nonref->allow_bignum->encode($body) if ref $body;
    $headers{Authorization} = "Bearer $key"
        if defined $key && !grep { lc eq 'authorization' } keys %headers;
    $headers{'Content-Type'} = 'application/json'
        if defined $body && !grep { lc eq 'content-type' } keys %headers;
    return (\%headers, $body);
}

# HTTP::Tiny writes head and body one by one: without this, the kernel keeps the
# second back until the first is acknowledged, 40 ms for every body.
{
    no warnings 'redefine';
    my $connect = HTTP::Tiny::Handle->can('connect');
    *HTTP::Tiny::Handle::connect = sub {
        my $handle = $connect->(@_);
        setsockopt $handle->{fh}, IPPROTO_TCP, TCP_NODELAY, 1;
        return $handle;
    };
}

# A connection is kept and used again, by this process only, and not when it has
# been idle so long that httpd may be closing it (KeepAliveTimeout).
sub _client {
    my ($self, $option) = @_;
    my $new = ($option->{connection} || '') eq 'new' || time > ($self->{client_until} || 0);

    delete $self->{client} if $new || ($self->{client_of} || 0) != $$;
    $self->{client_of}    = $$;
    $self->{client_until} = time + 3;
    return $self->{client} ||= HTTP::Tiny->new(
        agent        => 'LIMS-Test',
        keep_alive   => 1,
        max_redirect => 0,
        timeout      => 120,
        verify_SSL   => 1,
        SSL_options  => { SSL_ca_file => LIMS::Instance::ca_file() },
    );
}

sub url {
    my ($self) = @_;
    return "https://127.0.0.1:$self->{instance}{port}";
}

sub http_get {
    my ($self, $path, %option) = @_;
    my ($headers) = $self->_message(%option);
    my $answer = HTTP::Tiny->new(agent => 'LIMS-Test', max_redirect => 0)
        ->get("http://127.0.0.1:$self->{instance}{plain_port}$self->{base}$path",
        { headers => $headers });

    my $response = LIMS::Response->new(status => $answer->{status}, body => $answer->{content},
        headers => $answer->{headers});
    $self->check_contract('GET', $path, $response);
    return $response;
}

# An open socket to the service, over TLS unless plain.
sub socket {
    my ($self, %option) = @_;

    if ($option{plain}) {
        return IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $self->{instance}{plain_port}) || die "connect: $!\n";
    }
    return IO::Socket::SSL->new(
        PeerAddr      => '127.0.0.1',
        PeerPort      => $self->{instance}{port},
        SSL_hostname  => '',
        SSL_ca_file   => LIMS::Instance::ca_file(),
        SSL_verifycn_scheme => 'none',
    ) || die "connect: $IO::Socket::SSL::SSL_ERROR\n";
}

sub raw {
    my ($self, $bytes, %option) = @_;
    my $socket = $self->socket(%option);

    $socket->blocking(1);
    my $sent = 0;
    while ($sent < length $bytes) {
        my $count = syswrite $socket, $bytes, 16384, $sent;
        last unless defined $count;    # it has heard enough and hung up
        $sent += $count;
    }
    my $answer = _read_answer($socket, $option{patience} || 60);
    close $socket;
    return $answer;
}

# Until the answer is whole, the other side hangs up or patience ends.
sub _read_answer {
    my ($socket, $patience) = @_;
    my $answer = '';
    my $ok = eval {
        local $SIG{ALRM} = sub { die "patience\n" };
        alarm $patience;
        while (sysread $socket, my $some, 65536) {
            $answer .= $some;
            my ($head, $body) = split /\r\n\r\n/, $answer, 2;
            last if defined $body && $head =~ /^Content-Length: *(\d+)/mi && length $body >= $1;
        }
        alarm 0;
        1;
    };
    alarm 0;
    die $@ if !$ok && $@ ne "patience\n";
    return $answer;
}

# --- The contract ------------------------------------------------------------

my $api;

sub api {
    return $api ||= do {
        my $text = LIMS::Instance::openapi();
        die "the service does not serve an OpenAPI document at /api/v1/openapi.json\n"
            unless defined $text;
        LIMS::OpenAPI->new(LIMS::Schema::decode($text));
    };
}

# Compares a reply with what the document says and notes what was seen.
sub check_contract {
    my ($self, $method, $path, $response) = @_;

    return unless $self->{contract};
    my ($bare) = $path =~ /\A([^?]*)/;
    my ($operation, @faults) = $self->api->check($method, $bare, $response);
    _note_coverage($operation->{operationId}, $response->status) if $operation;
    return unless @faults;
    $self->_problem("$method $path " . $response->status . ' is as documented',
        @faults, $response->body);
    return;
}

sub _note_coverage {
    my ($operation, $status) = @_;
    our %noted;

    return if $noted{"$operation $status"}++;
    open my $out, '>>', "$LIMS::Instance::cluster/coverage" or die "coverage: $!\n";
    syswrite $out, "$operation $status\n";
    close $out;
    return;
}

# Fails the test; in a process of parallel(), its parent does.
sub _problem {
    my ($self, $name, @words) = @_;
    chomp @words;

    if ($$ == $owner) {
        Test::More::fail($name);
        Test::More::diag(map { "  $_\n" } map { length > 2000 ? substr($_, 0, 2000) . '...' : $_ }
                grep { length } @words);
        return;
    }
    push @{ $self->{problems} }, [ $name, @words ];
    return;
}

# --- Database and command line -----------------------------------------------

sub conninfo {
    my ($self, $role) = @_;
    return LIMS::Instance::conninfo($self->{database}, $role || 'lims_owner');
}

sub db        { return $_[0]->_handle('lims_owner') }
sub superuser { return $_[0]->_handle('postgres') }

# As the service connects, for one organization (undef: none).
sub app_db {
    my ($self, $organization_id) = @_;
    my $handle = $self->_handle('lims_app');

    $handle->do(q{SELECT set_config('lims.organization_id', ?, false)}, undef,
        defined $organization_id ? $organization_id : '');
    return $handle;
}

# Processes do not share connections.
sub _handle {
    my ($self, $role) = @_;
    return $self->{handles}{$$}{$role} ||=
        LIMS::Instance::connect_database($self->{database}, $role);
}

sub ctl {
    my ($self, @arguments) = @_;
    my ($status, $output) = LIMS::Instance::capture(LIMS::Instance::out() . '/limsctl',
        '--database', $self->conninfo, '--json', @arguments);
    my $bytes = $output;

    return { exit => $status, output => $output,
        json => scalar eval { LIMS::Schema::decode($bytes) } };
}

# Where the database is about to go away: the next call connects anew.
sub forget_handles {
    my ($self) = @_;
    $_->disconnect for values %{ delete $self->{handles}{$$} || {} };
    return;
}

# --- Concurrency -------------------------------------------------------------

sub parallel {
    my ($self, $count, $action) = @_;
    my (@children, @results);

    pipe my $ready_in, my $ready_out or die "pipe: $!\n";
    pipe my $go_in,    my $go_out    or die "pipe: $!\n";
    for my $number (0 .. $count - 1) {
        pipe my $in, my $out or die "pipe: $!\n";
        my $pid = fork;
        die "fork: $!\n" unless defined $pid;
        if (!$pid) {
            close $_ for $in, $ready_in, $go_out;
            $self->_take_part($number, $action, $ready_out, $go_in, $out);
        }
        close $out;
        push @children, [ $pid, $in ];
    }
    close $ready_out;
    close $go_in;
    for (1 .. $count) {
        sysread($ready_in, my $byte, 1) or die "a process of parallel() died\n";
    }
    close $go_out;    # all are waiting for just this
    for my $child (@children) {
        push @results, $self->_collect(@$child);
    }
    return @results;
}

sub _take_part {
    my ($self, $number, $action, $ready, $go, $out) = @_;
    my $ok = eval {
        # A connection, so that the handshake is not part of what overlaps.
        $self->_client({})->get($self->url . '/ready');
        syswrite $ready, '.';
        close $ready;
        sysread $go, my $byte, 1;
        my $result = $action->($number);
        print {$out} freeze([ $result, $self->{problems} ]);
        1;
    };
    print {$out} freeze([ undef, [ [ "process $number of parallel() ran", "$@" ] ] ]) unless $ok;
    close $out;
    # Neither END blocks nor destructors: they are the parent's.
    require POSIX;
    POSIX::_exit(0);
}

sub _collect {
    my ($self, $pid, $in) = @_;
    my $frozen = do { local $/ = undef; <$in> };

    close $in;
    waitpid $pid, 0;
    if (!defined $frozen || $frozen eq '') {
        $self->_problem('a process of parallel() ended as it should', "wait status $?");
        return undef;
    }
    my ($result, $problems) = @{ thaw($frozen) };
    $self->_problem(@$_) for @$problems;
    return $result;
}

# --- The server --------------------------------------------------------------

sub log      { return $_[0]{instance}->log }
sub pid      { return $_[0]{instance}->pid }
sub children { return $_[0]{instance}->children }
sub graceful { delete $_[0]{client}; return $_[0]{instance}->graceful }
sub start    { return $_[0]{instance}->launch }

# A connection that is kept would keep a child waiting, or be closed by it.
sub stop {
    my ($self) = @_;
    delete $self->{client};
    return $self->{instance}->stop;
}

sub restart {
    my ($self) = @_;
    $self->stop;
    return $self->start;
}

# A line of the error log that the test provoked; the test fails without it.
sub expect_log {
    my ($self, $pattern, $name) = @_;

    push @{ $self->{expected} }, $pattern;
    wait_until { $self->log =~ $pattern };
    return Test::More::like($self->log, $pattern, $name || "the error log has $pattern");
}

# Lines that may come, or not: which ones depends on the moment.
sub allow_log {
    my ($self, @patterns) = @_;
    push @{ $self->{expected} }, @patterns;
    return;
}

# Errors, and what has not httpd's form, such as libc's last words; libpq warns so.
sub _unexpected_log {
    my ($self) = @_;
    my @lines = grep { /^\[[^]]+\] \[[\w-]*:(?:error|crit|alert|emerg)\]|exit signal/ || /\S/
            && !/^(?:\[[^]]+\] \[[\w-]*:\w+\]|(?:WARNING|DETAIL|HINT):) / } split /\n/, $self->log;

    for my $pattern (@{ $self->{expected} }) {
        @lines = grep { $_ !~ $pattern } @lines;
    }
    return @lines;
}

# Ends server and database; false when the log was not clean.
sub finish {
    my ($self) = @_;
    @running = grep { $_ != $self } @running;
    $_->disconnect for grep { $_ } values %{ delete($self->{handles}{$$}) || {} };
    return $self->_leave if $ENV{LIMS_TEST_LEAVE};
    $self->stop;
    my @faults = $self->_unexpected_log;
    my $found  = $self->{instance}->sanitizer_output;

    Test::More::diag($self->log) if $ENV{LIMS_TEST_CATLOG};
    Test::More::diag(join "\n", 'The error log has what the test did not expect:', @faults)
        if @faults;
    Test::More::diag("A sanitizer found:\n$found") if length $found;
    $self->{instance}->remove;
    LIMS::Instance::drop_database($self->{database}) unless $self->{beside};
    return !@faults && !length $found;
}

sub _leave {
    my ($self) = @_;
    Test::More::diag('left running: ', $self->url, ', key ', $self->{key}, ', database ',
        $self->conninfo, ', log ', $self->{instance}{home}, '/log/error.log');
    return 1;
}

# All that still run, the latest first: it may stand beside another. False when a
# log was not clean.
sub finish_all {
    my $clean = 1;
    for my $lims (reverse splice @running) {
        $clean = 0 unless eval { $lims->finish } || (Test::More::diag($@), 0)[1];
    }
    return $clean;
}

# Also after die: nothing stays behind. Test::More gives the verdict its words.
END {
    if ($$ == $owner) {
        my $status = $?;
        my $clean  = finish_all();
        LIMS::Instance::leave_cluster() unless $ENV{LIMS_TEST_LEAVE};
        $? = $status || ($clean ? 0 : 254);
    }
}

1;
