-- SPDX-License-Identifier: Apache-2.0
--
-- The foundation of all other files: the context of a request, refusals, and functions
-- that the tables share.
--
-- These files are the schema in the order of the domain, a noun's files in a row. A
-- table is written once and whole, and so is every function, view and trigger. A noun's
-- numbers begin at a ten, so that it can grow; what everybody may do stands last
-- (240_access.sql, 241_grants.sql).
--
-- Rules of every table below an organization:
--   - its primary key is (organization_id, id), every unique key and every
--     foreign key begins with organization_id: a row cannot refer to another
--     organization's even by a bug, and tables can be spread by that column;
--   - triggers take the organization from the row, never from the context;
--   - row-level security enforces the same a second time (240_access.sql).
--
-- A function that returns one value from a table is written in plpgsql, which
-- keeps its plan: in sql it would be planned anew in every transaction.
--
-- Triggers of one table, event and level run in the order of their names, which is
-- used: guard, judge, lock, then touch. A table with more than six has a map of them at
-- its head, in the order in which they run: what each does, and why at this place. A
-- test compares the maps with the database.

CREATE SCHEMA IF NOT EXISTS lims;

-- PostgreSQL lets every role run a new function by default; 241_grants.sql says who may.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- The tables that store a table's rows: its partitions, or the table itself. Storage
-- parameters are set on these.
CREATE FUNCTION lims.leaves(p_table regclass) RETURNS SETOF regclass
LANGUAGE sql STABLE
AS $$
    SELECT t.relid
      FROM pg_partition_tree(p_table) t
     WHERE t.isleaf
     UNION
    -- pg_partition_tree() is empty for a plain table.
    SELECT c.oid::regclass
      FROM pg_class c
     WHERE c.oid = p_table
       AND c.relkind = 'r'
$$;

-- The context of a request -------------------------------------------------

-- The context: acting user, API key, organization, request and reason, as settings of the
-- transaction, made by lims.authenticate() or lims.act_as(). An unset one reads as NULL;
-- reading rows without an organization is an error (lims.no_organization).
CREATE FUNCTION lims.context(p_name text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT nullif(current_setting('lims.' || p_name, true), '') $$;

CREATE FUNCTION lims.context_id(p_name text) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT nullif(current_setting('lims.' || p_name, true), '')::bigint $$;

-- The acting user, for columns that name a person. Raises SQLSTATE LM401, as for an
-- unknown API key, if the context has no user.
CREATE FUNCTION lims.acting_user() RETURNS bigint
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF lims.context_id('user_id') IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'LM401',
            MESSAGE = 'this needs a user to be put down to, and none is acting';
    END IF;
    RETURN lims.context_id('user_id');
END
$$;

-- Whether the statement is the schema owner's, who may load older records. Trigger
-- functions run with the owner's rights, so current_user does not show it; the run-time
-- role cannot set what makes this true.
CREATE FUNCTION lims.is_owner_acting() RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN pg_has_role(
        CASE current_setting('role') WHEN 'none' THEN session_user
             ELSE current_setting('role') END, 'lims_owner', 'MEMBER');
END
$$;

-- Refuses isolation levels above read committed. Whoever locks rows and then reads them
-- has to see what was committed while waiting for the locks; a snapshot of the whole
-- transaction would not show that.
CREATE FUNCTION lims.require_read_committed() RETURNS void
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_transaction_state',
            MESSAGE = format('this is decided at isolation level read committed, '
                             'not %s', current_setting('transaction_isolation'));
    END IF;
END
$$;

-- Refusals -----------------------------------------------------------------

-- Raises the refusal of a business rule (SQLSTATE LM001): the detail is the slug for
-- programs, the message is for people.
CREATE FUNCTION lims.refuse(p_slug text, p_message text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'LM001',
        MESSAGE = p_message,
        DETAIL = p_slug;
END
$$;

-- Refuses as lims.refuse() does, with the ids of the blocking records, named as in the
-- API.
CREATE FUNCTION lims.refuse_for(p_slug text, p_message text, p_ids json)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'LM001',
        MESSAGE = p_message,
        DETAIL = p_slug,
        HINT = p_ids::text;
END
$$;

-- Rows ---------------------------------------------------------------------

-- Refuses a row whose lower bound is above its upper one, which the trigger's condition
-- compares. Arguments: column and member of the lower bound, of the upper one.
CREATE FUNCTION lims.refuse_reversed() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_row CONSTANT jsonb := to_jsonb(NEW);
BEGIN
    PERFORM lims.refuse('invalid_body', format('%s: %s is above %s, %s', TG_ARGV[1],
        v_row ->> TG_ARGV[0], TG_ARGV[3], v_row ->> TG_ARGV[2]));
    RETURN NULL;
END
$$;

-- Sets updated_at if the row changed; what was written into it is ignored. 10 and 10.0
-- are equal numbers but a change: they are reported differently.
CREATE FUNCTION lims.touch() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.updated_at := OLD.updated_at;
    IF NEW *<> OLD THEN
        NEW.updated_at := now();
    END IF;
    RETURN NEW;
END
$$;

-- Refuses every change, for tables whose rows are written once.
CREATE FUNCTION lims.append_only() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'LM001',
        MESSAGE = format('%s is append-only: its rows are never changed',
                         TG_TABLE_NAME),
        DETAIL = 'invalid_transition';
END
$$;

CREATE FUNCTION lims.attach_append_only(p_table text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format(
        'CREATE TRIGGER append_only_change BEFORE UPDATE OR DELETE ON lims.%I '
        'FOR EACH ROW EXECUTE FUNCTION lims.append_only()', p_table);
    EXECUTE format(
        'CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON lims.%I '
        'FOR EACH STATEMENT EXECUTE FUNCTION lims.append_only()', p_table);
END
$$;
