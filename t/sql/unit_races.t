#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The unit of a definition cannot change while its first result is entered, nor while its first
# test is added with one: whichever comes second waits, and then sees the other.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base  = LIMS::Test::SQL->new;
my $lab   = $base->laboratory(code => 'cedar');
my $app   = $base->app($lab);
my $other = LIMS::Instance::connect_database($base->{database}, 'lims_app');
$other->do(q{SELECT set_config('lims.' || k, v, false) FROM unnest(?::text[], ?::text[]) w (k, v)},
    undef, [qw(organization_id user_id)], [ @$lab{qw(id user_id)} ]);
$other->do(q{SET lock_timeout = '200ms'});

my @rename = (q{UPDATE lims.test_definition SET unit = 'ug/L' WHERE organization_id = ? AND id = ?},
    [ $lab->{id}, $lab->{definition}{PH} ]);
my @enter = (q{UPDATE lims.sample_test SET result = '7.1' WHERE organization_id = ? AND id = ?},
    [ $lab->{id}, $base->sample($lab, 'PH')->{PH} ]);

sub under_way {
    my ($sql, $bind) = @_;
    $app->begin_work;
    $app->do($sql, undef, @$bind);
    return;
}

under_way(@rename);
refused($other, @enter, '55P03', 'a result waits for a change of the unit that is under way');
$app->rollback;

under_way(q{INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id) VALUES (?, ?, ?)},
    [ $lab->{id}, $base->sample($lab, 'EC')->{id}, $lab->{definition}{PH} ]);
refused($other, @rename, '55P03', 'a change of the unit waits for a test that is being added');
$app->rollback;

under_way(@enter);
refused($other, @rename, '55P03', 'a change of the unit waits for a result that is being entered');
$app->commit;
refused($other, @rename, 'invalid_transition', 'behind the result it is refused');

$other->disconnect;
done_testing();
