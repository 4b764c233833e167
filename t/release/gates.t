#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The eleven gates of the contract, each provoked at each endpoint that the
# contract names for it: status, slug, the ids of what blocks, no change. A key
# has no way around any.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);

sub verified {
    my ($sample, @tests) = $lab->worked(@_);
    $lab->verify($_) for @tests;
    return ($sample, @tests);
}

sub one_test {
    my (%column) = @_;
    my $sample = $lab->sample(testDefinitionIds => [ $lab->definition(%column) ]);
    return ($sample, $lab->tests($sample));
}

# The endpoints, as the contract's table calls them.
my %endpoint = (
    verify  => sub { $lims->post("/sample-tests/$_[1]/verify", {}) },
    report  => sub { $lims->post("/samples/$_[0]{id}/report", {}) },
    entry   => sub { $lims->patch("/sample-tests/$_[1]", { result => '7' }) },
    bulk    => sub { $lims->post('/sample-tests/bulk-results',
            { updates => [ { sampleTestId => $_[1], result => '7' } ] }) },
    completed => sub { $lims->patch("/samples/$_[0]{id}/status", { status => 'completed' }) },
    verified  => sub { $lims->patch("/samples/$_[0]{id}/status", { status => 'verified' }) },
    approval  => sub { $lims->patch("/approval-records/$_[2]", { status => 'approved' }) },
);

# [slug, status, member that names what blocks, what makes the state, endpoints].
# Making the state returns the sample, the test, and what is named.
my @gates = (
    [ blank_result => 409, 'testIds', sub {
            my ($sample, $test) = one_test();
            return ($sample, $test, $test);
        }, 'verify' ],
    [ worksheet_incomplete => 409, 'worksheetIds', sub {
            my $definition = $lab->definition(requires_worksheet => 't');
            $lab->worksheet_template($definition, ['Tare'], ['Analyst']);
            my $sample = $lab->sample(testDefinitionIds => [$definition]);
            my ($test) = $lab->tests($sample);
            $lab->enter($test, '1');
            return ($sample, $test, $lab->worksheet_fill($test, Tare => '1'));
        }, 'verify' ],
    [ qc_failed => 409, 'qcBatchIds', sub {
            my ($sample, $test) = $lab->worked(1);
            my $batch = $lab->qc_batch($test);
            $lab->qc_control($batch, 9);
            return ($sample, $test, $batch);
        }, 'verify', 'completed' ],
    [ qc_failed => 409, 'qcBatchIds', sub {
            my ($sample, $test) = $lab->worked(1);
            my $batch = $lab->qc_batch($test);
            $lab->verify($test);
            $lab->qc_control($batch, 9);
            return ($sample, $test, $batch);
        }, 'report', 'completed', 'verified' ],
    [ confirmation_required => 409, 'testIds', sub {
            my ($sample, $test) = one_test(requires_confirmation => 't');
            $lab->enter($test, '5');
            return ($sample, $test, $test);
        }, 'verify' ],
    [ confirmation_required => 409, 'testIds', sub {
            # A verified one cannot come about any more; data may be older.
            my ($sample, $test) = verified(1);
            $lims->db->do('ALTER TABLE lims.sample_test DISABLE TRIGGER USER');
            $lims->db->do(q{UPDATE lims.sample_test SET confirmation_status = 'pending'}
                    . ' WHERE id = ?', undef, $test);
            $lims->db->do('ALTER TABLE lims.sample_test ENABLE TRIGGER USER');
            return ($sample, $test, $test);
        }, 'report' ],
    [ media_qc_failed => 409, 'mediaLotIds', sub {
            my ($sample, $test) = $lab->worked(1);
            my $lot = $lab->media_lot($test);
            $lab->media_test($lot, 'growth_promotion', 'failed', 'E. coli');
            return ($sample, $test, $lot);
        }, 'verify' ],
    [ media_qc_failed => 409, 'mediaLotIds', sub {
            my ($sample, $test) = $lab->worked(1);
            my $lot = $lab->media_lot($test);
            $lab->verify($test);
            $lab->media_test($lot, 'sterility', 'failed');
            return ($sample, $test, $lot);
        }, 'report' ],
    [ incomplete_sample => 409, 'testIds', sub {
            my ($sample, $test) = one_test();
            return ($sample, $test, $test);
        }, 'report', 'completed', 'verified' ],
    [ incomplete_sample => 409, 'testIds', sub {
            my ($sample, $test) = $lab->worked(1);
            return ($sample, $test, $test);
        }, 'report', 'verified' ],
    [ reagent_lot_expired => 409, undef, sub {
            my ($sample, $test) = one_test();
            $lab->set_tests('reagent_lot_id', $lab->reagent_lot(expires_on => '2020-01-01'), $test);
            return ($sample, $test);
        }, 'entry', 'bulk' ],
    [ test_verified_locked => 409, 'testIds', sub {
            my ($sample, $test) = verified(1);
            return ($sample, $test, $test);
        }, 'entry', 'bulk', 'verify' ],
);

sub is_refused {
    my ($slug, $status, $member, $make, @endpoints) = @_;
    my ($sample, $test, $named) = $make->();

    for my $name (@endpoints) {
        my $changes = $lab->changes_of(sub {
            my $body = refused($endpoint{$name}->($sample, $test, $named), $status, $slug,
                "$slug at $name");
            my ($blocker) = grep { $_->{slug} eq $slug } @{ $body->{blockers} || [] };
            ok($blocker, "$slug is among the blockers");
            is($body->{blockers}[0]{slug}, $slug, "$slug is the first of the blockers");
            is_deeply($blocker->{$member}, [$named], "the blocker has $member") if $member;
        });
        is($changes, 0, 'the refusal changes nothing');
    }
    return;
}

for my $gate (@gates) {
    subtest "$gate->[0]: " . join(', ', @$gate[ 4 .. $#$gate ]) => sub { is_refused(@$gate) };
}

subtest 'esignature_required: verify' => sub {
    my ($sample, $test) = $lab->worked(1);
    $lab->policy(esignature_required => 't');
    is_refused('esignature_required', 403, 'testIds', sub { return ($sample, $test, $test) },
        'verify');
    $lab->policy(esignature_required => 'f');
};

subtest 'not_receivable: receive' => sub {
    my $sample = $lab->sample;
    $lab->status($sample, 'processing');
    my $changes = $lab->changes_of(sub {
        my $body = $lims->post('/samples/receive', { sampleIds => [ $sample->{id} ] })->json;
        is("$body->{skipped}[0]{status} $body->{skipped}[0]{error}", '409 not_receivable',
            'listed under skipped');
    });
    is($changes, 0, 'no row has changed');
};

# From here on every sample is asked for approval.
subtest 'approval_required: report' => sub {
    my ($sample, $test) = verified(1);
    $lab->approval_steps('Technical review', 'Final approval');
    my $refuses = sub {
        my ($approval, $name) = @_;
        my $changes = $lab->changes_of(sub {
            my $body = refused($endpoint{report}->($sample), 409, 'approval_required', $name);
            is_deeply($body->{blockers}[0]{approvalIds}, $approval ? [$approval] : undef,
                'the blocker has approvalIds');
        });
        is($changes, 0, 'the refusal changes nothing');
    };
    $refuses->(undef, 'not asked for yet');
    $lab->status($sample, 'completed');
    my @ids = map { $_->{id} } @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} };
    $refuses->($ids[0], 'the first step is open');
    $lims->patch("/approval-records/$ids[0]", { status => 'approved' });
    $refuses->($ids[1], 'the final step is open');
    $lims->patch("/approval-records/$ids[1]", { status => 'rejected', comment => 'no' });
    $refuses->($ids[1], 'rejected');
    $lab->policy(coa_before_approval => 't');
    $refuses->($ids[1], 'rejected, whatever the policy');

    my ($second) = verified(1);
    $lab->status($second, 'completed');
    is($endpoint{report}->($second)->status, 200, 'open, where the policy allows a report before');
    $lab->policy(coa_before_approval => 'f');
};

subtest 'esignature_required: approval-records' => sub {
    my ($sample, $test) = verified(1);
    $lab->status($sample, 'completed');
    my ($id) = map { $_->{id} } @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} };
    $lab->policy(esignature_required => 't');
    my $changes = $lab->changes_of(sub {
        refused($endpoint{approval}->($sample, $test, $id), 403, 'esignature_required',
            'the act without a signature');
    });
    is($changes, 0, 'no row has changed');
    $lab->policy(esignature_required => 'f');
    is($endpoint{approval}->($sample, $test, $id)->status, 200,
        'without the policy the act is done');
};

subtest 'a refused report lists every blocker, in the contract\'s order' => sub {
    my $confirm = $lab->definition(requires_confirmation => 't');
    my $sample  = $lab->sample(testDefinitionIds => [ $confirm, $lab->definition ]);
    my @tests   = $lab->tests($sample);
    $lab->enter($tests[0], '5');
    my $batch = $lab->qc_batch($tests[1]);
    my $lot   = $lab->media_lot(@tests);
    $lab->qc_control($batch, 9);
    $lab->media_test($lot, 'sterility', 'failed');
    my $body = refused($endpoint{report}->($sample), 409, 'incomplete_sample', 'the first');
    my %of   = map { $_->{slug} => $_ } @{ $body->{blockers} };
    is_deeply([ map { $_->{slug} } @{ $body->{blockers} } ], [qw(incomplete_sample qc_failed
            approval_required confirmation_required media_qc_failed)],
                'all five blockers, in order');
    is_deeply($of{incomplete_sample}{testIds},     \@tests,        'the blocker names the tests');
    is_deeply($of{qc_failed}{qcBatchIds},          [$batch],
        'the blocker names the QC batches');
    is_deeply($of{confirmation_required}{testIds}, [ $tests[0] ],  'presumptive positives');
    is_deeply($of{media_qc_failed}{mediaLotIds},   [$lot],
        'the blocker names the media lots');
    is($body->{qcBatches}[0]{id}, $batch, 'the batch has the contract\'s form');
};

done_testing();
