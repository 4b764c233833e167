-- SPDX-License-Identifier: Apache-2.0
--
-- The outbox: every event of the catalogue that an action causes is a row of
-- the action's own transaction, written by triggers of the tables (lims.emit_…), so that
-- it is the same whichever way the action was done.

CREATE SEQUENCE lims.event_id_seq;

-- Ids are drawn before their transactions commit, so whoever reads in the order
-- of ids and remembers the last one misses those that commit late. The feed's
-- order is by transaction: an event's position is the number of its transaction
-- above this base, and a reader goes no further than the oldest transaction
-- that still runs. What lies before that is final, and in its order for ever.
--
-- The base is 0 in the cluster where the schema was made. A copy of the
-- database elsewhere (a restored dump, logical replication) counts its
-- transactions from another beginning: lims.rebase_events() replaces it.
CREATE FUNCTION lims.event_base() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT 0::bigint $$;

-- Positions below this one are final for the snapshot of the statement.
CREATE FUNCTION lims.event_horizon() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT lims.event_base() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
$$;

-- Triggers alone write here, from rows whose organization a foreign key assures:
-- asking for it once more would cost as much as the row.
CREATE TABLE lims.event (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.event_id_seq'),
    type text COLLATE "C" NOT NULL CHECK (type IN (
        'sample.created', 'sample.received', 'result.entered',
        'result.verified', 'sample.blocked', 'sample.ready_for_review',
        'sample.ready_to_report', 'sample.reported', 'coa.generated',
        'qc.failed', 'holding_time.expiring', 'investigation.opened',
        'webhook.test')),
    -- json, not jsonb: the members keep the contract's order.
    data json NOT NULL,
    created_at timestamptz NOT NULL
        DEFAULT date_trunc('milliseconds', clock_timestamp()),
    position bigint NOT NULL
        DEFAULT lims.event_base() + pg_current_xact_id()::text::bigint,
    PRIMARY KEY (organization_id, id)
);

CREATE INDEX event_position ON lims.event (organization_id, position, id);

-- Most events say that a result was entered: the next such one is never far along
-- the feed, and to enter each of them here would cost more than finding it.
CREATE INDEX event_type ON lims.event (organization_id, type, position, id)
 WHERE type <> 'result.entered';

CREATE INDEX event_created_at ON lims.event (organization_id, created_at);

-- What an event is called outside: a UUID of version 7 (RFC 9562) of its moment,
-- organization and number. It follows from what never changes, so it is not kept.
CREATE FUNCTION lims.event_uuid(
    p_organization bigint,
    p_id bigint,
    p_created_at timestamptz
) RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT (lpad(to_hex((extract(epoch FROM p_created_at) * 1000)::bigint), 12, '0')
            || '7' || lpad(to_hex(p_organization & 4095), 3, '0')
            || '8' || lpad(to_hex(p_id), 15, '0'))::uuid
$$;

-- Where the feed goes on: the place of the event that the cursor names, or, as
-- that one may have had its time, of the last one before it. No event: before
-- the first. In a restored copy it refuses as whoever writes is refused.
CREATE FUNCTION lims.event_after(
    p_organization bigint,
    p_cursor bigint
) RETURNS TABLE ("position" bigint, id bigint)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_place record;
BEGIN
    SELECT e.position, e.id
      INTO v_place
      FROM lims.event e
     WHERE e.organization_id = p_organization
       AND e.id <= p_cursor
     ORDER BY e.id DESC
     LIMIT 1;
    -- What can be seen is committed, so its transaction cannot lie ahead.
    IF v_place.position >= lims.event_base()
           + pg_snapshot_xmax(pg_current_snapshot())::text::bigint THEN
        PERFORM lims.refuse_displaced();
    END IF;
    RETURN QUERY SELECT coalesce(v_place.position, -1), coalesce(v_place.id, 0);
END
$$;

-- Restored copies ----------------------------------------------------------

-- Has the positions of new events follow those that are there, where they would
-- not by themselves. Called at the end of every limsctl migrate; does nothing
-- in the cluster that the events were made in.
CREATE FUNCTION lims.rebase_events() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_last bigint;
BEGIN
    SELECT max(l.position)
      INTO v_last
      FROM lims.organization o
     CROSS JOIN LATERAL (
           SELECT e.position
             FROM lims.event e
            WHERE e.organization_id = o.id
            ORDER BY e.position DESC
            LIMIT 1) l;
    IF v_last > lims.event_base() + pg_current_xact_id()::text::bigint THEN
        -- Waits for whoever still writes by the old base.
        LOCK TABLE lims.event IN SHARE ROW EXCLUSIVE MODE;
        EXECUTE format(
            'CREATE OR REPLACE FUNCTION lims.event_base() RETURNS bigint '
            'LANGUAGE sql STABLE PARALLEL SAFE AS $f$ SELECT %s::bigint $f$',
            v_last - pg_current_xact_id()::text::bigint + 1);
    END IF;
END
$$;

-- What the service's log and limsctl tell with the command that puts it right.
CREATE FUNCTION lims.refuse_displaced() RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'LM503',
        MESSAGE = 'the events come from another cluster, whose transactions '
                  'are numbered otherwise: run limsctl migrate';
END
$$;

-- Whether events lie ahead of the transactions of this cluster, of whichever
-- organization: as the owner, because the service sees none without a context.
CREATE FUNCTION lims.events_displaced() RETURNS boolean
LANGUAGE sql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT EXISTS (
        SELECT
          FROM lims.organization o
         CROSS JOIN LATERAL (
               SELECT e.position
                 FROM lims.event e
                WHERE e.organization_id = o.id
                ORDER BY e.position DESC
                LIMIT 1) l
         WHERE l.position >= lims.event_base()
               + pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
$$;

-- No event is written behind others of its organization that lie ahead: a look at
-- the end of an index, for each statement that writes events. Those of the
-- statement itself lie ahead of a snapshot that is older than their transaction.
CREATE FUNCTION lims.event_guard() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_organization bigint;
BEGIN
    FOR v_organization IN
        SELECT DISTINCT n.organization_id FROM new_rows n
    LOOP
        IF EXISTS (
            SELECT
              FROM lims.event e
             WHERE e.organization_id = v_organization
               AND e.position >= lims.event_base() + greatest(
                   pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                   pg_current_xact_id()::text::bigint + 1)
        ) THEN
            PERFORM lims.refuse_displaced();
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER displaced AFTER INSERT ON lims.event
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.event_guard();
