#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# kill -9 in the middle of a signed act on many records: when one of them is signed and
# others are not yet, the process that serves it or the one of PostgreSQL is killed. Each
# record is signed and decided or neither, and the request, sent again with its
# Idempotency-Key until it is answered, does what is left, once.
#
# TORTURE_KILLS=200: after one of each kind, at random moments of the act. TORTURE_SEED=1
# draws the same moments.
use strict;
use warnings;

use Time::HiRes qw(sleep time);

use LIMS::Chaos::Invariants;
use LIMS::Chaos::Kill9;
use LIMS::Instance;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $kills = $ENV{TORTURE_KILLS} || 4;
my $seed  = $ENV{TORTURE_SEED} || time ^ $$;
my $many  = 12;
my $gate  = 4711;

srand $seed;
diag("$kills kills, TORTURE_SEED=$seed");
LIMS::Instance::own_cluster('signing');

my $lims = LIMS::Test->new(contract => 0, children => 1,
    conf => LIMS::Service::Laboratory::patience() . "LimsRateLimit 20000\nLimsRateKeys 64\n");
my $killer = LIMS::Chaos::Kill9->new($lims);
my $lab    = LIMS::Service::Laboratory->new($lims);
my $person = LIMS::Service::Person->new($lims);
my @definitions = map { $lab->definition } 1 .. $many;
$lims->allow_log(qr/exit signal Killed|LIMS00(?:30|36|38|45|46|51): 503|\[dbd:error\]|LIMS0110/);
$lab->policy(esignature_required => 't');

# Whoever signs the record waits behind it for whoever holds the gate.
$lims->superuser->do("CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS \$\$
    BEGIN PERFORM pg_advisory_xact_lock_shared($gate); RETURN NULL; END \$\$");

sub seen {
    my ($table, $id) = @_;
    return $lab->value(q{SELECT encode(lims.signed_hash(?, ?, ?), 'hex')}, $lims->fixture->{id},
        $table, $id);
}

# Each: the path, the records with their table, the items of the body, and which status says
# that a record is decided.
sub verification {
    my $sample = $lab->sample(testDefinitionIds => \@definitions);
    my @tests  = sort { $a <=> $b } $lab->tests($sample);
    $lab->enter($_, '7') for @tests;
    return { path => '/sample-tests/verify', table => 'sample_test', records => \@tests,
        items => [ map { { sampleTestId => $_ } } @tests ], decided => 'verified' };
}

sub approval {
    $lab->value('SELECT id FROM lims.approval_step') // $lab->approval_steps('Review');
    my @approvals;
    for (1 .. $many) {
        my ($sample) = $lab->worked(1);
        my ($test) = $lab->tests($sample);
        $person->post("/sample-tests/$test/verify", { signature => { password => $person->password,
                    contentHash => seen('sample_test', $test) } })->status == 200 or die;
        $lab->status($sample, 'completed');
        push @approvals, $lims->get("/samples/$sample->{id}/approvals")->json->{data}[0]{id};
    }
    return { path => '/approval-records/decide', table => 'approval', records => \@approvals,
        items => [ map { { id => $_, status => 'approved' } } @approvals ], decided => 'approved' };
}

sub body_of {
    my ($act) = @_;
    my @hashes = map { seen($act->{table}, $_) } @{ $act->{records} };
    return { atomic => $act->{atomic}, signature => { password => $person->password },
        items => [ map { { %{ $act->{items}[$_] }, contentHash => $hashes[$_] } } 0 .. $#hashes ] };
}

# The status, 0 without an answer, and whether it was told before.
sub ask {
    my ($act) = @_;
    my $answer = eval { $person->post($act->{path}, $act->{body}, connection => 'new',
            headers => { 'Idempotency-Key' => $act->{key} }) };
    return $answer ? ($answer->status, $answer->header('Idempotent-Replayed') // '', $answer->body)
        : (0, '', "$@");
}

# Returns for each record whether it is decided, and how often it is signed: "1 1 0 0" and
# the like.
sub state_of {
    my ($act) = @_;
    my $of = $lims->db->selectall_arrayref("SELECT (r.status = ?)::int, (SELECT count(*)
            FROM lims.electronic_signature s WHERE s.organization_id = r.organization_id
             AND s.table_name = ? AND s.record_id = r.id AND s.meaning = ?)
        FROM lims.$act->{table} r WHERE r.id = ANY (?) ORDER BY r.id", undef,
        @$act{qw(decided table decided records)});
    return map { my $column = $_; join ' ', map { $_->[$column] } @$of } 0, 1;
}

# --- Killing -----------------------------------------------------------------------------

# Kills when the act has come as far as the gate, which opens afterwards.
sub kill_at_gate {
    my ($kind) = @_;
    my $db = $lims->superuser;
    my $waits;

    $db->do("SELECT pg_advisory_lock($gate)");
    wait_until { $waits = $db->selectrow_array("SELECT count(*) FROM pg_locks
        WHERE locktype = 'advisory' AND objid = $gate AND NOT granted") };
    $killer->kill9($kind);
    eval { $db->do("SELECT pg_advisory_unlock($gate)") };
    return $waits;
}

sub gate_is_held {
    return $lims->superuser->selectrow_array("SELECT count(*) FROM pg_locks
        WHERE locktype = 'advisory' AND objid = $gate AND granted");
}

# Both at once: (whether the act was in its middle, what its caller was told).
sub interrupt {
    my ($act, $kind, $moment) = @_;
    my $middle = $act->{records}[ $many / 2 ];
    my $db     = $lims->superuser;

    $db->do("CREATE TRIGGER zz_gate AFTER INSERT ON lims.electronic_signature FOR EACH ROW
        WHEN (NEW.record_id = $middle) EXECUTE FUNCTION wait_at_gate()") unless defined $moment;
    $lims->forget_handles;
    my ($met, $told) = $lims->parallel(2, sub {
        if ($_[0]) {
            wait_until { gate_is_held() } unless defined $moment;
            return (ask($act))[0];
        }
        return kill_at_gate($kind) unless defined $moment;
        sleep $moment;
        $killer->kill9($kind);
        return 1;
    });
    wait_until { eval { $lims->superuser->ping } };
    $lims->superuser->do('DROP TRIGGER IF EXISTS zz_gate ON lims.electronic_signature');
    return ($met, $told);
}

sub answered {
    my ($act) = @_;
    my ($status, $replayed, $words);
    wait_until {
        ($status, $replayed, $words) = ask($act);
        $status && $status != 503 && $words !~ /idempotency_in_progress/;
    } 60;
    return ($status, $replayed, $words);
}

my @kinds = ('backend', 'child');
my $took  = 0.2;

for my $number (1 .. $kills) {
    my $kind   = $number <= 4 ? $kinds[ $number % 2 ]
        : $LIMS::Chaos::Kill9::kinds[ rand @LIMS::Chaos::Kill9::kinds ];
    my $moment = $number <= 4 ? undef : rand 1.2 * $took;
    my $act    = $number % 4 < 2 ? verification() : approval();
    $act->{atomic} = $number % 3 ? JSON::PP::true() : JSON::PP::false();
    $act->{key}    = "act-$seed-$number";
    $act->{body}   = body_of($act);

    subtest "$kind, $act->{decided}, " . ($moment ? sprintf('after %.3f s', $moment)
        : 'in the middle') => sub {
        my ($none, $all) = map { join ' ', ($_) x $many } 0, 1;
        my ($met, $told) = interrupt($act, $kind, $moment);
        ok($met, 'the act was under way') or return;
        my ($decided, $signed) = state_of($act);
        is($signed, $decided, "told $told: each is signed and decided, or neither");
        is($decided, $told == 200 ? $all : $none, "told $told: what the caller was told was done")
            if $told == 200 || !defined $moment && $kind eq 'backend';
        like($decided, qr/\A(?:$none|$all)\z/, "told $told: either all or none is decided");

        my $begun = time;
        my ($status, $replayed, $words) = answered($act);
        $took = time - $begun if !$replayed && !$told;
        is($status, 200, 'sent again, it is answered') or diag($words);
        is(join(', ', state_of($act)), "$all, $all", 'sent again, all are decided, each signed once');
        is((ask($act))[1], 'true', 'once more, the answer is told again');
        is(join(', ', state_of($act)), "$all, $all", 'sent once more, nothing is signed twice');
    };
}

LIMS::Chaos::Invariants::check_consistency($lims->db);
done_testing();
