-- SPDX-License-Identifier: Apache-2.0

-- name: audit_block_list many list custom
SELECT *
  FROM lims.audit_block_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: audit_block_before one
-- The block before the first that is to be verified.
SELECT b.to_position AS "toPosition",
       substr(b.head::text, 3) AS "head"
  FROM lims.audit_block b
 WHERE b.organization_id = :$organization::bigint
   AND b.id = :after::bigint

-- name: audit_block_next many custom
SELECT b.id AS "id",
       b.from_position AS "fromPosition",
       b.to_position AS "toPosition",
       (extract(epoch FROM b.closed_at) * 1000000)::bigint AS "closedAt",
       b.key_id AS "keyId",
       b.entry_version AS "entryVersion",
       b.entry_ids::text AS "entryIds",
       b.marks AS "marks",
       substr(b.head::text, 3) AS "head"
  FROM lims.audit_blocks_after(:$organization::bigint, :after::bigint) b
 ORDER BY b.id

-- name: audit_block_entries many custom
SELECT e.id AS "id",
       e.position AS "position",
       e.digest AS "digest",
       (extract(epoch FROM e.occurred_at) * 1000000)::bigint AS "occurredAt"
  FROM lims.audit_entries_between(:$organization::bigint, :from::bigint, :to::bigint) e
 ORDER BY e.position, e.id

-- name: audit_block_heads many custom
SELECT b.id AS "id",
       encode(b.head, 'hex') AS "head"
  FROM lims.audit_block b
 WHERE b.organization_id = :$organization::bigint
   AND b.id BETWEEN :from::bigint AND :to::bigint
 ORDER BY b.id

-- name: audit_archive_signed many
-- The archives in order, with the text that each one's signature is of: the head of its last
-- block is the one in the chain.
SELECT c.from_block AS "fromBlock",
       c.to_block AS "toBlock",
       c.key_id AS "keyId",
       c.signature AS "signature",
       c.removed_at IS NOT NULL AS "removed",
       concat_ws(':', 'lims-audit-archive-1', c.organization_id, c.from_block, c.to_block,
                 c.entries, (SELECT encode(b.head, 'hex')
                               FROM lims.audit_block b
                              WHERE b.organization_id = c.organization_id
                                AND b.id = c.to_block), c.sha256) AS "signed"
  FROM lims.audit_archive c
 WHERE c.organization_id = :$organization::bigint
 ORDER BY c.id

-- name: audit_head_export_from one
-- The organization, and the first block of an export: so that it has the last 80,000.
SELECT o.code AS "code",
       o.name AS "name",
       to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "now",
       greatest(coalesce(:fromBlock::bigint, 1),
                (SELECT coalesce(max(b.id), 0)
                   FROM lims.audit_block b
                  WHERE b.organization_id = :$organization::bigint) - 79999) AS "from"
  FROM lims.organization o
 WHERE o.id = :$organization::bigint

-- name: audit_head_export many custom
SELECT json_build_object(
           'head', r.head,
           'closedAt', to_char(r."closedAt" AT TIME ZONE 'UTC',
                               'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           'entries', r.entries)::text AS "line",
       r.id AS "id"
  FROM lims.audit_block_record r
 WHERE r.organization_id = :$organization::bigint
   AND r.id >= :from::bigint
 ORDER BY r.id
 LIMIT 80000

-- name: audit_block_tail one custom
-- Entries behind the last block. Those below the place up to which the chain is closed
-- were not there when it was closed; the others are not yet closed.
SELECT count(*) FILTER (WHERE a.position >= c.closed_below
                           OR c.closed_below IS NULL) AS "open",
       min(a.id) FILTER (WHERE a.position >= c.closed_below
                            OR c.closed_below IS NULL) AS "firstOpen",
       min(a.id) FILTER (WHERE a.position < c.closed_below) AS "inserted"
  FROM lims.organization o
  LEFT JOIN lims.audit_closing c
    ON c.organization_id = o.id
  LEFT JOIN LATERAL lims.audit_entries_from(o.id, :from::bigint, 100000) a
    ON true
 WHERE o.id = :$organization::bigint
