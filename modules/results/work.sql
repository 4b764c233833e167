-- SPDX-License-Identifier: Apache-2.0
-- Work on tests between people, and the worklist. The rules are in sql/139_work.sql.

-- name: sample_test_return exec
SELECT lims.return_test(:$organization::bigint, :id::bigint, :assignedTo::bigint)

-- name: result_enter_again exec
SELECT lims.enter_again(:$organization::bigint, :id::bigint)

-- name: sample_tests_assign exec
SELECT lims.assign_tests(:$organization::bigint, :sampleTestIds::bigint[], :assignedTo::bigint)

-- name: sample_tests_assigned many
SELECT r.*
  FROM lims.sample_test_record r
 WHERE r.organization_id = :$organization::bigint
   AND r.id = ANY (:sampleTestIds::bigint[])
 ORDER BY array_position(:sampleTestIds::bigint[], r.id)

-- part: open_tests
-- (As the index of the worklist has them.)
       AND t.work_priority IS NOT NULL
       AND t.disposition = 'active'
       AND (t.status = 'pending' OR t.returned_at IS NOT NULL)

-- part: work_filters
       AND (:method::text IS NULL OR d.method = :method::text)
       AND (:testDefinitionId::bigint IS NULL
            OR t.test_definition_id = :testDefinitionId::bigint)
       AND (:assignedTo::bigint IS NULL OR t.assigned_to = :assignedTo::bigint)
       AND (:instrumentId::bigint IS NULL OR EXISTS (
               SELECT
                 FROM lims.qc_coverage c
                 JOIN lims.qc_batch b
                   ON b.organization_id = c.organization_id
                  AND b.id = c.qc_batch_id
                WHERE c.organization_id = t.organization_id
                  AND c.sample_test_id = t.id
                  AND b.instrument_id = :instrumentId::bigint))

-- name: worklist many custom
-- Goes on behind the present place of the row that the cursor names. A row that has left
-- the list still has a place: where it would stand. CASE as in the index. Each record is read by
-- its id (OFFSET 0): joined as one, they took 46 s for 150 tests where no statistics were yet.
WITH place AS MATERIALIZED (
    SELECT CASE WHEN c.id IS NULL THEN '-infinity'
                WHEN c.holding_expires_at IS NULL THEN 'infinity'
                ELSE c.holding_expires_at END AS expires_at,
           coalesce(c.work_priority, 0::smallint) AS priority,
           coalesce(c.id, 0) AS id
      FROM (VALUES (:$organization::bigint, :cursor::bigint)) AS v (organization_id, id)
      LEFT JOIN lims.sample_test c
        ON c.organization_id = v.organization_id
       AND c.id = v.id
), page AS MATERIALIZED (
    SELECT t.id,
           row_number() OVER (ORDER BY CASE WHEN t.holding_expires_at IS NULL THEN 'infinity'
                                            ELSE t.holding_expires_at END,
                              t.work_priority, t.id) AS place
      FROM lims.sample_test t
      JOIN lims.sample s
        ON s.organization_id = t.organization_id
       AND s.id = t.sample_id
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
     WHERE t.organization_id = :$organization::bigint
:{open_tests}
       AND (CASE WHEN t.holding_expires_at IS NULL THEN 'infinity'
                 ELSE t.holding_expires_at END, t.work_priority, t.id)
           > ((SELECT p.expires_at FROM place p), (SELECT p.priority FROM place p),
              (SELECT p.id FROM place p))
       AND s.received_at IS NOT NULL
       AND (:dueDate::date IS NULL OR s.due_date = :dueDate::date)
:{work_filters}
     ORDER BY CASE WHEN t.holding_expires_at IS NULL THEN 'infinity'
                   ELSE t.holding_expires_at END, t.work_priority, t.id
     LIMIT :limit::bigint + 1
)
SELECT w.*
  FROM page
 CROSS JOIN LATERAL (
       SELECT r.*
         FROM lims.worklist_record r
        WHERE r.organization_id = :$organization::bigint
          AND r.id = page.id
       OFFSET 0) w
 ORDER BY page.place

-- name: worklist_sequence many custom
-- The samples of the worklist, each once, by the first of its tests. Begins where the index
-- of the worklist does.
WITH waiting AS MATERIALIZED (
    SELECT t.sample_id,
           min(CASE WHEN t.holding_expires_at IS NULL THEN 'infinity'
                    ELSE t.holding_expires_at END) AS expires_at,
           min(t.work_priority) AS priority
      FROM lims.sample_test t
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
     WHERE t.organization_id = :$organization::bigint
:{open_tests}
       AND (CASE WHEN t.holding_expires_at IS NULL THEN 'infinity'
                 ELSE t.holding_expires_at END, t.work_priority, t.id)
           > ('-infinity'::timestamptz, 0::smallint, 0::bigint)
:{work_filters}
     GROUP BY t.sample_id
)
SELECT row_number() OVER (ORDER BY w.expires_at, w.priority, s.id) AS "position",
       s.tracking_id AS "sampleName",
       'sample' AS "sampleType"
  FROM waiting w
  JOIN lims.sample s
    ON s.organization_id = :$organization::bigint
   AND s.id = w.sample_id
 WHERE s.received_at IS NOT NULL
   AND (:dueDate::date IS NULL OR s.due_date = :dueDate::date)
 ORDER BY 1
 LIMIT :limit::bigint + 1

-- name: sample_tests_sequence many custom
-- The samples of these tests, each once, by the first of its tests.
SELECT row_number() OVER (ORDER BY min(x.place)) AS "position",
       s.tracking_id AS "sampleName",
       'sample' AS "sampleType"
  FROM unnest(:sampleTestIds::bigint[]) WITH ORDINALITY AS x (id, place)
  JOIN lims.sample_test t
    ON t.organization_id = :$organization::bigint
   AND t.id = x.id
  JOIN lims.test_definition d
    ON d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
  JOIN lims.sample s
    ON s.organization_id = t.organization_id
   AND s.id = t.sample_id
 WHERE s.received_at IS NOT NULL
   AND (:dueDate::date IS NULL OR s.due_date = :dueDate::date)
:{work_filters}
 GROUP BY s.id, s.tracking_id
 ORDER BY 1
 LIMIT :limit::bigint + 1
