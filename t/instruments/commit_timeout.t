#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Entering the results of a file may take longer than other statements; its COMMIT may not:
# a database that does not answer it is given up as soon as elsewhere. The file is imported
# once, however often it is sent again.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Instance;
use LIMS::Service::Laboratory;
use LIMS::Test;
use Time::HiRes qw(time);

my $lims = LIMS::Test->new(conf => qq(LimsDatabaseTimeout 3000\nLimsIngestResume 86400\n)
        . qq(Define LIMS_TIMEOUTS "-c statement_timeout=0 -c lock_timeout=0"\n));
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my $lock = 'pg_advisory_xact_lock(4711)';

$pc->profile;
$lims->allow_log(qr/LIMS0\d+: 503 service_unavailable/);
# A COMMIT that takes as long as somebody has the lock.
$lims->superuser->do($_) for (
    "CREATE FUNCTION public.dawdle() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_catalog.$lock; RETURN NULL; END'",
    'CREATE CONSTRAINT TRIGGER dawdle AFTER INSERT ON lims.instrument_file_row
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.dawdle()');

my $sample = $pc->sample('NO3');
my @sent   = ($pc->csv([ $sample, 'NO3', '7.10' ]), name => 'run.csv',
    headers => { 'Idempotency-Key' => 'overdue' });
my $holder = LIMS::Instance::connect_database($lims->{database}, 'postgres');

$holder->begin_work;
$holder->do("SELECT $lock");
my $begun  = time;
my $answer = $pc->send(@sent);
my $passed = time - $begun;

is($answer->status, 503, 'the request is given up') or diag($answer->body);
like($answer->json->{message}, qr/may have been made or not/,
    'the message says that the outcome is unknown');
cmp_ok($passed, '<', 40, sprintf 'after %.1f seconds', $passed);
$holder->rollback;

wait_until {
    $answer = $pc->send(@sent);
    $answer->status < 300;
} 120;
is($answer->status, 201, 'sent again, it is imported') or diag($answer->body);
is($pc->test($sample, 'NO3')->{result}, '7.10', 'the result is there');
is($lab->value('SELECT count(*) FROM lims.instrument_file_row'), 1, 'the file was imported once');

done_testing();
