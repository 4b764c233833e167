-- SPDX-License-Identifier: Apache-2.0
-- Newest first: the cursor is the entry before which to read, 0 the end of the trail. Of a
-- record it is the id; of a period, which is read along the index of time, time and id,
-- "MICROSECONDS-ID".

-- name: audit_entry_of_record many custom
-- Where the beginning is archived, the oldest line says so.
SELECT *
  FROM ((SELECT *
          FROM lims.audit_entry_record
         WHERE organization_id = :$organization::bigint
           AND "recordId" = :recordId::bigint
           AND "table" = :table::text
           AND id < coalesce(nullif(regexp_replace(:cursor::text, '^.*-', '')::bigint, 0),
                             9223372036854775807)
           AND (:userId::bigint IS NULL OR "userId" = :userId::bigint)
           AND (:apiKeyId::bigint IS NULL OR "apiKeyId" = :apiKeyId::bigint)
           AND (:requestId::text IS NULL OR "requestId" = :requestId::text)
           AND (:surface::text IS NULL OR surface = :surface::text)
           AND (:from::timestamptz IS NULL OR "occurredAt" >= :from::timestamptz)
           AND (:to::timestamptz IS NULL OR "occurredAt" <= :to::timestamptz)
         ORDER BY id DESC
         LIMIT :limit::bigint + 1)
         UNION ALL
        SELECT *
          FROM lims.archived_entry(:$organization::bigint, :table::text, :recordId::bigint) a
         WHERE a.id < coalesce(nullif(regexp_replace(:cursor::text, '^.*-', '')::bigint, 0),
                               9223372036854775807)
           AND (:from::timestamptz IS NULL OR a."occurredAt" >= :from::timestamptz)) lines
 ORDER BY lines.id DESC
 LIMIT :limit::bigint + 1

-- name: audit_entry_of_period many custom
SELECT r.*,
       (extract(epoch FROM r."occurredAt") * 1000000)::bigint || '-' || r.id AS "cursor"
  FROM lims.audit_entry_record r
 WHERE r.organization_id = :$organization::bigint
   AND r."occurredAt" >= :from::timestamptz
   AND r."occurredAt" <= :to::timestamptz
   AND (:before::bigint IS NULL
        OR r."occurredAt" < :to::timestamptz
        OR r.id < :before::bigint)
   AND (:table::text IS NULL OR r."table" = :table::text)
   AND (:userId::bigint IS NULL OR r."userId" = :userId::bigint)
   AND (:apiKeyId::bigint IS NULL OR r."apiKeyId" = :apiKeyId::bigint)
   AND (:requestId::text IS NULL OR r."requestId" = :requestId::text)
   AND (:surface::text IS NULL OR r.surface = :surface::text)
 ORDER BY r."occurredAt" DESC, r.id DESC
 LIMIT :limit::bigint + 1

-- name: audit_entry_period one
-- The period that is read: by default the last 31 days before its end, which is now. With a cursor
-- it ends at that entry's time; of the entries of that very time only those with lower ids
-- are still to be read.
SELECT p.begins AS "from",
       least(p.ends, c.at) AS "to",
       c.id AS "before",
       p.begins > p.ends AS "backward",
       p.ends - p.begins > interval '31 days 1 minute' AS "tooLong",
       -- Entries up to this time are in a file; of a period that nobody named, the rest is shown.
       CASE WHEN coalesce(:from::timestamptz, :to::timestamptz) <= p.until
            THEN to_char(p.until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
             END AS "archived"
  FROM (SELECT coalesce(:from::timestamptz,
                        coalesce(:to::timestamptz, now()) - interval '31 days') AS begins,
               coalesce(:to::timestamptz, now()) AS ends,
               lims.audit_archived_until(o.id) AS until
          FROM lims.organization o
         WHERE o.id = :$organization::bigint) p
 CROSS JOIN (
       SELECT 'epoch'::timestamptz + split_part(x.cursor, '-', 1)::bigint
                                         * interval '1 microsecond' AS at,
              split_part(x.cursor, '-', 2)::bigint AS id
         FROM (SELECT CASE WHEN :cursor::text LIKE '%-%' THEN :cursor::text END AS cursor) x) c

-- part: exported_entries
WITH entries AS MATERIALIZED (
    SELECT *
      FROM lims.archived_entry(:$organization::bigint, :table::text, :recordId::bigint) a
     WHERE :recordId::bigint IS NOT NULL
       AND (:from::timestamptz IS NULL OR a."occurredAt" >= :from::timestamptz)
     UNION ALL
   (SELECT r.*
      FROM lims.audit_entry_record r
     WHERE r.organization_id = :$organization::bigint
       AND (:recordId::bigint IS NULL
            OR r."recordId" = :recordId::bigint AND r."table" = :table::text)
       AND (:from::timestamptz IS NULL OR r."occurredAt" >= :from::timestamptz)
       AND (:to::timestamptz IS NULL OR r."occurredAt" <= :to::timestamptz)
       AND (:table::text IS NULL OR r."table" = :table::text)
       AND (:userId::bigint IS NULL OR r."userId" = :userId::bigint)
       AND (:apiKeyId::bigint IS NULL OR r."apiKeyId" = :apiKeyId::bigint)
       AND (:requestId::text IS NULL OR r."requestId" = :requestId::text)
       AND (:surface::text IS NULL OR r.surface = :surface::text)
     ORDER BY r."occurredAt", r.id
     LIMIT 50001)
)

-- name: audit_entry_lines many custom
-- The entries, oldest first, with a row for each changed field.
:{exported_entries}
SELECT e.id, e."occurredAt", e."table", e."recordId", e.record, e.action,
       c.change ->> 'field' AS field, c.change ->> 'old' AS old,
       c.change ->> 'new' AS new, e.person, e."apiKey", e.surface, e."sessionId",
       e.address, e.browser, e."requestId", e.reason, e."signatureId", e.block,
       (SELECT count(*) FROM entries) > 50000 AS "tooMany"
  FROM entries e
  LEFT JOIN LATERAL json_array_elements(e.changes) WITH ORDINALITY AS c (change, place)
    ON true
 ORDER BY e."occurredAt", e.id, c.place

-- name: audit_entry_documents many custom
-- The same entries, each as a line of JSON.
:{exported_entries}
SELECT (to_jsonb(e) - 'organization_id')::text AS "line",
       (SELECT count(*) FROM entries) > 50000 AS "tooMany"
  FROM entries e
 ORDER BY e."occurredAt", e.id
