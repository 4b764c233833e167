#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: a person signs in, finds samples, looks at them and opens one, by keyboard
# alone, in every theme.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('samples');
done_testing();
