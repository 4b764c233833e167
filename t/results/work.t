#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Work between people: the worklist in the order in which it is to be done, tests that are
# assigned, and results that are sent back to be entered again.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;
use MIME::Base64 qw(decode_base64);

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $ann   = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['analyst']);
my $bob   = LIMS::Service::CommandLine->new($lims, 'Bob Ray', roles => ['analyst']);
my $clerk = LIMS::Service::CommandLine->new($lims, 'Ben Walsh', roles => ['receiving_clerk']);

my $short = $lab->definition(holding_time_hours => 6, method => 'EPA 1');
my $long  = $lab->definition(holding_time_hours => 600, method => 'EPA 2');
my $none  = $lab->definition(method => 'EPA 2');
my $today = $lab->value('SELECT current_date - 1');

sub received {
    my (%member) = @_;
    my $sample = $lab->sample(collectionDate => $today, %member);
    $lims->post('/samples/receive', { sampleIds => [ $sample->{id} ] });
    return $lab->tests($sample);
}

sub listed { return map { $_->{id} } @{ $ann->done('worklist', @_)->{data} } }

my ($late_long, $late_none) = received(testDefinitionIds => [ $long, $none ]);
my ($stat) = received(testDefinitionIds => [$none], priority => 'stat');
my ($first) = received(testDefinitionIds => [$short]);
my ($unreceived)
    = $lab->tests($lab->sample(testDefinitionIds => [$short], collectionDate => $today));

subtest 'the order of work' => sub {
    is_deeply([ listed() ], [ $first, $late_long, $stat, $late_none ],
        'by the end of the holding time, none last, then by priority; received samples alone');
    is_deeply([ listed(method => 'EPA 2') ], [ $late_long, $stat, $late_none ],
        'the worklist filters by method');
    is_deeply([ listed(testDefinitionId => $long) ], [$late_long],
        'the worklist filters by definition');
    my ($entry) = @{ $ann->done('worklist', limit => 1)->{data} };
    is_deeply([ @$entry{qw(status assignedTo returned sampleDisposition priority)} ],
        [ 'pending', undef, undef, 'active', 'routine' ], 'an entry says what is to be done');
    ok($entry->{$_}, "the entry has $_")
        for qw(trackingId clientName materialType testCode holdingExpiresAt receivedAt);
};

# The lines of a file, of which the first has the names of its columns.
sub file {
    my $text = decode_base64($ann->done(@_)->{contentBase64});
    return map { [ map { s/\A"|"\z//gr } split /,/ ] } split /\r\n/, $text;
}

subtest 'as files' => sub {
    my ($head, @lines) = file('worklist-export', method => 'EPA 2');
    is_deeply([ map { $_->[0] } $head, @lines ], [ 'id', $late_long, $stat, $late_none ],
        'the worklist as filtered, in its order');
    my %name = map { $_->{id} => $_->{trackingId} } @{ $ann->done('worklist')->{data} };
    is_deeply([ file('worklist-sequence') ], [ [qw(position sampleName sampleType)],
            [ 1, $name{$first}, 'sample' ], [ 2, $name{$late_long}, 'sample' ],
            [ 3, $name{$stat}, 'sample' ] ], 'as a sequence each sample stands once');
    is_deeply([ map { $_->[1] } file('worklist-sequence', method => 'EPA 1') ],
        [ 'sampleName', $name{$first} ], 'the sequence has only samples that pass the filter');
    is_deeply([ file('worklist-sequence', sampleTestIds => [ $late_none, $first, $late_long ]) ],
        [ [qw(position sampleName sampleType)], [ 1, $name{$late_none}, 'sample' ],
            [ 2, $name{$first}, 'sample' ] ],
        'of tests that are given the sequence has the samples alone, in their order');

    my $batch = $ann->done('qc-batch create', batchNumber => 'QCB-0001',
        sampleTestIds => [ $late_none, $stat, $first ])->{id};
    for my $control ([ 'MB', $none ], [ 'LFB', $none ], [ 'LFB', $long ], [ 'SUR', $none ],
        [ 'LFB', $none ]) {
        $ann->done('qc-control add', qcBatchId => $batch, controlType => $control->[0], criterion => 'maximum',
            testDefinitionId => $control->[1], measuredValue => 1, upperLimit => 1, level => 'low');
    }
    my ($head_of, @run) = file('qc-batch sequence', $batch);
    is_deeply(\@run, [ [ 1, 'MB low', 'MB' ], [ 2, 'LFB low', 'LFB' ], [ 3, 'LFB low 2', 'LFB' ],
            [ 4, $name{$first}, 'sample' ], [ 5, $name{$late_none}, 'sample' ],
            [ 6, $name{$stat}, 'sample' ] ],
        'a run: each control once for every time that it is measured, then the samples');
    $ann->refused('not_found', 'qc-batch sequence', 987654);
    $ann->done('qc-batch uncover', $batch, sampleTestIds => [ $late_none, $stat, $first ],
        reason => 'no longer needed');
};

subtest 'pages' => sub {
    my @seen;
    my $cursor = 0;
    for (1 .. 5) {
        my $page = $ann->done('worklist', limit => 1, cursor => $cursor);
        push @seen, map { $_->{id} } @{ $page->{data} };
        last if !$page->{hasMore};
        $cursor = $page->{nextCursor};
    }
    is_deeply(\@seen, [ $first, $late_long, $stat, $late_none ], 'one after the other');
    $lab->enter($first, '1');
    is_deeply([ listed(cursor => $first) ], [ $late_long, $stat, $late_none ],
        'behind the place of a test that has left the list');
    my ($id) = map { $_->{sampleId} } @{ $ann->done('worklist', limit => 1)->{data} };
    $lims->patch("/samples/$id", { collectionDate => $lab->value('SELECT current_date - 5') });
    is_deeply([ listed(cursor => $late_long) ], [ $stat, $late_none ],
        'a cursor behind a test that moved continues behind its present place');
};

subtest 'assignment' => sub {
    my $answer = $ann->done('sample-test assign', sampleTestIds => [ $stat, $late_none ],
        assignedTo => $bob->{id});
    is_deeply([ map { $_->{id} } @{ $answer->{updated} } ], [ $stat, $late_none ],
        'both tests are assigned');
    is_deeply([ listed(assignedTo => $bob->{id}) ], [ $stat, $late_none ],
        'the tests are in his worklist');
    $ann->done('sample-test assign', sampleTestIds => [$stat], assignedTo => undef);
    is_deeply([ listed(assignedTo => $bob->{id}) ], [$late_none], 'taken from him');
    $ann->refused('invalid_reference', 'sample-test assign', sampleTestIds => [ $stat, 987654 ],
        assignedTo => $bob->{id});
    $ann->refused('invalid_reference', 'sample-test assign', sampleTestIds => [$stat],
        assignedTo => 987654);
    $clerk->refused('permission_required', 'sample-test assign', sampleTestIds => [$stat],
        assignedTo => $bob->{id});
    is($lims->patch('/sample-tests/assign', { sampleTestIds => [$stat], assignedTo => undef })
            ->status, 400, 'an API key has no such route');
    my ($verified) = received(testDefinitionIds => [$none]);
    $lab->enter($verified, '1');
    $lab->verify($verified);
    $ann->refused('test_verified_locked', 'sample-test assign', sampleTestIds => [$verified],
        assignedTo => $bob->{id});
};

subtest 'what becomes of the sample' => sub {
    my ($test) = received(testDefinitionIds => [$none]);
    my $sample = $lims->get("/sample-tests/$test")->json->{sampleId};
    my $shows  = sub { return scalar grep { $_ == $test } listed() };
    my $set    = sub {
        return $lims->post("/samples/$sample/disposition",
            { disposition => $_[0], reason => 'broken' });
    };
    $set->('on_hold');
    is($shows->(), 1, 'on hold, its holding times run on');
    $set->('cancelled');
    is($shows->(), 0, 'cancelled, it is in no worklist');
    $set->('active');
    is($shows->(), 1, 'taken back, it is there again');
    $lims->post("/sample-tests/$test/cancel", { reason => 'not needed' });
    is($shows->(), 0, 'a cancelled test is not');
};

subtest 'sent back' => sub {
    my ($test) = received(testDefinitionIds => [$none]);
    $ann->refused('invalid_transition', 'sample-test return', $test, reason => 'nothing there');
    $ann->done('sample-test enter', $test, result => '4.2');
    my $before = $lab->events_of(sub {
        my $record = $bob->done('sample-test return', $test, reason => 'read it again');
        is_deeply([ @{ $record->{returned} }{qw(by reason)} ], [ $bob->{id}, 'read it again' ],
            'the test shows who sent it back, and why');
        like($record->{returned}{at}, qr/\A\d{4}-\S+\.\d{3}Z\z/,
            'the test shows when it was sent back');
        is("$record->{status} $record->{result}", 'entered 4.2', 'the result stands');
    });
    is($before, 0, 'sending back emits no event');
    ok((grep { $_ == $test } listed(assignedTo => $ann->{id})), 'it is with who entered it');
    my $refusal = refused($lims->post("/sample-tests/$test/verify", {}), 409,
        'invalid_transition', 'it is not verified');
    like($refusal->{message}, qr/sent back/, 'the refusal to verify says that the result was sent back');
    refused_in_sql($test);
    is($lims->patch("/sample-tests/$test", { notes => 'a remark' })->json->{returned}{by},
        $bob->{id}, 'a remark is no entry');
    is($ann->done('sample-test enter', $test, result => '4.2')->{returned}, undef,
        'the same value counts');
    ok(!(grep { $_ == $test } listed()), 'it has left the worklist');

    $bob->done('sample-test return', $test, reason => 'once more', assignedTo => $bob->{id});
    is($ann->done('sample-test enter', $test, result => '4.3')->{returned}, undef,
        'another value ends the return');
    $bob->done('sample-test return', $test, reason => 'a third time');
    my $many = $lims->post('/sample-tests/bulk-results',
        { updates => [ { sampleTestId => $test, result => '4.3' } ] });
    is($many->json->{updated}[0]{returned}, undef, 'the same value among many is entered again');
    $lab->policy(reason_on_change => 't');
    $bob->done('sample-test return', $test, reason => 'a last time');
    refused($lims->patch("/sample-tests/$test", { result => '4.3' }), 409, 'reason_required',
        'where reasons are asked for, the same value needs its own');
    refused($lims->post('/sample-tests/bulk-results',
            { updates => [ { sampleTestId => $test, result => '4.3' } ] }), 409,
        'reason_required', 'in bulk the reason is asked for, too');
    is($ann->done('sample-test enter', $test, result => '4.3', reason => 'read twice')->{returned},
        undef, 'with a reason the same value ends the return');
    $lab->policy(reason_on_change => 'f');
    $lab->verify($test);
    $bob->refused('test_verified_locked', 'sample-test return', $test, reason => 'too late');
    $clerk->refused('permission_required', 'sample-test return', $test, reason => 'no');
};

subtest 'sent back to somebody who has left' => sub {
    my $eve = LIMS::Service::CommandLine->new($lims, 'Eve Dow', roles => ['analyst']);
    my ($test) = received(testDefinitionIds => [$none]);
    $eve->done('sample-test enter', $test, result => '4.2');
    $lims->db->do('UPDATE lims.user_account SET active = false WHERE id = ?', undef, $eve->{id});
    $bob->done('sample-test return', $test, reason => 'read it again');
    is($lab->value('SELECT assigned_to FROM lims.sample_test WHERE id = ?', $test), undef,
        'it is for anybody');
    $bob->refused('invalid_reference', 'sample-test return', $test, reason => 'again',
        assignedTo => $eve->{id});
};

# Whoever writes: the database refuses it too.
sub refused_in_sql {
    my ($test) = @_;
    my $done = eval {
        $lab->act(sub { $_[0]->do(q{UPDATE lims.sample_test SET status = 'verified'
            WHERE id = ?}, undef, $test) });
        1;
    };
    ok(!$done, 'direct SQL is refused');
    like($@, qr/sent back/, 'the refusal of direct SQL says that the result was sent back');
    return;
}

done_testing();
