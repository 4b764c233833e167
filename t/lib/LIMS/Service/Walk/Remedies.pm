# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Walk::Remedies;

=head1 NAME

LIMS::Service::Walk::Remedies - bringing a sample to its end by what its findings say

=head1 SYNOPSIS

    my $stuck = LIMS::Service::Walk::Remedies::finish($actor, $sample);

=head1 DESCRIPTION

    finish($actor, $id)    at most 40 acts by which the sample is reported and its amendment
                           issued or withdrawn; what stood in the way, or nothing

Each category of finding has a route out, which somebody takes who may. A category that is
not known here, and one out of which nobody may take the way, is a dead end.

=cut

use strict;
use warnings;

use List::Util qw(first);

my $ACTS = 40;
my @why  = (reason => 'a walk');

my %remedy = (
    incomplete_result => sub {
        my ($actor, $sample, $finding) = @_;
        return $actor->somebody('sample.edit', 'sample add-tests', $sample->{id},
            testDefinitionIds => [ $actor->{definitions}[0] ], @why) unless $finding->{sampleTestId};
        return _enter($actor, $finding->{sampleTestId});
    },
    unverified_result => sub {
        my ($actor, $sample, $finding) = @_;
        my ($test) = grep { $_->{id} == $finding->{sampleTestId} } @{ $sample->{tests} };
        return _enter($actor, $test->{id}, $test->{result}) if $test->{returned};
        my ($ok, $answer, $why) = $actor->somebody('result.verify', 'sample-test verify', $test->{id});
        # Where all who verify have entered in it, one of them having named a lot and another
        # the other, the whole by one person leads on.
        return $ok || $why !~ /self_verification/ ? ($ok, $answer, $why)
            : _enter($actor, $test->{id}, undef, reagentLotId => undef, mediaLotId => undef);
    },
    approval_required => sub {
        my ($actor, $sample, $finding) = @_;
        return _complete($actor, $sample) unless $finding->{approvalId};
        my ($ok, $answer, $why) = $actor->somebody('approval.decide', 'approval decide',
            $finding->{approvalId}, status => 'approved');
        # Where all who could approve have verified in it, another's verification leads on.
        return $ok || $why !~ /self_approval/ ? ($ok, $answer, $why) : _hand_over($actor, $sample);
    },
    approval_rejected => sub {
        my ($actor, $sample) = @_;
        return $actor->somebody('certificate.amend', 'amendment resubmit', $sample->{amendment}{id},
            @why) if $sample->{amendment};
        return _complete($actor, $sample);
    },
    qc_failed => sub {
        my ($actor, $sample, $finding) = @_;
        return $actor->somebody('qc.override', 'qc-batch override', $finding->{qcBatchId}, @why);
    },
    qc_pending => sub {
        my ($actor, $sample, $finding) = @_;
        return $actor->somebody('qc.override', 'qc-batch override', $finding->{qcBatchId}, @why)
            if $finding->{qcBatchId};
        return _control($actor, $finding->{sampleTestId});
    },
    confirmation_required => sub {
        my ($actor, $sample, $finding) = @_;
        return $actor->somebody('confirmation.decide', 'confirmation outcome',
            $finding->{sampleTestId}, outcome => 'confirmed');
    },
    worksheet_incomplete => sub {
        my ($actor, $sample, $finding) = @_;
        my $test = $finding->{sampleTestId};
        # A signed sheet is filled, and only misses the signature for the present result.
        my ($filled, undef, $why) = $actor->somebody('worksheet.fill', 'worksheet fill', undef,
            sampleTestId => $test, values => [ { field => 'weight', value => '1.2' } ]);
        my $sheet = $actor->value('SELECT id FROM lims.worksheet WHERE sample_test_id = ?', $test)
            or return (0, undef, $why);
        return $actor->somebody('worksheet.sign', 'worksheet sign-off', $sheet, step => 'Analyst',
            meaning => 'performed');
    },
    media_qc_failed => sub {
        my ($actor, $sample, $finding) = @_;
        return $actor->somebody('lot.release', 'media-lot test', $finding->{mediaLotId},
            kind => 'sterility', outcome => 'passed', @why);
    },
    lot_not_released => sub {
        my ($actor, $sample, $finding) = @_;
        return $actor->somebody('qc.override', 'sample override-lot', $sample->{id}, @why,
            map { $finding->{$_} ? ($_ => $finding->{$_}) : () } qw(reagentLotId mediaLotId));
    },
    sample_on_hold => sub {
        my ($actor, $sample) = @_;
        return $actor->somebody('sample.edit', 'sample disposition', $sample->{id},
            disposition => 'active', @why);
    },
    investigation_open => sub {
        my ($actor, $sample, $finding) = @_;
        return _close($actor, $finding->{investigationId});
    },
    retest_undecided => sub {
        my ($actor, $sample, $finding) = @_;
        my ($asked) = grep { $_->{id} == $finding->{sampleTestId} } @{ $sample->{tests} };
        my ($test) = sort { ($b->{status} eq 'verified') <=> ($a->{status} eq 'verified') }
            grep { $_->{testDefinitionId} == $asked->{testDefinitionId}
                && $_->{disposition} eq 'active' && !$_->{reported} } @{ $sample->{tests} };
        return _enter($actor, $test->{id}) if $test->{status} eq 'pending';
        return $actor->somebody('result.verify', 'sample-test verify', $test->{id})
            if $test->{status} eq 'entered';
        my ($ok, $answer, $why) = $actor->somebody('result.verify', 'sample-test choose',
            $test->{id}, @why);
        return ($ok, $answer, $why) if $ok || $why !~ /"error":"investigation_open"/;
        return _close($actor, $actor->value('SELECT min(id) FROM lims.investigation'
                . " WHERE status NOT IN ('closed', 'cancelled') AND sample_id = ?", $sample->{id}));
    },
);

# Work comes first, then what it has to pass, then people's decisions.
my @ORDER = qw(sample_on_hold incomplete_result qc_pending qc_failed confirmation_required
    worksheet_incomplete media_qc_failed lot_not_released unverified_result retest_undecided
    investigation_open approval_rejected approval_required);

# Where a lot of the test is quarantined, it is released first.
sub _enter {
    my ($actor, $test, $result, %more) = @_;
    my ($ok, $answer, $refusal) = $actor->somebody('result.enter', 'sample-test enter', $test, @why,
        result => $result // '7.' . (1 + int rand 9), %more);
    return ($ok, $answer, $refusal) if $ok || $refusal !~ /"error":"lot_not_released"/;
    my $kind = $refusal =~ /Media lot/ ? 'media' : 'reagent';
    my $lot = $actor->value("SELECT ${kind}_lot_id FROM lims.sample_test WHERE id = ?", $test);
    return $actor->somebody('lot.release', "$kind-lot release", $lot, @why);
}

sub _complete {
    my ($actor, $sample) = @_;
    my $completed = $sample->{status} =~ /\A(?:completed|verified)\z/;
    return $actor->somebody('result.enter', 'sample status', $sample->{id}, @why,
        status => $completed ? 'processing' : 'completed');
}

# A batch with the controls that the method asks for today, which covers the test.
sub _control {
    my ($actor, $test) = @_;
    my $template = $actor->value(q{SELECT max(id) FROM lims.qc_template WHERE organization_id = ?
        AND method = 'EPA 200.8' AND active}, $actor->{organization}{id});
    my ($ok, $batch, $why) = $actor->somebody('qc.enter', 'qc-batch create', undef,
        batchNumber => $actor->name, qcTemplateId => $template, sampleTestIds => [$test]);
    return ($ok, $batch, $why) unless $ok;
    return $actor->somebody('qc.enter', 'qc-control update', $batch->{controls}[0]{id},
        measuredValue => 50);
}

sub _close {
    my ($actor, $investigation) = @_;
    return $actor->somebody('investigation.close', 'investigation advance', $investigation,
        status => 'cancelled', conclusion => 'a walk');
}

# Reopens what was verified by one who has to approve, and has it entered anew, so that the
# one who verifies most may verify it too.
sub _hand_over {
    my ($actor, $sample) = @_;
    my ($usual) = map { $actor->{people}{$_}{id} }
        grep { $actor->may($_, 'result.verify') } $actor->everybody;
    my ($test) = sort { ($a->{verifiedBy} == $usual) <=> ($b->{verifiedBy} == $usual) }
        grep { $_->{status} eq 'verified' && $_->{disposition} eq 'active' } @{ $sample->{tests} };
    my @reopened = $actor->somebody('result.reopen', 'sample-test reopen', $test->{id}, @why);
    return $reopened[0] ? _enter($actor, $test->{id}) : @reopened;
}

# Withdrawn half of the time; issued otherwise.
sub _close_amendment {
    my ($actor, $sample) = @_;
    if (rand() < 0.5) {
        my ($ok) = $actor->somebody('certificate.amend', 'amendment withdraw',
            $sample->{amendment}{id}, @why);
        return (1) if $ok;
    }
    return $actor->somebody('certificate.amend', 'certificate issue', undef,
        sampleId => $sample->{id}, @why);
}

# One act towards the end: (whether it was done, its answer, what stood in the way).
sub _step {
    my ($actor, $sample) = @_;
    my $ready = $actor->see("/samples/$sample->{id}/readiness");
    my %blocks;

    push @{ $blocks{ $_->{category} } }, $_
        for grep { $_->{severity} eq 'blocking' } @{ $ready->{findings} };
    my @unknown = grep { !$remedy{$_} } sort keys %blocks;
    return (0, undef, "no way is known out of @unknown") if @unknown;
    return $actor->somebody('sample.receive', 'sample receive', undef,
        sampleIds => [ $sample->{id} ]) if $sample->{status} eq 'pending';
    if (my $category = first { $blocks{$_} } @ORDER) {
        my ($ok, $answer, $why) = $remedy{$category}->($actor, $sample, $blocks{$category}[0]);
        return ($ok, $answer, "$category ($blocks{$category}[0]{message}): $why");
    }
    return _close_amendment($actor, $sample) if $sample->{amendment};
    return $actor->somebody('sample.report', 'sample report', $sample->{id});
}

sub _is_ended {
    my ($sample) = @_;
    return !$sample->{amendment} && ($sample->{status} eq 'reported'
        || $sample->{disposition} =~ /\A(?:cancelled|rejected|disposed)\z/);
}

sub finish {
    my ($actor, $id) = @_;
    my @said;

    for (1 .. $ACTS) {
        my $sample = $actor->see("/samples/$id");
        return '' if _is_ended($sample);
        my ($ok, undef, $why) = _step($actor, $sample);
        push @said, $why if !$ok;
    }
    my $sample = $actor->see("/samples/$id");
    return '' if _is_ended($sample);
    my @last = @said > 3 ? @said[ -3 .. -1 ] : @said;
    return "sample $id is $sample->{status} after $ACTS acts: " . join '; ', @last;
}

1;
