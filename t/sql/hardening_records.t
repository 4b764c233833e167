#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Facts that a record depends on do not change under it: the meaning of a definition's
# results, the method with which a test was scheduled, when it was analysed, and the
# content of a certificate.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar', time_zone => 'America/Denver');
my $app  = $base->app($lab);

sub set {
    my ($table, $id, %column) = @_;
    my @names = sort keys %column;
    return (sprintf('UPDATE lims.%s SET %s WHERE organization_id = ? AND id = ?', $table,
            join ', ', map { "$_ = ?" } @names), [ @column{@names}, $lab->{id}, $id ]);
}

sub change {
    my ($sql, $bind) = set(@_);
    return $app->do($sql, undef, @$bind);
}

sub of_test {
    my ($columns, $id) = @_;
    return $base->db->selectrow_arrayref("SELECT $columns FROM lims.sample_test WHERE id = ?",
        undef, $id);
}

sub record {
    my ($column, $id) = @_;
    return $app->selectrow_array(qq{SELECT "$column" FROM lims.sample_test_record
        WHERE organization_id = ? AND id = ?}, undef, $lab->{id}, $id);
}

# --- Definitions ---------------------------------------------------------------------

my $definition = $lab->{definition};
my $sample     = $base->sample($lab, qw(PB HPC EC HEM));
is(change(test_definition => $definition->{PB}, code => 'LEAD', unit => 'mg/L',
        result_type => 'text', specification_low => undef, specification_high => undef), 1,
    'a definition without results may change');
change(test_definition => $definition->{PB}, code => 'PB', unit => 'ug/L',
    result_type => 'numeric');
change(sample_test => $sample->{PB}, result => '5');
for my $state ('with a result', 'with one that was withdrawn') {
    for my $case ([ code => 'CU' ], [ unit => 'mg/L' ], [ unit => undef ],
        [ resultType => 'text' ]) {
        my ($name, $value) = @$case;
        my $words = refused($app, set(test_definition => $definition->{PB},
                $name eq 'resultType' ? 'result_type' : $name, $value), 'invalid_transition',
            "$state: its $name stays");
        like($words, qr/$name: results were entered for PB: make a new definition/,
            'the message says to make a new definition');
    }
    is(change(test_definition => $definition->{PB}, name => 'Lead, total', specification_high => 9),
        1, 'name and limits of a definition with results may change');
    change(sample_test => $sample->{PB}, result => undef);
}

# --- What a test asks for ------------------------------------------------------------

$base->db->do('UPDATE lims.test_definition SET holding_time_hours = 24 WHERE id = ?', undef,
    $definition->{HPC});
my $before = $base->sample($lab, qw(HPC HEM EC));
change(sample => $before->{id}, collected_at => '2026-01-05T12:00:00Z');
my $expires = record(holdingExpiresAt => $before->{HPC});
change(test_definition => $definition->{HPC}, holding_time_hours => 48,
    requires_worksheet => 't', requires_confirmation => 't');
change(test_definition => $definition->{$_}, requires_worksheet => 'f',
    requires_confirmation => 'f') for qw(HEM EC);
is(record(holdingExpiresAt => $before->{HPC}), $expires, 'a test keeps its holding time');
change(sample_test => $before->{HPC}, result => '300');
change(sample_test => $before->{HEM}, result => '4');
change(sample_test => $before->{EC}, result => 'Present');
is_deeply([ record(worksheetStatus => $before->{HPC}), record(confirmationStatus => $before->{HPC}) ],
    [ undef, undef ], 'a scheduled test gets no new worksheet or confirmation');
is(record(worksheetStatus => $before->{HEM}), 'missing', 'a scheduled test keeps its worksheet');
is(record(confirmationStatus => $before->{EC}), 'pending',
    'a scheduled test keeps its confirmation');
refused($app, set(sample_test => $before->{HEM}, status => 'verified'), 'worksheet_incomplete',
    'the gate still asks for the worksheet');
is(change(sample_test => $before->{HPC}, status => 'verified'), 1,
    'the gate does not ask for a worksheet added later');
refused($base->owner($lab), set(sample_test => $before->{HEM}, @$_), 'field_not_patchable',
    "the requirement of a test is not changed by hand: $_->[0]")
    for [ requires_worksheet => 'f' ], [ requires_confirmation => 't' ],
    [ holding_time_hours => 1 ];
my $after = $base->sample($lab, qw(HPC HEM EC));
is_deeply(of_test('holding_time_hours, requires_worksheet, requires_confirmation', $after->{HPC}),
    [ 48, 1, 1 ], 'a test scheduled later has the new requirements');
change(sample_test => $after->{HEM}, result => '4');
is(change(sample_test => $after->{HEM}, status => 'verified'), 1,
    'a test scheduled later does not need the removed worksheet');

# --- Confirmations -------------------------------------------------------------------

change(test_definition => $definition->{EC}, requires_confirmation => 't');
my $micro = $base->sample($lab, qw(EC HPC));
for my $case (
    [ EC => 'Absent',       undef ],     [ EC => 'Present',   'pending' ],
    [ EC => 'not detected', undef ],     [ EC => 'see note',  'pending' ],
    [ EC => 'confluent',    'pending' ], [ EC => '0',         'pending' ],
    [ EC => 'TNTC',         'pending' ], [ EC => 'nd ',       undef ],
    [ HPC => '0',           undef ],     [ HPC => '>0',       'pending' ],
    [ HPC => '<1',          undef ],     [ HPC => '> 2419.6', 'pending' ],
) {
    my ($code, $result, $status) = @$case;
    change(sample_test => $micro->{$code}, result => $result);
    is(record(confirmationStatus => $micro->{$code}), $status,
        "$code $result: " . ($status || 'nothing to confirm'));
}
change(test_definition => $definition->{HPC}, presumptive_minimum => 500);
change(sample_test => $micro->{HPC}, result => '499');
is(record(confirmationStatus => $micro->{HPC}), undef,
    'a number below the minimum awaits no confirmation');
change(sample_test => $micro->{HPC}, result => '>100');
is(record(confirmationStatus => $micro->{HPC}), 'pending',
    'a result "too numerous to count" awaits confirmation');

# --- The clock of a holding time -----------------------------------------------------

my $late = $base->sample($lab, qw(HPC));
change(sample => $late->{id}, collected_at => '2026-01-05T12:00:00Z');
change(sample_test => $late->{HPC}, result => '3', analyzed_at => '2026-01-06T12:00:00Z');
is(record(holdingStatus => $late->{HPC}), 'ok', 'analysed in time');
change(sample_test => $late->{HPC}, result => '');
is_deeply([ record(analyzedAt => $late->{HPC}), record(holdingStatus => $late->{HPC}) ],
    [ undef, 'expired' ], 'withdrawing a result clears its time of analysis');
change(sample_test => $late->{HPC}, result => '3', analyzed_at => '2026-01-06T12:00:00Z');
change(sample_test => $late->{HPC}, result => undef, analyzed_at => '2026-01-06T13:00:00Z');
isnt(record(analyzedAt => $late->{HPC}), undef,
    'the time of analysis given with the withdrawal stays');

my $first = q{SELECT first_entered_at FROM lims.sample_test WHERE id = ?};
my $fresh = $base->sample($lab, qw(HPC));
change(sample => $fresh->{id}, collected_at => '2026-01-05T12:00:00Z');
change(sample_test => $fresh->{HPC}, result => '3');
my $entered = $base->value($first, $fresh->{HPC});
for my $case ([ result => '4' ], []) {
    my ($sql, $bind) =
        set(sample_test => $fresh->{HPC}, @$case, first_entered_at => '2026-01-05T13:00:00Z');
    $base->owner($lab)->do($sql, undef, @$bind);
}
is($base->value($first, $fresh->{HPC}), $entered, 'a correction keeps first_entered_at');
is($base->value('SELECT entered_at > first_entered_at FROM lims.sample_test WHERE id = ?',
    $fresh->{HPC}), 1, 'a correction changes entered_at');
change(sample_test => $fresh->{HPC}, result => '');
is($base->value($first, $fresh->{HPC}), undef, 'a withdrawn result has no first_entered_at');

my $noon = $base->sample($lab, qw(HPC));
change(sample => $noon->{id}, collection_date => '2026-01-05');
refused($app, set(sample_test => $noon->{HPC}, analyzed_at => '2026-01-05T06:59:59Z'),
    'invalid_body',
        'analysed_at cannot lie before the day of collection in the laboratory\'s time zone');
is(change(sample_test => $noon->{HPC}, analyzed_at => '2026-01-05T07:00:00Z'), 1,
    'analysed_at may be the first second of that day');
refused($app, set(sample => $noon->{id}, collected_at => '2026-01-05T07:00:01Z'), 'invalid_body',
    'collected_at cannot lie after the analysis');
refused($app, set(sample => $noon->{id}, collection_date => '2026-01-06'), 'invalid_body',
    'collection_date cannot lie after the analysis');
change(sample => $noon->{id}, collected_at => '2026-01-05T07:00:00Z');
refused($app, set(sample_test => $noon->{HPC}, analyzed_at => '2026-01-05T06:00:00Z'),
    'invalid_body', 'analysed_at cannot lie before collected_at');

# --- Certificates --------------------------------------------------------------------

my $issue = q{INSERT INTO lims.certificate (organization_id, sample_id, content, issued_at, reason)
              VALUES (?, ?, '{}', '2020-01-01', ?)};
my $done = $base->sample($lab, qw(PB));
change(sample_test => $done->{PB}, result => '1');
change(sample_test => $done->{PB}, status => 'verified');
refused($app, $issue, [ $lab->{id}, $done->{id}, undef ], 'invalid_transition',
    'no certificate before the sample is reported');
change(sample => $done->{id}, status => 'reported');
$app->do($issue, undef, $lab->{id}, $done->{id}, undef);

# The next certificate: an amendment is opened, and issued, both signed.
sub amended {
    my ($sample, $reason) = @_;

    $app->begin_work;
    my ($id) = $app->selectrow_array(q{INSERT INTO lims.amendment
        (organization_id, sample_id, reason, signature_id) VALUES (?, ?, ?, ?) RETURNING id}, undef,
        $lab->{id}, $sample, $reason, signed($app, $lab, 'amended', 'sample', $sample));
    $app->do(q{INSERT INTO lims.certificate (organization_id, sample_id, signature_id, content)
        VALUES (?, ?, ?, '{}')}, undef, $lab->{id}, $sample,
        signed($app, $lab, 'approved', 'amendment', $id));
    return $app->commit;
}

sub certificates {
    return $base->db->selectcol_arrayref('SELECT status FROM lims.certificate WHERE sample_id = ?
        ORDER BY version', undef, $done->{id});
}
is($base->value(q{SELECT count(*) FROM lims.certificate
    WHERE issued_at > now() - interval '1 hour'}), 1, 'issued_at of a certificate is now');
refused($app, q{UPDATE lims.certificate SET status = 'superseded' WHERE organization_id = ?
    AND sample_id = ?}, [ $lab->{id}, $done->{id} ], 'invalid_transition',
    'a certificate cannot be set to superseded by hand');
refused($app, $issue, [ $lab->{id}, $done->{id}, 'a misspelt name' ], 'invalid_transition',
    'no other version without an amendment');
amended($done->{id}, 'a misspelt name');
is_deeply(certificates(), [qw(superseded issued)], 'the next certificate supersedes it');
refused($app, q{UPDATE lims.certificate SET status = 'issued' WHERE organization_id = ?
    AND sample_id = ? AND version = 1}, [ $lab->{id}, $done->{id} ], 'invalid_transition',
    'a superseded certificate cannot be issued again');

done_testing();
