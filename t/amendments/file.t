#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# An instrument's file changes no reported sample, not while it is amended either, nor when
# a person who may amend it releases the file.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);

$pc->{definition}{NO3} //= $lab->definition(code => 'NO3');
my $sample = $lab->sample(testDefinitionIds => [ $pc->{definition}{NO3} ]);
my ($test) = $lab->tests($sample);
$lab->status($sample, 'received');
$lab->enter($test, '1.0');
$lab->verify($test);
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'a reported sample');
$ann->done('sample amend', $sample->{id}, reason => 'a doubt');
$ann->done('sample-test reopen', $test, reason => 'a doubt');

my $answer = $pc->send($pc->csv([ $sample->{trackingId}, 'NO3', '2.0' ]));
my $file   = $answer->json;
is($file->{status}, 'quarantined', 'its file is held') or diag($answer->body);
my $released = $ann->call('instrument-file release', $file->{id}, reason => 'I may amend it');
is($ann->done('instrument-file show', $file->{id})->{status}, 'quarantined',
    'the file stays quarantined when it is released') or diag($released->{output});
is($lims->get("/sample-tests/$test")->json->{result}, '1.0', 'no result is entered');
is($ann->done('sample-test enter', $test, result => '2.0')->{result}, '2.0',
    'the person enters it');

done_testing();
