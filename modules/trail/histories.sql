-- SPDX-License-Identifier: Apache-2.0

-- name: history_of many custom
-- Oldest first: the cursor is the id of the entry after which to read. Where the beginning of the
-- history is archived, a first line says so.
SELECT *
  FROM ((SELECT :$organization::bigint AS organization_id, c.first_id AS id,
        :table::text AS table_name, :id::bigint AS record_id, c.until AS "occurredAt",
        NULL::text AS person,
        c.sentence,
        '{}'::bigint[] AS entries, true AS archived
  FROM lims.record_archive(:$organization::bigint, :table::text, :id::bigint) c
 WHERE :cursor::bigint = 0)
 UNION ALL
(SELECT h.organization_id, h.id, h.table_name, h.record_id, h."occurredAt", h.person,
       h.sentence, h.entries, false
  FROM lims.history_record h
 WHERE h.organization_id = :$organization::bigint
   AND (h.table_name, h.record_id) IN (
       SELECT p.table_name, p.record_id
         FROM lims.record_parts(:$organization::bigint, :table::text,
                                ARRAY[:id::bigint]) p)
   AND h.id > :cursor::bigint
 ORDER BY h.id
 LIMIT :limit::bigint + 1)) lines
 ORDER BY lines.archived DESC, lines.id
 LIMIT :limit::bigint + 1
