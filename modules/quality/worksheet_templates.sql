-- SPDX-License-Identifier: Apache-2.0

-- name: worksheet_template_get one
SELECT *
  FROM lims.worksheet_template_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: worksheet_template_list many list custom
SELECT *
  FROM lims.worksheet_template_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:testDefinitionId::bigint IS NULL
        OR "testDefinitionId" = :testDefinitionId::bigint)
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:q::text IS NULL OR strpos(lower(name), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: worksheet_template_lock one
SELECT id
  FROM lims.worksheet_template
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: worksheet_template_create one
WITH template AS (
    INSERT INTO lims.worksheet_template
          (organization_id, test_definition_id, name, version)
    SELECT :$organization::bigint,
           :testDefinitionId::bigint,
           :name::text,
           coalesce(max(x.version), 0) + 1
      FROM lims.worksheet_template x
     WHERE x.organization_id = :$organization::bigint
       AND x.test_definition_id = :testDefinitionId::bigint
    RETURNING organization_id, id
), field AS (
    INSERT INTO lims.worksheet_field
          (organization_id, template_id, position, name, label, unit, kind,
           required, formula, decimals)
    SELECT t.organization_id,
           t.id,
           f.place,
           f.value ->> 'name',
           f.value ->> 'label',
           f.value ->> 'unit',
           f.value ->> 'kind',
           (f.value ->> 'required')::boolean,
           f.value ->> 'formula',
           (f.value ->> 'decimals')::integer
      FROM template t
     CROSS JOIN jsonb_array_elements(:fields::jsonb)
           WITH ORDINALITY AS f (value, place)
), step AS (
    INSERT INTO lims.worksheet_signoff_step
          (organization_id, template_id, position, name, role)
    SELECT t.organization_id,
           t.id,
           s.place,
           s.value ->> 'name',
           s.value ->> 'role'
      FROM template t
     CROSS JOIN jsonb_array_elements(coalesce(:signoffSteps::jsonb, '[]'))
           WITH ORDINALITY AS s (value, place)
)
SELECT id AS "id"
  FROM template

-- name: worksheet_template_update one
UPDATE lims.worksheet_template
   SET name = CASE WHEN :?name THEN :name::text ELSE name END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
