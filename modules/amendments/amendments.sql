-- SPDX-License-Identifier: Apache-2.0
-- Amendments of reported samples. The rules are in sql/158_amendments.sql.

-- name: amendment_get one
SELECT *
  FROM lims.amendment_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: amendment_list many list custom
SELECT *
  FROM lims.amendment_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:sampleId::bigint IS NULL OR "sampleId" = :sampleId::bigint)
   AND (:status::text IS NULL OR status = :status::text)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: amendment_lock one
-- Locks the sample first, as issuing its certificate does.
SELECT a.id,
       a.status
  FROM lims.sample s
  JOIN lims.amendment a
    ON a.organization_id = s.organization_id
   AND a.sample_id = s.id
 WHERE a.organization_id = :$organization::bigint
   AND a.id = :id::bigint
   FOR NO KEY UPDATE OF s, a

-- name: amendment_open one
INSERT INTO lims.amendment (organization_id, sample_id, reason, signature_id)
SELECT s.organization_id,
       s.id,
       :$reason::text,
       :$signature::bigint
  FROM lims.sample s
 WHERE s.organization_id = :$organization::bigint
   AND s.id = :id::bigint
RETURNING id

-- name: amendment_withdraw one
UPDATE lims.amendment
   SET status = 'withdrawn',
       close_reason = :$reason::text
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: amendment_resubmit one
UPDATE lims.amendment
   SET submissions = submissions + 1
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
