#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The scripted scenarios of Harborview Pharma & Food Microbiology, which asks
# for a signature on every verification and approval: a program is told so, a
# person who signs gets on. And the wall between it and Cedar Basin.
use strict;
use warnings;

use LIMS::Service::Demo;
use LIMS::Service::Laboratory qw(refused);
use LIMS::Test;

my $demo       = LIMS::Service::Demo->new;
my $harborview = $demo->laboratory('harborview');
my $cedar      = $demo->laboratory('cedar-basin');

sub slugs { return join ' ', map { $_->{slug} } @{ $_[0]{blockers} || [] } }
sub verify { my ($test) = @_; return $harborview->post("/sample-tests/$test->{id}/verify", {}) }

subtest '7: a Salmonella screen that is not confirmed' => sub {
    my $test   = $harborview->test('COC-0711', 'SALM');
    my $sample = $harborview->sample('COC-0711');

    is($test->{confirmationStatus}, 'pending', 'the presumptive positive awaits confirmation');
    is($sample->{releaseState},     'blocked', 'the product is held');
    my $body = refused(verify($test), 403, 'esignature_required', 'a program cannot verify');
    is(slugs($body), 'esignature_required confirmation_required',
        'the refusal lists all blockers');
    is($harborview->ctl('nora.lindqvist', 'sample-test', 'verify', $test->{id})->{json}{error},
        'confirmation_required', 'a person who signs cannot verify it either');
    $harborview->done('sofia.reyes', 'confirmation', 'step', $test->{id}, '--medium', 'XLD',
        '--outcome', 'no typical colonies', '--reading', 'No growth of Salmonella');
    $harborview->done('sofia.reyes', 'confirmation', 'outcome', $test->{id}, '--outcome',
        'refuted');
    is($harborview->sample('COC-0711')->{releaseState}, 'ready_for_review', 'refuted, it is free');
    my @events = $harborview->events(sub {
        # A verifier may not approve here.
        $harborview->done('amir.rahimi', 'sample-test', 'verify', $test->{id});
        $harborview->done('nora.lindqvist', 'sample', 'status', $sample->{id}, '--status',
            'verified');
        my ($review, $release) = map { $_->{id} }
            @{ $harborview->get("/samples/$sample->{id}/approvals")->json->{data} };
        refused($harborview->patch("/approval-records/$review", { status => 'approved' }), 403,
            'esignature_required', 'a program cannot approve');
        $harborview->done('nora.lindqvist', 'approval', 'decide', $review, '--status', 'approved');
        $harborview->done('daniel.cho', 'approval', 'decide', $release, '--status', 'approved');
        is($harborview->post("/samples/$sample->{id}/report", {})->json->{status}, 'reported',
            'verified and approved by hand, it is reported');
    });
    is(join(' ', map { $_->[0] } @events), 'result.verified sample.reported',
        'verification and report write their events');
};

subtest '8: a count on TSA that failed growth promotion' => sub {
    my $body = refused(verify($harborview->test('COC-0811', 'TAMC')), 403, 'esignature_required',
        'the signature comes first');

    is(slugs($body), 'esignature_required media_qc_failed', 'the medium is among the blockers');
    my ($blocker) = grep { $_->{slug} eq 'media_qc_failed' } @{ $body->{blockers} };
    is_deeply($blocker->{mediaLotIds}, [ $harborview->media_lot('TSA-B') ],
        'the blocker names the lot');
    like($blocker->{message}, qr/TSA-B failed growth promotion/,
        'the message says why the lot failed');
    is($harborview->sample('COC-0811')->{releaseState}, 'blocked', 'the sample is blocked');
};

subtest '9: an expired medium, where the policy is to warn' => sub {
    my $test   = $harborview->test('COC-0911', 'EC62');
    my $answer = $harborview->patch("/sample-tests/$test->{id}",
        { result => 'Absent', mediaLotId => $harborview->media_lot('TSB-X') });

    is($answer->status, 200, 'the result is taken');
    is($answer->json->{result}, 'Absent', 'the result is kept as it was sent');
    is(scalar @{ $answer->json->{warnings} }, 1, 'the answer has a warning');
    like($answer->json->{warnings}[0], qr/media lot TSB-X expired/, 'the warning names the expired lot');
};

subtest '12: an approval by a program' => sub {
    my $sample    = $harborview->sample('COC-1211');
    my $approvals = $harborview->get("/samples/$sample->{id}/approvals")->json->{data};

    is(scalar @$approvals, 2, 'two steps are open');
    refused($harborview->patch("/approval-records/$approvals->[0]{id}", { status => 'approved' }),
        403, 'esignature_required', 'the approval by a program');
    is($harborview->get("/samples/$sample->{id}/approvals")->json->{data}[0]{status}, 'pending',
        'the approval is still pending');
    refused($harborview->post("/samples/$sample->{id}/report", {}), 409, 'approval_required',
        'the report is refused without the approvals');
};

subtest '13: a verification by a program' => sub {
    my $test = $harborview->test('COC-1311', 'ENDO');

    refused(verify($test), 403, 'esignature_required', 'the verification by a program');
    is($harborview->test('COC-1311', 'ENDO')->{status}, 'entered', 'the result is not verified');
    $harborview->done('nora.lindqvist', 'sample-test', 'verify', $test->{id});
    refused($harborview->patch("/sample-tests/$test->{id}", { result => '0.01' }), 409,
        'test_verified_locked', 'verified by a person, it is locked');
};

subtest '17: one laboratory does not see the other' => sub {
    my $theirs = $cedar->sample('COC-1301');
    my $test   = $theirs->{tests}[0]{id};
    my $absent = '9007199254740991';
    my $like   = sub {
        my ($foreign, $none, $what) = @_;
        is($foreign->status . $foreign->json->{error}, $none->status . $none->json->{error}, $what);
        is($foreign->json->{message} =~ s/\d+/N/gr, $none->json->{message} =~ s/\d+/N/gr,
            "$what: in the same words");
    };

    refused($harborview->get("/samples/$theirs->{id}"), 404, 'not_found', 'a sample');
    $like->($harborview->get("/samples/$theirs->{id}"), $harborview->get("/samples/$absent"),
        'is as one that is not there');
    $like->($harborview->patch("/sample-tests/$test", { result => '1' }),
        $harborview->patch("/sample-tests/$absent", { result => '1' }), 'a test likewise');
    my $reference = sub {
        return $harborview->post('/samples',
            { clientName => 'Alder Pharma', materialTypeId => $_[0] });
    };
    refused($reference->($cedar->material('DW')), 400, 'invalid_reference', 'a material type');
    $like->($reference->($cedar->material('DW')), $reference->(0 + $absent),
        'is as one that is not there');
    is_deeply($harborview->get('/samples?materialTypeId=' . $cedar->material('DW'))->json->{data},
        [], 'a filter finds nothing');
    is_deeply($harborview->get('/samples?externalId=COC-1301')->json->{data}, [],
        'a filter by external id finds nothing');
};

done_testing();
