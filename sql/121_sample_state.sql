-- SPDX-License-Identifier: Apache-2.0
--
-- The cache of samples' release states, and the queue of dirty samples, whose cache entry
-- is stale: triggers put a sample into the queue when something changes on which its
-- state depends, and the lifecycle scan (190_scan.sql) refreshes the entry.

-- The cache ----------------------------------------------------------------

-- The cached state of a sample: what the lifecycle scan last found, and last reported by
-- an event. The entry is valid until `valid_until` (NULL: time alone does not end it), and
-- only while neither the sample nor its organization is in a queue below.
CREATE TABLE lims.sample_state_cache (
    organization_id bigint NOT NULL,
    sample_id bigint NOT NULL,
    valid_until timestamptz,
    release_state text CHECK (release_state IN (
        'blocked', 'in_progress', 'ready_for_review', 'ready_to_report',
        'reported')),
    holding_status text CHECK (holding_status IN (
        'ok', 'expiring_soon', 'expired')),
    -- Number of findings that block the report, and the categories of all findings.
    blocker_count integer,
    findings text[],
    PRIMARY KEY (organization_id, sample_id),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id)
);

CREATE INDEX sample_state_cache_valid_until
    ON lims.sample_state_cache (organization_id, valid_until)
 WHERE valid_until IS NOT NULL;

-- The filters of the list of samples, in order of its cursor. Reported samples, which are
-- most, are found by their status.
CREATE INDEX sample_state_cache_release_state
    ON lims.sample_state_cache (organization_id, release_state, sample_id)
 WHERE release_state <> 'reported';

CREATE INDEX sample_state_cache_holding_status
    ON lims.sample_state_cache (organization_id, holding_status, sample_id)
 WHERE holding_status IS NOT NULL;

-- The queue ----------------------------------------------------------------

-- The queue of dirty samples. Writers only insert, in the transaction of their change,
-- so that they never wait for each other nor for the scan. The scan deletes a sample's
-- rows before it reads the sample: a change that commits later leaves its own row. A flag
-- in the cache entry could not do that: the scan would clear it for a change that it had
-- not seen.
CREATE SEQUENCE lims.sample_dirty_id_seq;

CREATE TABLE lims.sample_dirty (
    organization_id bigint NOT NULL,
    sample_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.sample_dirty_id_seq'),
    marked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, sample_id, id)
);

-- The queue's rows live for seconds: vacuum before they are many.
DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT p AS part
          FROM lims.leaves('lims.sample_dirty') p
    LOOP
        EXECUTE format(
            'ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0, '
            'autovacuum_vacuum_threshold = 10000, '
            'autovacuum_vacuum_insert_threshold = -1, '
            'autovacuum_analyze_scale_factor = 0, '
            'autovacuum_analyze_threshold = 100000)', v.part);
    END LOOP;
END
$$;

-- Organizations all of whose samples are dirty: a policy or an approval step changed. One
-- row each, with the last sample that the scan has put into the queue: the change itself
-- would not see the samples that are registered at the same time.
CREATE TABLE lims.organization_dirty (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    last_sample_id bigint NOT NULL DEFAULT 0,
    marked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id)
);

-- Changes that make a sample dirty -----------------------------------------

-- Triggers `mark_…` stand on every table on which a release state or a holding status
-- depends (lims.sample_release), and on no other: the state of a dirty sample is worked
-- out at each read. Of test definitions only the method counts, which says what quality
-- control a result needs (148): a test keeps what else its definition asked for when it was
-- scheduled (worksheet, confirmation, holding time). Not on worksheet
-- templates, which do not change once there is a worksheet; not on investigations, which
-- block nothing.

-- Marks the samples of the changed rows as dirty; for tables with a sample_id.
CREATE FUNCTION lims.mark_samples() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
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
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT n.organization_id, n.id
      FROM new_rows n;
    RETURN NULL;
END
$$;

-- The state of a sample depends on four of its own columns: the time of collection, the
-- disposition, the amendment, and whether it is reported.
CREATE FUNCTION lims.mark_changed_samples() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT c.organization_id, c.id
      FROM (SELECT n.organization_id, n.id,
                   (n.collected_at, n.collection_date, n.disposition,
                    n.amendment_id, n.status = 'reported')
                   IS DISTINCT FROM
                   (o.collected_at, o.collection_date, o.disposition,
                    o.amendment_id, o.status = 'reported')
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

CREATE FUNCTION lims.mark_organizations() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.organization_dirty AS d (organization_id)
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
    INSERT INTO lims.organization_dirty AS d (organization_id)
    SELECT n.id
      FROM new_rows n
      JOIN old_rows o ON o.id = n.id
     WHERE (n.time_zone, n.holding_warning_hours, n.coa_before_approval,
            n.open_investigation_blocks, n.lot_qc_policy, n.qc_required)
           <> (o.time_zone, o.holding_warning_hours, o.coa_before_approval,
               o.open_investigation_blocks, o.lot_qc_policy, o.qc_required)
     ORDER BY n.id
        ON CONFLICT (organization_id)
        DO UPDATE SET last_sample_id = 0;
    RETURN NULL;
END
$$;

CREATE TRIGGER mark_update AFTER UPDATE ON lims.organization
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_changed_organizations();
