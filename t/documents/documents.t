#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Runs the C unit tests of modules/documents/.
use strict;
use warnings;

use LIMS::Test::Units;

run_units(__FILE__);
