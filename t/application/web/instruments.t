#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: a QA officer looks at a control chart, and leaves a point out of it.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('instruments');
done_testing();
