-- SPDX-License-Identifier: Apache-2.0
--
-- The reasons why readings cannot be written; and files whose results another file brought
-- before, which are recognized by what would be written, not by the bytes.

-- The reasons why readings cannot be written now, at most 500, and the number of readings
-- that have one. Results are replaced with the reason of a release alone (p_reason), not with
-- one that came with the file. The caller has locked tests and samples.
CREATE FUNCTION lims.reading_reasons(
    p_organization bigint,
    p_rows lims.file_reading[],
    p_policy jsonb,
    p_reason text,
    OUT reasons jsonb,
    OUT refused bigint
)
LANGUAGE plpgsql
SET enable_nestloop = off
SET jit = off
AS $$
DECLARE
    v_by text[] := lims.sample_ways(p_policy);
    v_reason_missing CONSTANT boolean := p_reason IS NULL
        AND lims.is_reason_required(p_organization);
BEGIN
    WITH told AS MATERIALIZED (
        SELECT r.*,
               greatest(r.times, count(*) OVER (PARTITION BY r.control IS NULL,
                                                -- Whichever of its names is used.
                                                r.sample_id,
                                                CASE WHEN r.sample_id IS NULL
                                                     THEN r.tracking_id END,
                                                r.test_code, r.sample_test_id))
                   AS in_all
          FROM unnest(p_rows) r
    ), policy AS MATERIALIZED (
        SELECT o.time_zone, ARRAY(SELECT jsonb_array_elements_text(p_policy -> 'statuses'))
                   AS statuses,
               p_policy ->> 'existing' AS existing,
               nullif((p_policy ->> 'maxAgeDays')::integer, 0) AS days,
               least((p_policy ->> 'futureToleranceMinutes')::integer, 5)
                   AS minutes
          FROM lims.organization o
         WHERE o.id = p_organization
    ), hints AS MATERIALIZED (
        SELECT h.name, h.hint
          FROM lims.sample_hints(p_organization, v_by, ARRAY(
                   SELECT DISTINCT r.tracking_id
                     FROM told r
                    WHERE r.control IS NULL
                      AND r.samples = 0
                      AND r.tracking_id IS NOT NULL
                    ORDER BY r.tracking_id
                    LIMIT 500)) h
    ), samples AS MATERIALIZED (
        SELECT s.id, CASE WHEN lims.sample_is_closed(s.status, s.disposition)
                          THEN s.disposition ELSE s.status END AS status,
               coalesce(s.collected_at,
                   s.collection_date::timestamp AT TIME ZONE p.time_zone)
                   AS collected
          FROM lims.sample s
         CROSS JOIN policy p
         WHERE s.organization_id = p_organization
           AND s.id = ANY (ARRAY(SELECT DISTINCT r.sample_id FROM told r))
    ), tests AS MATERIALIZED (
        SELECT t.id, t.sample_id, t.status, t.result, t.qualifier, t.reagent_lot_id,
               t.media_lot_id, t.holding_expires_at,
               CASE WHEN t.returned_at IS NULL THEN t.status END AS stands_as
          FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.id = ANY (ARRAY(SELECT r.sample_test_id FROM told r))
    ), definitions AS MATERIALIZED (
        SELECT d.id, d.unit
          FROM lims.test_definition d
         WHERE d.organization_id = p_organization
           AND d.id = ANY (ARRAY(SELECT DISTINCT r.test_definition_id FROM told r))
    ), lots AS MATERIALIZED (
        SELECT DISTINCT ON (t.id) t.id, b.slug, b.message
          FROM tests t
         CROSS JOIN LATERAL lims.refused_lots(p_organization, t.reagent_lot_id,
                                              t.media_lot_id) b
         WHERE b.slug <> 'lot_not_released'
            OR NOT lims.lot_is_accepted(p_organization, t.sample_id, b.reagent_lot_id,
                                        b.media_lot_id)
         ORDER BY t.id, b.slug DESC
    ), before AS MATERIALIZED (
        SELECT m.place, m.why
          FROM lims.measured_before(p_organization, p_rows) m
    ), judged AS MATERIALIZED (
        SELECT r.*, b.why, s.status AS sample_status, t.status AS test_status,
               t.result AS stands, d.unit AS known_unit, p.statuses,
               l.slug AS lot_slug, l.message AS lot, s.collected, h.hint,
               r.control IS NULL AS is_sample,
               coalesce(r.control IS NULL
                   AND b.why IS NULL
                   AND t.status = 'entered'
                   AND p.existing <> 'overwrite'
                   AND (p.existing = 'quarantine'
                        OR (t.result, t.qualifier)
                           IS DISTINCT FROM (r.result, r.qualifier)), false)
                   AS conflicts,
               coalesce(v_reason_missing
                   AND b.why IS NULL
                   AND r.control IS NULL
                   AND t.status = 'entered'
                   AND p.existing = 'overwrite'
                   AND (t.result, t.qualifier)
                       IS DISTINCT FROM (r.result, r.qualifier), false)
                   AS replaces,
               coalesce(r.analyzed_at > now() + make_interval(mins => p.minutes),
                        false) AS is_ahead,
               coalesce(r.analyzed_at < s.collected, false)
                   AND r.control IS NULL AS is_early,
               coalesce(r.analyzed_at < now() - make_interval(days => p.days),
                        false) AS is_old,
               -- A value that stands keeps its time.
               coalesce(t.holding_expires_at >= r.analyzed_at
                        AND t.holding_expires_at < r.day_end
                        AND t.holding_expires_at < now()
                        AND (t.stands_as = 'entered'
                             AND (t.result, t.qualifier)
                                 IS NOT DISTINCT FROM (r.result, r.qualifier)) IS NOT TRUE,
                        false) AS is_vague,
               coalesce(r.unit, '') <> '' AND coalesce(d.unit, '') <> ''
                   AND lims.spelt_unit(r.unit) <> lims.spelt_unit(d.unit)
                   AS is_other_unit,
               coalesce(r.control ->> 'criterion' <> 'expected'
                        AND lims.result_number(r.result) IS NULL, false)
                   AS is_no_number,
               coalesce(r.control ->> 'criterion' = 'rpd', false)
                   AND r.native IS NOT NULL
                   AND lims.result_number(r.native) IS NULL AS is_no_pair,
               coalesce(CASE WHEN r.control ->> 'criterion' IN ('recovery', 'range')
                             THEN lims.result_bound(r.result, r.qualifier) <> ''
                             WHEN r.control ->> 'criterion' IN ('rpd', 'maximum')
                             THEN lims.result_bound(r.result, r.qualifier) = '>'
                        END, false) AS is_bounded,
               coalesce(r.control ->> 'criterion' IN ('recovery', 'rpd')
                        AND lims.result_bound(r.native, NULL) = '>', false)
                   AS is_pair_bounded
          FROM told r
         CROSS JOIN policy p
          LEFT JOIN samples s ON s.id = r.sample_id
          LEFT JOIN tests t ON t.id = r.sample_test_id
          LEFT JOIN definitions d ON d.id = r.test_definition_id
          LEFT JOIN lots l ON l.id = t.id
          LEFT JOIN before b ON b.place = r.place
          LEFT JOIN hints h ON h.name = r.tracking_id
    ), refused AS MATERIALIZED (
        SELECT *
          FROM judged j
         WHERE (j.is_sample AND (
                    (j.tracking_id IS NOT NULL AND j.sample_id IS NULL)
                    OR (j.tracking_id IS NOT NULL
                        AND j.test_code IS NOT NULL
                        AND (j.sample_test_id IS NULL OR j.in_all > 1))
                    OR j.sample_status <> ALL (j.statuses)
                    OR j.tests > 1 OR j.test_status = 'verified'
                    OR j.why IS NOT NULL
                    OR j.conflicts OR j.replaces OR j.lot IS NOT NULL
                    OR j.qualifier NOT IN ('<', '>', 'ND', 'J', 'U')))
            OR (j.test_definition_id IS NULL
                AND j.test_code IS NOT NULL)
            OR coalesce(j.result !~ '\S', true)
            OR length(j.result) > 1000 OR length(j.operator_name) > 1000
            OR length(j.unit) > 1000 OR j.is_no_number
            OR j.is_no_pair OR j.is_bounded OR j.is_pair_bounded
            OR j.is_ahead OR j.is_early OR j.is_old OR j.is_vague
            OR j.is_other_unit OR j.doubt IS NOT NULL OR j.excluded
    )
    SELECT coalesce(jsonb_agg(jsonb_build_object(
               'code', x.code, 'severity', 'blocking', 'message', x.message,
               'sheet', x.sheet, 'row', x.row_number, 'column', x.column_number,
               'excludable', x.excludable, 'cell', x.cell, 'expected', x.expected) ORDER BY x.place), '[]'),
           (SELECT count(*) FROM refused)
      INTO reasons, reading_reasons.refused
      FROM (SELECT j.place, j.sheet, j.row_number, j.control IS NULL AS excludable,
                   -- The column is known of the value alone.
                   CASE WHEN v.cell IS NULL THEN j.column_number END
                       AS column_number, v.code, v.message, v.expected, coalesce(v.cell, j.cell) AS cell
              -- Messages are made only for the rows that are listed.
              FROM (SELECT *
                      FROM refused j
                     ORDER BY j.place
                     LIMIT 500) j
             CROSS JOIN LATERAL (VALUES
                   (j.excluded, 'control_excluded',
                    format('%s of row %s is a QC control, which decides about the whole '
                           'run and cannot be left out: import the file with it, and have '
                           'its QC batch overridden with a signature if it fails, or '
                           'reject the file and repeat the run.',
                           concat_ws(' ', j.control ->> 'type', j.test_code),
                           j.row_number), NULL, NULL),
                   (j.is_sample AND j.tracking_id IS NOT NULL
                    AND j.samples = 0,
                    'unknown_tracking_id',
                    concat_ws(' ', format('There is no sample %s.', j.tracking_id),
                        CASE WHEN j.hint IS NOT NULL THEN j.hint
                             WHEN NOT lims.tracking_id_is_valid(j.tracking_id)
                             THEN 'Its check character is not that of a tracking '
                                  'id: it may be mistyped.' END),
                    NULL, j.tracking_id),
                   (j.is_sample AND j.samples > 1,
                    'ambiguous_tracking_id',
                    format('%s samples are called %s: by tracking id, external '
                           'id, sample identifier or name.', j.samples,
                           j.tracking_id), 'one', j.tracking_id),
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
                           j.test_code), j.test_code, j.tracking_id),
                   (j.is_sample AND j.tests > 1, 'ambiguous_test',
                    format('Sample %s has %s tests %s.', j.tracking_id, j.tests,
                           j.test_code), 'one', NULL),
                   (j.test_status = 'verified', 'test_verified_locked',
                    format('%s of sample %s is verified and locked.',
                           j.test_code, j.tracking_id), NULL, NULL),
                   (j.why IS NOT NULL, 'result_conflict', j.why, j.stands, NULL),
                   (j.conflicts, 'result_conflict',
                    format('%s of sample %s has a result already.',
                           j.test_code, j.tracking_id), j.stands, NULL),
                   (j.replaces, 'replaces_result',
                    format('%s of sample %s has another result, which is replaced only '
                           'with a reason: release the file with one.',
                           j.test_code, j.tracking_id), j.stands, NULL),
                   (j.lot_slug = 'reagent_lot_expired', 'reagent_lot_expired',
                    format('%s of sample %s was to be done with a lot that is refused: '
                           '%s.', j.test_code, j.tracking_id, j.lot), NULL, NULL),
                   (j.lot_slug = 'lot_not_released', 'lot_not_released',
                    format('%s of sample %s was to be done with a lot that is refused: '
                           '%s.', j.test_code, j.tracking_id, j.lot), NULL, NULL),
                   -- The message is the same for known and unknown samples.
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
                    format('%s is not a qualifier that results have.', j.qualifier),
                    '<, >, ND, J or U', j.qualifier),
                   (coalesce(j.result !~ '\S', true), 'missing_value',
                    'There is no value.', NULL, NULL),
                   (length(j.result) > 1000, 'value_too_long',
                    'A result has at most 1000 characters.', NULL, NULL),
                   (length(j.operator_name) > 1000, 'value_too_long',
                    'The name of an operator has at most 1000 characters.', NULL,
                    left(j.operator_name, 1000)),
                   (length(j.unit) > 1000, 'value_too_long',
                    'A unit has at most 1000 characters.', NULL, left(j.unit, 1000)),
                   (j.is_no_number, 'non_numeric',
                    'The control is judged by its number.', 'a number', NULL),
                   (j.is_no_pair, 'non_numeric',
                    'What the control is held against is not a number.',
                    'a number', j.native),
                   (j.is_bounded AND NOT j.is_no_number, 'non_numeric',
                    format('The value of the control %s is only known to be %s than its '
                           'number, which criterion %s cannot judge: repeat the run.',
                           concat_ws(' ', j.control ->> 'type', j.test_code),
                           CASE lims.result_bound(j.result, j.qualifier)
                                WHEN '<' THEN 'less' ELSE 'greater' END,
                           j.control ->> 'criterion'),
                    'a number', NULL),
                   (j.is_pair_bounded AND NOT (j.is_no_pair OR j.is_bounded), 'non_numeric',
                    'What the control is held against is only known to be greater than '
                    'its number: repeat the run.', 'a number', j.native),
                   (j.doubt IS NOT NULL, 'timestamp_invalid', j.doubt, NULL, j.clock),
                   (j.is_ahead, 'timestamp_in_future',
                    'The analysis lies in the future: is the clock of the '
                    'instrument right?', NULL, j.analyzed_at::text),
                   (j.is_early, 'timestamp_before_collection',
                    'The analysis lies before the collection of the sample.',
                    NULL, j.analyzed_at::text),
                   (j.is_old, 'timestamp_invalid',
                    'The analysis lies further back than the profile takes.',
                    NULL, j.analyzed_at::text),
                   (j.is_vague, 'timestamp_invalid',
                    format('The file says on which day %s of sample %s was analysed, and '
                           'on that day its holding time ended: exclude the row, and '
                           'enter the value with its time.', j.test_code, j.tracking_id),
                    'a time', j.clock)
                   ) AS v (holds, code, message, expected, cell)
             WHERE v.holds
             ORDER BY j.place
             LIMIT 500) x;
END
$$;

-- Results that another file brought ----------------------------------------

-- The identity of a reading: what would be written, and where. For a control its name
-- takes the place of the sample.
CREATE FUNCTION lims.reading_identity(
    p_sample_test bigint,
    p_control_type text,
    p_definition bigint,
    p_name text,
    p_result text,
    p_unit text,
    p_qualifier text,
    p_at timestamptz
) RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT json_build_array(p_sample_test, p_control_type,
               CASE WHEN p_sample_test IS NULL THEN p_definition END,
               CASE WHEN p_sample_test IS NULL THEN p_name END,
               p_result, coalesce(p_unit, ''), p_qualifier,
               extract(epoch FROM p_at))::text
$$;

CREATE FUNCTION lims.readings_digest(p_rows lims.file_reading[]) RETURNS bytea
LANGUAGE sql STABLE
AS $$
    SELECT sha256(convert_to(string_agg(i.identity, E'\n'
                      ORDER BY i.identity COLLATE "C"), 'UTF8'))
      FROM unnest(p_rows) r
     CROSS JOIN LATERAL (
           SELECT lims.reading_identity(r.sample_test_id, r.control ->> 'type',
                      r.test_definition_id, r.tracking_id, r.result, r.unit,
                      r.qualifier, r.analyzed_at) AS identity) i
$$;

-- The earlier file that brought the same results (NULL: none), and what became of them:
-- the tests that still have a result, the number of withdrawn ones, and a reason for each
-- corrected one, at most 500, with their number. The caller has locked the tests.
CREATE FUNCTION lims.brought_before(
    p_organization bigint,
    p_hash bytea,
    p_rows lims.file_reading[],
    OUT file bigint,
    OUT settled bigint[],
    OUT withdrawn bigint,
    OUT reasons jsonb,
    OUT corrected bigint
)
LANGUAGE plpgsql STABLE
SET enable_nestloop = off
SET jit = off
AS $$
BEGIN
    SELECT min(f.id)
      INTO file
      FROM lims.instrument_file f
     WHERE f.organization_id = p_organization
       AND f.rows_hash = p_hash
       AND f.status IN ('imported', 'released')
       AND f.duplicate_of IS NULL;
    IF file IS NULL THEN
        RETURN;
    END IF;
    WITH held AS MATERIALIZED (
        SELECT r.place, r.sheet, r.row_number, r.column_number, r.test_code,
               r.tracking_id, t.id, t.result AS stands,
               (t.result, t.qualifier) IS DISTINCT FROM (r.result, r.qualifier)
                   AS differs
          FROM unnest(p_rows) r
          JOIN lims.sample_test t
            ON t.id = r.sample_test_id
         WHERE t.organization_id = p_organization
    )
    SELECT array_agg(h.id) FILTER (WHERE h.stands IS NOT NULL),
           count(*) FILTER (WHERE h.stands IS NULL),
           coalesce(jsonb_path_query_array(jsonb_agg(jsonb_build_object(
               'code', 'result_conflict', 'severity', 'blocking',
               'message', format('%s of sample %s was changed since file %s '
                   'brought this result.', h.test_code, h.tracking_id,
                   brought_before.file),
               'sheet', h.sheet, 'row', h.row_number, 'column', h.column_number,
               'excludable', true, 'cell', NULL, 'expected', h.stands) ORDER BY h.place)
               FILTER (WHERE h.stands IS NOT NULL AND h.differs),
               '$[0 to 499]'), '[]'),
           count(*) FILTER (WHERE h.stands IS NOT NULL AND h.differs)
      INTO settled, withdrawn, reasons, corrected
      FROM held h;
END
$$;

-- Reasons ------------------------------------------------------------------

-- Makes a reason for quarantine that concerns the file as a whole.
CREATE FUNCTION lims.file_reason(p_code text, p_severity text, p_message text)
RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
    SELECT jsonb_build_object('code', p_code, 'severity', p_severity,
               'message', p_message, 'sheet', NULL, 'row', NULL, 'column', NULL,
               'excludable', false, 'cell', NULL, 'expected', NULL)
$$;

-- Whether the first readings of a large file suffice to quarantine it: they have as many
-- reasons as are listed, and not only such as a repeated file would have.
CREATE FUNCTION lims.is_told_enough(p_reasons jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
    SELECT jsonb_array_length(p_reasons) >= 500
       AND EXISTS (SELECT FROM jsonb_array_elements(p_reasons) r
                    WHERE r.value ->> 'code' NOT IN ('result_conflict', 'replaces_result',
                          'test_verified_locked', 'sample_status_not_allowed',
                          'reagent_lot_expired', 'lot_not_released', 'timestamp_invalid',
                          'timestamp_before_collection'))
$$;

-- The reasons, of which the last says that no more are listed, and of how many values
-- there are some. `p_least`: of the file's first values only they are known.
CREATE FUNCTION lims.with_its_limit(p_reasons jsonb, p_values bigint, p_least boolean)
RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE WHEN jsonb_array_length(p_reasons) < 500 THEN p_reasons
                ELSE jsonb_set(p_reasons, '{-1,message}', to_jsonb(
                         (p_reasons -> -1 ->> 'message') || format(
                             ' (500 reasons of this kind are listed; %s%s values of '
                             'the file have one or more.)',
                             CASE WHEN p_least THEN 'at least ' END, p_values)))
           END
$$;
