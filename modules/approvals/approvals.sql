-- SPDX-License-Identifier: Apache-2.0

-- name: approval_get one
SELECT *
  FROM lims.approval_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: approval_sample one
SELECT id
  FROM lims.sample
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: approval_list many list
SELECT *
  FROM lims.approval_record
 WHERE organization_id = :$organization::bigint
   AND "sampleId" = :id::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: approval_lock one
-- Locks the sample first, so that its approvals are decided one after the other.
SELECT a.id,
       a.status,
       a.decided_by AS "decidedBy",
       a.status <> 'pending' AS "settled"
  FROM lims.sample s
  JOIN lims.approval a
    ON a.organization_id = s.organization_id
   AND a.sample_id = s.id
 WHERE a.organization_id = :$organization::bigint
   AND a.id = :id::bigint
   FOR NO KEY UPDATE OF s, a

-- name: approval_decide exec
-- A decided record is not changed.
UPDATE lims.approval
   SET status = :status::text,
       comment = :comment::text,
       decided_by = :$user::bigint,
       decided_at = now(),
       signature_id = :$signature::bigint
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   AND status = 'pending'
