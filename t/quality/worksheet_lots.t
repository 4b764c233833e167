#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Lots that a worksheet names are used for its result: a recall finds them, and a medium that
# failed, or a lot that is not released, holds the report as if the test named it.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $analyst = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst', 'lab_manager']);
my $quality = LIMS::Service::CommandLine->new($lims, 'Vera Ode', roles => ['qa_officer']);

my $definition = $lab->definition(code => 'HPC');
$analyst->done('worksheet-template create', testDefinitionId => $definition, name => 'Plate count',
    fields => [ { name => 'buffer', kind => 'reagent_lot' }, { name => 'agar', kind => 'media_lot' } ]);
my $buffer = $lab->reagent_lot(code => 'BUF-1');
my $other  = $lab->reagent_lot(code => 'BUF-2');
my $agar   = $lab->insert('media_lot', code => 'R2A-1', lot_number => '1', name => 'R2A', medium => 'R2A');
$lab->insert('media_lot', code => 'R2A-2', lot_number => '2', name => 'R2A', medium => 'R2A');

sub with_worksheet {
    my (%value) = @_;
    my $sample = $lab->sample(testDefinitionIds => [$definition]);
    my ($test) = $lab->tests($sample);
    $lab->enter($test, '12');
    fill($test, %value);
    return ($sample, $test);
}

sub fill {
    my ($test, %value) = @_;
    return $analyst->done('worksheet fill', sampleTestId => $test,
        values => [ map { { field => $_, value => $value{$_} } } sort keys %value ]);
}

sub findings {
    my ($sample) = @_;
    return [ map { [ @$_{qw(category severity reagentLotId mediaLotId)} ] }
            grep { $_->{category} =~ /\A(?:lot_not_released|media_qc_failed)\z/ }
            @{ $lims->get("/samples/$sample->{id}/readiness")->json->{findings} } ];
}

sub recalled {
    my ($noun, $lot) = @_;
    return [ map { $_->{sampleTestId} } @{ $analyst->done("$noun recall", $lot)->{data} } ];
}

my ($sample, $test) = with_worksheet(buffer => 'BUF-1', agar => 'R2A-1');
is_deeply([ recalled('reagent-lot', $buffer), recalled('media-lot', $agar) ], [ [$test], [$test] ],
    'a recall finds the tests whose worksheets name the lot');
is($analyst->done('reagent-lot show', $buffer)->{usedBy}, 1, 'the lot counts the test');
$lims->patch("/sample-tests/$test", { reagentLotId => $buffer })->status == 200 or die 'no lot';
is_deeply(recalled('reagent-lot', $buffer), [$test], 'named by test and worksheet, it is found once');
fill($test, buffer => 'BUF-2');
is_deeply(recalled('reagent-lot', $other), [$test], 'another lot takes its place');
my $app = $lims->app_db($lims->fixture->{id}, $lims->fixture->{user_id});
$app->do('UPDATE lims.worksheet_value SET reagent_lot_id = NULL, media_lot_id = NULL
    WHERE organization_id = ?', undef, $lims->fixture->{id});
is_deeply(recalled('reagent-lot', $other), [$test], 'no statement takes the lot from its value');

subtest 'a medium that failed' => sub {
    is_deeply(findings($sample), [], 'while it has not failed, there is no finding');
    $lims->db->do('SELECT lims.scan_samples(1000)');
    $lab->media_test($agar, 'sterility', 'failed');
    is_deeply(findings($sample), [ [ 'media_qc_failed', 'blocking', undef, $agar ] ],
        'the medium of the worksheet blocks the sample');
    refused($lims->post("/sample-tests/$test/verify"), 409, 'media_qc_failed', 'verifying it');
    $analyst->refused('media_qc_failed', 'worksheet fill', sampleTestId => $test,
        values => [ { field => 'agar', value => 'R2A-2' } ]);
    like(eval { $app->do('DELETE FROM lims.worksheet_value WHERE organization_id = ?', undef,
                $lims->fixture->{id}); 'done' } // $app->errstr, qr/media lot R2A-1 failed|denied/,
        'no statement takes it away');
    $lab->enter($test, undef);
    fill($test, agar => 'R2A-2');
    $lab->enter($test, '14');
    is_deeply(findings($sample), [], 'a result found with another medium has no finding');
    is_deeply(recalled('media-lot', $agar), [], 'the lot is that of the worksheet now');
};

subtest 'a lot that is not released' => sub {
    my ($held, $its) = with_worksheet(buffer => 'BUF-1');
    $lims->post("/sample-tests/$its/verify")->status == 200 or die 'not verified';
    $lab->policy(lot_qc_policy => 'block');
    # The first puts the samples of a changed policy into the queue.
    $lims->db->do('SELECT lims.scan_samples(1000)') for 1 .. 3;
    $analyst->done('reagent-lot quarantine', $buffer, reason => 'recalled by the supplier');
    is_deeply(findings($held), [ [ 'lot_not_released', 'blocking', $buffer, undef ] ],
        'the reagent of the worksheet blocks the sample');
    is($lims->get("/samples/$held->{id}")->json->{releaseState}, 'blocked', 'its state is blocked');
    my ($filled, $entered) = with_worksheet(agar => 'R2A-2');
    $lims->db->do(q{UPDATE lims.media_lot SET qc_status = 'quarantined',
        quarantine_reason = 'too soft' WHERE code = 'R2A-2'});
    $analyst->refused('lot_not_released', 'worksheet fill', sampleTestId => $entered,
        values => [ { field => 'agar', value => '' } ]);
    is(scalar @{ findings($filled) }, 1, 'the lot of a result that stands is not taken away');
    $lab->enter($entered, undef);
    fill($entered, agar => '');
    $lab->enter($entered, '14');
    is_deeply(findings($filled), [], 'a result that was entered anew has no finding');
    refused($lims->post("/samples/$held->{id}/report"), 409, 'lot_not_released', 'reporting it');
    $quality->done('sample override-lot', $held->{id}, reagentLotId => $buffer,
        reason => 'the recall concerns another plant');
    is_deeply(findings($held), [], 'QA accepts the lot for the sample');
    is($lims->post("/samples/$held->{id}/report")->status, 200, 'the sample is reported');
};

done_testing();
