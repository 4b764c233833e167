#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# How what went wrong in the demonstration comes to a right end, by people at the command
# line: a report that was rejected, four eyes, and a policy that one person cannot meet.
use strict;
use warnings;

use LIMS::Service::Demo;
use LIMS::Service::Laboratory qw(refused);
use LIMS::Test;

my $demo       = LIMS::Service::Demo->new;
my $cedar      = $demo->laboratory('cedar-basin');
my $harborview = $demo->laboratory('harborview');
my $tiny       = $demo->laboratory('tiny-lab');

subtest 'a rejected sludge: the wrong test is cancelled, the right one added' => sub {
    my $sample = $cedar->sample('COC-9007');
    my $wrong  = $cedar->test('COC-9007', 'TSS');

    is($cedar->categories('COC-9007'), 'approval_rejected', 'quality assurance rejected it');
    $cedar->done('lena.fischer', 'sample-test', 'reopen', $wrong->{id}, '--reason',
        'Solids of a sludge are total solids');
    $cedar->done('lena.fischer', 'sample', 'add-tests', $sample->{id}, '--test-definition-ids',
        $cedar->definition('TSG'));
    $cedar->done('lena.fischer', 'sample-test', 'cancel', $wrong->{id}, '--reason',
        'Replaced by SM 2540 G');
    is($cedar->test('COC-9007', 'TSS')->{disposition}, 'cancelled', 'the wrong test stays, cancelled');
    my $right = $cedar->test('COC-9007', 'TSG');
    $cedar->done('mateo.ortiz', 'sample-test', 'enter', $right->{id}, '--result', '3.42',
        '--analyzed-at', $cedar->test('COC-9007', 'PH')->{analyzedAt});
    $cedar->done('lena.fischer', 'sample-test', 'verify', $right->{id});
    is($cedar->categories('COC-9007'), 'approval_required', 'its approval is asked for again');
    my @round = grep { $_->{status} eq 'pending' }
        @{ $cedar->get("/samples/$sample->{id}/approvals?limit=100")->json->{data} };
    is(scalar @round, 2, 'both steps are asked for again');
    $cedar->done('lena.fischer', 'approval', 'decide', $round[0]{id}, '--status', 'approved');
    $cedar->done('grace.okafor', 'approval', 'decide', $round[1]{id}, '--status', 'approved');
    is($cedar->post("/samples/$sample->{id}/report", {})->json->{status}, 'reported',
        'the sample is reported');
};

subtest 'four eyes: who entered a result does not verify it' => sub {
    my $test = $harborview->test('COC-1311', 'PWTOC');

    $harborview->done('sofia.reyes', 'sample-test', 'enter', $test->{id}, '--result', '58');
    is($harborview->ctl('sofia.reyes', 'sample-test', 'verify', $test->{id})->{json}{error},
        'self_verification', 'the microbiologist is refused');
    is($harborview->done('amir.rahimi', 'sample-test', 'verify', $test->{id})->{status}, 'verified',
        'an analyst verifies it');
    is($harborview->ctl('tom.becker', 'sample-test', 'reopen', $test->{id}, '--reason', 'x')
            ->{json}{error}, 'permission_required', 'the receiving clerk reopens nothing');
};

subtest 'a replaced result needs a reason, a method its quality control' => sub {
    my $test = $harborview->test('COC-9106', 'SALM');

    $harborview->done('sofia.reyes', 'sample-test', 'enter', $test->{id}, '--result',
        'Not detected');
    is($harborview->ctl('clara.dubois', 'sample-test', 'enter', $test->{id}, '--result',
            'Detected')->{json}{error}, 'reason_required', 'another value is refused without one');
    is($harborview->ctl('amir.rahimi', 'sample-test', 'verify', $test->{id})->{json}{error},
        'qc_pending', 'without a batch of its method it is not verified');
    $harborview->done('sofia.reyes', 'qc-batch', 'cover', $harborview->qc_batch('HQC-0044'),
        '--sample-test-ids', $test->{id});
    is($harborview->done('amir.rahimi', 'sample-test', 'verify', $test->{id})->{status}, 'verified',
        'covered, it is');
};

subtest 'one person alone cannot have four eyes' => sub {
    my $said = $tiny->ctl('eva.novak', 'organization', 'update', '--policies',
        '{"selfVerification": "refused"}', '--reason', 'an auditor asked for it');

    is($said->{json}{error}, 'policy_unsatisfiable', 'the policy is refused');
    like($said->{json}{message}, qr/result\.(?:enter|verify)/, 'naming what lacks');
};

done_testing();
