#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every refusal that the OpenAPI document lists is produced: for each operation, each slug
# that does not depend on the state of a laboratory is provoked by a request, and comes
# with its status.
use strict;
use warnings;

use LIMS::Database::Snapshot;
use LIMS::Peers::ModelService;
use LIMS::Service::Laboratory;
use LIMS::Service::Operation;
use LIMS::Service::RawRequest qw(message send_raw);
use LIMS::Service::RouteRecords;
use LIMS::Test;

my $max        = 1024;
my $model      = LIMS::Peers::ModelService->new;
my $lims       = LIMS::Test->new(conf => $model->conf . join "\n",
    map { "$_ $max" } qw(LimsMaxBody LimsMaxIngestBody LimsMaxUpload));
my $records    = LIMS::Service::RouteRecords->new($lims);
my @operations = LIMS::Service::Operation->all($lims->api);
my %scope      = map { $_->scope => 1 } grep { $_->scope } @operations;
my $number     = 0;

# A fitting request of the operation, but for what is changed.
sub ask {
    my ($operation, %change) = @_;
    my $id   = $change{id} // ($operation->noun ? $records->id($operation->noun) : '');
    my $body = exists $change{body} ? $change{body} : $operation->body;
    my @type = defined $body ? 'Content-Type: ' . ($change{type} || $operation->type) : ();
    my %key  = exists $change{key} ? (key => $change{key}) : ();

    return send_raw($lims, message($lims, $operation->method,
            $operation->path($id) . ($change{query} || ''), %key, body => $body,
            headers => [ @type, @{ $change{headers} || [] } ]),
        plain => $change{plain});
}

sub key { return $lims->key($lims->fixture, @_)->{key} }

# A key of which the database remembers that it was used, for what and how far.
sub remembered {
    my ($fingerprint, $status) = @_;
    my $key = 'remembered-' . ++$number;

    $lims->db->do('INSERT INTO lims.idempotency_record (organization_id, api_key_id,'
            . q{ idempotency_key, fingerprint, status, body) VALUES (?, ?, ?, ?, ?, '{}')}, undef,
        $lims->fixture->{id}, $lims->fixture->{key_id}, $key, $fingerprint, $status);
    return [ "Idempotency-Key: $key" ];
}

LIMS::Service::Laboratory->new($lims)->policy(ai_data_access => 'true');
my $upload_only = key(upload_only => 1);
my %lacking     = map {
    my $one = $_;
    $one => key(scopes => [ grep { $_ ne $one } sort keys %scope ])
} keys %scope;

# The request that provokes a slug, in every operation that documents it.
my %provoke = (
    invalid_body           => sub { ask($_[0], body => $_[0]->wrong) },
    invalid_query          => sub { ask($_[0], query => '?nothing=1') },
    invalid_id             => sub { ask($_[0], id => '0') },
    field_not_patchable    => sub { ask($_[0], body => '{"id":1}') },
    no_updatable_fields    => sub { ask($_[0], body => '{}') },
    bad_request            => sub { ask($_[0], headers => ['No field name: x']) },
    unauthorized           => sub { ask($_[0], key => undef) },
    tls_required           => sub { ask($_[0], plain => 1) },
    upload_only_key        => sub { ask($_[0], key => $upload_only) },
    scope_required         => sub { ask($_[0], key => $lacking{ $_[0]->scope }) },
    not_found              => sub { ask($_[0], id => '9223372036854775807') },
    precondition_failed    => sub { ask($_[0], headers => ['If-Match: "of another time"']) },
    payload_too_large      => sub { ask($_[0], body => $_[0]->body . ' ' x 100_000) },
    unsupported_media_type => sub { ask($_[0], type => 'text/plain') },
    idempotency_mismatch   => sub { ask($_[0], headers => remembered('another request', 200)) },
    idempotency_in_progress => sub { ask($_[0], headers => running($_[0])) },
);

# As if another process of the service were at the same request.
my @holders;

sub running {
    my ($operation) = @_;
    my $key    = 'running-' . ++$number;
    my $holder = LIMS::Instance::connect_database($lims->{database}, 'lims_owner');

    $holder->begin_work;
    $holder->do('INSERT INTO lims.idempotency_record (organization_id, api_key_id,'
            . ' idempotency_key, fingerprint) VALUES (?, ?, ?, ?)', undef, $lims->fixture->{id},
        $lims->fixture->{key_id}, $key, $operation->name);
    push @holders, $holder;
    return ["Idempotency-Key: $key"];
}

sub release {
    while (my $holder = pop @holders) {
        $holder->rollback;
        $holder->disconnect;
    }
    return;
}

# Refusals that need more than a request: t/contract/limits.t, the end of this file, or
# the tests of the noun produce them.
my %elsewhere = map { $_ => 1 } qw(request_timeout rate_limited internal service_unavailable);

my $before = LIMS::Database::Snapshot::take($lims);
my %unused = map { $_ => 1 } keys %provoke;

cmp_ok(scalar @operations, '>', 30, 'the document has the operations');
for my $operation (@operations) {
    my %refusals = $operation->refusals;

    subtest $operation->label => sub {
        for my $status (sort keys %refusals) {
            for my $slug (grep { $provoke{$_} } @{ $refusals{$status} }) {
                # An act over many records has its conditions in the body.
                next if $slug eq 'precondition_failed' && $operation->label =~ /bulk-results/;
                my $answer = $provoke{$slug}->($operation);
                is($answer->status . ' ' . ($answer->json->{error} // ''), "$status $slug",
                    "$status $slug") or diag($answer->body);
                delete $unused{$slug};
                release();
            }
            my @own = grep { !$provoke{$_} && !$elsewhere{$_} } @{ $refusals{$status} };
            note("a matter of the noun's own tests: $status @own") if @own;
        }
    };
}
is_deeply([ sort keys %unused ], [], 'every provoked slug is documented');

subtest 'refused requests changed nothing' => sub {
    my $after = LIMS::Database::Snapshot::take($lims);
    for my $table (grep { $_ ne 'idempotency_record' } sort keys %$after) {
        is($after->{$table}, $before->{$table}, $table);
    }
};

subtest 'every operation answers 500 when the database fails' => sub {
    my $right = 'EXECUTE ON FUNCTION lims.authenticate(bytea, text, text)';
    $lims->db->do("REVOKE $right FROM PUBLIC, lims_app");
    for my $operation (@operations) {
        my $answer = ask($operation);
        is($answer->status . ' ' . $answer->json->{error}, '500 internal', $operation->label);
        unlike($answer->body, qr/permission|authenticate|lims\./,
            'the refusal says nothing about the inside');
    }
    $lims->expect_log(qr/LIMS0037: 500 internal: .*42501 permission denied/);
    $lims->db->do("GRANT $right TO lims_app");
};

subtest 'every operation answers 503 when the database is out of reach' => sub {
    my $admin = LIMS::Instance::connect_database('postgres', 'postgres');
    is($lims->get('/whoami')->status, 200, 'the database is reachable at first');
    $lims->forget_handles;
    $admin->do("ALTER DATABASE $lims->{database} ALLOW_CONNECTIONS false");
    $admin->do('SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = ?',
        undef, $lims->{database});
    for my $operation (@operations) {
        my $answer = ask($operation);
        is($answer->status . ' ' . $answer->json->{error}, '503 service_unavailable',
            $operation->label);
        like($answer->header('Retry-After') || '', qr/\A[1-9]\d*\z/, 'the refusal has Retry-After');
    }
    $admin->do("ALTER DATABASE $lims->{database} ALLOW_CONNECTIONS true");
    $admin->disconnect;
    is($lims->get('/whoami')->status, 200, 'when it is back nothing needs a restart');
    $lims->expect_log(qr/LIMS00(?:36|38|51): 503 service_unavailable/);
};

done_testing();
