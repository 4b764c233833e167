#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The cost of a read: the findings of a sample are worked out only where its cached state is
# not valid.
use strict;
use warnings;

use LIMS::Test::SQL;

my $base     = LIMS::Test::SQL->new;
my $lab      = $base->laboratory(code => 'cedar');
my @samples  = map { $base->sample($lab, 'PH') } 1 .. 4;
my $super    = $base->superuser;
my $scan     = 'SELECT more FROM lims.scan_samples(100)';

1 while $base->db->selectrow_array($scan);
$super->do(q{SET track_functions = 'all'});

sub calls {
    return $super->selectrow_array(q{SELECT coalesce(sum(calls), 0)
        FROM pg_stat_xact_user_functions WHERE funcname = 'sample_state'});
}

# How often the state of one of the laboratory's samples was worked out by a page.
sub worked_out {
    $super->begin_work;
    my $before = calls();
    $super->do('SET LOCAL ROLE lims_app');
    $super->do(q{SELECT set_config('lims.organization_id', ?, true)}, undef, $lab->{id});
    my $rows = $super->selectall_arrayref('SELECT * FROM lims.sample_record
        WHERE organization_id = ?', undef, $lab->{id});
    $super->do('RESET ROLE');
    my $calls = calls() - $before;
    $super->rollback;
    return @$rows . " rows, $calls worked out";
}

is(worked_out(), '4 rows, 0 worked out', 'samples that were scanned are read from the cache');
$base->app($lab)->do(q{UPDATE lims.sample_test SET result = '7' WHERE sample_id = ?}, undef,
    $samples[1]{id});
is(worked_out(), '4 rows, 1 worked out', 'only the sample that changed since is computed again');
$base->sample($lab, 'PH');
is(worked_out(), '5 rows, 2 worked out', 'a new sample is worked out');
1 while $base->db->selectrow_array($scan);
is(worked_out(), '5 rows, 0 worked out', 'after the next scan all are read from the cache');
$base->db->do(q{UPDATE lims.sample_state_cache SET valid_until = now() - interval '1 second'
    WHERE sample_id = ?}, undef, $samples[2]{id});
is(worked_out(), '5 rows, 1 worked out', 'a sample whose state ends by time is worked out');

done_testing();
