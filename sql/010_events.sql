-- SPDX-License-Identifier: Apache-2.0
--
-- The outbox: every event of the catalogue that an action causes is a row of
-- the action's own transaction, written by the triggers below, so that it is
-- the same whichever way the action was done. And the queue of samples whose
-- release state has to be looked at again.

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
-- the first.
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
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = 'the events come from another cluster, whose transactions '
                      'are numbered otherwise: run limsctl migrate';
    END IF;
    RETURN QUERY SELECT coalesce(v_place.position, -1), coalesce(v_place.id, 0);
END
$$;

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

CREATE FUNCTION lims.emit_sample_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO lims.event (organization_id, type, data)
        SELECT n.organization_id, 'sample.created', json_build_object(
                   'sampleId', n.id,
                   'trackingId', n.tracking_id,
                   'sampleIdentifier', n.sample_identifier,
                   'clientName', n.client_name,
                   'status', n.status)
          FROM new_rows n
         ORDER BY n.id;
        RETURN NULL;
    END IF;
    INSERT INTO lims.event (organization_id, type, data)
    SELECT e.organization_id, e.type,
           CASE e.type
               WHEN 'sample.received' THEN json_build_object(
                   'sampleId', e.id,
                   'trackingId', e.tracking_id,
                   'status', e.status)
               -- Of many at once the contract leaves out the tracking identifier.
               ELSE CASE WHEN count(*) OVER (PARTITION BY e.type) = 1
                   THEN json_build_object(
                       'sampleId', e.id,
                       'status', e.status,
                       'trackingId', e.tracking_id)
                   ELSE json_build_object(
                       'sampleId', e.id,
                       'status', e.status)
               END
           END
      FROM (SELECT n.organization_id, n.id, n.tracking_id, n.status,
                   CASE
                       WHEN (o.status = 'pending' AND n.status = 'received')
                         OR (o.received_at IS NULL AND n.received_at IS NOT NULL)
                       THEN 'sample.received'
                       WHEN n.status = 'reported' AND o.status <> 'reported'
                       THEN 'sample.reported'
                   END AS type
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) e
     WHERE e.type IS NOT NULL
     ORDER BY e.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_insert AFTER INSERT ON lims.sample
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_sample_events();

CREATE TRIGGER events_update AFTER UPDATE ON lims.sample
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_sample_events();

CREATE FUNCTION lims.emit_result_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO lims.event (organization_id, type, data)
        SELECT n.organization_id, 'result.entered', json_build_object(
                   'sampleTestId', n.id,
                   'testDefinitionId', n.test_definition_id)
          FROM new_rows n
         WHERE n.status = 'entered'
         ORDER BY n.id;
        RETURN NULL;
    END IF;
    INSERT INTO lims.event (organization_id, type, data)
    SELECT e.organization_id, e.type,
           CASE e.type
               WHEN 'result.entered' THEN json_build_object(
                   'sampleTestId', e.id,
                   'testDefinitionId', e.test_definition_id)
               ELSE json_build_object(
                   'sampleTestId', e.id,
                   'sampleId', e.sample_id)
           END
      FROM (SELECT n.organization_id, n.id, n.sample_id, n.test_definition_id,
                   CASE
                       WHEN n.status = 'entered' AND (n.result, n.qualifier)
                            IS DISTINCT FROM (o.result, o.qualifier)
                       THEN 'result.entered'
                       WHEN n.status = 'verified' AND o.status <> 'verified'
                       THEN 'result.verified'
                   END AS type
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) e
     WHERE e.type IS NOT NULL
     ORDER BY e.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_result_events();

CREATE TRIGGER events_update AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_result_events();

CREATE FUNCTION lims.emit_qc_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.event (organization_id, type, data)
    SELECT b.organization_id, 'qc.failed', json_build_object(
               'qcBatchId', b.id,
               'batchNumber', b.batch_number,
               'qcStatus', b.qc_status)
      FROM (SELECT n.*, n.qc_status = 'failed' AND o.qc_status <> 'failed'
                   AS has_failed
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) b
     WHERE b.has_failed
     ORDER BY b.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_update AFTER UPDATE ON lims.qc_batch
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_qc_events();

CREATE FUNCTION lims.emit_investigation_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.event (organization_id, type, data)
    SELECT n.organization_id, 'investigation.opened', json_build_object(
               'investigationId', n.id,
               'investigationNumber', n.investigation_number,
               'title', n.title,
               'kind', n.kind,
               'sampleId', n.sample_id)
      FROM new_rows n
     ORDER BY n.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_insert AFTER INSERT ON lims.investigation
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_investigation_events();

CREATE FUNCTION lims.emit_certificate_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.event (organization_id, type, data)
    SELECT n.organization_id, 'coa.generated', json_build_object(
               'sampleId', s.id,
               'trackingId', s.tracking_id,
               'sampleIdentifier', s.sample_identifier)
      FROM new_rows n
      JOIN lims.sample s
        ON s.organization_id = n.organization_id
       AND s.id = n.sample_id
     ORDER BY n.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_insert AFTER INSERT ON lims.certificate
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_certificate_events();

-- Samples to be looked at --------------------------------------------------

-- How the lifecycle scan last found a sample, which is what it last told of it
-- (015_scan.sql), and when time alone changes that: until then, and while
-- nothing below is marked, it is how the sample still is.
CREATE TABLE lims.sample_watch (
    organization_id bigint NOT NULL,
    sample_id bigint NOT NULL,
    due_at timestamptz,
    release_state text CHECK (release_state IN (
        'blocked', 'in_progress', 'ready_for_review', 'ready_to_report',
        'reported')),
    holding_status text CHECK (holding_status IN (
        'ok', 'expiring_soon', 'expired')),
    PRIMARY KEY (organization_id, sample_id),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id)
);

CREATE INDEX sample_watch_due ON lims.sample_watch (organization_id, due_at)
 WHERE due_at IS NOT NULL;

-- A queue that is only ever inserted into by those who change something, in
-- the transaction of the change, so that they never wait for each other nor for
-- the scan, and that the scan empties before it looks: a change that commits
-- later leaves its own row behind. A flag on the watch row could not do that:
-- the scan would clear it over a change it had not seen.
CREATE SEQUENCE lims.sample_due_id_seq;

CREATE TABLE lims.sample_due (
    organization_id bigint NOT NULL,
    sample_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.sample_due_id_seq'),
    marked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, sample_id, id)
);

-- What every sample of an organization rests on has changed: its policies, its
-- steps. One row, whose place the scan moves on as it marks the samples: the
-- change itself would not see those that are registered at the same time.
CREATE TABLE lims.organization_due (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    last_sample_id bigint NOT NULL DEFAULT 0,
    marked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id)
);

-- What marks: everything that a release state or a holding status rests on
-- (lims.sample_release), and nothing else, for a marked sample is worked out
-- anew by who reads it. A test's own demands (worksheet, confirmation, holding
-- time) are settled when it is scheduled, so that its definition does not count;
-- a template does not change once there is a worksheet on it; an investigation
-- blocks nothing.

-- The samples of the changed rows, which name them.
CREATE FUNCTION lims.mark_samples() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_due (organization_id, sample_id)
    SELECT DISTINCT c.organization_id, c.sample_id
      FROM changed_rows c
     WHERE c.sample_id IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE FUNCTION lims.mark_new_samples() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_due (organization_id, sample_id)
    SELECT n.organization_id, n.id
      FROM new_rows n;
    RETURN NULL;
END
$$;

-- Of a sample itself, when it was taken and that it is reported.
CREATE FUNCTION lims.mark_changed_samples() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_due (organization_id, sample_id)
    SELECT c.organization_id, c.id
      FROM (SELECT n.organization_id, n.id,
                   (n.collected_at, n.collection_date, n.status = 'reported')
                   IS DISTINCT FROM
                   (o.collected_at, o.collection_date, o.status = 'reported')
                       AS has_changed
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) c
     WHERE c.has_changed;
    RETURN NULL;
END
$$;

-- Who puts a test into a batch or on a lot holds that row FOR SHARE (009), so
-- that one of the two sees the other.
CREATE FUNCTION lims.mark_samples_of_batches() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_due (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM (SELECT n.organization_id, n.id,
                   n.qc_status <> o.qc_status AS has_changed
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) b
      JOIN lims.sample_test t
        ON t.organization_id = b.organization_id
       AND t.qc_batch_id = b.id
     WHERE b.has_changed;
    RETURN NULL;
END
$$;

CREATE FUNCTION lims.mark_samples_of_media_lots() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_due (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM (SELECT n.organization_id, n.id,
                   (n.growth_promotion_status, n.sterility_status)
                   <> (o.growth_promotion_status, o.sterility_status)
                       AS has_changed
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) m
      JOIN lims.sample_test t
        ON t.organization_id = m.organization_id
       AND t.media_lot_id = m.id
     WHERE m.has_changed;
    RETURN NULL;
END
$$;

CREATE FUNCTION lims.mark_samples_of_worksheets() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_due (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM changed_rows c
      JOIN lims.sample_test t
        ON t.organization_id = c.organization_id
       AND t.id = c.sample_test_id;
    RETURN NULL;
END
$$;

-- Of what stands on a worksheet: its values, its sign-offs.
CREATE FUNCTION lims.mark_samples_by_worksheet() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_due (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM changed_rows c
      JOIN lims.worksheet w
        ON w.organization_id = c.organization_id
       AND w.id = c.worksheet_id
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id;
    RETURN NULL;
END
$$;

CREATE FUNCTION lims.mark_organizations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.organization_due AS d (organization_id)
    SELECT DISTINCT c.organization_id
      FROM changed_rows c
     ORDER BY c.organization_id
        ON CONFLICT (organization_id)
        DO UPDATE SET last_sample_id = 0;
    RETURN NULL;
END
$$;

CREATE FUNCTION lims.mark_changed_organizations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.organization_due AS d (organization_id)
    SELECT n.id
      FROM new_rows n
      JOIN old_rows o ON o.id = n.id
     WHERE (n.time_zone, n.holding_warning_hours, n.coa_before_approval)
           <> (o.time_zone, o.holding_warning_hours, o.coa_before_approval)
     ORDER BY n.id
        ON CONFLICT (organization_id)
        DO UPDATE SET last_sample_id = 0;
    RETURN NULL;
END
$$;

DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT x.name, x.function, e.event,
               CASE
                   WHEN x.compared THEN 'OLD TABLE AS old_rows NEW TABLE AS new_rows'
                   WHEN x.name = 'sample' THEN 'NEW TABLE AS new_rows'
                   WHEN e.event = 'DELETE' THEN 'OLD TABLE AS changed_rows'
                   ELSE 'NEW TABLE AS changed_rows'
               END AS rows
          FROM (VALUES
               ('sample', 'mark_new_samples', false, '{INSERT}'::text[]),
               ('sample', 'mark_changed_samples', true, '{UPDATE}'),
               ('sample_test', 'mark_samples', false, '{INSERT,UPDATE,DELETE}'),
               ('approval', 'mark_samples', false, '{INSERT,UPDATE,DELETE}'),
               ('qc_batch', 'mark_samples_of_batches', true, '{UPDATE}'),
               ('media_lot', 'mark_samples_of_media_lots', true, '{UPDATE}'),
               ('worksheet', 'mark_samples_of_worksheets', false,
                '{INSERT,DELETE}'),
               ('worksheet_value', 'mark_samples_by_worksheet', false,
                '{INSERT,UPDATE,DELETE}'),
               ('worksheet_signoff', 'mark_samples_by_worksheet', false,
                '{INSERT,UPDATE}'),
               ('organization', 'mark_changed_organizations', true, '{UPDATE}'),
               ('approval_step', 'mark_organizations', false,
                '{INSERT,UPDATE,DELETE}')
               ) AS x (name, function, compared, events)
         CROSS JOIN LATERAL unnest(x.events) AS e (event)
    LOOP
        EXECUTE format(
            'CREATE TRIGGER %I AFTER %s ON lims.%I REFERENCING %s '
            'FOR EACH STATEMENT EXECUTE FUNCTION lims.%I()',
            'mark_' || lower(v.event), v.event, v.name, v.rows, v.function);
    END LOOP;
END
$$;
