-- SPDX-License-Identifier: Apache-2.0
--
-- Worksheet templates: the form of a method, and who signs it.

CREATE SEQUENCE lims.worksheet_template_id_seq;

-- A worksheet template: fields and sign-off steps of a method. New worksheets use the
-- active version with the highest number.
CREATE TABLE lims.worksheet_template (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.worksheet_template_id_seq'),
    test_definition_id bigint NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    version integer NOT NULL DEFAULT 1 CHECK (version > 0),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, test_definition_id, version),
    FOREIGN KEY (organization_id, test_definition_id)
        REFERENCES lims.test_definition (organization_id, id)
);

CREATE FUNCTION lims.worksheet_template_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.refuse('invalid_transition',
                        'the method and the version of a worksheet template cannot be '
                        'changed');
    RETURN NULL;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.worksheet_template
FOR EACH ROW WHEN ((NEW.test_definition_id, NEW.version)
    <> (OLD.test_definition_id, OLD.version))
EXECUTE FUNCTION lims.worksheet_template_guard();

SELECT lims.attach_record('worksheet_template');

-- Triggers of lims.worksheet_field, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard           refuses a template that has worksheets; locks the template
--   2 guard_computed  refuses a computed field without formula, and a formula of any other
--
-- BEFORE UPDATE
--   1 guard           as at INSERT, and to move a field to another template
--   2 guard_computed  as at INSERT
--   3 identity        refuses to change id or organization
--
-- BEFORE DELETE
--   1 guard           as at INSERT
--
-- AFTER INSERT
--   1 audit_insert    writes the audit trail; a later refusal rolls it back
--   2 formula_insert  refuses a formula that is wrong, or names what it cannot use
--
-- AFTER UPDATE
--   1 audit_update    writes the audit trail, as at INSERT
--   2 formula_update  as at INSERT: the field may be one that formulas name
--
-- AFTER DELETE
--   1 audit_delete    writes the audit trail, as at INSERT
--   2 formula_delete  as at INSERT: the field may be one that formulas name

CREATE SEQUENCE lims.worksheet_field_id_seq;

CREATE TABLE lims.worksheet_field (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.worksheet_field_id_seq'),
    template_id bigint NOT NULL,
    position integer NOT NULL CHECK (position > 0),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    label text CHECK (length(label) <= 255),
    unit text CHECK (length(unit) <= 64),
    kind text NOT NULL DEFAULT 'text'
        CHECK (kind IN ('text', 'number', 'date', 'timestamp', 'boolean', 'computed',
                        'reagent_lot', 'media_lot', 'instrument')),
    required boolean NOT NULL DEFAULT true,
    -- The value of a computed field: a formula (119) over number fields and computed ones
    -- that stand before it, and the decimals to which it is rounded.
    formula text CHECK (length(formula) BETWEEN 1 AND 500),
    decimals integer CHECK (decimals BETWEEN 0 AND 10),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, template_id, position),
    UNIQUE (organization_id, template_id, name),
    FOREIGN KEY (organization_id, template_id)
        REFERENCES lims.worksheet_template (organization_id, id)
);

SELECT lims.attach_audit('worksheet_field');

CREATE SEQUENCE lims.worksheet_signoff_step_id_seq;

CREATE TABLE lims.worksheet_signoff_step (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.worksheet_signoff_step_id_seq'),
    template_id bigint NOT NULL,
    position integer NOT NULL CHECK (position > 0),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    -- Role that may sign the step; NULL: any user.
    role text CHECK (role IN (
        'system_administrator', 'administrator', 'lab_manager', 'qa_officer',
        'analyst', 'microbiologist', 'receiving_clerk', 'client_services', 'auditor',
        'client_viewer')),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, template_id, position),
    UNIQUE (organization_id, template_id, name),
    FOREIGN KEY (organization_id, template_id)
        REFERENCES lims.worksheet_template (organization_id, id)
);

SELECT lims.attach_audit('worksheet_signoff_step');

-- Refuses a change of a template that has worksheets. Locks the template, as the creation
-- of a worksheet does.
CREATE FUNCTION lims.worksheet_form_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_row record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        v_row := OLD;
    ELSE
        v_row := NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.template_id <> OLD.template_id THEN
        PERFORM lims.refuse('invalid_transition',
            'the parts of a worksheet template cannot be moved to another template');
    END IF;
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.worksheet_template x
      WHERE x.organization_id = v_row.organization_id
        AND x.id = v_row.template_id
        FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT FROM lims.worksheet w
         WHERE w.organization_id = v_row.organization_id
           AND w.template_id = v_row.template_id
    ) THEN
        PERFORM lims.refuse('invalid_transition',
            'a worksheet was begun on this template: create a new version');
    END IF;
    RETURN v_row;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON lims.worksheet_field
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_form_guard();

CREATE TRIGGER guard
BEFORE INSERT OR UPDATE OR DELETE ON lims.worksheet_signoff_step
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_form_guard();

-- Formulas -----------------------------------------------------------------

-- Refuses what the trigger's condition has found: a computed field without formula or
-- decimals, or one of these with another kind of field.
CREATE FUNCTION lims.worksheet_computed_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.refuse('invalid_body', format(
        CASE WHEN NEW.kind <> 'computed'
             THEN 'fields[%s].%s: only a computed field has a formula and decimals'
             ELSE 'fields[%s].%s: a computed field needs a formula and decimals' END,
        NEW.position - 1,
        CASE WHEN (NEW.kind = 'computed') <> (NEW.formula IS NOT NULL) THEN 'formula'
             ELSE 'decimals' END));
    RETURN NULL;
END
$$;

CREATE TRIGGER guard_computed BEFORE INSERT OR UPDATE ON lims.worksheet_field
FOR EACH ROW WHEN ((NEW.kind = 'computed') <> (NEW.formula IS NOT NULL)
    OR (NEW.kind = 'computed') <> (NEW.decimals IS NOT NULL))
EXECUTE FUNCTION lims.worksheet_computed_guard();

-- The mistake in the formula of a computed field, with its place; NULL: none.
CREATE FUNCTION lims.worksheet_formula_mistake(p lims.worksheet_field) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_problem text := (SELECT s.problem FROM lims.formula_steps(p.formula) s);
BEGIN
    IF v_problem IS NOT NULL THEN
        RETURN v_problem;
    END IF;
    RETURN (
        SELECT format('at character %s: %s', n.place, CASE
                   WHEN f.id IS NULL THEN format('the template has no field "%s"', n.name)
                   WHEN f.kind NOT IN ('number', 'computed')
                   THEN format('the field "%s" is no number', n.name)
                   ELSE format('the field "%s" does not stand before this one', n.name)
                   END)
          FROM lims.formula_names(p.formula) n
          LEFT JOIN lims.worksheet_field f
            ON f.organization_id = p.organization_id
           AND f.template_id = p.template_id
           AND f.name = n.name
         WHERE f.id IS NULL
            OR f.kind NOT IN ('number', 'computed')
            OR f.position >= p.position
         ORDER BY n.place
         LIMIT 1);
END
$$;

-- Refuses wrong formulas of the templates whose fields were changed: also a field that is
-- renamed, moved or removed may be one that a formula names.
CREATE FUNCTION lims.worksheet_formulas_check() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v lims.worksheet_field;
    v_mistake text;
BEGIN
    FOR v IN
        SELECT f.*
          FROM (SELECT DISTINCT c.organization_id, c.template_id
                  FROM changed_rows c) t
          JOIN lims.worksheet_field f
            ON f.organization_id = t.organization_id
           AND f.template_id = t.template_id
           AND f.kind = 'computed'
         ORDER BY f.template_id, f.position
    LOOP
        v_mistake := lims.worksheet_formula_mistake(v);
        IF v_mistake IS NOT NULL THEN
            PERFORM lims.refuse('invalid_body', format(
                '%s: %s', format('fields[%s].formula', v.position - 1), v_mistake));
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER formula_insert AFTER INSERT ON lims.worksheet_field
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.worksheet_formulas_check();

CREATE TRIGGER formula_update AFTER UPDATE ON lims.worksheet_field
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.worksheet_formulas_check();

CREATE TRIGGER formula_delete AFTER DELETE ON lims.worksheet_field
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.worksheet_formulas_check();

-- The name of a field for people.
CREATE FUNCTION lims.field_label(p_field lims.worksheet_field) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT coalesce(p_field.label, p_field.name) $$;

-- Computed values ----------------------------------------------------------

-- The value of a formula with the fields of a worksheet before it, each { label, value }
-- under its name; or the problem why there is none. What is needed is named in the order
-- of the formula.
CREATE FUNCTION lims.worksheet_formula_value(
    p_formula text,
    p_decimals integer,
    p_fields jsonb,
    OUT value text,
    OUT problem text
)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    v_steps text[];
    v_numbers jsonb;
BEGIN
    SELECT s.steps, s.problem
      INTO v_steps, problem
      FROM lims.formula_steps(p_formula) s;
    IF problem IS NOT NULL THEN
        RETURN;
    END IF;
    SELECT jsonb_object_agg(n.name, p_fields -> n.name ->> 'value'),
           'needs ' || string_agg(p_fields -> n.name ->> 'label', ', ' ORDER BY n.place)
               FILTER (WHERE p_fields -> n.name ->> 'value' IS NULL)
      INTO v_numbers, problem
      FROM (SELECT substr(x.step, 2) AS name, min(x.place) AS place
              FROM unnest(v_steps) WITH ORDINALITY AS x (step, place)
             WHERE x.step LIKE '@%'
             GROUP BY x.step) n;
    IF problem IS NULL THEN
        SELECT c.value, c.problem
          INTO value, problem
          FROM lims.formula_value(v_steps, p_decimals, v_numbers) c;
    END IF;
END
$$;

-- The computed fields of a worksheet, each with its value, or with the problem why it has
-- none. A later formula takes the rounded value of an earlier one, which people see.
CREATE FUNCTION lims.worksheet_computed(p_organization bigint, p_worksheet bigint)
RETURNS TABLE (field_id bigint, value text, problem text)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v record;
    v_fields jsonb;
BEGIN
    FOR v IN
        SELECT f.id, f.name, lims.field_label(f) AS label, f.formula, f.decimals
          FROM lims.worksheet w
          JOIN lims.worksheet_field f
            ON f.organization_id = w.organization_id
           AND f.template_id = w.template_id
           AND f.kind = 'computed'
         WHERE w.organization_id = p_organization
           AND w.id = p_worksheet
         ORDER BY f.position
    LOOP
        v_fields := coalesce(v_fields, lims.worksheet_numbers(p_organization, p_worksheet));
        field_id := v.id;
        SELECT c.value, c.problem
          INTO value, problem
          FROM lims.worksheet_formula_value(v.formula, v.decimals, v_fields) c;
        v_fields := v_fields || jsonb_build_object(v.name, jsonb_build_object(
            'label', v.label, 'value', value));
        RETURN NEXT;
    END LOOP;
END
$$;

-- The number fields of a worksheet as a JSON object by name, each { label, value }; value
-- null: none is entered.
CREATE FUNCTION lims.worksheet_numbers(p_organization bigint, p_worksheet bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_object_agg(f.name, jsonb_build_object(
                   'label', lims.field_label(f),
                   'value', CASE WHEN lims.number_of(v.value) IS NOT NULL
                                 THEN v.value END)), '{}')
          FROM lims.worksheet w
          JOIN lims.worksheet_field f
            ON f.organization_id = w.organization_id
           AND f.template_id = w.template_id
           AND f.kind = 'number'
          LEFT JOIN lims.worksheet_value v
            ON v.organization_id = w.organization_id
           AND v.worksheet_id = w.id
           AND v.field_id = f.id
         WHERE w.organization_id = p_organization
           AND w.id = p_worksheet);
END
$$;

-- Names what a worksheet lacks, and of computed fields why they have no value.
CREATE FUNCTION lims.worksheet_lacks(
    p_organization bigint,
    p_worksheet bigint,
    p_missing text[]
) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT string_agg(concat(m.label, ' (' || c.problem || ')'), ', ' ORDER BY m.place)
          FROM unnest(p_missing) WITH ORDINALITY AS m (label, place)
          LEFT JOIN (lims.worksheet_computed(p_organization, p_worksheet) c
                     JOIN lims.worksheet_field f
                       ON f.organization_id = p_organization
                      AND f.id = c.field_id)
            ON lims.field_label(f) = m.label);
END
$$;
