-- SPDX-License-Identifier: Apache-2.0
--
-- The number of an organization's webhook endpoints, and consequences of an administrator's
-- acts on one: enabling, deleting, testing, and sending again what was given up.

-- An organization has at most 100 endpoints that are not deleted: each claim of the
-- dispatcher looks at every lane that has deliveries waiting, so that one organization's
-- endpoints cost all others time. Locks the organization, so that concurrent endpoints are
-- both counted.
CREATE FUNCTION lims.webhook_endpoint_guard_insert() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM lims.organization o
      WHERE o.id = NEW.organization_id
        FOR NO KEY UPDATE;
    IF 100 <= (SELECT count(*)
                 FROM lims.webhook_endpoint e
                WHERE e.organization_id = NEW.organization_id
                  AND e.deleted_at IS NULL) THEN
        PERFORM lims.refuse('invalid_transition',
                            'an organization has at most 100 webhook endpoints: delete one');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.webhook_endpoint
FOR EACH ROW EXECUTE FUNCTION lims.webhook_endpoint_guard_insert();

-- Refuses a change of a deleted endpoint.
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

-- When an endpoint is enabled, its kept deliveries are sent: those that were tried have
-- their retries reset and are due at once, those older than 7 days are given up (as the
-- retention job does while it is disabled). One step is done with the request, the rest
-- by the job of the recoveries.
--
-- Locks are taken here and below in the order of lims.webhook_finish(): endpoint,
-- deliveries by id, lane.

-- Resumes up to p_limit queued deliveries of an endpoint, from the place in its lane. The
-- caller has locked the endpoint; of two concurrent calls the later finds nothing to do.
CREATE FUNCTION lims.webhook_resume(
    p_organization bigint,
    p_endpoint bigint,
    p_limit integer
) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
SET jit = off
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_from record;
    v_next record;
BEGIN
    SELECT w.resumed_at, w.resumed_id, w.resumes_since
      INTO v_from
      FROM lims.webhook_lane w
     WHERE w.organization_id = p_organization
       AND w.endpoint_id = p_endpoint;
    WITH next AS MATERIALIZED (
        SELECT q.next_attempt_at, q.delivery_id,
               row_number() OVER (ORDER BY q.next_attempt_at, q.delivery_id) AS place
          FROM (SELECT x.next_attempt_at, x.delivery_id
                  FROM lims.webhook_queue x
                 WHERE x.organization_id = p_organization
                   AND x.endpoint_id = p_endpoint
                   AND (x.next_attempt_at, x.delivery_id)
                       > (v_from.resumed_at, v_from.resumed_id)
                 ORDER BY x.next_attempt_at, x.delivery_id
                 LIMIT p_limit) q
    ), found AS MATERIALIZED (
        SELECT d.organization_id, d.id,
               d.created_at < v_from.resumes_since AS aged
          FROM next n
          JOIN lims.webhook_delivery d
            ON d.organization_id = p_organization
           AND d.id = n.delivery_id
         WHERE d.state = 'pending'
           AND (d.created_at < v_from.resumes_since
                OR (n.next_attempt_at > '-infinity'
                    AND (d.retries > 0 OR d.next_attempt_at > now())))
         ORDER BY d.id
           FOR NO KEY UPDATE OF d
    ), changed AS (
        UPDATE lims.webhook_delivery d
           SET state = CASE WHEN f.aged THEN 'given_up' ELSE 'pending' END,
               retries = CASE WHEN f.aged THEN d.retries ELSE 0 END,
               next_attempt_at = CASE WHEN f.aged THEN NULL
                                      ELSE least(d.next_attempt_at, now()) END,
               finished_at = CASE WHEN f.aged THEN now() END
          FROM found f
         WHERE d.organization_id = f.organization_id
           AND d.id = f.id
    )
    SELECT n.next_attempt_at, n.delivery_id
      INTO v_next
      FROM next n
     WHERE n.place = p_limit;
    UPDATE lims.webhook_lane w
       SET resumed_at = v_next.next_attempt_at,
           resumed_id = v_next.delivery_id
     WHERE w.organization_id = p_organization
       AND w.endpoint_id = p_endpoint;
END
$$;

CREATE FUNCTION lims.webhook_endpoint_enabled() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_aged CONSTANT boolean := OLD.disabled_at < now() - interval '7 days';
BEGIN
    -- Deliveries that were never tried only have to be checked for their age.
    UPDATE lims.webhook_lane w
       SET resumed_at = '-infinity',
           resumed_id = CASE WHEN v_aged THEN 0 ELSE 9223372036854775807 END,
           resumes_since = CASE WHEN v_aged THEN now() - interval '7 days' END
     WHERE w.organization_id = NEW.organization_id
       AND w.endpoint_id = NEW.id;
    PERFORM lims.webhook_resume(NEW.organization_id, NEW.id, 10000);
    RETURN NULL;
END
$$;

CREATE TRIGGER enabled AFTER UPDATE ON lims.webhook_endpoint
FOR EACH ROW WHEN (NEW.enabled AND NOT OLD.enabled)
EXECUTE FUNCTION lims.webhook_endpoint_enabled();

-- Gives up deliveries of a deleted endpoint: one step with the request. The rest, and
-- those of transactions that commit later, are left to the retention job.
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

-- Sends a test event to one endpoint, whatever types it receives. Returns the delivery.
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
            'webhook endpoint %s does not exist or is disabled', p_endpoint));
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

-- Does one step of resuming an enabled endpoint; false: there is none.
CREATE FUNCTION lims.webhook_resume_step(p_limit integer) RETURNS boolean
LANGUAGE plpgsql
SET enable_seqscan = off
AS $$
DECLARE
    v record;
BEGIN
    SELECT e.organization_id, e.id
      INTO v
      FROM lims.webhook_lane w
      JOIN lims.webhook_endpoint e
        ON e.organization_id = w.organization_id
       AND e.id = w.endpoint_id
     WHERE w.resumed_id IS NOT NULL
       AND e.enabled
     ORDER BY random()
     LIMIT 1
       FOR NO KEY UPDATE OF e SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM lims.webhook_resume(v.organization_id, v.id, p_limit);
    RETURN true;
END
$$;

-- Counters of all steps and of the recoveries' steps, failed ones included: a sequence keeps its
-- value at a rollback.
CREATE SEQUENCE lims.webhook_step_turn;
CREATE SEQUENCE lims.webhook_recovery_turn;

-- Locks the recovery whose turn it is, and returns it; NULL: there is none. Organizations
-- take turns, and so do the recoveries of each, so that neither a long recovery nor one
-- whose steps fail delays others.
CREATE FUNCTION lims.webhook_take_recovery() RETURNS lims.webhook_recovery
LANGUAGE plpgsql
AS $$
DECLARE
    v_turn CONSTANT bigint := nextval('lims.webhook_recovery_turn');
    v lims.webhook_recovery;
BEGIN
    WITH waiting AS (
        SELECT r.organization_id, r.id,
               dense_rank() OVER (ORDER BY r.organization_id) AS organization_place,
               row_number() OVER (PARTITION BY r.organization_id ORDER BY r.id) AS place,
               count(*) OVER (PARTITION BY r.organization_id) AS recoveries
          FROM lims.webhook_recovery r
          JOIN lims.webhook_endpoint e
            ON e.organization_id = r.organization_id
           AND e.id = r.endpoint_id
         WHERE r.finished_at IS NULL
           AND (e.enabled OR e.deleted_at IS NOT NULL)
    ), whole AS (
        SELECT max(w.organization_place) AS organizations
          FROM waiting w
    )
    SELECT r.*
      INTO v
      FROM waiting w
     CROSS JOIN whole
      JOIN lims.webhook_recovery r
        ON r.organization_id = w.organization_id
       AND r.id = w.id
     WHERE r.finished_at IS NULL
     ORDER BY (w.organization_place + v_turn) % whole.organizations, r.organization_id,
              (w.place + v_turn / whole.organizations) % w.recoveries
     LIMIT 1
       FOR UPDATE OF r SKIP LOCKED;
    RETURN v;
END
$$;

-- Does one step of a recovery: makes up to p_limit deliveries that were given up pending
-- again, with their retries reset. Returns their number; NULL: there is none.
CREATE FUNCTION lims.webhook_requeue_step(p_limit integer) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v lims.webhook_recovery;
    v_last bigint;
    v_count bigint := 0;
BEGIN
    v := lims.webhook_take_recovery();
    IF v.id IS NULL THEN
        RETURN NULL;
    END IF;
    IF NOT EXISTS (
        SELECT FROM lims.webhook_endpoint e
         WHERE e.organization_id = v.organization_id
           AND e.id = v.endpoint_id
           AND e.deleted_at IS NOT NULL
    ) THEN
        WITH found AS (
            SELECT d.organization_id, d.id
              FROM lims.webhook_delivery d
             WHERE d.organization_id = v.organization_id
               AND d.endpoint_id = v.endpoint_id
               AND d.given_up
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

-- Does one step of a recovery or of resuming an enabled endpoint, which counts as 0. They take
-- turns, so that one whose steps fail does not delay the other. NULL: there is nothing to do.
CREATE FUNCTION lims.webhook_recover_step(p_limit integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_resume_first CONSTANT boolean := nextval('lims.webhook_step_turn') % 2 = 0;
    v_count bigint;
BEGIN
    IF v_resume_first AND lims.webhook_resume_step(p_limit) THEN
        RETURN 0;
    END IF;
    v_count := lims.webhook_requeue_step(p_limit);
    IF v_count IS NULL AND NOT v_resume_first AND lims.webhook_resume_step(p_limit) THEN
        RETURN 0;
    END IF;
    RETURN v_count;
END
$$;
