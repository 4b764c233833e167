#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# What was signed is shown: printed name, time, meaning and record; the signature stands
# after its own act, and no longer when the result is another.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims   = LIMS::Test->new;
my $lab    = LIMS::Service::Laboratory->new($lims);
my $signer = LIMS::Service::CommandLine->new($lims, 'Ada Park', roles => ['lab_manager']);
my ($test) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));

sub signatures {
    return $signer->done('signature list', table => 'sample_test', recordId => $test)->{data};
}

$signer->done('sample-test enter', $test, result => '2.4');
$signer->done('sample-test verify', $test);
my ($verified, @more) = @{ signatures() };
is(scalar @more, 0, 'one act, one signature');
is_deeply([ @$verified{qw(printedName meaning table recordId method)} ],
    [ 'Ada Park', 'verified', 'sample_test', $test, 'password' ],
    'who signed what, and with which meaning (a laboratory\'s day, 1.12)');
ok($verified->{stands}, 'it stands after its own act');
is_deeply($signer->done('signature show', $verified->{id}), $verified, 'it is read by its id');

$signer->done('sample-test reopen', $test, reason => 'the wrong flask');
my (undef, $reopened) = @{ signatures() };
is($reopened->{meaning}, 'reopened', 'the reopening is signed');
is($reopened->{reason}, 'the wrong flask', '... with its reason');
ok($reopened->{stands}, '... and stands after its own act');
$signer->done('sample-test enter', $test, result => '1.9');
ok(!$signer->done('signature show', $verified->{id})->{stands},
    'a signature does not stand when the result is another');
done_testing();
