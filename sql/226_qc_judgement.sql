-- SPDX-License-Identifier: Apache-2.0
--
-- The judgement of controls that are not entered yet, which writes nothing.

-- Returns the place of a value in its QC series: its distance from the mean, and the
-- rules that it would break as the latest point. The control has its id and its batch,
-- which R-4s looks at; one that is not entered yet has the id 0.
CREATE FUNCTION lims.qc_prospect(
    p_control lims.qc_control,
    OUT z numeric,
    OUT broken text[]
)
LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_variable
DECLARE
    v_series lims.qc_series;
    v_z numeric[];
BEGIN
    broken := '{}';
    SELECT s.*
      INTO v_series
      FROM lims.qc_batch b
      JOIN lims.qc_series s
        ON s.organization_id = b.organization_id
       AND s.instrument_id IS NOT DISTINCT FROM b.instrument_id
     WHERE b.organization_id = p_control.organization_id
       AND b.id = p_control.qc_batch_id
       AND s.test_definition_id = p_control.test_definition_id
       AND s.control_type = p_control.control_type
       AND s.criterion = p_control.criterion
       AND s.level IS NOT DISTINCT FROM p_control.level
       AND s.lot IS NOT DISTINCT FROM p_control.lot;
    z := lims.qc_z(p_control.organization_id, v_series.id, p_control.evaluated_value);
    IF z IS NULL THEN
        RETURN;
    END IF;
    SELECT array_agg((c.evaluated_value - b.mean) / b.s ORDER BY c.charted_at, c.id)
      INTO v_z
      FROM lims.qc_baseline(p_control.organization_id, v_series.id) b
     CROSS JOIN LATERAL (
           SELECT k.evaluated_value, k.charted_at, k.id
             FROM lims.qc_control k
            WHERE k.organization_id = p_control.organization_id
              AND k.qc_series_id = v_series.id
              AND k.excluded_at IS NULL
              AND k.id <> p_control.id
              AND k.charted_at <= coalesce(p_control.measured_at, 'infinity')
            ORDER BY k.charted_at DESC, k.id DESC
            LIMIT 9) c;
    v_z := v_z || z;
    SELECT w.broken
      INTO broken
      FROM lims.westgard(v_z, array_fill(false, ARRAY[cardinality(v_z) - 1])
                              || lims.qc_opposed(p_control, z), v_series.rules) w
     WHERE w.place = cardinality(v_z);
    z := trim_scale(round(z, 6));
END
$$;

-- Lists why entering a control would be refused: an array of { error, message }.
CREATE FUNCTION lims.control_refusals(p_control lims.qc_control) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object('error', f.slug,
                                                     'message', f.message)
                                  ORDER BY f.place), '[]')
          FROM (SELECT lims.qc_control_departs(p_control) AS members OFFSET 0) d
         CROSS JOIN LATERAL (VALUES
               (1, 'invalid_reference', format('there is no control %s', p_control.id),
                p_control.id > 0 AND p_control.organization_id IS NULL),
               (2, 'invalid_reference', format('there is no QC batch %s',
                                               p_control.qc_batch_id),
                NOT EXISTS (SELECT FROM lims.qc_batch b
                             WHERE b.organization_id = p_control.organization_id
                               AND b.id = p_control.qc_batch_id)
                AND p_control.qc_batch_id IS NOT NULL),
               (3, 'invalid_reference', format('there is no test definition %s',
                                               p_control.test_definition_id),
                NOT EXISTS (SELECT FROM lims.test_definition d
                             WHERE d.organization_id = p_control.organization_id
                               AND d.id = p_control.test_definition_id)
                AND p_control.test_definition_id IS NOT NULL),
               (4, 'invalid_body', format('criterion %s needs %s', p_control.criterion,
                                          lims.qc_control_needs(p_control)),
                lims.qc_control_needs(p_control) IS NOT NULL),
               (5, 'invalid_body', 'lowerLimit is above upperLimit',
                p_control.lower_limit > p_control.upper_limit),
               (6, 'field_not_patchable', format('what the QC template gives of an expected '
                    'control cannot be changed: %s', d.members),
                d.members IS NOT NULL)
               ) AS f (place, slug, message, applies)
         WHERE f.applies
           AND (f.place = 1 OR p_control.organization_id IS NOT NULL));
END
$$;

-- Judges controls as entering them would. p_controls: an array of the members of a control,
-- of which one with qcControlId changes that control. Row-level security applies to the
-- caller. The columns are named as in the API.
CREATE FUNCTION lims.judge_controls(p_organization bigint, p_controls jsonb)
RETURNS TABLE (
    "qcControlId" bigint,
    "evaluatedValue" numeric,
    passed boolean,
    z numeric,
    broken text[],
    refusals jsonb
)
LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_column
DECLARE
    v_sent jsonb;
    v_id bigint;
    v lims.qc_control;
BEGIN
    FOR v_sent IN
        SELECT c.value
          FROM jsonb_array_elements(p_controls) WITH ORDINALITY AS c (value, place)
         ORDER BY c.place
    LOOP
        v_id := (v_sent ->> 'qcControlId')::bigint;
        SELECT c.*
          INTO v
          FROM lims.qc_control c
         WHERE c.organization_id = p_organization
           AND c.id = v_id;
        IF v_id IS NULL THEN
            v.organization_id := p_organization;
        END IF;
        v := jsonb_populate_record(v, (
            SELECT jsonb_object_agg(lower(regexp_replace(m.key, '([A-Z])', '_\1', 'g')),
                                    m.value)
              FROM jsonb_each(v_sent - 'qcControlId') AS m (key, value)));
        v.id := coalesce(v_id, 0);
        refusals := lims.control_refusals(v);
        v.evaluated_value := NULL;
        v.passed := NULL;
        IF refusals = '[]' THEN
            v := lims.qc_control_judged(v);
        END IF;
        RETURN QUERY
        SELECT v_id, trim_scale(v.evaluated_value), v.passed, p.z, p.broken, refusals
          FROM lims.qc_prospect(v) p;
    END LOOP;
END
$$;
