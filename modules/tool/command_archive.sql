-- SPDX-License-Identifier: Apache-2.0
-- Archiving old blocks of the audit trail, as the owner of the schema.

-- name: tool_archive_unfinished one
-- An archive whose entries are not all removed.
SELECT c.id AS "archive",
       c.from_block AS "fromBlock",
       c.to_block AS "toBlock",
       c.entries AS "entries",
       c.file_name AS "fileName",
       c.sha256 AS "sha256"
  FROM lims.audit_archive c
 WHERE c.organization_id = :$organization::bigint
   AND c.removed_at IS NULL

-- name: tool_archive_range one
-- The blocks that can be archived, and whose they are.
SELECT r.from_block AS "fromBlock",
       r.to_block AS "toBlock",
       r.from_position AS "fromPosition",
       r.to_position AS "toPosition",
       r.last_head AS "lastHead",
       o.code AS "code",
       o.name AS "name",
       to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "now",
       :before::timestamptz > now() AS "future"
  FROM lims.organization o
 CROSS JOIN lims.audit_archivable(:$organization::bigint, :before::timestamptz) r
 WHERE o.id = :$organization::bigint

-- name: tool_archive_blocks many
-- The next blocks, each as a line of the file.
SELECT b.id AS "id",
       b.to_position AS "toPosition",
       encode(b.head, 'hex') AS "head",
       json_build_object(
           'block', b.id, 'fromPosition', b.from_position, 'toPosition', b.to_position,
           'closedAt', (extract(epoch FROM b.closed_at) * 1000000)::bigint,
           'keyId', b.key_id, 'entryVersion', b.entry_version,
           'entries', cardinality(b.entry_ids), 'marks', encode(b.marks, 'hex'),
           'head', encode(b.head, 'hex'))::text AS "line"
  FROM lims.audit_blocks_after(:$organization::bigint, :after::bigint) b
 WHERE b.id <= :toBlock::bigint
 ORDER BY b.id

-- name: tool_archive_entries many
SELECT l.position AS "position",
       l.line AS "line"
  FROM lims.audit_lines_between(:$organization::bigint, :from::bigint, :to::bigint) l
 ORDER BY l.position, l.id

-- name: tool_archive_record one
-- Writes that a file has the entries of these blocks.
INSERT INTO lims.audit_archive (organization_id, id, from_block, to_block, to_position,
    entries, last_entry_at, file_name, sha256, key_id, signature)
SELECT :$organization::bigint,
       coalesce((SELECT max(c.id)
                   FROM lims.audit_archive c
                  WHERE c.organization_id = :$organization::bigint), 0) + 1,
       :fromBlock::bigint, :toBlock::bigint, b.to_position, :entries::bigint,
       'epoch'::timestamptz + :lastEntryAt::bigint * interval '1 microsecond',
       :fileName::text, :sha256::text, :keyId::text, :signature::text
  FROM lims.audit_block b
 WHERE b.organization_id = :$organization::bigint
   AND b.id = :toBlock::bigint
   AND encode(b.head, 'hex') = :head::text
RETURNING id AS "archive"

-- name: tool_archive_remove one
-- Removes entries of an archive.
SELECT lims.audit_remove(:$organization::bigint, :archive::bigint, 5000) AS "removed"

-- name: tool_archive_compare many
-- Heads of the chain of an archive's blocks, and the record of that archive.
SELECT b.id AS "id",
       encode(b.head, 'hex') AS "head",
       c.sha256 AS "sha256"
  FROM lims.audit_block b
  LEFT JOIN lims.audit_archive c
    ON c.organization_id = b.organization_id
   AND c.from_block = :fromBlock::bigint
   AND c.to_block = :toBlock::bigint
 WHERE b.organization_id = :$organization::bigint
   AND b.id BETWEEN :fromBlock::bigint AND :toBlock::bigint
 ORDER BY b.id
