-- SPDX-License-Identifier: Apache-2.0
--
-- The status of a QC batch. It decides a release gate and cannot be written: triggers
-- derive it from the controls, or accept a signed override, whoever writes.

-- Returns the outcome of a batch's controls; NULL: there are none, or some have no value
-- yet.
CREATE FUNCTION lims.qc_batch_outcome(p_organization bigint, p_batch bigint)
RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN bool_or(c.passed IS NULL) THEN NULL
                WHEN bool_and(c.passed) THEN 'passed'
                WHEN count(*) > 0 THEN 'failed' END
      FROM lims.qc_control c
     WHERE c.organization_id = p_organization
       AND c.qc_batch_id = p_batch
$$;

-- Refuses to override a QC batch unless it failed, was overridden for results that
-- changed since, or is open where the policy requires quality control (as when its
-- controls can no longer be run).
CREATE FUNCTION lims.refuse_override(p_batch lims.qc_batch) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF p_batch.qc_status = 'overridden' THEN
        IF NOT EXISTS (
            SELECT FROM lims.qc_covered q
              JOIN lims.sample_test t
                ON t.organization_id = q.organization_id
               AND t.id = q.sample_test_id
             WHERE q.organization_id = p_batch.organization_id
               AND q.qc_batch_id = p_batch.id
               AND q.standing = 'failed'
               AND t.result IS NOT NULL) THEN
            PERFORM lims.refuse('invalid_transition', format(
                'QC batch %s is overridden already', p_batch.batch_number));
        END IF;
    ELSIF p_batch.qc_status <> 'failed' AND NOT (p_batch.qc_status = 'open' AND EXISTS (
        SELECT FROM lims.organization o
         WHERE o.id = p_batch.organization_id
           AND o.qc_required <> 'off')) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'QC batch %s is %s: only a failed one can be overridden',
            p_batch.batch_number, p_batch.qc_status));
    END IF;
END
$$;

-- qc_status changes to the outcome of the controls, or to 'overridden' by a signed override,
-- but never back to 'open'. An override counts for the method of the batch (148), which stays
-- as it was signed.
CREATE FUNCTION lims.qc_batch_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.qc_status <> 'open' THEN
            PERFORM lims.refuse('invalid_transition',
                                'a new QC batch has the status open');
        END IF;
        RETURN NEW;
    END IF;
    -- A file fills an open batch that was made from a template.
    IF NEW.file_id IS DISTINCT FROM OLD.file_id
       AND (OLD.file_id IS NOT NULL OR OLD.qc_template_id IS NULL
            OR OLD.qc_status <> 'open') THEN
        PERFORM lims.refuse('field_not_patchable',
                            'the instrument file of a QC batch cannot be changed');
    END IF;

    IF OLD.qc_status = 'overridden' AND NEW.method IS DISTINCT FROM OLD.method THEN
        PERFORM lims.refuse('invalid_transition', format(
            'the override of QC batch %s was signed for its method: evaluate the batch, which '
            'ends the override, or make another one', OLD.batch_number));
    END IF;
    IF NEW.qc_status = 'overridden' THEN
        IF OLD.qc_status = 'overridden'
           AND (NEW.override_reason, NEW.override_by, NEW.override_at,
                NEW.override_signature_id) IS NOT DISTINCT FROM
               (OLD.override_reason, OLD.override_by, OLD.override_at,
                OLD.override_signature_id) THEN
            RETURN NEW;
        END IF;
        PERFORM lims.refuse_override(OLD);
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
            'the controls of QC batch %s do not make it %s', NEW.batch_number,
            NEW.qc_status));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.qc_batch
FOR EACH ROW EXECUTE FUNCTION lims.qc_batch_guard();

-- Samples are locked before batches everywhere (lims.lock_qc_batch). An UPDATE locks its
-- batch before any trigger can run, so that one that came without that lock cannot wait for
-- samples without a deadlock: it is told to begin again.
CREATE FUNCTION lims.qc_batch_hold_samples() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    -- Each test is looked up by its key, whatever the estimated number.
    v_samples CONSTANT bigint[] := ARRAY(
        SELECT DISTINCT (
               SELECT t.sample_id
                 FROM lims.sample_test t
                WHERE t.organization_id = c.organization_id
                  AND t.id = c.sample_test_id)
          FROM lims.qc_coverage c
         WHERE c.organization_id = NEW.organization_id
           AND c.qc_batch_id = NEW.id);
    v_held integer;
BEGIN
    SELECT count(*)
      INTO v_held
      FROM (SELECT FROM lims.sample s
             WHERE s.organization_id = NEW.organization_id
               AND s.id = ANY (v_samples)
               FOR SHARE SKIP LOCKED) h;
    IF v_held < cardinality(v_samples) THEN
        RAISE serialization_failure USING MESSAGE = format(
            'samples of QC batch %s are being changed: lock them first, with '
            'lims.lock_qc_batch()', NEW.batch_number);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER hold_samples BEFORE UPDATE ON lims.qc_batch
FOR EACH ROW WHEN ((NEW.qc_status, NEW.batch_number, NEW.override_signature_id)
    IS DISTINCT FROM (OLD.qc_status, OLD.batch_number, OLD.override_signature_id))
EXECUTE FUNCTION lims.qc_batch_hold_samples();

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

-- Triggers run in the order of their names: this one after `override`.
CREATE TRIGGER reapprove AFTER UPDATE ON lims.qc_batch
FOR EACH ROW WHEN ((NEW.qc_status, NEW.batch_number, NEW.override_signature_id)
    IS DISTINCT FROM (OLD.qc_status, OLD.batch_number, OLD.override_signature_id))
EXECUTE FUNCTION lims.qc_batch_reapprove();

-- Evaluating ---------------------------------------------------------------

-- Locks the samples of the tests that a batch covers, then the batch: samples are locked
-- before batches everywhere. Returns the batch; NULL: there is none.
CREATE FUNCTION lims.lock_qc_batch(p_organization bigint, p_batch bigint) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_batch bigint;
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample s
      WHERE s.organization_id = p_organization
        AND s.id IN (
            SELECT t.sample_id
              FROM lims.qc_coverage c
              JOIN lims.sample_test t
                ON t.organization_id = c.organization_id
               AND t.id = c.sample_test_id
             WHERE c.organization_id = p_organization
               AND c.qc_batch_id = p_batch)
      ORDER BY s.id
        FOR SHARE;
    SELECT b.id
      INTO v_batch
      FROM lims.qc_batch b
     WHERE b.organization_id = p_organization
       AND b.id = p_batch
       FOR NO KEY UPDATE;
    RETURN v_batch;
END
$$;

-- Refuses to evaluate a QC batch without controls, or with controls without values.
CREATE FUNCTION lims.refuse_evaluation(p_organization bigint, p_batch bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_waiting text[];
BEGIN
    SELECT array_agg(concat_ws(' ', c.control_type, d.code, c.level) ORDER BY c.id)
      INTO v_waiting
      FROM lims.qc_control c
      LEFT JOIN lims.test_definition d
        ON d.organization_id = c.organization_id
       AND d.id = c.test_definition_id
     WHERE c.organization_id = p_organization
       AND c.qc_batch_id = p_batch
       AND c.passed IS NULL;
    IF v_waiting IS NULL THEN
        PERFORM lims.refuse('invalid_body',
                            'a QC batch without controls cannot be evaluated');
    END IF;
    PERFORM lims.refuse('qc_pending', format(
        'controls of the QC batch have no value yet: %s%s',
        array_to_string(v_waiting[1:5], ', '),
        CASE WHEN cardinality(v_waiting) > 5 THEN ', ...' ELSE '' END));
END
$$;

-- Evaluates a batch by its controls and returns 'passed' or 'failed'. That ends an
-- override.
CREATE FUNCTION lims.evaluate_qc_batch(p_organization bigint, p_batch bigint)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
    v_outcome text;
BEGIN
    IF lims.lock_qc_batch(p_organization, p_batch) IS NULL THEN
        RETURN NULL;
    END IF;
    v_outcome := lims.qc_batch_outcome(p_organization, p_batch);
    IF v_outcome IS NULL THEN
        PERFORM lims.refuse_evaluation(p_organization, p_batch);
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

-- Returns a control without the columns that do not affect an evaluation: its place in a
-- QC series, and updated_at.
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

-- Evaluates a batch when its controls change: one that was evaluated, since otherwise a new
-- control could open the gate of a failed batch, and one that was made from a template, as
-- soon as every control has its value. While one has none, the status stays as it is. The
-- lock waits for an evaluation under way that has not seen the change.
CREATE FUNCTION lims.qc_control_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_batch record;
    v_changed bigint[];
BEGIN
    -- Leaving a point out of its chart, or moving it, is not a correction.
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
        SELECT DISTINCT r.organization_id, r.qc_batch_id AS id
          FROM changed_rows r
         WHERE TG_OP <> 'UPDATE'
            OR r.qc_batch_id = ANY (v_changed)
         ORDER BY r.organization_id, r.qc_batch_id
    LOOP
        PERFORM lims.reevaluate_qc_batch(v_batch.organization_id, v_batch.id);
    END LOOP;
    RETURN NULL;
END
$$;

-- Marks the samples of all tests that a batch covers dirty.
CREATE FUNCTION lims.mark_samples_of_batch(p_organization bigint, p_batch bigint) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM lims.qc_coverage c
      JOIN lims.sample_test t
        ON t.organization_id = c.organization_id
       AND t.id = c.sample_test_id
     WHERE c.organization_id = p_organization
       AND c.qc_batch_id = p_batch;
END
$$;

CREATE FUNCTION lims.reevaluate_qc_batch(p_organization bigint, p_batch bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_batch record;
BEGIN
    IF lims.lock_qc_batch(p_organization, p_batch) IS NULL THEN
        RETURN;
    END IF;
    SELECT b.qc_status, b.qc_template_id
      INTO v_batch
      FROM lims.qc_batch b
     WHERE b.organization_id = p_organization
       AND b.id = p_batch;
    IF v_batch.qc_status = 'open' THEN
        -- The expected controls that it adds fire this evaluation again.
        IF v_batch.qc_template_id IS NULL
           OR lims.expect_qc_controls(p_organization, p_batch) THEN
            RETURN;
        END IF;
    END IF;
    -- Whether the batch counts (148) changes with its controls, also where its status does not.
    PERFORM lims.mark_samples_of_batch(p_organization, p_batch);
    IF lims.qc_batch_outcome(p_organization, p_batch) IS NOT NULL THEN
        PERFORM lims.evaluate_qc_batch(p_organization, p_batch);
    END IF;
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
