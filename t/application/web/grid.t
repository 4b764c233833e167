#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The entry grid without a page: its model with undo, blocks from spreadsheets, keys, when
# the service is asked to judge, and saving through a network that fails. The tests are
# those of grid/, made runnable by the pages' own bundler.
use strict;
use warnings;

use LIMS::Test::Pages;

LIMS::Test::Pages::units('grid');
