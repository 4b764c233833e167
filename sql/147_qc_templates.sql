-- SPDX-License-Identifier: Apache-2.0
--
-- QC templates: which controls a batch of a method has, and how many for how many
-- samples.
--
-- A batch that is made from a template has its controls as rows without value from the
-- beginning. It is evaluated by itself when the last has its value (146), and takes tests
-- afterwards only as far as its controls suffice.

-- Triggers of lims.qc_template, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard_insert  numbers the version, and deactivates the former one
--
-- BEFORE UPDATE
--   1 guard_update  refuses changes of a version from which batches were made
--   2 identity      refuses to change id, organization or created_at
--   3 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--   2 mark_insert   marks all samples dirty (121): the method may require batches now
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--   2 mark_update   marks all samples dirty (121)
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.qc_template_id_seq;

CREATE TABLE lims.qc_template (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.qc_template_id_seq'),
    -- Method, named as in the test definitions.
    method text NOT NULL CHECK (length(method) BETWEEN 1 AND 255),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- Whether results of the method need a batch that counts (148).
    required boolean NOT NULL DEFAULT true,
    -- Number of samples for which its controls suffice; NULL: any number.
    per_samples integer CHECK (per_samples BETWEEN 1 AND 1000),
    version integer NOT NULL DEFAULT 1 CHECK (version > 0),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT qc_template_version UNIQUE (organization_id, method, version)
);

-- Each method has at most one active version.
CREATE UNIQUE INDEX qc_template_active ON lims.qc_template (organization_id, method)
 WHERE active;

ALTER TABLE lims.qc_batch
    ADD CONSTRAINT qc_batch_qc_template_id FOREIGN KEY (organization_id, qc_template_id)
        REFERENCES lims.qc_template (organization_id, id);

CREATE INDEX qc_batch_template ON lims.qc_batch (organization_id, qc_template_id, id)
 WHERE qc_template_id IS NOT NULL;

CREATE FUNCTION lims.qc_template_is_used(p_organization bigint, p_template bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.qc_batch b
         WHERE b.organization_id = p_organization
           AND b.qc_template_id = p_template);
END
$$;

CREATE FUNCTION lims.qc_template_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NOT EXISTS (
            SELECT FROM lims.test_definition d
             WHERE d.organization_id = NEW.organization_id
               AND d.method = NEW.method
        ) THEN
            PERFORM lims.refuse('invalid_body', format(
                'method: no test definition has the method "%s"', NEW.method));
        END IF;
        SELECT coalesce(max(x.version), 0) + 1
          INTO NEW.version
          FROM lims.qc_template x
         WHERE x.organization_id = NEW.organization_id
           AND x.method = NEW.method;
        UPDATE lims.qc_template x
           SET active = false
         WHERE x.organization_id = NEW.organization_id
           AND x.method = NEW.method
           AND x.active
           AND NEW.active;
        RETURN NEW;
    END IF;
    IF (NEW.method, NEW.version) <> (OLD.method, OLD.version) THEN
        PERFORM lims.refuse('field_not_patchable',
                            'the method and the version of a QC template cannot be '
                            'changed');
    END IF;
    IF (NEW.name, NEW.required, NEW.per_samples)
       IS DISTINCT FROM (OLD.name, OLD.required, OLD.per_samples)
       AND lims.qc_template_is_used(NEW.organization_id, NEW.id) THEN
        PERFORM lims.refuse('invalid_transition',
            'a QC batch was made from this version of the QC template: create a new '
            'version');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.qc_template
FOR EACH ROW EXECUTE FUNCTION lims.qc_template_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.qc_template
FOR EACH ROW EXECUTE FUNCTION lims.qc_template_guard();

CREATE TRIGGER mark_insert AFTER INSERT ON lims.qc_template
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_organizations();

CREATE TRIGGER mark_update AFTER UPDATE ON lims.qc_template
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_organizations();

SELECT lims.attach_record('qc_template');

-- The controls of a template -----------------------------------------------

CREATE SEQUENCE lims.qc_template_control_id_seq;

CREATE TABLE lims.qc_template_control (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.qc_template_control_id_seq'),
    template_id bigint NOT NULL,
    position integer NOT NULL CHECK (position > 0),
    control_type text NOT NULL CHECK (control_type IN (
        'MB', 'LRB', 'FB', 'LCS', 'LFB', 'LCSD', 'MS', 'LFM', 'MSD', 'DUP',
        'ICV', 'QCS', 'CCV', 'IPC', 'ICB', 'CCB', 'SUR', 'IS', 'CRM', 'PT',
        'POS', 'NEG', 'STR')),
    level text CHECK (length(level) BETWEEN 1 AND 64),
    test_definition_id bigint,
    criterion text NOT NULL CHECK (criterion IN (
        'recovery', 'rpd', 'maximum', 'range', 'expected')),
    -- NULL: given with the value.
    expected_value numeric,
    expected_text text CHECK (length(expected_text) <= 255),
    lower_limit numeric,
    upper_limit numeric,
    unit text CHECK (length(unit) <= 64),
    -- Returns the number of this control in a batch, for each of the template's
    -- per_samples.
    quantity integer NOT NULL DEFAULT 1 CHECK (quantity BETWEEN 1 AND 100),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT qc_template_control_position UNIQUE (organization_id, template_id, position),
    CONSTRAINT qc_template_control_once UNIQUE NULLS NOT DISTINCT (organization_id,
        template_id, control_type, criterion, level, test_definition_id),
    FOREIGN KEY (organization_id, template_id)
        REFERENCES lims.qc_template (organization_id, id),
    CONSTRAINT qc_template_control_test_definition_id
        FOREIGN KEY (organization_id, test_definition_id)
        REFERENCES lims.test_definition (organization_id, id),
    CONSTRAINT qc_template_control_lower_limit CHECK (lower_limit <= upper_limit),
    CONSTRAINT qc_template_control_finite CHECK (
        abs(expected_value) < 'Infinity' AND abs(lower_limit) < 'Infinity'
        AND abs(upper_limit) < 'Infinity')
);

SELECT lims.attach_audit('qc_template_control');

-- Returns the required control that a batch gets from its template, without a value.
CREATE FUNCTION lims.expected_control(p lims.qc_template_control, p_batch bigint)
RETURNS lims.qc_control
LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
    v lims.qc_control;
BEGIN
    v.organization_id := p.organization_id;
    v.qc_batch_id := p_batch;
    v.control_type := p.control_type;
    v.level := p.level;
    v.test_definition_id := p.test_definition_id;
    v.criterion := p.criterion;
    v.expected_value := p.expected_value;
    v.expected_text := p.expected_text;
    v.lower_limit := p.lower_limit;
    v.upper_limit := p.upper_limit;
    v.unit := p.unit;
    v.expected := true;
    RETURN v;
END
$$;

-- Refuses a change of controls of a version from which batches were made, and a control
-- that could not be judged. Locks the template, as does whoever makes a batch from it.
CREATE FUNCTION lims.qc_template_control_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_row CONSTANT lims.qc_template_control :=
        CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_control lims.qc_control;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM lims.refuse('invalid_transition',
                            'the controls of a QC template are replaced, not changed');
    END IF;
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.qc_template x
      WHERE x.organization_id = v_row.organization_id
        AND x.id = v_row.template_id
        FOR NO KEY UPDATE;
    IF lims.qc_template_is_used(v_row.organization_id, v_row.template_id) THEN
        PERFORM lims.refuse('invalid_transition',
            'a QC batch was made from this version of the QC template: create a new '
            'version');
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF v_row.lower_limit > v_row.upper_limit THEN
            PERFORM lims.refuse('invalid_body', format(
                '%s.lowerLimit: %s is above upperLimit, %s',
                format('controls[%s]', v_row.position - 1), v_row.lower_limit,
                v_row.upper_limit));
        END IF;
        v_control := lims.expected_control(v_row, NULL);
        v_control.expected_value := coalesce(v_control.expected_value, 1);
        v_control.measured_value := 1;
        v_control.native_value := 1;
        v_control.measured_text := 'any';
        IF lims.qc_control_needs(v_control) IS NOT NULL THEN
            PERFORM lims.refuse('invalid_body', format(
                'criterion %s of controls[%s] needs %s', v_row.criterion,
                v_row.position - 1, replace(lims.qc_control_needs(v_control),
                                         ' and measuredText', '')));
        END IF;
    END IF;
    RETURN v_row;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON lims.qc_template_control
FOR EACH ROW EXECUTE FUNCTION lims.qc_template_control_guard();

-- Replaces the controls of a template by those of an array of { type, level, … }.
CREATE FUNCTION lims.set_qc_template_controls(
    p_organization bigint,
    p_template bigint,
    p_controls jsonb
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM lims.qc_template_control c
     WHERE c.organization_id = p_organization
       AND c.template_id = p_template;
    INSERT INTO lims.qc_template_control (organization_id, template_id, position,
        control_type, level, test_definition_id, criterion, expected_value,
        expected_text, lower_limit, upper_limit, unit, quantity)
    SELECT p_organization, p_template, c.place, c.value ->> 'type',
           c.value ->> 'level', (c.value ->> 'testDefinitionId')::bigint,
           c.value ->> 'criterion', (c.value ->> 'expectedValue')::numeric,
           c.value ->> 'expectedText', (c.value ->> 'lowerLimit')::numeric,
           (c.value ->> 'upperLimit')::numeric, c.value ->> 'unit',
           coalesce((c.value ->> 'count')::integer, 1)
      FROM jsonb_array_elements(p_controls) WITH ORDINALITY AS c (value, place);
END
$$;

-- Returns the controls of a template as such an array.
CREATE FUNCTION lims.qc_template_controls(p_organization bigint, p_template bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object('type', c.control_type,
                   'level', c.level, 'testDefinitionId', c.test_definition_id,
                   'criterion', c.criterion, 'expectedValue', c.expected_value,
                   'expectedText', c.expected_text, 'lowerLimit', c.lower_limit,
                   'upperLimit', c.upper_limit, 'unit', c.unit, 'count', c.quantity)
                   ORDER BY c.position), '[]')
          FROM lims.qc_template_control c
         WHERE c.organization_id = p_organization
           AND c.template_id = p_template);
END
$$;

-- Creates the next version of a method's QC template and returns its id.
CREATE FUNCTION lims.create_qc_template(
    p_organization bigint,
    p_method text,
    p_name text,
    p_required boolean,
    p_per_samples integer,
    p_controls jsonb,
    p_active boolean DEFAULT true
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_id bigint;
BEGIN
    INSERT INTO lims.qc_template (organization_id, method, name, required, per_samples,
        active)
    VALUES (p_organization, p_method, p_name, p_required, p_per_samples, p_active)
    RETURNING id INTO v_id;
    PERFORM lims.set_qc_template_controls(p_organization, v_id, p_controls);
    RETURN v_id;
END
$$;

-- Changes a template by { name, required, perSamples, active, controls }, where absent
-- members are left unchanged. If batches were made from it, any change but of `active`
-- creates the next version. Returns the id of the version that has the change.
CREATE FUNCTION lims.change_qc_template(
    p_organization bigint,
    p_template bigint,
    p_changes jsonb
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v lims.qc_template;
BEGIN
    SELECT x.*
      INTO v
      FROM lims.qc_template x
     WHERE x.organization_id = p_organization
       AND x.id = p_template
       FOR NO KEY UPDATE;
    v := jsonb_populate_record(v, p_changes
        || CASE WHEN p_changes ? 'perSamples'
                THEN jsonb_build_object('per_samples', p_changes -> 'perSamples')
                ELSE '{}' END);
    IF p_changes - 'active' <> '{}'
       AND lims.qc_template_is_used(p_organization, p_template) THEN
        RETURN lims.create_qc_template(p_organization, v.method, v.name, v.required,
            v.per_samples, coalesce(p_changes -> 'controls',
                lims.qc_template_controls(p_organization, p_template)), v.active);
    END IF;
    UPDATE lims.qc_template x
       SET name = v.name,
           required = v.required,
           per_samples = v.per_samples,
           active = v.active
     WHERE x.organization_id = p_organization
       AND x.id = p_template;
    IF p_changes ? 'controls' THEN
        PERFORM lims.set_qc_template_controls(p_organization, p_template,
                                              p_changes -> 'controls');
    END IF;
    RETURN p_template;
END
$$;

-- Batches made from a template ----------------------------------------------

-- Refuses a batch from an inactive template, and copies the template's method to it.
CREATE FUNCTION lims.qc_batch_template() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_template record;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM lims.refuse('field_not_patchable',
            'the QC template and the method of a QC batch cannot be changed');
    END IF;
    SELECT x.method, x.active, x.version
      INTO v_template
      FROM lims.qc_template x
     WHERE x.organization_id = NEW.organization_id
       AND x.id = NEW.qc_template_id
       FOR SHARE;
    IF NOT FOUND THEN
        -- The foreign key says so.
        RETURN NEW;
    END IF;
    IF NOT v_template.active THEN
        PERFORM lims.refuse('invalid_reference', format(
            'qcTemplateId: version %s of the template of %s is not in use',
            v_template.version, v_template.method));
    END IF;
    IF NEW.method <> v_template.method OR NEW.file_id IS NOT NULL THEN
        PERFORM lims.refuse('invalid_body', format(
            'method: the QC template is for %s', v_template.method));
    END IF;
    NEW.method := v_template.method;
    RETURN NEW;
END
$$;

CREATE TRIGGER template_insert BEFORE INSERT ON lims.qc_batch
FOR EACH ROW WHEN (NEW.qc_template_id IS NOT NULL)
EXECUTE FUNCTION lims.qc_batch_template();

CREATE TRIGGER template_update BEFORE UPDATE ON lims.qc_batch
FOR EACH ROW WHEN (NEW.qc_template_id IS DISTINCT FROM OLD.qc_template_id
    OR OLD.qc_template_id IS NOT NULL AND NEW.method IS DISTINCT FROM OLD.method)
EXECUTE FUNCTION lims.qc_batch_template();

-- Lists the controls of a template of which a batch has too few for the samples that it
-- covers: the number needed, present, and present with a value. No row: it has enough.
CREATE FUNCTION lims.qc_lacking(p_organization bigint, p_batch bigint, p_template bigint)
RETURNS TABLE (
    control lims.qc_template_control,
    needed bigint,
    made bigint,
    measured bigint
)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_samples bigint;
BEGIN
    SELECT count(DISTINCT t.sample_id)
      INTO v_samples
      FROM lims.qc_coverage c
      JOIN lims.sample_test t
        ON t.organization_id = c.organization_id
       AND t.id = c.sample_test_id
       AND t.disposition = 'active'
     WHERE c.organization_id = p_organization
       AND c.qc_batch_id = p_batch;
    RETURN QUERY
    SELECT c, n.needed, h.made, h.measured
      FROM lims.qc_template x
      JOIN lims.qc_template_control c
        ON c.organization_id = x.organization_id
       AND c.template_id = x.id
     CROSS JOIN LATERAL (
           SELECT (c.quantity * greatest(1, coalesce(
                      ceil(v_samples::numeric / x.per_samples), 1)))::bigint
                      AS needed) n
     CROSS JOIN LATERAL (
           SELECT count(*) AS made, count(k.passed) AS measured
             FROM lims.qc_control k
            WHERE k.organization_id = p_organization
              AND k.qc_batch_id = p_batch
              AND lims.qc_control_suits(k, c)) h
     WHERE x.organization_id = p_organization
       AND x.id = p_template
       AND (h.made <> n.needed OR h.measured < n.needed)
     ORDER BY c.position;
END
$$;

-- Adds to an open batch the controls that its template requires, without values, and
-- deletes those without values that are no longer needed. Returns whether it changed any. All of
-- them at once: the evaluation that each change fires (146) comes here again, and would see the
-- others as lacking still.
CREATE FUNCTION lims.expect_qc_controls(p_organization bigint, p_batch bigint)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
    v_changed boolean;
BEGIN
    WITH lacking AS MATERIALIZED (
        SELECT l.control, l.needed, l.made
          FROM lims.qc_batch b
         CROSS JOIN LATERAL
               lims.qc_lacking(b.organization_id, b.id, b.qc_template_id) l
         WHERE b.organization_id = p_organization
           AND b.id = p_batch
           AND b.qc_status = 'open'
    ), added AS (
        INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type, level,
            test_definition_id, criterion, expected_value, expected_text, lower_limit,
            upper_limit, unit, expected)
        SELECT e.organization_id, e.qc_batch_id, e.control_type, e.level,
               e.test_definition_id, e.criterion, e.expected_value, e.expected_text,
               e.lower_limit, e.upper_limit, e.unit, e.expected
          FROM lacking l
         CROSS JOIN LATERAL lims.expected_control(l.control, p_batch) e
         CROSS JOIN LATERAL generate_series(l.made + 1, l.needed)
         ORDER BY (l.control).position
        RETURNING id
    ), removed AS (
        DELETE FROM lims.qc_control k
         WHERE k.organization_id = p_organization
           AND k.id IN (
               SELECT s.id
                 FROM lacking l
                CROSS JOIN LATERAL (
                      SELECT c.id
                        FROM lims.qc_control c
                       WHERE c.organization_id = p_organization
                         AND c.qc_batch_id = p_batch
                         AND c.passed IS NULL
                         AND lims.qc_control_suits(c, l.control)
                       ORDER BY c.id DESC
                       LIMIT greatest(0, l.made - l.needed)) s)
        RETURNING k.id
    )
    SELECT EXISTS (SELECT FROM added) OR EXISTS (SELECT FROM removed)
      INTO v_changed;
    RETURN v_changed;
END
$$;

CREATE FUNCTION lims.qc_batch_expect() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.expect_qc_controls(NEW.organization_id, NEW.id);
    RETURN NULL;
END
$$;

CREATE TRIGGER expect AFTER INSERT ON lims.qc_batch
FOR EACH ROW WHEN (NEW.qc_template_id IS NOT NULL)
EXECUTE FUNCTION lims.qc_batch_expect();

-- Adjusts the controls of an open batch to a change of its coverage, and refuses more
-- samples to an evaluated batch that has too few controls for them, except a restored
-- test that it covered before.
CREATE FUNCTION lims.qc_coverage_expect() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT b.organization_id, b.id, b.batch_number, b.qc_status, b.qc_template_id,
               bool_or(b.id = ANY (t.left_batch_ids) IS NOT TRUE) AS is_new
          FROM changed_rows c
          JOIN lims.qc_batch b
            ON b.organization_id = c.organization_id
           AND b.id = c.qc_batch_id
          JOIN lims.sample_test t
            ON t.organization_id = c.organization_id
           AND t.id = c.sample_test_id
         WHERE b.qc_template_id IS NOT NULL
         GROUP BY b.organization_id, b.id
         ORDER BY b.organization_id, b.id
    LOOP
        IF v.qc_status = 'open' THEN
            PERFORM lims.expect_qc_controls(v.organization_id, v.id);
        ELSIF TG_OP = 'INSERT' AND v.is_new AND EXISTS (
            SELECT FROM lims.qc_lacking(v.organization_id, v.id, v.qc_template_id) l
             WHERE l.measured < l.needed
        ) THEN
            PERFORM lims.refuse('invalid_transition', format(
                'QC batch %s is evaluated: its controls are too few for more samples',
                v.batch_number));
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER expect_insert AFTER INSERT ON lims.qc_coverage
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_coverage_expect();

CREATE TRIGGER expect_delete AFTER DELETE ON lims.qc_coverage
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_coverage_expect();
