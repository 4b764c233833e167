-- SPDX-License-Identifier: Apache-2.0
-- Turnaround of the samples that were reported in a period, by method and by client.

-- name: turnaround_period one
-- The period in the laboratory's days: by default the last 30 of them, up to today.
SELECT p.begins AS "from",
       p.ends AS "to",
       p.begins > p.ends AS "backward",
       p.ends - p.begins >= 366 AS "tooLong"
  FROM (SELECT coalesce(:from::date, coalesce(:to::date, d.today) - 29) AS begins,
               coalesce(:to::date, d.today) AS ends
          FROM (SELECT (now() AT TIME ZONE o.time_zone)::date AS today
                  FROM lims.organization o
                 WHERE o.id = :$organization::bigint) d) p

-- name: turnaround_rows many custom
-- A sample's turnaround is from its receipt to its report, a test's from the receipt of its
-- sample to its verification; within due is what was done on the due day or before it. The
-- samples of the period are found by the index on the time of report.
WITH zone AS MATERIALIZED (
    SELECT o.time_zone AS name
      FROM lims.organization o
     WHERE o.id = :$organization::bigint
), reported AS MATERIALIZED (
    SELECT s.id, s.client_name, s.received_at, s.reported_at, s.due_date
      FROM lims.sample s
     WHERE s.organization_id = :$organization::bigint
       AND s.reported_at >= :from::date::timestamp AT TIME ZONE (SELECT z.name FROM zone z)
       AND s.reported_at < (:to::date + 1)::timestamp AT TIME ZONE (SELECT z.name FROM zone z)
       AND s.received_at IS NOT NULL
), done AS (
    SELECT 'method' AS of_what, coalesce(t.method, d.method) AS name, r.id AS sample_id,
           t.verified_at - r.received_at AS took,
           (t.verified_at AT TIME ZONE (SELECT z.name FROM zone z))::date <= r.due_date AS in_time
      FROM reported r
      JOIN lims.sample_test t
        ON t.organization_id = :$organization::bigint
       AND t.sample_id = r.id
       AND t.disposition = 'active'
       AND t.verified_at IS NOT NULL
      JOIN lims.test_definition d
        ON d.organization_id = :$organization::bigint
       AND d.id = t.test_definition_id
     UNION ALL
    SELECT 'client', r.client_name, r.id, r.reported_at - r.received_at,
           (r.reported_at AT TIME ZONE (SELECT z.name FROM zone z))::date <= r.due_date
      FROM reported r
)
SELECT d.of_what AS "by",
       d.name AS "name",
       count(DISTINCT d.sample_id) AS "samples",
       count(*) FILTER (WHERE d.of_what = 'method') AS "tests",
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM d.took)::float8)
              / 3600)::numeric, 1) AS "medianHours",
       round((percentile_cont(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM d.took)::float8)
              / 3600)::numeric, 1) AS "p90Hours",
       count(d.in_time) AS "withDueDate",
       count(*) FILTER (WHERE d.in_time) AS "withinDue",
       round(100.0 * count(*) FILTER (WHERE d.in_time) / nullif(count(d.in_time), 0), 1)
           AS "withinDuePercent"
  FROM done d
 GROUP BY d.of_what, d.name
 ORDER BY d.of_what DESC, d.name NULLS LAST
