#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Parts of the pages that need no browser: telling a scanner from a person, moving and
# selecting in a list, times of the laboratory, filters in the address, what forms send.
use strict;
use warnings;

use LIMS::Test::Pages;

LIMS::Test::Pages::units('parts');
