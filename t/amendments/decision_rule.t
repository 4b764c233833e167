#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A statement of conformity on a certificate says by which decision rule it was made (ISO/IEC
# 17025, 7.8.6): of the specification where one applies, else of the test definition, by
# whose own limits the result was judged.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);

sub definition {
    my ($code, %more) = @_;
    return $ann->done('test-definition create', code => $code, name => $code, unit => 'mg/L', %more);
}

my $own = definition('OWN', specificationHigh => 10, decisionRule => 'guard band w = U');
is($own->{decisionRule}, 'guard band w = U', 'a test definition has its rule');
my $special = definition('SPEC', specificationHigh => 10, decisionRule => 'guard band w = U');
my $silent  = definition('NONE', specificationHigh => 10, decisionRule => 'guard band w = U');
my $unbound = definition('FREE', decisionRule => 'guard band w = U');
my $material = $lab->material;
$ann->done('specification create', testDefinitionId => $special->{id}, materialTypeId => $material,
    high => 5, decisionRule => 'simple acceptance');
$ann->done('specification create', testDefinitionId => $silent->{id}, materialTypeId => $material,
    high => 5);

my $sample = $lims->post('/samples', { materialTypeId => $material, clientName => 'x',
    testDefinitionIds => [ map { $_->{id} } $own, $special, $silent, $unbound ] })->json;
my @tests = map { $_->{id} } @{ $lims->get("/samples/$sample->{id}")->json->{tests} };
$lims->patch("/sample-tests/$_", { result => '7' }) for @tests;

sub rules {
    my $content = $ann->done('certificate preview', $sample->{id});
    return { map { $_->{testCode} => [ @$_{qw(conformity decisionRule)} ] } @{ $content->{results} } };
}

is_deeply(rules(), {
    OWN  => [ 'within',  'guard band w = U' ],
    SPEC => [ 'outside', 'simple acceptance' ],
    NONE => [ 'outside', undef ],
    FREE => [ undef,     undef ],
}, 'each statement of conformity has the rule of the limits by which it was made');
$ann->done('test-definition update', $own->{id}, decisionRule => 'simple acceptance');
is(rules()->{OWN}[1], 'simple acceptance', 'a changed rule is that of the next certificate');
$ann->done('specification create', testDefinitionId => $own->{id}, materialTypeId => $material,
    high => 3, decisionRule => 'guard band w = 2 U');
is(rules()->{OWN}[1], 'simple acceptance',
    'a specification that was made later has no part in a statement by the limits of the definition');

# --- Verified -----------------------------------------------------------------------------

$lab->verify($_) for @tests;
$ann->done('test-definition update', $silent->{id}, decisionRule => 'none at all');
$ann->done('test-definition update', $own->{id}, decisionRule => 'guard band w = 3 U');
my ($by_material) = @{ $ann->done('specification list',
        testDefinitionId => $special->{id})->{data} };
$ann->done('specification update', $by_material->{id}, decisionRule => 'guard band w = 3 U');
is_deeply(rules(), {
    OWN  => [ 'within',  'simple acceptance' ],
    SPEC => [ 'outside', 'simple acceptance' ],
    NONE => [ 'outside', undef ],
    FREE => [ undef,     undef ],
}, 'a verified result keeps the rule under which it was verified');
$ann->done('specification delete', $by_material->{id}, reason => 'by the definition again');
is(rules()->{SPEC}[1], 'simple acceptance', 'it keeps it without its specification, too');

$ann->done('sample-test reopen', $tests[0], reason => 'the rule has changed');
$ann->done('sample-test enter', $tests[0], result => '7.0', reason => 'the rule has changed');
$ann->done('sample-test verify', $tests[0]);
is(rules()->{OWN}[1], 'guard band w = 2 U',
    'verified anew it has the rule of the limits by which it is judged now');
done_testing();
