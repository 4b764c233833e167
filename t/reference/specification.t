#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Specifications at the command line, and the results that are judged by them:
# those of the project and material type, else of the material type, else the
# definition's own.
use strict;
use warnings;

use LIMS::Test;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);

my $ph       = $lab->definition(code => 'PH', specification_low => 6.5, specification_high => 8.5);
my $effluent = $lab->material;
my $permit   = $lab->project;
my %scope    = (testDefinitionId => $ph, materialTypeId => $effluent);

sub judged {
    my ($expected, $name, %sample) = @_;
    my ($test) = $lab->tests($lab->sample(materialTypeId => $effluent,
        testDefinitionIds => [$ph], %sample));
    is($lab->enter($test, '8.8')->{specification}, $expected, $name);
    return $test;
}

judged('6.5 to 8.5', 'the definition\'s own');
my $general = $ann->done('specification create', %scope, low => 6, high => 9);
my $kept    = judged('6 to 9', 'that of the material type');
my $special = $ann->done('specification create', %scope, projectId => $permit, high => 8);
judged('at most 8', 'that of the project', projectId => $permit);
judged('6 to 9', 'no other project\'s', projectId => $lab->project);
judged('6.5 to 8.5', 'no other material\'s', materialTypeId => $lab->material);

$ann->refused('invalid_body',      'specification create', %scope, low => 5);
like($ann->refused('invalid_body', 'specification update', $general->{id},
        low => 10)->{message}, qr/low: 10 is above high, 9/, 'the message names both limits');
$ann->refused('invalid_reference', 'specification create', %scope, materialTypeId => 999_999);

$ann->done('specification update', $general->{id}, low => undef, high => '9.5');
judged('at most 9.5', 'as it was changed');
is($lims->get("/sample-tests/$kept")->json->{specification}, '6 to 9',
    'a result keeps the limits it was judged by');
is_deeply([ map { $_->{id} } @{ $ann->done('specification list', projectId => $permit)->{data} } ],
    [ $special->{id} ], 'specifications are listed');
is($ann->call('specification delete', $general->{id})->{exit}, 2, 'deleting needs a reason');
is($ann->done('specification delete', $general->{id}, reason => 'permit renewed')->{high}, 9.5,
    'deleting shows what it was');
judged('6.5 to 8.5', 'the more general specification applies again');
is($ann->call('specification show', $general->{id})->{exit}, 3, 'the specification is deleted');

# The first specification settles the type of its results.
my $settled = $ann->refused('invalid_transition', 'test-definition update', $ph, unit => 'mV');
like($settled->{message}, qr/unit: results were entered for PH: make a new definition/,
    'the message says what to do');
is($ann->done('test-definition update', $ph, holdingTimeHours => '0.25')->{holdingTimeHours}, 0.25,
    'other columns may change');

done_testing();
