#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The chain of the audit trail: whoever changes, removes or inserts an entry, the owner of
# the database with triggers off included, is found out by limsctl audit verify, which
# names the first entry that does not fit; a cut-off end by the heads that were kept
# outside.
use strict;
use warnings;

use File::Temp qw(tempdir);
use LIMS::Test::Tool;
use LIMS::Wait;

my $folder = tempdir(CLEANUP => 1);
my $lims   = LIMS::Test::Tool->new;
local $ENV{LIMS_SECRET_KEY_FILE} = "$folder/secret.key";
my ($here, $code) = $lims->laboratory('cedar');
my @here = ($here, $code);
my $db   = $lims->db;
my $id   = $lims->value('SELECT id FROM lims.organization');

is($lims->ctl(qw(secret-key --key-id old))->{exit}, 0, 'a key file is made');

# Three changes, and so three entries.
sub work {
    my ($number) = @_;
    $db->do('UPDATE lims.organization SET name = ?', undef, "name $number.$_") for 1 .. 3;
    return;
}

# Transactions of other databases hold the end of what is final back, too.
sub closed {
    wait_until { $lims->value('SELECT lims.event_horizon() > max(position) FROM lims.audit_entry') };
    my $answer = $lims->ctl(qw(audit close));
    die "audit close: $answer->{output}" if $answer->{exit};
    return $answer->{output};
}

sub verified { return $lims->ctl(@here, qw(audit verify), @_) }

# Runs a change as the owner of the database, who can also undo it.
sub as_owner {
    my ($sql, @bound) = @_;
    $db->begin_work;
    $db->do("ALTER TABLE lims.$_ DISABLE TRIGGER USER") for qw(audit_entry audit_block);
    $db->do($sql, undef, @bound);
    $db->do("ALTER TABLE lims.$_ ENABLE TRIGGER USER") for qw(audit_entry audit_block);
    $db->commit;
    return;
}

sub found {
    my ($name, $problem, $entry, @options) = @_;
    my $answer = verified(@options);
    is_deeply([ $answer->{exit}, @{ $answer->{json} }{qw(sound problem entryId)} ],
        [ 1, JSON::PP::false, $problem, $entry ], $name)
        or diag($answer->{output});
    return $answer->{json};
}

# Changes rows for the time of one verification.
sub tampered {
    my ($name, $problem, $entry, @act) = @_;
    $db->do("CREATE TABLE lims.saved_$_ AS SELECT * FROM lims.$_") for qw(audit_entry audit_block);
    as_owner(@$_) for @act;
    my $verdict = found($name, $problem, $entry);
    as_owner("DELETE FROM lims.$_") for qw(audit_entry audit_block);
    as_owner("INSERT INTO lims.$_ SELECT * FROM lims.saved_$_") for qw(audit_entry audit_block);
    $db->do("DROP TABLE lims.saved_$_") for qw(audit_entry audit_block);
    return $verdict;
}

subtest 'blocks are closed, and verified' => sub {
    work(1);
    my $heads = closed();
    like($heads, qr/\blims-audit-1:$id:1:[0-9a-f]{64}$/m, 'the head of a closed block is logged');
    work(2);
    $heads .= closed();
    my $answer = verified();
    is($answer->{exit}, 0, 'the trail is sound') or diag($answer->{output});
    is_deeply([ @{ $answer->{json} }{qw(sound problem blocks lastBlock notYetClosed)} ],
        [ JSON::PP::true, undef, 2, 2, 0 ], 'all blocks and entries are verified');
    is($answer->{json}{entries}, $db->selectrow_array('SELECT count(*) FROM lims.audit_entry
        WHERE organization_id = ?', undef, $id), 'every entry is verified');
    like($answer->{json}{unseen}, qr/cut off/, 'what cannot be seen is said');
    my $listed = $lims->ctl(@here, qw(audit heads))->{json}{data};
    is_deeply([ map { $_->{head} } @$listed ], [ $heads =~ /\b(lims-audit-1:$id:\S+)$/mg ],
        'the heads can be exported');
};

subtest 'what is younger is named' => sub {
    work(3);
    my $open = verified()->{json};
    is($open->{notYetClosed}, 3, 'three entries are not yet closed');
    my $youngest = $lims->ctl(@here, qw(audit list --table organization --record-id), $id)
        ->{json}{data};
    is($youngest->[0]{block}, undef, 'an entry that is not yet closed has no block');
    is($youngest->[-1]{block}, 1, 'a closed one has');
    closed();
};

my @entries = @{ $db->selectcol_arrayref('SELECT id FROM lims.audit_entry
    WHERE organization_id = ? ORDER BY position, id', undef, $id) };
my $middle = $entries[ $#entries - 4 ];

subtest 'tampering is found out' => sub {
    tampered('a changed value', 'changed', $middle,
        [ q{UPDATE lims.audit_entry SET changes = replace(changes::text, 'name 2.', 'name 9.')::json
            WHERE id = ?}, $middle ]);
    tampered('another person', 'changed', $middle,
        [ 'UPDATE lims.audit_entry SET user_id = 77 WHERE id = ?', $middle ]);
    tampered('a removed entry', 'removed', $middle,
        [ 'DELETE FROM lims.audit_entry WHERE id = ?', $middle ]);
    my $copy = 'INSERT INTO lims.audit_entry (organization_id, id, occurred_at, table_name,
        record_id, action, changes, position) SELECT organization_id, 999999, occurred_at,
        table_name, record_id, action, changes, position FROM lims.audit_entry WHERE id = ?';
    tampered('an inserted entry', 'inserted', 999_999, [ $copy, $entries[0] ]);
    # Without the key nobody can make the marks; others are as wrong as none.
    tampered('a changed entry, though the marks of its block were made anew', 'changed', $middle,
        [ q{UPDATE lims.audit_entry SET reason = 'x' WHERE id = ?}, $middle ],
        [ q{UPDATE lims.audit_block b SET head = sha256('x'), marks = (
                SELECT string_agg(CASE WHEN a.id < $1::bigint
                           THEN substr(b.marks, (16 * (a.place - 1) + 1)::int, 16)
                           ELSE substr(lims.audit_digest(a.entry), 1, 16) END, '' ORDER BY a.place)
                  FROM (SELECT e.id, e AS entry, row_number() OVER (ORDER BY e.position, e.id) AS place
                          FROM lims.audit_entry e
                         WHERE e.organization_id = b.organization_id
                           AND e.position >= b.from_position AND e.position < b.to_position) a)
            WHERE $1::bigint = ANY (b.entry_ids)}, $middle ]);
    tampered('a removed entry, though its block does not name it any more', 'changed',
        $entries[ $#entries - 5 ],
        [ 'DELETE FROM lims.audit_entry WHERE id = ?', $middle ],
        [ q{UPDATE lims.audit_block SET entry_ids = array_remove(entry_ids, $1::bigint),
                marks = substr(marks, 1, 16 * (cardinality(entry_ids) - 1))
            WHERE $1::bigint = ANY (entry_ids)}, $middle ]);
    tampered('a block that is missing', 'block_missing', undef,
        [ 'DELETE FROM lims.audit_block WHERE organization_id = ? AND id = 2', $id ]);
    is(verified()->{exit}, 0, 'with its block again, the chain is sound');
};

subtest 'a key is replaced' => sub {
    is($lims->ctl(qw(secret-key --key-id new))->{exit}, 0, 'a second key');
    work(4);
    closed();
    is(verified()->{json}{sound}, JSON::PP::true, 'both keys have their blocks');
    my ($finding) = grep { $_->{subject} eq 'audit trail' && $_->{finding} =~ /"old"/ }
        @{ $lims->run(qw(--json check))->{json}{findings} };
    is($finding->{state}, 'ok', 'limsctl check says which keys are needed') or diag(explain($finding));
    rename "$folder/secret.key", "$folder/both.key";
    $lims->ctl(qw(secret-key --key-id other));
    found('without its key nothing is verified', 'key_missing', undef);
    ($finding) = grep { $_->{subject} eq 'audit trail' && $_->{finding} =~ /"old"/ }
        @{ $lims->run(qw(--json check))->{json}{findings} };
    is($finding->{state}, 'failed', 'limsctl check misses it');
    rename "$folder/both.key", "$folder/secret.key";
};

subtest 'no key file' => sub {
    work(4.5);
    delete local $ENV{LIMS_SECRET_KEY_FILE};
    my $answer = $lims->ctl(qw(audit close));
    unlike($answer->{output}, qr/^lims-audit-1:/m, 'without a key file no block is closed')
        or diag($answer->{output});
    my $checked = $lims->run(qw(--json check));
    my ($finding) = grep { $_->{subject} eq 'audit trail' } @{ $checked->{json}{findings} };
    is_deeply([ $checked->{exit}, @$finding{qw(state finding)} ],
        [ 1, 'failed', 'no key file: no block of it is closed' ], 'limsctl check fails for it')
        or diag(explain($finding));
};

subtest 'a cut-off end' => sub {
    my $heads = "$folder/heads";
    open my $out, '>', $heads or die "$heads: $!\n";
    print {$out} "[notice] LIMS0384: a block was closed: $_->{head}\n"
        for @{ $lims->ctl(@here, qw(audit heads))->{json}{data} };
    close $out or die "$heads: $!\n";
    my $whole = verified('--heads', $heads);
    is($whole->{exit}, 0, 'compared with the heads the trail is sound') or diag($whole->{output});
    is_deeply([ @{ $whole->{json} }{qw(headsCompared unseen)} ], [ 4, undef ],
        'every block is compared');
    my ($from) = $db->selectrow_array('SELECT from_position FROM lims.audit_block
        WHERE organization_id = ? AND id = 4', undef, $id);
    as_owner('DELETE FROM lims.audit_block WHERE organization_id = ? AND id = 4', $id);
    as_owner('DELETE FROM lims.audit_entry WHERE organization_id = ? AND position >= ?', $id, $from);
    is(verified()->{exit}, 0, 'from within it is not seen');
    is(found('by the heads it is', 'cut_off', undef, '--heads', $heads)->{block}, 4,
        'the finding names the block from which blocks are cut off');
    work(5);
    closed();
    is(verified()->{exit}, 0, 'a chain that goes on elsewhere is sound in itself');
    found('but has another head', 'other_head',
        $db->selectrow_array('SELECT entry_ids[1] FROM lims.audit_block
            WHERE organization_id = ? AND id = 4', undef, $id), '--heads', $heads);
};

# The run-time role may close blocks, and nothing keeps it from closing a wrong one: what it
# lacks is the key.
subtest 'a block that the run-time role forged' => sub {
    my $app = LIMS::Instance::connect_database($lims->{database}, 'lims_app');
    my ($elm) = $lims->laboratory('elm');
    my $other = $lims->value(q{SELECT id FROM lims.organization WHERE code = 'elm'});
    my $forged = sub {
        my ($context, $entries) = @_;
        my ($last, $from) = $db->selectrow_array('SELECT id, to_position FROM lims.audit_block
            WHERE organization_id = ? ORDER BY id DESC LIMIT 1', undef, $id);
        my ($to, $ids, $first) = $db->selectrow_array('SELECT max(position) + 1,
            array_agg(id ORDER BY position, id)::text, min(id) FROM lims.audit_entry
            WHERE organization_id = ? AND position >= ?', undef, $id, $from);
        $app->begin_work;
        $app->do(q{SELECT set_config('lims.organization_id', ?, true)}, undef, $context);
        $app->do(q{SELECT lims.audit_close(ROW(?, ?, ?, ?, now(), 'new', 1::smallint, ?::bigint[],
                convert_to(repeat('x', 16 * cardinality(?::bigint[])), 'UTF8'), sha256('x')),
                false)}, undef, $id, $last + 1, $from, $to, $entries ? ($ids) x 2 : (undef) x 2);
        $app->commit;
        return ($first, $last + 1);
    };
    my $undone = sub {
        my ($block) = @_;
        as_owner('DELETE FROM lims.audit_block WHERE organization_id = ? AND id >= ?', $id, $block);
        $db->do('UPDATE lims.audit_closing SET closed_below = (SELECT max(to_position)
            FROM lims.audit_block WHERE organization_id = $1) WHERE organization_id = $1', undef, $id);
        return;
    };
    closed();
    is(verified()->{exit}, 0, 'the trail is sound before');
    for my $context (undef, $id, $other) {
        my $whose = !defined $context ? 'of no organization'
            : $context == $id ? 'of the organization' : 'of another organization';
        work(6);
        my ($entry, $block) = $forged->($context, 1);
        found("entries with marks of no key, by a session $whose", 'changed', $entry);
        $undone->($block);
        closed();
        is(verified()->{exit}, 0, 'entries that are closed with the key are sound');
    }
    work(7);
    my ($skipped, $block) = $forged->($other, 0);
    work(8);
    closed();
    found('entries that no block has', 'inserted', $skipped);
    $undone->($block);
    closed();
    is(verified()->{exit}, 0, 'entries that were skipped are sound once they are closed');
    $app->disconnect;
};

subtest 'an entry with a time of long ago' => sub {
    as_owner(q{INSERT INTO lims.audit_entry (organization_id, id, occurred_at, table_name,
        record_id, action, changes) VALUES (?, 999999, now() - interval '3 days', 'organization',
        ?, 'update', '{}')}, $id, $id);
    closed();
    found('is told of', 'backdated', 999_999);
};

done_testing();
