-- SPDX-License-Identifier: Apache-2.0

-- name: profile_get one
SELECT *
  FROM lims.instrument_profile_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: profile_list many list
SELECT *
  FROM lims.instrument_profile_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:code::text IS NULL OR code = :code::text)
   AND (:status::text IS NULL OR status = :status::text)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: profile_lock one
SELECT id AS "id",
       code AS "code",
       version AS "version",
       status AS "status",
       definition::text AS "definition"
  FROM lims.instrument_profile
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: profile_time_zone one
-- global: the list of time zones belongs to no organization
SELECT EXISTS (
       SELECT FROM pg_catalog.pg_timezone_names
        WHERE name = :timeZone::text) AS "known"

-- name: profile_add one
-- Assigns the next version of the code. If two are added at the same time, the unique
-- key refuses one. The instrument stays that of the version before.
INSERT INTO lims.instrument_profile
      (organization_id, code, version, name, instrument_id, definition)
SELECT :$organization::bigint, :code::text, coalesce(max(p.version), 0) + 1,
       :name::text, (array_agg(p.instrument_id ORDER BY p.version DESC))[1],
       :definition::jsonb
  FROM lims.instrument_profile p
 WHERE p.organization_id = :$organization::bigint
   AND p.code = :code::text
RETURNING id AS "id"

-- name: profile_retire_others exec
UPDATE lims.instrument_profile
   SET status = 'retired'
 WHERE organization_id = :$organization::bigint
   AND code = :code::text
   AND status = 'active'
   AND id <> :id::bigint

-- name: profile_golden_file one
SELECT translate(encode(c.content, 'base64'), E'\n', '') AS "contentBase64"
  FROM lims.instrument_file f
  JOIN lims.instrument_file_content c
    ON c.organization_id = f.organization_id
   AND c.file_id = f.id
 WHERE f.organization_id = :$organization::bigint
   AND f.sha256 = :sha256::bytea

-- name: profile_activate exec
UPDATE lims.instrument_profile
   SET status = 'active'
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: profile_retire one
UPDATE lims.instrument_profile
   SET status = 'retired'
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
