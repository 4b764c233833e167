#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# kill -9 of whatever is at work while instruments deliver files: every file that
# was acknowledged is there, imported or kept for review, exactly once; every file
# is imported as a whole or not at all; and none is left in between.
#
# TORTURE_KILLS=200 TORTURE_SEED=1 set how often, and which moments.
use strict;
use warnings;

use List::Util qw(shuffle);
use Test::More;
use Time::HiRes qw(sleep);

use LIMS::Chaos::Kill9;
use LIMS::Files::Instrument;
use LIMS::Instance;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $kills   = $ENV{TORTURE_KILLS} || 6;
my $seed    = $ENV{TORTURE_SEED}  || time ^ $$;
my $senders = 4;
my $each    = 40 + 10 * $kills;    # files of a sender

srand $seed;
diag("$kills kills, TORTURE_SEED=$seed");
LIMS::Instance::own_cluster('ingest');

my $lims = LIMS::Test->new(contract => 0,
    conf => "LimsRateLimit 20000\nLimsRateKeys 64\nLimsIngestResume 1");
my $killer = LIMS::Chaos::Kill9->new($lims);
$lims->allow_log(qr/exit signal Killed|LIMS00(?:30|36|38|43|45|46|51): 503|\[dbd:error\]|LIMS0110/,
    qr/LIMS0090/);
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my $stop = "$lims->{instance}{dir}/stop";

$pc->profile;
my $definition = $lab->definition(code => 'NO3');
my $material   = $lab->material;

# Two samples for each file, received.
my @samples = @{ $lab->act(sub {
    my ($db) = @_;
    my $organization = $lims->fixture->{id};
    $db->do(q{INSERT INTO lims.sample (organization_id, client_name, material_type_id)
        SELECT ?, 'torture', ? FROM generate_series(1, ?)}, undef, $organization, $material,
        2 * $senders * $each);
    $db->do(q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
        SELECT organization_id, id, ? FROM lims.sample}, undef, $definition);
    $db->do(q{UPDATE lims.sample SET status = 'received'});
    return $db->selectcol_arrayref('SELECT tracking_id FROM lims.sample ORDER BY id');
}) };

# A file in three has a sample that there is not.
sub file {
    my ($sender, $number) = @_;
    my $first = 2 * ($sender * $each + $number);
    my @rows  = map { [ $samples[ $first + $_ ], 'NO3', 1 + $number ] } 0, 1;

    push @rows, [ "NOBODY-$sender-$number", 'NO3', '1' ] if $number % 3 == 2;
    return $pc->csv(@rows);
}

# Sends one file until it is acknowledged, or gives up on it when no answer comes:
# what became of that is the job's matter. What it was told last.
sub deliver_one {
    my ($count, $name, $bytes) = @_;
    my $told;
    for my $attempt (1 .. 50) {
        my $answer = eval { $pc->send($bytes, name => $name) };
        delete $lims->{client} unless $answer;
        $count->{ $answer ? $answer->status : 'lost' }++;
        if ($answer && $answer->status < 300) {
            $told = $answer->json->{status};
            return $told if rand() < 0.8;    # or sends it once more
            next;
        }
        return $told if !$answer && rand() < 0.3;
        sleep 0.2;
    }
    return $told;
}

# Until the killing is over and ten files more; then from the first one again.
sub deliver {
    my ($sender) = @_;
    my (%told, %count);
    my $more = 10;
    for (my $number = 0; $more > 0; $number++) {
        my $which = $number % $each;
        my $name  = "$sender-$which.csv";
        my $told  = deliver_one(\%count, $name, file($sender, $which));
        $told{$name} = $told if $told;
        $more-- if -e $stop;
        sleep 0.02;
    }
    return { told => \%told, count => \%count };
}

sub wreak {
    my @plan = map { shuffle(@LIMS::Chaos::Kill9::kinds, 'child', 'backend') } 0 .. $kills / 8;
    for my $kind (@plan[ 0 .. $kills - 1 ]) {
        sleep 0.1 + rand 0.8;
        $killer->kill9($kind);
        wait_until { eval { $lims->get('/whoami')->status == 200 } };
    }
    open my $out, '>', $stop or die "$stop: $!\n";
    return {};
}

$lims->forget_handles;
my ($ignored, @sent) = $lims->parallel($senders + 1, sub { $_[0] ? deliver($_[0] - 1) : wreak() });
my (%told, %count);
for my $each_sender (@sent) {
    %told = (%told, %{ $each_sender->{told} });
    $count{$_} += $each_sender->{count}{$_} for keys %{ $each_sender->{count} };
}
note(join ', ', map { "$_: $count{$_}" } sort keys %count);
cmp_ok($count{lost} || 0, '>', 0, 'files went without an answer');
cmp_ok(scalar keys %told, '>', 20, 'and ' . keys(%told) . ' were acknowledged');

# The job takes up what was left.
wait_until {
    !$lab->value(q{SELECT count(*) FROM lims.instrument_file WHERE status = 'received'});
};
my %kept = map { @$_ } @{ $lims->db->selectall_arrayref(
    'SELECT file_name, status FROM lims.instrument_file') };
is_deeply([ grep { $kept{$_} eq 'received' } sort keys %kept ], [],
    'no file is left half processed');
is_deeply([ grep { ($kept{$_} // 'not there') ne $told{$_} } sort keys %told ], [],
    'every acknowledged file is there, with the acknowledged status');
is_deeply([ grep { $kept{$_} ne (/-(\d+)\./ && $1 % 3 == 2 ? 'quarantined' : 'imported') }
            sort keys %kept ], [], 'each is imported that can be, and no other');

my $wrong = $lims->db->selectall_arrayref(q{
    SELECT f.file_name, f.status, count(r.id) AS rows,
           count(t.id) FILTER (WHERE t.status = 'entered') AS entered
      FROM lims.instrument_file f
      LEFT JOIN lims.instrument_file_row r ON r.file_id = f.id
      LEFT JOIN lims.sample_test t ON t.id = r.sample_test_id
     GROUP BY f.id, f.file_name, f.status
    HAVING (count(r.id), count(t.id) FILTER (WHERE t.status = 'entered'))
           <> CASE f.status WHEN 'imported' THEN (2::bigint, 2::bigint)
                          ELSE (0::bigint, 0::bigint) END});
is_deeply($wrong, [], 'each file is imported as a whole or not at all');
is($lab->value(q{SELECT count(*) FROM lims.sample_test t WHERE t.status = 'entered'
    AND NOT EXISTS (SELECT FROM lims.instrument_file_row r WHERE r.sample_test_id = t.id)}), 0,
    'no result is of no file');
is($lab->value(q{SELECT count(*) FROM (SELECT t.id FROM lims.sample_test t
    LEFT JOIN lims.event e ON e.type = 'result.entered' AND (e.data ->> 'sampleTestId')::bigint = t.id
    GROUP BY t.id, t.status HAVING count(e.id) <> (t.status = 'entered')::integer) x}), 0,
    'each result is told once');
is($lab->value(q{SELECT count(*) FROM (SELECT t.id FROM lims.sample_test t
    LEFT JOIN lims.audit_entry a ON a.table_name = 'sample_test' AND a.record_id = t.id
     AND a.action = 'update' AND a.changes -> 'result' IS NOT NULL
    GROUP BY t.id, t.status HAVING count(a.id) <> (t.status = 'entered')::integer) x}), 0,
    'each result was entered once');

done_testing();
