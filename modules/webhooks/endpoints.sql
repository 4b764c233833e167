-- SPDX-License-Identifier: Apache-2.0

-- name: webhook_endpoint_get one
SELECT *
  FROM lims.webhook_endpoint_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: webhook_endpoint_list many list
SELECT *
  FROM lims.webhook_endpoint_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:enabled::boolean IS NULL OR enabled = :enabled::boolean)
   AND ("deletedAt" IS NOT NULL) = :deleted::boolean
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: webhook_endpoint_lock one
-- A deleted endpoint cannot be changed: it is not found.
SELECT id AS "id",
       enabled AS "enabled",
       disabled_reason AS "disabledReason"
  FROM lims.webhook_endpoint
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   AND deleted_at IS NULL
   FOR NO KEY UPDATE

-- name: webhook_endpoint_number one
SELECT nextval('lims.webhook_endpoint_id_seq') AS "id"
  FROM lims.organization
 WHERE id = :$organization::bigint

-- name: webhook_endpoint_create exec
INSERT INTO lims.webhook_endpoint
      (organization_id, id, name, url, events, standard_headers, secret,
       created_by)
VALUES (:$organization::bigint, :id::bigint, :name::text, :url::text,
        :events::text[],
        :standardHeaders::boolean, :sealed::bytea, :$user::bigint)

-- name: webhook_endpoint_update one
UPDATE lims.webhook_endpoint
   SET name = CASE WHEN :?name THEN :name::text ELSE name END,
       url = CASE WHEN :?url THEN :url::text ELSE url END,
       events = CASE WHEN :?events THEN :events::text[] ELSE events END,
       standard_headers = CASE WHEN :?standardHeaders
                               THEN :standardHeaders::boolean
                               ELSE standard_headers END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: webhook_endpoint_enable one
UPDATE lims.webhook_endpoint
   SET enabled = true,
       disabled_at = NULL,
       disabled_reason = NULL,
       consecutive_failures = 0
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: webhook_endpoint_disable one
-- Disabling an endpoint again keeps the time at which it was disabled first.
UPDATE lims.webhook_endpoint
   SET enabled = false,
       disabled_at = coalesce(disabled_at, now()),
       disabled_reason = left(:$reason::text, 1000)
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: webhook_endpoint_rotate one
UPDATE lims.webhook_endpoint
   SET secret = :sealed::bytea,
       previous_secret = CASE WHEN :overlapHours::integer > 0 THEN secret END,
       previous_secret_until = CASE WHEN :overlapHours::integer > 0 THEN
           now() + make_interval(hours => :overlapHours::integer) END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: webhook_endpoint_delete one
UPDATE lims.webhook_endpoint
   SET enabled = false,
       disabled_at = coalesce(disabled_at, now()),
       disabled_reason = left(:$reason::text, 1000),
       secret = '',
       previous_secret = NULL,
       previous_secret_until = NULL,
       deleted_at = now()
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
