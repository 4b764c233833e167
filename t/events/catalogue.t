#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The outbox: each action writes the contract's event once, in its own transaction, with
# its members in order and the record's values. A rolled back action writes none; plain
# SQL writes the same events as the API.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));

# The contract's table of payloads, in its own words.
my %payload = (
    'sample.created'  => 'sampleId integer, trackingId string, sampleIdentifier string, '
        . 'clientName string, status string',
    'sample.received' => 'sampleId integer, trackingId string, status string',
    'result.entered'  => 'sampleTestId integer, testDefinitionId integer',
    'result.verified' => 'sampleTestId integer, sampleId integer',
    'sample.reported' => 'sampleId integer, status string, trackingId string',
    'coa.generated'   => 'sampleId integer, trackingId string, sampleIdentifier string',
    'qc.failed'       => 'qcBatchId integer, batchNumber string, qcStatus string',
    'investigation.opened' => 'investigationId integer, investigationNumber string, '
        . 'title string, kind string, sampleId integer',
);

sub writes {
    my ($action, $types, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is_deeply([ $lab->events_of($action) ], [ map { [ $_, $payload{$_} ] } @$types ],
        $name);
}

my $limit = $lab->definition(specification_high => 10);

sub registered { return $lab->sample(testDefinitionIds => [ $limit, $lab->definition ]) }

sub record { return $lims->get("/samples/$_[0]{id}")->json }

subtest 'events of actions through the API' => sub {
    my $sample;
    writes(sub { $sample = registered() }, ['sample.created'], 'registering');
    my @tests = $lab->tests($sample);
    writes(sub { $lims->post('/samples/receive', { sampleIds => [ $sample->{id} ] }) },
        ['sample.received'], 'receiving');
    writes(sub { $lab->status($sample, 'processing') }, [], 'starting');
    writes(sub { $lims->patch("/samples/$sample->{id}", { notes => 'n', priority => 'rush' }) },
        [], 'correcting');
    writes(sub { $lab->enter($tests[1], '5') }, ['result.entered'], 'entering a result');
    is_deeply([ sort map { $_->[0] } $lab->events_of(sub { $lab->enter($tests[0], '12') }) ],
        [qw(investigation.opened result.entered)], 'entering one that is out of specification');
    writes(sub { $lab->status($sample, 'completed') }, [], 'completing');
    writes(sub { $lab->verify($tests[0]) }, ['result.verified'], 'verifying');
    writes(sub { $lab->verify($tests[1]) }, ['result.verified'], 'the other');
    writes(sub { $lab->status($sample, 'verified') }, [], 'all verified');
    writes(sub { $lims->post("/samples/$sample->{id}/report", {}) }, ['sample.reported'],
        'reporting');
    writes(sub { $lims->get("/samples/$sample->{id}/readiness") }, [], 'reading');
};

subtest 'values of the payloads' => sub {
    my $sample;
    my %seen;
    my $note = sub { $seen{ $_->[0] } = $_->[1] for @_ };
    $note->($lab->events_in(sub { $sample = registered() }));
    my @tests = $lab->tests($sample);
    $note->($lab->events_in(sub { $lab->status($sample, 'received') }));
    $note->($lab->events_in(sub { $lab->enter($_, '5') })) for $tests[0];
    $lab->enter($tests[1], '5');
    $note->($lab->events_in(sub { $lab->verify($tests[0]) }));
    $lab->verify($tests[1]);
    $note->($lab->events_in(sub { $lims->post("/samples/$sample->{id}/report", {}) }));

    my %same = (sampleId => $sample->{id},
        map { $_ => $sample->{$_} } qw(trackingId sampleIdentifier clientName));
    is_deeply($seen{'sample.created'}, { %same, status => 'pending' }, 'what sample.created says');
    delete @same{qw(sampleIdentifier clientName)};
    is_deeply($seen{'sample.received'}, { %same, status => 'received' },
        'what sample.received says');
    is_deeply($seen{'sample.reported'}, { %same, status => 'reported' },
        'what sample.reported says');
    is_deeply($seen{'result.entered'}, { sampleTestId => $tests[0], testDefinitionId => $limit },
        'what result.entered says');
    is_deeply($seen{'result.verified'}, { sampleTestId => $tests[0], sampleId => $sample->{id} },
        'what result.verified says');
};

subtest 'events of QC batches' => sub {
    my (undef, $test) = $lab->worked(1);
    my $batch = $lab->qc_batch($test);
    writes(sub { $lab->qc_control($batch, 1) }, [], 'passing');
    my ($event) = $lab->events_in(sub { $lab->qc_control($batch, 9) });
    is_deeply($event, [ 'qc.failed', { qcBatchId => $batch, qcStatus => 'failed',
                batchNumber => $lab->value('SELECT batch_number FROM lims.qc_batch WHERE id = ?',
                    $batch) } ], 'what qc.failed says');
    writes(sub { $lab->qc_control($batch, 9) }, [], 'failing still');
    writes(sub { $lab->qc_override($batch) }, [], 'overridden');
    writes(sub { $lab->qc_control($batch, 9) }, ['qc.failed'], 'failing anew');
};

subtest 'events of certificates' => sub {
    my ($sample, $test) = $lab->worked(1);
    my $issue = sub {
        $lab->insert('certificate', sample_id => $sample->{id}, content => '{}', reason => 'why');
    };
    is_deeply([ $lab->events_of(sub { eval { $issue->() } }) ], [],
        'a refused certificate writes no event');
    $lab->verify($test);
    $lims->post("/samples/$sample->{id}/report");
    writes($issue, ['coa.generated'], 'issued');
    my ($event) = $lab->events_in(sub {
        $lab->act(sub {
            my ($db) = @_;
            my @amended = ($sample->{id}, $lab->sign($db, 'amended', 'sample', $sample->{id}));
            my ($amendment) = $db->selectrow_array('INSERT INTO lims.amendment'
                    . ' (organization_id, sample_id, reason, signature_id)'
                    . q{ VALUES (?, ?, 'why', ?) RETURNING id}, undef,
                $lab->{organization}{id}, @amended);
            $db->do('INSERT INTO lims.certificate (organization_id, sample_id, content,'
                    . q{ signature_id) VALUES (?, ?, '{}', ?)}, undef, $lab->{organization}{id},
                $sample->{id}, $lab->sign($db, 'approved', 'amendment', $amendment));
        });
    });
    is_deeply($event->[1], { sampleId => $sample->{id},
            map { $_ => $sample->{$_} } qw(trackingId sampleIdentifier) },
                'an amended certificate writes the event');
};

subtest 'refused or rolled back actions write none' => sub {
    my ($sample, $test) = $lab->worked(1);
    my @refused = (
        [ POST  => '/samples', { clientName => 'A', materialTypeId => $lab->material,
                testDefinitionIds => [ $limit, 987654 ] } ],
        [ POST  => '/sample-tests/bulk-results', { updates => [
                    { sampleTestId => $test, result => '99' },
                    { sampleTestId => 987654, result => '99' } ] } ],
        [ POST  => "/samples/$sample->{id}/report", {} ],
        [ PATCH => "/samples/$sample->{id}/status", { status => 'verified' } ],
        [ PATCH => "/sample-tests/$test", { result => '99', reagentLotId => 987654 } ],
    );
    for my $case (@refused) {
        my ($method, $path, $body) = @$case;
        my $status;
        writes(sub { $status = $lims->request($method, $path, body => $body)->status }, [],
            "$method $path");
        cmp_ok($status, '>=', 400, "$method $path was refused");
    }
    my $db = $lims->db;
    writes(sub {
        $db->begin_work;
        $db->do(q{UPDATE lims.sample SET status = 'received' WHERE id = ?}, undef, $sample->{id});
        is($db->selectrow_array('SELECT count(*) FROM lims.event WHERE position ='
                    . ' lims.event_base() + pg_current_xact_id()::text::bigint'), 1,
                        'written in the transaction');
        $db->rollback;
    }, [], 'an event is gone with its transaction');
};

subtest 'plain SQL as the run-time role' => sub {
    my $sample = registered();
    my ($test) = $lab->tests($sample);
    my $app = $lims->app_db($lims->fixture->{id});
    $app->do(q{SELECT set_config('lims.user_id', ?, false)}, undef, $lims->fixture->{user_id});
    my $run = sub { $app->do(shift, undef, @_) };
    writes(sub { $run->(q{UPDATE lims.sample SET status = 'received' WHERE id = ?},
                $sample->{id}) }, ['sample.received'], 'receiving');
    writes(sub { $run->(q{UPDATE lims.sample_test SET result = '5' WHERE id = ?}, $test) },
        ['result.entered'], 'entering');
    writes(sub { $run->(q{UPDATE lims.sample_test SET status = 'verified' WHERE id = ?}, $test) },
        ['result.verified'], 'verifying');
    writes(sub { $run->('UPDATE lims.sample SET notes = notes WHERE id = ?', $sample->{id}) }, [],
        'an invalid change');
};

subtest 'ids, times and rights of the outbox' => sub {
    my $rows = $lims->db->selectall_arrayref('SELECT id, organization_id, type,'
            . ' lims.event_uuid(organization_id, id, created_at)::text AS event_id,'
            . ' created_at = date_trunc(\'milliseconds\', created_at) AS milliseconds'
            . ' FROM lims.event ORDER BY id', { Slice => {} });
    my %ids = map { $_->{event_id} => 1 } @$rows;
    is(scalar keys %ids, scalar @$rows, 'every event has an id of its own');
    is_deeply([ grep { !$_->{milliseconds} } @$rows ], [], 'times have milliseconds');
    my %types = map { $_->{type} => 1 } @$rows;
    is_deeply([ sort keys %types ], [ sort keys %payload ], 'all eight types were seen');
    my $before = $lab->value('SELECT count(*) FROM lims.event WHERE organization_id = ?',
        $lims->fixture->{id});
    $other->sample;
    is($lab->value('SELECT count(*) FROM lims.event WHERE organization_id = ?',
            $lims->fixture->{id}), $before, 'another organization\'s events are not counted here');
};

done_testing();
