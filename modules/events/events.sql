-- SPDX-License-Identifier: Apache-2.0
-- The feed. Its order is (position, id), see sql/170_events.sql; the cursor is
-- the id of the last event that was read. From the newest on, cursor 0 is the end
-- of the feed.

-- name: event_list many
WITH after AS MATERIALIZED (
    SELECT a.position, a.id
      FROM lims.event_after(:$organization::bigint, :cursor::bigint) a
)
SELECT *
  FROM lims.event_record
 WHERE organization_id = :$organization::bigint
   AND (position, cursor) > ((SELECT position FROM after), (SELECT id FROM after))
   AND position < lims.event_horizon()
   AND type <> 'webhook.test'
 ORDER BY position, cursor
 LIMIT :limit::bigint + 1

-- name: event_list_newest many
WITH before AS MATERIALIZED (
    SELECT a.position, a.id
      FROM lims.event_after(:$organization::bigint, :cursor::bigint) a
     WHERE :cursor::bigint > 0
)
SELECT *
  FROM lims.event_record
 WHERE organization_id = :$organization::bigint
   AND (position, cursor) < (coalesce((SELECT position FROM before), 9223372036854775807),
                             coalesce((SELECT id FROM before), 0))
   AND position < lims.event_horizon()
   AND type <> 'webhook.test'
 ORDER BY position DESC, cursor DESC
 LIMIT :limit::bigint + 1

-- name: event_search many custom
WITH after AS MATERIALIZED (
    SELECT a.position, a.id
      FROM lims.event_after(:$organization::bigint, :cursor::bigint) a
)
SELECT *
  FROM lims.event_record
 WHERE organization_id = :$organization::bigint
   AND (position, cursor) > ((SELECT position FROM after), (SELECT id FROM after))
   AND position < lims.event_horizon()
   AND type <> 'webhook.test'
   AND (:type::text IS NULL OR type = :type::text)
   AND (:since::timestamptz IS NULL OR "createdAt" >= :since::timestamptz)
 ORDER BY position, cursor
 LIMIT :limit::bigint + 1

-- name: event_search_newest many custom
WITH before AS MATERIALIZED (
    SELECT a.position, a.id
      FROM lims.event_after(:$organization::bigint, :cursor::bigint) a
     WHERE :cursor::bigint > 0
)
SELECT *
  FROM lims.event_record
 WHERE organization_id = :$organization::bigint
   AND (position, cursor) < (coalesce((SELECT position FROM before), 9223372036854775807),
                             coalesce((SELECT id FROM before), 0))
   AND position < lims.event_horizon()
   AND type <> 'webhook.test'
   AND (:type::text IS NULL OR type = :type::text)
   AND (:since::timestamptz IS NULL OR "createdAt" >= :since::timestamptz)
 ORDER BY position DESC, cursor DESC
 LIMIT :limit::bigint + 1

-- name: event_sample one
SELECT id
  FROM lims.sample
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: events_of_sample many
SELECT e.id,
       e.type,
       e.created_at AS "createdAt",
       lims.event_deliveries(e.organization_id, e.id) AS "deliveries"
  FROM lims.event e
 WHERE e.organization_id = :$organization::bigint
   AND (e.data ->> 'sampleId')::bigint = :id::bigint
   AND e.type <> 'result.entered'
   AND e.id > :cursor::bigint
 ORDER BY e.id
 LIMIT :limit::bigint + 1
