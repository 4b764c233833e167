-- SPDX-License-Identifier: Apache-2.0
--
-- Harborview Pharma & Food Microbiology: the strictest rules, switched on last. What was
-- done before stays as it was; from here on four eyes, reasons and signatures are asked for.

SELECT lims.act_as(o.id, NULL, 'demonstration', NULL, NULL)
  FROM lims.organizations() o
 WHERE o.code = 'harborview';

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'helen.brandt@harborview.example';

SELECT set_config('lims.reason', 'Four eyes and method quality control from today on', true),
       set_config('lims.signature_id', lims.sign(lims.context_id('user_id'), 'approved',
           'organization', lims.context_id('organization_id'))::text, true);

UPDATE lims.approval_step s
   SET role = r.role
  FROM (VALUES (1, 'lab_manager'), (2, 'qa_officer')) AS r (position, role)
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.position = r.position;

UPDATE lims.organization o
   SET self_verification = 'refused',
       approver_may_be_verifier = false,
       reason_on_change = true,
       open_investigation_blocks = true,
       qc_required = 'block',
       lot_qc_policy = 'block'
 WHERE o.id = lims.context_id('organization_id');

SELECT set_config('lims.reason', '', true),
       set_config('lims.signature_id', '', true);
