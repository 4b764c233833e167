#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A test is repeated, and one of its verified results is chosen for the report.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);

sub act {
    my ($id, $act, %body) = @_;
    return $lims->post("/sample-tests/$id/$act", { reason => 'doubtful', %body });
}

sub shows {
    my ($sample) = @_;
    return join ' ', map { "$_->{disposition}" . ($_->{reported} ? '!' : '') }
        @{ $lims->get("/samples/$sample->{id}")->json->{tests} };
}

my ($sample, $first) = $lab->worked(1);
$lab->verify($first);
my $made = act($first, 'retest', replicates => 2);
is($made->status, 201, 'a verified test is repeated twice') or diag($made->body);
my ($second, $third) = map { $_->{id} } @{ $made->json->{tests} };
is_deeply([ map { $_->{retestOf} } @{ $made->json->{tests} } ], [ $first, $first ],
    'the repetitions name the first');
is(shows($sample), 'active active active', 'none of them is reported');
my ($finding) = grep { $_->{category} eq 'retest_undecided' }
    @{ $lims->get("/samples/$sample->{id}/readiness")->json->{findings} };
is($finding->{severity}, 'blocking', 'readiness says that none is chosen');

$lab->enter($_, '2') for $second, $third;
refused(act($second, 'choose'), 409, 'invalid_transition', 'a result that is not verified');
$lab->verify($second);
my $refusal = refused($lims->post("/samples/$sample->{id}/report"), 409, 'incomplete_sample',
    'the report');
is_deeply([ map { $_->{slug} } @{ $refusal->{blockers} } ],
    [ 'incomplete_sample', 'retest_undecided' ], 'it names the choice');

my @events = $lab->events_of(sub {
    is(act($second, 'choose')->json->{reported}, JSON::PP::true, 'a verified result is chosen');
});
is_deeply(\@events, [], 'choosing a result emits no event');
is(shows($sample), 'set_aside active! set_aside', 'the others are set aside');
is($lab->changes_of(sub { act($second, 'choose') }), 0, 'choosing it again changes nothing');
refused($lims->patch("/sample-tests/$third", { result => '3' }), 409, 'invalid_transition',
    'entering into one that is set aside');
refused(act($third, 'restore'), 409, 'invalid_transition', 'restoring it');

is(act($first, 'choose')->status, 200, 'another result is chosen');
is(shows($sample), 'active! set_aside set_aside',
    'choosing another result undoes the first choice');
$ann->done('sample-test reopen', $first, reason => 'transcription');
is(shows($sample), 'active active active', 'reopening the chosen result undoes the choice');
is_deeply([ map { $_->{status} } @{ $lims->get("/samples/$sample->{id}")->json->{tests} } ],
    [qw(entered verified entered)], 'reopening the chosen result leaves the other results as they were');
act($_, 'cancel') for $first, $third;
is(shows($sample), 'cancelled active! cancelled', 'of all but one cancelled, that one is it');
is($lims->post("/samples/$sample->{id}/report")->status, 200, 'the sample is reported');
is($ann->call('sample-test retest', $second, reason => 'too late')->{exit}, 1,
    'a reported sample takes no repetition');

subtest 'a failed batch' => sub {
    my ($of, $test) = $lab->worked(1);
    my $batch = $lab->qc_batch($test);
    $lab->qc_control($batch, 9);
    my ($new) = map { $_->{id} } @{ act($test, 'retest')->json->{tests} };
    $lab->enter($new, '4');
    $lab->verify($new);
    act($new, 'choose');
    is($lims->post("/samples/$of->{id}/report")->status, 200,
        'what no gate would verify is set aside');
};

subtest 'signed' => sub {
    my ($of, $test) = $lab->worked(1);
    $lab->verify($test);
    act($test, 'retest');
    $lab->policy(esignature_required => 't');
    refused(act($test, 'choose'), 403, 'esignature_required', 'a choice by a key');
    $ann->done('sample-test choose', $test, reason => 'the first was right');
    is($lab->value(q{SELECT meaning FROM lims.electronic_signature WHERE organization_id = ?
        AND record_id = ? ORDER BY id DESC LIMIT 1}, $lims->fixture->{id}, $test), 'chosen',
        'a person signs it');
    $lab->policy(esignature_required => 'f');
};

subtest 'at once' => sub {
    my ($of, $test) = $lab->worked(1);
    my @answers = $lims->parallel(4, sub {
        return $_[0] % 2 ? act($test, 'cancel')->status : $lims->post("/sample-tests/$test/verify")
            ->status;
    });
    my $now = $lims->get("/sample-tests/$test")->json;
    ok(($now->{status} eq 'verified') != ($now->{disposition} eq 'cancelled'),
        "cancelling and verifying end as one of them: @answers");
};

done_testing();
