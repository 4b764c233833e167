-- SPDX-License-Identifier: Apache-2.0
--
-- The controls of an instrument's file: read into a QC batch that expects them, or into one
-- of the file's own.

-- The open QC batch that a file's controls fill: one that was made from a template and
-- covers all tests of the file. It is locked; NULL: there is none.
CREATE FUNCTION lims.batch_to_fill(p_organization bigint, p_tests bigint[])
RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_batch bigint;
BEGIN
    SELECT lims.lock_qc_batch(b.organization_id, b.id)
      INTO v_batch
      FROM lims.qc_batch b
     WHERE b.organization_id = p_organization
       AND b.id IN (
           SELECT c.qc_batch_id
             FROM lims.qc_coverage c
            WHERE c.organization_id = p_organization
              AND c.sample_test_id = ANY (p_tests)
            GROUP BY c.qc_batch_id
           HAVING count(*) = cardinality(p_tests))
       AND b.qc_template_id IS NOT NULL
       AND b.qc_status = 'open'
     ORDER BY b.id
     LIMIT 1;
    -- Another may have evaluated it meanwhile.
    RETURN (
        SELECT b.id
          FROM lims.qc_batch b
         WHERE b.organization_id = p_organization
           AND b.id = v_batch
           AND b.qc_status = 'open');
END
$$;

-- The outcome of a control as it is compared with the expected text: a number keeps the
-- sign that its qualifier means, and what was not detected is not "present".
CREATE FUNCTION lims.control_text(p_result text, p_qualifier text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_result !~ '^\s*[<>]'
         AND (lims.result_number(p_result) IS NOT NULL
              OR lims.presence(p_result) AND lims.result_bound(p_result, p_qualifier) = '<')
        THEN lims.result_bound(p_result, p_qualifier) || p_result
        ELSE p_result
    END
$$;

-- A reading of a file as a control of a batch.
CREATE FUNCTION lims.read_control(p_batch bigint, p_file bigint, p lims.file_reading)
RETURNS lims.qc_control
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v lims.qc_control;
BEGIN
    v.qc_batch_id := p_batch;
    v.control_type := p.control ->> 'type';
    v.test_definition_id := p.test_definition_id;
    v.criterion := p.control ->> 'criterion';
    v.expected_value := (p.control ->> 'expectedValue')::numeric;
    v.measured_value := CASE WHEN p.control ->> 'criterion' <> 'expected'
                             THEN lims.result_number(p.result) END;
    v.native_value := lims.result_number(p.native);
    v.lower_limit := (p.control ->> 'lowerLimit')::numeric;
    v.upper_limit := (p.control ->> 'upperLimit')::numeric;
    v.expected_text := p.control ->> 'expectedText';
    v.measured_text := CASE p.control ->> 'criterion' WHEN 'expected'
                            THEN left(lims.control_text(p.result, p.qualifier), 255)
                       END;
    v.unit := left(p.unit, 64);
    v.notes := left(concat_ws(' ', format('Row %s of file %s.', p.row_number, p_file),
                              p.tracking_id), 4000);
    RETURN v;
END
$$;

-- A value that is less than a number can be anything from 0 to it: a control that does not
-- pass at both ends is to fail. Returns the control with 0 in place of such a value where
-- it fails with 0 alone. Two values that are both less than a number do not differ.
CREATE FUNCTION lims.at_its_worst(p lims.qc_control, p_reading lims.file_reading)
RETURNS lims.qc_control
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_measured boolean := p.criterion = 'rpd'
        AND lims.result_bound(p_reading.result, p_reading.qualifier) = '<';
    v_native boolean := p.criterion IN ('recovery', 'rpd')
        AND coalesce(lims.result_bound(p_reading.native, NULL) = '<', false);
    v lims.qc_control := p;
BEGIN
    IF v_measured = v_native OR lims.qc_control_needs(p) IS NOT NULL THEN
        RETURN p;
    END IF;
    IF v_measured THEN
        v.measured_value := 0;
    ELSE
        v.native_value := 0;
    END IF;
    v.notes := left(concat_ws(' ', p.notes, format('%s counts as 0, with which it fails.',
                    CASE WHEN v_measured THEN p_reading.result ELSE p_reading.native END)),
                    4000);
    IF (lims.qc_control_judged(p)).passed AND NOT (lims.qc_control_judged(v)).passed THEN
        RETURN v;
    END IF;
    RETURN p;
END
$$;

-- The controls that a batch expects, measured or not, of which a control that was read may be
-- one: of the same type, criterion and definition, with no other expected value or unit.
CREATE FUNCTION lims.expected_like(p_organization bigint, p lims.qc_control)
RETURNS SETOF lims.qc_control
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN QUERY
    SELECT x.*
      FROM lims.qc_control x
     WHERE x.organization_id = p_organization
       AND x.qc_batch_id = p.qc_batch_id
       AND x.expected
       AND (p.measured_value IS NOT NULL OR p.measured_text IS NOT NULL)
       AND x.control_type = p.control_type
       AND x.criterion = p.criterion
       AND x.test_definition_id IS NOT DISTINCT FROM p.test_definition_id
       AND (x.expected_value = p.expected_value) IS NOT FALSE
       AND lims.is_same_unit(x.unit, p.unit) IS NOT FALSE;
END
$$;

-- Refuses a control that may be of several levels: a file does not say of which it is.
CREATE FUNCTION lims.refuse_ambiguous_level(
    p_organization bigint,
    p_control lims.qc_control,
    p_reading lims.file_reading
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_levels CONSTANT text[] := ARRAY(
        SELECT DISTINCT coalesce(x.level, 'none')
          FROM lims.expected_like(p_organization, p_control) x
         ORDER BY 1);
BEGIN
    IF cardinality(v_levels) > 1 THEN
        PERFORM lims.refuse('invalid_transition', format(
            'the control %s %s of row %s may be of several levels that QC batch %s expects '
            '(%s): enter its controls by hand, or give the expected value of each level in '
            'the QC template', p_control.control_type, p_reading.test_code,
            p_reading.row_number, (
                SELECT b.batch_number
                  FROM lims.qc_batch b
                 WHERE b.organization_id = p_organization
                   AND b.id = p_control.qc_batch_id), array_to_string(v_levels, ', ')));
    END IF;
END
$$;

-- Gives a control that a batch expects the value of a reading, and returns its id. The limits
-- are those of the template. NULL: none is expected.
CREATE FUNCTION lims.fill_control(
    p_organization bigint,
    p_control lims.qc_control,
    p_reading lims.file_reading
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v lims.qc_control;
BEGIN
    SELECT x.*
      INTO v
      FROM lims.expected_like(p_organization, p_control) x
     WHERE x.passed IS NULL
     ORDER BY x.id
     LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM lims.refuse_ambiguous_level(p_organization, p_control, p_reading);
    v.measured_value := p_control.measured_value;
    v.native_value := p_control.native_value;
    v.expected_value := coalesce(v.expected_value, p_control.expected_value);
    v.notes := p_control.notes;
    v := lims.at_its_worst(v, p_reading);
    UPDATE lims.qc_control k
       SET measured_value = v.measured_value,
           native_value = v.native_value,
           measured_text = p_control.measured_text,
           expected_value = v.expected_value,
           unit = coalesce(k.unit, p_control.unit),
           measured_at = p_reading.analyzed_at,
           notes = v.notes
     WHERE k.organization_id = p_organization
       AND k.id = v.id;
    RETURN v.id;
END
$$;

-- Writes a control reading into the batch: where it fills one, as the value of a control
-- that is expected, else as a control beside them. Returns the control.
CREATE FUNCTION lims.write_control(
    p_organization bigint,
    p_batch bigint,
    p_fills boolean,
    p_file bigint,
    p_reading lims.file_reading
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v lims.qc_control := lims.read_control(p_batch, p_file, p_reading);
    v_id bigint;
BEGIN
    IF p_fills THEN
        v_id := lims.fill_control(p_organization, v, p_reading);
    END IF;
    IF v_id IS NULL THEN
        v.organization_id := p_organization;
        v := lims.at_its_worst(v, p_reading);
        INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type,
            test_definition_id, criterion, expected_value, measured_value,
            native_value, lower_limit, upper_limit, expected_text, measured_text,
            unit, notes)
        VALUES (p_organization, p_batch, v.control_type, v.test_definition_id,
            v.criterion, v.expected_value, v.measured_value, v.native_value,
            v.lower_limit, v.upper_limit, v.expected_text, v.measured_text, v.unit,
            v.notes)
        RETURNING id INTO v_id;
    END IF;
    RETURN v_id;
END
$$;

-- Makes the QC batch of a file's own controls.
CREATE FUNCTION lims.make_file_batch(
    p_organization bigint,
    p_file bigint,
    p_rows lims.file_reading[],
    p_method text
) RETURNS bigint
LANGUAGE sql
AS $$
    INSERT INTO lims.qc_batch (organization_id, batch_number, method,
        analysis_date, file_id, notes)
    SELECT p_organization, format('FILE-%s', p_file), left(p_method, 255),
           (coalesce(min(r.analyzed_at), now()) AT TIME ZONE o.time_zone)::date,
           p_file, format('Read from file %s.', p_file)
      FROM lims.organization o
     CROSS JOIN unnest(p_rows) r
     WHERE o.id = p_organization
     GROUP BY o.time_zone
    RETURNING id
$$;

-- Writes the controls of a file: into the open QC batch that expects them, else into one of
-- the file's own, which is evaluated. Returns the batch; NULL: the file has no controls.
CREATE FUNCTION lims.write_controls(
    p_organization bigint,
    p_file bigint,
    p_rows lims.file_reading[],
    p_method text
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_filled bigint;
    v_batch bigint;
    v_tests bigint[] := ARRAY(
        SELECT r.sample_test_id
          FROM unnest(p_rows) r
         WHERE r.control IS NULL);
BEGIN
    IF NOT EXISTS (SELECT FROM unnest(p_rows) r WHERE r.control IS NOT NULL) THEN
        RETURN NULL;
    END IF;
    v_filled := lims.batch_to_fill(p_organization, v_tests);
    v_batch := coalesce(v_filled,
        lims.make_file_batch(p_organization, p_file, p_rows, p_method));
    UPDATE lims.qc_batch b
       SET file_id = p_file
     WHERE b.organization_id = p_organization
       AND b.id = v_filled
       AND b.file_id IS NULL;
    WITH written AS MATERIALIZED (
        SELECT r.*, lims.write_control(p_organization, v_batch, v_filled IS NOT NULL,
                         p_file, r) AS id
          FROM unnest(p_rows) r
         WHERE r.control IS NOT NULL
         ORDER BY r.place
    )
    INSERT INTO lims.instrument_file_row (organization_id, file_id, sheet,
        row_number, column_number, byte_offset, cell, qc_control_id,
        tracking_id, test_code, result, unit, qualifier, analyzed_at,
        operator_name, status)
    SELECT p_organization, p_file, c.sheet, c.row_number, c.column_number,
           c.byte_offset, c.cell, c.id, c.tracking_id, c.test_code, c.result,
           c.unit, c.qualifier, c.analyzed_at, c.operator_name, 'control'
      FROM written c
     ORDER BY c.place;
    IF v_filled IS NULL THEN
        PERFORM lims.evaluate_qc_batch(p_organization, v_batch);
    END IF;
    RETURN v_batch;
END
$$;
