#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: what can be done with a sample beside the usual way. It is completed again
# after a rejection, its status is set, it is worked on while it is on hold, disposed of and
# amended after that; a test is cancelled by whoever may.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('sample_acts');
done_testing();
