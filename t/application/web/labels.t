#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: labels are printed by keyboard from the list of samples, a sample, an order,
# receiving, lots and storage places; size and printer are remembered, and a refusal is told.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::Printer;

LIMS::Test::Browser::run('labels', undef,
    conf => 'LimsPrinter ' . LIMS::Test::Printer->real->program . "\n");
done_testing();
