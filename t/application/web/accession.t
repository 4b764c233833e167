#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Accession and receiving without a page: what becomes of scans, which bottles of an order are
# missing.
use strict;
use warnings;

use LIMS::Test::Pages;

LIMS::Test::Pages::units('accession');
