#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /sample-tests/:id/verify: it locks a result. Each gate refuses with its blockers and
# opens when they are cleared; one refusal lists all gates, in the order of the contract.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);

sub test_of {
    my (%column) = @_;
    return ($lab->tests($lab->sample(testDefinitionIds => [ $lab->definition(%column) ])))[0];
}

sub entered {
    my (%column) = @_;
    my $test = test_of(%column);
    $lab->enter($test, '5');
    return $test;
}

sub verify { return $lims->post("/sample-tests/$_[0]/verify", {}) }

sub verifies {
    my ($test, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $response = verify($test);
    return is($response->status . ' ' . ($response->json->{status} // '?'), '200 verified', $name)
        || diag($response->body);
}

sub slugs { return [ map { $_->{slug} } @{ $_[0]{blockers} } ] }

subtest 'verified and locked' => sub {
    my $test = entered();
    my $response;
    is_deeply([ $lab->events_of(sub { $response = verify($test) }) ],
        [ [ 'result.verified', 'sampleTestId integer, sampleId integer' ] ], 'told once');
    my $record = $response->json;
    is($record->{status},     'verified', 'the test is verified');
    is($record->{result},     '5',        'the result stands');
    is($record->{verifiedBy}, $lims->fixture->{user_id}, 'verifiedBy is the user of the key');
    like($record->{verifiedAt}, qr/\A\d{4}-.*\.\d{3}Z\z/, 'it is UTC, to the millisecond');
    is_deeply($lims->get("/sample-tests/$test")->json, $record,
        'the record is read as it was answered');

    my $changes = $lab->changes_of(sub {
        refused(verify($test), 409, 'test_verified_locked', 'a second verification is refused');
        my %bodies = (
            'another result' => { result => '6' }, 'the same result' => { result => '5' },
            'no result'    => { result => undef }, 'a note' => { notes => 'n' },
            'a qualifier'  => { qualifier => 'J' }, 'a lot' => { reagentLotId => undef },
            'its analysis' => { analyzedAt => '2026-03-09T10:00:00Z' },
        );
        for my $what (sort keys %bodies) {
            my $body = refused($lims->patch("/sample-tests/$test", $bodies{$what}), 409,
                'test_verified_locked', $what);
            is_deeply($body->{blockers}[0]{testIds}, [$test], 'the blocker names the test');
        }
    });
    is($changes, 0, 'no row has changed');
};

subtest 'with and without a body' => sub {
    is($lims->request('POST', '/sample-tests/' . entered() . '/verify')->status, 200,
        'verifying needs no body');
    is(verify(entered())->status, 200, 'verifying takes an empty object');
    refused($lims->post('/sample-tests/' . entered() . '/verify', { result => '5' }), 400,
        'invalid_body', 'it takes no fields');
};

subtest 'blank_result' => sub {
    my $test = test_of();
    my $body = refused(verify($test), 409, 'blank_result', 'no result yet');
    is_deeply($body->{blockers}, [ { slug => 'blank_result', message => $body->{message},
                clearedBy => 'entering a result', testIds => [$test] } ],
                    'the blocker says what clears it, and for which test');
    $lab->enter($test, '5');
    $lims->patch("/sample-tests/$test", { result => '  ' });
    refused(verify($test), 409, 'blank_result', 'withdrawn');
    $lab->enter($test, 'see note');
    verifies($test, 'any text is one');
};

subtest 'worksheet_incomplete' => sub {
    my $definition = $lab->definition(requires_worksheet => 't');
    $lab->worksheet_template($definition, [ 'Tare', 'Gross' ], [ 'Analyst', 'Reviewer' ]);
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$definition]));
    my $is = sub {
        my ($status, $missing, $needs, $name) = @_;
        is($lims->get("/sample-tests/$test")->json->{worksheetStatus}, $status, "$name: $status");
        my $body = refused(verify($test), 409, 'worksheet_incomplete', $name);
        is_deeply($body->{missing},      $missing, "$name: the missing fields are listed");
        is_deeply($body->{needsSignoff}, $needs,   "$name: the missing signatures are listed");
        return $body->{blockers}[0];
    };
    $lab->enter($test, '5');

    my $blocker = $is->('missing', [ 'Tare', 'Gross' ], [ 'Analyst', 'Reviewer' ], 'not begun');
    ok(!exists $blocker->{worksheetIds}, 'the blocker names no worksheet');
    my $sheet = $lab->worksheet_fill($test, Tare => '12.01');
    $blocker = $is->('incomplete', ['Gross'], [ 'Analyst', 'Reviewer' ], 'half filled');
    is_deeply($blocker->{worksheetIds}, [$sheet], 'the sheet is named');
    $lab->worksheet_fill($test, Gross => ' ');
    $is->('incomplete', ['Gross'], [ 'Analyst', 'Reviewer' ], 'a blank is no value');
    $lab->act(sub { $_[0]->do(q{UPDATE lims.worksheet_value SET value = '13.2'}
                    . q{ WHERE worksheet_id = ? AND value = ' '}, undef, $sheet) });
    $is->('unsigned', [], [ 'Analyst', 'Reviewer' ], 'filled');
    $lab->worksheet_sign($test, 'Analyst');
    $is->('unsigned', [], ['Reviewer'], 'signed once');
    $lab->worksheet_sign($test, 'Reviewer');
    is($lims->get("/sample-tests/$test")->json->{worksheetStatus}, 'complete',
        'the worksheet is complete');
    verifies($test, 'signed by both');
};

subtest 'qc_failed' => sub {
    my ($test, $other) = (entered(), entered());
    my $batch  = $lab->qc_batch($test, $other);
    my $number = $lab->value('SELECT batch_number FROM lims.qc_batch WHERE id = ?', $batch);
    $lab->qc_control($batch, 9);
    my $body = refused(verify($test), 409, 'qc_failed', 'its batch failed');
    is_deeply($body->{qcBatches}, [ { id => $batch, batchNumber => $number,
                qcStatus => 'failed' } ], 'the batch');
    is_deeply($body->{blockers}[0]{testIds}, [$test], 'the blocker names this test alone');
    is_deeply($body->{blockers}[0]{qcBatchIds}, [$batch], 'the blocker names the batch');
    verifies(entered(), 'another test does not mind');
    $lab->qc_override($batch);
    verifies($test, 'after a signed override');
    $lab->qc_control($batch, 9);
    refused(verify($other), 409, 'qc_failed', 'a new evaluation spends the override');

    my $third = entered();
    my $open  = $lab->qc_batch($third);
    is($lab->qc_control($open, 1), 'passed', 'a batch that passes');
    verifies($third, 'opens the gate');
};

subtest 'a failed batch of another test of the sample' => sub {
    my ($sample, @tests) = $lab->worked(2);
    $lab->qc_control($lab->qc_batch($tests[0]), 9);
    verifies($tests[1], 'does not block this one');
    refused(verify($tests[0]), 409, 'qc_failed', 'its own test is refused');
};

subtest 'confirmation_required' => sub {
    for my $outcome (qw(confirmed refuted)) {
        my $test = entered(requires_confirmation => 't');
        my $body = refused(verify($test), 409, 'confirmation_required', 'presumptive positive');
        is_deeply($body->{blockers}[0]{testIds}, [$test], 'the blocker names the tests');
        $lab->confirm($test, $outcome);
        verifies($test, $outcome);
    }
    my $test = entered(requires_confirmation => 't');
    $lab->enter($test, '0');
    verifies($test, 'a negative needs none');
};

subtest 'media_qc_failed' => sub {
    for my $kind (qw(growth_promotion sterility)) {
        my $test = entered();
        my $lot  = $lab->media_lot($test);
        $lab->media_test($lot, $kind, 'failed', 'E. coli');
        my $body = refused(verify($test), 409, 'media_qc_failed', $kind);
        is_deeply($body->{blockers}[0]{mediaLotIds}, [$lot], 'the blocker names the lot');
        $lab->media_test($lot, $kind, 'passed', 'E. coli');
        verifies($test, 'after it was requalified');
    }
    my $test = entered();
    $lab->media_lot($test);
    verifies($test, 'a lot that is not tested yet does not block');
};

subtest 'esignature_required' => sub {
    my $test = entered();
    $lab->policy(esignature_required => 't');
    my $changes = $lab->changes_of(sub {
        my $body = refused(verify($test), 403, 'esignature_required', 'a key cannot sign');
        is_deeply(slugs($body), ['esignature_required'], 'the one blocker');
    });
    is($changes, 0, 'no row has changed');
    $lab->policy(esignature_required => 'f');
    verifies($test, 'without the policy');
};

subtest 'a refusal lists every gate, in the contract\'s order' => sub {
    my $definition = $lab->definition(requires_worksheet => 't', requires_confirmation => 't');
    $lab->worksheet_template($definition, ['Tare'], ['Analyst']);
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$definition]));
    $lab->qc_control($lab->qc_batch($test), 9);
    $lab->media_test($lab->media_lot($test), 'sterility', 'failed');
    $lab->policy(esignature_required => 't');

    my $body = refused(verify($test), 403, 'esignature_required', 'the first of all');
    is_deeply(slugs($body), [qw(esignature_required blank_result worksheet_incomplete qc_failed
            media_qc_failed)], 'a blank result has all blockers');
    $lab->enter($test, '5');
    $body = refused(verify($test), 403, 'esignature_required', 'with a result');
    my @rest = qw(worksheet_incomplete qc_failed confirmation_required media_qc_failed);
    is_deeply(slugs($body), [ 'esignature_required', @rest ], 'the others');
    $lab->policy(esignature_required => 'f');
    is_deeply(slugs(refused(verify($test), 409, 'worksheet_incomplete',
        'without the signature the next gate refuses')), \@rest,
        'signed, the other blockers remain');
    ok(!(grep { !length $_->{message} } @{ $body->{blockers} }), 'each blocker has a message');
};

subtest 'an already verified test that fails another gate' => sub {
    my $test  = entered();
    my $batch = $lab->qc_batch($test);
    $lab->verify($test);
    $lab->qc_control($batch, 9);
    is_deeply(slugs(refused(verify($test), 409, 'test_verified_locked', 'locked')),
        ['test_verified_locked'], 'the locked test is the only blocker');
};

subtest 'unknown tests' => sub {
    refused(verify(987654), 404, 'not_found', 'no such test');
};

done_testing();
