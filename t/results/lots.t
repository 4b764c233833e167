#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Reagent and media lots of a result: an expired reagent lot is refused or warned
# of, as the organization's policy says, from the day after its last in the
# organization's time zone.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);

# A day from today where the laboratory is.
sub day {
    my ($offset, $zone) = @_;
    return $lab->value(q{SELECT ((now() AT TIME ZONE ?)::date + ?::integer)::text}, $zone // 'UTC',
        $offset);
}

sub test { return ($lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ])))[0] }

sub change { return $lims->patch("/sample-tests/$_[0]", $_[1]) }

my $expired = $lab->reagent_lot(code => 'HCL-OLD', expires_on => day(-1));
my $today   = $lab->reagent_lot(expires_on => day(0));
my $good    = $lab->reagent_lot(expires_on => day(30));
my $forever = $lab->reagent_lot;

subtest 'policy block: an expired reagent lot is refused' => sub {
    my $test = test();
    my $changes = $lab->changes_of(sub {
        my $body = refused(change($test, { result => '1', reagentLotId => $expired }), 409,
            'reagent_lot_expired', 'a result with an expired lot');
        like($body->{message}, qr/HCL-OLD/, 'the message names the lot');
        is($body->{blockers}[0]{slug}, 'reagent_lot_expired', 'the blocker has the slug');
        is_deeply([ @{ $body->{blockers}[0] }{qw(testIds reagentLotIds)} ],
            [ [ 0 + $test ], [ 0 + $expired ] ], 'the blocker has the test and the lot');
        like($body->{blockers}[0]{clearedBy}, qr/a lot that is in date/, 'the blocker says that another lot clears it');
    });
    is($changes, 0, 'no result is entered');
    is(change($test, { result => '1', reagentLotId => $_ })->status, 200, 'a lot in date')
        for $today, $good, $forever;
    refused(change($test, { reagentLotId => $expired }), 409, 'reagent_lot_expired',
        'the lot changed under a result');
    is($lims->get("/sample-tests/$test")->json->{reagentLotId}, $forever,
        'the lot was not changed');
    is_deeply($lims->get("/sample-tests/$test")->json->{warnings}, [], 'no warning');
};

subtest 'a lot noted before there is a result' => sub {
    my $test = test();
    is(change($test, { reagentLotId => $expired })->status, 200,
        'without a result the lot is only noted');
    refused(change($test, { result => '1' }), 409, 'reagent_lot_expired', 'the result is refused');
    is(change($test, { result => ' ' })->status, 200, 'a blank result withdraws it');
    is(change($test, { result => '1', reagentLotId => $good })->status, 200,
        'with a lot that has not expired it is entered');
};

subtest 'bulk results: only the tests with an expired lot are named' => sub {
    my @tests = map { test() } 1 .. 3;
    change($tests[1], { reagentLotId => $expired });
    my $body = refused($lims->post('/sample-tests/bulk-results', { updates =>
                [ map { { sampleTestId => 0 + $_, result => '1' } } @tests ] }), 409,
        'reagent_lot_expired', 'all are refused');
    is_deeply($body->{blockers}[0]{testIds}, [ 0 + $tests[1] ],
        'only the test with the expired lot is named');
};

subtest 'an earlier analysedAt does not help' => sub {
    refused(change(test(), { result => '1', reagentLotId => $expired,
                analyzedAt => '2020-01-01T00:00:00Z' }), 409, 'reagent_lot_expired', 'back-dated');
};

subtest 'a lot that expires after the result' => sub {
    my $lot  = $lab->reagent_lot(expires_on => day(1));
    my $test = test();
    change($test, { result => '1', reagentLotId => $lot });
    $lims->db->do('UPDATE lims.reagent_lot SET expires_on = ? WHERE id = ?', undef, day(-1), $lot);
    is(change($test, { notes => 'n' })->status, 200, 'notes still change');
    is(change($test, { result => '1' })->status, 200, 'the same value again is allowed');
    refused(change($test, { result => '2' }), 409, 'reagent_lot_expired',
        'another value is refused');
    refused(change($test, { qualifier => '<' }), 409, 'reagent_lot_expired', 'a qualifier too');
    is(change($test, { result => undef })->status, 200, 'withdrawing is not');
};

subtest 'the last day ends in the organization\'s time zone' => sub {
    for my $zone ('Pacific/Kiritimati', 'Pacific/Pago_Pago') {
        $lab->policy(time_zone => $zone);
        is(change(test(), { result => '1',
                    reagentLotId => $lab->reagent_lot(expires_on => day(0, $zone)) })->status,
            200, "today in $zone");
        refused(change(test(), { result => '1',
                    reagentLotId => $lab->reagent_lot(expires_on => day(-1, $zone)) }), 409,
            'reagent_lot_expired', "yesterday in $zone");
    }
    $lab->policy(time_zone => 'UTC');
};

subtest 'bulk results with expired lots' => sub {
    my @tests = map { test() } 1 .. 2;
    change($tests[1], { reagentLotId => $expired });
    my $changes = $lab->changes_of(sub {
        refused($lims->post('/sample-tests/bulk-results', { updates =>
                        [ map { { sampleTestId => $_, result => '1' } } @tests ] }), 409,
            'reagent_lot_expired', 'one of the lots has expired');
    });
    is($changes, 0, 'no result is entered');
};

subtest 'policy warn: an expired reagent lot warns' => sub {
    $lab->policy(reagent_expiry_policy => 'warn');
    my $test   = test();
    my $record = change($test, { result => '1', reagentLotId => $expired })->json;
    is($record->{status}, 'entered', 'the result is entered');
    is(scalar @{ $record->{warnings} }, 1, 'the record has a warning');
    like($record->{warnings}[0], qr/reagent lot HCL-OLD expired/, 'the warning names the lot');
    is_deeply($lims->get("/sample-tests/$test")->json->{warnings}, $record->{warnings},
        'the warning stays on the record');
    is_deeply(change($test, { reagentLotId => $good })->json->{warnings}, [],
        'another lot ends the warning');
    $lab->policy(reagent_expiry_policy => 'block');
};

subtest 'an expired media lot warns' => sub {
    my $lot    = $lab->insert('media_lot', code => 'R2A-OLD', name => 'R2A', lot_number => 'L1',
        medium => 'R2A', expires_on => day(-1));
    my $record = change(test(), { result => '1', mediaLotId => $lot })->json;
    is($record->{mediaLotId}, $lot, 'the lot is noted');
    like("@{ $record->{warnings} }", qr/media lot R2A-OLD expired/,
        'the warning names the expired lot');
};

subtest 'a failed media lot cannot be removed from a result' => sub {
    my $test = test();
    change($test, { result => '1' });
    my $lot = $lab->media_lot($test);
    $lab->media_test($lot, 'sterility', 'failed');
    my $other = $lab->media_lot;

    refused(change($test, { mediaLotId => $_->[0] }), 409, 'media_qc_failed', $_->[1])
        for [ undef, 'for none' ], [ $other, 'for another' ];
    refused(change($test, { result => $_, mediaLotId => $other }), 409, 'media_qc_failed',
        "for another, with $_ again") for '1.0', '1e0', ' 1 ';
    refused(change($test, { result => '2', mediaLotId => undef }), 409, 'media_qc_failed',
        'for none, with another result');
    is(change($test, { result => '2', mediaLotId => $other })->json->{mediaLotId}, $other,
        'a result found with another lot has it');
    refused(change($test, { mediaLotId => undef }), 409, 'media_qc_failed',
        'a failed lot cannot be removed then either');
    is($lab->verify($test)->{status}, 'verified', 'the result can be verified');
};

subtest 'a failed media lot stays known' => sub {
    my $test = test();
    change($test, { result => '5' });
    my ($lot, $spoilt, $other) = ($lab->media_lot($test), $lab->media_lot, $lab->media_lot);
    $lab->media_test($_, 'growth_promotion', 'failed') for $lot, $spoilt;

    refused(change($test, { result => '', mediaLotId => undef }), 409, 'media_qc_failed',
        'left with the withdrawal');
    is(change($test, { result => '' })->json->{status}, 'pending', 'a result is withdrawn');
    my $left = refused(change($test, { mediaLotId => undef }), 409, 'media_qc_failed',
        'then the lot left');
    is_deeply([ @{ $left->{blockers}[0] }{qw(testIds mediaLotIds)} ], [ [$test], [$lot] ],
        'the blocker names test and lot');
    refused(change($test, { mediaLotId => undef, result => '5' }), 409, 'media_qc_failed',
        'left with another entry');
    refused(change($test, { mediaLotId => $spoilt }), 409, 'media_qc_failed',
        'another failed lot is refused');
    is(change($test, { mediaLotId => $other })->status, 200,
        'the failed lot is replaced by another');
    refused(change($test, { mediaLotId => undef, result => '5' }), 409, 'media_qc_failed',
        'the new result\'s lot cannot be removed either');
    is(change($test, { result => '5' })->json->{mediaLotId}, $other,
        'the result of the repetition has the other lot');
    is($lab->verify($test)->{status}, 'verified', 'the repeated result can be verified');
};

subtest 'a lot that is not released stays with the result that was found with it' => sub {
    for my $kind (qw(reagent media)) {
        $lab->policy(lot_qc_policy => 'block');
        my ($lot, $other) = $kind eq 'media' ? map { $lab->media_lot } 1 .. 2
            : map { $lab->reagent_lot } 1 .. 2;
        my $test = test();
        change($test, { result => '4', "${kind}LotId" => $lot });
        $lims->db->do("UPDATE lims.${kind}_lot SET qc_status = 'quarantined',
            quarantine_reason = 'precipitate' WHERE id = ?", undef, $lot);
        for ([ undef, 'for none' ], [ $other, 'for another' ]) {
            my $body = refused(change($test, { "${kind}LotId" => $_->[0] }), 409,
                'lot_not_released', "the $kind lot is left $_->[1]");
            is_deeply([ @{ $body->{blockers}[0] }{ 'testIds', "${kind}LotIds" } ],
                [ [$test], [$lot] ], 'the blocker names test and lot');
        }
        my %left = (sampleTestId => $test, result => '4.0', "${kind}LotId" => $other);
        refused($lims->post('/sample-tests/bulk-results', { updates => [ \%left ] }), 409,
            'lot_not_released', 'with the same number in bulk');
        is_deeply([ map { map { $_->{error} } @{ $_->{refusals} } } @{
            $lims->post('/sample-tests/judge', { results => [ \%left ] })->json->{results} } ],
            ['lot_not_released'], 'judging it says so');
        is(change($test, { result => '5', "${kind}LotId" => $other })->json->{"${kind}LotId"},
            $other, 'another result is found with another lot');
        is(change($test, { "${kind}LotId" => undef })->status, 200, 'a sound lot is left');
        $lab->policy(lot_qc_policy => 'warn');
        change($test, { "${kind}LotId" => $lot });
        is(change($test, { "${kind}LotId" => undef })->status, 200,
            'where the policy only warns it is left');
        $lab->policy(lot_qc_policy => 'off');
    }
};

# A quarantine at the same time sees the entry, or is seen.
subtest 'a result locks its reagent lot until it stands' => sub {
    my ($test, $lot) = (test(), $lab->reagent_lot);
    my $app = $lims->app_db($lims->fixture->{id}, $lims->fixture->{user_id});
    $app->begin_work;
    $app->do('UPDATE lims.sample_test SET reagent_lot_id = ? WHERE organization_id = ? AND id = ?',
        undef, $lot, $lims->fixture->{id}, $test);
    is($lab->value(q{SELECT count(*) FROM (SELECT FROM lims.reagent_lot WHERE id = ?
        FOR NO KEY UPDATE SKIP LOCKED) x}, $lot), 0, 'its quarantine waits');
    $app->rollback;
};

done_testing();
