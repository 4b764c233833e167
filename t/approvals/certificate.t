#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Approvals can be decided after the report, where the policy coaBeforeApproval lets a sample be
# reported before them. The first certificate asks for them again: one that was rejected
# meanwhile refuses it, and so does one that is open once the policy wants it.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);
my $eva  = LIMS::Service::CommandLine->new($lims, 'Eva Novak', roles => ['lab_manager']);
$lab->approval_steps('Final approval');
$lab->policy(coa_before_approval => 't');

# A sample that is reported before its approval, which is returned too.
sub reported {
    my ($sample, $test) = $lab->worked(1);
    $lab->verify($test);
    $lab->status($sample, 'completed');
    my ($approval) = @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} };
    is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported before its approval');
    return ($sample, $approval);
}

sub decide {
    my ($approval, $status) = @_;
    is($lims->patch("/approval-records/$approval->{id}", { status => $status, comment => 'read' })->status, 200,
        "the approval is $status after the report");
    return;
}

my ($earlier, $test) = $lab->worked(1);
$lab->verify($test);
is($lims->post("/samples/$earlier->{id}/report")->status, 200, 'a sample is reported that was never completed');

my ($sample, $approval) = reported();
is($eva->done('certificate issue', sampleId => $sample->{id})->{version}, 1,
    'where the policy wants no approval a certificate is issued without');

($sample, $approval) = reported();
decide($approval, 'rejected');
my $refused = $eva->refused('approval_required', 'certificate issue', sampleId => $sample->{id});
is_deeply($refused->{blockers}[0]{approvalIds}, [ $approval->{id} ], 'the refusal names the approval that was rejected');
like($refused->{blockers}[0]{clearedBy}, qr/amending a reported one\z/, 'it says what is possible of a reported sample');

($sample, $approval) = reported();
$lab->policy(coa_before_approval => 'f');
$eva->refused('approval_required', 'certificate issue', sampleId => $sample->{id});
{
    my $app = LIMS::Instance::connect_database($lims->{database}, 'lims_app');
    local $app->{PrintError} = 0;
    $app->do(q{SELECT set_config('lims.' || k, v, false) FROM unnest(?::text[], ?::text[]) w (k, v)}, undef,
        [qw(organization_id user_id)], [ $lims->fixture->{id}, $eva->{id} ]);
    ok(!eval { $app->do('INSERT INTO lims.certificate (organization_id, sample_id) VALUES (?, ?)', undef,
                $lims->fixture->{id}, $sample->{id}); 1 }, 'the database refuses it by itself');
    like($@, qr/Final approval is open/, 'with the same reason');
    $app->disconnect;
}
is($eva->done('certificate issue', sampleId => $earlier->{id})->{version}, 1,
    'one that was reported before approvals were requested needs none');
decide($approval, 'approved');
is($eva->done('certificate issue', sampleId => $sample->{id})->{version}, 1,
    'once it is approved the certificate is issued');

$lab->policy(coa_before_approval => 't');
($sample, $approval) = reported();
my $amendment = $eva->done('sample amend', $sample->{id}, reason => 'a doubt');
$eva->done('amendment withdraw', $amendment->{id}, reason => 'no doubt');
$lab->policy(coa_before_approval => 'f');
$eva->refused('approval_required', 'certificate issue', sampleId => $sample->{id});
ok((grep { $_->{id} == $approval->{id} && $_->{mine} }
        @{ $eva->done('approval inbox', status => 'pending')->{data} }),
    'the approval from before a withdrawn amendment waits in the inbox');
decide($approval, 'approved');
is($eva->done('certificate issue', sampleId => $sample->{id})->{version}, 1,
    'once it is approved the certificate is issued, though an amendment was withdrawn');

done_testing();
