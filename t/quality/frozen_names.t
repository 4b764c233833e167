#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Certificates and final samples show the names and limits of the moment of verification or
# report, whatever the definitions say later.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);

my %lead = (code => 'PB', name => 'Lead', method => 'EPA 300.0', unit => 'ug/L',
    reporting_limit => '0.10', method_detection_limit => '0.02', uncertainty => '+- 8 %', accredited => 't',
    specification_high => 15);
my $definition = $lab->definition(%lead);
my $project    = $lab->project(name => 'Outfall');
my $material   = $lab->material(name => 'Wastewater');
my $client     = $lab->client(name => 'Riverbend');

sub sample {
    return $lab->sample(projectId => $project, materialTypeId => $material,
        clientName => 'Riverbend', testDefinitionIds => [$definition]);
}

sub renamed {
    my ($to) = @_;
    $ann->done('test-definition update', $definition, method => "$to D999", name => "$to lead",
        reportingLimit => '4', methodDetectionLimit => '3', uncertainty => '+- 9 %', accredited => 'false', specificationHigh => '1');
    $ann->done('project update', $project, name => "$to project");
    $ann->done('material-type update', $material, name => "$to material");
    $ann->done('client update', $client, name => "$to client");
    return;
}

sub printed {
    my ($certificate) = @_;
    my $content = $ann->call('certificate content', $certificate->{id})->{json};
    my ($result) = @{ $content->{results} };
    return [ @{ $content->{sample} }{qw(clientName project materialType)},
        @$result{qw(testCode testName method unit reportingLimit methodDetectionLimit
            uncertainty accredited specification)} ];
}

sub read_of { my $t = $lims->get("/sample-tests/$_[0]")->json; return [ @$t{qw(testName unit specification)} ] }

my $sample = sample();
my ($test) = $lab->tests($sample);
$lab->enter($test, '<0.10');
$lab->verify($test);
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');
my $open = sample();
my ($later) = $lab->tests($open);
$lab->enter($later, '1');

renamed('ASTM');
my @then = ('Riverbend', 'Outfall', 'Wastewater', 'PB', 'Lead', 'EPA 300.0', 'ug/L');
my $first = printed($ann->done('certificate issue', sampleId => $sample->{id}));
is_deeply([ @$first[ 0 .. 6, 9, 11 ] ], [ @then, '+- 8 %', 'at most 15 ug/L' ],
    'a certificate says what was reported');
cmp_ok($first->[7], '==', 0.1, 'the certificate has the reporting limit of then');
cmp_ok($first->[8], '==', 0.02, 'the certificate has the detection limit of then');
ok($first->[10], 'the certificate marks the test that was accredited then');
is_deeply(read_of($test), [ 'Lead', 'ug/L', 'at most 15 ug/L' ],
    'a read of the final sample shows the names of then');
is($lims->get("/samples/$sample->{id}")->json->{tests}[0]{testName}, 'Lead',
    'the tests have the names of then');
is(read_of($later)->[0], 'ASTM lead', 'a test that is not verified shows today\'s name');
is($lims->get("/sample-tests?sampleId=$sample->{id}")->json->{data}[0]{testName}, 'Lead',
    'a list shows the names of then');

renamed('ISO');
$ann->done('sample amend', $sample->{id}, reason => 'amended');
is_deeply(printed($ann->done('certificate issue', sampleId => $sample->{id})), $first,
    'an amended certificate has the names of then');

# A reopened result has the present names, until it is verified again.
$lab->verify($later);
renamed('DIN');
is(read_of($later)->[0], 'ISO lead', 'a verified test keeps its name');
$ann->done('sample-test reopen', $later, reason => 'transcription');
is(read_of($later)->[0], 'DIN lead', 'a reopened test has today\'s name');
$lab->verify($later);
is($lims->post("/samples/$open->{id}/report")->status, 200, 'the sample is reported');
renamed('None');
is_deeply([ @{ printed($ann->done('certificate issue', sampleId => $open->{id})) }[ 1, 2, 4, 5 ] ],
    [ 'DIN project', 'DIN material', 'DIN lead', 'DIN D999' ],
        'its certificate has the names of the report');

done_testing();
