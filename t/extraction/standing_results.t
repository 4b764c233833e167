#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# An extracted value and its test: one that was repeated or sent back, whose result has
# another qualifier, or that changed while the model looked at the file.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Peers::ModelService;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $json  = JSON::PP->new->utf8->canonical;
my $model = LIMS::Peers::ModelService->new;
my $lims  = LIMS::Test->new(conf => $model->conf);
my $lab   = LIMS::Service::Laboratory->new($lims);
my $bob   = LIMS::Service::CommandLine->new($lims, 'Bob Ray', roles => ['qa_officer']);
my $nitrate = $lab->definition(code => 'NO3N', name => 'Nitrate as N', unit => 'mg/L');

$lab->policy(ai_data_access => 'true');
$model->say('right');

# A sample, its test, and repetitions of it.
sub family {
    my ($replicates) = @_;
    my $sample = $lab->sample(testDefinitionIds => [$nitrate]);
    my ($test) = $lab->tests($sample);
    my $added = $replicates && $lims->post("/sample-tests/$test/retest",
        { reason => 'doubtful', replicates => $replicates })->json;
    return ($sample, $test, map { $_->{id} } $added ? @{ $added->{tests} } : ());
}

sub record_of { return $lims->get("/sample-tests/$_[0]")->json }

# The rows that are judged of a file with one value.
sub judged {
    my ($sample, $value) = @_;
    my $answer = $model->upload($lims, "Sample,NO3N (mg/L)\n$sample->{trackingId},$value\n");
    is($answer->status, 200) or diag($answer->body);
    return @{ $answer->json->{rows} };
}

# Calls lims.apply_extraction(); returns the slug of its refusal, or nothing, by test.
sub applied {
    my (@updates) = @_;
    return $lab->act(sub {
        return { map { $_->[0] => $_->[1] } @{ $_[0]->selectall_arrayref(
                'SELECT sample_test_id, slug FROM lims.apply_extraction(?, ?)', undef,
                $lab->{organization}{id}, $json->encode(\@updates)) } };
    });
}

subtest 'a test that was repeated' => sub {
    my ($sample, $first, $again) = family(1);
    $lab->enter($first, '7.1');
    $model->forget;
    my @rows = judged($sample, '7.3');
    is_deeply([ map { "$_->{status} $_->{sampleTestId}" } @rows ], ["applied $again"],
        'the value is for the pending repetition alone');
    my $listed = () = ($model->seen)[0]{data} =~ /"NO3N" "Nitrate as N"/g;
    is($listed, 1, 'the model is told of one test');
    is_deeply([ map { record_of($_)->{result} } $first, $again ], [ '7.1', '7.3' ],
        'each test has its own result');
};

subtest 'a test with several pending repetitions' => sub {
    my ($sample, @tests) = family(2);
    my ($row) = judged($sample, '7.3');
    is($row->{status}, 'ambiguous', 'the row is ambiguous');
    like($row->{message}, qr/several tests for this value/, 'the message says why');
    is_deeply([ map { record_of($_)->{result} } @tests ], [ (undef) x 3 ], 'nothing is entered');
};

subtest 'a result that was sent back' => sub {
    my ($sample, $test) = family(0);
    $lab->enter($test, '7.1');
    $bob->done('sample-test return', $test, reason => 're-measure');
    for my $value (qw(7.1 7.3)) {
        my ($row) = judged($sample, $value);
        is($row->{status}, 'locked', "$value: the row is locked");
        like($row->{message}, qr/sent back/, 'the message says why');
    }
    is_deeply(applied({ sampleTestId => $test, result => '7.1', stood => '7.1' }),
        { $test => 'invalid_transition' }, 'one that was sent back meanwhile is refused too');
    is_deeply([ @{ record_of($test) }{qw(result)}, record_of($test)->{returned}{reason} ],
        [ '7.1', 're-measure' ], 'the result is still sent back');
};

subtest 'a standing result with a qualifier' => sub {
    my ($sample, $test) = family(0);
    $lab->enter($test, '7.1', qualifier => 'J');
    my ($row) = judged($sample, '7.1');
    is("$row->{status}: $row->{message}", 'rejected_check: Another result stands already: 7.1 J.',
        'the same number without the qualifier is another result');
    my %update = (sampleTestId => $test, result => '7.1');
    is_deeply(applied({ %update, stood => '7.1', stoodQualifier => undef }),
        { $test => 'result_conflict' }, 'a qualifier that was entered meanwhile is a conflict');
    is(record_of($test)->{qualifier}, 'J', 'the qualifier stands');
    is_deeply(applied({ %update, qualifier => 'J', stood => undef, stoodQualifier => undef }),
        { $test => undef }, 'the same result entered meanwhile is none');
};

subtest 'refusals after one by a rule of the laboratory' => sub {
    my ($refused, $cancelled, $verified, $free) = map { (family(0))[1] } 1 .. 4;
    $lab->set_tests('reagent_lot_id', $lab->reagent_lot(expires_on => '2020-01-01'), $refused);
    $lims->post("/sample-tests/$cancelled/cancel", { reason => 'not wanted' });
    is(record_of($cancelled)->{disposition}, 'cancelled', 'one test is cancelled');
    $lab->enter($verified, '1');
    $lab->verify($verified);
    my $gone = 4_000_000;
    my $slugs = applied(
        (map { { sampleTestId => $_, result => '1', stood => undef } } $refused, $cancelled, $free,
            $gone),
        { sampleTestId => $verified, result => '1', stood => '1' });
    is_deeply($slugs, { $refused => 'reagent_lot_expired', $cancelled => 'invalid_transition',
            $verified => 'test_verified_locked', $free => undef, $gone => 'not_found' },
        'each test has its own refusal');
    is(record_of($free)->{result}, '1', 'what is not refused is entered');
};

done_testing();
