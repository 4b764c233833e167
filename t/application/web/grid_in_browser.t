#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The entry grid in Chromium: keys, clipboard, input methods, scanners and fingers, what
# assistive technology finds, how fast a key is seen, and nothing against the policy of what
# a page may load.
use strict;
use warnings;

use LIMS::Test::Pages;

LIMS::Test::Pages::in_browser('grid');
