-- SPDX-License-Identifier: Apache-2.0
--
-- What overrides, sign-offs and leaving a failed lot are worth: they end with a result.

-- As in 009_gates.sql, but that a test may be covered by several batches.
CREATE OR REPLACE FUNCTION lims.verify_blockers(
    p_organization bigint,
    p_sample_test_id bigint
) RETURNS SETOF lims.blocker
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_test record;
    v_sheet record;
    v_required boolean;
    v_blocker lims.blocker;
BEGIN
    IF lims.is_asked_for(p_organization) IS NOT TRUE THEN
        RETURN;
    END IF;
    PERFORM lims.require_read_committed();
    SELECT t.sample_id, t.media_lot_id, t.status, t.result, d.code,
           t.requires_worksheet
      INTO v_test
      FROM lims.sample_test t
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test_id
       FOR NO KEY UPDATE OF t;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM FROM lims.sample s
      WHERE s.organization_id = p_organization
        AND s.id = v_test.sample_id
        FOR SHARE;
    PERFORM FROM lims.qc_batch b
      WHERE b.organization_id = p_organization
        AND b.id IN (
            SELECT c.qc_batch_id
              FROM lims.qc_coverage c
             WHERE c.organization_id = p_organization
               AND c.sample_test_id = p_sample_test_id)
      ORDER BY b.id
        FOR SHARE;
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = p_organization
        AND m.id = v_test.media_lot_id
        FOR SHARE;

    v_blocker.test_ids := ARRAY[p_sample_test_id];
    v_blocker.qc_batch_ids := '{}';
    v_blocker.media_lot_ids := '{}';
    v_blocker.worksheet_ids := '{}';
    v_blocker.approval_ids := '{}';
    IF v_test.status = 'verified' THEN
        v_blocker.slug := 'test_verified_locked';
        v_blocker.message := format('sample test %s is verified and locked',
                                    p_sample_test_id);
        RETURN NEXT v_blocker;
        RETURN;
    END IF;

    SELECT o.esignature_required
      INTO v_required
      FROM lims.organization o
     WHERE o.id = p_organization;
    IF v_required AND NOT lims.is_signed(p_organization,
            lims.context_id('signature_id'), 'verified', 'sample_test',
            p_sample_test_id) THEN
        v_blocker.slug := 'esignature_required';
        v_blocker.message := 'verifying a result needs a signature with '
            'password re-authentication';
        RETURN NEXT v_blocker;
    END IF;
    IF v_test.result IS NULL THEN
        v_blocker.slug := 'blank_result';
        v_blocker.message := format('%s has no result', v_test.code);
        RETURN NEXT v_blocker;
    END IF;
    IF v_test.requires_worksheet THEN
        SELECT w.status, w.missing, w.needs_signoff, w.worksheet_id
          INTO v_sheet
          FROM lims.worksheet_state(p_organization, p_sample_test_id) w;
        IF v_sheet.status <> 'complete' THEN
            v_blocker.slug := 'worksheet_incomplete';
            v_blocker.message := format('the worksheet of %s is %s',
                                        v_test.code, v_sheet.status);
            v_blocker.missing := v_sheet.missing;
            v_blocker.needs_signoff := v_sheet.needs_signoff;
            IF v_sheet.worksheet_id IS NOT NULL THEN
                v_blocker.worksheet_ids := ARRAY[v_sheet.worksheet_id];
            END IF;
            RETURN NEXT v_blocker;
        END IF;
    END IF;
    RETURN QUERY
    SELECT b.slug, b.message, ARRAY[p_sample_test_id], b.qc_batch_ids,
           b.media_lot_ids, b.worksheet_ids, b.approval_ids, b.qc_batches,
           b.missing, b.needs_signoff
      FROM lims.release_blockers(p_organization, v_test.sample_id, ARRAY[
               'qc_failed', 'confirmation_required', 'media_qc_failed'],
               p_sample_test_id) b;
END
$$;

-- Overrides ----------------------------------------------------------------

-- An override of a failed batch is given for the results that the batch covers at
-- that moment: its rows of lims.qc_coverage say for which. One that changes later
-- is held by the batch again, alone, until another override is signed.
-- As in 008_release.sql, with the words for a batch that was overridden for
-- another result.
CREATE OR REPLACE VIEW lims.release_finding WITH (security_invoker = true) AS
SELECT g.organization_id, g.sample_id, g.category,
       CASE g.hardness WHEN 'advisory' THEN 'warning' ELSE 'blocking' END
           AS severity,
       g.hardness,
       CASE g.category
           WHEN 'incomplete_result' THEN coalesce(
               g.subject || ' has no result', 'the sample has no test')
           WHEN 'unverified_result' THEN format('%s is not verified', g.subject)
           WHEN 'approval_required' THEN coalesce(
               g.subject || ' is open',
               'approval has not been asked for: complete the sample')
           WHEN 'approval_rejected' THEN format('%s was rejected', g.subject)
           WHEN 'qc_failed' THEN concat_ws(' ', format(
               'QC batch %s failed and is not overridden', g.subject),
               g.circumstance)
           WHEN 'confirmation_required' THEN format(
               '%s is presumptive positive and awaits confirmation', g.subject)
           WHEN 'media_qc_failed' THEN format(
               'media lot %s failed %s', g.subject, g.circumstance)
           WHEN 'worksheet_incomplete' THEN format(
               'the worksheet of %s is %s', g.subject, g.circumstance)
           WHEN 'holding_time_expired' THEN format(
               '%s was not analysed within its holding time', g.subject)
           WHEN 'out_of_specification' THEN format(
               '%s is out of specification: %s', g.subject, g.circumstance)
           WHEN 'non_numeric_result' THEN format(
               '%s has a result that is no number: %s', g.subject,
               g.circumstance)
           WHEN 'investigation_open' THEN format(
               'investigation %s is open: %s', g.subject, g.circumstance)
       END AS message,
       CASE g.category
           WHEN 'incomplete_result' THEN coalesce(
               'entering a result for ' || g.subject,
               'scheduling a test')
           WHEN 'unverified_result' THEN 'verifying the result'
           WHEN 'approval_required' THEN 'approving the sample'
           WHEN 'approval_rejected'
           THEN 'correcting the sample and completing it again'
           WHEN 'qc_failed'
           THEN 'a passing evaluation or a signed override of the batch'
           WHEN 'confirmation_required' THEN 'deciding the confirmation'
           WHEN 'media_qc_failed'
           THEN 'repeating the test on another lot, or requalifying the lot'
           WHEN 'worksheet_incomplete' THEN 'filling and signing the worksheet'
           WHEN 'investigation_open' THEN 'closing the investigation'
           WHEN 'non_numeric_result' THEN 'entering a number, if there is one'
       END AS cleared_by,
       CASE WHEN g.qc_batch_id IS NULL AND g.media_lot_id IS NULL
            THEN g.sample_test_ids[1] END AS sample_test_id,
       g.qc_batch_id, g.media_lot_id,
       CASE WHEN g.category = 'worksheet_incomplete' THEN (
           SELECT w.id
             FROM lims.worksheet w
            WHERE w.organization_id = g.organization_id
              AND w.sample_test_id = g.sample_test_ids[1])
       END AS worksheet_id,
       g.approval_id, g.investigation_id, g.sample_test_ids
  FROM (SELECT f.organization_id, f.sample_id, f.category,
               min(f.hardness) AS hardness,
               f.qc_batch_id, f.media_lot_id, f.approval_id, f.investigation_id,
               min(f.subject) AS subject,
               min(f.circumstance) AS circumstance,
               coalesce(array_agg(f.sample_test_id ORDER BY f.sample_test_id)
                   FILTER (WHERE f.sample_test_id IS NOT NULL), '{}')
                   AS sample_test_ids
          FROM lims.finding f
         GROUP BY f.organization_id, f.sample_id, f.category, f.qc_batch_id,
                  f.media_lot_id, f.approval_id, f.investigation_id,
                  CASE WHEN f.qc_batch_id IS NULL AND f.media_lot_id IS NULL
                       THEN f.sample_test_id END) g;

CREATE OR REPLACE FUNCTION lims.qc_batch_guard() RETURNS trigger
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

-- Results that a model found in a file were measured, too, and not under the
-- controls of the files before.
CREATE FUNCTION lims.extraction_measured() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT n.organization_id, array_agg(n.sample_test_id) AS tests
          FROM new_rows n
         WHERE n.status = 'applied'
         GROUP BY n.organization_id
    LOOP
        PERFORM lims.cover_measured(v.organization_id, NULL, v.tests);
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER measured AFTER INSERT ON lims.extraction_row
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.extraction_measured();

-- Sign-offs ----------------------------------------------------------------

-- The last of the test's former values when the sheet was signed: once another
-- is added, the result that was signed for is no more, or is reopened. A sheet
-- that was signed before there was a result is signed for the first that comes.
ALTER TABLE lims.worksheet_signoff
    ADD COLUMN result_history_id bigint NOT NULL DEFAULT 0;

ALTER TABLE lims.worksheet_signoff DISABLE TRIGGER USER;
UPDATE lims.worksheet_signoff s
   SET result_history_id = h.id
  FROM (SELECT x.organization_id, x.id AS signoff_id, max(v.id) AS id
          FROM lims.worksheet_signoff x
          JOIN lims.worksheet w
            ON w.organization_id = x.organization_id
           AND w.id = x.worksheet_id
          JOIN lims.result_history v
            ON v.organization_id = w.organization_id
           AND v.sample_test_id = w.sample_test_id
           AND v.replaced_at <= x.signed_at
         GROUP BY x.organization_id, x.id) h
 WHERE s.organization_id = h.organization_id
   AND s.id = h.signoff_id;
ALTER TABLE lims.worksheet_signoff ENABLE TRIGGER USER;

SELECT lims.attach_audit('worksheet_signoff');

-- A step is signed once for a result.
DROP INDEX lims.worksheet_signoff_step_once;
CREATE UNIQUE INDEX worksheet_signoff_step_once
    ON lims.worksheet_signoff (organization_id, worksheet_id, step_id,
                               result_history_id)
 WHERE withdrawn_at IS NULL;

CREATE VIEW lims.worksheet_signoff_standing WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.worksheet_id, s.step_id, s.signature_id,
       s.signed_by, s.signed_at
  FROM lims.worksheet_signoff s
  JOIN lims.worksheet w
    ON w.organization_id = s.organization_id
   AND w.id = s.worksheet_id
 WHERE s.withdrawn_at IS NULL
   AND NOT EXISTS (
       SELECT FROM lims.result_history h
        WHERE h.organization_id = w.organization_id
          AND h.sample_test_id = w.sample_test_id
          AND h.id > s.result_history_id);

CREATE OR REPLACE FUNCTION lims.worksheet_state(p_organization bigint, p_sample_test bigint)
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
             LEFT JOIN lims.worksheet_signoff_standing v
               ON v.organization_id = x.organization_id
              AND v.worksheet_id = w.id
              AND v.step_id = x.id
            WHERE x.organization_id = t.organization_id
              AND x.template_id = coalesce(w.template_id, current_template.id)
              AND v.id IS NULL) s
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test
$$;

CREATE OR REPLACE FUNCTION lims.worksheet_value_guard() RETURNS trigger
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
        SELECT FROM lims.worksheet_signoff_standing s
         WHERE s.organization_id = v_row.organization_id
           AND s.worksheet_id = v_row.worksheet_id
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

-- After the guard, which holds the test, and with it the values that it had.
CREATE FUNCTION lims.worksheet_signoff_result() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_result text;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        NEW.result_history_id := OLD.result_history_id;
        RETURN NEW;
    END IF;
    SELECT t.result, coalesce(max(h.id), 0)
      INTO v_result, NEW.result_history_id
      FROM lims.worksheet w
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id
      LEFT JOIN lims.result_history h
        ON h.organization_id = w.organization_id
       AND h.sample_test_id = w.sample_test_id
     WHERE w.organization_id = NEW.organization_id
       AND w.id = NEW.worksheet_id
     GROUP BY t.result;
    IF v_result IS NULL AND NEW.result_history_id > 0 THEN
        PERFORM lims.refuse('invalid_transition',
            'the result was withdrawn: sign the sheet when there is another');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_result BEFORE INSERT OR UPDATE ON lims.worksheet_signoff
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_signoff_result();

-- Lots ---------------------------------------------------------------------

-- Whether two results say the same: numbers by their value.
CREATE FUNCTION lims.is_same_result(p_one text, p_other text) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
    SELECT coalesce(
        lims.result_number(p_one) = lims.result_number(p_other),
        lower(btrim(p_one)) = lower(btrim(p_other)),
        false)
$$;

-- A medium that failed is left for another that is named and has not failed,
-- with the result of another analysis, never for none. That holds after the result
-- was withdrawn, and after the test has left: the audit trail remembers its lots.
CREATE OR REPLACE FUNCTION lims.sample_test_links() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_left record;
    v_named record;
    v_ids json;
BEGIN
    PERFORM lims.require_read_committed();
    -- Whoever tests a lot at the same time sees this test, or is seen.
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = NEW.organization_id
        AND m.id IN (NEW.media_lot_id, OLD.media_lot_id)
      ORDER BY m.id
        FOR SHARE;
    IF TG_OP = 'INSERT' OR OLD.media_lot_id IS NULL THEN
        RETURN NEW;
    END IF;
    SELECT m.id, m.code
      INTO v_left
      FROM lims.media_lot m
     WHERE m.organization_id = OLD.organization_id
       AND 'failed' IN (m.growth_promotion_status, m.sterility_status)
       AND (m.id = OLD.media_lot_id
            OR (NEW.media_lot_id IS NULL AND m.id IN (
                SELECT (a.changes -> 'media_lot_id' ->> 'old')::bigint
                  FROM lims.audit_entry a
                 WHERE a.organization_id = OLD.organization_id
                   AND a.table_name = 'sample_test'
                   AND a.record_id = OLD.id)))
     ORDER BY m.id = OLD.media_lot_id DESC, m.id
     LIMIT 1;
    IF NOT FOUND THEN
        RETURN NEW;
    END IF;
    v_ids := json_build_object('testIds', ARRAY[OLD.id],
                               'mediaLotIds', ARRAY[v_left.id]);
    IF NEW.media_lot_id IS NULL THEN
        PERFORM lims.refuse_for('media_qc_failed', format(
            'media lot %s failed: name the lot with which sample test %s was '
            'done again', v_left.code, OLD.id), v_ids);
    END IF;
    SELECT m.code
      INTO v_named
      FROM lims.media_lot m
     WHERE m.organization_id = NEW.organization_id
       AND m.id = NEW.media_lot_id
       AND 'failed' IN (m.growth_promotion_status, m.sterility_status);
    IF FOUND THEN
        PERFORM lims.refuse_for('media_qc_failed', format(
            'media lot %s failed, and so did %s: sample test %s is to be done '
            'with another', v_left.code, v_named.code, OLD.id), v_ids);
    END IF;
    IF lims.is_same_result(NEW.result, OLD.result) THEN
        PERFORM lims.refuse_for('media_qc_failed', format(
            'media lot %s failed, and sample test %s still has the result '
            'found with it: enter one found with another lot',
            v_left.code, OLD.id), v_ids);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_links_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN (NEW.media_lot_id IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_links();

CREATE TRIGGER guard_links_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status <> 'verified'
    AND NEW.media_lot_id IS DISTINCT FROM OLD.media_lot_id)
EXECUTE FUNCTION lims.sample_test_links();

SELECT lims.secure_functions();

GRANT SELECT ON lims.worksheet_signoff_standing TO lims_app;
