-- SPDX-License-Identifier: Apache-2.0
--
-- What does not hold must not be worked with. A copy of the database in another
-- cluster (a restored dump, logical replication) has events whose positions lie
-- ahead of the transactions there: what is written before lims.rebase_events()
-- would come to stand before them, behind the cursors of readers who have read
-- them, for ever. And a statement that the organization's context did not reach
-- sees nothing, which is not the same as that nothing is there.

-- Restored copies ----------------------------------------------------------

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

-- The feed says the same as whoever writes. It is the same but for that.
CREATE OR REPLACE FUNCTION lims.event_after(
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

-- Lost contexts ------------------------------------------------------------

-- Instead of the organization, where none is set: by a pooler that takes a
-- transaction apart, or where a setting does not reach whoever reads the rows.
CREATE FUNCTION lims.no_organization() RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'LM500',
        MESSAGE = 'the statement runs without an organization: its context did '
                  'not reach the rows';
END
$$;

-- As in 013_access.sql, where it says why the comparison stands bare; but a
-- context that is not there is an error, not an organization without rows.
CREATE OR REPLACE FUNCTION lims.enable_row_security() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT c.relname,
               CASE c.relname WHEN 'organization' THEN 'id'
                              ELSE 'organization_id' END AS tenant
          FROM pg_catalog.pg_class c
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'lims'
           AND c.relkind IN ('r', 'p')
           AND c.relname <> 'schema_migration'
           AND NOT c.relrowsecurity
    LOOP
        EXECUTE format('ALTER TABLE lims.%I ENABLE ROW LEVEL SECURITY',
                       v.relname);
        EXECUTE format('DROP POLICY IF EXISTS tenant ON lims.%I', v.relname);
        EXECUTE format(
            'CREATE POLICY tenant ON lims.%I USING (%I = coalesce('
            'nullif(current_setting(''lims.organization_id'', true), '''')'
            '::bigint, lims.no_organization()))', v.relname, v.tenant);
    END LOOP;
END
$$;

-- Those that there are already are made anew, by the one that says how.
DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT p.polrelid::regclass AS name
          FROM pg_catalog.pg_policy p
          JOIN pg_catalog.pg_class c ON c.oid = p.polrelid
         WHERE c.relnamespace = 'lims'::regnamespace
           AND p.polname = 'tenant'
    LOOP
        EXECUTE format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', v.name);
    END LOOP;
END
$$;

SELECT lims.enable_row_security();

SELECT lims.secure_functions();
REVOKE ALL ON FUNCTION lims.refuse_displaced(), lims.events_displaced(),
    lims.no_organization() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lims.refuse_displaced(), lims.events_displaced(),
    lims.no_organization() TO lims_app;

-- What limsctl check asks of every table: the service may read its own rows.
GRANT SELECT ON lims.answer_storage TO lims_app;
