-- SPDX-License-Identifier: Apache-2.0
--
-- Changing the matrix: the permissions of roles, as a whole.

-- Gives each of the roles the permissions that are listed for it, [{"role",
-- "permissions"}], and no others. Locks the organization's row, which serializes such
-- changes. Policies that the active users could then not meet are refused (156).
CREATE FUNCTION lims.set_permissions(p_organization bigint, p_roles jsonb) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.organization o
      WHERE o.id = p_organization
        FOR NO KEY UPDATE;
    INSERT INTO lims.role_permission (organization_id, role, permission)
    SELECT DISTINCT p_organization, x ->> 'role', w.permission
      FROM jsonb_array_elements(p_roles) x
     CROSS JOIN LATERAL jsonb_array_elements_text(x -> 'permissions') w (permission)
    ON CONFLICT (organization_id, role, permission) DO NOTHING;
    DELETE FROM lims.role_permission p
     USING jsonb_array_elements(p_roles) x
     WHERE p.organization_id = p_organization
       AND p.role = x ->> 'role'
       AND NOT x -> 'permissions' ? p.permission;
    PERFORM lims.settle_policies();
END
$$;
