-- SPDX-License-Identifier: Apache-2.0
--
-- What was read of an instrument's file, beside the laboratory's records: what it
-- is about, and every reason why it cannot be written.
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
--                     comment, control: its place in controls, native, times } ],
--       more }
--
-- The native value of a control is what it is held against: a result of the same
-- file.
--
-- With `more` these are the first of the readings, and `times` is how often there is
-- one for the same test of the same sample among all.

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
    comment text,
    control jsonb,
    native text,
    times integer,
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
SET jit = off
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
                         r.operator, r.comment, p_reading -> 'controls' -> r.control,
                         r.native, r.times, s.id, d.id,
                         CASE WHEN r.control IS NULL THEN t.id END,
                         coalesce(t.tests, 0))::lims.file_reading
                     ORDER BY r.place)
      INTO v_rows
      FROM ROWS FROM (jsonb_to_recordset(p_reading -> 'readings') AS (
               sheet text, "row" integer, "column" integer, "offset" bigint,
               cell text, "trackingId" text, "testCode" text, result text,
               unit text, qualifier text, "analysedAt" text, operator text,
               comment text, control integer, native text, times integer))
               WITH ORDINALITY AS r (
               sheet, "row", "column", "offset", cell, "trackingId",
               "testCode", result, unit, qualifier, "analysedAt", operator,
               comment, control, native, times, place)
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
SET jit = off
AS $$
DECLARE
    v_reasons jsonb;
BEGIN
    WITH told AS MATERIALIZED (
        SELECT r.*,
               greatest(r.times, count(*) OVER (PARTITION BY r.control IS NULL,
                                                r.tracking_id, r.test_code))
                   AS in_all
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
               coalesce(r.control ->> 'criterion' = 'rpd', false)
                   AND r.native IS NOT NULL
                   AND lims.result_number(r.native) IS NULL AS is_no_pair
          FROM told r
         CROSS JOIN policy p
          LEFT JOIN samples s ON s.id = r.sample_id
          LEFT JOIN tests t ON t.id = r.sample_test_id
          LEFT JOIN definitions d ON d.id = r.test_definition_id
          LEFT JOIN expired e ON e.id = t.reagent_lot_id
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object(
               'code', x.code, 'severity', 'blocking', 'message', x.message,
               'sheet', x.sheet, 'row', x.row_number, 'column', x.column_number,
               'cell', x.cell, 'expected', x.expected) ORDER BY x.place), '[]')
      INTO v_reasons
      FROM (SELECT j.place, j.sheet, j.row_number,
                   -- Known of the value alone.
                   CASE WHEN v.cell IS NULL THEN j.column_number END
                       AS column_number, v.code, v.message, v.expected, coalesce(v.cell, j.cell) AS cell
              -- Words for as many rows as are told of, not for all.
              FROM (SELECT *
                      FROM judged j
                     WHERE (j.is_sample AND (
                                (j.tracking_id IS NOT NULL AND j.sample_id IS NULL)
                                OR (j.tracking_id IS NOT NULL
                                    AND j.test_code IS NOT NULL
                                    AND (j.sample_test_id IS NULL OR j.in_all > 1))
                                OR j.sample_status <> ALL (j.statuses)
                                OR j.tests > 1 OR j.test_status = 'verified'
                                OR j.conflicts OR j.lot IS NOT NULL
                                OR j.qualifier NOT IN ('<', '>', 'ND', 'J', 'U')))
                        OR (j.test_definition_id IS NULL
                            AND j.test_code IS NOT NULL)
                        OR coalesce(j.result !~ '\S', true)
                        OR length(j.result) > 1000 OR j.is_no_number
                        OR j.is_no_pair
                        OR j.is_ahead OR j.is_early OR j.is_old
                        OR j.is_other_unit
                     ORDER BY j.place
                     LIMIT 500) j
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
                    AND j.test_code IS NOT NULL AND j.in_all > 1,
                    'duplicate_row',
                    format('The file has %s results for %s of sample %s.',
                           j.in_all, j.test_code, j.tracking_id), 'one', NULL),
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
                   (j.is_no_pair, 'non_numeric',
                    'What the control is held against is no number.',
                    'a number', j.native),
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
             WHERE v.holds
             ORDER BY j.place
             LIMIT 500) x;
    RETURN v_reasons;
END
$$;

GRANT EXECUTE ON FUNCTION
    lims.moment_of(text, text),
    lims.spelt_unit(text),
    lims.resolve_readings(bigint, jsonb),
    lims.reading_reasons(bigint, lims.file_reading[], jsonb)
    TO lims_app;
