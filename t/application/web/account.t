#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: a one-time link sets the password, the first sign-in asks for accountability
# and tells of the link; a person sees and ends the own sessions and changes the password.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('account');
done_testing();
