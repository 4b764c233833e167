-- SPDX-License-Identifier: Apache-2.0
--
-- The functions of a dispatcher: claim deliveries, record outcomes. They act across
-- organizations, as a dispatcher does, and are the only access of the run-time role to the
-- queue and the lanes of 180_webhooks.sql.

-- Takes the lease of free lanes with due deliveries, at most p_lanes, fairly between
-- organizations, and returns the deliveries: of each lane up to p_per_lane first attempts
-- and as many retries.
--
-- p_organizations and p_endpoints: the lanes that the holder uses, whose leases are
-- extended; p_room: how many deliveries of each kind such a lane takes now; p_busy: its
-- deliveries in flight, an array as text. The holder's other lanes are released.
CREATE FUNCTION lims.webhook_claim(
    p_holder uuid,
    p_lease interval,
    p_organizations bigint[],
    p_endpoints bigint[],
    p_room integer[],
    p_busy text[],
    p_lanes integer,
    p_per_lane integer
) RETURNS TABLE (
    organization_id bigint,
    endpoint_id bigint,
    id bigint,
    delivery_id uuid,
    type text,
    body text,
    attempts integer,
    retries integer,
    fresh boolean,
    age double precision,
    url text,
    secret bytea,
    previous_secret bytea,
    standard_headers boolean
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
    v_organizations bigint[];
    v_endpoints bigint[];
    v_room integer[];
    v_busy text[];
BEGIN
    UPDATE lims.webhook_lane w
       SET held_until = now() + p_lease
      FROM unnest(p_organizations, p_endpoints) AS k (organization, endpoint)
     WHERE w.organization_id = k.organization
       AND w.endpoint_id = k.endpoint
       AND w.holder = p_holder
       AND w.held_until < now() + p_lease / 2;

    -- Goes from lane to lane through the queue's index (loose index scan). Plans are
    -- cached, and may be made for empty tables: OFFSET 0, here and below, has each row
    -- looked up by its key, in this order.
    WITH RECURSIVE lane AS (
        (SELECT q.organization_id, q.endpoint_id, q.next_attempt_at
           FROM lims.webhook_queue q
          ORDER BY q.organization_id, q.endpoint_id, q.next_attempt_at
          LIMIT 1)
        UNION ALL
        SELECT n.organization_id, n.endpoint_id, n.next_attempt_at
          FROM lane l
         CROSS JOIN LATERAL (
               SELECT q.organization_id, q.endpoint_id, q.next_attempt_at
                 FROM lims.webhook_queue q
                WHERE (q.organization_id, q.endpoint_id)
                      > (l.organization_id, l.endpoint_id)
                ORDER BY q.organization_id, q.endpoint_id, q.next_attempt_at
                LIMIT 1) n
    ), due AS MATERIALIZED (
        SELECT l.organization_id, l.endpoint_id,
               row_number() OVER (PARTITION BY l.organization_id
                                  ORDER BY random()) AS turn
          FROM lane l
         CROSS JOIN LATERAL (
               SELECT x.holder, x.held_until
                 FROM lims.webhook_lane x
                WHERE x.organization_id = l.organization_id
                  AND x.endpoint_id = l.endpoint_id
               OFFSET 0) w
         CROSS JOIN LATERAL (
               SELECT x.enabled, x.deleted_at
                 FROM lims.webhook_endpoint x
                WHERE x.organization_id = l.organization_id
                  AND x.id = l.endpoint_id
               OFFSET 0) e
         WHERE l.next_attempt_at <= now()
           AND (w.held_until < now() OR w.holder = p_holder)
           AND e.enabled
           AND e.deleted_at IS NULL
           -- Hashed once; NOT EXISTS would scan them for each lane.
           AND (l.organization_id, l.endpoint_id) NOT IN (
               SELECT k.organization, k.endpoint
                 FROM unnest(p_organizations, p_endpoints, p_room)
                   AS k (organization, endpoint, room)
                WHERE k.room <= 0)
    ), chosen AS MATERIALIZED (
        SELECT d.organization_id, d.endpoint_id
          FROM due d
         ORDER BY d.turn, random()
         LIMIT p_lanes
    ), free AS MATERIALIZED (
        SELECT w.organization_id, w.endpoint_id
          FROM chosen c
          JOIN lims.webhook_lane w
            ON w.organization_id = c.organization_id
           AND w.endpoint_id = c.endpoint_id
         WHERE w.held_until < now()
            OR w.holder = p_holder
           FOR UPDATE OF w SKIP LOCKED
    ), taken AS (
        UPDATE lims.webhook_lane w
           SET holder = p_holder,
               held_until = now() + p_lease
          FROM free f
         WHERE w.organization_id = f.organization_id
           AND w.endpoint_id = f.endpoint_id
           AND (w.holder IS DISTINCT FROM p_holder
                OR w.held_until < now() + p_lease / 2)
    )
    SELECT array_agg(f.organization_id), array_agg(f.endpoint_id),
           array_agg(least(k.room, p_per_lane)), array_agg(coalesce(k.busy, '{}'))
      INTO v_organizations, v_endpoints, v_room, v_busy
      FROM free f
      LEFT JOIN unnest(p_organizations, p_endpoints, p_room, p_busy)
             AS k (organization, endpoint, room, busy)
        ON k.organization = f.organization_id
       AND k.endpoint = f.endpoint_id;

    -- A statement of its own, whose snapshot sees what the former holder recorded.
    RETURN QUERY
    SELECT d.organization_id, d.endpoint_id, d.id, d.delivery_id, v.type,
           lims.webhook_body(d.delivery_id, v.type, v.created_at,
                             v.organization_id, v.data),
           d.attempts, d.retries, q.fresh,
           extract(epoch FROM clock_timestamp() - v.created_at)::double precision, e.url, e.secret,
           CASE WHEN e.previous_secret_until > now()
                THEN e.previous_secret END,
           e.standard_headers
      FROM (SELECT u.organization, u.endpoint, u.room, u.busy::bigint[] AS busy
              FROM unnest(v_organizations, v_endpoints, v_room, v_busy)
                AS u (organization, endpoint, room, busy)
            OFFSET 0) l
     CROSS JOIN LATERAL (
           SELECT x.*
             FROM lims.webhook_endpoint x
            WHERE x.organization_id = l.organization
              AND x.id = l.endpoint
           OFFSET 0) e
     CROSS JOIN LATERAL (
           (SELECT q.delivery_id, q.next_attempt_at, true AS fresh
              FROM lims.webhook_queue q
             WHERE q.organization_id = l.organization
               AND q.endpoint_id = l.endpoint
               AND q.next_attempt_at = '-infinity'
               AND q.delivery_id <> ALL (l.busy)
             ORDER BY q.delivery_id
             LIMIT l.room)
            UNION ALL
           (SELECT q.delivery_id, q.next_attempt_at, false
              FROM lims.webhook_queue q
             WHERE q.organization_id = l.organization
               AND q.endpoint_id = l.endpoint
               AND q.next_attempt_at > '-infinity'
               AND q.next_attempt_at <= now()
               AND q.delivery_id <> ALL (l.busy)
             ORDER BY q.next_attempt_at, q.delivery_id
             LIMIT l.room)) q
     CROSS JOIN LATERAL (
           SELECT x.*
             FROM lims.webhook_delivery x
            WHERE x.organization_id = l.organization
              AND x.id = q.delivery_id
           OFFSET 0) d
     CROSS JOIN LATERAL (
           SELECT x.*
             FROM lims.event x
            WHERE x.organization_id = l.organization
              AND x.id = d.event_id
           OFFSET 0) v
     ORDER BY l.organization, l.endpoint, q.next_attempt_at, q.delivery_id;
END
$$;

-- The outcome of an attempt. `ago`: seconds since it began, so that only the database's
-- clock counts.
CREATE TYPE lims.webhook_outcome AS (
    organization bigint,
    endpoint bigint,
    delivery bigint,
    attempts integer,
    retries integer,
    arrived boolean,
    final boolean,
    after double precision,
    ago double precision,
    duration integer,
    status integer,
    excerpt text,
    error text
);

-- Records outcomes, an array of objects with the members above, in the order in which the
-- attempts ended. An outcome counts only if the delivery is pending and has the number of
-- attempts with which it was claimed. If its retries were reset since, because the endpoint
-- was enabled, a success counts and a failure changes nothing.
--
-- p_schedule: the delay after each failure; when it is used up, the delivery is given up.
-- p_disable_after: how many deliveries given up in a row disable an endpoint. Returns the
-- endpoints that were disabled, and a row of totals without an endpoint.
CREATE FUNCTION lims.webhook_finish(
    p_outcomes json,
    p_schedule interval[],
    p_longest interval,
    p_jitter double precision,
    p_disable_after integer
) RETURNS TABLE (
    organization_id bigint,
    endpoint_id bigint,
    reason text,
    delivered bigint,
    failed bigint,
    given_up bigint
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
    v_outcomes CONSTANT lims.webhook_outcome[] := ARRAY(
        SELECT o
          FROM json_populate_recordset(NULL::lims.webhook_outcome, p_outcomes) o);
BEGIN
    -- Endpoints are locked before their deliveries, and these in the order of their ids,
    -- here as everywhere. A statement of its own then reads them as they are.
    PERFORM
       FROM lims.webhook_endpoint e
       JOIN (SELECT o.organization, o.endpoint, bool_or(NOT o.arrived) AS given_up
               FROM unnest(v_outcomes) o
              WHERE o.organization > 0
                AND o.endpoint > 0
                AND o.delivery > 0
                AND (o.arrived
                     OR o.final
                     OR o.retries >= cardinality(p_schedule))
              GROUP BY o.organization, o.endpoint) x
         ON x.organization = e.organization_id
        AND x.endpoint = e.id
      WHERE x.given_up
         OR e.consecutive_failures > 0
      ORDER BY e.organization_id, e.id
        FOR NO KEY UPDATE OF e;

    RETURN QUERY
    WITH decided AS (
        SELECT o.*,
               CASE WHEN o.verdict = 'pending' THEN
                   now() + least(greatest(
                       p_schedule[o.retries + 1] * (1 + p_jitter * random()),
                       -- A receiver may send any number.
                       make_interval(secs => least(greatest(o.after, 0),
                                                   extract(epoch FROM p_longest)))), p_longest)
               END AS again_at
          FROM (SELECT u.*,
                       CASE WHEN u.arrived THEN 'delivered'
                            WHEN u.final
                              OR u.retries >= cardinality(p_schedule) THEN 'given_up'
                            ELSE 'pending' END AS verdict
                  FROM unnest(v_outcomes) WITH ORDINALITY
                    AS u (organization, endpoint, delivery, attempts, retries,
                          arrived, final, after, ago, duration, status, excerpt,
                          error, place)
                 -- Always true; but comparing three times makes the planner expect a
                 -- single row, so that a cached plan looks each delivery up by its key
                 -- and never scans the table.
                 WHERE u.organization > 0
                   AND u.endpoint > 0
                   AND u.delivery > 0) o
         ORDER BY o.organization, o.delivery
    ), recorded AS (
        -- d.retries differs where the retries were reset meanwhile.
        UPDATE lims.webhook_delivery d
           SET attempts = d.attempts + 1,
               retries = d.retries
                   + CASE WHEN x.arrived OR d.retries <> x.retries THEN 0 ELSE 1 END,
               state = CASE WHEN x.arrived OR d.retries = x.retries THEN x.verdict
                            ELSE 'pending' END,
               next_attempt_at = CASE WHEN x.arrived OR d.retries = x.retries
                                      THEN x.again_at
                                      ELSE d.next_attempt_at END,
               finished_at = CASE WHEN x.verdict <> 'pending'
                                   AND (x.arrived OR d.retries = x.retries)
                                  THEN now() END
          FROM decided x
         WHERE d.organization_id = x.organization
           AND d.id = x.delivery
           AND d.endpoint_id = x.endpoint
           AND d.state = 'pending'
           AND d.attempts = x.attempts
        RETURNING d.organization_id, d.endpoint_id, d.id, d.attempts AS number,
            d.state, x.place, x.ago, x.duration, x.status, x.excerpt, x.error
    ), attempted AS (
        INSERT INTO lims.webhook_attempt (organization_id, delivery_id, number,
            started_at, duration_ms, response_status, response_excerpt, error)
        SELECT r.organization_id, r.id, r.number,
               now() - make_interval(secs => r.ago), r.duration, r.status,
               r.excerpt, r.error
          FROM recorded r
    ), last_arrived AS (
        SELECT r.organization_id, r.endpoint_id,
               max(r.place) FILTER (WHERE r.state = 'delivered') AS place
          FROM recorded r
         WHERE r.state <> 'pending'
         GROUP BY r.organization_id, r.endpoint_id
    ), gone AS MATERIALIZED (
        SELECT r.organization_id, r.endpoint_id, r.place, r.status, r.error
          FROM recorded r
         WHERE r.state = 'given_up'
    ), since AS (
        -- Counts the deliveries given up after the last success, if there was one.
        SELECT a.organization_id, a.endpoint_id, a.place IS NOT NULL AS arrived,
               g.failures, g.last_error
          FROM last_arrived a
         CROSS JOIN LATERAL (
               SELECT count(*) AS failures,
                      (array_agg(coalesce(x.error, 'status ' || x.status)
                                 ORDER BY x.place DESC))[1] AS last_error
                 FROM gone x
                WHERE x.organization_id = a.organization_id
                  AND x.endpoint_id = a.endpoint_id
                  AND x.place > coalesce(a.place, 0)) g
    ), judged AS (
        UPDATE lims.webhook_endpoint e
           SET consecutive_failures = x.failures,
               enabled = x.failures < p_disable_after,
               disabled_at = CASE WHEN x.failures >= p_disable_after
                                  THEN now() END,
               disabled_reason = CASE WHEN x.failures >= p_disable_after THEN
                   left(format('%s deliveries in a row were given up; the last '
                               'one: %s', x.failures, s.last_error), 1000) END
          FROM since s
         CROSS JOIN LATERAL (
               SELECT s.failures + CASE WHEN s.arrived THEN 0
                                        ELSE f.consecutive_failures END AS failures
                 FROM lims.webhook_endpoint f
                WHERE f.organization_id = s.organization_id
                  AND f.id = s.endpoint_id) x
         WHERE e.organization_id = s.organization_id
           AND e.id = s.endpoint_id
           AND e.enabled
           AND e.consecutive_failures <> x.failures
        RETURNING e.organization_id, e.id, e.enabled, e.disabled_reason
    )
    SELECT j.organization_id, j.id, j.disabled_reason, NULL::bigint, NULL::bigint,
           NULL::bigint
      FROM judged j
     WHERE NOT j.enabled
     UNION ALL
    SELECT NULL, NULL, NULL,
           count(*) FILTER (WHERE r.state = 'delivered'),
           count(*) FILTER (WHERE r.state = 'pending'),
           count(*) FILTER (WHERE r.state = 'given_up')
      FROM recorded r;
END
$$;

-- Releases all lanes of a holder that has ended.
CREATE FUNCTION lims.webhook_release(p_holder uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    UPDATE lims.webhook_lane w
       SET held_until = '-infinity'
     WHERE w.holder = p_holder
$$;

-- Releases these lanes of the holder.
CREATE FUNCTION lims.webhook_leave(
    p_holder uuid,
    p_organizations bigint[],
    p_endpoints bigint[]
) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = lims, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
    UPDATE lims.webhook_lane w
       SET held_until = '-infinity',
           holder = NULL
      FROM unnest(p_organizations, p_endpoints) AS k (organization, endpoint)
     WHERE w.organization_id = k.organization
       AND w.endpoint_id = k.endpoint
       AND w.holder = p_holder
$$;

-- The backlog of deliveries. Due: could be sent now; kept: waits for a disabled endpoint.
CREATE FUNCTION lims.webhook_backlog()
RETURNS TABLE (
    pending bigint,
    kept bigint,
    oldest_due_seconds double precision,
    endpoints bigint,
    disabled_endpoints bigint
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    WITH RECURSIVE lane AS (
        (SELECT q.organization_id, q.endpoint_id, q.next_attempt_at, q.delivery_id
           FROM lims.webhook_queue q
          ORDER BY q.organization_id, q.endpoint_id, q.next_attempt_at,
                   q.delivery_id
          LIMIT 1)
        UNION ALL
        SELECT n.*
          FROM lane l
         CROSS JOIN LATERAL (
               SELECT q.organization_id, q.endpoint_id, q.next_attempt_at,
                      q.delivery_id
                 FROM lims.webhook_queue q
                WHERE (q.organization_id, q.endpoint_id)
                      > (l.organization_id, l.endpoint_id)
                ORDER BY q.organization_id, q.endpoint_id, q.next_attempt_at,
                         q.delivery_id
                LIMIT 1) n
    ), waiting AS (
        SELECT e.enabled,
               (SELECT count(*)
                  FROM lims.webhook_queue q
                 WHERE q.organization_id = l.organization_id
                   AND q.endpoint_id = l.endpoint_id) AS deliveries,
               CASE WHEN e.enabled AND l.next_attempt_at <= now() THEN
                   greatest(d.created_at, l.next_attempt_at) END AS due_at
          FROM lane l
          JOIN lims.webhook_endpoint e
            ON e.organization_id = l.organization_id
           AND e.id = l.endpoint_id
          JOIN lims.webhook_delivery d
            ON d.organization_id = l.organization_id
           AND d.id = l.delivery_id
    )
    SELECT coalesce(sum(w.deliveries) FILTER (WHERE w.enabled), 0)::bigint,
           coalesce(sum(w.deliveries) FILTER (WHERE NOT w.enabled), 0)::bigint,
           coalesce(extract(epoch FROM now() - min(w.due_at)), 0)::double precision,
           (SELECT count(*) FROM lims.webhook_endpoint e
             WHERE e.deleted_at IS NULL),
           (SELECT count(*) FROM lims.webhook_endpoint e
             WHERE e.deleted_at IS NULL AND NOT e.enabled)
      FROM waiting w
$$;
