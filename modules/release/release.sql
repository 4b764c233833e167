-- SPDX-License-Identifier: Apache-2.0

-- name: readiness_state one
SELECT id AS "id",
       "releaseState" AS "releaseState"
  FROM lims.sample_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: readiness_lacks many
SELECT l.lack AS "lack"
  FROM lims.policy_lacks(:$organization::bigint) l (lack)

-- name: readiness_findings many
SELECT category AS "category",
       severity AS "severity",
       lims.finding_sentence(category, message, sample_test_id IS NOT NULL,
                             approval_id IS NOT NULL) AS "message",
       cleared_by AS "clearedBy",
       sample_test_id AS "sampleTestId",
       qc_batch_id AS "qcBatchId",
       media_lot_id AS "mediaLotId",
       reagent_lot_id AS "reagentLotId",
       worksheet_id AS "worksheetId",
       approval_id AS "approvalId",
       investigation_id AS "investigationId"
  FROM lims.release_finding
 WHERE organization_id = :$organization::bigint
   AND sample_id = :id::bigint
 ORDER BY severity,
          category,
          sample_test_id,
          qc_batch_id,
          media_lot_id,
          reagent_lot_id,
          approval_id
