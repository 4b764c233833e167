#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Idempotency-Key while the model is asked: the request that claimed the key holds no
# connection, and a repetition is told that it is in progress, until there is an answer or
# none, or the process that claimed it has died and its lease has ended.
use strict;
use warnings;

use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $timeout = 20;
my $model   = LIMS::Peers::ModelService->new;
my $lims    = LIMS::Test->new(conf => $model->conf(timeout => 1000 * $timeout)
        . LIMS::Service::Laboratory::patience());
my $lab     = LIMS::Service::Laboratory->new($lims);
my $nitrate = $lab->definition(code => 'NO3N', unit => 'mg/L');

$lab->policy(ai_data_access => 'true');

# A file of a sample of its own.
sub file {
    my $sample = $lab->sample(testDefinitionIds => [$nitrate]);

    return "Sample,NO3N (mg/L)\n$sample->{trackingId},7.10\n";
}

sub once {
    my ($file, $key) = @_;
    my $answer = $model->upload($lims, $file, headers => { 'Idempotency-Key' => $key });

    return { status => $answer->status, body => $answer->body, error => $answer->json->{error} // '',
        replayed => $answer->header('Idempotent-Replayed') // '',
        later    => $answer->header('Retry-After') // '' };
}

# Sends the file, and when the model was asked about it does what a test says
# meanwhile: the answer, and what came of that.
sub meanwhile {
    my ($file, $key, $do) = @_;

    $model->forget;
    $model->say('wait');
    return $lims->parallel(2, sub {
        my ($number) = @_;
        # Without an answer: when the service is killed.
        return eval { once($file, $key) } if !$number;
        wait_until { $model->seen };
        return $do->();
    });
}

sub kept { return $lab->value('SELECT count(*) FROM lims.extraction') }

sub end_lease {
    $lims->db->do('UPDATE lims.idempotency_record SET claimed_until = now()
        WHERE claimed_until IS NOT NULL');
    return;
}

subtest 'the same request is in progress' => sub {
    my $file = file();
    my $kept = kept();
    my ($first, $seen) = meanwhile($file, 'asked', sub {
        my @again = map { once($file, 'asked') } 1 .. 3;
        my $other = once($file . "\n", 'asked');
        my $held  = $lims->superuser->selectrow_array(q{SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND usename = 'lims_app' AND state <> 'idle'});
        my $lease = $lims->db->selectrow_array(q{SELECT extract(epoch FROM claimed_until - created_at)
            FROM lims.idempotency_record WHERE idempotency_key = 'asked'});
        my $asked = () = $model->seen;
        $model->say('right');
        return { again => \@again, other => $other, held => $held, asked => $asked,
            lease => $lease };
    });

    is($first->{status}, 200, 'the first is done') or diag($first->{body});
    for my $again (@{ $seen->{again} }) {
        is("$again->{status} $again->{error}", '409 idempotency_in_progress',
            'a repetition gets 409 idempotency_in_progress');
        like($again->{later}, qr/\A[1-9]\d*\z/, 'a repetition is told when to come again');
    }
    is($seen->{other}{error}, 'idempotency_mismatch', 'another request with the key is a mismatch');
    is($seen->{asked}, 1, 'the model is asked once');
    is($seen->{held}, 0, 'no session is at work meanwhile');
    cmp_ok($seen->{lease}, '>', 2 * $timeout, 'the lease is longer than two calls may take');
    is(kept(), $kept + 1, 'one response is stored');
    my $later = once($file, 'asked');
    is($later->{body}, $first->{body}, 'a later repetition gets the stored response');
    is($later->{replayed}, 'true', 'the repetition is marked as replayed');
};

subtest 'a request that got no answer may be sent again at once' => sub {
    my $file = file();

    $model->say('status 500');
    $lims->allow_log(qr/LIMS0140/);
    is(once($file, 'failed')->{error}, 'ai_unavailable', 'the model fails');
    $model->say('right');
    is(once($file . "\n", 'failed')->{error}, 'idempotency_mismatch', 'the key is of that request');
    my $again = once($file, 'failed');
    is("$again->{status} $again->{replayed}", '200 ', 'the request is done once the model answers');
};

subtest 'the claim of a dead process holds until its lease ends' => sub {
    my $file = file();
    my $kept = kept();

    $lims->allow_log(qr/child pid \d+ exit signal Killed/);
    my (undef, $again) = meanwhile($file, 'dead', sub {
        kill 'KILL', $lims->children;
        wait_until { eval { $lims->get('/whoami')->status } };
        return once($file, 'dead');
    });
    is($again->{error}, 'idempotency_in_progress', 'before the lease ends, a repetition gets 409');
    $model->say('right');
    end_lease();
    my $later = once($file, 'dead');
    is("$later->{status} $later->{replayed}", '200 ', 'after the lease a repetition is done');
    is(kept(), $kept + 1, 'the file is kept once');
};

subtest 'a process that outlives its lease does nothing twice' => sub {
    my $file = file();
    my $kept = kept();

    $model->forget;
    $model->say('wait');
    my ($first, $second) = $lims->parallel(3, sub {
        my ($number) = @_;

        if ($number == 1) {
            wait_until { $model->seen };
            end_lease();
        }
        return once($file, 'late') if $number < 2;
        wait_until { 2 == (() = $model->seen) };
        $model->say('right');
    });
    is("$second->{status} $second->{replayed}", '200 ', 'the request that claimed it next is done')
        or diag($second->{body});
    like("$first->{status} $first->{error}$first->{replayed}",
        qr/\A(?:200 true|409 idempotency_in_progress)\z/,
            'the former request gets 409 or the stored response');
    is(kept(), $kept + 1, 'the upload is entered once');
};

done_testing();
