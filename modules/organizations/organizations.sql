-- SPDX-License-Identifier: Apache-2.0

-- name: organization_get one
-- global: asked by the owner of the database, also right after a creation,
-- when the organization was none yet
SELECT *
  FROM lims.organization_record
 WHERE id = :id::bigint

-- name: organization_get_allowance one
-- Counts of the month, which are not in the record: its ETag would change with every sample.
SELECT r.*,
       json_build_object('limit', a.allowed, 'used', a.used, 'left', a.remaining)
           AS "allowance"
  FROM lims.organization_record r
 CROSS JOIN LATERAL lims.allowance(r.id) a
 WHERE r.id = :id::bigint
   AND r.id = :$organization::bigint

-- name: organization_lock one
SELECT id
  FROM lims.organization
 WHERE id = :$organization::bigint
   FOR NO KEY UPDATE

-- name: organization_list many list
-- global: the list of all organizations, for the owner of the database
SELECT *
  FROM lims.organization_record
 WHERE id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: organization_create one
-- global: makes the organization that everything else belongs to
INSERT INTO lims.organization
      (code, name, time_zone, locale, address, logo, accreditation, certificate_layout,
       tracking_prefix, plan, api_access,
       monthly_sample_allowance, reagent_expiry_policy, coa_before_approval,
       esignature_required, ai_data_access, oos_opens_investigation,
       holding_warning_hours, self_verification, approver_may_be_verifier,
       reason_on_change, open_investigation_blocks, keys_within_roles, qc_required,
       lot_qc_policy, session_minutes, investigation_days, attachment_bytes, active)
VALUES (:code::text, :name::text, :timeZone::text, :locale::text, :address::text, :logo::text,
        :accreditation::text, jsonb_strip_nulls(coalesce(:certificateLayout::jsonb, '{}')),
        :trackingPrefix::text,
        :plan::text, coalesce(:apiAccess::boolean, :plan::text <> 'none'),
        :monthlySampleAllowance::int, :reagentExpiryPolicy::text,
        :coaBeforeApproval::boolean, :esignatureRequired::boolean,
        :aiDataAccess::boolean, :oosOpensInvestigation::boolean,
        :holdingWarningHours::numeric,
        coalesce((:policies::jsonb ->> 'selfVerification'), 'allowed'),
        coalesce((:policies::jsonb ->> 'approverMayBeVerifier')::boolean, true),
        coalesce((:policies::jsonb ->> 'reasonOnChange')::boolean, false),
        coalesce((:policies::jsonb ->> 'openInvestigationBlocks')::boolean, false),
        coalesce((:policies::jsonb ->> 'keysWithinRoles')::boolean, false),
        coalesce((:policies::jsonb ->> 'qcRequired'), 'off'),
        coalesce((:policies::jsonb ->> 'lotQcPolicy'), 'off'),
        coalesce((:policies::jsonb ->> 'sessionMinutes')::integer, 15),
        coalesce((:policies::jsonb ->> 'investigationDays')::integer, 30),
        coalesce((:policies::jsonb ->> 'attachmentBytes')::bigint, 1073741824),
        :active::boolean)
RETURNING id

-- name: organization_first_steps exec
-- global: the steps of the organization that was created, once it has its matrix
SELECT lims.set_approval_steps(:id::bigint, :approvalSteps::text[],
                               :approvalStepRoles::text[])

-- name: organization_managed one
SELECT lims.has_manager(:$organization::bigint) AS "managed"

-- name: organization_steps exec
SELECT lims.set_approval_steps(:$organization::bigint, :approvalSteps::text[],
                               :approvalStepRoles::text[])
 WHERE :?approvalSteps
    OR :?approvalStepRoles

-- name: organization_settle exec
-- Runs the checks now that would run at the end of the transaction.
SELECT lims.settle_policies()
 WHERE :$organization::bigint IS NOT NULL

-- name: organization_set_plan exec
-- Sets the members that only the owner of the database may change.
UPDATE lims.organization
   SET tracking_prefix = CASE WHEN :?trackingPrefix THEN :trackingPrefix::text
                              ELSE tracking_prefix END,
       plan = CASE WHEN :?plan THEN :plan::text ELSE plan END,
       api_access = CASE WHEN :?apiAccess THEN :apiAccess::boolean
                         WHEN :plan::text = 'none' THEN false
                         ELSE api_access END,
       monthly_sample_allowance = CASE WHEN :?monthlySampleAllowance
                                       THEN :monthlySampleAllowance::int
                                       ELSE monthly_sample_allowance END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE id = :$organization::bigint

-- name: organization_update exec
UPDATE lims.organization
   SET name = CASE WHEN :?name THEN :name::text ELSE name END,
       time_zone = CASE WHEN :?timeZone THEN :timeZone::text ELSE time_zone END,
       locale = CASE WHEN :?locale THEN :locale::text ELSE locale END,
       address = CASE WHEN :?address THEN :address::text ELSE address END,
       logo = CASE WHEN :?logo THEN :logo::text ELSE logo END,
       accreditation = CASE WHEN :?accreditation THEN :accreditation::text
                            ELSE accreditation END,
       certificate_layout = jsonb_strip_nulls(certificate_layout
           || coalesce(:certificateLayout::jsonb, '{}')),
       reagent_expiry_policy = CASE WHEN :?reagentExpiryPolicy THEN :reagentExpiryPolicy::text
                                    ELSE reagent_expiry_policy END,
       coa_before_approval = CASE WHEN :?coaBeforeApproval THEN :coaBeforeApproval::boolean
                                  ELSE coa_before_approval END,
       esignature_required = CASE WHEN :?esignatureRequired THEN :esignatureRequired::boolean
                                  ELSE esignature_required END,
       ai_data_access = CASE WHEN :?aiDataAccess THEN :aiDataAccess::boolean
                             ELSE ai_data_access END,
       oos_opens_investigation = CASE WHEN :?oosOpensInvestigation
                                      THEN :oosOpensInvestigation::boolean
                                      ELSE oos_opens_investigation END,
       holding_warning_hours = CASE WHEN :?holdingWarningHours THEN :holdingWarningHours::numeric
                                    ELSE holding_warning_hours END,
       self_verification = coalesce((:policies::jsonb ->> 'selfVerification'),
           self_verification),
       approver_may_be_verifier = coalesce((:policies::jsonb ->> 'approverMayBeVerifier')::boolean,
           approver_may_be_verifier),
       reason_on_change = coalesce((:policies::jsonb ->> 'reasonOnChange')::boolean,
           reason_on_change),
       open_investigation_blocks = coalesce((:policies::jsonb ->> 'openInvestigationBlocks')::boolean,
           open_investigation_blocks),
       keys_within_roles = coalesce((:policies::jsonb ->> 'keysWithinRoles')::boolean,
           keys_within_roles),
       qc_required = coalesce((:policies::jsonb ->> 'qcRequired'),
           qc_required),
       lot_qc_policy = coalesce((:policies::jsonb ->> 'lotQcPolicy'),
           lot_qc_policy),
       session_minutes = coalesce((:policies::jsonb ->> 'sessionMinutes')::integer,
           session_minutes),
       investigation_days = coalesce((:policies::jsonb ->> 'investigationDays')::integer,
           investigation_days),
       attachment_bytes = coalesce((:policies::jsonb ->> 'attachmentBytes')::bigint,
           attachment_bytes)
 WHERE id = :$organization::bigint

-- name: policy_impact many
SELECT i.*
  FROM lims.policy_impact(:$organization::bigint) i

-- name: policy_remedies many
-- Judges as if the given policies were in force.
SELECT r.remedy AS "remedy"
  FROM lims.policy_remedies(:$organization::bigint, :selfVerification::text = 'refused',
                            NOT :approverMayBeVerifier::boolean) r (remedy)

-- name: policy_lacks many
-- Judges as if the given policies were in force.
SELECT l.lack AS "lack"
  FROM lims.policy_lacks(:$organization::bigint, :selfVerification::text = 'refused',
                         NOT :approverMayBeVerifier::boolean) l (lack)
