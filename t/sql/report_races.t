#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A change that forbids the report of a sample, made at the same moment, waits for the report,
# or the report waits for it: it stands in the trail on one side of the report, and before it
# refuses the report.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar', lot_qc_policy => 'block',
    open_investigation_blocks => 't');
my $app = $base->app($lab);
my @of  = (organization_id => $lab->{id});

my $other = LIMS::Instance::connect_database($base->{database}, 'lims_app');
$other->do(q{SELECT set_config('lims.' || k, v, false) FROM unnest(?::text[], ?::text[]) w (k, v)},
    undef, [qw(organization_id user_id reason)], [ @$lab{qw(id user_id)}, 'recalled' ]);
$other->do(q{SET lock_timeout = '200ms'});

my $number = 0;

# A sample that may be reported, whose result was read with both kinds of lots.
sub ready {
    my $sample  = $base->sample($lab, 'EC');
    my $reagent = $base->insert('reagent_lot', { @of, code => 'R' . ++$number, lot_number => '1',
        name => 'Buffer' });
    my $media = $base->insert('media_lot', { @of, code => 'M' . $number, lot_number => '1',
        medium => 'EC', name => 'EC broth' });
    my $read = $base->insert('media_lot', { @of, code => 'C' . $number, lot_number => '1',
        medium => 'BGLB', name => 'BGLB' });

    $app->do('UPDATE lims.sample_test SET result = ?, reagent_lot_id = ?, media_lot_id = ?
        WHERE organization_id = ? AND id = ?', undef, 'Present', $reagent, $media, $lab->{id},
        $sample->{EC});
    $app->do('INSERT INTO lims.confirmation_step (organization_id, sample_test_id, position,
        media_lot_id, outcome) VALUES (?, ?, 1, ?, ?)', undef, $lab->{id}, $sample->{EC}, $read,
        'growth');
    $app->do($_, undef, $lab->{id}, $sample->{EC})
        for q{UPDATE lims.sample_test SET confirmation_status = 'confirmed'
                WHERE organization_id = ? AND id = ?},
            q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ? AND id = ?};
    return { id => $sample->{id}, reagent_lot => $reagent, media_lot => $media,
        medium_read => $read };
}

my @report = (q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ? AND id = ?});

sub quarantine {
    my ($table, $member) = @_;
    return sub {
        my ($sample) = @_;
        return ("UPDATE lims.$table SET qc_status = 'quarantined'
            WHERE organization_id = ? AND id = ?", $lab->{id}, $sample->{ $member || $table });
    };
}

my %act = (
    'the quarantine of a reagent lot' => [ quarantine('reagent_lot'), 'lot_not_released' ],
    'the quarantine of a media lot'   => [ quarantine('media_lot'), 'lot_not_released' ],
    'the quarantine of the lot of a confirmation' =>
        [ quarantine('media_lot', 'medium_read'), 'lot_not_released' ],
    'the opening of an investigation' => [ sub {
        my ($sample) = @_;
        return ('INSERT INTO lims.investigation (organization_id, kind, title, sample_id)
            VALUES (?, ?, ?, ?)', $lab->{id}, 'deviation', 'the seal was broken', $sample->{id});
    }, 'investigation_open' ],
);

for my $name (sort keys %act) {
    my ($act, $slug) = @{ $act{$name} };
    my $sample = ready();
    my ($sql, @bind) = $act->($sample);
    my @of_sample = ($lab->{id}, $sample->{id});

    # The report is under way.
    $app->begin_work;
    $app->do(@report, undef, @of_sample);
    refused($other, $sql, \@bind, '55P03', "$name waits for a report under way");
    $app->rollback;

    # The change is under way itself.
    $app->begin_work;
    $app->do(q{SELECT set_config('lims.reason', 'recalled', true)});
    $app->do($sql, undef, @bind);
    refused($other, @report, \@of_sample, '55P03', 'a report waits for the change that is under way');
    $app->commit;
    refused($other, @report, \@of_sample, $slug, 'a report is refused behind the change');
}

$other->disconnect;
done_testing();
