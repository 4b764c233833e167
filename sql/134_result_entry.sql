-- SPDX-License-Identifier: Apache-2.0
--
-- Bulk entry of results, for clients and instruments' files alike.

-- p_updates: an array of { sampleTestId, result, notes, qualifier, reagentLotId,
-- mediaLotId, analyzedAt, reason }, each test once. A member but the first two that is
-- absent keeps its value, but a new result without a qualifier clears it. Enters the
-- results of the tests that are not verified, with their derived columns (lims.judged).
-- Returns each test in the given order with the status that it had, or its disposition where
-- it is not active, which takes no entry; NULL: there is no such test.
--
-- Entries with reasons of their own are entered together with those of the same reason,
-- which the audit trail then has; the others have the request's.
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
    v_reason text;
    v_group record;
    v_stood jsonb := '{}';
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
    IF jsonb_path_exists(p_updates, '$[*].reason') THEN
        v_reason := lims.context('reason');
        FOR v_group IN
            SELECT u.value ->> 'reason' AS reason,
                   jsonb_agg(u.value - 'reason' ORDER BY u.place) AS updates
              FROM jsonb_array_elements(p_updates) WITH ORDINALITY AS u (value, place)
             GROUP BY u.value ->> 'reason'
             ORDER BY min(u.place)
        LOOP
            PERFORM set_config('lims.reason', coalesce(v_group.reason, v_reason, ''),
                               true);
            SELECT v_stood || jsonb_object_agg(e.sample_test_id, e.stood)
              INTO v_stood
              FROM lims.enter_results(p_organization, v_group.updates) e;
        END LOOP;
        PERFORM set_config('lims.reason', coalesce(v_reason, ''), true);
        RETURN QUERY
        SELECT (u.value ->> 'sampleTestId')::bigint,
               v_stood ->> (u.value ->> 'sampleTestId')
          FROM jsonb_array_elements(p_updates) WITH ORDINALITY AS u (value, place)
         ORDER BY u.place;
        RETURN;
    END IF;
    RETURN QUERY
    WITH asked AS MATERIALIZED (
        SELECT (u.value ->> 'sampleTestId')::bigint AS id, u.place,
               u.value ->> 'result' AS result,
               u.value ? 'notes' AS has_notes,
               u.value ->> 'notes' AS notes,
               u.value ? 'qualifier' AS has_qualifier,
               u.value ->> 'qualifier' AS qualifier,
               u.value ? 'reagentLotId' AS has_reagent,
               (u.value ->> 'reagentLotId')::bigint AS reagent_lot_id,
               u.value ? 'mediaLotId' AS has_media,
               (u.value ->> 'mediaLotId')::bigint AS media_lot_id,
               u.value ? 'analyzedAt' AS has_analyzed,
               (u.value ->> 'analyzedAt')::timestamptz AS analyzed_at
          FROM jsonb_array_elements(p_updates) WITH ORDINALITY AS u (value, place)
    ), held AS MATERIALIZED (
        SELECT t.id, j.*,
               CASE t.disposition WHEN 'active' THEN t.status
                    ELSE t.disposition END AS had,
               q.qualifier, q.is_entered,
               CASE WHEN asked.has_analyzed THEN asked.analyzed_at
                    ELSE j.analyzed_at END AS analyzed,
               CASE WHEN asked.has_notes THEN asked.notes ELSE t.notes END AS notes,
               -- Other notes of a key are not printed unless it says so.
               t.note_on_report
               AND NOT (asked.has_notes AND asked.notes IS DISTINCT FROM t.notes
                        AND (SELECT lims.context_id('api_key_id')) IS NOT NULL)
                   AS note_on_report,
               CASE WHEN asked.has_reagent THEN asked.reagent_lot_id
                    ELSE t.reagent_lot_id END AS reagent_lot_id,
               CASE WHEN asked.has_media THEN asked.media_lot_id
                    ELSE t.media_lot_id END AS media_lot_id,
               asked.has_notes AND asked.notes IS DISTINCT FROM t.notes
               OR asked.has_reagent
                  AND asked.reagent_lot_id IS DISTINCT FROM t.reagent_lot_id
               OR asked.has_media
                  AND asked.media_lot_id IS DISTINCT FROM t.media_lot_id
               OR asked.has_analyzed
                  AND asked.analyzed_at IS DISTINCT FROM t.analyzed_at AS is_noted
          FROM asked
          JOIN lims.sample_test t
            ON t.id = asked.id
         CROSS JOIN LATERAL (
               SELECT asked.result IS DISTINCT FROM t.result
                      OR (asked.has_qualifier
                          AND asked.qualifier IS DISTINCT FROM t.qualifier)
                      -- Sent back: the same value counts as entered.
                      OR t.returned_at IS NOT NULL AS is_entered,
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
               note_on_report = h.note_on_report,
               reagent_lot_id = h.reagent_lot_id,
               media_lot_id = h.media_lot_id,
               out_of_specification = h.out_of_specification,
               spec_low = h.spec_low,
               spec_high = h.spec_high,
               spec_text = h.spec_text,
               spec_material_type_id = h.spec_material_type_id,
               spec_project_id = h.spec_project_id,
               confirmation_status = h.confirmation_status,
               value_warnings = h.value_warnings,
               analyzed_at = h.analyzed,
               entered_by = h.entered_by,
               entered_at = h.entered_at,
               first_entered_at = h.first_entered_at,
               holding_met = lims.is_holding_met(t.holding_expires_at, h.analyzed,
                                                 h.first_entered_at),
               returned_by = NULL,
               returned_at = NULL,
               return_reason = NULL,
               updated_at = now()
          FROM held h
         WHERE t.organization_id = p_organization
           AND t.id = h.id
           AND h.had IN ('pending', 'entered')
           AND h.is_entered
    ), noted AS (
        UPDATE lims.sample_test t
           SET notes = h.notes,
               note_on_report = h.note_on_report,
               reagent_lot_id = h.reagent_lot_id,
               media_lot_id = h.media_lot_id,
               analyzed_at = h.analyzed
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
