-- SPDX-License-Identifier: Apache-2.0
-- Queries on sample tests. Locks are taken in the order of sql/130_sample_tests.sql,
-- tests by id before their samples, so that writers cannot deadlock.

-- name: sample_test_get one
SELECT *
  FROM lims.sample_test_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: sample_tests many
-- The nested member of a sample.
SELECT *
  FROM lims.sample_test_record
 WHERE organization_id = :$organization::bigint
   AND "sampleId" = :id::bigint
 ORDER BY id

-- name: sample_test_list many list
SELECT *
  FROM lims.sample_test_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: sample_test_lock one
SELECT id,
       status,
       disposition,
       returned_at IS NOT NULL AS returned
  FROM lims.sample_test
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: result_enter one
-- A qualifier belongs to its value: another value has none unless one is sent with it. So
-- do notes of a key and their place on the report; people see it where they write notes.
UPDATE lims.sample_test
   SET result = CASE WHEN :?result THEN :result::text ELSE result END,
       qualifier = CASE WHEN :?qualifier THEN :qualifier::text
                        WHEN :?result AND :result::text IS DISTINCT FROM result THEN NULL
                        ELSE qualifier END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END,
       note_on_report = CASE WHEN :?noteOnReport THEN :noteOnReport::boolean
                             WHEN :?notes AND :$key::bigint IS NOT NULL
                              AND :notes::text IS DISTINCT FROM notes THEN false
                             ELSE note_on_report END,
       reagent_lot_id = CASE WHEN :?reagentLotId THEN :reagentLotId::bigint
                             ELSE reagent_lot_id END,
       media_lot_id = CASE WHEN :?mediaLotId THEN :mediaLotId::bigint ELSE media_lot_id END,
       analyzed_at = CASE WHEN :?analyzedAt THEN :analyzedAt::timestamptz ELSE analyzed_at END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: sample_test_verify_blockers many
SELECT *
  FROM lims.verify_blockers(:$organization::bigint, :id::bigint)

-- name: sample_test_verify exec
UPDATE lims.sample_test
   SET status = 'verified',
       verified_by = :$user::bigint,
       verified_at = now(),
       verification_signature_id = :$signature::bigint
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: result_bulk_enter many
-- Returns each requested test, in the caller's order, with its former status (NULL:
-- the organization has none). The caller has to roll back unless all tests exist and
-- none was verified.
SELECT e.sample_test_id AS "sampleTestId",
       e.stood AS "status"
  FROM lims.enter_results(:$organization::bigint, :updates::jsonb) e

-- name: result_bulk_records many
-- The ids are cast beforehand: under row-level security a cast cannot be part of an
-- index condition, and all tests of the organization would be read.
WITH asked AS MATERIALIZED (
    SELECT (u.value ->> 'sampleTestId')::bigint AS id, u.place
      FROM jsonb_array_elements(:updates::jsonb) WITH ORDINALITY AS u (value, place)
)
SELECT r.*
  FROM asked
  JOIN lims.sample_test_record r ON r.id = asked.id
 WHERE r.organization_id = :$organization::bigint
 ORDER BY asked.place

-- name: result_bulk_lock many
-- Locks in the order of ids, as entering does.
SELECT t.id
  FROM lims.sample_test t
 WHERE t.organization_id = :$organization::bigint
   AND t.id = ANY (ARRAY(SELECT (u.value ->> 'sampleTestId')::bigint
                           FROM jsonb_array_elements(:updates::jsonb) u
                          WHERE u.value ? 'ifMatch'))
 ORDER BY t.id
   FOR NO KEY UPDATE

-- name: result_bulk_conditions many
-- The tests that a condition is set for, each with its condition.
WITH asked AS MATERIALIZED (
    SELECT (u.value ->> 'sampleTestId')::bigint AS id, u.place,
           u.value ->> 'ifMatch' AS if_match
      FROM jsonb_array_elements(:updates::jsonb) WITH ORDINALITY AS u (value, place)
     WHERE u.value ? 'ifMatch'
)
SELECT r.*,
       asked.if_match AS "ifMatch"
  FROM asked
  JOIN lims.sample_test_record r ON r.id = asked.id
 WHERE r.organization_id = :$organization::bigint
 ORDER BY asked.place

-- name: result_judge many
SELECT j."sampleTestId",
       j.status,
       j."numericValue",
       j."outOfSpecification",
       j.specification,
       j.presumptive,
       j.refusals,
       j."entryWarnings"
  FROM lims.judge_results(:$organization::bigint, :results::jsonb) j

-- name: sample_tests_lock many
-- Locks the tests to verify, with the families of those to choose, in order of id.
WITH asked AS MATERIALIZED (
    SELECT (i.value ->> 'sampleTestId')::bigint AS id, i.value ? 'choose' AS is_choice
      FROM jsonb_array_elements(:items::jsonb) AS i (value)
)
SELECT t.id,
       t.status
  FROM lims.sample_test t
 WHERE t.organization_id = :$organization::bigint
   AND t.id = ANY (ARRAY(SELECT asked.id FROM asked
                         UNION ALL
                         SELECT f.id
                           FROM asked
                           JOIN lims.sample_test c
                             ON c.organization_id = :$organization::bigint
                            AND c.id = asked.id
                           JOIN lims.sample_test f
                             ON f.organization_id = c.organization_id
                            AND f.sample_id = c.sample_id
                            AND coalesce(f.retest_of, f.id) = coalesce(c.retest_of, c.id)
                          WHERE asked.is_choice))
 ORDER BY t.id
   FOR NO KEY UPDATE OF t

-- name: reason_give one
-- Has the audit trail give this reason from here on.
-- global: sets the context alone
SELECT set_config('lims.reason', coalesce(:$reason::text, ''), true) AS "context"
