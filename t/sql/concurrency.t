#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Overlapping transactions: whichever comes first, the other sees it, and there is no
# deadlock.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);

# Runs in a transaction that stays open a moment; 'done' or the refusal's slug.
sub attempt {
    my ($handle, $sql, @bind) = @_;
    my $done = eval {
        $handle->begin_work;
        $handle->do($sql, undef, @bind);
        select undef, undef, undef, 0.02;
        $handle->commit;
        1;
    };
    return 'done' if $done;
    my $why = $handle->state eq 'LM001' ? $handle->pg_error_field('detail') : $handle->state;
    $handle->rollback;
    return $why;
}

my $enter  = q{UPDATE lims.sample_test SET result = '7.9' WHERE organization_id = ? AND id = ?};
my $verify = q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
    AND id = ?};
my $report = q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ? AND id = ?};
my $add    = q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
    VALUES (?, ?, ?)};

# Report against a new test, an entry and a verification, many times over: the
# order differs from round to round.
my (%seen, $torn);
for my $round (1 .. 12) {
    my $sample = $base->sample($lab, qw(PH PB));
    $app->do(q{UPDATE lims.sample_test SET result = '7' WHERE organization_id = ?
        AND sample_id = ?}, undef,
        $lab->{id}, $sample->{id});
    $app->do($verify, undef, $lab->{id}, $sample->{PB});
    $app->do($verify, undef, $lab->{id}, $sample->{PH}) if $round % 2;
    my @act = (
        [ $report, $lab->{id}, $sample->{id} ],
        [ $enter,  $lab->{id}, $sample->{PH} ],
        [ $verify, $lab->{id}, $sample->{PH} ],
        [ $add,    $lab->{id}, $sample->{id}, $lab->{definition}{HPC} ],
    );
    my @outcome = $base->parallel(scalar @act, sub { my ($number) = @_; attempt($base->app($lab),
        @{ $act[$number] }) });
    $seen{$_}++ for @outcome;
    $torn += $base->value(q{SELECT count(*) FROM lims.sample s
        JOIN lims.sample_test t ON t.sample_id = s.id
                             WHERE s.id = ? AND s.status = 'reported' AND t.status <> 'verified'},
                                 $sample->{id});
}
is($torn, 0, 'no sample is reported with a result that is not verified');
my $expected = qr/\A(?:done|incomplete_sample|invalid_transition|test_verified_locked)\z/;
is_deeply([ grep { !/$expected/ } sort keys %seen ], [],
    'every refusal comes from a rule, none from a deadlock') || diag(explain(\%seen));
cmp_ok($seen{done}, '>', 12, 'some actions succeed');

# Two verify and edit one test.
for my $round (1 .. 6) {
    my $sample = $base->sample($lab, qw(PH));
    $app->do($enter, undef, $lab->{id}, $sample->{PH});
    my @outcome = $base->parallel(6, sub {
        my ($number) = @_;
        return attempt($base->app($lab), $number % 2 ? $verify
            : q{UPDATE lims.sample_test SET result =
                '7.} . $number . q{' WHERE organization_id = ? AND id = ?},
            $lab->{id}, $sample->{PH});
    });
    my ($status, $result) = $base->db->selectrow_array('SELECT status, result
        FROM lims.sample_test WHERE id = ?', undef,
        $sample->{PH});
    my ($told) = $base->value(q{SELECT count(*) FROM lims.event WHERE type = 'result.verified'
        AND (data ->> 'sampleTestId')::bigint = ?}, $sample->{PH});
    is("$status $told", 'verified 1', "verified once, result $result: @outcome");
}

# A report and the evaluation that fails the batch under it.
my %both;
for my $round (1 .. 10) {
    my $sample = $base->sample($lab, qw(PB));
    my $batch  = $base->insert('qc_batch', { organization_id => $lab->{id},
        batch_number => "Q$round" });
    $base->insert('qc_control', { organization_id => $lab->{id}, qc_batch_id => $batch,
        control_type => 'MB',
            criterion => 'maximum', measured_value => 1, upper_limit => 0.5 });
    $app->do(q{UPDATE lims.sample_test SET result = '1' WHERE organization_id = ? AND id = ?}, undef,
        $lab->{id}, $sample->{PB});
    $app->do('INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
        VALUES (?, ?, ?)', undef, $lab->{id}, $sample->{PB}, $batch);
    $app->do($verify, undef, $lab->{id}, $sample->{PB});
    my @outcome = $base->parallel(2, sub {
        my ($number) = @_;
        return attempt($base->app($lab), $number ? ('SELECT lims.evaluate_qc_batch(?, ?)',
            $lab->{id}, $batch)
            : ($report, $lab->{id}, $sample->{id}));
    });
    $both{"@outcome"}++;
    my ($reported, $failed) = $base->db->selectrow_array(
        q{SELECT (data ->> 'sampleId')::bigint, (SELECT min(f.id) FROM lims.event f
            WHERE f.type = 'qc.failed'
                     AND (f.data ->> 'qcBatchId')::bigint = ?) > e.id
            FROM lims.event e
           WHERE e.type = 'sample.reported' AND (data ->> 'sampleId')::bigint = ?},
        undef, $batch, $sample->{id});
    ok(!$reported || $failed, "reported before the batch failed, or not at all: @outcome") ;
}
is(join(' ', grep { !/\A(?:done|qc_failed) done\z/ } keys %both), '',
    'report and failing batch do not deadlock');

# Bulk entry of the same tests by several: each takes them in order of id.
my @many = map { $base->sample($lab, qw(PH PB HPC))->{id} } 1 .. 20;
my @outcome = $base->parallel(6, sub {
    my ($number) = @_;
    return attempt($base->app($lab),
        q{WITH held AS (SELECT organization_id, id FROM lims.sample_test
                         WHERE organization_id = ? AND sample_id = ANY (?)
                         ORDER BY id FOR NO KEY UPDATE)
          UPDATE lims.sample_test t SET result = ? FROM held h
           WHERE t.organization_id = h.organization_id AND t.id = h.id}, $lab->{id}, \@many,
               $number + 1);
});
is("@outcome", join(' ', ('done') x 6), 'six bulk entries, one after the other');

done_testing();
