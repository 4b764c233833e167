#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Presumptive positives: which results of a test with a confirmation rule await
# confirmation, and what becomes of that when the result changes or the
# confirmation is decided.
use strict;
use warnings;

use LIMS::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Laboratory->new($lims);

sub test_of {
    my (%column) = @_;
    return ($lab->tests($lab->sample(testDefinitionIds =>
                    [ $lab->definition(requires_confirmation => 't', %column) ])))[0];
}

my @presence = (result_type => 'presence');
my $pending  = 'pending';

# [definition, result, qualifier, status]
my @cases = (
    [ [],          '0',            undef, undef ],    [ [],          '1',       undef, $pending ],
    [ [],          '0.0',          undef, undef ],    [ [],          '<1',      undef, undef ],
    [ [],          '>2419.6',      undef, $pending ], [ [],          '1',       'U',   undef ],
    [ [],          '1',            'ND',  undef ],    [ [],          '1',       'J',   $pending ],
    [ [],          'TNTC',         undef, $pending ], [ [],          ' tntc ',  undef, $pending ],
    [ [],          'Too numerous to count', undef, $pending ],
    [ [],          'ND',           undef, undef ],    [ [],          'see note', undef, undef ],
    [ [],          'Growth',       undef, $pending ], [ [],          'No growth', undef, undef ],
    [ [ presumptive_minimum => 10 ], '9',   undef, undef ],
    [ [ presumptive_minimum => 10 ], '10',  undef, $pending ],
    [ [ presumptive_minimum => 10 ], '<10', undef, undef ],
    [ [ presumptive_minimum => 10 ], '>10', undef, $pending ],
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
            join ' ', "\"$result\"", $qualifier // (), @$column);
    }
};

subtest 'decided' => sub {
    for my $outcome (qw(confirmed refuted)) {
        my $test = test_of();
        $lab->enter($test, '5');
        $lab->confirm($test, $outcome);
        is($lims->get("/sample-tests/$test")->json->{confirmationStatus}, $outcome, $outcome);
        is($lims->patch("/sample-tests/$test", { notes => 'n' })->json->{confirmationStatus},
            $outcome, 'a note leaves it');
        is($lab->enter($test, '5')->{confirmationStatus}, $outcome, 'so does the same value');
        is(eval { $lab->confirm($test, $outcome eq 'refuted' ? 'confirmed' : 'refuted'); 1 },
            undef, 'it is decided once');
        is($lab->enter($test, '6')->{confirmationStatus}, 'pending', 'another value asks anew');
        is($lab->enter($test, '0')->{confirmationStatus}, undef, 'unless it is none');
    }
};

subtest 'without a result' => sub {
    my $test = test_of();
    is($lims->get("/sample-tests/$test")->json->{confirmationStatus}, undef, 'nothing to confirm');
    is(eval { $lab->confirm($test, 'confirmed'); 1 }, undef, 'nor to decide');
    $lab->enter($test, '5');
    is($lims->patch("/sample-tests/$test", { result => '' })->json->{confirmationStatus}, undef,
        'withdrawn, neither');
};

subtest 'not through the API' => sub {
    my $test = test_of();
    $lab->enter($test, '5');
    refused($lims->patch("/sample-tests/$test", { confirmationStatus => 'confirmed' }), 400,
        'field_not_patchable', 'a key does not confirm');
    is($lims->get("/sample-tests/$test")->json->{confirmationStatus}, 'pending', 'it is open');
};

done_testing();
