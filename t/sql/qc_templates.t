#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# QC templates for the run-time role: a version that was used is frozen, nobody declares a
# control expected, and an open batch of the policy qcRequired holds verification.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);

$base->owner($lab)->do(q{UPDATE lims.test_definition SET method = 'EPA 200.8'
    WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $lab->{definition}{PB});

sub made {
    my ($table, %column) = @_;
    my @names = ('organization_id', sort keys %column);
    my ($id) = $app->selectrow_array(
        sprintf('INSERT INTO lims.%s (%s) VALUES (%s) RETURNING id', $table, join(', ', @names),
            join(', ', ('?') x @names)), undef, $lab->{id}, @column{ @names[ 1 .. $#names ] });
    return $id;
}

sub template { return made('qc_template', method => 'EPA 200.8', name => 'Metals', per_samples => 1) }

sub blank {
    my ($template) = @_;
    return made('qc_template_control', template_id => $template, position => 1,
        control_type => 'LRB', criterion => 'maximum', upper_limit => 1,
        test_definition_id => $lab->{definition}{PB});
}

sub status {
    return $base->value('SELECT qc_status FROM lims.qc_batch WHERE id = ?', $_[0]);
}

my $template = template();
my $line     = blank($template);
my $sample   = $base->sample($lab, 'PB');
my $batch    = made('qc_batch', batch_number => 'T-1', qc_template_id => $template);

# --- What is expected --------------------------------------------------------------------

my ($control) = $app->selectrow_array('SELECT id FROM lims.qc_control WHERE organization_id = ?
    AND qc_batch_id = ? AND expected AND passed IS NULL', undef, $lab->{id}, $batch);
ok($control, 'a batch has the controls of its template');
my $insert = q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type, criterion,
    upper_limit, expected) VALUES (?, ?, 'LRB', 'maximum', 1, true)};
refused($app, $insert, [ $lab->{id}, $batch ], 'invalid_transition',
    'a control that somebody says is expected');
refused($app, 'UPDATE lims.qc_control SET expected = false WHERE organization_id = ? AND id = ?',
    [ $lab->{id}, $control ], 'invalid_transition', 'one that is expected no longer');
refused($app, q{UPDATE lims.qc_batch SET qc_status = 'passed' WHERE organization_id = ? AND id = ?},
    [ $lab->{id}, $batch ], 'invalid_transition', 'passing a batch whose control has no value');
refused($app, 'SELECT lims.evaluate_qc_batch(?, ?)', [ $lab->{id}, $batch ], 'qc_pending',
    'evaluating it');

# --- Frozen ------------------------------------------------------------------------------

refused($app, 'UPDATE lims.qc_template SET per_samples = 9 WHERE organization_id = ? AND id = ?',
    [ $lab->{id}, $template ], 'invalid_transition', 'changing a version that was used');
refused($app, 'DELETE FROM lims.qc_template_control WHERE organization_id = ? AND id = ?',
    [ $lab->{id}, $line ], 'invalid_transition', 'taking a control from it');
refused($app, 'UPDATE lims.qc_batch SET qc_template_id = NULL WHERE organization_id = ? AND id = ?',
    [ $lab->{id}, $batch ], 'field_not_patchable', 'making the batch one without a template');
refused($app, q{UPDATE lims.qc_template SET method = 'x' WHERE organization_id = ? AND id = ?},
    [ $lab->{id}, $template ], 'field_not_patchable', 'moving it to another method');

# --- Pending -----------------------------------------------------------------------------

my $verify = q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ? AND id = ?};
my $cover  = 'INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
    VALUES (?, ?, ?)';
$app->do('UPDATE lims.sample_test SET result = ? WHERE organization_id = ? AND id = ?', undef, '5',
    $lab->{id}, $sample->{PB});
$base->owner($lab)->do(q{UPDATE lims.organization SET qc_required = 'block' WHERE id = ?}, undef,
    $lab->{id});
refused($app, $verify, [ $lab->{id}, $sample->{PB} ], 'qc_pending', 'verifying without a batch');
$app->do($cover, undef, $lab->{id}, $sample->{PB}, $batch);
refused($app, $verify, [ $lab->{id}, $sample->{PB} ], 'qc_pending', 'verifying in an open batch');
$app->do('UPDATE lims.qc_control SET measured_value = 0.5 WHERE organization_id = ? AND id = ?',
    undef, $lab->{id}, $control);
is(status($batch), 'passed', 'with its value the batch is evaluated by itself');
refused($app, 'UPDATE lims.qc_control SET measured_value = NULL WHERE organization_id = ?
    AND id = ?', [ $lab->{id}, $control ], 'invalid_body', 'taking the value away');
my $more = $base->sample($lab, 'PB');
refused($app, $cover, [ $lab->{id}, $more->{PB}, $batch ], 'invalid_transition',
    'covering more samples than its controls suffice for');
$app->do($verify, undef, $lab->{id}, $sample->{PB});
pass('a test in a batch that counts is verified');

# Whoever looks as another organization finds none of it.
my $them = $base->laboratory(code => 'harbor');
is($base->app($them)->selectrow_array('SELECT count(*) FROM lims.qc_template'), 0,
    'another organization has none of it');

done_testing();
