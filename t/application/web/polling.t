#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: whatever a screen asks for by itself, again and again, says so, and is no use
# of the session: a page that nobody touches ends with it.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

LIMS::Test::Browser::run('polling', sub {
    my ($lims) = @_;
    # Whoever may do everything sees every screen.
    my $super = $lims->superuser;
    $super->do(q{SET session_replication_role = 'replica'});
    $super->do(q{INSERT INTO lims.user_role (organization_id, user_id, role)
        SELECT u.organization_id, u.id, r.role FROM lims.user_account u,
            (SELECT DISTINCT role FROM lims.role_permission) r
        WHERE u.email = 'ruth.calder@cedarbasin.example' ON CONFLICT DO NOTHING});
    $super->do(q{SET session_replication_role = 'origin'});
    # Two minutes of every screen's clock pass in seconds: more requests than one person may send.
}, conf => "LimsRateLimitSessions 100000\nLimsRateKeys 64");
done_testing();
