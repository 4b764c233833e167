#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Runs every C unit test of modules/openapi/.
use strict;
use warnings;

use LIMS::Test::Units;

run_units(__FILE__);
