-- SPDX-License-Identifier: Apache-2.0

-- name: project_get one
SELECT *
  FROM lims.project_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: project_list many list
SELECT *
  FROM lims.project_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:code::text IS NULL OR code = :code::text)
   AND (:q::text IS NULL
        OR strpos(lower(concat_ws(', ', code, name)), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: project_lock one
SELECT id
  FROM lims.project
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: project_create one
INSERT INTO lims.project
      (organization_id, code, name, client_id, composite_sample_identifier,
       active)
VALUES (:$organization::bigint, :code::text, :name::text, :clientId::bigint,
        :compositeSampleIdentifier::boolean, :active::boolean)
RETURNING id

-- name: project_update one
UPDATE lims.project
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       client_id = CASE WHEN :?clientId THEN :clientId::bigint ELSE client_id END,
       composite_sample_identifier = CASE WHEN :?compositeSampleIdentifier THEN :compositeSampleIdentifier::boolean ELSE composite_sample_identifier END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
