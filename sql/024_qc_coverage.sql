-- SPDX-License-Identifier: Apache-2.0
--
-- Which results a QC batch covers: a relation of test, batch and result.
--
-- A test is covered by as many batches as stand behind its result: that of its
-- preparation, made by hand, and that of the run in which it was measured, read
-- from the run's file. Each of them counts. Measured again, of a file, it leaves
-- the batches of earlier files, for what those controls vouched for is no longer
-- the result; a batch made by hand goes on covering it, and so does every batch
-- when a value is corrected by hand.
--
-- A row is there while the batch covers the test; the audit trail has the rest.

ALTER TABLE lims.qc_batch
    ADD COLUMN file_id bigint,
    ADD CONSTRAINT qc_batch_file FOREIGN KEY (organization_id, file_id)
        REFERENCES lims.instrument_file (organization_id, id);
CREATE UNIQUE INDEX qc_batch_of_file
    ON lims.qc_batch (organization_id, file_id)
 WHERE file_id IS NOT NULL;

UPDATE lims.qc_batch b
   SET file_id = f.file_id
  FROM (SELECT DISTINCT c.organization_id, c.qc_batch_id, r.file_id
          FROM lims.instrument_file_row r
          JOIN lims.qc_control c
            ON c.organization_id = r.organization_id
           AND c.id = r.qc_control_id) f
 WHERE b.organization_id = f.organization_id
   AND b.id = f.qc_batch_id;

SELECT lims.attach_audit('qc_batch');

CREATE SEQUENCE lims.qc_coverage_id_seq;

CREATE TABLE lims.qc_coverage (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.qc_coverage_id_seq'),
    sample_test_id bigint NOT NULL,
    qc_batch_id bigint NOT NULL,
    -- The result that stood when the batch came to cover the test, NULL where
    -- there was none yet; and with a signature, the one that its override of the
    -- failed batch was given for.
    result text,
    qualifier text,
    entered_at timestamptz,
    override_signature_id bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, sample_test_id, id),
    CONSTRAINT qc_coverage_once
        UNIQUE (organization_id, qc_batch_id, sample_test_id),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id),
    FOREIGN KEY (organization_id, qc_batch_id)
        REFERENCES lims.qc_batch (organization_id, id),
    FOREIGN KEY (organization_id, override_signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    CHECK (override_signature_id IS NULL OR result IS NOT NULL)
);

-- Until now a test named the one batch that covered it. An override that is
-- older than the result was given for another.
INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id,
    result, qualifier, entered_at, override_signature_id)
SELECT t.organization_id, t.id, t.qc_batch_id, t.result,
       CASE WHEN t.result IS NOT NULL THEN t.qualifier END,
       t.entered_at,
       CASE WHEN b.qc_status = 'overridden'
             AND t.entered_at <= b.override_at
            THEN b.override_signature_id END
  FROM lims.sample_test t
  JOIN lims.qc_batch b
    ON b.organization_id = t.organization_id
   AND b.id = t.qc_batch_id
 ORDER BY t.organization_id, t.id;

-- What a batch says of the result that stands: its own status, but of one that
-- was overridden for another result than this, that it failed. Measured is what came
-- into it with its file, and not later by hand.
CREATE VIEW lims.qc_covered WITH (security_invoker = true) AS
SELECT c.organization_id, c.id, t.sample_id, c.sample_test_id, c.qc_batch_id,
       b.batch_number, b.file_id, b.qc_status,
       b.file_id IS NOT NULL AND b.created_at = c.created_at AS is_measured,
       CASE WHEN b.qc_status = 'overridden'
             AND (c.override_signature_id IS NULL
                  OR (c.result, c.qualifier, c.entered_at)
                     IS DISTINCT FROM (t.result, t.qualifier, t.entered_at))
            THEN 'failed' ELSE b.qc_status END AS standing
  FROM lims.sample_test t
  JOIN lims.qc_coverage c
    ON c.organization_id = t.organization_id
   AND c.sample_test_id = t.id
  JOIN lims.qc_batch b
    ON b.organization_id = c.organization_id
   AND b.id = c.qc_batch_id;

-- All batches over a test, as a certificate names them.
CREATE FUNCTION lims.covering_batches(p_organization bigint, p_sample_test bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'batchNumber', q.batch_number,
                   'qcStatus', q.standing) ORDER BY q.id), '[]')
          FROM lims.qc_covered q
         WHERE q.organization_id = p_organization
           AND q.sample_test_id = p_sample_test);
END
$$;

-- Coming and going ---------------------------------------------------------

-- A verified result keeps what it was verified under. One that stands leaves a
-- failed batch but for that of a file that measured it again. And an override was
-- signed for the results that the batch covered then: none joins later.
CREATE FUNCTION lims.qc_coverage_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_row lims.qc_coverage;
    v_test record;
    v_batch record;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF pg_trigger_depth() < 2 THEN
            PERFORM lims.refuse('invalid_transition',
                'a batch comes to cover a test and ceases to, nothing else');
        END IF;
        RETURN NEW; -- an override
    END IF;
    PERFORM lims.require_read_committed();
    IF TG_OP = 'DELETE' THEN
        v_row := OLD;
    ELSE
        v_row := NEW;
    END IF;
    SELECT t.sample_id, t.status, t.result, t.qualifier, t.entered_at
      INTO v_test
      FROM lims.sample_test t
     WHERE t.organization_id = v_row.organization_id
       AND t.id = v_row.sample_test_id
       FOR NO KEY UPDATE;
    IF v_test.status = 'verified' THEN
        PERFORM lims.refuse('test_verified_locked', format(
            'sample test %s is verified and locked', v_row.sample_test_id));
    END IF;
    PERFORM FROM lims.sample s
      WHERE s.organization_id = v_row.organization_id
        AND s.id = v_test.sample_id
        FOR SHARE;
    SELECT b.batch_number, b.qc_status, b.file_id
      INTO v_batch
      FROM lims.qc_batch b
     WHERE b.organization_id = v_row.organization_id
       AND b.id = v_row.qc_batch_id
       FOR SHARE;
    IF TG_OP = 'INSERT' THEN
        IF v_batch.qc_status = 'overridden' THEN
            PERFORM lims.refuse('invalid_transition', format(
                'QC batch %s was overridden for the results it covers: none '
                'joins it now', v_batch.batch_number));
        END IF;
        NEW.result := v_test.result;
        NEW.qualifier := CASE WHEN v_test.result IS NOT NULL
                              THEN v_test.qualifier END;
        NEW.entered_at := v_test.entered_at;
        NEW.override_signature_id := NULL;
        RETURN NEW;
    END IF;
    IF v_test.result IS NOT NULL
       AND EXISTS (
           SELECT FROM lims.qc_covered q
            WHERE q.organization_id = OLD.organization_id
              AND q.id = OLD.id
              AND q.sample_test_id = OLD.sample_test_id
              AND q.standing = 'failed')
       AND NOT (v_batch.file_id IS NOT NULL AND EXISTS (
           SELECT FROM lims.qc_covered q
            WHERE q.organization_id = OLD.organization_id
              AND q.sample_test_id = OLD.sample_test_id
              AND q.id > OLD.id
              AND q.is_measured)) THEN
        PERFORM lims.refuse('qc_failed', format(
            'QC batch %s failed, and sample test %s still has its result: '
            'withdraw it before the test leaves the batch',
            v_batch.batch_number, OLD.sample_test_id));
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON lims.qc_coverage
FOR EACH ROW EXECUTE FUNCTION lims.qc_coverage_guard();

SELECT lims.attach_audit('qc_coverage');

CREATE FUNCTION lims.mark_samples_of_coverage() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.sample_due (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM changed_rows c
      JOIN lims.sample_test t
        ON t.organization_id = c.organization_id
       AND t.id = c.sample_test_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER mark_insert AFTER INSERT ON lims.qc_coverage
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_of_coverage();

CREATE TRIGGER mark_update AFTER UPDATE ON lims.qc_coverage
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_of_coverage();

CREATE TRIGGER mark_delete AFTER DELETE ON lims.qc_coverage
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_of_coverage();

CREATE OR REPLACE FUNCTION lims.mark_samples_of_batches() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.sample_due (organization_id, sample_id)
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

-- Findings -----------------------------------------------------------------

-- As in 008_release.sql, but for the batch, which only who asks for it looks up: the
-- latest that covers the test.
CREATE OR REPLACE VIEW lims.sample_test_state WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id, t.test_definition_id, t.status,
       t.result, t.qualifier, t.numeric_value, t.notes, t.out_of_specification,
       t.reagent_lot_id, t.media_lot_id,
       (SELECT c.qc_batch_id
          FROM lims.qc_coverage c
         WHERE (c.organization_id, c.sample_test_id) = (t.organization_id, t.id)
         ORDER BY c.id DESC
         LIMIT 1) AS qc_batch_id,
       t.confirmation_status,
       t.analyzed_at, t.first_entered_at, t.entered_by, t.entered_at,
       t.verified_by, t.verified_at, t.created_at, t.updated_at,
       d.code AS test_code, d.name AS test_name, d.unit, d.result_type,
       t.requires_worksheet,
       CASE WHEN t.result IS NULL
            THEN lims.specification_now(t.organization_id, d.id,
                     s.material_type_id, s.project_id, d.specification_low,
                     d.specification_high, d.specification_text, d.unit)
            ELSE lims.specification_words(t.spec_low, t.spec_high, t.spec_text,
                                          d.unit)
       END AS specification,
       (SELECT q.batch_number
          FROM lims.qc_covered q
         WHERE (q.organization_id, q.sample_test_id) = (t.organization_id, t.id)
         ORDER BY q.id DESC
         LIMIT 1) AS batch_number,
       (SELECT q.standing
          FROM lims.qc_covered q
         WHERE (q.organization_id, q.sample_test_id) = (t.organization_id, t.id)
         ORDER BY q.id DESC
         LIMIT 1) AS qc_status,
       m.code AS media_lot_code,
       m.growth_promotion_status, m.sterility_status,
       CASE WHEN t.requires_worksheet
            THEN lims.worksheet_status(t.organization_id, t.id)
       END AS worksheet_status,
       h.expires_at AS holding_expires_at,
       CASE
           WHEN h.expires_at IS NULL THEN NULL
           WHEN coalesce(h.analyzed_at, now()) > h.expires_at THEN 'expired'
           WHEN h.analyzed_at IS NULL AND now() + h.warning > h.expires_at
           THEN 'expiring_soon'
           ELSE 'ok'
       END AS holding_status,
       CASE
           WHEN h.analyzed_at IS NOT NULL OR now() > h.expires_at THEN NULL
           WHEN now() + h.warning > h.expires_at THEN h.expires_at
           ELSE h.expires_at - h.warning
       END AS holding_status_until,
       CASE WHEN r.expires_on < h.entered_on OR m.expires_on < h.entered_on
            THEN lims.lot_warnings(r.code, r.expires_on, m.code, m.expires_on,
                                   h.entered_on)
            ELSE '{}'
       END AS warnings
  FROM lims.sample_test t
  JOIN lims.test_definition d
    ON d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
  JOIN lims.sample s
    ON s.organization_id = t.organization_id
   AND s.id = t.sample_id
  JOIN lims.organization o
    ON o.id = t.organization_id
  LEFT JOIN lims.reagent_lot r
    ON r.organization_id = t.organization_id
   AND r.id = t.reagent_lot_id
  LEFT JOIN lims.media_lot m
    ON m.organization_id = t.organization_id
   AND m.id = t.media_lot_id
 CROSS JOIN LATERAL (
       SELECT coalesce(s.collected_at,
                       s.collection_date::timestamp AT TIME ZONE o.time_zone)
                  + t.holding_time_hours::double precision * interval '1 hour'
                  AS expires_at,
              coalesce(t.analyzed_at, t.first_entered_at) AS analyzed_at,
              CASE WHEN t.result IS NOT NULL
                   THEN (t.entered_at AT TIME ZONE o.time_zone)::date
              END AS entered_on,
              o.holding_warning_hours::double precision * interval '1 hour'
                  AS warning) h;

-- As in 008_release.sql, but for failed QC batches.
CREATE OR REPLACE VIEW lims.finding WITH (security_invoker = true) AS
SELECT t.organization_id, t.sample_id, f.category,
       lims.finding_hardness(f.category) AS hardness,
       t.id AS sample_test_id,
       NULL::bigint AS qc_batch_id,
       CASE f.category WHEN 'media_qc_failed' THEN t.media_lot_id END
           AS media_lot_id,
       NULL::bigint AS approval_id,
       NULL::bigint AS investigation_id,
       CASE f.category
           WHEN 'media_qc_failed' THEN t.media_lot_code
           ELSE t.test_code
       END AS subject,
       CASE f.category
           WHEN 'worksheet_incomplete' THEN t.worksheet_status
           WHEN 'media_qc_failed' THEN concat_ws(' and ',
               CASE WHEN t.growth_promotion_status = 'failed'
                    THEN 'growth promotion' END,
               CASE WHEN t.sterility_status = 'failed' THEN 'sterility' END)
           WHEN 'out_of_specification'
           THEN concat_ws(' ', t.result, t.unit) || ' outside ' || t.specification
           WHEN 'non_numeric_result' THEN t.result
       END AS circumstance
  FROM lims.sample_test_state t
 CROSS JOIN LATERAL (VALUES
       ('incomplete_result', t.result IS NULL),
       ('unverified_result', t.status = 'entered'),
       ('confirmation_required', t.confirmation_status = 'pending'),
       ('media_qc_failed',
        'failed' IN (t.growth_promotion_status, t.sterility_status)),
       ('worksheet_incomplete',
        t.status = 'entered' AND t.worksheet_status <> 'complete'),
       ('holding_time_expired', t.holding_status = 'expired'),
       ('out_of_specification', t.out_of_specification),
       ('non_numeric_result', t.result_type = 'numeric'
        AND t.result IS NOT NULL AND t.numeric_value IS NULL)
       ) AS f (category, applies)
 WHERE f.applies
UNION ALL
-- A test may be covered by several batches.
SELECT q.organization_id, q.sample_id, 'qc_failed',
       lims.finding_hardness('qc_failed'), q.sample_test_id, q.qc_batch_id,
       NULL, NULL, NULL, q.batch_number,
       CASE q.qc_status WHEN 'overridden' THEN 'for the result that stands' END
  FROM lims.qc_covered q
 WHERE q.standing = 'failed'
UNION ALL
-- A sample without any test has nothing to report.
SELECT s.organization_id, s.id, 'incomplete_result', 'progress',
       NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM lims.sample s
 WHERE NOT EXISTS (
       SELECT FROM lims.sample_test t
        WHERE t.organization_id = s.organization_id
          AND t.sample_id = s.id)
UNION ALL
-- Of the latest round: what was rejected, else the next step that is open.
-- Before the sample is completed there is no round, but steps there are.
SELECT s.organization_id, s.id, f.category, lims.finding_hardness(f.category),
       NULL, NULL, NULL, a.id, NULL, a.name, NULL
  FROM lims.sample s
  JOIN lims.organization o
    ON o.id = s.organization_id
 CROSS JOIN LATERAL (
       SELECT max(x.round) AS latest
         FROM lims.approval x
        WHERE x.organization_id = s.organization_id
          AND x.sample_id = s.id) r
  LEFT JOIN LATERAL (
       SELECT x.id, x.name, x.status
         FROM lims.approval x
        WHERE x.organization_id = s.organization_id
          AND x.sample_id = s.id
          AND x.round = r.latest
          AND x.status <> 'approved'
        ORDER BY x.status = 'rejected' DESC, x.step
        LIMIT 1) a ON true
 CROSS JOIN LATERAL (
       SELECT CASE WHEN a.status = 'rejected' THEN 'approval_rejected'
                   ELSE 'approval_required' END AS category) f
 WHERE a.status = 'rejected'
    OR (NOT o.coa_before_approval
        AND (a.id IS NOT NULL
             OR (r.latest IS NULL AND EXISTS (
                 SELECT FROM lims.approval_step p
                  WHERE p.organization_id = s.organization_id
                    AND p.active))))
UNION ALL
SELECT i.organization_id, i.sample_id, 'investigation_open', 'advisory',
       i.sample_test_id, NULL, NULL, NULL, i.id, i.investigation_number, i.title
  FROM lims.investigation i
 WHERE i.sample_id IS NOT NULL
   AND i.status NOT IN ('closed', 'cancelled');

-- As in 009_gates.sql, but that a test may be covered by several batches.
CREATE OR REPLACE FUNCTION lims.hold_sample(p_organization bigint, p_sample bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample s
      WHERE s.organization_id = p_organization
        AND s.id = p_sample
        FOR NO KEY UPDATE;
    PERFORM FROM lims.qc_batch b
      WHERE b.organization_id = p_organization
        AND b.id IN (
            SELECT c.qc_batch_id
              FROM lims.sample_test t
              JOIN lims.qc_coverage c
                ON c.organization_id = t.organization_id
               AND c.sample_test_id = t.id
             WHERE t.organization_id = p_organization
               AND t.sample_id = p_sample)
      ORDER BY b.id
        FOR SHARE;
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = p_organization
        AND m.id IN (
            SELECT t.media_lot_id
              FROM lims.sample_test t
             WHERE t.organization_id = p_organization
               AND t.sample_id = p_sample)
      ORDER BY m.id
        FOR SHARE;
    PERFORM FROM lims.approval a
      WHERE a.organization_id = p_organization
        AND a.sample_id = p_sample
      ORDER BY a.id
        FOR SHARE;
END
$$;

-- Files --------------------------------------------------------------------

-- These tests were measured, under the controls of this batch or without any
-- (NULL): they leave the batches of earlier files, a failed one only for controls,
-- since a file without any could lift what it holds.
CREATE FUNCTION lims.cover_measured(
    p_organization bigint,
    p_batch bigint,
    p_tests bigint[]
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF p_batch IS NOT NULL THEN
        INSERT INTO lims.qc_coverage (organization_id, sample_test_id,
            qc_batch_id)
        SELECT p_organization, t.id, p_batch
          FROM unnest(p_tests) AS t (id)
         ORDER BY t.id;
    END IF;
    -- Batches before what they cover, as who overrides one holds them.
    PERFORM FROM lims.qc_batch b
      WHERE b.organization_id = p_organization
        AND b.id IN (
            SELECT c.qc_batch_id
              FROM lims.qc_coverage c
             WHERE c.organization_id = p_organization
               AND c.sample_test_id = ANY (p_tests))
      ORDER BY b.id
        FOR SHARE;
    DELETE FROM lims.qc_coverage c
     USING lims.qc_covered q
     WHERE c.organization_id = p_organization
       AND c.sample_test_id = ANY (p_tests)
       AND q.organization_id = c.organization_id
       AND q.sample_test_id = c.sample_test_id
       AND q.id = c.id
       AND q.file_id IS NOT NULL
       AND q.qc_batch_id IS DISTINCT FROM p_batch
       AND (p_batch IS NOT NULL OR q.standing <> 'failed');
END
$$;

-- The controls of a run are a QC batch of their own, which covers the tests of the
-- same file, and is evaluated at once. Returns the batch; NULL: no controls.
CREATE OR REPLACE FUNCTION lims.write_controls(
    p_organization bigint,
    p_file bigint,
    p_rows lims.file_reading[],
    p_method text
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_batch bigint;
    v_tests bigint[] := ARRAY(
        SELECT r.sample_test_id
          FROM unnest(p_rows) r
         WHERE r.control IS NULL);
BEGIN
    IF NOT EXISTS (SELECT FROM unnest(p_rows) r WHERE r.control IS NOT NULL) THEN
        PERFORM lims.cover_measured(p_organization, NULL, v_tests);
        RETURN NULL;
    END IF;
    INSERT INTO lims.qc_batch (organization_id, batch_number, method,
        analysis_date, file_id, notes)
    SELECT p_organization, format('FILE-%s', p_file), left(p_method, 255),
           (coalesce(min(r.analyzed_at), now()) AT TIME ZONE o.time_zone)::date,
           p_file, format('Read from file %s.', p_file)
      FROM lims.organization o
     CROSS JOIN unnest(p_rows) r
     WHERE o.id = p_organization
     GROUP BY o.time_zone
    RETURNING id INTO v_batch;
    WITH numbered AS MATERIALIZED (
        SELECT r.*, nextval('lims.qc_control_id_seq') AS id
          FROM unnest(p_rows) r
         WHERE r.control IS NOT NULL
         ORDER BY r.place
    ), made AS (
        INSERT INTO lims.qc_control (organization_id, id, qc_batch_id,
            control_type, test_definition_id, criterion, expected_value,
            measured_value, native_value, lower_limit, upper_limit,
            expected_text, measured_text, unit, notes)
        SELECT p_organization, c.id, v_batch, c.control ->> 'type',
               c.test_definition_id, c.control ->> 'criterion',
               (c.control ->> 'expectedValue')::numeric,
               lims.result_number(c.result),
               lims.result_number(c.native),
               (c.control ->> 'lowerLimit')::numeric,
               (c.control ->> 'upperLimit')::numeric,
               c.control ->> 'expectedText',
               CASE c.control ->> 'criterion' WHEN 'expected'
                    THEN left(c.result, 255) END,
               left(c.unit, 64),
               left(concat_ws(' ', format('Row %s of file %s.', c.row_number,
                                          p_file), c.tracking_id), 4000)
          FROM numbered c
         ORDER BY c.id
    )
    INSERT INTO lims.instrument_file_row (organization_id, file_id, sheet,
        row_number, column_number, byte_offset, cell, qc_control_id,
        tracking_id, test_code, result, unit, qualifier, analyzed_at,
        operator_name, status)
    SELECT p_organization, p_file, c.sheet, c.row_number, c.column_number,
           c.byte_offset, c.cell, c.id, c.tracking_id, c.test_code, c.result,
           c.unit, c.qualifier, c.analyzed_at, c.operator_name, 'control'
      FROM numbered c
     ORDER BY c.place;
    PERFORM lims.evaluate_qc_batch(p_organization, v_batch);
    PERFORM lims.cover_measured(p_organization, v_batch, v_tests);
    RETURN v_batch;
END
$$;

-- The one batch that a test named ---------------------------------------------

-- What becomes of the lots is in the next migration.
DROP TRIGGER guard_links_insert ON lims.sample_test;
DROP TRIGGER guard_links_update ON lims.sample_test;
ALTER TABLE lims.sample_test DROP COLUMN qc_batch_id;
SELECT lims.attach_audit('sample_test', '{judgements}');

SELECT lims.enable_row_security();
SELECT lims.secure_functions();

GRANT SELECT, DELETE, INSERT (organization_id, sample_test_id, qc_batch_id)
    ON lims.qc_coverage TO lims_app;
GRANT USAGE ON SEQUENCE lims.qc_coverage_id_seq TO lims_app;
GRANT SELECT ON lims.qc_covered TO lims_app;
GRANT EXECUTE ON FUNCTION lims.covering_batches(bigint, bigint),
    lims.cover_measured(bigint, bigint, bigint[]) TO lims_app;
