-- SPDX-License-Identifier: Apache-2.0

-- name: history_of many custom
-- Oldest first: the cursor is the id of the entry after which to read.
SELECT h.*
  FROM lims.history_record h
 WHERE h.organization_id = :$organization::bigint
   AND (h.table_name, h.record_id) IN (
       SELECT p.table_name, p.record_id
         FROM lims.record_parts(:$organization::bigint, :table::text,
                                ARRAY[:id::bigint]) p)
   AND h.id > :cursor::bigint
 ORDER BY h.id
 LIMIT :limit::bigint + 1
