-- SPDX-License-Identifier: Apache-2.0

-- name: key_get one
SELECT *
  FROM lims.api_key_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: key_list many list
SELECT *
  FROM lims.api_key_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:revoked::boolean IS NULL
        OR ("revokedAt" IS NOT NULL) = :revoked::boolean)
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
       file_storage_max, created_by, expires_at)
VALUES (:$organization::bigint, :name::text, :keyHash::bytea, :keyPrefix::text,
        :scopes::text[], :uploadOnly::boolean,
        :fileStorageMegabytes::bigint * 1048576, :$user::bigint,
        :expiresAt::timestamptz)
RETURNING id

-- name: key_update one
UPDATE lims.api_key
   SET file_storage_max = CASE WHEN :?fileStorageMegabytes
                               THEN :fileStorageMegabytes::bigint * 1048576
                               ELSE file_storage_max END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: key_revoke one
-- The first revocation stands.
UPDATE lims.api_key
   SET revoked_at = coalesce(revoked_at, now()),
       revoked_by = coalesce(revoked_by, :$user::bigint)
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
