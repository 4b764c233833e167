#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The queue of imports: files are imported one after another, over all processes, in the
# order of their arrival; a waiting file is stored and holds nothing in the database. A
# file that waits for a lock lets the next go on, and one whose turn does not come in time
# is answered so, and stays stored.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Service::RawRequest qw(message);
use LIMS::Test;

my $patient = <<'END';
Define LIMS_TIMEOUTS "-c statement_timeout=0 -c lock_timeout=0"
LimsDatabaseTimeout 60000
LimsIngestConcurrency 1
LimsIngestResume 86400
LimsRateLimit 5000
END
my $lims = LIMS::Test->new(children => 1, conf => "${patient}LimsIngestWait 120000\n");
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);

$pc->profile;

# Sessions of the service that are in the middle of something.
sub busy {
    my ($also) = @_;
    return $lims->superuser->selectrow_array(q{SELECT count(*) FROM pg_stat_activity
        WHERE application_name = 'mod_lims' AND datname = current_database()
          AND state <> 'idle' AND } . ($also || 'true'));
}

sub stuck { return busy(q{wait_event_type = 'Lock'}) }

# Holds a test of each, as whoever verifies them slowly.
sub hold {
    my (@samples) = @_;
    my $db = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
    $db->begin_work;
    $db->do('SELECT FROM lims.sample_test WHERE id = ? FOR UPDATE', undef,
        ($lab->tests($_))[0]) for @samples;
    return $db;
}

sub let_go {
    my ($db) = @_;
    $db->rollback;
    $db->disconnect;
    return;
}

# Sends a file, whose answer is not read yet, and waits until it is kept.
sub send_off {
    my ($by, $name, $sample, @header) = @_;
    my $socket = $by->socket;
    syswrite $socket, message($by, 'POST', '/instrument-ingest', headers => \@header,
        body => JSON::PP->new->utf8->canonical->encode(
            { fileName => $name, content => $pc->csv([ $sample, 'NO3', '1' ]) }));
    ok((wait_until {
        $lab->value('SELECT count(*) FROM lims.instrument_file WHERE file_name = ?', $name);
    } 120), "$name is kept");
    return $socket;
}

sub answer_of {
    my ($socket) = @_;
    my $raw = '';
    while (sysread $socket, my $some, 65536) { $raw .= $some }
    return $raw;
}

sub state_of {
    my (@names) = @_;
    return join ' ', @{ $lims->db->selectcol_arrayref(
        'SELECT status FROM lims.instrument_file WHERE file_name = ANY (?) ORDER BY id', undef,
        \@names) };
}

# After five seconds a turn is over, and the others go on: what is said of them while
# it lasts is looked at in less, if need be once more.
sub within_a_turn {
    my ($action) = @_;
    for my $round (1 .. 20) {
        my $begun = time;
        my $judge = $action->($round, sub { time - $begun < 4 });
        return $judge->() if $judge;
    }
    return fail('it was to be seen within a turn');
}

subtest 'files are imported in order, and hold nothing while waiting' => sub {
    within_a_turn(sub {
        my ($round, $in_time) = @_;
        my @samples = map { $pc->sample('NO3') } 1 .. 4;
        my @files   = map {"file $round-$_"} 0 .. 3;
        my $holder  = hold($samples[0]);
        my @sockets = send_off($lims, $files[0], $samples[0]);
        ok((wait_until { stuck() == 1 } 120), 'the first waits in the database');
        push @sockets, send_off($lims, $files[$_], $samples[$_]) for 1 .. 3;
        my $alone = wait_until { busy() == 1 } 120;
        my $state = state_of(@files);
        my $valid = $in_time->();
        let_go($holder);
        like(answer_of($_), qr{\AHTTP/1\.1 201 }, 'each upload is answered with 201') for @sockets;
        return $valid && sub {
            ok($alone, 'the others did not wait in the database');
            is($state, join(' ', ('received') x 4), 'none of the waiting files was imported');
            is_deeply($lims->db->selectcol_arrayref(q{SELECT f.file_name
                    FROM lims.instrument_file f JOIN lims.instrument_file_row r
                      ON r.organization_id = f.organization_id AND r.file_id = f.id
                   WHERE f.file_name = ANY (?) ORDER BY r.id}, undef, \@files), \@files,
                'but then in the order in which they came');
        };
    });
};

subtest 'a file that waits for a lock lets the next go on' => sub {
    my @samples = map { $pc->sample('NO3') } 1 .. 2;
    my $holder  = hold($samples[0]);
    my $socket  = send_off($lims, 'slow', $samples[0]);
    ok((wait_until { stuck() == 1 } 120), 'the first file waits for the lock');
    is($pc->send($pc->csv([ $samples[1], 'NO3', '1' ]))->status, 201, 'the next file is imported');
    is(stuck(), 1, 'while it still waits');
    let_go($holder);
    like(answer_of($socket), qr{\AHTTP/1\.1 201 },
        'once the lock is free, the first is imported too');
};

subtest 'one Idempotency-Key for two files' => sub {
    my @samples = map { $pc->sample('NO3') } 1 .. 3;
    my %once    = ('Idempotency-Key' => 'of-one-file');
    my $holder  = hold($samples[0]);
    my @sockets = send_off($lims, 'before', $samples[0]);
    ok((wait_until { stuck() == 1 } 120), 'one waits in the database');
    push @sockets, send_off($lims, 'keyed', $samples[1], 'Idempotency-Key: of-one-file');
    my $other = $pc->send($pc->csv([ $samples[2], 'NO3', '1' ]), name => 'other', headers => \%once);
    is($other->status, 422, 'the key is of the file that waits') or diag($other->body);
    is($other->json->{error}, 'idempotency_mismatch', 'the key of a waiting file refuses another file');
    is(state_of('other'), '', 'the refused file is not stored');
    let_go($holder);
    like(answer_of($_), qr{\AHTTP/1\.1 201 }, 'the first file is imported') for @sockets;
    my $again = $pc->send($pc->csv([ $samples[1], 'NO3', '1' ]), name => 'keyed', headers => \%once);
    is($again->status . ' ' . ($again->header('Idempotent-Replayed') // ''), '201 true',
        'a repetition of the first gets its response');
};

# Returns the child process of each connection.
sub children_of {
    my ($log) = @_;
    open my $in, '<', $log or return 0;
    my %seen = map { /^POST (\d+)/ ? ($1 => 1) : () } <$in>;
    return scalar keys %seen;
}

subtest 'one queue over all processes' => sub {
    my $two = LIMS::Test->new(beside => $lims, children => 2,
        conf => "${patient}LimsIngestWait 120000\nCustomLog log/children.log \"%m %P\"\n");
    my $log = "$two->{instance}{home}/log/children.log";
    # The kernel chooses which child accepts a connection.
    for my $round (1 .. 5) {
        my @samples = map { $pc->sample('NO3') } 0 .. 6;
        my $holder  = hold($samples[0]);
        my $begun   = time;
        my @sockets = send_off($two, "round $round 0", $samples[0]);
        ok((wait_until { stuck() == 1 } 120), 'a file waits in the database');
        push @sockets, send_off($two, "round $round $_", $samples[$_]) for 1 .. 6;
        select undef, undef, undef, 0.3;    # in which each would be imported
        my $state = state_of(map {"round $round $_"} 0 .. 6);
        # After five seconds its turn is over, and the others go on.
        is($state, join(' ', ('received') x 7), 'files of all processes wait for the first')
            if time - $begun < 4;
        let_go($holder);
        like(answer_of($_), qr{\AHTTP/1\.1 201 }, 'then each file is imported') for @sockets;
        last if children_of($log) == 2;
    }
    $two->finish;
};

subtest 'threads that stay free for other requests' => sub {
    my $small = LIMS::Test->new(beside => $lims, children => 1,
        conf => "${patient}LimsIngestWait 120000\nThreadsPerChild 4\nMaxRequestWorkers 4\n");
    my @samples = map { $pc->sample('NO3') } 1 .. 4;
    my $holder  = hold(@samples[ 0 .. 2 ]);    # also of those whose turn comes
    my @sockets = send_off($small, 'crowd 0', $samples[0]);
    ok((wait_until { stuck() == 1 } 120), 'one waits in the database');
    push @sockets, send_off($small, "crowd $_", $samples[$_]) for 1 .. 2;
    my %file = (fileName => 'crowd 3', content => $pc->csv([ $samples[3], 'NO3', '1' ]));
    my $late = $small->post('/instrument-ingest', \%file);
    is($late->status, 503, 'beyond the queue\'s length the next is refused') or diag($late->body);
    is($late->header('Retry-After'), 1, 'but may come again');
    is(state_of('crowd 3'), 'received', 'its file is kept');
    $small->expect_log(qr/LIMS0068/);
    $small->allow_log(qr/AH00484/);            # httpd would have more threads
    is($small->get("/samples/$samples[3]{id}")->status, 200, 'meanwhile reads are answered');
    let_go($holder);
    like(answer_of($_), qr{\AHTTP/1\.1 201 }, 'the waiting files are imported') for @sockets;
    is($small->post('/instrument-ingest', \%file)->status, 201,
        'the refused file is imported when sent again');
    $small->finish;
};

subtest 'a file whose turn does not come in time' => sub {
    my $hasty = LIMS::Test->new(beside => $lims, children => 1,
        conf => "${patient}LimsIngestWait 100\n");
    within_a_turn(sub {
        my ($round, $in_time) = @_;
        my @samples = map { $pc->sample('NO3') } 1 .. 2;
        my $holder  = hold($samples[0]);
        my $socket  = send_off($hasty, "first $round", $samples[0]);
        ok((wait_until { stuck() == 1 } 120), 'one waits in the database');
        my %file = (fileName => "second $round", content => $pc->csv([ $samples[1], 'NO3', '1' ]));
        my $late  = $hasty->post('/instrument-ingest', \%file);
        my $state = state_of("second $round");
        my $valid = $in_time->();
        let_go($holder);
        like(answer_of($socket), qr{\AHTTP/1\.1 201 }, 'the first is served');
        return $valid && sub {
            is($late->status, 503, 'the next had no turn') or diag($late->body);
            is($late->header('Retry-After'), 1, 'a file that had no turn may come again');
            is($state, 'received', 'its file is kept');
            is($hasty->post('/instrument-ingest', \%file)->status, 201,
                'the file is imported when it comes again');
        };
    });
    $hasty->expect_log(qr/LIMS0067/);
    $hasty->finish;
};

done_testing();
