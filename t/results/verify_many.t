#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Many results are verified by one signature act: one password, a signature of each result,
# all or none unless asked otherwise.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst']);
my $many = 'sample-test verify-many';

sub items { return [ map { { sampleTestId => $_ } } @_ ] }

sub signatures {
    return $lab->value(q{SELECT count(*) FROM lims.electronic_signature
                          WHERE organization_id = ? AND meaning = 'verified'},
        $lims->fixture->{id});
}

sub outcome {
    my ($answer) = @_;
    return join ' ', map { "$_->{status}" . ($_->{error} ? ":$_->{error}" : '') }
        @{ $answer->{results} };
}

subtest 'all of them' => sub {
    my ($sample, @tests) = $lab->worked(3);
    my $answer;
    my @events = $lab->events_of(sub { $answer = $ann->done($many, items => items(reverse @tests)) });
    is_deeply([ map { $_->{sampleTestId} } @{ $answer->{results} } ], [ reverse @tests ],
        'answered in the order sent');
    is(outcome($answer), 'verified verified verified', 'each test is verified');
    is_deeply([ map { $_->[0] } @events ], [ ('result.verified') x 3 ], 'one event for each');
    is(signatures(), 3, 'each has a signature of its own');
    for my $id (@tests) {
        my $record = $lims->get("/sample-tests/$id")->json;
        is("$record->{status} $record->{verifiedBy}", "verified $ann->{id}", "test $id");
    }
    is($lab->value(q{SELECT count(DISTINCT t.verification_signature_id)
                       FROM lims.sample_test t
                       JOIN lims.electronic_signature s ON s.id = t.verification_signature_id
                      WHERE t.sample_id = ? AND s.record_id = t.id AND s.signer = ?},
            $sample->{id}, $ann->{id}), 3, 'each signature is of its own test');
};

subtest 'one is refused' => sub {
    my ($sample, @tests) = $lab->worked(3);
    $lab->qc_control($lab->qc_batch($tests[1]), 9);
    my $before = signatures();
    my $refusal;
    is($lab->changes_of(sub {
        $refusal = $ann->refused('qc_failed', $many, items => items(@tests));
    }), 0, 'nothing is done');
    is(signatures(), $before, 'nothing is signed');
    is(outcome($refusal), 'entered entered:qc_failed entered', 'the list says which and why');
    my ($blocker) = @{ $refusal->{results}[1]{blockers} };
    is_deeply($blocker->{testIds}, [ $tests[1] ], 'with the blockers of its gates');
    is_deeply($refusal->{results}[0]{blockers}, [], 'the others have none');

    my $answer = $ann->done($many, items => items(@tests, 987654), atomic => 'false');
    is(outcome({ results => [ @{ $answer->{results} }[ 0 .. 2 ] ] }),
        'verified entered:qc_failed verified', 'not atomic: those that can be');
    is($answer->{results}[3]{error}, 'not_found', 'an unknown test among many is refused alone');
    is(signatures(), $before + 2, 'what was refused is not signed');
    is($lab->value('SELECT status FROM lims.sample_test WHERE id = ?', $tests[1]), 'entered',
        'the refused one is as it was');
};

subtest 'a wrong password' => sub {
    my ($sample, @tests) = $lab->worked(2);
    my $before = signatures();
    $ann->refused('signature_invalid', $many, items => items(@tests), atomic => 'false',
        password => 'incorrect horse');
    is($lab->value(q{SELECT count(*) FROM lims.sample_test WHERE sample_id = ?
        AND status = 'entered'}, $sample->{id}), 2, 'nothing is done');
    is($lab->value('SELECT failures FROM lims.account_state WHERE user_id = ?', $ann->{id}),
        1, 'it is one failure');
    is(signatures(), $before, 'nothing is signed');
};

subtest 'what was seen' => sub {
    my ($sample, @tests) = $lab->worked(2);
    my @seen = map {
        { sampleTestId => $_, contentHash => $lab->value(
            q{SELECT encode(lims.signed_hash(?, 'sample_test', ?), 'hex')},
            $lims->fixture->{id}, $_) }
    } @tests;
    $lab->enter($tests[0], '8.8');
    my $answer = $ann->done($many, items => \@seen, atomic => 'false');
    is(outcome($answer), 'entered:precondition_failed verified',
        'a test that changed since is refused alone');
};

subtest 'with the choice of a repeated test' => sub {
    my ($sample, $first) = $lab->worked(1);
    my ($second) = map { $_->{id} }
        @{ $lims->post("/sample-tests/$first/retest", { reason => 'doubtful' })->json->{tests} };
    $lab->enter($second, '2');
    $ann->done($many, items => [ { sampleTestId => $second, choose => 'the first was diluted' } ]);
    is(join(' ', map { "$_->{status} $_->{disposition}" }
                @{ $lims->get("/samples/$sample->{id}")->json->{tests} }),
        'entered set_aside verified active', 'verified and chosen in one act');
    is($lab->value(q{SELECT reason FROM lims.electronic_signature
                      WHERE meaning = 'chosen' AND record_id = ?}, $second),
        'the first was diluted', 'the choice has a signature of its own');
    is($lab->value(q{SELECT reason FROM lims.audit_entry
                      WHERE table_name = 'sample_test' AND record_id = ?
                      ORDER BY id DESC LIMIT 1}, $first),
        'the first was diluted', 'the audit trail has the reason of the choice');
};

subtest 'whoever may not' => sub {
    my ($sample, $test) = $lab->worked(1);
    my $clerk = LIMS::Service::CommandLine->new($lims, 'Ben Walsh', roles => ['receiving_clerk']);
    my $answer = $clerk->call($many, items => items($test));
    ok($answer->{exit}, 'a clerk verifies nothing');
    like($answer->{output}, qr/"permission_required"/, 'the refusal to a clerk is for lack of the permission');
    is($lims->post('/sample-tests/verify', { items => items($test) })->status, 405,
        'an API key has no such route');
};

done_testing();
