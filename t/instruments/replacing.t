#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Under the policy reasonOnChange a file that would replace a result is held, and the
# reason of its release is the reason.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['qa_officer']);

$pc->profile(write => { existing => 'overwriteUnverified' });
my $sample = $pc->sample('NO3');
my ($test) = $lab->tests($sample);
my $result = sub { $lims->get("/sample-tests/$test")->json->{result} };

$lab->enter($test, '1');
is($pc->send($pc->csv([ $sample, 'NO3', '2' ]))->status, 201, 'without the policy it is replaced');
is($result->(), '2', 'the file has replaced the value');

$lab->policy(reason_on_change => 't');
is($pc->send($pc->csv([ $sample, 'NO3', '2' ], [ $pc->sample('PH'), 'PH', '7' ]))->status, 201,
    'the same value replaces nothing');
my $held = $pc->send($pc->csv([ $sample, 'NO3', '3' ]));
is($held->status, 202, 'another value is held') or diag($held->body);
is_deeply([ map { $_->{code} } @{ $held->json->{reasons} } ], ['replaces_result'],
    'the reason is replaces_result');
is($result->(), '2', 'the value of the file is not entered');

my $sent = $ann->call('instrument-file reevaluate', $held->json->{id}, reason => 'Monday round');
is($sent->{json}{status}, 'quarantined', 'a reason that is not that of its release enters nothing');
is($result->(), '2', 'the value that stood stands');

my ($file) = $lims->db->selectrow_array('SELECT max(id) FROM lims.instrument_file');
$ann->done('instrument-file release', $file, reason => 'the diluter was off');
is($result->(), '3', 'its release replaces it');
is($lims->db->selectrow_array(q{SELECT reason FROM lims.audit_entry
    WHERE table_name = 'sample_test' AND record_id = ? ORDER BY id DESC LIMIT 1}, undef, $test),
    'the diluter was off', 'the replacement has its reason');

done_testing();
