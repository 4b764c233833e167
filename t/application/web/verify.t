#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: a reviewer looks at the queue, sends a result back, and verifies twenty by
# one password, also when one of them changes meanwhile; wrong passwords lock signing.
# Where the laboratory does not sign, nothing is verified, approved or chosen unseen either.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('verify', sub {
    my ($lims) = @_;
    $lims->db->do(q{UPDATE lims.organization SET esignature_required = true});
});
done_testing();
