#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Files of instruments damaged at random, for every layout: they give the same values, or
# are held back with a reason. t/profiles/damaged_files.c says what is damaged, and runs
# once with the same files each time; here they are others.
#
# DAMAGE_SECONDS=3600 sets how long, DAMAGE_SEED=1 which files.
use strict;
use warnings;

use Test::More;

use LIMS::Test::Units;

my $out = $ENV{LIMS_OUT} // 'build/out';

$ENV{DAMAGE_SECONDS} ||= 5;
subtest damage => sub { LIMS::Test::Units::run_program("$out/t/profiles/damaged_files") };
done_testing();
