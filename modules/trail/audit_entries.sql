-- SPDX-License-Identifier: Apache-2.0
-- Newest first: the cursor is the id before which to read, 0 the end of the trail.

-- name: audit_entry_of_record many custom
SELECT *
  FROM lims.audit_entry_record
 WHERE organization_id = :$organization::bigint
   AND "recordId" = :recordId::bigint
   AND "table" = :table::text
   AND id < coalesce(nullif(:cursor::bigint, 0), 9223372036854775807)
   AND (:userId::bigint IS NULL OR "userId" = :userId::bigint)
   AND (:apiKeyId::bigint IS NULL OR "apiKeyId" = :apiKeyId::bigint)
   AND (:requestId::text IS NULL OR "requestId" = :requestId::text)
   AND (:from::timestamptz IS NULL OR "occurredAt" >= :from::timestamptz)
   AND (:to::timestamptz IS NULL OR "occurredAt" <= :to::timestamptz)
 ORDER BY id DESC
 LIMIT :limit::bigint + 1

-- name: audit_entry_of_period many custom
SELECT *
  FROM lims.audit_entry_record
 WHERE organization_id = :$organization::bigint
   AND "occurredAt" >= :from::timestamptz
   AND "occurredAt" <= :to::timestamptz
   AND id < coalesce(nullif(:cursor::bigint, 0), 9223372036854775807)
   AND (:table::text IS NULL OR "table" = :table::text)
   AND (:userId::bigint IS NULL OR "userId" = :userId::bigint)
   AND (:apiKeyId::bigint IS NULL OR "apiKeyId" = :apiKeyId::bigint)
   AND (:requestId::text IS NULL OR "requestId" = :requestId::text)
 ORDER BY id DESC
 LIMIT :limit::bigint + 1

-- name: audit_entry_period one
-- The period that is read: by default the last 31 days before its end, which is now.
SELECT p.begins AS "from",
       p.ends AS "to",
       p.begins > p.ends AS "backward",
       p.ends - p.begins > interval '31 days 1 minute' AS "tooLong"
  FROM (SELECT coalesce(:from::timestamptz,
                        coalesce(:to::timestamptz, now()) - interval '31 days') AS begins,
               coalesce(:to::timestamptz, now()) AS ends
          FROM lims.organization o
         WHERE o.id = :$organization::bigint) p
