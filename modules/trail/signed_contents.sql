-- SPDX-License-Identifier: Apache-2.0

-- name: signed_content_list many list custom
SELECT *
  FROM lims.signed_content_record(:$organization::bigint, :table::text, :recordId::bigint[])
 WHERE id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1
