#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: what explains the application. `?` says what a screen is for, the guide what
# each role does, the reference what a program can ask.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('help');
done_testing();
