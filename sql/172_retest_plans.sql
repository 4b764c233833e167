-- SPDX-License-Identifier: Apache-2.0
--
-- The retest plan of an investigation is approved before the test is repeated (FDA,
-- Investigating OOS Results, 2022, IV.B): the approval, which is signed, and the gate of
-- retests. The triggers stand in the lists of 130 and 152.

-- The approval -------------------------------------------------------------

-- Whether a text of an investigation is written: not NULL, and not blank.
CREATE FUNCTION lims.is_written(p_text text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce(p_text ~ '\S', false)
$$;

-- Refuses to approve a retest plan without the permission and a signature, and by the person
-- who wrote it, where the policy refuses that. The owner of the database needs no signature.
CREATE FUNCTION lims.check_plan_approval(p lims.investigation) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT lims.is_owner_acting() THEN
        PERFORM lims.require_permission(p.organization_id, 'investigation.close');
        IF NOT lims.is_signed(p.organization_id, lims.context_id('signature_id'), 'approved',
                              'investigation', p.id) THEN
            PERFORM lims.refuse('esignature_required', format(
                'the approval of the retest plan of investigation %s needs a signature, made '
                'now with password re-authentication', p.investigation_number));
        END IF;
    END IF;
    IF p.retest_plan_by = lims.context_id('user_id') AND EXISTS (
        SELECT FROM lims.organization o
         WHERE o.id = p.organization_id
           AND o.self_verification = 'refused'
    ) THEN
        PERFORM lims.refuse('self_verification', format(
            'the retest plan of investigation %s must be approved by another person than '
            'the one who wrote it', p.investigation_number));
    END IF;
END
$$;

-- Records who wrote the retest plan, ends its approval with a change of the plan, and gives
-- the approval: of a plan that is written, and once.
CREATE FUNCTION lims.investigation_plan() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.retest_plan IS DISTINCT FROM OLD.retest_plan THEN
        NEW.retest_plan_by := CASE WHEN lims.is_written(NEW.retest_plan)
                                   THEN lims.context_id('user_id') END;
        NEW.retest_plan_approved_at := NULL;
        NEW.retest_plan_approved_by := NULL;
        RETURN NEW;
    ELSIF NEW.retest_plan_approved_at IS NULL
          OR NEW.retest_plan_by IS DISTINCT FROM OLD.retest_plan_by THEN
        PERFORM lims.refuse('field_not_patchable',
            'the author and the approval of a retest plan change with the plan alone');
    ELSIF NOT lims.is_written(NEW.retest_plan) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'investigation %s has no retest plan: write one before it is approved',
            NEW.investigation_number));
    ELSIF OLD.retest_plan_approved_at IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'the retest plan of investigation %s is approved already',
            NEW.investigation_number));
    END IF;
    PERFORM lims.check_plan_approval(NEW);
    NEW.retest_plan_approved_at := now();
    NEW.retest_plan_approved_by := lims.acting_user();
    RETURN NEW;
END
$$;

CREATE TRIGGER plan_insert BEFORE INSERT ON lims.investigation
FOR EACH ROW EXECUTE FUNCTION lims.investigation_plan();

CREATE TRIGGER plan_update BEFORE UPDATE ON lims.investigation
FOR EACH ROW WHEN ((NEW.retest_plan, NEW.retest_plan_by, NEW.retest_plan_approved_at,
        NEW.retest_plan_approved_by)
    IS DISTINCT FROM (OLD.retest_plan, OLD.retest_plan_by, OLD.retest_plan_approved_at,
        OLD.retest_plan_approved_by))
EXECUTE FUNCTION lims.investigation_plan();

-- The approval as the record of its investigation shows it; NULL: not approved.
CREATE FUNCTION lims.plan_approval_shown(p_by bigint, p_at timestamptz) RETURNS json
LANGUAGE sql STABLE
SET timezone = 'UTC'
AS $$
    SELECT CASE WHEN p_at IS NOT NULL THEN json_build_object(
        'by', p_by,
        'at', to_char(p_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) END
$$;

-- The gate -----------------------------------------------------------------

-- Refuses a retest while an investigation of a test of its family is open whose retest plan
-- is not approved; while none is written, where the policy says that open investigations
-- block. One of a failed QC batch is about the batch, and asks for nothing.
--
-- Locks these investigations until the transaction ends: a concurrent change of a plan, or
-- of its approval, waits for this transaction, or is seen by it.
CREATE FUNCTION lims.require_retest_plan(
    p_organization bigint,
    p_sample bigint,
    p_first bigint
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT i.id, i.investigation_number, i.sample_test_id,
               CASE WHEN lims.is_written(i.retest_plan)
                    THEN CASE WHEN i.retest_plan_approved_at IS NULL
                              THEN ', and its retest plan is not approved: have the plan '
                                   'approved' END
                    WHEN o.open_investigation_blocks
                    THEN ' and has no retest plan: write one and have it approved'
               END AS lack
          FROM lims.investigation i
          JOIN lims.organization o
            ON o.id = i.organization_id
         WHERE i.organization_id = p_organization
           AND i.sample_test_id = ANY (ARRAY(
               SELECT t.id
                 FROM lims.sample_test t
                WHERE t.organization_id = p_organization
                  AND t.sample_id = p_sample
                  AND coalesce(t.retest_of, t.id) = p_first))
           AND i.status NOT IN ('closed', 'cancelled')
           AND i.kind <> 'qc_failure'
         ORDER BY i.id
           FOR SHARE OF i
    LOOP
        IF v.lack IS NOT NULL THEN
            PERFORM lims.refuse_for('investigation_open', format(
                'investigation %s is open%s, or close the investigation, before the test is '
                'repeated', v.investigation_number, v.lack),
                json_build_object('testIds', ARRAY[v.sample_test_id],
                                  'investigationIds', ARRAY[v.id]));
        END IF;
    END LOOP;
END
$$;

-- Asks the gate for the retests of a statement, each family once.
CREATE FUNCTION lims.sample_test_plans() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    -- Registrations have no retests: making the query below ready costs them more than
    -- looking for one.
    IF EXISTS (SELECT FROM new_rows n WHERE n.retest_of IS NOT NULL) THEN
        PERFORM lims.require_retest_plan(f.organization_id, f.sample_id, f.retest_of)
           FROM (SELECT DISTINCT n.organization_id, n.sample_id, n.retest_of
                   FROM new_rows n
                  WHERE n.retest_of IS NOT NULL
                  ORDER BY 1, 2, 3) f;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER final_plans AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_plans();
