#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Accession and receiving without a page: what an order says and where its mistakes stand,
# what becomes of scans, which bottles are missing.
use strict;
use warnings;

use LIMS::Test::Pages;

LIMS::Test::Pages::units('accession');
