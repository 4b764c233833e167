#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Reopening a verified result: by a signature with a reason; the former value is kept, and
# approval is needed again.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);

$lab->approval_steps('Technical review');
my ($sample, $test) = $lab->worked(1);
$ann->refused('invalid_transition', 'sample-test reopen', $test, reason => 'not verified');
$lab->verify($test);
$lab->status($sample, 'completed');
my ($approval) = @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} };
is($lims->patch("/approval-records/$approval->{id}", { status => 'approved' })->status, 200,
    'the sample is verified and approved');
refused($lims->patch("/sample-tests/$test", { result => '2' }), 409, 'test_verified_locked',
    'the result is locked');

is($ann->call('sample-test reopen', $test)->{exit}, 2, 'reopening needs a reason');
$ann->refused('esignature_required', 'sample-test reopen', $test, reason => 'transcription',
    password => undef);
is($lims->get("/sample-tests/$test")->json->{status}, 'verified',
    'the refused reopening changed nothing');

my $open = $ann->done('sample-test reopen', $test, reason => 'transcription');
is_deeply([ @$open{qw(id status result verifiedAt)} ], [ $test, 'entered', '1', undef ],
    'the test is reopened, with its value');
is_deeply([ map { $_->{status} }
        @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} } ],
    [ 'approved', 'pending' ], 'approval is asked for again');
is($lims->patch("/sample-tests/$test", { result => '2' })->status, 200,
    'the result can be corrected');
is_deeply($lims->db->selectall_arrayref('SELECT status, result FROM lims.result_history'
            . ' WHERE organization_id = ? AND sample_test_id = ? ORDER BY id', undef,
        $lims->fixture->{id}, $test),
    [ [ 'verified', '1' ], [ 'entered', '1' ] ], 'the history has the former value');
is_deeply([ $lims->db->selectrow_array('SELECT meaning, printed_name, reason FROM'
            . ' lims.electronic_signature WHERE organization_id = ? AND table_name = ?'
            . ' AND record_id = ?', undef, $lims->fixture->{id}, 'sample_test', $test) ],
    [ 'reopened', 'Ann Lee', 'transcription' ], 'the signature has meaning, name and reason');

$lab->verify($test);
my ($anew) = grep { $_->{status} eq 'pending' }
    @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} };
$lims->patch("/approval-records/$anew->{id}", { status => 'approved' });
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');
$ann->refused('invalid_transition', 'sample-test reopen', $test, reason => 'too late');
is($ann->call('sample-test reopen', 999_999, reason => 'none')->{exit}, 3,
    'an unknown test is not found');

done_testing();
