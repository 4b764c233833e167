#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The gates of reagent and media lots: raised and cleared at the command line, enforced by
# the REST API.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);
my %day  = (yesterday => _day(-1), today => _day(0), tomorrow => _day(1));

# Returns a day by the database's clock, in the organization's zone.
sub _day {
    my ($days) = @_;
    return $lab->value('SELECT ((now() AT TIME ZONE time_zone)::date + ?::integer)::text'
            . ' FROM lims.organization WHERE id = ?', $days, $lims->fixture->{id});
}

# --- Reagent lots -------------------------------------------------------------------

my (undef, $test) = $lab->worked(1);
my $expired = $ann->done('reagent-lot create', code => 'STD-1', lotNumber => '24113',
    name => '1000 mg/L lead standard', supplier => 'Inorganic Ventures',
    expiresOn => $day{yesterday});
is($expired->{qcStatus}, 'pending', 'a lot begins pending');

my %entry = (result => '2', reagentLotId => $expired->{id});
my $blocked = refused($lims->patch("/sample-tests/$test", \%entry), 409, 'reagent_lot_expired',
    'an expired lot');
like($blocked->{message}, qr/STD-1/, 'the message names the lot');
is($lims->get("/sample-tests/$test")->json->{result}, '1', 'the refused result was not entered');
refused($lims->patch("/sample-tests/$test",
        { %entry, analyzedAt => '2020-01-01T00:00:00Z' }), 409, 'reagent_lot_expired',
    'an earlier analyzedAt does not help');

$ann->done('reagent-lot update', $expired->{id}, expiresOn => $day{today}, qcStatus => 'passed');
is($lims->patch("/sample-tests/$test", \%entry)->status, 200, 'the last day of a lot counts');

$ann->done('reagent-lot update', $expired->{id}, expiresOn => $day{yesterday});
is($lims->patch("/sample-tests/$test", { notes => 'a remark' })->status, 200,
    'notes may change after the lot has expired');
$lab->policy(reagent_expiry_policy => 'warn');
my $warned = $lims->patch("/sample-tests/$test", { result => '3' });
is($warned->status, 200, 'with the policy warn, the result is entered');
like($warned->json->{warnings}[0], qr/STD-1 expired/, 'the response warns of the lot');
refused($lims->patch("/sample-tests/$test", { reagentLotId => 999_999 }), 400,
    'invalid_reference', 'an unknown lot');

$ann->refused('invalid_body', 'reagent-lot create', code => 'STD-1', lotNumber => '2',
    name => 'another of the code');
is_deeply([ map { $_->{code} } @{ $ann->done('reagent-lot list', qcStatus => 'passed')->{data} } ],
    ['STD-1'], 'lots are listed by status');
is($ann->done('reagent-lot show', $expired->{id})->{supplier}, 'Inorganic Ventures',
    'a reagent lot is shown');

# --- Media lots -----------------------------------------------------------------------

my ($sample, $count) = $lab->worked(1);
my $lot = $ann->done('media-lot create', code => 'TSA-B', lotNumber => '77', medium => 'TSA',
    name => 'Tryptic soy agar');
is_deeply([ @$lot{qw(growthPromotionStatus sterilityStatus qcStatus)} ],
    [ ('pending') x 3 ], 'a media lot begins untested');
is($lims->patch("/sample-tests/$count", { mediaLotId => $lot->{id} })->status, 200,
    'the test was plated on it');

sub tested {
    my ($expected, %test) = @_;
    my $after = $ann->done('media-lot test', $lot->{id}, %test);
    is_deeply([ @$after{qw(growthPromotionStatus sterilityStatus qcStatus)} ], $expected,
        "$test{kind} $test{outcome}: @$expected");
    return $after;
}

my %growth = (kind => 'growth_promotion', organism => 'Bacillus subtilis ATCC 6633',
    inoculumCfu => 60);
tested([qw(failed pending failed)], %growth, recoveryPercent => 38, outcome => 'failed');
tested([qw(failed passed failed)], kind => 'sterility', outcome => 'passed');

my $media = refused($lims->post("/sample-tests/$count/verify"), 409, 'media_qc_failed', 'verify');
is_deeply($media->{blockers}[0]{mediaLotIds}, [ $lot->{id} ], 'the answer names the lot');
like($media->{message}, qr/TSA-B failed growth promotion/,
    'the message names the failed test of the medium');
is_deeply([ map { $_->{slug} }
        @{ $lims->post("/samples/$sample->{id}/report")->json->{blockers} } ],
    [ 'incomplete_sample', 'media_qc_failed' ], 'the report is refused');

tested([qw(failed passed failed)], %growth, organism => 'Candida albicans ATCC 10231',
    recoveryPercent => 96, outcome => 'passed');
$ann->refused('reason_required', 'media-lot test', $lot->{id}, %growth, outcome => 'passed');
LIMS::Service::CommandLine->new($lims, 'Cy Lund', roles => ['analyst'])->refused(
    'permission_required', 'media-lot test', $lot->{id}, %growth, outcome => 'passed',
    reason => 'it looked fine');
my $again = tested([qw(passed passed passed)], %growth, recoveryPercent => 92,
    outcome => 'passed', reason => 'plates of the failed test had dried out');
is(scalar @{ $again->{tests} }, 4, 'the lot shows its tests');
is($again->{tests}[3]{performedOn}, $day{today},    'a test is today\'s unless it says otherwise');
is($again->{tests}[3]{performedBy}, $ann->{id},     'a media test names who recorded it');
tested([qw(passed passed passed)], %growth, outcome => 'failed', performedOn => '2020-01-01');

is($ann->done('media-lot update', $lot->{id}, quarantined => 'true', reason => 'recalled')
        ->{qcStatus}, 'quarantined', 'a lot can be quarantined');
is($ann->done('media-lot update', $lot->{id}, quarantined => 'false', reason => 'not our lot')
        ->{qcStatus}, 'passed', 'out of quarantine, the lot has the status of its tests');
is($lims->post("/sample-tests/$count/verify")->status, 200, 'the test can be verified');

tested([qw(passed failed failed)], kind => 'sterility', outcome => 'failed');
refused($lims->post("/samples/$sample->{id}/report"), 409, 'media_qc_failed',
    'a lot that fails later blocks the report');
tested([qw(passed passed passed)], kind => 'sterility', outcome => 'passed',
    reason => 'contaminated in the incubator');
is($lims->post("/samples/$sample->{id}/report")->status, 200,
    'after requalification the sample can be reported');

is($ann->call('media-lot test', 999_999, kind => 'sterility', outcome => 'passed')->{exit}, 3,
    'an unknown lot is not found');
is_deeply([ map { $_->{code} } @{ $ann->done('media-lot list', code => 'TSA-B')->{data} } ],
    ['TSA-B'], 'media lots are listed');

done_testing();
