-- SPDX-License-Identifier: Apache-2.0
--
-- Changing policies: who may, with what, and the steps of approval with their roles.
-- The owner of the database, who makes organizations, is not asked.

-- Refuses a change of policies, steps or permissions without a reason, and under the policy
-- esignature_required without a signature. The policy that was in force decides.
CREATE FUNCTION lims.policy_act() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_row CONSTANT jsonb := to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END);
    v_organization CONSTANT bigint :=
        coalesce(v_row ->> 'organization_id', v_row ->> 'id')::bigint;
BEGIN
    IF lims.is_owner_acting() THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    IF lims.context('reason') IS NULL THEN
        PERFORM lims.refuse('reason_required',
                            'a change of policies needs a reason');
    END IF;
    IF (SELECT o.esignature_required
          FROM lims.organization o
         WHERE o.id = v_organization)
       AND NOT lims.is_signed(v_organization, lims.context_id('signature_id'),
                              'approved', 'organization', v_organization) THEN
        PERFORM lims.refuse('esignature_required', 'a change of policies needs a '
                                                   'signature, made now with password '
                                                   're-authentication');
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END
$$;

CREATE TRIGGER policy_act BEFORE UPDATE ON lims.organization
FOR EACH ROW EXECUTE FUNCTION lims.policy_act();

CREATE TRIGGER policy_act BEFORE INSERT OR UPDATE OR DELETE ON lims.approval_step
FOR EACH ROW EXECUTE FUNCTION lims.policy_act();

CREATE TRIGGER policy_act BEFORE INSERT OR DELETE ON lims.role_permission
FOR EACH ROW EXECUTE FUNCTION lims.policy_act();

-- Steps --------------------------------------------------------------------

-- Refuses a step with a role that lacks approval.decide.
CREATE FUNCTION lims.approval_step_role() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lims.role_permission p
         WHERE p.organization_id = NEW.organization_id
           AND p.role = NEW.role
           AND p.permission = 'approval.decide'
    ) THEN
        PERFORM lims.refuse('invalid_body', format(
            'approvalStepRoles: the role %s does not have the permission '
            'approval.decide', NEW.role));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.approval_step
FOR EACH ROW WHEN (NEW.role IS NOT NULL)
EXECUTE FUNCTION lims.approval_step_role();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.approval_step
FOR EACH ROW WHEN (NEW.role IS NOT NULL AND NEW.role IS DISTINCT FROM OLD.role)
EXECUTE FUNCTION lims.approval_step_role();

-- Sets the steps of approval, their roles, or both; NULL: as they are. Steps are
-- identified by their position: an existing step is renamed, steps beyond the end become
-- inactive.
CREATE FUNCTION lims.set_approval_steps(
    p_organization bigint,
    p_names text[],
    p_roles text[]
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_names CONSTANT text[] := coalesce(p_names, ARRAY(
        SELECT s.name
          FROM lims.approval_step s
         WHERE s.organization_id = p_organization
           AND s.active
         ORDER BY s.position));
BEGIN
    IF cardinality(p_roles) <> cardinality(v_names) THEN
        PERFORM lims.refuse('invalid_body', format(
            'approvalStepRoles: there are %s approvalSteps: name a role or null for '
            'each', cardinality(v_names)));
    END IF;
    UPDATE lims.approval_step s
       SET active = false
     WHERE s.organization_id = p_organization
       AND s.active
       AND s.position > cardinality(v_names);
    UPDATE lims.approval_step s
       SET name = v_names[s.position],
           role = CASE WHEN p_roles IS NULL THEN s.role ELSE p_roles[s.position] END
     WHERE s.organization_id = p_organization
       AND s.active
       AND (s.name <> v_names[s.position]
            OR p_roles IS NOT NULL AND s.role IS DISTINCT FROM p_roles[s.position]);
    INSERT INTO lims.approval_step (organization_id, position, name, role)
    SELECT p_organization, w.position, w.name, p_roles[w.position]
      FROM unnest(v_names) WITH ORDINALITY AS w (name, position)
     WHERE NOT EXISTS (
           SELECT FROM lims.approval_step s
            WHERE s.organization_id = p_organization
              AND s.active
              AND s.position = w.position);
END
$$;

-- Refuses a signature for a change of policies with which nothing is changed: somebody was
-- first with the same change, and has signed it.
CREATE FUNCTION lims.policies_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lims.audit_entry a
         WHERE a.organization_id = NEW.organization_id
           AND a.occurred_at = NEW.signed_at
           AND a.signature_id = NEW.id
           AND a.table_name <> 'electronic_signature'
    ) THEN
        PERFORM lims.refuse('invalid_transition',
            'the policies are so already; a change is signed only once');
    END IF;
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER policies_changed AFTER INSERT ON lims.electronic_signature
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (NEW.table_name = 'organization')
EXECUTE FUNCTION lims.policies_changed();
