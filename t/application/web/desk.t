#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: two people at one desk, in one tab and in two. Cells, acts and wrong passwords
# of the one are never put down to the other, nor shown to them. A scan chooses, sends and
# fills nothing, wherever the focus is.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('desk', sub {
    my ($lims) = @_;
    $lims->db->do(q{UPDATE lims.organization SET esignature_required = true});
});
done_testing();
