-- SPDX-License-Identifier: Apache-2.0

-- name: schema_version one
-- global: the schema is one for all organizations
SELECT max(version) AS "version",
       max(compatible_since) AS "compatibleSince"
  FROM lims.schema_migration
