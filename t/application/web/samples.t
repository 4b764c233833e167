#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: a person signs in, finds samples, looks at them and opens one, by keyboard
# alone, in every theme; changes a fact, with a reason where the laboratory asks for one, and
# not over what somebody else wrote.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('samples', sub {
    my ($lims) = @_;
    $lims->db->do(q{UPDATE lims.organization SET reason_on_change = true});
});
done_testing();
