# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::RandomWalk;

=head1 NAME

LIMS::Chaos::RandomWalk - a random walk through everything that people can do to samples

=head1 SYNOPSIS

    # once, before the processes part
    my $fixture = LIMS::Chaos::RandomWalk->fixture($lims, $lab);
    my $walker  = LIMS::Chaos::RandomWalk->new($fixture, seed => 42);
    my $count  = $walker->walk(sub { $steps-- <= 0 });

=head1 DESCRIPTION

Half of the steps take a sample further towards its report, even if something is missing;
the others correct it, enter results again, change lots, fail a batch or a medium,
override, sign, reopen, rename a method, make approval steps inactive. Steps go through
the REST API where it has them, else through limsctl; many are refused, as they should
be. Several walkers work on the same few samples.

C<walk> returns how often each act was done and refused, and C<surprises>: answers
that no act should get.

=cut

use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;

my @values = ('1', '5', '5.0', '9', '50', '0.05', '<0.5', '<50000', '>5', 'ND', 'Absent', '50 CFU',
    "\x{2265}1600", '1,600', 'TNTC (200x)', '3.1', '7', '');
my @in_work = ('pending', 'received', 'processing', 'completed', 'verified');

# --- The laboratory -------------------------------------------------------------------

sub fixture {
    my ($class, $lims, $lab) = @_;
    my $ann = LIMS::Service::CommandLine->new($lims, 'Ann Lee',
        roles => [qw(administrator lab_manager qa_officer analyst microbiologist)]);
    my $pc = LIMS::Files::Instrument->new($lab);
    my %definition = (
        NO3 => $lab->definition(code => 'NO3', name => 'Nitrate', method => 'EPA 300.0',
            unit => 'mg/L', reporting_limit => 0.1, specification_high => 10),
        PO4 => $lab->definition(code => 'PO4', name => 'Phosphate', method => 'EPA 365.1'),
        EC => $lab->definition(code => 'EC', name => 'E. coli', requires_confirmation => 't',
            specification_high => 2, presumptive_minimum => 1),
        HEM => $lab->definition(code => 'HEM', name => 'Oil and grease', requires_worksheet => 't'),
    );

    $lab->worksheet_template($definition{HEM}, ['volume'], ['Analyst']);
    $ann->done('organization update', approvalSteps => [ 'Technical review', 'Release' ],
        reason => 'two steps');
    $pc->profile(write => { existing => 'overwriteUnverified' }, rows => { controls => [
                { when => [ { column => 'trackingId', matches => '^CCV' } ], route => 'qcBatch',
                    controlType => 'CCV', criterion => 'recovery', expectedValue => '10',
                    lowerLimit => '90', upperLimit => '110' } ] });
    return { lims => $lims, lab => $lab, ann => $ann, pc => $pc, definition => \%definition,
        material => $lab->material, media => [ map { $lab->media_lot } 1 .. 3 ] };
}

sub new {
    my ($class, $fixture, %option) = @_;
    my $self = bless { %$fixture, count => {}, surprises => [], number => 0, name => $option{seed} },
        $class;
    srand $option{seed};
    return $self;
}

# How often each is done beside taking samples on.
my @acts = (
    (_enter => 12), (_remark => 6), (_describe => 4), (_choose_lot => 8), (_send_file => 10),
    (_make_batch => 3), (_cover => 2), (_control => 4), (_override => 3), (_test_medium => 2),
    (_reopen => 3), (_rename => 1), (_pause_approvals => 1), (_reject => 1), (_issue => 2),
    (_verify => 4), (_report => 4), (_confirm => 2), (_sign_sheet => 3), (_send_back => 2),
);
my @choice = map { ($acts[ 2 * $_ ]) x $acts[ 2 * $_ + 1 ] } 0 .. $#acts / 2;

sub walk {
    my ($self, $enough) = @_;

    until ($enough->()) {
        $self->_choose_sample;
        my $act = rand() < 0.5 ? '_take_on' : $choice[ rand @choice ];
        $self->$act;
    }
    return { %{ $self->{count} }, surprises => $self->{surprises} };
}

# --- How things are asked for -----------------------------------------------------------

sub _ask {
    my ($self, $method, $path, $body) = @_;
    my $answer = $self->{lims}->request($method, $path, defined $body ? (body => $body) : ());
    my ($what) = $path =~ m{\A/([a-z-]+)};
    my $status = $answer->status;

    $self->{count}{"$method $what " . ($status < 300 ? 'done' : 'refused')}++;
    push @{ $self->{surprises} }, "$method $path: $status " . $answer->body
        unless $status < 300 || $status == 400 || $status == 404 || $status == 409;
    return $status < 300 ? $answer->json : undef;
}

# Exit status 2 and 3 are refusals of what was asked and of what there is not.
sub _tell {
    my ($self, $command, @rest) = @_;
    my $answer = $self->{ann}->call($command, @rest);

    $self->{count}{ "$command " . ($answer->{exit} ? 'refused' : 'done') }++;
    push @{ $self->{surprises} }, "$command: $answer->{output}"
        if $answer->{exit} && !($answer->{json} && $answer->{json}{error});
    return $answer->{exit} ? undef : $answer->{json};
}

sub _one { return $_[ 1 + int rand @_ - 1 ] }

sub _rows { my ($self, @query) = @_; return $self->{lims}->db->selectcol_arrayref(@query) }

# One of the latest eight: what nothing takes on any more is left behind.
sub _choose_sample {
    my ($self) = @_;
    my $ids = $self->_rows('SELECT id FROM lims.sample WHERE organization_id = ?'
            . ' AND status = ANY (?) ORDER BY id DESC LIMIT 8', undef, $self->{lims}->fixture->{id},
        \@in_work);
    my $id = @$ids < 8 || rand() < 0.005 ? $self->_register : $self->_one(@$ids);

    $self->{sample} = $self->_ask(GET => "/samples/$id");
    $self->{test}   = $self->_one(@{ $self->{sample}{tests} });
    return;
}

sub _register {
    my ($self) = @_;
    my %definition = %{ $self->{definition} };
    my @tests = grep { rand() < 0.5 } sort keys %definition;

    @tests = ('NO3') unless @tests;
    return $self->_ask(POST => '/samples', { clientName => 'City of Riverbend',
            materialTypeId => $self->{material},
            testDefinitionIds => [ @definition{@tests} ] })->{id};
}

# --- Towards the report -------------------------------------------------------------------

# The first thing that is missing.
sub _take_on {
    my ($self) = @_;
    my ($sample, @tests) = ($self->{sample}, @{ $self->{sample}{tests} });

    return $self->_ask(POST => '/samples/receive', { sampleIds => [ $sample->{id} ] })
        if $sample->{status} eq 'pending';
    for my $test (@tests) {
        $self->{test} = $test;
        return $self->_enter unless defined $test->{result};
        next if $test->{status} eq 'verified';
        return $self->_confirm    if ($test->{confirmationStatus} // '') eq 'pending';
        return $self->_sign_sheet if ($test->{worksheetStatus} // 'complete') ne 'complete';
        $self->_verify or return $self->_mend;
        return;
    }
    if ($sample->{status} !~ /\A(?:completed|verified)\z/) {
        return $self->_ask(PATCH => "/samples/$sample->{id}/status", { status => 'completed' })
            || $self->_mend;
    }
    return if $self->_approve;
    $self->_report or return $self->_send_back;
    return $self->_issue($sample->{id});
}

# Mends the most frequent obstacles to a verification: a failed batch or lot.
sub _mend {
    my ($self) = @_;
    return $self->_one(sub { $self->_override }, sub { $self->_enter }, sub { $self->_choose_lot },
        sub { $self->_send_file })->();
}

sub _verify {
    my ($self) = @_;
    return $self->_ask(POST => "/sample-tests/$self->{test}{id}/verify", {});
}

sub _report {
    my ($self) = @_;
    return $self->_ask(POST => "/samples/$self->{sample}{id}/report", {});
}

sub _approve {
    my ($self, $decision) = @_;
    my $records = $self->_ask(GET => "/samples/$self->{sample}{id}/approvals") or return;
    my ($open) = grep { $_->{status} eq 'pending' } reverse @{ $records->{data} };

    return unless $open;
    for my $record (@{ $records->{data} }) {
        next unless $record->{status} eq 'pending';
        return 1 if $self->_ask(PATCH => "/approval-records/$record->{id}",
            $decision || { status => 'approved' });
    }
    return 1;
}

sub _reject    { $_[0]->_approve({ status => 'rejected', comment => 'look at it again' }); return }

sub _send_back {
    my ($self) = @_;
    my $id = $self->{sample}{id};
    $self->_ask(PATCH => "/samples/$id/status", { status => 'processing' });
    return $self->_ask(PATCH => "/samples/$id/status", { status => 'completed' });
}

sub _issue {
    my ($self, $sample) = @_;
    my $lately = $self->_rows(q{SELECT id FROM lims.sample WHERE organization_id = ?
        AND status = 'reported' ORDER BY id DESC LIMIT 5}, undef, $self->{lims}->fixture->{id});

    $sample //= @$lately ? $self->_one(@$lately) : return;
    return $self->_tell('certificate issue', sampleId => $sample, reason => 'asked for again');
}

# --- Results ------------------------------------------------------------------------------

sub _enter {
    my ($self) = @_;
    my $value = $self->_one(@values);
    return $self->_ask(PATCH => "/sample-tests/$self->{test}{id}", {
            result => length $value ? $value : undef,
            rand() < 0.2 ? (qualifier => $self->_one('U', 'ND', 'J', undef)) : (),
            rand() < 0.1 ? (mediaLotId => $self->_one(@{ $self->{media} }, undef)) : () });
}

sub _remark {
    my ($self) = @_;
    return $self->_ask(PATCH => "/sample-tests/$self->{test}{id}", $self->_one(
            { notes => 'remark ' . ++$self->{number} },
            { analyzedAt => $self->{lims}->db->selectrow_array('SELECT to_char(now() AT TIME ZONE'
                    . q{ 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')}) }));
}

sub _describe {
    my ($self) = @_;
    my $number = "$self->{name}-" . ++$self->{number};
    return $self->_ask(PATCH => "/samples/$self->{sample}{id}", $self->_one(
            { externalId => "E-$number" }, { plantLocation => "Well $number" },
            { clientName => "Client $number" }, { collectionDate => '2026-01-0' . $self->_one(1 .. 9) }));
}

sub _choose_lot {
    my ($self) = @_;
    my $lot = $self->_one(@{ $self->{media} }, undef);
    my ($test, $result) = @{ $self->{test} }{qw(id result)};
    my $other = { '5' => '5.0', '5.0' => '5' }->{ $result // '' } // $self->_one(@values);

    return $self->_ask(PATCH => "/sample-tests/$test", $self->_one({ mediaLotId => $lot },
            { mediaLotId => $lot, result => length $other ? $other : undef }));
}

# The results of one or two samples, with a control that passes or fails.
sub _send_file {
    my ($self) = @_;
    my @tests = grep { $_->{testCode} =~ /\A(?:NO3|PO4)\z/ } @{ $self->{sample}{tests} };
    my $pc    = $self->{pc};
    my $value = $self->_one('5', '3', 'same', 7 + $self->{number}++ / 100);

    return unless @tests;
    my $csv = $pc->csv([ 'CCV', 'NO3', $self->_one(10.1, 19.9) ],
        map { [ $self->{sample}, $_->{testCode}, $value eq 'same' ? $_->{result} // 4 : $value ] }
            @tests);
    # Each file has bytes of its own: the same bytes are not read again.
    return $self->_ask(POST => '/instrument-ingest', { fileName => "$self->{name}-$self->{number}.csv",
            content => $csv . "\n" x $self->{number} });
}

sub _reopen {
    my ($self) = @_;
    return $self->_tell('sample-test reopen', $self->{test}{id}, reason => 'transcription');
}

# --- Quality control ------------------------------------------------------------------------

sub _make_batch {
    my ($self) = @_;
    return $self->_tell('qc-batch create', batchNumber => "Q-$self->{name}-" . ++$self->{number},
        sampleTestIds => [ $self->{test}{id} ]);
}

sub _batch {
    my ($self) = @_;
    my $lately = $self->_rows('SELECT id FROM lims.qc_batch WHERE organization_id = ?'
            . ' ORDER BY id DESC LIMIT 6', undef, $self->{lims}->fixture->{id});
    my $mine = $self->_rows('SELECT qc_batch_id FROM lims.qc_coverage WHERE organization_id = ?'
            . ' AND sample_test_id = ?', undef, $self->{lims}->fixture->{id}, $self->{test}{id});
    return @$mine && rand() < 0.7 ? $self->_one(@$mine) : @$lately ? $self->_one(@$lately) : undef;
}

sub _cover {
    my ($self) = @_;
    my $batch = $self->_batch // return;
    return $self->_tell('qc-batch cover', $batch, sampleTestIds => [ $self->{test}{id} ]);
}

sub _control {
    my ($self) = @_;
    my $batch = $self->_batch // return;

    $self->_tell('qc-control add', qcBatchId => $batch, controlType => 'MB', criterion => 'maximum',
        measuredValue => $self->_one('0.1', '0.2', '9'), upperLimit => '5');
    return $self->_tell('qc-batch evaluate', $batch);
}

sub _override {
    my ($self) = @_;
    my $batch = $self->_batch // return;
    return $self->_tell('qc-batch override', $batch, reason => 'spiked twice');
}

sub _test_medium {
    my ($self) = @_;
    return $self->_tell('media-lot test', $self->_one(@{ $self->{media} }),
        kind => $self->_one('growth_promotion', 'sterility'),
        outcome => $self->_one('passed', 'passed', 'failed'), performedOn => '2026-01-05');
}

sub _confirm {
    my ($self) = @_;
    return $self->_tell('confirmation outcome', $self->{test}{id},
        outcome => $self->_one('confirmed', 'refuted'));
}

sub _sign_sheet {
    my ($self) = @_;
    my $sheet = $self->_tell('worksheet fill', sampleTestId => $self->{test}{id},
        values => [ { field => 'volume', value => '1000' } ]) or return;
    return $self->_tell('worksheet sign-off', $sheet->{id}, step => 'Analyst',
        meaning => 'performed');
}

# --- What the laboratory is called and asks for ----------------------------------------------

sub _rename {
    my ($self) = @_;
    my $code = $self->_one('NO3', 'PO4');
    return $self->_tell('test-definition update', $self->{definition}{$code},
        name => "$code as of " . ++$self->{number}, method => "Method $self->{name}-$self->{number}",
        $code eq 'NO3' ? (reportingLimit => '0.' . (1 + $self->{number} % 9)) : ());
}

# Without steps for a while, in which something is entered.
sub _pause_approvals {
    my ($self) = @_;

    $self->_tell('organization update', approvalSteps => '', reason => 'a pause');
    $self->_enter;
    return $self->_tell('organization update', approvalSteps => [ 'Technical review', 'Release' ],
        reason => 'the pause is over');
}

1;
