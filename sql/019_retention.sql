-- SPDX-License-Identifier: Apache-2.0
--
-- What has had its time goes, in small batches, the oldest first, of each
-- organization a share; what another machine is taking away is left to it. The
-- run-time role cannot delete these rows itself, and not those that are young.
--
-- A batch is small whatever the tables are: plans are told to go by keys.

-- Events older than p_age, with their deliveries and attempts; an event of which
-- a delivery is still under way stays until that has ended.
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
              -- count: looked up for each event, where NOT EXISTS may be joined.
              AND (SELECT count(*)
                     FROM lims.webhook_delivery d
                    WHERE d.organization_id = x.organization_id
                      AND d.event_id = x.id
                      AND d.state = 'pending') = 0
            ORDER BY x.created_at
            LIMIT p_limit / (SELECT count(*) FROM active)
              FOR UPDATE SKIP LOCKED) v;

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

-- Answers kept for a repeated request, past their lifetime.
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
        SELECT r.organization_id, r.api_key_id, r.idempotency_key
          FROM active o
         CROSS JOIN LATERAL (
               SELECT x.organization_id, x.api_key_id, x.idempotency_key
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
       AND r.api_key_id = old.api_key_id
       AND r.idempotency_key = old.idempotency_key;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;

-- Deliveries kept for an endpoint that has been disabled for 7 days are given
-- up once they are that old. First attempts and retries each wait in the order
-- of their age.
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
         WHERE e.disabled_at < now() - interval '7 days'
           AND d.created_at < now() - interval '7 days'
         LIMIT p_limit
    )
    UPDATE lims.webhook_delivery d
       SET state = 'given_up',
           next_attempt_at = NULL,
           finished_at = now()
      FROM kept
     WHERE d.organization_id = kept.organization_id
       AND d.id = kept.delivery_id
       AND d.state = 'pending'
       AND d.created_at < now() - interval '7 days';
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;

-- One batch of all of it.
CREATE FUNCTION lims.retention_step(
    p_event_age interval,
    p_idempotency_lifetime interval,
    p_limit integer,
    OUT events bigint,
    OUT deliveries bigint,
    OUT given_up bigint,
    OUT idempotency_records bigint
)
LANGUAGE plpgsql
AS $$
DECLARE
    v_limit CONSTANT integer := least(greatest(p_limit, 1), 10000);
BEGIN
    given_up := lims.give_up_kept_deliveries(v_limit);
    SELECT d.events, d.deliveries
      INTO events, deliveries
      FROM lims.delete_events(p_event_age, v_limit) d;
    idempotency_records :=
        lims.delete_idempotency_records(p_idempotency_lifetime, v_limit);
END
$$;

-- How much of it there is, without touching anything. Of each kind p_most are
-- counted (NULL: all), so that looking never takes longer than clearing away.
CREATE FUNCTION lims.retention_backlog(
    p_event_age interval,
    p_idempotency_lifetime interval,
    p_most bigint,
    OUT events bigint,
    OUT deliveries bigint,
    OUT given_up bigint,
    OUT idempotency_records bigint
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
           (SELECT count(*)
              FROM (SELECT
                      FROM lims.webhook_endpoint e
                      JOIN lims.webhook_queue q
                        ON q.organization_id = e.organization_id
                       AND q.endpoint_id = e.id
                      JOIN lims.webhook_delivery d
                        ON d.organization_id = q.organization_id
                       AND d.id = q.delivery_id
                     WHERE e.disabled_at < now() - interval '7 days'
                       AND d.created_at < now() - interval '7 days'
                     LIMIT p_most) e),
           (SELECT count(*)
              FROM (SELECT
                      FROM lims.organization o
                      JOIN lims.idempotency_record r
                        ON r.organization_id = o.id
                       AND r.created_at < now() - p_idempotency_lifetime
                     LIMIT p_most) e)
$$;

GRANT EXECUTE ON FUNCTION lims.delete_events(interval, integer),
    lims.delete_idempotency_records(interval, integer),
    lims.give_up_kept_deliveries(integer),
    lims.retention_step(interval, interval, integer),
    lims.retention_backlog(interval, interval, bigint) TO lims_app;
