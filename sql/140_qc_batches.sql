-- SPDX-License-Identifier: Apache-2.0
--
-- QC batches and their controls.
--
-- A status that decides a release gate cannot be written: triggers derive it from the
-- evidence, whoever writes.

-- Triggers of lims.qc_batch, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard          a batch begins open
--
-- BEFORE UPDATE
--   1 guard            the status is what the controls say, or a signed override
--   2 identity         refuses another id, organization or created_at
--   3 permit_override  refuses whoever may not override (165)
--   4 touch            sets updated_at, last, when the row is what it will be
--
-- AFTER INSERT
--   1 audit_insert   writes the audit trail; a refusal that comes later undoes it
--
-- AFTER UPDATE
--   1 chart          moves its points to the series of another instrument or day
--   2 override       records the results for which an override was signed
--   3 reapprove      requests approvals again: after the override is recorded (2)
--   4 audit_update   writes the audit trail, as at INSERT
--   5 events_update  writes qc.failed to the outbox
--   6 mark_update    makes the samples of the tests it covers dirty (121)
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
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT qc_batch_number UNIQUE (organization_id, batch_number),
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

CREATE INDEX qc_batch_failed ON lims.qc_batch (organization_id, evaluated_at)
 WHERE qc_status = 'failed';

-- Controls -----------------------------------------------------------------

-- Triggers of lims.qc_control, in the order in which they run:
--
-- BEFORE INSERT
--   1 exclude_insert   refuses one that is left out of its chart already
--   2 judge            works out the value and the outcome, whatever was written
--   3 series           puts the judged value (2) into its series
--
-- BEFORE UPDATE
--   1 exclude_update   records who leaves it out of its chart
--   2 identity         refuses another id, organization or created_at
--   3 judge            as at INSERT; refuses another batch
--   4 series           puts the judged value (3) into its series
--   5 touch            sets updated_at, last, when the row is what it will be
--
-- AFTER INSERT
--   1 audit_insert     writes the audit trail; a refusal that comes later undoes it
--   2 evaluate_insert  evaluates the batch again, if it was evaluated
--
-- AFTER UPDATE
--   1 audit_update     writes the audit trail, as at INSERT
--   2 evaluate_update  the same
--
-- AFTER DELETE
--   1 audit_delete     writes the audit trail, as at INSERT
--   2 evaluate_delete  the same

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
    -- Of the control material, such as low and high.
    level text CHECK (length(level) BETWEEN 1 AND 64),
    lot text CHECK (length(lot) BETWEEN 1 AND 64),
    measured_at timestamptz,
    -- Set by a trigger: the percentage, difference or value that is compared with the
    -- limits, and the outcome.
    evaluated_value numeric,
    passed boolean NOT NULL,
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

-- Recovery: 100 x (found - native) / added. Relative percent difference:
-- 100 x |a - b| / mean; where both lie below five times the reporting limit,
-- percentages mean nothing and the difference itself may reach one reporting
-- limit. Numbers are compared exactly, unrounded.
CREATE FUNCTION lims.qc_control_judge() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    a numeric := NEW.measured_value;
    b numeric := NEW.native_value;
    v_limit numeric;
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.qc_batch_id <> OLD.qc_batch_id THEN
        PERFORM lims.refuse('invalid_transition',
                            'a control stays in the QC batch it was run with');
    END IF;
    IF lims.qc_control_needs(NEW) IS NOT NULL THEN
        PERFORM lims.refuse('invalid_body', format('criterion %s needs %s',
            NEW.criterion, lims.qc_control_needs(NEW)));
    END IF;
    CASE NEW.criterion
    WHEN 'recovery' THEN
        NEW.evaluated_value :=
            100 * (a - coalesce(b, 0)) / NEW.expected_value;
    WHEN 'rpd' THEN
        SELECT d.reporting_limit
          INTO v_limit
          FROM lims.test_definition d
         WHERE d.organization_id = NEW.organization_id
           AND d.id = NEW.test_definition_id;
        IF a < 5 * v_limit AND b < 5 * v_limit THEN
            NEW.evaluated_value := abs(a - b);
            NEW.passed := NEW.evaluated_value <= v_limit;
            RETURN NEW;
        END IF;
        NEW.evaluated_value :=
            CASE WHEN a = b THEN 0
                 ELSE 100 * abs(a - b) / nullif(abs(a + b) / 2, 0) END;
    WHEN 'expected' THEN
        NEW.evaluated_value := NULL;
        NEW.passed := coalesce(
            lims.presence(NEW.measured_text) = lims.presence(NEW.expected_text),
            lower(btrim(NEW.measured_text)) = lower(btrim(NEW.expected_text)),
            false);
        RETURN NEW;
    ELSE
        NEW.evaluated_value := a;
    END CASE;
    NEW.passed := coalesce(
        NEW.evaluated_value >= coalesce(
            CASE WHEN NEW.criterion IN ('recovery', 'range')
                 THEN NEW.lower_limit END, NEW.evaluated_value)
        AND NEW.evaluated_value <= coalesce(
            NEW.upper_limit, NEW.evaluated_value), false);
    RETURN NEW;
END
$$;

CREATE TRIGGER judge BEFORE INSERT OR UPDATE ON lims.qc_control
FOR EACH ROW EXECUTE FUNCTION lims.qc_control_judge();

SELECT lims.attach_record('qc_control');

-- Evaluation ---------------------------------------------------------------

-- Returns the outcome of a batch's controls; NULL: there are none.
CREATE FUNCTION lims.qc_batch_outcome(p_organization bigint, p_batch bigint)
RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN bool_and(c.passed) THEN 'passed'
                WHEN count(*) > 0 THEN 'failed' END
      FROM lims.qc_control c
     WHERE c.organization_id = p_organization
       AND c.qc_batch_id = p_batch
$$;

-- qc_status changes to the outcome of the controls, or from 'failed' to 'overridden' by a
-- signed override, but never back to 'open'.
CREATE FUNCTION lims.qc_batch_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.qc_status <> 'open' THEN
            PERFORM lims.refuse('invalid_transition',
                                'a QC batch begins open, without controls');
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.file_id IS DISTINCT FROM OLD.file_id THEN
        PERFORM lims.refuse('field_not_patchable',
                            'a QC batch stays that of its file');
    END IF;

    IF NEW.qc_status = 'overridden' THEN
        IF OLD.qc_status = 'overridden' THEN
            IF (NEW.override_reason, NEW.override_by, NEW.override_at,
                NEW.override_signature_id) IS NOT DISTINCT FROM
               (OLD.override_reason, OLD.override_by, OLD.override_at,
                OLD.override_signature_id) THEN
                RETURN NEW;
            END IF;
            IF NOT EXISTS (
                SELECT FROM lims.qc_covered q
                  JOIN lims.sample_test t
                    ON t.organization_id = q.organization_id
                   AND t.id = q.sample_test_id
                 WHERE q.organization_id = NEW.organization_id
                   AND q.qc_batch_id = NEW.id
                   AND q.standing = 'failed'
                   AND t.result IS NOT NULL) THEN
                PERFORM lims.refuse('invalid_transition', format(
                    'QC batch %s is overridden already', NEW.batch_number));
            END IF;
        ELSIF OLD.qc_status <> 'failed' THEN
            PERFORM lims.refuse('invalid_transition', format(
                'QC batch %s is %s: only a failed one is overridden',
                NEW.batch_number, OLD.qc_status));
        END IF;
        NEW.override_signature_id := coalesce(
            NEW.override_signature_id, lims.context_id('signature_id'));
        IF btrim(coalesce(NEW.override_reason, '')) = '' THEN
            PERFORM lims.refuse('invalid_body',
                                'overriding a QC batch needs a reason');
        END IF;
        IF NOT lims.is_signed(NEW.organization_id, NEW.override_signature_id,
                              'override', 'qc_batch', NEW.id) THEN
            PERFORM lims.refuse('esignature_required',
                                'overriding a QC batch needs a signature');
        END IF;
        NEW.override_by := lims.acting_user();
        NEW.override_at := now();
        RETURN NEW;
    END IF;

    NEW.override_reason := NULL;
    NEW.override_by := NULL;
    NEW.override_at := NULL;
    NEW.override_signature_id := NULL;
    IF NEW.qc_status = OLD.qc_status THEN
        RETURN NEW;
    END IF;
    PERFORM lims.require_read_committed();
    IF NEW.qc_status IS DISTINCT FROM
       lims.qc_batch_outcome(NEW.organization_id, NEW.id) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'QC batch %s is not %s by its controls', NEW.batch_number,
            NEW.qc_status));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.qc_batch
FOR EACH ROW EXECUTE FUNCTION lims.qc_batch_guard();

SELECT lims.attach_record('qc_batch');

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

-- Overrides ----------------------------------------------------------------

-- An override is valid for the results that the failed batch covers when it is signed,
-- recorded in lims.qc_coverage. A result that changes later is blocked by the batch again,
-- until another override.
CREATE FUNCTION lims.qc_batch_override() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.override_signature_id IS NULL THEN
        UPDATE lims.qc_coverage c
           SET override_signature_id = NULL
         WHERE c.organization_id = NEW.organization_id
           AND c.qc_batch_id = NEW.id
           AND c.override_signature_id IS NOT NULL;
        RETURN NULL;
    END IF;
    UPDATE lims.qc_coverage c
       SET result = t.result,
           qualifier = t.qualifier,
           entered_at = t.entered_at,
           override_signature_id = NEW.override_signature_id
      FROM lims.sample_test t
     WHERE c.organization_id = NEW.organization_id
       AND c.qc_batch_id = NEW.id
       AND t.organization_id = c.organization_id
       AND t.id = c.sample_test_id
       AND t.result IS NOT NULL
       AND (c.override_signature_id IS NULL
            OR (c.result, c.qualifier, c.entered_at)
               IS DISTINCT FROM (t.result, t.qualifier, t.entered_at));
    RETURN NULL;
END
$$;

CREATE TRIGGER override AFTER UPDATE ON lims.qc_batch
FOR EACH ROW WHEN (NEW.override_signature_id
    IS DISTINCT FROM OLD.override_signature_id)
EXECUTE FUNCTION lims.qc_batch_override();

-- Requests approvals again when the status of a QC batch behind a result changes.
CREATE FUNCTION lims.qc_batch_reapprove() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    -- Each test is looked up by its key, whatever the estimated number.
    PERFORM lims.request_approvals_again(NEW.organization_id, ARRAY(
        SELECT DISTINCT (
               SELECT t.sample_id
                 FROM lims.sample_test t
                WHERE t.organization_id = c.organization_id
                  AND t.id = c.sample_test_id)
          FROM lims.qc_coverage c
         WHERE c.organization_id = NEW.organization_id
           AND c.qc_batch_id = NEW.id), '{}');
    RETURN NULL;
END
$$;

-- The trigger's name puts it after `override`.
CREATE TRIGGER reapprove AFTER UPDATE ON lims.qc_batch
FOR EACH ROW WHEN ((NEW.qc_status, NEW.batch_number, NEW.override_signature_id)
    IS DISTINCT FROM (OLD.qc_status, OLD.batch_number, OLD.override_signature_id))
EXECUTE FUNCTION lims.qc_batch_reapprove();

-- Evaluating ---------------------------------------------------------------

-- Evaluates a batch by its controls and returns 'passed' or 'failed'. That ends an
-- override.
CREATE FUNCTION lims.evaluate_qc_batch(p_organization bigint, p_batch bigint)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
    v_outcome text;
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.qc_batch b
      WHERE b.organization_id = p_organization
        AND b.id = p_batch
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    v_outcome := lims.qc_batch_outcome(p_organization, p_batch);
    IF v_outcome IS NULL THEN
        PERFORM lims.refuse('invalid_body',
                            'a QC batch without controls cannot be evaluated');
    END IF;
    UPDATE lims.qc_batch b
       SET qc_status = v_outcome,
           evaluated_at = now(),
           evaluated_by = lims.acting_user()
     WHERE b.organization_id = p_organization
       AND b.id = p_batch;
    RETURN v_outcome;
END
$$;

-- A control without its place in a chart, which no evaluation looks at, nor its time stamp,
-- which is the same in another transaction's first change.
CREATE FUNCTION lims.qc_control_facts(p lims.qc_control) RETURNS lims.qc_control
LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
    p.qc_series_id := NULL;
    p.charted_at := NULL;
    p.excluded_reason := NULL;
    p.excluded_by := NULL;
    p.excluded_at := NULL;
    p.updated_at := NULL;
    RETURN p;
END
$$;

-- Evaluates a batch again when its controls change after its evaluation: otherwise a new
-- control could open the gate of a failed batch. The lock waits for an evaluation under
-- way that has not seen the change.
CREATE FUNCTION lims.qc_control_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_batch record;
    v_changed bigint[];
BEGIN
    -- Leaving a point out of its chart, or moving it, is no correction.
    IF TG_OP = 'UPDATE' THEN
        SELECT array_agg(c.qc_batch_id)
          INTO v_changed
          FROM (SELECT n.qc_batch_id, lims.qc_control_facts(n)
                       *<> lims.qc_control_facts(o) AS is_corrected
                  FROM changed_rows n
                  FULL JOIN old_rows o
                    ON o.organization_id = n.organization_id
                   AND o.id = n.id
                OFFSET 0) c
         WHERE c.is_corrected;
    END IF;
    FOR v_batch IN
        SELECT b.organization_id, b.id, b.qc_status
          FROM lims.qc_batch b
         WHERE (b.organization_id, b.id) IN (
                   SELECT r.organization_id, r.qc_batch_id
                     FROM changed_rows r)
           AND (TG_OP <> 'UPDATE' OR b.id = ANY (v_changed))
         ORDER BY b.organization_id, b.id
           FOR NO KEY UPDATE
    LOOP
        IF v_batch.qc_status <> 'open' THEN
            PERFORM lims.evaluate_qc_batch(v_batch.organization_id, v_batch.id);
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER evaluate_insert AFTER INSERT ON lims.qc_control
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_control_changed();

CREATE TRIGGER evaluate_update AFTER UPDATE ON lims.qc_control
REFERENCING OLD TABLE AS old_rows NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_control_changed();

CREATE TRIGGER evaluate_delete AFTER DELETE ON lims.qc_control
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_control_changed();
