#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The gate of a presumptive positive: raised by a result, cleared by the outcome of its
# confirmation, raised again by another result.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['microbiologist']);

my $definition = $lab->definition(code => 'FC', requires_confirmation => 't');
my $sample     = $lab->sample(testDefinitionIds => [$definition]);
my ($test)     = $lab->tests($sample);

sub status { return $lims->get("/sample-tests/$test")->json->{confirmationStatus} }

$lab->enter($test, '<2');
is(status(), undef, 'a negative needs no confirmation');
$ann->refused('invalid_transition', 'confirmation outcome', $test, outcome => 'refuted');

$lab->enter($test, '23');
is(status(), 'pending', 'a positive is presumptive');
my $blocked = refused($lims->post("/sample-tests/$test/verify"), 409, 'confirmation_required',
    'verify');
is_deeply($blocked->{blockers}[0]{testIds}, [$test], 'the answer names the test');
is_deeply([ map { $_->{slug} }
        @{ $lims->post("/samples/$sample->{id}/report")->json->{blockers} } ],
    [ 'incomplete_sample', 'confirmation_required' ], 'the report is refused');
is_deeply([ map { $_->{id} }
        @{ $ann->done('confirmation list', confirmationStatus => 'pending')->{data} } ],
    [$test], 'the confirmation is listed as pending');

# --- Evidence and outcome -------------------------------------------------------------

$ann->done('confirmation step', $test, medium => 'LTB', procedure => '35 C, 48 h',
    reading => 'gas in 3 of 3 tubes', outcome => 'growth', readAt => '2026-11-19T09:00:00Z');
my $read = $ann->done('confirmation step', $test, medium => 'EC', reading => 'no gas',
    outcome => 'no growth');
is_deeply([ map { [ @$_{qw(position medium outcome performedBy)} ] } @{ $read->{steps} } ],
    [ [ 1, 'LTB', 'growth', $ann->{id} ], [ 2, 'EC', 'no growth', $ann->{id} ] ],
    'steps are recorded in order');
is($read->{steps}[0]{readAt}, '2026-11-19T09:00:00.000Z', 'a step has the time of its reading');
is(status(), 'pending', 'evidence alone decides nothing');
is($read->{readingsMade}, 2, 'the readings of the result are counted');

is($ann->done('confirmation outcome', $test, outcome => 'refuted')->{confirmationStatus},
    'refuted', 'the outcome decides');
$ann->refused('invalid_transition', 'confirmation outcome', $test, outcome => 'confirmed');
$ann->refused('invalid_transition', 'confirmation step', $test, outcome => 'growth');

$lab->enter($test, '49');
is(status(), 'pending', 'another result awaits confirmation again');
$read = $ann->done('confirmation outcome', $test, outcome => 'confirmed');
is_deeply([ scalar @{ $read->{steps} }, $read->{readingsMade} ], [ 2, 0 ],
    'an outcome without a reading of its result has none, whatever was read of another');
is($lims->post("/sample-tests/$test/verify")->json->{confirmationStatus}, 'confirmed',
    'a confirmed positive can be verified');
$ann->refused('test_verified_locked', 'confirmation outcome', $test, outcome => 'refuted');
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample can be reported');

is($ann->call('confirmation show', 999_999)->{exit}, 3, 'an unknown test is not found');
is($ann->call('confirmation step', 999_999, outcome => 'growth')->{exit}, 3,
    'an unknown test has no steps');
is(scalar @{ $ann->done('confirmation show', $test)->{steps} }, 2, 'recorded steps stay');

# --- The plan -------------------------------------------------------------------------

my $manager = LIMS::Service::CommandLine->new($lims, 'Lee Ann', roles => ['lab_manager']);
my @plan = ({ step => 'LTB, gas', medium => 'LTB', afterHours => 24 },
    { step => 'BGLB, gas', medium => undef, afterHours => 48 });
is_deeply($manager->done('test-definition update', $definition, confirmationPlan => \@plan)
        ->{confirmationPlan}, \@plan, 'a test definition has a plan of its confirmation');
$manager->refused('invalid_body', 'test-definition update', $definition,
    confirmationPlan => [ { step => 'LTB' } ]);
my ($planned) = $lab->tests($lab->sample(testDefinitionIds => [$definition]));
$lab->enter($planned, '23');

sub due {
    my ($from, $hours) = @_;
    return $lab->value("SELECT to_char((?::timestamptz + make_interval(hours => ?))"
            . " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')", $from, $hours);
}
my $shown = $ann->done('confirmation show', $planned);
is_deeply([ @$shown{qw(nextStep nextReadDue)} ],
    [ 'LTB, gas', due($lims->get("/sample-tests/$planned")->json->{enteredAt}, 24) ],
    'the first reading is due after the entry of the result');
is_deeply($shown->{plan}, \@plan, 'the confirmation shows the plan');
$shown = $ann->done('confirmation step', $planned, medium => 'LTB', outcome => 'gas');
is_deeply([ @$shown{qw(nextStep nextReadDue)} ],
    [ 'BGLB, gas', due($shown->{steps}[0]{readAt}, 48) ], 'the next after the reading before');
is_deeply([ map { $_->{id} } @{ $ann->done('confirmation list',
                dueBefore => due($shown->{nextReadDue}, 1))->{data} } ], [$planned],
    'readings that are due are listed');
is_deeply($ann->done('confirmation list', dueBefore => $shown->{nextReadDue})->{data}, [],
    'readings are not listed before they are due');
is($ann->done('confirmation step', $planned, outcome => 'no gas')->{nextReadDue}, undef,
    'after the last step none is due');

# --- The lot of the medium --------------------------------------------------------------

my ($read_on) = $lab->tests($lab->sample(testDefinitionIds => [$definition]));
my $broth = $ann->done('media-lot create', code => 'BGLB-1', lotNumber => '77', medium => 'BGLB',
    name => 'BGLB broth')->{id};
my @step = ('confirmation step', $read_on, medium => 'BGLB', mediaLotId => $broth,
    outcome => 'growth');
my @policy = ('organization update', reason => 'as agreed', 'policies');
my $admin  = LIMS::Service::CommandLine->new($lims, 'Ada Moore', roles => ['administrator']);

sub found {
    my ($category) = (@_, 'lot_not_released');
    return grep { $_->{category} eq $category } @{ $lims->get('/samples/'
                . $lims->get("/sample-tests/$read_on")->json->{sampleId} . '/readiness')->json->{findings} };
}

$lab->enter($read_on, '23');
$ann->refused('invalid_reference', @step[ 0 .. 3 ], mediaLotId => 999_999, outcome => 'growth');
is_deeply([ @{ $ann->done(@step)->{steps}[0] }{qw(mediaLotId mediaLotCode)} ], [ $broth, 'BGLB-1' ],
    'a step has the lot of its medium');
is_deeply([ map { $_->{sampleTestId} } @{ $ann->done('media-lot recall', $broth)->{data} } ],
    [$read_on], 'the recall of the lot finds its test');
is($ann->done('media-lot show', $broth)->{usedBy}, 1, 'the lot is used by one test');

$ann->done('media-lot quarantine', $broth, reason => 'recalled by the supplier');
is_deeply([found()], [], 'with the policy off its quarantine is no finding');
$admin->done(@policy, { lotQcPolicy => 'warn' });
is_deeply([ map { "$_->{severity} $_->{mediaLotId}" } found() ], ["warning $broth"],
    'under warn it is a warning');
$admin->done(@policy, { lotQcPolicy => 'block' });
is_deeply([ map { "$_->{severity} $_->{message}" } found() ],
    ['blocking Media lot BGLB-1 of the confirmation is quarantined.'], 'under block it is not released');
my $refusal = $ann->refused('lot_not_released', @step);
like($refusal->{message}, qr/\AMedia lot BGLB-1 is quarantined: confirm on another lot/,
    'the message tells to confirm on another lot');
$manager->done('sample override-lot', $lims->get("/sample-tests/$read_on")->json->{sampleId},
    mediaLotId => $broth, reason => 'the recall concerns another plant');
is_deeply([found()], [], 'a signed override accepts it');
is(scalar @{ $ann->done(@step)->{steps} }, 2, 'for further steps, too');
$admin->done(@policy, { lotQcPolicy => 'off' });
$lab->media_test($broth, 'sterility', 'failed');
is_deeply([ map { "$_->{severity} $_->{mediaLotId} $_->{message}" } found('media_qc_failed') ],
    ["blocking $broth Media lot BGLB-1 failed sterility."],
    'a lot that fails its tests is a finding whatever the policy, and no override accepts that');
$lab->confirm($read_on, 'refuted');
refused($lims->post("/sample-tests/$read_on/verify"), 409, 'media_qc_failed',
    'verifying a result whose confirmation was read on a failed lot');
$lab->enter($read_on, '40');
is($lab->value('SELECT count(*) FROM lims.lot_beside WHERE sample_test_id = ?', $read_on), 0,
    'another result is confirmed anew');
is(scalar @{ $ann->done('media-lot recall', $broth)->{data} }, 1, 'a recall still finds the test');

# --- The signature --------------------------------------------------------------------

$lab->policy(esignature_required => 't');
$ann->refused('esignature_required', 'confirmation outcome', $planned, outcome => 'refuted',
    password => undef);
is($ann->done('confirmation outcome', $planned, outcome => 'refuted')->{confirmationStatus},
    'refuted', 'under esignatureRequired the outcome is signed');
is($lab->value('SELECT count(*) FROM lims.electronic_signature WHERE record_id = ?'
            . q{ AND meaning = 'reviewed' AND table_name = 'sample_test'}, $planned), 1,
    'with the meaning reviewed');

done_testing();
