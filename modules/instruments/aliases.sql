-- SPDX-License-Identifier: Apache-2.0

-- name: sample_name_get one
SELECT *
  FROM lims.sample_name_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: sample_name_list many list
SELECT *
  FROM lims.sample_name_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:name::text IS NULL OR name = :name::text)
   AND (:trackingId::text IS NULL OR "trackingId" = :trackingId::text)
   AND (:active::boolean IS NULL OR active = :active::boolean)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: sample_name_lock one
SELECT id AS "id"
  FROM lims.sample_name
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: sample_name_add one
SELECT lims.add_sample_name(:$organization::bigint, :name::text,
                            :trackingId::text, left(:$reason::text, 2000)) AS "id"

-- name: sample_name_remove one
-- A name that has ended is not changed.
UPDATE lims.sample_name
   SET ended_at = now(),
       end_reason = left(:$reason::text, 2000)
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   AND ended_at IS NULL
RETURNING id AS "id"
