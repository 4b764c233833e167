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

-- name: approvals_lock many
-- Locks the samples of the approvals to decide, then the approvals, in order of id.
WITH asked AS MATERIALIZED (
    SELECT a.sample_id, a.id
      FROM lims.approval a
     WHERE a.organization_id = :$organization::bigint
       AND a.id = ANY (ARRAY(
           SELECT (i.value ->> 'id')::bigint
             FROM jsonb_array_elements(:items::jsonb) AS i (value)))
), held AS MATERIALIZED (
    SELECT s.id
      FROM lims.sample s
     WHERE s.organization_id = :$organization::bigint
       AND s.id IN (SELECT asked.sample_id FROM asked)
     ORDER BY s.id
       FOR NO KEY UPDATE
)
SELECT a.id,
       a.status
  FROM lims.approval a
 WHERE a.organization_id = :$organization::bigint
   AND a.id = ANY (ARRAY(
       SELECT asked.id
         FROM asked
         JOIN held
           ON held.id = asked.sample_id))
 ORDER BY a.id
   FOR NO KEY UPDATE OF a

-- name: approval_task_list many list custom
SELECT *
  FROM lims.approval_task_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:status::text IS NULL OR status = :status::text)
   AND (:mine::boolean IS NOT TRUE OR status = 'pending')
   AND (:mine::boolean IS NULL OR mine = :mine::boolean)
 ORDER BY id
 LIMIT :limit::bigint + 1
