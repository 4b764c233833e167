-- SPDX-License-Identifier: Apache-2.0

-- name: laboratory_figures many
-- global: operators look at all organizations
SELECT f.figure AS "figure",
       f.organization AS "organization",
       f.label AS "label",
       f.name AS "name",
       f.value AS "value"
  FROM lims.laboratory_figures(:countAtMost::bigint) f
