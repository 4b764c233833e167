#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: the session ends while somebody works. The page is covered, the same person
# signs in where the work is and goes on, and nothing that was typed is lost or put down to
# somebody else, in this tab or in another one. Where the server asks a directory as well,
# the form asks for a name, also after somebody has signed out.
use strict;
use warnings;

use File::Temp qw(tempdir);

use LIMS::Test;
use LIMS::Test::Browser;
use LIMS::Test::SignOn;

# Mateo signs in by the name that the directory has.
sub known_to_directory {
    my ($lims) = @_;
    my $super = $lims->superuser;
    $super->do(q{SET session_replication_role = 'replica'});
    $super->do(q{UPDATE lims.user_account
        SET password_hash = NULL, identity = '{"subject":"mateo","type":"staff"}'
        WHERE email = 'mateo.ortiz@cedarbasin.example'});
    $super->do(q{SET session_replication_role = 'origin'});
    return;
}

my $dir  = tempdir(CLEANUP => 1);
my $conf = LIMS::Test::SignOn::provider($dir, 'mateo')
    =~ s/^(LimsSignInOrganizations) .*/$1 cedar-basin/mr;

LIMS::Test::Browser::run('session', \&known_to_directory, conf => $conf);
done_testing();
