#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: an analyst opens a method from the worklist, enters results as in a
# spreadsheet, sees them judged, saves them, and meets what a colleague did meanwhile.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('bench');
done_testing();
