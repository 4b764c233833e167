#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The gate of retests holds whoever writes: the approval of a retest plan cannot be written
# past its rules, and a retest and a change of the plan at once wait for each other.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);
my @of   = (organization_id => $lab->{id});

my $other = LIMS::Instance::connect_database($base->{database}, 'lims_app');
$other->do(q{SELECT set_config('lims.' || k, v, false) FROM unnest(?::text[], ?::text[]) w (k, v)},
    undef, [qw(organization_id user_id)], [ @$lab{qw(id user_id)} ]);
$other->do(q{SET lock_timeout = '200ms'});

# A test with an entered result, and an investigation of it.
sub doubted {
    my (%more) = @_;
    my $sample = $base->sample($lab, 'PH');
    $app->do(q{UPDATE lims.sample_test SET result = '7' WHERE organization_id = ? AND id = ?},
        undef, $lab->{id}, $sample->{PH});
    my $open = $base->insert('investigation', { @of, kind => 'deviation', title => 'A test',
        sample_id => $sample->{id}, sample_test_id => $sample->{PH}, %more });
    return ($sample->{PH}, $open);
}

my $retest  = 'SELECT lims.retest(?, ?, 1)';
my $plan    = q{UPDATE lims.investigation SET retest_plan = 'Two' WHERE organization_id = ? AND id = ?};
my $replan  = q{UPDATE lims.investigation SET retest_plan = 'Three' WHERE organization_id = ? AND id = ?};
my $approve = 'UPDATE lims.investigation SET retest_plan_approved_at = now()
    WHERE organization_id = ? AND id = ?';

# Signs an investigation in the transaction that has begun.
sub sign {
    my ($meaning, $open) = @_;
    return $app->do(q{SELECT set_config('lims.signature_id', ?, true)}, undef,
        signed($app, $lab, $meaning, 'investigation', $open));
}

sub approve {
    my ($open) = @_;
    $app->begin_work;
    sign('approved', $open);
    $app->do($approve, undef, $lab->{id}, $open);
    return $app->commit;
}

subtest 'who approved it, when, and who wrote it' => sub {
    my ($test, $open) = doubted();
    my @bind = ($lab->{id}, $open);
    refused($app, $approve, \@bind, 'invalid_transition', 'no plan to approve');
    $app->do($plan, undef, @bind);
    refused($app, $approve, \@bind, 'esignature_required', 'an approval without a signature');
    refused($app, "UPDATE lims.investigation SET $_ WHERE organization_id = ? AND id = ?", \@bind,
        'field_not_patchable', "an author or approval written beside the plan: $_")
        for 'retest_plan_by = NULL', "retest_plan_approved_by = $lab->{user_id}";
    refused($app, $retest, [ $lab->{id}, $test ], 'investigation_open', 'a retest');

    $app->begin_work;
    sign('closed', $open);
    refused($app, $approve, \@bind, 'esignature_required', 'a signature of another meaning');
    $app->rollback;
    approve($open);
    is($base->value('SELECT retest_plan_approved_by FROM lims.investigation WHERE id = ?', $open),
        $lab->{user_id}, 'the approval is of the acting user');
    refused($app, 'UPDATE lims.investigation SET retest_plan_approved_at = NULL,
        retest_plan_approved_by = NULL WHERE organization_id = ? AND id = ?', \@bind,
        'field_not_patchable', 'an approval that is taken back');
    $app->do($replan, undef, @bind);
    is($base->value('SELECT retest_plan_approved_at FROM lims.investigation WHERE id = ?', $open),
        undef, 'a change of the plan ends the approval');
    $app->do(q{UPDATE lims.investigation SET retest_plan = 'Four', retest_plan_approved_at = now(),
        retest_plan_approved_by = ? WHERE organization_id = ? AND id = ?}, undef, $lab->{user_id}, @bind);
    is($base->value('SELECT retest_plan_approved_at FROM lims.investigation WHERE id = ?', $open),
        undef, 'nobody approves with the plan itself');
};

subtest 'whoever writes the retest' => sub {
    my ($test, $open) = doubted(retest_plan => 'Two', retest_plan_approved_at => 'now()');
    is($base->value('SELECT retest_plan_approved_at FROM lims.investigation WHERE id = ?', $open),
        undef, 'a new investigation has no approval');
    refused($base->owner($lab), 'INSERT INTO lims.sample_test (organization_id, sample_id,
        test_definition_id, retest_of, reported) SELECT organization_id, sample_id,
        test_definition_id, id, false FROM lims.sample_test WHERE id = ?', [$test],
        'investigation_open', 'a retest that the owner inserts');
};

subtest 'at once' => sub {
    my ($test, $open) = doubted();
    my @test = ($lab->{id}, $test);
    $app->do($plan, undef, $lab->{id}, $open);
    approve($open);

    $app->begin_work;
    $app->do($replan, undef, $lab->{id}, $open);
    refused($other, $retest, \@test, '55P03', 'a retest waits for a change of the plan under way');
    $app->commit;
    refused($other, $retest, \@test, 'investigation_open', 'a retest behind the change');

    approve($open);
    $app->begin_work;
    $app->do($retest, undef, @test);
    refused($other, $replan =~ s/Three/Five/r, [ $lab->{id}, $open ], '55P03',
        'a change of the plan waits for a retest under way');
    $app->commit;
    ok($other->do($replan =~ s/Three/Five/r, undef, $lab->{id}, $open), 'behind it the plan is changed');
};

$other->disconnect;
done_testing();
