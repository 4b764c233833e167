#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Idempotency-Key: a repeated POST does nothing twice and gets the first response again,
# whatever happened to the first one on its way.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Service::Laboratory;
use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Service::RouteRecords;
use LIMS::Test;
use Time::HiRes qw(time);

my $lims     = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $records  = LIMS::Service::RouteRecords->new($lims);
my $number   = 0;

sub new_key { return 'key-' . ++$number }

sub once {
    my ($path, $body, $key, %option) = @_;
    my %headers = ('Idempotency-Key' => $key, %{ delete $option{headers} || {} });
    return $lims->post($path, $body, headers => \%headers, %option);
}

sub client { return { code => 'I-' . ++$number, name => 'Name' } }

sub count {
    my ($table) = @_;
    return $lims->db->selectrow_array("SELECT count(*) FROM lims.$table");
}

# Nothing of what a test does here may take longer than the answer is kept.
sub keep_answers {
    $lims->db->do(
        q{UPDATE lims.idempotency_record SET created_at = created_at + interval '1 hour'});
    return;
}

subtest 'a repeated request' => sub {
    my ($key, $body) = (new_key(), client());
    my $first = once('/clients', $body, $key);
    is($first->status, 201, 'the first is done');
    is($first->header('Idempotent-Replayed'), undef, 'the first answer is not marked as replayed');
    keep_answers();
    my $before = LIMS::Database::Snapshot::take($lims);
    for my $time (2 .. 4) {
        my $again = once('/clients', $body, $key);
        is($again->status, 201, "time $time: the same status");
        is($again->body, $first->body, "time $time: the same body, byte for byte");
        is($again->header($_), $first->header($_),
            "the replay has the same $_") for qw(Location ETag Content-Type);
        is($again->header('Idempotent-Replayed'), 'true', 'the replay is marked');
        isnt($again->header('X-Request-Id'), $first->header('X-Request-Id'),
            'a replay has a request id of its own');
    }
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'nothing was done again');
    $lims->patch('/clients/' . $first->json->{id}, { name => 'Later' });
    is(once('/clients', $body, $key)->body, $first->body,
        'the stored response is returned, also after the record has changed');
};

subtest 'a repeated registration uses the allowance once' => sub {
    my ($key, $body) = (new_key(), { clientName => 'Riverbend',
            materialTypeId => $records->id('material-types') });
    my ($samples, $events) = (count('sample'), count('event'));
    my $first = once('/samples', $body, $key);
    keep_answers();
    once('/samples', $body, $key) for 1 .. 3;
    is($first->status, 201, 'what was sent is registered');
    is(count('sample'), $samples + 1, 'one sample is registered');
    is(count('event'), $events + 1, 'one event is written');
};

subtest 'the same key with another request' => sub {
    my ($key, $body) = (new_key(), client());
    once('/clients', $body, $key);
    keep_answers();
    my $before = LIMS::Database::Snapshot::take($lims);
    my %other = (
        'another body'      => [ '/clients',  { %$body, name => 'Other' } ],
        'another path'      => [ '/projects', $body ],
        'another spelling'  => [ '/clients',
            sprintf '{ "code":"%s", "name":"Name" }', $body->{code} ],
    );
    for my $name (sort keys %other) {
        my $answer = once(@{ $other{$name} }, $key);
        is($answer->status, 422, $name);
        is($answer->json->{error}, 'idempotency_mismatch',
            'the refusal has the slug idempotency_mismatch');
        is($answer->header('Idempotent-Replayed'), undef, 'the refusal replays nothing');
    }
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
    is(once('/clients', $body, $key)->header('Idempotent-Replayed'), 'true',
        'the first answer is still there');
};

subtest 'each API key has its own idempotency keys' => sub {
    my $key   = new_key();
    my $other = $lims->key($lims->fixture)->{key};
    is(once('/clients', client(), $key)->status, 201, 'one API key');
    is(once('/clients', client(), $key, key => $other)->status, 201, 'another API key');
    my $away = $lims->organization(code => 'elsewhere');
    is(once('/clients', client(), $key, key => $away->{key})->status, 201,
        'the same key of another organization is another request');
};

subtest 'what was refused may be sent again' => sub {
    my ($key, $body) = (new_key(), client());
    my $records_before = count('idempotency_record');
    is(once('/clients', { %$body, clientele => 1 }, $key)->status, 400, 'a body that is wrong');
    is(once('/projects', { %$body, clientId => 999999 }, $key)->status, 400,
        'a reference to nothing, found out in the transaction');
    is(count('idempotency_record'), $records_before, 'a refusal leaves no record');
    is(once('/clients', $body, $key)->status, 201, 'the key is free for the right one');

    my $sample = $records->id('samples');
    $key = new_key();
    is(once("/samples/$sample/report", {}, $key)->status, 409, 'a gate refuses');
    $lims->patch('/approval-records/' . $records->id('approval-records'), { status => 'approved' });
    is(once("/samples/$sample/report", {}, $key)->status, 200,
        'once the gate is cleared, the request is done');
    my $again = once("/samples/$sample/report", {}, $key);
    is($again->header('Idempotent-Replayed'), 'true',
        'the same key is answered with the stored response');
};

subtest 'every POST takes a key' => sub {
    my $sample = $lims->post('/samples', { clientName => 'R',
            materialTypeId => $records->id('material-types'),
            testDefinitionIds => [ $records->id('test-definitions') ] })->json;
    my $test   = $sample->{tests}[0]{id};
    my @action = (
        [ '/samples/receive', { sampleIds => [ $sample->{id} ] } ],
        [ '/sample-tests/bulk-results',
            { updates => [ { sampleTestId => $test, result => '7' } ] } ],
        [ "/sample-tests/$test/verify", {} ],
    );
    for my $action (@action) {
        my ($path, $body) = @$action;
        my $key   = new_key();
        my $first = once($path, $body, $key);
        is($first->status, 200, $path) or diag($first->body);
        keep_answers();
        my $again = once($path, $body, $key);
        is($again->body, $first->body, "$path answers a repetition with the same body");
        is($again->header('Idempotent-Replayed'), 'true', "$path marks the repetition as replayed");
    }
};

subtest 'PATCH ignores the key' => sub {
    my $made = $lims->post('/clients', client())->json;
    my $key  = new_key();
    for my $name ('one', 'two', 'one') {
        my $answer = $lims->patch("/clients/$made->{id}", { name => $name },
            headers => { 'Idempotency-Key' => $key });
        is($answer->json->{name}, $name, "name $name is set");
    }
};

subtest 'malformed keys' => sub {
    my $before = LIMS::Database::Snapshot::take($lims);
    for my $key ('', 'two words', "\xc3\xa9", 'x' x 256) {
        my $answer = send_raw($lims, message($lims, 'POST', '/clients', body => '{}',
                headers => [ 'Content-Type: application/json', "Idempotency-Key: $key" ]));
        is($answer->status, 400, length $key > 40 ? '256 characters' : "\"$key\"");
        is($answer->json->{error}, 'bad_request', 'the refusal has the slug bad_request');
        like($answer->json->{message}, qr/Idempotency-Key/, 'the message names Idempotency-Key');
    }
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
    is(once('/clients', client(), 'x' x 255)->status, 201, '255 are one');
    is(once('/clients', client(), '"8e03978e-40d5-43dd-bc93-6894a57f9324"')->status, 201,
        'quotes are as good as any other character');
};

subtest 'twenty requests with one key at once' => sub {
    for my $round (1 .. 3) {
        my ($key, $body) = (new_key(), client());
        my $clients = count('client');
        my @answers = $lims->parallel(20, sub {
            my $answer = once('/clients', $body, $key);
            return [ $answer->status, $answer->header('Idempotent-Replayed') || '', $answer->body,
                $answer->header('Retry-After') || '' ];
        });
        is(count('client'), $clients + 1, "round $round: one is made");
        my @made     = grep { $_->[0] == 201 && $_->[1] eq '' } @answers;
        my @replayed = grep { $_->[0] == 201 && $_->[1] eq 'true' } @answers;
        my @waiting  = grep { $_->[0] == 409 } @answers;
        is(scalar @made, 1, "round $round: one of the requests makes it");
        is(@replayed + @waiting, 19, "round $round: the others are answered again, or told to wait");
        is_deeply([ grep { $_->[2] ne $made[0][2] } @replayed ], [], "round $round: those answered again have the one answer");
    }
};

subtest 'a repetition while the first is still running' => sub {
    my ($key, $body) = (new_key(), { clientName => 'Riverbend',
            materialTypeId => $records->id('material-types') });

    # Locks a row that a creation writes, so that the first request cannot end before this
    # session does.
    my $blocker = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
    $blocker->begin_work;
    $blocker->do('LOCK TABLE lims.sample IN SHARE ROW EXCLUSIVE MODE');
    my ($session) = $blocker->selectrow_array('SELECT pg_backend_pid()');
    my $samples   = count('sample');
    my $start     = time;
    my $answered  = "$lims->{instance}{dir}/answered";
    my @answers   = $lims->parallel(21, sub {
        my ($number) = @_;
        if ($number == 0) {
            wait_until { (-s $answered || 0) >= 19 };
            $lims->superuser->do('SELECT pg_terminate_backend(?)', undef, $session);
            return;
        }
        my $answer = once('/samples', $body, $key);
        open my $out, '>>', $answered or die "$answered: $!\n";
        syswrite $out, '.';
        return { status => $answer->status, error => $answer->json->{error} || '',
            again => $answer->header('Retry-After') || '', time => time - $start };
    });
    eval { $blocker->disconnect };
    shift @answers;
    my @done    = grep { $_->{status} == 201 } @answers;
    my @refused = grep { $_->{status} == 409 } @answers;
    is(scalar @done, 1, 'of twenty requests one is done');
    is(scalar @refused, 19, 'nineteen of twenty requests are refused');
    is_deeply([ grep { $_->{error} ne 'idempotency_in_progress' } @refused ], [],
        'the others are refused with idempotency_in_progress');
    is_deeply([ grep { $_->{again} !~ /\A[1-9]\d*\z/ } @refused ], [],
        'the refused requests are told when to come again');
    is_deeply([ grep { $_->{time} > $done[0]{time} } @refused ], [], 'the refused requests are refused while the one is running');
    is(count('sample'), $samples + 1, 'one sample was made');
    my $later = once('/samples', $body, $key);
    is($later->header('Idempotent-Replayed'), 'true', 'the next is answered from it');
};

subtest 'a response is kept for LimsIdempotencyLifetime' => sub {
    my ($key, $body) = (new_key(), client());
    my $lifetime  = 4;
    my $forgetful = LIMS::Test->new(beside => $lims, conf => "LimsIdempotencyLifetime $lifetime");
    my $send      = sub {
        return $forgetful->post('/clients', $_[0], headers => { 'Idempotency-Key' => $key });
    };
    my $first = $send->($body);
    my $again = $send->($body);
    is($again->header('Idempotent-Replayed'), 'true', 'kept at first');
    sleep $lifetime + 1;
    my $late = $send->({ %$body, code => "$body->{code}-late" });
    is($late->status, 201, "after $lifetime s the key is free");
    isnt($late->json->{id}, $first->json->{id}, 'the free key makes another record');
};

subtest 'the bytes that are kept for an API key are bounded' => sub {
    my $db   = $lims->db;
    my @mine = ($lims->fixture->{id}, $lims->fixture->{key_id});
    my $bytes = sub {
        return $db->selectrow_array('SELECT bytes FROM lims.answer_storage
            WHERE organization_id = ? AND caller = ?', undef, @mine);
    };
    my $answer = sub {
        my ($key, $size) = @_;
        $db->do(q{UPDATE lims.idempotency_record SET body = rpad('{}', ?)
            WHERE organization_id = ? AND api_key_id = ? AND idempotency_key = ?}, undef, $size,
            @mine, $key);
    };
    my ($key, $body) = (new_key(), client());
    my $first = once('/clients', $body, $key);
    is($bytes->() // 0, 0, 'a small answer is not counted');
    my $other = new_key();
    once('/clients', client(), $other);
    $answer->($other, 20_000);
    is($bytes->(), 20_000, 'a large one is');
    $answer->($other, 30_000);
    is($bytes->(), 30_000, 'the large answer counts with all its bytes');
    $answer->($other, 2);
    is($bytes->(), 0, 'a small answer does not count');
    $answer->($other, 40_000);
    $db->do('UPDATE lims.answer_storage SET bytes = 256 << 20 WHERE organization_id = ?', undef,
        $mine[0]);
    my $clients = count('client');
    my $refused = once('/clients', client(), new_key());
    is($refused->status, 429, 'beyond the bound a request with a new key is refused');
    is($refused->json->{error}, 'rate_limited', 'the refusal has the slug rate_limited');
    is($refused->header('Retry-After'), 60, 'the refusal has Retry-After');
    is(count('client'), $clients, 'nothing is done for a refused request with a new key');
    keep_answers();
    is(once('/clients', $body, $key)->body, $first->body, 'stored responses are still returned');
    is($lims->post('/clients', client())->status, 201, 'requests without a key go on');
    $db->do('DELETE FROM lims.idempotency_record WHERE organization_id = ? AND idempotency_key = ?',
        undef, $mine[0], $other);
    is($bytes->(), (256 << 20) - 40_000, 'expired responses free their bytes');
    is(once('/clients', client(), new_key())->status, 201, 'the freed bytes serve another request');
};

done_testing();
