-- SPDX-License-Identifier: Apache-2.0
--
-- The cache of samples' release states, and the queue of the samples in which it is
-- dirty: what changes a state puts its sample into the queue, and the lifecycle scan
-- (190_scan.sql) works it out anew.

-- The cache ----------------------------------------------------------------

-- How the lifecycle scan last found a sample, which is what it last told of it
-- (190_scan.sql), and when time alone changes that: until then, and while
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

-- The queue ----------------------------------------------------------------

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

-- The queue's rows live for seconds: vacuum before they are many.
DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT p AS part
          FROM lims.leaves('lims.sample_due') p
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

-- What every sample of an organization rests on has changed: its policies, its
-- steps. One row, whose place the scan moves on as it marks the samples: the
-- change itself would not see those that are registered at the same time.
CREATE TABLE lims.organization_due (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    last_sample_id bigint NOT NULL DEFAULT 0,
    marked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id)
);

-- What makes a sample dirty ------------------------------------------------

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

CREATE TRIGGER mark_update AFTER UPDATE ON lims.organization
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_changed_organizations();
