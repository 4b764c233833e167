#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# How far the samples of a list have come, for people who ask for it: tests by status, the
# first end of a holding time, the number of findings that block the report and flags, at
# once and after the lifecycle scan alike.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;
use LIMS::Test::Source ();

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $mia  = LIMS::Service::Person->new($lims, roles => ['lab_manager']);
my $bob  = LIMS::Service::CommandLine->new($lims, 'Bob Ray', roles => ['lab_manager']);

my $lead   = $lab->definition(code => 'PB', name => 'Lead', specification_high => 15);
my $germs  = $lab->definition(code => 'FC', name => 'Coliforms', requires_confirmation => 't');
my $nitrate = $lab->definition(code => 'NO3', name => 'Nitrate', holding_time_hours => 48);
$lab->approval_steps('Technical review');

sub sample { my (%o) = @_; return $lab->sample(collectedAt => _hours_ago($o{hours} // 1), testDefinitionIds => $o{tests}) }
sub _hours_ago { return POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time - 3600 * $_[0])) }
require POSIX;

sub listed {
    my ($sample) = @_;
    my ($record) = grep { $_->{id} == $sample->{id} }
        @{ $mia->get("/samples?include=progress&trackingId=$sample->{trackingId}")->json->{data} };
    return $record;
}

# Work that is still to be done, as the page says it; the rest of what readiness lists blocks.
my ($todo) = LIMS::Test::Source::text('modules/application/web/pages/samples/readiness.tsx')
    =~ /const ordinary = new Set\(\[(.*?)\]/s;
my %is_todo = map { $_ => 1 } $todo =~ /'(\w+)'/g;
is_deeply([ sort keys %is_todo ], $lims->db->selectcol_arrayref(q{SELECT c FROM unnest(ARRAY(
        SELECT m[1] FROM regexp_matches(pg_get_functiondef('lims.finding_hardness'::regproc),
            'WHEN .(\w+). THEN', 'g') m)) c
     WHERE lims.finding_hardness(c) IN ('progress', 'soft') ORDER BY c COLLATE "C"}),
    'the page and the database call the same work still to be done');

# Returns the progress in the list, before and after the scan has seen the last change; it
# counts those findings of readiness that block, and not work still to be done.
sub progress {
    my ($sample, $counts, $flags, $what) = @_;
    my @blocking = grep { $_->{severity} eq 'blocking' && !$is_todo{ $_->{category} } }
        @{ $mia->get("/samples/$sample->{id}/readiness")->json->{findings} };
    for my $when ('at once', 'after the scan') {
        my $record = listed($sample);
        is_deeply([ @{ $record->{testCounts} }{qw(pending entered verified)} ], $counts, "$what: tests, $when");
        is_deeply($record->{flags}, $flags, "$what: flags, $when");
        is($record->{blockerCount}, scalar @blocking, "as many blockers as readiness has, $when");
        $lims->db->do('SELECT lims.scan_samples(1000)');
    }
    return scalar @blocking;
}

my $sample = sample(tests => [ $lead, $germs, $nitrate ]);
my ($pb, $fc, $no3) = $lab->tests($sample);
my $batch;

subtest 'from the registration to the report' => sub {
    is(progress($sample, [ 3, 0, 0 ], [], 'registered'), 0, 'nothing blocks what is only to be done');
    is(listed($sample)->{holdingExpiresAt}, $mia->get("/sample-tests/$no3")->json->{holdingExpiresAt},
        'the end of the only holding time');
    $lab->enter($no3, '3');
    is(listed($sample)->{holdingExpiresAt}, undef, 'an analysed test leaves no end of a holding time');
    $lab->enter($pb, '16');
    progress($sample, [ 1, 2, 0 ], ['oos'], 'a result out of specification');
    $lab->enter($fc, '23');
    progress($sample, [ 0, 3, 0 ], [qw(oos presumptive)], 'a presumptive one');
    $batch = $lab->qc_batch($pb, $no3);
    $lab->qc_control($batch, 9);
    is(progress($sample, [ 0, 3, 0 ], [qw(oos presumptive qc)], 'a failed batch of two tests'), 2,
        'the batch once, and the presumptive result');
    $lab->qc_override($batch);
    $lab->enter($pb, '14');
    progress($sample, [ 0, 3, 0 ], [qw(presumptive qc)], 'an override counts for the value that stood');
};

subtest 'holding times' => sub {
    progress(sample(tests => [$nitrate], hours => 30), [ 1, 0, 0 ], ['holding'], 'one that ends soon');
    progress(sample(tests => [$nitrate], hours => 50), [ 1, 0, 0 ], ['holding'], 'a sample with an ended holding time is flagged');
};

subtest 'approvals and amendments' => sub {
    my $other  = sample(tests => [$lead]);
    my ($test) = $lab->tests($other);
    my $decide = sub {
        my ($status) = @_;
        my ($pending) = grep { $_->{status} eq 'pending' } @{ $lims->get("/samples/$other->{id}/approvals")->json->{data} };
        $bob->done('approval decide', $pending->{id}, status => $status, comment => 'seen');
    };
    $lab->enter($test, '4');
    $lab->verify($test);
    $lab->status($other, 'completed');
    $decide->('rejected');
    progress($other, [ 0, 0, 1 ], ['approval_rejected'], 'a rejected approval');
    $lab->status($other, 'processing');
    $lab->status($other, 'completed');
    $decide->('approved');
    $lims->post("/samples/$other->{id}/report");
    progress($other, [ 0, 0, 1 ], [], 'reported');
    is(listed($other)->{certificateId}, undef, 'a reported sample has no certificate by that');
    my $issued = $bob->done('certificate issue', sampleId => $other->{id});
    is(listed($other)->{certificateId}, $issued->{id}, 'the certificate that is valid');
    $bob->done('sample amend', $other->{id}, reason => 'wrong address');
    is(progress($other, [ 0, 0, 1 ], ['amended'], 'amended'), 0, 'an amendment waits for approval');
    $decide->('rejected');
    is(progress($other, [ 0, 0, 1 ], [qw(amended approval_rejected)], 'after the rejection'), 1,
        'the rejection blocks it');
};

subtest 'who asks' => sub {
    refused($lims->get('/samples?include=progress'), 400, 'invalid_query', 'a key');
    my $plain = $mia->get('/samples')->json->{data}[0];
    ok(!grep({ exists $plain->{$_} } qw(testCounts blockerCount certificateId flags holdingExpiresAt)), 'not unless asked for');
    my @page = @{ $mia->get('/samples?include=progress&status=pending,completed,reported&order=-id')->json->{data} };
    is(scalar(grep { $_->{testCounts} } @page), scalar @page,
        'a list by several statuses has the counts');
    is_deeply([ map { $_->{id} } @page ], [ reverse sort { $a <=> $b } map { $_->{id} } @page ],
        'the page has the newest first');
};
done_testing();
