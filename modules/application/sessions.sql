-- SPDX-License-Identifier: Apache-2.0

-- name: session_record one
-- Returns a session of the acting person, or, to whoever manages users, of anybody.
SELECT s.*,
       s.id = :$session::bigint AS "current"
  FROM lims.session_record s
 WHERE s.organization_id = :$organization::bigint
   AND s.id = :id::bigint
   AND (s."userId" = :$user::bigint
        OR lims.has_permission(s.organization_id, :$user::bigint, 'user.manage'))

-- name: session_own_list many list
SELECT s.*,
       s.id = :$session::bigint AS "current"
  FROM lims.session_record s
 WHERE s.organization_id = :$organization::bigint
   AND s."userId" = :$user::bigint
   AND s.id > :cursor::bigint
   AND (:active::boolean IS NULL OR s.active = :active::boolean)
 ORDER BY s.id
 LIMIT :limit::bigint + 1

-- name: session_list many list
SELECT s.*,
       s.id = :$session::bigint AS "current"
  FROM lims.session_record s
 WHERE s.organization_id = :$organization::bigint
   AND s."userId" = :id::bigint
   AND s.id > :cursor::bigint
   AND (:active::boolean IS NULL OR s.active = :active::boolean)
 ORDER BY s.id
 LIMIT :limit::bigint + 1

-- name: session_end one
SELECT lims.end_session(s.organization_id, s.id)
  FROM lims.session_record s
 WHERE s.organization_id = :$organization::bigint
   AND s.id = :id::bigint
   AND (s."userId" = :$user::bigint
        OR lims.has_permission(s.organization_id, :$user::bigint, 'user.manage'))
