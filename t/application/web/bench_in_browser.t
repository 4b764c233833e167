#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# In a browser: an analyst opens a method from the worklist, enters results as in a
# spreadsheet, sees them judged, saves them, and meets what a colleague did meanwhile.
use strict;
use warnings;

use LIMS::Test;
use LIMS::Test::Browser;

# Orders nitrate for a received sample that has no test of its method, and returns its tracking id.
sub order {
    my ($lims) = @_;
    $lims->db->do(<<'SQL');
DO $$
BEGIN
    PERFORM lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
       FROM lims.user_account u
      WHERE u.email = 'ben.walsh@cedarbasin.example';
    INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
    SELECT s.organization_id, s.id, d.id
      FROM lims.sample s
      JOIN lims.test_definition d
        ON d.organization_id = s.organization_id
       AND d.code = 'NO3N'
     WHERE s.organization_id = lims.context_id('organization_id')
       AND s.status IN ('received', 'processing')
       AND s.disposition = 'active'
       AND NOT EXISTS (
           SELECT
             FROM lims.sample_test t
             JOIN lims.test_definition o
               ON o.organization_id = t.organization_id
              AND o.id = t.test_definition_id
            WHERE t.organization_id = s.organization_id
              AND t.sample_id = s.id
              AND o.method = d.method)
     ORDER BY s.id
     LIMIT 1;
END
$$
SQL
    return $lims->db->selectrow_array(q{SELECT s.tracking_id FROM lims.sample s
        JOIN lims.sample_test t ON t.sample_id = s.id ORDER BY t.id DESC LIMIT 1});
}

LIMS::Test::Browser::run('bench', undef, acts => { order => \&order });
done_testing();
