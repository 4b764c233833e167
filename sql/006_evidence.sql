-- SPDX-License-Identifier: Apache-2.0
--
-- What stands behind a result: the values before it, confirmation steps and
-- method worksheets.

-- Every value a result ever had --------------------------------------------

CREATE SEQUENCE lims.result_history_id_seq;

-- One row per value that was replaced, withdrawn or reopened. Its test is there
-- without a foreign key that asks so of every row: triggers alone write here,
-- from the test's own row, and a test that has had a result is not taken away.
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
    RETURN NULL;
END
$$;

CREATE TRIGGER history AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_keep_history();

-- Confirmation of presumptive positives ------------------------------------

-- What was read at each step of a confirmation. The outcome itself is
-- sample_test.confirmation_status.
CREATE SEQUENCE lims.confirmation_step_id_seq;

CREATE TABLE lims.confirmation_step (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.confirmation_step_id_seq'),
    sample_test_id bigint NOT NULL,
    position integer NOT NULL CHECK (position > 0),
    medium text CHECK (length(medium) <= 255),
    procedure text CHECK (length(procedure) <= 255),
    read_at timestamptz NOT NULL DEFAULT now(),
    reading text CHECK (length(reading) <= 1000),
    outcome text NOT NULL CHECK (length(outcome) BETWEEN 1 AND 255),
    performed_by bigint DEFAULT lims.context_id('user_id'),
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, sample_test_id, position),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id),
    FOREIGN KEY (organization_id, performed_by)
        REFERENCES lims.user_account (organization_id, id)
);

-- Evidence is gathered while the confirmation is open. Holding the test keeps
-- its outcome from being decided in between.
CREATE FUNCTION lims.confirmation_step_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM lims.sample_test t
      WHERE t.organization_id = NEW.organization_id
        AND t.id = NEW.sample_test_id
        AND t.confirmation_status = 'pending'
        AND t.status <> 'verified'
        FOR SHARE;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s has no confirmation to decide', NEW.sample_test_id));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.confirmation_step
FOR EACH ROW EXECUTE FUNCTION lims.confirmation_step_guard();

SELECT lims.attach_append_only('confirmation_step');
SELECT lims.attach_audit('confirmation_step');

-- Worksheet templates ------------------------------------------------------

CREATE SEQUENCE lims.worksheet_template_id_seq;

-- The worksheet of a method. The active version with the highest number is the
-- one that new worksheets are filled on.
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
                        'a template stays this version of its method''s sheet');
    RETURN NULL;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.worksheet_template
FOR EACH ROW WHEN ((NEW.test_definition_id, NEW.version)
    <> (OLD.test_definition_id, OLD.version))
EXECUTE FUNCTION lims.worksheet_template_guard();

SELECT lims.attach_record('worksheet_template');

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
        CHECK (kind IN ('text', 'number', 'date', 'timestamp', 'boolean')),
    required boolean NOT NULL DEFAULT true,
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
    -- Who may sign it; NULL: any user.
    role text CHECK (role IN (
        'system_administrator', 'administrator', 'lab_manager', 'qa_officer',
        'analyst', 'microbiologist', 'receiving_clerk', 'client_viewer')),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, template_id, position),
    UNIQUE (organization_id, template_id, name),
    FOREIGN KEY (organization_id, template_id)
        REFERENCES lims.worksheet_template (organization_id, id)
);

SELECT lims.attach_audit('worksheet_signoff_step');

-- A sheet once filled keeps the form it was filled on. Whoever changes a form
-- holds its template, and whoever begins a sheet does.
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
            'what is of one template is not moved to another');
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
            'worksheets were filled on this template: make a new version');
    END IF;
    RETURN v_row;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON lims.worksheet_field
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_form_guard();

CREATE TRIGGER guard
BEFORE INSERT OR UPDATE OR DELETE ON lims.worksheet_signoff_step
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_form_guard();

-- Filled worksheets --------------------------------------------------------

CREATE SEQUENCE lims.worksheet_id_seq;

CREATE TABLE lims.worksheet (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.worksheet_id_seq'),
    sample_test_id bigint NOT NULL,
    template_id bigint NOT NULL,
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, sample_test_id),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id),
    FOREIGN KEY (organization_id, template_id)
        REFERENCES lims.worksheet_template (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX worksheet_of_template
    ON lims.worksheet (organization_id, template_id);

CREATE SEQUENCE lims.worksheet_value_id_seq;

CREATE TABLE lims.worksheet_value (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.worksheet_value_id_seq'),
    worksheet_id bigint NOT NULL,
    field_id bigint NOT NULL,
    value text CHECK (length(value) <= 1000),
    entered_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, worksheet_id, field_id),
    FOREIGN KEY (organization_id, worksheet_id)
        REFERENCES lims.worksheet (organization_id, id),
    FOREIGN KEY (organization_id, field_id)
        REFERENCES lims.worksheet_field (organization_id, id),
    FOREIGN KEY (organization_id, entered_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE SEQUENCE lims.worksheet_signoff_id_seq;

-- A sign-off is withdrawn, with its reason in the audit trail, before a signed
-- value can be corrected; it is never taken away.
CREATE TABLE lims.worksheet_signoff (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.worksheet_signoff_id_seq'),
    worksheet_id bigint NOT NULL,
    step_id bigint NOT NULL,
    signature_id bigint NOT NULL,
    signed_by bigint NOT NULL,
    signed_at timestamptz NOT NULL DEFAULT now(),
    withdrawn_by bigint,
    withdrawn_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, worksheet_id)
        REFERENCES lims.worksheet (organization_id, id),
    FOREIGN KEY (organization_id, step_id)
        REFERENCES lims.worksheet_signoff_step (organization_id, id),
    FOREIGN KEY (organization_id, signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    FOREIGN KEY (organization_id, signed_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, withdrawn_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE UNIQUE INDEX worksheet_signoff_step_once
    ON lims.worksheet_signoff (organization_id, worksheet_id, step_id)
 WHERE withdrawn_at IS NULL;

-- Where the worksheet of a test stands. NULL: the test asks for none and
-- none was begun. One that was not begun misses what the current template
-- requires.
CREATE FUNCTION lims.worksheet_state(p_organization bigint, p_sample_test bigint)
RETURNS TABLE (
    status text,
    missing text[],
    needs_signoff text[],
    worksheet_id bigint
)
LANGUAGE sql STABLE
AS $$
    SELECT CASE
               WHEN w.id IS NULL AND NOT t.requires_worksheet THEN NULL
               WHEN w.id IS NULL THEN 'missing'
               WHEN f.missing <> '{}' THEN 'incomplete'
               WHEN s.needs_signoff <> '{}' THEN 'unsigned'
               ELSE 'complete'
           END,
           f.missing, s.needs_signoff, w.id
      FROM lims.sample_test t
      LEFT JOIN lims.worksheet w
        ON w.organization_id = t.organization_id
       AND w.sample_test_id = t.id
      LEFT JOIN LATERAL (
           SELECT x.id
             FROM lims.worksheet_template x
            WHERE x.organization_id = t.organization_id
              AND x.test_definition_id = t.test_definition_id
              AND x.active
            ORDER BY x.version DESC
            LIMIT 1) current_template ON true
     CROSS JOIN LATERAL (
           SELECT coalesce(array_agg(coalesce(x.label, x.name)
                                     ORDER BY x.position), '{}') AS missing
             FROM lims.worksheet_field x
             LEFT JOIN lims.worksheet_value v
               ON v.organization_id = x.organization_id
              AND v.worksheet_id = w.id
              AND v.field_id = x.id
            WHERE x.organization_id = t.organization_id
              AND x.template_id = coalesce(w.template_id, current_template.id)
              AND x.required
              AND (v.value IS NULL OR v.value !~ '\S')) f
     CROSS JOIN LATERAL (
           SELECT coalesce(array_agg(x.name ORDER BY x.position), '{}')
                      AS needs_signoff
             FROM lims.worksheet_signoff_step x
             LEFT JOIN lims.worksheet_signoff v
               ON v.organization_id = x.organization_id
              AND v.worksheet_id = w.id
              AND v.step_id = x.id
              AND v.withdrawn_at IS NULL
            WHERE x.organization_id = t.organization_id
              AND x.template_id = coalesce(w.template_id, current_template.id)
              AND v.id IS NULL) s
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test
$$;

-- A worksheet can be worked on while its test is not verified. Holding the
-- test keeps a verification from passing between the look and the change.
CREATE FUNCTION lims.worksheet_hold(p_organization bigint, p_worksheet bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_test bigint;
    v_status text;
BEGIN
    PERFORM lims.require_read_committed();
    SELECT t.id, t.status
      INTO v_test, v_status
      FROM lims.worksheet w
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id
     WHERE w.organization_id = p_organization
       AND w.id = p_worksheet
       FOR NO KEY UPDATE OF t;
    IF v_status = 'verified' THEN
        PERFORM lims.refuse('test_verified_locked', format(
            'sample test %s is verified and its worksheet locked', v_test));
    END IF;
END
$$;

CREATE FUNCTION lims.worksheet_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM lims.worksheet_hold(OLD.organization_id, OLD.id);
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        PERFORM lims.refuse('invalid_transition', 'a worksheet stays on its '
            'test and its template, and who began it');
    END IF;
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample_test t
       JOIN lims.worksheet_template x
         ON x.organization_id = t.organization_id
        AND x.test_definition_id = t.test_definition_id
        AND x.id = NEW.template_id
      WHERE t.organization_id = NEW.organization_id
        AND t.id = NEW.sample_test_id
        AND t.status <> 'verified'
        AND x.active
        FOR NO KEY UPDATE OF t
        FOR SHARE OF x;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference', format(
            'no active worksheet template %s for an unverified sample test %s',
            NEW.template_id, NEW.sample_test_id));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR DELETE ON lims.worksheet
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.worksheet
FOR EACH ROW WHEN ((NEW.sample_test_id, NEW.template_id, NEW.created_by)
    IS DISTINCT FROM (OLD.sample_test_id, OLD.template_id, OLD.created_by))
EXECUTE FUNCTION lims.worksheet_guard();

-- Nothing of a signed sheet changes, nor of a verified test's; a value stays
-- what its field says, and is put down to who entered it.
CREATE FUNCTION lims.worksheet_value_guard() RETURNS trigger
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
    IF TG_OP = 'UPDATE' AND (
           (NEW.worksheet_id, NEW.field_id) <> (OLD.worksheet_id, OLD.field_id)
           OR (NEW.value IS NOT DISTINCT FROM OLD.value
               AND NEW.entered_by IS DISTINCT FROM OLD.entered_by)) THEN
        PERFORM lims.refuse('invalid_transition',
            'a value stays in its field, put down to who entered it');
    END IF;
    PERFORM lims.worksheet_hold(v_row.organization_id, v_row.worksheet_id);
    IF NOT EXISTS (
        SELECT FROM lims.worksheet w
          JOIN lims.worksheet_field f
            ON f.organization_id = w.organization_id
           AND f.template_id = w.template_id
           AND f.id = v_row.field_id
         WHERE w.organization_id = v_row.organization_id
           AND w.id = v_row.worksheet_id
    ) THEN
        PERFORM lims.refuse('invalid_reference',
                            'the field is not of this worksheet''s template');
    END IF;
    IF EXISTS (
        SELECT FROM lims.worksheet_signoff s
         WHERE s.organization_id = v_row.organization_id
           AND s.worksheet_id = v_row.worksheet_id
           AND s.withdrawn_at IS NULL
    ) THEN
        PERFORM lims.refuse('invalid_transition',
            'the worksheet is signed: withdraw its sign-off to change a value');
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'INSERT' OR NEW.value IS DISTINCT FROM OLD.value THEN
        NEW.entered_by := lims.acting_user();
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_write BEFORE INSERT OR DELETE ON lims.worksheet_value
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_value_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.worksheet_value
FOR EACH ROW WHEN (NEW *<> OLD)
EXECUTE FUNCTION lims.worksheet_value_guard();

-- Steps are signed in their order, on a complete sheet, by who may, with a
-- signature of this moment on this worksheet.
CREATE FUNCTION lims.worksheet_signoff_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_state record;
    v_step record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM lims.refuse('invalid_transition',
                            'a sign-off is withdrawn, never taken away');
    END IF;
    PERFORM lims.worksheet_hold(NEW.organization_id, NEW.worksheet_id);
    IF TG_OP = 'UPDATE' THEN
        IF OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL
           OR (NEW.worksheet_id, NEW.step_id, NEW.signature_id, NEW.signed_by,
               NEW.signed_at) <> (OLD.worksheet_id, OLD.step_id,
               OLD.signature_id, OLD.signed_by, OLD.signed_at) THEN
            PERFORM lims.refuse('invalid_transition',
                                'a sign-off can only be withdrawn, once');
        END IF;
        NEW.withdrawn_at := now();
        NEW.withdrawn_by := lims.acting_user();
        RETURN NEW;
    END IF;

    SELECT s.missing, s.needs_signoff
      INTO v_state
      FROM lims.worksheet w
     CROSS JOIN LATERAL
           lims.worksheet_state(w.organization_id, w.sample_test_id) s
     WHERE w.organization_id = NEW.organization_id
       AND w.id = NEW.worksheet_id;
    SELECT s.name, s.role
      INTO v_step
      FROM lims.worksheet_signoff_step s
      JOIN lims.worksheet w
        ON w.organization_id = s.organization_id
       AND w.template_id = s.template_id
       AND w.id = NEW.worksheet_id
     WHERE s.organization_id = NEW.organization_id
       AND s.id = NEW.step_id;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference',
                            'the step is not of this worksheet''s template');
    END IF;
    SELECT s.signer, s.signed_at
      INTO NEW.signed_by, NEW.signed_at
      FROM lims.electronic_signature s
     WHERE s.organization_id = NEW.organization_id
       AND s.id = NEW.signature_id
       AND s.meaning IN ('performed', 'reviewed', 'witnessed')
       AND lims.is_signed(NEW.organization_id, s.id, s.meaning, 'worksheet',
                          NEW.worksheet_id);
    IF NOT FOUND THEN
        PERFORM lims.refuse('esignature_required',
                            'signing a worksheet off needs a signature on it');
    END IF;
    IF v_state.missing <> '{}' THEN
        PERFORM lims.refuse('worksheet_incomplete', format(
            'the worksheet misses %s', array_to_string(v_state.missing, ', ')));
    END IF;
    IF v_step.name IS DISTINCT FROM v_state.needs_signoff[1] THEN
        PERFORM lims.refuse('invalid_transition', coalesce(
            'the next step to sign is ' || v_state.needs_signoff[1],
            'the worksheet is signed already'));
    END IF;
    IF v_step.role IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.user_role r
         WHERE r.organization_id = NEW.organization_id
           AND r.user_id = NEW.signed_by
           AND r.role = v_step.role
    ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            '%s is signed by a %s', v_step.name, replace(v_step.role, '_', ' ')));
    END IF;
    NEW.withdrawn_at := NULL;
    NEW.withdrawn_by := NULL;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON lims.worksheet_signoff
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_signoff_guard();

SELECT lims.attach_record('worksheet');
SELECT lims.attach_record('worksheet_value');
SELECT lims.attach_audit('worksheet_signoff');
