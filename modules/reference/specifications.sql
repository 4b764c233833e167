-- SPDX-License-Identifier: Apache-2.0

-- name: specification_get one
SELECT *
  FROM lims.specification_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: specification_list many list custom
SELECT *
  FROM lims.specification_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:testDefinitionId::bigint IS NULL OR "testDefinitionId" = :testDefinitionId::bigint)
   AND (:materialTypeId::bigint IS NULL OR "materialTypeId" = :materialTypeId::bigint)
   AND (:projectId::bigint IS NULL OR "projectId" = :projectId::bigint)
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
       high, expected_text, decision_rule)
VALUES (:$organization::bigint, :testDefinitionId::bigint,
        :materialTypeId::bigint, :projectId::bigint, :low::numeric,
        :high::numeric, :expectedText::text, :decisionRule::text)
RETURNING id

-- name: specification_update one
UPDATE lims.specification
   SET low = CASE WHEN :?low THEN :low::numeric ELSE low END,
       high = CASE WHEN :?high THEN :high::numeric ELSE high END,
       expected_text = CASE WHEN :?expectedText THEN :expectedText::text ELSE expected_text END,
       decision_rule = CASE WHEN :?decisionRule THEN :decisionRule::text ELSE decision_rule END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: specification_delete one
-- Returns the record as it was: a statement does not see its own changes.
WITH deleted AS (
    DELETE FROM lims.specification
     WHERE organization_id = :$organization::bigint
       AND id = :id::bigint
    RETURNING id
)
SELECT r.*
  FROM deleted
  JOIN lims.specification_record r ON r.id = deleted.id
 WHERE r.organization_id = :$organization::bigint
