-- SPDX-License-Identifier: Apache-2.0

-- name: comment_get one
SELECT *
  FROM lims.comment_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: comment_list many list
SELECT *
  FROM lims.comment_record
 WHERE organization_id = :$organization::bigint
   AND table_name = :table::text
   AND record_id = :recordId::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: comment_add one
INSERT INTO lims.comment (organization_id, table_name, record_id, text)
SELECT :$organization::bigint, n."table", n.id, :text::text
  FROM json_to_record(:on::json) AS n ("table" text, id bigint)
RETURNING id
