-- SPDX-License-Identifier: Apache-2.0
--
-- What a correction says of the time of collection, and what a rule that refuses
-- says of what blocks and of what is missing.

-- The day that a time of collection implies: that of the clock on the
-- laboratory's wall.
CREATE FUNCTION lims.collection_day(p_organization bigint, p_time timestamptz)
RETURNS date
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT (p_time AT TIME ZONE o.time_zone)::date
          FROM lims.organization o
         WHERE o.id = p_organization);
END
$$;

GRANT EXECUTE ON FUNCTION lims.collection_day(bigint, timestamptz) TO lims_app;

-- As lims.refuse, of a gate: with the ids of what blocks, by the names of the API.
CREATE FUNCTION lims.refuse_for(p_slug text, p_message text, p_ids json)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'LM001',
        MESSAGE = p_message,
        DETAIL = p_slug,
        HINT = p_ids::text;
END
$$;

GRANT EXECUTE ON FUNCTION lims.refuse_for(text, text, json) TO lims_app;

-- The definitions that tests are scheduled of, as they came: all that are none, or
-- not in use, are named at once.
CREATE FUNCTION lims.definitions_in_use(p_organization bigint, p_ids bigint[])
RETURNS bigint[]
LANGUAGE plpgsql
AS $$
DECLARE
    v_missing bigint[];
BEGIN
    SELECT array_agg(i.id ORDER BY i.place)
      INTO v_missing
      FROM unnest(p_ids) WITH ORDINALITY AS i (id, place)
     WHERE NOT EXISTS (
            SELECT FROM lims.test_definition d
             WHERE d.organization_id = p_organization
               AND d.id = i.id
               AND d.active);
    IF v_missing IS NOT NULL THEN
        PERFORM lims.refuse('invalid_reference', format(
            'testDefinitionIds: no active test definition%s %s',
            CASE WHEN cardinality(v_missing) > 1 THEN 's' END,
            array_to_string(v_missing, ', ')));
    END IF;
    RETURN p_ids;
END
$$;

GRANT EXECUTE ON FUNCTION lims.definitions_in_use(bigint, bigint[]) TO lims_app;

-- With the lot and the tests.
CREATE OR REPLACE FUNCTION lims.sample_test_reagents() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    SELECT b.code, b.expires_on, l.reagent_lot_id, l.test_ids
      INTO v
      FROM (SELECT n.organization_id, n.reagent_lot_id,
                   array_agg(n.id ORDER BY n.id) AS test_ids
              FROM new_rows n
             WHERE n.status = 'entered'
               AND n.reagent_lot_id IS NOT NULL
             GROUP BY n.organization_id, n.reagent_lot_id) l
     CROSS JOIN LATERAL lims.blocked_reagent(l.organization_id, l.reagent_lot_id) b
     ORDER BY b.code
     LIMIT 1;
    IF FOUND AND TG_OP = 'UPDATE' THEN
        SELECT b.code, b.expires_on, e.reagent_lot_id,
               array_agg(e.id ORDER BY e.id) AS test_ids
          INTO v
          FROM (SELECT n.organization_id, n.id, n.reagent_lot_id,
                       n.status = 'entered' AND o.status <> 'verified'
                       AND (n.result, n.qualifier, n.reagent_lot_id)
                           IS DISTINCT FROM
                           (o.result, o.qualifier, o.reagent_lot_id) AS entered
                  FROM new_rows n
                  FULL JOIN old_rows o
                    ON o.organization_id = n.organization_id
                   AND o.id = n.id
                OFFSET 0) e
         CROSS JOIN LATERAL lims.blocked_reagent(e.organization_id, e.reagent_lot_id) b
         WHERE e.entered
         GROUP BY b.code, b.expires_on, e.reagent_lot_id
         ORDER BY b.code
         LIMIT 1;
    END IF;
    IF FOUND THEN
        PERFORM lims.refuse_for('reagent_lot_expired', format(
            'reagent lot %s expired on %s: enter the result with a lot that is '
            'in date', v.code, v.expires_on), json_build_object(
            'testIds', v.test_ids, 'reagentLotIds', ARRAY[v.reagent_lot_id]));
    END IF;
    RETURN NULL;
END
$$;

-- With the tests that are verified.
CREATE OR REPLACE FUNCTION lims.sample_guard_tests() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_collected timestamptz;
    v_code text;
    v_verified bigint[];
BEGIN
    PERFORM lims.require_read_committed();
    IF (NEW.material_type_id, NEW.project_id)
       IS DISTINCT FROM (OLD.material_type_id, OLD.project_id) THEN
        SELECT array_agg(t.id ORDER BY t.id)
          INTO v_verified
          FROM lims.sample_test t
         WHERE t.organization_id = NEW.organization_id
           AND t.sample_id = NEW.id
           AND t.status = 'verified';
        IF v_verified IS NOT NULL THEN
            PERFORM lims.refuse_for('test_verified_locked', format(
                'sample %s has verified results, judged by its material type and '
                'project: reopen them to change either', NEW.tracking_id),
                json_build_object('testIds', v_verified));
        END IF;
    END IF;
    SELECT coalesce(NEW.collected_at,
                    NEW.collection_date::timestamp AT TIME ZONE o.time_zone)
      INTO v_collected
      FROM lims.organization o
     WHERE o.id = NEW.organization_id;
    SELECT d.code
      INTO v_code
      FROM lims.sample_test t
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
     WHERE t.organization_id = NEW.organization_id
       AND t.sample_id = NEW.id
       AND t.analyzed_at < v_collected
     ORDER BY t.id
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s lies after the analysis of %s',
            CASE WHEN NEW.collected_at IS NULL THEN 'collectionDate'
                 ELSE 'collectedAt' END, v_code));
    END IF;
    RETURN NEW;
END
$$;

-- With the step that comes first.
CREATE OR REPLACE FUNCTION lims.approval_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_required boolean;
    v_earlier text;
    v_earlier_id bigint;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'pending' THEN
            PERFORM lims.refuse('invalid_transition',
                                'an approval is requested before it is decided');
        END IF;
        IF EXISTS (
            SELECT FROM lims.sample s
             WHERE s.organization_id = NEW.organization_id
               AND s.id = NEW.sample_id
               AND s.status = 'reported'
        ) THEN
            PERFORM lims.refuse('invalid_transition',
                                'a reported sample is final: no approval is asked');
        END IF;
        RETURN NEW;
    END IF;
    IF NEW IS NOT DISTINCT FROM OLD THEN
        RETURN NEW;
    END IF;
    -- Who changes a test holds its sample FOR SHARE: a decision waits for them,
    -- and then sees the round that the change asked for.
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample s
      WHERE s.organization_id = OLD.organization_id
        AND s.id = OLD.sample_id
        FOR NO KEY UPDATE;
    IF OLD.status <> 'pending' THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was %s already', OLD.id, OLD.status));
    END IF;
    IF (NEW.sample_id, NEW.round, NEW.step, NEW.name, NEW.requested_at)
       <> (OLD.sample_id, OLD.round, OLD.step, OLD.name, OLD.requested_at)
       OR NEW.status = 'pending' THEN
        PERFORM lims.refuse('invalid_transition',
                            'an approval is approved or rejected, nothing else');
    END IF;
    IF NEW.status = 'rejected' AND btrim(coalesce(NEW.comment, '')) = '' THEN
        PERFORM lims.refuse('invalid_body', 'a rejection needs a comment');
    END IF;
    IF EXISTS (
        SELECT FROM lims.approval a
         WHERE a.organization_id = NEW.organization_id
           AND a.sample_id = NEW.sample_id
           AND a.round > NEW.round
    ) THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was replaced: approval of the sample is asked anew',
            OLD.id));
    END IF;

    SELECT a.name || ' is ' || a.status, a.id
      INTO v_earlier, v_earlier_id
      FROM lims.approval a
     WHERE a.organization_id = NEW.organization_id
       AND a.sample_id = NEW.sample_id
       AND a.round = NEW.round
       AND a.step < NEW.step
       AND a.status <> 'approved'
     ORDER BY a.step
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse_for('approval_required', format(
            'approvals are decided in order: %s', v_earlier),
            json_build_object('approvalIds', ARRAY[v_earlier_id]));
    END IF;

    SELECT o.esignature_required
      INTO v_required
      FROM lims.organization o
     WHERE o.id = NEW.organization_id;
    NEW.signature_id := coalesce(NEW.signature_id,
                                 lims.context_id('signature_id'));
    -- A signature that nobody asked for counts all the same.
    IF (v_required OR NEW.signature_id IS NOT NULL)
       AND NOT lims.is_signed(NEW.organization_id, NEW.signature_id, NEW.status,
                              'approval', NEW.id) THEN
        PERFORM lims.refuse('esignature_required', 'deciding an approval needs '
            'a signature on it, made now with password re-authentication');
    END IF;
    NEW.decided_at := now();
    NEW.decided_by := lims.acting_user();
    RETURN NEW;
END
$$;
