-- SPDX-License-Identifier: Apache-2.0
--
-- The lifecycle scan refreshes the cached state (121_sample_state.sql) of samples that
-- are dirty or whose cache entry has expired, and writes an event for each that entered a
-- state. It never walks all open samples, and any number of scans may run at once, on any
-- number of machines.
--
-- The cache entry is the sample's lock. In one transaction, who holds it deletes the
-- sample from the queue, then reads the sample in a statement of its own, which sees what
-- was committed until then, and writes cache entry and events. So every change is seen by
-- the scan that deleted its queue row or by a later one, no entry is replaced by an older
-- one, and an event is written with its cache entry or neither is.

-- The organizations with dirty samples or expired entries. Each gets a share of a batch,
-- so that none waits for another's mass change.
CREATE FUNCTION lims.scan_organizations(p_limit integer) RETURNS bigint[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN ARRAY(
        SELECT o.id
          FROM lims.organization o
         WHERE EXISTS (
                   SELECT FROM lims.sample_dirty d
                    WHERE d.organization_id = o.id)
            OR EXISTS (
                   SELECT FROM lims.sample_state_cache w
                    WHERE w.organization_id = o.id
                      AND w.valid_until < now())
         ORDER BY random()
         LIMIT p_limit);
END
$$;

-- Puts the next samples of a dirty organization into the queue, if there is one. Samples
-- that are registered meanwhile are put there by their own triggers, and read with the
-- change in sight: it was committed before its row could be seen here.
CREATE FUNCTION lims.scan_spread(p_limit integer) RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
    v_last bigint;
BEGIN
    SELECT d.organization_id, d.last_sample_id
      INTO v
      FROM lims.organization_dirty d
     ORDER BY random()
     LIMIT 1
       FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    WITH next_samples AS (
        SELECT s.id, s.status <> 'reported' OR s.amendment_id IS NOT NULL AS is_open
          FROM lims.sample s
         WHERE s.organization_id = v.organization_id
           AND s.id > v.last_sample_id
         ORDER BY s.id
         LIMIT p_limit
    ), marked AS (
        INSERT INTO lims.sample_dirty (organization_id, sample_id)
        SELECT v.organization_id, n.id
          FROM next_samples n
         WHERE n.is_open
    )
    SELECT max(n.id)
      INTO v_last
      FROM next_samples n;
    IF v_last IS NULL THEN
        DELETE FROM lims.organization_dirty d
         WHERE d.organization_id = v.organization_id;
    ELSE
        UPDATE lims.organization_dirty d
           SET last_sample_id = v_last
         WHERE d.organization_id = v.organization_id;
    END IF;
    RETURN true;
END
$$;

-- Locks the cache entries of the samples to refresh, at most p_limit dirty and as many
-- expired ones, and deletes them from the queue. Skips what another scan has locked.
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
             FROM lims.sample_dirty x
            WHERE x.organization_id = a.id
            ORDER BY x.sample_id, x.id
            LIMIT v_share
              FOR UPDATE SKIP LOCKED) d;

    INSERT INTO lims.sample_state_cache (organization_id, sample_id)
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
              FROM lims.sample_state_cache w
             WHERE (w.organization_id, w.sample_id) IN (
                       SELECT m.organization_id, m.sample_id
                         FROM unnest(v_organizations, v_samples)
                                  AS m (organization_id, sample_id))
               FOR UPDATE SKIP LOCKED) h;

    DELETE FROM lims.sample_dirty d
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
             FROM lims.sample_state_cache w
            WHERE w.organization_id = a.id
              AND w.valid_until < now()
            ORDER BY w.valid_until
            LIMIT v_share
              FOR UPDATE SKIP LOCKED) h;
END
$$;

-- Refreshes the cache entries that scan_take() has locked, and writes an event for each
-- sample that entered a state. Returns the number of events.
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
               r.valid_until, r.blocker_count, r.findings,
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
          JOIN lims.sample_state_cache w
            ON w.organization_id = h.organization_id
           AND w.sample_id = h.sample_id
         CROSS JOIN LATERAL
               lims.sample_release(h.organization_id, h.sample_id) r
    ), kept AS (
        UPDATE lims.sample_state_cache w
           SET release_state = l.release_state,
               holding_status = l.holding_status,
               valid_until = l.valid_until,
               blocker_count = l.blocker_count,
               findings = l.findings
          FROM looked_at l
         WHERE w.organization_id = l.organization_id
           AND w.sample_id = l.sample_id
           AND (w.release_state, w.holding_status, w.valid_until, w.blocker_count,
                w.findings) IS DISTINCT FROM
               (l.release_state, l.holding_status, l.valid_until, l.blocker_count,
                l.findings)
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
                   AND NOT lims.sample_is_closed(s.status, s.disposition)
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

-- Lists a sample's findings as in lifecycle events, in the order of its readiness.
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
                        f.qc_batch_id, f.media_lot_id, f.reagent_lot_id,
                        f.approval_id)
          FROM lims.release_finding f
         WHERE f.organization_id = p_organization
           AND f.sample_id = p_sample), '[]');
END
$$;

-- Scans one batch. Returns the numbers of samples and of events, and whether there may be
-- more to do.
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
    -- A snapshot of the transaction's beginning would not show what the queue rows
    -- that are deleted stand for.
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

-- The cached state of a sample, if the entry is valid: the sample is not dirty, and its
-- time has not run out. No row: lims.sample_release() works the state out.
CREATE FUNCTION lims.cached_sample_state(p_organization bigint, p_sample bigint)
RETURNS TABLE (
    release_state text,
    holding_status text,
    blocker_count integer,
    findings text[]
)
LANGUAGE sql STABLE
AS $$
    SELECT w.release_state, w.holding_status, w.blocker_count, w.findings
      FROM lims.sample_state_cache w
     WHERE w.organization_id = p_organization
       AND w.sample_id = p_sample
       AND w.release_state IS NOT NULL
       AND (w.valid_until IS NULL OR w.valid_until >= now())
       AND NOT EXISTS (
           SELECT FROM lims.sample_dirty d
            WHERE d.organization_id = p_organization
              AND d.sample_id = p_sample)
       AND NOT EXISTS (
           SELECT FROM lims.organization_dirty d
            WHERE d.organization_id = p_organization)
$$;

-- The backlog: dirty samples, expired cache entries and dirty organizations, and since
-- when the oldest of them waits.
CREATE FUNCTION lims.scan_backlog(
    OUT waiting bigint,
    OUT oldest_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT sum(x.waiting)::bigint, min(x.oldest_at)
      FROM (SELECT count(*) AS waiting, min(d.marked_at) AS oldest_at
              FROM lims.sample_dirty d
             UNION ALL
            SELECT count(*), min(d.marked_at)
              FROM lims.organization_dirty d
             UNION ALL
            SELECT count(*), min(w.valid_until)
              FROM lims.organization o
              JOIN lims.sample_state_cache w
                ON w.organization_id = o.id
               AND w.valid_until < now()) x
$$;
