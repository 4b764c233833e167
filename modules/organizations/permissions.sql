-- SPDX-License-Identifier: Apache-2.0

-- name: permission_matrix one
SELECT p.*,
       encode(lims.signed_hash(p.organization_id, 'organization', p.organization_id), 'hex')
           AS "contentHash"
  FROM lims.permission_record p
 WHERE p.organization_id = :$organization::bigint

-- name: permission_matrix_set exec
SELECT lims.set_permissions(:$organization::bigint, :roles::jsonb)
