# SPDX-License-Identifier: Apache-2.0
package LIMS::Test;

=head1 NAME

LIMS::Test - tests over HTTP: a service and a database of their own

=head1 SYNOPSIS

    use LIMS::Test;    # also all of Test::More, and wait_until

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
    request($method, $path, body => , key => , headers => {}, connection => 'new',
        from => '127.0.0.2')

C<$path> is below /api/v1, with its query. A body that is a reference is sent as
JSON, text as it is (bytes), with Content-Type application/json unless headers
say otherwise. C<from> is the address to send from (127.0.0.1). C<key> is the key to send, undef for none; without it, the key of
the test's own organization. GET and HEAD take no body. The answer is a
L<LIMS::Service::Response>.

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

use Test::More;

use parent qw(LIMS::Test::Connections LIMS::Test::ErrorLog LIMS::Test::Fixture
    LIMS::Test::Parallel LIMS::Test::Requests);

use LIMS::Instance;
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

# --- The server --------------------------------------------------------------

sub log      { return $_[0]{instance}->log }
sub pid      { return $_[0]{instance}->pid }
sub children { return $_[0]{instance}->children }
sub graceful { delete $_[0]{client}; return $_[0]{instance}->graceful }
sub start    { return $_[0]{instance}->launch }

# In each process of parallel(): its connection is there.
sub before_parallel {
    my ($self) = @_;
    $self->client({})->get($self->url . '/ready');
    return;
}

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

# Ends server and database; false when the log was not clean.
sub finish {
    my ($self) = @_;
    @running = grep { $_ != $self } @running;
    $self->forget_handles;
    return $self->_leave if $ENV{LIMS_TEST_LEAVE};
    $self->stop;
    my @faults = $self->unexpected_log;
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
