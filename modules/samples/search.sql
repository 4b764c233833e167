-- SPDX-License-Identifier: Apache-2.0
-- Lists of samples by filters. The page is found first, on tables, since the record
-- derives its state for each row; planned for the values of each call, because every
-- filter has an index of its own. The cache of states joins only where a filter asks.

-- part: sample_filters
   AND (:materialTypeId::bigint IS NULL OR s.material_type_id = :materialTypeId::bigint)
   AND (:projectId::bigint IS NULL OR s.project_id = :projectId::bigint)
   AND (:clientId::bigint IS NULL OR s.client_id = :clientId::bigint)
   AND (:trackingId::text IS NULL OR s.tracking_id = :trackingId::text)
   AND (:externalId::text IS NULL OR s.external_id = :externalId::text)
   AND (:orderId::bigint IS NULL OR s.order_id = :orderId::bigint)
   AND (:priority::text IS NULL OR s.priority = :priority::text)
   AND (:disposition::text[] IS NULL OR s.disposition = ANY (:disposition::text[]))
   AND (:dueBefore::date IS NULL OR s.due_date < :dueBefore::date)
   AND (:since::timestamptz IS NULL OR s.received_at >= :since::timestamptz)
   AND (:until::timestamptz IS NULL OR s.received_at <= :until::timestamptz)
   AND (:updatedSince::timestamptz IS NULL OR s.updated_at >= :updatedSince::timestamptz)
   AND (:registeredSince::timestamptz IS NULL
        OR s.created_at >= :registeredSince::timestamptz)
   AND (:releaseState::text IS NULL
        OR CASE WHEN :releaseState::text = 'reported' THEN s.status = 'reported'
                ELSE c.release_state = :releaseState::text AND s.status <> 'reported' END)
   AND (:holdingStatus::text IS NULL
        OR c.holding_status = :holdingStatus::text AND s.status <> 'reported')
   AND (:found::bigint[] IS NULL
        OR s.id = ANY (:found::bigint[])
           AND s.id BETWEEN :first::bigint AND :last::bigint)
   AND (:names::text[] IS NULL
        OR s.client_id = ANY (:clients::bigint[])
        OR lims.sample_name_begins(s.tracking_id, s.sample_identifier, s.external_id,
                                   :names::text[]))

-- part: sample_records
SELECT r.*,
       p.holding_expires_at AS "holdingExpiresAt",
       p.test_counts AS "testCounts",
       p.blocker_count AS "blockerCount",
       p.certificate_id AS "certificateId",
       p.flags

-- part: sample_page
  JOIN lims.sample_record r
    ON r.id = page.id
  LEFT JOIN LATERAL lims.sample_progress(r.organization_id, r.id) p
    ON :include::text = 'progress'
 WHERE r.organization_id = :$organization::bigint
 ORDER BY r.id

-- name: sample_search many list custom
:{sample_records}
  FROM (SELECT s.id
          FROM lims.sample s
          LEFT JOIN lims.sample_state_cache c
            ON c.organization_id = s.organization_id
           AND c.sample_id = s.id
         WHERE s.organization_id = :$organization::bigint
           AND s.id > :cursor::bigint
           AND (:status::text[] IS NULL OR s.status = (:status::text[])[1])
:{sample_filters}
         ORDER BY s.id
         LIMIT :limit::bigint + 1) page
:{sample_page}

-- name: sample_search_statuses many list custom
-- Merges a page of each of several statuses, read by its index. Read together, they would
-- have to be sorted, or picked out of all samples.
:{sample_records}
  FROM (SELECT o.id
          FROM unnest(:status::text[]) AS x (status)
         CROSS JOIN LATERAL (
               SELECT s.id
                 FROM lims.sample s
                 LEFT JOIN lims.sample_state_cache c
                   ON c.organization_id = s.organization_id
                  AND c.sample_id = s.id
                WHERE s.organization_id = :$organization::bigint
                  AND s.id > :cursor::bigint
                  AND s.status = x.status
:{sample_filters}
                ORDER BY s.id
                LIMIT :limit::bigint + 1) o
         ORDER BY o.id
         LIMIT :limit::bigint + 1) page
:{sample_page}

-- part: counted_samples
          FROM lims.sample s
          LEFT JOIN LATERAL (
               SELECT x.release_state, x.holding_status
                 FROM lims.sample_state_cache x
                WHERE coalesce(:releaseState::text, :holdingStatus::text) IS NOT NULL
                  AND x.organization_id = s.organization_id
                  AND x.sample_id = s.id
               OFFSET 0) c ON true
         WHERE s.organization_id = :$organization::bigint
           AND (:status::text[] IS NULL OR s.status = ANY (:status::text[]))

-- name: sample_counts_by_status many custom
-- Counts the samples of the list in each status, up to one more than the largest number
-- that is told.
-- A branch for each, whose number of samples the planner knows.
SELECT 'pending' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_samples}
           AND s.status = 'pending'
:{sample_filters}
         LIMIT 10001) o
UNION ALL
SELECT 'received' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_samples}
           AND s.status = 'received'
:{sample_filters}
         LIMIT 10001) o
UNION ALL
SELECT 'processing' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_samples}
           AND s.status = 'processing'
:{sample_filters}
         LIMIT 10001) o
UNION ALL
SELECT 'completed' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_samples}
           AND s.status = 'completed'
:{sample_filters}
         LIMIT 10001) o
UNION ALL
SELECT 'verified' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_samples}
           AND s.status = 'verified'
:{sample_filters}
         LIMIT 10001) o
UNION ALL
SELECT 'reported' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_samples}
           AND s.status = 'reported'
:{sample_filters}
         LIMIT 10001) o

-- part: counted_states
          FROM lims.sample_state_cache c
         CROSS JOIN LATERAL (
               SELECT o.*
                 FROM lims.sample o
                WHERE o.organization_id = c.organization_id
                  AND o.id = c.sample_id
                  AND o.status <> 'reported'
                  AND (:status::text[] IS NULL OR o.status = ANY (:status::text[]))
               OFFSET 0) s
         WHERE c.organization_id = :$organization::bigint

-- name: sample_counts_by_release many custom
-- Counts samples that are not reported by release state. From the cache, each sample
-- looked up (OFFSET 0): joined otherwise, all of the cache would be read.
SELECT 'blocked' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_states}
           AND c.release_state = 'blocked'
:{sample_filters}
         LIMIT 10001) o
UNION ALL
SELECT 'in_progress' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_states}
           AND c.release_state = 'in_progress'
:{sample_filters}
         LIMIT 10001) o
UNION ALL
SELECT 'ready_for_review' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_states}
           AND c.release_state = 'ready_for_review'
:{sample_filters}
         LIMIT 10001) o
UNION ALL
SELECT 'ready_to_report' AS "state",
       count(*) AS "count"
  FROM (SELECT s.id
:{counted_states}
           AND c.release_state = 'ready_to_report'
:{sample_filters}
         LIMIT 10001) o

-- name: sample_counts_by_release_filtered many custom
-- Counts them by filters that fewer samples pass than are open: from the samples.
SELECT x.state,
       count(m.release_state) AS count
  FROM unnest('{blocked,in_progress,ready_for_review,ready_to_report}'::text[])
       WITH ORDINALITY AS x (state, place)
  LEFT JOIN (
       SELECT c.release_state
         FROM lims.sample s
        CROSS JOIN LATERAL (
              SELECT o.release_state, o.holding_status
                FROM lims.sample_state_cache o
               WHERE o.organization_id = s.organization_id
                 AND o.sample_id = s.id
              OFFSET 0) c
        WHERE s.organization_id = :$organization::bigint
          AND s.status = ANY ('{pending,received,processing,completed,verified}'::text[])
          AND (:status::text[] IS NULL OR s.status = ANY (:status::text[]))
:{sample_filters}
       ) m
    ON m.release_state = x.state
 GROUP BY x.state, x.place
 ORDER BY x.place

-- name: samples_found one
-- Returns the samples whose names begin with a text: few as ids, many as the ranges of
-- names and the clients to search.
SELECT f.ids AS "found",
       f.ids[1] AS "first",
       f.ids[cardinality(f.ids)] AS "last",
       f.names,
       f.clients
  FROM lims.samples_found(:$organization::bigint, btrim(:q::text)) f
