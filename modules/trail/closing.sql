-- SPDX-License-Identifier: Apache-2.0

-- name: audit_begin one
-- global: the job closes the chains of all organizations
SELECT clock_timestamp()::text AS "begun"

-- name: audit_take one
-- global: the job closes the chains of all organizations. Times are microseconds since
-- 1970, which no setting writes otherwise.
SELECT t.organization_id AS "organization",
       t.last_position AS "chainEnd",
       t.from_position AS "fromPosition",
       t.to_position AS "toPosition",
       t.behind AS "behind",
       t.last_block + 1 AS "block",
       coalesce(substr(t.last_head::text, 3), '-') AS "lastHead",
       (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS "closedAt"
  FROM lims.audit_take(:begun::timestamptz, :rows::bigint) t

-- name: audit_to_close many
-- global: the job closes the chains of all organizations
SELECT e.id AS "id",
       e.digest AS "digest"
  FROM lims.audit_entries_to_close(:organization::bigint, :fromPosition::bigint,
                                   :toPosition::bigint) e

-- name: audit_close exec
-- global: the job closes the chains of all organizations
SELECT lims.audit_close(
           ROW(:organization::bigint, :block::bigint, :chainEnd::bigint,
               :toPosition::bigint,
               'epoch'::timestamptz + :closedAt::bigint * interval '1 microsecond',
               :keyId::text, 1, :entryIds::bigint[], :marks::bytea, :head::bytea
               )::lims.audit_block, :behind::boolean)

-- name: job_audit_backlog one
-- global: the job closes the chains of all organizations
SELECT lims.audit_closing_age()::bigint AS "behindSeconds"
