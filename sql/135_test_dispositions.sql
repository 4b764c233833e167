-- SPDX-License-Identifier: Apache-2.0
--
-- Dispositions of tests, beside their status: tests that are added to a sample, cancelled
-- and restored. Only active tests count, in gates, completeness, worklists and
-- certificates; the others stay as they are.
--
-- The run-time role has no right to the columns: it calls the functions of this file and
-- of 136_retests.sql. They lock the tests of a family in order of id, then the sample.

-- Refusals -----------------------------------------------------------------

CREATE FUNCTION lims.refuse_inactive(p_sample_test bigint, p_disposition text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.refuse('invalid_transition', format(
        'sample test %s is %s', p_sample_test, replace(p_disposition, '_', ' ')));
END
$$;

-- Refuses changes of a test that is not active, except of `reported` and of the columns
-- derived from the sample.
CREATE FUNCTION lims.sample_test_inactive() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_same lims.sample_test := NEW;
BEGIN
    v_same.reported := OLD.reported;
    v_same.holding_expires_at := OLD.holding_expires_at;
    v_same.holding_met := OLD.holding_met;
    v_same.work_priority := OLD.work_priority;
    v_same.updated_at := OLD.updated_at;
    IF v_same *<> OLD THEN
        PERFORM lims.refuse_inactive(OLD.id, OLD.disposition);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_inactive BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.disposition <> 'active'
    AND NEW.disposition = OLD.disposition)
EXECUTE FUNCTION lims.sample_test_inactive();

-- Refuses to cancel a verified test, and to cancel or set aside a test with an open
-- investigation where the policy says so.
CREATE FUNCTION lims.sample_test_disposed() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_number text;
    v_id bigint;
BEGIN
    IF NEW.disposition = 'cancelled' AND OLD.status = 'verified' THEN
        PERFORM lims.refuse('test_verified_locked', format(
            'sample test %s is verified and locked: reopen it before it is '
            'cancelled', OLD.id));
    ELSIF NEW.disposition = 'active' THEN
        RETURN NEW;
    ELSIF OLD.disposition <> 'active' THEN
        PERFORM lims.refuse_inactive(OLD.id, OLD.disposition);
    END IF;
    SELECT i.investigation_number, i.id
      INTO v_number, v_id
      FROM lims.investigation i
      JOIN lims.organization o
        ON o.id = i.organization_id
     WHERE i.organization_id = NEW.organization_id
       AND i.sample_test_id = NEW.id
       AND i.status NOT IN ('closed', 'cancelled')
       AND o.open_investigation_blocks
     ORDER BY i.id
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse_for('investigation_open', format(
            'investigation %s of sample test %s is open: close it first',
            v_number, NEW.id), json_build_object('testIds', ARRAY[NEW.id],
            'investigationIds', ARRAY[v_id]));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_disposition BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (NEW.disposition <> OLD.disposition)
EXECUTE FUNCTION lims.sample_test_disposed();

-- Families -----------------------------------------------------------------

-- Refuses a call for another organization than that of the context: the functions below
-- run with the owner's rights, to which row-level security does not apply.
CREATE FUNCTION lims.require_own(p_organization bigint) RETURNS void
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF p_organization IS DISTINCT FROM lims.context_id('organization_id') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('organization %s is not the one of the context',
                             p_organization);
    END IF;
END
$$;

-- Locks a test and its family, the first one first: whoever repeats, cancels or chooses
-- at the same time waits there. Returns the test as it is then; no row: there is none.
CREATE FUNCTION lims.lock_family(p_organization bigint, p_sample_test bigint)
RETURNS SETOF lims.sample_test
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_first bigint;
BEGIN
    PERFORM lims.require_own(p_organization);
    PERFORM lims.require_read_committed();
    SELECT coalesce(t.retest_of, t.id)
      INTO v_first
      FROM lims.sample_test t
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test;
    PERFORM FROM lims.sample_test t
      WHERE t.organization_id = p_organization
        AND t.id = v_first
        FOR NO KEY UPDATE;
    PERFORM FROM lims.sample_test t
       JOIN lims.sample_test f
         ON f.organization_id = t.organization_id
        AND f.id = v_first
      WHERE t.organization_id = p_organization
        AND t.sample_id = f.sample_id
        AND t.retest_of = v_first
      ORDER BY t.id
        FOR NO KEY UPDATE OF t;
    RETURN QUERY
    SELECT t.*
      FROM lims.sample_test t
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test;
END
$$;

-- Sets which test of a family is reported: the only active one, else none. Called whenever one
-- of them became active or inactive.
CREATE FUNCTION lims.settle_family(p_test lims.sample_test) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.sample_test t
       SET reported = t.disposition = 'active' AND n.active = 1
      FROM (SELECT count(*) FILTER (WHERE x.disposition = 'active') AS active
              FROM lims.sample_test x
             WHERE x.organization_id = (p_test).organization_id
               AND x.sample_id = (p_test).sample_id
               AND coalesce(x.retest_of, x.id)
                   = coalesce((p_test).retest_of, (p_test).id)) n
     WHERE t.organization_id = (p_test).organization_id
       AND t.sample_id = (p_test).sample_id
       AND coalesce(t.retest_of, t.id) = coalesce((p_test).retest_of, (p_test).id)
       AND t.reported <> (t.disposition = 'active' AND n.active = 1);
    PERFORM lims.mark_samples_beside(p_test);
END
$$;

-- Adding -------------------------------------------------------------------

-- Adds tests to a sample, each definition once, and returns them in that order. Refuses a
-- definition of which the sample has an active test: that is repeated.
CREATE FUNCTION lims.add_tests(
    p_organization bigint,
    p_sample bigint,
    p_definitions bigint[],
    p_panels bigint[]
) RETURNS SETOF bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_ids bigint[] := lims.ordered_definitions(p_organization, p_definitions, p_panels);
    v_there text;
    v_active bigint;
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample s
      WHERE s.organization_id = p_organization
        AND s.id = p_sample
        FOR NO KEY UPDATE;
    IF v_ids IS NULL THEN
        PERFORM lims.refuse('invalid_body',
            'testDefinitionIds or panelIds is required: name the tests to add');
    END IF;
    SELECT count(*)
      INTO v_active
      FROM lims.test_definition d
     WHERE d.organization_id = p_organization
       AND d.id = ANY (v_ids)
       AND d.active;
    IF v_active < cardinality(v_ids) THEN
        PERFORM lims.refuse_definitions(p_organization, v_ids);
    END IF;
    SELECT string_agg(DISTINCT d.code, ', ')
      INTO v_there
      FROM lims.sample_test t
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
     WHERE t.organization_id = p_organization
       AND t.sample_id = p_sample
       AND t.test_definition_id = ANY (v_ids)
       AND t.disposition = 'active';
    IF v_there IS NOT NULL THEN
        PERFORM lims.refuse('invalid_body', format(
            'testDefinitionIds: the sample has %s already: request a retest to repeat '
            'it', v_there));
    END IF;
    RETURN QUERY
    INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
    SELECT p_organization, p_sample, i.id
      FROM unnest(v_ids) WITH ORDINALITY AS i (id, place)
     ORDER BY i.place
    RETURNING id;
END
$$;

-- Cancelling ---------------------------------------------------------------

-- Requires the permission to cancel or restore a test; for a test with a result,
-- result.verify.
CREATE FUNCTION lims.require_cancelling(p_test lims.sample_test) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_permission((p_test).organization_id,
        CASE WHEN (p_test).result IS NULL THEN 'sample.edit' ELSE 'result.verify' END);
END
$$;

-- Cancels an active test, and removes it from its QC batches, except those in which it has
-- to stay, as failed or failing ones. Does nothing if it is cancelled already.
CREATE FUNCTION lims.cancel_test(p_organization bigint, p_sample_test bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_test lims.sample_test;
    v_left bigint[];
    v record;
BEGIN
    SELECT *
      INTO v_test
      FROM lims.lock_family(p_organization, p_sample_test);
    PERFORM lims.acting_user();
    IF v_test.id IS NULL OR v_test.disposition = 'cancelled' THEN
        RETURN;
    END IF;
    PERFORM lims.require_cancelling(v_test);
    IF v_test.status <> 'verified' AND v_test.disposition = 'active' THEN
        PERFORM FROM lims.sample s
          WHERE s.organization_id = p_organization
            AND s.id = v_test.sample_id
            FOR SHARE;
        FOR v IN
            SELECT q.id, q.qc_batch_id
              FROM lims.qc_covered q
             WHERE q.organization_id = p_organization
               AND q.sample_test_id = p_sample_test
               AND q.standing <> 'failed'
             ORDER BY q.qc_batch_id
        LOOP
            IF lims.leave_coverage(p_organization, p_sample_test, v.id) THEN
                v_left := v_left || v.qc_batch_id;
            END IF;
        END LOOP;
    END IF;
    UPDATE lims.sample_test t
       SET disposition = 'cancelled',
           left_batch_ids = v_left
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test;
    PERFORM lims.settle_family(v_test);
END
$$;

-- Makes a cancelled test active again; does nothing if it is active. Judges its result by
-- the present material type and project, and returns it to the QC batches that it had
-- left.
CREATE FUNCTION lims.restore_test(p_organization bigint, p_sample_test bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_test lims.sample_test;
BEGIN
    SELECT *
      INTO v_test
      FROM lims.lock_family(p_organization, p_sample_test);
    PERFORM lims.acting_user();
    IF v_test.id IS NULL OR v_test.disposition = 'active' THEN
        RETURN;
    ELSIF v_test.disposition = 'set_aside' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s is set aside: choose it as the result to report, which '
            'restores it',
            p_sample_test));
    END IF;
    PERFORM lims.require_cancelling(v_test);
    PERFORM FROM lims.sample s
      WHERE s.organization_id = p_organization
        AND s.id = v_test.sample_id
        FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.sample_id = v_test.sample_id
           AND t.test_definition_id = v_test.test_definition_id
           AND t.disposition = 'active'
           AND coalesce(t.retest_of, t.id) <> coalesce(v_test.retest_of, v_test.id)
    ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s cannot be restored: the same test was added again',
            p_sample_test));
    END IF;
    UPDATE lims.sample_test t
       SET disposition = 'active',
           spec_material_type_id = CASE WHEN t.result IS NOT NULL
                                        THEN s.material_type_id END,
           spec_project_id = CASE WHEN t.result IS NOT NULL THEN s.project_id END
      FROM lims.sample s
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test
       AND s.organization_id = t.organization_id
       AND s.id = t.sample_id;
    INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
    SELECT p_organization, p_sample_test, b.id
      FROM unnest(v_test.left_batch_ids) AS b (id)
     ORDER BY b.id;
    UPDATE lims.sample_test t
       SET left_batch_ids = NULL
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test
       AND t.left_batch_ids IS NOT NULL;
    PERFORM lims.settle_family(v_test);
END
$$;
