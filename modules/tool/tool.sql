-- SPDX-License-Identifier: Apache-2.0

-- name: tool_find one
-- global: finds out which organization and user the command line names; asked
-- before the tenant is set, as the owner
SELECT o.id AS "organizationId",
       o.esignature_required AS "esignatureRequired",
       u.id AS "userId",
       u.active AS "userActive",
       u.password_hash AS "passwordHash"
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

-- name: tool_sign one
-- Signs the record as it stands, and has the audit trail name the signature.
WITH signature AS MATERIALIZED (
    SELECT lims.sign(:$user::bigint, :meaning::text, :signs::text, :id::bigint,
                     :$reason::text, 'password') AS id
)
SELECT id AS "id",
       set_config('lims.signature_id', id::text, true) AS "context"
  FROM signature
 WHERE :$organization::bigint IS NOT NULL
