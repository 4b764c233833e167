-- SPDX-License-Identifier: Apache-2.0
--
-- Coverage of results by QC batches: a relation of test, batch and result.
--
-- A test can be covered by several batches, and each counts: that of its preparation,
-- made by hand, and that of the run in which it was measured, read from the run's file.
-- A later file that measures it again ends coverage by the batches of earlier files,
-- whose controls belong to another result; a copy of the same run ends none by a batch that
-- failed. Coverage by a batch made by hand goes on, and so does all coverage when a value is
-- corrected by hand. A test that leaves a failed batch is covered by another from then on.
--
-- A row exists while the batch covers the test; former coverage is in the audit trail.

-- Triggers of lims.qc_coverage, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard             records the result that is covered; refuses verified
--                       results
--
-- BEFORE UPDATE
--   1 guard_update      refuses changes but those of an override
--   2 identity          refuses to change id, organization or created_at
--
-- BEFORE DELETE
--   1 guard             refuses to remove a test from a failed batch, overridden or not, or
--                       one that is failing, before another one has taken its place
--
-- AFTER INSERT
--   1 audit_insert      writes the audit trail; a later refusal rolls it back
--   2 expect_insert     adds controls that more samples require; refuses more samples
--                       where the batch is evaluated (147)
--   3 mark_insert       marks the sample dirty
--   4 reapprove_insert  requests approvals again
--
-- AFTER UPDATE
--   1 audit_update      writes the audit trail, as at INSERT
--   2 mark_update       marks the sample dirty
--
-- AFTER DELETE
--   1 audit_delete      writes the audit trail, as at INSERT
--   2 expect_delete     removes expected controls that the remaining samples do not require
--                       (147)
--   3 mark_delete       marks the sample dirty
--   4 reapprove_delete  requests approvals again

CREATE SEQUENCE lims.qc_coverage_id_seq;

CREATE TABLE lims.qc_coverage (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.qc_coverage_id_seq'),
    sample_test_id bigint NOT NULL,
    qc_batch_id bigint NOT NULL,
    -- The result when the batch came to cover the test, NULL: none yet. With a
    -- signature: the result for which the override of the failed batch was given.
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

-- The status of each covering batch for the current result: the batch's own, but 'failed'
-- if it was overridden for another result. is_measured: covered by the file's run, whether
-- its batch was made by the file or filled by it, not added by hand.
CREATE VIEW lims.qc_covered WITH (security_invoker = true) AS
SELECT c.organization_id, c.id, t.sample_id, c.sample_test_id, t.disposition,
       c.qc_batch_id, b.batch_number, b.file_id, b.qc_status,
       b.file_id IS NOT NULL AND (b.created_at = c.created_at
                                  OR b.qc_template_id IS NOT NULL) AS is_measured,
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

-- Lists all QC batches that cover a test, as certificates print them.
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

-- Locks a QC batch for a change of its coverage. The controls that a template requires
-- depend on the number of samples, so changes of such a batch are serialized.
CREATE FUNCTION lims.lock_covering_batch(
    p_organization bigint,
    p_batch bigint,
    OUT batch_number text,
    OUT qc_status text,
    OUT file_id bigint
)
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM lims.qc_batch b
      WHERE b.organization_id = p_organization
        AND b.id = p_batch
        AND b.qc_template_id IS NOT NULL
        FOR NO KEY UPDATE;
    SELECT b.batch_number, b.qc_status, b.file_id
      INTO lock_covering_batch.batch_number, lock_covering_batch.qc_status,
           lock_covering_batch.file_id
      FROM lims.qc_batch b
     WHERE b.organization_id = p_organization
       AND b.id = p_batch
       FOR SHARE;
END
$$;

-- Whether a test had a result before an entry of the trail; p_entry NULL: at any time.
CREATE FUNCTION lims.had_result(p_organization bigint, p_sample_test bigint, p_entry bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.audit_entry a
         WHERE a.organization_id = p_organization
           AND a.record_id = p_sample_test
           AND a.table_name = 'sample_test'
           AND (p_entry IS NULL OR a.id < p_entry)
           AND coalesce(a.changes #>> '{result,new}', a.changes #>> '{result,old}')
               IS NOT NULL)
        OR EXISTS (
        SELECT FROM lims.archived_result r
         WHERE r.organization_id = p_organization
           AND r.sample_test_id = p_sample_test);
END
$$;

-- Returns the latest coverage by a failed batch, overridden or not, that a test with a result
-- has left, from the audit trail and what is kept of archived entries; NULL: there is none.
CREATE FUNCTION lims.failed_coverage_left(p_organization bigint, p_sample_test bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT max(l.coverage_id)
          FROM (SELECT a.record_id AS coverage_id,
                       (a.changes #>> '{qc_batch_id,old}')::bigint AS qc_batch_id
                  FROM lims.audit_entry a
                 WHERE a.organization_id = p_organization
                   AND a.table_name = 'qc_coverage'
                   AND a.action = 'delete'
                   AND a.changes #>> '{sample_test_id,old}' = p_sample_test::text
                   AND lims.had_result(p_organization, p_sample_test, a.id)
                 UNION ALL
                SELECT k.coverage_id, k.qc_batch_id
                  FROM lims.archived_coverage k
                 WHERE k.organization_id = p_organization
                   AND k.sample_test_id = p_sample_test) l
          JOIN lims.qc_batch b
            ON b.organization_id = p_organization
           AND b.id = l.qc_batch_id
         WHERE b.qc_status IN ('failed', 'overridden'));
END
$$;

-- Whether a later file has measured a test again: it had no row in the earlier one, or now has
-- one of a later time, or, at the same time or where a file does not state it, with another
-- result. A copy of the same run is no measurement, whatever controls it has.
CREATE FUNCTION lims.is_measured_again(
    p_organization bigint,
    p_sample_test bigint,
    p_file bigint,
    p_later bigint
) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN p_later > p_file AND EXISTS (
        SELECT FROM lims.instrument_file_row b
          LEFT JOIN lims.instrument_file_row a
            ON a.organization_id = b.organization_id
           AND a.sample_test_id = b.sample_test_id
           AND a.file_id = p_file
         WHERE b.organization_id = p_organization
           AND b.sample_test_id = p_sample_test
           AND b.file_id = p_later
           AND (a.id IS NULL
                OR coalesce(b.analyzed_at > a.analyzed_at, false)
                OR coalesce(b.analyzed_at = a.analyzed_at, true)
                   AND (b.result, b.qualifier) IS DISTINCT FROM (a.result, a.qualifier)));
END
$$;

-- Whether a batch is open and a control of it failed: unless that is corrected, it will fail.
CREATE FUNCTION lims.is_qc_failing(p_organization bigint, p_batch bigint) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.qc_batch b
          JOIN lims.qc_control k
            ON k.organization_id = b.organization_id
           AND k.qc_batch_id = b.id
         WHERE b.organization_id = p_organization
           AND b.id = p_batch
           AND b.qc_status = 'open'
           AND NOT k.passed);
END
$$;

-- Says why a test has to stay in a batch that covers it; NULL: it may leave. From one that
-- failed, overridden or not, or is failing, it leaves when a later file has measured it again,
-- or, without its result, when another batch covers it; and that one it leaves only for a
-- further one.
CREATE FUNCTION lims.coverage_hold(
    p_organization bigint,
    p_sample_test bigint,
    p_coverage bigint
) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v record;
    v_left bigint;
BEGIN
    SELECT q.batch_number, q.file_id, t.result IS NOT NULL AS has_result,
           q.standing IN ('failed', 'overridden')
               OR lims.is_qc_failing(p_organization, q.qc_batch_id) AS fails,
           CASE q.standing WHEN 'open' THEN 'is failing' ELSE 'failed' END AS how
      INTO v
      FROM lims.sample_test t
      JOIN lims.qc_covered q
        ON q.organization_id = t.organization_id
       AND q.sample_test_id = t.id
       AND q.id = p_coverage
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test;
    IF NOT v.fails THEN
        v_left := lims.failed_coverage_left(p_organization, p_sample_test);
        RETURN CASE WHEN v_left < p_coverage AND NOT EXISTS (
            SELECT FROM lims.qc_coverage c
             WHERE c.organization_id = p_organization
               AND c.sample_test_id = p_sample_test
               AND c.id > v_left
               AND c.id <> p_coverage)
            -- A later file without controls has replaced the result: these are not of it.
            AND NOT EXISTS (
            SELECT FROM lims.instrument_file_row r
             WHERE r.organization_id = p_organization
               AND r.sample_test_id = p_sample_test
               AND r.file_id > v.file_id
               AND lims.is_measured_again(p_organization, p_sample_test, v.file_id,
                                          r.file_id)) THEN format(
            'sample test %s was measured before in a QC batch that failed, and QC batch %s '
            'has taken its place: add the test to a further batch before it is removed '
            'from this one', p_sample_test, v.batch_number) END;
    ELSIF EXISTS (
        SELECT FROM lims.qc_covered q
         WHERE q.organization_id = p_organization
           AND q.sample_test_id = p_sample_test
           AND q.id <> p_coverage
           AND CASE WHEN q.is_measured AND v.file_id IS NOT NULL
                    THEN lims.is_measured_again(p_organization, p_sample_test, v.file_id,
                                                q.file_id)
                    ELSE NOT v.has_result AND q.id > p_coverage END) THEN
        RETURN NULL;
    ELSIF v.has_result THEN
        RETURN format('QC batch %s %s, and sample test %s still has its result: '
                      'withdraw the result before the test is removed from the batch',
                      v.batch_number, v.how, p_sample_test);
    ELSIF lims.had_result(p_organization, p_sample_test, NULL) THEN
        RETURN format('QC batch %s %s, and sample test %s had its result in it: add the '
                      'test to a QC batch made for its repetition before it is removed from '
                      'this one, or have this one overridden', v.batch_number, v.how,
                      p_sample_test);
    END IF;
    RETURN NULL;
END
$$;

-- Refuses a change of coverage of a verified result; refuses removing a batch that failed, or
-- is failing, before another one has taken its place; and refuses adding a result to an overridden
-- batch, whose override was signed for the results covered then.
CREATE FUNCTION lims.qc_coverage_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_row lims.qc_coverage;
    v_test record;
    v_batch record;
    v_hold text;
BEGIN
    PERFORM lims.require_read_committed();
    IF TG_OP = 'DELETE' THEN
        v_row := OLD;
    ELSE
        v_row := NEW;
    END IF;
    SELECT t.sample_id, t.status, t.result, t.qualifier, t.entered_at,
           t.disposition, t.left_batch_ids
      INTO v_test
      FROM lims.sample_test t
     WHERE t.organization_id = v_row.organization_id
       AND t.id = v_row.sample_test_id
       FOR NO KEY UPDATE;
    IF v_test.status = 'verified' THEN
        PERFORM lims.refuse('test_verified_locked', format(
            'sample test %s is verified and locked', v_row.sample_test_id));
    END IF;
    IF TG_OP = 'INSERT' AND v_test.disposition <> 'active' THEN
        PERFORM lims.refuse_inactive(v_row.sample_test_id, v_test.disposition);
    END IF;
    PERFORM lims.hold_open_sample(v_row.organization_id, v_test.sample_id);
    SELECT b.batch_number, b.qc_status, b.file_id
      INTO v_batch
      FROM lims.lock_covering_batch(v_row.organization_id, v_row.qc_batch_id) b;
    IF TG_OP = 'INSERT' THEN
        -- A restored test joins the batch that it left; the override is not for its result.
        IF v_batch.qc_status = 'overridden'
           AND NEW.qc_batch_id = ANY (v_test.left_batch_ids) IS NOT TRUE THEN
            PERFORM lims.refuse('invalid_transition', format(
                'the override of QC batch %s is for the results that it covers: no test '
                'can be added to it', v_batch.batch_number));
        END IF;
        NEW.result := v_test.result;
        NEW.qualifier := CASE WHEN v_test.result IS NOT NULL
                              THEN v_test.qualifier END;
        NEW.entered_at := v_test.entered_at;
        NEW.override_signature_id := NULL;
        RETURN NEW;
    END IF;
    v_hold := lims.coverage_hold(OLD.organization_id, OLD.sample_test_id, OLD.id);
    IF v_hold IS NOT NULL AND lims.is_qc_failing(OLD.organization_id, OLD.qc_batch_id) THEN
        PERFORM lims.refuse('qc_pending', v_hold);
    ELSIF v_hold IS NOT NULL THEN
        PERFORM lims.refuse('qc_failed', v_hold);
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR DELETE ON lims.qc_coverage
FOR EACH ROW EXECUTE FUNCTION lims.qc_coverage_guard();

-- An update is refused unless the trigger of an override (lims.qc_batch_override) makes
-- it.
CREATE FUNCTION lims.qc_coverage_change() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF pg_trigger_depth() < 2 THEN
        PERFORM lims.refuse('invalid_transition',
            'a test can be added to a QC batch or removed from it, and no such row can '
            'be changed');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.qc_coverage
FOR EACH ROW EXECUTE FUNCTION lims.qc_coverage_change();

SELECT lims.attach_audit('qc_coverage');

-- Marks the samples of the tests dirty, and of an evaluated batch those of all its tests: whether
-- its controls suffice depends on the number of samples.
CREATE FUNCTION lims.mark_samples_of_coverage() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM (SELECT r.organization_id, r.sample_test_id
              FROM changed_rows r
             UNION
            SELECT c.organization_id, c.sample_test_id
              FROM (SELECT DISTINCT r.organization_id, r.qc_batch_id
                      FROM changed_rows r) x
              JOIN lims.qc_batch b
                ON b.organization_id = x.organization_id
               AND b.id = x.qc_batch_id
               AND b.qc_status <> 'open'
              JOIN lims.qc_coverage c
                ON c.organization_id = b.organization_id
               AND c.qc_batch_id = b.id) m
      JOIN lims.sample_test t
        ON t.organization_id = m.organization_id
       AND t.id = m.sample_test_id;
    RETURN NULL;
END
$$;

-- Marks the samples dirty that share an evaluated batch with a family of repeated tests, one of
-- which became active or inactive: the number of the batch's samples may be another.
CREATE FUNCTION lims.mark_samples_beside(p_test lims.sample_test) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM lims.sample_test f
      JOIN lims.qc_coverage o
        ON o.organization_id = f.organization_id
       AND o.sample_test_id = f.id
      JOIN lims.qc_batch b
        ON b.organization_id = o.organization_id
       AND b.id = o.qc_batch_id
       AND b.qc_status <> 'open'
      JOIN lims.qc_coverage c
        ON c.organization_id = b.organization_id
       AND c.qc_batch_id = b.id
      JOIN lims.sample_test t
        ON t.organization_id = c.organization_id
       AND t.id = c.sample_test_id
     WHERE f.organization_id = (p_test).organization_id
       AND f.sample_id = (p_test).sample_id
       AND coalesce(f.retest_of, f.id) = coalesce((p_test).retest_of, (p_test).id);
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

CREATE FUNCTION lims.qc_coverage_reapprove() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT t.organization_id, array_agg(t.sample_id) AS samples
          FROM (SELECT DISTINCT x.organization_id, x.sample_id
                  FROM changed_rows c
                  JOIN lims.sample_test x
                    ON x.organization_id = c.organization_id
                   AND x.id = c.sample_test_id) t
         WHERE lims.has_approvals(t.organization_id, t.sample_id)
         GROUP BY t.organization_id
    LOOP
        PERFORM lims.request_approvals_again(v.organization_id, v.samples, '{}');
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER reapprove_insert AFTER INSERT ON lims.qc_coverage
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_coverage_reapprove();

CREATE TRIGGER reapprove_delete AFTER DELETE ON lims.qc_coverage
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_coverage_reapprove();

-- Removes a test from a batch that covers it, unless it has to stay there. Of several batches one
-- after the other: whether one holds a test depends on those that are left. Returns whether it left.
CREATE FUNCTION lims.leave_coverage(
    p_organization bigint,
    p_sample_test bigint,
    p_coverage bigint
) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM lims.qc_coverage c
     WHERE c.organization_id = p_organization
       AND c.sample_test_id = p_sample_test
       AND c.id = p_coverage
       AND lims.coverage_hold(p_organization, p_sample_test, p_coverage) IS NULL;
    RETURN FOUND;
END
$$;

-- Moves tests that a file has measured to the batch of its controls (NULL: it has none):
-- ends coverage by the batches of earlier files. Coverage by a failed batch stays if the
-- file has no controls or is a copy of the same run, else such a file would open its gate.
-- The rows of the file are recorded before.
CREATE FUNCTION lims.cover_measured(
    p_organization bigint,
    p_batch bigint,
    p_tests bigint[]
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    IF p_batch IS NOT NULL THEN
        INSERT INTO lims.qc_coverage (organization_id, sample_test_id,
            qc_batch_id)
        SELECT p_organization, t.id, p_batch
          FROM unnest(p_tests) AS t (id)
         WHERE NOT EXISTS (
               SELECT FROM lims.qc_coverage c
                WHERE c.organization_id = p_organization
                  AND c.sample_test_id = t.id
                  AND c.qc_batch_id = p_batch)
         ORDER BY t.id;
    END IF;
    -- Batches are locked before their coverage, as for an override.
    PERFORM FROM lims.qc_batch b
      WHERE b.organization_id = p_organization
        AND b.id IN (
            SELECT c.qc_batch_id
              FROM lims.qc_coverage c
             WHERE c.organization_id = p_organization
               AND c.sample_test_id = ANY (p_tests))
      ORDER BY b.id
        FOR SHARE;
    FOR v IN
        SELECT q.id, q.sample_test_id
          FROM lims.qc_covered q
         WHERE q.organization_id = p_organization
           AND q.sample_test_id = ANY (p_tests)
           AND q.file_id IS NOT NULL
           AND q.qc_batch_id IS DISTINCT FROM p_batch
         ORDER BY q.sample_test_id, q.id
    LOOP
        PERFORM lims.leave_coverage(p_organization, v.sample_test_id, v.id);
    END LOOP;
END
$$;
