#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Worksheets and signatures against plain SQL of the run-time role: values that are moved or
# attributed to others, forms changed under a worksheet, signatures of another person or for
# another record, or of a record that has changed since.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);
my @mine = (organization_id => $lab->{id});
my $other = $base->insert('user_account', { @mine, email => 'bea@cedar.example',
    display_name => 'Bea Yond', password_hash => 'set' });

sub made {
    my ($table, %column) = @_;
    my @names = ('organization_id', sort keys %column);
    my ($id) = $app->selectrow_array(
        sprintf('INSERT INTO lims.%s (%s) VALUES (%s) RETURNING id', $table, join(', ', @names),
            join(', ', ('?') x @names)), undef, $lab->{id}, @column{ @names[ 1 .. $#names ] });
    return $id;
}

sub update { return "UPDATE lims.$_[0] SET $_[1] WHERE organization_id = ? AND id = ?" }

sub change {
    my ($table, $set, $id) = @_;
    return $app->do(update($table, $set), undef, $lab->{id}, $id);
}

sub acts_as {
    my ($user) = @_;
    return $app->do(q{SELECT set_config('lims.user_id', ?, false)}, undef, $user);
}

# The owner's connection, with a change of its own that is not committed.
sub while_pending {
    my ($sql, $bind, $act) = @_;
    my $db = $base->db;

    $db->begin_work;
    $db->do('SELECT lims.act_as(?, ?, NULL, NULL, NULL)', undef, $lab->{id}, $lab->{user_id});
    $db->do($sql, undef, @$bind);
    $app->do(q{SET lock_timeout = '300ms'});
    $act->();
    $app->do('RESET lock_timeout');
    $db->rollback;
    return;
}

# --- Forms ---------------------------------------------------------------------------

my %template = map { $_ => made('worksheet_template', test_definition_id =>
        $lab->{definition}{HEM}, name => "HEM $_", version => $_) } 1, 2;
my @field = map { made('worksheet_field', template_id => $template{1}, position => $_,
    name => "f$_") } 1, 2;
my $step = made('worksheet_signoff_step', template_id => $template{1}, position => 1,
    name => 'analyst');
refused($app, update($_->[0], 'template_id = ?'), [ $template{2}, $lab->{id}, $_->[1] ],
    'invalid_transition', "a $_->[0] is not moved to another template")
    for [ worksheet_field => $field[0] ], [ worksheet_signoff_step => $step ];

refused($app, update('worksheet_template', $_), [ $lab->{id}, $template{1} ],
    'invalid_transition', "a template: $_")
    for 'version = 3', "test_definition_id = $lab->{definition}{PB}";

my $sample = $base->sample($lab, qw(HEM HEM PB));
my @oil = @{ $base->db->selectcol_arrayref('SELECT id FROM lims.sample_test
    WHERE sample_id = ? AND test_definition_id = ? ORDER BY id', undef, $sample->{id},
    $lab->{definition}{HEM}) };
my $begin = 'INSERT INTO lims.worksheet (organization_id, sample_test_id, template_id)
    VALUES (?, ?, ?)';
while_pending('DELETE FROM lims.worksheet_field WHERE organization_id = ? AND id = ?',
    [ $lab->{id}, $field[1] ], sub {
        refused($app, $begin, [ $lab->{id}, $oil[0], $template{1} ], '55P03',
            'a sheet waits for the change of its form');
    });
while_pending($begin, [ $lab->{id}, $oil[0], $template{1} ], sub {
        refused($app, 'DELETE FROM lims.worksheet_field WHERE organization_id = ? AND id = ?',
            [ $lab->{id}, $field[1] ], '55P03', 'the fields of the template wait for the sheet');
    });

# --- Sheets --------------------------------------------------------------------------

my @sheet = map { made('worksheet', sample_test_id => $_, template_id => $template{1}) } @oil;
my @value = map { made('worksheet_value', worksheet_id => $sheet[0], field_id => $_,
    value => '10') } @field;
$app->do(q{UPDATE lims.sample_test SET result = '4.1' WHERE organization_id = ? AND id = ANY (?)},
    undef, $lab->{id}, [ @oil, $sample->{PB} ]);
for my $set ("worksheet_id = $sheet[1]", "field_id = $field[1] + 1000", "entered_by = $other",
    'entered_by = NULL') {
    refused($app, update('worksheet_value', $set), [ $lab->{id}, $value[0] ],
        'invalid_transition', "a value: $set");
}
is(change(worksheet_value => "value = '11', entered_by = $other", $value[0]), 1,
    'a value of an unsigned worksheet can change');
is($base->value('SELECT entered_by FROM lims.worksheet_value WHERE id = ?', $value[0]),
    $lab->{user_id}, 'is attributed to the user who enters it');
refused($app, update('worksheet', "created_by = $other"), [ $lab->{id}, $sheet[0] ],
    'invalid_transition', 'a sheet stays put down to who began it');
while_pending(update('worksheet_value', q{value = '12'}), [ $lab->{id}, $value[0] ], sub {
        refused($app, update('worksheet_value', q{value = '13'}), [ $lab->{id}, $value[1] ],
            '55P03', 'values of one sheet change one after the other');
        refused($app, update('sample_test', q{status = 'verified'}), [ $lab->{id}, $oil[0] ],
            '55P03', 'a verification waits for the values of the sheet');
    });

my $sign_off = 'INSERT INTO lims.worksheet_signoff (organization_id, worksheet_id, step_id,
    signature_id, withdrawn_at) VALUES (?, ?, ?, ?, now())';
$app->begin_work;
my $stale = signed($app, $lab, 'performed', 'worksheet', $sheet[0]);
change(worksheet_value => q{value = '99'}, $value[0]);
refused($app, $sign_off, [ $lab->{id}, $sheet[0], $step, $stale ], 'esignature_required',
    'a signature on other values signs nothing off');
my $right = signed($app, $lab, 'performed', 'worksheet', $sheet[0]);
$app->do($sign_off, undef, $lab->{id}, $sheet[0], $step, $right);
$app->commit;
is($base->value('SELECT count(DISTINCT content_hash) FROM lims.electronic_signature
    WHERE id IN (?, ?)', $stale, $right), 2, 'what is signed of a worksheet are its values');
is($base->value('SELECT status FROM lims.worksheet_state(?, ?)', $lab->{id}, $oil[0]), 'complete',
    'the right one does, and is not withdrawn from the start');

for my $state ([ 'invalid_transition', 'a signed sheet' ],
    [ 'test_verified_locked', 'a verified test\'s' ]) {
    my ($slug, $name) = @$state;
    refused($app, update('worksheet_value', q{value = '1'}), [ $lab->{id}, $value[0] ], $slug,
        "$name: a value");
    refused($base->db, 'DELETE FROM lims.worksheet_value WHERE id = ?', [ $value[1] ], $slug,
        "$name: a value less");
    refused($base->db, 'DELETE FROM lims.worksheet_signoff WHERE worksheet_id = ?', [ $sheet[0] ],
        'invalid_transition', "$name: a sign-off taken away");
    change(sample_test => q{status = 'verified'}, $oil[0]);
}
refused($app, update('worksheet_value', "worksheet_id = $sheet[1]"), [ $lab->{id}, $value[0] ],
    'invalid_transition', 'no value of the sheet goes to another sheet');

# --- Signatures ----------------------------------------------------------------------

my $verify = update('sample_test', q{status = 'verified', verification_signature_id = ?});
$app->begin_work;
my $direct = made('electronic_signature', signer => $lab->{user_id}, meaning => 'verified',
    printed_name => 'Somebody Else', table_name => 'sample_test', record_id => $sample->{PB},
    content_hash => 'x' x 32);
is_deeply(
    $app->selectrow_arrayref('SELECT printed_name, content_hash = lims.signed_hash(
            organization_id, table_name, record_id) FROM lims.electronic_signature
        WHERE organization_id = ? AND id = ?', undef, $lab->{id}, $direct), [ 'Ana Lyst', 1 ],
    'name and content of a signature are not the writer\'s to choose');
change(sample_test => q{notes = 'later'}, $sample->{PB});
refused($app, $verify, [ $direct, $lab->{id}, $sample->{PB} ], 'esignature_required',
    'a signature on what has changed since, though nobody asked for one');
my $wrong = signed($app, $lab, 'verified', 'sample_test', $oil[1]);
refused($app, $verify, [ $wrong, $lab->{id}, $sample->{PB} ], 'esignature_required',
    'a signature on another result');
my $mine = signed($app, $lab, 'verified', 'sample_test', $sample->{PB});
acts_as($other);
refused($app, $verify, [ $mine, $lab->{id}, $sample->{PB} ], 'esignature_required',
    'one of another user');
refused($app, 'SELECT lims.sign(?, ?, ?, ?)',
    [ $lab->{user_id}, 'verified', 'sample_test', $sample->{PB} ], 'invalid_reference',
    'nobody signs for another');
acts_as($lab->{user_id});
$app->commit;
refused($app, $verify, [ $mine, $lab->{id}, $sample->{PB} ], 'esignature_required',
    'a signature of an earlier transaction');
is($base->value('SELECT status FROM lims.sample_test WHERE id = ?', $sample->{PB}), 'entered',
    'without a signature of this transaction nothing is verified');
$base->db->do('UPDATE lims.user_account SET password_hash = NULL WHERE id = ?', undef, $other);
acts_as($other);
refused($app, 'SELECT lims.sign(?, ?, ?, ?)',
    [ $other, 'verified', 'sample_test', $sample->{PB} ], 'esignature_required',
    'who has no password cannot sign');
refused($app, 'SELECT lims.sign(?, ?, ?, ?)', [ $other, 'verified', 'sample_test', 999_999 ],
    'esignature_required', 'nothing at all');
acts_as($lab->{user_id});
refused($app, 'SELECT lims.sign(?, ?, ?, ?)',
    [ $lab->{user_id}, 'verified', 'sample_test', 999_999 ], 'invalid_reference',
    'what is not there is not signed');

# --- Approvals -----------------------------------------------------------------------

$base->insert('approval_step', { organization_id => $lab->{id}, position => 1,
        name => 'Final approval' });
my $last = $base->sample($lab, qw(PH PB));
$app->do(q{UPDATE lims.sample_test SET result = '7' WHERE organization_id = ? AND sample_id = ?},
    undef, $lab->{id}, $last->{id});
change(sample => q{status = 'completed'}, $last->{id});
my $approval = $base->value('SELECT id FROM lims.approval WHERE sample_id = ?', $last->{id});
my $approve = update('approval', q{status = 'approved', signature_id = ?});
$app->begin_work;
$stale = signed($app, $lab, 'approved', 'approval', $approval);
change(sample_test => q{result = '8'}, $last->{PH});
refused($app, $approve, [ $stale, $lab->{id}, $approval ], 'esignature_required',
    'what is approved are the results as they were signed');
$right = signed($app, $lab, 'approved', 'approval', $approval);
$app->commit;
refused($app, $approve, [ $right, $lab->{id}, $approval ], 'esignature_required',
    'a signature of an earlier transaction approves nothing');
while_pending(update('sample_test', q{result = '9'}), [ $lab->{id}, $last->{PB} ], sub {
        refused($app, $approve, [ undef, $lab->{id}, $approval ], '55P03',
            'a decision waits for a result that is being changed');
    });
is(change(approval => q{status = 'approved'}, $approval), 1,
    'a decision is made when no result is being changed');

my @done = $base->parallel(2, sub {
    my ($number) = @_;
    my $handle = $base->app($lab);
    $handle->begin_work;
    $handle->do(update('sample_test', q{result = '6.9'}), undef, $lab->{id},
        $last->{ $number ? 'PH' : 'PB' });
    select undef, undef, undef, 0.2;
    $handle->commit;
    return 'done';
});
is("@done", 'done done', 'two changes at once of what is approved');
is_deeply(
    $base->db->selectcol_arrayref('SELECT status FROM lims.approval WHERE sample_id = ?
        ORDER BY round', undef, $last->{id}), [qw(approved pending)], 'ask for one round');

done_testing();
