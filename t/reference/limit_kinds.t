#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Limits of a kind by which a test's results are not judged are refused, and those that a
# laboratory still has are not shown beside a result that was not compared with them.
use strict;
use warnings;

use LIMS::Service::CommandLine;
use LIMS::Service::Laboratory;
use LIMS::Test;

my $lims = LIMS::Test->new;
my $lab  = LIMS::Service::Laboratory->new($lims);
my $ann  = LIMS::Service::CommandLine->new($lims, 'Ann Lee', roles => ['lab_manager']);

sub said {
    return $ann->refused('invalid_body', @_)->{message};
}

my %new = (code => 'ZN', name => 'Zinc');
like(said('test-definition create', %new, specificationText => 'max. 10 mg/L'),
    qr/^specificationText: .*judged by specificationLow and specificationHigh/,
    'a required text of a numeric test');
like(said('test-definition create', %new, resultType => 'presence', specificationHigh => 0,
        specificationText => 'Absent'),
    qr/^specificationLow and specificationHigh: .*presence test are judged by specificationText/,
    'numbers of a presence test');
like(said('test-definition create', %new, resultType => 'text', specificationLow => 1),
    qr/text test are judged by/, 'numbers of a text test');

my $zinc = $ann->done('test-definition create', %new, specificationHigh => 10)->{id};
my $coli = $ann->done('test-definition create', code => 'EC', name => 'E. coli',
    resultType => 'presence', specificationText => 'Absent')->{id};
like(said('test-definition update', $zinc, specificationText => 'Absent'), qr/^specificationText/,
    'a change to such a limit');
like(said('test-definition update', $zinc, resultType => 'text'), qr/^specificationLow/,
    'a result type that the limit does not fit');
is($ann->done('test-definition update', $zinc, resultType => 'text', specificationHigh => undef,
        specificationText => 'none')->{resultType}, 'text', 'both are changed at once');
$ann->done('test-definition update', $zinc, resultType => 'numeric', specificationHigh => 10,
    specificationText => undef);

my %of = (materialTypeId => $lab->material);
like(said('specification create', %of, testDefinitionId => $zinc, expectedText => 'max. 10 mg/L'),
    qr/^expectedText: .*judged by low and high/, 'a specification with a text of a numeric test');
like(said('specification create', %of, testDefinitionId => $coli, high => 0),
    qr/^low and high: .*judged by expectedText/, 'a specification with a number of a presence test');
my $made = $ann->done('specification create', %of, testDefinitionId => $zinc, high => 5)->{id};
$ann->done('specification create', %of, testDefinitionId => $coli, expectedText => 'Absent');
like(said('specification update', $made, expectedText => 'Absent'), qr/^expectedText/,
    'a change of a specification to such a limit');
like(said('test-definition update', $zinc, resultType => 'text', specificationHigh => undef),
    qr/^resultType: specifications of ZN/, 'a result type that a specification does not fit');

# --- Limits from before ---------------------------------------------------------------------

my $old = $lab->definition(code => 'OLD', unit => 'mg/L', specification_high => 10);
$lims->db->do('ALTER TABLE lims.test_definition DISABLE TRIGGER guard_kind_update');
$lims->db->do(q{UPDATE lims.test_definition SET specification_high = NULL,
    specification_text = 'max. 10 mg/L' WHERE id = ?}, undef, $old);
$lims->db->do('ALTER TABLE lims.test_definition ENABLE TRIGGER guard_kind_update');
my ($test) = $lab->tests($lab->sample(testDefinitionIds => [$old]));
my $entered = $lab->enter($test, '50');
is_deeply([ @$entered{qw(specification outOfSpecification)} ], [ undef, undef ],
    'a result is not shown beside a limit by which it was not judged');
is($ann->done('test-definition update', $old, name => 'Old')->{name}, 'Old',
    'such a limit does not stand in the way of another change');
like(said('test-definition update', $old, specificationHigh => 10), qr/^specificationText/,
    'a change of the limits asks to mend it');

done_testing();
