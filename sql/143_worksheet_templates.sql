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
