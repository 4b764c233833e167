#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Tests are added to a sample, cancelled and restored; only active ones count.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my ($sample, $test) = $lab->worked(1);
my $other = $lab->definition;

sub act {
    my ($id, $act, %body) = @_;
    return $lims->post("/sample-tests/$id/$act", { reason => 'the client called', %body });
}

sub findings {
    my ($id) = @_;
    return join ' ', sort map { $_->{category} }
        @{ $lims->get("/samples/$id/readiness")->json->{findings} };
}

subtest 'adding' => sub {
    my $added = $lims->post("/samples/$sample->{id}/tests", { testDefinitionIds => [$other] });
    is($added->status, 201, 'a test is added');
    my ($new) = @{ $added->json->{tests} };
    is_deeply([ @$new{qw(sampleId testDefinitionId status disposition retestOf reported)} ],
        [ $sample->{id}, $other, 'pending', 'active', undef, JSON::PP::true ],
            'the test belongs to the sample');
    like(refused($lims->post("/samples/$sample->{id}/tests", { testDefinitionIds => [$other] }),
            400, 'invalid_body', 'a definition that is there')->{message}, qr/retest/,
        'the message names the retest');
    refused($lims->post("/samples/$sample->{id}/tests", { testDefinitionIds => [999_999] }), 400,
        'invalid_reference', 'a definition of nobody');
    refused($lims->post("/samples/$sample->{id}/tests", {}), 400, 'invalid_body', 'nothing to add');
    refused($lims->post('/samples/999999/tests', { testDefinitionIds => [$other] }), 404,
        'not_found', 'a sample of nobody');

    refused($lims->post("/sample-tests/$new->{id}/cancel", {}), 400, 'invalid_body',
        'cancelling without a reason');
    my $cancelled = act($new->{id}, 'cancel');
    is($cancelled->status, 200, 'the test is cancelled');
    is_deeply([ @{ $cancelled->json }{qw(disposition reported)} ],
        [ 'cancelled', JSON::PP::false ], 'the cancelled test is not reported');
    is($lab->value(q{SELECT reason FROM lims.audit_entry WHERE organization_id = ?
        AND table_name = 'sample_test' AND record_id = ? AND changes -> 'disposition' IS NOT NULL
        ORDER BY id DESC LIMIT 1}, $lims->fixture->{id}, $new->{id}), 'the client called',
        'the trail has the reason');
    is($lab->changes_of(sub { is(act($new->{id}, 'cancel')->status, 200, 'again') }), 0,
        'cancelling again changes nothing');
    refused($lims->patch("/sample-tests/$new->{id}", { result => '1' }), 409, 'invalid_transition',
        'entering into it');
    refused($lims->post("/sample-tests/$new->{id}/verify"), 409, 'invalid_transition',
        'verifying it');
    refused($lims->post('/sample-tests/bulk-results',
            { updates => [ { sampleTestId => $new->{id}, result => '1' } ] }),
        409, 'invalid_transition', 'many results, one of them into it');
    refused(act($new->{id}, 'retest'), 409, 'invalid_transition', 'repeating it');

    my $list = sub {
        my $ids = $lims->get("/sample-tests?sampleId=$sample->{id}$_[0]")->json->{data};
        return join ' ', map { $_->{id} } @$ids;
    };
    is($list->(''), "$test $new->{id}", 'lists show all');
    is($list->('&status=pending'), '', 'the filter by status leaves out cancelled tests');
    is($list->('&status=pending&disposition=cancelled'), $new->{id},
        'cancelled tests are listed when asked for');
    is($list->('&updatedSince=2026-01-01&status=pending'), $new->{id},
        'the list of changes has cancelled tests, whatever the status asked for');
    is(findings($sample->{id}), 'unverified_result', 'it is missing no more');

    is(act($new->{id}, 'restore')->json->{disposition}, 'active', 'the test is restored');
    is($lab->changes_of(sub { is(act($new->{id}, 'restore')->status, 200, 'again') }), 0,
        'restoring again changes nothing');
    is(findings($sample->{id}), 'incomplete_result unverified_result',
        'the restored test is missing again');
    act($new->{id}, 'cancel');
    $lims->post("/samples/$sample->{id}/tests", { testDefinitionIds => [$other] });
    refused(act($new->{id}, 'restore'), 409, 'invalid_transition',
        'restoring what was added anew');
};

subtest 'a verified test, and the last one' => sub {
    my ($only, $last) = $lab->worked(1);
    $lab->verify($last);
    refused(act($last, 'cancel'), 409, 'test_verified_locked', 'a verified test');
    my ($bare, $single) = $lab->worked(1);
    act($single, 'cancel');
    refused($lims->post("/samples/$bare->{id}/report"), 409, 'incomplete_sample',
        'a sample whose last test was cancelled');
};

subtest 'QC batches' => sub {
    my ($of, $one) = $lab->worked(1);
    my $batch = $lab->qc_batch($one);
    my $count = sub {
        return $lab->value('SELECT count(*) FROM lims.qc_coverage WHERE organization_id = ?'
                . ' AND sample_test_id = ?', $lims->fixture->{id}, $one);
    };
    act($one, 'cancel');
    is($count->(), 0, 'a cancelled test leaves its batch');
    $lab->qc_control($batch, 9);
    act($one, 'restore');
    is($count->(), 1, 'a restored test is covered by its batch again');
    is(findings($of->{id}), 'qc_failed unverified_result', 'a restored test has the findings of a batch that failed meanwhile');
    act($one, 'cancel');
    is($count->(), 1, 'a failed batch is not left');
    is(findings($of->{id}), 'incomplete_result', 'a cancelled test in a failed batch does not block its sample');
};

done_testing();
