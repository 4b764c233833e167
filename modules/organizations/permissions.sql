-- SPDX-License-Identifier: Apache-2.0

-- name: permission_matrix one
-- Every role, also one without a permission.
SELECT json_agg(json_build_object('role', x.role, 'permissions', ARRAY(
           SELECT p.permission
             FROM lims.role_permission p
            WHERE p.organization_id = :$organization::bigint
              AND p.role = x.role
            ORDER BY p.permission)) ORDER BY x.place) AS "roles",
       encode(lims.signed_hash(:$organization::bigint, 'organization', :$organization::bigint),
              'hex') AS "contentHash"
  FROM unnest(:allRoles::text[]) WITH ORDINALITY AS x (role, place)

-- name: permission_matrix_set exec
SELECT lims.set_permissions(:$organization::bigint, :roles::jsonb)
