#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# What any operation may answer, every operation answers as documented: each
# refusal that does not depend on what an operation does is provoked on all of
# them, down to a broken and an unreachable database.
use LIMS::Test;
use LIMS::Records;
use LIMS::Snapshot;
use LIMS::Wire qw(message speak);

my $limit   = 400;
my $lims    = LIMS::Test->new(
    conf => "RequestReadTimeout body=1\nLimsRateLimit $limit\nLimsMaxBody 2048");
my $records = LIMS::Records->new($lims);
my @routes  = $records->routes;
my @reads   = grep { $_->{method} eq 'GET' } @routes;
my @writes  = grep { $_->{method} ne 'GET' } @routes;
my @posts   = grep { $_->{method} eq 'POST' } @routes;
my @deep    = grep { $_->{template} =~ /:id/ } @routes;

# Bodies that are valid, so that nothing else is told first.
my %body = (
    'POST /samples'          => { clientName => 'R', materialTypeId => $records->id('material-types') },
    'POST /samples/receive'  => { sampleIds => [ $records->id('samples') ] },
    'POST /clients'          => { code => 'STATUS', name => 'S' },
    'POST /projects'         => { code => 'STATUS', name => 'S' },
    'PATCH /clients/:id'     => { name => 'S' },
    'PATCH /projects/:id'    => { name => 'S' },
    'PATCH /samples/:id'     => { notes => 'S' },
    'PATCH /samples/:id/status'       => { status => 'processing' },
    'PATCH /sample-tests/:id'         => { notes => 'S' },
    'PATCH /approval-records/:id'     => { status => 'approved' },
    'POST /sample-tests/bulk-results' => {
        updates => [ { sampleTestId => $records->id('sample-tests'), result => '1' } ] },
    'POST /sample-tests/:id/verify' => {},
    'POST /samples/:id/report'      => {},
);

sub name_of { return "$_[0]{method} $_[0]{template}" }

# (option => ) as for LIMS::Test; id => another id in the path.
sub ask {
    my ($route, %option) = @_;
    my $path = exists $option{id} ? $records->with_id($route, delete $option{id}) : $route->{here};
    my $more = delete $option{query} || '';

    if ($route->{method} ne 'GET' && !exists $option{body}) {
        $option{body} = $body{ name_of($route) };
        die 'a body is needed for ' . name_of($route) . "\n" unless $option{body};
    }
    $option{key} = $lims->key($lims->fixture)->{key} unless exists $option{key};
    return $lims->request($route->{method}, "$path$more", %option);
}

sub each_is {
    my ($routes, $status, $error, %option) = @_;
    for my $route (@$routes) {
        my $answer = ask($route, %option);
        is($answer->status, $status, name_of($route)) or diag($answer->body);
        is(($answer->json || {})->{error}, $error, "... $error") if defined $error;
    }
    return;
}

my $before = LIMS::Snapshot::take($lims);

subtest '400 and 401' => sub {
    each_is(\@routes, 400, undef, query => '?nothing=1');
    each_is(\@routes, 401, 'unauthorized', key => undef);
};

subtest '403 by scope and by transport' => sub {
    each_is([ grep { $_->{scope} } @routes ], 403, 'scope_required',
        key => $lims->key($lims->fixture, scopes => ['events:read'])->{key});
    for my $route (@routes) {
        my $answer = speak($lims, message($lims, $route->{method}, $route->{here}), plain => 1);
        is($answer->status . ' ' . $answer->json->{error}, '403 tls_required', name_of($route));
    }
};

subtest '404, 412, 413, 415' => sub {
    each_is(\@deep, 404, 'not_found', id => '999999999');
    each_is([ grep { $_->{method} ne 'GET' } @deep ], 412, 'precondition_failed',
        headers => { 'If-Match' => '"other"' });
    each_is(\@writes, 413, 'payload_too_large', body => ' ' x 2049);
    each_is(\@writes, 415, 'unsupported_media_type', headers => { 'Content-Type' => 'text/plain' });
};

# All at once: each takes the second that the server has patience.
subtest '408: a body that stops' => sub {
    my @sockets = map {
        my $socket = $lims->socket;
        my $head   = message($lims, $_->{method}, $_->{here},
            headers => [ 'Content-Type: application/json', 'Content-Length: 20' ]);
        syswrite $socket, "$head\{\"a\":";
        $socket;
    } @writes;
    for my $i (0 .. $#writes) {
        my $raw = '';
        while (sysread $sockets[$i], my $some, 4096) { $raw .= $some }
        my $answer = LIMS::Response->parse($raw);
        $lims->check_contract($writes[$i]{method}, $writes[$i]{here}, $answer);
        is($answer->status . ' ' . $answer->json->{error}, '408 request_timeout',
            name_of($writes[$i]));
    }
};

subtest '429: the limit of a key' => sub {
    my $key = $lims->key($lims->fixture)->{key};
    $lims->get('/whoami', key => $key) for 1 .. $limit;
    each_is(\@routes, 429, 'rate_limited', key => $key);
};

subtest '409 and 422 of an Idempotency-Key' => sub {
    my $hold  = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');
    my $claim = sub {
        my ($status) = @_;
        $hold->do(q{INSERT INTO lims.idempotency_record
                      (organization_id, api_key_id, idempotency_key, fingerprint, status)
                    VALUES (?, ?, 'held', sha256('something else'), ?)},
            undef, $lims->fixture->{id}, $lims->fixture->{key_id}, $status);
    };
    my @same = (key => $lims->{key}, headers => { 'Idempotency-Key' => 'held' });
    $hold->begin_work;
    $claim->(undef);
    each_is(\@posts, 409, 'idempotency_in_progress', @same);
    $hold->rollback;
    $hold->begin_work;
    $claim->(200);
    $hold->commit;
    each_is(\@posts, 422, 'idempotency_mismatch', @same);
    $hold->do(q{DELETE FROM lims.idempotency_record WHERE idempotency_key = 'held'});
    $hold->disconnect;
};

subtest '200 and 304' => sub {
    for my $route (@reads) {
        my $answer = ask($route);
        is($answer->status, 200, name_of($route));
        my $etag = $answer->header('ETag') or next;
        is(ask($route, headers => { 'If-None-Match' => $etag })->status, 304, '... not modified');
    }
};

subtest '500: a database that is not as it should be' => sub {
    $lims->db->do('ALTER FUNCTION lims.authenticate(bytea, text) RENAME TO authenticate_away');
    each_is(\@routes, 500, 'internal', key => $lims->{key});
    $lims->db->do('ALTER FUNCTION lims.authenticate_away(bytea, text) RENAME TO authenticate');
    my $answer = ask($reads[0]);
    is($answer->status, 200, 'once it is, all is well');
    $lims->expect_log(qr/LIMS0037: 500 internal: .*42883 function lims\.authenticate/);
};

subtest '503: a database that cannot be reached' => sub {
    my $admin = LIMS::Instance::connect_database('postgres', 'postgres');
    $_->disconnect for values %{ delete $lims->{handles}{$$} };
    $admin->do("ALTER DATABASE $lims->{database} ALLOW_CONNECTIONS false");
    $admin->do('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?', undef,
        $lims->{database});
    for my $route (@routes) {
        my $answer = ask($route, key => $lims->{key});
        is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
            name_of($route));
        like($answer->header('Retry-After'), qr/\A[1-9]\d*\z/, '... and when to come again');
    }
    $admin->do("ALTER DATABASE $lims->{database} ALLOW_CONNECTIONS true");
    $admin->disconnect;
    is(ask($reads[0], key => $lims->{key})->status, 200, 'once it can, all is well');
    $lims->expect_log(qr/LIMS0051: 503 service_unavailable/);
    $lims->expect_log(qr/\[dbd:error\]/, 'mod_dbd says why');
};

subtest 'nothing came of any of them' => sub {
    my $after = LIMS::Snapshot::take($lims);
    is($after->{$_}, $before->{$_}, $_)
        for grep { !/^(?:api_key|audit_entry|schema_migration)$/ } sort keys %$after;
};

done_testing();
