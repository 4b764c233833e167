#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser, by keyboard alone: a day in two laboratories, one of few rules and one that
# has every strict rule on, from the order to the auditor's question.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('day');
done_testing();
