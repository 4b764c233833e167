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
        coalesce(:scopes::text[], '{}'), :uploadOnly::boolean,
        :fileStorageMegabytes::bigint * 1048576, :$user::bigint,
        coalesce(:actsFor::bigint, :$user::bigint), :expiresAt::timestamptz)
RETURNING id

-- name: key_rotate one
-- No row: the key is revoked or has expired. The new key expires when the former one would
-- have, or as is asked.
WITH found AS (
    SELECT k.id, k.name, k.scopes, k.upload_only, k.file_storage_max, k.acts_for,
           k.expires_at
      FROM lims.api_key k
     WHERE k.organization_id = :$organization::bigint
       AND k.id = :id::bigint
       AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())
       FOR NO KEY UPDATE
), former AS (
    UPDATE lims.api_key k
       SET expires_at = least(k.expires_at,
               now() + make_interval(hours => :overlapHours::int))
      FROM found f
     WHERE k.organization_id = :$organization::bigint
       AND k.id = f.id
)
INSERT INTO lims.api_key
      (organization_id, name, key_hash, key_prefix, scopes, upload_only,
       file_storage_max, created_by, acts_for, expires_at)
SELECT :$organization::bigint, f.name, :keyHash::bytea, :keyPrefix::text, f.scopes,
       f.upload_only, f.file_storage_max, :$user::bigint, f.acts_for,
       CASE WHEN :?expiresAt THEN :expiresAt::timestamptz ELSE f.expires_at END
  FROM found f
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
