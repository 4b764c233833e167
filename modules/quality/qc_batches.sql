-- SPDX-License-Identifier: Apache-2.0
-- QC batches, and the sample tests that they cover.

-- name: qc_batch_get one
SELECT *
  FROM lims.qc_batch_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: qc_batch_list many list custom
SELECT *
  FROM lims.qc_batch_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:qcStatus::text IS NULL OR "qcStatus" = :qcStatus::text)
   AND (:batchNumber::text IS NULL OR "batchNumber" = :batchNumber::text)
   AND (:instrumentId::bigint IS NULL OR "instrumentId" = :instrumentId::bigint)
   AND (:qcTemplateId::bigint IS NULL OR "qcTemplateId" = :qcTemplateId::bigint)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: qc_batch_lock one
-- Locks the samples of its tests first.
SELECT id
  FROM lims.lock_qc_batch(:$organization::bigint, :id::bigint) AS id
 WHERE id IS NOT NULL

-- name: qc_batch_create one
INSERT INTO lims.qc_batch
      (organization_id, batch_number, qc_template_id, method, analysis_date,
       instrument_id, notes)
VALUES (:$organization::bigint, :batchNumber::text, :qcTemplateId::bigint,
        :method::text, :analysisDate::date, :instrumentId::bigint, :notes::text)
RETURNING id

-- name: qc_batch_update one
UPDATE lims.qc_batch
   SET batch_number = CASE WHEN :?batchNumber THEN :batchNumber::text ELSE batch_number END,
       method = CASE WHEN :?method THEN :method::text ELSE method END,
       analysis_date = CASE WHEN :?analysisDate THEN :analysisDate::date ELSE analysis_date END,
       instrument_id = CASE WHEN :?instrumentId THEN :instrumentId::bigint
            ELSE instrument_id END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: qc_batch_evaluate one
SELECT :id::bigint AS "id",
       lims.evaluate_qc_batch(:$organization::bigint, :id::bigint) AS "qcStatus"

-- name: qc_batch_impact many
SELECT *
  FROM lims.qc_impact_record
 WHERE organization_id = :$organization::bigint
   AND "qcBatchId" = :id::bigint
 ORDER BY "sampleId"

-- name: qc_batch_sequence many
-- Controls come first, one line for each time that one is measured, by however many analytes;
-- surrogates and internal standards are in every sample. Samples follow as their holding times
-- end.
SELECT row_number() OVER (ORDER BY m.part, m.expires_at, m.id) AS "position",
       m.name AS "sampleName",
       m.type AS "sampleType"
  FROM (SELECT 1 AS part,
               NULL::timestamptz AS expires_at,
               min(c.id) AS id,
               concat_ws(' ', c.control_type, c.level,
                         CASE WHEN c.times > 1 THEN c.times END) AS name,
               c.control_type AS type
          FROM (SELECT q.id, q.control_type, q.level,
                       row_number() OVER (PARTITION BY q.control_type, q.level,
                                                       q.test_definition_id
                                          ORDER BY q.id) AS times
                  FROM lims.qc_control q
                 WHERE q.organization_id = :$organization::bigint
                   AND q.qc_batch_id = :id::bigint
                   AND q.control_type NOT IN ('SUR', 'IS')) c
         GROUP BY c.control_type, c.level, c.times
         UNION ALL
        SELECT 2, min(t.holding_expires_at), s.id, s.tracking_id, 'sample'
          FROM lims.qc_coverage v
          JOIN lims.sample_test t
            ON t.organization_id = v.organization_id
           AND t.id = v.sample_test_id
          JOIN lims.sample s
            ON s.organization_id = t.organization_id
           AND s.id = t.sample_id
         WHERE v.organization_id = :$organization::bigint
           AND v.qc_batch_id = :id::bigint
         GROUP BY s.id, s.tracking_id) m
 ORDER BY 1

-- name: qc_batch_override one
UPDATE lims.qc_batch
   SET qc_status = 'overridden',
       override_reason = :$reason::text,
       override_signature_id = :$signature::bigint
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: qc_coverage_hold one
-- Locks the batch only against deletion; the locks of the tests protect its coverage, and are taken
-- before those of batches everywhere.
SELECT id
  FROM lims.qc_batch
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR KEY SHARE

-- name: qc_coverage_asked many
WITH held AS MATERIALIZED (
    SELECT t.id, t.sample_id
      FROM lims.sample_test t
     WHERE t.organization_id = :$organization::bigint
       AND t.id = ANY (:sampleTestIds::bigint[])
     ORDER BY t.id
       FOR NO KEY UPDATE
), samples AS MATERIALIZED (
    -- Before the batch, as everywhere.
    SELECT s.id
      FROM lims.sample s
     WHERE s.organization_id = :$organization::bigint
       AND s.id = ANY (ARRAY(SELECT held.sample_id FROM held))
     ORDER BY s.id
       FOR SHARE
)
SELECT asked.id AS "sampleTestId",
       held.id IS NOT NULL AND held.sample_id = ANY (ARRAY(SELECT samples.id FROM samples))
           AS "found",
       EXISTS (
           SELECT FROM lims.qc_coverage c
            WHERE c.organization_id = :$organization::bigint
              AND c.sample_test_id = held.id
              AND c.qc_batch_id = :id::bigint) AS "covered"
  FROM unnest(:sampleTestIds::bigint[]) WITH ORDINALITY AS asked (id, place)
  LEFT JOIN held
    ON held.id = asked.id
 ORDER BY asked.place

-- name: qc_coverage_add exec
INSERT INTO lims.qc_coverage
      (organization_id, sample_test_id, qc_batch_id)
SELECT :$organization::bigint,
       asked.id,
       :id::bigint
  FROM unnest(:sampleTestIds::bigint[]) AS asked (id)
 WHERE NOT EXISTS (
       SELECT FROM lims.qc_coverage c
        WHERE c.organization_id = :$organization::bigint
          AND c.sample_test_id = asked.id
          AND c.qc_batch_id = :id::bigint)
 ORDER BY asked.id

-- name: qc_coverage_remove exec
-- Locks the batch before its coverage, in the same order as an override.
WITH held AS MATERIALIZED (
    SELECT b.id
      FROM lims.qc_batch b
     WHERE b.organization_id = :$organization::bigint
       AND b.id = :id::bigint
       FOR NO KEY UPDATE
)
DELETE FROM lims.qc_coverage c
 USING held
 WHERE c.organization_id = :$organization::bigint
   AND c.sample_test_id = ANY (:sampleTestIds::bigint[])
   AND c.qc_batch_id = held.id
