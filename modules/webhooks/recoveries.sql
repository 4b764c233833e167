-- SPDX-License-Identifier: Apache-2.0

-- name: webhook_recovery_get one
SELECT *
  FROM lims.webhook_recovery_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: webhook_recovery_list many list
SELECT *
  FROM lims.webhook_recovery_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:endpointId::bigint IS NULL OR "endpointId" = :endpointId::bigint)
   AND (:finished::boolean IS NULL
        OR ("finishedAt" IS NOT NULL) = :finished::boolean)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: webhook_recovery_create one
INSERT INTO lims.webhook_recovery (organization_id, endpoint_id, since,
    requested_by)
VALUES (:$organization::bigint, :id::bigint, :since::timestamptz,
        :$user::bigint)
RETURNING id AS "id"
