-- SPDX-License-Identifier: Apache-2.0
--
-- The lifecycle scan: it looks at the samples that are dirty (121_sample_state.sql)
-- or whose time has come, keeps how it found them, and tells of those that
-- entered a state. It never walks all open samples, and any number of scans may
-- run at once, on any number of machines.
--
-- The watch row is a sample's lock: who holds it takes the sample's marks away,
-- then looks, in a statement of its own that sees what was committed until then,
-- and tells and keeps what it saw, all in one transaction. So every change is
-- seen by the look that took its mark away or by a later one; what one scan
-- keeps is never older than what is there; and what is told is kept with it, or
-- neither is.

-- Of each organization that has marks or whose time has come, a share: nobody
-- waits for another's mass change.
CREATE FUNCTION lims.scan_organizations(p_limit integer) RETURNS bigint[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN ARRAY(
        SELECT o.id
          FROM lims.organization o
         WHERE EXISTS (
                   SELECT FROM lims.sample_due d
                    WHERE d.organization_id = o.id)
            OR EXISTS (
                   SELECT FROM lims.sample_watch w
                    WHERE w.organization_id = o.id
                      AND w.due_at < now())
         ORDER BY random()
         LIMIT p_limit);
END
$$;

-- Marks the next samples of an organization that changed as a whole, if there
-- is one. Those that are registered meanwhile mark themselves, and are looked at
-- with the change in sight: it was committed before its row here could be seen.
CREATE FUNCTION lims.scan_spread(p_limit integer) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
    v_last bigint;
BEGIN
    SELECT d.organization_id, d.last_sample_id
      INTO v
      FROM lims.organization_due d
     ORDER BY random()
     LIMIT 1
       FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    WITH next_samples AS (
        SELECT s.id, s.status
          FROM lims.sample s
         WHERE s.organization_id = v.organization_id
           AND s.id > v.last_sample_id
         ORDER BY s.id
         LIMIT p_limit
    ), marked AS (
        INSERT INTO lims.sample_due (organization_id, sample_id)
        SELECT v.organization_id, n.id
          FROM next_samples n
         WHERE n.status <> 'reported'
    )
    SELECT max(n.id)
      INTO v_last
      FROM next_samples n;
    IF v_last IS NULL THEN
        DELETE FROM lims.organization_due d
         WHERE d.organization_id = v.organization_id;
    ELSE
        UPDATE lims.organization_due d
           SET last_sample_id = v_last
         WHERE d.organization_id = v.organization_id;
    END IF;
    RETURN true;
END
$$;

-- Holds the watch rows of samples to look at, and takes away their marks: at
-- most p_limit of each kind, and what another scan holds is left to it.
CREATE FUNCTION lims.scan_take(
    p_limit integer,
    OUT organizations bigint[],
    OUT samples bigint[]
)
LANGUAGE plpgsql
AS $$
DECLARE
    v_active bigint[] := lims.scan_organizations(p_limit);
    v_share integer := p_limit / greatest(cardinality(v_active), 1);
    v_organizations bigint[];
    v_samples bigint[];
    v_marks bigint[];
BEGIN
    SELECT array_agg(d.organization_id), array_agg(d.sample_id), array_agg(d.id)
      INTO v_organizations, v_samples, v_marks
      FROM unnest(v_active) AS a (id)
     CROSS JOIN LATERAL (
           SELECT x.organization_id, x.sample_id, x.id
             FROM lims.sample_due x
            WHERE x.organization_id = a.id
            ORDER BY x.sample_id, x.id
            LIMIT v_share
              FOR UPDATE SKIP LOCKED) d;

    INSERT INTO lims.sample_watch (organization_id, sample_id)
    SELECT s.organization_id, s.id
      FROM (SELECT DISTINCT m.organization_id, m.sample_id
              FROM unnest(v_organizations, v_samples)
                       AS m (organization_id, sample_id)) m
      JOIN lims.sample s
        ON s.organization_id = m.organization_id
       AND s.id = m.sample_id
     ORDER BY s.organization_id, s.id
        ON CONFLICT (organization_id, sample_id)
        DO NOTHING;

    SELECT array_agg(h.organization_id), array_agg(h.sample_id)
      INTO organizations, samples
      FROM (SELECT w.organization_id, w.sample_id
              FROM lims.sample_watch w
             WHERE (w.organization_id, w.sample_id) IN (
                       SELECT m.organization_id, m.sample_id
                         FROM unnest(v_organizations, v_samples)
                                  AS m (organization_id, sample_id))
               FOR UPDATE SKIP LOCKED) h;

    DELETE FROM lims.sample_due d
     USING unnest(v_organizations, v_samples, v_marks)
               AS m (organization_id, sample_id, id)
     WHERE d.organization_id = m.organization_id
       AND d.sample_id = m.sample_id
       AND d.id = m.id
       AND ((m.organization_id, m.sample_id) IN (
                SELECT h.organization_id, h.sample_id
                  FROM unnest(organizations, samples)
                           AS h (organization_id, sample_id))
            OR NOT EXISTS (
                SELECT FROM lims.sample s
                 WHERE s.organization_id = m.organization_id
                   AND s.id = m.sample_id));

    SELECT organizations || array_agg(h.organization_id),
           samples || array_agg(h.sample_id)
      INTO organizations, samples
      FROM unnest(v_active) AS a (id)
     CROSS JOIN LATERAL (
           SELECT w.organization_id, w.sample_id
             FROM lims.sample_watch w
            WHERE w.organization_id = a.id
              AND w.due_at < now()
            ORDER BY w.due_at
            LIMIT v_share
              FOR UPDATE SKIP LOCKED) h;
END
$$;

-- Looks at samples whose watch rows are held, keeps how they are and tells of
-- those that entered a state; returns how many events that made.
CREATE FUNCTION lims.scan_look(p_organizations bigint[], p_samples bigint[])
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    v_told integer;
BEGIN
    WITH looked_at AS MATERIALIZED (
        SELECT w.organization_id, w.sample_id, r.release_state,
               r.holding_status, r.holding_expires_at, r.holding_test_names,
               r.due_at,
               r.release_state IS DISTINCT FROM w.release_state
                   AND r.release_state IN ('blocked', 'ready_for_review',
                                           'ready_to_report')
                   AS entered_state,
               r.holding_status IS DISTINCT FROM w.holding_status
                   AND r.holding_status IN ('expiring_soon', 'expired')
                   AS entered_holding
          FROM (SELECT DISTINCT h.organization_id, h.sample_id
                  FROM unnest(p_organizations, p_samples)
                           AS h (organization_id, sample_id)) h
          JOIN lims.sample_watch w
            ON w.organization_id = h.organization_id
           AND w.sample_id = h.sample_id
         CROSS JOIN LATERAL
               lims.sample_release(h.organization_id, h.sample_id) r
    ), kept AS (
        UPDATE lims.sample_watch w
           SET release_state = l.release_state,
               holding_status = l.holding_status,
               due_at = l.due_at
          FROM looked_at l
         WHERE w.organization_id = l.organization_id
           AND w.sample_id = l.sample_id
           AND (w.release_state, w.holding_status, w.due_at) IS DISTINCT FROM
               (l.release_state, l.holding_status, l.due_at)
    ), told AS (
        INSERT INTO lims.event (organization_id, type, data)
        SELECT n.organization_id, n.type, n.data
          FROM (SELECT l.organization_id, l.sample_id,
                       'sample.' || l.release_state AS type,
                       json_build_object(
                           'sampleId', s.id,
                           'trackingId', s.tracking_id,
                           'sampleIdentifier', s.sample_identifier,
                           'clientName', s.client_name,
                           'status', s.status,
                           'reasons', CASE
                               WHEN l.release_state = 'ready_to_report' THEN '[]'
                               ELSE lims.release_reasons(s.organization_id, s.id)
                           END) AS data
                  FROM looked_at l
                  JOIN lims.sample s
                    ON s.organization_id = l.organization_id
                   AND s.id = l.sample_id
                 WHERE l.entered_state
                 UNION ALL
                SELECT l.organization_id, l.sample_id, 'holding_time.expiring',
                       json_build_object(
                           'sampleId', s.id,
                           'trackingId', s.tracking_id,
                           'sampleIdentifier', s.sample_identifier,
                           'clientName', s.client_name,
                           'status', s.status,
                           'reasons', lims.release_reasons(s.organization_id, s.id),
                           'holdingStatus', l.holding_status,
                           'expiresAt', to_char(
                               l.holding_expires_at AT TIME ZONE 'UTC',
                               'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                           'testNames', l.holding_test_names)
                  FROM looked_at l
                  JOIN lims.sample s
                    ON s.organization_id = l.organization_id
                   AND s.id = l.sample_id
                 WHERE l.entered_holding) n
         ORDER BY n.organization_id, n.sample_id, n.type DESC
        RETURNING 1
    )
    SELECT count(*)
      INTO v_told
      FROM told;
    RETURN v_told;
END
$$;

-- A sample's findings as the lifecycle events show them, in the order of its
-- readiness.
CREATE FUNCTION lims.release_reasons(p_organization bigint, p_sample bigint)
RETURNS json
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN coalesce((
        SELECT json_agg(json_build_object(
                   'category', f.category,
                   'severity', f.severity,
                   'message', f.message)
               ORDER BY f.severity, f.category, f.sample_test_id,
                        f.qc_batch_id, f.media_lot_id, f.approval_id)
          FROM lims.release_finding f
         WHERE f.organization_id = p_organization
           AND f.sample_id = p_sample), '[]');
END
$$;

-- One batch of the scan: how many samples were looked at, how many events that
-- made, and whether there may be more to do.
CREATE FUNCTION lims.scan_samples(
    p_limit integer,
    OUT looked_at integer,
    OUT told integer,
    OUT more boolean
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
SET lock_timeout = '2s'
AS $$
DECLARE
    v_limit CONSTANT integer := least(greatest(p_limit, 1), 5000);
    v record;
BEGIN
    -- A snapshot of the transaction's beginning would not show what the marks
    -- that are taken away stand for.
    PERFORM lims.require_read_committed();
    more := lims.scan_spread(10 * v_limit);
    SELECT t.organizations, t.samples
      INTO v
      FROM lims.scan_take(v_limit) t;
    told := lims.scan_look(v.organizations, v.samples);
    looked_at := coalesce(cardinality(v.samples), 0);
    more := more OR looked_at > 0;
END
$$;

-- How a sample is, where that is known without a look at what it rests on: the
-- scan has found it so, nothing was marked since, and time has not ended it. No
-- row: only lims.sample_release can tell.
CREATE FUNCTION lims.sample_standing(p_organization bigint, p_sample bigint)
RETURNS TABLE (release_state text, holding_status text)
LANGUAGE sql STABLE
AS $$
    SELECT w.release_state, w.holding_status
      FROM lims.sample_watch w
     WHERE w.organization_id = p_organization
       AND w.sample_id = p_sample
       AND w.release_state IS NOT NULL
       AND (w.due_at IS NULL OR w.due_at >= now())
       AND NOT EXISTS (
           SELECT FROM lims.sample_due d
            WHERE d.organization_id = p_organization
              AND d.sample_id = p_sample)
       AND NOT EXISTS (
           SELECT FROM lims.organization_due d
            WHERE d.organization_id = p_organization)
$$;

-- What the scan has before it: marks, samples whose time has come, organizations
-- still to be spread, and since when the oldest of them waits.
CREATE FUNCTION lims.scan_backlog(
    OUT waiting bigint,
    OUT oldest_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT sum(x.waiting)::bigint, min(x.oldest_at)
      FROM (SELECT count(*) AS waiting, min(d.marked_at) AS oldest_at
              FROM lims.sample_due d
             UNION ALL
            SELECT count(*), min(d.marked_at)
              FROM lims.organization_due d
             UNION ALL
            SELECT count(*), min(w.due_at)
              FROM lims.organization o
              JOIN lims.sample_watch w
                ON w.organization_id = o.id
               AND w.due_at < now()) x
$$;
