-- SPDX-License-Identifier: Apache-2.0
--
-- Specifications, and how a result is judged by its limits.

-- Triggers of lims.specification, in the order in which they run. A number over 100 is the
-- file of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard              refuses a lower limit above the upper one
--   2 guard_kind_insert  refuses limits of a kind by which the test's results are not judged
--
-- BEFORE UPDATE
--   1 guard              as at INSERT
--   2 guard_kind_update  refuses limits as at INSERT
--   3 identity           refuses to change id, organization or created_at
--   4 touch              sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 reapprove          requests approvals again where another decision rule applies (151)
--   2 audit_insert       writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 reapprove          as at INSERT (151)
--   2 audit_update       writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 reapprove          as at INSERT (151)
--   2 audit_delete       writes the audit trail, as at INSERT

-- Specification limits for a material type, or for a project's samples of it. The most
-- specific apply: those of project and material type, else of the material type, else of
-- the test definition.
CREATE SEQUENCE lims.specification_id_seq;

CREATE TABLE lims.specification (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.specification_id_seq'),
    test_definition_id bigint NOT NULL,
    material_type_id bigint NOT NULL,
    project_id bigint,
    low numeric,
    high numeric,
    expected_text text CHECK (length(expected_text) <= 255),
    -- Decision rule: how measurement uncertainty is taken into account where a statement
    -- of conformity is made (ISO/IEC 17025, 7.8.6).
    decision_rule text CHECK (length(decision_rule) <= 1000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT specification_scope UNIQUE NULLS NOT DISTINCT
        (organization_id, test_definition_id, material_type_id, project_id),
    FOREIGN KEY (organization_id, test_definition_id)
        REFERENCES lims.test_definition (organization_id, id),
    FOREIGN KEY (organization_id, material_type_id)
        REFERENCES lims.material_type (organization_id, id),
    FOREIGN KEY (organization_id, project_id)
        REFERENCES lims.project (organization_id, id),
    CONSTRAINT specification_low CHECK (low <= high)
);

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.specification
FOR EACH ROW WHEN (NEW.low > NEW.high)
EXECUTE FUNCTION lims.refuse_reversed('low', 'low', 'high', 'high');

-- Refuses limits by which the test's results are not judged. Locks the definition, so that
-- its result type stays as it is meanwhile.
CREATE FUNCTION lims.specification_limit_kind() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.check_limit_kind(d.result_type, num_nonnulls(NEW.low, NEW.high) > 0,
                                  NEW.expected_text IS NOT NULL, 'low and high',
                                  'expectedText')
       FROM lims.test_definition d
      WHERE d.organization_id = NEW.organization_id
        AND d.id = NEW.test_definition_id
        FOR SHARE;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_kind_insert BEFORE INSERT ON lims.specification
FOR EACH ROW EXECUTE FUNCTION lims.specification_limit_kind();

CREATE TRIGGER guard_kind_update BEFORE UPDATE ON lims.specification
FOR EACH ROW WHEN ((NEW.low, NEW.high, NEW.expected_text)
    IS DISTINCT FROM (OLD.low, OLD.high, OLD.expected_text))
EXECUTE FUNCTION lims.specification_limit_kind();

SELECT lims.attach_record('specification');

-- Returns the limits in words: "6.5 to 8.5 s.u.", "at most 10 mg/L", "Absent".
CREATE FUNCTION lims.specification_words(
    p_low numeric,
    p_high numeric,
    p_text text,
    p_unit text
) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN p_low IS NULL AND p_high IS NULL THEN p_text
        -- concat_ws leaves NULL out, with its blank.
        ELSE concat_ws(' ',
                 CASE WHEN p_low IS NULL THEN 'at most'
                      WHEN p_high IS NULL THEN 'at least' END,
                 p_low,
                 CASE WHEN p_low IS NOT NULL AND p_high IS NOT NULL THEN 'to' END,
                 p_high, p_unit)
    END
$$;

-- The limits of project and material type, else of the material type: in the order of the
-- index, a NULL project comes last.
CREATE FUNCTION lims.specification_of(
    p_organization bigint,
    p_definition bigint,
    p_material_type bigint,
    p_project bigint
) RETURNS TABLE (id bigint, low numeric, high numeric, expected_text text)
LANGUAGE sql STABLE
AS $$
    SELECT x.id, x.low, x.high, x.expected_text
      FROM lims.specification x
     WHERE x.organization_id = p_organization
       AND x.test_definition_id = p_definition
       AND x.material_type_id = p_material_type
       AND (x.project_id = p_project OR x.project_id IS NULL)
     ORDER BY x.project_id NULLS LAST
     LIMIT 1
$$;

-- The limits by which a result is judged now: of a specification, else the definition's
-- own; numbers or a text, as the type of the result asks. One row at most, looked up by key for each test, so that the cost does not depend
-- on the number of definitions.
CREATE FUNCTION lims.limits_of(
    p_organization bigint,
    p_definition bigint,
    p_material_type bigint,
    p_project bigint
) RETURNS TABLE (
    result_type text,
    presumptive_minimum numeric,
    reporting_limit numeric,
    detection_limit numeric,
    decimals integer,
    low numeric,
    high numeric,
    expected text
)
LANGUAGE sql STABLE
AS $$
    SELECT d.result_type, d.presumptive_minimum, d.reporting_limit,
           d.method_detection_limit, d.decimals,
           CASE WHEN d.result_type <> 'numeric' THEN NULL
                WHEN x.id IS NULL THEN d.specification_low ELSE x.low END,
           CASE WHEN d.result_type <> 'numeric' THEN NULL
                WHEN x.id IS NULL THEN d.specification_high ELSE x.high END,
           CASE WHEN d.result_type = 'numeric' THEN NULL
                WHEN x.id IS NULL THEN d.specification_text
                ELSE x.expected_text END
      FROM lims.test_definition d
      LEFT JOIN LATERAL lims.specification_of(p_organization, p_definition,
                    p_material_type, p_project) x
        ON true
     WHERE d.organization_id = p_organization
       AND d.id = p_definition
     LIMIT 1
$$;

-- Judging a result by its limits -------------------------------------------

-- Parses a presence result: true (present), false (absent), NULL for other words.
CREATE FUNCTION lims.presence(p_text text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN lower(btrim(p_text)) IN (
            'present', 'positive', 'detected', '+', 'growth', 'presence')
        THEN true
        WHEN lower(btrim(p_text)) IN (
            'absent', 'negative', 'not detected', '-', 'no growth', 'absence',
            'nd')
        THEN false
    END
$$;

-- The exact value of a numeric result, else NULL. The length is bounded, so that no text
-- can raise an error.
CREATE FUNCTION lims.result_number(p_result text) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN length(p_result) <= 300
         AND p_result ~ ('^\s*[<>]?\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)'
                         '([eE][+-]?[0-9]{1,3})?\s*$')
        THEN btrim(translate(p_result, '<>', ''), E' \t\n\r\f\v')::numeric
    END
$$;

-- Whether the sign before a result and its qualifier say opposite things of its value, as
-- "> 100" with the qualifier "<".
CREATE FUNCTION lims.is_contradictory(p_result text, p_qualifier text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN p_qualifier IN ('<', 'ND', 'U')
        THEN ltrim(p_result, E' \t\n\r\f\v') LIKE '>%'
        WHEN p_qualifier = '>' THEN ltrim(p_result, E' \t\n\r\f\v') LIKE '<%'
        ELSE false
    END
$$;

-- '<', '>' or '': how a result bounds its value. Not detected (ND, U) means
-- below the number that stands there.
CREATE FUNCTION lims.result_bound(p_result text, p_qualifier text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN ltrim(p_result, E' \t\n\r\f\v') LIKE '<%' THEN '<'
        WHEN ltrim(p_result, E' \t\n\r\f\v') LIKE '>%' THEN '>'
        WHEN p_qualifier IN ('<', 'ND', 'U') THEN '<'
        WHEN p_qualifier = '>' THEN '>'
        ELSE ''
    END
$$;

-- Whether a number is out of its limits; NULL where the result proves neither, as "< 7"
-- with a lower limit of 6.5. The bound "<>" (sign and qualifier contradict each other) is
-- out where either proves it, and never within.
CREATE FUNCTION lims.out_of_limits(
    p_value numeric,
    p_bound text,
    p_low numeric,
    p_high numeric
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN p_value IS NULL OR (p_low IS NULL AND p_high IS NULL) THEN NULL
        WHEN p_bound = '<>' THEN CASE
            WHEN p_value <= p_low OR p_value >= p_high THEN true
        END
        WHEN p_bound = '<' THEN CASE
            WHEN p_value <= p_low THEN true
            WHEN p_low IS NULL AND p_value <= p_high THEN false
        END
        WHEN p_bound = '>' THEN CASE
            WHEN p_value >= p_high THEN true
            WHEN p_high IS NULL AND p_value >= p_low THEN false
        END
        ELSE coalesce(p_value < p_low, false) OR coalesce(p_value > p_high, false)
    END
$$;

-- Whether a text differs from the expected one; for presence or absence, by its meaning.
CREATE FUNCTION lims.out_of_expectation(
    p_result text,
    p_expected text,
    p_presence boolean
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN p_expected IS NULL OR btrim(p_expected) = '' THEN NULL
        WHEN lower(btrim(p_result)) = lower(btrim(p_expected)) THEN false
        WHEN p_presence
        THEN lims.presence(p_result) <> lims.presence(p_expected)
        ELSE true
    END
$$;

-- Whether a result of a test that requires confirmation is presumptive positive. A
-- presence result is, unless it plainly says absent. A numeric result is, except
--   - a number below the minimum, without one: up to 0;
--   - text that plainly says absent;
--   - less than x, or x that was not detected, where x reaches no further than
--     what is known of the test (p_known: the largest of minimum, reporting limit
--     and upper limit): "< 50000" beside a limit of 2 proves nothing. Where
--     nothing is known, any x is taken.
-- A free text is, if it says that something grew.
CREATE FUNCTION lims.is_presumptive(
    p_type text,
    p_result text,
    p_qualifier text,
    p_value numeric,
    p_bound text,
    p_minimum numeric,
    p_known numeric
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE p_type
        WHEN 'presence' THEN lims.presence(p_result) IS NOT FALSE
        WHEN 'numeric' THEN CASE
            WHEN p_bound IN ('>', '<>') OR p_qualifier = '>' THEN true
            WHEN p_value IS NULL THEN lims.presence(p_result) IS NOT FALSE
            WHEN p_bound = '<' THEN p_value > coalesce(p_known, p_value)
            WHEN p_minimum IS NULL THEN p_value > 0
            ELSE p_value >= p_minimum
        END
        ELSE coalesce(CASE
            WHEN p_value IS NOT NULL THEN CASE
                WHEN p_bound <> '' THEN p_bound <> '<'
                WHEN p_minimum IS NULL THEN p_value > 0
                ELSE p_value >= p_minimum
            END
            WHEN lower(btrim(p_result)) IN ('tntc', 'too numerous to count')
            THEN true
            ELSE lims.presence(p_result)
        END, false)
    END
$$;

-- Warnings about the text of a result, judged by its definition: an array of { code,
-- message }, NULL for none. A value that is qualified as not detected, or bounded, is not
-- below a limit, and one qualified J is meant to be below the reporting limit. Of a result
-- that is not numeric, only a sign that its qualifier contradicts is told.
CREATE FUNCTION lims.value_warnings(
    p_type text,
    p_result text,
    p_qualifier text,
    p_number numeric,
    p_bound text,
    p_reporting_limit numeric,
    p_detection_limit numeric,
    p_decimals integer
) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN (
    SELECT jsonb_agg(jsonb_build_object('code', w.code, 'message', w.message)
                     ORDER BY w.place)
      FROM (VALUES
           (1, 'decimal_comma', format(
                '"%s" has a decimal comma: it is kept as text and is not a number',
                left(p_result, 100)),
            p_number IS NULL
            AND lims.result_number(replace(p_result, ',', '.')) IS NOT NULL),
           (2, 'not_a_number', format('"%s" is not a number', left(p_result, 100)),
            p_number IS NULL
            AND lims.result_number(replace(p_result, ',', '.')) IS NULL),
           (3, 'below_reporting_limit', format(
                '%s is below the reporting limit %s, and not qualified so',
                p_number, p_reporting_limit),
            p_bound = '' AND p_qualifier IS DISTINCT FROM 'J'
            AND p_number < p_reporting_limit),
           (4, 'below_detection_limit', format(
                '%s is below the detection limit %s of the method', p_number,
                p_detection_limit),
            p_bound = '' AND p_number < p_detection_limit),
           (5, 'too_many_decimals', format(
                '%s has %s decimal places, the test definition %s', p_number,
                scale(p_number), p_decimals),
            scale(p_number) > p_decimals),
           (6, 'contradictory_qualifier', format(
                'the sign of "%s" and the qualifier %s contradict each other',
                left(p_result, 100), p_qualifier),
            p_bound = '<>')
           ) AS w (place, code, message, applies)
     WHERE w.applies
       AND (p_type = 'numeric' OR w.code = 'contradictory_qualifier'));
END
$$;
