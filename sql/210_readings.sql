-- SPDX-License-Identifier: Apache-2.0
--
-- Readings of an instrument's file, resolved against the laboratory's records: sample, test
-- and time of each.
--
-- The service makes a document of file and profile, without the laboratory's records:
--
--     { profileId, profileName, timeZone, doubledHour (quarantine, first or second),
--       rowsHash, counts, reasons, blocking,
--       policy: { statuses, existing, maxAgeDays, futureToleranceMinutes },
--       controls: [ { type, criterion, expectedValue, lowerLimit, upperLimit,
--                     expectedText } ],
--       readings: [ { sheet, row, column, offset, cell, trackingId, testCode,
--                     result, unit, qualifier, analysedAt, operator,
--                     comment, control: its place in controls, native, excluded,
--                     times } ],
--       tests: [ { row, sampleTestId } ], by which a person says for which tests values are,
--       more }
--
-- The native value of a control is the result of the same file with which it is compared;
-- `excluded`: a person wants to leave the control out, which is refused.
--
-- With `more` the document has only the first readings, and `times` is the number of
-- readings in the whole file for the same test of the same sample.

-- A reading, with the records to which it was resolved.
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
    tests integer,
    -- The number of samples that the text could mean.
    samples integer,
    -- The time as in the file, and why it is ambiguous or invalid.
    clock text,
    doubt text,
    excluded boolean,
    -- Whether a person named the test.
    named boolean,
    -- The end of the day, where the file has a day without a time.
    day_end timestamptz
);

-- Times --------------------------------------------------------------------

-- A time of a file as a timestamp without zone; NULL for a time with a zone, or a date.
CREATE FUNCTION lims.clock_time(p_text text) RETURNS timestamp
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN p_text ~ '[0-9]:[0-9]'
                 AND p_text !~ '(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
                THEN p_text::timestamp END
$$;

-- Returns the first of the two times that a local time stands for when clocks are set
-- back (PostgreSQL takes the second); NULL for any other local time. The shift follows
-- from the offset of the day before: no zone changes its clocks twice in a day.
CREATE FUNCTION lims.first_moment_of(p_time timestamp, p_zone text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    c_day constant interval := '24 hours';
    v_second timestamptz := p_time AT TIME ZONE p_zone;
    v_back interval := ((v_second - c_day) AT TIME ZONE p_zone) - (p_time - c_day);
BEGIN
    IF v_back > interval '0'
       AND (v_second - v_back) AT TIME ZONE p_zone = p_time THEN
        RETURN v_second - v_back;
    END IF;
    RETURN NULL;
END
$$;

-- Parses a time of a file, with its own zone or in the given one.
CREATE FUNCTION lims.moment_of(p_text text, p_zone text) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN p_text ~ '(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
                 AND p_text ~ '[0-9]:[0-9]'
                THEN p_text::timestamptz
                ELSE p_text::timestamp AT TIME ZONE p_zone END
$$;

-- Returns the time that a local time stands for; of one that occurs twice, the one that
-- the profile declares.
CREATE FUNCTION lims.moment_of(p_text text, p_zone text, p_doubled text)
RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT coalesce(CASE WHEN p_doubled = 'first'
                         THEN lims.first_moment_of(lims.clock_time(p_text), p_zone)
                    END, lims.moment_of(p_text, p_zone))
$$;

-- The end of a day that a file has without a time; NULL: it has a time.
CREATE FUNCTION lims.end_of_day(p_text text, p_zone text) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN p_text !~ '[0-9]:[0-9]'
                THEN (p_text::date + 1)::timestamp AT TIME ZONE p_zone END
$$;

-- Returns the time of an analysis: of a day without a time its begin, or, on the day of
-- the sample's collection, the collection.
CREATE FUNCTION lims.moment_since(
    p_moment timestamptz,
    p_day_end timestamptz,
    p_collected timestamptz
) RETURNS timestamptz
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE WHEN p_collected > p_moment AND p_collected < p_day_end
                THEN p_collected ELSE p_moment END
$$;

-- Why a time of a file is ambiguous (occurs twice) or invalid (skipped when clocks are set
-- forward: converted and back it differs), in words; NULL: it is neither.
CREATE FUNCTION lims.time_doubt(p_text text, p_zone text, p_doubled text)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_time timestamp := lims.clock_time(p_text);
BEGIN
    IF v_time IS NULL THEN
        RETURN NULL;
    END IF;
    IF (v_time AT TIME ZONE p_zone) AT TIME ZONE p_zone <> v_time THEN
        RETURN format('There is no such time in %s: the clocks were set forward and '
                      'skipped it.', p_zone);
    END IF;
    IF coalesce(p_doubled, 'quarantine') = 'quarantine'
       AND lims.first_moment_of(v_time, p_zone) IS NOT NULL THEN
        RETURN format('In %s this time comes twice: the clocks were set back. Which '
                      'of the two it is, doubledHour of the profile can say.', p_zone);
    END IF;
    RETURN NULL;
END
$$;

-- Units --------------------------------------------------------------------

-- A unit in normal form, for comparison: without blanks, mu as u, the litre as L. Case is
-- kept: mPa is not MPa.
CREATE FUNCTION lims.spelt_unit(p_unit text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT regexp_replace(translate(p_unit, U&'\00B5\03BC ', 'uu'),
                          '(^|[/dcmunp])l(?![a-zA-Z])', '\1L', 'g')
$$;

-- Finding samples ----------------------------------------------------------

-- Lists the identifiers by which a profile finds samples; default: the tracking id.
CREATE FUNCTION lims.sample_ways(p_policy jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce((SELECT array_agg(w.value)
                       FROM jsonb_array_elements_text(p_policy -> 'sampleBy') w),
                    '{trackingId,name}')
$$;

-- Returns for each text its sample, and the number of samples that it could mean; with
-- more than one the sample is NULL.
CREATE FUNCTION lims.find_samples(
    p_organization bigint,
    p_names text[],
    p_by text[]
) RETURNS TABLE (name text, sample_id bigint, samples integer)
LANGUAGE plpgsql STABLE
SET enable_nestloop = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH called AS (
        SELECT s.tracking_id AS name, s.id
          FROM lims.sample s
         WHERE s.organization_id = p_organization
           AND s.tracking_id = ANY (p_names)
           AND 'trackingId' = ANY (p_by)
         UNION
        SELECT s.external_id, s.id
          FROM lims.sample s
         WHERE s.organization_id = p_organization
           AND s.external_id = ANY (p_names)
           AND 'externalId' = ANY (p_by)
         UNION
        SELECT s.sample_identifier, s.id
          FROM lims.sample s
         WHERE s.organization_id = p_organization
           AND s.sample_identifier = ANY (p_names)
           AND 'sampleIdentifier' = ANY (p_by)
         UNION
        SELECT n.name, n.sample_id
          FROM lims.sample_name n
         WHERE n.organization_id = p_organization
           AND n.name = ANY (p_names)
           AND n.ended_at IS NULL
           AND 'name' = ANY (p_by)
           AND NOT (SELECT lims.sample_is_final(s.status, s.disposition)
                      FROM lims.sample s
                     WHERE s.organization_id = p_organization
                       AND s.id = n.sample_id)
    )
    SELECT c.name, CASE WHEN count(*) = 1 THEN min(c.id) END, count(*)::integer
      FROM called c
     GROUP BY c.name;
END
$$;

-- Hints for texts that match no sample, for the person who reviews the file.
CREATE FUNCTION lims.sample_hints(
    p_organization bigint,
    p_by text[],
    p_names text[]
) RETURNS TABLE (name text, hint text)
LANGUAGE plpgsql STABLE
SET enable_nestloop = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH ways AS MATERIALIZED (
        SELECT s.tracking_id AS name, 1 AS place,
               'It is the tracking id of a sample' AS words, 'trackingId' AS way
          FROM lims.sample s
         WHERE s.organization_id = p_organization
           AND s.tracking_id = ANY (p_names)
         UNION ALL
        SELECT s.external_id, 2,
               format('It is the external id of sample %s', s.tracking_id),
               'externalId'
          FROM lims.sample s
         WHERE s.organization_id = p_organization
           AND s.external_id = ANY (p_names)
         UNION ALL
        SELECT s.sample_identifier, 3,
               format('It is the sample identifier of sample %s', s.tracking_id),
               'sampleIdentifier'
          FROM lims.sample s
         WHERE s.organization_id = p_organization
           AND s.sample_identifier = ANY (p_names)
           AND s.sample_identifier <> s.tracking_id
    ), listed AS MATERIALIZED (
        SELECT DISTINCT ON (n.name) n.name, n.sample_id, n.ended_at
          FROM lims.sample_name n
         WHERE n.organization_id = p_organization
           AND n.name = ANY (p_names)
         ORDER BY n.name, n.ended_at DESC NULLS FIRST
    ), told AS (
        SELECT w.name, w.place, w.words || ', by which the profile does not find '
                   'samples (sample.by).' AS words
          FROM ways w
         WHERE w.way <> ALL (p_by)
         UNION ALL
        SELECT l.name, 4,
               CASE WHEN lims.sample_is_final(s.status, s.disposition) THEN format(
                        'It was a name of sample %s, which is %s.', s.tracking_id,
                        lims.sample_end(s.status, s.disposition))
                    WHEN l.ended_at IS NOT NULL THEN format(
                        'It was a name of sample %s until it was removed.',
                        s.tracking_id)
                    ELSE format('It is a name of sample %s, and the profile does '
                                'not go by names (sample.by).', s.tracking_id) END
          FROM listed l
          JOIN lims.sample s
            ON s.organization_id = p_organization
           AND s.id = l.sample_id
    )
    SELECT t.name, string_agg(t.words, ' ' ORDER BY t.place)
      FROM told t
     GROUP BY t.name;
END
$$;

-- Resolving ----------------------------------------------------------------

-- The test of each sample and definition that a file's value is for: if a test was repeated,
-- its only active pending repetition, else the only entered one, else the verified one.
-- `tests`: the number of tests that it could be; if that is more than one, `id` is the first.
-- Definitions NULL: all.
CREATE FUNCTION lims.target_tests(
    p_organization bigint,
    p_samples bigint[],
    p_definitions bigint[]
) RETURNS TABLE (sample_id bigint, test_definition_id bigint, id bigint, tests integer)
LANGUAGE sql STABLE
AS $$
    SELECT DISTINCT ON (c.sample_id, c.test_definition_id)
           c.sample_id, c.test_definition_id, c.id, c.tests
      FROM (SELECT t.sample_id, t.test_definition_id, min(t.id) AS id,
                   count(*)::integer AS tests,
                   array_position(ARRAY['pending', 'entered', 'verified'],
                                  t.status) AS place
              FROM lims.sample_test t
             WHERE t.organization_id = p_organization
               AND t.sample_id = ANY (p_samples)
               AND (p_definitions IS NULL
                    OR t.test_definition_id = ANY (p_definitions))
               AND t.disposition = 'active'
             GROUP BY t.sample_id, t.test_definition_id, t.status) c
     ORDER BY c.sample_id, c.test_definition_id, c.place
$$;

-- Resolves all readings at once. Without nested loops: a plan made for ten readings would
-- be reused for ten thousand.
CREATE FUNCTION lims.resolve_readings(p_organization bigint, p_reading jsonb)
RETURNS lims.file_reading[]
LANGUAGE plpgsql
SET enable_nestloop = off
SET jit = off
AS $$
DECLARE
    v_zone text;
    v_home text;
    v_doubled text := p_reading ->> 'doubledHour';
    v_ids text[];
    v_codes text[];
    v_by text[] := lims.sample_ways(p_reading -> 'policy');
    v_rows lims.file_reading[];
BEGIN
    SELECT coalesce(p_reading ->> 'timeZone', o.time_zone), o.time_zone
      INTO v_zone, v_home
      FROM lims.organization o
     WHERE o.id = p_organization;
    SELECT array_agg(DISTINCT r.value ->> 'trackingId'),
           array_agg(DISTINCT r.value ->> 'testCode')
      INTO v_ids, v_codes
      FROM jsonb_array_elements(p_reading -> 'readings') r;

    WITH samples AS MATERIALIZED (
        SELECT f.name, f.sample_id AS id, f.samples,
               coalesce(s.collected_at,
                        s.collection_date::timestamp AT TIME ZONE v_home) AS collected
          FROM lims.find_samples(p_organization, v_ids, v_by) f
          LEFT JOIN lims.sample s
            ON s.organization_id = p_organization
           AND s.id = f.sample_id
    ), definitions AS MATERIALIZED (
        SELECT d.id, d.code
          FROM lims.test_definition d
         WHERE d.organization_id = p_organization
           AND d.code = ANY (v_codes)
    ), tests AS MATERIALIZED (
        SELECT t.sample_id, t.test_definition_id, t.id, t.tests
          FROM lims.target_tests(p_organization, ARRAY(SELECT s.id FROM samples s),
                                 ARRAY(SELECT d.id FROM definitions d)) t
    )
    SELECT array_agg(ROW(r.place, nullif(r.sheet, ''), r."row",
                         nullif(r."column", 0), r."offset", r.cell,
                         r."trackingId", r."testCode", r.result, r.unit, r.qualifier,
                         lims.moment_since(
                             lims.moment_of(r."analysedAt", v_zone, v_doubled),
                             lims.end_of_day(r."analysedAt", v_zone),
                             CASE WHEN r.control IS NULL THEN s.collected END),
                         r.operator, r.comment, p_reading -> 'controls' -> r.control,
                         r.native, r.times, s.id, d.id,
                         CASE WHEN r.control IS NULL THEN t.id END,
                         coalesce(t.tests, 0), coalesce(s.samples, 0), r."analysedAt",
                         lims.time_doubt(r."analysedAt", v_zone, v_doubled),
                         coalesce(r.excluded, false), false,
                         lims.end_of_day(r."analysedAt", v_zone))::lims.file_reading
                     ORDER BY r.place)
      INTO v_rows
      FROM ROWS FROM (jsonb_to_recordset(p_reading -> 'readings') AS (
               sheet text, "row" integer, "column" integer, "offset" bigint,
               cell text, "trackingId" text, "testCode" text, result text,
               unit text, qualifier text, "analysedAt" text, operator text,
               comment text, control integer, native text, excluded boolean,
               times integer))
               WITH ORDINALITY AS r (
               sheet, "row", "column", "offset", cell, "trackingId",
               "testCode", result, unit, qualifier, "analysedAt", operator,
               comment, control, native, excluded, times, place)
      LEFT JOIN samples s ON s.name = r."trackingId"
      LEFT JOIN definitions d ON d.code = r."testCode"
      LEFT JOIN tests t ON t.sample_id = s.id AND t.test_definition_id = d.id;
    RETURN lims.name_tests(p_organization, coalesce(v_rows, '{}'), p_reading -> 'tests');
END
$$;
