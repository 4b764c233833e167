#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The heads of the audit trail in a signed file: whoever has the public key sees that it was
# made by the service, and limsctl audit verify --against names what was changed, removed,
# inserted or cut off since; a forged, changed or cut off file is refused.
use strict;
use warnings;

use File::Temp qw(tempdir);
use JSON::PP qw(decode_json);
use LIMS::Test::Tool;
use LIMS::Wait;
use MIME::Base64 qw(decode_base64);

my $folder = tempdir(CLEANUP => 1);
my $lims   = LIMS::Test::Tool->new;
local $ENV{LIMS_SECRET_KEY_FILE} = "$folder/secret.key";
my ($here, $code) = $lims->laboratory('cedar');
my @here = ($here, $code);
my $db   = $lims->db;
my $id   = $lims->value('SELECT id FROM lims.organization');

is($lims->ctl(qw(secret-key --key-id old))->{exit}, 0, 'a key file is made');

sub work {
    my ($number, $organization) = @_;
    $db->do('UPDATE lims.organization SET name = ? WHERE id = ?', undef, "name $number.$_",
        $organization // $id) for 1 .. 3;
    return;
}

sub closed {
    wait_until { $lims->value('SELECT lims.event_horizon() > max(position) FROM lims.audit_entry') };
    my $answer = $lims->ctl(qw(audit close));
    die "audit close: $answer->{output}" if $answer->{exit};
    return;
}

sub verified { return $lims->ctl(@here, qw(audit verify), @_) }

sub written {
    my ($name, $text) = @_;
    open my $out, '>:raw', "$folder/$name" or die "$name: $!\n";
    print {$out} $text;
    close $out or die "$name: $!\n";
    return "$folder/$name";
}

sub exported {
    my ($name, @options) = @_;
    my $answer = $lims->run(@here, qw(audit export-heads), @options);
    die "audit export-heads: $answer->{err}" if $answer->{exit};
    return written($name, $answer->{out});
}

sub as_owner {
    my ($sql, @bound) = @_;
    $db->begin_work;
    $db->do("ALTER TABLE lims.$_ DISABLE TRIGGER USER") for qw(audit_entry audit_block);
    $db->do($sql, undef, @bound);
    $db->do("ALTER TABLE lims.$_ ENABLE TRIGGER USER") for qw(audit_entry audit_block);
    $db->commit;
    return;
}

# Changes rows for the time of one comparison; returns what is found, [kind, block, entry] each.
sub tampered {
    my ($file, @act) = @_;
    $db->do("CREATE TABLE lims.saved_$_ AS SELECT * FROM lims.$_") for qw(audit_entry audit_block);
    as_owner(@$_) for @act;
    my $verdict = verified('--against', $file);
    as_owner("DELETE FROM lims.$_") for qw(audit_entry audit_block);
    as_owner("INSERT INTO lims.$_ SELECT * FROM lims.saved_$_") for qw(audit_entry audit_block);
    $db->do("DROP TABLE lims.saved_$_") for qw(audit_entry audit_block);
    return [ map { [ @$_{qw(problem block entryId)} ] } @{ $verdict->{json}{findings} } ];
}

for my $number (1 .. 4) {
    work($number);
    closed();
}
my $file  = exported('heads.jsonl');
my @lines = split /^/m, do { open my $in, '<:raw', $file or die; local $/; <$in> };

subtest 'the file' => sub {
    is_deeply([ @{ decode_json($lines[0]) }{qw(format organizationId code)} ],
        [ 'lims-audit-heads-1', $id, 'cedar' ], 'its first line says whose heads it has');
    is_deeply([ map { decode_json($_)->{head} } @lines[ 1 .. 4 ] ],
        [ map { $_->{head} } @{ $lims->ctl(@here, qw(audit heads))->{json}{data} } ],
        'then comes the head of each block');
    my $last = decode_json($lines[5]);
    is(@lines, 6, 'then the signature');
    my $digest = qx{head -n -1 '$file' | sha256sum};
    is($last->{signed}, "lims-audit-heads-1:$id:1:4:" . substr($digest, 0, 64),
        'of the digest of what stands before it');

    my $key = written('public.pem', $lims->ctl(@here, qw(audit public-key))->{json}{publicKey});
    my $text = written('signed', $last->{signed});
    my $signature = written('signature', decode_base64($last->{signature}));
    my $openssl = "openssl pkeyutl -verify -pubin -inkey '$key' -rawin -sigfile '$signature' -in";
    like(scalar qx{$openssl '$text' 2>&1}, qr/Verified Successfully/,
        'whoever has the public key verifies it');
    written('signed', "$last->{signed}0");
    like(scalar qx{$openssl '$text' 2>&1}, qr/Failure/, 'another text does not verify');
    is(decode_json((split /^/m, do { open my $in, '<', exported('part', '--from-block', 3); local $/; <$in> })[1])
        ->{head} =~ /:3:/, 1, 'an export can begin later');
};

subtest 'the trail is as it was' => sub {
    work(5);
    closed();
    my $answer = verified('--against', $file);
    is_deeply([ $answer->{exit}, @{ $answer->{json} }{qw(sound headsCompared unseen)} ],
        [ 0, JSON::PP::true, 4, undef ], 'it has every head of the file, and goes on')
        or diag($answer->{output});
};

my %entries;
for my $block (1 .. 5) {
    $entries{$block} = $db->selectcol_arrayref('SELECT unnest(entry_ids) FROM lims.audit_block
        WHERE organization_id = ? AND id = ?', undef, $id, $block);
}

subtest 'everything that was done since is named' => sub {
    is_deeply(tampered($file,
        [ q{UPDATE lims.audit_entry SET reason = 'x' WHERE id = ?}, $entries{2}[1] ],
        [ 'DELETE FROM lims.audit_entry WHERE id = ?', $entries{3}[0] ],
        [ 'INSERT INTO lims.audit_entry (organization_id, id, occurred_at, table_name,
            record_id, action, changes, position) SELECT organization_id, 999999, occurred_at,
            table_name, record_id, action, changes, position FROM lims.audit_entry WHERE id = ?',
            $entries{4}[2] ]),
        [ [ 'changed', 2, $entries{2}[1] ], [ 'removed', 3, $entries{3}[0] ],
            [ 'inserted', 4, 999_999 ] ], 'a changed, a removed and an inserted entry')
        or diag(explain([ \%entries ]));
    is_deeply(tampered($file, [ 'DELETE FROM lims.audit_block WHERE id = 3' ]),
        [ [ 'block_missing', 3, undef ] ], 'a block that is missing');
    my ($from) = $db->selectrow_array('SELECT from_position FROM lims.audit_block WHERE id = 3');
    is_deeply(tampered($file, [ 'DELETE FROM lims.audit_block WHERE id >= 3' ],
        [ 'DELETE FROM lims.audit_entry WHERE position >= ?', $from ]),
        [ [ 'cut_off', 3, undef ], [ 'cut_off', 4, undef ] ], 'the end that was cut off');
    is_deeply(tampered($file, [ q{UPDATE lims.audit_block SET head = sha256('x') WHERE id = 4} ])->[0],
        [ 'changed', 4, $entries{4}[-1] ], 'another head');
    is(verified('--against', $file)->{exit}, 0, 'with its head again, the chain is sound');
};

subtest 'a file that cannot be relied on' => sub {
    my %forged = (
        'a changed head' => [ join('', @lines[ 0, 1 ], $lines[2] =~ s/(.)(?=",)/$1 eq 'a' ? 'b' : 'a'/er,
            @lines[ 3 .. 5 ]), qr/changed after it was signed/ ],
        'a head left out' => [ join('', @lines[ 0, 1, 3, 4, 5 ]), qr/changed after it was signed/ ],
        'a cut-off end'   => [ join('', @lines[ 0 .. 4 ]), qr/no signature at its end/ ],
        'another signature' => [ join('', @lines[ 0 .. 4 ],
            $lines[5] =~ s/(?<=signature":")./$& eq 'A' ? 'B' : 'A'/er), qr/signature does not fit/ ],
        'something behind it' => [ join('', @lines, "x\n"), qr/no signature at its end/ ],
        'a key of nobody' => [ join('', @lines[ 0 .. 4 ], $lines[5] =~ s/"keyId":"old"/"keyId":"odd"/r),
            qr/key "odd"/ ],
        'no JSON' => [ "nothing\n", qr/no signature/ ],
    );
    for my $name (sort keys %forged) {
        my ($text, $why) = @{ $forged{$name} };
        my $answer = $lims->run(@here, qw(audit verify --against), written('forged', $text));
        is($answer->{exit}, 1, "$name is refused");
        like($answer->{err}, $why, 'the reason is given in words');
    }
};

subtest 'files of several organizations' => sub {
    my ($elm, $other) = $lims->laboratory('elm');
    closed();
    my $second = $lims->run($elm, $other, qw(audit export-heads))->{out};
    my $both   = written('both', join '', @lines, $second);
    is(verified('--against', $both)->{exit}, 0, 'one behind the other, each finds its own');
    my $twice = $lims->run(@here, qw(audit verify --against),
        written('twice', join '', @lines, $second, @lines));
    is($twice->{exit}, 1, 'a file that stands there twice is refused');
    like($twice->{err}, qr/the same exported file stands in it twice/, 'the reason says so');
    is($lims->ctl($elm, $other, qw(audit verify --against), $both)->{json}{headsCompared}, 1,
        'the other one finds only its own');
    my $answer = $lims->run(@here, qw(audit verify --against), written('foreign', $second));
    is($answer->{exit}, 1, 'the other one\'s alone is refused');
    like($answer->{err}, qr/no heads of this organization/, 'the reason is given in words');
};

subtest 'the heads of all organizations at once' => sub {
    my $all = $lims->run(qw(audit export-all-heads));
    is($all->{exit}, 0, 'they are exported') or diag($all->{err});
    my @parts = map { decode_json($_) } grep { /"format"/ } split /^/m, $all->{out};
    is(join(' ', map { $_->{code} } @parts), 'cedar elm', 'each organization has its part, in order');
    my $file = written('all', $all->{out});
    for my $one (@{ $db->selectall_arrayref('SELECT o.code, count(b.id) FROM lims.organization o
        JOIN lims.audit_block b ON b.organization_id = o.id GROUP BY o.code', { Slice => {} }) }) {
        my $answer = $lims->ctl('--organization', $one->{code}, qw(audit verify --against), $file);
        is_deeply([ $answer->{exit}, @{ $answer->{json} }{qw(sound headsCompared)} ],
            [ 0, JSON::PP::true, $one->{count} ], "$one->{code}: every head is found in the file");
    }
    my ($from) = $db->selectrow_array('SELECT from_position FROM lims.audit_block WHERE id = 4 AND organization_id = ?',
        undef, $id);
    is_deeply(tampered($file, [ 'DELETE FROM lims.audit_block WHERE id >= 4 AND organization_id = ?', $id ],
        [ 'DELETE FROM lims.audit_entry WHERE position >= ? AND organization_id = ?', $from, $id ])->[0],
        [ 'cut_off', 4, undef ], 'the end that was cut off is named by it');

    # The blocks of the last days, and the one before.
    as_owner(q{UPDATE lims.audit_block SET closed_at = closed_at - interval '3 days' WHERE organization_id = ? AND id <= 3},
        $id);
    my $few = $lims->run(qw(audit export-all-heads --days 2))->{out};
    my @heads = map { decode_json($_)->{head} // () } split /^/m, $few;
    is(join(' ', map { /:$id:(\d+):/ } @heads), '3 4 5', 'with --days those of this time, and the one before');
    as_owner(q{UPDATE lims.audit_block SET closed_at = closed_at + interval '3 days' WHERE organization_id = ? AND id <= 3},
        $id);
    is(verified('--against', written('few', $few))->{json}{headsCompared}, 3, 'such a file is compared, too');
    is($lims->run(@here, qw(audit export-all-heads))->{exit}, 2, 'it is for no single organization');
    $lims->run(qw(organization create --code oak --name Oak));
    is($lims->run(qw(audit export-all-heads))->{exit}, 0, 'an organization without a block is no failure');
};

subtest 'a key is replaced' => sub {
    $lims->ctl(qw(secret-key --key-id new));
    is(verified('--against', $file)->{exit}, 0, 'the old key still verifies');
    like(do { open my $in, '<', exported('later'); local $/; <$in> }, qr/"keyId":"new"/,
        'the new one signs');
    isnt($lims->ctl(@here, qw(audit public-key))->{json}{publicKey},
        $lims->ctl(@here, qw(audit public-key --key-id old))->{json}{publicKey},
        'each has its public key');
};

done_testing();
