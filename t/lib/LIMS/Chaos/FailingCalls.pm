# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::FailingCalls;

=head1 NAME

LIMS::Chaos::FailingCalls - makes the nth allocation or libpq call of a request fail

=head1 SYNOPSIS

    # before the server
    my $fail = LIMS::Chaos::FailingCalls->new(name => 'calls', libraries => ['calls']);
    my $lims = LIMS::Test->new(conf => $fail->conf);
    $fail->begin($lims);
    my $outcome = $fail->one('call', 3, 0, [ 'GET', '/samples' ]);

=head1 DESCRIPTION

F<build/fail> has what httpd is started with. C<one> sends one request to the
one child of the server, in which the C<turn>th allocation (C<memory>), the
C<turn>th call of libpq (C<call>) or the connection at that call (C<link>) fails;
with C<lasting>, and all that follow. What came of it is a hash: C<status> (0:
no answer), C<body>, C<silent>, whether that was waited for in vain, C<seen> and
C<failed> turns, the C<what> that failed, and the C<blocks> of memory the process
has. C<alone> does so without a request.

C<sweep> does that for every turn that a kind of request has, and judges what
the database looks like after each; see there.

=cut

use strict;
use warnings;

use IO::Socket::SSL;
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep);

use LIMS::Files::Instrument;
use LIMS::Instance;
use LIMS::Service::Response;
use LIMS::Wait;

my %kinds  = (memory => 1, call => 2, link => 3);
my $layout = 'l<6 q< Z48';
my @intervals = map { "Lims$_" } qw(IngestResume RecoveryInterval RetentionInterval ScanInterval);

sub new {
    my ($class, %option) = @_;
    my $self = bless { file => "$LIMS::Instance::cluster/fail-$option{name}", turns => 0, brigades => 0 },
        $class;
    my @libraries = map { LIMS::Instance::out() . "/fail/$_.so" } @{ $option{libraries} };

    # Seed for choosing the turns that are tried; TORTURE_SEED repeats a run.
    my $seed = $ENV{TORTURE_SEED} || time ^ $$;
    srand $seed;
    note("TORTURE_SEED=$seed");

    LIMS::Instance::start_cluster();
    $self->_write($layout, (0) x 7, '');
    for my $file (map { "$self->{file}$_" } '', qw(.trace .death)) {
        open my $out, '>>', $file or die "$file: $!\n";
        chmod 0666, $file or die "$file: $!\n";
    }
    $ENV{LIMS_FAIL}    = $self->{file};
    $ENV{LIMS_PRELOAD} = join ':', grep { $_ } $ENV{LIMS_PRELOAD}, @libraries;
    return $self;
}

# One child that does one thing at a time: what is counted is one request, or what
# works without one. libpq without memory may wait for an answer that has come: not
# for long.
sub conf {
    my ($self, %option) = @_;
    return join "\n", 'LimsDatabaseTimeout 1000', 'ThreadsPerChild 2', 'MaxRequestWorkers 2',
        'MinSpareThreads 1', 'MaxSpareThreads 2', $option{background}
        ? map { "$_ 1" } @intervals : ('LimsWebhookDispatchers 0', map { "$_ 86400" } @intervals), '';
}

sub begin {
    my ($self, $lims) = @_;
    $self->{lims} = $lims;
    return;
}

sub _write {
    my ($self, $format, @values) = @_;
    open my $out, -e $self->{file} ? '+<' : '>', $self->{file} or die "$self->{file}: $!\n";
    syswrite $out, pack $format, @values;
    close $out;
    return;
}

sub _read {
    my ($self) = @_;
    open my $in, '<:raw', $self->{file} or die "$self->{file}: $!\n";
    sysread $in, my $bytes, 256;
    my %state;
    @state{qw(kind process turn lasting seen failed blocks what)} = unpack $layout, $bytes;
    return \%state;
}

# The functions, or places in libraries, in which it failed (trace) or met a
# segmentation fault (death).
sub _where {
    my ($self, $what) = @_;
    open my $in, '<', "$self->{file}.$what" or return;
    return map { m{([^/]+)\(([^)]*)\)} ? "$1 $2" : () } <$in>;
}

# Where a child met a segmentation fault since this was asked last. Those in APR's
# brigades, which write into memory they did not get, are counted.
sub _death {
    my ($self) = @_;
    my @where = $self->_where('death');

    truncate "$self->{file}.death", 0 or die "$self->{file}.death: $!\n";
    $self->{brigades}++ if grep { /apr_brigade_writev/ } @where;
    return @where;
}

# From now on this turn fails in the child, until _disarm.
sub _arm {
    my ($self, $child, $kind, $turn, $lasting) = @_;
    $self->_death;
    return $self->_write($layout, $kinds{$kind}, $child, $turn, $lasting, 0, 0, 0, '');
}

sub _disarm { return $_[0]->_write('l<', 0) }

# The child that there is now; another one than before if that died.
sub _child {
    my ($self) = @_;
    my @children;

    wait_until { (@children = $self->{lims}->children) == 1 }
        or die "there is not one child: httpd did not replace it\n";
    return $children[0];
}

sub one {
    my ($self, $kind, $turn, $lasting, $request) = @_;
    my ($method, $path, $body, $token, $type) = @$request;
    my $lims    = $self->{lims};
    my $child   = $self->_child;
    my $content = ref $body ? JSON::PP->new->utf8->canonical->encode($body) : $body // '';
    my $socket  = $self->_warm_socket;
    my $message = join "\r\n", "$method $lims->{base}$path HTTP/1.1", 'Host: localhost',
        "Authorization: Bearer $lims->{key}", 'Connection: close',
        $token ? "Idempotency-Key: $token" : (),
        defined $body ? 'Content-Type: ' . ($type // 'application/json') : (),
        'Content-Length: ' . length $content, '', $content;

    $self->_arm($child, $kind, $turn, $lasting);
    my ($answer, $silent) = _ask($socket, $message);
    $self->_disarm;
    $silent = 0 if $silent && $lasting && $self->_spins_in_tls($child);
    my $response = LIMS::Service::Response->parse($answer);
    return { %{ $self->_read }, status => $response ? $response->status : 0,
        body => $response ? $response->body : '', silent => $silent, child => $child };
}

# Without any memory mod_ssl may read again and again, for as long as the child lives:
# it is ended, as a pool would have done.
sub _spins_in_tls {
    my ($self, $child) = @_;

    return 0 unless wait_until { grep { /^mod_ssl/ } $self->_where('trace') } 1;
    kill 'ABRT', $child;
    return wait_until { !LIMS::Instance::lives($child) };
}

# The turn comes in what the child does without a request, within some seconds. With
# lasting there is no memory for one of them.
sub alone {
    my ($self, $kind, $turn, $lasting) = @_;
    my $child = $self->_child;
    my $gone  = sub { !LIMS::Instance::lives($child) };

    $self->_arm($child, $kind, $turn, $lasting);
    wait_until { $self->_read->{failed} || $gone->() } 5;
    wait_until { $gone->() } 1 if $lasting;
    $self->_disarm;
    return { %{ $self->_read }, death => [ $self->_death ] };
}

# A connection that has had an answer, so that it is not TLS that fails, whose
# handshake the server is still ending when the client has done its part.
sub _warm_socket {
    my ($self) = @_;
    my $lims   = $self->{lims};
    my $socket = $lims->socket;

    syswrite $socket, "GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n";
    while (sysread $socket, my $some, 65536) {
        last if $some =~ /ready\n\z/;
    }
    return $socket;
}

sub _ask {
    my ($socket, $message) = @_;
    my $answer = '';
    my $ok = eval {
        local $SIG{ALRM} = sub { die "silence\n" };
        alarm 30;
        syswrite $socket, $message;
        while (sysread $socket, my $some, 65536) {
            $answer .= $some;
        }
        alarm 0;
        1;
    };
    alarm 0;
    die $@ if !$ok && $@ ne "silence\n";
    close $socket;
    return ($answer, !$ok);
}

# --- Every turn of a kind of request -----------------------------------------

# sweep(kind => , lasting => , work => sub { [method, path, body, token, type] },
#       success => 200, most => 10, may_die => 0, name => , kept => qr/.../)
#
# A body is a structure, which is sent as JSON, or the bytes of that media type.
# What matches `kept` is done before the rest, which may fail then: a file is there.
# `work` makes a request that has not been made before, and what it needs. Of its
# turns every one is tried, or some `most`, evenly spread, if it has more. Each
# fails in one such request; whatever was answered, the database has then done it
# as a whole or not at all, nothing is left open, and the same request, sent again,
# is answered with success, as it was before if it was, and has been done once.
sub sweep {
    my ($self, %option) = @_;
    my $first = $option{work}->();
    my $whole = $self->_changes_of(sub { $self->_plainly($first, $option{success}) });
    my $seen  = $self->one($option{kind}, 0, 0, $option{work}->())->{seen};
    my $step  = 1 + int(($seen - 1) / $option{most});
    my $turn  = 1 + int rand $step;
    my ($tried, %answers) = (0);

    while (1) {
        my $request = $option{work}->();
        my $before  = $self->_rows;
        my $outcome = $self->one($option{kind}, $turn, $option{lasting} || 0, $request);
        my @faults  = $self->_judge($outcome, $whole, $before, \%option);

        $answers{ $outcome->{status} || 'none' }++;
        my $again = $self->_plainly($request, $option{success});
        push @faults, "sent again, it is answered otherwise: $again"
            if $outcome->{status} == $option{success} && $outcome->{body} ne $again;
        my $after = _difference($before, $self->_rows);
        push @faults, "sent again, it made $after; once makes $whole" if $after ne $whole;
        if (@faults) {
            fail("$option{name}, turn $turn ($outcome->{what}): $outcome->{status}");
            diag("$_\n") for @faults, $outcome->{body}, 'It failed in:', $self->_where('trace');
        }
        last if !$outcome->{failed} && ($tried || $turn == 1);
        $tried++ if $outcome->{failed};
        # From the first on where there are fewer than the one it was to begin with.
        $turn = $outcome->{failed} ? $turn + $step : 1;
    }
    $self->{turns} += $tried;
    ok($tried, "$option{name}: $tried turns failed; answers "
            . join(', ', map { "$_: $answers{$_}" } sort keys %answers));
    return;
}

# Blocks of memory that the child has when it has nothing to do. A connection
# that is just being closed has some forty.
sub blocks {
    my ($self) = @_;
    my $least;
    for (1 .. 5) {
        my $blocks = $self->one('call', 0, 0, [ 'GET', '/whoami' ])->{blocks};
        $least = $blocks if !defined $least || $blocks < $least;
        sleep 0.05;
    }
    return $least;
}

sub _judge {
    my ($self, $outcome, $whole, $before, $option) = @_;
    my $status = $outcome->{status};
    my @faults = $self->_still_open;
    my $after  = _difference($before, $self->_rows);
    my @death  = $self->_death;

    push @faults, 'it met a segmentation fault in:', @death
        if @death && !grep { /apr_brigade_writev/ } @death;
    push @faults, 'neither an answer nor the end of the connection' if $outcome->{silent};
    push @faults, 'no answer' if !$status && !$option->{may_die};
    push @faults, "$status is neither success nor the service's own trouble"
        if $status && $status != $option->{success} && $status != 500 && $status != 503;
    push @faults, "half done: $after, and all of it is $whole"
        if $after ne $whole && $after ne '' && !($option->{kept} && $after =~ $option->{kept});
    push @faults, "answered with success and not done: $after, not $whole"
        if $status == $option->{success} && $after ne $whole;
    push @faults, 'the child died'
        if !$option->{may_die} && !LIMS::Instance::lives($outcome->{child});
    return @faults;
}

# The same without anything failing: the answer. What the child had claimed when it
# failed is as good as over.
sub _plainly {
    my ($self, $request, $success) = @_;
    my $outcome;
    wait_until {
        $self->{lims}->db->do('UPDATE lims.idempotency_record SET claimed_until = now()
            WHERE claimed_until IS NOT NULL');
        $outcome = $self->one('call', 0, 0, $request);
        $outcome->{status} != 503 && $outcome->{body} !~ /idempotency_in_progress/;
    } 20;
    return $outcome->{body} if $outcome->{status} == $success;
    fail("$request->[0] $request->[1] without a failure: $outcome->{status} $outcome->{body}");
    return '';
}

# --- Representative requests -------------------------------------------------

# By name: { work => a request not made before, success => its status }. TORTURE_WORK,
# a regular expression, chooses among the names.
sub work {
    my ($lab, $model) = @_;
    my $number   = 0;
    my $material = $lab->material;
    my @defined  = map { $lab->definition } 1 .. 3;
    my $sample   = $lab->sample(testDefinitionIds => \@defined);
    my @tests    = $lab->tests($sample);
    my $token    = sub { 'turn-' . ++$number };
    my $pc       = LIMS::Files::Instrument->new($lab);

    $pc->profile;
    # The bytes that the key has sent are counted from now on: no later file is its first.
    $pc->send($pc->csv([ 'NOBODY', 'NO3', '1' ]));
    my $file = join ', ', '\A(?:audit_entry \d+, )?idempotency_record 1', 'instrument_file 1',
        'instrument_file_content 1\z';
    my $entered  = sub {
        my $fresh = $lab->sample(testDefinitionIds => [ $defined[0] ]);
        $lab->enter($lab->tests($fresh), '1');
        return $fresh;
    };

    # So that entering again is always the same: the value before it is kept.
    $lab->enter($_, '1') for @tests;
    # An upload to the model: it finds the value, the service enters it.
    $lab->policy(ai_data_access => 'true');
    $model->say('right');
    my %work = (
        read => { success => 200, work => sub { [ 'GET', "/samples/$sample->{id}" ] } },
        list => { success => 200, work => sub { [ 'GET', '/samples?limit=5' ] } },
        register => { success => 201, work => sub { [ 'POST', '/samples', { clientName => 'A',
            materialTypeId => $material, testDefinitionIds => \@defined }, $token->() ] } },
        enter => { success => 200, work => sub { [ 'PATCH', "/sample-tests/$tests[0]",
            { result => $token->() } ] } },
        'enter many' => { success => 200, work => sub { [ 'POST', '/sample-tests/bulk-results',
            { updates => [ map { { sampleTestId => $_, result => $token->() } } @tests ] },
            $token->() ] } },
        ingest => { success => 201,
            kept => $file,
            work => sub { [ 'POST', '/instrument-ingest', { fileName => $token->(),
                content => $pc->csv([ $pc->sample('NO3'), 'NO3', '7.10' ]) }, $token->() ] } },
        'ingest held' => { success => 202,
            kept => $file,
            work => sub { [ 'POST', '/instrument-ingest', { fileName => $token->(),
                content => $pc->csv([ $pc->sample('NO3'), 'NO3', '7.10' ], [ $token->(), 'NO3', 1 ])
                }, $token->() ] } },
        # The key is taken before the model thinks.
        upload => { success => 200, kept => qr/\Aidempotency_record 1\z/, work => sub {
            my $id = $pc->sample('NO3')->{trackingId};
            my ($form, $type) = $model->form(file => [ "Sample,NO3 (mg/L)\n$id,7.10\n", 'a.csv' ]);
            [ 'POST', '/instrument-uploads', $form, $token->(), $type ] } },
        verify => { success => 200, work => sub { [ 'POST', '/sample-tests/'
            . ($lab->tests($entered->()))[0] . '/verify', {}, $token->() ] } },
        receive => { success => 200, work => sub { [ 'POST', '/samples/receive',
            { sampleIds => [ map { $lab->sample->{id} } 1 .. 2 ] }, $token->() ] } },
        report => { success => 200, work => sub {
            my $fresh = $entered->();
            $lab->verify($lab->tests($fresh));
            [ 'POST', "/samples/$fresh->{id}/report", {}, $token->() ] } },
    );
    my $chosen = $ENV{TORTURE_WORK} // '.';
    return { map { $_ => $work{$_} } grep { /$chosen/ } keys %work };
}

# --- Looking at the database -------------------------------------------------

sub _db {
    my ($self) = @_;
    return $self->{db} ||= LIMS::Instance::connect_database($self->{lims}{database}, 'postgres');
}

# Sessions of the service that hold something open. One whose client has died
# may need a moment to notice, less than after which PostgreSQL itself ends what is
# left idle in a transaction.
sub _still_open {
    my ($self) = @_;
    my $found;
    wait_until {
        $found = $self->_db->selectall_arrayref(q{SELECT state, query FROM pg_stat_activity
            WHERE application_name = 'mod_lims' AND state <> 'idle'
              AND datname = current_database()});
        !@$found;
    } 8;
    return map { "left open: $_->[0] after $_->[1]" } @$found;
}

# How many rows each table has. The queue of the lifecycle scan is emptied whenever the scan
# comes round, and the trail's chain is closed by another job.
sub _rows {
    my ($self) = @_;
    my $db = $self->_db;
    $self->{counting} ||= join ' UNION ALL ', map { "SELECT '$_', count(*) FROM lims.$_" }
        @{ $db->selectcol_arrayref(q{SELECT relname FROM pg_class WHERE relkind = 'r'
            AND relnamespace = 'lims'::regnamespace
            AND relname NOT IN ('sample_dirty', 'sample_state_cache', 'audit_block',
                'audit_closing')}) };
    return { map { $_->[0] => $_->[1] } @{ $db->selectall_arrayref($self->{counting}) } };
}

sub _difference {
    my ($before, $after) = @_;
    return join ', ', map { "$_ " . ($after->{$_} - $before->{$_}) }
        grep { $after->{$_} != $before->{$_} } sort keys %$after;
}

sub _changes_of {
    my ($self, $action) = @_;
    my $before = $self->_rows;

    $action->();
    return _difference($before, $self->_rows);
}

1;
