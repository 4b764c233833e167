-- SPDX-License-Identifier: Apache-2.0

-- name: audit_archive_list many list custom
SELECT *
  FROM lims.audit_archive_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1
