#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Approval records: made when a sample is first completed, decided in order and for
# good, a rejection with its reason, and made anew when a rejected sample is completed
# again.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims  = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab   = LIMS::Service::Laboratory->new($lims);
my $other = LIMS::Service::Laboratory->new($lims, $lims->organization(code => 'other-laboratory'));
my @names = ('Technical review', 'Quality review', 'Final approval');

sub worked {
    my ($sample, $test) = $lab->worked(1);
    $lab->verify($test);
    return $sample;
}

sub list { return $lims->get("/samples/$_[0]{id}/approvals" . ($_[1] // ''))->json }

sub asked {
    my $sample = worked();
    $lab->status($sample, 'completed');
    return ($sample, @{ list($sample)->{data} });
}

sub decide {
    my ($record, $status, $comment) = @_;
    return $lims->patch("/approval-records/$record->{id}",
        { status => $status, defined $comment ? (comment => $comment) : () });
}

sub decides {
    my ($record, $status, $comment) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $response = decide($record, $status, $comment);
    is($response->status, 200, "$record->{name}: $status") or diag($response->body);
    return $response->json;
}

subtest 'without approval steps there are no records' => sub {
    my ($sample, @records) = asked();
    is_deeply(\@records, [], 'without steps no approval is asked for');
    is($lims->post("/samples/$sample->{id}/report", {})->status, 200, 'the sample can be reported');
};

$lab->approval_steps(@names);

subtest 'records are made when a sample is first completed' => sub {
    my $sample = worked();
    is($lims->get("/samples/$sample->{id}/approvals")->body,
        '{"data":[],"nextCursor":0,"hasMore":false}', 'before that there are none');
    $lab->status($sample, 'completed');
    my @records = @{ list($sample)->{data} };
    is_deeply([ map { "$_->{step} $_->{name} $_->{status} $_->{round}" } @records ],
        [ map { $_ + 1 . " $names[$_] pending 1" } 0 .. 2 ], 'each step in its order');
    is_deeply([ sort keys %{ $records[0] } ], [sort qw(id sampleId step name status requestedAt
            decidedAt decidedBy comment round current)], 'the members of an approval record');
    is($records[0]{sampleId}, $sample->{id}, 'the records name the sample');
    like($records[0]{requestedAt}, qr/\A\d{4}-.*\.\d{3}Z\z/, 'it is UTC, to the millisecond');
    is($records[0]{$_}, undef, "no $_ yet") for qw(decidedAt decidedBy comment current);
    is_deeply($lims->get("/approval-records/$records[1]{id}")->json, $records[1],
        'GET of one record answers as the list');

    $lab->status($sample, $_) for qw(processing completed verified received completed);
    is_deeply(list($sample)->{data}, \@records, 'going back and forth makes no further records');
};

subtest 'records are made when a sample skips completed' => sub {
    my $sample = worked();
    $lab->status($sample, 'verified');
    is(scalar @{ list($sample)->{data} }, 3, 'verified comes after completed');
};

subtest 'steps are approved in their order' => sub {
    my ($sample, @records) = asked();
    my $changes = $lab->changes_of(sub {
        my $refusal = refused(decide($records[1], 'approved'), 409, 'approval_required',
            'the second before the first');
        like($refusal->{message}, qr/$names[0]/, 'the message names the earlier step');
        is_deeply($refusal->{blockers}[0]{approvalIds}, [ $records[0]{id} ],
            'the blocker has the id of the approval');
        like($refusal->{blockers}[0]{clearedBy}, qr/approving/, 'the blocker says that approving clears it');
        refused(decide($records[2], 'rejected', 'no'), 409, 'approval_required',
            'the last step cannot be rejected before the others');
    });
    is($changes, 0, 'no row has changed');

    my $first = decides($records[0], 'approved', 'looks right');
    is($first->{status},    'approved',                'the first step is approved');
    is($first->{comment},   'looks right',             'the record has its comment');
    is($first->{decidedBy}, $lims->fixture->{user_id}, 'the record names who decided');
    like($first->{decidedAt}, qr/\A\d{4}-.*\.\d{3}Z\z/, 'it is UTC, to the millisecond');
    is_deeply($lims->get("/approval-records/$first->{id}")->json, $first,
        'the record is read as it was answered');
    is(decides($records[1], 'approved')->{comment}, undef, 'a comment is optional');
    refused($lims->post("/samples/$sample->{id}/report", {}), 409, 'approval_required',
        'the final one is open');
    decides($records[2], 'approved');
    is($lims->post("/samples/$sample->{id}/report", {})->status, 200, 'the sample is reported');
};

subtest 'a decision is final' => sub {
    my (undef, @records) = asked();
    my $made    = decides($records[0], 'approved', 'as it was');
    my $changes = $lab->changes_of(sub {
        is_deeply(decides($records[0], 'approved'), $made,
            'the same decision again changes nothing');
        is_deeply(decides($records[0], 'approved', 'other words'), $made,
            'the same decision with another comment changes nothing');
        refused(decide($records[0], 'rejected', 'no'), 409, 'already_decided',
            'the opposite decision is refused');
    });
    is($changes, 0, 'no row has changed');
    decides($records[1], 'rejected', 'a transcription error');
    refused(decide($records[1], 'approved'), 409, 'already_decided',
        'a rejection cannot become an approval');
};

subtest 'members that a caller cannot set' => sub {
    my (undef, $record) = asked();
    for my $field (qw(id sampleId step name requestedAt decidedAt decidedBy round current)) {
        like(refused($lims->patch("/approval-records/$record->{id}",
                    { status => 'approved', $field => 1 }), 400, 'field_not_patchable', $field)
                ->{message}, qr/\A$field\b/, "the message names $field");
    }
    refused($lims->patch("/approval-records/$record->{id}", { status => 'approved', mood => 'good' }),
        400, 'invalid_body', 'an unknown member');
    is($lims->get("/approval-records/$record->{id}")->json->{status}, 'pending',
        'the approval is still pending');
};

subtest 'a rejection needs a comment' => sub {
    my (undef, $record) = asked();
    my $changes = $lab->changes_of(sub {
        for my $body ({ status => 'rejected' }, { status => 'rejected', comment => undef },
            { status => 'rejected', comment => '' }, { status => 'rejected', comment => '  ' }) {
            like(refused($lims->patch("/approval-records/$record->{id}", $body), 400,
                    'invalid_body', 'none')->{message}, qr/comment/, 'the message names it');
        }
    });
    is($changes, 0, 'no row has changed');
    is(decides($record, 'rejected', 'why')->{comment}, 'why', 'with a comment it is rejected');
};

subtest 'a new round after a rejection' => sub {
    my ($sample, @records) = asked();
    decides($records[0], 'approved');
    decides($records[1], 'rejected', 'repeat the test');
    refused(decide($records[2], 'approved'), 409, 'approval_required', 'the last is not reached');
    refused($lims->post("/samples/$sample->{id}/report", {}), 409, 'approval_required',
        'the report is refused');
    $lab->status($sample, 'processing');
    $lab->status($sample, 'completed');

    my @all = @{ list($sample)->{data} };
    is_deeply([ map { "$_->{round} $_->{status}" } @all ], [ '1 approved', '1 rejected',
            '1 pending', ('2 pending') x 3 ], 'the steps are asked again');
    refused(decide($records[2], 'approved'), 409, 'already_decided', 'the old ones are past');
    decides($_, 'approved') for @all[ 3 .. 5 ];
    is($lims->post("/samples/$sample->{id}/report", {})->status, 200, 'the sample is reported');
};

subtest 'pages' => sub {
    my ($sample, @records) = asked();
    my $page = list($sample, '?limit=2');
    is_deeply($page->{data}, [ @records[ 0, 1 ] ], 'the first two');
    ok($page->{hasMore}, 'hasMore is true');
    is_deeply(list($sample, "?cursor=$page->{nextCursor}")->{data}, [ $records[2] ],
        'the second page has the rest');
    refused($lims->get("/samples/$sample->{id}/approvals?$_"), 400, 'invalid_query', $_)
        for qw(limit=0 cursor=x status=pending);
};

subtest 'refused bodies' => sub {
    my (undef, $record) = asked();
    my $changes = $lab->changes_of(sub {
        for my $body ({ comment => 'c' }, { status => 'pending' }, { status => 'yes' },
            { status => undef }, { status => 1 }, { status => 'approved', comment => 1 },
            { status => 'approved', comment => 'c' x 4001 },
            { status => 'approved', decidedBy => 1 }, { status => 'approved', step => 1 }) {
            my $response = $lims->patch("/approval-records/$record->{id}", $body);
            is($response->status, 400, shown($body))
                or diag($response->body);
        }
    });
    is($changes, 0, 'no row has changed');
};

subtest 'unknown records' => sub {
    $other->approval_steps('Final approval');
    my ($sample, $test) = $other->worked(1);
    $other->status($sample, 'completed');
    my ($foreign) = map { $_->{id} } @{ $lims->get("/samples/$sample->{id}/approvals",
            key => $other->{organization}{key})->json->{data} };
    for my $path ('/samples/%s/approvals', '/approval-records/%s') {
        my $strange = $path =~ /samples/ ? $sample->{id} : $foreign;
        my $there = refused($lims->get(sprintf $path, $strange), 404, 'not_found', "foreign $path");
        my $none  = refused($lims->get(sprintf $path, 987654), 404, 'not_found', "absent $path");
        is($there->{message} =~ s/$strange/N/r, $none->{message} =~ s/987654/N/r,
            'a foreign record is refused in the words of an absent one');
    }
    refused(decide({ id => $foreign }, 'approved'), 404, 'not_found',
        'another organization\'s record cannot be decided');
    is($lims->get("/approval-records/$foreign", key => $other->{organization}{key})
            ->json->{status}, 'pending', 'another organization\'s record is unchanged');
};

subtest 'many decide at once: one wins' => sub {
    for my $round (1 .. 4) {
        my (undef, $record) = asked();
        my ($met, @answers) = $lab->overlapping(6, approval => $record->{id}, sub {
            my ($number) = @_;
            my $response = decide($record, $number % 2 ? 'approved' : 'rejected', "by $number");
            return $response->json->{error} // $response->json->{comment};
        });
        my $now = $lims->get("/approval-records/$record->{id}")->json;
        my %said = map { $_ => 1 } @answers;
        is($met, 6, "round $round: six at once");
        is_deeply([ sort keys %said ], [ sort 'already_decided', $now->{comment} ],
            "one decision, which all see ($now->{comment})");
    }
};

done_testing();
