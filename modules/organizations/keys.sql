-- SPDX-License-Identifier: Apache-2.0

-- name: key_get one
SELECT k.id AS "id",
       k.name AS "name",
       k.key_prefix AS "keyPrefix",
       k.scopes AS "scopes",
       k.upload_only AS "uploadOnly",
       k.file_storage_max / 1048576 AS "fileStorageMegabytes",
       coalesce(s.bytes, 0) AS "fileBytes",
       k.created_by AS "createdBy",
       k.created_at AS "createdAt",
       k.last_used_at AS "lastUsedAt",
       k.expires_at AS "expiresAt",
       k.revoked_at AS "revokedAt"
  FROM lims.api_key k
  LEFT JOIN lims.file_storage s
    ON s.organization_id = k.organization_id
   AND s.api_key_id = k.id
 WHERE k.organization_id = :$organization::bigint
   AND k.id = :id::bigint

-- name: key_list many
SELECT k.id AS "id",
       k.name AS "name",
       k.key_prefix AS "keyPrefix",
       k.scopes AS "scopes",
       k.upload_only AS "uploadOnly",
       k.file_storage_max / 1048576 AS "fileStorageMegabytes",
       coalesce(s.bytes, 0) AS "fileBytes",
       k.created_by AS "createdBy",
       k.created_at AS "createdAt",
       k.last_used_at AS "lastUsedAt",
       k.expires_at AS "expiresAt",
       k.revoked_at AS "revokedAt"
  FROM lims.api_key k
  LEFT JOIN lims.file_storage s
    ON s.organization_id = k.organization_id
   AND s.api_key_id = k.id
 WHERE k.organization_id = :$organization::bigint
   AND k.id > :cursor::bigint
   AND (:revoked::boolean IS NULL
        OR (k.revoked_at IS NOT NULL) = :revoked::boolean)
 ORDER BY k.id
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
RETURNING id AS "id",
          name AS "name",
          key_prefix AS "keyPrefix",
          scopes AS "scopes",
          upload_only AS "uploadOnly",
          file_storage_max / 1048576 AS "fileStorageMegabytes",
          0 AS "fileBytes",
          created_by AS "createdBy",
          created_at AS "createdAt",
          last_used_at AS "lastUsedAt",
          expires_at AS "expiresAt",
          revoked_at AS "revokedAt"

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
