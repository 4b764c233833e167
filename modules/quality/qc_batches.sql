-- SPDX-License-Identifier: Apache-2.0
-- QC batches. The tests a batch covers are those that name it.

-- name: qc_batch_get one
SELECT b.id AS "id",
       b.batch_number AS "batchNumber",
       b.method AS "method",
       b.analysis_date AS "analysisDate",
       b.qc_status AS "qcStatus",
       ARRAY(SELECT t.id
               FROM lims.sample_test t
              WHERE t.organization_id = b.organization_id
                AND t.qc_batch_id = b.id
              ORDER BY t.id) AS "sampleTestIds",
       b.evaluated_at AS "evaluatedAt",
       b.evaluated_by AS "evaluatedBy",
       b.override_reason AS "overrideReason",
       b.override_by AS "overrideBy",
       b.override_at AS "overrideAt",
       b.notes AS "notes",
       b.created_by AS "createdBy",
       b.created_at AS "createdAt",
       b.updated_at AS "updatedAt"
  FROM lims.qc_batch b
 WHERE b.organization_id = :$organization::bigint
   AND b.id = :id::bigint

-- name: qc_batch_list many custom
SELECT b.id AS "id",
       b.batch_number AS "batchNumber",
       b.method AS "method",
       b.analysis_date AS "analysisDate",
       b.qc_status AS "qcStatus",
       ARRAY(SELECT t.id
               FROM lims.sample_test t
              WHERE t.organization_id = b.organization_id
                AND t.qc_batch_id = b.id
              ORDER BY t.id) AS "sampleTestIds",
       b.evaluated_at AS "evaluatedAt",
       b.evaluated_by AS "evaluatedBy",
       b.override_reason AS "overrideReason",
       b.override_by AS "overrideBy",
       b.override_at AS "overrideAt",
       b.notes AS "notes",
       b.created_by AS "createdBy",
       b.created_at AS "createdAt",
       b.updated_at AS "updatedAt"
  FROM lims.qc_batch b
 WHERE b.organization_id = :$organization::bigint
   AND b.id > :cursor::bigint
   AND (:qcStatus::text IS NULL OR b.qc_status = :qcStatus::text)
   AND (:batchNumber::text IS NULL OR b.batch_number = :batchNumber::text)
 ORDER BY b.id
 LIMIT :limit::bigint + 1

-- name: qc_batch_lock one
SELECT id
  FROM lims.qc_batch
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: qc_batch_create one
INSERT INTO lims.qc_batch
      (organization_id, batch_number, method, analysis_date, notes)
VALUES (:$organization::bigint, :batchNumber::text, :method::text,
        :analysisDate::date, :notes::text)
RETURNING id

-- name: qc_batch_update one
UPDATE lims.qc_batch
   SET batch_number = CASE WHEN :?batchNumber THEN :batchNumber::text ELSE batch_number END,
       method = CASE WHEN :?method THEN :method::text ELSE method END,
       analysis_date = CASE WHEN :?analysisDate THEN :analysisDate::date ELSE analysis_date END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: qc_batch_evaluate one
SELECT :id::bigint AS "id",
       lims.evaluate_qc_batch(:$organization::bigint, :id::bigint) AS "qcStatus"

-- name: qc_batch_override one
UPDATE lims.qc_batch
   SET qc_status = 'overridden',
       override_reason = :$reason::text,
       override_signature_id = :$signature::bigint
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: qc_coverage_hold one
-- The batch stays; what it covers is decided by the locks of the tests, which
-- come before those of batches everywhere.
SELECT id
  FROM lims.qc_batch
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR KEY SHARE

-- name: qc_coverage_asked many
WITH held AS MATERIALIZED (
    SELECT t.id,
           t.qc_batch_id
      FROM lims.sample_test t
     WHERE t.organization_id = :$organization::bigint
       AND t.id = ANY (:sampleTestIds::bigint[])
     ORDER BY t.id
       FOR NO KEY UPDATE
)
SELECT asked.id AS "sampleTestId",
       held.id IS NOT NULL AS "found",
       held.qc_batch_id = :id::bigint AS "covered",
       other.batch_number AS "otherBatchNumber"
  FROM unnest(:sampleTestIds::bigint[]) WITH ORDINALITY AS asked (id, place)
  LEFT JOIN held
    ON held.id = asked.id
  LEFT JOIN lims.qc_batch other
    ON other.organization_id = :$organization::bigint
   AND other.id = held.qc_batch_id
   AND other.id <> :id::bigint
 ORDER BY asked.place

-- name: qc_coverage_add exec
UPDATE lims.sample_test
   SET qc_batch_id = :id::bigint
 WHERE organization_id = :$organization::bigint
   AND id = ANY (:sampleTestIds::bigint[])
   AND qc_batch_id IS NULL

-- name: qc_coverage_remove exec
UPDATE lims.sample_test
   SET qc_batch_id = NULL
 WHERE organization_id = :$organization::bigint
   AND id = ANY (:sampleTestIds::bigint[])
   AND qc_batch_id = :id::bigint
