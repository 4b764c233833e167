#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: clicks, fields and keys that people need beyond the data, for what they do
# all day, are no more than promised.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::Printer;

LIMS::Test::Browser::run('keystrokes', sub {
    my ($lims) = @_;
    $lims->db->do(q{UPDATE lims.organization SET esignature_required = true});
}, conf => 'LimsPrinter ' . LIMS::Test::Printer->real->program . "\n", acts => { analyze => sub { my ($lims) = @_; $lims->db->do('ANALYZE'); return } });
done_testing();
