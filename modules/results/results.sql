-- SPDX-License-Identifier: Apache-2.0
-- What the service asks of sample tests. Locks are taken in the order of
-- sql/005_results.sql, tests by id before their samples, so that writers wait
-- for each other but never in a circle.

-- name: sample_test_get one
SELECT *
  FROM lims.sample_test_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: sample_tests many
-- The nested member of a sample.
SELECT *
  FROM lims.sample_test_record
 WHERE organization_id = :$organization::bigint
   AND "sampleId" = :id::bigint
 ORDER BY id

-- name: sample_test_list many
SELECT *
  FROM lims.sample_test_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: sample_test_search many custom
SELECT *
  FROM lims.sample_test_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:sampleId::bigint IS NULL OR "sampleId" = :sampleId::bigint)
   AND (:status::text IS NULL OR status = :status::text)
   AND (:testDefinitionId::bigint IS NULL OR "testDefinitionId" = :testDefinitionId::bigint)
   AND (:updatedSince::timestamptz IS NULL OR "updatedAt" >= :updatedSince::timestamptz)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: sample_test_lock one
SELECT id,
       status
  FROM lims.sample_test
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: result_enter one
-- A qualifier belongs to the value that it qualifies: another value goes without
-- one unless it brings its own.
UPDATE lims.sample_test
   SET result = CASE WHEN :?result THEN :result::text ELSE result END,
       qualifier = CASE WHEN :?qualifier THEN :qualifier::text
                        WHEN :?result AND :result::text IS DISTINCT FROM result THEN NULL
                        ELSE qualifier END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END,
       reagent_lot_id = CASE WHEN :?reagentLotId THEN :reagentLotId::bigint
                             ELSE reagent_lot_id END,
       media_lot_id = CASE WHEN :?mediaLotId THEN :mediaLotId::bigint ELSE media_lot_id END,
       analyzed_at = CASE WHEN :?analyzedAt THEN :analyzedAt::timestamptz ELSE analyzed_at END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: sample_test_verify_blockers many
SELECT slug AS "slug",
       message AS "message",
       test_ids AS "testIds",
       qc_batch_ids AS "qcBatchIds",
       media_lot_ids AS "mediaLotIds",
       worksheet_ids AS "worksheetIds",
       approval_ids AS "approvalIds",
       qc_batches AS "qcBatches",
       missing AS "missing",
       needs_signoff AS "needsSignoff"
  FROM lims.verify_blockers(:$organization::bigint, :id::bigint)

-- name: sample_test_verify exec
UPDATE lims.sample_test
   SET status = 'verified',
       verified_by = :$user::bigint,
       verified_at = now(),
       verification_signature_id = :$signature::bigint
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: result_bulk_lock many
-- Each test asked for, in the caller's order, with its status (NULL: none of
-- the organization).
WITH asked AS (
    SELECT (u.value ->> 'sampleTestId')::bigint AS id, u.place
      FROM jsonb_array_elements(:updates::jsonb) WITH ORDINALITY AS u (value, place)
), locked AS MATERIALIZED (
    SELECT t.id, t.status
      FROM lims.sample_test t
     WHERE t.organization_id = :$organization::bigint
       AND t.id IN (SELECT id FROM asked)
     ORDER BY t.id
       FOR NO KEY UPDATE
)
SELECT asked.id AS "sampleTestId",
       locked.status AS "status"
  FROM asked
  LEFT JOIN locked ON locked.id = asked.id
 ORDER BY asked.place

-- name: result_bulk_enter exec
-- The ids are worked out beforehand, here and below: row-level security lets no
-- cast be part of an index condition, and the rest of the organization's tests
-- would be read to find these.
WITH asked AS MATERIALIZED (
    SELECT (u.value ->> 'sampleTestId')::bigint AS id, u.value
      FROM jsonb_array_elements(:updates::jsonb) AS u (value)
)
UPDATE lims.sample_test t
   SET result = asked.value ->> 'result',
       qualifier = CASE WHEN asked.value ->> 'result' IS DISTINCT FROM t.result THEN NULL
                        ELSE t.qualifier END,
       notes = CASE WHEN asked.value ? 'notes' THEN asked.value ->> 'notes' ELSE t.notes END
  FROM asked
 WHERE t.organization_id = :$organization::bigint
   AND t.id = asked.id

-- name: result_bulk_records many
WITH asked AS MATERIALIZED (
    SELECT (u.value ->> 'sampleTestId')::bigint AS id, u.place
      FROM jsonb_array_elements(:updates::jsonb) WITH ORDINALITY AS u (value, place)
)
SELECT r.*
  FROM asked
  JOIN lims.sample_test_record r ON r.id = asked.id
 WHERE r.organization_id = :$organization::bigint
 ORDER BY asked.place
