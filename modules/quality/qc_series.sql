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

-- name: qc_series_chart one
-- The chart of a series as a block of lims-print, with the points of qc_series_points, and what
-- it is of.
SELECT d.code || ', ' || replace(s.control_type, '_', ' ') AS "of",
       s.criterion AS "criterion",
       s.level AS "level",
       s.lot AS "lot",
       i.name AS "instrument",
       array_to_string(s.rules, ', ') AS "rules",
       concat_ws(' ', CASE x.kind WHEN 'fixed' THEN 'as given:' ELSE 'of the first points:' END,
                 'mean', round(x.mean, 3), 's', round(x.s, 3)) AS "baseline",
       json_build_object(
           'type', 'chart', 'title', d.name || ', ' || replace(s.control_type, '_', ' '),
           'unit', CASE s.criterion WHEN 'recovery' THEN '%' ELSE coalesce(d.unit, '') END,
           'mean', x.mean, 'sd', x.s,
           'points', (SELECT coalesce(json_agg(json_build_object(
                                 'at', to_char(p.charted_at AT TIME ZONE o.time_zone,
                                               'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                                 'value', p.value, 'rules', p.broken,
                                 'excluded', p.excluded)
                                 ORDER BY p.charted_at, p.qc_control_id), '[]')
                        FROM lims.qc_points(:$organization::bigint, :id::bigint,
                                            :from::timestamptz, :to::timestamptz) p))
           AS "chart"
  FROM lims.qc_series s
  JOIN lims.organization o
    ON o.id = s.organization_id
  JOIN lims.test_definition d
    ON d.organization_id = s.organization_id
   AND d.id = s.test_definition_id
  LEFT JOIN lims.instrument i
    ON i.organization_id = s.organization_id
   AND i.id = s.instrument_id
 CROSS JOIN lims.qc_baseline(s.organization_id, s.id) x
 WHERE s.organization_id = :$organization::bigint
   AND s.id = :id::bigint

-- name: qc_series_points many
SELECT *
  FROM lims.qc_points_shown(:$organization::bigint, :id::bigint, :from::timestamptz,
                            :to::timestamptz)
 ORDER BY "measuredAt", "qcControlId"
