-- SPDX-License-Identifier: Apache-2.0
--
-- Retention: expired rows are deleted in small batches, the oldest first, a share of each
-- organization; rows that another machine is deleting are skipped. The run-time role can
-- delete these rows only through these functions, and only expired ones.
--
-- Plans are made to use keys, so that a batch is cheap whatever the size of the tables.

-- Locks the ended deliveries of these events: one that is sent again meanwhile would stay,
-- without its attempts.
CREATE FUNCTION lims.hold_ended_deliveries(p_organizations bigint[], p_events bigint[])
RETURNS void
LANGUAGE sql
AS $$
    SELECT
      FROM lims.webhook_delivery d
      JOIN unnest(p_organizations, p_events) AS v (organization_id, id)
        ON d.organization_id = v.organization_id
       AND d.event_id = v.id
     WHERE d.state <> 'pending'
     ORDER BY d.organization_id, d.id
       FOR UPDATE OF d
$$;

-- Deletes events older than p_age with their deliveries and attempts. An event with a
-- pending delivery is kept until that has ended.
CREATE FUNCTION lims.delete_events(
    p_age interval,
    p_limit integer,
    OUT events bigint,
    OUT deliveries bigint
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
SET lock_timeout = '2s'
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_organizations bigint[];
    v_events bigint[];
BEGIN
    IF p_age IS NULL OR p_age < interval '1 day' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'events are kept for a day at least';
    END IF;
    WITH active AS MATERIALIZED (
        SELECT o.id
          FROM lims.organization o
         WHERE EXISTS (
               SELECT FROM lims.event x
                WHERE x.organization_id = o.id
                  AND x.created_at < now() - p_age)
         ORDER BY random()
         LIMIT p_limit
    )
    SELECT array_agg(v.organization_id), array_agg(v.id)
      INTO v_organizations, v_events
      FROM active o
     CROSS JOIN LATERAL (
           SELECT x.organization_id, x.id
             FROM lims.event x
            WHERE x.organization_id = o.id
              AND x.created_at < now() - p_age
              -- count() is looked up for each event; NOT EXISTS might become a join.
              AND (SELECT count(*)
                     FROM lims.webhook_delivery d
                    WHERE d.organization_id = x.organization_id
                      AND d.event_id = x.id
                      AND d.state = 'pending') = 0
            ORDER BY x.created_at
            LIMIT p_limit / (SELECT count(*) FROM active)
              FOR UPDATE SKIP LOCKED) v;
    PERFORM lims.hold_ended_deliveries(v_organizations, v_events);

    DELETE FROM lims.webhook_attempt a
     USING unnest(v_organizations, v_events) AS v (organization_id, id)
      JOIN lims.webhook_delivery d
        ON d.organization_id = v.organization_id
       AND d.event_id = v.id
     WHERE d.state <> 'pending'
       AND a.organization_id = d.organization_id
       AND a.delivery_id = d.id;

    DELETE FROM lims.webhook_delivery d
     USING unnest(v_organizations, v_events) AS v (organization_id, id)
     WHERE d.organization_id = v.organization_id
       AND d.event_id = v.id
       AND d.state <> 'pending';
    GET DIAGNOSTICS deliveries = ROW_COUNT;

    DELETE FROM lims.event x
     USING unnest(v_organizations, v_events) AS v (organization_id, id)
     WHERE x.organization_id = v.organization_id
       AND x.id = v.id
       AND NOT EXISTS (
           SELECT FROM lims.webhook_delivery d
            WHERE d.organization_id = x.organization_id
              AND d.event_id = x.id);
    GET DIAGNOSTICS events = ROW_COUNT;
END
$$;

-- Deletes expired idempotency records.
CREATE FUNCTION lims.delete_idempotency_records(
    p_lifetime interval,
    p_limit integer
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
SET lock_timeout = '2s'
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_count bigint;
BEGIN
    IF p_lifetime IS NULL OR p_lifetime < interval '1 second' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'an answer is kept for a second at least';
    END IF;
    WITH active AS MATERIALIZED (
        SELECT o.id
          FROM lims.organization o
         WHERE EXISTS (
               SELECT FROM lims.idempotency_record x
                WHERE x.organization_id = o.id
                  AND x.created_at < now() - p_lifetime)
         ORDER BY random()
         LIMIT p_limit
    ), old AS MATERIALIZED (
        SELECT r.organization_id, r.caller, r.idempotency_key
          FROM active o
         CROSS JOIN LATERAL (
               SELECT x.organization_id, x.caller, x.idempotency_key
                 FROM lims.idempotency_record x
                WHERE x.organization_id = o.id
                  AND x.created_at < now() - p_lifetime
                ORDER BY x.created_at
                LIMIT p_limit / (SELECT count(*) FROM active)
                  FOR UPDATE SKIP LOCKED) r
    )
    DELETE FROM lims.idempotency_record r
     USING old
     WHERE r.organization_id = old.organization_id
       AND r.caller = old.caller
       AND r.idempotency_key = old.idempotency_key;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;

-- Gives up deliveries older than 7 days of endpoints that have been disabled for so long,
-- and all of deleted endpoints (events that were committed meanwhile, or too many for the
-- request). First attempts and retries are each queued in the order of their age.
CREATE FUNCTION lims.give_up_kept_deliveries(p_limit integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
SET lock_timeout = '2s'
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_count bigint;
BEGIN
    WITH kept AS MATERIALIZED (
        SELECT e.organization_id, k.delivery_id
          FROM lims.organization o
          JOIN lims.webhook_endpoint e
            ON e.organization_id = o.id
         CROSS JOIN LATERAL (
               (SELECT q.delivery_id
                  FROM lims.webhook_queue q
                 WHERE q.organization_id = e.organization_id
                   AND q.endpoint_id = e.id
                   AND q.next_attempt_at = '-infinity'
                 ORDER BY q.next_attempt_at, q.delivery_id
                 LIMIT p_limit)
                UNION ALL
               (SELECT q.delivery_id
                  FROM lims.webhook_queue q
                 WHERE q.organization_id = e.organization_id
                   AND q.endpoint_id = e.id
                   AND q.next_attempt_at > '-infinity'
                 ORDER BY q.next_attempt_at, q.delivery_id
                 LIMIT p_limit)) k
         CROSS JOIN LATERAL (
               SELECT d.created_at
                 FROM lims.webhook_delivery d
                WHERE d.organization_id = e.organization_id
                  AND d.id = k.delivery_id
               OFFSET 0) d
         WHERE (e.disabled_at < now() - interval '7 days'
                AND d.created_at < now() - interval '7 days')
            OR e.deleted_at IS NOT NULL
         LIMIT p_limit
    ), held AS MATERIALIZED (
        -- Rows that are locked are left to the next run, so that nobody waits.
        SELECT d.organization_id, d.id
          FROM kept k
          JOIN lims.webhook_delivery d
            ON d.organization_id = k.organization_id
           AND d.id = k.delivery_id
         WHERE d.state = 'pending'
           FOR NO KEY UPDATE OF d SKIP LOCKED
    )
    UPDATE lims.webhook_delivery d
       SET state = 'given_up',
           next_attempt_at = NULL,
           finished_at = now()
      FROM held h
     WHERE d.organization_id = h.organization_id
       AND d.id = h.id;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;

-- The number of these deliveries, at most p_most: counted by thousands in order of age,
-- up to the first younger one.
CREATE FUNCTION lims.count_kept_deliveries(p_most bigint) RETURNS bigint
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_step CONSTANT integer := 1000;
    v_lane record;
    v_at timestamptz;
    v_id bigint;
    v_old bigint;
    v_count bigint := 0;
BEGIN
    FOR v_lane IN
        SELECT e.organization_id, e.id, e.deleted_at IS NOT NULL AS deleted,
               k.until, k.first_id
          FROM lims.organization o
          JOIN lims.webhook_endpoint e
            ON e.organization_id = o.id
         CROSS JOIN (VALUES ('-infinity'::timestamptz, 0),
                            ('infinity', 9223372036854775807)) AS k (until, first_id)
         WHERE e.disabled_at < now() - interval '7 days'
            OR e.deleted_at IS NOT NULL
    LOOP
        v_at := '-infinity';
        v_id := v_lane.first_id;
        LOOP
            SELECT count(*) FILTER (WHERE s.old),
                   (array_agg(s.next_attempt_at ORDER BY s.place DESC))[1],
                   (array_agg(s.delivery_id ORDER BY s.place DESC))[1]
              INTO v_old, v_at, v_id
              FROM (SELECT q.next_attempt_at, q.delivery_id,
                           v_lane.deleted
                               OR d.created_at < now() - interval '7 days' AS old,
                           row_number() OVER (ORDER BY q.next_attempt_at,
                                                       q.delivery_id) AS place
                      FROM (SELECT w.next_attempt_at, w.delivery_id
                              FROM lims.webhook_queue w
                             WHERE w.organization_id = v_lane.organization_id
                               AND w.endpoint_id = v_lane.id
                               AND (w.next_attempt_at, w.delivery_id) > (v_at, v_id)
                               AND w.next_attempt_at <= v_lane.until
                             ORDER BY w.next_attempt_at, w.delivery_id
                             LIMIT v_step) q
                     CROSS JOIN LATERAL (
                           SELECT x.created_at
                             FROM lims.webhook_delivery x
                            WHERE x.organization_id = v_lane.organization_id
                              AND x.id = q.delivery_id
                           OFFSET 0) d) s;
            v_count := v_count + v_old;
            IF v_count >= p_most THEN
                RETURN p_most;
            END IF;
            EXIT WHEN v_old < v_step;
        END LOOP;
    END LOOP;
    RETURN v_count;
END
$$;

-- Deletes previous webhook secrets whose overlap has ended.
CREATE FUNCTION lims.forget_previous_secrets(p_limit integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
SET lock_timeout = '2s'
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_count bigint;
BEGIN
    WITH over AS MATERIALIZED (
        SELECT e.organization_id, e.id
          FROM lims.organization o
          JOIN lims.webhook_endpoint e
            ON e.organization_id = o.id
         WHERE e.previous_secret_until < now()
         LIMIT p_limit
           FOR NO KEY UPDATE OF e SKIP LOCKED
    )
    UPDATE lims.webhook_endpoint e
       SET previous_secret = NULL,
           previous_secret_until = NULL
      FROM over
     WHERE e.organization_id = over.organization_id
       AND e.id = over.id;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;

-- Does one batch of each kind of retention, and returns the numbers of rows.
CREATE FUNCTION lims.retention_step(
    p_event_age interval,
    p_idempotency_lifetime interval,
    p_limit integer,
    OUT events bigint,
    OUT deliveries bigint,
    OUT given_up bigint,
    OUT idempotency_records bigint,
    OUT previous_secrets bigint
)
LANGUAGE plpgsql
AS $$
DECLARE
    v_limit CONSTANT integer := least(greatest(p_limit, 1), 10000);
BEGIN
    -- Endpoints are locked before deliveries, as everywhere.
    previous_secrets := lims.forget_previous_secrets(v_limit);
    given_up := lims.give_up_kept_deliveries(v_limit);
    SELECT d.events, d.deliveries
      INTO events, deliveries
      FROM lims.delete_events(p_event_age, v_limit) d;
    idempotency_records :=
        lims.delete_idempotency_records(p_idempotency_lifetime, v_limit);
END
$$;

-- The number of expired rows of each kind, at most p_most (NULL: all), so that counting
-- takes no longer than deleting.
CREATE FUNCTION lims.retention_backlog(
    p_event_age interval,
    p_idempotency_lifetime interval,
    p_most bigint,
    OUT events bigint,
    OUT deliveries bigint,
    OUT given_up bigint,
    OUT idempotency_records bigint,
    OUT previous_secrets bigint
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
    SELECT (SELECT count(*)
              FROM (SELECT
                      FROM lims.organization o
                      JOIN lims.event x
                        ON x.organization_id = o.id
                       AND x.created_at < now() - p_event_age
                     WHERE NOT EXISTS (
                           SELECT FROM lims.webhook_delivery d
                            WHERE d.organization_id = x.organization_id
                              AND d.event_id = x.id
                              AND d.state = 'pending')
                     LIMIT p_most) e),
           (SELECT count(*)
              FROM (SELECT
                      FROM lims.organization o
                      JOIN lims.event x
                        ON x.organization_id = o.id
                       AND x.created_at < now() - p_event_age
                      JOIN lims.webhook_delivery d
                        ON d.organization_id = x.organization_id
                       AND d.event_id = x.id
                       AND d.state <> 'pending'
                     LIMIT p_most) e),
           lims.count_kept_deliveries(p_most),
           (SELECT count(*)
              FROM (SELECT
                      FROM lims.organization o
                      JOIN lims.idempotency_record r
                        ON r.organization_id = o.id
                       AND r.created_at < now() - p_idempotency_lifetime
                     LIMIT p_most) e),
           (SELECT count(*)
              FROM lims.organization o
              JOIN lims.webhook_endpoint e
                ON e.organization_id = o.id
             WHERE e.previous_secret_until < now())
$$;
