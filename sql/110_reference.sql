-- SPDX-License-Identifier: Apache-2.0
--
-- Reference data: clients, projects, material types, storage locations and test
-- definitions.
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

-- Triggers of lims.project, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard_insert  refuses a client that is not active
--
-- BEFORE UPDATE
--   1 guard_update  as at INSERT, where the client changes
--   2 identity      refuses to change id, organization or created_at
--   3 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 reapprove     requests approvals again where the name changed (151)
--   2 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.project_id_seq;

CREATE TABLE lims.project (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.project_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    client_id bigint,
    -- Whether its samples are named <code>-<plant location>-<YYYYMMDD>-<n>.
    composite_sample_identifier boolean NOT NULL DEFAULT false,
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT project_code UNIQUE (organization_id, code),
    CONSTRAINT project_client_id FOREIGN KEY (organization_id, client_id)
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

-- Triggers of lims.storage_location, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard_limits  refuses a coldest temperature above the warmest one
--
-- BEFORE UPDATE
--   1 guard_limits  as at INSERT
--   2 guard_parent  refuses to put a location into itself
--   3 identity      refuses to change id, organization or created_at
--   4 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

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
    CONSTRAINT storage_location_parent_id FOREIGN KEY (organization_id, parent_id)
        REFERENCES lims.storage_location (organization_id, id),
    CHECK (min_temperature <= max_temperature),
    CHECK (parent_id <> id)
);

CREATE TRIGGER guard_limits BEFORE INSERT OR UPDATE ON lims.storage_location
FOR EACH ROW WHEN (NEW.min_temperature > NEW.max_temperature)
EXECUTE FUNCTION lims.refuse_reversed('min_temperature', 'minTemperature', 'max_temperature',
    'maxTemperature');

-- Refuses to put a location into itself, or into one that is within it.
CREATE FUNCTION lims.storage_location_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF EXISTS (
        WITH RECURSIVE around AS (
            SELECT NEW.parent_id AS id
             UNION
            SELECT l.parent_id
              FROM around a
              JOIN lims.storage_location l
                ON l.organization_id = NEW.organization_id
               AND l.id = a.id)
        SELECT FROM around a
         WHERE a.id = NEW.id
    ) THEN
        PERFORM lims.refuse('invalid_body', format(
            'parentId: %s would be within itself', NEW.code));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_parent BEFORE UPDATE ON lims.storage_location
FOR EACH ROW WHEN (NEW.parent_id IS DISTINCT FROM OLD.parent_id)
EXECUTE FUNCTION lims.storage_location_guard();

SELECT lims.attach_record('storage_location');

-- Test definitions ---------------------------------------------------------

-- Triggers of lims.test_definition, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard_kind_insert  refuses limits of a kind by which its results are not judged
--   2 guard_limits       refuses a lower limit above the upper one
--
-- BEFORE UPDATE
--   1 guard              refuses to change code, unit or result type once there was a result
--   2 guard_kind_update  refuses limits as at INSERT, and a result type that the limits of
--                        its specifications do not fit
--   3 guard_limits       as at INSERT
--   4 identity           refuses to change id, organization or created_at
--   5 touch              sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 mark_update   marks samples dirty where the method changed (148)
--   2 reapprove     requests approvals again where what is printed changed (151)
--   3 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

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
    -- Required value of a text or presence result, such as 'Absent'.
    specification_text text CHECK (length(specification_text) <= 255),
    -- Decision rule: how measurement uncertainty is taken into account where a result is
    -- judged by these limits (ISO/IEC 17025, 7.8.6).
    decision_rule text CHECK (length(decision_rule) <= 1000),
    reporting_limit numeric CHECK (reporting_limit >= 0),
    method_detection_limit numeric CHECK (method_detection_limit >= 0),
    -- The expanded measurement uncertainty in words, and whether the laboratory is
    -- accredited for the test: what certificates say beside each result.
    uncertainty text CHECK (length(uncertainty) <= 255),
    accredited boolean NOT NULL DEFAULT false,
    holding_time_hours numeric
        CHECK (holding_time_hours > 0 AND holding_time_hours <= 87600),
    -- How a sample is kept until it is tested, for its label.
    preservation text CHECK (length(preservation) BETWEEN 1 AND 255),
    requires_worksheet boolean NOT NULL DEFAULT false,
    requires_confirmation boolean NOT NULL DEFAULT false,
    -- A numeric result from here on is presumptive positive; NULL: above 0.
    presumptive_minimum numeric,
    -- Days from receipt until its result is due; NULL: no promise.
    turnaround_days integer CHECK (turnaround_days BETWEEN 0 AND 3650),
    -- The steps of a confirmation in order: [{ step, medium, afterHours }], the hours from
    -- the reading before, of the first from the entry of the result.
    confirmation_plan jsonb NOT NULL DEFAULT '[]' CHECK (
        jsonb_typeof(confirmation_plan) = 'array'
        AND jsonb_array_length(confirmation_plan) <= 20
        AND NOT jsonb_path_exists(confirmation_plan, '$[*] ? (!(
            @.step like_regex "^.{1,255}$" flag "s"
            && @.afterHours.type() == "number"
            && @.afterHours >= 0 && @.afterHours <= 8760)
            || (@.medium != null && !(@.medium like_regex "^.{0,255}$" flag "s")))')),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT test_definition_code UNIQUE (organization_id, code),
    CONSTRAINT test_definition_specification_low
        CHECK (specification_low <= specification_high)
);

-- Refuses to change code, unit or result type once the definition has results: the
-- meaning of all results reported so far would change.
CREATE FUNCTION lims.check_no_results(p_old lims.test_definition, p_new lims.test_definition)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lims.sample_test t
         WHERE t.organization_id = p_old.organization_id
           AND t.test_definition_id = p_old.id
           AND (t.result IS NOT NULL OR EXISTS (
               SELECT FROM lims.result_history h
                WHERE h.organization_id = t.organization_id
                  AND h.sample_test_id = t.id))
    ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            '%s: results were entered for %s: make a new definition',
            CASE WHEN p_new.code <> p_old.code THEN 'code'
                 WHEN p_new.unit IS DISTINCT FROM p_old.unit THEN 'unit'
                 ELSE 'resultType' END, p_old.code));
    END IF;
END
$$;

CREATE FUNCTION lims.test_definition_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM lims.check_no_results(OLD, NEW);
    -- Waits for tests that are being added, then for results that are being entered, and looks
    -- again: who comes later sees the change.
    PERFORM FROM lims.test_definition d
      WHERE d.organization_id = OLD.organization_id
        AND d.id = OLD.id
        FOR UPDATE;
    PERFORM FROM lims.sample_test t
      WHERE t.organization_id = OLD.organization_id
        AND t.test_definition_id = OLD.id
        AND t.result IS NULL
      ORDER BY t.id
        FOR NO KEY UPDATE;
    PERFORM lims.check_no_results(OLD, NEW);
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.test_definition
FOR EACH ROW WHEN ((NEW.code, NEW.unit, NEW.result_type)
    IS DISTINCT FROM (OLD.code, OLD.unit, OLD.result_type))
EXECUTE FUNCTION lims.test_definition_guard();

CREATE TRIGGER guard_limits BEFORE INSERT OR UPDATE ON lims.test_definition
FOR EACH ROW WHEN (NEW.specification_low > NEW.specification_high)
EXECUTE FUNCTION lims.refuse_reversed('specification_low', 'specificationLow',
    'specification_high', 'specificationHigh');

-- Refuses limits by which results of a type are not judged: certificates would print them
-- beside a result that nobody compared with them. p_numbers and p_text are the names of the
-- members.
CREATE FUNCTION lims.check_limit_kind(
    p_result_type text,
    p_has_numbers boolean,
    p_has_text boolean,
    p_numbers text,
    p_text text
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF p_result_type = 'numeric' AND p_has_text THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s: results of a numeric test are judged by %s: give the limits there',
            p_text, p_numbers));
    ELSIF p_result_type <> 'numeric' AND p_has_numbers THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s: results of a %s test are judged by %s: give what is required there',
            p_numbers, p_result_type, p_text));
    END IF;
END
$$;

CREATE FUNCTION lims.test_definition_limit_kind() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.check_limit_kind(NEW.result_type,
        num_nonnulls(NEW.specification_low, NEW.specification_high) > 0,
        NEW.specification_text IS NOT NULL,
        'specificationLow and specificationHigh', 'specificationText');
    IF TG_OP = 'UPDATE' AND NEW.result_type <> OLD.result_type AND EXISTS (
           SELECT FROM lims.specification x
            WHERE x.organization_id = NEW.organization_id
              AND x.test_definition_id = NEW.id
              AND CASE NEW.result_type WHEN 'numeric' THEN x.expected_text IS NOT NULL
                  ELSE num_nonnulls(x.low, x.high) > 0 END) THEN
        PERFORM lims.refuse('invalid_body', format(
            'resultType: specifications of %s have limits by which a %s test is not '
            'judged: delete them first', NEW.code, NEW.result_type));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_kind_insert BEFORE INSERT ON lims.test_definition
FOR EACH ROW EXECUTE FUNCTION lims.test_definition_limit_kind();

-- Limits that were accepted before this was checked do not stand in the way of other changes.
CREATE TRIGGER guard_kind_update BEFORE UPDATE ON lims.test_definition
FOR EACH ROW WHEN ((NEW.result_type, NEW.specification_low, NEW.specification_high,
                    NEW.specification_text)
    IS DISTINCT FROM (OLD.result_type, OLD.specification_low, OLD.specification_high,
                      OLD.specification_text))
EXECUTE FUNCTION lims.test_definition_limit_kind();

SELECT lims.attach_record('test_definition');

-- Refuses to schedule tests, naming all definitions of the list that are unknown or
-- inactive. Called when one of them was not found; returns the type of an id, so that it
-- can stand in place of one.
CREATE FUNCTION lims.refuse_definitions(p_organization bigint, p_ids bigint[])
RETURNS bigint
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
    PERFORM lims.refuse('invalid_reference', format(
        'testDefinitionIds: no active test definition%s %s',
        CASE WHEN cardinality(v_missing) > 1 THEN 's' END,
        array_to_string(v_missing, ', ')));
END
$$;
