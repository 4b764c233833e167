-- SPDX-License-Identifier: Apache-2.0

-- name: specification_get one
SELECT id AS "id",
       test_definition_id AS "testDefinitionId",
       material_type_id AS "materialTypeId",
       project_id AS "projectId",
       low AS "low",
       high AS "high",
       expected_text AS "expectedText",
       created_at AS "createdAt",
       updated_at AS "updatedAt"
  FROM lims.specification
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: specification_list many custom
SELECT id AS "id",
       test_definition_id AS "testDefinitionId",
       material_type_id AS "materialTypeId",
       project_id AS "projectId",
       low AS "low",
       high AS "high",
       expected_text AS "expectedText",
       created_at AS "createdAt",
       updated_at AS "updatedAt"
  FROM lims.specification
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:testDefinitionId::bigint IS NULL OR test_definition_id = :testDefinitionId::bigint)
   AND (:materialTypeId::bigint IS NULL OR material_type_id = :materialTypeId::bigint)
   AND (:projectId::bigint IS NULL OR project_id = :projectId::bigint)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: specification_lock one
SELECT id
  FROM lims.specification
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: specification_create one
INSERT INTO lims.specification
      (organization_id, test_definition_id, material_type_id, project_id, low,
       high, expected_text)
VALUES (:$organization::bigint, :testDefinitionId::bigint,
        :materialTypeId::bigint, :projectId::bigint, :low::numeric,
        :high::numeric, :expectedText::text)
RETURNING id

-- name: specification_update one
UPDATE lims.specification
   SET low = CASE WHEN :?low THEN :low::numeric ELSE low END,
       high = CASE WHEN :?high THEN :high::numeric ELSE high END,
       expected_text = CASE WHEN :?expectedText THEN :expectedText::text ELSE expected_text END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: specification_delete one
DELETE FROM lims.specification
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id AS "id",
          test_definition_id AS "testDefinitionId",
          material_type_id AS "materialTypeId",
          project_id AS "projectId",
          low AS "low",
          high AS "high",
          expected_text AS "expectedText",
          created_at AS "createdAt",
          updated_at AS "updatedAt"
