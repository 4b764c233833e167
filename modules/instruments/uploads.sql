-- SPDX-License-Identifier: Apache-2.0
-- Queries of extractions.

-- name: extraction_policy one
SELECT o.ai_data_access AS "aiDataAccess"
  FROM lims.organization o
 WHERE o.id = :$organization::bigint

-- name: extraction_candidates many
-- The candidates: tests of the samples that a file names, in the order of look-up. Of the
-- tests of a sample for one definition it is the one that an instrument's file would fill;
-- inactive ones are shown where there is no active one. `locked`: why it takes no entry.
-- Returns one more than the limit, to detect that there are more.
WITH named AS MATERIALIZED (
    SELECT s.id, s.tracking_id, lims.sample_is_final(s.status, s.disposition) AS final
      FROM lims.sample s
     WHERE s.organization_id = :$organization::bigint
       AND s.tracking_id = ANY (:words::text[])
)
SELECT s.tracking_id AS "trackingId",
       t.id AS "sampleTestId",
       d.code AS "code",
       d.name AS "name",
       d.unit AS "unit",
       d.result_type = 'numeric' AS "numeric",
       t.result AS "result",
       t.qualifier AS "qualifier",
       g.tests > 1 AS "several",
       CASE WHEN t.disposition <> 'active'
            THEN (lims.extraction_refusal(t.disposition)).message
            WHEN t.status = 'verified' OR s.final
            THEN 'The result is verified, or its sample reported: it takes no entry.'
            WHEN t.returned_at IS NOT NULL
            THEN (lims.extraction_refusal('returned')).message
            WHEN t.result IS NOT NULL AND o.reason_on_change
            THEN 'The test has a result, which is replaced with a reason only.'
       END AS "locked"
  FROM named s
  JOIN lims.organization o
    ON o.id = :$organization::bigint
  JOIN lims.sample_test t
    ON t.organization_id = o.id
   AND t.sample_id = s.id
  JOIN lims.test_definition d
    ON d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
  LEFT JOIN lims.target_tests(:$organization::bigint, ARRAY(SELECT n.id FROM named n), NULL) g
    ON g.sample_id = t.sample_id
   AND g.test_definition_id = t.test_definition_id
 WHERE g.id IS NULL
    OR g.id = t.id
 ORDER BY s.tracking_id COLLATE "C", t.id
 LIMIT :candidatesMax::bigint + 1

-- name: extraction_apply many
SELECT a.sample_test_id AS "sampleTestId",
       a.slug AS "slug",
       a.message AS "message"
  FROM lims.apply_extraction(:$organization::bigint, :updates::jsonb) a

-- name: extraction_keep one
INSERT INTO lims.extraction (organization_id, file_name, sha256, size, host, model,
    prompt_version, looks, confidence_threshold)
VALUES (:$organization::bigint, :fileName::text, :sha256::bytea, :size::bigint,
    :host::text, :model::text, :promptVersion::text, :looks::smallint,
    :confidenceThreshold::numeric)
RETURNING id

-- name: extraction_keep_rows exec
INSERT INTO lims.extraction_row (organization_id, extraction_id, sheet, row_number,
    column_number, cell, cell_unit, tracking_id, sample_test_id, result, unit,
    qualifier, confidence, features, status, message)
SELECT :$organization::bigint, :extractionId::bigint, u.value ->> 'sheet',
       (u.value ->> 'row')::integer, (u.value ->> 'column')::integer,
       u.value ->> 'cell', u.value ->> 'cellUnit', u.value ->> 'trackingId',
       (u.value ->> 'sampleTestId')::bigint, u.value ->> 'result', u.value ->> 'unit',
       u.value ->> 'qualifier', (u.value ->> 'confidence')::numeric,
       u.value -> 'features', u.value ->> 'status', left(u.value ->> 'message', 1000)
  FROM jsonb_array_elements(:rows::jsonb) WITH ORDINALITY AS u (value, place)
 ORDER BY u.place
