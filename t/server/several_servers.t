#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Several httpds on one database, as on machines behind one address: each gives the same
# answer, and what one of them did the others know.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my @patient = (conf => LIMS::Service::Laboratory::patience());
my $lims    = LIMS::Test->new(@patient);
my @machine = ($lims, map { LIMS::Test->new(beside => $lims, @patient) } 1, 2);
my $lab     = LIMS::Service::Laboratory->new($lims);

sub everywhere {
    my ($action) = @_;
    return [ map { $action->($_) } @machine ];
}

subtest 'each server returns the same record' => sub {
    my $sample = $lab->sample(testDefinitionIds => [ $lab->definition ]);
    my $path   = "/samples/$sample->{id}";
    my $made   = $lims->get($path);
    is_deeply(everywhere(sub { $_[0]->get($path)->body }), [ ($made->body) x 3 ],
        'a record made at one server reads the same at each');
    is_deeply(everywhere(sub {
        $_[0]->get($path, headers => { 'If-None-Match' => $made->header('ETag') })->status
    }), [ (304) x 3 ], 'the entity tag is the same at each');
    my $changed = $machine[1]->patch($path, { notes => 'seen' },
        headers => { 'If-Match' => $made->header('ETag') });
    is($changed->status, 200, 'another server takes it in If-Match');
    is($machine[2]->patch($path, { notes => 'late' },
            headers => { 'If-Match' => $made->header('ETag') })->status,
        412, 'a third server refuses the former ETag');
};

subtest 'a request that is repeated at another server' => sub {
    my $send = sub {
        my ($at, $key, $name) = @_;
        return $at->post('/clients', { code => $name, name => $name },
            headers => { 'Idempotency-Key' => $key });
    };
    my $first = $send->($machine[0], 'moved', 'MOVED');
    for my $at (@machine[ 1, 2 ]) {
        my $again = $send->($at, 'moved', 'MOVED');
        is($again->status . ' ' . $again->header('Idempotent-Replayed'), '201 true',
            'the other server replays the answer');
        is($again->body, $first->body, 'the replayed answer is the first one');
    }
    is($send->($machine[1], 'moved', 'OTHER')->json->{error}, 'idempotency_mismatch',
        'another body with the same key is a mismatch');
    for my $round (1 .. 3) {
        my @told = $lims->parallel(9, sub {
            my ($number) = @_;
            my $answer = $send->($machine[ $number % 3 ], "at-once-$round", "ONCE$round");
            return [ $answer->status, $answer->header('Idempotent-Replayed') ? 1 : 0 ];
        });
        is(scalar(grep { $_->[0] == 201 && !$_->[1] } @told), 1, 'nine at once: one does it');
        is_deeply([ grep { !($_->[0] == 409 || $_->[0] == 201) } @told ], [],
            'the other requests get its answer, or are told to wait for it');
        is($lab->value('SELECT count(*) FROM lims.client WHERE code = ?', "ONCE$round"), 1,
            "round $round: it is done once");
    }
};

subtest 'simultaneous requests at all servers are decided once' => sub {
    my ($sample, $test) = $lab->worked(1);
    my ($met, @verified);
    my @events = $lab->events_in(sub {
        ($met, @verified) = $lab->overlapping(6, sample_test => $test, sub {
            my ($number) = @_;
            return $machine[ $number % 3 ]->post("/sample-tests/$test/verify", {})->status;
        });
    });
    is($met, 6, 'six on three machines verify one result');
    is_deeply([ sort @verified ], [ 200, (409) x 5 ], 'one of six verifies the result');
    is_deeply([ map { $_->[0] } @events ], ['result.verified'], 'the verification is told once');
    $lab->status($sample, 'completed');

    my @reported;
    @events = $lab->events_in(sub {
        ($met, @reported) = $lab->overlapping(6, sample => $sample->{id}, sub {
            my ($number) = @_;
            return $machine[ $number % 3 ]->post("/samples/$sample->{id}/report", {})->status;
        });
    });
    is($met, 6, 'six report');
    is_deeply(\@reported, [ (200) x 6 ], 'each report is answered 200');
    is_deeply([ map { $_->[0] } @events ], ['sample.reported'], 'sample.reported is emitted once');
};

subtest 'a result edited at one server and verified at the other' => sub {
    for my $round (1 .. 4) {
        my (undef, $test) = $lab->worked(1);
        my ($met, $verified, $edited) = $lab->overlapping(2, sample_test => $test, sub {
            my ($number) = @_;
            my $at = $machine[ $number + 1 ];
            return ($number ? $at->patch("/sample-tests/$test", { result => '2' })
                : $at->post("/sample-tests/$test/verify", {}))->status;
        });
        my $stands = $machine[0]->get("/sample-tests/$test")->json;
        is("$met $verified $stands->{status}", '2 200 verified', 'the result is verified');
        is($stands->{result}, $edited == 200 ? '2' : '1', "as it was edited before ($edited)");
        ok($edited == 200 || $edited == 409, 'an edit at the same time is done before, or refused');
    }
};

subtest 'the monthly allowance is shared' => sub {
    my $small = $lims->organization(code => 'small-laboratory', monthly_sample_allowance => 5);
    my $there = LIMS::Service::Laboratory->new($lims, $small);
    my $body  = { clientName => 'A', materialTypeId => $there->material };
    my @told  = $lims->parallel(12, sub {
        my ($number) = @_;
        return $machine[ $number % 3 ]->post('/samples', $body, key => $small->{key})->status;
    });
    is_deeply([ sort @told ], [ (201) x 5, (403) x 7 ], 'of twelve at once as many as it allows');
};

# Every process has seen the key, and remembers what does not change of it.
subtest 'changes of a key take effect at all servers' => sub {
    my $key = $lims->key($lims->fixture);
    my $all = sub {
        my ($path, $method) = @_;
        return everywhere(sub {
            my $answer = $_[0]->request($method || 'GET', $path, key => $key->{key},
                $method ? (body => {}) : ());
            $answer->status == 200 ? 200 : $answer->status . ' ' . $answer->json->{error};
        });
    };
    my $set = sub {
        my ($column, $value) = @_;
        $lims->db->do("UPDATE lims.api_key SET $column = ? WHERE id = ?", undef, $value,
            $key->{key_id});
    };
    $all->('/samples') for 1 .. 20;
    is_deeply($all->('/samples'), [ (200) x 3 ], 'known to all');
    $set->(scopes => ['events:read']);
    is_deeply($all->('/samples'), [ ('403 scope_required') x 3 ], 'its scopes at once');
    $set->(scopes => [qw(samples:read results:verify)]);
    my (undef, $test) = $lab->worked(1);
    $lab->policy(esignature_required => 't');
    is_deeply($all->("/sample-tests/$test/verify", 'POST'), [ ('403 esignature_required') x 3 ],
        'a policy of its organization at once');
    $lab->policy(esignature_required => 'f');
    $lab->policy(api_access => 'f');
    is_deeply($all->('/samples'), [ ('401 unauthorized') x 3 ], 'the plan at once');
    $lab->policy(api_access => 't');
    is_deeply($all->('/samples'), [ (200) x 3 ], 'the planned limit holds again on all servers');
    $set->(revoked_at => '2026-01-01');
    is_deeply($all->('/samples'), [ ('401 unauthorized') x 3 ], 'revoked at once, everywhere');
};

subtest 'one server is stopped' => sub {
    my $sample = $machine[2]->post('/samples', { clientName => 'A', materialTypeId => $lab->material });
    $machine[2]->stop;
    is($_->get("/samples/" . $sample->json->{id})->status, 200,
        'records of the stopped server are there')
        for @machine[ 0, 1 ];
    $machine[2]->start;
    is($machine[2]->get("/samples/" . $sample->json->{id})->body, $sample->body,
        'once started again, the server answers the same');
};

done_testing();
