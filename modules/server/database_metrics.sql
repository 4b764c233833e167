-- SPDX-License-Identifier: Apache-2.0

-- name: laboratory_figures many
-- global: operators look at all organizations
SELECT f.figure AS "figure",
       f.organization AS "organization",
       f.label AS "label",
       f.name AS "name",
       f.value AS "value"
  FROM lims.laboratory_figures(:countAtMost::bigint) f

-- name: connection_room one
-- global: it is about the server, not about anybody's data
SELECT current_setting('max_connections')::integer
           - current_setting('superuser_reserved_connections')::integer AS "room"
