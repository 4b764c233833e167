-- SPDX-License-Identifier: Apache-2.0

-- name: panel_get one
SELECT *
  FROM lims.panel_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: panel_list many list
SELECT *
  FROM lims.panel_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:code::text IS NULL OR code = :code::text)
   AND (:q::text IS NULL
        OR strpos(lower(concat_ws(', ', code, name)), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: panel_lock one
SELECT id
  FROM lims.panel
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: panel_create one
INSERT INTO lims.panel
      (organization_id, code, name, test_definition_ids, active)
VALUES (:$organization::bigint, :code::text, :name::text, :testDefinitionIds::bigint[],
        :active::boolean)
RETURNING id

-- name: panel_update one
UPDATE lims.panel
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       test_definition_ids = CASE WHEN :?testDefinitionIds THEN :testDefinitionIds::bigint[]
                                  ELSE test_definition_ids END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
