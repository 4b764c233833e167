#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Content of an approval: all that the certificate says of sample and results. If any of
# it changes after the decision, approval is needed again, and a report states the content
# that was approved.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);
my @steps = $lab->approval_steps('Technical review', 'Final approval');
my $project = $lab->project(name => 'Outfall');

sub list { return @{ $lims->get("/samples/$_[0]{id}/approvals")->json->{data} } }

sub approve {
    my ($sample) = @_;
    for my $record (grep { $_->{status} eq 'pending' } list($sample)) {
        is($lims->patch("/approval-records/$record->{id}", { status => 'approved' })->status, 200,
            "approved: $record->{name}");
    }
    return;
}

# A sample of one entered test, completed and approved.
sub approved {
    my (%column) = @_;
    my $sample = $lab->sample(projectId => $project, collectionDate => '2026-01-05',
        testDefinitionIds => [ $lab->definition(specification_high => 10, %column) ]);
    my ($test) = $lab->tests($sample);
    $lab->enter($test, '7');
    $lab->status($sample, 'completed');
    approve($sample);
    return ($sample, $test);
}

sub report { return $lims->post("/samples/$_[0]{id}/report", {}) }

sub patched {
    my ($path, %body) = @_;
    is($lims->patch($path, \%body)->status, 200, 'changed: ' . join ' ', %body);
    return;
}

subtest 'verifying after approval needs no new approval' => sub {
    my ($sample, $test) = approved();
    is_deeply([ map { $_->{current} } list($sample) ], [ JSON::PP::true(), JSON::PP::true() ],
        'the approvals are current');
    $lab->verify($test);
    $lab->status($sample, 'verified');
    $lims->patch("/samples/$sample->{id}", { priority => 'stat' });
    is(scalar(list($sample)), 2, 'another priority makes no new round');
    is(report($sample)->status, 200, 'the sample is reported');
    my $row = $lims->db->selectrow_hashref('SELECT s.content_hash = a.content_hash AS same'
            . ' FROM lims.sample s JOIN lims.approval a ON a.organization_id = s.organization_id'
            . ' AND a.sample_id = s.id WHERE s.organization_id = ? AND s.id = ? AND a.step = 2',
        undef, $lims->fixture->{id}, $sample->{id});
    ok($row->{same}, 'the reported content is the approved one');
    my $content = $ann->call('certificate content',
        $ann->done('certificate issue', sampleId => $sample->{id})->{id})->{json};
    is_deeply([ map { $_->{contentSha256} } @{ $content->{approvals} } ],
        [ ($content->{contentSha256}) x 2 ], 'the certificate has the hash of the approvals');
};

my %change = (
    'a remark on the test'     => sub { patched("/sample-tests/$_[1]", notes => 'CHANGED') },
    'when it was analysed'     => sub {
        patched("/sample-tests/$_[1]", analyzedAt => '2026-01-06T10:00:00Z') },
    'the reagent lot'          => sub {
        patched("/sample-tests/$_[1]", reagentLotId => $lab->reagent_lot) },
    'the media lot'            => sub {
        patched("/sample-tests/$_[1]", mediaLotId => $lab->media_lot) },
    'the decision rule'        => sub {
        $ann->done('test-definition update', definition_of($_[1]), decisionRule => 'guard band') },
    'a specification with another rule' => sub {
        $ann->done('specification create', testDefinitionId => definition_of($_[1]), high => 10,
            materialTypeId => $lims->get("/samples/$_[0]{id}")->json->{materialTypeId},
            decisionRule => 'guard band of 10 %') },
    'a remark on the sample'   => sub { patched("/samples/$_[0]{id}", notes => 'CHANGED') },
    'the client\'s id'         => sub { patched("/samples/$_[0]{id}", externalId => 'OTHER-1') },
    'the place'                => sub { patched("/samples/$_[0]{id}", plantLocation => 'P9') },
    'the QC batch'             => sub { $lab->qc_batch($_[1]) },
    'when it was received'     => sub {
        $lab->status($_[0], $_) for qw(processing received completed) },
    'the method\'s name'       => sub {
        $ann->done('test-definition update', definition_of($_[1]), method => 'ASTM D999') },
    'its reporting limit'      => sub {
        $ann->done('test-definition update', definition_of($_[1]), reportingLimit => '4') },
    'the project\'s name'      => sub {
        $ann->done('project update', $project, name => 'Outfall ' . $_[0]{id}) },
);

sub definition_of { return $lims->get("/sample-tests/$_[0]")->json->{testDefinitionId} }

for my $name (sort keys %change) {
    subtest "a change asks for approval again: $name" => sub {
        my ($sample, $test) = approved();
        $change{$name}->($sample, $test);
        my @records = list($sample);
        is_deeply([ map { "$_->{round} $_->{status}" } @records ],
            [ '1 approved', '1 approved', '2 pending', '2 pending' ], 'a new round');
        is_deeply([ map { $_->{current} } @records[ 0, 1 ] ], [ JSON::PP::false(), JSON::PP::false() ],
            'the former approvals are no longer current');
        $lab->verify($test);
        refused(report($sample), 409, 'approval_required', 'the report is refused');
        approve($sample);
        is(report($sample)->status, 200, 'reported when it is approved again');
    };
}

subtest 'a change of what was found on receipt asks for approval again' => sub {
    my ($sample, $test) = approved();
    $lab->status($sample, $_) for qw(received completed);
    approve($sample);
    $lab->verify($test);
    $lab->status($sample, 'processing');
    $ann->done('sample receipt', $sample->{id}, deviations => 'no ice', temperature => 21);
    refused(report($sample), 409, 'approval_required', 'nobody has approved the deviation');
    approve($sample);
    is(report($sample)->status, 200, 'reported when it is approved');
};

subtest 'a change after verification asks for approval again' => sub {
    my ($sample, $test) = approved();
    $lab->verify($test);
    patched("/samples/$sample->{id}", plantLocation => 'yet another');
    refused(report($sample), 409, 'approval_required', 'the place is on the certificate');
    $ann->done('test-definition update', definition_of($test), name => 'Renamed');
    approve($sample);
    $ann->done('test-definition update', definition_of($test), name => 'Renamed again');
    is(report($sample)->status, 200, 'a renamed definition does not refuse the report');
};

subtest 'the outcome of a confirmation asks for approval again' => sub {
    my ($sample, $test) = approved(requires_confirmation => 't');
    $lab->confirm($test, 'refuted');
    $lab->verify($test);
    refused(report($sample), 409, 'approval_required', 'the outcome was not known');
    approve($sample);
    is(report($sample)->status, 200, 'once confirmed and approved, it is reported');
};

subtest 'a failed QC batch asks for approval again' => sub {
    my ($sample, $test) = approved();
    my $batch = $lab->qc_batch($test);
    approve($sample);
    is($lab->qc_control($batch, 9), 'failed', 'the control of the batch fails');
    approve($sample);
    $lab->qc_override($batch);
    $lab->verify($test);
    refused(report($sample), 409, 'approval_required', 'overridden after it was approved');
    approve($sample);
    is(report($sample)->status, 200, 'approved with the override, it is reported');
};

subtest 'approval steps that were inactive for a while' => sub {
    my ($sample, $test) = approved();
    my $set = sub {
        my ($on) = @_;
        $lab->act(sub {
            $_[0]->do('UPDATE lims.approval_step SET active = ? WHERE organization_id = ?'
                    . ' AND id = ANY (?)', undef, $on, $lims->fixture->{id}, \@steps);
        });
    };
    $set->('f');
    is(scalar(grep { !$_->{current} } list($sample)), 0, 'inactive steps alone change nothing');
    patched("/sample-tests/$test", result => '4.0');
    is_deeply([ map { $_->{current} } list($sample) ], [ JSON::PP::false(), JSON::PP::false() ],
        'the former approvals are not current, and none replaces them');
    $set->('t');
    is_deeply([ map { "$_->{round} $_->{status}" } list($sample) ],
        [ '1 approved', '1 approved', '2 pending', '2 pending' ], 'steps again: asked anew');
    $lab->verify($test);
    refused(report($sample), 409, 'approval_required', 'the old round does not count');
    approve($sample);
    is(report($sample)->status, 200, 'the new one does');

    ($sample, $test) = approved();
    $set->('f');
    patched("/sample-tests/$test", result => '4.0');
    $lab->verify($test);
    is(report($sample)->status, 200, 'without steps nobody has to approve');
    $set->('t');
};

done_testing();
