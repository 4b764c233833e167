-- SPDX-License-Identifier: Apache-2.0

-- name: saved_view_get one
SELECT *
  FROM lims.saved_view_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   AND ("ownerId" = :$user::bigint OR shared)

-- name: saved_view_list many list
SELECT *
  FROM lims.saved_view_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND ("ownerId" = :$user::bigint OR shared)
   AND (:page::text IS NULL OR page = :page::text)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: saved_view_lock one
SELECT id
  FROM lims.saved_view
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   AND (owner_id = :$user::bigint OR shared)
   FOR NO KEY UPDATE

-- name: saved_view_create one
INSERT INTO lims.saved_view (organization_id, name, page, query, shared)
VALUES (:$organization::bigint, :name::text, :page::text, :query::text,
        :shared::boolean)
RETURNING id

-- name: saved_view_update one
UPDATE lims.saved_view
   SET name = CASE WHEN :?name THEN :name::text ELSE name END,
       query = CASE WHEN :?query THEN :query::text ELSE query END,
       shared = CASE WHEN :?shared THEN :shared::boolean ELSE shared END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: saved_view_delete one
-- Returns the record as it was: a statement does not see its own changes.
WITH deleted AS (
    DELETE FROM lims.saved_view
     WHERE organization_id = :$organization::bigint
       AND id = :id::bigint
    RETURNING id
)
SELECT r.*
  FROM deleted
  JOIN lims.saved_view_record r ON r.id = deleted.id
 WHERE r.organization_id = :$organization::bigint
