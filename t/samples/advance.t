#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# POST /samples/advance: samples go forward to the status that their results have reached,
# as far as the gates of that status let them; keys cannot ask for it.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $analyst = LIMS::Service::Person->new($lims, roles => ['analyst']);

sub with_tests {
    my ($count) = @_;
    my $sample = $lab->sample(testDefinitionIds => [ map { $lab->definition } 1 .. $count ]);
    $lab->status($sample, 'received');
    return ($sample, $lab->tests($sample));
}

sub status_of {
    return map { $lims->get("/samples/$_->{id}")->json->{status} } @_;
}

# Returns the answer's rows, each without the id and the name of its sample.
sub advance {
    my (@samples) = @_;
    my $answer = $analyst->post('/samples/advance',
        { sampleIds => [ map { $_->{id} } @samples ] });
    is($answer->status, 200, 'advanced') or diag($answer->body);
    return [ map { [ @{$_}{qw(status error)} ] } @{ $answer->json->{samples} } ];
}

subtest 'the first result, and the last' => sub {
    my ($sample, @tests) = with_tests(2);
    is_deeply(advance($sample), [], 'without a result nothing is moved');
    $lab->enter($tests[0], '1');
    is_deeply(advance($sample), [ [ 'processing', undef ] ], 'the first moves it to processing');
    is_deeply(advance($sample), [], 'that is done once');
    $lab->enter($tests[1], '2');
    is_deeply(advance($sample), [ [ 'completed', undef ] ], 'the last moves it to completed');
    is_deeply([ status_of($sample) ], ['completed'], 'that is its status');
    my ($before) = with_tests(1);
    $lab->enter($lab->tests($before), '1');
    is_deeply(advance($before), [ [ 'completed', undef ] ], 'the only one is the last');
};

subtest 'only forward' => sub {
    my ($sample, @tests) = $lab->worked(1);
    is_deeply(advance($sample), [], 'a sample that was not received stays pending');
    $lab->verify($_) for @tests;
    $lab->status($sample, 'verified');
    is_deeply(advance($sample), [], 'a verified sample stays so');
    is_deeply([ status_of($sample) ], ['verified'], 'a verified sample is not set back');
};

subtest 'a result that was sent back' => sub {
    my ($sample, $test) = with_tests(1);
    my $reviewer = LIMS::Service::Person->new($lims, roles => ['lab_manager']);
    $lab->enter($test, '1');
    $reviewer->post("/sample-tests/$test/return", { reason => 'again' })->status == 200
        or die 'not sent back';
    is_deeply(advance($sample), [ [ 'processing', undef ] ], 'is work that is not done');
};

subtest 'a failed QC batch' => sub {
    my ($failed, $test) = with_tests(1);
    my ($other, $good) = with_tests(1);
    $lab->enter($_, '1') for $test, $good;
    $lab->qc_control($lab->qc_batch($test), 9);
    is_deeply(advance($other, $failed),
        [ [ 'processing', 'qc_failed' ], [ 'completed', undef ] ],
        'keeps its samples from completion, and no others');
    is_deeply(advance($failed), [ [ undef, 'qc_failed' ] ], 'the refusal is said again');
    is_deeply([ status_of($failed, $other) ], [qw(processing completed)], 'in the records, too');
};

subtest 'tests and samples that do not count' => sub {
    my ($sample, @tests) = with_tests(2);
    $lab->enter($tests[0], '1');
    $lims->post("/sample-tests/$tests[1]/cancel", { reason => 'not needed' })->status == 200
        or die 'not cancelled';
    is_deeply(advance($sample), [ [ 'completed', undef ] ], 'a cancelled test is not waited for');
    my ($rejected, $test) = with_tests(1);
    $lab->enter($test, '1');
    $lims->post("/samples/$rejected->{id}/disposition",
        { disposition => 'rejected', reason => 'broken' })->status == 200 or die 'not rejected';
    is_deeply(advance($rejected), [], 'a rejected sample is not moved');
};

subtest 'approvals, events and the trail are those of a status that is set' => sub {
    my ($sample, $test) = with_tests(1);
    $lab->approval_steps('Technical review');
    $lab->enter($test, '1');
    my @by_route;
    {
        my ($like, $its) = with_tests(1);
        $lab->enter($its, '1');
        @by_route = map { $_->[0] } $lab->events_of(sub { $lab->status($like, 'completed') });
    }
    is_deeply([ map { $_->[0] } $lab->events_of(sub { advance($sample) }) ], \@by_route,
        'the events are the same');
    is($lims->get("/samples/$sample->{id}/approvals")->json->{data}[0]{status}, 'pending',
        'its approval is asked for');
    is($lab->value('SELECT user_id FROM lims.audit_entry WHERE organization_id = ?'
            . q{ AND table_name = 'sample' AND record_id = ? ORDER BY id DESC LIMIT 1},
        $lims->fixture->{id}, $sample->{id}), $analyst->id, 'the trail names the person');
};

subtest 'refusals' => sub {
    my ($sample, $test) = with_tests(1);
    $lab->enter($test, '1');
    refused($analyst->post('/samples/advance', { sampleIds => [ $sample->{id}, 987_654 ] }),
        400, 'invalid_reference', 'a sample that there is not');
    is_deeply([ status_of($sample) ], ['received'], 'nothing was moved');
    refused($lims->post('/samples/advance', { sampleIds => [ $sample->{id} ] }), 405,
        'method_not_allowed', 'a key');
    my $clerk = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
    refused($clerk->post('/samples/advance', { sampleIds => [ $sample->{id} ] }), 403,
        'permission_required', 'somebody who may enter no results');
};

done_testing();
