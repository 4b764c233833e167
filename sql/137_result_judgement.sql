-- SPDX-License-Identifier: Apache-2.0
--
-- Judgement of results: the warnings of one that was entered, and a trial judgement of
-- results that are not entered yet, which writes nothing.

-- Warnings about the lots of a result, as of the day of its entry: expired, and, where
-- the organization's policy requires released lots, quarantined or failed.
CREATE FUNCTION lims.lot_entry_warnings(
    p_organization bigint,
    p_reagent_lot bigint,
    p_media_lot bigint,
    p_entered_on date
) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object('code', w.code,
                            'message', w.message) ORDER BY l.kind DESC, w.place), '[]')
          FROM lims.lots_named(p_organization, p_reagent_lot, p_media_lot) l
          JOIN lims.organization o
            ON o.id = p_organization
         CROSS JOIN LATERAL (VALUES
               (1, 'lot_expired', format('%s lot %s expired on %s', l.kind, l.code,
                                         l.usable_until),
                l.usable_until < p_entered_on),
               (2, 'lot_quarantined', format('%s lot %s is quarantined', l.kind, l.code),
                l.qc_status = 'quarantined' AND o.lot_qc_policy <> 'off'),
               (3, 'lot_failed', format('%s lot %s failed its quality control', l.kind,
                                        l.code),
                l.has_failed AND o.lot_qc_policy <> 'off')
               ) AS w (place, code, message, applies)
         WHERE w.applies);
END
$$;

-- All warnings of a result that stands: about its value, and about its lots.
CREATE FUNCTION lims.entry_warnings(
    p_organization bigint,
    p_value_warnings jsonb,
    p_reagent_lot bigint,
    p_media_lot bigint,
    p_entered_on date
) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF p_reagent_lot IS NULL AND p_media_lot IS NULL THEN
        RETURN coalesce(p_value_warnings, '[]');
    END IF;
    RETURN coalesce(p_value_warnings, '[]')
        || lims.lot_entry_warnings(p_organization, p_reagent_lot, p_media_lot,
                                   p_entered_on);
END
$$;

-- Returns the refusals and warnings of entering results now with these lots, either of
-- which may be NULL. refusals: an array of { place, error, message, reagentLot, mediaLot
-- }, as lims.entry_refusals() puts them into order. has_sound_medium: there is such a
-- media lot, and it has not failed.
CREATE FUNCTION lims.lots_judged(
    p_organization bigint,
    p_reagent_lot bigint,
    p_media_lot bigint
) RETURNS TABLE (refusals jsonb, warnings jsonb, has_sound_medium boolean)
LANGUAGE sql STABLE
AS $$
    WITH refused (place, slug, message, reagent_lot, media_lot) AS (
        SELECT w.place, 'invalid_reference', format('there is no %s lot %s', w.kind, w.id),
               NULL::bigint, NULL::bigint
          FROM (VALUES (1, 'reagent', p_reagent_lot),
                       (2, 'media', p_media_lot)) AS w (place, kind, id)
         WHERE w.id IS NOT NULL
           AND w.kind NOT IN (
               SELECT l.kind
                 FROM lims.lots_named(p_organization, p_reagent_lot, p_media_lot) l)
         UNION ALL
        SELECT CASE b.slug WHEN 'reagent_lot_expired' THEN 7 ELSE 9 END, b.slug, b.message,
               b.reagent_lot_id, b.media_lot_id
          FROM lims.refused_lots(p_organization, p_reagent_lot, p_media_lot) b
    )
    SELECT (SELECT jsonb_agg(jsonb_build_object('place', f.place, 'error', f.slug,
                                                'message', f.message,
                                                'reagentLot', f.reagent_lot,
                                                'mediaLot', f.media_lot))
              FROM refused f),
           lims.lot_entry_warnings(p_organization, p_reagent_lot, p_media_lot,
               (SELECT (now() AT TIME ZONE o.time_zone)::date
                  FROM lims.organization o
                 WHERE o.id = p_organization)),
           EXISTS (SELECT
                     FROM lims.lots_named(p_organization, NULL, p_media_lot) l
                    WHERE NOT l.has_failed)
$$;

-- Why entering a result would be refused: an array of { error, message }. The lots and the
-- time are those that the test would have then; p_lots is what is refused of the lots
-- (lims.lots_judged), p_sample_end the word for what ended the work on the sample, or NULL.
-- A table, so that the planner makes it a part of the statement that it is in.
CREATE FUNCTION lims.entry_refusals(
    p_test lims.sample_test,
    p_sample_end text,
    p_collected_at timestamptz,
    p_result text,
    p_reagent_lot bigint,
    p_media_lot bigint,
    p_has_sound_medium boolean,
    p_lots jsonb,
    p_analyzed_at timestamptz
) RETURNS TABLE (refusals jsonb)
LANGUAGE sql STABLE
AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object('error', f.slug,
                                                 'message', f.message)
                              ORDER BY f.place), '[]')
      FROM (SELECT w.place, w.slug, w.message
              FROM (VALUES
                   (3, 'invalid_body', 'analyzedAt lies in the future',
                    p_analyzed_at > now() + interval '5 minutes'),
                   (4, 'invalid_body',
                    'analyzedAt lies before the collection of the sample',
                    p_analyzed_at IS DISTINCT FROM (p_test).analyzed_at
                    AND p_analyzed_at < p_collected_at),
                   (5, 'test_verified_locked', 'the result is verified and locked',
                    (p_test).status = 'verified'),
                   (5, 'invalid_transition', 'the test is cancelled or set aside',
                    (p_test).disposition <> 'active'),
                   (6, 'invalid_transition', format('the sample is %s', p_sample_end),
                    p_sample_end IS NOT NULL)
                   ) AS w (place, slug, message, applies)
             WHERE w.applies
             UNION ALL
            SELECT 8, 'media_qc_failed', format('media lot %s failed: name another lot, '
                       'which has not failed, with another result', had.code)
              FROM lims.media_lot had
             WHERE had.organization_id = (p_test).organization_id
               AND had.id = (p_test).media_lot_id
               AND 'failed' IN (had.growth_promotion_status, had.sterility_status)
               AND p_media_lot IS DISTINCT FROM had.id
               AND (NOT p_has_sound_medium
                    OR lims.is_same_result(p_result, (p_test).result))
             UNION ALL
            SELECT 9, 'lot_not_released', l.message || ': name it, or enter another result'
              FROM lims.lots_left(p_test, p_result, p_reagent_lot, p_media_lot) l
             UNION ALL
            SELECT (l.value ->> 'place')::integer, l.value ->> 'error',
                   l.value ->> 'message'
              FROM jsonb_array_elements(p_lots) l
             WHERE l.value ->> 'error' = 'invalid_reference'
                OR p_result ~ '\S'
                   AND NOT (l.value ->> 'error' = 'lot_not_released'
                            AND lims.lot_is_accepted((p_test).organization_id,
                                    (p_test).sample_id,
                                    (l.value ->> 'reagentLot')::bigint,
                                    (l.value ->> 'mediaLot')::bigint))) f
$$;

-- Results to judge, each with its test, or NULL, and what the test would have then: the
-- members that were sent, else those that it has. lots: reagent lot and media lot.
CREATE FUNCTION lims.results_asked(p_organization bigint, p_results jsonb)
RETURNS TABLE (
    place bigint,
    id bigint,
    test lims.sample_test,
    result text,
    qualifier text,
    lots bigint[],
    analyzed_at timestamptz
)
LANGUAGE sql STABLE
AS $$
    WITH asked AS MATERIALIZED (
        SELECT u.place, (u.value ->> 'sampleTestId')::bigint AS id, u.value
          FROM jsonb_array_elements(p_results) WITH ORDINALITY AS u (value, place)
    )
    SELECT asked.place, asked.id, t, asked.value ->> 'result',
           CASE WHEN asked.value ? 'qualifier' THEN asked.value ->> 'qualifier'
                WHEN asked.value ->> 'result' IS DISTINCT FROM t.result THEN NULL
                ELSE t.qualifier END,
           ARRAY[CASE WHEN asked.value ? 'reagentLotId'
                      THEN (asked.value ->> 'reagentLotId')::bigint
                      ELSE t.reagent_lot_id END,
                 CASE WHEN asked.value ? 'mediaLotId'
                      THEN (asked.value ->> 'mediaLotId')::bigint
                      ELSE t.media_lot_id END],
           CASE WHEN asked.value ? 'analyzedAt'
                THEN (asked.value ->> 'analyzedAt')::timestamptz
                ELSE t.analyzed_at END
      FROM asked
      LEFT JOIN lims.sample_test t
        ON t.organization_id = p_organization
       AND t.id = asked.id
$$;

-- Judges results as lims.enter_results() would, and writes nothing. p_results: an array of
-- { sampleTestId, result, qualifier, reagentLotId, mediaLotId, analyzedAt }, with the
-- meaning that they have there. Row-level security applies to the caller. The columns are
-- named as in the API.
--
-- Many results have the same lots: each pair of lots is judged once.
CREATE FUNCTION lims.judge_results(p_organization bigint, p_results jsonb)
RETURNS TABLE (
    place bigint,
    "sampleTestId" bigint,
    status text,
    "numericValue" numeric,
    "outOfSpecification" boolean,
    specification text,
    presumptive boolean,
    refusals jsonb,
    "entryWarnings" jsonb
)
LANGUAGE sql STABLE
AS $$
    WITH asked AS MATERIALIZED (
        SELECT a.*
          FROM lims.results_asked(p_organization, p_results) a
    ), pair AS MATERIALIZED (
        SELECT p.lots, j.refusals, j.warnings, j.has_sound_medium
          FROM (SELECT DISTINCT asked.lots FROM asked) p
         CROSS JOIN LATERAL lims.lots_judged(p_organization, p.lots[1], p.lots[2]) j
    )
    SELECT asked.place, asked.id, j.status, j.numeric_value, j.out_of_specification,
           CASE WHEN (asked.test).id IS NOT NULL
                THEN lims.specification_words(l.low, l.high, l.expected,
                         coalesce((asked.test).unit, d.unit)) END,
           CASE WHEN (asked.test).id IS NOT NULL
                THEN j.confirmation_status IS NOT NULL
                     AND j.confirmation_status <> 'refuted' END,
           CASE WHEN (asked.test).id IS NULL
                THEN jsonb_build_array(jsonb_build_object('error', 'invalid_reference',
                    'message', format('there is no sample test %s', asked.id)))
                ELSE (SELECT f.refusals
                        FROM lims.entry_refusals(asked.test, e.sample_end, e.collected_at,
                                 asked.result, asked.lots[1], asked.lots[2],
                                 pair.has_sound_medium, pair.refusals, asked.analyzed_at) f) END,
           CASE WHEN j.result IS NULL THEN '[]'
                ELSE coalesce(j.value_warnings, '[]') || pair.warnings END
      FROM asked
      JOIN pair
        ON pair.lots = asked.lots
      LEFT JOIN lims.sample s
        ON s.organization_id = p_organization
       AND s.id = (asked.test).sample_id
      LEFT JOIN lims.test_definition d
        ON d.organization_id = p_organization
       AND d.id = (asked.test).test_definition_id
      LEFT JOIN lims.organization o
        ON o.id = p_organization
     CROSS JOIN LATERAL (
           SELECT coalesce(s.collected_at,
                      s.collection_date::timestamp AT TIME ZONE o.time_zone)
                      AS collected_at,
                  CASE WHEN lims.sample_is_final(s.status, s.disposition)
                        AND NOT (s.amendment_id IS NOT NULL
                                 AND lims.sample_is_open(s.status, s.amendment_id))
                       THEN lims.sample_end(s.status, s.disposition) END
                      AS sample_end) e
      LEFT JOIN LATERAL lims.judged(asked.test, asked.result, asked.qualifier) j
        ON true
      LEFT JOIN LATERAL lims.limits_of(p_organization, (asked.test).test_definition_id,
                    s.material_type_id, s.project_id) l
        ON true
     ORDER BY asked.place
$$;
