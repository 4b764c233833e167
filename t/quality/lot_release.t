#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Lots: opening, quarantine, release and recall, and the policy lotQcPolicy at entry, in
# findings and at report.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims    = LIMS::Test->new;
my $lab     = LIMS::Service::Laboratory->new($lims);
my $analyst = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst']);
my $quality = LIMS::Service::CommandLine->new($lims, 'Quinn Fox', roles => ['qa_officer']);

sub day {
    my ($days) = @_;
    return $lab->value('SELECT ((now() AT TIME ZONE time_zone)::date + ?::integer)::text'
            . ' FROM lims.organization WHERE id = ?', $days, $lims->fixture->{id});
}

sub finding {
    my ($sample) = @_;
    return map { [ @$_{qw(severity reagentLotId mediaLotId)} ] }
        grep { $_->{category} eq 'lot_not_released' }
        @{ $lims->get("/samples/$sample->{id}/readiness")->json->{findings} };
}

# --- Opening ------------------------------------------------------------------------

my $lot = $analyst->done('reagent-lot create', code => 'BUF-1', lotNumber => '7',
    name => 'pH 7 buffer', expiresOn => day(90), useDaysAfterOpening => 30);
is($lot->{usableUntil}, day(90), 'an unopened lot is usable until it expires');
$lot = $analyst->done('reagent-lot open', $lot->{id});
is_deeply([ @$lot{qw(openedOn usableUntil)} ], [ day(0), day(30) ],
    'of an opened lot, the earlier end counts');
ok($lot->{openedAt}, 'the time of the opening is shown');
$analyst->refused('invalid_transition', 'reagent-lot open', $lot->{id});
$lot = $analyst->done('reagent-lot update', $lot->{id}, openedOn => day(-31));
is_deeply([ @$lot{qw(openedAt usableUntil)} ], [ undef, day(-1) ],
    'a corrected day of opening has no time');

my ($sample, $test) = $lab->worked(1);
refused($lims->patch("/sample-tests/$test", { result => '4', reagentLotId => $lot->{id} }), 409,
    'reagent_lot_expired', 'a lot that was open for too long has expired');
$analyst->done('reagent-lot update', $lot->{id}, openedOn => day(0));
is($lims->patch("/sample-tests/$test", { result => '4', reagentLotId => $lot->{id} })->status,
    200, 'within its days it may be used');
is_deeply([ @{ $lims->get("/reagent-lots/$lot->{id}")->json }{qw(usedBy quarantined)} ],
    [ 1, JSON::PP::false ], 'an API key reads the lot, and how many tests name it');
is_deeply([ map { $_->{code} } @{ $lims->get('/reagent-lots?code=BUF-1')->json->{data} } ],
    ['BUF-1'], 'an API key lists the lots');

# --- Quarantine, whatever the policy ---------------------------------------------------

$analyst->refused('reason_required', 'reagent-lot update', $lot->{id},
    qcStatus => 'quarantined');
$lot = $analyst->done('reagent-lot quarantine', $lot->{id}, reason => 'recall by the supplier');
is_deeply([ @$lot{qw(qcStatus quarantineReason)} ],
    [ 'quarantined', 'recall by the supplier' ], 'the reason stands with the quarantine');
is_deeply([ finding($sample) ], [], 'with the policy off a quarantine is no finding');
is($lims->patch("/sample-tests/$test", { result => '5' })->status, 200,
    'with the policy off the lot may be used');
$analyst->refused('permission_required', 'reagent-lot update', $lot->{id},
    qcStatus => 'passed', reason => 'tested again');

# --- warn ------------------------------------------------------------------------------

my $medium = $lab->media_lot($test);
$lims->patch("/sample-tests/$test", { result => '6' });
$analyst->done('media-lot quarantine', $medium, reason => 'cracked plates');
$lab->policy(lot_qc_policy => 'warn');
is_deeply([ finding($sample) ], [ [ 'warning', undef, $medium ] ],
    'under warn a quarantined medium that was used is an advisory finding');
my $warned = $lims->patch("/sample-tests/$test", { result => '7' });
is($warned->status, 200, 'under warn the result is entered');
is_deeply([ sort map { $_->{code} } @{ $warned->json->{entryWarnings} } ],
    [ ('lot_quarantined') x 2 ], 'with a warning about each lot');

# --- block -----------------------------------------------------------------------------

$lab->policy(lot_qc_policy => 'block');
my $refused = refused($lims->patch("/sample-tests/$test", { result => '8' }), 409,
    'lot_not_released', 'under block a result with a quarantined lot');
is_deeply([ sort { ($a->[1] // 0) <=> ($b->[1] // 0) } finding($sample) ],
    [ [ 'blocking', undef, $medium ], [ 'blocking', $lot->{id}, undef ] ],
    'a result that stands with such a lot is a blocking finding');
is($lims->get("/samples/$sample->{id}")->json->{releaseState}, 'blocked', 'the sample is blocked');
my $judged = $lims->post('/sample-tests/judge',
    { results => [ { sampleTestId => $test, result => '8' } ] })->json->{results}[0];
is_deeply([ map { $_->{error} } @{ $judged->{refusals} } ], [ ('lot_not_released') x 2 ],
    'judging says so before entry');
my $fresh = $lab->reagent_lot(code => 'BUF-2', qc_status => 'pending');
is($lims->patch("/sample-tests/$test", { notes => 'a remark' })->status, 200,
    'a standing result is not refused later');
is($lims->post("/sample-tests/$test/verify")->status, 200,
    'a standing result with such a lot can be verified');
my $report = refused($lims->post("/samples/$sample->{id}/report"), 409, 'lot_not_released',
    'the report');
is_deeply([ @{ $report->{blockers}[0] }{qw(reagentLotIds mediaLotIds)} ],
    [ [ $lot->{id} ], [$medium] ], 'the answer names the lots');

$quality->refused('invalid_body', 'sample override-lot', $sample->{id}, reason => 'both');
$analyst->refused('permission_required', 'sample override-lot', $sample->{id},
    reagentLotId => $lot->{id}, reason => 'not affected');
$quality->refused('invalid_reference', 'sample override-lot', $sample->{id},
    reagentLotId => $fresh, reason => 'not used');
is($quality->done('sample override-lot', $sample->{id}, reagentLotId => $lot->{id},
        reason => 'the recall concerns another plant')->{id}, $sample->{id},
    'QA accepts the lot for the sample, signed');
is_deeply([ finding($sample) ], [ [ 'blocking', undef, $medium ] ],
    'an override ends the finding of its lot');
$analyst->refused('permission_required', 'media-lot release', $medium, reason => 'plates fine');
is($quality->done('media-lot release', $medium, reason => 'plates were exchanged')->{qcStatus},
    'pending', 'a medium that is released has the status of its tests');
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');
$quality->refused('invalid_transition', 'sample override-lot', $sample->{id},
    reagentLotId => $lot->{id}, reason => 'too late');

# --- A medium that failed ----------------------------------------------------------------

my ($second, $count) = $lab->worked(1);
my $failed = $lab->media_lot($count);
$lab->media_test($failed, 'sterility', 'failed');
$quality->refused('invalid_transition', 'media-lot release', $failed, reason => 'looks fine');
refused($lims->patch("/sample-tests/$count", { mediaLotId => undef }), 409, 'media_qc_failed',
    'a failed medium is not left for none');
$quality->done('sample override-lot', $second->{id}, mediaLotId => $failed,
    reason => 'the lot was scanned by mistake');
is($lims->patch("/sample-tests/$count", { mediaLotId => undef })->status, 200,
    'but after the override it is');

# --- Recall ------------------------------------------------------------------------------

my @used = @{ $analyst->done('reagent-lot recall', $lot->{id})->{data} };
is_deeply([ map { [ @$_{qw(sampleTestId sampleId trackingId testCode result status)} ] }
            @used ],
    [ [ $test, $sample->{id}, $sample->{trackingId}, $sample->{tests}[0]{testCode}, '7', 'verified' ] ],
    'a recall lists the tests with their samples');
is_deeply([ map { $_->{sampleTestId} }
        @{ $analyst->done('reagent-lot recall', $lot->{id}, order => '-id')->{data} } ],
    [$test], 'newest first too');
is_deeply([ map { [ @$_{qw(sampleTestId certificateNumber)} ] }
        @{ $analyst->done('media-lot recall', $medium)->{data} } ], [ [ $test, undef ] ],
    'that of a medium too');
my $issued = $quality->done('certificate issue', sampleId => $sample->{id});
is_deeply([ map { [ @$_{qw(certificateId certificateNumber version)} ] }
        map { @{ $analyst->done("$_->[0] recall", $_->[1])->{data} } }
        [ 'reagent-lot', $lot->{id} ], [ 'media-lot', $medium ] ],
    [ ([ @$issued{qw(id certificateNumber)}, 1 ]) x 2 ], 'with the certificates that were issued');
is($analyst->call('media-lot recall', 999_999)->{exit}, 3, 'of an unknown lot there is no recall');

# --- Amended -----------------------------------------------------------------------------

$analyst->done('media-lot quarantine', $medium, reason => 'recalled');
$quality->refused('invalid_transition', 'sample override-lot', $sample->{id},
    mediaLotId => $medium, reason => 'not affected');
$quality->done('sample amend', $sample->{id}, reason => 'another address');
$quality->refused('lot_not_released', 'certificate issue', sampleId => $sample->{id});
$quality->done('sample override-lot', $sample->{id}, mediaLotId => $medium,
    reason => 'the recall concerns another plant');
is($quality->done('certificate issue', sampleId => $sample->{id})->{version}, 2,
    'a lot that is quarantined after the report is accepted for the amended sample');

# --- Entering again ------------------------------------------------------------------------

# With a lot that was accepted for a sample its result is entered again: a correction needs no
# other lot.

my ($reading, $third) = $lab->worked(1);
$lims->patch("/sample-tests/$third", { reagentLotId => $fresh });
$analyst->done('reagent-lot quarantine', $fresh, reason => 'recall by the supplier');

sub judged {
    return [ map { $_->{error} } @{ $lims->post('/sample-tests/judge', { results =>
        [ { sampleTestId => $third, result => '9' } ] })->json->{results}[0]{refusals} } ];
}
is_deeply(judged(), ['lot_not_released'], 'before the lot is accepted, judging refuses');
refused($lims->patch("/sample-tests/$third", { result => '9' }), 409, 'lot_not_released',
    'before the lot is accepted, entering again is refused');
$quality->done('sample override-lot', $reading->{id}, reagentLotId => $fresh,
    reason => 'the recall concerns another plant');
is_deeply(judged(), [], 'once it is accepted for the sample, judging says so');
is($lims->patch("/sample-tests/$third", { result => '9' })->status, 200,
    'once the lot is accepted, the result is entered again with it');
refused($lims->patch("/sample-tests/$third", { result => '10', mediaLotId => $medium }), 409,
    'lot_not_released', 'with a further lot, which nobody accepted, the result');
my $both = LIMS::Service::CommandLine->new($lims, 'Bea Orr', roles => [qw(analyst qa_officer)]);
$both->done('reagent-lot update', $fresh, qcStatus => 'failed', reason => 'the recall was right');
is_deeply([ finding($reading) ], [ [ 'blocking', $fresh, undef ] ],
    'a lot that fails after it was accepted as quarantined is a finding again');
$quality->done('sample override-lot', $reading->{id}, reagentLotId => $fresh,
    reason => 'the result does not depend on it');
is_deeply([ finding($reading) ], [], 'as it is now it can be accepted again');
my ($other, $fourth) = $lab->worked(1);
refused($lims->patch("/sample-tests/$fourth", { result => '9', reagentLotId => $fresh }), 409,
    'lot_not_released', 'with the same lot the result of another sample');

# --- Quarantined again -----------------------------------------------------------------------

# An override is for the quarantine or failure that stood when it was signed.

my ($again, $fifth) = $lab->worked(1);
my $acid = $lab->reagent_lot(code => 'ACID-1');
my @accept = ('sample override-lot', $again->{id}, reagentLotId => $acid);

sub unfit {
    my ($expected, $what) = @_;
    return is_deeply([ map { $_->[1] // $_->[2] } finding($again) ], $expected, $what);
}
$lims->patch("/sample-tests/$fifth", { result => '9', reagentLotId => $acid });
my $needless = $quality->refused('invalid_transition', @accept, reason => 'in advance');
like($needless->{message}, qr/ACID-1 is neither quarantined nor failed/i,
    'a lot that nothing is wrong with is not accepted in advance');
$both->done('reagent-lot quarantine', $acid, reason => 'the label is damaged');
$quality->done(@accept, reason => 'the label is readable');
$both->done('reagent-lot release', $acid, reason => 'a new label');
$quality->refused('invalid_transition', @accept, reason => 'once more');
unfit([], 'a released lot is no finding');
$both->done('reagent-lot quarantine', $acid, reason => 'contaminated');
unfit([$acid], 'a lot that is quarantined again is a finding again');
refused($lims->patch("/sample-tests/$fifth", { result => '10' }), 409, 'lot_not_released',
    'with a lot that is quarantined again, the result');
is($lims->get("/samples/$again->{id}")->json->{releaseState}, 'blocked', 'its sample is blocked');
$quality->done(@accept, reason => 'opened before that');
unfit([], 'it can be accepted again');
$both->done('reagent-lot update', $acid, qcStatus => 'failed', reason => 'tested');
$quality->done(@accept, reason => 'not affected');
$both->done('reagent-lot quarantine', $acid, reason => 'to be destroyed');
unfit([$acid], 'a failed lot that is quarantined after it was accepted is a finding again');
$quality->done(@accept, reason => 'not affected');

my $agar = $lab->media_lot($fifth);
@accept = ('sample override-lot', $again->{id}, mediaLotId => $agar);
$quality->refused('invalid_transition', @accept, reason => 'in advance');
$lab->media_test($agar, 'sterility', 'failed');
$both->done('media-lot quarantine', $agar, reason => 'colonies');
$quality->done(@accept, reason => 'of another box');
unfit([], 'a medium that failed and is quarantined is accepted');
$lab->media_test($agar, 'growth_promotion', 'failed', 'E. coli');
unfit([$agar], 'a medium that fails a further test is a finding again');
$quality->done(@accept, reason => 'of another box');
$lab->media_test($agar, 'growth_promotion', 'failed', 'S. aureus');
unfit([$agar], 'a test with another organism counts as well');
is($lims->get("/samples/$again->{id}")->json->{releaseState}, 'blocked', 'the sample is blocked');

done_testing();
