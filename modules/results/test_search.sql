-- SPDX-License-Identifier: Apache-2.0
-- Lists of sample tests by filters. The page is found first, on tables, since the record
-- derives much for each row; planned for the values of each call, because every filter has
-- an index of its own. The sample and the coverage join only where a filter asks.

-- part: test_filters
   AND (:sampleId::bigint IS NULL OR t.sample_id = :sampleId::bigint)
   AND (:disposition::text IS NULL AND (:status::text[] IS NULL
                                        OR :updatedSince::timestamptz IS NOT NULL)
        OR t.disposition = coalesce(:disposition::text, 'active'))
   AND (:testDefinitionId::bigint IS NULL
        OR t.test_definition_id = :testDefinitionId::bigint)
   AND (:reagentLotId::bigint IS NULL OR t.reagent_lot_id = :reagentLotId::bigint)
   AND (:mediaLotId::bigint IS NULL OR t.media_lot_id = :mediaLotId::bigint)
   AND (:assignedTo::bigint IS NULL OR t.assigned_to = :assignedTo::bigint)
   AND (:enteredSince::timestamptz IS NULL OR t.entered_at >= :enteredSince::timestamptz)
   AND (:qcBatchId::bigint IS NULL OR c.qc_batch_id = :qcBatchId::bigint)
   AND (:sampleStatus::text IS NULL OR s.status = :sampleStatus::text)
   AND (:priority::text IS NULL OR s.priority = :priority::text)
   AND (:clientId::bigint IS NULL OR s.client_id = :clientId::bigint)

-- part: test_statuses
-- (One is compared by itself, which an index in order of the id serves.)
   AND (:status::text[] IS NULL
        OR CASE cardinality(:status::text[])
                WHEN 1 THEN t.status = (:status::text[])[1]
                ELSE t.status = ANY (:status::text[]) END)

-- part: changed_since
   AND (:updatedSince::timestamptz IS NULL OR t.updated_at >= :updatedSince::timestamptz)

-- part: test_joins
          FROM lims.sample_test t
          LEFT JOIN lims.sample s
            ON s.organization_id = t.organization_id
           AND s.id = t.sample_id
          LEFT JOIN lims.qc_coverage c
            ON c.organization_id = t.organization_id
           AND c.sample_test_id = t.id
           AND c.qc_batch_id = :qcBatchId::bigint
         WHERE t.organization_id = :$organization::bigint
           AND t.id > :cursor::bigint

-- part: test_records
SELECT r.*,
       CASE :include::text WHEN 'review'
           THEN lims.sample_test_review(r.organization_id, r.id) END AS review,
       CASE WHEN :include::text IN ('sample', 'review')
           THEN (SELECT json_build_object(
                            'trackingId', s.tracking_id,
                            'sampleIdentifier', s.sample_identifier,
                            'clientName', s.client_name,
                            'priority', s.priority,
                            'receivedAt', to_char(s.received_at AT TIME ZONE 'UTC',
                                                  'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                   FROM lims.sample s
                  WHERE s.organization_id = r.organization_id
                    AND s.id = r."sampleId") END AS sample,
       CASE :include::text WHEN 'sample'
           THEN (SELECT t.assigned_to
                   FROM lims.sample_test t
                  WHERE t.organization_id = r.organization_id
                    AND t.id = r.id) END AS "assignedTo"

-- part: test_page
  JOIN lims.sample_test_record r
    ON r.id = page.id
 WHERE r.organization_id = :$organization::bigint
 ORDER BY r.id

-- name: sample_test_get_including one custom
:{test_records}
  FROM lims.sample_test_record r
 WHERE r.organization_id = :$organization::bigint
   AND r.id = :id::bigint

-- name: sample_test_search many list custom
:{test_records}
  FROM (SELECT t.id
:{test_joins}
:{test_statuses}
:{test_filters}
:{changed_since}
         ORDER BY t.id
         LIMIT :limit::bigint + 1) page
:{test_page}

-- name: sample_test_search_statuses many list custom
-- Merges a page of each of several statuses, read by its index. Read together, they would
-- have to be sorted, or picked out of all tests.
:{test_records}
  FROM (SELECT o.id
          FROM unnest(:status::text[]) AS x (status)
         CROSS JOIN LATERAL (
               SELECT t.id
:{test_joins}
                  AND t.status = x.status
:{test_filters}
:{changed_since}
                ORDER BY t.id
                LIMIT :limit::bigint + 1) o
         ORDER BY o.id
         LIMIT :limit::bigint + 1) page
:{test_page}

-- part: changed_by_trail
-- (The sample's status stands here too, so that it is looked at before the trail.)
                   AND EXISTS (
                       SELECT
                         FROM lims.audit_entry a
                        WHERE a.organization_id = :$organization::bigint
                          AND a.table_name = 'sample_test'
                          AND a.record_id = t.id
                          AND a.occurred_at >= coalesce(:updatedSince::timestamptz,
                                                        :enteredSince::timestamptz)
                          AND (:sampleStatus::text IS NULL
                               OR s.status = :sampleStatus::text))

-- name: sample_test_changes many list custom
-- Finds changes in the audit trail. With an index on updated_at instead, every
-- correction would have to update all indexes of the table. The page is found by id or by
-- time, depending on how long ago the time is. (Where a filter has an index that leaves few
-- tests, the other statements look at their times.)
:{test_records}
  FROM (SELECT t.id
:{test_joins}
:{test_statuses}
:{test_filters}
:{changed_by_trail}
         ORDER BY t.id
         LIMIT :limit::bigint + 1) page
:{test_page}

-- name: sample_test_archived one custom
-- Whether entries of the trail since a time are archived.
SELECT lims.audit_archived_until(:$organization::bigint)
           >= coalesce(:updatedSince::timestamptz, :enteredSince::timestamptz) AS "archived"

-- name: sample_test_changes_reported many list custom
-- Searches likewise for tests of reported samples: the verified ones; others are not active,
-- or of a sample that is being amended. Together they would be picked out of the tests
-- of all samples, of which the newest are not reported yet.
:{test_records}
  FROM (SELECT o.id
          FROM ((SELECT t.id
:{test_joins}
                   AND t.status = 'verified'
:{test_statuses}
:{test_filters}
:{changed_by_trail}
                 ORDER BY t.id
                 LIMIT :limit::bigint + 1)
                 UNION ALL
               (SELECT t.id
:{test_joins}
                   AND t.status <> 'verified'
                   AND t.disposition <> 'active'
:{test_statuses}
:{test_filters}
:{changed_by_trail}
                 ORDER BY t.id
                 LIMIT :limit::bigint + 1)
                 UNION ALL
                SELECT t.id
:{test_joins}
                   AND t.status <> 'verified'
                   AND t.disposition = 'active'
                   AND t.sample_id IN (
                       SELECT m.sample_id
                         FROM lims.amendment m
                        WHERE m.organization_id = :$organization::bigint
                          AND m.status = 'open')
:{test_statuses}
:{test_filters}
:{changed_by_trail}
               ) o
         ORDER BY o.id
         LIMIT :limit::bigint + 1) page
:{test_page}

-- name: sample_test_search_open many list custom
-- Sorts all tests of samples in a status that few have. In order of their ids
-- they would be picked out of the tests of all samples. (OFFSET 0: so it is planned.)
:{test_records}
  FROM (SELECT t.id
          FROM (SELECT t.id
:{test_joins}
:{test_statuses}
:{test_filters}
:{changed_since}
                OFFSET 0) t
         ORDER BY t.id
         LIMIT :limit::bigint + 1) page
:{test_page}

-- name: sample_test_search_holding many list custom
-- By holding time, as the record says it: of tests that were not analysed by its end, all
-- in the range, sorted; of the others by the verdict that is kept.
:{test_records}
  FROM (SELECT o.id
          FROM (SELECT t.id
:{test_joins}
:{test_statuses}
:{test_filters}
:{changed_since}
                   AND t.holding_met IS NULL
                   AND t.holding_expires_at >= :holdingFrom::timestamptz
                   AND t.holding_expires_at < :holdingTo::timestamptz
                 UNION ALL
               (SELECT t.id
:{test_joins}
:{test_statuses}
:{test_filters}
:{changed_since}
                   AND :holdingMet::boolean = false
                   AND NOT t.holding_met
                 ORDER BY t.id
                 LIMIT :limit::bigint + 1)
                 UNION ALL
               (SELECT t.id
:{test_joins}
:{test_statuses}
:{test_filters}
:{changed_since}
                   AND :holdingMet::boolean
                   AND t.holding_met
                 ORDER BY t.id
                 LIMIT :limit::bigint + 1)) o
         ORDER BY o.id
         LIMIT :limit::bigint + 1) page
:{test_page}

-- name: sample_test_search_holding_open many list custom
-- Searches likewise among tests that are not verified, or of samples in a status that few
-- have: all of them, sorted. (OFFSET 0: so it is planned.)
:{test_records}
  FROM (SELECT t.id
          FROM (SELECT t.id
:{test_joins}
:{test_statuses}
:{test_filters}
:{changed_since}
                   AND CASE WHEN t.holding_met IS NULL
                            THEN t.holding_expires_at >= :holdingFrom::timestamptz
                                 AND t.holding_expires_at < :holdingTo::timestamptz
                            ELSE t.holding_met = :holdingMet::boolean END
                OFFSET 0) t
         ORDER BY t.id
         LIMIT :limit::bigint + 1) page
:{test_page}

-- name: sample_test_holding_range one
-- The ends of holding times that mean a status now, of tests not analysed; and which
-- verdict does, of those that are.
SELECT CASE :holdingStatus::text
           WHEN 'expired' THEN '-infinity'
           WHEN 'expiring_soon' THEN now()
           ELSE now() + w.warning
       END AS "holdingFrom",
       CASE :holdingStatus::text
           WHEN 'expired' THEN now()
           WHEN 'expiring_soon' THEN now() + w.warning
           ELSE 'infinity'
       END AS "holdingTo",
       CASE :holdingStatus::text
           WHEN 'expired' THEN false
           WHEN 'ok' THEN true
       END AS "holdingMet"
  FROM lims.organization o
 CROSS JOIN LATERAL (
       SELECT o.holding_warning_hours::double precision * interval '1 hour' AS warning) w
 WHERE o.id = :$organization::bigint
