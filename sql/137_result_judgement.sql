-- SPDX-License-Identifier: Apache-2.0
--
-- What the service says of a result: the warnings of one that was entered, and the
-- judgement of results that are not entered yet, which writes nothing.

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
          FROM (SELECT 'reagent' AS kind, r.code, r.usable_until,
                       r.qc_status = 'quarantined' AS is_quarantined,
                       r.qc_status = 'failed' AS is_failed
                  FROM lims.reagent_lot r
                 WHERE r.organization_id = p_organization
                   AND r.id = p_reagent_lot
                 UNION ALL
                SELECT 'media', m.code, m.usable_until, m.qc_status = 'quarantined',
                       'failed' IN (m.growth_promotion_status, m.sterility_status)
                  FROM lims.media_lot m
                 WHERE m.organization_id = p_organization
                   AND m.id = p_media_lot) l
          JOIN lims.organization o
            ON o.id = p_organization
         CROSS JOIN LATERAL (VALUES
               (1, 'lot_expired', format('%s lot %s expired on %s', l.kind, l.code,
                                         l.usable_until),
                l.usable_until < p_entered_on),
               (2, 'lot_quarantined', format('%s lot %s is quarantined', l.kind, l.code),
                l.is_quarantined AND o.lot_qc_policy <> 'off'),
               (3, 'lot_failed', format('%s lot %s failed its quality control', l.kind,
                                        l.code),
                l.is_failed AND o.lot_qc_policy <> 'off')
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

-- Lists why entering a result would be refused: an array of { error, message }. The lots
-- and the time are those that the test would have then; p_sample_end is the word for what
-- ended the work on the sample, or NULL.
CREATE FUNCTION lims.entry_refusals(
    p_test lims.sample_test,
    p_sample_end text,
    p_result text,
    p_reagent_lot bigint,
    p_media_lot bigint,
    p_analyzed_at timestamptz
) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object('error', f.slug,
                                                 'message', f.message)
                              ORDER BY f.place), '[]')
      FROM (VALUES (p_reagent_lot, p_media_lot)) AS asked (reagent_lot, media_lot)
      LEFT JOIN lims.reagent_lot r
        ON r.organization_id = (p_test).organization_id
       AND r.id = asked.reagent_lot
      LEFT JOIN lims.media_lot m
        ON m.organization_id = (p_test).organization_id
       AND m.id = asked.media_lot
      LEFT JOIN lims.media_lot had
        ON had.organization_id = (p_test).organization_id
       AND had.id = (p_test).media_lot_id
       AND 'failed' IN (had.growth_promotion_status, had.sterility_status)
     CROSS JOIN LATERAL (VALUES
           (1, 'invalid_reference', format('there is no reagent lot %s', asked.reagent_lot),
            asked.reagent_lot IS NOT NULL AND r.id IS NULL),
           (2, 'invalid_reference', format('there is no media lot %s', asked.media_lot),
            asked.media_lot IS NOT NULL AND m.id IS NULL),
           (3, 'invalid_body', 'analyzedAt lies in the future',
            p_analyzed_at > now() + interval '5 minutes'),
           (4, 'invalid_body', 'analyzedAt lies before the collection of the sample',
            p_analyzed_at IS DISTINCT FROM (p_test).analyzed_at
            AND p_analyzed_at < lims.collection_moment((p_test).organization_id,
                                                       (p_test).sample_id)),
           (5, 'test_verified_locked', 'the result is verified and locked',
            (p_test).status = 'verified'),
           (5, 'invalid_transition', 'the test is cancelled or set aside',
            (p_test).disposition <> 'active'),
           (6, 'invalid_transition', format('the sample is %s', p_sample_end),
            p_sample_end IS NOT NULL),
           (8, 'media_qc_failed', format('media lot %s failed: name another lot, which has '
                'not failed, with another result', had.code),
            had.id IS NOT NULL AND asked.media_lot IS DISTINCT FROM had.id
            AND (m.id IS NULL OR 'failed' IN (m.growth_promotion_status, m.sterility_status)
                 OR lims.is_same_result(p_result, (p_test).result)))
           UNION ALL
           SELECT CASE b.slug WHEN 'reagent_lot_expired' THEN 7 ELSE 9 END, b.slug,
                  b.message, true
             FROM lims.refused_lots((p_test).organization_id, r.id, m.id) b
            WHERE p_result ~ '\S'
           ) AS f (place, slug, message, applies)
     WHERE f.applies);
END
$$;

-- Judges results as lims.enter_results() would, and writes nothing. p_results: an array of
-- { sampleTestId, result, qualifier, reagentLotId, mediaLotId, analyzedAt }, with the
-- meaning that they have there. Row-level security applies to the caller. The columns are
-- named as in the API.
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
        SELECT u.place, (u.value ->> 'sampleTestId')::bigint AS id, u.value
          FROM jsonb_array_elements(p_results) WITH ORDINALITY AS u (value, place)
    )
    SELECT asked.place, asked.id, j.status, j.numeric_value, j.out_of_specification,
           CASE WHEN t.id IS NOT NULL
                THEN lims.specification_words(l.low, l.high, l.expected,
                         coalesce(t.unit, d.unit)) END,
           CASE WHEN t.id IS NOT NULL
                THEN j.confirmation_status IS NOT NULL
                     AND j.confirmation_status <> 'refuted' END,
           CASE WHEN t.id IS NULL
                THEN jsonb_build_array(jsonb_build_object('error', 'invalid_reference',
                    'message', format('there is no sample test %s', asked.id)))
                -- What most entries have none of is not looked for.
                WHEN t.status <> 'verified' AND t.disposition = 'active'
                 AND q.sample_end IS NULL AND q.reagent_lot IS NULL
                 AND q.media_lot IS NULL AND t.media_lot_id IS NULL
                 AND q.analyzed_at IS NULL
                THEN '[]'
                ELSE lims.entry_refusals(t, q.sample_end, asked.value ->> 'result',
                         q.reagent_lot, q.media_lot, q.analyzed_at) END,
           CASE WHEN j.result IS NULL THEN '[]'
                ELSE lims.entry_warnings(p_organization, j.value_warnings, q.reagent_lot,
                         q.media_lot, (now() AT TIME ZONE o.time_zone)::date) END
      FROM asked
      LEFT JOIN lims.sample_test t
        ON t.organization_id = p_organization
       AND t.id = asked.id
      LEFT JOIN lims.sample s
        ON s.organization_id = p_organization
       AND s.id = t.sample_id
      LEFT JOIN lims.test_definition d
        ON d.organization_id = p_organization
       AND d.id = t.test_definition_id
      LEFT JOIN lims.organization o
        ON o.id = p_organization
     CROSS JOIN LATERAL (
           SELECT CASE WHEN asked.value ? 'qualifier' THEN asked.value ->> 'qualifier'
                       WHEN asked.value ->> 'result' IS DISTINCT FROM t.result THEN NULL
                       ELSE t.qualifier END AS qualifier,
                  CASE WHEN asked.value ? 'reagentLotId'
                       THEN (asked.value ->> 'reagentLotId')::bigint
                       ELSE t.reagent_lot_id END AS reagent_lot,
                  CASE WHEN asked.value ? 'mediaLotId'
                       THEN (asked.value ->> 'mediaLotId')::bigint
                       ELSE t.media_lot_id END AS media_lot,
                  CASE WHEN asked.value ? 'analyzedAt'
                       THEN (asked.value ->> 'analyzedAt')::timestamptz
                       ELSE t.analyzed_at END AS analyzed_at,
                  CASE WHEN lims.sample_is_final(s.status, s.disposition)
                        AND NOT (s.amendment_id IS NOT NULL
                                 AND lims.sample_is_open(s.status, s.amendment_id))
                       THEN lims.sample_end(s.status, s.disposition) END
                      AS sample_end) q
      LEFT JOIN LATERAL lims.judged(t, asked.value ->> 'result', q.qualifier) j
        ON true
      LEFT JOIN LATERAL lims.limits_of(p_organization, t.test_definition_id,
                    s.material_type_id, s.project_id) l
        ON true
     ORDER BY asked.place
$$;
