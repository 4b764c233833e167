#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Two people at once: amending, issuing the next version and withdrawing, choosing and
# reopening. Each pair ends as one order of the two would, and nothing is signed twice.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims   = LIMS::Test->new;
my $lab    = LIMS::Service::Laboratory->new($lims);
my @people = map { LIMS::Service::CommandLine->new($lims, $_) } 'Ann Lee', 'Bo Kim';

# Runs two acts at the same time and returns their outcomes, sorted: "done" or the
# refusal's slug.
sub at_once {
    my (@acts) = @_;
    my @answers = $lims->parallel(2, sub { $people[ $_[0] ]->call(@{ $acts[ $_[0] ] }) });
    return map { $_->{exit} ? $_->{json}{error} : 'done' } @answers;
}

sub signatures {
    my (%of) = @_;
    return $lab->value('SELECT count(*) FROM lims.electronic_signature WHERE table_name = ?
        AND record_id = ? AND meaning = ?', @of{qw(table id meaning)});
}

sub reported {
    my ($sample, $test) = $lab->worked(1);
    $lab->verify($test);
    $lims->post("/samples/$sample->{id}/report");
    $people[0]->done('certificate issue', sampleId => $sample->{id});
    return ($sample->{id}, $test);
}

for my $round (1 .. 3) {
    my ($sample, $test) = reported();
    my @told = sort(at_once(map { [ 'sample amend', $sample, reason => $_ ] } 'one', 'two'));
    is("@told", 'done invalid_transition', "round $round: two amend: one amendment is opened");
    is($lab->value('SELECT count(*) FROM lims.amendment WHERE sample_id = ?', $sample), 1,
        "round $round: one amendment of the sample is there");
    is(signatures(table => 'sample', id => $sample, meaning => 'amended'), 1,
        'the amendment is signed once');

    my $amendment = $lab->value('SELECT id FROM lims.amendment WHERE sample_id = ?', $sample);
    my ($issued, $withdrawn) = at_once([ 'certificate issue', sampleId => $sample ],
        [ 'amendment withdraw', $amendment, reason => 'never mind' ]);
    my $status = $lab->value('SELECT status FROM lims.amendment WHERE id = ?', $amendment);
    my $versions = $lab->value('SELECT count(*) FROM lims.certificate WHERE sample_id = ?', $sample);
    is("$status $versions", $issued eq 'done' ? 'issued 2' : 'withdrawn 1',
        "issuing ($issued) and withdrawing ($withdrawn) end as one of them");
    is(scalar(grep { $_ eq 'done' } $issued, $withdrawn), 1, "issuing ($issued) and withdrawing ($withdrawn): one of them is refused");

    my ($of, $first) = $lab->worked(1);
    my ($second) = map { $_->{id} } @{ $lims->post("/sample-tests/$first/retest",
            { reason => 'doubtful' })->json->{tests} };
    $lab->enter($second, '2');
    $lab->verify($_) for $first, $second;
    my ($chosen, $reopened) = at_once([ 'sample-test choose', $first, reason => 'it fits' ],
        [ 'sample-test reopen', $first, reason => 'a typing error' ]);
    my ($test_status, $reported) = $lims->db->selectrow_array(q{SELECT t.status,
        (SELECT count(*) FROM lims.sample_test x WHERE x.sample_id = t.sample_id
            AND x.disposition = 'set_aside') FROM lims.sample_test t WHERE t.id = ?}, undef, $first);
    is("$reopened $test_status", 'done entered', "choosing ($chosen) and reopening: it is reopened");
    is($reported, 0, "choosing ($chosen) and reopening: no result is set aside");
    like($chosen, qr/\A(?:done|invalid_transition)\z/, "choosing ($chosen) is done before, or refused behind");
    is(signatures(table => 'sample_test', id => $first, meaning => 'chosen'),
        $chosen eq 'done' ? 1 : 0, "choosing ($chosen) is signed if it was done");
}
done_testing();
