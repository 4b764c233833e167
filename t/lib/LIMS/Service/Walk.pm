# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Walk;

=head1 NAME

LIMS::Service::Walk - people of a laboratory who act at random, and then bring all samples to an end

=head1 SYNOPSIS

    my $walk = LIMS::Service::Walk->new(people => { 'Una One' => ['lab_manager'] }, strict => 1);
    $walk->wander(1000);
    my @stuck = $walk->finish;

=head1 DESCRIPTION

    new(people => { name => [roles] }, strict => $bool)
                    a laboratory of these people; strict switches on every policy that they
                    can meet, each by itself
    wander($count)  that many acts, of anybody, on any sample; most refusals are expected
    finish          brings every sample to its end by what its findings say; what is not
                    reported after 40 acts, and what amendment is still open, in words
    amend           opens amendments of all reported samples, among which to wander on; how many
    broken_rules    what the trail says was released against a policy in force
    end             ends the process that acts

People act by L<acts.c>, which is limsctl for many commands. An API key enters and reads.

=cut

use strict;
use warnings;

use IPC::Open2 qw(open2);
use JSON::PP ();
use List::Util qw(first shuffle);

use LIMS::Instance;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::TrailRules;
use LIMS::Test;

my $PASSWORD = 'correct horse battery staple';
my @POLICIES = ([ selfVerification => 'refused' ], [ approverMayBeVerifier => JSON::PP::false ],
    [ reasonOnChange => JSON::PP::true ], [ openInvestigationBlocks => JSON::PP::true ],
    [ qcRequired => 'block' ], [ lotQcPolicy => 'block' ]);

sub new {
    my ($class, %option) = @_;
    my $lims = LIMS::Test->new;
    my $self = bless { lims => $lims, lab => LIMS::Service::Laboratory->new($lims), count => 0,
        samples => [], seen => {} }, $class;

    my $out = LIMS::Instance::out();
    $self->{pid} = open2($self->{from}, $self->{to}, "$out/t/walk/acts", $lims->conninfo,
        $PASSWORD);
    for my $name (sort keys %{ $option{people} }) {
        my $person = LIMS::Service::CommandLine->new($lims, $name, roles => $option{people}{$name});
        $self->{people}{$name} = { user => $person->{user}, id => $person->{id} };
    }
    # The administrator of the fixture, for whom the key acts, is nobody else's deputy.
    $lims->db->do('DELETE FROM lims.user_role WHERE user_id <> ALL (?)', undef,
        [ map { $_->{id} } values %{ $self->{people} } ]);
    $self->_furnish;
    $self->_be_strict if $option{strict};
    return $self;
}

sub end {
    my ($self) = @_;
    close $self->{to};
    waitpid $self->{pid}, 0;
    return;
}

# What the laboratory works with: a plain number with limits, one with quality control, one
# that has to be confirmed, one with a worksheet.
sub _furnish {
    my ($self) = @_;
    my $lab = $self->{lab};

    $lab->approval_steps('Technical review', 'Quality assurance');
    $self->{definitions} = [
        $lab->definition(code => 'PH', specification_low => 6, specification_high => 8),
        $lab->definition(code => 'PB', method => 'EPA 200.8', specification_high => 15),
        $lab->definition(code => 'FC', requires_confirmation => 't'),
        $lab->definition(code => 'TDS', requires_worksheet => 't') ];
    $lab->worksheet_template($self->{definitions}[3], ['weight'], ['Analyst']);
    $self->{material} = $lab->material;
    my ($manager) = grep { $self->_may($_, 'reference.manage') } $self->_everybody;
    $self->act($manager, 'qc-template create', undef, method => 'EPA 200.8', name => 'Metals',
        controls => [ { type => 'LFB', testDefinitionId => $self->{definitions}[1],
            criterion => 'recovery', expectedValue => 50, lowerLimit => 85, upperLimit => 115 } ]);
    $self->{lots} = [ map { $lab->reagent_lot } 1 .. 2 ];
    $self->{media} = [ map { $lab->media_lot } 1 .. 2 ];
    return;
}

sub _be_strict {
    my ($self) = @_;
    my ($administrator) = grep { $self->_may($_, 'policy.manage') } $self->_everybody;
    my @set;

    $self->act($administrator, 'organization update', undef, approvalStepRoles =>
            [qw(lab_manager qa_officer)], reason => 'roles of the steps');
    for my $policy (@POLICIES) {
        my ($ok) = $self->act($administrator, 'organization update', undef,
            policies => { $policy->[0] => $policy->[1] }, reason => 'strict');
        push @set, $policy->[0] if $ok;
    }
    my ($ok) = $self->act($administrator, 'organization update', undef,
        esignatureRequired => 'true', reason => 'strict');
    push @set, 'esignatureRequired' if $ok;
    $self->{policies} = join ' ', @set;
    $self->{is} = { map { $_ => 1 } @set };
    return;
}

# --- Acting --------------------------------------------------------------------------

sub _everybody { return sort keys %{ $_[0]{people} } }

sub _may {
    my ($self, $name, $permission) = @_;
    return $self->{may}{$name}{$permission} //= $self->{lab}->value(
        'SELECT lims.has_permission(?, ?, ?)', $self->{lab}{organization}{id},
        $self->{people}{$name}{id}, $permission) ? 1 : 0;
}

sub _text {
    my ($value) = @_;
    return $value unless ref $value;
    return join ',', @$value if ref $value eq 'ARRAY' && !grep { ref } @$value;
    return JSON::PP->new->canonical->encode($value);
}

# (whether it was done, the answer or the refusal)
sub act {
    my ($self, $name, $command, $id, %option) = @_;
    my @words = ('--organization', $self->{lab}{organization}{code}, '--user',
        $self->{people}{$name}{user}, split(' ', $command), defined $id ? $id : (),
        map { ('--' . lc(s/([A-Z])/-$1/gr), _text($option{$_})) } sort keys %option);

    print { $self->{to} } join("\x1f", @words), "\n" or die "acts: $!\n";
    $self->{to}->flush;
    my $line = readline $self->{from};
    die "acts ended at: @words\n" unless defined $line;
    my ($exit, $answer) = split /\t/, $line, 2;
    $self->{count}++;
    my $json = eval { JSON::PP->new->utf8->decode($answer) };
    $self->{seen}{"$command " . ($exit ? $json->{error} // '?' : 'done')}++;
    die "$command: $answer"
        if $exit && ($json->{error} // '') =~ /\A(?:internal_error|invalid_query)\z/;
    return (!$exit, $json, $exit ? "$command by $name: $answer" : '');
}

# By the first who may; a refusal that concerns the person lets the next one try.
sub somebody {
    my ($self, $permission, $command, $id, %option) = @_;
    my $why = "nobody has $permission";

    for my $name (shuffle grep { $self->_may($_, $permission) } $self->_everybody) {
        my ($ok, $json, $said) = $self->act($name, $command, $id, %option);
        return (1, $json) if $ok;
        $why = $said;
        last if $json->{error} !~ /\A(?:permission_required|self_\w+)\z/;
    }
    return (0, $why);
}

sub key {
    my ($self, $method, $path, $body) = @_;
    $self->{count}++;
    return $self->{lims}->request($method, $path, defined $body ? (body => $body) : ());
}

sub sample {
    my ($self, $id) = @_;
    return $self->{lims}->get("/samples/$id")->json;
}

# --- Wandering -----------------------------------------------------------------------

sub _one { return $_[ int rand @_ ] }

my @values = ('7.1', '7.5', '9.4', '12', '<1', '0', '40', 'not read');

sub _register {
    my ($self) = @_;
    my $made = $self->key(POST => '/samples', { clientName => 'Riverbend',
            materialTypeId => $self->{material}, testDefinitionIds => [ (shuffle
                @{ $self->{definitions} })[ 0 .. int rand 3 ] ] })->json;
    push @{ $self->{samples} }, $made->{id};
    $self->key(POST => '/samples/receive', { sampleIds => [ $made->{id} ] }) if rand() < 0.9;
    return;
}

my %idea = (
    enter => sub {
        my ($self, $sample, $test, $who) = @_;
        return $self->key(PATCH => "/sample-tests/$test->{id}", { result => _one(@values),
                reason => 'read again',
                (rand() < 0.3 ? (reagentLotId => _one(@{ $self->{lots} })) : ()),
                (rand() < 0.3 ? (mediaLotId => _one(@{ $self->{media} })) : ()) }) if rand() < 0.5;
        return $self->act($who, 'sample-test enter', $test->{id}, result => _one(@values),
            reason => 'read again');
    },
    (map { my $act = $_; ($act => sub {
        my ($self, $sample, $test, $who) = @_;
        return $self->act($who, "sample-test $act", $test->{id},
            $act eq 'verify' ? () : (reason => 'a walk'));
    }) } qw(verify reopen cancel restore retest choose return)),
    add => sub {
        my ($self, $sample, $test, $who) = @_;
        return $self->act($who, 'sample add-tests', $sample->{id},
            testDefinitionIds => [ _one(@{ $self->{definitions} }) ]);
    },
    status => sub {
        my ($self, $sample, $test, $who) = @_;
        return $self->act($who, 'sample status', $sample->{id}, reason => 'a walk',
            status => _one(qw(pending received processing completed verified)));
    },
    hold => sub {
        my ($self, $sample, $test, $who) = @_;
        return $self->act($who, 'sample disposition', $sample->{id}, reason => 'a walk',
            disposition => _one(qw(on_hold active on_hold cancelled active rejected disposed)));
    },
    decide => sub {
        my ($self, $sample, $test, $who) = @_;
        my @open = grep { $_->{status} eq 'pending' }
            @{ $self->{lims}->get("/samples/$sample->{id}/approvals?limit=500")->json->{data} };
        return unless @open;
        return $self->act($who, 'approval decide', _one(@open)->{id}, comment => 'a walk',
            status => _one(qw(approved approved rejected)));
    },
    batch => sub {
        my ($self, $sample, $test, $who) = @_;
        my ($ok, $batch) = $self->act($who, 'qc-batch create', undef,
            batchNumber => 'W' . ++$self->{batches}, method => 'EPA 200.8',
            sampleTestIds => [ $test->{id} ]);
        return unless $ok;
        $self->act($who, 'qc-control add', undef, qcBatchId => $batch->{id},
            controlType => 'LFB', testDefinitionId => $self->{definitions}[1],
            criterion => 'recovery', expectedValue => 50, measuredValue => _one(49, 51, 70),
            lowerLimit => 85, upperLimit => 115);
        return $self->act($who, 'qc-batch evaluate', $batch->{id});
    },
    lot => sub {
        my ($self, $sample, $test, $who) = @_;
        return $self->act($who, 'reagent-lot quarantine', _one(@{ $self->{lots} }),
            reason => 'a walk') if rand() < 0.4;
        return $self->act($who, 'reagent-lot release', _one(@{ $self->{lots} }),
            reason => 'a walk') if rand() < 0.4;
        return $self->act($who, 'media-lot quarantine', _one(@{ $self->{media} }),
            reason => 'a walk') if rand() < 0.3;
        return $self->act($who, 'media-lot test', _one(@{ $self->{media} }), reason => 'a walk',
            kind => 'sterility', outcome => _one(qw(passed failed)));
    },
    inquiry => sub {
        my ($self, $sample, $test, $who) = @_;
        return $self->act($who, 'investigation create', undef, title => 'A walk',
            kind => 'deviation', sampleId => $sample->{id});
    },
    report => sub {
        my ($self, $sample) = @_;
        return $self->key(POST => "/samples/$sample->{id}/report", {});
    },
    issue => sub {
        my ($self, $sample, $test, $who) = @_;
        return $self->act($who, 'certificate issue', undef, sampleId => $sample->{id});
    },
    amend => sub {
        my ($self, $sample, $test, $who) = @_;
        return $self->act($who, 'amendment ' . _one(qw(withdraw resubmit)),
            $sample->{amendment}{id}, reason => 'a walk') if $sample->{amendment};
        return $self->act($who, 'sample amend', $sample->{id}, reason => 'a walk',
            rand() < 0.5 ? (changes => { plantLocation => 'Well ' . int rand 9 }) : ());
    },
    sheet => sub {
        my ($self, $sample, $test, $who) = @_;
        my $sheet = $self->_sheet($test->{id});
        return $self->act($who, 'worksheet withdraw', $sheet, reason => 'a walk')
            if $sheet && rand() < 0.3;
        return $self->act($who, 'worksheet sign-off', $sheet, step => 'Analyst',
            meaning => 'performed') if $sheet && rand() < 0.5;
        return $self->act($who, 'worksheet fill', undef, sampleTestId => $test->{id},
            values => [ { field => 'weight', value => _one('1.2', '1.3') } ]);
    },
);

sub wander {
    my ($self, $count) = @_;
    my $until = $self->{count} + $count;

    while ($self->{count} < $until) {
        if (!@{ $self->{samples} } || rand() < 0.04) {
            $self->_register;
            next;
        }
        my $sample = $self->sample(_one(@{ $self->{samples} }));
        my $test   = _one(@{ $sample->{tests} }) or next;
        my $act    = _one(('enter') x 6, ('verify') x 4, sort keys %idea);
        $idea{$act}->($self, $sample, $test, _one($self->_everybody));
    }
    return;
}

# --- To the end ----------------------------------------------------------------------

my %remedy = (
    incomplete_result => sub {
        my ($self, $sample, $finding) = @_;
        return $self->somebody('sample.edit', 'sample add-tests', $sample->{id},
            testDefinitionIds => [ $self->{definitions}[0] ]) unless $finding->{sampleTestId};
        return $self->_enter($finding->{sampleTestId});
    },
    unverified_result => sub {
        my ($self, $sample, $finding) = @_;
        my ($test) = grep { $_->{id} == $finding->{sampleTestId} } @{ $sample->{tests} };
        return $self->_enter($test->{id}, $test->{result}) if $test->{returned};
        my ($ok, $why) = $self->somebody('result.verify', 'sample-test verify', $test->{id});
        # Where all who verify have entered in it, a value by somebody else leads on.
        return $ok || $why !~ /self_verification/ ? ($ok, $why) : $self->_enter($test->{id});
    },
    approval_required => sub {
        my ($self, $sample, $finding) = @_;
        return $self->_complete($sample) unless $finding->{approvalId};
        my ($ok, $why) = $self->somebody('approval.decide', 'approval decide',
            $finding->{approvalId}, status => 'approved');
        # Where all who could approve have verified in it, another's verification leads on.
        return $ok || $why !~ /self_approval/ ? ($ok, $why) : $self->_hand_over($sample);
    },
    approval_rejected => sub {
        my ($self, $sample) = @_;
        return $self->somebody('certificate.amend', 'amendment resubmit', $sample->{amendment}{id},
            reason => 'a walk') if $sample->{amendment};
        return $self->_complete($sample);
    },
    qc_failed => sub {
        my ($self, $sample, $finding) = @_;
        return $self->somebody('qc.override', 'qc-batch override', $finding->{qcBatchId},
            reason => 'a walk');
    },
    qc_pending => sub {
        my ($self, $sample, $finding) = @_;
        return $self->somebody('qc.override', 'qc-batch override', $finding->{qcBatchId},
            reason => 'a walk') if $finding->{qcBatchId};
        return $self->_control($finding->{sampleTestId});
    },
    confirmation_required => sub {
        my ($self, $sample, $finding) = @_;
        return $self->somebody('confirmation.decide', 'confirmation outcome',
            $finding->{sampleTestId}, outcome => 'confirmed');
    },
    worksheet_incomplete => sub {
        my ($self, $sample, $finding) = @_;
        my $test = $finding->{sampleTestId};
        # A signed sheet is filled, and only misses the signature for the present result.
        my ($filled, $why) = $self->somebody('worksheet.fill', 'worksheet fill', undef,
            sampleTestId => $test, values => [ { field => 'weight', value => '1.2' } ]);
        return (0, $why) unless $self->_sheet($test);
        return $self->somebody('worksheet.sign', 'worksheet sign-off', $self->_sheet($test),
            step => 'Analyst', meaning => 'performed');
    },
    media_qc_failed => sub {
        my ($self, $sample, $finding) = @_;
        return $self->somebody('lot.release', 'media-lot test', $finding->{mediaLotId},
            kind => 'sterility', outcome => 'passed', reason => 'a walk');
    },
    lot_not_released => sub {
        my ($self, $sample, $finding) = @_;
        return $self->somebody('qc.override', 'sample override-lot', $sample->{id},
            reason => 'a walk', map { $finding->{$_} ? ($_ => $finding->{$_}) : () }
                qw(reagentLotId mediaLotId));
    },
    sample_on_hold => sub {
        my ($self, $sample) = @_;
        return $self->somebody('sample.edit', 'sample disposition', $sample->{id},
            disposition => 'active', reason => 'a walk');
    },
    investigation_open => sub {
        my ($self, $sample, $finding) = @_;
        return $self->_close($finding->{investigationId});
    },
    retest_undecided => sub {
        my ($self, $sample, $finding) = @_;
        my ($asked) = grep { $_->{id} == $finding->{sampleTestId} } @{ $sample->{tests} };
        my ($test) = sort { ($b->{status} eq 'verified') <=> ($a->{status} eq 'verified') }
            grep { $_->{testDefinitionId} == $asked->{testDefinitionId}
                && $_->{disposition} eq 'active' && !$_->{reported} } @{ $sample->{tests} };
        return $self->_enter($test->{id}) if $test->{status} eq 'pending';
        return $self->somebody('result.verify', 'sample-test verify', $test->{id})
            if $test->{status} eq 'entered';
        my ($ok, $why) = $self->somebody('result.verify', 'sample-test choose', $test->{id},
            reason => 'a walk');
        return ($ok, $why) if $ok || $why !~ /"error":"investigation_open"/;
        return $self->_close($self->{lab}->value('SELECT min(id) FROM lims.investigation'
                . " WHERE status NOT IN ('closed', 'cancelled') AND sample_id = ?", $sample->{id}));
    },
);

# Work comes first, then what it has to pass, then people's decisions.
my @order = qw(sample_on_hold incomplete_result qc_pending qc_failed confirmation_required
    worksheet_incomplete media_qc_failed lot_not_released unverified_result retest_undecided
    investigation_open approval_rejected approval_required);

sub _enter {
    my ($self, $test, $result) = @_;
    return $self->somebody('result.enter', 'sample-test enter', $test, result => $result
            // _one('7.1', '7.2', '7.3', '7.4'), reason => 'a walk');
}

sub _complete {
    my ($self, $sample) = @_;
    return $self->somebody('result.enter', 'sample status', $sample->{id}, status => 'completed')
        if $sample->{status} ne 'completed' && $sample->{status} ne 'verified';
    return $self->somebody('result.enter', 'sample status', $sample->{id},
        status => 'processing', reason => 'a walk');
}

# A batch of the method with its controls, which covers the test.
sub _control {
    my ($self, $test) = @_;
    my ($template) = $self->{lab}->value('SELECT max(id) FROM lims.qc_template');
    my ($ok, $batch) = $self->somebody('qc.enter', 'qc-batch create', undef,
        batchNumber => 'W' . ++$self->{batches}, qcTemplateId => $template,
        sampleTestIds => [$test]);
    return ($ok, $batch) unless $ok;
    my $control = $batch->{controls}[0]{id};
    return $self->somebody('qc.enter', 'qc-control update', $control, measuredValue => 50);
}

sub _close {
    my ($self, $investigation) = @_;
    return $self->somebody('investigation.close', 'investigation advance', $investigation,
        status => 'cancelled', conclusion => 'a walk');
}

# Reopens what those have verified who have to approve, for another to verify.
sub _hand_over {
    my ($self, $sample) = @_;
    my ($test) = grep { $_->{status} eq 'verified' && $_->{disposition} eq 'active' }
        @{ $sample->{tests} };
    return $self->somebody('result.reopen', 'sample-test reopen', $test->{id}, reason => 'a walk');
}

sub _sheet {
    my ($self, $test) = @_;
    return $self->{lab}->value('SELECT id FROM lims.worksheet WHERE sample_test_id = ?', $test);
}

sub _is_ended {
    my ($sample) = @_;
    return !$sample->{amendment} && ($sample->{status} eq 'reported'
        || $sample->{disposition} =~ /\A(?:cancelled|rejected|disposed)\z/);
}

# One act towards the end; what went wrong, or nothing.
sub _step {
    my ($self, $sample) = @_;
    my $ready = $self->{lims}->get("/samples/$sample->{id}/readiness")->json;
    my %blocks;

    push @{ $blocks{ $_->{category} } }, $_
        for grep { $_->{severity} eq 'blocking' } @{ $ready->{findings} };
    my @unknown = grep { my $category = $_; !grep { $_ eq $category } @order } keys %blocks;
    return "no way is known out of @unknown" if @unknown;
    if ($sample->{status} eq 'pending') {
        my ($ok, $why) = $self->somebody('sample.receive', 'sample receive', undef,
            sampleIds => [ $sample->{id} ]);
        return $ok ? '' : $why;
    }
    if (my $category = first { $blocks{$_} } @order) {
        my ($ok, $why) = $remedy{$category}->($self, $sample, $blocks{$category}[0]);
        return $ok ? '' : "$category ($blocks{$category}[0]{message}): $why";
    }
    return $self->_close_amendment($sample) if $sample->{amendment};
    my ($ok, $why) = $self->somebody('sample.report', 'sample report', $sample->{id});
    return $ok ? '' : $why;
}

# Withdrawn where nothing differs, half of the time; issued otherwise.
sub _close_amendment {
    my ($self, $sample) = @_;
    my ($ok, $why) = rand() < 0.5 ? $self->somebody('certificate.amend', 'amendment withdraw',
        $sample->{amendment}{id}, reason => 'a walk') : ();
    return '' if $ok;
    ($ok, $why) = $self->somebody('certificate.amend', 'certificate issue', undef,
        sampleId => $sample->{id}, reason => 'a walk');
    return $ok ? '' : $why;
}

sub finish {
    my ($self) = @_;
    my @stuck;

    $self->_take_back;
    for my $id (@{ $self->{samples} }) {
        my (@said, $sample);
        for (1 .. 40) {
            $sample = $self->sample($id);
            last if _is_ended($sample);
            my $why = $self->_step($sample);
            push @said, $why if $why;
        }
        $sample = $self->sample($id);
        push @stuck, "sample $id is $sample->{status}: " . join('; ', @said[ -3 .. -1 ])
            if !_is_ended($sample);
    }
    push @stuck, map { "amendment $_ is neither issued nor withdrawn" }
        @{ $self->{lims}->db->selectcol_arrayref(
            "SELECT id FROM lims.amendment WHERE status = 'open'") };
    return @stuck;
}

# Half of what was cancelled is needed after all.
sub _take_back {
    my ($self) = @_;
    for my $id (grep { rand() < 0.5 } @{ $self->{samples} }) {
        $self->somebody('sample.cancel', 'sample disposition', $id, disposition => 'active',
            reason => 'a walk')
            if $self->sample($id)->{disposition} =~ /\A(?:cancelled|rejected)\z/;
    }
    return;
}

# Opens amendments of all samples that are reported; how many.
sub amend {
    my ($self) = @_;
    return scalar grep { $_ } map { ($self->somebody('certificate.amend', 'sample amend', $_,
        reason => 'a walk'))[0] } grep { $self->sample($_)->{status} eq 'reported' }
        @{ $self->{samples} };
}

# --- What the trail says -------------------------------------------------------------

sub broken_rules {
    my ($self) = @_;
    return LIMS::Service::TrailRules::broken($self->{lims}->superuser, $self->{is} // {});
}

1;
