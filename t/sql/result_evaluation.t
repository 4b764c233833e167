#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# How an entered result is evaluated: its exact number, its limits, its confirmation. A
# table of what laboratories write.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar', oos_opens_investigation => 'f');
my $app  = $base->app($lab);
my $test = $base->sample($lab, qw(PH PB EC HPC));

# Limits 6.5 to 8.5 (PH), at most 15 (PB), Absent (EC), none (HPC).
# test, result, qualifier, number, out of specification, confirmation
my @cases = (
    [ PH => '7.10',    undef, '7.10', 0,     undef ],
    [ PH => '6.5',     undef, '6.5',  0,     undef ],
    [ PH => '8.50',    undef, '8.50', 0,     undef ],
    [ PH => '8.5000000000000000000001', undef, '8.5000000000000000000001', 1, undef ],
    [ PH => '6.49',    undef, '6.49', 1,     undef ],
    [ PH => ' 7.2 ',   undef, '7.2',  0,     undef ],
    [ PH => '+7',      undef, '7',    0,     undef ],
    [ PH => '-7',      undef, '-7',   1,     undef ],
    [ PH => '7.',      undef, '7',    0,     undef ],
    [ PH => '.7',      undef, '0.7',  1,     undef ],
    [ PH => '0.72e1',  undef, '7.2',  0,     undef ],
    [ PH => '< 6.5',   undef, '6.5',  1,     undef ],    # below it is surely below
    [ PH => '<7',      undef, '7',    undef, undef ],    # below it may be either
    [ PH => '>8.5',    undef, '8.5',  1,     undef ],
    [ PH => '>8',      undef, '8',    undef, undef ],
    [ PB => '15',      undef, '15',   0,     undef ],
    [ PB => '15.01',   undef, '15.01', 1,    undef ],
    [ PB => '<0.5',    undef, '0.5',  0,     undef ],
    [ PB => '<20',     undef, '20',   undef, undef ],
    [ PB => '0.5',     'U',   '0.5',  0,     undef ],
    [ PB => '20',      'ND',  '20',   undef, undef ],
    [ PB => '20',      'J',   '20',   1,     undef ],
    [ PB => '15',      '>',   '15',   1,     undef ],
    [ PB => '14',      '>',   '14',   undef, undef ],
    # Sign and qualifier that contradict each other prove nothing within the limits.
    [ PB => '>14',     '<',   '14',   undef, undef ],
    [ PB => '>15',     '<',   '15',   1,     undef ],
    [ PB => '>15',     'ND',  '15',   1,     undef ],
    [ PB => '<14',     '>',   '14',   undef, undef ],
    [ PB => '<15',     '>',   '15',   1,     undef ],
    [ PB => '<14',     'U',   '14',   0,     undef ],
    [ PB => 'TNTC',    undef, undef,  undef, undef ],
    [ PB => 'see note', undef, undef, undef, undef ],
    [ PB => '1,5',     undef, undef,  undef, undef ],
    [ PB => '1.5.2',   undef, undef,  undef, undef ],
    [ PB => '<<5',     undef, undef,  undef, undef ],
    [ PB => 'NaN',     undef, undef,  undef, undef ],
    [ PB => 'Infinity', undef, undef, undef, undef ],
    [ PB => '0x10',    undef, undef,  undef, undef ],
    [ PB => '1e9999',  undef, undef,  undef, undef ],
    [ PB => '9' x 301, undef, undef,  undef, undef ],
    [ PB => "1\n2",    undef, undef,  undef, undef ],
    [ PB => '1e999',   undef, '1' . '0' x 999, 1, undef ],
    [ HPC => '500',    undef, '500',  undef, undef ],
    [ EC => 'Absent',  undef, undef,  0,     undef ],
    [ EC => ' ABSENT', undef, undef,  0,     undef ],
    [ EC => 'Not detected', undef, undef, 0, undef ],
    [ EC => 'Present', undef, undef,  1,     'pending' ],
    [ EC => 'growth',  undef, undef,  1,     'pending' ],
    [ EC => '+',       undef, undef,  1,     'pending' ],
    [ EC => '-',       undef, undef,  0,     undef ],
    [ EC => 'see note', undef, undef, undef, 'pending' ],
);

sub enter {
    my ($code, $result, $qualifier) = @_;
    return $app->do('UPDATE lims.sample_test SET result = ?, qualifier = ?
        WHERE organization_id = ? AND id = ?',
        undef, $result, $qualifier, $lab->{id}, $test->{$code});
}

sub row {
    my ($code, @columns) = @_;
    return $base->db->selectrow_arrayref(
        sprintf('SELECT %s FROM lims.sample_test WHERE id = ?', join ', ', @columns),
        undef, $test->{$code});
}

for my $case (@cases) {
    my ($code, $result, $qualifier, @expected) = @$case;
    enter($code, $result, $qualifier);
    my $name = sprintf '%s %s%s', $code, length $result > 40 ? 'long' : $result =~ s/\n/\\n/r,
        $qualifier ? " ($qualifier)" : '';
    is_deeply(
        row($code, qw(numeric_value::text out_of_specification confirmation_status result status
                entered_by)),
        [ @expected, $result, 'entered', $lab->{user_id} ], $name);
}

# A blank result is none, and leaves nothing of the one before.
for my $blank ('', '   ', "\t\n", undef) {
    enter(EC => 'Present');
    enter(EC => $blank);
    is_deeply(
        row('EC', qw(status result numeric_value out_of_specification confirmation_status
                entered_by entered_at spec_text)),
        [ 'pending', (undef) x 7 ], 'a blank result: ' . (defined $blank ? length $blank : 'null'));
}

# The most particular specification wins, and a result keeps the one it had.
$base->insert('specification', { organization_id => $lab->{id},
    test_definition_id => $lab->{definition}{PH},
    material_type_id => $lab->{material}, low => 6, high => 9 });
is(row('PH', 'spec_low')->[0], '6.5', 'a new specification does not rejudge');
enter(PH => '6.2');
is_deeply(row('PH', qw(out_of_specification spec_low spec_high)), [ 0, 6, 9 ],
    'the material type\'s');
my $project = $base->insert('project', { organization_id => $lab->{id}, code => 'NPDES',
    name => 'Outfall 001' });
$base->insert('specification', { organization_id => $lab->{id},
    test_definition_id => $lab->{definition}{PH},
    material_type_id => $lab->{material}, project_id => $project, low => 7 });
enter(PH => '6.3');
is_deeply(row('PH', qw(out_of_specification spec_low spec_high)), [ 0, 6, 9 ],
    'of no project: still that');
$app->do('UPDATE lims.sample SET project_id = ? WHERE organization_id = ?
    AND id = ?', undef, $project,
    $lab->{id}, $test->{id});
enter(PH => '6.4');
is_deeply(row('PH', qw(out_of_specification spec_low spec_high)), [ 1, 7, undef ],
    'the project\'s');
refused($base->db, 'INSERT INTO lims.specification (organization_id, test_definition_id,
    material_type_id, low)
                    VALUES (?, ?, ?, 1)',
    [ $lab->{id}, $lab->{definition}{PH}, $lab->{material} ], '23505',
    'one specification of a material type, also where there is no project');

my %words = (PH => 'at least 7 s.u.', PB => 'at most 15 ug/L', EC => 'Absent', HPC => undef);
for my $code (sort keys %words) {
    is($base->value('SELECT specification FROM lims.sample_test_record
        WHERE id = ?', $test->{$code}),
        $words{$code}, "in words: $code");
}
is($base->value(q{SELECT lims.specification_words(6.5, 8.5, NULL, 's.u.')}), '6.5 to 8.5 s.u.',
    'a range in words');

# A confirmation is decided once, and a changed result asks for another.
enter(EC => 'Present');
refused($app, q{UPDATE lims.sample_test SET confirmation_status = NULL WHERE organization_id = ?
    AND id = ?},
    [ $lab->{id}, $test->{EC} ], 'invalid_transition', 'a confirmation is not waved away');
$app->do(q{UPDATE lims.sample_test SET confirmation_status = 'confirmed' WHERE organization_id = ?
    AND id = ?},
    undef, $lab->{id}, $test->{EC});
refused($app, q{UPDATE lims.sample_test SET confirmation_status = 'refuted'
    WHERE organization_id = ? AND id = ?},
    [ $lab->{id}, $test->{EC} ], 'invalid_transition', 'decided once');
enter(EC => 'Positive');
is(row('EC', 'confirmation_status')->[0], 'pending', 'another result asks for another');
refused($app, q{UPDATE lims.sample_test SET confirmation_status = 'confirmed'
    WHERE organization_id = ? AND id = ?},
    [ $lab->{id}, $test->{PH} ], 'invalid_transition', 'where none is asked, none is given');

# Columns derived from the result cannot be written by hand.
$base->owner($lab)->do(q{UPDATE lims.sample_test
    SET numeric_value = 1, out_of_specification = false, entered_by = NULL,
                  spec_low = 0 WHERE organization_id = ? AND id = ?}, undef, $lab->{id},
                      $test->{PH});
is_deeply(row('PH', qw(numeric_value out_of_specification entered_by spec_low)), [ '6.4', 1,
    $lab->{user_id}, 7 ],
    'what is derived stays as derived');

done_testing();
