-- SPDX-License-Identifier: Apache-2.0

-- name: rekey_find many
-- global: the key file is the server's, and so are all secrets it seals
SELECT e.organization_id AS "organizationId",
       e.id AS "id",
       e.secret AS "secret",
       e.previous_secret AS "previousSecret"
  FROM lims.webhook_endpoint e
 WHERE e.deleted_at IS NULL
   AND (substr(e.secret, 1, length(:prefix::bytea)) <> :prefix::bytea
        OR substr(e.previous_secret, 1, length(:prefix::bytea)) <> :prefix::bytea)
   AND (e.organization_id, e.id)
       > (:afterOrganization::bigint, :afterEndpoint::bigint)
 ORDER BY e.organization_id, e.id
 LIMIT :batch::bigint
   FOR NO KEY UPDATE

-- name: rekey_seal exec
-- Whoever looks at the audit trail later finds why.
WITH context AS MATERIALIZED (
    SELECT lims.act_as(:$organization::bigint, NULL::bigint, :$request::text,
                       :$reason::text, NULL::bigint)
)
UPDATE lims.webhook_endpoint e
   SET secret = :secret::bytea,
       previous_secret = :previousSecret::bytea
  FROM context
 WHERE e.organization_id = :$organization::bigint
   AND e.id = :id::bigint
