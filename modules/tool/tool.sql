-- SPDX-License-Identifier: Apache-2.0

-- name: tool_find one
-- global: finds out which organization and user the command line names; asked
-- before the tenant is set, as the owner
SELECT o.id AS "organizationId",
       o.esignature_required AS "esignatureRequired",
       u.id AS "userId",
       u.active AS "userActive",
       u.password_hash AS "passwordHash",
       lims.recovery(o.id) AS "recovery",
       -- NULL without a user: the owner of the database reads.
       CASE WHEN u.id IS NOT NULL
            THEN lims.permissions_of(o.id, u.id) END AS "permissions"
  FROM lims.organization o
  LEFT JOIN lims.user_account u
    ON u.organization_id = o.id
   AND lower(u.email) = lower(:userEmail::text)
 WHERE o.code = :organizationCode::text

-- name: tool_act exec
-- Until the transaction ends everything is done as the role of the service.
SELECT lims.act_as(:$organization::bigint, :$user::bigint, :$request::text,
                   :$reason::text, NULL::bigint),
       set_config('role', 'lims_app', true)

-- name: tool_act_owner exec
SELECT lims.act_as(:$organization::bigint, :$user::bigint, :$request::text,
                   :$reason::text, NULL::bigint)
