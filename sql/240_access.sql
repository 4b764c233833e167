-- SPDX-License-Identifier: Apache-2.0
--
-- Who may what. Two walls keep organizations apart: every statement names the
-- organization itself, and row-level security holds where one forgets to.
--
-- The run-time role may set the context it is bound by: the service decides
-- who is asking (lims.authenticate) and is trusted to. What it may not do,
-- whatever the context, is DDL, writing the audit trail, the outbox or a
-- result's history, running a trigger, or changing what is locked.

-- Row-level security -------------------------------------------------------

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

-- For every table that carries an organization, and the organizations. The comparison
-- stands bare, not wrapped in a SELECT: where a statement names the organization, the
-- planner compares that with the context once, for all tables of the statement, before
-- any is read; and where it does not, an index still finds the rows. In a SELECT each
-- table would have a small plan of its own, made ready on every execution. A context
-- that is not there is an error, not an organization without rows.
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

-- What a trigger rests on it reads with its owner's rights, of the organization
-- that the row names. Reading with the rights of whoever acts, it would see
-- through row-level security, and a statement that clears the context half-way
-- would find every gate open. For the same reason nobody else may run one: a
-- trigger of one's own on a table of one's own would write the audit trail and
-- the outbox, with rows and operators of one's own making.
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
