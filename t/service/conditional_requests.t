#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Entity tags and conditions: every record has an ETag, If-None-Match saves a transfer,
# If-Match keeps one analyst from overwriting another's change. Cache-Control is on every
# response.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Peers::WebhookReceiver;
use LIMS::Service::Person;
use LIMS::Service::RouteRecords;
use LIMS::Test;

my $lims    = LIMS::Test->new;
my $records = LIMS::Service::RouteRecords->new($lims);
my $strong  = qr/\A"[\x21\x23-\x7e]+"\z/;

sub with { my (%headers) = @_; return (headers => \%headers) }

# A client of its own to change.
my $number = 0;

sub client {
    my $answer = $lims->post('/clients', { code => 'K' . ++$number, name => 'Name' });
    return ('/clients/' . $answer->json->{id}, $answer->header('ETag'));
}

subtest 'every record has an ETag' => sub {
    for my $route (grep { $_->{method} eq 'GET' && $_->{template} =~ /:id\z/ } $records->routes) {
        my $answer = $lims->get($route->{here});
        like($answer->header('ETag'), $strong, "GET $route->{template}");
        is($lims->get($route->{here})->header('ETag'), $answer->header('ETag'),
            'the ETag stays the same while the record does');
        is($answer->header('Cache-Control'), 'private, no-cache', 'a record is cached for its owner only');
    }
    like($lims->get('/openapi.json')->header('ETag'), $strong, 'the OpenAPI document too');
};

subtest 'a write returns the ETag that the next read returns' => sub {
    my $made = $lims->post('/clients', { code => 'W', name => 'W' });
    my $path = '/clients/' . $made->json->{id};
    is($made->header('ETag'), $lims->get($path)->header('ETag'),
        'creating answers with the record\'s ETag');
    my $changed = $lims->patch($path, { name => 'X' });
    isnt($changed->header('ETag'), $made->header('ETag'), 'a change changes it');
    is($changed->header('ETag'), $lims->get($path)->header('ETag'),
        'the answer to a change has the ETag of the changed record');
    is($lims->patch($path, { name => 'X' })->header('ETag'), $changed->header('ETag'),
        'a PATCH that changes nothing keeps the ETag');

    my $sample = $lims->post('/samples', { clientName => 'W',
            materialTypeId => $records->id('material-types'),
            testDefinitionIds => [ $records->id('test-definitions') ] });
    my $at = '/samples/' . $sample->json->{id};
    is($sample->header('ETag'), $lims->get($at)->header('ETag'),
        'a registered sample is answered with its ETag');
    my $received = $lims->patch("$at/status", { status => 'received' });
    is($received->header('ETag'), $lims->get($at)->header('ETag'),
        'a changed status is answered with its ETag');
    my $test = $sample->json->{tests}[0]{id};
    my $entered = $lims->patch("/sample-tests/$test", { result => '7' });
    is($entered->header('ETag'), $lims->get("/sample-tests/$test")->header('ETag'),
        'an entered result is answered with its ETag');
    isnt($lims->get($at)->header('ETag'), $received->header('ETag'),
        'the sample shows its tests, so its tag changes with theirs');
    my $verified = $lims->post("/sample-tests/$test/verify", {});
    is($verified->header('ETag'), $lims->get("/sample-tests/$test")->header('ETag'),
        'a verified result is answered with its ETag');
};

subtest 'If-None-Match' => sub {
    my ($path, $etag) = client();
    for my $sent ($etag, "W/$etag", "\"other\", $etag", "$etag , \"other\"", '*') {
        my $answer = $lims->get($path, with('If-None-Match' => $sent));
        is($answer->status, 304, "not modified: $sent");
        is($answer->body, '', '304 has no body');
        is($answer->header('ETag'), $etag, '304 has the ETag');
        is($answer->header('Cache-Control'), 'private, no-cache', '304 says how the record may be cached');
    }
    for my $sent ('"other"', 'W/"other"', $etag =~ tr/"//dr, '', '"', uc $etag) {
        is($lims->get($path, with('If-None-Match' => $sent))->status, 200, "sent whole: $sent");
    }
    $lims->patch($path, { name => 'Changed' });
    is($lims->get($path, with('If-None-Match' => $etag))->status, 200, 'whole after a change');
    is($lims->get('/clients/999999', with('If-None-Match' => '*'))->status, 404,
        'If-None-Match on a missing record is 404');
    is($lims->get($path, with('If-None-Match' => '*'), key => undef)->status, 401,
        'an anonymous caller does not learn it');
    is($lims->get('/clients', with('If-None-Match' => '*'))->status, 200, 'a list has no tag');
    is($lims->patch($path, { name => 'Again' }, with('If-None-Match' => '*'))->status, 200,
        'a write does not look at it');
};

subtest 'If-Match' => sub {
    my ($path, $etag) = client();
    my $first = $lims->patch($path, { name => 'First' }, with('If-Match' => $etag));
    is($first->status, 200, 'the tag that was read');
    my $before = LIMS::Database::Snapshot::take($lims);
    for my $sent ($etag, '"other"', 'W/' . $first->header('ETag'), 'nonsense', '""') {
        my $answer = $lims->patch($path, { name => 'Second' }, with('If-Match' => $sent));
        is($answer->status, 412, "refused: $sent");
        is($answer->json->{error}, 'precondition_failed',
            'the refusal has the slug precondition_failed');
        is($answer->header('ETag'), undef, 'the refusal of If-Match has no ETag');
    }
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
    is($lims->patch($path, { name => 'Third' },
            with('If-Match' => "\"a\", " . $first->header('ETag')))->status, 200,
                'one of several tags matches');
    is($lims->patch($path, { name => 'Fourth' }, with('If-Match' => '*'))->status, 200,
        'If-Match: * matches an existing record');
    is($lims->patch('/clients/999999', { name => 'x' }, with('If-Match' => '*'))->status, 404,
        'If-Match: * on a missing record is 404, not 412');
    is($lims->patch($path, { code => 1 }, with('If-Match' => '"other"'))->status, 400,
        'an invalid body is refused before the condition');
    is($lims->post('/clients', { code => 'NEW', name => 'New' }, with('If-Match' => '"x"'))->status,
        201, 'a creation addresses nothing that could have moved on');
};

subtest 'If-Match on the actions' => sub {
    my $sample = $lims->post('/samples', { clientName => 'W',
            materialTypeId => $records->id('material-types'),
            testDefinitionIds => [ $records->id('test-definitions') ] })->json;
    my $test   = $sample->{tests}[0]{id};
    my %action = (
        "PATCH /sample-tests/$test"         => { result => '7' },
        "POST /sample-tests/$test/verify"   => {},
        "PATCH /samples/$sample->{id}"      => { notes => 'x' },
        "PATCH /samples/$sample->{id}/status" => { status => 'received' },
        "POST /samples/$sample->{id}/report"  => {},
        'PATCH /approval-records/' . $records->id('approval-records') => { status => 'approved' },
    );
    my $before = LIMS::Database::Snapshot::take($lims);
    for my $action (sort keys %action) {
        my ($method, $path) = split / /, $action;
        my $answer = $lims->request($method, $path, body => $action{$action},
            with('If-Match' => '"moved on"'));
        is($answer->status, 412, $action);
    }
    is_deeply(LIMS::Database::Snapshot::take($lims), $before, 'no row has changed');
    my $etag = $lims->get("/sample-tests/$test")->header('ETag');
    is($lims->patch("/sample-tests/$test", { result => '7' }, with('If-Match' => $etag))->status,
        200, 'the right tag lets it through');
};

# An endpoint is recovered, which answers the recovery: the condition is on the endpoint.
subtest 'If-Match where an act answers another record' => sub {
    my $ana  = LIMS::Service::Person->new($lims, roles => ['administrator']);
    my $made = LIMS::Peers::WebhookReceiver->endpoint($lims, '/', url => 'https://erp.example/');
    my $here = "/webhook-endpoints/$made->{id}";
    my $etag = $ana->get($here)->header('ETag');
    is($ana->patch($here, { name => 'ERP' })->status, 200, 'somebody renames the endpoint');
    for my $act ([ test => {} ], [ recover => { since => '2026-11-21T07:48:00Z' } ]) {
        is($ana->post("$here/$act->[0]", $act->[1], with('If-Match' => $etag))->status, 412,
            "$act->[0]: its former tag");
    }
    my $now = $ana->get($here)->header('ETag');
    is($ana->post("$here/recover", { since => '2026-11-21T07:48:00Z' },
            with('If-Match' => $now))->status, 201, 'its tag lets it through');
};

# The organization is the caller's own: its path has no id.
subtest 'If-Match on the organization' => sub {
    my $ana  = LIMS::Service::Person->new($lims, roles => ['administrator']);
    my $etag = $ana->get('/organization')->header('ETag');
    my %why  = (reason => 'moved');
    is($ana->patch('/organization', { address => '1 Mill Road', %why },
            with('If-Match' => $etag))->status, 200, 'the tag that was read');
    is($ana->patch('/organization', { accreditation => 'ISO/IEC 17025', %why },
            with('If-Match' => $etag))->status, 412, 'its former tag');
};

# Both have read the same state; both write at the same moment.
subtest 'two analysts' => sub {
    for my $round (1 .. 8) {
        my ($path, $etag) = client();
        my @answers = $lims->parallel(4, sub {
            my ($number) = @_;
            my $answer = $lims->patch($path, { name => "Analyst $number" },
                with('If-Match' => $etag));
            return [ $answer->status, $number ];
        });
        my @winners = grep { $_->[0] == 200 } @answers;
        is(scalar @winners, 1, "round $round: one of them writes");
        is(scalar(grep { $_->[0] == 412 } @answers), 3, "round $round: the other writers get 412");
        is($lims->get($path)->json->{name}, "Analyst $winners[0][1]", "round $round: the record is as the one wrote it");
    }
};

subtest 'Cache-Control' => sub {
    for my $route (grep { $_->{method} eq 'GET' && $_->{template} !~ /:id(?:\.pdf)?\z/ } $records->routes) {
        next if $route->{template} eq '/openapi.json';
        is($lims->get($route->{here})->header('Cache-Control'), 'no-store',
            "GET $route->{template}");
    }
    my %refusal = (
        400 => $lims->get('/samples?limit=0'),
        401 => $lims->get('/samples', key => undef),
        403 => $lims->get('/samples',
            key => $lims->key($lims->fixture, scopes => ['events:read'])->{key}),
        404 => $lims->get('/clients/999999'),
        405 => $lims->put('/samples', '{}'),
        415 => $lims->post('/clients', 'x', with('Content-Type' => 'text/plain')),
    );
    for my $status (sort keys %refusal) {
        is($refusal{$status}->status, $status, "a refusal, $status");
        is($refusal{$status}->header('Cache-Control'), 'no-store',
            "a refusal of status $status is not cached");
        is($refusal{$status}->header('ETag'), undef, "a refusal of status $status has no ETag");
    }
};

done_testing();
