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
-- The blocks after one, as many as have some 20,000 entries.
SELECT b.id AS "id",
       b.from_position AS "fromPosition",
       b.to_position AS "toPosition",
       (extract(epoch FROM b.closed_at) * 1000000)::bigint AS "closedAt",
       b.key_id AS "keyId",
       b.entry_version AS "entryVersion",
       b.entry_ids::text AS "entryIds",
       b.marks AS "marks",
       substr(b.head::text, 3) AS "head"
  FROM (SELECT x.*, sum(cardinality(x.entry_ids)) OVER (ORDER BY x.id)
                        - cardinality(x.entry_ids) AS before
          FROM (SELECT *
                  FROM lims.audit_block
                 WHERE organization_id = :$organization::bigint
                   AND id > :after::bigint
                 ORDER BY id
                 LIMIT 500) x) b
 WHERE b.before < 20000
 ORDER BY b.id

-- name: audit_block_entries many custom
SELECT e.id AS "id",
       e.position AS "position",
       e.digest AS "digest",
       (extract(epoch FROM e.occurred_at) * 1000000)::bigint AS "occurredAt"
  FROM lims.audit_entries_between(:$organization::bigint, :from::bigint, :to::bigint) e
 ORDER BY e.position, e.id

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
