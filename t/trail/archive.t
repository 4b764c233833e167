#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Old blocks of the audit trail in a signed file: it is whole before an entry is removed, the
# chain goes on, readers say what is archived, signatures still stand, and whatever is done to
# file or database is found out.
use strict;
use warnings;

use File::Temp qw(tempdir);
use JSON::PP qw(decode_json);
use LIMS::Test::Tool;
use LIMS::Wait;

my $folder = tempdir(CLEANUP => 1);
my $lims   = LIMS::Test::Tool->new;
local $ENV{LIMS_SECRET_KEY_FILE} = "$folder/secret.key";
my @ana  = $lims->laboratory('cedar');
my @here = @ana[ 0, 1 ];
my $db   = $lims->db;
my $id   = $lims->value('SELECT id FROM lims.organization');
my $file = "$folder/cedar.jsonl";
my $text = q{quoted "text", back\\slash, (brackets), umlaut ü, 試験 and  blanks };

$lims->ctl(qw(secret-key --key-id old));

sub closed {
    wait_until { $lims->value('SELECT lims.event_horizon() > max(position) FROM lims.audit_entry') };
    my $answer = $lims->ctl(qw(audit close));
    die "audit close: $answer->{output}" if $answer->{exit};
    return;
}

sub entries { return $lims->value('SELECT count(*) FROM lims.audit_entry') }
sub now { return $lims->value(q{SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')}) }

sub archived {
    my ($to, @options) = @_;
    return $lims->run(@here, qw(--json audit archive --before), now(), '--to', $to, @options);
}

sub as_owner {
    my ($sql, @bound) = @_;
    my @tables = qw(audit_entry audit_block);
    $db->begin_work;
    $db->do("ALTER TABLE lims.$_ DISABLE TRIGGER USER") for @tables;
    $db->do($sql, undef, @bound);
    $db->do("ALTER TABLE lims.$_ ENABLE TRIGGER USER") for @tables;
    $db->commit;
    return;
}

# Archives entries of any age, for this test.
sub any_age {
    $db->do(q{CREATE OR REPLACE FUNCTION lims.audit_archive_age() RETURNS interval
        LANGUAGE sql IMMUTABLE AS $$ SELECT interval '0' $$});
    return;
}

my $client = $lims->made(@ana, qw(client create --code OLD --name), 'Old client', '--reason', $text)->{id};
$lims->made(@ana, '--reason', $_, qw(client update), $client, '--name', "Client of $_")
    for 'the first reason', "a line\nand a\ttab", '';
closed();
$db->do('UPDATE lims.organization SET name = ? WHERE id = ?', undef, "name $_", $id) for 1 .. 4;
closed();
my $before = entries();

subtest 'nothing is removed without an archive' => sub {
    for my $act ('DELETE FROM lims.audit_entry', q{UPDATE lims.audit_entry SET reason = 'x'}) {
        ok(!eval { local $db->{PrintError} = 0; $db->do($act); 1 }, "the owner is refused: $act");
    }
    my $app = LIMS::Instance::connect_database($lims->{database}, 'lims_app');
    $app->do(q{SELECT set_config('lims.organization_id', ?, false)}, undef, $id);
    for my $act ("SELECT lims.audit_remove($id, 1, 10)", 'DELETE FROM lims.audit_entry',
        "UPDATE lims.audit_archive SET to_block = 1", 'DELETE FROM lims.audit_archive') {
        local $app->{PrintError} = 0;
        ok(!eval { $app->do($act); 1 }, "the run-time role may not: $act");
        like($app->errstr, qr/permission denied/, 'the refusal is for lack of the right');
    }
    $app->disconnect;
    my $answer = $lims->run(@here, qw(audit archive --before 2100-01-01 --to), $file);
    is($answer->{exit}, 2, 'the future is not archived');
    $answer = $lims->run(@here, qw(audit archive --before 2001-01-01 --to), $file);
    is($answer->{exit}, 1, 'nothing is not archived');
    like($answer->{err}, qr/Nothing is to be archived/, 'the answer says so in words');
    $answer = archived($file);
    is($answer->{exit}, 1, 'entries of the last 31 days are not archived');
    is(entries(), $before, 'no entry is gone');
};
any_age();

subtest 'an archive of a trail that was changed is not written' => sub {
    my $one = $lims->value('SELECT entry_ids[2] FROM lims.audit_block WHERE id = 1');
    as_owner(q{UPDATE lims.audit_entry SET surface = 'api' WHERE id = ?}, $one);
    my $answer = archived($file);
    is($answer->{exit}, 1, 'it is refused');
    like($answer->{out}, qr/entry $one is not as it was when block 1 was closed/, 'the refusal names the entry');
    ok(!-e $file && !-e "$file.partial", 'no file is left');
    is(entries(), $before, 'every entry stays where it was');
    as_owner(q{UPDATE lims.audit_entry SET surface = 'command line' WHERE id = ?}, $one);
};

subtest 'an archive is written' => sub {
    my $last = $lims->value('SELECT max(occurred_at) FROM lims.audit_entry');
    my $answer = archived($file);
    is($answer->{exit}, 0, 'it is written') or diag($answer->{out});
    is_deeply([ @{ $answer->{json} }{qw(fromBlock toBlock entries removed)} ],
        [ 1, 2, $before, $before ], 'with every entry of its blocks') or diag($answer->{out});
    is(entries(), 0, 'the entries are removed from the database');
    is((stat $file)[2] & 0777, 0600, 'its owner alone reads it');
    my ($shown) = @{ $lims->made(@here, qw(audit archives))->{data} };
    is_deeply([ @$shown{qw(fromBlock toBlock entries fileName)} ], [ 1, 2, $before, 'cedar.jsonl' ],
        'it is listed');
    ok($shown->{removedAt}, 'the list has the time at which its entries were gone');
    my @lines = do { open my $in, '<:raw', $file or die; <$in> };
    my @texts = map { $_->{entry} ? $_->{entry}{reason} // '' : () } map { decode_json($_) } @lines;
    my %seen = map { $_ => 1 } @texts;
    my $bytes = $text;
    utf8::decode($bytes);
    ok($seen{$bytes}, 'texts stand in it as they were written');
    is($lims->run(@here, qw(audit verify-archive --file), $file)->{exit}, 0, 'it is sound');
    is($lims->value('SELECT count(*) FROM lims.audit_block'), 2, 'the blocks stay');
    is(archived("$folder/none")->{exit}, 1, 'nothing is archived twice');
};

subtest 'the chain goes on' => sub {
    $lims->made(@ana, qw(client update), $client, '--name', 'Later');
    closed();
    my $answer = $lims->ctl(@here, qw(audit verify));
    is_deeply([ $answer->{exit}, @{ $answer->{json} }{qw(sound blocks archivedBlocks)} ],
        [ 0, JSON::PP::true, 1, 2 ], 'behind the archived blocks it is sound') or diag($answer->{output});
    my $heads = $lims->run(@here, qw(audit export-heads))->{out};
    open my $out, '>', "$folder/heads" or die;
    print {$out} $heads;
    close $out or die;
    is($lims->ctl(@here, qw(audit verify --against), "$folder/heads")->{json}{headsCompared}, 3,
        'the heads of all blocks are there');
};

subtest 'readers say what is archived' => sub {
    my $history = $lims->made(@here, qw(client history), $client)->{data};
    like($history->[0]{sentence}, qr/is archived in the file cedar\.jsonl/, 'a history begins with it');
    like($history->[1]{sentence}, qr/Later/, 'the history goes on with what came later');
    my $user = $lims->value('SELECT id FROM lims.user_account');
    my $all  = $lims->made(@here, qw(user history), $user)->{data};
    is(@$all, 1, 'a record whose entries are all archived');
    like($all->[0]{sentence}, qr/is archived/, 'its only line says so');
    is($lims->run(@here, qw(client history 999999))->{exit}, 3, 'a record that is not there is not found');
    my $list = $lims->run(@here, qw(audit list --table user_account --record-id), $user);
    is($list->{exit}, 0, 'its entries are listed');
    like($list->{out}, qr/archived\s+What was done up to \d{4}-.* UTC is archived/, 'the list says that they are archived');
    like($list->{out}, qr/^ {4}reason: What was done up to .* is archived in the file cedar\.jsonl and no longer shown here$/m,
        'below the row the sentence stands whole, with the name of the file');
    my $shown = $lims->made(@here, qw(audit list --table client --record-id), $client)->{data};
    is(join(' ', map { $_->{action} } @$shown), 'update archived', 'a list of a record ends with what is archived');
    is($shown->[1]{reason}, $history->[0]{sentence}, 'the list says it in the words of the history');
    is($shown->[1]{block}, 1, 'the line of what is archived stands in the first block');
    my @pages = ($lims->made(@here, qw(audit list --table client --limit 1 --record-id), $client));
    push @pages, $lims->made(@here, qw(audit list --table client --limit 1 --cursor), $pages[0]{nextCursor},
        '--record-id', $client);
    is(join(' ', map { $_->{data}[0]{action} . ($_->{hasMore} ? '+' : '.') } @pages), 'update+ archived.',
        'page by page the list ends with it, too');
    my $export = $lims->run(@here, qw(audit export --table client --record-id), $client)->{out};
    like($export, qr/"archived".*archived in the file cedar/,
        'the CSV file of the record names the archive');
    my @json = map { decode_json($_) } split /\n/,
        $lims->run(@here, qw(audit export --format json --table client --record-id), $client)->{out};
    ok((pop @json)->{signature}, 'the last line of JSON is a signature');
    is(join(' ', map { $_->{action} } @json), 'archived update',
        'the JSON file of the record names the archive, oldest first');
    my $young = $lims->made(@ana, qw(client create --code NEW --name), 'New client')->{id};
    is(join(' ', map { $_->{action} } @{ $lims->made(@here, qw(audit list --table client --record-id), $young)->{data} }),
        'insert', 'of a record that is younger than the archive nothing is archived');
    is($lims->run(@here, qw(audit list --table nonsense --record-id 1))->{exit}, 0, 'a table of nobody is no failure');
    my $period = $lims->run(@here, qw(audit list --from 2026-01-01 --to 2026-01-20));
    is($period->{exit}, 2, 'an archived period is refused');
    like($period->{err}, qr/are archived and no longer here/, 'the reason is given in words');
    is($lims->run(@here, qw(audit list))->{exit}, 0, 'the present one is shown');
};

subtest 'tampering' => sub {
    my @lines = do { open my $in, '<:raw', $file or die; <$in> };
    my $check = sub {
        my ($name, $why, @changed) = @_;
        open my $out, '>:raw', "$folder/forged" or die;
        print {$out} @changed;
        close $out or die;
        my $answer = $lims->run(@here, qw(audit verify-archive --file), "$folder/forged");
        is($answer->{exit}, 1, "$name is refused");
        like($answer->{err}, $why, 'the reason is given in words');
    };
    my ($at) = grep { $lines[$_] =~ /first reason/ } 0 .. $#lines;
    my @other = @lines;
    $other[$at] =~ s/first reason/other reason/;
    $check->('a changed entry', qr/entry \d+ is not as it was/, @other);
    $check->('a missing entry', qr/is not as it was|has \d+ of its/, @lines[ 0 .. $at - 1, $at + 1 .. $#lines ]);
    $check->('an entry more', qr/is not as it was|an entry more/, @lines[ 0 .. $at, $at .. $#lines ]);
    $check->('a cut-off file', qr/no signature at its end/, @lines[ 0 .. $#lines - 1 ]);
    $check->('a text behind the signature', qr/goes on behind/, @lines, "more\n");
    $check->('a text without an end behind the signature', qr/goes on behind/, @lines, 'more');
    $check->('a byte behind the signature that ends texts in C', qr/goes on behind/, @lines, "\0more\n");
    my @hidden = @lines;
    $hidden[$at] =~ s/\n\z/\0more\n/;
    $check->('a text behind such a byte in a line', qr/no end, or a byte/, @hidden);
    $check->('a changed first line', qr/changed after it was signed/,
        $lines[0] =~ s/"writtenAt":"2/"writtenAt":"3/r, @lines[ 1 .. $#lines ]);
    $check->('another kind of file', qr/does not begin as an archive/, "{}\n");

    as_owner(q{UPDATE lims.audit_block SET head = sha256('x') WHERE id = 1});
    my $answer = $lims->run(@here, qw(audit verify-archive --file), $file);
    is($answer->{exit}, 1, 'another head in the database is found');
    like($answer->{err}, qr/block 1 of the database is missing or has another head/, 'the block is named');
    as_owner(q{UPDATE lims.audit_block b SET head = decode(?, 'hex') WHERE b.id = 1},
        (map { decode_json($_)->{head} } grep { /^\{"block" : 1,|^\{"block":1,/ } @lines)[0]);
    is($lims->run(@here, qw(audit verify-archive --file), $file)->{exit}, 0,
        'with its head again, the archive is sound');

    as_owner(q{INSERT INTO lims.audit_entry (organization_id, id, table_name, record_id, action,
        changes, position) VALUES (?, 888888, 'organization', ?, 'update', '{}', 1)}, $id, $id);
    is_deeply($lims->ctl(@here, qw(audit verify))->{json}{findings}[0]{entryId}, 888_888,
        'an entry in archived blocks is found');
    as_owner('DELETE FROM lims.audit_entry WHERE id = 888888');

    as_owner(q{INSERT INTO lims.audit_archive (organization_id, id, from_block, to_block, to_position,
        entries, last_entry_at, file_name, sha256, key_id, signature, removed_at)
        SELECT b.organization_id, 2, b.id, b.id, b.to_position, 1, now(), 'x', repeat('0', 64), 'old',
            repeat('A', 86) || '==', now() FROM lims.audit_block b WHERE b.id = 3});
    is($lims->ctl(@here, qw(audit verify))->{json}{problem}, 'archive_forged',
        'a record of an archive that nobody signed is found');
    as_owner('DELETE FROM lims.audit_archive WHERE id = 2');
    is($lims->ctl(@here, qw(audit verify))->{exit}, 0, 'without it the chain is sound');
};

subtest 'kill -9 at any moment' => sub {
    for my $piece (0 .. 3) {
        $db->do(q{INSERT INTO lims.client (organization_id, code, name)
            SELECT ?, 'C' || n, 'client ' || n FROM generate_series(?::integer, ?) n}, undef, $id,
            $piece * 3000 + 1, $piece * 3000 + 3000);
        closed();
    }
    my ($total, $moment) = (entries(), now());
    my $second = "$folder/second.jsonl";
    my ($killed, $done) = (0, 0);
    for my $attempt (1 .. 60) {
        my $pid = fork // die "fork: $!\n";
        if (!$pid) {
            local $ENV{LIMS_DATABASE} = $lims->conninfo('lims_owner');
            open STDOUT, '>', '/dev/null';
            open STDERR, '>', '/dev/null';
            exec LIMS::Instance::out() . '/limsctl', @here, qw(audit archive --before), $moment,
                '--to', $second;
        }
        select undef, undef, undef, 0.04 * $attempt;
        kill 'KILL', $pid;
        waitpid $pid, 0;
        $killed++ if $? == 9;
        my ($record, $left) = ($lims->value('SELECT count(*) FROM lims.audit_archive') - 1, entries());
        if ($record) {
            my $sound = $lims->run(@here, qw(audit verify-archive --file), $second);
            is($sound->{exit}, 0, "attempt $attempt: the file is whole, $left entries are left")
                or diag($sound->{err});
        } else {
            is($left, $total, "attempt $attempt: nothing is removed");
            # A whole file without a record: nothing was removed by it.
            unlink $second;
        }
        is($lims->ctl(@here, qw(audit verify))->{exit}, 0, 'the chain is sound');
        $done = $lims->value('SELECT count(*) FROM lims.audit_archive WHERE removed_at IS NULL') == 0
            && $record;
        last if $done;
    }
    ok($done, 'at last it is done');
    ok($killed > 2, "the command was killed $killed times");
    is(entries(), 0, 'every entry is removed');
    is($lims->run(@here, qw(audit verify-archive --file), $second)->{exit}, 0, 'every entry is in the file');
    is($lims->run(@here, qw(audit verify-archive --file), $file)->{exit}, 0,
        'every entry of the first is in its file');
};

# Returns the finding of a verification: its kind and the entry.
sub found {
    my $answer = $lims->ctl(@here, qw(audit verify));
    my $finding = $answer->{json}{findings}[0];
    return $answer->{exit} ? "$finding->{problem} " . ($finding->{entryId} // '') : 'sound';
}

# Inserts an entry that nobody wrote, at a position.
sub forge {
    my ($position) = @_;
    as_owner(q{INSERT INTO lims.audit_entry (organization_id, id, table_name, record_id, action,
        changes, user_id, position) VALUES (?, 888888, 'sample_test', 4242, 'update',
        '{"result": {"old": null, "new": "1"}}', (SELECT min(id) FROM lims.user_account), ?)},
        $id, $position);
    return;
}

sub unfinished { return $db->do('UPDATE lims.audit_archive SET removed_at = NULL WHERE id = ?', undef, shift) }

subtest 'an archive that is said to be unfinished' => sub {
    my $inside = $lims->value('SELECT to_position - 1 FROM lims.audit_archive WHERE id = 2');
    unfinished(2);
    is(found(), 'sound', 'one without entries is sound');
    forge($inside);
    is(found(), 'inserted 888888', 'an entry of nobody in it is found');
    as_owner('DELETE FROM lims.audit_entry WHERE id = 888888');
    $db->do('UPDATE lims.audit_archive SET removed_at = now()');

    my $third = "$folder/third.jsonl";
    $lims->made(@ana, qw(client update), $client, '--name', "Third $_") for 1 .. 3;
    closed();
    $db->do('CREATE TABLE lims.kept_entry AS SELECT * FROM lims.audit_entry');
    archived($third);
    unfinished(3);
    as_owner('INSERT INTO lims.audit_entry SELECT * FROM lims.kept_entry');
    is(found(), 'sound', 'entries that are still to be removed are sound as they were');
    my $one = $lims->value('SELECT max(id) FROM lims.audit_entry');
    as_owner(q{UPDATE lims.audit_entry SET surface = 'api' WHERE id = ?}, $one);
    is(found(), "changed $one", 'a changed one is found');
    as_owner('DELETE FROM lims.audit_entry WHERE id = ?', $one);
    is(found(), "removed $one", 'one that is gone alone is found');
    is(archived($third)->{exit}, 0, 'the same command goes on');
    is(found(), 'sound', 'without its entries it is sound');
};

subtest 'a record of an archive that is gone' => sub {
    my $first = $lims->value('SELECT entry_ids[1] FROM lims.audit_block WHERE id = 1');
    $db->do('CREATE TABLE lims.kept_archive AS SELECT * FROM lims.audit_archive WHERE id = 1');
    $db->do('DELETE FROM lims.audit_archive WHERE id = 1');
    is(found(), "removed $first", 'the first of several leaves entries that are missing');
    $db->do('INSERT INTO lims.audit_archive SELECT * FROM lims.kept_archive');
    is(found(), 'sound', 'with it the trail is sound');
};

subtest 'an archive removes its own entries alone' => sub {
    forge(1);
    $lims->made(@ana, qw(client update), $client, '--name', 'Fourth');
    closed();
    is(archived("$folder/fourth.jsonl")->{exit}, 0, 'the next archive is written');
    is(entries(), 1, 'an entry that was inserted into an earlier one is still there');
    is(found(), 'inserted 888888', 'the inserted entry is still found');
    is($lims->value('SELECT count(*) FROM lims.archived_result WHERE sample_test_id = 4242'), 0,
        'no rule is told what it says');
    unfinished(4);
    ok(!eval { local $db->{PrintError} = 0; $db->do('DELETE FROM lims.audit_entry'); 1 },
        'while an archive is unfinished, the owner is refused to delete an entry of an earlier one');
};

done_testing();
