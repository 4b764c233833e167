-- SPDX-License-Identifier: Apache-2.0
--
-- Triggers that run before a sample test's row is written: references and judgement. Their
-- map is in 130_sample_tests.sql.

-- The time of analysis -----------------------------------------------------

-- Refuses a time of analysis in the future (with a tolerance for clocks), or before the
-- sample was collected.
CREATE FUNCTION lims.sample_test_analyzed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.analyzed_at > now() + interval '5 minutes' THEN
        PERFORM lims.refuse('invalid_body', 'analyzedAt lies in the future');
    END IF;
    IF NEW.analyzed_at < lims.collection_moment(NEW.organization_id,
                                                NEW.sample_id) THEN
        PERFORM lims.refuse('invalid_body',
            'analyzedAt lies before the collection of the sample');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_analyzed_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN (NEW.analyzed_at IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_analyzed();

CREATE TRIGGER guard_analyzed_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (NEW.analyzed_at IS DISTINCT FROM OLD.analyzed_at
    AND NEW.analyzed_at IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_analyzed();

-- References ---------------------------------------------------------------

-- Validates references, which have to exist and be active when they are made.
CREATE FUNCTION lims.sample_test_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT d.holding_time_hours, d.requires_worksheet,
               d.requires_confirmation, NULL, NULL, NULL, NULL,
               CASE WHEN d.holding_time_hours IS NOT NULL
                    THEN lims.holding_end(s.collected_at, s.collection_date, (
                             SELECT o.time_zone
                               FROM lims.organization o
                              WHERE o.id = d.organization_id), d.holding_time_hours)
               END,
               lims.work_priority(s.disposition, s.priority)
          INTO NEW.holding_time_hours, NEW.requires_worksheet,
               NEW.requires_confirmation, NEW.verified_by, NEW.verified_at,
               NEW.verification_signature_id, NEW.reopening_signature_id,
               NEW.holding_expires_at, NEW.work_priority
          FROM lims.test_definition d
          LEFT JOIN lims.sample s
            ON s.organization_id = d.organization_id
           AND s.id = NEW.sample_id
         WHERE d.organization_id = NEW.organization_id
           AND d.id = NEW.test_definition_id
           -- A test is repeated also after its definition went out of use.
           AND (d.active OR NEW.retest_of IS NOT NULL);
        IF NOT FOUND THEN
            PERFORM lims.refuse('invalid_reference', format(
                'testDefinitionIds: no active test definition %s',
                NEW.test_definition_id));
        END IF;
    ELSE
        IF (NEW.organization_id, NEW.id, NEW.sample_id, NEW.test_definition_id)
           <> (OLD.organization_id, OLD.id, OLD.sample_id,
               OLD.test_definition_id) THEN
            PERFORM lims.refuse('field_not_patchable',
                'the sample and the definition of a test cannot be changed');
        END IF;
        IF (NEW.holding_time_hours, NEW.requires_worksheet,
            NEW.requires_confirmation)
           IS DISTINCT FROM (OLD.holding_time_hours, OLD.requires_worksheet,
                             OLD.requires_confirmation) THEN
            PERFORM lims.refuse('field_not_patchable',
                'the requirements of a test are copied from its definition when it is '
                'scheduled, and cannot be changed');
        END IF;
    END IF;
    IF NEW.reagent_lot_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.reagent_lot r
         WHERE r.organization_id = NEW.organization_id
           AND r.id = NEW.reagent_lot_id
    ) THEN
        PERFORM lims.refuse('invalid_reference', format(
            'reagentLotId: no reagent lot %s', NEW.reagent_lot_id));
    END IF;
    IF NEW.media_lot_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.media_lot m
         WHERE m.organization_id = NEW.organization_id
           AND m.id = NEW.media_lot_id
    ) THEN
        PERFORM lims.refuse('invalid_reference', format(
            'mediaLotId: no media lot %s', NEW.media_lot_id));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW EXECUTE FUNCTION lims.sample_test_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (
    (NEW.organization_id, NEW.id, NEW.sample_id, NEW.test_definition_id)
    <> (OLD.organization_id, OLD.id, OLD.sample_id, OLD.test_definition_id)
    OR (NEW.holding_time_hours, NEW.requires_worksheet,
        NEW.requires_confirmation) IS DISTINCT FROM
       (OLD.holding_time_hours, OLD.requires_worksheet,
        OLD.requires_confirmation)
    OR NEW.media_lot_id IS DISTINCT FROM OLD.media_lot_id
    OR NEW.reagent_lot_id IS DISTINCT FROM OLD.reagent_lot_id)
EXECUTE FUNCTION lims.sample_test_guard();

-- Media lots ---------------------------------------------------------------

-- Whether two results are the same: numbers by value, text without case and outer blanks.
CREATE FUNCTION lims.is_same_result(p_one text, p_other text) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
    SELECT coalesce(
        lims.result_number(p_one) = lims.result_number(p_other),
        lower(btrim(p_one)) = lower(btrim(p_other)),
        false)
$$;

-- A failed media lot can only be replaced by another one that has not failed, together
-- with another result; or by no lot, where an override accepts it for the sample. The
-- same holds after the result was withdrawn: the audit trail has the former lots.
CREATE FUNCTION lims.sample_test_links() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_left record;
    v_named record;
    v_ids json;
BEGIN
    PERFORM lims.require_read_committed();
    -- Serializes with a lot's test that is recorded at the same time.
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = NEW.organization_id
        AND m.id IN (NEW.media_lot_id, OLD.media_lot_id)
      ORDER BY m.id
        FOR SHARE;
    IF TG_OP = 'INSERT' OR OLD.media_lot_id IS NULL THEN
        RETURN NEW;
    END IF;
    SELECT m.id, m.code
      INTO v_left
      FROM lims.media_lot m
     WHERE m.organization_id = OLD.organization_id
       AND 'failed' IN (m.growth_promotion_status, m.sterility_status)
       AND (m.id = OLD.media_lot_id
            OR (NEW.media_lot_id IS NULL AND m.id IN (
                SELECT (a.changes -> 'media_lot_id' ->> 'old')::bigint
                  FROM lims.audit_entry a
                 WHERE a.organization_id = OLD.organization_id
                   AND a.table_name = 'sample_test'
                   AND a.record_id = OLD.id
                 UNION ALL
                SELECT unnest(r.media_lot_ids)
                  FROM lims.archived_result r
                 WHERE r.organization_id = OLD.organization_id
                   AND r.sample_test_id = OLD.id)))
       AND NOT (NEW.media_lot_id IS NULL
                AND lims.lot_is_accepted(OLD.organization_id, OLD.sample_id, NULL, m.id))
     ORDER BY m.id = OLD.media_lot_id DESC, m.id
     LIMIT 1;
    IF NOT FOUND THEN
        RETURN NEW;
    END IF;
    v_ids := json_build_object('testIds', ARRAY[OLD.id],
                               'mediaLotIds', ARRAY[v_left.id]);
    IF NEW.media_lot_id IS NULL THEN
        PERFORM lims.refuse_for('media_qc_failed', format(
            'media lot %s failed: name the lot with which sample test %s was repeated',
            v_left.code, OLD.id), v_ids);
    END IF;
    SELECT m.code
      INTO v_named
      FROM lims.media_lot m
     WHERE m.organization_id = NEW.organization_id
       AND m.id = NEW.media_lot_id
       AND 'failed' IN (m.growth_promotion_status, m.sterility_status);
    IF FOUND THEN
        PERFORM lims.refuse_for('media_qc_failed', format(
            'media lot %s failed, and so did %s: repeat sample test %s with another lot',
            v_left.code, v_named.code, OLD.id), v_ids);
    END IF;
    IF lims.is_same_result(NEW.result, OLD.result) THEN
        PERFORM lims.refuse_for('media_qc_failed', format(
            'media lot %s failed, and sample test %s still has the result '
            'found with it: enter one found with another lot',
            v_left.code, OLD.id), v_ids);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_links_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN (NEW.media_lot_id IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_links();

CREATE TRIGGER guard_links_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status <> 'verified'
    AND NEW.media_lot_id IS DISTINCT FROM OLD.media_lot_id)
EXECUTE FUNCTION lims.sample_test_links();

-- Lots that are not released -----------------------------------------------

-- The lots that a test would leave with this result and these lots, while the value found
-- with them stays; where the policy requires released lots, those that are not, and that no
-- override accepts. A failed medium is refused by itself, whatever the policy.
CREATE FUNCTION lims.lots_left(
    p_test lims.sample_test,
    p_result text,
    p_reagent_lot bigint,
    p_media_lot bigint
) RETURNS TABLE (message text, reagent_lot_id bigint, media_lot_id bigint)
LANGUAGE sql STABLE
AS $$
    SELECT b.message, b.reagent_lot_id, b.media_lot_id
      FROM lims.refused_lots((p_test).organization_id,
               nullif((p_test).reagent_lot_id, p_reagent_lot),
               nullif((p_test).media_lot_id, p_media_lot)) b
     WHERE b.slug = 'lot_not_released'
       AND lims.is_same_result(p_result, (p_test).result)
       AND NOT lims.lot_is_accepted((p_test).organization_id, (p_test).sample_id,
                                    b.reagent_lot_id, b.media_lot_id)
       AND NOT EXISTS (
           SELECT FROM lims.lots_named((p_test).organization_id, NULL, b.media_lot_id) m
            WHERE m.has_failed)
$$;

-- Refuses to take such a lot from a result that stands. Locks the reagent lots, after the
-- media lots (lims.sample_test_links), so that none is quarantined meanwhile.
CREATE FUNCTION lims.sample_test_lots_left() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.reagent_lot r
      WHERE r.organization_id = NEW.organization_id
        AND r.id IN (NEW.reagent_lot_id, OLD.reagent_lot_id)
      ORDER BY r.id
        FOR SHARE;
    IF TG_OP = 'INSERT' THEN
        RETURN NEW;
    END IF;
    SELECT *
      INTO v
      FROM lims.lots_left(OLD, NEW.result, NEW.reagent_lot_id, NEW.media_lot_id)
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse_for('lot_not_released', format(
            '%s, and sample test %s still has the result found with it: enter one found '
            'with another lot, or have this one released, or accepted for the sample',
            v.message, OLD.id), json_build_object('testIds', ARRAY[OLD.id],
                'reagentLotIds', array_remove(ARRAY[v.reagent_lot_id], NULL),
                'mediaLotIds', array_remove(ARRAY[v.media_lot_id], NULL)));
    END IF;
    RETURN NEW;
END
$$;

-- Triggers run in the order of their names: these after guard_links, for the lock order.
CREATE TRIGGER guard_lots_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN (NEW.reagent_lot_id IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_lots_left();

CREATE TRIGGER guard_lots_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status <> 'verified'
    AND (NEW.reagent_lot_id, NEW.media_lot_id)
        IS DISTINCT FROM (OLD.reagent_lot_id, OLD.media_lot_id))
EXECUTE FUNCTION lims.sample_test_lots_left();

-- Judging a result ---------------------------------------------------------

-- The derived columns of a test (p_stands) for a result: numeric value, limits of this
-- moment, whether it is out of them or needs confirmation; all NULL for a blank one. For
-- an unchanged result (only material type or project of its sample changed) entered_by,
-- entered_at and confirmation_status are kept.
CREATE FUNCTION lims.judged(
    p_stands lims.sample_test,
    p_result text,
    p_qualifier text
) RETURNS TABLE (
    status text,
    result text,
    numeric_value numeric,
    out_of_specification boolean,
    spec_low numeric,
    spec_high numeric,
    spec_text text,
    spec_material_type_id bigint,
    spec_project_id bigint,
    confirmation_status text,
    value_warnings jsonb,
    analyzed_at timestamptz,
    entered_by bigint,
    entered_at timestamptz,
    first_entered_at timestamptz
)
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN e.is_result THEN 'entered' ELSE 'pending' END,
           CASE WHEN e.is_result THEN p_result END,
           e.number,
           CASE WHEN NOT e.is_result THEN NULL
                WHEN l.result_type = 'numeric'
                THEN lims.out_of_limits(e.number, e.bound, l.low, l.high)
                ELSE lims.out_of_expectation(p_result, l.expected,
                                             l.result_type = 'presence')
           END,
           CASE WHEN e.is_result THEN l.low END,
           CASE WHEN e.is_result THEN l.high END,
           CASE WHEN e.is_result THEN l.expected END,
           CASE WHEN e.is_result THEN s.material_type_id END,
           CASE WHEN e.is_result THEN s.project_id END,
           CASE WHEN NOT e.is_result THEN NULL
                WHEN (p_stands).confirmation_status IS NOT NULL
                 AND (p_result, p_qualifier) IS NOT DISTINCT FROM
                     ((p_stands).result, (p_stands).qualifier)
                THEN (p_stands).confirmation_status
                WHEN (p_stands).requires_confirmation
                 AND lims.is_presumptive(l.result_type, p_result, p_qualifier,
                         e.number, e.bound, l.presumptive_minimum,
                         greatest(l.presumptive_minimum, l.reporting_limit,
                                  l.high))
                THEN 'pending'
           END,
           -- Conditions that few results meet: their details are read only if one of them
           -- holds.
           CASE WHEN e.is_result
                 AND (e.bound = '<>'
                      OR l.result_type = 'numeric'
                     AND (e.number IS NULL OR e.number < l.reporting_limit
                          OR e.number < l.detection_limit
                          OR scale(e.number) > l.decimals))
                THEN lims.value_warnings(l.result_type, p_result, p_qualifier, e.number,
                         e.bound, l.reporting_limit, l.detection_limit, l.decimals)
           END,
           -- A withdrawn analysis no longer stops the holding time.
           CASE WHEN e.is_result OR (p_stands).result IS NULL
                THEN (p_stands).analyzed_at END,
           CASE WHEN NOT e.is_result THEN NULL
                WHEN (p_result, p_qualifier) IS NOT DISTINCT FROM
                     ((p_stands).result, (p_stands).qualifier)
                THEN (p_stands).entered_by
                ELSE (SELECT lims.context_id('user_id')) END,
           CASE WHEN NOT e.is_result THEN NULL
                WHEN (p_result, p_qualifier) IS NOT DISTINCT FROM
                     ((p_stands).result, (p_stands).qualifier)
                THEN (p_stands).entered_at
                ELSE now() END,
           CASE WHEN e.is_result
                THEN coalesce((p_stands).first_entered_at, now()) END
      FROM lims.sample s
     CROSS JOIN LATERAL lims.limits_of(s.organization_id,
           (p_stands).test_definition_id, s.material_type_id, s.project_id) l
     CROSS JOIN LATERAL (
           SELECT coalesce(p_result ~ '\S', false) AS is_result,
                  lims.result_number(p_result) AS number,
                  CASE WHEN lims.is_contradictory(p_result, p_qualifier) THEN '<>'
                       ELSE lims.result_bound(p_result, p_qualifier) END AS bound
           OFFSET 0) e
     WHERE s.organization_id = (p_stands).organization_id
       AND s.id = (p_stands).sample_id
$$;

-- Judges a result that was written without its derived columns, row by row. Locks the
-- sample first: a change of its material type or project is seen here, or sees this row.
CREATE FUNCTION lims.sample_test_judge() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_stands lims.sample_test := OLD;
    v_analyzed_at timestamptz;
BEGIN
    IF NEW.status = 'verified' THEN
        PERFORM lims.refuse('invalid_transition',
            'a result cannot be entered and verified in one step');
    END IF;
    PERFORM FROM lims.sample s
      WHERE s.organization_id = NEW.organization_id
        AND s.id = NEW.sample_id
        FOR SHARE;
    IF TG_OP = 'INSERT' THEN
        v_stands := NEW;
        v_stands.result := NULL;
        v_stands.first_entered_at := NULL;
    END IF;
    SELECT j.status, j.result, j.numeric_value, j.out_of_specification,
           j.spec_low, j.spec_high, j.spec_text, j.spec_material_type_id,
           j.spec_project_id, j.confirmation_status, j.value_warnings,
           j.analyzed_at, j.entered_by, j.entered_at, j.first_entered_at
      INTO NEW.status, NEW.result, NEW.numeric_value, NEW.out_of_specification,
           NEW.spec_low, NEW.spec_high, NEW.spec_text, NEW.spec_material_type_id,
           NEW.spec_project_id, NEW.confirmation_status, NEW.value_warnings,
           v_analyzed_at, NEW.entered_by, NEW.entered_at, NEW.first_entered_at
      FROM lims.judged(v_stands, NEW.result, NEW.qualifier) j;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference',
                            format('no sample %s', NEW.sample_id));
    END IF;
    IF NEW.entered_at = now() AND NEW.entered_by IS NULL THEN
        PERFORM lims.acting_user();
    END IF;
    IF NEW.analyzed_at IS NOT DISTINCT FROM v_stands.analyzed_at THEN
        NEW.analyzed_at := v_analyzed_at;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER judge_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN (NEW.status <> 'pending'
    OR NOT ROW(NEW.result, NEW.numeric_value, NEW.out_of_specification,
        NEW.spec_low, NEW.spec_high, NEW.spec_text, NEW.spec_material_type_id,
        NEW.spec_project_id, NEW.confirmation_status, NEW.value_warnings,
        NEW.entered_by, NEW.entered_at, NEW.first_entered_at) IS NULL)
EXECUTE FUNCTION lims.sample_test_judge();

-- Results written by lims.enter_results() are left out: it has judged them. It alone
-- writes with the owner's rights while the owner does not act. The run-time role has no
-- right to the derived columns; the owner has, and is judged. WHEN is evaluated for the
-- role that executes the UPDATE; in the trigger's function, current_user is always the
-- owner.
CREATE TRIGGER judge_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status <> 'verified'
    AND CASE WHEN (NEW.result, NEW.qualifier)
                  IS NOT DISTINCT FROM (OLD.result, OLD.qualifier)
             THEN (NEW.spec_material_type_id, NEW.spec_project_id)
                  IS DISTINCT FROM (OLD.spec_material_type_id, OLD.spec_project_id)
             ELSE NOT pg_has_role(current_user, 'lims_owner', 'MEMBER')
                  OR lims.is_owner_acting()
        END)
EXECUTE FUNCTION lims.sample_test_judge();
