#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: an order is written in a sheet, its mistakes are told at their cells, and it
# is registered all or none; its bottles are received by their labels, whatever the reader
# sends behind them.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('accession', sub {
    my ($lims) = @_;
    $lims->db->do('UPDATE lims.organization SET monthly_sample_allowance = 1000');
});
done_testing();
