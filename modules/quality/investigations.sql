-- SPDX-License-Identifier: Apache-2.0

-- name: investigation_get one
SELECT r.*,
       encode(lims.signed_hash(r.organization_id, 'investigation', r.id), 'hex')
           AS "contentHash"
  FROM lims.investigation_record r
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: investigation_list many list custom
SELECT r.*,
       encode(lims.signed_hash(r.organization_id, 'investigation', r.id), 'hex')
           AS "contentHash"
  FROM lims.investigation_record r
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:kind::text IS NULL OR kind = :kind::text)
   AND (:status::text IS NULL OR status = :status::text)
   AND (:sampleId::bigint IS NULL OR "sampleId" = :sampleId::bigint)
   AND (:parentId::bigint IS NULL OR "parentId" = :parentId::bigint)
   AND (:open::boolean IS NULL OR (status NOT IN ('closed', 'cancelled')) = :open::boolean)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: investigation_lock one
SELECT id
  FROM lims.investigation
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: investigation_create one
-- The investigation of a test is also that of its sample.
INSERT INTO lims.investigation
      (organization_id, kind, title, sample_id, sample_test_id, due_on,
       assignee_id, qc_batch_id, reagent_lot_id, media_lot_id, instrument_file_id, parent_id)
VALUES (:$organization::bigint, :kind::text, :title::text,
        coalesce(:sampleId::bigint,
                 (SELECT t.sample_id
                    FROM lims.sample_test t
                   WHERE t.organization_id = :$organization::bigint
                     AND t.id = :sampleTestId::bigint)),
        :sampleTestId::bigint, :dueOn::date, :assigneeId::bigint,
        :qcBatchId::bigint, :reagentLotId::bigint, :mediaLotId::bigint,
        :instrumentFileId::bigint, :parentId::bigint)
RETURNING id

-- name: investigation_update one
UPDATE lims.investigation
   SET title = CASE WHEN :?title THEN :title::text ELSE title END,
       due_on = CASE WHEN :?dueOn THEN :dueOn::date ELSE due_on END,
       assignee_id = CASE WHEN :?assigneeId THEN :assigneeId::bigint ELSE assignee_id END,
       checks = CASE WHEN :?checks THEN :checks::text[] ELSE checks END,
       hypotheses = CASE WHEN :?hypotheses THEN :hypotheses::text ELSE hypotheses END,
       retest_plan = CASE WHEN :?retestPlan THEN :retestPlan::text ELSE retest_plan END,
       root_cause = CASE WHEN :?rootCause THEN :rootCause::text ELSE root_cause END,
       conclusion = CASE WHEN :?conclusion THEN :conclusion::text ELSE conclusion END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: investigation_advance one
UPDATE lims.investigation
   SET status = :status::text,
       conclusion = CASE WHEN :?conclusion THEN :conclusion::text ELSE conclusion END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: investigation_approve_plan one
UPDATE lims.investigation
   SET retest_plan_approved_at = now()
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: investigation_action_add one
INSERT INTO lims.investigation_action
      (organization_id, investigation_id, text, owner_id, due_on)
VALUES (:$organization::bigint, :id::bigint, :text::text, :ownerId::bigint,
        :dueDate::date)
RETURNING id

-- name: investigation_action_find one
SELECT id
  FROM lims.investigation_action
 WHERE organization_id = :$organization::bigint
   AND investigation_id = :id::bigint
   AND id = :actionId::bigint

-- name: investigation_action_done exec
UPDATE lims.investigation_action
   SET done_at = :doneAt::timestamptz
 WHERE organization_id = :$organization::bigint
   AND investigation_id = :id::bigint
   AND id = :actionId::bigint
