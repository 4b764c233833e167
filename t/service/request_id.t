#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every response has a request id: the caller's own where it is well-formed, else a new one.
# The same id stands in the error log and in the audit trail.
use strict;
use warnings;

use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Test;

my $lims     = LIMS::Test->new;
my $material = $lims->insert('material_type', { code => 'WATER', name => 'Water' });
my $made     = qr/\A[0-9a-f]{32}\z/;

sub id_of { return $_[0]->header('X-Request-Id') }

subtest 'a well-formed request id is returned' => sub {
    for my $id ('a', 'order-4711', 'A.b_c:d-9', '123e4567-e89b-12d3-a456-426614174000',
        'x' x 128) {
        is(id_of($lims->get('/whoami', headers => { 'X-Request-Id' => $id })), $id, $id);
    }
};

subtest 'a malformed request id is replaced' => sub {
    for my $id ('x' x 129, 'two words', 'semi;colon', 'quo"te', "\xc3\xa9", '<b>', 'a/b', 'a%20b',
        '') {
        my $answer = send_raw($lims, message($lims, 'GET', '/whoami',
                headers => ["X-Request-Id: $id"]));
        is($answer->status, 200, "\"$id\" is no fault");
        like(id_of($answer), $made, "\"$id\" is replaced by an id that the service makes");
    }
    my $twice = send_raw($lims, message($lims, 'GET', '/whoami',
            headers => [ 'X-Request-Id: one', 'X-Request-Id: two' ]));
    like(id_of($twice), $made, 'two request ids are replaced');
};

subtest 'a request without one gets its own' => sub {
    my %seen;
    $seen{ id_of($lims->get('/whoami')) }++ for 1 .. 50;
    is(scalar keys %seen, 50, 'fifty requests, fifty ids');
    is_deeply([ grep { $_ !~ $made } keys %seen ], [], 'a new request id has 128 bits');
};

subtest 'every kind of response has one' => sub {
    my $sent = 'trace-1';
    my @with = (headers => { 'X-Request-Id' => $sent });
    my %answer = (
        'discovery'   => $lims->get('', @with),
        'page'        => $lims->get('/samples', @with),
        'creation'    => $lims->post('/clients', { code => 'A', name => 'A' }, @with),
        '400'         => $lims->post('/clients', '{', @with),
        '401'         => $lims->get('/whoami', key => 'lk_no', @with),
        '403'         => $lims->get('/samples', @with,
            key => $lims->key($lims->fixture, scopes => ['events:read'])->{key}),
        '404'         => $lims->get('/samples/999999', @with),
        '405'         => $lims->put('/samples', '{}', @with),
        '415'         => $lims->post('/clients', 'x',
            headers => { 'X-Request-Id' => $sent, 'Content-Type' => 'text/plain' }),
        'HEAD'        => $lims->head('/samples', @with),
        'without TLS' => $lims->http_get('/whoami', @with),
    );
    my $page = $lims->get("/material-types/$material");
    $answer{'304'} = $lims->get("/material-types/$material",
        headers => { 'X-Request-Id' => $sent, 'If-None-Match' => $page->header('ETag') });
    is($answer{'304'}->status, 304, 'the condition held');
    is(id_of($answer{$_}), $sent, "answer: $_") for sort keys %answer;
    my $refused = send_raw($lims, message($lims, 'GET', '/whoami',
            headers => [ "X-Request-Id: $sent", 'X-Long: ' . 'x' x 9000 ]));
    is($refused->status, 400, 'httpd refuses a field that is too long');
    ok(id_of($refused), 'the refusal of httpd has an id');
};

subtest 'it stands in the audit trail' => sub {
    my $answer = $lims->post('/clients', { code => 'AUDITED', name => 'Audited' },
        headers => { 'X-Request-Id' => 'order-42' });
    is($answer->status, 201, 'the client is created');
    my ($who, $key) = $lims->db->selectrow_array(
        q{SELECT user_id, api_key_id FROM lims.audit_entry
           WHERE table_name = 'client' AND record_id = ? AND request_id = 'order-42'},
        undef, $answer->json->{id});
    is($who, $lims->fixture->{user_id}, 'the audit entry names the user of the key');
    is($key, $lims->fixture->{key_id}, 'the audit entry names the key');
    my $own = $lims->patch('/clients/' . $answer->json->{id}, { name => 'Other' });
    is($lims->db->selectrow_array(
            q{SELECT count(*) FROM lims.audit_entry WHERE request_id = ? AND action = 'update'},
            undef, id_of($own)),
        1, 'an id that the service made is there too');
};

subtest 'it stands in the error log' => sub {
    $lims->get('/whoami', key => 'lk_mistyped', headers => { 'X-Request-Id' => 'lost-key-7' });
    $lims->expect_log(qr/LIMS0001: .*\(request lost-key-7\)/);
};

done_testing();
