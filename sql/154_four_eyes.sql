-- SPDX-License-Identifier: Apache-2.0
--
-- Four eyes: policies by which one person checks what another did, and reasons for what
-- replaces a record that stood. A policy judges acts, never what was done before it.

-- Verification -------------------------------------------------------------

-- The last audit entry that changed a column of a test, also one that is archived, and its
-- user.
CREATE FUNCTION lims.last_change(
    p_organization bigint,
    p_sample_test bigint,
    p_column text,
    OUT id bigint,
    OUT user_id bigint
)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    SELECT l.id, l.user_id
      INTO last_change.id, last_change.user_id
      FROM ((SELECT a.id, a.user_id
               FROM lims.audit_entry a
              WHERE a.organization_id = p_organization
                AND a.table_name = 'sample_test'
                AND a.record_id = p_sample_test
                AND a.changes -> p_column IS NOT NULL
              ORDER BY a.id DESC
              LIMIT 1)
             UNION ALL
            -- A later entry than one that is left may be archived: blocks are not in order of
            -- ids.
            SELECT (r.authors -> p_column ->> 0)::bigint,
                   (r.authors -> p_column ->> 1)::bigint
              FROM lims.archived_result r
             WHERE r.organization_id = p_organization
               AND r.sample_test_id = p_sample_test
               AND r.authors -> p_column IS NOT NULL) l
     ORDER BY l.id DESC
     LIMIT 1;
END
$$;

-- The users who entered the present value, qualifier, lots and time of analysis of a
-- result, each by the last audit entry that changed it, and who entered the value again after
-- it was sent back. An API key counts as its user; a file as the user who released it, else as
-- its sender, whoever had it read again.
CREATE FUNCTION lims.result_authors(p_organization bigint, p_sample_test bigint)
RETURNS bigint[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT array_agg(DISTINCT e.user_id)
          FROM lims.sample_test t
         CROSS JOIN LATERAL (
               SELECT t.entered_by AS user_id
               UNION ALL
               SELECT l.user_id
                 FROM (VALUES ('result', t.result IS NOT NULL),
                              ('qualifier', t.qualifier IS NOT NULL),
                              ('reagent_lot_id', t.reagent_lot_id IS NOT NULL),
                              ('media_lot_id', t.media_lot_id IS NOT NULL),
                              ('analyzed_at', t.analyzed_at IS NOT NULL)
                      ) AS m (name, stands)
                CROSS JOIN LATERAL lims.last_change(t.organization_id, t.id, m.name) l
                WHERE m.stands
               UNION ALL
               SELECT a.user_id
                 FROM lims.last_change(t.organization_id, t.id, 'returned_at') a,
                      lims.last_change(t.organization_id, t.id, 'result') v
                WHERE t.returned_at IS NULL
                  AND a.id > v.id
               UNION ALL
               SELECT f.received_by
                 FROM lims.instrument_file_row r
                 JOIN lims.instrument_file f
                   ON f.organization_id = r.organization_id
                  AND f.id = r.file_id
                WHERE r.organization_id = t.organization_id
                  AND r.sample_test_id = t.id
                  AND r.status = 'written'
                  AND f.status = 'imported'
                  AND f.processed_at >= t.entered_at) e
         WHERE t.organization_id = p_organization
           AND t.id = p_sample_test
           AND e.user_id IS NOT NULL);
END
$$;

-- Whether the policy refuses that the acting person verifies (or chooses) this result.
CREATE FUNCTION lims.is_own_result(p_organization bigint, p_sample_test bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.organization o
         WHERE o.id = p_organization
           AND o.self_verification = 'refused')
       AND coalesce(lims.context_id('user_id')
               = ANY (lims.result_authors(p_organization, p_sample_test)), false);
END
$$;

-- Approvals ----------------------------------------------------------------

-- The role that decides an approval now, so that correcting the policy frees what waits:
-- of the active step of its name, else of the one at its place that is no other step of
-- the round; of a step that the policy has no more, the one when it was requested.
CREATE FUNCTION lims.approval_role(p lims.approval) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_role text;
BEGIN
    SELECT s.role
      INTO v_role
      FROM lims.approval_step s
     WHERE s.organization_id = p.organization_id
       AND s.active
       AND (s.name = p.name
            OR (s.position = p.step AND NOT EXISTS (
                SELECT FROM lims.approval a
                 WHERE a.organization_id = p.organization_id
                   AND a.sample_id = p.sample_id
                   AND a.round = p.round
                   AND a.name = s.name)))
     ORDER BY s.name = p.name DESC, s.position = p.step DESC
     LIMIT 1;
    RETURN CASE WHEN FOUND THEN v_role ELSE p.role END;
END
$$;

-- The refusals of a decision by a person without the step's role, by an API key where there
-- is one, and by the policy approver_may_be_verifier; no row: the context's person may decide.
CREATE FUNCTION lims.approval_refusals(p lims.approval)
RETURNS TABLE (slug text, message text, ids json)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_role text := lims.approval_role(p);
    v_user bigint := lims.context_id('user_id');
    v_tests bigint[];
BEGIN
    IF v_role IS NOT NULL AND (lims.context_id('api_key_id') IS NOT NULL OR NOT EXISTS (
        SELECT FROM lims.user_role r
         WHERE r.organization_id = p.organization_id
           AND r.user_id = v_user
           AND r.role = v_role
    )) THEN
        RETURN QUERY SELECT 'permission_required', format(
            'deciding %s needs a person with the permission approval.decide and the '
            'role %s', p.name, v_role), NULL::json;
    END IF;
    IF (SELECT o.approver_may_be_verifier
          FROM lims.organization o
         WHERE o.id = p.organization_id) THEN
        RETURN;
    END IF;
    SELECT array_agg(t.id ORDER BY t.id)
      INTO v_tests
      FROM lims.sample_test t
     WHERE t.organization_id = p.organization_id
       AND t.sample_id = p.sample_id
       AND t.status = 'verified'
       AND t.disposition = 'active'
       AND t.verified_by = v_user;
    IF v_tests IS NOT NULL THEN
        RETURN QUERY SELECT 'self_approval', format(
            'deciding %s is for somebody who has verified no test of the sample',
            p.name), json_build_object('testIds', v_tests);
    END IF;
    IF EXISTS (
        SELECT FROM lims.approval a
         WHERE a.organization_id = p.organization_id
           AND a.sample_id = p.sample_id
           AND a.round = p.round
           AND a.id <> p.id
           AND a.decided_by = v_user
    ) THEN
        RETURN QUERY SELECT 'self_approval', format(
            'deciding %s is for somebody who has decided no other step of the round',
            p.name), NULL::json;
    END IF;
END
$$;

-- Refuses such a decision. The caller has locked the sample.
CREATE FUNCTION lims.approval_four_eyes(p lims.approval) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    SELECT *
      INTO v
      FROM lims.approval_refusals(p)
     LIMIT 1;
    IF v.slug = 'permission_required' THEN
        PERFORM lims.refuse('permission_required', v.message);
    ELSIF v.ids IS NOT NULL THEN
        PERFORM lims.refuse_for('self_approval', v.message, v.ids);
    ELSIF FOUND THEN
        PERFORM lims.refuse('self_approval', v.message);
    END IF;
END
$$;

-- Whether the context's person can decide this approval now, as far as four eyes, the order
-- of steps and the rounds go.
CREATE FUNCTION lims.is_mine_to_decide(p lims.approval) RETURNS boolean
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN p.status = 'pending'
       AND p.replaced_at IS NULL
       AND NOT EXISTS (
           SELECT FROM lims.approval a
            WHERE a.organization_id = p.organization_id
              AND a.sample_id = p.sample_id
              AND (a.round > p.round AND a.replaced_at IS NULL
                   OR a.round = p.round AND a.step < p.step AND a.status <> 'approved'))
       AND NOT EXISTS (SELECT FROM lims.approval_refusals(p));
END
$$;

-- Returns warnings about the sample that is to be approved. In PL/pgSQL it is planned
-- once, not for each row of a list that is planned for its values.
CREATE FUNCTION lims.approval_flags(p lims.approval) RETURNS text[]
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN ARRAY(
        SELECT f.flag
          FROM (SELECT bool_or(t.out_of_specification) AS oos,
                       bool_or(t.confirmation_status = 'pending') AS presumptive,
                       bool_or(EXISTS (
                           SELECT FROM lims.qc_covered q
                            WHERE q.organization_id = t.organization_id
                              AND q.sample_test_id = t.id
                              AND q.qc_status IN ('failed', 'overridden'))) AS qc
                  FROM lims.sample_test t
                 WHERE t.organization_id = p.organization_id
                   AND t.sample_id = p.sample_id
                   AND t.disposition = 'active') t
         CROSS JOIN LATERAL (VALUES
               ('oos', t.oos),
               ('presumptive', t.presumptive),
               ('qc', t.qc),
               ('holding', EXISTS (
                   SELECT FROM lims.sample_state_cache c
                    WHERE c.organization_id = p.organization_id
                      AND c.sample_id = p.sample_id
                      AND c.holding_status = 'expired')),
               ('amended', EXISTS (
                   SELECT FROM lims.sample s
                    WHERE s.organization_id = p.organization_id
                      AND s.id = p.sample_id
                      AND s.status = 'reported')),
               ('approval_rejected', EXISTS (
                   SELECT FROM lims.approval a
                    WHERE a.organization_id = p.organization_id
                      AND a.sample_id = p.sample_id
                      AND a.status = 'rejected'
                      AND a.id <> p.id))) AS f (flag, applies)
         WHERE f.applies);
END
$$;

-- Returns those of these samples of which the acting person has verified a test after
-- approving a step of the latest round, where the policy does not let one person do both:
-- their approvals are requested again, so that nobody is refused to verify because of the
-- order of the two. Rejected rounds are left out.
CREATE FUNCTION lims.own_approvals(p_organization bigint, p_samples bigint[])
RETURNS bigint[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN ARRAY(
        SELECT s.id
          FROM lims.organization o
          JOIN lims.sample s
            ON s.organization_id = o.id
         WHERE o.id = p_organization
           AND NOT o.approver_may_be_verifier
           AND s.id = ANY (p_samples)
           AND EXISTS (
               SELECT FROM lims.sample_test t
                WHERE t.organization_id = s.organization_id
                  AND t.sample_id = s.id
                  AND t.status = 'verified'
                  AND t.disposition = 'active'
                  AND t.verified_by = lims.context_id('user_id')
                  AND t.verified_at = now())
           AND (SELECT bool_or(a.decided_by = lims.context_id('user_id'))
                       AND NOT bool_or(a.status = 'rejected')
                  FROM lims.approval a
                 WHERE a.organization_id = s.organization_id
                   AND a.sample_id = s.id
                 GROUP BY a.round
                 ORDER BY a.round DESC
                 LIMIT 1));
END
$$;

-- Reasons ------------------------------------------------------------------

-- Whether the policy requires a reason for changes.
CREATE FUNCTION lims.is_reason_required(p_organization bigint) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.organization o
         WHERE o.id = p_organization
           AND o.reason_on_change);
END
$$;

-- Whether it does, and the context has none.
CREATE FUNCTION lims.is_reason_missing(p_organization bigint) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN lims.context('reason') IS NULL AND lims.is_reason_required(p_organization);
END
$$;

CREATE FUNCTION lims.refuse_replacement(p_sample_tests bigint[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.refuse_for('reason_required', format(
        'the result of sample test %s is replaced: reason must say why',
        p_sample_tests[1]), json_build_object('testIds', p_sample_tests));
END
$$;

-- Requires a reason when a fact of a received sample changes. Storage location and
-- priority are not facts.
CREATE FUNCTION lims.sample_reason() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF lims.is_reason_missing(NEW.organization_id) THEN
        PERFORM lims.refuse('reason_required', format(
            'sample %s is received: reason must say why it is changed',
            NEW.tracking_id));
    END IF;
    RETURN NEW;
END
$$;

-- Triggers run in the order of their names: this one after the lock.
CREATE TRIGGER lock_reason BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN (OLD.received_at IS NOT NULL
    AND (NEW.client_id, NEW.client_name, NEW.material_type_id, NEW.project_id,
         NEW.collection_date, NEW.collected_at, NEW.external_id, NEW.plant_location,
         NEW.notes, NEW.note_on_report) IS DISTINCT FROM
        (OLD.client_id, OLD.client_name, OLD.material_type_id, OLD.project_id,
         OLD.collection_date, OLD.collected_at, OLD.external_id, OLD.plant_location,
         OLD.notes, OLD.note_on_report))
EXECUTE FUNCTION lims.sample_reason();
