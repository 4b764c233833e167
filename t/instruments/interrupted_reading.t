#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A file is stored before it is read. Reading that was interrupted goes on when the same
# bytes come again or a job finds the file; a file whose reading kills a process each time
# is left to a person.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => 'LimsIngestResume 86400');
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);

$pc->profile;

# As a crash leaves it: kept and not decided, some minutes ago.
sub left {
    my ($bytes, %column) = @_;
    return $lab->act(sub {
        my ($db) = @_;
        my ($id) = $db->selectrow_array(q{INSERT INTO lims.instrument_file (organization_id, file_name,
            sha256, size, received_at, updated_at, received_by, received_by_key, attempts)
            VALUES (?, 'left.csv', sha256(?), length(?::bytea), '2026-01-01', '2026-01-01', ?, ?, ?)
            RETURNING id}, undef, $lab->{organization}{id}, $bytes, $bytes,
            $column{user} // $lims->fixture->{user_id}, $column{key} // $lims->fixture->{key_id},
            $column{attempts} // 0);
        $db->do('INSERT INTO lims.instrument_file_content VALUES (?, ?, ?)', undef,
            $lab->{organization}{id}, $id, $bytes);
        return $id;
    });
}

sub status_of { return $lab->value('SELECT status FROM lims.instrument_file WHERE id = ?', $_[0]) }

subtest 'continued when the same bytes come again' => sub {
    my $sample = $pc->sample('NO3');
    my $file   = $pc->csv([ $sample, 'NO3', '1' ]);
    my $id     = left($file);
    my $answer = $pc->send($file, name => 'again.csv');
    is($answer->status, 201, 'take up what was left') or diag($answer->body);
    is_deeply([ @{ $answer->json }{qw(id fileName)} ], [ $id, 'left.csv' ],
        'the answer names the interrupted file');
    is($pc->test($sample, 'NO3')->{result}, '1', 'the job imports the file');
};

subtest 'continued by the job' => sub {
    my $sample = $pc->sample(qw(NO3 PH));
    my @ids    = (left($pc->csv([ $sample, 'NO3', '2' ])), left($pc->csv([ 'NOBODY', 'PH', '2' ])),
        left($pc->csv([ $sample, 'PH', '3' ]), attempts => 3));
    my $other = LIMS::Test->new(beside => $lims, conf => 'LimsIngestResume 1');
    wait_until { !grep { status_of($_) eq 'received' } @ids } 120;
    is_deeply([ map { status_of($_) } @ids ], [qw(imported quarantined quarantined)],
        'decides about each');
    is($pc->test($sample, 'NO3')->{result}, '2', 'results are entered');
    is($pc->test($sample, 'PH')->{status}, 'pending', 'a file tried too often is not imported');
    is($lab->value(q{SELECT reasons -> 0 ->> 'code' FROM lims.instrument_file WHERE id = ?},
            $ids[2]), 'reading_failed', 'its reason is reading_failed');
    my ($user, $key) = $lims->db->selectrow_array(q{SELECT user_id, api_key_id
        FROM lims.audit_entry WHERE table_name = 'sample_test' AND record_id = ? AND action = 'update'},
        undef, $pc->test($sample, 'NO3')->{id});
    is_deeply([ $user, $key ], [ $lims->fixture->{user_id}, $lims->fixture->{key_id} ],
        'on behalf of who sent it');
};

subtest 'a key or user that may no longer act' => sub {
    my %column = map { $_ => $lims->key($lims->fixture)->{key_id} } qw(revoked expired);
    my %change = (revoked => 'revoked_at = now()', expired => q{expires_at = now() - interval '1 s'});
    my @as   = ('--organization', 'test-laboratory', '--user',
        'administrator@test-laboratory.example');
    my $left = $lims->insert('user_account', { email => 'left@test.example',
        display_name => 'Left', active => 'f' });
    my $theirs = $lims->key($lims->fixture, created_by => $left)->{key_id};
    my @samples = map { $pc->sample('NO3') } 1 .. 4;
    my @files   = map { $pc->csv([ $_, 'NO3', '4' ]) } @samples;
    my @ids = (left($files[0], key => $column{revoked}), left($files[1], key => $column{expired}),
        left($files[2], user => $left, key => $theirs), left($files[3]));
    $lims->db->do("UPDATE lims.api_key SET $change{$_} WHERE id = ?", undef, $column{$_})
        for keys %column;
    my $other = LIMS::Test->new(beside => $lims, conf => 'LimsIngestResume 1');
    wait_until { !grep { status_of($_) eq 'received' } @ids } 120;
    is_deeply([ map { status_of($_) } @ids ], [ ('quarantined') x 3, 'imported' ],
        'a revoked key, an expired one, a user who left; and one who may');
    is_deeply([ map { $pc->test($_, 'NO3')->{status} } @samples ], [ ('pending') x 3, 'entered' ],
        'no result is entered for keys that may no longer act');
    my $why = $lims->db->selectcol_arrayref(q{SELECT DISTINCT reasons -> 0 ->> 'code'
        FROM lims.instrument_file WHERE id = ANY (?)}, undef, [ @ids[ 0 .. 2 ] ]);
    is_deeply($why, ['sender_not_active'], 'the reason is sender_not_active');
    my $who = $lims->db->selectall_arrayref(q{SELECT DISTINCT user_id, api_key_id
        FROM lims.audit_entry WHERE table_name = 'instrument_file' AND action = 'update'
        AND record_id = ANY (?)}, undef, [ @ids[ 0 .. 2 ] ]);
    is_deeply($who, [ [ undef, undef ] ], 'the audit trail does not name them');
    my $again = $lims->ctl(@as, qw(instrument-file reevaluate), $ids[0]);
    is($again->{json}{status}, 'imported', 'a person imports it') or diag($again->{output});
};

subtest 'the database goes away in the middle' => sub {
    my $sample = $pc->sample('NO3');
    my $file   = $pc->csv([ $sample, 'NO3', '5' ]);
    # The import waits for this lock, and its session ends.
    my $holder = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
    $holder->begin_work;
    $holder->do('SELECT FROM lims.sample_test WHERE id = ? FOR UPDATE', undef,
        ($lab->tests($sample))[0]);
    my $answer = $pc->send($file);
    is($answer->status, 503, 'too long a wait is told');
    $lims->expect_log(qr/LIMS0043/);
    $holder->rollback;
    $holder->disconnect;
    is($lab->value('SELECT count(*) FROM lims.instrument_file f WHERE status = $$received$$'), 1,
        'the file is kept');
    is($pc->send($file)->status, 201, 'the file is imported when it comes again');
};

done_testing();
