#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Refusals of a report by policies, holds and repetitions come after every gate of the
# contract, in an order that never changes; each refusal goes away by its own remedy.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
my $ada  = LIMS::Service::CommandLine->new($lims, 'Ada Kern', roles => ['administrator']);
my $lead = $lab->definition(method => 'EPA 200.8', specification_high => 1);
$ann->done('qc-template create', method => 'EPA 200.8', name => 'Metals', required => 'true',
    controls => [ { type => 'LRB', testDefinitionId => $lead, criterion => 'maximum',
            upperLimit => 0.1 } ]);

my $sample = $lab->sample(testDefinitionIds => [ $lead, map { $lab->definition } 1 .. 2 ]);
my ($metal, $other, $late) = $lab->tests($sample);
my $lot = $lab->reagent_lot;
$lims->patch("/sample-tests/$other", { result => '1', reagentLotId => $lot });
$lab->policy(oos_opens_investigation => 't');
$lab->enter($metal, '5');

# How many records each policy would touch today.
sub touched {
    my %affected = map { $_->{policy} => $_->{affected} } @{ $ada->done('policy impact')->{policies} };
    return [ @affected{@_} ];
}

is_deeply(touched(qw(reasonOnChange selfVerification qcRequired openInvestigationBlocks
    lotQcPolicy)), [ 2, 2, 1, 1, 0 ], 'what policies would touch is counted by what is there');
$lab->verify($_) for $metal, $other;

sub blockers {
    my $answer = $lims->post("/samples/$sample->{id}/report");
    my $body = $answer->json;
    return $answer->status == 409 ? join(' ', map { $_->{slug} } @{ $body->{blockers} })
        . ($body->{error} eq $body->{blockers}[0]{slug} ? '' : " but $body->{error}") : $answer->status;
}

my ($again) = map { $_->{id} } @{ $lims->post("/sample-tests/$other/retest",
        { reason => 'doubtful' })->json->{tests} };
$lab->enter($again, '2');
$lab->verify($again);
$ann->done('reagent-lot quarantine', $lot, reason => 'recalled');
is_deeply(touched(qw(reasonOnChange qcRequired lotQcPolicy)), [ 0, 0, 1 ],
    'the policy of lot QC touches what rests on a lot that was quarantined');
is_deeply([ grep { /\A1 \w+s / } map { $_->{sentence} } @{ $ada->done('policy impact')->{policies} } ],
    [], 'of one record the consequences speak in the singular');
$lims->post("/samples/$sample->{id}/disposition", { disposition => 'on_hold', reason => 'asked to' });
$lab->policy(qc_required => 'block', open_investigation_blocks => 't', lot_qc_policy => 'block');

my @order = qw(qc_pending investigation_open sample_on_hold lot_not_released retest_undecided);
is(blockers(), "incomplete_sample @order", 'all of them, behind the gates of the contract');
$lab->enter($late, '1');
$lab->verify($late);
is(blockers(), "@order", 'without those, in their order');

my %remedy = (
    qc_pending => sub { $lab->policy(qc_required => 'warn') },
    investigation_open => sub { $lab->cancel_investigations($metal) },
    sample_on_hold => sub { $lims->post("/samples/$sample->{id}/disposition",
            { disposition => 'active', reason => 'settled' }) },
    lot_not_released => sub { $ann->done('sample override-lot', $sample->{id},
            reagentLotId => $lot, reason => 'another plant') },
    retest_undecided => sub { $lims->post("/sample-tests/$again/choose", { reason => 'fresh' }) },
);
while (my $slug = shift @order) {
    $remedy{$slug}->();
    is(blockers(), @order ? "@order" : 200, "$slug ends by its own remedy");
}
done_testing();
