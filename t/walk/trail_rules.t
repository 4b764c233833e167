#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Checks the rules that judge the walks: for trails of releases that a rule forbids they
# name the sample and the rule, for the same release by the rules nothing.
use strict;
use warnings;

use JSON::PP ();

use LIMS::Test;
use LIMS::Service::Laboratory;
use LIMS::Service::TrailRules;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $db   = $lims->superuser;
my $definition = $lab->definition(code => 'PH');
my $number = 900_000;

sub entry {
    my ($table, $record, $action, %new) = @_;
    $db->do('INSERT INTO lims.audit_entry (organization_id, table_name, record_id, action, changes)'
            . ' VALUES (?, ?, ?, ?, ?)', undef, $lab->{organization}{id}, $table, $record, $action,
        JSON::PP->new->encode({ map { ($_ => { new => $new{$_} }) } keys %new }));
    return;
}

$db->do(q{INSERT INTO lims.audit_entry (organization_id, table_name, record_id, action, changes,
    occurred_at) VALUES (?, 'approval_step', 1, 'insert', ?, now() - interval '1 hour')}, undef,
    $lab->{organization}{id}, '{"position":{"new":1},"active":{"new":true}}');

# The trail of a sample with one test that 1 entered, 2 verified and 3 approved, with what
# else happened before it was reported.
sub broken {
    my (@else) = @_;
    my ($sample, $test) = ($number++, $number++);

    entry(sample => $sample, 'insert', status => 'pending');
    entry(sample_test => $test, 'insert', sample_id => $sample, status => 'pending',
        test_definition_id => $definition);
    entry(sample_test => $test, 'update', entered_by => 1, result => '7');
    entry(sample_test => $test, 'update', verified_by => 2, status => 'verified');
    entry(approval => $test, 'insert', sample_id => $sample, step => 1, round => 1,
        status => 'pending');
    entry(approval => $test, 'update', status => 'approved', decided_by => 3);
    for my $act (@else) {
        my ($table, $action, %new) = @$act;
        my $other = $table eq 'sample' ? $sample : $test;
        entry($table, $other, $action, map { my $value = $new{$_};
            ($_ => !defined $value ? undef : $value eq 'S' ? $sample : $value eq 'T' ? $test
                : $value) } keys %new);
    }
    entry(sample => $sample, 'update', status => 'reported');
    return join ', ', map { s/\Asample \d+ released //r } grep { /\Asample $sample / }
        LIMS::Service::TrailRules::broken($db, $lab->{organization}{id}, { map { $_ => 1 } qw(selfVerification
            approverMayBeVerifier openInvestigationBlocks qcRequired lotQcPolicy) });
}

is(broken(), '', 'a release by the rules breaks none');
is(broken([ sample => 'update', disposition => 'on_hold' ]), 'on hold',
    'a report of a sample on hold breaks a rule');
is(broken([ sample => 'update', disposition => 'on_hold' ],
        [ sample => 'update', disposition => 'active' ]), '', 'a report of a sample that was taken off hold breaks no rule');
is(broken([ sample_test => 'update', disposition => 'cancelled' ]), 'with no test',
    'a report without a test breaks a rule');
is(broken([ sample_test => 'update', status => 'entered' ]), 'with a test that is not verified',
    'a test that was reopened');
is(broken([ sample_test => 'update', result => undef ]), 'with a test that has no result',
    'a result that was taken away');
is(broken([ sample_test => 'update', returned_at => '2026-01-01' ]),
    'with a result that was sent back', 'a result that was sent back');
is(broken([ sample_test => 'update', returned_at => '2026-01-01' ],
        [ sample_test => 'update', returned_at => undef ]), '', 'a result that was sent back and entered again breaks no rule');
is(broken([ approval => 'update', status => 'rejected' ]), 'with an approval that was not given',
    'a rejected approval');

my @covered = ([ qc_batch => 'insert', qc_status => 'open' ],
    [ qc_coverage => 'insert', sample_test_id => 'T', qc_batch_id => 'T' ]);
is(broken(@covered), 'with QC that is not done', 'an open QC batch');
is(broken(@covered, [ qc_batch => 'update', qc_status => 'failed' ]),
    'with a QC batch that failed', 'a failed one');
is(broken(@covered, [ qc_batch => 'update', qc_status => 'failed' ], [ qc_coverage => 'delete' ]),
    '', 'a failed batch that no longer covers the test breaks no rule');

my @lot = ([ reagent_lot => 'insert', qc_status => 'quarantined' ],
    [ sample_test => 'update', reagent_lot_id => 'T' ]);
is(broken(@lot), 'with a lot that was not released', 'a quarantined lot');
is(broken(@lot, [ lot_override => 'insert', sample_id => 'S', reagent_lot_id => 'T' ]), '',
    'a quarantined lot that was accepted for the sample breaks no rule');
is(broken(@lot, [ lot_override => 'insert', sample_id => 'S', reagent_lot_id => 'T' ],
        [ reagent_lot => 'update', qc_status => 'passed' ],
        [ reagent_lot => 'update', qc_status => 'quarantined' ]),
    'with a lot that was not released', 'a lot that was quarantined again after it was accepted');

my @inquiry = ([ investigation => 'insert', sample_id => 'S', status => 'open' ]);
is(broken(@inquiry), 'while an investigation was open', 'an open investigation');
is(broken(@inquiry, [ investigation => 'update', status => 'closed' ]), '', 'a closed investigation breaks no rule');
is(broken([ sample_test => 'update', verified_by => 1 ]), 'verified by who entered it',
    'a result verified by who entered it');
is(broken([ approval => 'update', decided_by => 2 ]), 'approved by who verified it',
    'an approval by who verified');

done_testing();
