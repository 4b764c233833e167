#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Amendments by plain SQL of the run-time role: opened by a signed person alone, closed by
# a certificate or by a sample that is what it was; and of two acts at once, each ends as
# one order of them would.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);
my @lab  = ($lab->{id});

# The context of a key, a file or a job, for what follows in a transaction.
sub as {
    my ($setting, $value, $act) = @_;

    $app->begin_work;
    $app->do('SELECT set_config(?, ?, true)', undef, "lims.$setting", $value);
    $act->();
    return $app->rollback;
}

# A reported sample with one verified test.
sub reported {
    my $sample = $base->sample($lab, qw(PB));
    $app->do(q{UPDATE lims.sample_test SET result = '1' WHERE organization_id = ? AND id = ?},
        undef, @lab, $sample->{PB});
    $app->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
        AND id = ?}, undef, @lab, $sample->{PB});
    $app->do(q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ? AND id = ?},
        undef, @lab, $sample->{id});
    return $sample;
}

my $open = q{INSERT INTO lims.amendment (organization_id, sample_id, reason, signature_id)
    SELECT $1, $2, 'wrong', lims.sign($3, 'amended', 'sample', $2) RETURNING id};
my $issue = q{INSERT INTO lims.certificate (organization_id, sample_id, content, signature_id)
    SELECT $1, s.id, '{}', lims.sign($3, 'approved', 'amendment', s.amendment_id)
      FROM lims.sample s WHERE s.organization_id = $1 AND s.id = $2 AND s.amendment_id IS NOT NULL};
my $report = q{UPDATE lims.sample SET status = 'reported' WHERE organization_id = ? AND id = ?};
my $move = q{UPDATE lims.sample SET plant_location = 'North' WHERE organization_id = ? AND id = ?};
my $withdraw = q{UPDATE lims.amendment SET status = 'withdrawn', close_reason = 'none'
    WHERE organization_id = ? AND sample_id = ? AND status = 'open'};

sub opened {
    my ($sample) = @_;
    return $app->selectrow_array($open, undef, @lab, $sample->{id}, $lab->{user_id});
}

sub of_sample {
    my ($columns, $sample) = @_;
    return join ' ', map { $_ // '-' } $base->db->selectrow_array(
        "SELECT $columns FROM lims.sample WHERE id = ?", undef, $sample->{id});
}

# --- Opened ---------------------------------------------------------------------------

my $sample = reported();
refused($app, $move, [ @lab, $sample->{id} ], 'invalid_transition', 'reported is final');
refused($app, q{INSERT INTO lims.amendment (organization_id, sample_id, reason)
    VALUES (?, ?, 'unsigned')}, [ @lab, $sample->{id} ], 'esignature_required',
    'an amendment is signed');
for my $other ([ api_key_id => 7 ], [ user_id => '' ]) {
    as(@$other, sub { refused($app, q{INSERT INTO lims.amendment
        (organization_id, sample_id, reason) VALUES (?, ?, 'no person')}, [ @lab, $sample->{id} ],
        'invalid_transition', "no person: $other->[0]") });
}
my $unreported = $base->sample($lab, qw(PB));
refused($app, $open, [ @lab, $unreported->{id}, $lab->{user_id} ], 'invalid_transition',
    'only a reported sample is amended');
my $id = opened($sample);
refused($app, $open, [ @lab, $sample->{id}, $lab->{user_id} ], 'invalid_transition',
    'one amendment at a time');
is(of_sample('status, amendment_id', $sample), "reported $id", 'the sample names it');

# --- Who changes what -------------------------------------------------------------------

for my $other ([ api_key_id => 7 ], [ surface => 'job' ], [ surface => 'instrument file' ]) {
    as(@$other, sub {
        refused($app, $move, [ @lab, $sample->{id} ], 'invalid_transition',
            "@$other: no change of a fact");
        refused($app, 'INSERT INTO lims.sample_test (organization_id, sample_id,
            test_definition_id) VALUES (?, ?, ?)', [ @lab, $sample->{id}, $lab->{definition}{PH} ],
            'invalid_transition', "@$other: no test");
    });
}
is($app->do($move, undef, @lab, $sample->{id}), 1, 'a person corrects a fact');
for my $column (q{status = 'verified'}, q{disposition = 'disposed'}, q{received_at = now()},
    q{reported_at = now()}, q{amendment_id = NULL}) {
    refused($app, "UPDATE lims.sample SET $column WHERE organization_id = ? AND id = ?",
        [ @lab, $sample->{id} ], $column =~ /disposition/ ? 'invalid_body' : 'invalid_transition',
        "but not $column");
}
as(reason => 'old', sub { refused($app, q{UPDATE lims.sample SET disposition = 'disposed'
    WHERE organization_id = ? AND id = ?}, [ @lab, $sample->{id} ], 'invalid_transition',
    'a sample with an open amendment is not disposed of, even with a reason') });
is(of_sample('content_hash = lims.release_hash(organization_id, id)', $sample), '0',
    'the hash stays that of what was reported');
$app->do(q{UPDATE lims.sample SET content_hash = NULL, material_type_name = 'x'
    WHERE organization_id = ? AND id = ?}, undef, @lab, $sample->{id});
is(of_sample('content_hash IS NULL, material_type_name', $sample), '0 Wastewater',
    'hash and frozen names cannot be written');

# --- Closed ---------------------------------------------------------------------------

for my $set (q{status = 'issued'}, q{status = 'withdrawn'}, q{submissions = 2},
    q{status = 'withdrawn', close_reason = 'none'}) {
    my $slug = $set =~ /none/ ? 'amendment_differs' : $set =~ /withdrawn/ ? 'invalid_body'
        : 'invalid_transition';
    refused($app, "UPDATE lims.amendment SET $set WHERE organization_id = ? AND id = ?",
        [ @lab, $id ], $slug, "$set: $slug");
}
my $owner = $base->owner($lab);
refused($owner, q{UPDATE lims.amendment SET kept = '{}' WHERE organization_id = ? AND id = ?},
    [ @lab, $id ], 'field_not_patchable', 'what was kept stays');
refused($owner, 'DELETE FROM lims.amendment WHERE organization_id = ? AND id = ?', [ @lab, $id ],
    'invalid_transition', 'an amendment is not deleted');
refused($app, q{INSERT INTO lims.certificate (organization_id, sample_id, content)
    VALUES (?, ?, '{}')}, [ @lab, $sample->{id} ], 'esignature_required',
    'its certificate is signed');
is($app->do($issue, undef, @lab, $sample->{id}, $lab->{user_id}), 1, 'the certificate is issued');
is(of_sample('amendment_id, content_hash = lims.release_hash(organization_id, id)', $sample),
    '- 1', 'it closes the sample, with the hash of what is reported now');
refused($app, $move =~ s/North/South/r, [ @lab, $sample->{id} ], 'invalid_transition',
    'the sample is final again');

# Whoever may issue the first may not issue the next.
$base->db->do(q{DELETE FROM lims.role_permission WHERE organization_id = ? AND role = ?
    AND permission = ?}, undef, @lab, 'lab_manager', 'certificate.amend');
my $second = reported();
refused($app, $open, [ @lab, $second->{id}, $lab->{user_id} ], 'permission_required',
    'an amendment needs certificate.amend');
is($app->do(q{INSERT INTO lims.certificate (organization_id, sample_id, content)
    VALUES (?, ?, '{}')}, undef, @lab, $second->{id}), 1, 'the first certificate does not');
$base->insert('role_permission', { organization_id => $lab->{id}, role => 'lab_manager',
    permission => 'certificate.amend' });

# --- At once --------------------------------------------------------------------------

sub attempt {
    my ($sql, @bind) = @_;
    my $handle = $base->app($lab);
    my $done   = eval {
        $handle->begin_work;
        my $rows = $handle->do($sql, undef, @bind);
        select undef, undef, undef, 0.02;
        $handle->commit;
        $rows > 0 ? 'done' : 'nothing';
    };
    return $done if $done;
    my $why = $handle->state eq 'LM001' ? $handle->pg_error_field('detail') : $handle->state;
    $handle->rollback;
    return $why;
}

my %seen;
for my $round (1 .. 6) {
    my $one = reported();
    $app->do(q{INSERT INTO lims.certificate (organization_id, sample_id, content)
        VALUES (?, ?, '{}')}, undef, @lab, $one->{id});
    my @both = sort $base->parallel(2, sub { attempt($open, @lab, $one->{id}, $lab->{user_id}) });
    $seen{"two open: @both"}++;

    my $other = $base->sample($lab, qw(PB));
    $app->do(q{UPDATE lims.sample_test SET result = '1' WHERE organization_id = ? AND id = ?},
        undef, @lab, $other->{PB});
    $app->do(q{UPDATE lims.sample_test SET status = 'verified' WHERE organization_id = ?
        AND id = ?}, undef, @lab, $other->{PB});
    my ($amended, $reported) = $base->parallel(2, sub {
        return $_[0] ? attempt($report, @lab, $other->{id})
            : attempt($open, @lab, $other->{id}, $lab->{user_id});
    });
    $seen{"amend and report: $reported"}++;
    fail("amended as $amended") if $amended !~ /\A(?:done|invalid_transition|esignature_required)\z/;

    my ($issued, $withdrawn) = $base->parallel(2, sub {
        return $_[0] ? attempt($withdraw, @lab, $one->{id})
            : attempt($issue, @lab, $one->{id}, $lab->{user_id});
    });
    my $ends = join ' ', sort { $a cmp $b } grep { $_ eq 'done' } $issued, $withdrawn;
    $seen{"issue and withdraw: $ends"}++;
    diag("issue $issued, withdraw $withdrawn") if $ends ne 'done';
    is($base->value('SELECT count(*) FROM lims.certificate WHERE sample_id = ?', $one->{id}),
        $issued eq 'done' ? 2 : 1, "round $round: issued or withdrawn");

    my $third = reported();
    opened($third);
    my ($made, $changed) = $base->parallel(2, sub {
        return $_[0] ? attempt($move, @lab, $third->{id})
            : attempt($issue, @lab, $third->{id}, $lab->{user_id});
    });
    my $place = $base->value(q{SELECT content #>> '{sample,plantLocation}' FROM lims.certificate
        WHERE sample_id = ?}, $third->{id});
    my $now = of_sample('plant_location', $third);
    is($now, ($place // '-'), "what is certified is what stands ($made, $changed)")
        if $made eq 'done';
}
is_deeply([ sort keys %seen ], [ 'amend and report: done', 'issue and withdraw: done',
        'two open: done invalid_transition' ], 'each ends as one order would');

done_testing();
