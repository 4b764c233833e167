-- SPDX-License-Identifier: Apache-2.0
--
-- Policies that nobody can meet: what the active people lack, for the refusal of a policy
-- (policy_unsatisfiable), readiness, the page of policies and `limsctl check`.
--
-- A sample needs people at places: one who decides each step of approval, one who verifies
-- and one who enters. The policies say which of them have to differ. That is a matching of
-- people to places, of which each has its fit people.

-- The active people with a permission, and with a role if one is named; where acts are
-- signed, those with a password, or whom a provider of identities knows: it signs them, or they
-- can set a password to sign with.
CREATE FUNCTION lims.fit_people(
    p_organization bigint,
    p_permission text,
    p_role text DEFAULT NULL
) RETURNS bigint[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN ARRAY(
        SELECT u.id
          FROM lims.user_account u
          JOIN lims.organization o
            ON o.id = u.organization_id
         WHERE u.organization_id = p_organization
           AND u.active
           AND (lims.can_sign_in(u)
                OR NOT o.esignature_required
                OR EXISTS (
                   SELECT FROM lims.account_state s
                    WHERE s.organization_id = u.organization_id
                      AND s.user_id = u.id
                      AND s.signature_hash IS NOT NULL))
           AND EXISTS (
               SELECT FROM lims.user_role r
                 JOIN lims.role_permission p
                   ON p.organization_id = r.organization_id
                  AND p.role = r.role
                WHERE r.organization_id = u.organization_id
                  AND r.user_id = u.id
                  AND p.permission = p_permission)
           AND (p_role IS NULL OR EXISTS (
               SELECT FROM lims.user_role r
                WHERE r.organization_id = u.organization_id
                  AND r.user_id = u.id
                  AND r.role = p_role))
         ORDER BY u.id);
END
$$;

-- The places of a sample's way to its report, with who is fit for each. Who enters may be
-- who approves, but under self_verification not who verifies: whoever alone enters does
-- not verify.
-- p_two and p_apart: as if these were the policies; NULL: those in force. p_any_role: as if
-- no step named a role. p_more: as if there were so many more people, each fit for all.
CREATE FUNCTION lims.sample_places(
    p_organization bigint,
    p_two boolean DEFAULT NULL,
    p_apart boolean DEFAULT NULL,
    p_any_role boolean DEFAULT false,
    p_more integer DEFAULT 0
)
RETURNS TABLE (place text, needs text, people bigint[], apart boolean)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_policy record;
    v_enter bigint[];
    v_verify bigint[];
    v_more CONSTANT bigint[] := ARRAY(SELECT -n FROM generate_series(1, p_more) n);
BEGIN
    SELECT coalesce(p_two, o.self_verification = 'refused') AS two,
           coalesce(p_apart, NOT o.approver_may_be_verifier) AS apart
      INTO v_policy
      FROM lims.organization o
     WHERE o.id = p_organization;
    RETURN QUERY
    SELECT s.name, concat('the permission approval.decide', ' and the role ' || s.role),
           lims.fit_people(p_organization, 'approval.decide',
                           CASE WHEN NOT p_any_role THEN s.role END) || v_more,
           v_policy.apart
      FROM lims.approval_step s
     WHERE s.organization_id = p_organization
       AND s.active
     ORDER BY s.position;
    IF NOT (v_policy.two OR v_policy.apart AND FOUND) THEN
        RETURN;
    END IF;
    v_verify := lims.fit_people(p_organization, 'result.verify') || v_more;
    IF v_policy.two THEN
        v_enter := lims.fit_people(p_organization, 'result.enter') || v_more;
        RETURN QUERY
        SELECT 'entering results', 'the permission result.enter', v_enter, false;
        v_verify := ARRAY(SELECT v.id
                            FROM unnest(v_verify) v (id)
                           WHERE v_enter <> ARRAY[v.id]);
    END IF;
    RETURN QUERY
    SELECT 'verifying results', concat('the permission result.verify',
               CASE WHEN v_policy.two THEN ', besides who enters them' END),
           v_verify, v_policy.apart;
END
$$;

-- Matches a different person to each place, by augmenting paths (Kuhn, 1955). p_people is
-- JSON, for each place an array of ids. Returns the places that together have too few: of
-- the first that is left without, every one whose person it could take. None: all can be
-- named.
CREATE FUNCTION lims.unmatched_places(p_people jsonb) RETURNS integer[]
LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
    v_count CONSTANT integer := jsonb_array_length(p_people);
    v_matched bigint[] := array_fill(NULL::bigint, ARRAY[v_count]);
    v_reached integer[];
    v_from jsonb;
    v_place integer;
    v_person bigint;
    v_next bigint;
    v_at integer;
BEGIN
    FOR v_start IN 1 .. v_count LOOP
        -- Breadth first: the places reached, and from which of them each person was.
        v_reached := ARRAY[v_start];
        v_from := '{}';
        v_at := 1;
        v_next := NULL;
        WHILE v_next IS NULL AND v_at <= cardinality(v_reached) LOOP
            v_place := v_reached[v_at];
            v_at := v_at + 1;
            FOR v_person IN
                SELECT e.id::bigint
                  FROM jsonb_array_elements_text(p_people -> v_place - 1) e (id)
                 WHERE NOT v_from ? e.id
            LOOP
                v_from := v_from || jsonb_build_object(v_person, v_place);
                IF v_person = ANY (v_matched) THEN
                    v_reached := v_reached || array_position(v_matched, v_person);
                ELSE
                    v_next := v_person;
                    EXIT;
                END IF;
            END LOOP;
        END LOOP;
        IF v_next IS NULL THEN
            RETURN v_reached;
        END IF;
        -- Back along the path, each place takes the person by whom it was left.
        LOOP
            v_place := (v_from ->> v_next::text)::integer;
            v_person := v_matched[v_place];
            v_matched[v_place] := v_next;
            EXIT WHEN v_place = v_start;
            v_next := v_person;
        END LOOP;
    END LOOP;
    RETURN '{}';
END
$$;

-- Lists, as clauses, what the active users lack to bring a sample to its report under the
-- present policies; no row: nothing.
CREATE FUNCTION lims.policy_lacks(
    p_organization bigint,
    p_two boolean DEFAULT NULL,
    p_apart boolean DEFAULT NULL,
    p_any_role boolean DEFAULT false,
    p_more integer DEFAULT 0
) RETURNS SETOF text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_place record;
    v_names text[] := '{}';
    v_people jsonb := '[]';
    v_few integer[];
BEGIN
    FOR v_place IN
        SELECT *
          FROM lims.sample_places(p_organization, p_two, p_apart, p_any_role, p_more)
    LOOP
        IF v_place.people = '{}' THEN
            RETURN NEXT format('%s needs an active person with %s, and there is none',
                               v_place.place, v_place.needs);
        ELSIF v_place.apart THEN
            v_names := v_names || v_place.place;
            v_people := v_people || jsonb_build_array(to_jsonb(v_place.people));
        END IF;
    END LOOP;
    v_few := CASE WHEN v_people = '[]' THEN '{}' ELSE lims.unmatched_places(v_people) END;
    IF v_few <> '{}' THEN
        RETURN NEXT format(
            '%s need %s different people, and only these may: %s',
            (SELECT string_agg(v_names[p.place], ', ' ORDER BY p.place)
               FROM unnest(v_few) p (place)), cardinality(v_few),
            (SELECT string_agg(u.display_name, ', ' ORDER BY u.display_name)
               FROM lims.user_account u
              WHERE u.organization_id = p_organization
                AND u.id IN (SELECT e.id::bigint
                               FROM unnest(v_few) p (place),
                                    jsonb_array_elements_text(
                                        v_people -> p.place - 1) e (id))));
    END IF;
END
$$;

-- Lists every remedy of what lacks: each smallest set of policies that could be loosened, and
-- the smallest number of further people. No row: nothing lacks.
CREATE FUNCTION lims.policy_remedies(
    p_organization bigint,
    p_two boolean DEFAULT NULL,
    p_apart boolean DEFAULT NULL
) RETURNS SETOF text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_set record;
    v_enough integer[] := '{}';
BEGIN
    IF NOT EXISTS (SELECT FROM lims.policy_lacks(p_organization, p_two, p_apart)) THEN
        RETURN;
    END IF;
    FOR v_set IN
        SELECT x.bits, x.bits & 1 > 0 AS two, x.bits & 2 > 0 AS apart,
               x.bits & 4 > 0 AS any_role, array_to_string(ARRAY[
                   CASE WHEN x.bits & 1 > 0 THEN 'set selfVerification to allowed' END,
                   CASE WHEN x.bits & 2 > 0 THEN 'set approverMayBeVerifier to true' END,
                   CASE WHEN x.bits & 4 > 0
                        THEN 'name no roles in approvalStepRoles' END], ', and ') AS words
          FROM unnest(ARRAY[1, 2, 4, 3, 5, 6, 7]) WITH ORDINALITY AS x (bits, place)
         ORDER BY x.place
    LOOP
        CONTINUE WHEN EXISTS (
            SELECT FROM unnest(v_enough) e (bits) WHERE v_set.bits & e.bits = e.bits);
        CONTINUE WHEN EXISTS (
            SELECT FROM lims.policy_lacks(p_organization,
                CASE WHEN v_set.two THEN false ELSE p_two END,
                CASE WHEN v_set.apart THEN false ELSE p_apart END, v_set.any_role));
        v_enough := v_enough || v_set.bits;
        RETURN NEXT v_set.words;
    END LOOP;
    -- Steps, an enterer and a verifier: at most so many places.
    FOR v_more IN 1 .. 22 LOOP
        IF NOT EXISTS (SELECT FROM lims.policy_lacks(p_organization, p_two, p_apart, false,
                                                     v_more)) THEN
            RETURN NEXT format('have %s more active %s with the permissions and roles that '
                               'lack', v_more,
                               CASE v_more WHEN 1 THEN 'person' ELSE 'people' END);
            RETURN;
        END IF;
    END LOOP;
END
$$;

-- Refusing ------------------------------------------------------------------

-- Refuses changes of policies, steps or permissions that the active users could not meet,
-- at the end of the statement or transaction. Locks the organization's row, which
-- serializes such changes.
CREATE FUNCTION lims.policies_satisfiable() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_row CONSTANT jsonb := to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END);
    v_organization CONSTANT bigint :=
        coalesce(v_row ->> 'organization_id', v_row ->> 'id')::bigint;
    v_lacks text;
    v_remedies text;
BEGIN
    IF lims.is_owner_acting() THEN
        RETURN NULL;
    END IF;
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.organization o
      WHERE o.id = v_organization
        FOR NO KEY UPDATE;
    SELECT string_agg(l.lack, '; ')
      INTO v_lacks
      FROM lims.policy_lacks(v_organization) l (lack);
    IF v_lacks IS NOT NULL THEN
        SELECT string_agg(r.remedy, '; or ')
          INTO v_remedies
          FROM lims.policy_remedies(v_organization) r (remedy);
        PERFORM lims.refuse('policy_unsatisfiable', format(
            'the active people could not meet this: %s. Each of these would be enough: %s',
            v_lacks, v_remedies));
    END IF;
    RETURN NULL;
END
$$;

-- Stricter policies alone are checked: loosening one, and deactivating users, are never
-- refused.
CREATE CONSTRAINT TRIGGER satisfiable AFTER UPDATE ON lims.organization
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (NEW.self_verification = 'refused' AND OLD.self_verification <> 'refused'
    OR NOT NEW.approver_may_be_verifier AND OLD.approver_may_be_verifier
    OR NEW.esignature_required AND NOT OLD.esignature_required)
EXECUTE FUNCTION lims.policies_satisfiable();

CREATE CONSTRAINT TRIGGER satisfiable_insert AFTER INSERT ON lims.approval_step
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (NEW.active)
EXECUTE FUNCTION lims.policies_satisfiable();

CREATE CONSTRAINT TRIGGER satisfiable_update AFTER UPDATE ON lims.approval_step
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (NEW.active AND (NOT OLD.active
    OR NEW.role IS NOT NULL AND NEW.role IS DISTINCT FROM OLD.role))
EXECUTE FUNCTION lims.policies_satisfiable();

CREATE CONSTRAINT TRIGGER satisfiable AFTER DELETE ON lims.role_permission
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (OLD.permission IN ('approval.decide', 'result.enter', 'result.verify'))
EXECUTE FUNCTION lims.policies_satisfiable();

-- Runs now the checks of the end of the transaction, so that the request itself is
-- refused.
CREATE FUNCTION lims.settle_policies() RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    SET CONSTRAINTS lims.satisfiable, lims.satisfiable_insert, lims.satisfiable_update,
        lims.policies_changed IMMEDIATE;
END
$$;

-- Consequences --------------------------------------------------------------

-- Counts the entered results that each policy on results would affect now, among the first
-- 10,000.
CREATE FUNCTION lims.policy_results(p_organization bigint)
RETURNS TABLE (policy text, affected bigint)
LANGUAGE sql STABLE
AS $$
    WITH entered AS MATERIALIZED (
        SELECT t.id, t.reagent_lot_id
          FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.status = 'entered'
           AND t.disposition = 'active'
         LIMIT 10000
    )
    SELECT p.policy, (SELECT count(*) FROM entered)
      FROM (VALUES ('reasonOnChange'), ('selfVerification')) AS p (policy)
     UNION ALL
    SELECT 'qcRequired', count(*)
      FROM entered e
     WHERE EXISTS (SELECT FROM lims.qc_pending(p_organization, e.id))
     UNION ALL
    SELECT 'reagentExpiryPolicy', count(*)
      FROM entered e
      JOIN lims.organization o
        ON o.id = p_organization
      JOIN lims.reagent_lot r
        ON r.organization_id = p_organization
       AND r.id = e.reagent_lot_id
     WHERE r.usable_until < (now() AT TIME ZONE o.time_zone)::date
$$;

-- Counts the approvals, samples, lots and keys that each policy on them would affect now,
-- up to 10,000.
CREATE FUNCTION lims.policy_records(p_organization bigint)
RETURNS TABLE (policy text, affected bigint)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN QUERY
    WITH waiting AS MATERIALIZED (
        SELECT a.sample_id
          FROM lims.approval a
         WHERE a.organization_id = p_organization
           AND a.status = 'pending'
           AND a.replaced_at IS NULL
         LIMIT 10000
    ), investigated AS (
        SELECT DISTINCT i.sample_id
          FROM lims.investigation i
          JOIN lims.sample s
            ON s.organization_id = i.organization_id
           AND s.id = i.sample_id
         WHERE i.organization_id = p_organization
           AND i.status NOT IN ('closed', 'cancelled')
           AND s.status <> 'reported'
         LIMIT 10000
    ), doubtful AS (
        SELECT FROM lims.reagent_lot r
         WHERE r.organization_id = p_organization
           AND r.qc_status IN ('quarantined', 'failed')
         UNION ALL
        SELECT FROM lims.media_lot m
         WHERE m.organization_id = p_organization
           AND m.qc_status IN ('quarantined', 'failed')
         LIMIT 10000
    )
    SELECT p.policy, (SELECT count(*) FROM waiting)
      FROM (VALUES ('approverMayBeVerifier'), ('esignatureRequired')) AS p (policy)
     UNION ALL
    SELECT 'coaBeforeApproval', (SELECT count(DISTINCT w.sample_id) FROM waiting w)
     UNION ALL
    SELECT 'openInvestigationBlocks', (SELECT count(*) FROM investigated)
     UNION ALL
    SELECT 'lotQcPolicy', (SELECT count(*) FROM doubtful)
     UNION ALL
    SELECT 'keysWithinRoles', (
        SELECT count(*)
          FROM lims.api_key k
         WHERE k.organization_id = p_organization
           AND k.revoked_at IS NULL
           AND (k.expires_at IS NULL OR k.expires_at > now()));
END
$$;

-- Describes the consequence of each policy's strict value for what is there now. Policies
-- in force come first.
CREATE FUNCTION lims.policy_impact(p_organization bigint)
RETURNS TABLE (policy text, value text, "inForce" boolean, affected bigint, sentence text)
LANGUAGE sql STABLE
AS $$
    SELECT p.policy, p.value, p.in_force, c.affected,
           format(CASE c.affected WHEN 1 THEN p.one ELSE p.many END, c.affected)
      FROM lims.organization o
     CROSS JOIN LATERAL (VALUES
        ('approverMayBeVerifier', 'false', NOT o.approver_may_be_verifier,
         '1 approval that waits is for people who have not verified in the sample',
         '%s approvals that wait are for people who have not verified in the sample, '
         'one for each step'),
        ('coaBeforeApproval', 'false', NOT o.coa_before_approval,
         '1 sample that waits for approval is reported only after it',
         '%s samples that wait for approval are reported only after it'),
        ('esignatureRequired', 'true', o.esignature_required,
         '1 approval that waits is signed by people, and by no API key',
         '%s approvals that wait are signed by people, and by no API key'),
        ('keysWithinRoles', 'true', o.keys_within_roles,
         '1 API key does only what the person for whom it acts may',
         '%s API keys do only what the person for whom they act may'),
        ('lotQcPolicy', 'block', o.lot_qc_policy = 'block',
         '1 lot is quarantined or failed: no result is entered with it',
         '%s lots are quarantined or failed: no result is entered with them'),
        ('openInvestigationBlocks', 'true', o.open_investigation_blocks,
         '1 sample with an open investigation is not reported until it is closed',
         '%s samples with an open investigation are not reported until it is closed'),
        ('qcRequired', 'block', o.qc_required = 'block',
         '1 result that is entered is not verified until its quality control is evaluated',
         '%s results that are entered are not verified until their quality control is '
         'evaluated'),
        ('reagentExpiryPolicy', 'block', o.reagent_expiry_policy = 'block',
         '1 result that is entered has an expired reagent lot: such are refused when they '
         'are entered',
         '%s results that are entered have an expired reagent lot: such are refused '
         'when they are entered'),
        ('reasonOnChange', 'true', o.reason_on_change,
         '1 result that is entered is replaced only with a reason',
         '%s results that are entered are replaced only with a reason'),
        ('selfVerification', 'refused', o.self_verification = 'refused',
         '1 result that is entered is verified by another person than entered it',
         '%s results that are entered are verified by other people than entered them')
        ) AS p (policy, value, in_force, one, many)
      JOIN (SELECT * FROM lims.policy_results(p_organization)
             UNION ALL
            SELECT * FROM lims.policy_records(p_organization)) c
        ON c.policy = p.policy
     WHERE o.id = p_organization
     ORDER BY p.in_force DESC, p.policy
$$;
