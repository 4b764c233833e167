-- SPDX-License-Identifier: Apache-2.0
--
-- The outbox: events are written in the transaction of the action that they report, by
-- triggers of the tables (lims.emit_…), so that they do not depend on the surface.

CREATE SEQUENCE lims.event_id_seq;

-- The organization is no foreign key, for speed: only triggers write here, from rows that
-- have one.
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

-- Partial index without result.entered, the type of most events, which the feed finds
-- without it.
CREATE INDEX event_type ON lims.event (organization_id, type, position, id)
 WHERE type <> 'result.entered';

-- The events of a sample, without the entries of its results, which do not name it.
CREATE INDEX event_sample ON lims.event
    (organization_id, ((data ->> 'sampleId')::bigint), id)
 WHERE type <> 'result.entered';

CREATE INDEX event_created_at ON lims.event (organization_id, created_at);

-- The public id of an event: a UUID version 7 (RFC 9562) of its time, organization and id,
-- which never change.
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

-- The position and id after which the feed continues for a cursor: that event's, or, if it
-- was deleted by retention, the last one's before it. Refuses in a restored copy
-- (lims.refuse_displaced).
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
    -- A visible event is committed, so its position cannot lie ahead.
    IF v_place.position >= lims.event_base()
           + pg_snapshot_xmax(pg_current_snapshot())::text::bigint THEN
        PERFORM lims.refuse_displaced();
    END IF;
    RETURN QUERY SELECT coalesce(v_place.position, -1), coalesce(v_place.id, 0);
END
$$;

-- Restored copies ----------------------------------------------------------

-- Sets the base so that new events, and entries of the trail, follow the existing ones. Called at the end of every
-- limsctl migrate; does nothing in the cluster where the events were made.
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
    SELECT greatest(v_last, max(a.position), (SELECT max(c.closed_below)
                                                FROM lims.audit_closing c))
      INTO v_last
      FROM lims.audit_entry a
     WHERE a.position > lims.event_base() + pg_current_xact_id()::text::bigint;
    IF v_last > lims.event_base() + pg_current_xact_id()::text::bigint THEN
        -- Waits for transactions that write with the old base.
        LOCK TABLE lims.event, lims.audit_entry IN SHARE ROW EXCLUSIVE MODE;
        EXECUTE format(
            'CREATE OR REPLACE FUNCTION lims.event_base() RETURNS bigint '
            'LANGUAGE sql STABLE PARALLEL SAFE AS $f$ SELECT %s::bigint $f$',
            v_last - pg_current_xact_id()::text::bigint + 1);
    END IF;
END
$$;

-- Refuses work on a restored copy, naming the command that repairs it.
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

-- Whether events of any organization lie ahead of this cluster's transactions. With the
-- owner's rights, because the service sees none without a context.
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
        OR EXISTS (
        SELECT
          FROM lims.audit_closing c
         WHERE c.closed_below > lims.event_base()
               + pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
$$;

-- Refuses new events if existing ones of the organization lie ahead, by a look at the end
-- of an index for each statement. The statement's own events are excluded: they lie ahead
-- of a snapshot that is older than their transaction.
CREATE FUNCTION lims.event_guard() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF EXISTS (
        SELECT
          FROM (SELECT DISTINCT n.organization_id
                  FROM new_rows n
                OFFSET 0) o
          JOIN lims.event e
            ON e.organization_id = o.organization_id
           AND e.position >= lims.event_base() + greatest(
               pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
               pg_current_xact_id()::text::bigint + 1)
    ) THEN
        PERFORM lims.refuse_displaced();
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER displaced AFTER INSERT ON lims.event
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.event_guard();
