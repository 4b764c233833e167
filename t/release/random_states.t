#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# For samples in random states, readiness, release state and the report gate agree: a report
# succeeds exactly when no finding blocks, and a refused one lists the blockers of the
# findings, in the contract's order. LIMS_SEED repeats a run.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $seed = $ENV{LIMS_SEED} || time;
srand $seed;
note("LIMS_SEED=$seed");

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);

my $plain   = $lab->definition(specification_high => 10);
my $confirm = $lab->definition(requires_confirmation => 't');
my $sheet   = $lab->definition(requires_worksheet => 't', holding_time_hours => 1);
$lab->worksheet_template($sheet, ['Tare'], ['Analyst']);
$lab->approval_steps('Technical review', 'Final approval');

sub chance { return rand() < $_[0] }
sub one_of { return $_[ rand @_ ] }

# A refusal is one of the states wanted.
sub try_to {
    my ($method, $path, $body) = @_;
    my $response = $lims->request($method, $path, body => $body);
    die "$method $path: " . $response->body if $response->status >= 500;
    return $response;
}

sub work_on {
    my ($test) = @_;
    my ($id, $definition) = @$test{qw(id testDefinitionId)};

    return if chance(0.08);
    $lab->enter($id, one_of('5', '5', '12', '<1', 'TNTC', '0'));
    if ($definition == $confirm && chance(0.7) && $lims->get("/sample-tests/$id")
        ->json->{confirmationStatus}) {
        $lab->confirm($id, one_of(qw(confirmed refuted)));
    }
    if ($definition == $sheet && chance(0.9)) {
        $lab->worksheet_fill($id, Tare => '1');
        $lab->worksheet_sign($id, 'Analyst') if chance(0.9);
    }
    return;
}

# Before or after verification, which makes the difference.
sub evidence_of {
    my ($lot, $batch) = @_;
    if ($batch && chance(0.5)) {
        my $outcome = $lab->qc_control($batch, one_of(1, 1, 1, 9));
        $lab->qc_override($batch) if $outcome eq 'failed' && chance(0.4);
    }
    $lab->media_test($lot, one_of(qw(sterility growth_promotion)), one_of(qw(passed passed failed)))
        if $lot && chance(0.5);
    return;
}

sub random_sample {
    my @definitions = grep { chance(0.6) } $plain, $confirm, $sheet;
    @definitions = ($plain) if !@definitions && chance(0.7);
    my $sample = $lab->sample(testDefinitionIds => [@definitions],
        chance(0.5) ? (collectionDate => '2026-01-05') : ());
    my @tests = @{ $sample->{tests} };
    my @ids   = map { $_->{id} } @tests;
    my $batch = @ids && chance(0.4) ? $lab->qc_batch(grep { chance(0.7) } @ids) : undef;
    my $lot   = @ids && chance(0.4) ? $lab->media_lot(grep { chance(0.7) } @ids) : undef;

    work_on($_) for @tests;
    evidence_of($lot, $batch);
    chance(0.85) && try_to('POST', "/sample-tests/$_/verify", {}) for @ids;
    evidence_of($lot, $batch);
    decide($sample) if chance(0.85);
    return $sample;
}

sub decide {
    my ($sample) = @_;
    try_to('PATCH', "/samples/$sample->{id}/status", { status => 'completed' });
    for my $approval (@{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} }) {
        next if chance(0.1);
        try_to('PATCH', "/approval-records/$approval->{id}", chance(0.92)
            ? { status => 'approved' } : { status => 'rejected', comment => 'no' });
    }
    return;
}

my %slug_of = (
    incomplete_result     => 'incomplete_sample',     unverified_result => 'incomplete_sample',
    qc_failed             => 'qc_failed',             approval_required => 'approval_required',
    approval_rejected     => 'approval_required',     media_qc_failed   => 'media_qc_failed',
    confirmation_required => 'confirmation_required',
);
my @order = qw(incomplete_sample qc_failed approval_required confirmation_required
    media_qc_failed);
my %hard = map { $_ => 1 } qw(qc_failed confirmation_required media_qc_failed worksheet_incomplete
    approval_rejected);
my %warning = map { $_ => 1 } qw(holding_time_expired out_of_specification investigation_open
    non_numeric_result);

# The decisions' definition, from the categories alone.
sub state_of {
    my (@categories) = @_;
    return 'blocked'     if grep { $hard{$_} } @categories;
    return 'in_progress' if grep { $_ eq 'incomplete_result' } @categories;
    return 'ready_for_review' if grep { /\A(?:unverified_result|approval_required)\z/ } @categories;
    return 'ready_to_report';
}

my (%states, %refusals);

sub judge {
    my ($sample) = @_;
    my $readiness  = $lims->get("/samples/$sample->{id}/readiness")->json;
    my @findings   = @{ $readiness->{findings} };
    my @categories = map { $_->{category} } @findings;
    my @blocking   = grep { $_->{severity} eq 'blocking' } @findings;
    my %slugs      = map { ($slug_of{ $_->{category} } // '') => 1 } @blocking;
    my @expected   = grep { $slugs{$_} } @order;

    is($readiness->{releaseState}, state_of(@categories), "sample $sample->{id}: "
            . ($readiness->{releaseState} // '?') . " of @categories");
    is_deeply([ grep { ($_->{severity} eq 'warning') != !!$warning{ $_->{category} } } @findings ],
        [], "sample $sample->{id}: each finding has the severity of its category");
    is($lims->get("/samples/$sample->{id}")->json->{releaseState}, $readiness->{releaseState},
        "sample $sample->{id}: the sample has the release state of its readiness");

    my $response = $lims->post("/samples/$sample->{id}/report", {});
    my $body     = $response->json;
    if (@blocking) {
        is($response->status . " $body->{error}", "409 $expected[0]",
            'the report is refused');
        is_deeply([ map { $_->{slug} } @{ $body->{blockers} } ], \@expected,
            'every gate is among the blockers');
        my %named  = map { $_ => 1 } map { @{ $_->{testIds} || [] } } @{ $body->{blockers} };
        my @absent = grep { !$named{$_} } map { $_->{sampleTestId} // () }
            grep { $slug_of{ $_->{category} } } @blocking;
        is_deeply(\@absent, [], 'the blockers name every test');
    }
    else {
        is($response->status . " $body->{status}", '200 reported', 'the sample is reported')
            or diag($response->body);
    }
    $states{ $readiness->{releaseState} }++;
    $refusals{ @blocking ? $expected[0] : 'none' }++;
    return;
}

for my $number (1 .. 60) {
    $lab->policy(coa_before_approval => chance(0.5) ? 't' : 'f') if $number % 10 == 1;
    judge(random_sample());
}

note('states: ',   join ' ', map { "$_ $states{$_}" } sort keys %states);
note('refusals: ', join ' ', map { "$_ $refusals{$_}" } sort keys %refusals);
cmp_ok(scalar keys %states, '>=', 3, 'the draw was not all alike');
ok($refusals{none}, 'some were reported');

done_testing();
