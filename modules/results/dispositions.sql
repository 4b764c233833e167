-- SPDX-License-Identifier: Apache-2.0
-- Acts on sample tests beside their results. The rules are in sql/135_test_dispositions.sql
-- and sql/136_retests.sql.

-- name: sample_test_hold one
-- Locks a test with its family, in their order.
SELECT id,
       status,
       disposition
  FROM lims.lock_family(:$organization::bigint, :id::bigint)

-- name: sample_test_cancel exec
SELECT lims.cancel_test(:$organization::bigint, :id::bigint)

-- name: sample_test_restore exec
SELECT lims.restore_test(:$organization::bigint, :id::bigint)

-- name: sample_test_choose exec
SELECT lims.choose_test(:$organization::bigint, :id::bigint)

-- name: sample_test_retest one
SELECT array_agg(a.id) AS "added"
  FROM lims.retest(:$organization::bigint, :id::bigint, :replicates::integer) a (id)

-- name: sample_test_add one
SELECT array_agg(a.id) AS "added"
  FROM lims.add_tests(:$organization::bigint, :id::bigint, :testDefinitionIds::bigint[],
                      :panelIds::bigint[]) a (id)

-- name: sample_tests_added many
SELECT *
  FROM lims.sample_test_record
 WHERE organization_id = :$organization::bigint
   AND id = ANY (:added::bigint[])
 ORDER BY id
