#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Samples: identifiers, client, dates, references, status moves and the monthly
# allowance, which is exact when fifty register at once.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar', tracking_prefix => 'CBE',
    time_zone => 'America/Denver');
my $app  = $base->app($lab);
my @mine = (organization_id => $lab->{id});

sub register {
    my (%column) = @_;
    my %all   = (@mine, material_type_id => $lab->{material}, client_name => 'Walk-in', %column);
    my @names = sort keys %all;
    return (sprintf('INSERT INTO lims.sample (%s) VALUES (%s) RETURNING *',
            join(', ', @names), join(', ', ('?') x @names)), [ @all{@names} ]);
}

sub registered {
    my ($sql, $bind) = register(@_);
    return $app->selectrow_hashref($sql, undef, @$bind);
}

# Tracking identifiers: ISO 7064 MOD 37,36, here worked out a second time.
sub check_character {
    my ($text) = @_;
    my @alphabet = (0 .. 9, 'A' .. 'Z');
    my %value = map { $alphabet[$_] => $_ } 0 .. $#alphabet;
    my $product = 36;
    for my $character (split //, $text) {
        my $sum = ($product + $value{$character}) % 36 || 36;
        $product = $sum * 2 % 37;
    }
    return $alphabet[ (37 - $product) % 36 ];
}

# The standard's own example is of a donation number: A12425GABC1234002 -> M.
is($base->value(q{SELECT lims.check_character('A12425GABC1234002')}), 'M', 'the published example');
for my $id (1, 42, 4217, 9_999_999, 12_345_678, 9_007_199_254_740_991) {
    my $number = sprintf '%07d', $id;
    my $made   = $base->value('SELECT lims.tracking_id(?, 2026, ?)', 'LAB', $id);
    is($made, "LAB-26-$number-" . check_character("LAB26$number"), $made);
    ok($base->value('SELECT lims.tracking_id_is_valid(?)', $made), 'the tracking id is valid');
}
my $good  = $base->value(q{SELECT lims.tracking_id('LAB', 2026, 4217)});
my $wrong = 0;
for my $place (0 .. length($good) - 1) {
    next if substr($good, $place, 1) eq '-';
    for my $other (0 .. 9, 'A' .. 'Z') {
        next if $other eq substr $good, $place, 1;
        my $typo = $good;
        substr($typo, $place, 1) = $other;
        $wrong++ if $base->value('SELECT lims.tracking_id_is_valid(?)', $typo);
    }
}
is($wrong, 0, 'no single wrong character passes');
ok(!$base->value('SELECT lims.tracking_id_is_valid(?)', $_), "invalid: '$_'")
    for '', 'LAB-26-4217-K', "$good ", lc $good, "$good-1";

my $plain = registered();
like($plain->{tracking_id}, qr/\ACBE-\d\d-\d{7}-[0-9A-Z]\z/,
    'a sample has one, under the laboratory\'s prefix');
is($plain->{sample_identifier}, $plain->{tracking_id},
    'without a composite identifier a sample is called by its tracking id');
refused($app, 'UPDATE lims.sample SET tracking_id = ? WHERE organization_id = ? AND id = ?',
    [ 'CBE-26-0000009-0', $lab->{id}, $plain->{id} ], 'field_not_patchable', 'for good');

# Composite identifiers.
my $outfall = $base->insert('project', { @mine, code => 'OUT', name => 'Outfall',
    composite_sample_identifier => 't' });
my @day = (project_id => $outfall, collection_date => '2026-03-02');
is(registered(@day, plant_location => 'EFF-001')->{sample_identifier}, 'OUT-EFF-001-20260302-1',
    'the identifier of project, place and day');
is(registered(@day, plant_location => 'EFF-001')->{sample_identifier}, 'OUT-EFF-001-20260302-2',
    'the second sample of the day is number 2');
is(registered(@day, plant_location => 'INF-001')->{sample_identifier}, 'OUT-INF-001-20260302-1',
    'another place begins at 1');
refused($app, register(@day), 'invalid_body', 'it needs a plant location');
refused($app, register(@day, plant_location => '  '), 'invalid_body',
    'a plant location that is not blank');
my @numbers = $base->parallel(12, sub {
    my $handle = $base->app($lab);
    my ($sql, $bind) = register(@day, plant_location => 'RAS');
    return $handle->selectrow_hashref($sql, undef, @$bind)->{sample_identifier};
});
is_deeply([ sort @numbers ], [ sort map { "OUT-RAS-20260302-$_" } 1 .. 12 ],
    'twelve at once: twelve numbers');

# The client behind the name.
is(registered(client_name => 'city of RIVERBEND')->{client_id}, $lab->{client},
    'a client is known by its name');
is($plain->{client_id}, undef, 'a walk-in is none');
my $weekly = $base->insert('project', { @mine, code => 'WEEK', name => 'Weekly',
    client_id => $lab->{client} });
my $ours   = registered(project_id => $weekly, client_name => undef);
is_deeply([ @$ours{qw(client_id client_name)} ], [ $lab->{client}, 'City of Riverbend' ],
    'the project names it');
refused($app, register(client_name => undef), 'invalid_body', 'somebody has to');
$app->do('UPDATE lims.sample SET client_name = ? WHERE organization_id = ?
    AND id = ?', undef, 'Mr Smith',
    $lab->{id}, $ours->{id});
is($base->value('SELECT client_id FROM lims.sample WHERE id = ?', $ours->{id}), undef,
    'name and record keep in step');

# Dates. Denver is behind UTC: its day ends in the next one.
is(registered(collected_at => '2026-03-02T05:30:00Z')->{collection_date}, '2026-03-01',
    'the day is the laboratory\'s');
my ($tomorrow, $later) = $base->db->selectrow_array(
    q{SELECT (now() AT TIME ZONE 'UTC')::date + 1, (now() AT TIME ZONE 'UTC')::date + 2});
ok(registered(collection_date => $tomorrow)->{id}, 'a day of grace for time zones');
refused($app, register(collection_date => $later), 'invalid_body', 'not collected yet');
refused($app, register(collected_at => "${later}T23:00:00Z"), 'invalid_body',
    'a time of collection in the future is refused');

# References: the organization's own, and in use; what stands may have retired.
my $retired = $base->insert('material_type', { @mine, code => 'OLD', name => 'Old' });
my $old     = registered(material_type_id => $retired);
$base->db->do('UPDATE lims.material_type SET active = false WHERE id = ?', undef, $retired);
refused($app, register(material_type_id => $retired), 'invalid_reference',
    'an inactive one is no longer taken');
refused($app, register(project_id => 99_999), 'invalid_reference',
    'a project that is not there is refused');
refused($app, register(storage_location_id => 99_999), 'invalid_reference', 'of storage locations');
is($app->do(q{UPDATE lims.sample SET notes = 'still here' WHERE organization_id = ?
    AND id = ?}, undef,
        $lab->{id}, $old->{id}), 1, 'a sample that has it goes on');
$base->db->do('UPDATE lims.test_definition SET active = false
    WHERE id = ?', undef, $lab->{definition}{HPC});
refused($app, 'INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
    VALUES (?, ?, ?)',
    [ $lab->{id}, $old->{id}, $lab->{definition}{HPC} ], 'invalid_reference',
        'of test definitions');
registered(external_id => 'PO-17');
refused($app, register(external_id => 'PO-17'), '23505', 'the caller\'s own reference is unique');
refused($app, register(status => 'verified'), 'invalid_transition', 'a new sample is pending');
refused($app, register(priority => 'soon'), '23514', 'priorities are three');
refused($app, register(plant_location => 'x' x 65), '23514',
    'a plant location has 64 characters at most');

# Moves.
sub move {
    my ($status) = @_;
    return $app->do('UPDATE lims.sample SET status = ? WHERE organization_id = ?
        AND id = ?', undef, $status,
        $lab->{id}, $plain->{id});
}
move('received');
my $received = $base->value('SELECT received_at FROM lims.sample WHERE id = ?', $plain->{id});
ok(defined $received, 'receiving is stamped');
move($_) for qw(processing pending received completed verified pending);
is($base->value('SELECT received_at FROM lims.sample WHERE id = ?', $plain->{id}), $received,
    'the time of receipt is written once');
refused($app, 'UPDATE lims.sample SET received_at = now() WHERE organization_id = ? AND id = ?',
    [ $lab->{id}, $plain->{id} ], 'invalid_transition', 'for good');

# The allowance.
my $starter = $base->laboratory(code => 'starter', monthly_sample_allowance => 25);
my @outcome = $base->parallel(50, sub {
    my $handle = $base->app($starter);
    my $done   = eval {
        $handle->do('INSERT INTO lims.sample (organization_id, material_type_id, client_name)
            VALUES (?, ?, ?)',
            undef, $starter->{id}, $starter->{material}, 'Walk-in');
    };
    return $done ? 'registered' : $handle->pg_error_field('detail');
});
my %seen;
$seen{$_}++ for @outcome;
is_deeply(\%seen, { registered => 25, SAMPLE_LIMIT_EXCEEDED => 25 }, 'fifty at once: twenty-five');
is($base->value('SELECT count(*) FROM lims.sample WHERE organization_id = ?', $starter->{id}), 25,
    'twenty-five of the fifty samples are there');
is($base->value(q{SELECT count(*) FROM lims.event WHERE organization_id = ?
    AND type = 'sample.created'},
        $starter->{id}), 25, 'an event is emitted for each of the twenty-five samples');
$base->db->do('UPDATE lims.organization SET monthly_sample_allowance = NULL
    WHERE id = ?', undef, $starter->{id});
my $free = 'INSERT INTO lims.sample (organization_id, material_type_id, client_name)
            SELECT ?, ?, ? FROM generate_series(1, ?)';
my $handle = $base->app($starter);
$handle->do($free, undef, $starter->{id}, $starter->{material}, 'Walk-in', 5);
$base->db->do('UPDATE lims.organization SET monthly_sample_allowance = 32
    WHERE id = ?', undef, $starter->{id});
refused($handle, $free, [ $starter->{id}, $starter->{material}, 'Walk-in', 3 ],
    'SAMPLE_LIMIT_EXCEEDED',
    'what was registered without an allowance counts once there is one');
$handle->do($free, undef, $starter->{id}, $starter->{material}, 'Walk-in', 2);
$base->db->do(q{UPDATE lims.sample_allowance SET month = month - interval '1 month'
    WHERE organization_id = ?},
    undef, $starter->{id});
$base->db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
$base->db->do(q{UPDATE lims.sample SET created_at = created_at - interval '31 days'
    WHERE organization_id = ?},
    undef, $starter->{id});
$base->db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER');
$handle->do($free, undef, $starter->{id}, $starter->{material}, 'Walk-in', 32);
refused($handle, $free, [ $starter->{id}, $starter->{material}, 'Walk-in', 1 ],
    'SAMPLE_LIMIT_EXCEEDED',
    'a new month begins at nothing');

done_testing();
