-- SPDX-License-Identifier: Apache-2.0
--
-- The gates of verification, status changes and report. Handlers call them for the answer,
-- triggers for enforcement, so that both are the same.
--
-- Each first locks the records on which its answer depends until the transaction ends, in
-- the order of 130_sample_tests.sql.

-- A refusal: its slug, its message and the ids of all that blocks. The columns are named as
-- in the API and in the views of records.
CREATE TYPE lims.blocker AS (
    slug text,
    message text,
    "testIds" bigint[],
    "qcBatchIds" bigint[],
    "mediaLotIds" bigint[],
    "worksheetIds" bigint[],
    "approvalIds" bigint[],
    "qcBatches" json,
    missing text[],
    "needsSignoff" text[],
    "reagentLotIds" bigint[],
    "investigationIds" bigint[]
);

CREATE AGGREGATE lims.concat_ids(bigint[]) (
    SFUNC = array_cat, STYPE = bigint[], INITCOND = '{}'
);

-- The findings of these categories as refusals, in the contract's order, for the sample or
-- for one of its tests.
CREATE FUNCTION lims.release_blockers(
    p_organization bigint,
    p_sample bigint,
    p_categories text[],
    p_sample_test bigint DEFAULT NULL
) RETURNS SETOF lims.blocker
LANGUAGE sql STABLE
AS $$
    SELECT b.slug,
           CASE WHEN b.slug = 'incomplete_sample' AND b.tests > 1
                THEN format('%s tests are not complete: %s%s', b.tests,
                            array_to_string(b.messages[1:5], '; '),
                            CASE WHEN b.tests > 5 THEN '; ...' ELSE '' END)
                ELSE array_to_string(b.messages, '; ')
           END,
           b.test_ids, b.qc_batch_ids, b.media_lot_ids, '{}'::bigint[],
           b.approval_ids, b.qc_batches, NULL::text[], NULL::text[], b.reagent_lot_ids,
           b.investigation_ids
      FROM (SELECT c.slug, min(c.position) AS position,
                   count(*) AS tests,
                   array_agg(f.message ORDER BY f.sample_test_ids, f.message)
                       AS messages,
                   lims.concat_ids(f.sample_test_ids
                       ORDER BY f.sample_test_ids) AS test_ids,
                   coalesce(array_agg(f.qc_batch_id ORDER BY f.qc_batch_id)
                       FILTER (WHERE f.qc_batch_id IS NOT NULL), '{}')
                       AS qc_batch_ids,
                   coalesce(array_agg(f.media_lot_id ORDER BY f.media_lot_id)
                       FILTER (WHERE f.media_lot_id IS NOT NULL), '{}')
                       AS media_lot_ids,
                   coalesce(array_agg(f.reagent_lot_id ORDER BY f.reagent_lot_id)
                       FILTER (WHERE f.reagent_lot_id IS NOT NULL), '{}')
                       AS reagent_lot_ids,
                   coalesce(array_agg(f.investigation_id ORDER BY f.investigation_id)
                       FILTER (WHERE f.investigation_id IS NOT NULL), '{}')
                       AS investigation_ids,
                   coalesce(array_agg(f.approval_id ORDER BY f.approval_id)
                       FILTER (WHERE f.approval_id IS NOT NULL), '{}')
                       AS approval_ids,
                   json_agg(json_build_object('id', q.id,
                                              'batchNumber', q.batch_number,
                                              'qcStatus', q.qc_status)
                            ORDER BY q.id)
                       FILTER (WHERE q.id IS NOT NULL) AS qc_batches
              FROM lims.release_finding f
              JOIN (VALUES
                   ('incomplete_result', 'incomplete_sample', 1),
                   ('unverified_result', 'incomplete_sample', 1),
                   ('qc_failed', 'qc_failed', 2),
                   ('approval_required', 'approval_required', 3),
                   ('approval_rejected', 'approval_required', 3),
                   ('confirmation_required', 'confirmation_required', 4),
                   ('media_qc_failed', 'media_qc_failed', 5),
                   ('qc_pending', 'qc_pending', 6),
                   ('investigation_open', 'investigation_open', 7),
                   ('sample_on_hold', 'sample_on_hold', 8),
                   ('lot_not_released', 'lot_not_released', 9),
                   ('retest_undecided', 'retest_undecided', 10)
                   ) AS c (category, slug, position)
                ON c.category = f.category
              LEFT JOIN lims.qc_batch q
                ON q.organization_id = f.organization_id
               AND q.id = f.qc_batch_id
             WHERE f.organization_id = p_organization
               AND f.sample_id = p_sample
               AND f.category = ANY (p_categories)
               -- Findings of these categories block only where a policy says so.
               AND (f.category NOT IN ('qc_pending', 'investigation_open',
                                       'lot_not_released')
                    OR f.hardness <> 'advisory')
               AND (p_sample_test IS NULL
                    OR p_sample_test = ANY (f.sample_test_ids))
             GROUP BY c.slug) b
     ORDER BY b.position
$$;

-- Whether the caller may ask about this organization: it is that of the context, or of
-- the row of a trigger. The gates below run with the owner's rights, so that no context
-- hides rows from them, and therefore without row-level security.
CREATE FUNCTION lims.is_asked_for(p_organization bigint) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN pg_trigger_depth() > 0
        OR p_organization = lims.context_id('organization_id');
END
$$;

-- Locks a sample and the other records on which its release depends. The sample FOR NO KEY
-- UPDATE, as an UPDATE does: FOR UPDATE would wait for the foreign key of a test being
-- added, which waits for the sample.
CREATE FUNCTION lims.hold_sample(p_organization bigint, p_sample bigint)
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
               AND t.sample_id = p_sample
             UNION ALL
            SELECT r.media_lot_id
              FROM lims.lot_beside r
             WHERE r.organization_id = p_organization
               AND r.sample_id = p_sample)
      ORDER BY m.id
        FOR SHARE;
    -- A reagent lot blocks by policy alone.
    PERFORM FROM lims.reagent_lot r
      WHERE r.organization_id = p_organization
        AND r.id = ANY (ARRAY(
            SELECT t.reagent_lot_id
              FROM lims.organization o
              JOIN lims.sample_test t
                ON t.organization_id = o.id
             WHERE o.id = p_organization
               AND o.lot_qc_policy = 'block'
               AND t.sample_id = p_sample
             UNION ALL
            SELECT b.reagent_lot_id
              FROM lims.organization o
              JOIN lims.lot_beside b
                ON b.organization_id = o.id
             WHERE o.id = p_organization
               AND o.lot_qc_policy = 'block'
               AND b.sample_id = p_sample))
      ORDER BY r.id
        FOR SHARE;
    PERFORM FROM lims.approval a
      WHERE a.organization_id = p_organization
        AND a.sample_id = p_sample
      ORDER BY a.id
        FOR SHARE;
END
$$;

-- Lists the blockers of reporting a sample; no row: it can be reported.
CREATE FUNCTION lims.report_blockers(p_organization bigint, p_sample bigint)
RETURNS SETOF lims.blocker
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF lims.is_asked_for(p_organization) IS NOT TRUE THEN
        RETURN;
    END IF;
    PERFORM lims.hold_sample(p_organization, p_sample);
    RETURN QUERY
    SELECT b.*
      FROM lims.release_blockers(p_organization, p_sample, ARRAY[
               'incomplete_result', 'unverified_result', 'qc_failed',
               'approval_required', 'approval_rejected',
               'confirmation_required', 'media_qc_failed', 'qc_pending',
               'investigation_open', 'sample_on_hold', 'lot_not_released',
               'retest_undecided']) b;
END
$$;

-- Lists the blockers of issuing the certificate of a reported sample; no row: it can be issued.
-- The next version is a report anew. The first one asks again for the approvals that were
-- requested, which can be decided after the report: a policy may have been made stricter
-- meanwhile, or one rejected. Steps that came later ask for nothing.
CREATE FUNCTION lims.certificate_blockers(p_organization bigint, p_sample bigint)
RETURNS SETOF lims.blocker
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF lims.is_asked_for(p_organization) IS NOT TRUE THEN
        RETURN;
    END IF;
    IF EXISTS (
           SELECT FROM lims.sample s
            WHERE s.organization_id = p_organization
              AND s.id = p_sample
              AND s.amendment_id IS NOT NULL) THEN
        RETURN QUERY
        SELECT b.*
          FROM lims.report_blockers(p_organization, p_sample) b;
        RETURN;
    END IF;
    PERFORM lims.hold_sample(p_organization, p_sample);
    RETURN QUERY
    SELECT b.*
      FROM lims.release_blockers(p_organization, p_sample,
               ARRAY['approval_required', 'approval_rejected']) b
     WHERE b."approvalIds" <> '{}';
END
$$;

-- The refusals of a status: 'completed' needs a result for every test, 'verified' every
-- test verified, and both that no QC batch failed. A sample without tests passes; only its
-- report is refused.
CREATE FUNCTION lims.status_blockers(
    p_organization bigint,
    p_sample bigint,
    p_status text
) RETURNS SETOF lims.blocker
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF lims.is_asked_for(p_organization) IS NOT TRUE THEN
        RETURN;
    END IF;
    IF p_status = 'reported' THEN
        RETURN QUERY
        SELECT b.*
          FROM lims.report_blockers(p_organization, p_sample) b;
        RETURN;
    END IF;
    PERFORM lims.hold_sample(p_organization, p_sample);
    IF p_status IN ('completed', 'verified') THEN
        RETURN QUERY
        SELECT b.*
          FROM lims.release_blockers(p_organization, p_sample,
                   CASE p_status
                   WHEN 'completed' THEN ARRAY['incomplete_result', 'qc_failed']
                   ELSE ARRAY['incomplete_result', 'unverified_result',
                              'qc_failed']
                   END) b
         WHERE b.slug <> 'incomplete_sample'
            OR b."testIds" <> '{}';
    END IF;
END
$$;

-- Makes one blocker of verifying a test.
CREATE FUNCTION lims.test_blocker(p_sample_test_id bigint, p_slug text, p_message text)
RETURNS lims.blocker
LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
    v_blocker lims.blocker;
BEGIN
    v_blocker.slug := p_slug;
    v_blocker.message := p_message;
    v_blocker."testIds" := ARRAY[p_sample_test_id];
    v_blocker."qcBatchIds" := '{}';
    v_blocker."mediaLotIds" := '{}';
    v_blocker."reagentLotIds" := '{}';
    v_blocker."investigationIds" := '{}';
    v_blocker."worksheetIds" := '{}';
    v_blocker."approvalIds" := '{}';
    RETURN v_blocker;
END
$$;

-- Makes the only blocker of a test that is not active, or verified, or of a sample that is
-- closed by its disposition (p_closed; NULL: it is not).
CREATE FUNCTION lims.closed_blocker(
    p_sample_test_id bigint,
    p_disposition text,
    p_closed text
) RETURNS lims.blocker
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_closed IS NOT NULL
        THEN lims.test_blocker(p_sample_test_id, 'invalid_transition',
            format('the sample of sample test %s is %s', p_sample_test_id, p_closed))
        WHEN p_disposition = 'active'
        THEN lims.test_blocker(p_sample_test_id, 'test_verified_locked',
            format('sample test %s is verified and locked', p_sample_test_id))
        ELSE lims.test_blocker(p_sample_test_id, 'invalid_transition',
            format('sample test %s is %s', p_sample_test_id,
                   replace(p_disposition, '_', ' '))) END
$$;

-- The refusal of verifying one's own result; no row: it may be verified.
CREATE FUNCTION lims.own_result_blockers(p_organization bigint, p_sample_test bigint)
RETURNS SETOF lims.blocker
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF lims.is_own_result(p_organization, p_sample_test) THEN
        RETURN NEXT lims.test_blocker(p_sample_test, 'self_verification', format(
            'the result of sample test %s, or a lot or time of it, was entered by the '
            'person who now verifies it: another has to', p_sample_test));
    END IF;
END
$$;

-- The refusal of verifying a test whose worksheet is not complete; no row: it is.
CREATE FUNCTION lims.worksheet_blockers(
    p_organization bigint,
    p_sample_test bigint,
    p_code text
) RETURNS SETOF lims.blocker
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_sheet record;
    v_blocker lims.blocker;
BEGIN
    SELECT w.status, w.missing, w.needs_signoff, w.worksheet_id
      INTO v_sheet
      FROM lims.worksheet_state(p_organization, p_sample_test) w;
    IF v_sheet.status <> 'complete' THEN
        v_blocker := lims.test_blocker(p_sample_test, 'worksheet_incomplete',
            format('the worksheet of %s is %s', p_code, v_sheet.status));
        v_blocker.missing := v_sheet.missing;
        v_blocker."needsSignoff" := v_sheet.needs_signoff;
        IF v_sheet.worksheet_id IS NOT NULL THEN
            v_blocker."worksheetIds" := ARRAY[v_sheet.worksheet_id];
        END IF;
        RETURN NEXT v_blocker;
    END IF;
END
$$;

-- Locks the other records on which verifying a test depends.
CREATE FUNCTION lims.hold_evidence(
    p_organization bigint,
    p_sample bigint,
    p_sample_test bigint,
    p_media_lot bigint
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM lims.sample s
      WHERE s.organization_id = p_organization
        AND s.id = p_sample
        FOR SHARE;
    PERFORM FROM lims.qc_batch b
      WHERE b.organization_id = p_organization
        AND b.id IN (
            SELECT c.qc_batch_id
              FROM lims.qc_coverage c
             WHERE c.organization_id = p_organization
               AND c.sample_test_id = p_sample_test)
      ORDER BY b.id
        FOR SHARE;
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = p_organization
        AND m.id IN (
            SELECT p_media_lot
             UNION ALL
            SELECT r.media_lot_id
              FROM lims.lot_beside r
             WHERE r.organization_id = p_organization
               AND r.sample_test_id = p_sample_test)
      ORDER BY m.id
        FOR SHARE;
END
$$;

-- Lists why verifying a test would be refused now; locks nothing. esignature_required:
-- the policy requires a signature, and the context has none for this. A test that is
-- verified, inactive or sent back has that refusal only.
CREATE FUNCTION lims.verify_refusals(
    p_organization bigint,
    p_sample_test_id bigint
) RETURNS SETOF lims.blocker
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_test record;
BEGIN
    SELECT t.sample_id, t.status, t.result, d.code, t.requires_worksheet,
           t.disposition, t.returned_at, o.esignature_required,
           CASE WHEN lims.sample_is_closed(s.status, s.disposition)
                THEN s.disposition END AS closed
      INTO v_test
      FROM lims.sample_test t
      JOIN lims.sample s
        ON s.organization_id = t.organization_id
       AND s.id = t.sample_id
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
      JOIN lims.organization o
        ON o.id = t.organization_id
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test_id;
    IF v_test.status = 'verified' OR v_test.disposition <> 'active'
       OR v_test.closed IS NOT NULL THEN
        RETURN NEXT lims.closed_blocker(p_sample_test_id, v_test.disposition,
                                        v_test.closed);
        RETURN;
    ELSIF v_test.returned_at IS NOT NULL THEN
        RETURN NEXT lims.test_blocker(p_sample_test_id, 'invalid_transition', format(
            'the result of sample test %s was sent back: it is entered again first',
            p_sample_test_id));
        RETURN;
    END IF;
    IF v_test.esignature_required AND NOT lims.is_signed(p_organization,
            lims.context_id('signature_id'), 'verified', 'sample_test',
            p_sample_test_id) THEN
        RETURN NEXT lims.test_blocker(p_sample_test_id, 'esignature_required',
            'verifying a result needs a signature with password re-authentication');
    END IF;
    IF v_test.result IS NULL THEN
        RETURN NEXT lims.test_blocker(p_sample_test_id, 'blank_result',
            format('%s has no result', v_test.code));
    END IF;
    IF v_test.requires_worksheet THEN
        RETURN QUERY
        SELECT b.*
          FROM lims.worksheet_blockers(p_organization, p_sample_test_id, v_test.code) b;
    END IF;
    RETURN QUERY
    SELECT b.slug, b.message, ARRAY[p_sample_test_id], b."qcBatchIds",
           b."mediaLotIds", b."worksheetIds", b."approvalIds", b."qcBatches",
           b.missing, b."needsSignoff", b."reagentLotIds",
           b."investigationIds"
      FROM lims.release_blockers(p_organization, v_test.sample_id, ARRAY[
               'qc_failed', 'confirmation_required', 'media_qc_failed', 'qc_pending'],
               p_sample_test_id) b;
    RETURN QUERY
    SELECT b.* FROM lims.own_result_blockers(p_organization, p_sample_test_id) b;
END
$$;

-- Locks a test and the other records on which verifying it depends, and returns its
-- refusals, which stay true until the transaction ends.
CREATE FUNCTION lims.verify_blockers(
    p_organization bigint,
    p_sample_test_id bigint
) RETURNS SETOF lims.blocker
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_test record;
BEGIN
    IF lims.is_asked_for(p_organization) IS NOT TRUE THEN
        RETURN;
    END IF;
    PERFORM lims.require_read_committed();
    SELECT t.sample_id, t.media_lot_id
      INTO v_test
      FROM lims.sample_test t
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test_id
       FOR NO KEY UPDATE OF t;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM lims.hold_evidence(p_organization, v_test.sample_id, p_sample_test_id,
                               v_test.media_lot_id);
    RETURN QUERY
    SELECT b.*
      FROM lims.verify_refusals(p_organization, p_sample_test_id) b;
END
$$;
