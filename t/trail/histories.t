#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The history of a record in words: what was done to it and to what belongs to it, by whom
# and why, oldest first; for every noun.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;
use LIMS::Test::Source;

my $lims    = LIMS::Test->new;
my $lab     = LIMS::Service::Laboratory->new($lims);
my $analyst = LIMS::Service::CommandLine->new($lims, 'Dana Ruiz', roles => ['lab_manager']);
my $arsenic = $lab->definition(name => 'Arsenic');
my $sample  = $lab->sample(testDefinitionIds => [$arsenic]);
my ($test)  = $lab->tests($sample);
my $id      = ref $sample ? $sample->{id} : $sample;

sub history { return @{ $analyst->done("$_[0] history", $_[1])->{data} } }

$analyst->done('sample-test enter', $test, result => '12.4');
$analyst->done('sample-test enter', $test, result => '12.6', reason => 'read from the wrong line');
$analyst->done('sample-test verify', $test);
$analyst->done('sample-test reopen', $test, reason => 'the wrong flask');

subtest 'of a test' => sub {
    my ($made, @done) = history('sample-test', $test);
    like($made->{sentence}, qr/\AAPI key ".+".* added the sample test Arsenic\z/, 'who added it');
    is_deeply([ map { $_->{sentence} } @done ], [
        'Dana Ruiz entered 12.4 for Arsenic',
        'Dana Ruiz changed Arsenic from 12.4 to 12.6. Reason: read from the wrong line',
        'Dana Ruiz verified Arsenic',
        'Dana Ruiz reopened Arsenic. Reason: the wrong flask',
    ], 'each act is a sentence, oldest first') or diag(explain(\@done));
    is_deeply([ map { $_->{person} } @done ], [ ('Dana Ruiz') x 4 ], 'each act names its person');
    is($done[0]{entries}[0], $done[0]{id}, 'the entry of the trail that says it');
};

subtest 'of a sample with what belongs to it' => sub {
    my @done = map { $_->{sentence} } history('sample', $id);
    like($done[0], qr/registered the sample \S+-\S+-\S+/,
        'the history begins with the registration');
    ok((grep { $_ eq 'Dana Ruiz entered 12.4 for Arsenic' } @done), 'the results of its tests');
    my $page = $analyst->done('sample history', $id, limit => 2);
    is(scalar @{ $page->{data} }, 2, 'page by page');
    ok($page->{hasMore}, 'the page says that there are more');
    is($analyst->done('sample history', $id, cursor => $page->{nextCursor}, limit => 1)->{data}[0]{sentence},
        $done[2], 'the next page goes on where the first ended');
};

subtest 'what was taken away' => sub {
    my $of = $lab->sample(testDefinitionIds => [$arsenic]);
    my ($covered) = $lab->tests($of);
    my $batch = $analyst->done('qc-batch create', batchNumber => 'Q-7',
        sampleTestIds => [$covered]);
    $analyst->done('qc-batch uncover', $batch->{id}, sampleTestIds => [$covered],
        reason => 'another run');
    my @told = (qr/\ADana Ruiz added the QC coverage of Arsenic by QC batch Q-7\z/,
        qr/\ADana Ruiz removed the QC coverage of Arsenic by QC batch Q-7\. Reason: another run\z/);
    for my $whole ([ 'sample', $of->{id} ], [ 'sample-test', $covered ], [ 'qc-batch', $batch->{id} ]) {
        my @said = map { $_->{sentence} } history(@$whole);
        for my $sentence (@told) {
            is(scalar(grep { /$sentence/ } @said), 1, "the history of the $whole->[0] says so")
                or diag(explain(\@said));
        }
    }
};

subtest 'a value of a worksheet' => sub {
    $lab->worksheet_template($arsenic, ['Tare weight'], []);
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$arsenic]));
    my $sheet = $analyst->done('worksheet fill', sampleTestId => $test,
        values => [ { field => 'Tare weight', value => '7.00' } ]);
    $analyst->done('worksheet fill', sampleTestId => $test,
        values => [ { field => 'Tare weight', value => '7.01' } ]);
    my @said = map { $_->{sentence} } history('worksheet', $sheet->{id});
    is_deeply([ grep { /Tare/ } @said ], [ 'Dana Ruiz entered 7.00 for Tare weight',
            'Dana Ruiz changed the worksheet value Tare weight: value from 7.00 to 7.01' ],
        'is told by the name of its field')
        or diag(explain(\@said));
};

subtest 'a record that refers to others' => sub {
    my @client = map { $lims->insert('client', { code => $_, name => "$_ Water" }) } qw(North South);
    my $project = $lims->insert('project', { code => 'RIVER', name => 'River survey',
        client_id => $client[0] });
    my $manager = LIMS::Service::CommandLine->new($lims, 'Ines Kowal', roles => ['lab_manager']);
    $manager->done('project update', $project, clientId => $client[1],
        compositeSampleIdentifier => JSON::PP::true());
    is((history('project', $project))[-1]{sentence}, 'Ines Kowal changed the project River survey:'
        . ' client from North Water to South Water, composite sample identifier from no to yes',
        'a change of its client names both, and no id');
    is($lab->value(q{SELECT lims.change_in_words(1, 'instrument_file', 'update',
        '{"counts": {"old": {}, "new": {"rows": 2}}, "status": {"old": "received", "new": "imported"},
          "reasons": {"old": [], "new": [{"row": 2}]}}'::json, 'noon.csv')}),
        'changed the instrument file noon.csv: status from received to imported',
        'objects are left to the audit trail');
};

subtest 'a code of the service' => sub {
    is($lab->value(q{SELECT lims.change_in_words(1, 'approval_step', 'update',
        '{"role": {"old": null, "new": "qa_officer"}, "name": {"old": "a_b", "new": "c_d"}}'::json,
        'Release')}),
        'changed the approval step Release: role from nothing to QA officer, name from a_b to c_d',
        'is told in words, and a text of a person as it is');
    my $lot = $lab->media_lot;
    $lab->media_test($lot, 'growth_promotion', 'passed', 'S. aureus');
    my @said = map { $_->{sentence} } history('media-lot', $lot);
    is(scalar(grep { /added the media QC test growth promotion\b/ } @said), 1,
        'a record whose name is a code is named in words, too') or diag(explain(\@said));
};

$analyst->refused('not_found', 'sample history', 999_999_999);

# Every noun that is shown has its history; a document is changed by the service alone.
my %none = map { $_ => 1 }
    qw(comment attachment saved-view signature confirmation organization document);
my (%shown, %told);
for my $file (LIMS::Test::Source::files(qr/\.c\z/, 'modules')) {
    my $text = LIMS::Test::Source::text($file);
    $shown{$1} = 1 while $text =~ /\.command = "([a-z-]+) show"/g;
    $told{$1}  = 1 while $text =~ /HISTORY\("[^"]+",\s+"([a-z-]+)"/g;
}
is(join(' ', sort grep { !$told{$_} && !$none{$_} } keys %shown), '', 'each noun has a history');
is(join(' ', sort grep { !$shown{$_} } keys %told), '', 'the history has no other record');
done_testing();
