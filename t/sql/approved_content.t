#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Frozen content, by plain SQL of the run-time role: no change of what a certificate says
# passes by an approval, no frozen value can be written by hand, and a signature says
# whether its record has changed since.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);
my @mine = (organization_id => $lab->{id});

sub update { return "UPDATE lims.$_[0] SET $_[1] WHERE organization_id = ? AND id = ?" }

sub change {
    my ($table, $set, $id) = @_;
    return $app->do(update($table, $set), undef, $lab->{id}, $id);
}

sub refuses {
    my ($table, $set, $id, $slug, $name) = @_;
    return refused($app, update($table, $set), [ $lab->{id}, $id ], $slug, $name);
}

sub of_row {
    my ($table, $columns, $id) = @_;
    return $base->db->selectrow_arrayref("SELECT $columns FROM lims.$table WHERE id = ?", undef,
        $id);
}

my @step = map { $base->insert('approval_step', { @mine, position => $_, name => "Step $_" }) }
    1, 2;
my $project = $base->insert('project', { @mine, code => 'OUT', name => 'Outfall' });
my %lot = map { $_ => $base->insert($_, { @mine, code => $_, name => $_, lot_number => '1',
    $_ eq 'media_lot' ? (medium => 'R2A') : () }) } qw(media_lot reagent_lot);
my $batch = $base->insert('qc_batch', { @mine, batch_number => 'Q1' });

sub rounds {
    my ($sample) = @_;
    return $app->selectall_arrayref('SELECT id, round, status FROM lims.approval
        WHERE organization_id = ? AND sample_id = ? ORDER BY id DESC', { Slice => {} }, $lab->{id},
        $sample->{id});
}

sub approve {
    my ($sample) = @_;
    my @all = @{ rounds($sample) };
    change(approval => q{status = 'approved'}, $_->{id})
        for reverse grep { $_->{status} eq 'pending' && $_->{round} == $all[0]{round} } @all;
    return;
}

sub approved {
    my $sample = $base->sample($lab, qw(PH EC));
    change(sample => "project_id = $project", $sample->{id});
    change(sample_test => q{result = '7'}, $sample->{PH});
    change(sample_test => q{result = 'Present'}, $sample->{EC});
    change(sample => q{status = 'completed'}, $sample->{id});
    approve($sample);
    return $sample;
}

# Whichever member changes, in whichever table.
my $sample = approved();
my @changes = (
    (map { [ sample_test => $_ ] } q{notes = 'x'}, q{analyzed_at = now()},
        "reagent_lot_id = $lot{reagent_lot}", "media_lot_id = $lot{media_lot}",
        q{qualifier = 'J'}),
    (map { [ sample => $_ ] } q{notes = 'x'}, q{external_id = 'E'}, q{plant_location = 'P'},
        q{status = 'received'}, q{status = 'completed', notes = 'y'}, 'project_id = NULL'),
);
my $round = 1;
for my $case (@changes) {
    my ($table, $set) = @$case;
    change($table, $set, $table eq 'sample' ? $sample->{id} : $sample->{PH});
    is_deeply([ map { "$_->{round} $_->{status}" } @{ rounds($sample) }[ 0, 1 ] ],
        [ (++$round . ' pending') x 2 ], "asked again: $table: $set");
    approve($sample);
}
change(sample_test => q{confirmation_status = 'refuted'}, $sample->{EC});
is(rounds($sample)->[0]{round}, ++$round, 'the outcome of a confirmation asks for approval again');
approve($sample);
$app->do('INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
    VALUES (?, ?, ?)', undef, $lab->{id}, $sample->{PH}, $batch);
is(rounds($sample)->[0]{round}, ++$round, 'a QC batch over a result asks for approval again');
approve($sample);
$app->do(q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type, criterion,
    measured_value, upper_limit) VALUES (?, ?, 'MB', 'maximum', 1, 5)}, undef, $lab->{id}, $batch);
$app->do('SELECT lims.evaluate_qc_batch(?, ?)', undef, $lab->{id}, $batch);
is(rounds($sample)->[0]{round}, ++$round, 'the outcome of the QC batch asks for approval again');
approve($sample);
change(sample => q{priority = 'stat'}, $sample->{id});
change(sample_test => q{status = 'verified'}, $sample->{$_}) for qw(PH EC);
change(sample => q{status = 'verified'}, $sample->{id});
is(rounds($sample)->[0]{round}, $round, 'verifying asks for no approval');

# A change that no trigger saw is seen by what was approved.
sub unseen {
    my ($table, $set, $id) = @_;
    $base->db->do("ALTER TABLE lims.$table DISABLE TRIGGER reapprove_update");
    change($table, $set, $id);
    $base->db->do("ALTER TABLE lims.$table ENABLE TRIGGER reapprove_update");
    return;
}
unseen(sample => q{plant_location = 'unseen'}, $sample->{id});
is(rounds($sample)->[0]{round}, $round, 'while the steps are inactive, no approval is asked for');
refuses(sample => q{status = 'reported'}, $sample->{id}, 'approval_required',
    'the changed sample cannot be reported');
like($base->value(q{SELECT message FROM lims.release_finding WHERE sample_id = ? AND category =
    'approval_required'}, $sample->{id}), qr/\Aapproval of what has changed since/,
        'the finding says that the content has changed since');
change(sample => q{status = 'processing'}, $sample->{id});
change(sample => q{status = 'completed'}, $sample->{id});
is(rounds($sample)->[0]{round}, ++$round, 'completing the sample again asks for approval again');
approve($sample);

# The writer cannot set the content that is approved.
refuses(approval => "$_ = $_", rounds($sample)->[0]{id}, '42501', "nobody writes $_")
    for qw(content_hash replaced_at round name);

# With the report nothing else changes.
refuses(sample => "status = 'reported', $_", $sample->{id}, 'invalid_transition',
    "reported, and $_") for q{notes = 'other'}, 'external_id = NULL', 'plant_location = NULL';
is(change(sample => q{status = 'reported', project_name = 'P', content_hash = NULL},
        $sample->{id}), 1, 'what no approver saw may change with the report');
is_deeply(of_row(sample => 'project_name, material_type_name, content_hash IS NOT NULL',
        $sample->{id}), [ undef, 'Wastewater', 1 ], 'with the names of the moment of the report');
is_deeply([ grep { !$_ } @{ $base->db->selectcol_arrayref('SELECT a.content_hash = s.content_hash
    FROM lims.approval a JOIN lims.sample s ON s.id = a.sample_id WHERE s.id = ? AND a.round = ?',
    undef, $sample->{id}, $round) } ], [], 'the reported content is the approved content');

# Names: of the definition when it is verified, and nobody's to write.
my $second = approved();
my $frozen = 'test_code, test_name, method, unit, reporting_limit, method_detection_limit, '
    . 'uncertainty, accredited';
my $write_names = q{test_code = 'X', test_name = 'X', method = 'X', unit = 'X',
    reporting_limit = 9, method_detection_limit = 9, uncertainty = 'X', accredited = true};
refuses(sample_test => $write_names, $second->{PH}, '42501', 'the run-time role writes no names');
my $owner = $base->owner($lab);
$owner->do(update(sample_test => $write_names), undef, $lab->{id}, $second->{PH});
is_deeply(of_row(sample_test => $frozen, $second->{PH}), [ (undef) x 8 ],
    'nothing is frozen before the verification');
refused($owner, update(sample_test => q{status = 'verified', method = 'X'}),
    [ $lab->{id}, $second->{PH} ], 'invalid_transition',
    'frozen columns cannot be written with the verification');
$base->db->do(q{UPDATE lims.test_definition SET method = 'EPA 150', reporting_limit = 0.10,
    uncertainty = '0.1' WHERE id = ?}, undef, $lab->{definition}{PH});
is(rounds($second)->[0]{round}, 2, 'another method asks for approval again');
change(sample_test => q{status = 'verified'}, $second->{PH});
is_deeply(of_row(sample_test => $frozen, $second->{PH}),
    [ 'PH', 'pH', 'EPA 150', 's.u.', '0.10', undef, '0.1', 0 ],
        'the verification freezes the definition\'s names and limits');
refused($owner, update(sample_test => "$_ = NULL"), [ $lab->{id}, $second->{PH} ],
    'test_verified_locked', "its $_ is locked")
    for split /, /, 'test_name, method, unit, uncertainty, accredited';
$base->db->do(q{UPDATE lims.test_definition SET method = 'EPA 151' WHERE id = ?}, undef,
    $lab->{definition}{PH});
is($base->value('SELECT method FROM lims.sample_test_state WHERE id = ?', $second->{PH}),
    'EPA 150', 'a later change of the definition does not change a verified test');

# By what was known of it, it was decided that "< 50" is a negative.
$lab->{definition}{FC} = $base->insert('test_definition', { @mine, code => 'FC', name => 'FC',
    requires_confirmation => 't', reporting_limit => 50, method => 'A' });
my $fourth = $base->sample($lab, qw(FC));
change(sample_test => q{result = '<50'}, $fourth->{FC});
$base->db->do(q{UPDATE lims.test_definition SET reporting_limit = 1, method = 'B' WHERE id = ?},
    undef, $lab->{definition}{FC});
$owner->do(update(sample_test => 'reporting_limit = 2'), undef, $lab->{id}, $fourth->{FC});
change(sample_test => q{status = 'verified'}, $fourth->{FC});
is_deeply(of_row(sample_test => 'confirmation_status, reporting_limit, method', $fourth->{FC}),
    [ undef, 50, 'B' ], 'a test that asks for confirmation keeps the limit it was judged by');

refused($app, 'INSERT INTO lims.certificate (organization_id, sample_id, content)
    VALUES (?, ?, ?)', [ $lab->{id}, $second->{id}, '{}' ], 'invalid_transition',
    'no certificate before the report');
$app->do('INSERT INTO lims.certificate (organization_id, sample_id, content) VALUES (?, ?, ?)',
    undef, $lab->{id}, $sample->{id}, '{"results": "forged"}');
is_deeply($base->db->selectrow_arrayref(q{SELECT c.content ->> 'contentSha256' =
        encode(s.content_hash, 'hex'), jsonb_array_length(c.content -> 'results'),
        c.sha256 = sha256(convert_to(c.content::text, 'UTF8'))
    FROM lims.certificate c JOIN lims.sample s ON s.id = c.sample_id WHERE s.id = ?}, undef,
    $sample->{id}), [ 1, 2, 1 ], 'the content of a certificate is computed, whatever is written');

# Signatures.
sub fits { return $base->value('SELECT lims.signature_fits(?, ?)', $lab->{id}, $_[0]) }
approve($second);
change(sample_test => q{notes = 'again'}, $second->{EC});
my ($final, $first) = @{ rounds($second) };
$app->begin_work;
my $signature = signed($app, $lab, 'approved', 'approval', $first->{id});
change(approval => "status = 'approved', comment = 'c', signature_id = $signature", $first->{id});
$app->commit;
is(fits($signature), 1, 'a signature fits after the decision');
change(sample_test => q{confirmation_status = 'refuted'}, $second->{EC});
is(fits($signature), 0, 'a signature does not fit a changed record');
$app->begin_work;
$signature = signed($app, $lab, 'verified', 'sample_test', $second->{EC});
change(sample_test => "status = 'verified', verification_signature_id = $signature",
    $second->{EC});
$app->commit;
is(fits($signature), 1, 'a signature fits after the verification');
approve($second);
change(sample => q{status = 'reported'}, $second->{id});
is(fits($signature), 1, 'a signature fits after the report');

# Steps that are off.
sub steps {
    my ($on) = @_;
    return $base->db->do('UPDATE lims.approval_step SET active = ? WHERE organization_id = ?', undef,
        $on, $lab->{id});
}
my $third = approved();
steps('f');
change(sample_test => q{result = '4'}, $third->{PH});
change(sample => q{status = 'processing'}, $third->{id});
steps('t');
is(rounds($third)->[0]{round}, 1, 'no approval is asked for while the sample is worked on');
change(sample_test => q{confirmation_status = 'refuted'}, $third->{EC});
change(sample_test => q{status = 'verified'}, $third->{$_}) for qw(PH EC);
refuses(sample => q{status = 'reported'}, $third->{id}, 'approval_required',
    'a former round of approvals does not count again');
change(sample => q{status = 'completed'}, $third->{id});
is_deeply([ map { "$_->{round} $_->{status}" } @{ rounds($third) }[ 0, 1 ] ], [ ('2 pending') x 2 ],
    'completing the sample asks for a new round');
steps('f');
$app->do(q{UPDATE lims.approval SET status = 'rejected', comment = 'no' WHERE organization_id = ?
    AND sample_id = ? AND round = 2 AND step = 1}, undef, $lab->{id}, $third->{id});
change(sample => q{status = 'processing'}, $third->{id});
change(sample => q{status = 'completed'}, $third->{id});
refuses(approval => q{status = 'approved'}, rounds($third)->[0]{id}, 'already_decided',
    'a replaced approval cannot be decided');
is(change(sample => q{status = 'reported'}, $third->{id}), 1,
    'without steps nobody has to approve');

done_testing();
