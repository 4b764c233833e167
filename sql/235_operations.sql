-- SPDX-License-Identifier: Apache-2.0
--
-- Figures for operators: how much waits in each laboratory, and for how long.

-- Returns figures of the laboratories, a row for each figure, organization (by code) and
-- state or key. At most p_at_most samples or files of an organization are counted, which
-- bounds the cost. Times are seconds since 1970.
CREATE FUNCTION lims.laboratory_figures(p_at_most bigint)
RETURNS TABLE (
    figure text,
    organization text,
    label text,
    name text,
    value double precision
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    WITH standing AS MATERIALIZED (
        SELECT o.id, o.code, v.status, s.number, s.since
          FROM lims.organization o
         CROSS JOIN (VALUES ('pending'), ('received'), ('processing'),
                            ('completed'), ('verified')) v (status)
          LEFT JOIN LATERAL (
               SELECT s.id AS number,
                      coalesce(s.received_at, s.created_at) AS since
                 FROM lims.sample s
                WHERE s.organization_id = o.id
                  AND s.status = v.status
                LIMIT p_at_most) s
            ON true
    ), watched AS MATERIALIZED (
        SELECT s.id, w.release_state, w.holding_status,
               count(*) AS samples, min(s.since) AS since
          FROM standing s
          JOIN lims.sample_state_cache w
            ON w.organization_id = s.id
           AND w.sample_id = s.number
         GROUP BY s.id, w.release_state, w.holding_status
    )
    SELECT 'samples', s.code, s.status, NULL, count(s.number)::double precision
      FROM standing s
     GROUP BY s.code, s.status
     UNION ALL
    SELECT x.figure, o.code, v.state, NULL, x.value
      FROM lims.organization o
     CROSS JOIN (VALUES ('blocked'), ('ready_for_review'),
                        ('ready_to_report')) v (state)
     CROSS JOIN LATERAL (
           SELECT coalesce(sum(w.samples), 0) AS waiting, min(w.since) AS since
             FROM watched w
            WHERE w.id = o.id
              AND w.release_state = v.state) w
     CROSS JOIN LATERAL (VALUES
           ('waiting', w.waiting::double precision),
           ('waiting_since', extract(epoch FROM w.since)::double precision)
           ) x (figure, value)
     WHERE x.value IS NOT NULL
     UNION ALL
    SELECT 'holding', o.code, v.status, NULL,
           (SELECT coalesce(sum(w.samples), 0)
              FROM watched w
             WHERE w.id = o.id
               AND w.holding_status = v.status)
      FROM lims.organization o
     CROSS JOIN (VALUES ('expiring_soon'), ('expired')) v (status)
     UNION ALL
    SELECT 'qc_failed', o.code, NULL, NULL,
           (SELECT count(*)
              FROM lims.qc_batch b
             WHERE b.organization_id = o.id
               AND b.qc_status = 'failed'
               AND b.evaluated_at > now() - interval '7 days')
      FROM lims.organization o
     UNION ALL
    SELECT 'quarantined', o.code, NULL, NULL,
           (SELECT count(*)
              FROM (SELECT FROM lims.instrument_file f
                     WHERE f.organization_id = o.id
                       AND f.status = 'quarantined'
                     LIMIT p_at_most) f)
      FROM lims.organization o
     UNION ALL
    -- A single late endpoint is its receiver's fault; if all are late, no dispatcher
    -- works.
    SELECT 'webhooks_late', o.code, NULL, NULL,
           (SELECT count(*)
              FROM lims.webhook_endpoint e
             CROSS JOIN LATERAL (
                   SELECT greatest(d.created_at, q.next_attempt_at) AS due_at
                     FROM lims.webhook_queue q
                     JOIN lims.webhook_delivery d
                       ON d.organization_id = q.organization_id
                      AND d.id = q.delivery_id
                    WHERE q.organization_id = e.organization_id
                      AND q.endpoint_id = e.id
                    ORDER BY q.next_attempt_at, q.delivery_id
                    LIMIT 1) q
             WHERE e.organization_id = o.id
               AND e.enabled
               AND e.deleted_at IS NULL
               AND q.due_at < now() - interval '1 minute')
      FROM lims.organization o
     UNION ALL
    SELECT x.figure, o.code, k.id::text, k.name,
           extract(epoch FROM x.at)::double precision
      FROM lims.organization o
      JOIN lims.api_key k
        ON k.organization_id = o.id
       AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())
     CROSS JOIN LATERAL (
           SELECT max(f.received_at) AS at
             FROM lims.instrument_file f
            WHERE f.organization_id = o.id
              AND f.received_by_key = k.id) f
     CROSS JOIN LATERAL (VALUES
           ('latest_file', coalesce(f.at, CASE WHEN k.upload_only THEN k.created_at END)),
           ('key_expires', k.expires_at)) x (figure, at)
     WHERE x.at IS NOT NULL
     ORDER BY 1, 2, 3
$$;
