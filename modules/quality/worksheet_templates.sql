-- SPDX-License-Identifier: Apache-2.0

-- name: worksheet_template_get one
SELECT x.id AS "id",
       x.test_definition_id AS "testDefinitionId",
       x.name AS "name",
       x.version AS "version",
       x.active AS "active",
       (SELECT coalesce(json_agg(json_build_object(
                            'name', f.name, 'label', f.label, 'unit', f.unit,
                            'kind', f.kind, 'required', f.required)
                                 ORDER BY f.position), '[]')
          FROM lims.worksheet_field f
         WHERE f.organization_id = x.organization_id
           AND f.template_id = x.id) AS "fields",
       (SELECT coalesce(json_agg(json_build_object('name', s.name, 'role', s.role)
                                 ORDER BY s.position), '[]')
          FROM lims.worksheet_signoff_step s
         WHERE s.organization_id = x.organization_id
           AND s.template_id = x.id) AS "signoffSteps",
       x.created_at AS "createdAt",
       x.updated_at AS "updatedAt"
  FROM lims.worksheet_template x
 WHERE x.organization_id = :$organization::bigint
   AND x.id = :id::bigint

-- name: worksheet_template_list many custom
SELECT x.id AS "id",
       x.test_definition_id AS "testDefinitionId",
       x.name AS "name",
       x.version AS "version",
       x.active AS "active",
       (SELECT coalesce(json_agg(json_build_object(
                            'name', f.name, 'label', f.label, 'unit', f.unit,
                            'kind', f.kind, 'required', f.required)
                                 ORDER BY f.position), '[]')
          FROM lims.worksheet_field f
         WHERE f.organization_id = x.organization_id
           AND f.template_id = x.id) AS "fields",
       (SELECT coalesce(json_agg(json_build_object('name', s.name, 'role', s.role)
                                 ORDER BY s.position), '[]')
          FROM lims.worksheet_signoff_step s
         WHERE s.organization_id = x.organization_id
           AND s.template_id = x.id) AS "signoffSteps",
       x.created_at AS "createdAt",
       x.updated_at AS "updatedAt"
  FROM lims.worksheet_template x
 WHERE x.organization_id = :$organization::bigint
   AND x.id > :cursor::bigint
   AND (:testDefinitionId::bigint IS NULL
        OR x.test_definition_id = :testDefinitionId::bigint)
   AND (:active::boolean IS NULL OR x.active = :active::boolean)
 ORDER BY x.id
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
           required)
    SELECT t.organization_id,
           t.id,
           f.place,
           f.value ->> 'name',
           f.value ->> 'label',
           f.value ->> 'unit',
           f.value ->> 'kind',
           (f.value ->> 'required')::boolean
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
