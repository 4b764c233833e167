#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Triggers read with their owner's rights, so row-level security does not separate
# organizations in them: only the organization in each condition does. Two laboratories
# whose records have the same ids, one with every fault and one with none, show a condition
# without it.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $db   = $base->db;
my %lab  = map { $_ => $base->laboratory(code => $_) } qw(sound faulty);
my $app;

sub work_as { my ($code) = @_; $app = $base->app($lab{$code}); return $lab{$code}{id} }

sub act { my ($sql, @bind) = @_; return $app->do($sql, undef, @bind) }

# A record with this id in both; what differs is { faulty => ... }.
sub both {
    my ($table, $id, %column) = @_;
    for my $code (qw(faulty sound)) {
        my $organization = work_as($code);
        my %mine  = map { my $v = $column{$_}; ($_ => ref $v ? $v->{$code} : $v) } keys %column;
        my @names = sort grep { defined $mine{$_} } keys %mine;
        act(sprintf('INSERT INTO lims.%s (organization_id, id, %s) VALUES (?, ?, %s)', $table,
                join(', ', @names), join(', ', ('?') x @names)), $organization, $id,
            @mine{@names});
    }
    return;
}

# The table's ids are far from those that the sequences give.
my $id = 900_001;
$base->insert('approval_step', { organization_id => $lab{ $_->[0] }{id}, id => $id,
        position => 1, name => $_->[1] }) for [ faulty => 'Board' ], [ sound => 'Final' ];
both('client', $id, code => 'X', name => { sound => 'Mill', faulty => 'Brewery' });
both('material_type', $id, code => 'DW', name => 'Drinking water');
both('project', $id, code => { sound => 'S', faulty => 'F' }, name => 'P', client_id => $id,
    composite_sample_identifier => { sound => 'f', faulty => 't' });
both('test_definition', $id, code => { sound => 'CL', faulty => 'WRONG' }, name => 'Chlorine',
    specification_high => { sound => 4, faulty => 1 },
    requires_worksheet => { sound => 'f', faulty => 't' },
    requires_confirmation => { sound => 'f', faulty => 't' });
both('specification', $id, test_definition_id => $id, material_type_id => $id,
    high => { sound => 5, faulty => 0 });
both('reagent_lot', $id, code => 'R', lot_number => '1', name => 'DPD',
    expires_on => { sound => '2999-01-01', faulty => '2001-01-01' });
both('media_lot', $id, code => 'M', lot_number => '1', medium => 'R2A', name => 'R2A');
both('media_qc_test', $id, media_lot_id => $id, kind => 'growth_promotion',
    organism => 'E. coli', performed_on => '2026-01-01',
    outcome => { sound => 'passed', faulty => 'failed' });
both('qc_batch', $id, batch_number => 'Q');
both('qc_control', $id, qc_batch_id => $id, control_type => 'LCS', criterion => 'recovery',
    expected_value => 10, lower_limit => 90, upper_limit => 110,
    measured_value => { sound => 10, faulty => 1 });
both('sample', $id, material_type_id => $id, project_id => $id,
    plant_location => { faulty => 'Well' }, collection_date => '2026-01-01');
both('sample_test', $id, sample_id => $id, test_definition_id => $id);
# Rows that only the faulty laboratory has.
work_as('faulty');
act('INSERT INTO lims.worksheet_template (organization_id, id, test_definition_id, name)
    VALUES (?, ?, ?, $$T$$)', $lab{faulty}{id}, $id, $id);
act('INSERT INTO lims.worksheet_field (organization_id, id, template_id, position, name)
    VALUES (?, ?, ?, 1, $$mass$$)', $lab{faulty}{id}, $id, $id);
act('INSERT INTO lims.worksheet (organization_id, id, sample_test_id, template_id)
    VALUES (?, ?, ?, ?)', $lab{faulty}{id}, ($id) x 3);

is($base->value(q{SELECT string_agg(client_name || ' ' || (sample_identifier LIKE 'F-Well-%'),
    ' ' ORDER BY organization_id) FROM lims.sample WHERE id = ?}, $id), 'Mill false Brewery true',
    'each sample is of its own project\'s client and identifiers');

my $it = 'WHERE organization_id = ? AND id = ?';
for my $code (qw(faulty sound)) {
    my $organization = work_as($code);
    act("SELECT lims.evaluate_qc_batch(?, ?)", $organization, $id);
    refused($app, "UPDATE lims.sample_test SET result = '3', reagent_lot_id = ? $it",
        [ $id, $organization, $id ], 'reagent_lot_expired', "$code: its lot") if $code eq 'faulty';
    act("UPDATE lims.sample_test SET result = '3', media_lot_id = ?, reagent_lot_id = ? $it",
        $id, $code eq 'sound' ? $id : undef, $organization, $id);
    act('INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
        VALUES (?, ?, ?)', $organization, $id, $id);
}
is_deeply(
    $db->selectall_arrayref('SELECT b.qc_status, growth_promotion_status, out_of_specification,
        confirmation_status, spec_high
          FROM lims.sample_test t
          JOIN lims.qc_covered b ON b.organization_id = t.organization_id AND b.sample_test_id = t.id
          JOIN lims.media_lot m ON m.organization_id = t.organization_id AND m.id = t.media_lot_id
         WHERE t.id = ? ORDER BY t.organization_id', undef, $id),
    [ [ 'passed', 'passed', 0, undef, 5 ], [ 'failed', 'failed', 1, 'pending', 0 ] ],
    'each laboratory\'s records are evaluated by its own');
is($base->value('SELECT string_agg(organization_id::text, $$ $$) FROM lims.investigation'),
    $lab{faulty}{id}, 'only the faulty laboratory has an investigation');

my $slugs = q{SELECT string_agg(slug, ' ') FROM };
my %expected = (
    faulty => [ 'worksheet_incomplete qc_failed confirmation_required media_qc_failed',
        'incomplete_sample qc_failed approval_required confirmation_required media_qc_failed' ],
    sound => [ undef, 'incomplete_sample approval_required' ],
);
for my $code (qw(faulty sound)) {
    my $organization = work_as($code);
    is($app->selectrow_array("$slugs lims.verify_blockers(?, ?)", undef, $organization, $id),
        $expected{$code}[0], "$code: what refuses verifying");
    is($app->selectrow_array("$slugs lims.report_blockers(?, ?)", undef, $organization, $id),
        $expected{$code}[1], "$code: what refuses reporting");
}

work_as('faulty');
my @faulty = ($lab{faulty}{id}, $id);
refused($app, "UPDATE lims.sample_test SET status = 'verified' $it", \@faulty,
    'worksheet_incomplete', 'faulty: no verification');
refused($app, "UPDATE lims.sample SET status = 'completed' $it", \@faulty, 'qc_failed',
    'faulty: no completion');
refused($app, "UPDATE lims.sample SET status = 'reported' $it", \@faulty, 'incomplete_sample',
    'faulty: no report');

work_as('sound');
my @sound = ($lab{sound}{id}, $id);
is(act("UPDATE lims.sample_test SET status = 'verified' $it", @sound), 1,
    'a sound laboratory verifies');
is(act("UPDATE lims.sample SET status = 'completed' $it", @sound), 1,
    'a sound laboratory completes');
is($base->value(q{SELECT string_agg(organization_id || ' ' || name, ',') FROM lims.approval}),
    "$lab{sound}{id} Final", 'valid context: approval of its own steps is requested');
is(act(q{UPDATE lims.approval SET status = 'approved' WHERE organization_id = ?
    AND sample_id = ?}, @sound), 1, 'valid context: the approval is decided');
is(act("UPDATE lims.sample SET status = 'reported' $it", @sound), 1, 'valid context: the sample is reported');

# And what is final there is not here.
work_as('faulty');
is(act("UPDATE lims.sample_test SET notes = 'again' $it", @faulty), 1,
    'a report of one laboratory does not lock the other\'s test');
is(act("UPDATE lims.sample SET notes = 'again' $it", @faulty), 1,
    'a report of one laboratory does not lock the other\'s sample');

# Tenancy of the evidence.
for my $table (qw(audit_entry event sample_dirty organization_dirty)) {
    is($base->value("SELECT count(*) FROM lims.$table WHERE organization_id NOT IN (?, ?)",
        map { $lab{$_}{id} } qw(sound faulty)), 0, "$table: no row of another organization");
}
is($base->value(q{SELECT string_agg(type, ' ' ORDER BY id) FROM lims.event
    WHERE organization_id = ?}, $lab{sound}{id}),
    'sample.created result.entered result.verified sample.reported', 'sound: its events');
is($base->value(q{SELECT string_agg(type, ' ' ORDER BY id) FROM lims.event
    WHERE organization_id = ?}, $lab{faulty}{id}),
    'sample.created qc.failed result.entered investigation.opened', 'faulty: its own');

done_testing();
