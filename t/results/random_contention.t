#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Eight processes change the same few samples at random: there is no error and no deadlock,
# and afterwards results, history, audit trail and events agree. LIMS_SEED repeats a run.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $seed = $ENV{LIMS_SEED} || time;
note("LIMS_SEED=$seed");

my $lims    = LIMS::Test->new(conf => LIMS::Service::Laboratory::patience());
my $lab     = LIMS::Service::Laboratory->new($lims);
my $limit   = $lab->definition(specification_high => 10);
my @samples = map { $lab->sample(testDefinitionIds => [ $limit, $lab->definition ]) } 1 .. 8;
my @tests   = map { $lab->tests($_) } @samples;
my $batch   = $lab->qc_batch(@tests[ 0, 3, 6, 9 ]);
my $lot     = $lab->media_lot(@tests[ 1, 3, 7 ]);
$lab->approval_steps('Final approval');
$lab->policy(coa_before_approval => 't');

sub one_of { return $_[ rand @_ ] }

sub some_of {
    my ($count, @all) = @_;
    my %chosen = map { one_of(@all) => 1 } 1 .. $count;
    return map { 0 + $_ } keys %chosen;
}

my @values = ('1', '2', '12', '<3', 'TNTC', '', '7.10');
my @status = qw(pending received processing completed verified);

# Heavier ones come up less often.
my @work = (
    (sub { $lims->patch('/sample-tests/' . one_of(@tests), { result => one_of(@values) }) }) x 6,
    (sub { $lims->patch('/sample-tests/' . one_of(@tests),
                { qualifier => one_of('J', undef) }) }) x 2,
    (sub { $lims->post('/sample-tests/bulk-results', { updates => [
                        map { { sampleTestId => $_, result => one_of(@values) } }
                            some_of(5, @tests) ] }) }) x 3,
    (sub { $lims->post('/sample-tests/' . one_of(@tests) . '/verify', {}) }) x 2,
    (sub { $lims->patch('/samples/' . one_of(@samples)->{id}, { notes => 'n' . int rand 9 }) }) x 3,
    (sub { $lims->patch('/samples/' . one_of(@samples)->{id} . '/status',
                { status => one_of(@status) }) }) x 4,
    (sub { $lims->post('/samples/receive',
                { sampleIds => [ some_of(4, map { $_->{id} } @samples) ] }) }) x 2,
    (sub { $lims->post('/samples/' . one_of(@samples)->{id} . '/report', {}) }) x 2,
    (sub { $lims->get('/samples/' . one_of(@samples)->{id} . '/readiness') }) x 2,
    (sub { $lims->get('/samples?limit=5') }) x 2,
);

# Quality control goes on meanwhile.
my @quality = (
    sub { $lab->qc_control($batch, one_of(1, 9)) },
    sub { $lab->act(sub { $_[0]->do('UPDATE lims.qc_control SET measured_value = ?'
                    . ' WHERE qc_batch_id = ?', undef, one_of(1, 9), $batch) }) },
    sub { $lab->media_test($lot, 'sterility', one_of(qw(passed failed))) },
);

my @tallies = $lims->parallel(8, sub {
    my ($number) = @_;
    my %tally;
    srand $seed + $number;
    for (1 .. 45) {
        if ($number == 0) {
            one_of(@quality)->();
            next;
        }
        my $response = one_of(@work)->();
        $tally{ $response->status }++;
        $tally{ 'broken: ' . $response->body }++ if $response->status >= 500;
    }
    return \%tally;
});

my %sum;
for my $tally (@tallies) {
    $sum{$_} += $tally->{$_} for keys %$tally;
}
note(join ', ', map { "$_: $sum{$_}" } sort keys %sum);
is(join("\n", grep { /broken/ } keys %sum), '', 'no request failed');
cmp_ok($sum{200}  // 0, '>', 50, 'much was done');
cmp_ok($sum{409}  // 0, '>', 5,  'some requests were refused');
is($lab->value('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'), 0,
    'there was no deadlock');

sub rows {
    my ($sql, @bind) = @_;
    return @{ $lims->db->selectall_arrayref($sql, { Slice => {} }, @bind) };
}

my %events;
for my $event (rows('SELECT type, data FROM lims.event ORDER BY id')) {
    my $data = LIMS::Service::JSONSchema::decode($event->{data});
    $events{ $event->{type} }{ $data->{sampleTestId} // $data->{sampleId} // 0 }++;
}

subtest 'each result agrees with its history, audit trail and events' => sub {
    for my $test (rows('SELECT * FROM lims.sample_test ORDER BY id')) {
        my ($id, $last, $entered, $replaced, $broken) = ($test->{id}, '|', 0, 0, 0);
        my ($result, $qualifier) = (undef, undef);
        for my $entry (rows(q{SELECT changes FROM lims.audit_entry WHERE table_name = 'sample_test'}
                . q{ AND action = 'update' AND record_id = ? ORDER BY id}, $id)) {
            my $changes = LIMS::Service::JSONSchema::decode($entry->{changes});
            next unless $changes->{result} || $changes->{qualifier};
            $broken++ if $changes->{result} && ($changes->{result}{old} // '') ne ($result // '');
            $broken++ if $changes->{qualifier}
                && ($changes->{qualifier}{old} // '') ne ($qualifier // '');
            $replaced++ if defined $result;
            $result    = $changes->{result}{new}    if $changes->{result};
            $qualifier = $changes->{qualifier}{new} if $changes->{qualifier};
            $entered++ if defined $result;
        }
        is($broken, 0, "test $id: each change begins where the one before ended");
        is_deeply([ $result, $qualifier ], [ @$test{qw(result qualifier)} ],
            "test $id: the last change ends with the result that stands");
        is($events{'result.entered'}{$id} // 0, $entered, "test $id: as many events result.entered as times that it was entered");
        is($events{'result.verified'}{$id} // 0, $test->{status} eq 'verified' ? 1 : 0,
            "test $id: verified as often as its status says");
        is($lab->value('SELECT count(*) FROM lims.result_history WHERE sample_test_id = ?', $id),
            $replaced, "test $id: every value that was replaced is kept");
    }
};

subtest 'each sample agrees with its audit trail and events' => sub {
    for my $sample (rows('SELECT s.*, (SELECT count(*) FROM lims.sample_test t WHERE t.sample_id ='
            . q{ s.id AND t.status <> 'verified') AS open FROM lims.sample s ORDER BY id})) {
        my $reported = $sample->{status} eq 'reported' ? 1 : 0;
        is($events{'sample.reported'}{ $sample->{id} } // 0, $reported,
            "sample $sample->{id} ($sample->{status}): reported as often as told");
        is($sample->{open}, 0, 'a reported sample has every test verified') if $reported;
        my $received = $events{'sample.received'}{ $sample->{id} } // 0;
        ok(defined $sample->{received_at} == !!$received, 'a sample has a time of receipt if it was received, and else none');
        my ($state) = map { $_->{release_state} }
            rows('SELECT release_state FROM lims.sample_release(?, ?)', $lims->fixture->{id},
            $sample->{id});
        is($lims->get("/samples/$sample->{id}")->json->{releaseState}, $state,
            'the release state of a sample is that of its findings');
    }
};

done_testing();
