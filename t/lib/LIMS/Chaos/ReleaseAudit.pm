# SPDX-License-Identifier: Apache-2.0
package LIMS::Chaos::ReleaseAudit;

=head1 NAME

LIMS::Chaos::ReleaseAudit - checks releases by the audit trail and the stored certificates alone

=head1 SYNOPSIS

    my $audit = LIMS::Chaos::ReleaseAudit->new($db, $organization_id);
    $audit->inspect;
    is_deeply($audit->{faults}, [], 'no gate was open');
    # $audit->{reports}, $audit->{certificates}: how many were judged

=head1 DESCRIPTION

Replays the audit trail of an organization entry by entry, so that it knows each record
at any moment. When a sample becomes reported, it decides whether approvals, overrides,
confirmations, lots and signed worksheets are of the values that were reported, by rules
that are written here and independent of the schema's. Then it compares the content of each
certificate with the trail.

What follows from the states of records alone is judged by L<LIMS::Service::TrailRules>.

Entries are numbered while their record is locked, and who reports a sample holds
all that its gates rest on: in the order of the numbers, an entry lies before a
report if the report could know it. Names and policies are not locked; what changed
within a second of a report may be either.

=cut

use strict;
use warnings;

use Cpanel::JSON::XS ();

my $json = Cpanel::JSON::XS->new->canonical->allow_nonref;

# Columns that an approval covers: of the sample, and of each of its tests.
my @sample_content = qw(client_id client_name external_id material_type_id project_id
    plant_location collection_date collected_at receipt_temperature receipt_condition
    receipt_containers receipt_deviations);
my @test_content = qw(result qualifier notes analyzed_at reagent_lot_id media_lot_id spec_low
    spec_high spec_text confirmation_status);

sub new {
    my ($class, $db, $organization) = @_;
    return bless {
        db => $db, organization => $organization, now => {}, tests_of => {}, rounds_of => {},
        faults => [], reports => 0, certificates => 0, met => {},
    }, $class;
}

sub inspect {
    my ($self) = @_;
    my $db = $self->{db};

    $db->begin_work;
    $db->do('DECLARE trail CURSOR FOR SELECT id, extract(epoch FROM occurred_at), table_name,'
            . ' record_id, action, changes, request_id FROM lims.audit_entry'
            . ' WHERE organization_id = ? ORDER BY id', undef, $self->{organization});
    while (1) {
        my $some = $db->selectall_arrayref('FETCH 5000 FROM trail');
        last unless @$some;
        $self->_follow(@$_) for @$some;
    }
    $db->commit;
    $self->_read_certificates;
    return $self;
}

# One entry: what it changed, then what follows from it.
sub _follow {
    my ($self, $number, $moment, $table, $id, $action, $text, $request) = @_;
    my $changes = $json->decode($text);
    my $row     = $self->{now}{$table}{$id} ||= {};
    my %old     = %$row;

    @$self{qw(number moment request)} = ($number, $moment, $request // '');
    if ($action eq 'delete') {
        delete $self->{now}{$table}{$id};
    }
    else {
        $row->{$_} = $changes->{$_}{new} for keys %$changes;
    }
    my $notice = $self->can("_notice_$table");
    $self->$notice($id, $row, \%old, $changes) if $notice;
    return;
}

sub _fault {
    my ($self, $words) = @_;
    push @{ $self->{faults} }, "entry $self->{number}: $words";
    return;
}

# Counts how often the walk met a gate: one that it never met is not tested.
sub _met { $_[0]{met}{ $_[1] }++; return }

sub _row { return $_[0]{now}{ $_[1] }{ $_[2] // '' } }

sub _same {
    my ($first, $second) = @_;
    return $json->encode($first) eq $json->encode($second);
}

# --- What stands -----------------------------------------------------------------

sub _value_of {
    my ($test) = @_;
    return join '|', map { $_ // '' } @$test{qw(result qualifier)};
}

sub _number_of {
    my ($text) = @_;
    my ($number) = ($text // '') =~ /\A\s*[<>]?\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)\s*\z/i;
    return defined $number ? $number + 0 : undef;
}

sub _notice_sample_test {
    my ($self, $id, $test, $old, $changes) = @_;

    push @{ $self->{tests_of}{ $test->{sample_id} } }, $id if $changes->{sample_id};
    if ($changes->{result} || $changes->{qualifier}) {
        $test->{'entered in'} = $self->{request};
        $test->{'entered at'} = $self->{moment};
        $test->{'had a value'} ||= defined $old->{result};
    }
    $test->{'confirmed value'} = _value_of($test)
        if $changes->{confirmation_status} && ($test->{confirmation_status} // '') =~ /\A(?:con|ref)/;
    $self->_notice_lot($id, $test, $old) if $changes->{media_lot_id} && defined $old->{media_lot_id};
    return;
}

# A result found with a lot that failed is not freed of it by naming none, nor by
# another lot for the same number.
sub _notice_lot {
    my ($self, $id, $test, $old) = @_;
    my $lot = $self->_row(media_lot => $old->{media_lot_id}) || {};
    return unless grep { ($lot->{$_} // '') eq 'failed' } qw(growth_promotion_status sterility_status);
    my ($was, $is) = map { _number_of($_->{result}) } $old, $test;

    $self->_met('a failed lot left');
    $test->{'left for none'} = !defined $test->{media_lot_id};
    $self->_fault("test $id left failed media lot $old->{media_lot_id} with the same value")
        if defined $was && defined $is && $was == $is;
    return;
}

sub _notice_approval {
    my ($self, $id, $approval, $old, $changes) = @_;
    my $sample = $approval->{sample_id};
    my $rounds = $self->{rounds_of}{$sample} ||= {};

    $rounds->{ $approval->{round} }{$id} = $approval;
    return unless $changes->{status} && $approval->{status} eq 'approved';
    my @round = values %{ $rounds->{ $approval->{round} } };
    $self->{approved}{$sample} = $self->_content($sample)
        unless grep { $_->{status} ne 'approved' } @round;
    return;
}

sub _content {
    my ($self, $id) = @_;
    my $sample = $self->_row(sample => $id);
    return {
        sample => { map { $_ => $sample->{$_} } @sample_content },
        tests => { map { my $test = $self->_row(sample_test => $_);
                $_ => { map { $_ => $test->{$_} } @test_content } } @{ $self->{tests_of}{$id} || [] } },
    };
}

sub _notice_approval_step { $_[0]{'steps changed'} = $_[0]{moment}; return }
sub _notice_organization  { $_[0]{'steps changed'} = $_[0]{moment}; return }

# A batch that a file brought covers what the same request entered.
sub _notice_qc_batch {
    my ($self, $id, $batch, $old, $changes) = @_;

    push @{ $self->{batches_in}{ $self->{request} } }, $id
        if $changes->{batch_number} && $batch->{batch_number} =~ /\AFILE-/;
    return unless $changes->{qc_status};
    delete $batch->{'overridden for'};
    $batch->{'overridden for'} = { map { $_ => _value_of($self->_row(sample_test => $_)) }
            $self->_covered_by($id) } if $batch->{qc_status} eq 'overridden';
    return;
}

sub _notice_worksheet_signoff {
    my ($self, $id, $signoff, $old, $changes) = @_;
    my $sheet = $self->_row(worksheet => $signoff->{worksheet_id});
    my $test  = $self->_row(sample_test => $sheet->{sample_test_id});

    $self->{signoffs}{ $sheet->{sample_test_id} }{$id} = $signoff;
    $signoff->{'signed for'} = $test->{'had a value'} || defined $test->{result}
        ? _value_of($test) : undef if $changes->{step_id};
    return;
}

# The names that a definition had, each with when it came.
sub _notice_test_definition {
    my ($self, $id, $definition) = @_;
    push @{ $self->{names}{$id} },
        [ $self->{moment}, { map { $_ => $definition->{$_} } qw(code name method unit reporting_limit) } ];
    return;
}

# --- QC batches and what they cover -------------------------------------------------

sub _covered_by {
    my ($self, $batch) = @_;
    return grep { my $test = $_; grep { $_ eq $batch } $self->_batches_of($test) }
        keys %{ $self->{now}{sample_test} };
}

# Returns the batches that the trail names, and the one that came with the value.
sub _batches_of {
    my ($self, $id) = @_;
    my $test  = $self->_row(sample_test => $id);
    my %batch = map { $_ => 1 } $self->_named_batches($id);
    my $entered = $test->{'entered in'} // '';

    if (length $entered && defined $test->{result}) {
        $batch{$_} = 1 for @{ $self->{batches_in}{$entered} || [] };
    }
    return keys %batch;
}

sub _named_batches {
    my ($self, $id) = @_;
    return values %{ $self->{coverage_of}{$id} || {} };
}

sub _notice_qc_coverage {
    my ($self, $id, $coverage, $old, $changes) = @_;
    my ($test, $batch) = @$coverage{qw(sample_test_id qc_batch_id)};

    $self->{coverage_of}{$test}{$id} = $batch;
    delete $self->{coverage_of}{$test}{$id} unless $self->_row(qc_coverage => $id);
    # A file that measured the same value again leaves no entry of the test itself.
    $self->_row(sample_test => $test)->{'entered in'} = $self->{request}
        if $changes->{qc_batch_id}{new} && grep { $_ == $batch }
        @{ $self->{batches_in}{ $self->{request} } || [] };
    # Overridden once more, for a value that came after the first override.
    $self->_row(qc_batch => $batch)->{'overridden for'}{$test} =
        _value_of($self->_row(sample_test => $test))
        if $changes->{override_signature_id} && defined $coverage->{override_signature_id};
    return;
}

# --- A report -----------------------------------------------------------------------

sub _notice_sample {
    my ($self, $id, $sample, $old, $changes) = @_;
    return unless $changes->{status} && $sample->{status} eq 'reported';
    my @tests = @{ $self->{tests_of}{$id} || [] };

    $self->{reports}++;
    for my $test (@tests) {
        $self->_judge_test($id, $test, $self->_row(sample_test => $test));
    }
    $self->_judge_approval($id);
    $self->{reported}{$id} = { content => $self->_content($id), moment => $self->{moment},
        batches => { map { $_ => [ $self->_batches_of($_) ] } @tests } };
    return;
}

sub _judge_test {
    my ($self, $sample, $id, $test) = @_;
    my $where = "sample $sample was reported, and test $id";

    $self->_judge_batches($where, $id, $test);
    $self->_judge_confirmation($where, $test) if $test->{requires_confirmation};
    $self->_judge_lot($where, $test);
    $self->_judge_worksheet($where, $id, $test) if $test->{requires_worksheet};
    return;
}

sub _judge_batches {
    my ($self, $where, $id, $test) = @_;

    for my $number ($self->_batches_of($id)) {
        my $batch = $self->_row(qc_batch => $number);
        $self->_met("a batch that is $batch->{qc_status}");
        next unless $batch->{qc_status} eq 'overridden';
        my $value = $batch->{'overridden for'}{$id};
        $self->_fault("$where is " . _value_of($test) . ", and QC batch $number was overridden for "
                . ($value // 'other tests'))
            unless defined $value && $value eq _value_of($test);
    }
    return;
}

# Negative is a number below the minimum, a bound that lies within what is known, and
# what plainly says absent; all else has to be confirmed or refuted, as it stands.
sub _is_negative {
    my ($self, $test) = @_;
    my $definition = $self->_row(test_definition => $test->{test_definition_id});
    my $number = _number_of($test->{result});
    my ($sign) = $test->{result} =~ /\A\s*([<>])/;
    my $bound  = $sign // (($test->{qualifier} // '') =~ /\A(?:<|ND|U)\z/ ? '<'
        : $test->{qualifier} // '') =~ s/J//r;
    my $minimum = $definition->{presumptive_minimum};

    return $test->{result} =~ /\A\s*(?:absent|negative|not detected|-|no growth|absence|nd)\s*\z/i
        unless defined $number;
    return 0 if $bound eq '>';
    if ($bound eq '<') {
        my @known = sort { $b <=> $a } grep { defined } $minimum, $definition->{reporting_limit},
            $test->{spec_high};
        return !@known || $number <= $known[0];
    }
    return defined $minimum ? $number < $minimum : $number <= 0;
}

sub _judge_confirmation {
    my ($self, $where, $test) = @_;
    return if !defined $test->{result} || $self->_is_negative($test);

    $self->_met('a presumptive positive');
    $self->_fault("$where is " . _value_of($test) . ', which was never confirmed or refuted')
        unless ($test->{confirmation_status} // '') =~ /\A(?:confirmed|refuted)\z/
        && ($test->{'confirmed value'} // '') eq _value_of($test);
    return;
}

sub _judge_lot {
    my ($self, $where, $test) = @_;

    $self->_fault("$where names no lot any more in place of one that failed")
        if $test->{'left for none'} && !defined $test->{media_lot_id};
    return unless defined $test->{media_lot_id};
    my $lot = $self->_row(media_lot => $test->{media_lot_id});
    $self->_met('a media lot');
    $self->_fault("$where was found with media lot $test->{media_lot_id}, which failed")
        if grep { ($lot->{$_} // '') eq 'failed' } qw(growth_promotion_status sterility_status);
    return;
}

# Each step is signed for the value that stands, or was before there was a first.
sub _judge_worksheet {
    my ($self, $where, $id, $test) = @_;
    my ($sheet) = grep { $_->{sample_test_id} == $id } values %{ $self->{now}{worksheet} || {} };
    my %signed;

    return $self->_fault("$where has no worksheet") unless $sheet;
    for my $signoff (grep { !defined $_->{withdrawn_at} } values %{ $self->{signoffs}{$id} || {} }) {
        my $value = $signoff->{'signed for'};
        push @{ $signed{ $signoff->{step_id} } }, $value // 'no value';
        $signed{"$signoff->{step_id} stands"} = 1
            if defined $value ? $value eq _value_of($test) : !$test->{'had a value'};
    }
    $self->_met('a signed worksheet') if %signed;
    for my $step (grep { $self->{now}{worksheet_signoff_step}{$_}{template_id} == $sheet->{template_id} }
        sort keys %{ $self->{now}{worksheet_signoff_step} }) {
        $self->_fault("$where is " . _value_of($test) . ", and step $step of its worksheet was signed for "
                . join(', ', @{ $signed{$step} || ['nothing'] })) unless $signed{"$step stands"};
    }
    return;
}

# Whoever approved, approved just this.
sub _judge_approval {
    my ($self, $sample) = @_;
    my @steps = grep { $_->{active} } values %{ $self->{now}{approval_step} || {} };
    my $organization = $self->_row(organization => $self->{organization});
    return if !@steps || $organization->{coa_before_approval};
    return if $self->{moment} - ($self->{'steps changed'} // 0) < 1;

    $self->_met('a final approval');
    my ($approved, $content) = ($self->{approved}{$sample}, $self->_content($sample));
    return if _same($approved, $content);
    return $self->_fault("sample $sample was reported, and what was approved was other: "
            . $json->encode($approved) . ' against ' . $json->encode($content));
}

# --- Certificates ---------------------------------------------------------------------

sub _read_certificates {
    my ($self) = @_;
    my $rows = $self->{db}->selectall_arrayref('SELECT id, sample_id, content FROM lims.certificate'
            . ' WHERE organization_id = ? ORDER BY id', undef, $self->{organization});

    for my $row (@$rows) {
        my ($id, $sample, $content) = @$row;
        $self->{number} = "certificate $id";
        $self->{certificates}++;
        my $reported = $self->{reported}{$sample};
        $reported ? $self->_judge_certificate($sample, $json->decode($content), $reported)
            : $self->_fault("sample $sample was never reported");
    }
    return;
}

sub _judge_certificate {
    my ($self, $sample, $content, $reported) = @_;
    my $tests = $reported->{content}{tests};
    my %stated = map { $_->{sampleTestId} => $_ } @{ $content->{results} };
    my %pair = (client_name => 'clientName', external_id => 'externalId',
        plant_location => 'plantLocation', collection_date => 'collectionDate');

    $self->_fault("sample $sample has other tests") if join(' ', sort keys %stated)
        ne join(' ', sort keys %$tests);
    for my $column (sort keys %pair) {
        $self->_fault("$column of sample $sample is not as reported")
            unless _same($reported->{content}{sample}{$column}, $content->{sample}{ $pair{$column} });
    }
    for my $id (grep { $stated{$_} } sort keys %$tests) {
        $self->_fault("$_ of test $id is not as reported")
            for grep { !_same($tests->{$id}{$_}, $stated{$id}{$_}) } qw(result qualifier);
        $self->_fault("an internal note of test $id is printed")
            if exists $stated{$id}{notes} || defined $stated{$id}{remark};
        $self->_judge_names($id, $stated{$id}, $reported->{moment});
    }
    return;
}

# The names it states were the definition's together, between the entry and the report.
sub _judge_names {
    my ($self, $id, $stated, $moment) = @_;
    my $test  = $self->_row(sample_test => $id);
    my @known = @{ $self->{names}{ $test->{test_definition_id} } };
    my @possible;

    for my $place (0 .. $#known) {
        my ($from, $names) = @{ $known[$place] };
        my $until = $place < $#known ? $known[ $place + 1 ][0] : 9e15;
        push @possible, $names
            if $from <= $moment + 1 && $until >= $test->{'entered at'} - 1;
    }
    $self->_met('a definition renamed since') if @possible < @known;
    my %said = (code => $stated->{testCode}, name => $stated->{testName}, method => $stated->{method},
        unit => $stated->{unit}, reporting_limit => $stated->{reportingLimit});
    $self->_fault("test $id is stated as " . $json->encode(\%said)
            . ', as it was never called while its result stood unreported')
        unless grep { _equal($_, \%said) } @possible;
    return;
}

sub _equal {
    my ($first, $second) = @_;
    return !grep { ($first->{$_} // '') ne ($second->{$_} // '') } keys %$second;
}

1;
