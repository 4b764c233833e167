#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Presumptive positives: which results of a test with a confirmation rule await
# confirmation, and how a changed result or the decision of the confirmation changes that.
use strict;
use warnings;

use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);

sub test_of {
    my (%column) = @_;
    return ($lab->tests($lab->sample(testDefinitionIds =>
                    [ $lab->definition(requires_confirmation => 't', %column) ])))[0];
}

my @presence = (result_type => 'presence');
my @limit    = (specification_high => 2);
my $pending  = 'pending';

# [definition, result, qualifier, status]
my @cases = (
    [ [],          '0',            undef, undef ],    [ [],          '1',       undef, $pending ],
    [ [],          '0.0',          undef, undef ],    [ [],          '<1',      undef, undef ],
    [ [],          '>2419.6',      undef, $pending ], [ [],          '1',       'U',   undef ],
    [ [],          '1',            'ND',  undef ],    [ [],          '1',       'J',   $pending ],
    [ [],          'TNTC',         undef, $pending ], [ [],          ' tntc ',  undef, $pending ],
    [ [],          'Too numerous to count', undef, $pending ],
    [ [],          'ND',           undef, undef ],    [ [],          'see note', undef, $pending ],
    [ [],          'Growth',       undef, $pending ], [ [],          'No growth', undef, undef ],
    [ [ presumptive_minimum => 10 ], '9',   undef, undef ],
    [ [ presumptive_minimum => 10 ], '10',  undef, $pending ],
    [ [ presumptive_minimum => 10 ], '<10', undef, undef ],
    [ [ presumptive_minimum => 10 ], '>10', undef, $pending ],
    # Texts that are no plain number and do not plainly say absent.
    (map { [ \@limit, $_, undef, $pending ] } "\x{2265}1600", '>=1600', '1,600', '~200', '200 CFU',
        'Positive for E. coli', 'TNTC (200x)', 'confluent', '50 CFU', '< 1.000,5', '<2 CFU', '?',
        'none', "absent\x{a0}", '200', '>0'),
    (map { [ \@limit, $_, undef, undef ] } 'absent', ' Negative ', 'ND', '-', '0', '<1', '<2', '< 2.0'),
    [ \@limit,     '<50000',       undef, $pending ], [ \@limit,     '<2.01',   undef, $pending ],
    [ \@limit,     '50',           'U',   $pending ], [ \@limit,     '2',       'U',   undef ],
    [ \@limit,     '50',           'ND',  $pending ], [ \@limit,     '50',      '<',   $pending ],
    [ \@limit,     '<1',           '>',   $pending ], [ \@limit,     'ND',      '>',   $pending ],
    # The largest that is known of the test.
    [ [ @limit, reporting_limit => 10 ], '<10', undef, undef ],
    [ [ @limit, reporting_limit => 10 ], '<11', undef, $pending ],
    [ [ @limit, presumptive_minimum => 20 ], '<20', undef, undef ],
    [ [ @limit, presumptive_minimum => 20 ], '<21', undef, $pending ],
    [ [ reporting_limit => 1 ], '1',  'U',   undef ],
    [ [ reporting_limit => 1 ], '<2', undef, $pending ],
    [ [],          '<50000',       undef, undef ],
    # Free text asks only where it says that something grew.
    [ [ result_type => 'text' ], 'see note', undef, undef ],
    [ [ result_type => 'text' ], 'growth',   undef, $pending ],
    [ \@presence,  'Present',      undef, $pending ], [ \@presence,  'Absent',  undef, undef ],
    [ \@presence,  'DETECTED',     undef, $pending ], [ \@presence,  'Not detected', undef, undef ],
    [ \@presence,  '+',            undef, $pending ], [ \@presence,  '-',       undef, undef ],
    [ \@presence,  'Positive',     undef, $pending ], [ \@presence,  'Negative', undef, undef ],
    [ [ requires_confirmation => 'f' ], '1000',  undef, undef ],
    [ [ requires_confirmation => 'f', @presence ], 'Present', undef, undef ],
);

subtest 'what is presumptive positive' => sub {
    for my $case (@cases) {
        my ($column, $result, $qualifier, $status) = @$case;
        my $test = test_of(@$column);
        is($lab->enter($test, $result, qualifier => $qualifier)->{confirmationStatus}, $status,
            join ' ', shown($result), $qualifier // (), @$column);
    }
};

# Each of these was verified and reported where a bare 200 waited for confirmation.
subtest 'other spellings do not avoid confirmation' => sub {
    for my $spelling ([ result => "\x{2265}1600" ], [ result => '50 CFU' ],
        [ result => '<50000' ], [ result => '50', qualifier => 'U' ]) {
        my $test = test_of(specification_high => 2);
        $lab->enter($test, '50');
        is($lims->patch("/sample-tests/$test", {@$spelling})->json->{confirmationStatus}, 'pending',
            shown($spelling) . ': still presumptive');
        refused($lims->post("/sample-tests/$test/verify", {}), 409, 'confirmation_required',
            'verify');
        my $sample = $lims->get("/sample-tests/$test")->json->{sampleId};
        my ($blocker) = grep { $_->{slug} eq 'confirmation_required' }
            @{ $lims->post("/samples/$sample/report", {})->json->{blockers} };
        is_deeply($blocker->{testIds}, [$test], 'the report is refused for the test');
        is($lab->enter($test, '0')->{confirmationStatus}, undef,
            'the plain right number clears it');
        $lab->verify($test);
    }
};

subtest 'another material type evaluates the result again' => sub {
    my $definition = $lab->definition(requires_confirmation => 't', specification_high => 100);
    my ($lake, $tap) = map { $lab->project } 1, 2;
    my $sample = $lab->sample(projectId => $lake, testDefinitionIds => [$definition]);
    my ($test) = $lab->tests($sample);
    $lab->specification($definition, $sample->{materialTypeId}, $tap, high => 2);
    is($lab->enter($test, '<50')->{confirmationStatus}, undef, 'below what is allowed there');
    is($lims->patch("/samples/$sample->{id}", { projectId => $tap })->status, 200,
        'the sample moves to the other project');
    is($lims->get("/sample-tests/$test")->json->{confirmationStatus}, 'pending',
        'the result awaits confirmation');
    $lab->confirm($test, 'refuted');
    $lims->patch("/samples/$sample->{id}", { projectId => $lake });
    is($lims->get("/sample-tests/$test")->json->{confirmationStatus}, 'refuted',
        'the decision stays');
};

subtest 'after the confirmation is decided' => sub {
    for my $outcome (qw(confirmed refuted)) {
        my $test = test_of();
        $lab->enter($test, '5');
        $lab->confirm($test, $outcome);
        is($lims->get("/sample-tests/$test")->json->{confirmationStatus}, $outcome, $outcome);
        is($lims->patch("/sample-tests/$test", { notes => 'n' })->json->{confirmationStatus},
            $outcome, 'a note leaves it');
        is($lab->enter($test, '5')->{confirmationStatus}, $outcome,
            'the decision stays with the same value');
        is(eval { $lab->confirm($test, $outcome eq 'refuted' ? 'confirmed' : 'refuted'); 1 },
            undef, 'a second decision is refused');
        is($lab->enter($test, '6')->{confirmationStatus}, 'pending',
            'another value awaits confirmation again');
        is($lab->enter($test, '0')->{confirmationStatus}, undef, 'unless the result is negative');
    }
};

subtest 'a test without a result' => sub {
    my $test = test_of();
    is($lims->get("/sample-tests/$test")->json->{confirmationStatus}, undef,
        'there is nothing to confirm');
    is(eval { $lab->confirm($test, 'confirmed'); 1 }, undef,
        'a test without a result cannot be decided');
    $lab->enter($test, '5');
    is($lims->patch("/sample-tests/$test", { result => '' })->json->{confirmationStatus}, undef,
        'withdrawn, neither');
};

subtest 'confirmationStatus cannot be set through the API' => sub {
    my $test = test_of();
    $lab->enter($test, '5');
    refused($lims->patch("/sample-tests/$test", { confirmationStatus => 'confirmed' }), 400,
        'field_not_patchable', 'a key does not confirm');
    is($lims->get("/sample-tests/$test")->json->{confirmationStatus}, 'pending',
        'the confirmation is still open');
};

done_testing();
