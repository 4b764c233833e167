-- SPDX-License-Identifier: Apache-2.0
--
-- Triggers that run after a statement on sample tests: checks of all rows at once, and
-- consequences in other tables. Their map is in 130_sample_tests.sql.

-- Lots ---------------------------------------------------------------------

-- Refuses results with a lot that has expired or is not released (lims.refused_lots),
-- naming lot and tests. Which results are new is looked at only if the statement's tests
-- have such a lot, which is rare.
--
-- Old and new rows of a statement are paired by a FULL JOIN in a subquery with OFFSET 0,
-- here and in the triggers below. It has the rows of an inner join, but is never executed
-- as a nested loop: the plan may be made for one row and reused for a thousand.
CREATE FUNCTION lims.sample_test_lots() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    -- Most statements enter no result with a lot, as a registration: making the query
    -- below ready costs them more than looking for one.
    IF NOT EXISTS (
        SELECT FROM new_rows n
         WHERE n.status = 'entered'
           AND (n.reagent_lot_id IS NOT NULL OR n.media_lot_id IS NOT NULL)
    ) THEN
        RETURN NULL;
    END IF;
    SELECT b.*, l.test_ids
      INTO v
      FROM (SELECT n.organization_id, n.reagent_lot_id, n.media_lot_id,
                   array_agg(n.id ORDER BY n.id) AS test_ids
              FROM new_rows n
             WHERE n.status = 'entered'
               AND (n.reagent_lot_id IS NOT NULL OR n.media_lot_id IS NOT NULL)
             GROUP BY n.organization_id, n.reagent_lot_id, n.media_lot_id) l
     CROSS JOIN LATERAL lims.refused_lots(l.organization_id, l.reagent_lot_id,
                                          l.media_lot_id) b
     ORDER BY b.slug DESC, b.message
     LIMIT 1;
    IF FOUND AND TG_OP = 'UPDATE' THEN
        SELECT b.*, array_agg(e.id ORDER BY e.id) AS test_ids
          INTO v
          FROM (SELECT n.organization_id, n.id, n.sample_id,
                       -- A lot that stays is not asked for with another of the other kind.
                       CASE WHEN (n.result, n.qualifier, n.reagent_lot_id)
                                 IS DISTINCT FROM
                                 (o.result, o.qualifier, o.reagent_lot_id)
                            THEN n.reagent_lot_id END AS reagent_lot_id,
                       CASE WHEN (n.result, n.qualifier, n.media_lot_id)
                                 IS DISTINCT FROM
                                 (o.result, o.qualifier, o.media_lot_id)
                            THEN n.media_lot_id END AS media_lot_id,
                       n.status = 'entered' AND o.status <> 'verified' AS is_entered
                  FROM new_rows n
                  FULL JOIN old_rows o
                    ON o.organization_id = n.organization_id
                   AND o.id = n.id
                OFFSET 0) e
         CROSS JOIN LATERAL lims.refused_lots(e.organization_id, e.reagent_lot_id,
                                              e.media_lot_id) b
         WHERE e.is_entered
           AND NOT (b.slug = 'lot_not_released'
                    AND lims.lot_is_accepted(e.organization_id, e.sample_id,
                                             b.reagent_lot_id, b.media_lot_id))
         GROUP BY b.slug, b.message, b.reagent_lot_id, b.media_lot_id
         ORDER BY b.slug DESC, b.message
         LIMIT 1;
    END IF;
    IF FOUND AND v.slug = 'reagent_lot_expired' THEN
        PERFORM lims.refuse_for('reagent_lot_expired', format(
            '%s: enter the result with a lot that is in date', v.message),
            json_build_object('testIds', v.test_ids,
                              'reagentLotIds', ARRAY[v.reagent_lot_id]));
    ELSIF FOUND THEN
        PERFORM lims.refuse_for('lot_not_released', format(
            '%s: enter the result with another lot, or have this one released, or '
            'accepted for the sample', v.message), json_build_object('testIds', v.test_ids,
                'reagentLotIds', array_remove(ARRAY[v.reagent_lot_id], NULL),
                'mediaLotIds', array_remove(ARRAY[v.media_lot_id], NULL)));
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER check_lots_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_lots();

CREATE TRIGGER check_lots_update AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_lots();

-- Events -------------------------------------------------------------------

CREATE FUNCTION lims.emit_result_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        -- An INSERT of no rows runs the triggers of the outbox all the same.
        IF NOT EXISTS (SELECT FROM new_rows n WHERE n.status = 'entered') THEN
            RETURN NULL;
        END IF;
        INSERT INTO lims.event (organization_id, type, data)
        SELECT n.organization_id, 'result.entered', json_build_object(
                   'sampleTestId', n.id,
                   'testDefinitionId', n.test_definition_id)
          FROM new_rows n
         WHERE n.status = 'entered'
         ORDER BY n.id;
        RETURN NULL;
    END IF;
    INSERT INTO lims.event (organization_id, type, data)
    SELECT e.organization_id, e.type,
           CASE e.type
               WHEN 'result.entered' THEN json_build_object(
                   'sampleTestId', e.id,
                   'testDefinitionId', e.test_definition_id)
               ELSE json_build_object(
                   'sampleTestId', e.id,
                   'sampleId', e.sample_id)
           END
      FROM (SELECT n.organization_id, n.id, n.sample_id, n.test_definition_id,
                   CASE
                       WHEN n.status = 'entered' AND (n.result, n.qualifier)
                            IS DISTINCT FROM (o.result, o.qualifier)
                       THEN 'result.entered'
                       WHEN n.status = 'verified' AND o.status <> 'verified'
                       THEN 'result.verified'
                   END AS type
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) e
     WHERE e.type IS NOT NULL
     ORDER BY e.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_result_events();

CREATE TRIGGER events_update AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_result_events();

-- A reported sample's tests are final --------------------------------------

-- Locks the samples of the changed tests until the transaction ends, and refuses if one
-- is reported and not being amended by a person (158), or closed by its disposition: a
-- concurrent report or cancellation waits for this transaction, or is seen by it. Requires a
-- reason for tests that are added to a received sample, where the policy does (154).
CREATE FUNCTION lims.sample_test_final() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_reported text;
    v_closed text;
    v_received text;
BEGIN
    SELECT min(s.tracking_id) FILTER (WHERE s.status = 'reported'
               AND NOT lims.sample_is_open(s.status, s.amendment_id)),
           min(s.tracking_id) FILTER (
               WHERE lims.sample_is_closed(s.status, s.disposition)),
           min(s.tracking_id) FILTER (WHERE s.received_at IS NOT NULL)
      INTO v_reported, v_closed, v_received
      FROM (SELECT x.tracking_id, x.status, x.disposition, x.amendment_id, x.received_at
              FROM lims.sample x
             WHERE (x.organization_id, x.id) IN (
                       SELECT c.organization_id, c.sample_id
                         FROM changed_rows c)
             ORDER BY x.organization_id, x.id
               FOR SHARE) s;
    IF v_reported IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is reported and final', v_reported));
    ELSIF v_closed IS NOT NULL THEN
        PERFORM lims.refuse_closed(s.tracking_id, s.disposition)
           FROM lims.sample s
          WHERE (s.organization_id, s.tracking_id) IN (
                    SELECT c.organization_id, v_closed
                      FROM changed_rows c);
    ELSIF TG_OP = 'INSERT' AND v_received IS NOT NULL
          AND lims.is_reason_missing((SELECT c.organization_id
                                        FROM changed_rows c
                                       LIMIT 1)) THEN
        PERFORM lims.refuse('reason_required', format(
            'sample %s is received: reason must say why tests are added', v_received));
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER final_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_final();

CREATE TRIGGER final_update AFTER UPDATE ON lims.sample_test
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_final();

CREATE TRIGGER final_delete AFTER DELETE ON lims.sample_test
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_final();

-- Every value a result ever had --------------------------------------------

CREATE SEQUENCE lims.result_history_id_seq;

-- Values that were replaced, withdrawn or reopened, a row each. Without a foreign key,
-- for speed: only triggers write here, from the test's row, and a test that has had a
-- result cannot be deleted.
CREATE TABLE lims.result_history (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.result_history_id_seq'),
    sample_test_id bigint NOT NULL,
    status text NOT NULL,
    result text NOT NULL,
    qualifier text,
    numeric_value numeric,
    out_of_specification boolean,
    confirmation_status text,
    entered_by bigint,
    entered_at timestamptz,
    verified_by bigint,
    verified_at timestamptz,
    verification_signature_id bigint,
    replaced_by bigint,
    replaced_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, sample_test_id, id)
);

SELECT lims.attach_append_only('result_history');

CREATE FUNCTION lims.sample_test_keep_history() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.result_history (organization_id, sample_test_id, status,
        result, qualifier, numeric_value, out_of_specification,
        confirmation_status, entered_by, entered_at, verified_by, verified_at,
        verification_signature_id, replaced_by)
    SELECT h.organization_id, h.id, h.status, h.result, h.qualifier,
           h.numeric_value, h.out_of_specification, h.confirmation_status,
           h.entered_by, h.entered_at, h.verified_by, h.verified_at,
           h.verification_signature_id, (SELECT lims.context_id('user_id'))
      FROM (SELECT o.*, o.result IS NOT NULL
                   AND ((n.result, n.qualifier)
                        IS DISTINCT FROM (o.result, o.qualifier)
                        OR (o.status = 'verified' AND n.status <> 'verified'))
                   AS is_replaced
              FROM old_rows o
              FULL JOIN new_rows n
                ON n.organization_id = o.organization_id
               AND n.id = o.id
            OFFSET 0) h
     WHERE h.is_replaced;
    IF FOUND AND lims.is_reason_missing((SELECT n.organization_id
                                           FROM new_rows n
                                          LIMIT 1)) THEN
        PERFORM lims.refuse_replacement(array_agg(c.id ORDER BY c.id))
           FROM (SELECT n.id, o.result IS NOT NULL AND (n.result, n.qualifier)
                        IS DISTINCT FROM (o.result, o.qualifier) AS has_changed
                   FROM old_rows o
                   FULL JOIN new_rows n
                     ON n.organization_id = o.organization_id
                    AND n.id = o.id
                 OFFSET 0) c
          WHERE c.has_changed
         HAVING count(*) > 0;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER history AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_keep_history();

-- Investigations -----------------------------------------------------------

-- Opens an investigation for each numeric result out of its limits, if the organization's
-- policy says so. Once per statement, so that a bulk entry pays for these results only.
CREATE FUNCTION lims.sample_test_investigate() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_tests bigint[];
BEGIN
    IF NOT EXISTS (SELECT FROM new_rows n WHERE n.out_of_specification) THEN
        RETURN NULL;
    END IF;
    -- Results that have become so: entered, or rejudged with their sample.
    IF TG_OP = 'UPDATE' THEN
        SELECT array_agg(f.id)
          INTO v_tests
          FROM (SELECT n.id, (n.result, n.qualifier)
                       IS DISTINCT FROM (o.result, o.qualifier)
                       OR o.out_of_specification IS NOT TRUE AS is_found
                  FROM new_rows n
                  FULL JOIN old_rows o
                    ON o.organization_id = n.organization_id
                   AND o.id = n.id
                OFFSET 0) f
         WHERE f.is_found;
    ELSE
        SELECT array_agg(n.id) INTO v_tests FROM new_rows n;
    END IF;
    INSERT INTO lims.investigation (organization_id, title, kind, sample_id,
        sample_test_id)
    SELECT n.organization_id,
           left(format('%s %s outside %s, sample %s', d.code,
                       concat_ws(' ', n.result, d.unit),
                       lims.specification_words(n.spec_low, n.spec_high,
                                                n.spec_text, d.unit),
                       s.tracking_id), 255),
           'oos', n.sample_id, n.id
      FROM new_rows n
      JOIN lims.organization g ON g.id = n.organization_id
      JOIN lims.test_definition d
        ON d.organization_id = n.organization_id
       AND d.id = n.test_definition_id
      JOIN lims.sample s
        ON s.organization_id = n.organization_id
       AND s.id = n.sample_id
     WHERE n.out_of_specification
       AND n.status = 'entered'
       AND n.id = ANY (v_tests)
       AND d.result_type = 'numeric'
       AND g.oos_opens_investigation
     ORDER BY n.organization_id, n.id
        ON CONFLICT (organization_id, sample_test_id)
     WHERE kind = 'oos' AND status NOT IN ('closed', 'cancelled')
        DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER investigate_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_investigate();

CREATE TRIGGER investigate_update AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_investigate();

-- Dirty samples ------------------------------------------------------------

CREATE TRIGGER mark_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples();

CREATE TRIGGER mark_update AFTER UPDATE ON lims.sample_test
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples();

CREATE TRIGGER mark_delete AFTER DELETE ON lims.sample_test
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples();

-- Approvals ----------------------------------------------------------------

-- Requests approvals again after a change of a sample's tests or results, and after a
-- reopening, whatever the result is then.
-- OFFSET 0: has_approvals() is called once per sample, not once per test.
CREATE FUNCTION lims.sample_test_reapprove() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
    v_reopened bigint[] := '{}';
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF EXISTS (SELECT FROM old_rows o WHERE o.status = 'verified') THEN
            SELECT coalesce(array_agg(c.sample_id), '{}')
              INTO v_reopened
              FROM (SELECT n.sample_id,
                           o.status = 'verified' AND n.status <> 'verified'
                               AS is_reopened
                      FROM changed_rows n
                      FULL JOIN old_rows o
                        ON o.organization_id = n.organization_id
                       AND o.id = n.id
                    OFFSET 0) c
             WHERE c.is_reopened;
        END IF;
    END IF;
    FOR v IN
        SELECT c.organization_id, array_agg(c.sample_id) AS samples
          FROM (SELECT DISTINCT x.organization_id, x.sample_id
                  FROM changed_rows x
                OFFSET 0) c
         WHERE lims.has_approvals(c.organization_id, c.sample_id)
         GROUP BY c.organization_id
    LOOP
        PERFORM lims.request_approvals_again(v.organization_id, v.samples,
            CASE TG_OP WHEN 'UPDATE' THEN v_reopened
                || lims.own_approvals(v.organization_id, v.samples)
                 ELSE v_reopened END);
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER reapprove_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_reapprove();

CREATE TRIGGER reapprove_update AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_reapprove();

CREATE TRIGGER reapprove_delete AFTER DELETE ON lims.sample_test
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_reapprove();
