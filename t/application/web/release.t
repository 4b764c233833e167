#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: approvals are decided by one password, seeing what the certificate would
# say; certificates are read as pages, with what a reader misses and what changed. A report
# is amended to its next version, which a missing approval refuses and leads to; a result is
# reopened, and an amendment withdrawn.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('release', sub {
    my ($lims) = @_;
    $lims->db->do(q{UPDATE lims.organization SET esignature_required = true});
});
done_testing();
