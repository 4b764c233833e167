-- SPDX-License-Identifier: Apache-2.0

-- name: sample_test_reopen one
UPDATE lims.sample_test
   SET status = 'entered',
       reopening_signature_id = :$signature::bigint
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   AND status = 'verified'
RETURNING id
