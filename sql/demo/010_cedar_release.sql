-- SPDX-License-Identifier: Apache-2.0
--
-- Cedar Basin Environmental Laboratory: what was verified, completed, approved
-- and reported.

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'lena.fischer@cedarbasin.example';

UPDATE lims.sample_test t
   SET status = 'verified'
  FROM lims.sample s
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN (
       'COC-0101', 'COC-1103', 'COC-1201', 'COC-1901', 'COC-2201', 'COC-9001',
       'COC-9002', 'COC-9003', 'COC-9004', 'COC-9005', 'COC-9006', 'COC-9007',
       'COC-9008', 'COC-9009')
   AND t.organization_id = s.organization_id
   AND t.sample_id = s.id;

-- 13: of two results only one.
UPDATE lims.sample_test t
   SET status = 'verified'
  FROM lims.sample s
  JOIN lims.test_definition d
    ON d.organization_id = s.organization_id
   AND d.code = 'TDS'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id = 'COC-1301'
   AND t.organization_id = s.organization_id
   AND t.sample_id = s.id
   AND t.test_definition_id = d.id;

UPDATE lims.sample s
   SET status = 'completed'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN (
       'COC-0101', 'COC-0301', 'COC-1103', 'COC-1201', 'COC-1901', 'COC-2201',
       'COC-9001', 'COC-9002', 'COC-9003', 'COC-9004', 'COC-9005', 'COC-9006',
       'COC-9007', 'COC-9008', 'COC-9009', 'COC-9011', 'COC-9012');

UPDATE lims.sample s
   SET status = 'verified'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.status = 'completed'
   AND NOT EXISTS (
       SELECT FROM lims.sample_test t
        WHERE t.organization_id = s.organization_id
          AND t.sample_id = s.id
          AND t.status <> 'verified');

UPDATE lims.approval a
   SET status = 'approved',
       comment = 'Calculations and holding times checked'
  FROM lims.sample s
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN (
       'COC-0101', 'COC-1901', 'COC-2201', 'COC-9001', 'COC-9002', 'COC-9003',
       'COC-9004', 'COC-9005', 'COC-9006', 'COC-9007', 'COC-9008')
   AND a.organization_id = s.organization_id
   AND a.sample_id = s.id
   AND a.step = 1;

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'grace.okafor@cedarbasin.example';

UPDATE lims.approval a
   SET status = 'approved'
  FROM lims.sample s
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN (
       'COC-0101', 'COC-1901', 'COC-2201', 'COC-9001', 'COC-9002', 'COC-9003',
       'COC-9004', 'COC-9005', 'COC-9006')
   AND a.organization_id = s.organization_id
   AND a.sample_id = s.id
   AND a.step = 2;

-- This one goes back to the analyst.
UPDATE lims.approval a
   SET status = 'rejected',
       comment = 'Solids of a sludge are reported by SM 2540 G, not as TSS'
  FROM lims.sample s
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id = 'COC-9007'
   AND a.organization_id = s.organization_id
   AND a.sample_id = s.id
   AND a.step = 2;

UPDATE lims.sample s
   SET status = 'reported'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN (
       'COC-0101', 'COC-1901', 'COC-9001', 'COC-9002', 'COC-9003', 'COC-9004',
       'COC-9005', 'COC-9006');
