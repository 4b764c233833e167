#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A change that a person repeats with the same Idempotency-Key is done once, also if the
# repetition comes from another session of theirs; from another person, or from an API
# key, it is another request. The stored answers contain no secret that is shown once.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims  = LIMS::Test->new;
my $lab   = LIMS::Service::Laboratory->new($lims);
my $body  = { clientName => 'Acme', materialTypeId => $lab->sample->{materialTypeId} };
my @once  = (headers => { 'Idempotency-Key' => 'order-1' });
my $clerk = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);
my $other = LIMS::Service::Person->new($lims, roles => ['receiving_clerk']);

my $made = $clerk->post('/samples', $body, @once);
is($made->status, 201, 'a sample is registered');
$clerk->sign_in;
my $again = $clerk->post('/samples', $body, @once);
is($again->header('Idempotent-Replayed'), 'true', 'sent again in another session: the same answer');
is($again->json->{id}, $made->json->{id}, 'the repetition has the same sample');
refused($clerk->post('/samples', { %$body, notes => 'x' }, @once), 422, 'idempotency_mismatch',
    'another body');
isnt($other->post('/samples', $body, @once)->json->{id}, $made->json->{id},
    'the key of another person is another request');
isnt($lims->post('/samples', $body, @once)->json->{id}, $made->json->{id},
    'the same key from an API key is another request');

subtest 'secrets' => sub {
    my $administrator = LIMS::Service::Person->new($lims, roles => ['administrator']);
    my $endpoint = { name => 'ERP', url => 'https://erp.example.org/hook' };
    my $made = $administrator->post('/webhook-endpoints', { %$endpoint, name => 'First' })->json;
    my $key  = $administrator->post('/keys', { name => 'other' })->json;
    my @requests = (
        [ '/keys', { name => 'robot' }, 'rawKey' ],
        [ "/keys/$key->{id}/rotate", { reason => 'due' }, 'rawKey' ],
        [ '/users/' . $clerk->id . '/link', { reason => 'forgot the password' }, 'token' ],
        [ '/webhook-endpoints', $endpoint, 'secret' ],
        [ "/webhook-endpoints/$made->{id}/rotate", { reason => 'due' }, 'secret' ],
    );
    for my $request (@requests) {
        my ($path, $sent, $member) = @$request;
        my $first  = $administrator->post($path, $sent, headers => { 'Idempotency-Key' => $path });
        my $replay = $administrator->post($path, $sent, headers => { 'Idempotency-Key' => $path });
        my $secret = $first->json->{$member};

        ok(length $secret, "$path shows $member") or diag($first->body);
        is($replay->header('Idempotent-Replayed'), 'true', 'the repetition is marked as replayed');
        is($replay->json->{$member}, undef, "the replay does not contain $member");
        is($replay->json->{id} // $replay->json->{userId}, $first->json->{id} // $first->json->{userId},
            "the replay of $path has the record");
        is($lims->db->selectrow_array('SELECT count(*) FROM lims.idempotency_record
            WHERE strpos(body, ?) > 0', undef, $secret), 0, "the stored answer does not contain $member");
        is_deeply([ $lims->tables_with($secret) ], [], 'the secret is stored in no table');
    }
};

done_testing();
