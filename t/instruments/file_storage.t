#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Storage of files' bytes: in a table of their own, with a quota for each key, and removed
# from rejected files after LimsRejectedFileDays.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::Laboratory;
use LIMS::Test;
use MIME::Base64 qw(encode_base64);

my $lims = LIMS::Test->new(conf => <<'CONF');
LimsFileStorage 1
LimsIngestResume 1
<Location "/lims/metrics">
    SetHandler lims-metrics
</Location>
CONF
my $lab = LIMS::Service::Laboratory->new($lims);
my $pc  = LIMS::Files::Instrument->new($lab);
my @as  = ('--organization', 'test-laboratory', '--user', 'administrator@test-laboratory.example');

$pc->profile;

my $sent = 0;

# Bytes that nobody has sent and nobody can read; as many as that.
sub bytes { return sprintf('%08d', ++$sent) . chr(1) x ($_[0] - 8) }

sub deliver {
    my ($bytes, %option) = @_;
    return $lims->post('/instrument-ingest', { fileName => 'f.bin',
        contentBase64 => encode_base64($bytes, ''), %{ $option{body} || {} } }, %option);
}

sub ctl { return $lims->ctl(@as, @_) }

sub done {
    my ($name, @command) = @_;
    my $result = ctl(@command);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($result->{exit}, 0, $name) or diag($result->{output});
    return $result->{json};
}

sub record_of { return done('the key', qw(key show), $_[0]) }

sub files { return $lab->value('SELECT count(*) FROM lims.instrument_file') }

sub metric {
    return (LIMS::Service::Response->from($lims, '/lims/metrics')->body
            =~ /^lims_job_backlog\{[^}]*of="nearlyFull"[^}]*\} (\S+)$/m)[0];
}

my $key  = $lims->key($lims->fixture, upload_only => 1);
my @with = (key => $key->{key});

subtest 'the quota of a key' => sub {
    my $first = bytes(700_000);
    is(deliver($first, @with)->status, 202, 'a file within the storage is kept');
    is(record_of($key->{key_id})->{fileBytes}, 700_000, 'the bytes of a stored file are counted');
    my $files  = files();
    my $answer = deliver(bytes(400_000), @with);
    is($answer->status, 403, 'a file beyond the quota is refused');
    is_deeply([ sort keys %{ $answer->json } ], [qw(code message)],
        'the refusal has the form of a plan limit');
    is($answer->json->{code}, 'FILE_STORAGE_EXCEEDED',
        'the refusal has the code FILE_STORAGE_EXCEEDED');
    like($answer->json->{message}, qr/1048576 bytes.*1100000/, 'the message has quota and use');
    is(files(), $files, 'the refused file is not stored');
    is(record_of($key->{key_id})->{fileBytes}, 700_000, 'the refused file is not counted');
    is(deliver($first, @with)->status, 200, 'a file that is stored already is answered');
    is(deliver(bytes(400_000))->status, 202, 'another key has a quota of its own');
    is(deliver(bytes(900_000), body => { dryRun => JSON::PP::true })->status, 200,
        'a dry run keeps nothing and takes none');
};

subtest 'the quota in the metrics' => sub {
    wait_until { defined metric() && metric() == 0 } 60;
    is(metric(), 0, 'the metrics count no nearly full key');
    is(deliver(bytes(140_000), @with)->status, 202, 'four fifths and a little');
    wait_until { metric() == 1 } 60;
    is(metric(), 1, 'the metrics count a key above 80 %');
};

subtest 'a larger quota for one key' => sub {
    my $wanted = bytes(400_000);
    is(deliver($wanted, @with)->status, 403,
        'a file beyond the organization\'s storage is refused');
    my $made = done('given more', qw(key update), $key->{key_id}, '--file-storage-megabytes', 2);
    is($made->{fileStorageMegabytes}, 2, 'the key shows its quota');
    is(deliver($wanted, @with)->status, 202, 'with the larger quota the file is taken');
    is(done('given as before', qw(key update), $key->{key_id}, '--file-storage-megabytes', '')
        ->{fileStorageMegabytes}, undef, 'without its own quota the configured one holds');
    is(deliver(bytes(10), @with)->status, 403, 'the configured quota is used up');
    $lims->insert('user_account', { email => 'clerk@test.example', display_name => 'Clerk' });
    my $denied = $lims->ctl('--organization', 'test-laboratory', '--user', 'clerk@test.example',
        qw(key update), $key->{key_id}, '--file-storage-megabytes', 9);
    like($denied->{output}, qr/administrator/, 'only an administrator may change a quota');
};

subtest 'the quota is exact under simultaneous uploads' => sub {
    my $other   = $lims->key($lims->fixture, upload_only => 1);
    my @bytes   = map { bytes(300_000) } 1 .. 8;
    my @answers = $lims->parallel(8, sub {
        return deliver($bytes[ $_[0] ], key => $other->{key})->status;
    });
    is_deeply([ sort @answers ], [ (202) x 3, (403) x 5 ], 'as many uploads as fit are taken');
    is(record_of($other->{key_id})->{fileBytes}, 900_000, 'each file that was taken is counted');
};

subtest 'a record changes, its bytes are not written again' => sub {
    my $id    = deliver(bytes(300_000))->json->{id};
    my $where = q{SELECT xmin || ' ' || ctid || ' ' || length(content)
        FROM lims.instrument_file_content WHERE file_id = ?};
    my $before = $lab->value($where, $id);
    like($before, qr/ 300000\z/, 'the bytes are kept');
    done('read again', qw(instrument-file reevaluate), $id);
    is($lab->value($where, $id), $before, 'stay where they are');
};

sub refused_by_database {
    my ($name, $sql, @bind) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return ok(!eval { $lab->act(sub { local $_[0]->{PrintError} = 0; $_[0]->do($sql, undef, @bind);
        $_[0]->do('SET CONSTRAINTS ALL IMMEDIATE') }) },
        $name);
}

subtest 'the quota holds for every writer' => sub {
    my $id  = deliver('waits')->json->{id};
    my @one = ($lab->{organization}{id}, $id);
    refused_by_database('bytes are not changed', q{UPDATE lims.instrument_file_content
        SET content = 'other' WHERE organization_id = ? AND file_id = ?}, @one);
    refused_by_database('bytes are not removed while they may be read', q{DELETE FROM
        lims.instrument_file_content WHERE organization_id = ? AND file_id = ?}, @one);
    refused_by_database('no file comes without them', q{INSERT INTO lims.instrument_file
        (organization_id, file_name, sha256, size) VALUES (?, 'f', sha256('none'), 4)}, $one[0]);
    refused_by_database('no file comes with the bytes of another', q{WITH made AS (INSERT INTO
        lims.instrument_file (organization_id, file_name, sha256, size)
        VALUES (?, 'f', sha256('one'), 3) RETURNING organization_id, id)
        INSERT INTO lims.instrument_file_content SELECT organization_id, id, 'two' FROM made},
        $one[0]);
    my $app = $lims->app_db;
    ok(!eval { local $app->{PrintError} = 0; $app->do("$_ lims.instrument_file_content"); 1 },
        "the service's role has no right to: $_") for 'DELETE FROM', 'TRUNCATE';
};

subtest 'bytes of rejected files are removed' => sub {
    my $room  = $lims->key($lims->fixture, upload_only => 1);
    my $bytes = bytes(600_000);
    my $sent_now = deliver($bytes, key => $room->{key})->json;
    my $id    = $sent_now->{id};
    my @due   = (qw(retention --event-retention 30 --rejected-file-days), 90);
    my $age = sub {
        my ($days) = @_;
        $lab->act(sub { $_[0]->do(q{UPDATE lims.instrument_file
            SET resolved_at = now() - make_interval(days => ?) WHERE id = ?}, undef, $days, $id) });
    };
    is($lims->ctl(@due, '--dry-run')->{json}{rejectedFiles}, 0, 'a file in quarantine is not due');
    done('rejected', '--reason', 'a test', qw(instrument-file reject), $id);
    $age->(89);
    is($lims->ctl(@due)->{json}{rejectedFiles}, 0, 'a younger one stays');
    is(done('its bytes', qw(instrument-file content), $id)->{contentBase64},
        encode_base64($bytes, ''), 'the bytes can be read');
    $age->(91);
    is($lims->ctl(@due, '--dry-run')->{json}{rejectedFiles}, 1, 'an older one is due');
    is($lims->ctl(@due)->{json}{rejectedFiles}, 1, 'the rejected file is due');
    is($lab->value('SELECT count(*) FROM lims.instrument_file_content WHERE file_id = ?', $id), 0,
        'its bytes are removed');
    my $left = done('shown', qw(instrument-file show), $id);
    is_deeply([ @$left{qw(status sha256 size)}, $left->{reasons}[0]{code} ],
        [ 'rejected', $sent_now->{sha256}, 600_000, $sent_now->{reasons}[0]{code} ],
        'its status, hash and reasons stay');
    ok($left->{contentRemovedAt}, 'the record says when they were removed');
    like($lab->value(q{SELECT changes FROM lims.audit_entry WHERE table_name = 'instrument_file'
        AND record_id = ? ORDER BY id DESC LIMIT 1}, $id), qr/content_removed_at/,
            'the removal is in the audit trail');
    is(record_of($room->{key_id})->{fileBytes}, 0, 'its key has room again');
    my $again = deliver($bytes, key => $room->{key});
    is($again->status . ' ' . $again->json->{id}, "200 $id", 'the same bytes are still known');
    for my $command (qw(content reopen release)) {
        my $refused = ctl('--reason', 'look', 'instrument-file', $command, $id);
        isnt($refused->{exit}, 0, "no $command of what is not there");
        like($refused->{output}, qr/bytes were removed on 2\d{3}-/,
            'the message says when the bytes were removed');
    }
    is($lims->ctl(@due, '--dry-run')->{json}{rejectedFiles}, 0,
        'a second run has nothing to remove');
};

done_testing();
