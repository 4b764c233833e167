-- SPDX-License-Identifier: Apache-2.0
--
-- Bulk entry of results, for clients and instruments' files alike.

-- p_updates: an array of { sampleTestId, result, notes, qualifier, analyzedAt }, each test
-- once. A member of the last three that is absent keeps its value, but a new result
-- without a qualifier clears it. Enters the results of the tests that are not verified,
-- with their derived columns (lims.judged). Returns each test in the given order with the
-- status that it had, or its disposition where it is not active, which takes no entry;
-- NULL: there is no such test.
--
-- SECURITY DEFINER: the run-time role has no right to the derived columns. Row-level
-- security does not apply then, so the organization is compared with the context.
--
-- Each result is judged once, after its test and then its sample were locked, in a
-- statement that sees what was committed while it waited for them.
CREATE FUNCTION lims.enter_results(p_organization bigint, p_updates jsonb)
RETURNS TABLE (sample_test_id bigint, stood text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    v_samples bigint[];
BEGIN
    IF p_organization IS DISTINCT FROM lims.context_id('organization_id') THEN
        RAISE EXCEPTION USING
            ERRCODE = 'insufficient_privilege',
            MESSAGE = format('organization %s is not the one of the context',
                             p_organization);
    END IF;
    PERFORM lims.acting_user();
    SELECT array_agg(l.sample_id)
      INTO v_samples
      FROM (SELECT t.sample_id
              FROM lims.sample_test t
             WHERE t.organization_id = p_organization
               AND t.id = ANY (ARRAY(
                   SELECT (u.value ->> 'sampleTestId')::bigint
                     FROM jsonb_array_elements(p_updates) u))
             ORDER BY t.id
               FOR NO KEY UPDATE) l;
    PERFORM FROM lims.sample s
      WHERE s.organization_id = p_organization
        AND s.id = ANY (v_samples)
      ORDER BY s.id
        FOR SHARE;
    RETURN QUERY
    WITH asked AS MATERIALIZED (
        SELECT (u.value ->> 'sampleTestId')::bigint AS id, u.place,
               u.value ->> 'result' AS result,
               u.value ? 'notes' AS has_notes,
               u.value ->> 'notes' AS notes,
               u.value ? 'qualifier' AS has_qualifier,
               u.value ->> 'qualifier' AS qualifier,
               (u.value ->> 'analyzedAt')::timestamptz AS analyzed_at
          FROM jsonb_array_elements(p_updates) WITH ORDINALITY AS u (value, place)
    ), held AS MATERIALIZED (
        SELECT t.id, j.*,
               CASE t.disposition WHEN 'active' THEN t.status
                    ELSE t.disposition END AS had,
               q.qualifier, q.is_entered,
               coalesce(asked.analyzed_at, j.analyzed_at) AS analyzed,
               CASE WHEN asked.has_notes THEN asked.notes ELSE t.notes END AS notes,
               asked.has_notes AND asked.notes IS DISTINCT FROM t.notes AS is_noted
          FROM asked
          JOIN lims.sample_test t
            ON t.id = asked.id
         CROSS JOIN LATERAL (
               SELECT asked.result IS DISTINCT FROM t.result
                      OR (asked.has_qualifier
                          AND asked.qualifier IS DISTINCT FROM t.qualifier)
                          AS is_entered,
                      CASE WHEN asked.has_qualifier THEN asked.qualifier
                           WHEN asked.result IS DISTINCT FROM t.result THEN NULL
                           ELSE t.qualifier END AS qualifier) q
         CROSS JOIN LATERAL lims.judged(t, asked.result, q.qualifier) j
         WHERE t.organization_id = p_organization
    ), entered AS (
        UPDATE lims.sample_test t
           SET status = h.status,
               result = h.result,
               numeric_value = h.numeric_value,
               qualifier = h.qualifier,
               notes = h.notes,
               out_of_specification = h.out_of_specification,
               spec_low = h.spec_low,
               spec_high = h.spec_high,
               spec_text = h.spec_text,
               spec_material_type_id = h.spec_material_type_id,
               spec_project_id = h.spec_project_id,
               confirmation_status = h.confirmation_status,
               analyzed_at = h.analyzed,
               entered_by = h.entered_by,
               entered_at = h.entered_at,
               first_entered_at = h.first_entered_at,
               updated_at = now()
          FROM held h
         WHERE t.organization_id = p_organization
           AND t.id = h.id
           AND h.had IN ('pending', 'entered')
           AND h.is_entered
    ), noted AS (
        UPDATE lims.sample_test t
           SET notes = h.notes
          FROM held h
         WHERE t.organization_id = p_organization
           AND t.id = h.id
           AND h.had IN ('pending', 'entered')
           AND h.is_noted
           AND NOT h.is_entered
    )
    SELECT asked.id, held.had
      FROM asked
      LEFT JOIN held ON held.id = asked.id
     ORDER BY asked.place;
END
$$;
