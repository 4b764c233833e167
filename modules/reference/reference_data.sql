-- SPDX-License-Identifier: Apache-2.0
-- Reference data as files.

-- name: reference_codes many
-- The codes of the records that other reference data refers to.
SELECT 'test-definitions' AS noun, x.id, x.code
  FROM lims.test_definition x
 WHERE x.organization_id = :$organization::bigint
 UNION ALL
SELECT 'material-types', x.id, x.code
  FROM lims.material_type x
 WHERE x.organization_id = :$organization::bigint
 UNION ALL
SELECT 'projects', x.id, x.code
  FROM lims.project x
 WHERE x.organization_id = :$organization::bigint
 UNION ALL
SELECT 'clients', x.id, x.code
  FROM lims.client x
 WHERE x.organization_id = :$organization::bigint
 UNION ALL
SELECT 'storage-locations', x.id, x.code
  FROM lims.storage_location x
 WHERE x.organization_id = :$organization::bigint
