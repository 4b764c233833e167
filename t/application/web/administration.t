#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: what an administrator does. Reference data are listed, made, changed, refused
# at their field, changed by two at once, and no longer used.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::Printer;

LIMS::Test::Browser::run('administration', undef, conf => LIMS::Test::Printer->real->conf);
done_testing();
