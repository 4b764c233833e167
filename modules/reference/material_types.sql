-- SPDX-License-Identifier: Apache-2.0

-- name: material_type_get one
SELECT *
  FROM lims.material_type_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: material_type_list many list
SELECT *
  FROM lims.material_type_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:code::text IS NULL OR code = :code::text)
   AND (:q::text IS NULL
        OR strpos(lower(concat_ws(', ', code, name)), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: material_type_lock one
SELECT id
  FROM lims.material_type
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: material_type_create one
INSERT INTO lims.material_type
      (organization_id, code, name, active)
VALUES (:$organization::bigint, :code::text, :name::text, :active::boolean)
RETURNING id

-- name: material_type_update one
UPDATE lims.material_type
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
