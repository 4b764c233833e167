#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The next version of a certificate passes every gate that the report passed, and every
# policy that is in force now: nothing is reported anew that could not be reported.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
my $lead = $lab->definition(method => 'EPA 200.8', specification_high => 10);
my $count = $lab->definition(requires_confirmation => 't', presumptive_minimum => 5);
my $sheet = $lab->definition;

my $lot = $lab->reagent_lot;
my $sample = $lab->sample(testDefinitionIds => [ $lead, $count, $sheet ]);
my ($metal, $colonies, $other) = $lab->tests($sample);
my $medium = $lab->media_lot($colonies);
$lab->media_test($medium, 'sterility', 'passed');
$lims->patch("/sample-tests/$other", { result => '1', reagentLotId => $lot });
$lab->enter($metal, '2');
$lab->enter($colonies, '1');
$lab->verify($_) for $metal, $colonies, $other;
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');
$ann->done('certificate issue', sampleId => $sample->{id});
$ann->done('sample amend', $sample->{id}, reason => 'a complaint');

sub next_version { return ('certificate issue', sampleId => $sample->{id}) }

sub blocked {
    my ($slug, $name) = @_;
    my $refused = $ann->refused($slug, next_version());
    is($refused->{blockers}[0]{slug}, $slug, "the blocker is $name");
    return;
}

# Enters and verifies again, as people may while it is amended.
sub again {
    my ($test, $result, %more) = @_;
    $ann->done('sample-test reopen', $test, reason => 'a complaint');
    $ann->done('sample-test enter', $test, result => $result, reason => 'measured again', %more);
    return;
}

my $second;

# The list by time and status of the sample reads verified, open and other tests apart.
sub are_listed {
    my ($which) = @_;
    my @all  = ($metal, $colonies, $other, $second);
    my $find = sub {
        my ($more) = @_;
        return [ map { $_->{id} } @{ $lims->get('/sample-tests?sampleStatus=reported'
            . "&updatedSince=2020-01-01$more")->json->{data} } ];
    };
    is_deeply($find->(''), \@all, "all tests of a reported sample are listed: $which");
    is_deeply($find->('&order=-id&limit=3'), [ reverse @all[ 1 .. 3 ] ],
        "newest first, the tests of a reported sample: $which");
    is_deeply($find->("&cursor=$metal&limit=2"), [ $colonies, $other ],
        "from a cursor on, the tests of a reported sample: $which");
    return;
}

again($metal, '3');
blocked('incomplete_sample', 'a result is not verified');

my $batch = $ann->done('qc-batch create', batchNumber => 'Q1', method => 'EPA 200.8',
    sampleTestIds => [$metal]);
$ann->done('sample-test verify', $metal);
my $control = $ann->done('qc-control add', qcBatchId => $batch->{id}, controlType => 'MB',
    criterion => 'maximum', measuredValue => 9, upperLimit => 5);
$ann->done('qc-batch evaluate', $batch->{id});
blocked('qc_failed', 'its batch failed after the result was verified');
$ann->done('qc-control update', $control->{id}, measuredValue => 1, reason => 'a typing error');

again($colonies, '7');
$ann->refused('confirmation_required', 'sample-test verify', $colonies);
blocked('incomplete_sample', 'a presumptive positive waits for its confirmation');
$ann->done('sample-test enter', $colonies, result => '1', reason => 'of another plate');
$ann->done('sample-test verify', $colonies);
$lab->media_test($medium, 'sterility', 'failed');
blocked('media_qc_failed', 'its medium failed since');
$lab->media_test($medium, 'sterility', 'passed');

my $late = $lab->value(q{SELECT count(*) FROM lims.investigation WHERE kind = 'qc_failure'
    AND qc_batch_id = ?}, $batch->{id});
is($late, 1, 'the late failure opened an investigation');
$lab->policy(oos_opens_investigation => 't', open_investigation_blocks => 't');
again($metal, '40');
$ann->done('sample-test verify', $metal);
blocked('investigation_open', 'its result is under investigation');
$lab->cancel_investigations($metal);

$ann->done('reagent-lot quarantine', $lot, reason => 'recalled');
$lab->policy(lot_qc_policy => 'block');
blocked('lot_not_released', 'its lot is in quarantine');
$ann->done('sample override-lot', $sample->{id}, reagentLotId => $lot, reason => 'not concerned');

($second) = map { $_->{id} } @{ $ann->done('sample-test retest', $other, reason => 'doubtful')
        ->{tests} };
blocked('incomplete_sample', 'a repetition has no result');
are_listed('one being amended, of which a test is open');
$ann->done('sample-test enter', $second, result => '2');
$ann->done('sample-test verify', $second);
blocked('retest_undecided', 'none of two results is chosen');
$ann->done('sample-test choose', $second, reason => 'the second');
are_listed('one of which a result was not chosen');

$ann->done('qc-template create', method => 'EPA 200.8', name => 'Metals', required => 'true',
    controls => [ { type => 'LRB', testDefinitionId => $lead, criterion => 'maximum',
            upperLimit => 0.1 } ]);
$lab->policy(qc_required => 'block');
blocked('qc_pending', 'its method requires quality control now');
$lab->policy(qc_required => 'off');

my $issued = $ann->done(next_version());
is($issued->{version}, 2, 'once nothing blocks, the next version is issued');
done_testing();
