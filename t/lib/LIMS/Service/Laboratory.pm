# SPDX-License-Identifier: Apache-2.0
package LIMS::Service::Laboratory;

=head1 NAME

LIMS::Service::Laboratory - reference data, samples, results and evidence for a test

=head1 SYNOPSIS

    my $lab    = LIMS::Service::Laboratory->new($lims);
    my $ph     = $lab->definition(specification_low => 6.5, specification_high => 8.5);
    my $sample = $lab->sample(testDefinitionIds => [$ph]);
    my ($test) = $lab->tests($sample);

    $lab->enter($test, '9.1');
    is_deeply([ $lab->events_of(sub { $lab->verify($test) }) ],
        [ [ 'result.verified', 'sampleTestId integer, sampleId integer' ] ]);

=head1 DESCRIPTION

Samples, results and verifications go through the API, as a key that may do
everything; a refusal there ends the test. What the API has no route for (lots,
QC batches, worksheets, confirmations, policies) is written as the owner of the
database, for the organization's administrator, so that the schema's rules and
audit trail are those that any other surface meets.

=head2 Reference data: each returns an id; columns by their name in the schema

    material  definition  project  client  location  specification

=head2 Work through the API

    sample(%body)          its record; client and material type are filled in
    tests($sample)         the ids of its tests, ascending
    worked($count, %body)  a sample whose $count tests are entered; ($sample, @tests)
    enter($test, $result, %more)    verify($test)    status($sample, $status)

=head2 Evidence

    act(sub { my ($db) = @_; ... })      a transaction of the administrator
    sign($db, $meaning, $table, $id)     an electronic signature in it
    qc_batch(@tests)  cover($batch, @tests)
    qc_control($batch, $value)  qc_override($batch)
                                         a value up to 5 passes
    media_lot(@tests)  media_test($lot, $kind, $outcome, $organism)
    reagent_lot(%column)
    worksheet_template($definition, \@fields, \@steps)
    worksheet_fill($test, %value)        worksheet_sign($test, $step)
    confirm($test, 'confirmed' or 'refuted')
    cancel_investigations($test)         those that are open
    approval_steps(@names)  policy(%column)

=head2 At once

    my ($met, @results) = $lab->overlapping($count, $table, $id, sub { my ($number) = @_; ... });

C<parallel>, with the row of that table locked until all of them wait for a lock,
or a minute has passed. C<$met> is how many were seen waiting together: that
they overlapped is known, not hoped for. A last argument is the number to wait
for, where the service has fewer connections than there are processes. Where many
wait, C<LIMS::Service::Laboratory::patience> has directives for a service that waits as long
as a busy machine needs; without them a lock is waited for 3 seconds.

=head2 Looking

    events_of(sub { ... })  [type, shape] of each event it caused, in order
    events_in(sub { ... })  [type, decoded payload] of the same
    changes_of(sub { ... }) how many audit entries and events it caused
    value($sql, @bind)      one value, read as the owner

C<refused($response, $status, $slug, $name)> is exported: a refusal by its
status, its slug, and that it has words. It returns the decoded body. So is
C<shown($value)>, the beginning of a value's JSON, for the name of a test.

=cut

use strict;
use warnings;

use Exporter qw(import);
use JSON::PP ();
use Test::More;

use LIMS::Service::JSONSchema;
use LIMS::Wait;

our @EXPORT = qw(refused shown);

sub new {
    my ($class, $lims, $organization) = @_;
    $organization ||= $lims->fixture;
    return bless { lims => $lims, organization => $organization, number => 0 }, $class;
}

sub patience {
    return qq(Define LIMS_TIMEOUTS "-c statement_timeout=0 -c lock_timeout=0"\n)
        . "LimsDatabaseTimeout 120000\nLimsDatabaseWait 60000\nLimsIngestWait 120000\n";
}

sub refused {
    my ($response, $status, $slug, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $body = $response->json || {};
    my $said = defined $body->{error} ? $body->{error} : $body->{code};

    is($response->status . ' ' . (defined $said ? $said : '?'), "$status $slug", $name)
        or diag($response->body);
    ok(length($body->{message} || ''), "$name: the refusal has a message") or diag($response->body);
    return $body;
}

sub shown {
    my ($value) = @_;
    return substr JSON::PP->new->ascii->canonical->allow_nonref->encode($value), 0, 50;
}

# --- Reference data ----------------------------------------------------------

sub material   { return shift->_named('material_type',    'MAT', @_) }
sub definition { return shift->_named('test_definition',  'DEF', @_) }
sub project    { return shift->_named('project',          'PRJ', @_) }
sub client     { return shift->_named('client',           'CLI', @_) }
sub location   { return shift->_named('storage_location', 'LOC', @_) }

sub _named {
    my ($self, $table, $prefix, %column) = @_;

    $column{code} //= $prefix . ++$self->{number};
    $column{name} //= $column{code};
    return $self->insert($table, %column);
}

sub specification {
    my ($self, $definition, $material, $project, %limits) = @_;

    return $self->insert('specification', test_definition_id => $definition,
        material_type_id => $material, project_id => $project, %limits);
}

sub insert {
    my ($self, $table, %column) = @_;
    my $make = sub { $self->{lims}->insert($table, \%column, $self->{organization}) };
    return $self->{lims}->db->{AutoCommit} ? $self->act($make) : $make->();
}

# --- Work through the API ----------------------------------------------------

sub _ask {
    my ($self, $method, $path, $body, $status) = @_;
    my $response = $self->{lims}->request($method, $path, body => $body,
        key => $self->{organization}{key});

    $response->status == $status
        or die "$method $path: " . $response->status . ' ' . $response->body . "\n";
    return $response->json;
}

sub sample {
    my ($self, %body) = @_;
    $self->{material} //= $self->material;
    return $self->_ask('POST', '/samples',
        { clientName => 'City of Riverbend', materialTypeId => $self->{material}, %body }, 201);
}

sub tests {
    my ($self, $sample) = @_;
    return map { $_->{id} } @{ $sample->{tests} };
}

sub worked {
    my ($self, $count, %body) = @_;
    my $sample = $self->sample(%body,
        testDefinitionIds => [ map { $self->definition } 1 .. $count ]);
    my @tests = $self->tests($sample);

    $self->enter($_, '1') for @tests;
    return ($sample, @tests);
}

sub enter {
    my ($self, $test, $result, %more) = @_;
    my $text = defined $result ? "$result" : undef;
    return $self->_ask('PATCH', "/sample-tests/$test", { result => $text, %more }, 200);
}

sub verify {
    my ($self, $test) = @_;
    return $self->_ask('POST', "/sample-tests/$test/verify", {}, 200);
}

sub status {
    my ($self, $sample, $status) = @_;
    return $self->_ask('PATCH', "/samples/$sample->{id}/status", { status => $status }, 200);
}

# --- Evidence ----------------------------------------------------------------

sub act {
    my ($self, $action) = @_;
    my $db = $self->{lims}->db;
    my $result;
    my $ok = eval {
        $db->begin_work;
        $db->do('SELECT lims.act_as(?, ?, NULL, ?, NULL)', undef, $self->{organization}{id},
            $self->{organization}{user_id}, 'a test');
        $result = $action->($db);
        $db->commit;
        1;
    };
    return $result if $ok;
    my $error = $@;
    $db->rollback;
    die $error;
}

sub sign {
    my ($self, $db, $meaning, $table, $id) = @_;

    # A person without a password cannot sign; its value does not matter here.
    $db->do(q{UPDATE lims.user_account SET password_hash = 'a test' WHERE organization_id = ?}
            . ' AND id = ? AND password_hash IS NULL', undef,
        @{ $self->{organization} }{qw(id user_id)});
    my ($signature) = $db->selectrow_array('SELECT lims.sign(?, ?, ?, ?, ?)', undef,
        $self->{organization}{user_id}, $meaning, $table, $id, 'a test');

    $db->do(q{SELECT set_config('lims.signature_id', ?, true)}, undef, $signature);
    return $signature;
}

# A change of the tests' own columns.
sub set_tests {
    my ($self, $column, $value, @tests) = @_;
    return $self->act(sub {
        $_[0]->do("UPDATE lims.sample_test SET $column = ? WHERE organization_id = ?"
                . ' AND id = ANY (?)', undef, $value, $self->{organization}{id}, \@tests);
    });
}

sub qc_batch {
    my ($self, @tests) = @_;
    my $batch = $self->insert('qc_batch', batch_number => 'QC-' . ++$self->{number});

    $self->cover($batch, @tests) if @tests;
    return $batch;
}

sub cover {
    my ($self, $batch, @tests) = @_;
    return $self->act(sub {
        $_[0]->do('INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)'
                . ' SELECT ?, t, ? FROM unnest(?::bigint[]) t ORDER BY t', undef,
            $self->{organization}{id}, $batch, \@tests);
    });
}

sub qc_control {
    my ($self, $batch, $value) = @_;
    return $self->act(sub {
        my ($db) = @_;
        $db->do(q{INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type,
            criterion, measured_value, upper_limit) VALUES (?, ?, 'MB', 'maximum', ?, 5)},
            undef, $self->{organization}{id}, $batch, $value);
        my ($outcome) = $db->selectrow_array('SELECT lims.evaluate_qc_batch(?, ?)', undef,
            $self->{organization}{id}, $batch);
        return $outcome;
    });
}

sub qc_override {
    my ($self, $batch) = @_;
    return $self->act(sub {
        my ($db) = @_;
        $self->sign($db, 'override', 'qc_batch', $batch);
        $db->do(q{UPDATE lims.qc_batch SET qc_status = 'overridden', override_reason = 'a test'
            WHERE organization_id = ? AND id = ?}, undef, $self->{organization}{id}, $batch);
    });
}

sub media_lot {
    my ($self, @tests) = @_;
    my $lot = $self->_named('media_lot', 'MED', lot_number => 'L1', medium => 'R2A');

    $self->set_tests('media_lot_id', $lot, @tests) if @tests;
    return $lot;
}

sub media_test {
    my ($self, $lot, $kind, $outcome, $organism) = @_;
    return $self->insert('media_qc_test', media_lot_id => $lot, kind => $kind,
        outcome => $outcome, organism => $organism, performed_on => '2026-01-02');
}

sub reagent_lot {
    my ($self, %column) = @_;
    return $self->_named('reagent_lot', 'REA', lot_number => 'L1', %column);
}

sub worksheet_template {
    my ($self, $definition, $fields, $steps) = @_;
    my $template = $self->insert('worksheet_template', test_definition_id => $definition,
        name => 'Bench sheet');
    my $position = 0;

    $self->insert('worksheet_field', template_id => $template, name => $_,
        position => ++$position) for @$fields;
    $self->insert('worksheet_signoff_step', template_id => $template, name => $_,
        position => ++$position) for @$steps;
    return $template;
}

sub _worksheet {
    my ($self, $test) = @_;
    my $id = $self->value('SELECT id FROM lims.worksheet WHERE organization_id = ?'
            . ' AND sample_test_id = ?', $self->{organization}{id}, $test);

    return $id // $self->insert('worksheet', sample_test_id => $test,
        template_id => $self->value('SELECT x.id FROM lims.worksheet_template x'
                . ' JOIN lims.sample_test t ON t.organization_id = x.organization_id'
                . ' AND t.test_definition_id = x.test_definition_id'
                . ' WHERE t.organization_id = ? AND t.id = ?', $self->{organization}{id}, $test));
}

sub worksheet_fill {
    my ($self, $test, %value) = @_;
    my $sheet = $self->_worksheet($test);

    for my $name (sort keys %value) {
        my $field = $self->value('SELECT f.id FROM lims.worksheet w JOIN lims.worksheet_field f'
                . ' ON f.organization_id = w.organization_id AND f.template_id = w.template_id'
                . ' WHERE w.organization_id = ? AND w.id = ? AND f.name = ?',
            $self->{organization}{id}, $sheet, $name);
        $self->insert('worksheet_value', worksheet_id => $sheet, field_id => $field,
            value => $value{$name});
    }
    return $sheet;
}

sub worksheet_sign {
    my ($self, $test, $step) = @_;
    my $sheet = $self->_worksheet($test);

    return $self->act(sub {
        my ($db) = @_;
        my $signature = $self->sign($db, 'performed', 'worksheet', $sheet);
        $db->do('INSERT INTO lims.worksheet_signoff (organization_id, worksheet_id, step_id,'
                . ' signature_id) SELECT w.organization_id, w.id, s.id, ? FROM lims.worksheet w'
                . ' JOIN lims.worksheet_signoff_step s ON s.organization_id = w.organization_id'
                . ' AND s.template_id = w.template_id'
                . ' WHERE w.organization_id = ? AND w.id = ? AND s.name = ?',
            undef, $signature, $self->{organization}{id}, $sheet, $step);
    });
}

sub confirm {
    my ($self, $test, $outcome) = @_;
    return $self->set_tests('confirmation_status', $outcome, $test);
}

sub cancel_investigations {
    my ($self, $test) = @_;
    return $self->act(sub {
        $_[0]->do(q{UPDATE lims.investigation SET status = 'cancelled', conclusion = 'a test'}
                . q{ WHERE organization_id = ? AND sample_test_id = ? AND status = 'opened'},
            undef, $self->{organization}{id}, $test);
    });
}

sub approval_steps {
    my ($self, @names) = @_;
    my $position = 0;
    return map { $self->insert('approval_step', name => $_, position => ++$position) } @names;
}

sub policy {
    my ($self, %column) = @_;
    my @names = sort keys %column;
    return $self->{lims}->db->do(
        'UPDATE lims.organization SET ' . join(', ', map { "$_ = ?" } @names) . ' WHERE id = ?',
        undef, @column{@names}, $self->{organization}{id});
}

# --- At once -----------------------------------------------------------------

sub overlapping {
    my ($self, $count, $table, $id, $action, $enough) = @_;
    my $lims = $self->{lims};
    pipe my $in, my $out or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";

    if (!$pid) {
        my $met = eval { $self->_hold($enough // $count, $table, $id, $out) } // 0;
        syswrite $out, "$met\n";
        require POSIX;
        POSIX::_exit(0);
    }
    close $out;
    sysread $in, my $locked, 1;
    my @results = $lims->parallel($count, $action);
    my ($met) = <$in>;
    waitpid $pid, 0;
    chomp $met;
    return ($met, @results);
}

# Holds the row until so many wait at the same time; how many did.
sub _hold {
    my ($self, $count, $table, $id, $out) = @_;
    my $db  = $self->{lims}->superuser;
    my $of  = $table eq 'organization' ? 'id' : 'organization_id';
    my $met = 0;

    $db->begin_work;
    $db->do("SELECT FROM lims.$table WHERE $of = ? AND id = ? FOR UPDATE", undef,
        $self->{organization}{id}, $id);
    syswrite $out, '.';
    wait_until {
        # A transaction would go on seeing the activity that it saw first.
        $db->do('SELECT pg_stat_clear_snapshot()');
        $met = $db->selectrow_array(q{SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'});
        $met >= $count;
    };
    $db->commit;
    return $met;
}

# --- Looking -----------------------------------------------------------------

sub value {
    my ($self, $sql, @bind) = @_;
    return scalar $self->{lims}->db->selectrow_array($sql, undef, @bind);
}

sub _new_events {
    my ($self, $action) = @_;
    my $organization = $self->{organization}{id};
    my $before = $self->value('SELECT coalesce(max(id), 0) FROM lims.event'
            . ' WHERE organization_id = ?', $organization);

    $action->();
    return @{ $self->{lims}->db->selectall_arrayref('SELECT type, data::text FROM lims.event'
                . ' WHERE organization_id = ? AND id > ? ORDER BY id', undef, $organization,
            $before) };
}

sub events_in {
    my ($self, $action) = @_;
    return map { [ $_->[0], LIMS::Service::JSONSchema::decode($_->[1]) ] } $self->_new_events($action);
}

# The shape in the words of the contract: "sampleId integer, status string".
sub events_of {
    my ($self, $action) = @_;
    return map { [ $_->[0], _shape($_->[1]) ] } $self->_new_events($action);
}

sub _shape {
    my ($text) = @_;
    my $data = LIMS::Service::JSONSchema::decode($text);
    my @names = $text =~ /[{,]\s*"(\w+)"\s*:/g;

    return join ', ', map { "$_ " . LIMS::Service::JSONSchema::type_of($data->{$_}) } @names;
}

sub changes_of {
    my ($self, $action) = @_;
    my $count = sub {
        return $self->value('SELECT (SELECT count(*) FROM lims.audit_entry WHERE'
                . ' organization_id = o.id) + (SELECT count(*) FROM lims.event WHERE'
                . ' organization_id = o.id) FROM lims.organization o WHERE o.id = ?',
            $self->{organization}{id});
    };
    my $before = $count->();

    $action->();
    return $count->() - $before;
}

1;
