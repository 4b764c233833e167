-- SPDX-License-Identifier: Apache-2.0
-- The feed. Its order is (position, id), see sql/170_events.sql; the cursor is
-- the id of the last event that was read.

-- name: event_list many
WITH after AS MATERIALIZED (
    SELECT a.position, a.id
      FROM lims.event_after(:$organization::bigint, :cursor::bigint) a
)
SELECT e.id AS "cursor",
       lims.event_uuid(e.organization_id, e.id, e.created_at) AS "id",
       e.type AS "type",
       e.created_at AS "createdAt",
       e.organization_id AS "organizationId",
       e.data AS "data"
  FROM lims.event e
 WHERE e.organization_id = :$organization::bigint
   AND (e.position, e.id) > ((SELECT position FROM after), (SELECT id FROM after))
   AND e.position < lims.event_horizon()
   AND e.type <> 'webhook.test'
 ORDER BY e.position, e.id
 LIMIT :limit::bigint + 1

-- name: event_search many custom
WITH after AS MATERIALIZED (
    SELECT a.position, a.id
      FROM lims.event_after(:$organization::bigint, :cursor::bigint) a
)
SELECT e.id AS "cursor",
       lims.event_uuid(e.organization_id, e.id, e.created_at) AS "id",
       e.type AS "type",
       e.created_at AS "createdAt",
       e.organization_id AS "organizationId",
       e.data AS "data"
  FROM lims.event e
 WHERE e.organization_id = :$organization::bigint
   AND (e.position, e.id) > ((SELECT position FROM after), (SELECT id FROM after))
   AND e.position < lims.event_horizon()
   AND e.type <> 'webhook.test'
   AND (:type::text IS NULL OR e.type = :type::text)
   AND (:since::timestamptz IS NULL OR e.created_at >= :since::timestamptz)
 ORDER BY e.position, e.id
 LIMIT :limit::bigint + 1
