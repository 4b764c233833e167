#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Instruments export a run again with more rows. The old rows of such a file are recognized:
# they are no repetition, put back no correction, and do not stand for a new measurement of
# what was sent back.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my ($ann, $bob) = map { LIMS::Service::CommandLine->new($lims, $_, roles => ['qa_officer']) }
    'Ann Lee', 'Bob Ray';
my @why = (reason => 'bench sheet 7');

# Times of analyses, by the minutes that they lie back.
sub ago {
    return $lab->value(q{SELECT to_char((now() - make_interval(mins => ?)) AT TIME ZONE
        o.time_zone, 'YYYY-MM-DD HH24:MI:SS') FROM lims.organization o WHERE o.id = ?}, $_[0],
        $lab->{organization}{id});
}

# One more row, of another sample, as the next export has it.
sub more { return [ $pc->sample('NO3'), 'NO3', '0.1', 'mg/L', ago(1) ] }

sub record_of { return $lims->get("/sample-tests/$_[0]")->json }

# Sends rows with one more, which is held for one result; returns file and reason.
sub held {
    my ($what, @rows) = @_;
    my $answer = $pc->send($pc->csv(@rows, more()));
    is_deeply([ $answer->status, $pc->codes($answer) ], [ 202, ['result_conflict'] ],
        "$what: held as result_conflict") or diag($answer->body);
    return ($answer->json->{id}, $answer->json->{reasons}[0]);
}

sub imported {
    my ($what, $written, @rows) = @_;
    my $answer = $pc->send($pc->csv(@rows, more()));
    is_deeply([ $answer->status, $answer->json->{counts}{written} ], [ 201, $written ],
        "$what: $written results are entered") or diag($answer->body);
    return $answer->json->{id};
}

for my $existing (qw(quarantine sameValueOk overwriteUnverified)) {
    subtest "a test is repeated, and the run comes again (existing: $existing)" => sub {
        $pc->profile(write => { existing => $existing });
        my $sample  = $pc->sample('NO3');
        my $first   = $pc->test($sample, 'NO3')->{id};
        my @row     = ($sample, 'NO3', '7.10', 'mg/L', ago(60));
        my $file    = imported('the first measurement', 2, \@row);
        my ($again) = map { $_->{id} } @{ $lims->post("/sample-tests/$first/retest",
                { reason => 'doubtful' })->json->{tests} };
        my ($id, $reason) = held('the old measurement for the repetition', \@row);
        like($reason->{message}, qr/^File $file brought this measurement .* name the test/,
            'the reason names the earlier file and what to do');
        is($reason->{row}, 2, 'the reason names the row');
        held('the same with other decimals', [ @row[ 0, 1 ], '7.1', @row[ 3, 4 ] ]);
        held('the same without a unit', [ @row[ 0 .. 2 ], '', $row[4] ]);
        held('the same without a time', [ @row[ 0 .. 3 ], '' ]);
        is(record_of($again)->{result}, undef, 'the repetition has no result');
        $ann->refused('invalid_transition', 'instrument-file release', $id, @why);
        is(record_of($again)->{result}, undef, 'a release that does not name the test enters nothing');
        $ann->done('instrument-file release', $id, @why,
            tests => [ { row => 2, sampleTestId => $again } ]);
        is(record_of($again)->{result}, '7.10', 'a release that names the test enters it');
    };
}

subtest 'a repetition that was measured' => sub {
    $pc->profile(write => { existing => 'sameValueOk' });
    for my $case ([ 'the same value, later', '7.10', ago(30) ], [ 'another value', '7.2', ago(60) ]) {
        my ($what, $value, $time) = @$case;
        my $sample = $pc->sample('NO3');
        my $first  = $pc->test($sample, 'NO3')->{id};
        imported('the first measurement', 2, [ $sample, 'NO3', '7.10', 'mg/L', ago(60) ]);
        my $again = $lims->post("/sample-tests/$first/retest", { reason => 'doubtful' })
            ->json->{tests}[0]{id};
        imported($what, 2, [ $sample, 'NO3', $value, 'mg/L', $time ]);
        is(record_of($again)->{result}, $value, 'the repetition has it');
        is(record_of($first)->{result}, '7.10', 'the first test keeps its own');
    }
};

subtest 'a run that comes again for the same tests' => sub {
    my @row = ($pc->sample('NO3'), 'NO3', '5.0', 'mg/L', ago(60));
    imported('the first time', 2, \@row);
    imported('with one more row', 1, \@row);
    $lab->enter(($lab->tests($row[0]))[0], '');
    imported('after the result was withdrawn', 2, \@row);
};

subtest 'a corrected result is not put back' => sub {
    $pc->profile(write => { existing => 'overwriteUnverified' });
    my $sample = $pc->sample('NO3');
    my ($test) = $lab->tests($sample);
    my @row    = ($sample, 'NO3', '6', 'mg/L', ago(60));
    my $file   = imported('the measurement', 2, \@row);
    $lab->enter($test, '7');
    my ($id, $reason) = held('the corrected measurement', \@row);
    like($reason->{message}, qr/was changed since file $file brought/, 'the reason says so');
    is($reason->{expected}, '7', 'the reason names the standing result');
    held('an older analysis', [ $sample, 'NO3', '8', 'mg/L', ago(90) ]);
    is(record_of($test)->{result}, '7', 'the correction stands');
    imported('a later analysis', 2, [ $sample, 'NO3', '8', 'mg/L', ago(30) ]);
    is(record_of($test)->{result}, '8', 'the later analysis replaces it');
    held('the first measurement once more', \@row);
    $ann->done('instrument-file release', $id, @why,
        tests => [ { row => 2, sampleTestId => $test } ]);
    is(record_of($test)->{result}, '6', 'a release that names the test puts it back');
};

for my $existing (qw(sameValueOk overwriteUnverified)) {
    subtest "a result that was sent back (existing: $existing)" => sub {
        $pc->profile(write => { existing => $existing });
        my $sample = $pc->sample('NO3');
        my ($test) = $lab->tests($sample);
        my @row    = ($sample, 'NO3', '7.1', 'mg/L', ago(60));
        my $return = sub { $bob->done('sample-test return', $test, reason => 're-measure') };
        imported('the measurement', 2, \@row);
        $return->();
        my ($id, $reason) = held('what was sent back', \@row);
        like($reason->{message}, qr/was sent back.*name the test/, 'the reason says so');
        held('the same with other decimals', [ $sample, 'NO3', '7.10', 'mg/L', $row[4] ]);
        held('the same without a time', [ $sample, 'NO3', '7.1', 'mg/L', '' ]);
        is(record_of($test)->{returned}{reason}, 're-measure', 'it is still sent back');
        sleep 1;
        imported('the same value, measured since', 2, [ $sample, 'NO3', '7.1', 'mg/L', ago(0) ]);
        is(record_of($test)->{returned}, undef, 'it was entered again');
        is($lab->value(q{SELECT analyzed_at > now() - interval '30 min' FROM lims.sample_test
            WHERE id = ?}, $test), 1, 'with the time of the new analysis');
        $return->();
        $ann->done('instrument-file release', $id, @why,
            tests => [ { row => 2, sampleTestId => $test } ]);
        is(record_of($test)->{returned}, undef, 'a release that names the test counts too');
    };
}

done_testing();
