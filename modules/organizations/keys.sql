-- SPDX-License-Identifier: Apache-2.0

-- name: key_get one
SELECT id AS "id",
       name AS "name",
       key_prefix AS "keyPrefix",
       scopes AS "scopes",
       upload_only AS "uploadOnly",
       created_by AS "createdBy",
       created_at AS "createdAt",
       last_used_at AS "lastUsedAt",
       expires_at AS "expiresAt",
       revoked_at AS "revokedAt"
  FROM lims.api_key
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: key_list many
SELECT id AS "id",
       name AS "name",
       key_prefix AS "keyPrefix",
       scopes AS "scopes",
       upload_only AS "uploadOnly",
       created_by AS "createdBy",
       created_at AS "createdAt",
       last_used_at AS "lastUsedAt",
       expires_at AS "expiresAt",
       revoked_at AS "revokedAt"
  FROM lims.api_key
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:revoked::boolean IS NULL OR (revoked_at IS NOT NULL) = :revoked::boolean)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: key_lock one
SELECT id
  FROM lims.api_key
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: key_create one
INSERT INTO lims.api_key
      (organization_id, name, key_hash, key_prefix, scopes, upload_only,
       created_by, expires_at)
VALUES (:$organization::bigint, :name::text, :keyHash::bytea, :keyPrefix::text,
        :scopes::text[], :uploadOnly::boolean, :$user::bigint,
        :expiresAt::timestamptz)
RETURNING id AS "id",
          name AS "name",
          key_prefix AS "keyPrefix",
          scopes AS "scopes",
          upload_only AS "uploadOnly",
          created_by AS "createdBy",
          created_at AS "createdAt",
          last_used_at AS "lastUsedAt",
          expires_at AS "expiresAt",
          revoked_at AS "revokedAt"

-- name: key_revoke one
-- The first revocation stands.
UPDATE lims.api_key
   SET revoked_at = coalesce(revoked_at, now()),
       revoked_by = coalesce(revoked_by, :$user::bigint)
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
