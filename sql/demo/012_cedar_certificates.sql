-- SPDX-License-Identifier: Apache-2.0
--
-- Cedar Basin Environmental Laboratory: the certificates of what was reported, and the
-- amendment of one of them, by which its sampling point was corrected.

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'grace.okafor@cedarbasin.example';

INSERT INTO lims.certificate (organization_id, sample_id)
SELECT s.organization_id, s.id
  FROM lims.sample s
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.status = 'reported'
 ORDER BY s.id;

INSERT INTO lims.amendment (organization_id, sample_id, reason, signature_id)
SELECT s.organization_id, s.id, r.reason,
       lims.sign(lims.context_id('user_id'), 'amended', 'sample', s.id, r.reason)
  FROM lims.sample s
 CROSS JOIN (VALUES
       ('Sampling point corrected to Well 4 North at the client''s request')
       ) AS r (reason)
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id = 'COC-1901';

UPDATE lims.sample s
   SET plant_location = 'Well 4 North'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id = 'COC-1901';

-- An amended sample is approved anew, by the same two people.
SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'lena.fischer@cedarbasin.example';

UPDATE lims.approval a
   SET status = 'approved',
       comment = 'Sampling point compared with the chain of custody'
  FROM lims.sample s
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id = 'COC-1901'
   AND a.organization_id = s.organization_id
   AND a.sample_id = s.id
   AND a.round = 2
   AND a.step = 1;

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'grace.okafor@cedarbasin.example';

UPDATE lims.approval a
   SET status = 'approved'
  FROM lims.sample s
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id = 'COC-1901'
   AND a.organization_id = s.organization_id
   AND a.sample_id = s.id
   AND a.round = 2
   AND a.step = 2;

INSERT INTO lims.certificate (organization_id, sample_id, signature_id)
SELECT s.organization_id, s.id,
       lims.sign(lims.context_id('user_id'), 'approved', 'amendment', s.amendment_id)
  FROM lims.sample s
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id = 'COC-1901';
