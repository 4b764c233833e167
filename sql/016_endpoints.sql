-- SPDX-License-Identifier: Apache-2.0
--
-- What follows from what an administrator does with a webhook endpoint: it is
-- enabled or deleted, tested, and what was given up is sent again.

-- One that was deleted stays so.
CREATE FUNCTION lims.webhook_endpoint_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.refuse('invalid_transition', format(
        'webhook endpoint %s was deleted', OLD.id));
    RETURN NULL;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.webhook_endpoint
FOR EACH ROW WHEN (OLD.deleted_at IS NOT NULL AND NEW *<> OLD)
EXECUTE FUNCTION lims.webhook_endpoint_guard();

-- What was kept for an endpoint goes out when it is enabled again: what has been
-- tried has all its attempts anew, at once; the rest was due all the time. What
-- has been kept for more than 7 days is given up, as it is by the retention job
-- while nobody enables it.
--
-- Here and below: an endpoint is locked before its deliveries, these in the order
-- of their ids, as those do who record what became of attempts.
CREATE FUNCTION lims.webhook_endpoint_enabled() RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
BEGIN
    IF OLD.disabled_at < now() - interval '7 days' THEN
        WITH aged AS MATERIALIZED (
            SELECT d.organization_id, d.id
              FROM lims.webhook_queue q
              JOIN lims.webhook_delivery d
                ON d.organization_id = q.organization_id
               AND d.id = q.delivery_id
             WHERE q.organization_id = NEW.organization_id
               AND q.endpoint_id = NEW.id
               AND d.state = 'pending'
               AND d.created_at < now() - interval '7 days'
             ORDER BY d.id
               FOR NO KEY UPDATE OF d
        )
        UPDATE lims.webhook_delivery d
           SET state = 'given_up',
               next_attempt_at = NULL,
               finished_at = now()
          FROM aged a
         WHERE d.organization_id = a.organization_id
           AND d.id = a.id;
    END IF;
    WITH tried AS MATERIALIZED (
        SELECT d.organization_id, d.id
          FROM lims.webhook_queue q
          JOIN lims.webhook_delivery d
            ON d.organization_id = q.organization_id
           AND d.id = q.delivery_id
         WHERE q.organization_id = NEW.organization_id
           AND q.endpoint_id = NEW.id
           AND q.next_attempt_at > '-infinity'
           AND d.state = 'pending'
           AND (d.retries > 0 OR d.next_attempt_at > now())
         ORDER BY d.id
           FOR NO KEY UPDATE OF d
    )
    UPDATE lims.webhook_delivery d
       SET retries = 0,
           next_attempt_at = least(d.next_attempt_at, now())
      FROM tried t
     WHERE d.organization_id = t.organization_id
       AND d.id = t.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER enabled AFTER UPDATE ON lims.webhook_endpoint
FOR EACH ROW WHEN (NEW.enabled AND NOT OLD.enabled)
EXECUTE FUNCTION lims.webhook_endpoint_enabled();

-- What waits for a deleted endpoint is given up: as much as can be while somebody
-- waits for the answer. The rest, and what transactions that were under way have
-- for it when they commit, is left to the retention job.
CREATE FUNCTION lims.webhook_endpoint_deleted() RETURNS trigger
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
BEGIN
    WITH next AS MATERIALIZED (
        SELECT q.organization_id, q.delivery_id
          FROM lims.webhook_queue q
         WHERE q.organization_id = NEW.organization_id
           AND q.endpoint_id = NEW.id
         ORDER BY q.next_attempt_at, q.delivery_id
         LIMIT 10000
    ), waiting AS MATERIALIZED (
        SELECT d.organization_id, d.id
          FROM next n
          JOIN lims.webhook_delivery d
            ON d.organization_id = n.organization_id
           AND d.id = n.delivery_id
         WHERE d.state = 'pending'
         ORDER BY d.id
           FOR NO KEY UPDATE OF d
    )
    UPDATE lims.webhook_delivery d
       SET state = 'given_up',
           next_attempt_at = NULL,
           finished_at = now()
      FROM waiting w
     WHERE d.organization_id = w.organization_id
       AND d.id = w.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER deleted AFTER UPDATE ON lims.webhook_endpoint
FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL)
EXECUTE FUNCTION lims.webhook_endpoint_deleted();

-- A test goes to the one endpoint that is tested, whatever it receives
-- otherwise. Returns the delivery.
CREATE FUNCTION lims.webhook_test(
    p_organization bigint,
    p_endpoint bigint,
    p_message text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_id bigint;
BEGIN
    IF p_organization IS DISTINCT FROM lims.context_id('organization_id')
       OR NOT EXISTS (
           SELECT FROM lims.webhook_endpoint e
            WHERE e.organization_id = p_organization
              AND e.id = p_endpoint
              AND e.enabled
       ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'webhook endpoint %s is not there or not enabled', p_endpoint));
    END IF;
    WITH test AS (
        INSERT INTO lims.event (organization_id, type, data)
        VALUES (p_organization, 'webhook.test',
                json_build_object('message', p_message))
        RETURNING organization_id, id
    )
    INSERT INTO lims.webhook_delivery (organization_id, endpoint_id, event_id)
    SELECT t.organization_id, p_endpoint, t.id
      FROM test t
    RETURNING id INTO v_id;
    RETURN v_id;
END
$$;

-- Takes a recovery that is not finished a step further: up to p_limit deliveries
-- that were given up are on their way again, with all their attempts anew.
-- Returns how many; NULL: there is nothing to recover. Of several, the one that
-- has come least far is next, so that a long one does not hold up the others.
CREATE FUNCTION lims.webhook_recover_step(p_limit integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v record;
    v_last bigint;
    v_count bigint := 0;
BEGIN
    SELECT r.organization_id, r.id, r.endpoint_id, r.since, r.last_delivery_id,
           e.deleted_at
      INTO v
      FROM lims.webhook_recovery r
      JOIN lims.webhook_endpoint e
        ON e.organization_id = r.organization_id
       AND e.id = r.endpoint_id
     WHERE r.finished_at IS NULL
       AND (e.enabled OR e.deleted_at IS NOT NULL)
     ORDER BY r.requeued, r.organization_id, r.id
     LIMIT 1
       FOR UPDATE OF r SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF v.deleted_at IS NULL THEN
        WITH found AS (
            SELECT d.organization_id, d.id
              FROM lims.webhook_delivery d
             WHERE d.organization_id = v.organization_id
               AND d.endpoint_id = v.endpoint_id
               AND d.state = 'given_up'
               AND d.id > v.last_delivery_id
               AND d.created_at >= v.since
             ORDER BY d.id
             LIMIT p_limit
               FOR NO KEY UPDATE
        ), sent AS (
            UPDATE lims.webhook_delivery d
               SET state = 'pending',
                   retries = 0,
                   next_attempt_at = now(),
                   finished_at = NULL
              FROM found f
             WHERE d.organization_id = f.organization_id
               AND d.id = f.id
            RETURNING d.id
        )
        SELECT max(s.id), count(*)
          INTO v_last, v_count
          FROM sent s;
    END IF;
    UPDATE lims.webhook_recovery r
       SET last_delivery_id = coalesce(v_last, r.last_delivery_id),
           requeued = r.requeued + v_count,
           finished_at = CASE WHEN v_count < p_limit THEN now() END
     WHERE r.organization_id = v.organization_id
       AND r.id = v.id;
    RETURN v_count;
END
$$;

SELECT lims.secure_functions();

-- A recovery is asked for, and then worked off.
GRANT EXECUTE ON FUNCTION lims.webhook_test(bigint, bigint, text),
    lims.webhook_recover_step(integer) TO lims_app;
