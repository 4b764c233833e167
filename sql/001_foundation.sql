-- SPDX-License-Identifier: Apache-2.0
--
-- The ground everything stands on: the request's context, refusals, the audit
-- trail, organizations and their people, API keys, electronic signatures.
--
-- Rules of every table below an organization:
--   - its primary key is (organization_id, id), every unique key and every
--     foreign key begins with organization_id: a row cannot refer to another
--     organization's even by a bug, and tables can be spread by that column;
--   - triggers take the organization from the row, never from the context;
--   - row-level security is the second wall (access.sql, the last migration).
--
-- A function that returns one value from a table is written in plpgsql, which
-- keeps its plan: in sql it would be planned anew in every transaction.
--
-- Triggers of one table and moment run in the order of their names, which is
-- used: guard, judge, lock, then touch.

CREATE SCHEMA IF NOT EXISTS lims;

-- What a function may do is for access.sql to give: by default PostgreSQL lets
-- everybody run it.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- The tables that hold a table's rows: its partitions, or itself. Storage
-- parameters are theirs.
CREATE FUNCTION lims.leaves(p_table regclass) RETURNS SETOF regclass
LANGUAGE sql STABLE
AS $$
    SELECT t.relid
      FROM pg_partition_tree(p_table) t
     WHERE t.isleaf
     UNION
    -- One without partitions has no tree, not even of itself.
    SELECT c.oid::regclass
      FROM pg_class c
     WHERE c.oid = p_table
       AND c.relkind = 'r'
$$;

-- The context of a request -------------------------------------------------

-- Who acts, for which organization, why: transaction-local settings, set by
-- lims.authenticate() or lims.act_as(). An unset one reads as NULL, and a NULL
-- organization sees no rows.
CREATE FUNCTION lims.context(p_name text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT nullif(current_setting('lims.' || p_name, true), '') $$;

CREATE FUNCTION lims.context_id(p_name text) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT nullif(current_setting('lims.' || p_name, true), '')::bigint $$;

-- The user whom an act is put down to. What stamps a person is not done by
-- nobody: SQLSTATE LM401, as for a request whose key is not known.
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

-- Whether the schema's owner acts, who may bring in what was done before it was
-- recorded here. Triggers run with the owner's rights, so current_user does not
-- tell, and nothing that the run-time role can set makes it one.
CREATE FUNCTION lims.is_owner_acting() RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN pg_has_role(
        CASE current_setting('role') WHEN 'none' THEN session_user
             ELSE current_setting('role') END, 'lims_owner', 'MEMBER');
END
$$;

-- What locks its evidence and then reads it needs to see what was committed
-- while it waited for the locks. A snapshot of the transaction's beginning,
-- which the higher isolation levels read, would not show it.
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

-- A rule of the laboratory says no. The detail is the slug that a program
-- reads, the message is for a person.
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

-- updated_at follows real changes only, and nobody sets it by hand. 10 and 10.0
-- are equal numbers, but not the same record: what is reported would differ.
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

-- For tables whose rows are written once.
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

-- The audit trail ----------------------------------------------------------

CREATE SEQUENCE lims.audit_entry_id_seq;

CREATE TABLE lims.audit_entry (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.audit_entry_id_seq'),
    occurred_at timestamptz NOT NULL DEFAULT now(),
    table_name text COLLATE "C" NOT NULL,
    record_id bigint NOT NULL,
    action text NOT NULL CHECK (action IN ('insert', 'update', 'delete')),
    -- {"column": {"old": ..., "new": ...}}, the changed columns only; an
    -- insertion has no "old", a deletion no "new". json, not jsonb: written
    -- with every change, and seldom looked into.
    changes json NOT NULL,
    user_id bigint,
    api_key_id bigint,
    request_id text,
    reason text,
    signature_id bigint,
    -- The trail of a record. Every change comes here: the number, which tells
    -- entries apart sooner and at less cost than the name, is compared first.
    PRIMARY KEY (organization_id, record_id, table_name, id)
);

-- What was changed in a time.
CREATE INDEX audit_entry_moment
    ON lims.audit_entry (organization_id, occurred_at);

SELECT lims.attach_append_only('audit_entry');

-- What a record is known by stays: the trail and the history of a row would be
-- another row's.
CREATE FUNCTION lims.identity_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.refuse('field_not_patchable', format(
        'the identity of a %s never changes: neither its id, its organization '
        'nor when it was made', replace(TG_TABLE_NAME, '_', ' ')));
    RETURN NULL;
END
$$;

-- The expression that writes one column's value as JSON.
CREATE FUNCTION lims.audit_value(p_alias text, p_column text, p_secret text[])
RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_column = ANY (p_secret) THEN quote_literal('"(secret)"')
        ELSE format('coalesce(to_json(%I.%I)::text, ''null'')',
                    p_alias, p_column)
    END
$$;

-- Makes one table audited, and its rows keep what they are known by. What runs
-- is one function per table, written here from its columns: comparing columns
-- costs a few microseconds a row, turning both rows into JSON ten times that.
-- After adding a column to an audited table, a migration calls this again (a
-- test compares).
--
-- p_ignored: columns whose change alone is not worth an entry (and that no
-- entry shows); p_secret: columns of which only the fact of the change is.
CREATE FUNCTION lims.attach_audit(
    p_table text,
    p_ignored text[] DEFAULT '{}',
    p_secret text[] DEFAULT '{}'
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_skipped text[] := p_ignored
        || ARRAY['organization_id', 'id', 'created_at', 'updated_at'];
    v_organization text := CASE p_table
        WHEN 'organization' THEN 'id' ELSE 'organization_id' END;
    -- Asked once a statement: five settings cost more than the row's indexes.
    v_actor CONSTANT text := $e$(SELECT lims.context_id('user_id')),
               (SELECT lims.context_id('api_key_id')),
               (SELECT lims.context('request_id')),
               (SELECT lims.context('reason')),
               (SELECT lims.context_id('signature_id'))$e$;
    v_inserted text;
    v_updated text;
    v_deleted text;
    v_identity text;
BEGIN
    SELECT string_agg(format(
               $e$CASE WHEN n.%1$I IS NOT NULL
                 THEN '"%1$s":{"new":' || %2$s || '}' END$e$,
               a.attname, lims.audit_value('n', a.attname, p_secret)),
               E',\n            ' ORDER BY a.attnum),
           string_agg(format(
               $e$CASE WHEN n.%1$I IS DISTINCT FROM o.%1$I%4$s
                 THEN '"%1$s":{"old":' || %2$s || ',"new":' || %3$s || '}' END$e$,
               a.attname, lims.audit_value('o', a.attname, p_secret),
               lims.audit_value('n', a.attname, p_secret),
               -- 10 and 10.0 are equal, and not the same.
               CASE WHEN a.atttypid = 'numeric'::regtype THEN format(
                   ' OR scale(n.%1$I) <> scale(o.%1$I)', a.attname) END),
               E',\n            ' ORDER BY a.attnum),
           string_agg(format(
               $e$CASE WHEN o.%1$I IS NOT NULL
                 THEN '"%1$s":{"old":' || %2$s || '}' END$e$,
               a.attname, lims.audit_value('o', a.attname, p_secret)),
               E',\n            ' ORDER BY a.attnum)
      INTO v_inserted, v_updated, v_deleted
      FROM pg_attribute a
     WHERE a.attrelid = format('lims.%I', p_table)::regclass
       AND a.attnum > 0
       AND NOT a.attisdropped
       AND a.attname <> ALL (v_skipped);

    EXECUTE format($f$
CREATE OR REPLACE FUNCTION lims.%1$I() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $body$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO lims.audit_entry (organization_id, table_name, record_id,
            action, changes, user_id, api_key_id, request_id, reason,
            signature_id)
        SELECT d.organization_id, %2$L, d.id, 'update',
               ('{' || d.changes || '}')::json,
               %7$s
          FROM (SELECT n.%3$I AS organization_id, n.id, concat_ws(',',
            %5$s) AS changes
                  FROM new_rows n
                  FULL JOIN old_rows o ON o.%3$I = n.%3$I AND o.id = n.id
                OFFSET 0) d
         WHERE d.changes <> '';
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO lims.audit_entry (organization_id, table_name, record_id,
            action, changes, user_id, api_key_id, request_id, reason,
            signature_id)
        SELECT n.%3$I, %2$L, n.id, 'insert', ('{' || concat_ws(',',
            %4$s) || '}')::json,
               %7$s
          FROM new_rows n;
    ELSE
        INSERT INTO lims.audit_entry (organization_id, table_name, record_id,
            action, changes, user_id, api_key_id, request_id, reason,
            signature_id)
        SELECT o.%3$I, %2$L, o.id, 'delete', ('{' || concat_ws(',',
            %6$s) || '}')::json,
               %7$s
          FROM old_rows o;
    END IF;
    RETURN NULL;
END
$body$ $f$,
        'audit_' || p_table, p_table, v_organization,
        v_inserted, v_updated, v_deleted, v_actor);

    SELECT string_agg(format('NEW.%1$I <> OLD.%1$I', a.attname), ' OR ')
      INTO v_identity
      FROM pg_attribute a
     WHERE a.attrelid = format('lims.%I', p_table)::regclass
       AND a.attname IN ('organization_id', 'id', 'created_at')
       AND NOT a.attisdropped;
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER identity BEFORE UPDATE ON lims.%I '
        'FOR EACH ROW WHEN (%s) EXECUTE FUNCTION lims.identity_changed()',
        p_table, v_identity);

    EXECUTE format(
        'CREATE OR REPLACE TRIGGER audit_insert AFTER INSERT ON lims.%1$I '
        'REFERENCING NEW TABLE AS new_rows '
        'FOR EACH STATEMENT EXECUTE FUNCTION lims.%2$I()',
        p_table, 'audit_' || p_table);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER audit_update AFTER UPDATE ON lims.%1$I '
        'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '
        'FOR EACH STATEMENT EXECUTE FUNCTION lims.%2$I()',
        p_table, 'audit_' || p_table);
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER audit_delete AFTER DELETE ON lims.%1$I '
        'REFERENCING OLD TABLE AS old_rows '
        'FOR EACH STATEMENT EXECUTE FUNCTION lims.%2$I()',
        p_table, 'audit_' || p_table);
END
$$;

-- Keeps updated_at and the audit trail of one table.
CREATE FUNCTION lims.attach_record(
    p_table text,
    p_ignored text[] DEFAULT '{}',
    p_secret text[] DEFAULT '{}'
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format(
        'CREATE TRIGGER touch BEFORE UPDATE ON lims.%I '
        'FOR EACH ROW EXECUTE FUNCTION lims.touch()', p_table);
    PERFORM lims.attach_audit(p_table, p_ignored, p_secret);
END
$$;

-- Organizations ------------------------------------------------------------

CREATE SEQUENCE lims.organization_id_seq;

CREATE TABLE lims.organization (
    id bigint NOT NULL DEFAULT nextval('lims.organization_id_seq') PRIMARY KEY,
    code text NOT NULL CONSTRAINT organization_code UNIQUE
        CHECK (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    time_zone text NOT NULL DEFAULT 'UTC',
    tracking_prefix text NOT NULL DEFAULT 'LAB'
        CHECK (tracking_prefix ~ '^[A-Z0-9]{1,8}$'),
    plan text NOT NULL DEFAULT 'professional'
        CHECK (plan IN ('none', 'starter', 'professional', 'enterprise')),
    api_access boolean NOT NULL DEFAULT true,
    -- Samples that may be registered in a calendar month (UTC); NULL: any.
    monthly_sample_allowance integer CHECK (monthly_sample_allowance >= 0),
    -- Policies: how strict this laboratory is.
    reagent_expiry_policy text NOT NULL DEFAULT 'block'
        CHECK (reagent_expiry_policy IN ('block', 'warn')),
    coa_before_approval boolean NOT NULL DEFAULT false,
    esignature_required boolean NOT NULL DEFAULT false,
    ai_data_access boolean NOT NULL DEFAULT false,
    oos_opens_investigation boolean NOT NULL DEFAULT true,
    holding_warning_hours numeric NOT NULL DEFAULT 24
        CHECK (holding_warning_hours BETWEEN 0 AND 8760),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (plan <> 'none' OR NOT api_access)
);

CREATE FUNCTION lims.organization_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_catalog.pg_timezone_names z
         WHERE z.name = NEW.time_zone
    ) THEN
        PERFORM lims.refuse('invalid_body', format(
            'timeZone: "%s" is no time zone name such as "America/Denver"',
            NEW.time_zone));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.organization
FOR EACH ROW EXECUTE FUNCTION lims.organization_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.organization
FOR EACH ROW WHEN (NEW.time_zone IS DISTINCT FROM OLD.time_zone)
EXECUTE FUNCTION lims.organization_guard();

SELECT lims.attach_record('organization');

-- People -------------------------------------------------------------------

CREATE SEQUENCE lims.user_account_id_seq;

CREATE TABLE lims.user_account (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.user_account_id_seq'),
    email text NOT NULL
        CHECK (length(email) <= 254 AND email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
    display_name text NOT NULL CHECK (length(display_name) BETWEEN 1 AND 255),
    -- NULL: cannot sign in, nor sign.
    password_hash text CHECK (length(password_hash) <= 1000),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX user_account_email
    ON lims.user_account (organization_id, lower(email));

SELECT lims.attach_record('user_account', '{}', '{password_hash}');

CREATE SEQUENCE lims.user_role_id_seq;

CREATE TABLE lims.user_role (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.user_role_id_seq'),
    user_id bigint NOT NULL,
    role text NOT NULL CHECK (role IN (
        'system_administrator', 'administrator', 'lab_manager', 'qa_officer',
        'analyst', 'microbiologist', 'receiving_clerk', 'client_viewer')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, user_id, role),
    FOREIGN KEY (organization_id, user_id)
        REFERENCES lims.user_account (organization_id, id)
);

SELECT lims.attach_audit('user_role');

-- API keys -----------------------------------------------------------------

CREATE SEQUENCE lims.api_key_id_seq;

CREATE TABLE lims.api_key (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.api_key_id_seq'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- SHA-256 of the key: the key itself is shown once and kept nowhere.
    key_hash bytea NOT NULL CHECK (length(key_hash) = 32),
    key_prefix text NOT NULL CHECK (length(key_prefix) <= 64),
    scopes text[] NOT NULL CHECK (scopes <@ ARRAY[
        'samples:read', 'samples:write', 'results:read', 'results:write',
        'results:verify', 'reports:write', 'approvals:read', 'approvals:write',
        'reference:read', 'reference:write', 'instruments:write',
        'events:read']),
    upload_only boolean NOT NULL DEFAULT false,
    created_by bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at timestamptz,
    revoked_by bigint,
    expires_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, revoked_by)
        REFERENCES lims.user_account (organization_id, id)
);

-- The one look-up made before the organization is known.
CREATE INDEX api_key_hash ON lims.api_key (key_hash);

CREATE FUNCTION lims.api_key_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
        PERFORM lims.refuse('invalid_transition',
                            'a revoked API key stays revoked');
    END IF;
    IF NEW.key_hash <> OLD.key_hash THEN
        PERFORM lims.refuse('invalid_transition',
                            'an API key is never replaced: create another');
    END IF;
    IF NEW.created_by <> OLD.created_by THEN
        PERFORM lims.refuse('invalid_transition',
                            'an API key acts for who made it, and nobody else');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.api_key
FOR EACH ROW EXECUTE FUNCTION lims.api_key_guard();

-- A key's use is no change of the key: neither updated_at nor an audit entry.
CREATE TRIGGER touch BEFORE UPDATE ON lims.api_key
FOR EACH ROW WHEN (NEW.last_used_at IS NOT DISTINCT FROM OLD.last_used_at
    OR NEW.updated_at <> OLD.updated_at)
EXECUTE FUNCTION lims.touch();

SELECT lims.attach_audit('api_key', '{last_used_at}', '{key_hash}');

-- Electronic signatures (21 CFR 11.50, 11.70) ------------------------------

-- How they are made and what they cover: access.sql, the last migration.

CREATE SEQUENCE lims.electronic_signature_id_seq;

CREATE TABLE lims.electronic_signature (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.electronic_signature_id_seq'),
    signer bigint NOT NULL,
    -- As it was when signed: people change their names.
    printed_name text NOT NULL CHECK (length(printed_name) BETWEEN 1 AND 255),
    meaning text NOT NULL CHECK (meaning IN (
        'verified', 'approved', 'rejected', 'performed', 'reviewed',
        'override', 'reopened', 'amended', 'witnessed')),
    reason text CHECK (length(reason) <= 2000),
    table_name text NOT NULL CHECK (length(table_name) <= 64),
    record_id bigint NOT NULL,
    -- SHA-256 of what was signed, as JSON: the link of 11.70.
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    method text NOT NULL DEFAULT 'password' CHECK (method IN ('password')),
    signed_at timestamptz NOT NULL DEFAULT now(),
    -- A signature serves the transaction it was made in and no later one.
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, signer)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX electronic_signature_record ON lims.electronic_signature
    (organization_id, table_name, record_id, id);

SELECT lims.attach_append_only('electronic_signature');
SELECT lims.attach_audit('electronic_signature', '{transaction_id}');
