-- SPDX-License-Identifier: Apache-2.0

-- name: tool_heads many
-- global: all organizations, as the owner. Each has the last block that was closed before the
-- period, from which on its heads are exported; NULL: from the first.
SELECT o.code AS "code",
       (SELECT b.id
          FROM lims.audit_block b
         WHERE b.organization_id = o.id
           AND b.closed_at < now() - make_interval(days => :days::integer)
         ORDER BY b.id DESC
         LIMIT 1) AS "fromBlock"
  FROM lims.organization o
 ORDER BY o.code
