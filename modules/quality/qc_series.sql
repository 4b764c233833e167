-- SPDX-License-Identifier: Apache-2.0
-- Control charts: series, and their points.

-- name: qc_series_get one
SELECT *
  FROM lims.qc_series_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: qc_series_list many list custom
SELECT *
  FROM lims.qc_series_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:testDefinitionId::bigint IS NULL
        OR "testDefinitionId" = :testDefinitionId::bigint)
   AND (:controlType::text IS NULL OR "controlType" = :controlType::text)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: qc_series_lock one
SELECT id
  FROM lims.qc_series
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: qc_series_update one
UPDATE lims.qc_series
   SET baseline_kind = CASE WHEN :?baseline THEN :baseline::jsonb ->> 'kind'
            ELSE baseline_kind END,
       baseline_n = CASE WHEN :?baseline THEN (:baseline::jsonb ->> 'n')::integer
            ELSE baseline_n END,
       baseline_mean = CASE WHEN :?baseline THEN (:baseline::jsonb ->> 'mean')::numeric
            ELSE baseline_mean END,
       baseline_s = CASE WHEN :?baseline THEN (:baseline::jsonb ->> 's')::numeric
            ELSE baseline_s END,
       rules = CASE WHEN :?rules THEN :rules::text[] ELSE rules END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: qc_series_latest many
-- The nested member of a series, whatever the period.
SELECT *
  FROM lims.qc_point_record
 WHERE organization_id = :$organization::bigint
   AND "qcSeriesId" = :id::bigint
 ORDER BY "measuredAt", "qcControlId"

-- name: qc_series_points many
SELECT *
  FROM lims.qc_points_shown(:$organization::bigint, :id::bigint, :from::timestamptz,
                            :to::timestamptz)
 ORDER BY "measuredAt", "qcControlId"
