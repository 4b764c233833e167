#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Entries of bulk-results with qualifier, lots, time of analysis, reason and ifMatch: each
# as in a single entry, a reason in the trail of its own test, and nothing entered where a
# test is no longer as it was read.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);
my $lead = $lab->definition(specification_high => 10);

sub tests { return map { $lab->tests($lab->sample(testDefinitionIds => [$lead])) } 1 .. $_[0] }
sub bulk  { return $lims->post('/sample-tests/bulk-results', { updates => [@_] }) }
sub record { return $lims->get("/sample-tests/$_[0]")->json }

sub update {
    my ($test, $result, %more) = @_;
    return { sampleTestId => $test, result => $result, %more };
}

subtest 'members' => sub {
    my ($test) = tests(1);
    my $lot    = $lab->reagent_lot(code => 'HCL-7');
    my $at     = $lims->db->selectrow_array(q{SELECT to_char(now() AT TIME ZONE 'UTC',
        'YYYY-MM-DD"T"HH24:MI:00.000"Z"')});
    my $done = bulk(update($test, '1', qualifier => 'J', reagentLotId => $lot, analyzedAt => $at));
    is($done->status, 200) or diag($done->body);
    my $is = sub { return [ map { $_ // 'null' } @{ record($test) }{qw(qualifier reagentLotId analyzedAt)} ] };
    is_deeply($is->(), [ 'J', $lot, $at ], 'qualifier, lot, time');
    bulk(update($test, '1'));
    is_deeply($is->(), [ 'J', $lot, $at ], 'qualifier, lot and time stay where an update does not have them');
    my @events = $lab->events_in(sub { bulk(update($test, '1', reagentLotId => undef, analyzedAt => undef)) });
    is_deeply($is->(), [ 'J', 'null', 'null' ], 'null clears reagent lot and time');
    is_deeply([ grep { $_->[0] eq 'result.entered' } @events ], [], 'clearing lot and time emits no event of a new result');
    refused(bulk(update($test, '1', reagentLotId => 987654)), 400, 'invalid_reference', 'no such lot');
    refused(bulk(update($test, '1', qualifier => 'X')), 400, 'invalid_body', 'no such qualifier');
};

subtest 'a reason of its own for each' => sub {
    my @tests = tests(4);
    bulk(map { update($_, '1') } @tests);
    my @unknown = (update($tests[3], '2', reason => 'again'), update(987654, '1'));
    like(refused(bulk(@unknown), 400, 'invalid_reference', 'an unknown one')->{message},
        qr/updates\[1\]/, 'the refusal of an unknown test names its place');
    my $done = bulk(update($tests[2], '2', reason => 'wrong bottle'), update($tests[1], '2'),
        update($tests[0], '2', reason => 'typed wrong'), update($tests[3], '2', reason => 'wrong bottle'));
    is($done->status, 200) or diag($done->body);
    is_deeply([ map { $_->{id} } @{ $done->json->{updated} } ], [ @tests[ 2, 1, 0, 3 ] ], 'in the order sent');
    my %kept = map { $_->[0] => $_->[1] } @{ $lims->db->selectall_arrayref(q{SELECT record_id, reason
        FROM lims.audit_entry WHERE table_name = 'sample_test' AND action = 'update'
         AND changes -> 'result' ->> 'new' = '2'}) };
    is_deeply(\%kept, { $tests[0] => 'typed wrong', $tests[1] => undef, $tests[2] => 'wrong bottle',
            $tests[3] => 'wrong bottle' }, 'the trail has it');
};

subtest 'ifMatch' => sub {
    my @tests = tests(3);
    my %tag   = map { $_ => record($_)->{etag} } @tests;
    like($tag{ $tests[0] }, qr/\A[0-9a-f]{32}\z/, 'a record has a tag');
    is(bulk(map { update($_, '1', ifMatch => $tag{$_}) } @tests)->status, 200, 'as they were read');
    my $refused = refused(bulk(update($tests[0], '2', ifMatch => record($tests[0])->{etag}),
            update($tests[1], '2', ifMatch => $tag{ $tests[1] }), update($tests[2], '2')), 412,
        'precondition_failed', 'one has changed');
    is_deeply([ map { $_->{sampleTestId} } @{ $refused->{conflicts} } ], [ $tests[1] ],
        'the conflict names the test');
    is_deeply($refused->{conflicts}[0]{record}, record($tests[1]),
        'the conflict has the record as it is');
    is_deeply([ map { record($_)->{result} } @tests ], [ 1, 1, 1 ], 'of a bulk with a conflict nothing is entered');
    my $before = record($tests[0])->{etag};
    $lims->patch("/sample-tests/$tests[0]", { notes => 'n' });
    isnt(record($tests[0])->{etag}, $before, 'notes change the tag');
    $lims->db->do('UPDATE lims.test_definition SET name = ? WHERE id = ?', undef, 'Another', $lead);
    my $renamed = record($tests[0]);
    is($renamed->{testName}, 'Another', 'a definition is renamed');
    is($renamed->{etag}, $lims->get("/sample-tests?sampleId=$renamed->{sampleId}")->json->{data}[0]{etag},
        'the ETag of a test in bulk results is that of the list');
};

done_testing();
