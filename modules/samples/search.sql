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

-- name: sample_search many list custom
SELECT r.*
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
  JOIN lims.sample_record r
    ON r.id = page.id
 WHERE r.organization_id = :$organization::bigint
 ORDER BY r.id

-- name: sample_search_statuses many list custom
-- Of several statuses: a page of each by its index, merged. Read together, they would
-- have to be sorted, or picked out of all samples.
SELECT r.*
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
  JOIN lims.sample_record r
    ON r.id = page.id
 WHERE r.organization_id = :$organization::bigint
 ORDER BY r.id

-- name: samples_found one
-- The samples whose names begin with a text: few by their ids, many by what they begin
-- with.
SELECT f.ids AS "found",
       f.ids[1] AS "first",
       f.ids[cardinality(f.ids)] AS "last",
       f.names,
       f.clients
  FROM lims.samples_found(:$organization::bigint, btrim(:q::text)) f
