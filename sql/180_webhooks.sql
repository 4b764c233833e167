-- SPDX-License-Identifier: Apache-2.0
--
-- Webhooks: endpoints, deliveries, and the queue in which they wait.

-- Triggers of lims.webhook_endpoint, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard_insert  refuses more than 100 endpoints of an organization (182)
--
-- BEFORE UPDATE
--   1 guard         refuses changes of a deleted endpoint (182)
--   2 identity      refuses to change id, organization or created_at
--   3 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--   2 lane          creates its lane in the delivery queue
--
-- AFTER UPDATE
--   1 deleted       gives up its pending deliveries (182)
--   2 enabled       resumes its kept deliveries (182)
--   3 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.webhook_endpoint_id_seq;

CREATE TABLE lims.webhook_endpoint (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.webhook_endpoint_id_seq'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- URL in the form that modules/kernel/url.c gives it: visible ASCII, no user, no
    -- fragment.
    url text NOT NULL CHECK (length(url) <= 2000
        AND url ~ '^https://[^][/?#@\\ ]+/[!-"$-~]*$|^https://\[[0-9a-f:.]+\](:[0-9]+)?/[!-"$-~]*$'),
    events text[] NOT NULL CHECK (cardinality(events) > 0 AND events <@ ARRAY[
        'sample.created', 'sample.received', 'result.entered',
        'result.verified', 'sample.blocked', 'sample.ready_for_review',
        'sample.ready_to_report', 'sample.reported', 'coa.generated',
        'qc.failed', 'holding_time.expiring', 'investigation.opened']),
    -- Encrypted with the key of the configuration. After a rotation the previous secret
    -- signs beside the new one until its overlap ends.
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_until timestamptz,
    standard_headers boolean NOT NULL DEFAULT false,
    enabled boolean NOT NULL DEFAULT true,
    disabled_at timestamptz,
    disabled_reason text CHECK (length(disabled_reason) <= 1000),
    -- Deleted for administrators; its deliveries can still be read.
    deleted_at timestamptz,
    -- Deliveries given up in a row; a success resets it.
    consecutive_failures integer NOT NULL DEFAULT 0
        CHECK (consecutive_failures >= 0),
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
    CHECK (enabled = (disabled_at IS NULL)),
    CHECK (deleted_at IS NULL OR NOT enabled)
);

SELECT lims.attach_record('webhook_endpoint', '{consecutive_failures}',
                          '{secret,previous_secret}');

-- Deliveries ---------------------------------------------------------------

CREATE SEQUENCE lims.webhook_delivery_id_seq;

-- The delivery of one event to one endpoint. Its body is made of delivery and event by
-- lims.webhook_body(); neither changes, so that it is byte-identical on every attempt.
CREATE TABLE lims.webhook_delivery (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.webhook_delivery_id_seq'),
    delivery_id uuid NOT NULL DEFAULT gen_random_uuid(),
    endpoint_id bigint NOT NULL,
    event_id bigint NOT NULL,
    state text NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'delivered', 'given_up')),
    -- All attempts; and those that failed since it last became pending, which the retry
    -- schedule counts.
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    retries integer NOT NULL DEFAULT 0 CHECK (retries >= 0),
    -- -infinity: not tried yet, at once; NULL: never again.
    next_attempt_at timestamptz DEFAULT '-infinity',
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    -- Column for a partial index: with the state itself in an index, each successful
    -- delivery would update all indexes.
    given_up boolean NOT NULL GENERATED ALWAYS AS (state = 'given_up') STORED,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, delivery_id),
    UNIQUE (organization_id, event_id, endpoint_id),
    FOREIGN KEY (organization_id, endpoint_id)
        REFERENCES lims.webhook_endpoint (organization_id, id),
    FOREIGN KEY (organization_id, event_id)
        REFERENCES lims.event (organization_id, id),
    CHECK ((state = 'pending') = (finished_at IS NULL)),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
);

CREATE INDEX webhook_delivery_endpoint
    ON lims.webhook_delivery (organization_id, endpoint_id, id);

-- Index for recoveries: deliveries given up.
CREATE INDEX webhook_delivery_given_up
    ON lims.webhook_delivery (organization_id, endpoint_id, id)
 WHERE given_up;

CREATE TABLE lims.webhook_attempt (
    organization_id bigint NOT NULL,
    delivery_id bigint NOT NULL,
    number integer NOT NULL CHECK (number > 0),
    started_at timestamptz NOT NULL,
    duration_ms integer NOT NULL CHECK (duration_ms >= 0),
    response_status integer CHECK (response_status BETWEEN 100 AND 999),
    response_excerpt text CHECK (length(response_excerpt) <= 4000),
    error text CHECK (length(error) <= 1000),
    PRIMARY KEY (organization_id, delivery_id, number),
    FOREIGN KEY (organization_id, delivery_id)
        REFERENCES lims.webhook_delivery (organization_id, id)
);

-- The queue of pending deliveries for each endpoint: first attempts in the order of their
-- events, then retries by due time. A table of its own, maintained by triggers, because
-- its rows are short-lived: it stays small and is vacuumed quickly, without the deliveries
-- of a month.
CREATE TABLE lims.webhook_queue (
    organization_id bigint NOT NULL,
    endpoint_id bigint NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    delivery_id bigint NOT NULL,
    PRIMARY KEY (organization_id, endpoint_id, next_attempt_at, delivery_id)
);

-- A lane for each endpoint, with a lease: the dispatcher that holds it sends. The lease
-- outlives the longest attempt, and no transaction is held open. With one holder,
-- deliveries start in order and the limit in flight holds over all machines.
CREATE TABLE lims.webhook_lane (
    organization_id bigint NOT NULL,
    endpoint_id bigint NOT NULL,
    holder uuid,
    held_until timestamptz NOT NULL DEFAULT '-infinity',
    -- An enabled endpoint's kept deliveries are resumed in steps: the place in the queue
    -- (NULL: done), and the time before which deliveries are too old to be sent.
    resumed_at timestamptz,
    resumed_id bigint,
    resumes_since timestamptz,
    PRIMARY KEY (organization_id, endpoint_id),
    FOREIGN KEY (organization_id, endpoint_id)
        REFERENCES lims.webhook_endpoint (organization_id, id),
    CHECK ((resumed_at IS NULL) = (resumed_id IS NULL))
);

CREATE INDEX webhook_lane_resuming
    ON lims.webhook_lane (organization_id, endpoint_id)
 WHERE resumed_id IS NOT NULL;

-- Free space in each page for updates (HOT), and an early vacuum for short-lived rows. Set
-- on the partitions of a partitioned table.
DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT l AS leaf, x.options
          FROM (VALUES
               ('webhook_delivery', 'fillfactor = 50'),
               ('webhook_lane', 'fillfactor = 50, '
                   'autovacuum_vacuum_scale_factor = 0, '
                   'autovacuum_vacuum_threshold = 1000'),
               ('webhook_queue',
                   'autovacuum_vacuum_scale_factor = 0, '
                   'autovacuum_vacuum_threshold = 5000, '
                   'autovacuum_vacuum_cost_delay = 0')
               ) AS x (name, options)
         CROSS JOIN LATERAL lims.leaves(('lims.' || x.name)::regclass) l
    LOOP
        EXECUTE format('ALTER TABLE %s SET (%s)', v.leaf, v.options);
    END LOOP;
END
$$;

CREATE FUNCTION lims.webhook_endpoint_lane() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.webhook_lane (organization_id, endpoint_id)
    SELECT n.organization_id, n.id
      FROM new_rows n;
    RETURN NULL;
END
$$;

CREATE TRIGGER lane AFTER INSERT ON lims.webhook_endpoint
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.webhook_endpoint_lane();

CREATE FUNCTION lims.webhook_queue_insert() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.webhook_queue (organization_id, endpoint_id,
        next_attempt_at, delivery_id)
    SELECT n.organization_id, n.endpoint_id, n.next_attempt_at, n.id
      FROM new_rows n
     WHERE n.next_attempt_at IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE TRIGGER queue_insert AFTER INSERT ON lims.webhook_delivery
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.webhook_queue_insert();

CREATE TRIGGER queue_update_2 AFTER UPDATE ON lims.webhook_delivery
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.webhook_queue_insert();

-- Plans are cached while the queue grows and empties, so statements here and below are
-- written to use its primary key whatever size the planner saw: each row is looked up by
-- itself, not joined.
CREATE FUNCTION lims.webhook_queue_delete() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT o.organization_id, o.endpoint_id, o.next_attempt_at, o.id
          FROM old_rows o
         WHERE o.next_attempt_at IS NOT NULL
    LOOP
        DELETE FROM lims.webhook_queue q
         WHERE q.organization_id = v.organization_id
           AND q.endpoint_id = v.endpoint_id
           AND q.next_attempt_at = v.next_attempt_at
           AND q.delivery_id = v.id;
    END LOOP;
    RETURN NULL;
END
$$;

-- Triggers run in the order of their names: the delete before the insert.
CREATE TRIGGER queue_update_1 AFTER UPDATE ON lims.webhook_delivery
REFERENCING OLD TABLE AS old_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.webhook_queue_delete();

CREATE TRIGGER queue_delete AFTER DELETE ON lims.webhook_delivery
REFERENCING OLD TABLE AS old_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.webhook_queue_delete();

-- Makes a delivery of each new event for every endpoint of its type, in the transaction of
-- the event. For a disabled endpoint it is kept.
CREATE FUNCTION lims.webhook_fan_out() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM new_rows n
          JOIN lims.webhook_endpoint e
            ON e.organization_id = n.organization_id
         WHERE n.type = ANY (e.events)
           AND e.deleted_at IS NULL
    ) THEN
        RETURN NULL;
    END IF;
    INSERT INTO lims.webhook_delivery (organization_id, endpoint_id, event_id)
    SELECT n.organization_id, e.id, n.id
      FROM new_rows n
      JOIN lims.webhook_endpoint e
        ON e.organization_id = n.organization_id
       AND n.type = ANY (e.events)
       AND e.deleted_at IS NULL
     ORDER BY n.id, e.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER fan_out AFTER INSERT ON lims.event
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.webhook_fan_out();

-- Returns the body of a delivery, with its members in the contract's order.
CREATE FUNCTION lims.webhook_body(
    p_delivery_id uuid,
    p_type text,
    p_created_at timestamptz,
    p_organization bigint,
    p_data json
) RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT '{"id":"' || p_delivery_id || '","type":' || to_json(p_type)
        || ',"createdAt":"' || to_char(p_created_at AT TIME ZONE 'UTC',
               'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        || '","organizationId":' || p_organization
        || ',"data":' || p_data || '}'
$$;

-- Recoveries ---------------------------------------------------------------

CREATE SEQUENCE lims.webhook_recovery_id_seq;

-- A job that sends deliveries again that were given up since a point in time. Its progress
-- is in the row, so that it continues after a restart.
CREATE TABLE lims.webhook_recovery (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.webhook_recovery_id_seq'),
    endpoint_id bigint NOT NULL,
    since timestamptz NOT NULL,
    last_delivery_id bigint NOT NULL DEFAULT 0,
    requeued bigint NOT NULL DEFAULT 0,
    requested_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, endpoint_id)
        REFERENCES lims.webhook_endpoint (organization_id, id),
    FOREIGN KEY (organization_id, requested_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX webhook_recovery_unfinished
    ON lims.webhook_recovery (organization_id, id)
 WHERE finished_at IS NULL;

-- The progress of a recovery is left out: no person or key changes it.
SELECT lims.attach_audit('webhook_recovery', '{last_delivery_id,requeued}');
