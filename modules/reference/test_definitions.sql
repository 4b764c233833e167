-- SPDX-License-Identifier: Apache-2.0

-- name: test_definition_get one
SELECT *
  FROM lims.test_definition_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: test_definition_list many list
SELECT *
  FROM lims.test_definition_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:code::text IS NULL OR code = :code::text)
   AND (:q::text IS NULL
        OR strpos(lower(concat_ws(', ', code, name)), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: test_definition_lock one
SELECT id
  FROM lims.test_definition
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: test_definition_create one
INSERT INTO lims.test_definition
      (organization_id, code, name, method, unit, result_type, decimals,
       specification_low, specification_high, specification_text,
       decision_rule, reporting_limit, method_detection_limit, uncertainty, accredited,
       holding_time_hours, preservation,
       requires_worksheet, requires_confirmation, presumptive_minimum,
       turnaround_days, confirmation_plan, active)
VALUES (:$organization::bigint, :code::text, :name::text, :method::text, :unit::text,
        :resultType::text, :decimals::integer, :specificationLow::numeric,
        :specificationHigh::numeric, :specificationText::text, :decisionRule::text,
        :reportingLimit::numeric, :methodDetectionLimit::numeric, :uncertainty::text,
        :accredited::boolean, :holdingTimeHours::numeric, :preservation::text,
        :requiresWorksheet::boolean, :requiresConfirmation::boolean,
        :presumptiveMinimum::numeric, :turnaroundDays::integer,
        :confirmationPlan::jsonb, :active::boolean)
RETURNING id

-- name: test_definition_update one
UPDATE lims.test_definition
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       method = CASE WHEN :?method THEN :method::text ELSE method END,
       unit = CASE WHEN :?unit THEN :unit::text ELSE unit END,
       result_type = CASE WHEN :?resultType THEN :resultType::text ELSE result_type END,
       decimals = CASE WHEN :?decimals THEN :decimals::integer ELSE decimals END,
       specification_low = CASE WHEN :?specificationLow THEN :specificationLow::numeric ELSE specification_low END,
       specification_high = CASE WHEN :?specificationHigh THEN :specificationHigh::numeric ELSE specification_high END,
       specification_text = CASE WHEN :?specificationText THEN :specificationText::text ELSE specification_text END,
       decision_rule = CASE WHEN :?decisionRule THEN :decisionRule::text ELSE decision_rule END,
       reporting_limit = CASE WHEN :?reportingLimit THEN :reportingLimit::numeric ELSE reporting_limit END,
       method_detection_limit = CASE WHEN :?methodDetectionLimit THEN :methodDetectionLimit::numeric ELSE method_detection_limit END,
       uncertainty = CASE WHEN :?uncertainty THEN :uncertainty::text ELSE uncertainty END,
       accredited = CASE WHEN :?accredited THEN :accredited::boolean ELSE accredited END,
       holding_time_hours = CASE WHEN :?holdingTimeHours THEN :holdingTimeHours::numeric ELSE holding_time_hours END,
       preservation = CASE WHEN :?preservation THEN :preservation::text ELSE preservation END,
       requires_worksheet = CASE WHEN :?requiresWorksheet THEN :requiresWorksheet::boolean ELSE requires_worksheet END,
       requires_confirmation = CASE WHEN :?requiresConfirmation THEN :requiresConfirmation::boolean ELSE requires_confirmation END,
       presumptive_minimum = CASE WHEN :?presumptiveMinimum THEN :presumptiveMinimum::numeric ELSE presumptive_minimum END,
       turnaround_days = CASE WHEN :?turnaroundDays THEN :turnaroundDays::integer ELSE turnaround_days END,
       confirmation_plan = CASE WHEN :?confirmationPlan THEN :confirmationPlan::jsonb ELSE confirmation_plan END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
