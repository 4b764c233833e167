#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: a one-time link sets the password, the first sign-in asks for accountability
# and tells of the link; a person sees and ends the own sessions and changes the password,
# and with an identity signs in by single sign-on, also in a window where a session has ended,
# and signs by a signature password; a name that nobody has is shown with what hides in it.
use strict;
use warnings;

use File::Temp qw(tempdir);

use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::SignOn;

my $dir = tempdir(CLEANUP => 1);
LIMS::Test::Browser::run('account', sub {
    $_[0]->db->do(q{UPDATE lims.organization SET esignature_required = true
        WHERE code = 'cedar-basin'});
}, conf => LIMS::Test::SignOn::conf($dir, 'kim', "kim\xe2\x80\xae\anedra")
    . "LimsSignIn both\nLimsSignInOrganizations cedar-basin\n"
    . "LimsSignOutURL https://localhost:\${LIMS_PORT}/left\n");
done_testing();
