#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Evaluating a result: which limits apply, exact comparison to the last digit, censored and
# unreadable results; and later limits do not change an evaluated result.
use strict;
use warnings;

use JSON::PP ();
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
$lab->policy(oos_opens_investigation => 'f');

my ($in, $out, $open) = (0, 1, undef);

sub judged {
    my ($definition, $result, %more) = @_;
    my $qualifier = delete $more{qualifier};
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$definition], %more));
    return $lab->enter($test, $result, defined $qualifier ? (qualifier => $qualifier) : ());
}

# [low, high, result, qualifier, judgement]
my @numbers = (
    # Both limits: inclusive.
    [ 6.5, 8.5, '7',       undef, $in ],  [ 6.5, 8.5, '6.5',      undef, $in ],
    [ 6.5, 8.5, '8.5',     undef, $in ],  [ 6.5, 8.5, '8.50',     undef, $in ],
    [ 6.5, 8.5, '8.50001', undef, $out ], [ 6.5, 8.5, '6.4999',   undef, $out ],
    [ 6.5, 8.5, '0',       undef, $out ], [ 6.5, 8.5, '-7',       undef, $out ],
    [ 6.5, 8.5, '850e-2',  undef, $in ],
    # One limit.
    [ undef, 10, '10',     undef, $in ],  [ undef, 10, '10.0000000000000000001', undef, $out ],
    [ undef, 10, '-1e9',   undef, $in ],  [ 2, undef, '2',        undef, $in ],
    [ 2, undef, '1.9',     undef, $out ], [ 2, undef, '1e9',      undef, $in ],
    [ 0, 0, '0.0',         undef, $in ],  [ 0, 0, '0.1',          undef, $out ],
    # None.
    [ undef, undef, '5',   undef, $open ], [ undef, undef, '<5',  undef, $open ],
    # Below a number: proves what it proves and no more.
    [ undef, 10, '<10',    undef, $in ],  [ undef, 10, '<0.5',    undef, $in ],
    [ undef, 10, '<11',    undef, $open ], [ 2, undef, '<2',      undef, $out ],
    [ 2, undef, '<1',      undef, $out ], [ 2, undef, '<3',       undef, $open ],
    [ 6.5, 8.5, '<7',      undef, $open ], [ 6.5, 8.5, '<6.5',    undef, $out ],
    [ 6.5, 8.5, '< 6',     undef, $out ], [ 6.5, 8.5, '<9',       undef, $open ],
    # Above a number.
    [ undef, 10, '>10',    undef, $out ], [ undef, 10, '>9',      undef, $open ],
    [ undef, 10, '>11',    undef, $out ], [ 2, undef, '>2',       undef, $in ],
    [ 2, undef, '>1',      undef, $open ], [ 6.5, 8.5, '>8.5',    undef, $out ],
    [ 6.5, 8.5, '>7',      undef, $open ],
    # The qualifier says the same as the sign; J does not bound.
    [ undef, 10, '10',     '<',   $in ],  [ undef, 10, '11',      '<',   $open ],
    [ undef, 10, '10',     '>',   $out ], [ undef, 10, '0.5',     'ND',  $in ],
    [ undef, 10, '0.5',    'U',   $in ],  [ undef, 10, '11',      'U',   $open ],
    [ undef, 10, '11',     'J',   $out ], [ undef, 10, '9',       'J',   $in ],
    # No number, nothing to judge.
    [ 6.5, 8.5, 'TNTC',    undef, $open ], [ 6.5, 8.5, 'ND',      undef, $open ],
    [ 6.5, 8.5, 'see note', undef, $open ],
);

sub word { return defined $_[0] ? ($_[0] ? 'out' : 'in') : 'not to be said' }

sub is_judged {
    my ($record, $expected, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $got = $record->{outOfSpecification};
    return is(defined $got ? JSON::PP::is_bool($got) ? word($got) : 'no boolean' : word(undef),
        word($expected), $name);
}

subtest 'numeric limits' => sub {
    for my $case (@numbers) {
        my ($low, $high, $result, $qualifier, $expected) = @$case;
        my $definition = $lab->definition(specification_low => $low, specification_high => $high);
        is_judged(judged($definition, $result, qualifier => $qualifier), $expected,
            join ' ', $result, $qualifier // (), 'within', $low // '', 'to', $high // '');
    }
};

# [type, what is expected, result, judgement]
my @words = (
    [ text => 'Clear', 'Clear', $in ],  [ text => 'Clear', ' clear ', $in ],
    [ text => 'Clear', 'Turbid', $out ], [ text => undef, 'Turbid', $open ],
    [ presence => 'Absent', 'Absent', $in ],        [ presence => 'Absent', 'absent', $in ],
    [ presence => 'Absent', 'Not detected', $in ],  [ presence => 'Absent', 'ND', $in ],
    [ presence => 'Absent', 'Negative', $in ],      [ presence => 'Absent', '-', $in ],
    [ presence => 'Absent', 'Present', $out ],      [ presence => 'Absent', '+', $out ],
    [ presence => 'Absent', 'DETECTED', $out ],     [ presence => 'Absent', 'Growth', $out ],
    [ presence => 'Absent', 'no growth', $in ],     [ presence => 'Absent', 'perhaps', $open ],
    [ presence => 'Present', 'Absent', $out ],      [ presence => undef, 'Present', $open ],
);

subtest 'results that are no numbers' => sub {
    for my $case (@words) {
        my ($type, $expected_text, $result, $expected) = @$case;
        my $definition = $lab->definition(result_type => $type,
            specification_text => $expected_text);
        is_judged(judged($definition, $result), $expected,
            "$type: $result against " . ($expected_text // 'nothing'));
    }
};

subtest 'limits in words' => sub {
    my @limits = (
        [ { specification_low => 6.5, specification_high => 8.5, unit => 's.u.' },
            '6.5 to 8.5 s.u.' ],
        [ { specification_high => '10.0', unit => 'mg/L' }, 'at most 10.0 mg/L' ],
        [ { specification_low => 2 }, 'at least 2' ],
        [ { result_type => 'presence', specification_text => 'Absent' }, 'Absent' ],
        [ { unit => 'mg/L' }, undef ],
    );
    for my $case (@limits) {
        my ($column, $words) = @$case;
        my $sample = $lab->sample(testDefinitionIds => [ $lab->definition(%$column) ]);
        is($sample->{tests}[0]{specification}, $words, $words // 'none');
        is($lab->enter($sample->{tests}[0]{id}, '7')->{specification}, $words,
            'the entered result shows the limits');
    }
};

subtest 'which limits apply' => sub {
    my ($water, $sludge) = map { $lab->material } 1 .. 2;
    my ($strict, $usual) = map { $lab->project } 1 .. 2;
    my $definition = $lab->definition(specification_low => 1, specification_high => 100);
    $lab->specification($definition, $water, undef, high => 50);
    $lab->specification($definition, $water, $strict, high => 20);

    # [material, project, the highest that is within, limit in words]
    my @cases = (
        [ $sludge, undef,   100, '1 to 100',   'the definition\'s own' ],
        [ $sludge, $strict, 100, '1 to 100',   'no specification of the project without one for'
                . ' the material' ],
        [ $water,  undef,   50,  'at most 50', 'the material\'s' ],
        [ $water,  $usual,  50,  'at most 50', 'another project: the material\'s' ],
        [ $water,  $strict, 20,  'at most 20', 'the project\'s for the material' ],
    );
    for my $case (@cases) {
        my ($material, $project, $highest, $words, $name) = @$case;
        my @of = (materialTypeId => $material, projectId => $project);
        my $inside = judged($definition, $highest, @of);
        is($inside->{specification}, $words, $name);
        is_judged($inside, $in, "$highest is within the limits");
        is_judged(judged($definition, $highest + 1, @of), $out, 'one more than the highest value is out of specification');
    }
    is_judged(judged($definition, '0', materialTypeId => $water), $in,
        'a specification stands for the whole of the definition\'s limits');
};

subtest 'later limits do not change an evaluated result' => sub {
    my $definition = $lab->definition(specification_high => 10);
    my ($material, $project) = ($lab->material, $lab->project);
    my $sample = $lab->sample(testDefinitionIds => [$definition]);
    my ($test) = $lab->tests($sample);
    my $before = $lab->enter($test, '12');
    is_judged($before, $out, 'out of the limits of the day');

    $lims->db->do('UPDATE lims.test_definition SET specification_high = 20 WHERE id = ?', undef,
        $definition);
    my $after = $lims->get("/sample-tests/$test")->json;
    is_deeply($after, $before, 'other limits later change nothing of it');
    $lab->specification($definition, $material, $project, high => 30);
    is_deeply($lab->enter($test, '12'), $before, 'the same value keeps the limits');
    is($lims->patch("/sample-tests/$test", { notes => 'n' })->json->{specification},
        'at most 10', 'a note keeps the limits');
    my $new = $lab->enter($test, '12.0');
    is_judged($new, $in, 'a new value is judged anew');
    is($new->{specification}, 'at most 20', 'a new value has the new limits');
};

subtest 'another material type or project' => sub {
    my $definition = $lab->definition(specification_high => 10);
    my ($material, $project) = ($lab->material, $lab->project);
    my $sample = $lab->sample(testDefinitionIds => [$definition]);
    my ($test) = $lab->tests($sample);
    my $path   = "/samples/$sample->{id}";
    my $before = $lab->enter($test, '12');
    is_judged($before, $out, 'out of its limits');

    $lab->specification($definition, $material, $project, high => 30);
    is($lims->patch($path, { materialTypeId => $material, projectId => $project })->status, 200,
        'the sample turns out to be another\'s');
    my $after = $lims->get("/sample-tests/$test")->json;
    is_judged($after, $in, 'its result is judged anew');
    is($after->{specification}, 'at most 30', 'another project evaluates by its limits');
    is_deeply([ @$after{qw(result enteredBy enteredAt)} ],
        [ @$before{qw(result enteredBy enteredAt)} ], 'enteredBy and enteredAt stay');
    $lab->verify($test);
    refused($lims->patch($path, { projectId => undef }), 409, 'test_verified_locked',
        'a verified one is not judged anew');
};

subtest 'a test without a result shows today\'s limits' => sub {
    my $definition = $lab->definition(specification_high => 10);
    my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$definition]));
    $lims->db->do('UPDATE lims.test_definition SET specification_high = 20 WHERE id = ?', undef,
        $definition);
    my $record = $lims->get("/sample-tests/$test")->json;
    is($record->{specification}, 'at most 20', 'the record shows the limits of now');
    is_judged($record, $open, 'a result that is not numeric is not judged');
};

done_testing();
