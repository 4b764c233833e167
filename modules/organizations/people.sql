-- SPDX-License-Identifier: Apache-2.0

-- name: person_get one
SELECT *
  FROM lims.person_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: person_list many list
SELECT *
  FROM lims.person_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
 ORDER BY id
 LIMIT :limit::bigint + 1
