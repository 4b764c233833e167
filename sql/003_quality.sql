-- SPDX-License-Identifier: Apache-2.0
--
-- What quality control hangs on: reagent and media lots with the media's own
-- tests, and QC batches with their controls.
--
-- A status here that opens or shuts a gate is never simply written: it is
-- derived from the evidence beneath it, by triggers, whoever writes.

-- Reagent lots -------------------------------------------------------------

CREATE SEQUENCE lims.reagent_lot_id_seq;

CREATE TABLE lims.reagent_lot (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.reagent_lot_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    lot_number text NOT NULL CHECK (length(lot_number) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    supplier text CHECK (length(supplier) <= 255),
    -- The last day on which it may be used, in the organization's time zone.
    expires_on date,
    opened_on date,
    qc_status text NOT NULL DEFAULT 'pending'
        CHECK (qc_status IN ('pending', 'passed', 'failed', 'quarantined')),
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT reagent_lot_code UNIQUE (organization_id, code)
);

SELECT lims.attach_record('reagent_lot');

-- Media lots ---------------------------------------------------------------

CREATE SEQUENCE lims.media_lot_id_seq;

CREATE TABLE lims.media_lot (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.media_lot_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    lot_number text NOT NULL CHECK (length(lot_number) BETWEEN 1 AND 64),
    medium text NOT NULL CHECK (length(medium) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    supplier text CHECK (length(supplier) <= 255),
    prepared_on date,
    expires_on date,
    opened_on date,
    -- Derived from media_qc_test; a person may only quarantine the lot.
    growth_promotion_status text NOT NULL DEFAULT 'pending'
        CHECK (growth_promotion_status IN ('pending', 'passed', 'failed')),
    sterility_status text NOT NULL DEFAULT 'pending'
        CHECK (sterility_status IN ('pending', 'passed', 'failed')),
    qc_status text NOT NULL DEFAULT 'pending'
        CHECK (qc_status IN ('pending', 'passed', 'failed', 'quarantined')),
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT media_lot_code UNIQUE (organization_id, code)
);

CREATE SEQUENCE lims.media_qc_test_id_seq;

CREATE TABLE lims.media_qc_test (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.media_qc_test_id_seq'),
    media_lot_id bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN (
        'growth_promotion', 'sterility', 'inhibition', 'indication')),
    organism text CHECK (length(organism) BETWEEN 1 AND 255),
    inoculum_cfu numeric
        CHECK (inoculum_cfu >= 0 AND inoculum_cfu < 'Infinity'),
    recovery_percent numeric
        CHECK (recovery_percent >= 0 AND recovery_percent < 'Infinity'),
    outcome text NOT NULL CHECK (outcome IN ('passed', 'failed')),
    performed_on date NOT NULL,
    performed_by bigint DEFAULT lims.context_id('user_id'),
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, media_lot_id)
        REFERENCES lims.media_lot (organization_id, id),
    FOREIGN KEY (organization_id, performed_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX media_qc_test_lot
    ON lims.media_qc_test (organization_id, media_lot_id, kind);

-- 'failed' if the latest test of any organism failed, 'pending' without tests.
-- A passed requalification of the same kind and organism takes the place of
-- the failure before it; one of another organism does not.
CREATE FUNCTION lims.media_test_status(
    p_organization bigint,
    p_media_lot bigint,
    p_sterility boolean
) RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT CASE
               WHEN count(*) = 0 THEN 'pending'
               WHEN bool_or(l.outcome = 'failed') THEN 'failed'
               ELSE 'passed'
           END
      FROM (SELECT DISTINCT ON (t.kind, lower(btrim(t.organism))) t.outcome
              FROM lims.media_qc_test t
             WHERE t.organization_id = p_organization
               AND t.media_lot_id = p_media_lot
               AND (t.kind = 'sterility') = p_sterility
             ORDER BY t.kind, lower(btrim(t.organism)),
                      t.performed_on DESC, t.id DESC) l
$$;

CREATE FUNCTION lims.media_lot_judge() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.growth_promotion_status :=
        lims.media_test_status(NEW.organization_id, NEW.id, false);
    NEW.sterility_status :=
        lims.media_test_status(NEW.organization_id, NEW.id, true);
    IF NEW.qc_status <> 'quarantined' THEN
        NEW.qc_status := CASE
            WHEN 'failed' IN (NEW.growth_promotion_status, NEW.sterility_status)
            THEN 'failed'
            WHEN 'pending' IN (NEW.growth_promotion_status, NEW.sterility_status)
            THEN 'pending'
            ELSE 'passed'
        END;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER judge BEFORE INSERT OR UPDATE ON lims.media_lot
FOR EACH ROW EXECUTE FUNCTION lims.media_lot_judge();

SELECT lims.attach_record('media_lot');

-- Writing a lot makes it judge itself by its tests as they now are.
CREATE FUNCTION lims.media_qc_test_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.media_lot l
       SET qc_status = l.qc_status
      FROM (SELECT DISTINCT r.organization_id, r.media_lot_id
              FROM changed_rows r) c
     WHERE l.organization_id = c.organization_id
       AND l.id = c.media_lot_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER judge_lot AFTER INSERT ON lims.media_qc_test
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.media_qc_test_changed();

-- A test in the future would be the latest for ever, whatever is found later.
CREATE FUNCTION lims.media_qc_test_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.performed_on > (
        SELECT (now() AT TIME ZONE o.time_zone)::date
          FROM lims.organization o
         WHERE o.id = NEW.organization_id
    ) THEN
        PERFORM lims.refuse('invalid_body', 'performedOn lies in the future');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.media_qc_test
FOR EACH ROW EXECUTE FUNCTION lims.media_qc_test_guard();

SELECT lims.attach_append_only('media_qc_test');
SELECT lims.attach_audit('media_qc_test');

-- QC batches ---------------------------------------------------------------

CREATE SEQUENCE lims.qc_batch_id_seq;

-- The sample tests a batch covers are those that name it (qc_batch_id).
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
    -- Worked out by a trigger: the percentage, difference or value that the
    -- limits are held against, and the outcome.
    evaluated_value numeric,
    passed boolean NOT NULL,
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, qc_batch_id)
        REFERENCES lims.qc_batch (organization_id, id),
    FOREIGN KEY (organization_id, test_definition_id)
        REFERENCES lims.test_definition (organization_id, id),
    CONSTRAINT qc_control_lower_limit CHECK (lower_limit <= upper_limit),
    -- No amount is infinite, and NaN, which counts as greater than everything,
    -- would pass every lower limit.
    CONSTRAINT qc_control_finite CHECK (
        abs(expected_value) < 'Infinity' AND abs(measured_value) < 'Infinity'
        AND abs(native_value) < 'Infinity' AND abs(lower_limit) < 'Infinity'
        AND abs(upper_limit) < 'Infinity')
);

CREATE INDEX qc_control_batch
    ON lims.qc_control (organization_id, qc_batch_id, id);

-- What a control must state to be judged by its criterion, in words; NULL when
-- it does.
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

-- What the controls of a batch say: NULL when there are none.
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

-- qc_status moves by evaluation, to what the controls say, or from 'failed' by
-- a signed override; never back to 'open'.
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

    IF NEW.qc_status = 'overridden' THEN
        IF OLD.qc_status = 'overridden' THEN
            IF (NEW.override_reason, NEW.override_by, NEW.override_at,
                NEW.override_signature_id) IS DISTINCT FROM
               (OLD.override_reason, OLD.override_by, OLD.override_at,
                OLD.override_signature_id) THEN
                PERFORM lims.refuse('invalid_transition', format(
                    'QC batch %s is overridden already', NEW.batch_number));
            END IF;
            RETURN NEW;
        END IF;
        IF OLD.qc_status <> 'failed' THEN
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

-- Judges a batch by its controls and returns 'passed' or 'failed'. Also an
-- overridden batch is judged anew, and then the override is spent.
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

-- A control that changes after the batch was evaluated has it evaluated again
-- at once: otherwise adding one would lift the gate of a failed batch. The lock
-- makes this wait for an evaluation that is under way and has not seen it.
CREATE FUNCTION lims.qc_control_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_batch record;
BEGIN
    FOR v_batch IN
        SELECT b.organization_id, b.id, b.qc_status
          FROM lims.qc_batch b
         WHERE (b.organization_id, b.id) IN (
                   SELECT r.organization_id, r.qc_batch_id
                     FROM changed_rows r)
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
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_control_changed();

CREATE TRIGGER evaluate_delete AFTER DELETE ON lims.qc_control
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_control_changed();

SELECT lims.attach_record('qc_control');
