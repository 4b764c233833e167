#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: the pages of quality work, by those who do it: worksheets, confirmations, lots
# with their recall, investigations, the audit trail.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::Printer;

LIMS::Test::Browser::run('quality', undef, conf => LIMS::Test::Printer->real->conf);
done_testing();
