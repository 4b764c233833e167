#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A file that does not say which of several tests it means is held; people decide one by
# one, each decision with its person and time, and release it with what they decided.
use strict;
use warnings;

use LIMS::Files::Instrument;
use LIMS::Files::Writer;
use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Service::Person;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $pc   = LIMS::Files::Instrument->new($lab);
my ($ann, $bob) = map { LIMS::Service::CommandLine->new($lims, $_, roles => ['qa_officer']) }
    'Ann Lee', 'Bob Ray';
my @why = (reason => 'bench sheet 7');
$pc->profile;

# A received sample whose only test was repeated: ($sample, the test, its repetitions).
sub repeated {
    my ($replicates) = @_;
    my $sample = $pc->sample('NO3');
    my $first = $pc->test($sample, 'NO3')->{id};
    my $added = $lims->post("/sample-tests/$first/retest",
        { reason => 'doubtful', replicates => $replicates })->json;
    return ($sample, $first, map { $_->{id} } @{ $added->{tests} });
}

# The result of each test.
sub results {
    return [ map { $lims->get("/sample-tests/$_")->json->{result} } @_ ];
}

subtest 'a row for the only pending test of a family' => sub {
    my ($sample, $first, $again) = repeated(1);
    $lab->enter($first, '1.0');
    is($pc->send($pc->csv([ $sample, 'NO3', '2.0' ]))->json->{status}, 'imported',
        'the file is imported');
    is_deeply(results($first, $again), [ '1.0', '2.0' ],
        'the result is written into the named test');
    is_deeply($lims->db->selectcol_arrayref(q{SELECT DISTINCT surface FROM lims.audit_entry
        WHERE table_name = 'sample_test' AND record_id = ? AND changes -> 'result' IS NOT NULL},
        undef, $again), ['instrument file'], 'the trail says how it came');
};

subtest 'a test that a person names' => sub {
    my ($sample, @tests) = repeated(2);
    my $answer = $pc->send($pc->csv([ $sample, 'NO3', '3.0' ]));
    my $held = $answer->json;
    is_deeply([ $held->{status}, @{ $pc->codes($answer) } ], [ 'quarantined', 'ambiguous_test' ],
        'several that are pending: held');
    my $id = $held->{id};
    is($bob->done('instrument-file show', $id)->{sentBy}, $lims->db->selectrow_array(
            'SELECT name FROM lims.api_key WHERE id = ?', undef,
            $bob->done('instrument-file show', $id)->{receivedByKey}), 'its key is named');
    my $shown = $bob->done('instrument-file grid', $id);
    is_deeply($shown->{sheets}[0]{rows}[1]{cells}[0], $sample->{trackingId},
        'the grid has the file\'s cells');
    is($shown->{sheets}[0]{rows}[1]{row}, 2, 'a row of the grid has its number in the file');
    is_deeply([ map { $_->{row} } @{ $bob->done('instrument-file grid', $id, from => 2)
                ->{sheets}[0]{rows} } ], [2], 'the grid can be read from a row on');
    my ($reading) = @{ $bob->done('instrument-file candidates', $id, row => 2)->{readings} };
    is_deeply([ map { $_->{sampleTestId} } @{ $reading->{candidates} } ], \@tests,
        'the tests that the row may be for');
    is_deeply($bob->done('instrument-file candidates', $id, row => 1), { readings => [] },
        'a row without values');
    my ($other) = $lab->tests($lab->sample(testDefinitionIds => [ $lab->definition ]));
    my $wrong = $ann->refused('invalid_transition', 'instrument-file release', $id, @why,
        tests => [ { row => 2, sampleTestId => $other } ]);
    like($wrong->{message}, qr/row 2 has no value for sample test $other/,
        'the message names the row and the other sample\'s test');
    $ann->refused('invalid_transition', 'instrument-file release', $id, @why,
        tests => [ { row => 3, sampleTestId => $tests[1] } ]);
    $ann->refused('invalid_body', 'instrument-file release', $id,
        tests => [ { row => 2, sampleTestId => $tests[1] } ]);
    my $dry = $ann->done('instrument-file release', $id, dryRun => 'true',
        tests => [ { row => 2, sampleTestId => $tests[1] } ]);
    is($dry->{status}, 'released', 'a dry run needs no reason');
    is_deeply(results(@tests), [ undef, undef, undef ], 'a dry run enters no result');
    my $made = $ann->done('instrument-file release', $id, @why,
        tests => [ { row => 2, sampleTestId => $tests[1] } ]);
    is_deeply(results(@tests), [ undef, '3.0', undef ], 'released, into the test that is named');
    is_deeply($made->{resolution}{tests}, [ { row => 2, sampleTestId => $tests[1] } ],
        'the resolution names the test');
};

subtest 'a test that is named for a row of one of two sheets' => sub {
    $pc->profile(code => 'book', name => 'Workbook', dialect => undef,
        match => { container => 'xlsx', headers => [qw(Sample Test Value)] },
        columns => { trackingId => 'Sample', test => 'Test', value => 'Value' });
    my ($sample, @tests) = repeated(2);
    my @sheets = map { { name => $_->[0], rows => [ [qw(Sample Test Value)],
                [ $sample->{trackingId}, 'NO3', $_->[1] ] ] } } [ 'Run1', 7.1 ], [ 'Run2', 7.2 ];
    my $held = $pc->send(workbook(@sheets), name => 'runs.xlsx', base64 => 1)->json;
    is($held->{status}, 'quarantined', 'held');
    my @release = ('instrument-file release', $held->{id}, @why, 'tests');
    my $named = sub { return [ map { { row => 2, @$_ } } @_ ] };
    my $why = $ann->refused('invalid_transition', @release, $named->([ sampleTestId => $tests[0] ]));
    like($why->{message}, qr/several values of row 2 .*name the sheet/,
        'without its sheet the row is two rows');
    $why = $ann->refused('invalid_transition', @release,
        $named->(map { [ sheet => 'Run1', sampleTestId => $_ ] } @tests[ 0, 1 ]));
    like($why->{message}, qr/is to be for two tests/, 'a value has one test');
    is($ann->done(@release, $named->([ sheet => 'Run2', sampleTestId => $tests[0] ],
                [ sheet => 'Run1', sampleTestId => $tests[1] ]))->{status}, 'released', 'released');
    is_deeply(results(@tests), [ '7.2', '7.1', undef ], 'each value stands in the test named for it');
};

subtest 'decisions that are kept until the release' => sub {
    my ($sample, @tests) = repeated(1);
    my $held = $pc->send($pc->csv([ $sample, 'NO3', '4.0' ], [ $sample, 'NO3', '5.0' ],
        [ 'RINSE', 'NO3', '0' ]))->json;
    my $id = $held->{id};
    is($held->{status}, 'quarantined', 'two values for a repeated test, and a rinse');
    my $rinse = { row => 4, reason => 'a rinse' };
    my $first = $ann->done('instrument-file decide', $id,
        decisions => { exclude => [$rinse] })->{decisions}{exclude}[0];
    is_deeply([ @$first{qw(row reason by)} ], [ 4, 'a rinse', $ann->{id} ],
        'the decision is Ann\'s, with row and reason');
    like($first->{at}, qr/\A\d{4}-\d\d-\d\dT/, 'the decision has its time');
    my @named = ({ row => 2, sampleTestId => $tests[0] }, { row => 3, sampleTestId => $tests[1] });
    my $both = $bob->done('instrument-file decide', $id,
        decisions => { exclude => [$rinse], tests => \@named })->{decisions};
    is_deeply($both->{exclude}, [$first], 'the decision stays hers');
    is_deeply([ map { $_->{by} } @{ $both->{tests} } ], [ ($bob->{id}) x 2 ], 'the others are his');
    is_deeply($bob->done('instrument-file show', $id)->{decisions}, $both, 'shown with the file');
    $bob->refused('invalid_body', 'instrument-file decide', $id,
        decisions => { exclude => [ { row => 0, reason => 'x' } ] });
    is($bob->done('instrument-file release', $id, @why)->{status}, 'released',
        'released as decided');
    is_deeply(results(@tests), [ '4.0', '5.0' ], 'each value of a released file stands in its test');
    $bob->refused('invalid_transition', 'instrument-file decide', $id, decisions => {});
};

subtest 'who decides' => sub {
    my $clerk = LIMS::Service::CommandLine->new($lims, 'Ben Walsh', roles => ['receiving_clerk']);
    my ($mistyped, $wide) = map { $pc->sample('NO3') } 1 .. 2;
    (my $typed = $mistyped->{trackingId}) =~ s/.\z/?/;
    my $id = $pc->send($pc->csv([ 'NOBODY', 'NO3', '1' ], [ $typed, 'NO3', '2' ]))->json->{id};
    my ($reading) = @{ $clerk->done('instrument-file candidates', $id, row => 2)->{readings} };
    is_deeply([ grep { $_->{trackingId} eq $wide->{trackingId} } @{ $reading->{candidates} } ],
        [ { sampleTestId => $pc->test($wide, 'NO3')->{id}, sampleId => $wide->{id},
                trackingId => $wide->{trackingId}, near => JSON::PP::false,
                sampleIdentifier => $wide->{sampleIdentifier}, status => 'pending',
                result => undef, retestOf => undef, clientName => $wide->{clientName},
                collectionDate => $wide->{collectionDate}, sameClient => JSON::PP::false,
                sameDay => JSON::PP::false } ],
        'a sample of nobody: tests that wait for such a value');
    ($reading) = @{ $clerk->done('instrument-file candidates', $id, row => 3)->{readings} };
    is_deeply([ map { "$_->{trackingId} $_->{near}" } $reading->{candidates}[0] ],
        ["$mistyped->{trackingId} 1"],
            'a mistyped check character: the sample that is near, first');
    $clerk->refused('permission_required', 'instrument-file decide', $id, decisions => {});
    $clerk->refused('permission_required', 'instrument-file release', $id, @why);
};

subtest 'which sample is likely' => sub {
    my ($known, $far, $mate, $other) = map {
        my $sample = $pc->sample('NO3');
        $lims->db->do('UPDATE lims.sample SET client_name = ?, collection_date = ? WHERE id = ?', undef,
            @$_, $sample->{id});
        $sample
    } [ 'Mill', '2026-10-01' ], [ 'Dairy', '2026-10-02' ], [ 'Mill', '2026-10-01' ], [ 'Dairy', '2026-10-01' ];
    my $id = $pc->send($pc->csv([ 'NOBODY', 'NO3', '1' ], [ $known, 'NO3', '2' ]))->json->{id};
    my ($reading) = @{ $ann->done('instrument-file candidates', $id, row => 2)->{readings} };
    my %ours = map { $_->{id} => 1 } $far, $mate, $other;
    is_deeply([ map { [ @$_{qw(sampleId sameClient sameDay)} ] } grep { $ours{ $_->{sampleId} } }
                @{ $reading->{candidates} } ],
        [ [ $mate->{id}, JSON::PP::true, JSON::PP::true ], [ $other->{id}, JSON::PP::false, JSON::PP::true ],
            [ $far->{id}, JSON::PP::false, JSON::PP::false ] ],
        'those of the client and the day of the other rows come first');
    $ann->done('instrument-file reject', $id, reason => 'a trial');
};

subtest 'a decision about what was seen' => sub {
    my $mia  = LIMS::Service::Person->new($lims, roles => ['qa_officer']);
    my $id   = $pc->send($pc->csv([ 'NOBODY-2', 'NO3', '1' ]))->json->{id};
    my $seen = $mia->get("/instrument-files/$id")->header('ETag');
    my $out  = { decisions => { exclude => [ { row => 2, reason => 'not ours' } ] } };
    is($mia->patch("/instrument-files/$id", $out, headers => { 'If-Match' => $seen })->status, 200,
        'the decision is kept');
    refused($mia->patch("/instrument-files/$id", { decisions => {} }, headers => { 'If-Match' => $seen }),
        412, 'precondition_failed', 'one about what stands no more');
    my $counts = $mia->get('/instrument-files/counts')->json;
    is_deeply($counts, $bob->done('instrument-file counts'), 'the files are counted');
    is($counts->{quarantined}, $lims->db->selectrow_array(
        q{SELECT count(*) FROM lims.instrument_file WHERE status = 'quarantined'}),
            'the count by status is right');
    is($counts->{rejected}, 1, 'the count of rejected files is right');
    $mia->post("/instrument-files/$id/reject", { reason => 'a trial' });
    is($bob->done('instrument-file counts')->{rejected}, 2, 'a file that was rejected since is counted');
};

subtest 'reading several again' => sub {
    my @ids = map { $pc->send($pc->csv([ "LATE-$_", 'NO3', "$_.5" ]))->json->{id} } 1, 2;
    my @late = map { $lab->insert('sample_name', sample_id => $_->{id},
            name => "LATE-$_->{number}", reason => 'as written') }
        map { { id => $pc->sample('NO3')->{id}, number => $_ } } 1;
    my $ask = sub {
        my $done = $ann->done('instrument-file reevaluate-some', cursor => $ids[0] - 1, @_);
        return [ map { $_->{status} } @{ $done->{files} } ];
    };
    is_deeply($ask->(dryRun => 'true'), [ 'imported', 'quarantined' ],
        'a dry run: what would become of them');
    is_deeply($ask->(reasonCode => 'layout_mismatch'), [], 'those with a reason');
    is_deeply($ask->(), [ 'imported', 'quarantined' ], 'the file without reasons is imported');
    is_deeply($ask->(), ['quarantined'], 'a file that was read again is held no more');
};

subtest 'a file that people have decided about is read again' => sub {
    my $spilt = $pc->sample('NO3');
    my $held = $pc->send($pc->csv([ 'COMES-LATER', 'NO3', '6.1' ], [ $spilt, 'NO3', '6.2' ]))->json;
    my $id = $held->{id};
    my @decide = ('instrument-file decide', $id, 'decisions');
    $ann->done(@decide => { exclude => [ { row => 3, reason => 'spilt' } ] });
    my $late = $pc->sample('NO3');
    $lab->insert('sample_name', sample_id => $late->{id}, name => 'COMES-LATER',
        reason => 'as written');

    my $again = $bob->done('instrument-file reevaluate', $id);
    is_deeply([ $again->{status}, map { $_->{code} } @{ $again->{reasons} } ],
        [ 'quarantined', 'decisions_kept' ], 'it is held until somebody releases it');
    my $tests = [ map { $pc->test($_, 'NO3')->{id} } $late, $spilt ];
    is_deeply(results(@$tests), [ undef, undef ], 'nothing is entered');
    $ann->done(@decide => {});
    is($bob->done('instrument-file reevaluate', $id)->{status}, 'imported',
        'once the decision is taken back it is imported');
    is_deeply(results(@$tests), [ '6.1', '6.2' ], 'with all its values');
};

subtest 'a test is not named for what is no value' => sub {
    $pc->profile(code => 'means', replicates => { policy => 'mean', count => 3 });
    my ($sample, @tests) = repeated(1);
    my $answer = $pc->send($pc->csv([ $sample, 'NO3', '6.0' ], [ $sample, 'NO3', '7.0' ]),
        profile => 'means');
    my $id = $answer->json->{id};
    is_deeply($pc->codes($answer), ['replicate_unresolved'], 'two values of a mean of three');
    for my $row (2, 3) {
        $ann->refused('invalid_transition', 'instrument-file release', $id, @why,
            tests => [ { row => $row, sampleTestId => $tests[0] } ]);
    }
    $ann->refused('invalid_transition', 'instrument-file release', $id, @why,
        exclude => [ { row => 2, reason => 'an outlier' } ]);
    is_deeply(results(@tests), [ undef, undef ], 'no replicate is entered in place of the mean');

    $pc->profile(code => 'times', columns => { trackingId => 'Sample', test => 'Test',
            value => 'Value', replicate => 'Unit' });
    $answer = $pc->send($pc->csv([ $sample, 'NO3', '8.0', '1' ], [ $sample, 'NO3', '9.0', '2' ]),
        profile => 'times');
    is_deeply($pc->codes($answer), [qw(ambiguous_test duplicate_row replicate_unresolved)],
        'values of two replicates');
    is($ann->done('instrument-file release', $answer->json->{id}, @why,
            tests => [ map { { row => 2 + $_, sampleTestId => $tests[$_] } } 0, 1 ])->{status},
        'released', 'each is for a test that is named');
    is_deeply(results(@tests), [ '8.0', '9.0' ], 'each value stands in its test');
};

done_testing();
