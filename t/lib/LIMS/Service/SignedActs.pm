# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::SignedActs;

=head1 NAME

LIMS::Service::SignedActs - every act that is signed, each with a record ready for it

=head1 SYNOPSIS

    my $acts = LIMS::Service::SignedActs->new($lims, $ann);
    for my $name ($acts->names) {
        my ($held, $meaning, $signed, @command) = $acts->prepare($name);
        $lab->policy(esignature_required => 't');
        $ann->done(@command);
    }

=head1 DESCRIPTION

C<$ann> is a L<LIMS::Service::CommandLine> who may do everything. C<prepare> makes a record
that awaits the act, with no signature asked for, and returns the table and id of the record
that the act locks, the meaning and the table and id of what is signed, and the command of
limsctl with its members. limsctl is given lims-print, which reads a logo. Approvals come last in C<names>: from then on every completed
sample has them.

=cut

use strict;
use warnings;

use JSON::PP ();
use MIME::Base64 qw(encode_base64);

use LIMS::Print qw(png);
use LIMS::Service::Laboratory;
use LIMS::Test::Printer;

my @why = (reason => 'a test');

sub new {
    my ($class, $lims, $ann) = @_;
    $ENV{LIMS_PRINTER} = LIMS::Test::Printer->real->program;
    my $lab  = LIMS::Service::Laboratory->new($lims);
    my $self = bless { lims => $lims, ann => $ann, lab => $lab, here => $lims->fixture->{id},
        plain   => $lab->definition,
        confirm => $lab->definition(requires_confirmation => 't'),
        written => $lab->definition(requires_worksheet => 't') }, $class;

    $lab->worksheet_template($self->{written}, ['weight'], ['Analyst']);
    return $self;
}

sub _entered {
    my ($self, $definition) = @_;
    my $lab    = $self->{lab};
    my $sample = $lab->sample(testDefinitionIds => [ $definition // $self->{plain} ]);
    my ($test) = $lab->tests($sample);
    $lab->status($sample, 'received');
    $lab->enter($test, '7');
    return ($sample, $test);
}

sub _verified {
    my ($self) = @_;
    my ($sample, $test) = $self->_entered;
    $self->{lab}->verify($test);
    return ($sample, $test);
}

sub _reported {
    my ($self) = @_;
    my ($sample) = $self->_verified;
    $self->{lab}->status($sample, 'completed');
    $self->{lims}->post("/samples/$sample->{id}/report", {});
    $self->{ann}->done('certificate issue', sampleId => $sample->{id});
    return $sample;
}

sub _awaited {
    my ($self) = @_;
    my $lab = $self->{lab};
    $lab->value('SELECT id FROM lims.approval_step') // $lab->approval_steps('Review');
    my ($sample) = $self->_verified;
    $lab->status($sample, 'completed');
    return $self->{lims}->get("/samples/$sample->{id}/approvals")->json->{data}[0];
}

# Each: the table and record that the act locks, the meaning and the record of the signature,
# and the command.
my %act = (
    'verify' => sub {
        my ($self) = @_;
        my (undef, $test) = $self->_entered;
        return ([ sample_test => $test ], verified => [ sample_test => $test ],
            'sample-test verify', $test);
    },
    'verify many' => sub {
        my ($self) = @_;
        my (undef, $test) = $self->_entered;
        return ([ sample_test => $test ], verified => [ sample_test => $test ],
            'sample-test verify-many', items => [ { sampleTestId => $test } ]);
    },
    'reopen' => sub {
        my ($self) = @_;
        my (undef, $test) = $self->_verified;
        return ([ sample_test => $test ], reopened => [ sample_test => $test ],
            'sample-test reopen', $test, @why);
    },
    'choose' => sub {
        my ($self) = @_;
        my (undef, $test) = $self->_verified;
        my ($again) = @{ $self->{ann}->done('sample-test retest', $test, @why)->{tests} };
        $self->{lab}->enter($again->{id}, '7.1');
        $self->{lab}->verify($again->{id});
        return ([ sample_test => $test ], chosen => [ sample_test => $test ],
            'sample-test choose', $test, @why);
    },
    'confirm' => sub {
        my ($self) = @_;
        my (undef, $test) = $self->_entered($self->{confirm});
        return ([ sample_test => $test ], reviewed => [ sample_test => $test ],
            'confirmation outcome', $test, outcome => 'confirmed');
    },
    'sign a worksheet' => sub {
        my ($self) = @_;
        my (undef, $test) = $self->_entered($self->{written});
        my $sheet = $self->{lab}->worksheet_fill($test, weight => '1.2');
        return ([ worksheet => $sheet ], performed => [ worksheet => $sheet ],
            'worksheet sign-off', $sheet, step => 'Analyst', meaning => 'performed');
    },
    'override a QC batch' => sub {
        my ($self) = @_;
        my (undef, $test) = $self->_entered;
        my $batch = $self->{lab}->qc_batch($test);
        $self->{lab}->qc_control($batch, 50);
        return ([ qc_batch => $batch ], override => [ qc_batch => $batch ],
            'qc-batch override', $batch, @why);
    },
    'accept a lot' => sub {
        my ($self) = @_;
        my ($sample, $test) = $self->_entered;
        my $lot = $self->{lab}->reagent_lot;
        $self->{lab}->enter($test, '7', reagentLotId => $lot);
        $self->{ann}->done('reagent-lot quarantine', $lot, @why);
        return ([ sample => $sample->{id} ], override => [ sample => $sample->{id} ],
            'sample override-lot', $sample->{id}, @why, reagentLotId => $lot);
    },
    'close an investigation' => sub {
        my ($self) = @_;
        my $made = $self->{ann}->done('investigation create', kind => 'deviation', title => 'A test',
            sampleId => ($self->_entered)[0]{id});
        $self->{ann}->done('investigation advance', $made->{id}, status => $_) for qw(phase_1 conclusion);
        return ([ investigation => $made->{id} ], closed => [ investigation => $made->{id} ],
            'investigation advance', $made->{id}, status => 'closed', conclusion => 'a test');
    },
    'sign a retest plan' => sub {
        my ($self) = @_;
        my $made = $self->{ann}->done('investigation create', kind => 'deviation', title => 'A test',
            sampleTestId => ($self->_entered)[1]);
        $self->{ann}->done('investigation update', $made->{id}, retestPlan => 'Two, of what is kept');
        return ([ investigation => $made->{id} ], approved => [ investigation => $made->{id} ],
            'investigation approve-retest-plan', $made->{id});
    },
    'amend' => sub {
        my ($self) = @_;
        my $sample = $self->_reported;
        return ([ sample => $sample->{id} ], amended => [ sample => $sample->{id} ],
            'sample amend', $sample->{id}, @why);
    },
    'issue an amendment' => sub {
        my ($self) = @_;
        my $sample = $self->_reported;
        my $open = $self->{ann}->done('sample amend', $sample->{id}, @why,
            changes => { plantLocation => 'Well 9' });
        return ([ sample => $sample->{id} ], approved => [ amendment => $open->{id} ],
            'certificate issue', sampleId => $sample->{id}, @why);
    },
    'change a policy' => sub {
        my ($self) = @_;
        $self->{lab}->policy(reason_on_change => 'f');
        return ([ organization => $self->{here} ], approved => [ organization => $self->{here} ],
            'organization update', @why, policies => { reasonOnChange => JSON::PP::true() });
    },
    'set the logo' => sub {
        my ($self) = @_;
        return ([ organization => $self->{here} ], approved => [ organization => $self->{here} ],
            'organization set-logo', @why, contentBase64 => encode_base64(png(40 + $self->{logos}++, 20), ''));
    },
    'remove the logo' => sub {
        my ($self) = @_;
        $self->{ann}->done('organization set-logo', @why,
            contentBase64 => encode_base64(png(20, 20), ''));
        return ([ organization => $self->{here} ], approved => [ organization => $self->{here} ],
            'organization remove-logo', @why);
    },
    'change permissions' => sub {
        my ($self) = @_;
        my ($clerk) = grep { $_->{role} eq 'receiving_clerk' }
            @{ $self->{ann}->done('permission list')->{roles} };
        pop @{ $clerk->{permissions} };
        return ([ organization => $self->{here} ], approved => [ organization => $self->{here} ],
            'permission update', @why, roles => [$clerk]);
    },
    'approve' => sub {
        my ($self) = @_;
        my $open = $self->_awaited;
        return ([ approval => $open->{id} ], approved => [ approval => $open->{id} ],
            'approval decide', $open->{id}, status => 'approved');
    },
    'approve many' => sub {
        my ($self) = @_;
        my $open = $self->_awaited;
        return ([ approval => $open->{id} ], approved => [ approval => $open->{id} ],
            'approval decide-many', items => [ { id => $open->{id}, status => 'approved' } ]);
    },
);

sub names { return ((sort grep { !/\Aapprove/ } keys %act), 'approve', 'approve many') }

sub prepare {
    my ($self, $name) = @_;
    $self->{lab}->policy(esignature_required => 'f');
    return $act{$name}->($self);
}

1;
