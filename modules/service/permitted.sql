-- SPDX-License-Identifier: Apache-2.0

-- name: permission_refuse exec
SELECT lims.refuse_permission(:$organization::bigint, :permission::text)
