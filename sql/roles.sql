-- SPDX-License-Identifier: Apache-2.0
--
-- The roles of the service. A database administrator runs this once in each database of
-- the service, as a superuser, when the database is there and before `limsctl migrate`:
--
--     sudo -u postgres createdb lims
--     sudo -u postgres psql -d lims -f /usr/share/mod_lims/roles.sql
--
-- lims_owner owns the schema `lims` and runs the migrations; lims_app is what
-- the service connects as: it reads and writes rows, has no DDL, and row-level
-- security applies to it. Both are made able to log in, without a password:
-- who may, and how, is for pg_hba.conf and the administrator, for instance
--
--     ALTER ROLE lims_app PASSWORD '...';
--
-- Running this again changes nothing that is as it should be.

DO $$
BEGIN
    -- Rights on a database change below: not those of one that belongs to all.
    IF current_database() IN ('postgres', 'template0', 'template1') THEN
        RAISE EXCEPTION 'this is the database %, not the one of the service',
                        current_database()
            USING HINT = 'Name it: createdb lims; psql -d lims -f roles.sql';
    END IF;

    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'lims_owner') THEN
        CREATE ROLE lims_owner LOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'lims_app') THEN
        CREATE ROLE lims_app LOGIN;
    END IF;

    -- Either of these would lift the tenants' wall without a word.
    IF EXISTS (
        SELECT FROM pg_roles
         WHERE rolname = 'lims_app'
           AND (rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole)
    ) THEN
        ALTER ROLE lims_app NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
    IF pg_has_role('lims_app', 'lims_owner', 'MEMBER') THEN
        REVOKE lims_owner FROM lims_app;
    END IF;
    -- limsctl logs in as the owner and does an organization's work as lims_app.
    IF NOT pg_has_role('lims_owner', 'lims_app', 'MEMBER') THEN
        GRANT lims_app TO lims_owner;
    END IF;

    -- The service needs no tables of its own, and migrations need none.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC',
                   current_database());
    EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO lims_owner',
                   current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO lims_app',
                   current_database());
END
$$;
