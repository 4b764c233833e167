-- SPDX-License-Identifier: Apache-2.0

-- name: extraction_calibration one
-- How often extracted values were right; of each sample test its last extraction
-- counts. A value is right if it was verified unchanged, or if a person entered the
-- same by hand; wrong if another result stands now, or it was withdrawn. The share of
-- right values has its lower bound (Wilson score interval, 95 %), since a share of few
-- values is uncertain.
WITH found AS (
    SELECT DISTINCT ON (r.sample_test_id)
           r.sample_test_id, r.result, r.qualifier, r.confidence, r.features,
           r.status = 'applied' AS is_applied, e.model, e.looks
      FROM lims.extraction_row r
      JOIN lims.extraction e
        ON e.organization_id = r.organization_id
       AND e.id = r.extraction_id
     WHERE r.organization_id = :$organization::bigint
       AND r.sample_test_id IS NOT NULL
       AND r.result IS NOT NULL
       AND r.status <> 'locked'
       AND (:since::timestamptz IS NULL OR e.created_at >= :since::timestamptz)
       AND (:until::timestamptz IS NULL OR e.created_at <= :until::timestamptz)
       AND (:model::text IS NULL OR e.model = :model::text)
     ORDER BY r.sample_test_id, r.id DESC
), judged AS (
    SELECT f.*,
           CASE WHEN t.result IS NULL
                THEN CASE WHEN f.is_applied THEN 'wrong' ELSE 'open' END
                WHEN NOT lims.same_result(t.result, t.qualifier, f.result, f.qualifier)
                THEN 'wrong'
                WHEN t.status = 'verified' OR NOT f.is_applied THEN 'right'
                ELSE 'open' END AS verdict,
           width_bucket(f.confidence,
                        '{0.000001,0.5,0.6,0.7,0.8,0.85,0.9,0.95}'::numeric[]) AS bin
      FROM found f
      JOIN lims.sample_test t
        ON t.organization_id = :$organization::bigint
       AND t.id = f.sample_test_id
), grouped AS (
    SELECT GROUPING(j.bin) AS no_bin, GROUPING(j.features) AS no_features,
           GROUPING(j.model) AS no_model, j.bin, j.features, j.model, j.looks,
           min(j.confidence) AS lowest, max(j.confidence) AS highest,
           count(*) AS found,
           count(*) FILTER (WHERE j.is_applied) AS applied,
           count(*) FILTER (WHERE j.verdict = 'right') AS n_right,
           count(*) FILTER (WHERE j.verdict = 'wrong') AS n_wrong,
           count(*) FILTER (WHERE j.verdict = 'open') AS n_open
      FROM judged j
     GROUP BY GROUPING SETS ((), (j.bin), (j.features), (j.model, j.looks))
), shown AS (
    SELECT g.*,
           jsonb_build_object(
               'found', g.found, 'applied', g.applied, 'right', g.n_right,
               'wrong', g.n_wrong, 'open', g.n_open,
               'share', round(s.share, 4),
               'atLeast', round((s.share + 1.9208 / s.n - 1.96 * sqrt(
                   s.share * (1 - s.share) / s.n + 0.9604 / (s.n * s.n)))
                   / (1 + 3.8416 / s.n), 4)) AS counts
      FROM grouped g
     CROSS JOIN LATERAL (
               SELECT nullif(g.n_right + g.n_wrong, 0)::numeric AS n,
                      g.n_right::numeric / nullif(g.n_right + g.n_wrong, 0) AS share) s
)
SELECT jsonb_build_object(
           'total', (SELECT s.counts FROM shown s
                      WHERE s.no_bin + s.no_features + s.no_model = 3),
           'byConfidence', coalesce((
               SELECT jsonb_agg(jsonb_build_object('from', s.lowest, 'to', s.highest)
                                || s.counts ORDER BY s.bin DESC)
                 FROM shown s WHERE s.no_bin = 0), '[]'),
           'byEvidence', coalesce((
               SELECT jsonb_agg(jsonb_build_object('evidence', s.features) || s.counts
                                ORDER BY s.found DESC, s.features)
                 FROM shown s WHERE s.no_features = 0), '[]'),
           'byModel', coalesce((
               SELECT jsonb_agg(jsonb_build_object('model', s.model, 'looks', s.looks)
                                || s.counts ORDER BY s.model, s.looks)
                 FROM shown s WHERE s.no_model = 0), '[]')) AS "document"
