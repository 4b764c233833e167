#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: bottles of an order are received by their labels, whatever the reader sends
# behind them.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('accession');
done_testing();
