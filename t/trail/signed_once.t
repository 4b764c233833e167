#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two people sign the same act at once: one of them does it, one signature is kept, and it
# stands after its own act and after a migration that adds columns to what was signed.
use strict;
use warnings;

use JSON::PP ();

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $rounds = 2;
my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);
my @both = map { LIMS::Service::CommandLine->new($lims, $_, roles =>
        [qw(lab_manager qa_officer administrator)]) } 'Ann Lee', 'Bob Ray';
my $ann  = $both[0];
my $here = $lims->fixture->{id};
my @why  = (reason => 'a race');
my @kept;

my $plain   = $lab->definition;
my $confirm = $lab->definition(requires_confirmation => 't');
my $written = $lab->definition(requires_worksheet => 't');
$lab->worksheet_template($written, ['weight'], ['Analyst']);

sub entered {
    my ($definition) = @_;
    my $sample = $lab->sample(testDefinitionIds => [ $definition // $plain ]);
    my ($test) = $lab->tests($sample);
    $lab->status($sample, 'received');
    $lab->enter($test, '7');
    return ($sample, $test);
}

sub verified {
    my ($sample, $test) = entered();
    $lab->verify($test);
    return ($sample, $test);
}

sub reported {
    my ($sample) = verified();
    $lab->status($sample, 'completed');
    $lims->post("/samples/$sample->{id}/report", {});
    $ann->done('certificate issue', sampleId => $sample->{id});
    return $sample;
}

# Each: the table and record that both wait for, the meaning and the record of the signature,
# and the command.
my %act = (
    'verify' => sub {
        my (undef, $test) = entered();
        return ([ sample_test => $test ], verified => [ sample_test => $test ],
            'sample-test verify', $test);
    },
    'verify many' => sub {
        my (undef, $test) = entered();
        return ([ sample_test => $test ], verified => [ sample_test => $test ],
            'sample-test verify-many', items => [ { sampleTestId => $test } ]);
    },
    'reopen' => sub {
        my (undef, $test) = verified();
        return ([ sample_test => $test ], reopened => [ sample_test => $test ],
            'sample-test reopen', $test, @why);
    },
    'choose' => sub {
        my (undef, $test) = verified();
        my ($again) = @{ $ann->done('sample-test retest', $test, @why)->{tests} };
        $lab->enter($again->{id}, '7.1');
        $lab->verify($again->{id});
        return ([ sample_test => $test ], chosen => [ sample_test => $test ],
            'sample-test choose', $test, @why);
    },
    'confirm' => sub {
        my (undef, $test) = entered($confirm);
        return ([ sample_test => $test ], reviewed => [ sample_test => $test ],
            'confirmation outcome', $test, outcome => 'confirmed');
    },
    'sign a worksheet' => sub {
        my (undef, $test) = entered($written);
        my $sheet = $lab->worksheet_fill($test, weight => '1.2');
        return ([ worksheet => $sheet ], performed => [ worksheet => $sheet ],
            'worksheet sign-off', $sheet, step => 'Analyst', meaning => 'performed');
    },
    'override a QC batch' => sub {
        my (undef, $test) = entered();
        my $batch = $lab->qc_batch($test);
        $lab->qc_control($batch, 50);
        return ([ qc_batch => $batch ], override => [ qc_batch => $batch ],
            'qc-batch override', $batch, @why);
    },
    'accept a lot' => sub {
        my ($sample, $test) = entered();
        my $lot = $lab->reagent_lot;
        $lab->enter($test, '7', reagentLotId => $lot);
        $ann->done('reagent-lot quarantine', $lot, @why);
        return ([ sample => $sample->{id} ], override => [ sample => $sample->{id} ],
            'sample override-lot', $sample->{id}, @why, reagentLotId => $lot);
    },
    'close an investigation' => sub {
        my $made = $ann->done('investigation create', kind => 'deviation', title => 'A race',
            sampleId => (entered())[0]{id});
        $ann->done('investigation advance', $made->{id}, status => $_) for qw(phase_1 conclusion);
        return ([ investigation => $made->{id} ], closed => [ investigation => $made->{id} ],
            'investigation advance', $made->{id}, status => 'closed', conclusion => 'a race');
    },
    'amend' => sub {
        my $sample = reported();
        return ([ sample => $sample->{id} ], amended => [ sample => $sample->{id} ],
            'sample amend', $sample->{id}, @why);
    },
    'issue an amendment' => sub {
        my $sample = reported();
        my $open = $ann->done('sample amend', $sample->{id}, @why,
            changes => { plantLocation => 'Well 9' });
        return ([ sample => $sample->{id} ], approved => [ amendment => $open->{id} ],
            'certificate issue', sampleId => $sample->{id}, @why);
    },
    'change a policy' => sub {
        $lab->policy(reason_on_change => 'f');
        return ([ organization => $here ], approved => [ organization => $here ],
            'organization update', @why, policies => { reasonOnChange => JSON::PP::true() });
    },
    'change permissions' => sub {
        my ($clerk) = grep { $_->{role} eq 'receiving_clerk' }
            @{ $ann->done('permission list')->{roles} };
        pop @{ $clerk->{permissions} };
        return ([ organization => $here ], approved => [ organization => $here ],
            'permission update', @why, roles => [$clerk]);
    },
    'approve' => sub {
        $lab->value('SELECT id FROM lims.approval_step') // $lab->approval_steps('Review');
        my ($sample) = verified();
        $lab->status($sample, 'completed');
        my ($open) = @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} };
        return ([ approval => $open->{id} ], approved => [ approval => $open->{id} ],
            'approval decide', $open->{id}, status => 'approved');
    },
);

# Approvals come last: from then on every completed sample has them.
for my $name ((sort grep { $_ ne 'approve' } keys %act), 'approve') {
    subtest $name => sub {
        for my $round (1 .. $rounds) {
            $lab->policy(esignature_required => 'f');
            my ($held, $meaning, $signed, @command) = $act{$name}->();
            $lab->policy(esignature_required => 't');
            my $last = $lab->value('SELECT coalesce(max(id), 0) FROM lims.electronic_signature');
            my ($met, @answers) = $lab->overlapping(2, @$held, sub {
                my $answer = $both[ $_[0] ]->call(@command);
                return $answer->{exit} ? $answer->{json}{error} // $answer->{json}{code} // 'each'
                    : 'done';
            });
            my @found = grep { $_->{meaning} eq $meaning && $_->{id} > $last } @{ $ann->done('signature list',
                    table => $signed->[0], recordId => $signed->[1])->{data} };

            is($met, 2, "round $round: both wait for the same record");
            is(scalar(grep { $_ eq 'done' } @answers), 1, '... one does it') or diag("@answers");
            is(scalar @found, 1, '... one signature is kept');
            ok($found[0]{stands}, '... and stands after its own act');
            push @kept, $found[0];
        }
    };
}

# Once more, of what no further act has touched since.
my @stood = grep { $ann->done('signature show', $_->{id})->{stands} } @kept;
is(scalar @stood, scalar @kept, 'all of them stand');
$lims->db->do("ALTER TABLE lims.$_ ADD COLUMN added_later text DEFAULT 'x'")
    for qw(sample sample_test approval qc_batch qc_control qc_coverage worksheet worksheet_value
    investigation amendment certificate test_definition organization);
is_deeply([ map { "$_->{meaning} $_->{table}" }
        grep { !$ann->done('signature show', $_->{id})->{stands} } @kept ], [],
    '... and after columns were added');

done_testing();
