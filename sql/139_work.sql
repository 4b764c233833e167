-- SPDX-License-Identifier: Apache-2.0
--
-- Work on tests between people: a result that is sent back to be entered again, and tests
-- that are assigned to somebody.
--
-- The run-time role has no right to the columns: it calls the functions of this file.

CREATE FUNCTION lims.refuse_assignee(p_organization bigint, p_user bigint) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF p_user IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.user_account u
         WHERE u.organization_id = p_organization
           AND u.id = p_user
           AND u.active
    ) THEN
        PERFORM lims.refuse('invalid_reference', format(
            'assignedTo: no active user %s', p_user));
    END IF;
END
$$;

-- Sending back -------------------------------------------------------------

-- Sends an entered result back to be entered again, by somebody (NULL: who entered it, or
-- anybody if that person is not active any more). Until then it is not verified.
CREATE FUNCTION lims.return_test(
    p_organization bigint,
    p_sample_test bigint,
    p_assigned_to bigint
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_test lims.sample_test;
BEGIN
    PERFORM lims.require_own(p_organization);
    PERFORM lims.require_read_committed();
    PERFORM lims.require_permission(p_organization, 'result.verify');
    PERFORM lims.refuse_assignee(p_organization, p_assigned_to);
    SELECT *
      INTO v_test
      FROM lims.sample_test t
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test
       FOR NO KEY UPDATE;
    IF v_test.disposition <> 'active' THEN
        PERFORM lims.refuse_inactive(v_test.id, v_test.disposition);
    ELSIF v_test.status = 'verified' THEN
        PERFORM lims.refuse('test_verified_locked', format(
            'sample test %s is verified and locked: reopen it instead of sending it '
            'back',
            v_test.id));
    ELSIF v_test.status <> 'entered' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s is %s: only an entered result can be sent back', v_test.id,
            v_test.status));
    ELSIF lims.context('reason') IS NULL THEN
        PERFORM lims.refuse('invalid_body', 'reason: sending a result back needs a '
                                            'reason');
    END IF;
    UPDATE lims.sample_test t
       SET returned_by = lims.acting_user(),
           returned_at = now(),
           return_reason = lims.context('reason'),
           assigned_to = coalesce(p_assigned_to, (
               SELECT u.id
                 FROM lims.user_account u
                WHERE u.organization_id = t.organization_id
                  AND u.id = t.entered_by
                  AND u.active))
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test;
END
$$;

-- Ends the return of a result when it is entered again: another value, a withdrawal, or
-- the same value, which needs a reason where the policy requires reasons.
CREATE FUNCTION lims.sample_test_entered_again() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF (NEW.result, NEW.qualifier) IS DISTINCT FROM (OLD.result, OLD.qualifier) THEN
        NEW.returned_by := NULL;
        NEW.returned_at := NULL;
        NEW.return_reason := NULL;
    ELSIF NEW.returned_at IS NULL AND lims.is_reason_missing(NEW.organization_id) THEN
        PERFORM lims.refuse_replacement(ARRAY[NEW.id]);
    END IF;
    RETURN NEW;
END
$$;

-- Triggers run in the order of their names: this one before the locks, which check all
-- other changes.
CREATE TRIGGER entered_again BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.returned_at IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_entered_again();

-- Enters the present value of a returned result again.
CREATE FUNCTION lims.enter_again(p_organization bigint, p_sample_test bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    PERFORM lims.require_own(p_organization);
    PERFORM lims.acting_user();
    UPDATE lims.sample_test t
       SET returned_by = NULL,
           returned_at = NULL,
           return_reason = NULL
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test
       AND t.returned_at IS NOT NULL;
END
$$;

-- Assignment ---------------------------------------------------------------

-- Assigns tests to somebody; NULL: to nobody. Verified and inactive tests cannot be
-- assigned.
CREATE FUNCTION lims.assign_tests(
    p_organization bigint,
    p_sample_tests bigint[],
    p_assigned_to bigint
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_missing bigint;
BEGIN
    PERFORM lims.require_own(p_organization);
    PERFORM lims.acting_user();
    PERFORM lims.refuse_assignee(p_organization, p_assigned_to);
    PERFORM FROM lims.sample_test t
      WHERE t.organization_id = p_organization
        AND t.id = ANY (p_sample_tests)
      ORDER BY t.id
        FOR NO KEY UPDATE;
    SELECT a.id
      INTO v_missing
      FROM unnest(p_sample_tests) AS a (id)
     WHERE NOT EXISTS (
           SELECT FROM lims.sample_test t
            WHERE t.organization_id = p_organization
              AND t.id = a.id)
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse('invalid_reference', format(
            'sampleTestIds: there is no sample test %s', v_missing));
    END IF;
    UPDATE lims.sample_test t
       SET assigned_to = p_assigned_to
     WHERE t.organization_id = p_organization
       AND t.id = ANY (p_sample_tests)
       AND t.assigned_to IS DISTINCT FROM p_assigned_to;
END
$$;
