-- SPDX-License-Identifier: Apache-2.0
--
-- Matching controls with QC templates: the controls that a template asks for, and the
-- members of an expected control that it gives.

-- Whether two units are the same; NULL: one is not known.
CREATE FUNCTION lims.is_same_unit(p_one text, p_other text) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
    SELECT lower(lims.spelt_unit(p_one)) = lower(lims.spelt_unit(p_other))
$$;

-- Whether a control is one that a template asks for: of the same type, criterion, level and
-- definition, held against the same expected value, by limits at least as strict. What the
-- template leaves open does not count.
CREATE FUNCTION lims.qc_control_suits(p lims.qc_control, p_asked lims.qc_template_control)
RETURNS boolean
LANGUAGE sql STABLE
AS $$
    SELECT p.control_type = p_asked.control_type
       AND p.criterion = p_asked.criterion
       AND p.level IS NOT DISTINCT FROM p_asked.level
       AND p.test_definition_id IS NOT DISTINCT FROM p_asked.test_definition_id
       AND lims.is_same_unit(p.unit, p_asked.unit) IS NOT FALSE
       AND (p_asked.expected_value IS NULL
            OR coalesce(p.expected_value = p_asked.expected_value, false))
       AND (p_asked.expected_text IS NULL
            OR coalesce(lower(btrim(p.expected_text)) = lower(btrim(p_asked.expected_text)),
                        false))
       AND (p_asked.lower_limit IS NULL OR p.criterion NOT IN ('recovery', 'range')
            OR coalesce(p.lower_limit >= p_asked.lower_limit, false))
       AND (p_asked.upper_limit IS NULL
            OR coalesce(p.upper_limit <= p_asked.upper_limit, false))
$$;

-- Names the members in which an expected control differs from what the template of its
-- batch gives; NULL: none.
CREATE FUNCTION lims.qc_control_departs(p lims.qc_control) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT string_agg(m.name, ', ' ORDER BY m.place)
          FROM lims.qc_batch b
          JOIN lims.qc_template_control c
            ON c.organization_id = b.organization_id
           AND c.template_id = b.qc_template_id
           AND c.control_type = p.control_type
           AND c.criterion = p.criterion
           AND c.level IS NOT DISTINCT FROM p.level
           AND c.test_definition_id IS NOT DISTINCT FROM p.test_definition_id
         CROSS JOIN LATERAL (VALUES
               (1, 'expectedValue', c.expected_value = p.expected_value, c.expected_value IS NULL),
               (2, 'expectedText', c.expected_text = p.expected_text, c.expected_text IS NULL),
               (3, 'lowerLimit', c.lower_limit = p.lower_limit, c.lower_limit IS NULL),
               (4, 'upperLimit', c.upper_limit = p.upper_limit, c.upper_limit IS NULL),
               (5, 'unit', c.unit = p.unit, c.unit IS NULL)
               ) AS m (place, name, is_same, is_open)
         WHERE p.expected
           AND b.organization_id = p.organization_id
           AND b.id = p.qc_batch_id
           AND NOT m.is_open
           AND m.is_same IS NOT TRUE);
END
$$;
