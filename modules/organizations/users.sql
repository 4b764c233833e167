-- SPDX-License-Identifier: Apache-2.0

-- name: user_get one
SELECT *
  FROM lims.user_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: user_list many list
SELECT *
  FROM lims.user_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:email::text IS NULL OR lower(email) = lower(:email::text))
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: user_lock one
SELECT id
  FROM lims.user_account
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: user_create one
WITH created AS (
    INSERT INTO lims.user_account
          (organization_id, email, display_name, password_hash, identity, active)
    VALUES (:$organization::bigint, :email::text, :displayName::text,
            :passwordHash::text, :identity::jsonb, :active::boolean)
    RETURNING id
), granted AS (
    INSERT INTO lims.user_role (organization_id, user_id, role)
    SELECT :$organization::bigint, created.id, granted.role
      FROM created, unnest(:roles::text[]) AS granted (role)
)
SELECT id
  FROM created

-- name: user_set_roles exec
WITH withdrawn AS (
    DELETE FROM lims.user_role
     WHERE organization_id = :$organization::bigint
       AND user_id = :id::bigint
       AND role <> ALL (:roles::text[])
)
INSERT INTO lims.user_role (organization_id, user_id, role)
SELECT u.organization_id, u.id, wanted.role
  FROM lims.user_account u, unnest(:roles::text[]) AS wanted (role)
 WHERE u.organization_id = :$organization::bigint
   AND u.id = :id::bigint
    ON CONFLICT (organization_id, user_id, role) DO NOTHING

-- name: user_update exec
-- By an identity or by a password: the one that is given takes the other away.
UPDATE lims.user_account
   SET email = CASE WHEN :?email THEN :email::text ELSE email END,
       display_name = CASE WHEN :?displayName THEN :displayName::text ELSE display_name END,
       identity = CASE WHEN :?identity THEN :identity::jsonb ELSE identity END,
       password_hash = CASE WHEN :identity::jsonb IS NULL THEN password_hash END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: user_password_names one
-- Returns the texts that must not be the password of a user, present or to be created, and
-- whether it has to come by link.
SELECT lims.passwords_by_link(o.id) AS "byLink",
       o.name AS "name",
       o.code AS "code",
       coalesce(:email::text, (SELECT u.email
                                 FROM lims.user_account u
                                WHERE u.organization_id = o.id
                                  AND u.id = :id::bigint)) AS "email"
  FROM lims.organization o
 WHERE o.id = :$organization::bigint

-- name: user_set_password one
UPDATE lims.user_account
   SET password_hash = :passwordHash::text,
       identity = NULL
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: user_deactivate one
UPDATE lims.user_account
   SET active = false
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: user_unlock one
SELECT lims.unlock_account(u.organization_id, u.id)
  FROM lims.user_account u
 WHERE u.organization_id = :$organization::bigint
   AND u.id = :id::bigint

-- name: user_link one
SELECT :id::bigint AS "userId",
       lims.give_link(:$organization::bigint, :id::bigint, :tokenHash::bytea,
                      :purpose::text) AS "expiresAt"
