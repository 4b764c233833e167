#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: results that were entered before there was a QC batch are covered by one; each
# result of a batch is shown and signed, however many there are, and once more where it was
# entered later.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('qc_coverage');
done_testing();
