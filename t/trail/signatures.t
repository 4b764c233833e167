#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Signatures as they are shown: printed name, time, meaning and record. A signature stands
# after its own act, and falls when the result changes. Signatures of a sample include
# those of all that belongs to it, and of nothing else.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims   = LIMS::Test->new;
my $lab    = LIMS::Service::Laboratory->new($lims);
my $signer = LIMS::Service::CommandLine->new($lims, 'Ada Park', roles => ['lab_manager']);
my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ]);
my ($test) = $lab->tests($sample);

sub signatures {
    return $signer->done('signature list', table => 'sample_test', recordId => $test)->{data};
}

$signer->done('sample-test enter', $test, result => '2.4');
my ($shown) = @{ $signer->done('signature preview', table => 'sample_test', recordId => "$test,999999")->{data} };
is_deeply([ @$shown{qw(id table)}, $shown->{content}{result} ], [ $test, 'sample_test', '2.4' ],
    'what would be signed is shown');
$signer->done('sample-test verify', $test);
my ($verified, @more) = @{ signatures() };
is(scalar @more, 0, 'one act, one signature');
is_deeply([ @$verified{qw(printedName meaning table recordId method)} ],
    [ 'Ada Park', 'verified', 'sample_test', $test, 'password' ],
    'who signed what, and with which meaning (a laboratory\'s day, 1.12)');
is_deeply($verified->{content}, $shown->{content}, 'the signed content is that which was shown');
ok($verified->{stands}, 'it stands after its own act');
is_deeply([ @{ $verified->{content} }{qw(id result version enteredBy)} ],
    [ $test, '2.4', 1, $signer->{id} ], 'it shows what was signed');
ok(!exists $verified->{content}{status}, 'the signed content leaves out what the act itself changes');
is_deeply($signer->done('signature show', $verified->{id}), $verified, 'it is read by its id');

$signer->done('sample-test reopen', $test, reason => 'the wrong flask');
my (undef, $reopened) = @{ signatures() };
is($reopened->{meaning}, 'reopened', 'the reopening is signed');
is($reopened->{reason}, 'the wrong flask', 'the signature has its reason');
ok($reopened->{stands}, 'the signature of reopening fits after its own act');
$signer->done('sample-test enter', $test, result => '1.9');
ok(!$signer->done('signature show', $verified->{id})->{stands},
    'a signature does not stand when the result is another');

# A migration adds columns to what was signed.
my $batch = $signer->done('qc-batch create', batchNumber => 'QC-1', sampleTestIds => [$test]);
$signer->done('qc-control add', qcBatchId => $batch->{id}, controlType => 'LCS', criterion => 'recovery',
    expectedValue => 10, measuredValue => 2, lowerLimit => 80, upperLimit => 120);
$signer->done('qc-batch evaluate', $batch->{id});
$signer->done('qc-batch override', $batch->{id}, reason => 'the spike was doubled');
$signer->done('sample-test verify', $test);

# Returns the signatures of the sample: its own, and those of its parts.
sub of_sample { return $signer->done('signature list', sampleId => $_[0])->{data} }
is_deeply([ map { $_->{meaning} } @{ of_sample($sample->{id}) } ], [qw(verified reopened verified)],
    'a sample shows the signatures of its tests');
like($verified->{record}, qr/\A\S+ of \S+\z/, 'a signature names what was signed');
is(scalar @{ of_sample($lab->sample->{id}) }, 0, 'another sample shows none of them');

sub of_batch { return $signer->done('signature list', table => 'qc_batch')->{data}[0] }
my $override = of_batch();
is_deeply([ @$override{qw(meaning reason)}, $override->{act}{reason} ],
    [ 'override', ('the spike was doubled') x 2 ], 'what the act wrote stands beside it');
ok($override->{stands}, 'an override stands after its own act');
$lims->db->do("ALTER TABLE lims.$_ ADD COLUMN added_later text DEFAULT 'x'")
    for qw(sample sample_test qc_batch qc_control qc_coverage);
ok($_->{stands}, "after columns were added, $_->{meaning} stands")
    for of_batch(), ${ signatures() }[-1];
$lims->db->do(q{UPDATE lims.qc_batch SET notes = 'flask 7'});
ok(!of_batch()->{stands}, 'the signature is no longer valid when its batch was changed');
done_testing();
