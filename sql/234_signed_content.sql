-- SPDX-License-Identifier: Apache-2.0
--
-- Content that a signature covers: for each table that is signed a list of members, by
-- name, so that a column added later changes no signature. The lists leave out status,
-- time stamps and assignment, and the texts that the signed act itself writes: comment,
-- conclusion and reason stand beside it, in the signature (104). So a signature stands
-- after its own act, and falls with any change of the signed content.

-- The version of a table's list. Has to be increased with each change of the list; of the
-- tables that are signed with the release content, with that (150).
CREATE FUNCTION lims.signed_version(p_table text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN p_table IN ('approval', 'sample', 'amendment') THEN lims.content_version()
                ELSE 1 END
$$;

-- A result: what was measured, by which limits and with what, and who entered it.
CREATE FUNCTION lims.signed_result(p_organization bigint, p_id bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'id', t.id,
                   'sampleId', t.sample_id,
                   'testDefinitionId', t.test_definition_id,
                   'testCode', t.test_code,
                   'testName', t.test_name,
                   'method', t.method,
                   'result', t.result,
                   'qualifier', t.qualifier,
                   'unit', t.unit,
                   'specification', CASE WHEN t.result IS NOT NULL
                                         THEN t.specification END,
                   'outOfSpecification', t.out_of_specification,
                   'reportingLimit', t.reporting_limit,
                   'methodDetectionLimit', t.method_detection_limit,
                   'reagentLotId', t.reagent_lot_id,
                   'mediaLotId', t.media_lot_id,
                   'notes', t.notes,
                   'analyzedAt', t.analyzed_at,
                   'enteredAt', t.entered_at,
                   'enteredBy', t.entered_by)
          FROM lims.sample_test_state t
         WHERE t.organization_id = p_organization
           AND t.id = p_id);
END
$$;

-- A worksheet: its values, and who filled them in; of computed ones nobody did.
CREATE FUNCTION lims.signed_worksheet(p_organization bigint, p_id bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'id', w.id,
                   'sampleTestId', w.sample_test_id,
                   'templateId', w.template_id,
                   'values', (
                       SELECT coalesce(jsonb_agg(jsonb_build_object(
                                  'fieldId', v.field_id,
                                  'value', v.value,
                                  'enteredBy', v.entered_by)
                                  ORDER BY v.field_id), '[]')
                         FROM (SELECT e.field_id, e.value, e.entered_by
                                 FROM lims.worksheet_value e
                                WHERE e.organization_id = w.organization_id
                                  AND e.worksheet_id = w.id
                                UNION ALL
                               SELECT c.field_id, c.value, NULL
                                 FROM lims.worksheet_computed(w.organization_id, w.id) c)
                              v))
          FROM lims.worksheet w
         WHERE w.organization_id = p_organization
           AND w.id = p_id);
END
$$;

CREATE FUNCTION lims.signed_controls(p_organization bigint, p_batch bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'id', c.id,
                   'controlType', c.control_type,
                   'testDefinitionId', c.test_definition_id,
                   'criterion', c.criterion,
                   'expectedValue', c.expected_value,
                   'measuredValue', c.measured_value,
                   'nativeValue', c.native_value,
                   'lowerLimit', c.lower_limit,
                   'upperLimit', c.upper_limit,
                   'expectedText', c.expected_text,
                   'measuredText', c.measured_text,
                   'unit', c.unit,
                   'level', c.level,
                   'lot', c.lot,
                   'passed', c.passed,
                   'notes', c.notes) ORDER BY c.id), '[]')
          FROM lims.qc_control c
         WHERE c.organization_id = p_organization
           AND c.qc_batch_id = p_batch);
END
$$;

-- A QC batch: its controls, and the results that it covers.
CREATE FUNCTION lims.signed_qc_batch(p_organization bigint, p_id bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'id', b.id,
                   'batchNumber', b.batch_number,
                   'method', b.method,
                   'analysisDate', b.analysis_date,
                   'instrumentId', b.instrument_id,
                   'notes', b.notes,
                   'controls', lims.signed_controls(b.organization_id, b.id),
                   'results', (
                       SELECT coalesce(jsonb_agg(jsonb_build_object(
                                  'sampleTestId', t.id,
                                  'result', t.result,
                                  'qualifier', t.qualifier) ORDER BY t.id), '[]')
                         FROM lims.qc_coverage c
                         JOIN lims.sample_test t
                           ON t.organization_id = c.organization_id
                          AND t.id = c.sample_test_id
                        WHERE c.organization_id = b.organization_id
                          AND c.qc_batch_id = b.id))
          FROM lims.qc_batch b
         WHERE b.organization_id = p_organization
           AND b.id = p_id);
END
$$;

-- An investigation: what it is about, and what was found.
CREATE FUNCTION lims.signed_investigation(p_organization bigint, p_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'id', i.id,
                   'investigationNumber', i.investigation_number,
                   'title', i.title,
                   'kind', i.kind,
                   'sampleId', i.sample_id,
                   'sampleTestId', i.sample_test_id,
                   'qcBatchId', i.qc_batch_id,
                   'reagentLotId', i.reagent_lot_id,
                   'mediaLotId', i.media_lot_id,
                   'instrumentFileId', i.instrument_file_id,
                   'openedAt', i.opened_at,
                   'openedBy', i.opened_by,
                   'openedValue', i.opened_value,
                   'checks', i.checks,
                   'hypotheses', i.hypotheses,
                   'retestPlan', i.retest_plan,
                   'rootCause', i.root_cause)
          FROM lims.investigation i
         WHERE i.organization_id = p_organization
           AND i.id = p_id);
END
$$;

-- A certificate, by the hash of its content.
CREATE FUNCTION lims.signed_certificate(p_organization bigint, p_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'id', c.id,
                   'sampleId', c.sample_id,
                   'certificateNumber', c.certificate_number,
                   'version', c.version,
                   'sha256', encode(c.sha256, 'hex'))
          FROM lims.certificate c
         WHERE c.organization_id = p_organization
           AND c.id = p_id);
END
$$;

-- A step of approval, with the release content that it is about.
CREATE FUNCTION lims.signed_approval(p_organization bigint, p_id bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'id', a.id,
                   'sampleId', a.sample_id,
                   'round', a.round,
                   'step', a.step,
                   'name', a.name,
                   'content', lims.release_content(a.organization_id, a.sample_id))
          FROM lims.approval a
         WHERE a.organization_id = p_organization
           AND a.id = p_id);
END
$$;

-- An amendment, with the release content that the next certificate reports.
CREATE FUNCTION lims.signed_amendment(p_organization bigint, p_id bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'id', a.id,
                   'sampleId', a.sample_id,
                   'reason', a.reason,
                   'content', lims.release_content(a.organization_id, a.sample_id))
          FROM lims.amendment a
         WHERE a.organization_id = p_organization
           AND a.id = p_id);
END
$$;

-- A lot that is not released, as whoever accepts it for a sample has seen it: a later
-- quarantine or failure is another content.
CREATE FUNCTION lims.signed_lot(
    p_organization bigint,
    p_reagent_lot bigint,
    p_media_lot bigint
) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'id', coalesce(l.reagent_lot_id, l.media_lot_id),
                   'code', l.code,
                   'qcStatus', l.qc_status,
                   'failed', l.has_failed,
                   'timesUnreleased', l.times_unreleased,
                   'quarantineReason', coalesce(r.quarantine_reason, m.quarantine_reason))
          FROM lims.lots_named(p_organization, p_reagent_lot, p_media_lot) l
          LEFT JOIN lims.reagent_lot r
            ON r.organization_id = p_organization
           AND r.id = l.reagent_lot_id
          LEFT JOIN lims.media_lot m
            ON m.organization_id = p_organization
           AND m.id = l.media_lot_id);
END
$$;

-- The content that a signature covers; NULL: there is no such record.
CREATE FUNCTION lims.signed_content(
    p_organization bigint,
    p_table text,
    p_record_id bigint
) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    v_content jsonb;
BEGIN
    CASE p_table
    WHEN 'sample_test' THEN
        v_content := lims.signed_result(p_organization, p_record_id);
    WHEN 'approval' THEN
        v_content := lims.signed_approval(p_organization, p_record_id);
    WHEN 'worksheet' THEN
        v_content := lims.signed_worksheet(p_organization, p_record_id);
    WHEN 'qc_batch' THEN
        v_content := lims.signed_qc_batch(p_organization, p_record_id);
    WHEN 'investigation' THEN
        v_content := lims.signed_investigation(p_organization, p_record_id);
    WHEN 'certificate' THEN
        v_content := lims.signed_certificate(p_organization, p_record_id);
    WHEN 'amendment' THEN
        v_content := lims.signed_amendment(p_organization, p_record_id);
    WHEN 'sample' THEN
        v_content := lims.release_content(p_organization, p_record_id);
    WHEN 'reagent_lot' THEN
        v_content := lims.signed_lot(p_organization, p_record_id, NULL);
    WHEN 'media_lot' THEN
        v_content := lims.signed_lot(p_organization, NULL, p_record_id);
    WHEN 'organization' THEN
        -- Policies are what the act itself writes.
        SELECT jsonb_build_object('id', o.id, 'code', o.code)
          INTO v_content
          FROM lims.organization o
         WHERE o.id = p_organization
           AND o.id = p_record_id;
    ELSE
        PERFORM lims.refuse('invalid_reference', format(
            'no signed content is defined for records of %s', p_table));
    END CASE;
    RETURN v_content || jsonb_build_object('version', lims.signed_version(p_table));
END
$$;

-- The hash of content: of its text, in which the order of members is fixed.
-- (Not in SQL: since convert_to() is not immutable, it would be planned anew at each call.)
CREATE FUNCTION lims.content_hash(p_content jsonb) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN sha256(convert_to(p_content::text, 'UTF8'));
END
$$;

CREATE FUNCTION lims.signed_hash(
    p_organization bigint,
    p_table text,
    p_record_id bigint
) RETURNS bytea
LANGUAGE sql STABLE
AS $$
    SELECT lims.content_hash(lims.signed_content(p_organization, p_table, p_record_id))
$$;

-- Returns the content that signatures of records would cover now, for people who are
-- about to sign.
CREATE FUNCTION lims.signed_content_record(p_organization bigint, p_table text, p_ids bigint[])
RETURNS TABLE (id bigint, "table" text, name text, "contentHash" text, content jsonb)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN QUERY
    SELECT c.id, p_table, lims.record_name(p_organization, p_table, c.id),
           encode(lims.content_hash(c.content), 'hex'), c.content
      FROM (SELECT i.id, lims.signed_content(p_organization, p_table, i.id) AS content
              FROM unnest(p_ids) AS i (id)) c
     WHERE c.content IS NOT NULL;
END
$$;

-- Whether the record still has the content that was signed; NULL if that cannot be told,
-- because another version of the list was signed.
CREATE FUNCTION lims.signature_fits(p_organization bigint, p_signature bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT s.content_hash = lims.content_hash(s.content)
               AND s.content_hash = lims.signed_hash(s.organization_id, s.table_name,
                                                     s.record_id)
          FROM lims.electronic_signature s
         WHERE s.organization_id = p_organization
           AND s.id = p_signature
           AND s.content_version = lims.signed_version(s.table_name));
END
$$;
