-- SPDX-License-Identifier: Apache-2.0
--
-- QC batches and their controls: the records, how a control is judged, and what follows
-- from a batch's status. How the status comes about stands in 146_qc_status.sql.

-- Triggers of lims.qc_batch, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard            refuses a new batch that is not open (146)
--   2 template_insert  copies the method of its template (147)
--
-- BEFORE UPDATE
--   1 guard            refuses a status that is neither the outcome of the controls nor a
--                      signed override, and another method of one that is overridden (146)
--   2 hold_samples     locks the samples that it covers; ends the transaction where
--                      another has them (146)
--   3 identity         refuses to change id, organization or created_at
--   4 permit_override  refuses users who may not override (105)
--   5 template_update  refuses to change the template, or its method (147)
--   6 touch            sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 expect         adds the controls that its template requires (147)
--   2 audit_insert   writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 chart          moves its controls to the QC series of another instrument or day
--                    (145)
--   2 investigate    opens an investigation where it failed after results were verified
--                    (227)
--   3 override       records the results for which an override was signed (146)
--   4 reapprove      requests approvals again: after the override is recorded (3) (146)
--   5 audit_update   writes the audit trail, as at INSERT
--   6 events_update  writes qc.failed to the outbox
--   7 mark_update    marks the samples of the tests it covers dirty
--
-- AFTER DELETE
--   1 audit_delete   writes the audit trail, as at INSERT

CREATE SEQUENCE lims.qc_batch_id_seq;

CREATE TABLE lims.qc_batch (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.qc_batch_id_seq'),
    batch_number text NOT NULL CHECK (length(batch_number) BETWEEN 1 AND 64),
    method text CHECK (length(method) <= 255),
    analysis_date date,
    qc_status text NOT NULL DEFAULT 'open'
        CHECK (qc_status IN ('open', 'passed', 'failed', 'overridden')),
    evaluated_at timestamptz,
    evaluated_by bigint,
    override_reason text CHECK (length(override_reason) BETWEEN 1 AND 2000),
    override_by bigint,
    override_at timestamptz,
    override_signature_id bigint,
    notes text CHECK (length(notes) <= 4000),
    -- The instrument on which it was run.
    instrument_id bigint,
    -- The instrument's file from which batch and controls were read; NULL: made by hand.
    file_id bigint,
    -- The template that says which controls it has to have (147); NULL: none.
    qc_template_id bigint,
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT qc_batch_batch_number UNIQUE (organization_id, batch_number),
    CONSTRAINT qc_batch_evaluated_by FOREIGN KEY (organization_id, evaluated_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, override_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, override_signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    CHECK ((qc_status = 'overridden') = (override_signature_id IS NOT NULL)),
    CHECK (qc_status <> 'overridden' OR override_reason IS NOT NULL)
);

CREATE UNIQUE INDEX qc_batch_of_file
    ON lims.qc_batch (organization_id, file_id)
 WHERE file_id IS NOT NULL;

CREATE INDEX qc_batch_instrument_id ON lims.qc_batch (organization_id, instrument_id, id)
 WHERE instrument_id IS NOT NULL;

CREATE INDEX qc_batch_failed ON lims.qc_batch (organization_id, evaluated_at)
 WHERE qc_status = 'failed';

SELECT lims.attach_record('qc_batch');

-- Controls -----------------------------------------------------------------

-- Triggers of lims.qc_control, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 exclude_insert   refuses a new control that is excluded from its QC series (145)
--   2 guard_limits     refuses a lower limit above the upper one
--   3 judge            computes value and outcome, whatever was written
--   4 series           adds the judged value (3) to its QC series (145)
--
-- BEFORE UPDATE
--   1 exclude_update   sets who excludes it from its QC series, and when (145)
--   2 guard_limits     as at INSERT
--   3 identity         refuses to change id, organization or created_at
--   4 judge            as at INSERT; refuses to change the batch
--   5 series           adds the judged value (4) to its QC series (145)
--   6 touch            sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert     writes the audit trail; a later refusal rolls it back
--   2 evaluate_insert  evaluates the batch, if it was evaluated before or all its controls
--                      have values (146)
--
-- AFTER UPDATE
--   1 audit_update     writes the audit trail, as at INSERT
--   2 evaluate_update  as at INSERT (146)
--
-- AFTER DELETE
--   1 audit_delete     writes the audit trail, as at INSERT
--   2 evaluate_delete  as at INSERT (146)

CREATE SEQUENCE lims.qc_control_id_seq;

CREATE TABLE lims.qc_control (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.qc_control_id_seq'),
    qc_batch_id bigint NOT NULL,
    control_type text NOT NULL CHECK (control_type IN (
        'MB', 'LRB', 'FB', 'LCS', 'LFB', 'LCSD', 'MS', 'LFM', 'MSD', 'DUP',
        'ICV', 'QCS', 'CCV', 'IPC', 'ICB', 'CCB', 'SUR', 'IS', 'CRM', 'PT',
        'POS', 'NEG', 'STR')),
    test_definition_id bigint,
    criterion text NOT NULL CHECK (criterion IN (
        'recovery', 'rpd', 'maximum', 'range', 'expected')),
    -- The true or added amount.
    expected_value numeric,
    measured_value numeric,
    -- The unspiked sample of a matrix spike, the first of two duplicates.
    native_value numeric,
    lower_limit numeric,
    upper_limit numeric,
    expected_text text CHECK (length(expected_text) <= 255),
    measured_text text CHECK (length(measured_text) <= 255),
    unit text CHECK (length(unit) <= 64),
    -- Level of the control material, such as low and high.
    level text CHECK (length(level) BETWEEN 1 AND 64),
    lot text CHECK (length(lot) BETWEEN 1 AND 64),
    measured_at timestamptz,
    -- Set by a trigger: the percentage, difference or value that is compared with the
    -- limits, and the outcome.
    evaluated_value numeric,
    -- NULL: expected, and not measured yet.
    passed boolean,
    -- Whether the template of the batch asks for it (147).
    expected boolean NOT NULL DEFAULT false,
    -- Set by a trigger: its place in a control chart (145).
    qc_series_id bigint,
    charted_at timestamptz,
    -- Why, by whom and when it was left out of its chart.
    excluded_reason text CHECK (length(excluded_reason) BETWEEN 1 AND 1000),
    excluded_by bigint,
    excluded_at timestamptz,
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, qc_batch_id)
        REFERENCES lims.qc_batch (organization_id, id),
    FOREIGN KEY (organization_id, test_definition_id)
        REFERENCES lims.test_definition (organization_id, id),
    FOREIGN KEY (organization_id, excluded_by)
        REFERENCES lims.user_account (organization_id, id),
    CONSTRAINT qc_control_lower_limit CHECK (lower_limit <= upper_limit),
    CHECK (passed IS NOT NULL OR expected),
    -- Neither infinite nor NaN, which compares as greater than every lower limit.
    CONSTRAINT qc_control_finite CHECK (
        abs(expected_value) < 'Infinity' AND abs(measured_value) < 'Infinity'
        AND abs(native_value) < 'Infinity' AND abs(lower_limit) < 'Infinity'
        AND abs(upper_limit) < 'Infinity')
);

CREATE INDEX qc_control_batch
    ON lims.qc_control (organization_id, qc_batch_id, id);

-- Names the members that a control lacks for its criterion, in words; NULL: none.
CREATE FUNCTION lims.qc_control_needs(p lims.qc_control) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p.criterion = 'expected' THEN CASE
            WHEN p.expected_text IS NULL OR p.measured_text IS NULL
            THEN 'expectedText and measuredText' END
        WHEN p.measured_value IS NULL THEN 'measuredValue'
        WHEN p.criterion = 'recovery' AND coalesce(p.expected_value, 0) = 0
        THEN 'expectedValue, other than 0'
        WHEN p.criterion = 'rpd' AND p.native_value IS NULL THEN 'nativeValue'
        WHEN p.criterion IN ('rpd', 'maximum') AND p.upper_limit IS NULL
        THEN 'upperLimit'
        WHEN p.lower_limit IS NULL AND p.upper_limit IS NULL
        THEN 'lowerLimit or upperLimit'
    END
$$;

-- Computes value and outcome of a control that has the members that its criterion needs.
--
-- Recovery: 100 x (found - native) / added. Relative percent difference:
-- 100 x |a - b| / mean; where both lie below five times the reporting limit,
-- percentages mean nothing and the difference itself may reach one reporting
-- limit. Numbers are compared exactly, unrounded.
CREATE FUNCTION lims.qc_control_judged(p lims.qc_control) RETURNS lims.qc_control
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    a numeric := p.measured_value;
    b numeric := p.native_value;
    v_limit numeric;
BEGIN
    CASE p.criterion
    WHEN 'recovery' THEN
        p.evaluated_value :=
            100 * (a - coalesce(b, 0)) / p.expected_value;
    WHEN 'rpd' THEN
        SELECT d.reporting_limit
          INTO v_limit
          FROM lims.test_definition d
         WHERE d.organization_id = p.organization_id
           AND d.id = p.test_definition_id;
        IF a < 5 * v_limit AND b < 5 * v_limit THEN
            p.evaluated_value := abs(a - b);
            p.passed := p.evaluated_value <= v_limit;
            RETURN p;
        END IF;
        p.evaluated_value :=
            CASE WHEN a = b THEN 0
                 ELSE 100 * abs(a - b) / nullif(abs(a + b) / 2, 0) END;
    WHEN 'expected' THEN
        p.evaluated_value := NULL;
        p.passed := coalesce(
            lims.presence(p.measured_text) = lims.presence(p.expected_text),
            lower(btrim(p.measured_text)) = lower(btrim(p.expected_text)),
            false);
        RETURN p;
    ELSE
        p.evaluated_value := a;
    END CASE;
    p.passed := coalesce(
        p.evaluated_value >= coalesce(
            CASE WHEN p.criterion IN ('recovery', 'range')
                 THEN p.lower_limit END, p.evaluated_value)
        AND p.evaluated_value <= coalesce(
            p.upper_limit, p.evaluated_value), false);
    RETURN p;
END
$$;

-- Judges a control. A control that the template of its batch requires may have no value
-- yet; the value cannot be removed again, nor what is required be changed.
CREATE FUNCTION lims.qc_control_judge() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_waited CONSTANT boolean := TG_OP = 'INSERT' OR OLD.passed IS NULL;
    v_departs text;
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.qc_batch_id <> OLD.qc_batch_id THEN
        PERFORM lims.refuse('invalid_transition',
                            'a control cannot be moved to another QC batch');
    END IF;
    IF NEW.expected IS DISTINCT FROM (TG_OP = 'UPDATE' AND OLD.expected)
       AND pg_trigger_depth() < 2 THEN
        PERFORM lims.refuse('invalid_transition',
                            'only the template of a QC batch marks a control as '
                            'expected');
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.expected
       AND (NEW.control_type, NEW.criterion, NEW.level, NEW.test_definition_id)
           IS DISTINCT FROM
           (OLD.control_type, OLD.criterion, OLD.level, OLD.test_definition_id) THEN
        PERFORM lims.refuse('field_not_patchable',
            'the controlType, criterion, level and testDefinitionId of an expected '
            'control come from the QC template and cannot be changed');
    END IF;
    IF TG_OP = 'UPDATE' THEN
        v_departs := lims.qc_control_departs(NEW);
    END IF;
    IF v_departs IS NOT NULL THEN
        PERFORM lims.refuse('field_not_patchable', format(
            'what the QC template gives of an expected control cannot be changed: %s',
            v_departs));
    END IF;
    IF NEW.expected AND v_waited AND NEW.measured_value IS NULL
       AND NEW.measured_text IS NULL THEN
        NEW.evaluated_value := NULL;
        NEW.passed := NULL;
        RETURN NEW;
    END IF;
    IF lims.qc_control_needs(NEW) IS NOT NULL THEN
        PERFORM lims.refuse('invalid_body', format('criterion %s needs %s',
            NEW.criterion, lims.qc_control_needs(NEW)));
    END IF;
    RETURN lims.qc_control_judged(NEW);
END
$$;

CREATE TRIGGER guard_limits BEFORE INSERT OR UPDATE ON lims.qc_control
FOR EACH ROW WHEN (NEW.lower_limit > NEW.upper_limit)
EXECUTE FUNCTION lims.refuse_reversed('lower_limit', 'lowerLimit', 'upper_limit', 'upperLimit');

CREATE TRIGGER judge BEFORE INSERT OR UPDATE ON lims.qc_control
FOR EACH ROW EXECUTE FUNCTION lims.qc_control_judge();

SELECT lims.attach_record('qc_control');

-- Effects of a status ------------------------------------------------------

CREATE FUNCTION lims.emit_qc_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.event (organization_id, type, data)
    SELECT b.organization_id, 'qc.failed', json_build_object(
               'qcBatchId', b.id,
               'batchNumber', b.batch_number,
               'qcStatus', b.qc_status)
      FROM (SELECT n.*, n.qc_status = 'failed' AND o.qc_status <> 'failed'
                   AS has_failed
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) b
     WHERE b.has_failed
     ORDER BY b.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_update AFTER UPDATE ON lims.qc_batch
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_qc_events();

-- Whoever assigns a test to a batch or lot locks that row FOR SHARE, so that one of the
-- two transactions sees the other.
CREATE FUNCTION lims.mark_samples_of_batches() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM (SELECT n.organization_id, n.id,
                   n.qc_status <> o.qc_status AS has_changed
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) b
      JOIN lims.qc_coverage c
        ON c.organization_id = b.organization_id
       AND c.qc_batch_id = b.id
      JOIN lims.sample_test t
        ON t.organization_id = c.organization_id
       AND t.id = c.sample_test_id
     WHERE b.has_changed;
    RETURN NULL;
END
$$;

CREATE TRIGGER mark_update AFTER UPDATE ON lims.qc_batch
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_of_batches();
