-- SPDX-License-Identifier: Apache-2.0

-- name: storage_location_get one
SELECT *
  FROM lims.storage_location_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: storage_location_list many list
SELECT *
  FROM lims.storage_location_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:code::text IS NULL OR code = :code::text)
   AND (:q::text IS NULL
        OR strpos(lower(concat_ws(', ', code, name)), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: storage_location_lock one
SELECT id
  FROM lims.storage_location
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: storage_location_create one
INSERT INTO lims.storage_location
      (organization_id, code, name, parent_id, kind, min_temperature,
       max_temperature, active)
VALUES (:$organization::bigint, :code::text, :name::text, :parentId::bigint,
        :kind::text, :minTemperature::numeric, :maxTemperature::numeric,
        :active::boolean)
RETURNING id

-- name: storage_location_update one
UPDATE lims.storage_location
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       parent_id = CASE WHEN :?parentId THEN :parentId::bigint ELSE parent_id END,
       kind = CASE WHEN :?kind THEN :kind::text ELSE kind END,
       min_temperature = CASE WHEN :?minTemperature THEN :minTemperature::numeric ELSE min_temperature END,
       max_temperature = CASE WHEN :?maxTemperature THEN :maxTemperature::numeric ELSE max_temperature END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
