-- SPDX-License-Identifier: Apache-2.0
--
-- Importing what was read of an instrument's file: all of it or nothing, in one
-- transaction, through the very function that enters results by hand, behind the
-- same gates and locks; and if not, every reason why.
--
-- What was read is a document that the service makes of a file and a profile,
-- neither of which knows the laboratory's records:
--
--     { profileId, profileName, timeZone, rowsHash, counts, reasons, blocking,
--       policy: { statuses, existing, maxAgeDays, futureToleranceMinutes },
--       controls: [ { type, criterion, expectedValue, lowerLimit, upperLimit,
--                     expectedText } ],
--       readings: [ { sheet, row, column, offset, cell, trackingId, testCode,
--                     result, unit, qualifier, analysedAt, operator,
--                     control: its place in controls } ] }

-- A reading, and what it is about.
CREATE TYPE lims.file_reading AS (
    place bigint,
    sheet text,
    row_number integer,
    column_number integer,
    byte_offset bigint,
    cell text,
    tracking_id text,
    test_code text,
    result text,
    unit text,
    qualifier text,
    analyzed_at timestamptz,
    operator_name text,
    control jsonb,
    sample_id bigint,
    test_definition_id bigint,
    sample_test_id bigint,
    tests integer
);

-- A moment as a file has it: with its zone, or in the one that is given.
CREATE FUNCTION lims.moment_of(p_text text, p_zone text) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN p_text ~ '(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
                 AND p_text ~ '[0-9]:[0-9]'
                THEN p_text::timestamptz
                ELSE p_text::timestamp AT TIME ZONE p_zone END
$$;

-- Whether two units are the same but for blanks, the kind of mu, and how the
-- litre is written. Never but for capitals: mPa is not MPa.
CREATE FUNCTION lims.spelt_unit(p_unit text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT regexp_replace(translate(p_unit, U&'\00B5\03BC ', 'uu'),
                          '(^|[/dcmunp])l(?![a-zA-Z])', '\1L', 'g')
$$;

-- Finds what the readings are about, in lists and not one by one. Nested loops
-- are out of the question: a plan made for ten readings would be kept for ten
-- thousand.
CREATE FUNCTION lims.resolve_readings(p_organization bigint, p_reading jsonb)
RETURNS lims.file_reading[]
LANGUAGE plpgsql
SET enable_nestloop = off
AS $$
DECLARE
    v_zone text;
    v_ids text[];
    v_codes text[];
    v_rows lims.file_reading[];
BEGIN
    SELECT coalesce(p_reading ->> 'timeZone', o.time_zone)
      INTO v_zone
      FROM lims.organization o
     WHERE o.id = p_organization;
    SELECT array_agg(DISTINCT r.value ->> 'trackingId'),
           array_agg(DISTINCT r.value ->> 'testCode')
      INTO v_ids, v_codes
      FROM jsonb_array_elements(p_reading -> 'readings') r;

    WITH samples AS MATERIALIZED (
        SELECT s.id, s.tracking_id
          FROM lims.sample s
         WHERE s.organization_id = p_organization
           AND s.tracking_id = ANY (v_ids)
    ), definitions AS MATERIALIZED (
        SELECT d.id, d.code
          FROM lims.test_definition d
         WHERE d.organization_id = p_organization
           AND d.code = ANY (v_codes)
    ), tests AS MATERIALIZED (
        SELECT t.sample_id, t.test_definition_id, min(t.id) AS id,
               count(*)::integer AS tests
          FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.sample_id = ANY (ARRAY(SELECT s.id FROM samples s))
           AND t.test_definition_id = ANY (ARRAY(SELECT d.id FROM definitions d))
         GROUP BY t.sample_id, t.test_definition_id
    )
    SELECT array_agg(ROW(r.place, nullif(r.sheet, ''), r."row",
                         nullif(r."column", 0), r."offset", r.cell,
                         r."trackingId", r."testCode", r.result, r.unit,
                         r.qualifier, lims.moment_of(r."analysedAt", v_zone),
                         r.operator, p_reading -> 'controls' -> r.control,
                         s.id, d.id,
                         CASE WHEN r.control IS NULL THEN t.id END,
                         coalesce(t.tests, 0))::lims.file_reading
                     ORDER BY r.place)
      INTO v_rows
      FROM ROWS FROM (jsonb_to_recordset(p_reading -> 'readings') AS (
               sheet text, "row" integer, "column" integer, "offset" bigint,
               cell text, "trackingId" text, "testCode" text, result text,
               unit text, qualifier text, "analysedAt" text, operator text,
               control integer)) WITH ORDINALITY AS r (
               sheet, "row", "column", "offset", cell, "trackingId",
               "testCode", result, unit, qualifier, "analysedAt", operator,
               control, place)
      LEFT JOIN samples s ON s.tracking_id = r."trackingId"
      LEFT JOIN definitions d ON d.code = r."testCode"
      LEFT JOIN tests t ON t.sample_id = s.id AND t.test_definition_id = d.id;
    RETURN coalesce(v_rows, '{}');
END
$$;

-- Every reason why what was read cannot be written, as it now stands; the tests
-- and samples are held by who asks.
CREATE FUNCTION lims.reading_reasons(
    p_organization bigint,
    p_rows lims.file_reading[],
    p_policy jsonb
) RETURNS jsonb
LANGUAGE plpgsql
SET enable_nestloop = off
AS $$
DECLARE
    v_reasons jsonb;
BEGIN
    WITH told AS MATERIALIZED (
        SELECT r.*,
               count(*) OVER (PARTITION BY r.control IS NULL, r.tracking_id,
                              r.test_code) AS times
          FROM unnest(p_rows) r
    ), policy AS MATERIALIZED (
        SELECT o.time_zone, o.reagent_expiry_policy = 'block' AS blocks,
               (now() AT TIME ZONE o.time_zone)::date AS today,
               ARRAY(SELECT jsonb_array_elements_text(p_policy -> 'statuses'))
                   AS statuses,
               p_policy ->> 'existing' AS existing,
               nullif((p_policy ->> 'maxAgeDays')::integer, 0) AS days,
               least((p_policy ->> 'futureToleranceMinutes')::integer, 5)
                   AS minutes
          FROM lims.organization o
         WHERE o.id = p_organization
    ), samples AS MATERIALIZED (
        SELECT s.id, s.status, coalesce(s.collected_at,
                   s.collection_date::timestamp AT TIME ZONE p.time_zone)
                   AS collected
          FROM lims.sample s
         CROSS JOIN policy p
         WHERE s.organization_id = p_organization
           AND s.id = ANY (ARRAY(SELECT DISTINCT r.sample_id FROM told r))
    ), tests AS MATERIALIZED (
        SELECT t.id, t.status, t.result, t.qualifier, t.reagent_lot_id
          FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.id = ANY (ARRAY(SELECT r.sample_test_id FROM told r))
    ), definitions AS MATERIALIZED (
        SELECT d.id, d.unit
          FROM lims.test_definition d
         WHERE d.organization_id = p_organization
           AND d.id = ANY (ARRAY(SELECT DISTINCT r.test_definition_id FROM told r))
    ), expired AS MATERIALIZED (
        SELECT l.id, l.code, l.expires_on
          FROM lims.reagent_lot l
         CROSS JOIN policy p
         WHERE l.organization_id = p_organization
           AND p.blocks
           AND l.expires_on < p.today
           AND l.id = ANY (ARRAY(SELECT DISTINCT t.reagent_lot_id FROM tests t))
    ), natives AS MATERIALIZED (
        SELECT DISTINCT r.tracking_id, r.test_code
          FROM told r
         WHERE r.control IS NULL
    ), judged AS MATERIALIZED (
        SELECT r.*, s.status AS sample_status, t.status AS test_status,
               t.result AS stands, d.unit AS known_unit, p.statuses,
               e.code AS lot, e.expires_on, s.collected,
               r.control IS NULL AS is_sample,
               coalesce(r.control IS NULL
                   AND t.status = 'entered'
                   AND p.existing <> 'overwrite'
                   AND (p.existing = 'quarantine'
                        OR (t.result, t.qualifier)
                           IS DISTINCT FROM (r.result, r.qualifier)), false)
                   AS conflicts,
               coalesce(r.analyzed_at > now() + make_interval(mins => p.minutes),
                        false) AS is_ahead,
               coalesce(r.analyzed_at < s.collected, false)
                   AND r.control IS NULL AS is_early,
               coalesce(r.analyzed_at < now() - make_interval(days => p.days),
                        false) AS is_old,
               coalesce(r.unit, '') <> '' AND coalesce(d.unit, '') <> ''
                   AND lims.spelt_unit(r.unit) <> lims.spelt_unit(d.unit)
                   AS is_other_unit,
               coalesce(r.control ->> 'criterion' <> 'expected'
                        AND lims.result_number(r.result) IS NULL, false)
                   AS is_no_number,
               coalesce(r.control ->> 'criterion' = 'rpd'
                   AND n.tracking_id IS NULL
                   AND count(*) OVER (PARTITION BY r.control, r.tracking_id,
                                      r.test_code) <> 2, false) AS is_unpaired
          FROM told r
         CROSS JOIN policy p
          LEFT JOIN samples s ON s.id = r.sample_id
          LEFT JOIN tests t ON t.id = r.sample_test_id
          LEFT JOIN definitions d ON d.id = r.test_definition_id
          LEFT JOIN expired e ON e.id = t.reagent_lot_id
          LEFT JOIN natives n ON n.tracking_id = r.tracking_id
                             AND n.test_code = r.test_code
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object(
               'code', x.code, 'severity', 'blocking', 'message', x.message,
               'sheet', x.sheet, 'row', x.row_number, 'column', x.column_number,
               'cell', x.cell, 'expected', x.expected) ORDER BY x.place), '[]')
      INTO v_reasons
      FROM (SELECT j.place, j.sheet, j.row_number, j.column_number,
                   v.code, v.message, v.expected, coalesce(v.cell, j.cell) AS cell
              FROM judged j
             CROSS JOIN LATERAL (VALUES
                   (j.is_sample AND j.tracking_id IS NOT NULL
                    AND j.sample_id IS NULL,
                    'unknown_tracking_id',
                    format('There is no sample %s.%s', j.tracking_id,
                           CASE WHEN lims.tracking_id_is_valid(j.tracking_id)
                                THEN '' ELSE ' Its check character is not that '
                                'of a tracking id: it may be mistyped.' END),
                    NULL, j.tracking_id),
                   (j.is_sample AND j.sample_status <> ALL (j.statuses),
                    'sample_status_not_allowed',
                    format('Sample %s is %s.', j.tracking_id, j.sample_status),
                    array_to_string(j.statuses, ' or '), j.tracking_id),
                   (j.test_code IS NOT NULL AND j.test_definition_id IS NULL,
                    'unknown_test_code',
                    format('There is no test definition %s.', j.test_code),
                    NULL, j.test_code),
                   (j.is_sample AND j.sample_id IS NOT NULL
                    AND j.test_definition_id IS NOT NULL AND j.tests = 0,
                    'test_not_scheduled',
                    format('Sample %s has no test %s.', j.tracking_id,
                           j.test_code), NULL, j.test_code),
                   (j.is_sample AND j.tests > 1,
                    'ambiguous_test',
                    format('Sample %s has %s tests %s.', j.tracking_id, j.tests,
                           j.test_code), 'one', j.test_code),
                   (j.test_status = 'verified',
                    'test_verified_locked',
                    format('%s of sample %s is verified and locked.',
                           j.test_code, j.tracking_id), NULL, NULL),
                   (j.conflicts,
                    'result_conflict',
                    format('%s of sample %s has a result already.',
                           j.test_code, j.tracking_id), j.stands, NULL),
                   (j.lot IS NOT NULL,
                    'reagent_lot_expired',
                    format('%s of sample %s was to be done with reagent lot %s, '
                           'which expired on %s.', j.test_code, j.tracking_id,
                           j.lot, j.expires_on), NULL, NULL),
                   -- Said of samples that there are and that there are not.
                   (j.is_sample AND j.tracking_id IS NOT NULL
                    AND j.test_code IS NOT NULL AND j.times > 1,
                    'duplicate_row',
                    format('The file has %s results for %s of sample %s.',
                           j.times, j.test_code, j.tracking_id), 'one', NULL),
                   (j.is_other_unit,
                    'unit_mismatch',
                    format('%s is kept in %s, not in %s.', j.test_code,
                           j.known_unit, j.unit), j.known_unit, j.unit),
                   (coalesce(j.qualifier NOT IN ('<', '>', 'ND', 'J', 'U'), false)
                    AND j.is_sample,
                    'unknown_qualifier',
                    format('%s is no qualifier that results have.', j.qualifier),
                    '<, >, ND, J or U', j.qualifier),
                   (coalesce(j.result !~ '\S', true), 'missing_value',
                    'There is no value.', NULL, NULL),
                   (length(j.result) > 1000, 'value_too_long',
                    'A result has at most 1000 characters.', NULL, NULL),
                   (j.is_no_number, 'non_numeric',
                    'The control is judged by its number.', 'a number', NULL),
                   (j.is_unpaired, 'replicate_unresolved',
                    'A relative difference is that of two values of the same: '
                    'there have to be two.', 'two', NULL),
                   (j.is_ahead, 'timestamp_in_future',
                    'The analysis lies in the future: is the clock of the '
                    'instrument right?', NULL, j.analyzed_at::text),
                   (j.is_early, 'timestamp_before_collection',
                    'The analysis lies before the collection of the sample.',
                    NULL, j.analyzed_at::text),
                   (j.is_old, 'timestamp_invalid',
                    'The analysis lies further back than the profile takes.',
                    NULL, j.analyzed_at::text)
                   ) AS v (holds, code, message, expected, cell)
             WHERE (j.is_sample AND (j.sample_test_id IS NULL
                        OR j.sample_status <> ALL (j.statuses)
                        OR j.tests > 1 OR j.times > 1
                        OR j.test_status = 'verified' OR j.conflicts
                        OR j.lot IS NOT NULL
                        OR j.qualifier NOT IN ('<', '>', 'ND', 'J', 'U'))
                    OR (j.test_definition_id IS NULL AND j.test_code IS NOT NULL)
                    OR coalesce(j.result !~ '\S', true)
                    OR length(j.result) > 1000 OR j.is_no_number
                    OR j.is_unpaired OR j.is_ahead OR j.is_early OR j.is_old
                    OR j.is_other_unit)
               AND v.holds
             ORDER BY j.place
             LIMIT 500) x;
    RETURN v_reasons;
END
$$;

-- The controls of a run are a QC batch of their own, which covers the tests of
-- the same file that are in none yet, and is evaluated at once. The value that a
-- duplicate or a spike is held against is the sample's own in the same file, or
-- the first of the two. Returns the batch; NULL: there were no controls.
CREATE FUNCTION lims.write_controls(
    p_organization bigint,
    p_file bigint,
    p_rows lims.file_reading[],
    p_method text
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_batch bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM unnest(p_rows) r WHERE r.control IS NOT NULL) THEN
        RETURN NULL;
    END IF;
    INSERT INTO lims.qc_batch (organization_id, batch_number, method,
        analysis_date, notes)
    SELECT p_organization, format('FILE-%s', p_file), left(p_method, 255),
           (coalesce(min(r.analyzed_at), now()) AT TIME ZONE o.time_zone)::date,
           format('Read from file %s.', p_file)
      FROM lims.organization o
     CROSS JOIN unnest(p_rows) r
     WHERE o.id = p_organization
     GROUP BY o.time_zone
    RETURNING id INTO v_batch;
    UPDATE lims.sample_test t
       SET qc_batch_id = v_batch
     WHERE t.organization_id = p_organization
       AND t.id IN (SELECT r.sample_test_id FROM unnest(p_rows) r)
       AND t.qc_batch_id IS NULL
       AND t.status <> 'verified';
    WITH told AS MATERIALIZED (
        SELECT r.*, n.result AS sample_result,
               row_number() OVER same AS number,
               lag(r.result) OVER same AS before
          FROM unnest(p_rows) r
          LEFT JOIN (SELECT s.tracking_id, s.test_code, min(s.result) AS result
                       FROM unnest(p_rows) s
                      WHERE s.control IS NULL
                      GROUP BY s.tracking_id, s.test_code) n
            ON n.tracking_id = r.tracking_id
           AND n.test_code = r.test_code
         WHERE r.control IS NOT NULL
        WINDOW same AS (PARTITION BY r.control, r.tracking_id, r.test_code
                        ORDER BY r.place)
    ), numbered AS MATERIALIZED (
        SELECT t.*, CASE WHEN t.control ->> 'criterion' <> 'rpd'
                           OR t.sample_result IS NOT NULL OR t.number % 2 = 0
                         THEN nextval('lims.qc_control_id_seq') END AS id
          FROM told t
    ), made AS (
        INSERT INTO lims.qc_control (organization_id, id, qc_batch_id,
            control_type, test_definition_id, criterion, expected_value,
            measured_value, native_value, lower_limit, upper_limit,
            expected_text, measured_text, unit, notes)
        SELECT p_organization, c.id, v_batch, c.control ->> 'type',
               c.test_definition_id, c.control ->> 'criterion',
               (c.control ->> 'expectedValue')::numeric,
               lims.result_number(c.result),
               CASE WHEN c.control ->> 'criterion' IN ('rpd', 'recovery')
                    THEN lims.result_number(coalesce(c.sample_result,
                        CASE c.control ->> 'criterion' WHEN 'rpd'
                             THEN c.before END)) END,
               (c.control ->> 'lowerLimit')::numeric,
               (c.control ->> 'upperLimit')::numeric,
               c.control ->> 'expectedText',
               CASE c.control ->> 'criterion' WHEN 'expected'
                    THEN left(c.result, 255) END,
               left(c.unit, 64),
               left(concat_ws(' ', format('Row %s of file %s.', c.row_number,
                                          p_file), c.tracking_id), 4000)
          FROM numbered c
         WHERE c.id IS NOT NULL
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
    RETURN v_batch;
END
$$;

-- Enters what was read and keeps where it stood; how many results changed.
CREATE FUNCTION lims.write_readings(
    p_organization bigint,
    p_file bigint,
    p_rows lims.file_reading[],
    p_method text
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    v_same bigint[];
    v_refused bigint;
    v_updates jsonb;
BEGIN
    IF EXISTS (SELECT FROM unnest(p_rows) r
                WHERE r.control IS NULL
                  AND r.sample_test_id IS NULL) THEN
        PERFORM lims.refuse('profile_error',
                            'a value was read that is no sample''s');
    END IF;
    SELECT coalesce(array_agg(t.id), '{}')
      INTO v_same
      FROM lims.sample_test t
      JOIN unnest(p_rows) r
        ON r.sample_test_id = t.id
     WHERE t.organization_id = p_organization
       AND (t.result, t.qualifier)
           IS NOT DISTINCT FROM (r.result, r.qualifier);
    SELECT jsonb_agg(jsonb_build_object('sampleTestId', r.sample_test_id,
               'result', r.result, 'qualifier', r.qualifier,
               'analyzedAt', r.analyzed_at))
      INTO v_updates
      FROM unnest(p_rows) r
     WHERE r.sample_test_id IS NOT NULL;
    IF v_updates IS NOT NULL THEN
        SELECT min(e.sample_test_id)
          INTO v_refused
          FROM lims.enter_results(p_organization, v_updates) e
         WHERE e.stood IS NULL
            OR e.stood = 'verified';
        IF v_refused IS NOT NULL THEN
            PERFORM lims.refuse('test_verified_locked', format(
                'sample test %s is verified and locked', v_refused));
        END IF;
    END IF;
    PERFORM lims.write_controls(p_organization, p_file, p_rows, p_method);
    INSERT INTO lims.instrument_file_row (organization_id, file_id, sheet,
        row_number, column_number, byte_offset, cell, sample_test_id,
        tracking_id, test_code, result, unit, qualifier, analyzed_at,
        operator_name, status)
    SELECT p_organization, p_file, r.sheet, r.row_number, r.column_number,
           r.byte_offset, r.cell, r.sample_test_id, r.tracking_id, r.test_code,
           r.result, r.unit, r.qualifier, r.analyzed_at, r.operator_name,
           CASE WHEN s.id IS NULL THEN 'written' ELSE 'unchanged' END
      FROM unnest(p_rows) r
      LEFT JOIN unnest(v_same) s (id)
        ON s.id = r.sample_test_id
     WHERE r.control IS NULL
     ORDER BY r.place;
    RETURN coalesce(jsonb_array_length(v_updates), 0) - cardinality(v_same);
END
$$;

-- Decides what becomes of a file that stands as `p_from`, by what was read of
-- it. Returns its status, and whether this decided it: another may have been
-- faster. With a resolution the file is released by a person.
--
-- What the rules of the laboratory refuse in the middle undoes what was entered
-- and leaves the reason, in the same transaction.
CREATE FUNCTION lims.import_file(
    p_organization bigint,
    p_file bigint,
    p_from text,
    p_reading jsonb,
    p_resolution jsonb DEFAULT NULL,
    p_reason text DEFAULT NULL,
    OUT status text,
    OUT decided boolean
)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    v_hash bytea := decode(p_reading ->> 'rowsHash', 'hex');
    v_reasons jsonb := coalesce(p_reading -> 'reasons', '[]');
    v_blocked boolean := (p_reading ->> 'blocking')::integer > 0;
    v_found jsonb;
    v_rows lims.file_reading[];
    v_earlier bigint;
    v_written integer := 0;
    v_slug text;
    v_message text;
BEGIN
    PERFORM lims.require_read_committed();
    SELECT f.status
      INTO status
      FROM lims.instrument_file f
     WHERE f.organization_id = p_organization
       AND f.id = p_file
       FOR NO KEY UPDATE;
    decided := coalesce(status = p_from, false);
    IF NOT decided THEN
        RETURN;
    END IF;
    IF v_hash IS NOT NULL AND NOT v_blocked THEN
        -- Two exports of the same, at once: the second waits here.
        PERFORM pg_advisory_xact_lock(
            hashtextextended(p_reading ->> 'rowsHash', p_organization));
        SELECT min(f.id)
          INTO v_earlier
          FROM lims.instrument_file f
         WHERE f.organization_id = p_organization
           AND f.rows_hash = v_hash
           AND f.status IN ('imported', 'released')
           AND f.duplicate_of IS NULL;
    END IF;
    IF v_earlier IS NULL THEN
        BEGIN
            v_rows := lims.resolve_readings(p_organization, p_reading);
            PERFORM FROM lims.sample_test t
              WHERE t.organization_id = p_organization
                AND t.id = ANY (ARRAY(SELECT r.sample_test_id
                                        FROM unnest(v_rows) r))
              ORDER BY t.id
                FOR NO KEY UPDATE;
            PERFORM FROM lims.sample s
              WHERE s.organization_id = p_organization
                AND s.id = ANY (ARRAY(SELECT DISTINCT r.sample_id
                                        FROM unnest(v_rows) r))
              ORDER BY s.id
                FOR SHARE;
            v_found := lims.reading_reasons(p_organization, v_rows,
                                            p_reading -> 'policy');
            v_reasons := v_reasons || v_found;
            v_blocked := v_blocked OR v_found <> '[]';
            IF NOT v_blocked THEN
                v_written := lims.write_readings(p_organization, p_file, v_rows,
                                                 p_reading ->> 'profileName');
            END IF;
        EXCEPTION
            WHEN SQLSTATE 'LM001' OR data_exception OR check_violation THEN
                GET STACKED DIAGNOSTICS v_slug = PG_EXCEPTION_DETAIL,
                                        v_message = MESSAGE_TEXT;
                v_blocked := true;
                v_written := 0;
                v_reasons := v_reasons || jsonb_build_object(
                    'code', CASE SQLSTATE WHEN 'LM001' THEN v_slug
                                 ELSE 'profile_error' END,
                    'severity', 'blocking', 'message', v_message,
                    'sheet', NULL, 'row', NULL, 'column', NULL, 'cell', NULL,
                    'expected', NULL);
        END;
    END IF;
    status := CASE WHEN v_blocked THEN 'quarantined'
                   WHEN p_reason IS NULL THEN 'imported'
                   ELSE 'released' END;
    UPDATE lims.instrument_file f
       SET status = import_file.status,
           profile_id = (p_reading ->> 'profileId')::bigint,
           reasons = v_reasons,
           counts = coalesce(p_reading -> 'counts', '{}')
               || jsonb_build_object('written', v_written),
           rows_hash = v_hash,
           duplicate_of = v_earlier,
           processed_at = now(),
           resolution = p_resolution,
           resolution_reason = p_reason
     WHERE f.organization_id = p_organization
       AND f.id = p_file;
END
$$;

-- A file whose reading was cut short, if there is one: whoever takes it reads it
-- on behalf of who sent it. Each is taken so many times, and then left to a
-- person: what ends a process does not end one after the other.
CREATE FUNCTION lims.take_received_file(
    p_age interval,
    p_attempts integer,
    OUT organization_id bigint,
    OUT id bigint,
    OUT user_id bigint,
    OUT api_key_id bigint,
    OUT spent boolean
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    v_organization bigint;
BEGIN
    FOR v_organization IN SELECT o.id FROM lims.organization o ORDER BY o.id
    LOOP
        UPDATE lims.instrument_file f
           SET attempts = f.attempts + 1
         WHERE f.organization_id = v_organization
           AND f.id = (
               SELECT x.id
                 FROM lims.instrument_file x
                WHERE x.organization_id = v_organization
                  AND x.status = 'received'
                  AND greatest(x.received_at, x.updated_at) < now() - p_age
                ORDER BY x.received_at, x.id
                LIMIT 1
                  FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING f.organization_id, f.id, f.received_by, f.received_by_key,
                  f.attempts > p_attempts
             INTO organization_id, id, user_id, api_key_id, spent;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
END
$$;

-- Records ------------------------------------------------------------------

CREATE VIEW lims.instrument_profile_record WITH (security_invoker = true) AS
SELECT p.organization_id, p.id, p.code, p.version, p.name,
       p.instrument_id AS "instrumentId", p.status, p.definition,
       p.created_by AS "createdBy", p.created_at AS "createdAt",
       p.updated_at AS "updatedAt"
  FROM lims.instrument_profile p;

CREATE VIEW lims.instrument_file_record WITH (security_invoker = true) AS
SELECT f.organization_id, f.id, f.file_name AS "fileName",
       encode(f.sha256, 'hex') AS sha256, f.size, f.status,
       f.duplicate_of AS "duplicateOf", f.profile_code AS "profileAsked",
       f.profile_id AS "profileId", p.code AS "profileCode",
       p.version AS "profileVersion", p.name AS "profileName",
       f.counts, f.reasons, f.received_at AS "receivedAt",
       f.received_by AS "receivedBy", f.received_by_key AS "receivedByKey",
       f.processed_at AS "processedAt", f.resolution,
       f.resolution_reason AS "resolutionReason",
       f.resolved_at AS "resolvedAt", f.resolved_by AS "resolvedBy",
       f.updated_at AS "updatedAt"
  FROM lims.instrument_file f
  LEFT JOIN lims.instrument_profile p
    ON p.organization_id = f.organization_id
   AND p.id = f.profile_id;

SELECT lims.secure_functions();

REVOKE UPDATE ON lims.instrument_file_row FROM lims_app;
GRANT SELECT ON lims.instrument_profile_record, lims.instrument_file_record
    TO lims_app;
GRANT EXECUTE ON FUNCTION
    lims.moment_of(text, text),
    lims.spelt_unit(text),
    lims.resolve_readings(bigint, jsonb),
    lims.reading_reasons(bigint, lims.file_reading[], jsonb),
    lims.write_controls(bigint, bigint, lims.file_reading[], text),
    lims.write_readings(bigint, bigint, lims.file_reading[], text),
    lims.import_file(bigint, bigint, text, jsonb, jsonb, text),
    lims.take_received_file(interval, integer)
    TO lims_app;
