-- SPDX-License-Identifier: Apache-2.0
--
-- The audit trail: who changed what, when and why, written by triggers of every table
-- whose changes count.

-- Positions: the order of the events' feed and of the trail's chain. Ids are assigned
-- before commit, so a reader in their order would miss rows that commit late. A position is
-- the number of the row's transaction plus this base; what lies before the oldest running
-- transaction is final.
--
-- 0 in the cluster where the schema was made. In a copy elsewhere (a restored dump,
-- logical replication) transaction numbers differ: lims.rebase_events() (170)
-- replaces it.
CREATE FUNCTION lims.event_base() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT 0::bigint $$;

-- Positions below this one are final for the snapshot of the statement.
CREATE FUNCTION lims.event_horizon() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT lims.event_base() + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
$$;

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
    -- Surface by which the change came, and the session of a person who is signed in.
    surface text COLLATE "C" CHECK (surface IN (
        'api', 'application', 'command line', 'instrument file', 'job')),
    session_id bigint,
    position bigint NOT NULL
        DEFAULT lims.event_base() + pg_current_xact_id()::text::bigint,
    -- Serves the trail of one record. The id comes before the table's name because it is
    -- more selective and cheaper to compare.
    PRIMARY KEY (organization_id, record_id, table_name, id)
);

-- Index for the changes of a period.
CREATE INDEX audit_entry_moment
    ON lims.audit_entry (organization_id, occurred_at);

-- BRIN index for the blocks of the chain: entries are written in nearly this order.
CREATE INDEX audit_entry_position ON lims.audit_entry
 USING brin (organization_id, position) WITH (pages_per_range = 32, autosummarize = on);

-- Serves the history of a record that has lost a part, such as a test its QC batch:
-- deletions alone, which are few.
CREATE INDEX audit_entry_removed ON lims.audit_entry
    (organization_id, table_name, (changes #>> '{sample_test_id,old}'))
 WHERE action = 'delete';

CREATE INDEX audit_entry_uncovered ON lims.audit_entry
    (organization_id, (changes #>> '{qc_batch_id,old}'))
 WHERE action = 'delete' AND table_name = 'qc_coverage';

SELECT lims.attach_append_only('audit_entry');

-- A block of an organization's chain: the entries from one position to another, each with
-- the first bytes of a MAC over itself and all before it (238_audit_chain.sql). Written
-- without foreign keys, like the entries.
CREATE TABLE lims.audit_block (
    organization_id bigint NOT NULL,
    -- The number of the block in its chain, from 1 on.
    id bigint NOT NULL,
    -- The first position, where the block before ends, and the first one behind it.
    from_position bigint NOT NULL,
    to_position bigint NOT NULL,
    closed_at timestamptz NOT NULL,
    -- The key of the key file that made the MACs.
    key_id text COLLATE "C" NOT NULL CHECK (length(key_id) BETWEEN 1 AND 32),
    -- The version of the list of columns that is hashed (lims.audit_digest).
    entry_version smallint NOT NULL,
    entry_ids bigint[] NOT NULL,
    marks bytea NOT NULL,
    -- The last entry's MAC, whole.
    head bytea NOT NULL CHECK (length(head) = 32),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT audit_block_end UNIQUE (organization_id, to_position),
    CHECK (from_position < to_position),
    CHECK (length(marks) = 16 * cardinality(entry_ids))
);

ALTER TABLE lims.audit_block ALTER marks SET STORAGE EXTERNAL;

-- Serves limsctl check, which asks for the keys in use.
CREATE INDEX audit_block_key ON lims.audit_block (organization_id, key_id);

SELECT lims.attach_append_only('audit_block');

-- Id up to which the chain of an organization is closed. The lock of this row is the
-- job's lease.
CREATE TABLE lims.audit_closing (
    organization_id bigint NOT NULL PRIMARY KEY,
    closed_below bigint NOT NULL,
    closed_at timestamptz NOT NULL,
    -- More could be closed: the last step had a limit.
    behind boolean NOT NULL
);

-- Refuses to change the identity of a row: its audit trail and history would become those
-- of another row.
CREATE FUNCTION lims.identity_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.refuse('field_not_patchable', format(
        'the id, the organization and the time of creation of a %s cannot be changed',
        replace(TG_TABLE_NAME, '_', ' ')));
    RETURN NULL;
END
$$;

-- The expression that writes one column's value as JSON, NULL for NULL. Integers and
-- booleans are cast to text, which is also their JSON and costs half as much.
CREATE FUNCTION lims.audit_value(
    p_alias text,
    p_column text,
    p_type regtype,
    p_secret text[]
) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT format(CASE
        WHEN p_column = ANY (p_secret)
        THEN $e$CASE WHEN %I.%I IS NOT NULL THEN '"(secret)"' END$e$
        WHEN p_type IN ('bigint'::regtype, 'integer'::regtype, 'boolean'::regtype)
        THEN '%I.%I::text'
        ELSE 'to_json(%I.%I)::text'
    END, p_alias, p_column)
$$;

-- Audits a table, and keeps the identity of its rows. Generates one trigger function for
-- the table from its columns: comparing columns costs a few microseconds a row, turning
-- both rows into JSON ten times that. Has to be called again when a column is added (a
-- test compares).
--
-- p_ignored: columns that are not recorded; p_secret: columns of which is recorded that
-- they changed, but not their values.
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
    -- Read once for each statement: the settings cost more than a row's indexes.
    v_actor CONSTANT text := $e$(SELECT lims.context_id('user_id')),
               (SELECT lims.context_id('api_key_id')),
               (SELECT lims.context('request_id')),
               (SELECT lims.context('reason')),
               (SELECT lims.context_id('signature_id')),
               (SELECT lims.context('surface')),
               (SELECT lims.context_id('session_id'))$e$;
    v_inserted text;
    v_updated text;
    v_deleted text;
    v_identity text;
BEGIN
    -- Text joined to NULL is NULL, and concat_ws() leaves it out: a row that is inserted
    -- or deleted is written without the columns that have no value.
    SELECT string_agg(format(
               $e$'"%1$s":{"new":' || %2$s || '}'$e$, a.attname,
               lims.audit_value('n', a.attname, a.atttypid, p_secret)),
               E',\n            ' ORDER BY a.attnum),
           string_agg(format(
               $e$CASE WHEN n.%1$I IS DISTINCT FROM o.%1$I%4$s
                 THEN '"%1$s":{"old":' || coalesce(%2$s, 'null')
                     || ',"new":' || coalesce(%3$s, 'null') || '}' END$e$,
               a.attname, lims.audit_value('o', a.attname, a.atttypid, p_secret),
               lims.audit_value('n', a.attname, a.atttypid, p_secret),
               -- 10 and 10.0 are equal, but a change.
               CASE WHEN a.atttypid = 'numeric'::regtype THEN format(
                   ' OR scale(n.%1$I) <> scale(o.%1$I)', a.attname) END),
               E',\n            ' ORDER BY a.attnum),
           string_agg(format(
               $e$'"%1$s":{"old":' || %2$s || '}'$e$, a.attname,
               lims.audit_value('o', a.attname, a.atttypid, p_secret)),
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
            signature_id, surface, session_id)
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
            signature_id, surface, session_id)
        SELECT n.%3$I, %2$L, n.id, 'insert', ('{' || concat_ws(',',
            %4$s) || '}')::json,
               %7$s
          FROM new_rows n;
    ELSE
        INSERT INTO lims.audit_entry (organization_id, table_name, record_id,
            action, changes, user_id, api_key_id, request_id, reason,
            signature_id, surface, session_id)
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

    SELECT string_agg(format('NEW.%1$I <> OLD.%1$I', a.attname), ' OR '
                      ORDER BY a.attnum)
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

-- Maintains updated_at and the audit trail of a table.
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
