-- SPDX-License-Identifier: Apache-2.0

-- name: client_get one
SELECT *
  FROM lims.client_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: client_list many list
SELECT *
  FROM lims.client_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:code::text IS NULL OR code = :code::text)
   AND (:q::text IS NULL
        OR strpos(lower(concat_ws(', ', code, name)), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: client_lock one
SELECT id
  FROM lims.client
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: client_create one
INSERT INTO lims.client
      (organization_id, code, name, contact_name, email, phone, address,
       active)
VALUES (:$organization::bigint, :code::text, :name::text, :contactName::text,
        :email::text, :phone::text, :address::text, :active::boolean)
RETURNING id

-- name: client_update one
UPDATE lims.client
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       contact_name = CASE WHEN :?contactName THEN :contactName::text ELSE contact_name END,
       email = CASE WHEN :?email THEN :email::text ELSE email END,
       phone = CASE WHEN :?phone THEN :phone::text ELSE phone END,
       address = CASE WHEN :?address THEN :address::text ELSE address END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
