-- SPDX-License-Identifier: Apache-2.0

-- name: qc_control_get one
SELECT *
  FROM lims.qc_control_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: qc_control_list many list custom
SELECT *
  FROM lims.qc_control_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:qcBatchId::bigint IS NULL OR "qcBatchId" = :qcBatchId::bigint)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: qc_control_lock one
-- Locks the samples of the tests that its batch covers, and the batch, before it.
WITH held AS MATERIALIZED (
    SELECT lims.lock_qc_batch(k.organization_id, k.qc_batch_id) AS batch
      FROM lims.qc_control k
     WHERE k.organization_id = :$organization::bigint
       AND k.id = :id::bigint
)
SELECT c.id
  FROM held
  JOIN lims.qc_control c
    ON c.qc_batch_id = held.batch
 WHERE c.organization_id = :$organization::bigint
   AND c.id = :id::bigint
   FOR NO KEY UPDATE OF c

-- name: qc_control_add one
INSERT INTO lims.qc_control
      (organization_id, qc_batch_id, control_type, test_definition_id,
       criterion, expected_value, measured_value, native_value, lower_limit,
       upper_limit, expected_text, measured_text, unit, level, lot, measured_at,
       notes)
VALUES (:$organization::bigint, :qcBatchId::bigint, :controlType::text,
        :testDefinitionId::bigint, :criterion::text, :expectedValue::numeric,
        :measuredValue::numeric, :nativeValue::numeric, :lowerLimit::numeric,
        :upperLimit::numeric, :expectedText::text, :measuredText::text,
        :unit::text, :level::text, :lot::text, :measuredAt::timestamptz,
        :notes::text)
RETURNING id

-- name: qc_control_update one
UPDATE lims.qc_control
   SET control_type = CASE WHEN :?controlType THEN :controlType::text ELSE control_type END,
       test_definition_id = CASE WHEN :?testDefinitionId THEN :testDefinitionId::bigint
            ELSE test_definition_id END,
       criterion = CASE WHEN :?criterion THEN :criterion::text ELSE criterion END,
       expected_value = CASE WHEN :?expectedValue THEN :expectedValue::numeric
            ELSE expected_value END,
       measured_value = CASE WHEN :?measuredValue THEN :measuredValue::numeric
            ELSE measured_value END,
       native_value = CASE WHEN :?nativeValue THEN :nativeValue::numeric ELSE native_value END,
       lower_limit = CASE WHEN :?lowerLimit THEN :lowerLimit::numeric ELSE lower_limit END,
       upper_limit = CASE WHEN :?upperLimit THEN :upperLimit::numeric ELSE upper_limit END,
       expected_text = CASE WHEN :?expectedText THEN :expectedText::text ELSE expected_text END,
       measured_text = CASE WHEN :?measuredText THEN :measuredText::text ELSE measured_text END,
       unit = CASE WHEN :?unit THEN :unit::text ELSE unit END,
       level = CASE WHEN :?level THEN :level::text ELSE level END,
       lot = CASE WHEN :?lot THEN :lot::text ELSE lot END,
       measured_at = CASE WHEN :?measuredAt THEN :measuredAt::timestamptz
            ELSE measured_at END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: qc_batch_controls many
-- The nested member of a QC batch.
SELECT *
  FROM lims.qc_control_record
 WHERE organization_id = :$organization::bigint
   AND "qcBatchId" = :id::bigint
 ORDER BY id

-- name: qc_control_exclude one
-- Leaves a point out of its series; excluded false takes it in again.
UPDATE lims.qc_control
   SET excluded_reason = CASE WHEN coalesce(:excluded::boolean, true)
            THEN :$reason::text END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: qc_control_judge many
SELECT *
  FROM lims.judge_controls(:$organization::bigint, :controls::jsonb)
