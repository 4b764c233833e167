#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Rules that rest on the trail hold when old entries are archived: changed tests are listed,
# who entered what stands in a result cannot verify it, a test whose QC batch failed stays in
# the batch of its repetition, and the chain of the trail is sound.
use strict;
use warnings;

use File::Temp qw(tempdir);
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Wait;

my $lims = LIMS::Test->new(conf => 'LimsAuditInterval 1');
my $lab  = LIMS::Service::Laboratory->new($lims);
my $db   = $lims->db;
my $id   = $lims->fixture->{id};
my $file = tempdir(CLEANUP => 1) . '/trail.jsonl';
my @here = ('--organization', $lims->fixture->{code});

$db->do(q{CREATE OR REPLACE FUNCTION lims.audit_archive_age() RETURNS interval
    LANGUAGE sql IMMUTABLE AS $$ SELECT interval '0' $$});
my $signer = LIMS::Service::CommandLine->new($lims, 'Ada Park', roles => ['lab_manager']);
my ($one, $two) = $lab->tests($lab->sample(testDefinitionIds => [ map { $lab->definition } 1, 2 ]));
$lims->patch("/sample-tests/$_", { result => '7.1' }) for $one, $two;
my $user = $lims->value('SELECT entered_by FROM lims.sample_test WHERE id = ?', $one);
$db->do(q{UPDATE lims.organization SET self_verification = 'refused' WHERE id = ?}, undef, $id);
my $authors = sub { $lims->value('SELECT lims.result_authors(?, ?)::text', $id, $one) };
my $before  = $authors->();
is($before, "{$user}", 'who entered the result is known');
$db->do('UPDATE lims.sample_test SET entered_by = NULL WHERE id = ?', undef, $one);
is($authors->(), "{$user}", 'who entered the result is known by the trail alone');

# A signature covers the result as it was when it was signed, who entered it included.
my ($signed) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));
$lims->patch("/sample-tests/$signed", { result => '2.4' });
$signer->done('sample-test verify', $signed);
sub signature { return $signer->done('signature list', table => 'sample_test', recordId => $signed)->{data}[0] }
my $signature = signature();
ok($signature->{stands}, 'a signature stands');

# The QC batch of a test failed; it is repeated in another one.
my $failing = $lab->qc_batch($two);
$lab->qc_control($failing, 9);
$lims->patch("/sample-tests/$two", { result => undef });
my $rerun = $lab->qc_batch($two);
$signer->done('qc-batch uncover', $failing, sampleTestIds => [$two], reason => 'repeated');
my @leave = ('qc-batch uncover', $rerun, sampleTestIds => [$two], reason => 'not needed');
my $held  = $signer->refused('qc_failed', @leave)->{message};

sub listed {
    my ($since) = @_;
    my $answer = $lims->get("/sample-tests?updatedSince=$since");
    is($answer->status, 200, "tests changed since $since are listed");
    return join ' ', sort map { $_->{id} } @{ $answer->json->{data} };
}

# Blocks are in order of position, in which a later entry may come first: here it was archived
# before the earlier one.
my ($late) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));
$lims->patch("/sample-tests/$late", { result => '3.3' });
$db->do(q{INSERT INTO lims.archived_result (organization_id, sample_test_id, authors, media_lot_ids)
    VALUES (?, ?, jsonb_build_object('result', jsonb_build_array(9e15::bigint, ?::bigint)), '{}')},
    undef, $id, $late, $signer->{id});
my $last = sub { $lims->value('SELECT lims.result_authors(?, ?)::text', $id, $late) };
my $both = '{' . join(',', sort { $a <=> $b } $user, $signer->{id}) . '}';
is($last->(), $both, 'of a later entry that is archived, its author is known');

my $changed = listed('2020-01-01');
is($changed, join(' ', sort $one, $two, $signed, $late), 'all tests were changed');
wait_until { $lims->value('SELECT coalesce(max(to_position), 0) FROM lims.audit_block WHERE organization_id = ?', $id)
        > $lims->value('SELECT max(position) FROM lims.audit_entry WHERE organization_id = ?', $id) };
my $now    = $lims->value(q{SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')});
my $answer = $lims->ctl(@here, qw(audit archive --before), $now, '--to', $file);
is($answer->{exit}, 0, 'the trail is archived') or diag($answer->{output});
is($lims->value(q{SELECT count(*) FROM lims.audit_entry WHERE organization_id = ?
    AND table_name = 'sample_test'}, $id), 0, 'no entry of a test is left');
is($authors->(), "{$user}", 'who entered the result is still known');
is($last->(), $both, 'an earlier entry does not replace the author of a later one');
is(listed('2020-01-01'), $changed, 'the same tests were changed');
is($signer->refused('qc_failed', @leave)->{message}, $held,
    'the test still cannot leave the batch of its repetition');
is_deeply(signature(), $signature, 'the signature still stands, as it was');
$signer->done('sample-test reopen', $signed, reason => 'the wrong flask');
$signer->done('sample-test enter', $signed, result => '1.9');
ok(!signature()->{stands}, 'it no longer stands when the result is another');
my $history = $lims->ctl(@here, qw(sample-test history), $one);
like($history->{json}{data}[0]{sentence}, qr/is archived in the file trail\.jsonl/,
    'the history of a test says where it is');
is($lims->ctl(@here, qw(audit verify))->{exit}, 0, 'the chain is sound');
is($lims->ctl(@here, qw(audit verify-archive --file), $file)->{exit}, 0, 'the archive is sound');
done_testing();
