-- SPDX-License-Identifier: Apache-2.0
--
-- Row-level security and the rights of functions. Organizations are separated twice: every
-- statement names the organization, and row-level security enforces it again.
--
-- The run-time role sets its own context: the service authenticates callers
-- (lims.authenticate) and is trusted with that. Whatever the context, it has no DDL, cannot
-- write the audit trail, the outbox, a result's history or what is derived from a result,
-- cannot run trigger functions, and cannot change what is locked.

-- Row-level security -------------------------------------------------------

-- Raises an error where the context has no organization: a pooler has split the
-- transaction, or the setting did not reach the process that reads the rows.
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

-- Enables row-level security for every table with an organization. The context is compared
-- directly, not in a sub-SELECT: if a statement names the organization, the planner makes
-- that one comparison before any table is read, and if it does not, an index can be used.
-- A sub-SELECT would be a subplan for each table in every execution. A missing context
-- raises an error.
CREATE FUNCTION lims.enable_row_security() RETURNS void
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

SELECT lims.enable_row_security();

-- Functions ----------------------------------------------------------------

-- Makes all trigger functions SECURITY DEFINER. With the caller's rights they would read
-- through row-level security, and a statement that clears the context half-way would find
-- every gate open. Nobody else may execute them: a trigger on a table of one's own could
-- write the audit trail and the outbox with made-up rows and operators.
CREATE FUNCTION lims.secure_functions() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT p.oid::regprocedure AS function
          FROM pg_catalog.pg_proc p
         WHERE p.pronamespace = 'lims'::regnamespace
           AND p.prorettype = 'trigger'::regtype
    LOOP
        EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER '
                       'SET search_path = lims, pg_temp', v.function);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC, lims_app',
                       v.function);
    END LOOP;
END
$$;

SELECT lims.secure_functions();
