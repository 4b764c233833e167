-- SPDX-License-Identifier: Apache-2.0
--
-- Names by which instruments' files call samples: their tracking ids, and where a
-- profile says so their external ids and sample identifiers; and names that a
-- laboratory lists, each until its sample is done with.

-- Whether a sample in this status is done with: no listed name leads to it.
CREATE FUNCTION lims.sample_is_final(p_status text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT p_status IN ('reported', 'cancelled', 'disposed')
$$;

CREATE SEQUENCE lims.sample_name_id_seq;

-- What analysts type at an instrument in the place of a tracking id. A name leads to
-- its sample until it is ended, or the sample is done with; then it can be another's.
CREATE TABLE lims.sample_name (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.sample_name_id_seq'),
    -- As files have it, without blanks around it.
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255
        AND name !~ '[[:cntrl:]]' AND name !~ '^\s|\s$'),
    sample_id bigint NOT NULL,
    -- How it is known that the name is this sample's.
    reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 2000),
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    ended_by bigint,
    end_reason text CHECK (length(end_reason) BETWEEN 1 AND 2000),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, ended_by)
        REFERENCES lims.user_account (organization_id, id),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL))
);

CREATE UNIQUE INDEX sample_name_listed
    ON lims.sample_name (organization_id, name)
 WHERE ended_at IS NULL;
CREATE INDEX sample_name_sample
    ON lims.sample_name (organization_id, sample_id, id);

-- A name is listed for a sample that is worked on, and is no sample's tracking id;
-- what was listed stays as it was, but that it ends, once.
CREATE FUNCTION lims.sample_name_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample lims.sample;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (NEW.name, NEW.sample_id, NEW.reason, NEW.created_by)
           IS DISTINCT FROM (OLD.name, OLD.sample_id, OLD.reason, OLD.created_by)
           OR (OLD.ended_at IS NOT NULL AND NEW *<> OLD) THEN
            PERFORM lims.refuse('invalid_transition', format(
                'name %s was listed as it is: list another', OLD.id));
        END IF;
        IF OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL THEN
            NEW.ended_at := now();
            NEW.ended_by := lims.context_id('user_id');
        END IF;
        RETURN NEW;
    END IF;
    SELECT s.*
      INTO v_sample
      FROM lims.sample s
     WHERE s.organization_id = NEW.organization_id
       AND s.id = NEW.sample_id;
    IF lims.sample_is_final(v_sample.status) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'Sample %s is %s: no name leads to it any more.',
            v_sample.tracking_id, v_sample.status));
    END IF;
    IF NEW.ended_at IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', 'a name is listed, then ended');
    END IF;
    IF EXISTS (SELECT FROM lims.sample s
                WHERE s.organization_id = NEW.organization_id
                  AND s.tracking_id = NEW.name) THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s is the tracking id of a sample.', NEW.name));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.sample_name
FOR EACH ROW EXECUTE FUNCTION lims.sample_name_guard();

SELECT lims.attach_record('sample_name');

CREATE VIEW lims.sample_name_record WITH (security_invoker = true) AS
SELECT n.organization_id, n.id, n.name, s.tracking_id AS "trackingId",
       s.status AS "sampleStatus",
       n.ended_at IS NULL AND NOT lims.sample_is_final(s.status) AS active,
       n.reason, n.created_by AS "createdBy", n.created_at AS "createdAt",
       n.ended_at AS "endedAt", n.ended_by AS "endedBy",
       n.end_reason AS "endReason", n.updated_at AS "updatedAt"
  FROM lims.sample_name n
  JOIN lims.sample s
    ON s.organization_id = n.organization_id
   AND s.id = n.sample_id;

-- Lists a name; that of a sample that is done with ends by that. Returns its id.
CREATE FUNCTION lims.add_sample_name(
    p_organization bigint,
    p_name text,
    p_tracking_id text,
    p_reason text
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample bigint;
    v_other text;
    v_id bigint;
BEGIN
    SELECT s.id
      INTO v_sample
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.tracking_id = p_tracking_id;
    IF v_sample IS NULL THEN
        PERFORM lims.refuse('invalid_reference', format(
            'There is no sample %s in your organization.', p_tracking_id));
    END IF;
    UPDATE lims.sample_name n
       SET ended_at = now(),
           end_reason = format('Sample %s is %s.', s.tracking_id, s.status)
      FROM lims.sample s
     WHERE n.organization_id = p_organization
       AND n.name = p_name
       AND n.ended_at IS NULL
       AND s.organization_id = n.organization_id
       AND s.id = n.sample_id
       AND lims.sample_is_final(s.status);
    INSERT INTO lims.sample_name (organization_id, name, sample_id, reason)
    VALUES (p_organization, p_name, v_sample, p_reason)
        ON CONFLICT DO NOTHING
    RETURNING id INTO v_id;
    IF v_id IS NULL THEN
        SELECT s.tracking_id
          INTO v_other
          FROM lims.sample_name n
          JOIN lims.sample s
            ON s.organization_id = n.organization_id
           AND s.id = n.sample_id
         WHERE n.organization_id = p_organization
           AND n.name = p_name
           AND n.ended_at IS NULL;
        PERFORM lims.refuse('invalid_body', format(
            '%s is the name of sample %s already: remove it first.', p_name,
            v_other));
    END IF;
    RETURN v_id;
END
$$;

-- Finding samples ------------------------------------------------------------

-- By what the profile finds samples; the documents of earlier versions do not say.
CREATE FUNCTION lims.sample_ways(p_policy jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce((SELECT array_agg(w.value)
                       FROM jsonb_array_elements_text(p_policy -> 'sampleBy') w),
                    '{trackingId,name}')
$$;

-- The sample that each text means, and how many it could mean: with more than one it
-- means none.
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
           AND NOT (SELECT lims.sample_is_final(s.status)
                      FROM lims.sample s
                     WHERE s.organization_id = p_organization
                       AND s.id = n.sample_id)
    )
    SELECT c.name, CASE WHEN count(*) = 1 THEN min(c.id) END, count(*)::integer
      FROM called c
     GROUP BY c.name;
END
$$;

-- What texts that mean no sample are nevertheless, for whoever looks at the file.
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
               CASE WHEN lims.sample_is_final(s.status) THEN format(
                        'It was a name of sample %s, which is %s.',
                        s.tracking_id, s.status)
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

-- How many samples a reading's text could mean.
ALTER TYPE lims.file_reading ADD ATTRIBUTE samples integer;

-- Finds what the readings are about, in lists and not one by one. Nested loops
-- are out of the question: a plan made for ten readings would be kept for ten
-- thousand.
CREATE OR REPLACE FUNCTION lims.resolve_readings(p_organization bigint, p_reading jsonb)
RETURNS lims.file_reading[]
LANGUAGE plpgsql
SET enable_nestloop = off
SET jit = off
AS $$
DECLARE
    v_zone text;
    v_doubled text := p_reading ->> 'doubledHour';
    v_ids text[];
    v_codes text[];
    v_by text[] := lims.sample_ways(p_reading -> 'policy');
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
        SELECT f.name, f.sample_id AS id, f.samples
          FROM lims.find_samples(p_organization, v_ids, v_by) f
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
                         r.qualifier,
                         lims.moment_of(r."analysedAt", v_zone, v_doubled),
                         r.operator, r.comment, p_reading -> 'controls' -> r.control,
                         r.native, r.times, s.id, d.id,
                         CASE WHEN r.control IS NULL THEN t.id END,
                         coalesce(t.tests, 0), coalesce(s.samples, 0), r."analysedAt",
                         lims.time_doubt(r."analysedAt", v_zone, v_doubled)
                         )::lims.file_reading
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
      LEFT JOIN samples s ON s.name = r."trackingId"
      LEFT JOIN definitions d ON d.code = r."testCode"
      LEFT JOIN tests t ON t.sample_id = s.id AND t.test_definition_id = d.id;
    RETURN coalesce(v_rows, '{}');
END
$$;

-- Every reason why what was read cannot be written, as it now stands; the tests
-- and samples are held by who asks.
CREATE OR REPLACE FUNCTION lims.reading_reasons(
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
    v_by text[] := lims.sample_ways(p_policy);
BEGIN
    WITH told AS MATERIALIZED (
        SELECT r.*,
               greatest(r.times, count(*) OVER (PARTITION BY r.control IS NULL,
                                                -- By whichever of its names.
                                                r.sample_id,
                                                CASE WHEN r.sample_id IS NULL
                                                     THEN r.tracking_id END,
                                                r.test_code))
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
               e.code AS lot, e.expires_on, s.collected, h.hint,
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
          LEFT JOIN hints h ON h.name = r.tracking_id
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
                        OR j.is_other_unit OR j.doubt IS NOT NULL
                     ORDER BY j.place
                     LIMIT 500) j
             CROSS JOIN LATERAL (VALUES
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
                           j.test_code), NULL, j.test_code),
                   (j.is_sample AND j.tests > 1, 'ambiguous_test',
                    format('Sample %s has %s tests %s.', j.tracking_id, j.tests,
                           j.test_code), 'one', j.test_code),
                   (j.test_status = 'verified', 'test_verified_locked',
                    format('%s of sample %s is verified and locked.',
                           j.test_code, j.tracking_id), NULL, NULL),
                   (j.conflicts, 'result_conflict',
                    format('%s of sample %s has a result already.',
                           j.test_code, j.tracking_id), j.stands, NULL),
                   (j.lot IS NOT NULL, 'reagent_lot_expired',
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
                   (j.doubt IS NOT NULL, 'timestamp_invalid', j.doubt, NULL, j.clock),
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

SELECT lims.enable_row_security();
SELECT lims.secure_functions();

GRANT SELECT, INSERT, UPDATE ON lims.sample_name TO lims_app;
GRANT SELECT ON lims.sample_name_record TO lims_app;
GRANT USAGE ON SEQUENCE lims.sample_name_id_seq TO lims_app;
GRANT EXECUTE ON FUNCTION
    lims.sample_is_final(text),
    lims.add_sample_name(bigint, text, text, text),
    lims.sample_ways(jsonb),
    lims.find_samples(bigint, text[], text[]),
    lims.sample_hints(bigint, text[], text[])
    TO lims_app;
