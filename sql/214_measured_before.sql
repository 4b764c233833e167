-- SPDX-License-Identifier: Apache-2.0
--
-- Measurements that an earlier file brought. Instruments export a run again with more rows:
-- such a file is no duplicate as a whole, but its old rows tell nothing new, whichever test
-- of the family they would reach now.

-- The readings that an earlier file brought for a test of the same sample and definition:
-- the same value, in the same unit, at the same time; a unit or time that one of them lacks
-- does not tell them apart. `file` brought it for the reading's own test (`stands`: that has
-- still the result that the file brought), `other_file` for another one.
CREATE FUNCTION lims.rows_brought_before(
    p_organization bigint,
    p_rows lims.file_reading[]
) RETURNS TABLE (place bigint, file bigint, stands boolean, other_file bigint)
LANGUAGE plpgsql STABLE
SET enable_nestloop = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH readings AS MATERIALIZED (
        SELECT r.*
          FROM unnest(p_rows) r
         WHERE r.sample_test_id IS NOT NULL
    ), family AS MATERIALIZED (
        SELECT t.id, t.sample_id, t.test_definition_id, t.result, t.qualifier
          FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.sample_id = ANY (ARRAY(SELECT DISTINCT r.sample_id FROM readings r))
           AND t.test_definition_id = ANY (ARRAY(
               SELECT DISTINCT r.test_definition_id FROM readings r))
    ), earlier AS MATERIALIZED (
        SELECT f.file_id, f.result, f.qualifier, f.unit, f.analyzed_at, t.id,
               t.sample_id, t.test_definition_id,
               (f.result, f.qualifier) IS NOT DISTINCT FROM (t.result, t.qualifier)
                   AS stands
          FROM lims.instrument_file_row f
          JOIN family t
            ON t.id = f.sample_test_id
         WHERE f.organization_id = p_organization
           AND f.sample_test_id = ANY (ARRAY(SELECT t.id FROM family t))
           AND f.status IN ('written', 'unchanged')
    )
    SELECT r.place,
           max(e.file_id) FILTER (WHERE e.id = r.sample_test_id),
           bool_or(e.stands AND e.id = r.sample_test_id),
           max(e.file_id) FILTER (WHERE e.id <> r.sample_test_id)
      FROM readings r
      JOIN earlier e
        ON e.sample_id = r.sample_id
       AND e.test_definition_id = r.test_definition_id
     WHERE (e.analyzed_at = r.analyzed_at) IS NOT FALSE
       AND lims.is_same_unit(nullif(e.unit, ''), nullif(r.unit, '')) IS NOT FALSE
       AND lims.same_result(e.result, e.qualifier, r.result, r.qualifier)
     GROUP BY r.place;
END
$$;

-- The readings that are no new measurement, and why, in words; the caller holds them. Held
-- is one that
--
--   * was brought for another test of the family: a repetition needs its own measurement;
--   * is the value of a result that was sent back, and was not measured since;
--   * was brought for this test, whose result was changed since;
--   * would replace the result of a later analysis.
--
-- Readings for which a person named the test are not held. A withdrawn result may be
-- brought again. The caller has locked the tests.
CREATE FUNCTION lims.measured_before(
    p_organization bigint,
    p_rows lims.file_reading[]
) RETURNS TABLE (place bigint, why text)
LANGUAGE plpgsql STABLE
SET enable_nestloop = off
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH judged AS (
        SELECT r.place, r.test_code, r.tracking_id, b.file, b.other_file,
               b.file IS NULL AND b.other_file IS NOT NULL AS is_of_another,
               t.returned_at IS NOT NULL
                   AND (r.analyzed_at > t.returned_at) IS NOT TRUE
                   AND lims.same_result(t.result, t.qualifier, r.result, r.qualifier)
                   AS is_returned,
               t.result IS NOT NULL
                   AND (t.result, t.qualifier) IS DISTINCT FROM (r.result, r.qualifier)
                   AS replaces,
               b.file IS NOT NULL AND NOT b.stands AS is_changed,
               coalesce(r.analyzed_at < t.analyzed_at, false) AS is_older
          FROM unnest(p_rows) r
          JOIN lims.sample_test t
            ON t.id = r.sample_test_id
          LEFT JOIN lims.rows_brought_before(p_organization, p_rows) b
            ON b.place = r.place
         WHERE t.organization_id = p_organization
           AND t.id = ANY (ARRAY(SELECT x.sample_test_id FROM unnest(p_rows) x))
           AND t.status <> 'verified'
           AND r.named IS NOT TRUE
    )
    SELECT j.place,
           CASE WHEN j.is_of_another THEN format(
                    'File %s brought this measurement of %s of sample %s for another test '
                    'than the one that waits for it: a repetition needs a measurement of its '
                    'own. If it is this test''s, name the test when you release the file.',
                    j.other_file, j.test_code, j.tracking_id)
                WHEN j.is_returned THEN format(
                    'The result of %s of sample %s was sent back, and this is the '
                    'measurement that was sent back: measure again, or name the test when '
                    'you release the file.', j.test_code, j.tracking_id)
                WHEN j.is_changed THEN format(
                    '%s of sample %s was changed since file %s brought this result.',
                    j.test_code, j.tracking_id, j.file)
                ELSE format('%s of sample %s has the result of a later analysis.',
                            j.test_code, j.tracking_id) END
      FROM judged j
     WHERE j.is_of_another
        OR j.is_returned
        OR (j.replaces AND (j.is_changed OR j.is_older));
END
$$;
