#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Results that await confirmation, however they reach the table: no spelling, no derived
# column that is written along and no other limits avoid it.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base = LIMS::Test::SQL->new;
my $lab  = $base->laboratory(code => 'cedar');
my $app  = $base->app($lab);
my %count = (organization_id => $lab->{id}, code => 'FC', name => 'Fecal coliforms',
    specification_high => 2, requires_confirmation => 't');
$lab->{definition}{FC} = $base->insert('test_definition', \%count);
my $sample = $base->sample($lab, qw(FC));
my $test   = $sample->{FC};

sub change {
    my ($set, @bind) = @_;
    return $app->do("UPDATE lims.sample_test SET $set WHERE organization_id = ? AND id = ?", undef,
        @bind, $lab->{id}, $test);
}

sub refuses {
    my ($set, $slug, $name, @bind) = @_;
    return refused($app,
        "UPDATE lims.sample_test SET $set WHERE organization_id = ? AND id = ?",
        [ @bind, $lab->{id}, $test ], $slug, $name);
}

sub stands {
    return $base->value('SELECT confirmation_status FROM lims.sample_test WHERE id = ?', $test);
}

for my $result ("\x{2265}1600", '>=1600', '1,600', '~200', '200 CFU', 'Positive for E. coli',
    'TNTC (200x)', 'confluent', '<50000') {
    change('result = ?, qualifier = NULL', $result);
    is(stands(), 'pending', 'presumptive: ' . ($result =~ s/[^ -~]/?/gr));
    refuses(q{status = 'verified'}, 'confirmation_required',
        'verification is refused while it awaits confirmation');
}
change(q{result = '50', qualifier = 'U'});
is(stands(), 'pending', 'not detected at 50, where 2 are allowed');
refuses('confirmation_status = NULL', 'invalid_transition',
    'the confirmation cannot be set to none');

# Derived columns of one's own.
refuses(q{result = 'confluent', confirmation_status = NULL, out_of_specification = false}, '42501',
    'derived columns cannot be written along with a result');
change(q{result = 'confluent', qualifier = NULL, confirmation_status = NULL});
is(stands(), 'pending', 'a confirmation that was written along is not kept');
is($app->selectrow_array(q{SELECT count(*) FROM lims.enter_results(?, ?::jsonb)}, undef,
        $lab->{id}, qq([{"sampleTestId": $test, "result": "200 CFU"}])), 1,
            'the result is entered in bulk');
is(stands(), 'pending', 'a result entered in bulk awaits confirmation too');

# Confirmation is not required for a test whose definition does not ask for it.
change(q{result = '0', qualifier = NULL});
is(stands(), undef, 'a number below the minimum awaits no confirmation');
refuses(q{confirmation_status = 'refuted'}, 'invalid_transition',
    'a negative result cannot be refuted');
is(change(q{confirmation_status = 'pending'}), 1, 'a confirmation can be asked for');
refuses(q{status = 'verified'}, 'confirmation_required',
    'a requested confirmation refuses the verification');
change(q{confirmation_status = 'refuted'});
is(change(q{status = 'verified'}), 1, 'a refuted presumptive positive can be verified');

done_testing();
