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
       file_storage_max, created_by, acts_for, expires_at)
VALUES (:$organization::bigint, :name::text, :keyHash::bytea, :keyPrefix::text,
        :scopes::text[], :uploadOnly::boolean,
        :fileStorageMegabytes::bigint * 1048576, :$user::bigint,
        coalesce(:actsFor::bigint, :$user::bigint), :expiresAt::timestamptz)
RETURNING id

-- name: key_rotate one
-- No row: the key is revoked or has expired.
WITH former AS (
    UPDATE lims.api_key
       SET expires_at = least(expires_at,
               now() + make_interval(hours => :overlapHours::int))
     WHERE organization_id = :$organization::bigint
       AND id = :id::bigint
       AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > now())
    RETURNING name, scopes, upload_only, file_storage_max, acts_for
)
INSERT INTO lims.api_key
      (organization_id, name, key_hash, key_prefix, scopes, upload_only,
       file_storage_max, created_by, acts_for)
SELECT :$organization::bigint, f.name, :keyHash::bytea, :keyPrefix::text, f.scopes,
       f.upload_only, f.file_storage_max, :$user::bigint, f.acts_for
  FROM former f
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
