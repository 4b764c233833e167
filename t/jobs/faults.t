#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The lifecycle scan under faults: each state of a sample is announced once, although
# children and server processes are killed during a scan, httpd is restarted gracefully and
# the database goes away and comes back.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new(conf => "LimsScanInterval 1\nLimsWebhookDispatchers 0\n",
    children => 3);
my $lab  = LIMS::Service::Laboratory->new($lims);
my $db   = $lims->db;
my $name = $db->{pg_db};
my ($count, $rounds) = (400, $ENV{LIMS_ROUNDS} || 5);
my $ph       = $lab->definition;
my $material = $lab->material;

sub waiting { return $db->selectrow_array('SELECT waiting FROM lims.scan_backlog()') }

sub drain { return wait_until { !waiting() } }

# Samples whose result waits to be verified, and so are to be told of.
sub crowd {
    my ($first) = $db->selectrow_array('SELECT coalesce(max(id), 0) FROM lims.sample');
    $lab->act(sub {
        my ($acting) = @_;
        $acting->do('INSERT INTO lims.sample (organization_id, material_type_id, client_name)
            SELECT ?, ?, ? FROM generate_series(1, ?)', undef, $lims->fixture->{id},
            $material, 'City', $count);
        $acting->do('INSERT INTO lims.sample_test (organization_id, sample_id,
            test_definition_id, result) SELECT organization_id, id, ?, ? FROM lims.sample
            WHERE id > ?', undef, $ph, '7', $first);
    });
    return $first;
}

sub told {
    my ($first) = @_;
    return join ' ', $db->selectrow_array(
        q{SELECT count(*), count(DISTINCT data ->> 'sampleId') FROM lims.event
           WHERE type = 'sample.ready_for_review' AND (data ->> 'sampleId')::bigint > ?},
        undef, $first);
}

# A scan of two batches is over in no time: this makes each look take a while.
$lims->superuser->do(q{CREATE FUNCTION lims.dawdle() RETURNS trigger LANGUAGE plpgsql
    AS $$BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END$$});
$lims->superuser->do('CREATE TRIGGER dawdle AFTER INSERT ON lims.event FOR EACH STATEMENT
    EXECUTE FUNCTION lims.dawdle()');

# The server process of a scan that is in the middle of it, waited for; and what is
# done with it at that moment.
sub scanner {
    my ($also) = @_;
    return wait_until {
        ($lims->superuser->selectrow_array(
            q{SELECT pid, } . ($also || 'NULL') . q{ FROM pg_stat_activity
               WHERE datname = ? AND state = 'active' AND wait_event = 'PgSleep'
                 AND query LIKE '%lims.scan_samples%' AND pid <> pg_backend_pid()},
            undef, $name))[0];
    };
}

my %fault = (
    'a child is killed' => sub { kill 'KILL', $_ for $lims->children },
    'a server process is ended' => sub {
        $lims->expect_log(qr/LIMS0090: the job "scan" of the database \S+ cannot work/);
        drain();
        $lims->expect_log(qr/LIMS0091: the job "scan" of the database \S+ works again/);
    },
    'httpd begins anew gracefully' => sub { $lims->graceful },
);
for my $what (sort keys %fault) {
    my $first = crowd();
    my $pid   = scanner($what =~ /server process/ ? 'pg_terminate_backend(pid)' : undef);
    ok($pid, "$what: while a scan is under way");
    $fault{$what}->();
    ok(drain(), "$what: what was due is done") || diag(waiting() . ' wait');
    is(told($first), "$count $count", "$what: what was due is told of, once");
}

# Over and over, one restart after the other.
my $first = crowd();
for (1 .. $rounds) {
    $lims->graceful if scanner();
}
ok(drain(), 'graceful restarts in a row');
is(told($first), "$count $count", 'graceful restarts in a row lose nothing and tell nothing twice');

done_testing();
