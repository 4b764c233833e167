#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The bench without a page: what a record shows and what is sent of what was typed, the
# service's opinion of it, the sheet of a run, and times of the laboratory's clock.
use strict;
use warnings;

use LIMS::Test::Pages;

LIMS::Test::Pages::units('bench');
