#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every operation of the OpenAPI document succeeds in the life of one sample from
# registration to report; every record can be read again, with 304 for who has it; and
# what a state forbids is refused with 409.
use strict;
use warnings;

use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Service::Operation;
use LIMS::Test;
use LIMS::Test::Printer;

my $model   = LIMS::Peers::ModelService->new;
my $printer = LIMS::Test::Printer->new;
my $lims    = LIMS::Test->new(conf => $model->conf . $printer->conf);
my $code = 0;
my $true = JSON::PP::true;
my %id;

$id{'material-types'}    = $lims->insert('material_type', { code => 'WW', name => 'Wastewater' });
$id{'storage-locations'} = $lims->insert('storage_location', { code => 'R1', name => 'Fridge' });
$id{'test-definitions'}  = $lims->insert('test_definition', { code => 'PH', name => 'pH' });
$lims->insert('approval_step', { position => 1, name => 'Quality assurance' });

# Bodies for each operation that takes one, in the order of the work.
my @work = (
    [ createClient  => sub { { code => 'RIVER', name => 'City of Riverbend' } } ],
    [ updateClient  => sub { { contactName => 'Ada Moore' } } ],
    [ createProject => sub { { code => 'NPDES', name => 'Permit', clientId => $id{clients} } } ],
    [ updateProject => sub { { name => 'Discharge permit' } } ],
    [ createPanel   => sub { { code => 'WEEK', name => 'Weekly',
                testDefinitionIds => [ $id{'test-definitions'} ] } } ],
    [ updatePanel   => sub { { name => 'Weekly water' } } ],
    [ createOrder   => sub { { clientId => $id{clients},
                samples => [ { materialTypeId => $id{'material-types'} } ], dryRun => $true } } ],
    [ updateOrder   => sub { { contact => 'Ada Moore' } } ],
    [ createSample  => sub {
            { materialTypeId => $id{'material-types'}, projectId => $id{projects},
                testDefinitionIds => [ $id{'test-definitions'} ] } } ],
    [ cancelSampleTest  => sub { { reason => 'not ordered' } } ],
    [ restoreSampleTest => sub { { reason => 'ordered after all' } } ],
    [ cancelSampleTest  => sub { { reason => 'by another bottle' } } ],
    [ addSampleTests    => sub { { testDefinitionIds => [ $id{'test-definitions'} ] } } ],
    [ updateSample    => sub { { priority => 'rush' } } ],
    [ receiveSamples  => sub { { sampleIds => [ $id{samples} ] } } ],
    [ setSampleDisposition => sub { { disposition => 'on_hold', reason => 'client asks' } } ],
    [ setSampleDisposition => sub { { disposition => 'active', reason => 'client asks' } } ],
    [ unreceiveSample => sub { { reason => 'scanned the wrong one' } } ],
    [ receiveSamples  => sub { { sampleIds => [ $id{samples} ] } } ],
    [ setSampleStatus => sub { { status => 'processing' } } ],
    [ enterResult     => sub { { result => '7.10' } } ],
    [ enterResults    => sub { { updates => [ { sampleTestId => $id{'sample-tests'},
                    result => '7.11' } ] } } ],
    [ judgeResults    => sub { { results => [ { sampleTestId => $id{'sample-tests'},
                    result => '7.11' } ] } } ],
    [ verifyResult    => sub { {} } ],
    [ retestSampleTest => sub { { reason => 'doubtful' } } ],
    [ chooseSampleTest => sub { { reason => 'the first was right' } } ],
    [ ingestInstrumentFile => sub { { fileName => 'f.csv', content => 'x', dryRun => $true } } ],
    [ setSampleStatus => sub { { status => 'completed' } } ],
    [ decideApproval  => sub { { status => 'approved' } } ],
    [ reportSample    => sub { {} } ],
);

# Operations that the end of that life forbids.
my @forbidden = (
    [ updateSample    => { notes => 'too late' }, 'invalid_transition' ],
    [ setSampleStatus => { status => 'processing' }, 'invalid_transition' ],
    [ decideApproval  => { status => 'rejected', comment => 'no' }, 'already_decided' ],
    [ enterResult     => { result => '7.2' }, 'test_verified_locked' ],
    [ enterResults    => undef, 'test_verified_locked' ],
    [ verifyResult    => {}, 'test_verified_locked' ],
);

my %operation = map { $_->name => $_ } LIMS::Service::Operation->all($lims->api);
my %done;

sub path_of {
    my ($operation) = @_;
    return $operation->path($operation->noun ? $id{ $operation->noun } : '');
}

# Lots are made in the application.
$id{'reagent-lots'} = $lims->insert('reagent_lot', { code => 'L1', name => 'Buffer',
        lot_number => '1' });
$id{'media-lots'} = $lims->insert('media_lot', { code => 'M1', name => 'Agar',
        lot_number => '1', medium => 'R2A' });

sub learn {
    my ($name, $record) = @_;
    $id{clients}  = $record->{id} if $name eq 'createClient';
    $id{projects} = $record->{id} if $name eq 'createProject';
    $id{orders} = $lims->insert('sample_order', { client_id => $id{clients} })
        if $name eq 'createOrder';
    $id{panels} = $record->{id} if $name eq 'createPanel';
    if ($name eq 'createSample') {
        $id{samples} = $record->{id};
        $id{'sample-tests'} = $record->{tests}[0]{id};
    }
    $id{'sample-tests'} = $record->{tests}[0]{id} if $name eq 'addSampleTests';
    if ($name eq 'setSampleStatus' && $record->{status} eq 'completed') {
        my $approvals = $lims->get("/samples/$id{samples}/approvals")->json->{data};
        $id{'approval-records'} = $approvals->[0]{id};
    }
    return;
}

subtest 'the life of a sample' => sub {
    for my $step (@work) {
        my ($name, $body) = @$step;
        my $operation = $operation{$name} or do { fail("$name is documented"); next };
        my $answer    = $lims->request($operation->method, path_of($operation), body => $body->());

        is($answer->status, $operation->success, $name) or diag($answer->body);
        $done{$name} = 1;
        learn($name, $answer->json);
    }
    is($lims->get("/samples/$id{samples}")->json->{status}, 'reported', 'the sample is reported');
};

subtest 'a file that a model reads' => sub {
    my $name = 'uploadInstrumentFile';
    my $id   = $lims->get("/samples/$id{samples}")->json->{trackingId};

    LIMS::Service::Laboratory->new($lims)->policy(ai_data_access => 'true');
    $model->say('right');
    my $answer = $model->upload($lims, "Sample,PH\n$id,7.2\n");
    is($answer->status, $operation{$name}->success, $name) or diag($answer->body);
    is($answer->json->{rows}[0]{status}, 'locked', 'the row of a verified test is locked');
    $done{$name} = 1;
};

# Certificates are issued in the application.
subtest 'the certificate of the sample' => sub {
    my $lab         = LIMS::Service::Laboratory->new($lims);
    my $certificate = $printer->issue_of($lab, { id => $id{samples} });

    $id{certificates} = $certificate->{id};
    is($printer->settled($lab, $certificate)->{state}, 'made', 'its document is made');
    # An order takes no sample that is reported: the owner puts it there.
    $lims->superuser->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
    $lims->db->do('UPDATE lims.sample SET order_id = ? WHERE id = ?', undef, @id{qw(orders samples)});
    $lims->superuser->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
};

subtest 'every record can be read again' => sub {
    for my $name (sort grep { $operation{$_}->method eq 'GET' } keys %operation) {
        my $operation = $operation{$name};
        my $path      = path_of($operation);
        my $answer    = $lims->get($path);

        is($answer->status, 200, $name) or diag($answer->body);
        $done{$name} = 1;
        next unless grep { $_ == 304 } $operation->statuses;
        my $again = $lims->get($path, headers => { 'If-None-Match' => $answer->header('ETag') });
        is($again->status, 304, 'a record read again is not modified');
        is($again->body, '', 'a record that is not modified is not sent again');
    }
};

subtest 'what the state forbids is refused with 409' => sub {
    $forbidden[4][1] = { updates => [ { sampleTestId => $id{'sample-tests'}, result => '8' } ] };
    for my $case (@forbidden) {
        my ($name, $body, $slug) = @$case;
        my $operation = $operation{$name};
        my $answer    = $lims->request($operation->method, path_of($operation), body => $body);

        is($answer->status, 409, $name) or diag($answer->body);
        is($answer->json->{error}, $slug, 'the refusal has its documented slug');
    }
};

is_deeply([ grep { !$done{$_} } sort keys %operation ], [], 'every operation was called');

done_testing();
