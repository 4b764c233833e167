-- SPDX-License-Identifier: Apache-2.0
--
-- Packages: all that the laboratory knows of an investigation or a QC batch, for whoever
-- looks into it elsewhere: as members of an archive, and as a report for the printer.

-- The tests of a package: those that a batch covers, of an investigation those of its sample
-- and of its batch.
CREATE FUNCTION lims.package_tests(p_organization bigint, p_table text, p_id bigint)
RETURNS bigint[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN ARRAY(
        SELECT c.sample_test_id
          FROM lims.qc_coverage c
         WHERE c.organization_id = p_organization
           AND c.qc_batch_id = CASE p_table WHEN 'qc_batch' THEN p_id ELSE (
               SELECT i.qc_batch_id
                 FROM lims.investigation i
                WHERE i.organization_id = p_organization
                  AND i.id = p_id) END
         UNION
        SELECT t.id
          FROM lims.investigation i
          JOIN lims.sample_test t
            ON t.organization_id = i.organization_id
           AND t.sample_id = i.sample_id
         WHERE p_table = 'investigation'
           AND i.organization_id = p_organization
           AND i.id = p_id
         ORDER BY 1);
END
$$;

-- The batches of a package: the one itself, of an investigation the one that it is about and
-- those that cover its tests.
CREATE FUNCTION lims.package_batches(
    p_organization bigint,
    p_table text,
    p_id bigint,
    p_tests bigint[]
) RETURNS bigint[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF p_table = 'qc_batch' THEN
        RETURN ARRAY[p_id];
    END IF;
    RETURN ARRAY(
        SELECT c.qc_batch_id
          FROM lims.qc_coverage c
         WHERE c.organization_id = p_organization
           AND c.sample_test_id = ANY (p_tests)
         UNION
        SELECT i.qc_batch_id
          FROM lims.investigation i
         WHERE i.organization_id = p_organization
           AND i.id = p_id
           AND i.qc_batch_id IS NOT NULL
         ORDER BY 1);
END
$$;

-- The control charts of batches, each with its latest points.
CREATE FUNCTION lims.package_charts(p_organization bigint, p_batches bigint[])
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(to_jsonb(s) - 'organization_id' || jsonb_build_object(
                   'testCode', d.code, 'unit', d.unit, 'points', (
                       SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.charted_at,
                                                 p.qc_control_id), '[]')
                         FROM lims.qc_points(p_organization, s.id, NULL, NULL, 60) p))
                   ORDER BY s.id), '[]')
          FROM lims.qc_series_record s
          JOIN lims.test_definition d
            ON d.organization_id = s.organization_id
           AND d.id = s."testDefinitionId"
         WHERE s.organization_id = p_organization
           AND s.id IN (
               SELECT c.qc_series_id
                 FROM lims.qc_control c
                WHERE c.organization_id = p_organization
                  AND c.qc_batch_id = ANY (p_batches)));
END
$$;

-- The history of the record of a package, of its tests and of the batches whose controls it has,
-- in words. Where the beginning of one of them is archived, a first line says so.
CREATE FUNCTION lims.package_trail(
    p_organization bigint,
    p_table text,
    p_id bigint,
    p_tests bigint[],
    p_batches bigint[]
) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    v_archived jsonb;
    v_trail jsonb;
BEGIN
    SELECT jsonb_build_object('id', a.first_id, 'occurredAt', a.until, 'person', NULL,
               'sentence', a.sentence)
      INTO v_archived
      FROM (SELECT p_table, p_id
             UNION ALL
            SELECT 'sample_test', unnest(p_tests)
             UNION ALL
            SELECT 'qc_batch', unnest(p_batches)) AS r (table_name, record_id)
     CROSS JOIN LATERAL lims.record_archive(p_organization, r.table_name, r.record_id) a
     LIMIT 1;
    SELECT coalesce(jsonb_agg(jsonb_build_object('id', h.id, 'occurredAt', h."occurredAt",
               'person', h.person, 'sentence', h.sentence) ORDER BY h.id), '[]')
      INTO v_trail
      FROM lims.history_record h
     WHERE h.organization_id = p_organization
       AND (h.table_name, h.record_id) IN (
           SELECT r.table_name, r.record_id
             FROM lims.record_parts(p_organization, p_table, ARRAY[p_id]) r
            UNION
           SELECT r.table_name, r.record_id
             FROM lims.record_parts(p_organization, 'sample_test', p_tests) r
            UNION
           SELECT r.table_name, r.record_id
             FROM lims.record_parts(p_organization, 'qc_batch', p_batches) r);
    RETURN CASE WHEN v_archived IS NULL THEN '[]' ELSE jsonb_build_array(v_archived) END
        || v_trail;
END
$$;

-- Bytes of attachments that the archive of a package has at most.
CREATE FUNCTION lims.package_bytes_max() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT 33554432::bigint $$;

-- The attachments of the record of a package, in the order in which they were attached. Each
-- has its path in the archive: the id tells files of one name apart, and nothing in the name
-- leads out of the folder or hides its end. NULL: the archive would become too large with it.
CREATE FUNCTION lims.package_files(p_organization bigint, p_table text, p_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'at', f.created_at,
                   'by', u.display_name, 'fileName', f.file_name,
                   'mediaType', f.media_type, 'size', f.size,
                   'sha256', encode(f.sha256, 'hex'), 'withdrawnAt', f.withdrawn_at,
                   'withdrawalReason', f.withdrawal_reason,
                   'path', CASE WHEN f.so_far <= lims.package_bytes_max() THEN
                       format('attachments/%s-%s', f.id, right(regexp_replace(f.file_name,
                           '[[:cntrl:]/\\<>:"|?*\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]',
                           '_', 'g'), 50)) END)
                   ORDER BY f.id), '[]')
          FROM (SELECT a.*, sum(a.size) OVER (ORDER BY a.id) AS so_far
                  FROM lims.attachment a
                 WHERE a.organization_id = p_organization
                   AND a.table_name = p_table
                   AND a.record_id = p_id) f
          JOIN lims.user_account u
            ON u.organization_id = f.organization_id
           AND u.id = f.added_by);
END
$$;

-- Notes that people have left on the record of a package: comments, and files.
CREATE FUNCTION lims.package_notes(p_organization bigint, p_table text, p_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN jsonb_build_object(
        'files', lims.package_files(p_organization, p_table, p_id),
        'comments', (
            SELECT coalesce(jsonb_agg(jsonb_build_object('at', c.created_at, 'by', u.display_name,
                       'text', c.text) ORDER BY c.id), '[]')
              FROM lims.comment c
              JOIN lims.user_account u
                ON u.organization_id = c.organization_id
               AND u.id = c.created_by
             WHERE c.organization_id = p_organization
               AND c.table_name = p_table
               AND c.record_id = p_id));
END
$$;

-- Tests with their results, the controls of batches, worksheets: the records that the service
-- shows, with the names of those who entered and verified.
CREATE FUNCTION lims.package_records(
    p_organization bigint,
    p_tests bigint[],
    p_batches bigint[]
) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN jsonb_build_object(
        'results', (
            SELECT coalesce(jsonb_agg(to_jsonb(t) - 'organization_id' || jsonb_build_object(
                       'trackingId', s.tracking_id, 'enteredByName', e.display_name,
                       'verifiedByName', v.display_name) ORDER BY s.id, t.id), '[]')
              FROM lims.sample_test_record t
              JOIN lims.sample s
                ON s.organization_id = t.organization_id
               AND s.id = t."sampleId"
              LEFT JOIN lims.user_account e
                ON e.organization_id = t.organization_id
               AND e.id = t."enteredBy"
              LEFT JOIN lims.user_account v
                ON v.organization_id = t.organization_id
               AND v.id = t."verifiedBy"
             WHERE t.organization_id = p_organization
               AND t.id = ANY (p_tests)),
        'controls', (
            SELECT coalesce(jsonb_agg(to_jsonb(c) - 'organization_id' || jsonb_build_object(
                       'batchNumber', b.batch_number, 'testCode', d.code) ORDER BY c.id), '[]')
              FROM lims.qc_control_record c
              JOIN lims.qc_batch b
                ON b.organization_id = c.organization_id
               AND b.id = c."qcBatchId"
              LEFT JOIN lims.test_definition d
                ON d.organization_id = c.organization_id
               AND d.id = c."testDefinitionId"
             WHERE c.organization_id = p_organization
               AND c."qcBatchId" = ANY (p_batches)),
        'worksheets', (
            SELECT coalesce(jsonb_agg(to_jsonb(w) - 'organization_id' ORDER BY w.id), '[]')
              FROM lims.worksheet_record w
             WHERE w.organization_id = p_organization
               AND w."sampleTestId" = ANY (p_tests)));
END
$$;

-- Returns the package of an investigation or of a QC batch, NULL where there is no such
-- record. Refuses one that is larger than a reader could take in.
CREATE FUNCTION lims.package_of(p_organization bigint, p_table text, p_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    v_tests CONSTANT bigint[] := lims.package_tests(p_organization, p_table, p_id);
    v_batches CONSTANT bigint[] :=
        lims.package_batches(p_organization, p_table, p_id, v_tests);
    v_record jsonb;
BEGIN
    EXECUTE format('SELECT to_jsonb(r) - ''organization_id'' FROM lims.%I r '
                   'WHERE r.organization_id = $1 AND r.id = $2', p_table || '_record')
       INTO v_record
      USING p_organization, p_id;
    IF v_record IS NULL THEN
        RETURN NULL;
    ELSIF cardinality(v_tests) > 1000 OR cardinality(v_batches) > 50 THEN
        PERFORM lims.refuse('payload_too_large', format(
            'the package would have %s tests and %s QC batches: at most 1,000 and 50 are '
            'put together', cardinality(v_tests), cardinality(v_batches)));
    END IF;
    RETURN jsonb_build_object(
               'record', v_record,
               'name', coalesce(v_record ->> 'investigationNumber',
                                v_record ->> 'batchNumber'),
               'madeAt', to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
               'laboratory', lims.certificate_laboratory(p_organization) ->> 'name',
               'charts', lims.package_charts(p_organization, v_batches),
               'notes', lims.package_notes(p_organization, p_table, p_id),
               'trail', lims.package_trail(p_organization, p_table, p_id, v_tests, v_batches))
        || lims.package_records(p_organization, v_tests, v_batches);
END
$$;

-- The report ----------------------------------------------------------------

-- Blocks of a part of a report: its heading, and a table, or that there is nothing.
CREATE FUNCTION lims.report_table(p_title text, p_columns text[], p_rows jsonb)
RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT jsonb_build_array(
               jsonb_build_object('type', 'heading', 'text', p_title),
               CASE WHEN p_rows IS NULL
                    THEN jsonb_build_object('type', 'paragraph', 'text', 'None.')
                    ELSE jsonb_build_object('type', 'table', 'rows', p_rows, 'columns', (
                        SELECT jsonb_agg(jsonb_build_object('title', c.title)
                                         ORDER BY c.place)
                          FROM unnest(p_columns) WITH ORDINALITY AS c (title, place)))
               END)
$$;

-- A member's name in words: "openedAt" is "Opened at".
CREATE FUNCTION lims.member_words(p_name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT upper(left(w.words, 1)) || substr(w.words, 2)
      FROM (SELECT lower(regexp_replace(p_name, '([a-z])([A-Z])', '\1 \2', 'g')) AS words) w
$$;

-- The facts of a record: its members that are texts, numbers or lists of texts; no ids, which
-- tell a reader nothing.
CREATE FUNCTION lims.report_facts(p_record jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT jsonb_build_array(jsonb_build_object('type', 'facts', 'items', coalesce(
               jsonb_agg(jsonb_build_object('label', lims.member_words(m.key), 'value',
                   CASE jsonb_typeof(m.value)
                       WHEN 'array' THEN (SELECT string_agg(x.value, '; ')
                                            FROM jsonb_array_elements_text(m.value) x)
                       ELSE m.value #>> '{}' END) ORDER BY m.place), '[]')))
      FROM jsonb_each(p_record) WITH ORDINALITY AS m (key, value, place)
     WHERE m.key !~ '(^id|Ids?|By)$'
       AND m.key NOT IN ('nextStatuses', 'actions', 'values')
       AND jsonb_typeof(m.value) <> 'null'
       AND m.value <> '[]'
       AND NOT jsonb_path_exists(m.value, '$[*] ? (@.type() == "object")')
$$;

-- Charts of a package, and their points as tables.
CREATE FUNCTION lims.package_chart_blocks(p_charts jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce(jsonb_agg(b.value ORDER BY c.place, b.place), '[]')
      FROM jsonb_array_elements(p_charts) WITH ORDINALITY AS c (value, place)
     CROSS JOIN LATERAL jsonb_array_elements(jsonb_build_array(jsonb_build_object(
               'type', 'chart', 'title', concat_ws(', ', c.value ->> 'testCode',
                   c.value ->> 'controlType', c.value ->> 'level', c.value ->> 'lot'),
               'unit', c.value -> 'unit', 'mean', c.value #> '{baseline,mean}',
               'sd', c.value #> '{baseline,s}', 'points', (
                   SELECT coalesce(jsonb_agg(jsonb_build_object('at', p.value -> 'charted_at',
                              'value', p.value -> 'value', 'rules', p.value -> 'broken',
                              'excluded', p.value -> 'excluded') ORDER BY p.place), '[]')
                     FROM jsonb_array_elements(c.value -> 'points')
                     WITH ORDINALITY AS p (value, place))))
           || lims.report_table('Points of the chart',
                  ARRAY['Measured', 'Value', 'Rules', 'Excluded because'], (
                   SELECT jsonb_agg(jsonb_build_array(left(p.value ->> 'charted_at', 16),
                              p.value ->> 'value', (
                                  SELECT string_agg(r.value, ', ')
                                    FROM jsonb_array_elements_text(p.value -> 'broken') r),
                              p.value ->> 'reason') ORDER BY p.place)
                     FROM jsonb_array_elements(c.value -> 'points')
                     WITH ORDINALITY AS p (value, place)))) WITH ORDINALITY AS b (value, place)
$$;

-- Worksheets of a package: the values of each, and who signed them off.
CREATE FUNCTION lims.package_worksheet_blocks(p_worksheets jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce(jsonb_agg(b.value ORDER BY w.place, b.place), '[]')
      FROM jsonb_array_elements(p_worksheets) WITH ORDINALITY AS w (value, place)
     CROSS JOIN LATERAL jsonb_array_elements(lims.report_table(
               format('Worksheet %s, %s of %s', w.value ->> 'templateName',
                      w.value ->> 'testCode', w.value ->> 'trackingId'),
               ARRAY['Field', 'Value', 'Unit'], (
                   SELECT jsonb_agg(jsonb_build_array(
                              coalesce(v.value ->> 'label', v.value ->> 'field'),
                              coalesce(v.value ->> 'value', v.value ->> 'problem'),
                              v.value ->> 'unit') ORDER BY v.place)
                     FROM jsonb_array_elements(w.value -> 'values')
                     WITH ORDINALITY AS v (value, place)))
           || lims.report_table('Signed off', ARRAY['Step', 'Meaning', 'By', 'At'], (
                   SELECT jsonb_agg(jsonb_build_array(s.value ->> 'step',
                              s.value ->> 'meaning', s.value ->> 'printedName',
                              left(s.value ->> 'signedAt', 19)) ORDER BY s.place)
                     FROM jsonb_array_elements(w.value -> 'signOffs')
                     WITH ORDINALITY AS s (value, place)))) WITH ORDINALITY AS b (value, place)
$$;

-- Results, controls, notes and trail of a package as tables.
CREATE FUNCTION lims.package_table_blocks(p jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT lims.report_table('Results', ARRAY['Sample', 'Test', 'Result', 'Unit', 'Limits',
               'Status', 'Entered by', 'Verified by'], (
               SELECT jsonb_agg(jsonb_build_array(r.value ->> 'trackingId',
                          r.value ->> 'testCode', concat(r.value ->> 'qualifier',
                              r.value ->> 'result'), r.value ->> 'unit',
                          r.value ->> 'specification', r.value ->> 'status',
                          r.value ->> 'enteredByName', r.value ->> 'verifiedByName')
                          ORDER BY r.place)
                 FROM jsonb_array_elements(p -> 'results')
                 WITH ORDINALITY AS r (value, place)))
        || lims.report_table('Controls', ARRAY['Batch', 'Control', 'Test', 'Expected',
               'Measured', 'Criterion', 'Limits', 'Verdict'], (
               SELECT jsonb_agg(jsonb_build_array(c.value ->> 'batchNumber',
                          concat_ws(' ', c.value ->> 'controlType', c.value ->> 'level'),
                          c.value ->> 'testCode', coalesce(c.value ->> 'expectedValue',
                              c.value ->> 'expectedText'),
                          coalesce(c.value ->> 'measuredValue', c.value ->> 'measuredText'),
                          c.value ->> 'criterion', concat_ws(' to ', c.value ->> 'lowerLimit',
                              c.value ->> 'upperLimit'),
                          CASE c.value ->> 'passed' WHEN 'true' THEN 'passed'
                              WHEN 'false' THEN 'failed' ELSE 'not evaluated' END)
                          ORDER BY c.place)
                 FROM jsonb_array_elements(p -> 'controls')
                 WITH ORDINALITY AS c (value, place)))
        || lims.report_table('Comments', ARRAY['At', 'By', 'Text'], (
               SELECT jsonb_agg(jsonb_build_array(left(c.value ->> 'at', 16),
                          c.value ->> 'by', c.value ->> 'text') ORDER BY c.place)
                 FROM jsonb_array_elements(p #> '{notes,comments}')
                 WITH ORDINALITY AS c (value, place)))
        || lims.report_table('Files', ARRAY['At', 'By', 'File', 'Bytes', 'SHA-256',
               'In the ZIP archive'], (
               SELECT jsonb_agg(jsonb_build_array(left(f.value ->> 'at', 16),
                          f.value ->> 'by', concat(f.value ->> 'fileName',
                              ', withdrawn: ' || (f.value ->> 'withdrawalReason')),
                          f.value ->> 'size', f.value ->> 'sha256',
                          coalesce(f.value ->> 'path', 'left out: the files have more than '
                              || lims.package_bytes_max() / 1048576 || ' MB in all'))
                          ORDER BY f.place)
                 FROM jsonb_array_elements(p #> '{notes,files}')
                 WITH ORDINALITY AS f (value, place)))
$$;

-- The job for the printer (modules/print/README.md) of a package.
CREATE FUNCTION lims.package_report(p jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT jsonb_build_object('kind', 'report', 'orientation', 'landscape',
               'title', format('Package of %s', p ->> 'name'),
               'subtitle', coalesce(p #>> '{record,title}', p #>> '{record,method}'),
               'laboratory', p -> 'laboratory', 'madeAt', p -> 'madeAt', 'blocks',
               lims.report_facts(p -> 'record')
               || CASE WHEN p -> 'record' ? 'actions' THEN
                      lims.report_table('Actions', ARRAY['Action', 'Due', 'Done'], (
                          SELECT jsonb_agg(jsonb_build_array(a.value ->> 'text',
                                     a.value ->> 'dueDate', left(a.value ->> 'doneAt', 16))
                                     ORDER BY a.place)
                            FROM jsonb_array_elements(p #> '{record,actions}')
                            WITH ORDINALITY AS a (value, place)))
                  ELSE '[]' END
               || lims.package_table_blocks(p)
               || lims.package_chart_blocks(p -> 'charts')
               || lims.package_worksheet_blocks(p -> 'worksheets')
               || lims.report_table('Trail', ARRAY['At (UTC)', 'What was done'], (
                      SELECT jsonb_agg(jsonb_build_array(left(t.value ->> 'occurredAt', 19),
                                 t.value ->> 'sentence') ORDER BY t.place)
                        FROM jsonb_array_elements(p -> 'trail')
                        WITH ORDINALITY AS t (value, place))))
$$;
