-- SPDX-License-Identifier: Apache-2.0
--
-- Findings: what blocks the report of a sample, defined once for the gates, the readiness
-- resource and the lifecycle scan.
--
-- The views have security_invoker, so that row-level security applies to the caller, and
-- are written so that a predicate on (organization_id, sample_id) is pushed down to every
-- table.

-- Findings that only some tests can have are in functions, which the planner does not
-- inline, so that other reads do not pay for planning and starting them.

-- Returns the limits that apply to a test now (lims.limits_of), in words.
CREATE FUNCTION lims.specification_now(
    p_organization bigint,
    p_sample bigint,
    p_definition bigint,
    p_low numeric,
    p_high numeric,
    p_expected text,
    p_unit text
) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v record;
BEGIN
    SELECT x.low, x.high, x.expected_text
      INTO v
      FROM lims.sample s
     CROSS JOIN LATERAL lims.specification_of(p_organization, p_definition,
                            s.material_type_id, s.project_id) x
     WHERE s.organization_id = p_organization
       AND s.id = p_sample;
    IF NOT FOUND THEN
        RETURN lims.specification_words(p_low, p_high, p_expected, p_unit);
    END IF;
    RETURN lims.specification_words(v.low, v.high, v.expected_text, p_unit);
END
$$;

CREATE FUNCTION lims.worksheet_status(
    p_organization bigint,
    p_sample_test bigint
) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT w.status
          FROM lims.worksheet_state(p_organization, p_sample_test) w);
END
$$;

-- Warnings about lots of a result that had expired at its entry.
CREATE FUNCTION lims.lot_warnings(
    p_organization bigint,
    p_reagent_lot bigint,
    p_media_lot bigint,
    p_entered_at timestamptz
) RETURNS text[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN ARRAY(
        SELECT format('%s lot %s expired on %s, before the result was entered', l.kind, l.code,
                      l.usable_until)
          FROM lims.lots_named(p_organization, p_reagent_lot, p_media_lot) l
         WHERE l.usable_until < lims.collection_day(p_organization, p_entered_at)
         ORDER BY l.kind DESC);
END
$$;

-- Returns the member "returned": by whom a test was sent back, when and why.
CREATE FUNCTION lims.return_shown(p_by bigint, p_at timestamptz, p_reason text) RETURNS json
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN json_build_object('by', p_by,
        'at', to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'reason', p_reason);
END
$$;

-- One row per sample test with its derived state: the latest of the QC batches that cover
-- it, and its names: frozen at verification, else current.
--
-- Most of what a short read costs is starting its plan, which grows with the columns that
-- each join hands on, and with each function, whether it will run or not. So definition,
-- organization and lots are joined among themselves (OFFSET 0 keeps them together) before
-- the many columns of the test come in, and what few tests have to say is in functions.
CREATE VIEW lims.sample_test_state WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id, t.test_definition_id, t.status,
       t.result, t.qualifier, t.numeric_value, t.notes, t.out_of_specification,
       t.reagent_lot_id, t.media_lot_id,
       (SELECT c.qc_batch_id
          FROM lims.qc_coverage c
         WHERE c.organization_id = t.organization_id
           AND c.sample_test_id = t.id
         ORDER BY c.id DESC
         LIMIT 1) AS qc_batch_id,
       t.confirmation_status,
       t.analyzed_at, t.first_entered_at, t.entered_by, t.entered_at,
       t.verified_by, t.verified_at, t.created_at, t.updated_at,
       coalesce(t.test_code, x.code) AS test_code,
       coalesce(t.test_name, x.name) AS test_name, h.unit, x.result_type,
       t.requires_worksheet,
       CASE WHEN t.result IS NULL
            THEN lims.specification_now(t.organization_id, t.sample_id,
                     t.test_definition_id, x.specification_low, x.specification_high,
                     x.specification_text, h.unit)
            ELSE lims.specification_words(t.spec_low, t.spec_high, t.spec_text,
                                          h.unit)
       END AS specification,
       (SELECT q.batch_number
          FROM lims.qc_covered q
         WHERE q.organization_id = t.organization_id
           AND q.sample_test_id = t.id
         ORDER BY q.id DESC
         LIMIT 1) AS batch_number,
       (SELECT q.standing
          FROM lims.qc_covered q
         WHERE q.organization_id = t.organization_id
           AND q.sample_test_id = t.id
         ORDER BY q.id DESC
         LIMIT 1) AS qc_status,
       CASE WHEN t.requires_worksheet
            THEN lims.worksheet_status(t.organization_id, t.id)
       END AS worksheet_status,
       t.holding_expires_at,
       CASE
           WHEN t.holding_expires_at IS NULL THEN NULL
           WHEN NOT coalesce(t.holding_met, now() <= t.holding_expires_at)
           THEN 'expired'
           WHEN t.holding_met IS NULL AND now() + x.warning > t.holding_expires_at
           THEN 'expiring_soon'
           ELSE 'ok'
       END AS holding_status,
       CASE
           WHEN t.holding_met IS NOT NULL OR now() > t.holding_expires_at THEN NULL
           WHEN now() + x.warning > t.holding_expires_at THEN t.holding_expires_at
           ELSE t.holding_expires_at - x.warning
       END AS holding_status_until,
       CASE WHEN x.is_lot_expired
            THEN lims.lot_warnings(t.organization_id, t.reagent_lot_id, t.media_lot_id,
                     t.entered_at)
            ELSE '{}'
       END AS warnings,
       CASE WHEN t.result IS NULL OR t.entered_at IS NULL THEN '[]'
            WHEN x.is_lot_expired OR x.is_lot_doubtful
            THEN lims.entry_warnings(t.organization_id, t.value_warnings,
                     t.reagent_lot_id, t.media_lot_id,
                     lims.collection_day(t.organization_id, t.entered_at))
            ELSE coalesce(t.value_warnings, '[]')
       END AS entry_warnings,
       CASE WHEN t.test_code IS NULL THEN x.method ELSE t.method END AS method,
       CASE WHEN t.test_code IS NULL
             AND NOT (t.requires_confirmation AND t.result IS NOT NULL)
            THEN x.reporting_limit ELSE t.reporting_limit END AS reporting_limit,
       CASE WHEN t.test_code IS NULL THEN x.method_detection_limit
            ELSE t.method_detection_limit END AS method_detection_limit,
       CASE WHEN t.test_code IS NULL THEN x.uncertainty
            ELSE t.uncertainty END AS uncertainty,
       coalesce(t.accredited, x.accredited) AS accredited,
       t.disposition, t.retest_of, t.reported, t.note_on_report,
       CASE WHEN t.returned_at IS NOT NULL
            THEN lims.return_shown(t.returned_by, t.returned_at, t.return_reason)
       END AS returned
  FROM lims.sample_test t
 CROSS JOIN LATERAL (
       SELECT d.code, d.name, d.result_type, d.unit, d.method,
              d.specification_low, d.specification_high, d.specification_text,
              d.reporting_limit, d.method_detection_limit, d.uncertainty, d.accredited,
              o.holding_warning_hours::double precision * interval '1 hour' AS warning,
              t.result IS NOT NULL
              AND least(r.usable_until, m.usable_until)
                  < (t.entered_at AT TIME ZONE o.time_zone)::date AS is_lot_expired,
              o.lot_qc_policy <> 'off'
              AND (r.qc_status IN ('quarantined', 'failed')
                   OR m.qc_status IN ('quarantined', 'failed')) AS is_lot_doubtful
         FROM lims.test_definition d
         JOIN lims.organization o
           ON o.id = d.organization_id
         LEFT JOIN lims.reagent_lot r
           ON r.organization_id = t.organization_id
          AND r.id = t.reagent_lot_id
         LEFT JOIN lims.media_lot m
           ON m.organization_id = t.organization_id
          AND m.id = t.media_lot_id
        WHERE d.organization_id = t.organization_id
          AND d.id = t.test_definition_id
       OFFSET 0) x
 CROSS JOIN LATERAL (
       SELECT CASE WHEN t.test_code IS NULL THEN x.unit ELSE t.unit END AS unit) h;

-- The weight of a category: 'hard' blocks the release, 'progress' and 'soft' are work to
-- be done, 'advisory' blocks nothing.
CREATE FUNCTION lims.finding_hardness(p_category text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE p_category
        WHEN 'incomplete_result' THEN 'progress'
        WHEN 'qc_pending' THEN 'progress'
        WHEN 'unverified_result' THEN 'soft'
        WHEN 'approval_required' THEN 'soft'
        WHEN 'retest_undecided' THEN 'soft'
        WHEN 'qc_failed' THEN 'hard'
        WHEN 'confirmation_required' THEN 'hard'
        WHEN 'media_qc_failed' THEN 'hard'
        WHEN 'worksheet_incomplete' THEN 'hard'
        WHEN 'approval_rejected' THEN 'hard'
        WHEN 'sample_on_hold' THEN 'hard'
        ELSE 'advisory'
    END
$$;

-- Returns the findings of the policies lotQcPolicy and qcRequired on the results of a
-- sample. Like the functions above, it spares other reads: without results neither policy
-- is asked for, and where both are off nothing else is read.
CREATE FUNCTION lims.policy_findings(p_organization bigint, p_sample bigint)
RETURNS TABLE (
    category text,
    hardness text,
    sample_test_id bigint,
    qc_batch_id bigint,
    media_lot_id bigint,
    reagent_lot_id bigint,
    subject text,
    circumstance text
)
LANGUAGE plpgsql STABLE ROWS 1
AS $$
#variable_conflict use_column
DECLARE
    v record;
BEGIN
    SELECT o.lot_qc_policy, o.qc_required
      INTO v
      FROM lims.organization o
     WHERE o.id = p_organization;
    IF v.lot_qc_policy <> 'off' THEN
        RETURN QUERY
        SELECT 'lot_not_released', u.hardness, u.sample_test_id, NULL::bigint,
               u.media_lot_id, u.reagent_lot_id, u.subject, u.circumstance
          FROM lims.unreleased_lot_use u
         WHERE u.organization_id = p_organization
           AND u.sample_id = p_sample;
    END IF;
    IF v.qc_required <> 'off' THEN
        RETURN QUERY
        SELECT 'qc_pending',
               CASE v.qc_required WHEN 'block' THEN 'progress' ELSE 'advisory' END,
               t.id, q.qc_batch_id, NULL::bigint, NULL::bigint, q.subject, q.circumstance
          FROM lims.sample_test t
         CROSS JOIN LATERAL lims.qc_pending(t.organization_id, t.id) q
         WHERE t.organization_id = p_organization
           AND t.sample_id = p_sample
           AND t.result IS NOT NULL
           AND t.disposition = 'active';
    END IF;
END
$$;

-- Returns the severity class of an open investigation: hard or advisory, by policy.
CREATE FUNCTION lims.investigation_hardness(p_organization bigint) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT CASE WHEN o.open_investigation_blocks THEN 'hard' ELSE 'advisory' END
          FROM lims.organization o
         WHERE o.id = p_organization);
END
$$;

-- Certificates without a document in time; in a function: only reads of reported samples pay.
CREATE FUNCTION lims.failed_documents(p_organization bigint, p_sample bigint)
RETURNS TABLE (subject text, circumstance text) LANGUAGE plpgsql STABLE ROWS 1
AS $$
BEGIN
    RETURN QUERY
    SELECT format('%s version %s', c.certificate_number, c.version),
           coalesce(d.failure, 'it still waits for the printer')
      FROM lims.certificate c
      JOIN lims.document d
        ON d.organization_id = c.organization_id
       AND d.certificate_id = c.id
       AND (d.state = 'failed' OR d.state = 'pending' AND d.announced_at > d.created_at)
     WHERE c.organization_id = p_organization
       AND c.sample_id = p_sample
       AND c.status = 'issued';
END
$$;

-- All findings: one row per test and category, and those of the sample as a whole;
-- `subject` is what a message names. Every batch that covers the current result counts; an
-- approval counts if its round was not replaced and its content is the current one.
CREATE VIEW lims.finding WITH (security_invoker = true) AS
SELECT t.organization_id, t.sample_id, f.category,
       lims.finding_hardness(f.category) AS hardness,
       t.id AS sample_test_id,
       NULL::bigint AS qc_batch_id,
       CASE f.category WHEN 'media_qc_failed' THEN t.media_lot_id END
           AS media_lot_id,
       NULL::bigint AS approval_id,
       NULL::bigint AS investigation_id,
       CASE f.category
           WHEN 'media_qc_failed' THEN m.code
           ELSE t.test_code
       END AS subject,
       CASE f.category
           WHEN 'worksheet_incomplete' THEN t.worksheet_status
           WHEN 'media_qc_failed'
           THEN lims.failed_media_tests(m.growth_promotion_status, m.sterility_status)
           WHEN 'out_of_specification'
           THEN concat_ws(' ', t.result, t.unit) || ' outside ' || t.specification
           WHEN 'non_numeric_result' THEN t.result
       END AS circumstance,
       NULL::bigint AS reagent_lot_id
  FROM lims.sample_test_state t
  LEFT JOIN lims.media_lot m
    ON m.organization_id = t.organization_id
   AND m.id = t.media_lot_id
 CROSS JOIN LATERAL (VALUES
       ('incomplete_result', t.result IS NULL),
       ('unverified_result', t.status = 'entered'),
       ('confirmation_required', t.confirmation_status = 'pending'),
       ('media_qc_failed', lims.failed_media_tests(
            m.growth_promotion_status, m.sterility_status) IS NOT NULL),
       ('worksheet_incomplete',
        t.status = 'entered' AND t.worksheet_status <> 'complete'),
       ('holding_time_expired', t.holding_status = 'expired'),
       ('out_of_specification', t.out_of_specification),
       ('non_numeric_result', t.result_type = 'numeric'
        AND t.result IS NOT NULL AND t.numeric_value IS NULL),
       ('retest_undecided', NOT t.reported)
       ) AS f (category, applies)
 WHERE f.applies
   AND t.disposition = 'active'
UNION ALL
-- A medium of the confirmation or of the worksheet.
SELECT r.organization_id, r.sample_id, 'media_qc_failed',
       lims.finding_hardness('media_qc_failed'), r.sample_test_id, NULL, m.id, NULL, NULL,
       m.code, lims.failed_media_tests(m.growth_promotion_status, m.sterility_status), NULL
  FROM lims.lot_beside r
  JOIN lims.media_lot m
    ON m.organization_id = r.organization_id
   AND m.id = r.media_lot_id
   AND lims.failed_media_tests(m.growth_promotion_status, m.sterility_status) IS NOT NULL
 WHERE r.disposition = 'active'
UNION ALL
-- A test may be covered by several batches.
SELECT q.organization_id, q.sample_id, 'qc_failed',
       lims.finding_hardness('qc_failed'), q.sample_test_id, q.qc_batch_id,
       NULL, NULL, NULL, q.batch_number,
       CASE q.qc_status WHEN 'overridden' THEN 'for the result that stands' END,
       NULL
  FROM lims.qc_covered q
 WHERE q.standing = 'failed'
   AND q.disposition = 'active'
UNION ALL
-- A sample without any active test has nothing to report.
SELECT s.organization_id, s.id, f.category, lims.finding_hardness(f.category),
       NULL, NULL, NULL, NULL, NULL, NULL,
       CASE f.category WHEN 'sample_on_hold' THEN s.disposition_reason END, NULL
  FROM lims.sample s
 CROSS JOIN LATERAL (VALUES
       ('incomplete_result', NOT EXISTS (
            SELECT FROM lims.sample_test t
             WHERE t.organization_id = s.organization_id
               AND t.sample_id = s.id
               AND t.disposition = 'active')),
       ('sample_on_hold', s.disposition = 'on_hold')) AS f (category, applies)
 WHERE f.applies
UNION ALL
-- Approvals of the latest round: the rejected one, else the next open step. Before the
-- sample is completed there is no round, but there are steps. An approval counts only if
-- the content that it approved still stands.
SELECT s.organization_id, s.id, f.category, lims.finding_hardness(f.category),
       NULL, NULL, NULL, a.id, NULL,
       CASE WHEN a.id IS NULL AND a.latest IS NOT NULL
            THEN 'approval of what has changed since it was given'
            WHEN a.id IS NULL AND s.amendment_id IS NOT NULL
            THEN 'approval of the amendment'
            ELSE a.name END,
       CASE WHEN s.amendment_id IS NOT NULL THEN 'amendment'
            WHEN s.status = 'reported' THEN 'reported' END, NULL
  FROM lims.sample s
  JOIN lims.organization o
    ON o.id = s.organization_id
  LEFT JOIN LATERAL (
       SELECT x.round AS latest, CASE WHEN x.status <> 'approved' THEN x.id END AS id,
              x.name, x.status
         FROM lims.approval x
        WHERE x.organization_id = s.organization_id
          AND x.sample_id = s.id
          AND x.replaced_at IS NULL
        ORDER BY x.round DESC, x.status = 'approved', x.status = 'rejected' DESC, x.step
        LIMIT 1) a ON true
 CROSS JOIN LATERAL (
       SELECT CASE WHEN a.status = 'rejected' THEN 'approval_rejected'
                   ELSE 'approval_required' END AS category) f
 WHERE a.status = 'rejected'
    OR (NOT o.coa_before_approval
        AND (a.id IS NOT NULL
             OR (a.latest IS NULL AND EXISTS (
                 SELECT FROM lims.approval_step p
                  WHERE p.organization_id = s.organization_id
                    AND p.active))
             OR (a.id IS NULL AND a.latest IS NOT NULL
                 AND (s.status <> 'reported' OR s.amendment_id IS NOT NULL)
                 AND lims.is_outdated(s.organization_id, s.id, a.latest))))
UNION ALL
SELECT i.organization_id, i.sample_id, 'investigation_open',
       lims.investigation_hardness(i.organization_id), i.sample_test_id, NULL, NULL,
       NULL, i.id, i.investigation_number, i.title, NULL
  FROM lims.investigation i
 WHERE i.sample_id IS NOT NULL
   AND i.status NOT IN ('closed', 'cancelled')
UNION ALL
SELECT s.organization_id, s.id, p.category, p.hardness, p.sample_test_id, p.qc_batch_id,
       p.media_lot_id, NULL, NULL, p.subject, p.circumstance, p.reagent_lot_id
  FROM lims.sample s
 CROSS JOIN LATERAL lims.policy_findings(s.organization_id, s.id) p
 WHERE EXISTS (
       SELECT FROM lims.sample_test t
        WHERE t.organization_id = s.organization_id
          AND t.sample_id = s.id
          AND t.result IS NOT NULL
          AND t.disposition = 'active')
UNION ALL
SELECT s.organization_id, s.id, 'document_failed',
       lims.finding_hardness('document_failed'), NULL, NULL, NULL, NULL, NULL,
       f.subject, f.circumstance, NULL
  FROM lims.sample s
 CROSS JOIN LATERAL lims.failed_documents(s.organization_id, s.id) f
 WHERE s.status = 'reported';

-- Returns how to clear a finding of this category: what kernel/blocker.c says of the gate
-- of this slug, or more exactly, by the subject. NULL: nothing clears it.
CREATE FUNCTION lims.finding_cleared_by(
    p_category text,
    p_subject text,
    p_circumstance text,
    p_has_approval boolean,
    p_has_batch boolean
) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE p_category
           WHEN 'incomplete_result' THEN coalesce(
               'entering a result for ' || p_subject, 'scheduling a test')
           WHEN 'unverified_result' THEN 'verifying the result'
           WHEN 'approval_required' THEN CASE
               WHEN p_has_approval THEN 'approving the sample'
               WHEN p_circumstance = 'reported' THEN 'amending the sample'
               WHEN p_circumstance IS NOT NULL
               THEN 'resubmitting the amendment, then approving it'
               ELSE 'completing the sample, then approving it' END
           WHEN 'approval_rejected' THEN CASE
               WHEN p_circumstance = 'reported' THEN 'amending the sample'
               WHEN p_circumstance IS NOT NULL
               THEN 'correcting the sample, or resubmitting the amendment'
               ELSE 'correcting the sample and completing it again' END
           WHEN 'qc_failed'
           THEN 'a passing evaluation or a signed override of the batch'
           WHEN 'confirmation_required' THEN 'deciding the confirmation'
           WHEN 'media_qc_failed'
           THEN 'repeating the test on another lot, or requalifying the lot'
           WHEN 'worksheet_incomplete' THEN 'filling and signing the worksheet'
           WHEN 'investigation_open' THEN 'closing the investigation'
           WHEN 'non_numeric_result' THEN 'entering a number, if there is one'
           WHEN 'retest_undecided'
           THEN 'choosing the verified result that is reported'
           WHEN 'sample_on_hold' THEN 'making the sample active again'
           WHEN 'lot_not_released'
           THEN 'releasing the lot, repeating the test with another, or a signed override'
           WHEN 'qc_pending' THEN CASE WHEN p_has_batch
               THEN 'the missing controls, or a signed override of the batch'
               ELSE 'covering the test by such a batch' END
           WHEN 'document_failed' THEN 'having the document made again'
           END
$$;

-- Returns the message of a finding as a sentence. It gets a capital unless it begins with
-- a name, such as that of a test or of an approval step, which stays as it is.
CREATE FUNCTION lims.finding_sentence(
    p_category text,
    p_message text,
    p_has_test boolean,
    p_has_approval boolean
) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE WHEN p_category IN ('media_qc_failed', 'worksheet_incomplete',
                                    'investigation_open', 'sample_on_hold',
                                    'lot_not_released', 'document_failed')
                  OR (p_category = 'incomplete_result' AND NOT p_has_test)
                  OR (p_category = 'approval_required' AND NOT p_has_approval)
                THEN upper(left(p_message, 1)) || substr(p_message, 2)
                ELSE p_message END || '.'
$$;

-- The findings with their messages: a failed batch or lot once for all its tests
-- (sample_test_ids); a batch that was overridden for another result says so.
CREATE VIEW lims.release_finding WITH (security_invoker = true) AS
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
           WHEN 'retest_undecided' THEN format(
               '%s was repeated, and none of its results is chosen', g.subject)
           WHEN 'sample_on_hold' THEN format(
               'the sample is on hold: %s', g.circumstance)
           WHEN 'lot_not_released' THEN format('%s %s', g.subject, g.circumstance)
           WHEN 'qc_pending' THEN CASE WHEN g.qc_batch_id IS NULL
               THEN format('%s is in no evaluated QC batch with the controls of %s',
                           g.subject, g.circumstance)
               ELSE concat_ws(' ', format('QC batch %s is not evaluated', g.subject),
                              g.circumstance) END
           WHEN 'document_failed' THEN format(
               'the document of certificate %s could not be made: %s', g.subject, g.circumstance)
       END AS message,
       lims.finding_cleared_by(g.category, g.subject, g.circumstance,
                               g.approval_id IS NOT NULL, g.qc_batch_id IS NOT NULL)
           AS cleared_by,
       CASE WHEN g.qc_batch_id IS NULL AND g.media_lot_id IS NULL
             AND g.reagent_lot_id IS NULL
            THEN g.sample_test_ids[1] END AS sample_test_id,
       g.qc_batch_id, g.media_lot_id,
       CASE WHEN g.category = 'worksheet_incomplete' THEN (
           SELECT w.id
             FROM lims.worksheet w
            WHERE w.organization_id = g.organization_id
              AND w.sample_test_id = g.sample_test_ids[1])
       END AS worksheet_id,
       g.approval_id, g.investigation_id, g.sample_test_ids, g.reagent_lot_id
  FROM (SELECT f.organization_id, f.sample_id, f.category,
               min(f.hardness) AS hardness,
               f.qc_batch_id, f.media_lot_id, f.reagent_lot_id, f.approval_id,
               f.investigation_id,
               min(f.subject) AS subject,
               min(f.circumstance) AS circumstance,
               coalesce(array_agg(f.sample_test_id ORDER BY f.sample_test_id)
                   FILTER (WHERE f.sample_test_id IS NOT NULL), '{}')
                   AS sample_test_ids
          FROM lims.finding f
         GROUP BY f.organization_id, f.sample_id, f.category, f.qc_batch_id,
                  f.media_lot_id, f.reagent_lot_id, f.approval_id, f.investigation_id,
                  -- A family of repeated tests has one finding: they share a definition.
                  CASE WHEN f.category = 'retest_undecided' THEN f.subject END,
                  CASE WHEN f.qc_batch_id IS NULL AND f.media_lot_id IS NULL
                        AND f.reagent_lot_id IS NULL AND f.category <> 'retest_undecided'
                       THEN f.sample_test_id END) g;
