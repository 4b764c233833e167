#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: the session ends while somebody works. The page is covered, the same person
# signs in where the work is and goes on, and nothing that was typed is lost or put down to
# somebody else, in this tab or in another one.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('session');
done_testing();
