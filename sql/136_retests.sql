-- SPDX-License-Identifier: Apache-2.0
--
-- Repeated tests: a family is a test and its repetitions, of which one result is reported.
-- While more than one is active, none is (finding retest_undecided); choosing a verified
-- one sets the others aside.

-- Adds retests of an active test, which is left unchanged, and returns them. (An open
-- investigation may refuse them: 172.)
CREATE FUNCTION lims.retest(
    p_organization bigint,
    p_sample_test bigint,
    p_replicates integer
) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_test lims.sample_test;
    v_ids bigint[];
BEGIN
    SELECT *
      INTO v_test
      FROM lims.lock_family(p_organization, p_sample_test);
    PERFORM lims.acting_user();
    IF v_test.id IS NULL THEN
        RETURN;
    ELSIF v_test.disposition <> 'active' THEN
        PERFORM lims.refuse_inactive(v_test.id, v_test.disposition);
    ELSIF p_replicates NOT BETWEEN 1 AND 10 THEN
        PERFORM lims.refuse('invalid_body', 'replicates must be a number from 1 to 10');
    END IF;
    PERFORM lims.require_permission(p_organization, 'result.verify');
    WITH added AS (
        INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id,
            retest_of, reported)
        SELECT p_organization, v_test.sample_id, v_test.test_definition_id,
               coalesce(v_test.retest_of, v_test.id), false
          FROM generate_series(1, p_replicates)
        RETURNING id
    )
    SELECT array_agg(a.id ORDER BY a.id)
      INTO v_ids
      FROM added a;
    PERFORM lims.settle_family(v_test);
    RETURN QUERY SELECT unnest(v_ids);
END
$$;

-- Refuses a choice without a valid signature, where the policy requires one or one was
-- given, and the user's own result where the policy forbids to verify it.
CREATE FUNCTION lims.check_choice(p_test lims.sample_test) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_signature bigint := lims.context_id('signature_id');
    v record;
BEGIN
    SELECT o.esignature_required
      INTO v
      FROM lims.organization o
     WHERE o.id = (p_test).organization_id;
    IF (v.esignature_required OR v_signature IS NOT NULL)
       AND NOT lims.is_signed((p_test).organization_id, v_signature, 'chosen',
                              'sample_test', (p_test).id) THEN
        PERFORM lims.refuse('esignature_required', 'choosing a result needs a '
            'signature on it, made now with password re-authentication');
    ELSIF lims.is_own_result((p_test).organization_id, (p_test).id) THEN
        PERFORM lims.refuse('self_verification', format(
            'sample test %s must be chosen by another person than the one who entered '
            'it',
            (p_test).id));
    END IF;
END
$$;

-- Chooses a verified result of a family as the reported one, and sets the other active
-- ones aside, whatever their status. Choosing the chosen one changes nothing.
CREATE FUNCTION lims.choose_test(p_organization bigint, p_sample_test bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_test lims.sample_test;
    v_others bigint[];
BEGIN
    SELECT *
      INTO v_test
      FROM lims.lock_family(p_organization, p_sample_test);
    PERFORM lims.acting_user();
    IF v_test.id IS NULL THEN
        RETURN;
    ELSIF v_test.disposition = 'cancelled' THEN
        PERFORM lims.refuse_inactive(v_test.id, v_test.disposition);
    ELSIF v_test.status <> 'verified' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s is %s: only a verified result can be chosen', v_test.id,
            v_test.status));
    END IF;
    SELECT array_agg(t.id ORDER BY t.id)
      INTO v_others
      FROM lims.sample_test t
     WHERE t.organization_id = p_organization
       AND t.sample_id = v_test.sample_id
       AND coalesce(t.retest_of, t.id) = coalesce(v_test.retest_of, v_test.id)
       AND t.id <> v_test.id;
    IF v_others IS NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s has no retest: there is nothing to choose', v_test.id));
    ELSIF v_test.reported THEN
        RETURN;
    END IF;
    PERFORM lims.require_permission(p_organization, 'result.verify');
    PERFORM lims.check_choice(v_test);
    UPDATE lims.sample_test t
       SET disposition = CASE t.id WHEN v_test.id THEN 'active' ELSE 'set_aside' END
     WHERE t.organization_id = p_organization
       AND (t.id = ANY (v_others) AND t.disposition = 'active'
            OR t.id = v_test.id AND t.disposition = 'set_aside');
    PERFORM lims.settle_family(v_test);
END
$$;

-- Undoes a choice when its result is reopened: the tests that were set aside become
-- active again. Entered results are judged by the present limits.
CREATE FUNCTION lims.sample_test_undo_choice() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    UPDATE lims.sample_test t
       SET disposition = 'active',
           spec_material_type_id = CASE t.status WHEN 'entered'
               THEN s.material_type_id ELSE t.spec_material_type_id END,
           spec_project_id = CASE t.status WHEN 'entered'
               THEN s.project_id ELSE t.spec_project_id END
      FROM lims.sample s
     WHERE t.organization_id = NEW.organization_id
       AND t.sample_id = NEW.sample_id
       AND coalesce(t.retest_of, t.id) = coalesce(NEW.retest_of, NEW.id)
       AND t.disposition = 'set_aside'
       AND s.organization_id = t.organization_id
       AND s.id = t.sample_id;
    IF FOUND THEN
        PERFORM lims.settle_family(NEW);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER undo_choice AFTER UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status = 'verified' AND NEW.status <> 'verified')
EXECUTE FUNCTION lims.sample_test_undo_choice();
