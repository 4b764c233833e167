#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two acts at once on a sample or a family of tests, of which one cancels, chooses, reopens
# or verifies: they end as one after the other would, in one of the two orders, without a
# deadlock.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');

sub app {
    my $app = $base->app($lab);
    $app->do(q{SELECT set_config('lims.reason', 'doubtful', false)});
    return $app;
}

# --- Acts: each gets a session in a transaction, and the ids of a sample and its tests -----

sub change {
    my ($sql, $which) = @_;
    return sub {
        my ($app, $ids) = @_;
        return $app->do($sql, undef, $lab->{id}, $ids->{$which});
    };
}

sub sign_and_reopen {
    my ($app, $ids) = @_;
    my $signature = signed($app, $lab, 'reopened', 'sample_test', $ids->{first});
    return $app->do(q{UPDATE lims.sample_test SET status = 'entered', reopening_signature_id = ?
        WHERE organization_id = ? AND id = ?}, undef, $signature, $lab->{id}, $ids->{first});
}

# As the service does: tests are locked before their sample.
sub cancel_sample {
    my ($app, $ids) = @_;
    $app->do('SELECT FROM lims.sample_test WHERE organization_id = ? AND sample_id = ?
        ORDER BY id FOR NO KEY UPDATE', undef, $lab->{id}, $ids->{sample});
    return $app->do(q{UPDATE lims.sample SET disposition = 'cancelled'
        WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $ids->{sample});
}

my %act = (
    'cancel the sample' => \&cancel_sample,
    'hold the sample' => change(q{UPDATE lims.sample SET disposition = 'on_hold'
        WHERE organization_id = ? AND id = ?}, 'sample'),
    'report the sample' => change(q{UPDATE lims.sample SET status = 'reported'
        WHERE organization_id = ? AND id = ?}, 'sample'),
    'enter' => change(q{UPDATE lims.sample_test SET result = '8' WHERE organization_id = ?
        AND id = ?}, 'second'),
    'verify' => change(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
        AND id = ?}, 'second'),
    'cancel the test' => change('SELECT lims.cancel_test(?, ?)', 'second'),
    'repeat'          => change('SELECT lims.retest(?, ?, 1)',   'second'),
    'choose'          => change('SELECT lims.choose_test(?, ?)', 'first'),
    'choose the other' => change('SELECT lims.choose_test(?, ?)', 'second'),
    'reopen'          => \&sign_and_reopen,
);

# --- Samples -------------------------------------------------------------------------------

# A sample with an entered test and its entered repetition; `first` and `second` are the
# ids of what is verified besides.
sub family {
    my (@verified) = @_;
    my $app = app();
    my $sample = $base->sample($lab, 'PH');
    my ($again) = $app->selectrow_array('SELECT lims.retest(?, ?, 1)', undef, $lab->{id},
        $sample->{PH});
    my %ids = (sample => $sample->{id}, first => $sample->{PH}, second => $again);
    $app->do(q{UPDATE lims.sample_test SET result = '7' WHERE organization_id = ?
        AND sample_id = ?}, undef, $lab->{id}, $sample->{id});
    $app->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
        AND id = ?}, undef, $lab->{id}, $ids{$_}) for @verified;
    return \%ids;
}

# A sample with a verified test, and another one, entered or verified.
sub pair {
    my (@verified) = @_;
    my $app = app();
    my $sample = $base->sample($lab, qw(PH PB));
    my %ids = (sample => $sample->{id}, first => $sample->{PH}, second => $sample->{PB});
    $app->do(q{UPDATE lims.sample_test SET result = '7' WHERE organization_id = ?
        AND sample_id = ?}, undef, $lab->{id}, $sample->{id});
    $app->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
        AND id = ?}, undef, $lab->{id}, $ids{$_}) for @verified;
    return \%ids;
}

# --- Outcomes ------------------------------------------------------------------------------

# 'done', or the slug of the refusal, or an SQLSTATE.
sub attempt {
    my ($act, $ids, $pause) = @_;
    my $app = app();
    $app->begin_work;
    my $done = eval { $act->($app, $ids); select undef, undef, undef, $pause; $app->commit; 1 };
    return 'done' if $done;
    my $why = $app->state eq 'LM001' ? $app->pg_error_field('detail') : $app->state;
    $app->rollback;
    return $why;
}

sub state_of {
    my ($ids) = @_;
    my @tests = @{ $base->db->selectall_arrayref(q{SELECT status, disposition, reported, result
        FROM lims.sample_test WHERE organization_id = ? AND sample_id = ? ORDER BY id}, undef,
        $lab->{id}, $ids->{sample}) };
    return join ', ', $base->value(q{SELECT status || ' ' || disposition FROM lims.sample
        WHERE organization_id = ? AND id = ?}, $lab->{id}, $ids->{sample}),
        map { join ' ', map { $_ // '-' } @$_ } @tests;
}

my @races = (
    [ 'cancel the sample', 'verify',            \&pair,   'first' ],
    [ 'cancel the sample', 'enter',             \&pair,   'first' ],
    [ 'cancel the sample', 'cancel the test',   \&pair,   'first' ],
    [ 'cancel the sample', 'report the sample', \&pair,   'first', 'second' ],
    [ 'hold the sample',   'report the sample', \&pair,   'first', 'second' ],
    [ 'cancel the test',   'verify',            \&pair,   'first' ],
    [ 'cancel the test',   'enter',             \&pair,   'first' ],
    [ 'cancel the test',   'report the sample', \&pair,   'first' ],
    [ 'cancel the test',   'choose',            \&family, 'first' ],
    [ 'choose',            'reopen',            \&family, 'first', 'second' ],
    [ 'choose',            'choose the other',  \&family, 'first', 'second' ],
    [ 'choose',            'verify',            \&family, 'first' ],
    [ 'choose',            'repeat',            \&family, 'first' ],
    [ 'choose the other',  'reopen',            \&family, 'first', 'second' ],
    [ 'choose',            'report the sample', \&family, 'first', 'second' ],
    [ 'repeat',            'cancel the test',   \&pair,   'first' ],
);

for my $race (@races) {
    my ($one, $other, $make, @verified) = @$race;
    my %serial;
    for my $order ([ $one, $other ], [ $other, $one ]) {
        my $ids = $make->(@verified);
        my %outcome = map { $_ => attempt($act{$_}, $ids, 0) } @$order;
        $serial{"$outcome{$one}, $outcome{$other}: " . state_of($ids)} = 1;
    }
    my (%met, @torn);
    for my $round (1 .. 4) {
        my $ids = $make->(@verified);
        my @outcome = $base->parallel(2, sub {
            my ($number) = @_;
            return attempt($act{ $number ? $other : $one }, $ids, 0.02);
        });
        my $end = "$outcome[0], $outcome[1]: " . state_of($ids);
        $met{$end}++;
        push @torn, $end unless $serial{$end};
    }
    is_deeply(\@torn, [], "$one, $other") or diag(explain(\%serial));
}

done_testing();
