#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The inbox of those who decide approvals: what waits, what of it is for whoever asks, what
# to look at; and deciding many with one password and a signature for each.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee');
my $quin = LIMS::Service::CommandLine->new($lims, 'Quin Ford', roles => ['qa_officer']);
my $bea  = LIMS::Service::CommandLine->new($lims, 'Bea Moss',  roles => ['analyst']);

$lab->approval_steps('Review', 'Release');
$lims->db->do(q{UPDATE lims.approval_step SET role = 'qa_officer' WHERE name = 'Release'});
$lab->policy(approver_may_be_verifier => 'f');

# A completed sample that bea verified, and its approvals.
sub completed {
    my ($sample, $test) = $lab->worked(1);
    $bea->done('sample-test verify', $test);
    $lab->status($sample, 'completed');
    return ($sample, @{ $lims->get("/samples/$sample->{id}/approvals")->json->{data} });
}

sub inbox { my ($who, %filter) = @_; return $who->done('approval inbox', %filter)->{data} }
sub ids   { return join ' ', map { $_->{id} } @_ }

my ($first,  @review) = completed();
my ($second, @other)  = completed();

subtest 'what waits' => sub {
    my $all = inbox($ann, status => 'pending');
    is(ids(@$all), ids(@review, @other), 'every approval that is pending');
    is($all->[0]{sample}{trackingId}, $first->{trackingId}, 'each approval shows its sample');
    is_deeply([ @{ $all->[0]{sample} }{qw(results investigations)} ], [ 1, 0 ],
        'each approval has the number of results and of open investigations');
    $lab->act(sub { $lims->insert('investigation', { kind => 'complaint', title => 'Odour',
        sample_id => $first->{id} }) });
    is(inbox($ann)->[0]{sample}{investigations}, 1, 'an investigation opened since is counted');
    is_deeply([ map { $_->{role} } @$all[ 0, 1 ] ], [ undef, 'qa_officer' ],
        'each approval shows the role of its step');
    is(ids(@{ inbox($ann, mine => 'true') }), ids($review[0], $other[0]),
        'the first steps can be decided');
    is(ids(@{ inbox($quin, mine => 'true', limit => 1) }), ids($review[0]), 'a page of one');
    $bea->refused('permission_required', 'approval inbox');
    is_deeply(inbox($ann, status => 'rejected'), [], 'none is rejected');
};

subtest 'many are decided' => sub {
    my $signatures = sub {
        $lims->db->selectrow_array('SELECT count(*) FROM lims.electronic_signature');
    };
    my $before = $signatures->();
    my $refused = $ann->call('approval decide-many', items =>
            [ { id => $review[0]{id}, status => 'approved' }, { id => $other[0]{id},
                status => 'rejected' } ])->{json};
    is($refused->{error}, 'invalid_transition', 'one without a comment: none is decided');
    is_deeply([ map { $_->{error} } @{ $refused->{results} } ], [ undef, 'invalid_body' ],
        'the refusal has a result for each approval');
    is_deeply([ map { $_->{status} } @{ $refused->{results} } ], [qw(pending pending)],
        'no approval is decided');
    is($signatures->(), $before, 'nothing is signed');

    my $done = $ann->done('approval decide-many', atomic => 'false', items =>
            [ { id => $review[0]{id}, status => 'approved' },
            { id => $other[0]{id}, status => 'rejected', comment => 'a transcription error' },
            { id => $review[1]{id}, status => 'approved' }, { id => 987_654, status => 'approved' } ]);
    is_deeply([ map { $_->{error} } @{ $done->{results} } ],
        [ undef, undef, 'permission_required', 'not_found' ], 'each that can be');
    is_deeply([ map { $_->{status} } @{ $done->{results} } ], [ qw(approved rejected pending), undef ],
        'each approval has its own decision');
    is($signatures->(), $before + 2, 'a signature for each');
    is_deeply($lims->db->selectcol_arrayref('SELECT meaning FROM lims.electronic_signature
        ORDER BY id DESC LIMIT 2'), [qw(rejected approved)], 'the signature has its meaning');
    is($lims->get("/approval-records/$other[0]{id}")->json->{comment}, 'a transcription error',
        'the comment is kept');
};

subtest 'what is mine' => sub {
    is(ids(@{ inbox($ann,  mine => 'true') }), '',               'ann has decided the first step');
    is(ids(@{ inbox($quin, mine => 'true') }), ids($review[1]), 'the next is for the role');
    $quin->done('approval decide', $review[1]{id}, status => 'approved');
    is(ids(@{ inbox($quin, mine => 'true') }), '', 'no approval of hers is left');
    $lab->status($second, 'processing');
    $lab->status($second, 'completed');
    my ($again) = @{ inbox($ann, mine => 'true') };
    is($again->{round}, 2, 'a new round');
    is_deeply($again->{flags}, ['approval_rejected'], 'the new round says that the former was rejected');
};

subtest 'two people at once' => sub {
    my (undef, $race) = completed();
    my $count  = q{SELECT count(*) FROM lims.electronic_signature WHERE table_name = 'approval'
        AND record_id = ?};
    my ($met, @answers) = $lab->overlapping(2, approval => $race->{id}, sub {
        my ($number) = @_;
        my ($who, $status) = $number % 2 ? ($ann, 'approved') : ($quin, 'rejected');
        my $answer = $who->call('approval decide', $race->{id}, status => $status,
            comment => "it is $status");
        return $answer->{json}{error} // $answer->{json}{comment};
    });
    my $now = $lims->get("/approval-records/$race->{id}")->json;
    is($met, 2, 'both wait for the same record');
    is_deeply([ sort @answers ], [ sort 'already_decided', $now->{comment} ],
        'one decides, the other is told that it is decided');
    is($lims->db->selectrow_array($count, undef, $race->{id}), 1, 'only the decision that was taken is signed');
};

done_testing();
