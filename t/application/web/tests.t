#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: tests are added to a sample by panels, also one that was cancelled, with a reason
# where the laboratory asks for one; a test is done again several times; each test has its
# history, signatures, files and comments, and so has an approval its history.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('tests', sub {
    my ($lims) = @_;
    $lims->db->do(q{UPDATE lims.organization SET reason_on_change = true});
});
done_testing();
