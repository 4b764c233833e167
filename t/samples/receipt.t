#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Receipt by scanner: samples are named by tracking id, however it is written, by sample
# identifier or external id; what was found is kept with them; when the results are due
# follows from their tests; and a receipt in error is undone on its day.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my $shelf = $lab->location;

sub receive { return $lims->post("/samples/receive", { items => [@_] }) }

sub skipped { return [ map { [ @$_{qw(sampleId asked status error)} ] } @{ $_[0]->json->{skipped} } ] }

sub unreceive {
    my ($sample, %body) = @_;
    return $lims->post("/samples/$sample->{id}/unreceive", { reason => 'scanned the wrong one', %body });
}

subtest 'by every name (a laboratory\'s day, 1.3)' => sub {
    my $project = $lab->project(code => 'NPDES', composite_sample_identifier => 't');
    my @samples = map { $lab->sample(externalId => "EXT-$_") } 1 .. 5;
    push @samples, $lab->sample(projectId => $project, plantLocation => 'INF-001');
    my @ids = map { $_->{trackingId} } @samples;
    my $response = receive({ trackingId => $ids[0] }, { trackingId => lc $ids[1] },
        { trackingId => $ids[2] =~ tr/-//dr }, { identifier => $ids[3] },
        { identifier => 'EXT-5' }, { identifier => $samples[5]{sampleIdentifier} });
    is($response->status, 200, 'the samples are received') or diag($response->body);
    is_deeply([ map { $_->{id} } @{ $response->json->{received} } ], [ map { $_->{id} } @samples ],
        'all six samples are received');
    is_deeply($response->json->{skipped}, [], 'no sample is skipped');
};

subtest 'what is skipped, and why' => sub {
    my ($sample, $named) = map { $lab->sample } 1, 2;
    my $right = $sample->{trackingId};
    my ($last) = $right =~ /(.)\z/;
    my $wrong = substr($right, 0, -1) . ($last eq 'A' ? 'B' : 'A');
    my $double = $lab->sample(externalId => $named->{trackingId});
    my $theirs = $other->sample;
    my $response = receive({ trackingId => $wrong }, { identifier => 'nothing like it' },
        { identifier => $named->{trackingId} }, { trackingId => $theirs->{trackingId} },
        { sampleId => 987654 }, { trackingId => $right }, { sampleId => $sample->{id} });
    is_deeply(skipped($response), [
            [ undef, $wrong, 400, 'check_character' ],
            [ undef, 'nothing like it', 404, 'not_found' ],
            [ undef, $named->{trackingId}, 409, 'ambiguous' ],
            [ undef, $theirs->{trackingId}, 404, 'not_found' ],
            [ 987654, undef, 404, 'not_found' ],
            [ $sample->{id}, undef, 409, 'not_receivable' ],
        ], 'each with its reason') or diag($response->body);
    my %message = map { $_->{error} => $_->{message} } @{ $response->json->{skipped} };
    like($message{check_character}, qr/mistyped/, 'a wrong check character in words');
    like($message{ambiguous}, qr/$named->{trackingId}.*$double->{trackingId}/,
        'the message names both samples');
    is_deeply([ map { $_->{id} } @{ $response->json->{received} } ], [ $sample->{id} ],
        'the unambiguous sample is received');
};

subtest 'refused bodies' => sub {
    my $id = $lab->sample->{id};
    refused($lims->post('/samples/receive', $_), 400, 'invalid_body', shown($_))
        for { sampleIds => [$id], items => [ { sampleId => $id } ] }, {}, { items => [] },
        { items => [ {} ] }, { items => [ { sampleId => $id, trackingId => 'X' } ] },
        { items => [ { sampleId => $id, containers => -1 } ] };
    refused($lims->post('/samples/receive', { sampleIds => [$id], storageLocationId => $other->location }),
        400, 'invalid_reference', "another laboratory's shelf");
    is($lims->get("/samples/$id")->json->{status}, 'pending', 'it still awaits receipt');
};

subtest 'what was found' => sub {
    my ($one, $two, $three) = map { $lab->sample } 1 .. 3;
    is($one->{receipt}, undef, 'no receipt is recorded before');
    my $received = $lims->post('/samples/receive', {
            items => [ { sampleId => $one->{id}, containers => 3, deviations => 'no preservative' },
                { sampleId => $two->{id} } ],
            receipt => { temperature => 4.2, condition => 'intact, on ice' },
            storageLocationId => $shelf })->json->{received};
    my $by = $lims->fixture->{user_id};
    is_deeply([ map { $_->{receipt} } @$received ], [
            { temperature => 4.2, condition => 'intact, on ice', containers => 3,
                deviations => 'no preservative', receivedBy => $by },
            { temperature => 4.2, condition => 'intact, on ice', containers => undef,
                deviations => undef, receivedBy => $by } ], 'of each and of all');
    is_deeply([ map { $_->{storageLocationId} } @$received ], [ $shelf, $shelf ],
        'into the fridge');
    $lab->status($three, 'received');
    is($lims->get("/samples/$three->{id}")->json->{receipt}{receivedBy}, $by, 'by its status, too');
};

subtest 'findings are changed until the sample is completed' => sub {
    my $ben  = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
    my ($worked, $test) = $lab->worked(1);
    my $path  = "/samples/$worked->{id}";
    my $found = sub { $lims->get($path)->json->{receipt} };
    my $old   = $lab->sample;
    refused($ben->patch("/samples/$old->{id}/receipt", { deviations => 'no ice' }), 409,
        'invalid_transition', 'before the receipt');
    $lab->status($worked, 'received');
    my $before = $lims->get($path)->json;
    my $changed;
    my @events = $lab->events_of(sub {
        $changed = $ben->patch("$path/receipt", { deviations => 'cap cracked', containers => 2 }) });
    is($changed->status, 200, 'a deviation is noted, also when there is a result')
        or diag($changed->body);
    is_deeply([ @{ $found->() }{qw(deviations containers temperature)} ], [ 'cap cracked', 2, undef ],
        'what was found is kept with the receipt');
    is_deeply(\@events, [], 'nothing is received again, and no event is sent');
    is_deeply([ @{ $lims->get($path)->json }{qw(status receivedAt)} ],
        [ @$before{qw(status receivedAt)} ], 'the receipt is that of before');
    is($found->()->{receivedBy}, $before->{receipt}{receivedBy}, 'who received it stays');
    $ben->patch("$path/receipt", { deviations => undef, temperature => 7.5 });
    is_deeply([ @{ $found->() }{qw(deviations containers temperature)} ], [ undef, 2, '7.5' ],
        'one is taken back, and the others stay');
    $lab->act(sub { $_[0]->do('UPDATE lims.organization SET reason_on_change = true') });
    refused($ben->patch("$path/receipt", { containers => 3 }), 409, 'reason_required',
        'without the reason that the policy asks for');
    is($ben->patch("$path/receipt", { containers => 3, reason => 'counted again' })->status, 200,
        'with it');
    $lab->act(sub { $_[0]->do('UPDATE lims.organization SET reason_on_change = false') });
    $lab->status($worked, 'completed');
    refused($ben->patch("$path/receipt", { containers => 4 }), 409, 'invalid_transition',
        'a completed sample');
    my $hanna = LIMS::Service::Person->new($lims, roles => ['auditor']);
    refused($hanna->patch("$path/receipt", { containers => 4 }), 403, 'permission_required',
        'somebody who does not receive');
};

subtest 'due dates' => sub {
    my @days = map { $lab->definition(turnaround_days => $_) } 3, 10, undef;
    my $due  = sub {
        my $sample = $lab->sample(@_);
        receive({ sampleId => $sample->{id} });
        return $lims->get("/samples/$sample->{id}")->json->{dueDate};
    };
    my $in = sub { return $lab->value(q{SELECT ((now() AT TIME ZONE 'UTC')::date + ?::integer)::text}, @_) };
    is($due->(testDefinitionIds => \@days), $in->(10), 'the largest turnaround of its tests');
    is($due->(testDefinitionIds => [ $days[2] ]), undef, 'none where none is promised');
    is($due->(testDefinitionIds => \@days, dueDate => '2026-12-24'), '2026-12-24',
        'the given one stays');
    my $sample = $lab->sample(dueDate => '1999-01-01');
    is_deeply([ map { $_->{id} } @{ $lims->get('/samples?dueBefore=2000-01-01')->json->{data} } ],
        [ $sample->{id} ], 'the filter dueBefore');
    is($lims->patch("/samples/$sample->{id}", { dueDate => undef })->json->{dueDate}, undef,
        'the due date is cleared');
};

subtest 'the due date of an undone receipt' => sub {
    my ($short, $long) = map { $lab->definition(turnaround_days => $_) } 3, 10;
    my $of = sub { $lims->get("/samples/$_[0]{id}")->json->{dueDate} };
    my $in = sub { return $lab->value(q{SELECT ((now() AT TIME ZONE 'UTC')::date + ?::integer)::text}, @_) };
    my $sample = $lab->sample(testDefinitionIds => [$short]);
    receive({ sampleId => $sample->{id} });
    $lims->post("/samples/$sample->{id}/tests", { testDefinitionIds => [$long] });
    is($of->($sample), $in->(3), 'a test that is added does not change it');
    is(unreceive($sample)->json->{dueDate}, undef, 'it goes with the receipt, whatever tests there are now');
    receive({ sampleId => $sample->{id} });
    is($of->($sample), $in->(10), 'the next receipt sets it by all tests');
    my $given = $lims->patch("/samples/$sample->{id}", { dueDate => $in->(5) })->json->{dueDate};
    $lims->patch("/samples/$sample->{id}", { dueDate => $in->(10) });
    is(unreceive($sample)->json->{dueDate}, $in->(10), 'one that was given since stays');
};

subtest 'a receipt in error is undone (a laboratory\'s day, 1.3)' => sub {
    my $sample = $lab->sample(testDefinitionIds => [ $lab->definition(turnaround_days => 3) ]);
    refused(unreceive($sample), 409, 'invalid_transition', 'not received yet');
    $lims->post('/samples/receive', { sampleIds => [ $sample->{id} ], receipt => { temperature => 9 } });
    refused($lims->post("/samples/$sample->{id}/unreceive", {}), 400, 'invalid_body',
        'without a reason');
    my $undone;
    my @events = $lab->events_of(sub { $undone = unreceive($sample) });
    is($undone->status, 200, 'the receipt is undone') or diag($undone->body);
    is_deeply([ map { $undone->json->{$_} } qw(status receivedAt receipt dueDate) ],
        [ 'pending', undef, undef, undef ], 'pending again, and nothing of it stands');
    is_deeply(\@events, [], 'undoing emits no event');
    is($lab->value(q{SELECT reason FROM lims.audit_entry WHERE table_name = 'sample'
        AND record_id = ? ORDER BY id DESC LIMIT 1}, $sample->{id}), 'scanned the wrong one',
        'the trail has the reason');
    is_deeply([ map { $_->[0] } $lab->events_of(sub { receive({ sampleId => $sample->{id} }) }) ],
        ['sample.received'], 'sample.received again with the next receipt');
};

subtest 'what is not undone' => sub {
    my ($worked, $test) = $lab->worked(1);
    $lab->status($worked, 'received');
    refused(unreceive($worked), 409, 'invalid_transition', 'with a result');
    $lims->patch("/sample-tests/$test", { result => undef });
    refused(unreceive($worked), 409, 'invalid_transition', 'that was withdrawn');
    $lab->status($worked, 'pending');
    my $anew = receive({ sampleId => $worked->{id}, deviations => 'seal broken' });
    refused($anew, 409, 'invalid_transition',
        'with other findings than were approved, by receiving anew,');
    like($anew->json->{message}, qr/Receive it without temperature, condition, containers and deviations/,
        'the refusal says how it can be received');
    is(receive({ sampleId => $worked->{id} })->status, 200, 'with the same findings it is received anew');
    my $old = $lab->sample;
    $lab->status($old, 'received');
    $lab->act(sub { my ($db) = @_;
        $db->do('ALTER TABLE lims.sample DISABLE TRIGGER USER');
        $db->do(q{UPDATE lims.sample SET received_at = now() - interval '25 hours' WHERE id = ?}, undef, $old->{id});
        $db->do('ALTER TABLE lims.sample ENABLE TRIGGER USER') });
    refused(unreceive($old), 409, 'invalid_transition', 'of yesterday');
    my $back = $lab->sample;
    $lab->status($back, $_) for qw(received pending);
    ok($lims->get("/samples/$back->{id}")->json->{receivedAt},
        'PATCH status to pending leaves receivedAt');
    is(unreceive($back)->json->{receivedAt}, undef, 'unreceive takes receivedAt of a sample that is pending again');
};

done_testing();
