-- SPDX-License-Identifier: Apache-2.0

-- name: confirmation_get one
SELECT t.id AS "id",
       t.sample_id AS "sampleId",
       d.code AS "testCode",
       d.name AS "testName",
       t.result AS "result",
       t.confirmation_status AS "confirmationStatus"
  FROM lims.sample_test t
  JOIN lims.test_definition d
    ON d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
 WHERE t.organization_id = :$organization::bigint
   AND t.id = :id::bigint

-- name: confirmation_list many custom
SELECT t.id AS "id",
       t.sample_id AS "sampleId",
       d.code AS "testCode",
       d.name AS "testName",
       t.result AS "result",
       t.confirmation_status AS "confirmationStatus"
  FROM lims.sample_test t
  JOIN lims.test_definition d
    ON d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
 WHERE t.organization_id = :$organization::bigint
   AND t.id > :cursor::bigint
   AND t.confirmation_status IS NOT NULL
   AND (:confirmationStatus::text IS NULL
        OR t.confirmation_status = :confirmationStatus::text)
   AND (:sampleId::bigint IS NULL OR t.sample_id = :sampleId::bigint)
 ORDER BY t.id
 LIMIT :limit::bigint + 1

-- name: confirmation_steps many
-- The nested member of a confirmation.
SELECT id AS "id",
       position AS "position",
       medium AS "medium",
       procedure AS "procedure",
       read_at AS "readAt",
       reading AS "reading",
       outcome AS "outcome",
       notes AS "notes",
       performed_by AS "performedBy",
       created_at AS "createdAt"
  FROM lims.confirmation_step
 WHERE organization_id = :$organization::bigint
   AND sample_test_id = :id::bigint
 ORDER BY position

-- name: confirmation_step one
INSERT INTO lims.confirmation_step
      (organization_id, sample_test_id, position, medium, procedure, read_at,
       reading, outcome, performed_by, notes)
SELECT :$organization::bigint,
       :id::bigint,
       coalesce(max(s.position), 0) + 1,
       :medium::text,
       :procedure::text,
       coalesce(:readAt::timestamptz, now()),
       :reading::text,
       :outcome::text,
       :$user::bigint,
       :notes::text
  FROM lims.confirmation_step s
 WHERE s.organization_id = :$organization::bigint
   AND s.sample_test_id = :id::bigint
RETURNING sample_test_id AS "id"

-- name: confirmation_outcome one
UPDATE lims.sample_test
   SET confirmation_status = :outcome::text
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
