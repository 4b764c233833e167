-- SPDX-License-Identifier: Apache-2.0
--
-- Reference data: clients, projects, material types, storage locations, test
-- definitions and the specifications that a result is judged by.
--
-- Nothing here is deleted: a record that is no longer used becomes inactive,
-- and then no new sample or test can refer to it.

CREATE SEQUENCE lims.client_id_seq;

CREATE TABLE lims.client (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.client_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    contact_name text CHECK (length(contact_name) <= 255),
    email text CHECK (length(email) <= 254),
    phone text CHECK (length(phone) <= 64),
    address text CHECK (length(address) <= 4000),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT client_code UNIQUE (organization_id, code)
);

CREATE INDEX client_name ON lims.client (organization_id, lower(name), id);

SELECT lims.attach_record('client');

CREATE SEQUENCE lims.project_id_seq;

CREATE TABLE lims.project (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.project_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    client_id bigint,
    -- Its samples are called <code>-<plant location>-<YYYYMMDD>-<n>.
    composite_sample_identifier boolean NOT NULL DEFAULT false,
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT project_code UNIQUE (organization_id, code),
    CONSTRAINT project_client FOREIGN KEY (organization_id, client_id)
        REFERENCES lims.client (organization_id, id)
);

CREATE INDEX project_client ON lims.project (organization_id, client_id);

CREATE FUNCTION lims.project_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lims.client c
         WHERE c.organization_id = NEW.organization_id
           AND c.id = NEW.client_id
           AND c.active
    ) THEN
        PERFORM lims.refuse('invalid_reference', format(
            'clientId: no active client %s', NEW.client_id));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.project
FOR EACH ROW WHEN (NEW.client_id IS NOT NULL)
EXECUTE FUNCTION lims.project_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.project
FOR EACH ROW WHEN (NEW.client_id IS NOT NULL
    AND NEW.client_id IS DISTINCT FROM OLD.client_id)
EXECUTE FUNCTION lims.project_guard();

SELECT lims.attach_record('project');

CREATE SEQUENCE lims.material_type_id_seq;

CREATE TABLE lims.material_type (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.material_type_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT material_type_code UNIQUE (organization_id, code)
);

SELECT lims.attach_record('material_type');

CREATE SEQUENCE lims.storage_location_id_seq;

CREATE TABLE lims.storage_location (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.storage_location_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    parent_id bigint,
    kind text CHECK (length(kind) BETWEEN 1 AND 64),
    -- Degrees Celsius.
    min_temperature numeric,
    max_temperature numeric,
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT storage_location_code UNIQUE (organization_id, code),
    CONSTRAINT storage_location_parent FOREIGN KEY (organization_id, parent_id)
        REFERENCES lims.storage_location (organization_id, id),
    CHECK (min_temperature <= max_temperature),
    CHECK (parent_id <> id)
);

SELECT lims.attach_record('storage_location');

-- Test definitions ---------------------------------------------------------

CREATE SEQUENCE lims.test_definition_id_seq;

CREATE TABLE lims.test_definition (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.test_definition_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    method text CHECK (length(method) <= 255),
    unit text CHECK (length(unit) <= 64),
    result_type text NOT NULL DEFAULT 'numeric'
        CHECK (result_type IN ('numeric', 'text', 'presence')),
    decimals integer CHECK (decimals BETWEEN 0 AND 15),
    specification_low numeric,
    specification_high numeric,
    -- What a text or presence result must be, such as 'Absent'.
    specification_text text CHECK (length(specification_text) <= 255),
    reporting_limit numeric CHECK (reporting_limit >= 0),
    method_detection_limit numeric CHECK (method_detection_limit >= 0),
    holding_time_hours numeric
        CHECK (holding_time_hours > 0 AND holding_time_hours <= 87600),
    requires_worksheet boolean NOT NULL DEFAULT false,
    requires_confirmation boolean NOT NULL DEFAULT false,
    -- A numeric result from here on is presumptive positive; NULL: above 0.
    presumptive_minimum numeric,
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT test_definition_code UNIQUE (organization_id, code),
    CONSTRAINT test_definition_specification_low
        CHECK (specification_low <= specification_high)
);

-- What a number entered means: its code, its unit, what kind of result it is.
-- Once there was a result, changing one of them would change all that were
-- reported.
CREATE FUNCTION lims.test_definition_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lims.sample_test t
         WHERE t.organization_id = OLD.organization_id
           AND t.test_definition_id = OLD.id
           AND (t.result IS NOT NULL OR EXISTS (
               SELECT FROM lims.result_history h
                WHERE h.organization_id = t.organization_id
                  AND h.sample_test_id = t.id))
    ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            '%s: results were entered for %s: make a new definition',
            CASE WHEN NEW.code <> OLD.code THEN 'code'
                 WHEN NEW.unit IS DISTINCT FROM OLD.unit THEN 'unit'
                 ELSE 'resultType' END, OLD.code));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.test_definition
FOR EACH ROW WHEN ((NEW.code, NEW.unit, NEW.result_type)
    IS DISTINCT FROM (OLD.code, OLD.unit, OLD.result_type))
EXECUTE FUNCTION lims.test_definition_guard();

SELECT lims.attach_record('test_definition');

-- A limit of one material type, or of one project's samples of it. The most
-- particular one wins: project and material, material, the definition's own.
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

SELECT lims.attach_record('specification');

-- The limits in words: "6.5 to 8.5 s.u.", "at most 10 mg/L", "Absent".
CREATE FUNCTION lims.specification_words(
    p_low numeric,
    p_high numeric,
    p_text text,
    p_unit text
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN p_low IS NULL AND p_high IS NULL THEN p_text
        ELSE CASE WHEN p_low IS NULL THEN 'at most ' || p_high::text
                  WHEN p_high IS NULL THEN 'at least ' || p_low::text
                  ELSE p_low::text || ' to ' || p_high::text
             END || coalesce(' ' || p_unit, '')
    END
$$;

-- What a presence result says: true, false, or NULL for other words.
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

-- Judging a result by its limits ------------------------------------------

-- The exact number in a result, NULL where it is none. Bounded, so that no
-- text however odd can raise.
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

-- Whether a number breaks its limits: true or false only where the result
-- proves it. "< 7" against a lower limit of 6.5 proves neither.
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

-- Whether a text breaks what is expected: words for present and absent count
-- as what they mean.
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

-- Whether the definition's confirmation rule calls a result presumptive
-- positive. Growth too dense to count is, and growth beyond what was counted;
-- of presence or absence everything is that does not plainly say absent.
CREATE FUNCTION lims.is_presumptive(
    p_result text,
    p_value numeric,
    p_bound text,
    p_minimum numeric,
    p_presence boolean DEFAULT false
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce(CASE
        WHEN p_presence THEN lims.presence(p_result) IS NOT FALSE
        WHEN p_value IS NOT NULL THEN CASE
            WHEN p_bound <> '' THEN p_bound = '>'
            WHEN p_minimum IS NULL THEN p_value > 0
            ELSE p_value >= p_minimum
        END
        WHEN lower(btrim(p_result)) IN ('tntc', 'too numerous to count') THEN true
        ELSE lims.presence(p_result)
    END, false)
$$;

-- The limits set for a project and material type, else for the material type. The
-- order is the index's own, in which no project comes last.
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

-- The limits by which a result is judged now: those, or else the definition's
-- own. One row at most, looked up by key however many tests are asked for: what
-- one costs is not to depend on how many definitions there are.
CREATE FUNCTION lims.limits_of(
    p_organization bigint,
    p_definition bigint,
    p_material_type bigint,
    p_project bigint
) RETURNS TABLE (
    result_type text,
    presumptive_minimum numeric,
    low numeric,
    high numeric,
    expected text
)
LANGUAGE sql STABLE
AS $$
    SELECT d.result_type, d.presumptive_minimum,
           CASE WHEN x.id IS NULL THEN d.specification_low ELSE x.low END,
           CASE WHEN x.id IS NULL THEN d.specification_high ELSE x.high END,
           CASE WHEN x.id IS NULL THEN d.specification_text
                ELSE x.expected_text END
      FROM lims.test_definition d
      LEFT JOIN LATERAL lims.specification_of(p_organization, p_definition,
                    p_material_type, p_project) x
        ON true
     WHERE d.organization_id = p_organization
       AND d.id = p_definition
     LIMIT 1
$$;
