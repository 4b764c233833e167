-- SPDX-License-Identifier: Apache-2.0

-- name: webhook_delivery_get one
SELECT *
  FROM lims.webhook_delivery_record d
 WHERE d.organization_id = :$organization::bigint
   AND d.id = :id::bigint

-- name: webhook_delivery_attempts many
SELECT *
  FROM lims.webhook_attempt_record
 WHERE organization_id = :$organization::bigint
   AND "deliveryId" = :id::bigint
 ORDER BY number

-- name: webhook_delivery_list many list custom
SELECT *
  FROM lims.webhook_delivery_record d
 WHERE d.organization_id = :$organization::bigint
   AND d.id > :cursor::bigint
   AND (:endpointId::bigint IS NULL OR d."endpointId" = :endpointId::bigint)
   AND (:state::text IS NULL OR d.state = :state::text)
   AND (:state::text IS DISTINCT FROM 'given_up' OR d.given_up)
   AND (:type::text IS NULL OR d.type = :type::text)
   AND (:since::timestamptz IS NULL OR d."createdAt" >= :since::timestamptz)
 ORDER BY d.id
 LIMIT :limit::bigint + 1

-- name: webhook_delivery_body one
SELECT lims.webhook_body(d.delivery_id, v.type, v.created_at, v.organization_id,
                         v.data) AS "document"
  FROM lims.webhook_delivery d
  JOIN lims.event v
    ON v.organization_id = d.organization_id
   AND v.id = d.event_id
 WHERE d.organization_id = :$organization::bigint
   AND d.id = :id::bigint

-- name: webhook_delivery_lock one
SELECT d.id AS "id",
       d.endpoint_id AS "endpointId",
       e.enabled AS "enabled",
       e.disabled_reason AS "disabledReason"
  FROM lims.webhook_delivery d
  JOIN lims.webhook_endpoint e
    ON e.organization_id = d.organization_id
   AND e.id = d.endpoint_id
 WHERE d.organization_id = :$organization::bigint
   AND d.id = :id::bigint
   FOR NO KEY UPDATE OF d

-- name: webhook_delivery_redeliver one
-- A pending delivery keeps its number of retries, by which an attempt under way is
-- recognized.
UPDATE lims.webhook_delivery
   SET state = 'pending',
       retries = CASE state WHEN 'pending' THEN retries ELSE 0 END,
       next_attempt_at = least(next_attempt_at, now()),
       finished_at = NULL
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: webhook_test_send one
SELECT lims.webhook_test(:$organization::bigint, :id::bigint, :message::text) AS "id"
