-- SPDX-License-Identifier: Apache-2.0

-- name: confirmation_get one
SELECT r.*,
       CASE r."confirmationStatus" WHEN 'pending'
            THEN encode(lims.signed_hash(r.organization_id, 'sample_test', r.id), 'hex') END
           AS "contentHash"
  FROM lims.confirmation_record r
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: confirmation_list many list custom
SELECT r.*,
       CASE r."confirmationStatus" WHEN 'pending'
            THEN encode(lims.signed_hash(r.organization_id, 'sample_test', r.id), 'hex') END
           AS "contentHash"
  FROM lims.confirmation_record r
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND "confirmationStatus" IS NOT NULL
   AND (:confirmationStatus::text IS NULL
        OR "confirmationStatus" = :confirmationStatus::text)
   AND (:sampleId::bigint IS NULL OR "sampleId" = :sampleId::bigint)
   AND (:dueBefore::timestamptz IS NULL OR "nextReadDue" < :dueBefore::timestamptz)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: confirmation_steps many
-- The nested member of a confirmation.
SELECT *
  FROM lims.confirmation_step_record
 WHERE organization_id = :$organization::bigint
   AND "sampleTestId" = :id::bigint
 ORDER BY position

-- name: confirmation_step one
INSERT INTO lims.confirmation_step
      (organization_id, sample_test_id, position, medium, media_lot_id, procedure,
       read_at, reading, outcome, performed_by, notes)
SELECT :$organization::bigint,
       :id::bigint,
       coalesce(max(s.position), 0) + 1,
       :medium::text,
       :mediaLotId::bigint,
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
